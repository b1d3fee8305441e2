"""docs/protocol.md, the server and both clients name the same methods and objects."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from ibid.faces.lsp.features import FEATURES
from ibid.faces.lsp.server import create_server

ROOT = Path(__file__).parents[1]
DOC = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
METHOD = re.compile(r"(?<![.\w/])ibid/[a-zA-Z]+(?:/[a-zA-Z]+)?")


class NoHub:
    """A hub that is never asked."""

    def __getattr__(self, name: str) -> Any:
        """Refuse everything."""
        raise AssertionError(name)


@pytest.fixture(scope="module")
def served() -> dict[str, Any]:
    """What the server serves: method -> feature."""
    server = create_server(NoHub(), "0", FEATURES)  # type: ignore[arg-type]
    return dict(server.protocol.features)


def section(heading: str) -> str:
    """Return a section of the document."""
    return DOC.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def rows(heading: str) -> dict[str, tuple[str, str]]:
    """Return method -> (parameters, result) of a section's table."""
    found = {}
    for line in section(heading).splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for method in METHOD.findall(cells[0]) if cells else []:
            found[method] = (cells[1], cells[2] if len(cells) > 2 else "")
    return found


def methods_in(folder: str, pattern: str) -> set[str]:
    """Return the methods that a client's files name."""
    found: set[str] = set()
    for path in (ROOT / folder).rglob(pattern):
        if "node_modules" not in path.parts:
            found |= set(METHOD.findall(path.read_text(encoding="utf-8")))
    return found


def test_every_request_is_documented_and_served(served: dict[str, Any]) -> None:
    """The table of requests is the server's table."""
    ours = {method for method in served if method.startswith("ibid/")}
    assert set(rows("Requests")) == ours


def test_every_parameter_is_documented(served: dict[str, Any]) -> None:
    """A request's parameters are its struct's; `?` marks those with a default."""
    wrong = []
    for method, (parameters, _) in rows("Requests").items():
        struct = served[method].params
        fields = {
            field.encode_name: field.required
            for field in msgspec.structs.fields(struct)
            if field.encode_name not in ("project", "workDoneToken")
        }
        keys = re.sub(r':\s*(?:\[\]|\w+|"[^"]*"(?:\\?\|"[^"]*")*)', "", parameters)
        told = {
            name: not optional for name, optional in re.findall(r'"(\w+)"(\?)?', keys)
        }
        told.pop("workDoneToken", None)
        if {name for name in told} != set(fields):
            wrong.append((method, sorted(told), sorted(fields)))
        wrong += [
            (method, name)
            for name, required in told.items()
            if name in fields and fields[name] != required
        ]
    assert wrong == []


@pytest.mark.parametrize(
    ("folder", "pattern"), [("client-vscode/src", "*.ts"), ("client-nvim", "*.lua")]
)
def test_clients_ask_only_what_is_documented(folder: str, pattern: str) -> None:
    """Each method a client names is in the document."""
    known = set(rows("Requests")) | set(rows("Notifications from the server"))
    prefixes = {method.rpartition("/")[0] + "/" for method in known}
    unknown = {
        method
        for method in methods_in(folder, pattern)
        if method not in known and f"{method}/" not in prefixes
    }
    assert unknown == set()


def test_the_typed_mirror_has_every_request() -> None:
    """client-vscode/src/protocol.ts names each request and notification."""
    text = (ROOT / "client-vscode" / "src" / "protocol.ts").read_text(encoding="utf-8")
    known = set(rows("Requests")) | set(rows("Notifications from the server"))
    assert known - set(METHOD.findall(text)) == set()


def test_every_notification_is_sent() -> None:
    """The document's notifications are those that the server's code sends."""
    sent: set[str] = set()
    for path in (ROOT / "server" / "ibid" / "faces" / "lsp").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        sent |= set(re.findall(r'tell\(\s*"(ibid/\w+)"', text))
    assert sent == set(rows("Notifications from the server"))
