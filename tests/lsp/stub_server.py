"""A server over a stub hub, for the tests that need a real process.

Run as ``python stub_server.py``; it serves what `register` lists, so that each class
of handler can be kept busy, hung or made to fail.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from pathlib import Path
from typing import Any

from ibid import errors
from ibid.faces.lsp import server as lsp
from ibid.faces.lsp import status
from ibid.faces.lsp.dispatch import Command, Feature, Kind
from ibid.faces.lsp.params import Params
from ibid.faces.lsp.progress import Work
from lsprotocol import types

SECRET = "the marmalade clause"
"""A stand-in for note text, which must never reach an error or a log."""


class StubHub:
    """Knows nothing, and notes in files what it was told if a folder is given."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.opening: lsp.Opening | None = None

    def start(self, opening: lsp.Opening) -> None:
        self.opening = opening
        time.sleep(opening.options.get("startSeconds", 0))
        if opening.options.get("startFails"):
            raise errors.StoreTooNewError("written by a newer Ibid: update this one")

    def close(self) -> None:
        if self.folder is not None:
            (self.folder / "closed").write_text("yes", encoding="utf-8")

    def status(self, project: str | None) -> dict[str, Any]:
        return {"project": project, "name": "stub", "state": "on"}


class EchoParams(Params):
    value: Any


class NapParams(Params):
    seconds: float = 0.0
    name: str = "nap"


class FailParams(Params):
    kind: str
    text: str = SECRET


def register(server: lsp.IbidServer, hub: StubHub) -> None:
    """Serve one method of each kind, and some that misbehave."""

    def echo(params: EchoParams) -> dict[str, Any]:
        return {"value": params.value}

    def nap(params: NapParams) -> dict[str, Any]:
        time.sleep(params.seconds)
        return {"thread": threading.current_thread().name}

    def write(params: NapParams) -> dict[str, Any]:
        time.sleep(params.seconds)
        if hub.folder is not None:
            (hub.folder / params.name).write_text("done", encoding="utf-8")
        return {"thread": threading.current_thread().name}

    def long(params: NapParams, work: Work) -> dict[str, Any]:
        end = time.monotonic() + params.seconds
        while time.monotonic() < end:
            try:
                work.check()
            finally:
                if work.stopped and hub.folder is not None:
                    (hub.folder / params.name).write_text("stopped", encoding="utf-8")
            work.report("napping", 1, 2)
            time.sleep(0.02)
        return {"thread": threading.current_thread().name}

    def fail(params: FailParams) -> None:
        named = getattr(errors, params.kind, None)
        if named is not None:
            raise named(f"no such thing: {params.kind}")
        if params.kind == "unencodable":
            return object()  # type: ignore[return-value]
        raise RuntimeError(params.text)

    def symbols(params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        return []

    def hover(params: types.HoverParams) -> types.Hover:
        return types.Hover(contents=f"line {params.position.line}")

    def content(
        params: types.TextDocumentContentParams,
    ) -> types.TextDocumentContentResult:
        return types.TextDocumentContentResult(text=f"# {params.uri}\n")

    def refresh(params: Params) -> None:
        server.refresh_lenses()
        server.refresh_document("ibid://note/n-1")

    async def wait(params: NapParams) -> dict[str, Any]:
        import asyncio

        await asyncio.sleep(params.seconds)
        return {"thread": threading.current_thread().name}

    def say(params: Params) -> None:
        print("this would break the protocol", flush=True)  # noqa: T201
        raise RuntimeError(SECRET)

    kind = Kind
    for feature in (
        Feature(
            method="test/echo", params=EchoParams, kind=kind.IMMEDIATE, handler=echo
        ),
        Feature(
            method="test/wait", params=NapParams, kind=kind.IMMEDIATE, handler=wait
        ),
        Feature(method="test/read", params=NapParams, kind=kind.READ, handler=nap),
        Feature(method="test/write", params=NapParams, kind=kind.WRITE, handler=write),
        Feature(
            method="test/long",
            params=NapParams,
            kind=kind.LONG,
            handler=long,
            title="Napping",
        ),
        Feature(method="test/fail", params=FailParams, kind=kind.READ, handler=fail),
        Feature(method="test/refresh", params=Params, kind=kind.READ, handler=refresh),
        Feature(method="test/note", params=Params, kind=kind.READ, handler=say),
        Feature(method="workspace/symbol", kind=kind.READ, handler=symbols),
        Feature(method="textDocument/hover", kind=kind.READ, handler=hover),
        Feature(
            method="workspace/textDocumentContent", kind=kind.READ, handler=content
        ),
        Command(
            method="ibid.server.echo", params=EchoParams, kind=kind.READ, handler=echo
        ),
        Command(
            method="ibid.server.nap", params=NapParams, kind=kind.READ, handler=nap
        ),
    ):
        server.register(feature)


def make_server(folder: Path | None = None) -> lsp.IbidServer:
    """Return a server over a stub hub, with every test method."""
    return lsp.create_server(StubHub(folder), "1.2.3", (status.register, register))


def main() -> int:
    """Serve on stdin and stdout; the argument is a folder to leave traces in."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO)
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    return lsp.run_stdio(make_server(folder))


if __name__ == "__main__":
    sys.exit(main())
