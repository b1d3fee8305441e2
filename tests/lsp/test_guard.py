"""Errors become codes, and never carry what a note says."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
from pygls.exceptions import JsonRpcInvalidParams

from ibid import errors
from ibid.faces.lsp.guard import CODES, FAILED, describe_error

SECRET = "the marmalade clause"


def raise_it(error: BaseException) -> BaseException:
    """Return ``error`` with the traceback of having been raised."""
    try:
        raise error
    except BaseException as caught:
        return caught


@pytest.mark.parametrize(
    ("error", "code", "name"),
    [
        (errors.InputError, -32602, "invalid"),
        (errors.NotFoundError, -33001, "notFound"),
        (errors.AmbiguousError, -33002, "ambiguous"),
        (errors.ConflictError, -33003, "conflict"),
        (errors.GoneError, -33004, "gone"),
        (errors.DisabledError, -33005, "disabled"),
        (errors.StoreError, -33010, "store"),
        (errors.StoreBusyError, -33010, "storeBusy"),
        (errors.StoreCorruptError, -33010, "storeCorrupt"),
        (errors.StoreReadOnlyError, -33010, "storeReadOnly"),
        (errors.StoreTooNewError, -33010, "storeTooNew"),
    ],
)
def test_named_errors(error: type[errors.IbidError], code: int, name: str) -> None:
    """Each named error has its code, its name, and its own words."""
    refusal = describe_error(raise_it(error("say why")), "ibid/test")
    assert refusal.to_wire() == {
        "code": code,
        "message": "say why",
        "data": {"code": name},
    }


def test_every_named_error_has_a_code() -> None:
    """A new kind of error cannot be forgotten here."""
    kinds = [errors.IbidError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    assert {kind.code for kind in kinds} - {"failed"} == set(CODES)


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError(SECRET),
        KeyError(SECRET),
        RecursionError(SECRET),
        SystemExit(SECRET),
    ],
)
def test_unforeseen_errors(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    """What was not foreseen is answered by an id that only the log explains."""
    caplog.set_level(logging.DEBUG)
    refusal = describe_error(raise_it(error), "ibid/test")
    assert (refusal.code, refusal.name) == (-33000, "failed")
    ident = re.search(r"\b[0-9a-f]{8}\b", refusal.message)
    assert ident is not None
    assert ident[0] in caplog.text
    assert type(error).__name__ in caplog.text
    assert "raise_it" in caplog.text
    assert SECRET not in refusal.message + caplog.text
    assert "Traceback" not in refusal.message + caplog.text


def test_the_cause_is_logged_by_kind(caplog: pytest.LogCaptureFixture) -> None:
    """What led to an error is named, without its words."""
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as cause:
            raise RuntimeError("outer") from cause
    except RuntimeError as error:
        describe_error(error, "ibid/test")
    assert "RuntimeError from KeyError" in caplog.text
    assert SECRET not in caplog.text


def test_named_errors_are_logged_without_their_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A named error's message is for the client alone."""
    caplog.set_level(logging.DEBUG)
    describe_error(raise_it(errors.GoneError(SECRET)), "ibid/test")
    assert "gone" in caplog.text
    assert SECRET not in caplog.text


def test_protocol_errors_keep_their_code() -> None:
    """A handler may raise pygls' own errors, whose data is not passed on."""
    error = JsonRpcInvalidParams("no such range", data={"traceback": ["x"]})
    assert describe_error(raise_it(error), "ibid/test").to_wire() == {
        "code": -32602,
        "message": "no such range",
        "data": {"code": "failed"},
    }


def test_the_codes_are_those_of_the_protocol_page() -> None:
    """The table of errors in the documentation says the same."""
    page = Path(__file__).parents[2] / "docs" / "protocol.md"
    table = page.read_text(encoding="utf-8").partition("## Errors")[2]
    rows = re.findall(r"^\| (-\d+) \| ([^|]+) \|", table.partition("\n## ")[0], re.M)
    written = {name: int(code) for code, cell in rows for name in cell.split(", ")}
    ours = {f"`{name}`": code for name, code in (CODES | {"failed": FAILED}).items()}
    assert written.items() >= ours.items()
