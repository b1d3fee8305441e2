"""``ibid/read``, ``ibid/reads`` and ``ibid/context/…`` over the real server (N, R1)."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

TEXT = "".join(f"def step_{n}(parcel):\n    return {n}\n\n\n" for n in range(20))
PATIENCE = 20.0


def plain(value: Any) -> Any:
    """Return what the client made of JSON as plain values again."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


@pytest.fixture
def place(tmp_path: Path) -> SimpleNamespace:
    """A project with one file."""
    project = tmp_path / "parcel"
    (project / "src").mkdir(parents=True)
    code = project / "src" / "box.py"
    code.write_text(TEXT)
    return SimpleNamespace(project=project, code=code, home=tmp_path / "ibid-home")


@pytest_lsp.fixture(
    params=["visual-studio-code", "neovim"],
    config=ClientServerConfig(server_command=[sys.executable, "-m", "ibid", "lsp"]),
)
async def client(
    request: pytest.FixtureRequest, lsp_client: LanguageClient, place: SimpleNamespace
) -> AsyncIterator[None]:
    """Begin and end a session in the project."""
    folder = types.WorkspaceFolder(uri=place.project.as_uri(), name="parcel")
    params = types.InitializeParams(
        process_id=os.getpid(),
        capabilities=client_capabilities(request.param),
        workspace_folders=[folder],
        initialization_options={"home": str(place.home)},
    )
    answer = await lsp_client.initialize_session(params)
    lsp_client.answered = answer  # type: ignore[attr-defined]
    yield
    await lsp_client.shutdown_session()


async def ask(client: Any, method: str, **params: Any) -> Any:
    """Send one of our requests and return its result as plain values."""
    return plain(await client.protocol.send_request_async(f"ibid/{method}", params))


async def test_reading_again(client: Any, place: Any) -> None:
    """Full, stub, delta, and full again when it is asked for (N2)."""
    who = {"path": "src/box.py", "session": "s1", "scope": ""}
    first = await ask(client, "read", **who)
    assert (first["answer"], first["text"]) == ("full", TEXT)
    stub = await ask(client, "read", **who, range=[5, 40])
    assert stub["text"] == "[unchanged] src/box.py 5-40, turn 0 #1"
    expanded = await ask(client, "expand", handle=stub["handle"])
    assert expanded["text"] == TEXT
    uri = place.code.as_uri()
    buffer = TEXT.replace("return 7\n", "return 70\n")
    delta = await ask(client, "read", path=uri, session="s1", text=buffer)
    assert delta["answer"] == "delta"
    fresh = await ask(client, "read", **who, fresh=True)
    assert fresh["text"] == TEXT
    other = await ask(client, "read", **{**who, "scope": "helper"})
    assert other["answer"] == "full"


@pytest.mark.parametrize("event", ["compacted", "reset"])
async def test_contexts_end(client: Any, place: Any, event: str) -> None:
    """What was shown before counts no more, for one thread or for all (N4)."""
    for scope in ("", "helper"):
        await ask(client, "read", path="src/box.py", session="s1", scope=scope)
    one = await ask(client, f"context/{event}", session="s1", scope="")
    assert (one["session"], one["scope"], one["purged"]) == ("s1", "", 1)
    who = {"path": "src/box.py", "session": "s1"}
    assert (await ask(client, "read", **who))["answer"] == "full"
    helper = await ask(client, "read", **who, scope="helper")
    assert helper["answer"] == "stub"
    everyone = await ask(client, f"context/{event}", session="s1")
    assert everyone["purged"] == 2
    for scope in ("", "helper"):
        answer = await ask(client, "read", **who, scope=scope)
        assert answer["answer"] == "full"


async def test_reads_tell_who(client: Any, place: Any) -> None:
    """A file's readers, or the last files; unknown ones have none (N7)."""
    await ask(client, "read", path="src/box.py", session="s1", agent="codex")
    found = await ask(client, "reads", path=place.code.as_uri())
    assert [(one["agent"], one["first"], one["last"]) for one in found["reads"]] == [
        ("codex", 1, 80)
    ]
    assert found["since"]["state"] == "unchanged"
    listed = await ask(client, "reads")
    assert [one["path"] for one in listed["files"]] == [str(place.code)]
    nobody = await ask(client, "reads", path="src/none.py")
    assert (nobody["line"], nobody["reads"]) == (None, [])


async def test_bad_reads_are_refused_by_name(client: Any) -> None:
    """No such file, lines or path; and no line of the file in the message."""
    cases: list[tuple[str, dict[str, Any], int]] = [
        ("read", {}, -32602),
        ("read", {"path": "src/none.py", "session": "s1"}, -33001),
        ("read", {"path": "src", "session": "s1"}, -32602),
        ("read", {"path": "src/box.py", "range": [0, 3]}, -32602),
        ("read", {"path": "src/box.py", "range": [90, 99]}, -32602),
        ("read", {"path": "untitled:x://y"}, -32602),
        ("context/compacted", {}, -32602),
    ]
    for method, params, code in cases:
        with pytest.raises(JsonRpcException) as caught:
            await ask(client, method, **params)
        assert caught.value.code == code, (method, params)
        assert "parcel):" not in caught.value.message


async def test_what_the_person_opens_and_saves(client: Any, place: Any) -> None:
    """The editor's own notifications are enough; no text is asked for (N8)."""
    sync = client.answered.capabilities.text_document_sync
    assert (sync.open_close, sync.save) == (True, True)
    assert sync.change == types.TextDocumentSyncKind.None_
    uri = place.code.as_uri()
    document = types.TextDocumentItem(uri, "python", 1, TEXT)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    untitled = types.TextDocumentItem("untitled:Untitled-1", "python", 1, "x")
    client.text_document_did_open(types.DidOpenTextDocumentParams(untitled))
    named = types.TextDocumentIdentifier(uri)
    client.text_document_did_save(types.DidSaveTextDocumentParams(named))
    end = time.monotonic() + PATIENCE
    kinds: list[str] = []
    while kinds != ["saved", "opened"] and time.monotonic() < end:
        found = await ask(client, "reads", path=uri)
        kinds = [one["kind"] for one in found["reads"]]
        await asyncio.sleep(0.02)
    assert kinds == ["saved", "opened"]
    assert (await ask(client, "session/list"))["total"] == 0
