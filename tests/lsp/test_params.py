"""Parameters fit the declared type, or the field is named."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from lsprotocol import types
from pygls.protocol import default_converter

from ibid.faces.lsp.params import Params, ParamsError, decode_params, params_type

CONVERTER = default_converter()
VALUE = "the marmalade clause"


class Asked(Params):
    """Parameters like those of a real request."""

    query_text: str
    view: Literal["all", "some"] = "all"
    extra: Any = None


def test_our_params_are_camel_case_and_carry_a_project() -> None:
    """Every request of ours takes a project and ignores what it does not know."""
    raw = {"queryText": "q", "project": "/p", "unknown": 1, "workDoneToken": "t"}
    assert decode_params(CONVERTER, raw, Asked) == Asked(
        query_text="q", project="/p", work_done_token="t"
    )


def test_payloads_are_left_alone() -> None:
    """A message within the parameters arrives as the data it is."""
    inner = {"jsonrpc": "2.0", "id": 1, "method": "x", "params": {"type_name": [1]}}
    decoded = decode_params(CONVERTER, {"queryText": "q", "extra": inner}, Asked)
    assert decoded.extra == inner


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (None, "queryText"),
        ({}, "queryText"),
        ({"queryText": 5}, r"\$\.queryText"),
        ({"queryText": "q", "view": VALUE}, r"\$\.view"),
        ({"queryText": "q", "project": [VALUE]}, r"\$\.project"),
        ([VALUE], r"\$"),
        (VALUE, r"\$"),
    ],
)
def test_our_misfits_name_the_field(raw: Any, field: str) -> None:
    """What does not fit is named, and its value never repeated."""
    with pytest.raises(ParamsError, match=field) as caught:
        decode_params(CONVERTER, raw, Asked)
    assert VALUE not in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ({}, r"\$\.textDocument\b"),
        ({"textDocument": {}, "position": {}}, r"\$\.textDocument\.uri"),
        ({"textDocument": VALUE, "position": VALUE}, r"\$\.textDocument"),
        (
            {"textDocument": {"uri": "a"}, "position": {"line": -1, "character": 0}},
            r"\$\.position",
        ),
        (
            {"textDocument": {"uri": "a"}, "position": {"line": VALUE, "character": 0}},
            r"\$\.position\.line",
        ),
    ],
)
def test_standard_misfits_name_the_field(raw: Any, field: str) -> None:
    """The standard's parameters are named in the client's spelling."""
    with pytest.raises(ParamsError, match=field) as caught:
        decode_params(CONVERTER, raw, types.HoverParams)
    assert VALUE not in str(caught.value)


def test_deep_nesting_is_refused() -> None:
    """Nesting that would exhaust the stack is a misfit, not a crash."""
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(ParamsError):
        decode_params(CONVERTER, {"query": deep}, types.WorkspaceSymbolParams)


def test_a_method_of_ours_must_declare_its_params() -> None:
    """Only the standard's methods may leave the type out."""
    assert params_type("textDocument/hover") is types.HoverParams
    assert params_type("shutdown") is None
    assert params_type("ibid/x", Asked) is Asked
    with pytest.raises(TypeError, match="ibid/x"):
        params_type("ibid/x")
