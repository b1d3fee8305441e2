"""Handoffs, claims, instruction files and note files, as both editors use them."""

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

from ibid.agents import events as e
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import open_memory
from ibid.faces.lsp import noteheader

PATIENCE = 30.0


def plain(value: Any) -> Any:
    """Return what the client made of JSON as plain values again."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A project with a session that ended and a note in its file."""
    home, project = tmp_path / "ibid-home", tmp_path / "parcel"
    project.mkdir()
    monkeypatch.setenv("IBID_HOME", str(home))
    memory = open_memory(str(project))
    now = memory.clock.now()

    def head(name: str) -> e.Head:
        return e.Head("s-one", now, name)

    memory.apply(
        "claude-code",
        [
            e.SessionSeen(head("s"), agent="claude-code", cwd=str(project)),
            e.Prompt(head("p"), "Rename the parcel table."),
            e.Answer(head("a"), "Renamed it.", "model"),
            e.TurnEnded(head("t")),
        ],
    )
    note = memory.notes.add(NoteText("Labels are printed on A6.", "constraint"))
    memory.close()
    return SimpleNamespace(
        home=home, project=project, note=note.row["key"], file=note.row["file"]
    )


@pytest_lsp.fixture(
    params=["visual-studio-code", "neovim"],
    config=ClientServerConfig(server_command=[sys.executable, "-m", "ibid", "lsp"]),
)
async def client(
    request: pytest.FixtureRequest, lsp_client: LanguageClient, place: SimpleNamespace
) -> AsyncIterator[None]:
    """Begin and end a session in the project."""
    for name in ("memoryChanged", "turnRecalled", "candidateSettled"):

        @lsp_client.feature(f"ibid/{name}")
        def ignore(_: Any) -> None:
            """Hear what changed."""

    folder = types.WorkspaceFolder(uri=place.project.as_uri(), name="parcel")
    params = types.InitializeParams(
        process_id=os.getpid(),
        capabilities=client_capabilities(request.param),
        workspace_folders=[folder],
        initialization_options={"home": str(place.home), "watch": False},
    )
    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


async def ask(client: Any, method: str, **params: Any) -> Any:
    """Send one of our requests and return its result as plain values."""
    return plain(await client.protocol.send_request_async(f"ibid/{method}", params))


async def test_a_handoff_is_previewed_and_written(client: Any, place: Any) -> None:
    """Both give the text and its cost; only one of them a file (O2)."""
    seen = await ask(client, "handoff/preview")
    assert seen["session"] == "s-one"
    assert seen["path"] is None
    assert "Task: Rename the parcel table." in seen["text"]
    written = await ask(client, "handoff/write", session="s-o")
    assert (place.project / written["path"]).read_text() == seen["text"]
    params = types.TextDocumentContentParams(uri="ibid://handoff")
    shown = await client.workspace_text_document_content_async(params)
    fenced = f"```\n{seen['text']}\n```\n"  # Words of agents: no link in them acts.
    assert shown.text.endswith(fenced)


async def test_claims_are_made_and_released(client: Any, place: Any) -> None:
    """A path inside the project only (O4)."""
    path = (place.project / "src").as_uri()
    made = await ask(client, "claim", session="s-one", paths=[path])
    assert [one["path"] for one in made["claims"]] == ["src"]
    assert "claims: src" in (place.project / ".ibid/state/agents.md").read_text()
    with pytest.raises(JsonRpcException, match="not inside"):
        await ask(client, "claim", session="s-one", paths=["/etc"])
    done = await ask(client, "claim", session="s-one", release=True)
    assert done["claims"] == []


async def test_an_instruction_file_is_only_previewed(client: Any, place: Any) -> None:
    """The edit asks to be confirmed, and makes the file if there is none (C6)."""
    made = await ask(client, "instructions/preview", file="claude", notes=[place.note])
    assert "- Labels are printed on A6." in made["after"]
    create, change = made["edit"]["documentChanges"]
    assert create["kind"] == "create"
    assert create["uri"] == (place.project / "CLAUDE.md").as_uri()
    (edit,) = change["edits"]
    annotation = made["edit"]["changeAnnotations"][edit["annotationId"]]
    assert annotation["needsConfirmation"] is True
    assert not (place.project / "CLAUDE.md").exists()


async def test_sharing_and_deleting_a_notes_file(client: Any, place: Any) -> None:
    """The note names its file; Git sees it when shared; it goes with its note."""
    listed = await ask(client, "note/list", view="rules")
    assert listed["notes"][0]["file"] == place.file
    shared = await ask(client, "note/share")
    assert shared == {"folders": [".ibid/notes"], "shared": True}
    assert not (place.project / ".ibid/notes/.gitignore").exists()
    await ask(client, "note/delete", id=place.note, file=True)
    assert not (place.project / place.file).exists()


async def test_the_front_matter_is_completed_and_checked(
    client: Any, place: Any
) -> None:
    """Keys and values where they may stand; problems are shown where they are."""
    path = place.project / place.file
    document = types.TextDocumentIdentifier(uri=path.as_uri())

    async def labels(line: int) -> list[str]:
        params = types.CompletionParams(document, types.Position(line, 0))
        found = await client.text_document_completion_async(params)
        items = found.items if hasattr(found, "items") else found or []
        return [one.label for one in items]

    assert "decision" in await labels(2)
    assert await labels(5) == []
    other = types.TextDocumentIdentifier(uri=(place.project / "a.py").as_uri())
    params = types.CompletionParams(other, types.Position(0, 0))
    assert await client.text_document_completion_async(params) is None
    path.write_text(path.read_text().replace("constraint", "rumour"))
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not client.diagnostics.get(path.as_uri()):
        await asyncio.sleep(0.1)
    (problem,) = client.diagnostics[path.as_uri()]
    assert problem.range.start.line == 2
    assert "rumour" in problem.message


def test_completion_of_an_empty_file_is_a_whole_header() -> None:
    """A client without snippets gets plain text."""
    (item,) = noteheader.complete("", 0)
    assert "${1" in (item.insert_text or "")
    (item,) = noteheader.complete("", 0, snippets=False)
    assert item.insert_text == "---\ncategory: fact\n---\n\n"


def test_only_missing_keys_are_offered() -> None:
    """What stands there already is not offered again; the id never is."""
    text = "---\nid: n-25abcdefgh\ncategory: fact\n\n---\nWords.\n"
    offered = [one.label for one in noteheader.complete(text, 3)]
    assert "category" not in offered
    assert "id" not in offered
    assert "pinned" in offered
