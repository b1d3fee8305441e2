"""A server over a stub hub, for the tests that need a real process.

Run as ``python stub_server.py [FOLDER]``.  Its methods let each class of handler be
kept busy, hung or made to fail; what they did is noted as files in the folder.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path
from typing import Any

from lsprotocol import types

from ibid import errors
from ibid.faces.lsp import server as lsp
from ibid.faces.lsp import status
from ibid.faces.lsp.dispatch import Command, Feature, Kind
from ibid.faces.lsp.params import Params
from ibid.faces.lsp.progress import Work

SECRET = "the marmalade clause"
"""A stand-in for note text, which must never reach an error or a log."""


class StubHub:
    """Knows nothing, and notes in ``folder`` what was asked of it."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.opening: lsp.Opening | None = None

    def start(self, opening: lsp.Opening) -> None:
        """Open slowly, or fail, as the client's options say."""
        self.opening = opening
        time.sleep(opening.options.get("startSeconds", 0))
        if opening.options.get("startFails"):
            raise errors.StoreTooNewError("written by a newer Ibid: update this one")

    def close(self) -> None:
        """Note that it was closed."""
        self.note("closed", "yes")

    def status(self, project: str | None) -> dict[str, Any]:
        """Return a status with the project as it was asked for."""
        return {"project": project, "name": "stub", "state": "on"}

    def note(self, name: str, text: str) -> None:
        """Leave a trace."""
        if self.folder is not None:
            (self.folder / name).write_text(text, encoding="utf-8")


class EchoParams(Params):
    """Takes anything."""

    value: Any


class NapParams(Params):
    """Takes how long to sleep, and the name of the trace."""

    seconds: float = 0.0
    name: str = "nap"


class FailParams(Params):
    """Takes the name of an error class, or anything for an unforeseen one."""

    kind: str


def echo(params: EchoParams) -> dict[str, Any]:
    """Return what came."""
    return {"value": params.value}


def nap(params: NapParams) -> dict[str, Any]:
    """Sleep, and say on which thread."""
    time.sleep(params.seconds)
    return {"thread": threading.current_thread().name}


async def wait(params: NapParams) -> dict[str, Any]:
    """Sleep without holding the event loop."""
    await asyncio.sleep(params.seconds)
    return {"thread": threading.current_thread().name}


def fail(params: FailParams) -> object:
    """Fail in the way asked for."""
    named = getattr(errors, params.kind, None)
    if named is not None:
        raise named(f"no such thing: {params.kind}")
    if params.kind == "unencodable":
        return object()
    raise RuntimeError(SECRET)


def symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
    """Find nothing."""
    return []


def hover(params: types.HoverParams) -> types.Hover:
    """Say which line it was."""
    return types.Hover(contents=f"line {params.position.line}")


def content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
    """Return a document that says its own URI."""
    return types.TextDocumentContentResult(text=f"# {params.uri}\n")


def register(server: lsp.IbidServer, hub: StubHub) -> None:
    """Serve one method of each kind, and some that misbehave."""

    def write(params: NapParams) -> dict[str, Any]:
        time.sleep(params.seconds)
        hub.note(params.name, "written")
        return {"thread": threading.current_thread().name}

    def long(params: NapParams, work: Work) -> dict[str, Any]:
        end = time.monotonic() + params.seconds
        while time.monotonic() < end:
            if work.stopped:
                hub.note(params.name, "stopped")
            work.check()
            work.report("napping", 1, 2)
            time.sleep(0.02)
        return {"thread": threading.current_thread().name}

    def refresh(params: Params) -> None:
        server.refresh_lenses()
        server.refresh_document("ibid://note/n-1")

    def misbehave(params: Params) -> None:
        print("this would break the protocol", flush=True)  # noqa: T201
        raise RuntimeError(SECRET)

    for method, kind, params, handler in (
        ("test/echo", Kind.IMMEDIATE, EchoParams, echo),
        ("test/wait", Kind.IMMEDIATE, NapParams, wait),
        ("test/block", Kind.IMMEDIATE, NapParams, nap),
        ("test/read", Kind.READ, NapParams, nap),
        ("test/write", Kind.WRITE, NapParams, write),
        ("test/long", Kind.LONG, NapParams, long),
        ("test/fail", Kind.READ, FailParams, fail),
        ("test/refresh", Kind.READ, Params, refresh),
        ("test/misbehave", Kind.READ, Params, misbehave),
        (types.WORKSPACE_SYMBOL, Kind.READ, None, symbols),
        (types.WORKSPACE_TEXT_DOCUMENT_CONTENT, Kind.READ, None, content),
    ):
        server.register(
            Feature(method=method, kind=kind, params=params, handler=handler)
        )
    server.register(
        Feature(
            method=types.TEXT_DOCUMENT_HOVER,
            kind=Kind.READ,
            handler=hover,
            switch="hovers",
        )
    )
    for method, params, handler in (
        ("ibid.server.echo", EchoParams, echo),
        ("ibid.server.nap", NapParams, nap),
    ):
        server.register(
            Command(method=method, kind=Kind.READ, params=params, handler=handler)
        )


def make_server(folder: Path | None = None) -> lsp.IbidServer:
    """Return a server over a stub hub, with every test method."""
    return lsp.create_server(StubHub(folder), "1.2.3", (status.register, register))


if __name__ == "__main__":
    sys.exit(lsp.run_stdio(make_server(Path(sys.argv[1]) if sys.argv[1:] else None)))
