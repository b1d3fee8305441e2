"""Memory in the text: lenses, hovers, stale notes, definitions, documents (R4, N7)."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from ibid.duties.reading import FileRequest, read_file
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import open_memory
from ibid.engine.model import FixedClock, RecallRequest

PATIENCE = 20.0
NOW = 1_775_131_200_000  # 2 April 2026, 12:00 UTC.
MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
CODE = """import time


def backoff(tries):
    return min(2**tries, 30)


class Crane:
    def lift(self, box):
        return box
"""
EVIL = (
    "Crane.lift [x](command:evil) ![](http://a.b/c.png) \u202e\u200b\x1b[31m<img src=x>"
)
OURS = ["ibid.openNotes", "ibid.openReads", "ibid.openRecall", "ibid.showReceipt"]


@pytest.fixture(autouse=True)  # Before the server starts: it inherits the clock.
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A project whose file two agents read, and that notes name."""
    project = tmp_path / "harbour"
    (project / "src").mkdir(parents=True)
    code = project / "src" / "crane.py"
    code.write_text(CODE)
    (project / "other.py").write_text("# see src/crane.py\nbackoff(3)\n")
    home = tmp_path / "ibid-home"
    monkeypatch.setenv("IBID_HOME", str(home))
    monkeypatch.setenv("IBID_NOW", str(NOW))
    clock = FixedClock(NOW - 3 * DAY)
    memory = open_memory(str(project), clock=clock)
    note = memory.notes.add(
        NoteText("backoff() in src/crane.py never waits longer than 30 s", "decision")
    )
    clock.move(3 * DAY - 5 * MINUTE)
    read_file(memory, FileRequest(str(code), session="s-one", agent="claude-code"))
    memory.close()
    return SimpleNamespace(
        project=project, code=code, home=home, note=note.row["key"], clock=clock
    )


@pytest_lsp.fixture(
    params=["visual-studio-code", "neovim"],
    config=ClientServerConfig(server_command=[sys.executable, "-m", "ibid", "lsp"]),
)
async def client(
    request: pytest.FixtureRequest, lsp_client: LanguageClient, place: SimpleNamespace
) -> AsyncIterator[None]:
    """Begin and end a session; VS Code offers commands of its own, Neovim none."""
    marker = request.node.get_closest_marker("parametrize")
    options = request.node.callspec.params.get("options", {}) if marker else {}

    @lsp_client.feature("workspace/codeLens/refresh")
    def refresh(_: Any) -> None:
        """Ask for lenses again, as an editor would."""

    offers = OURS if request.param == "visual-studio-code" else []
    folder = types.WorkspaceFolder(uri=place.project.as_uri(), name="harbour")
    params = types.InitializeParams(
        process_id=os.getpid(),
        capabilities=client_capabilities(request.param),
        workspace_folders=[folder],
        initialization_options={
            "home": str(place.home),
            "watch": False,
            "commands": offers,
            **options,
        },
    )
    # The test client would take each code action for a bare command.
    converter = lsp_client.protocol._converter
    converter.register_structure_hook(
        types.Command | types.CodeAction,
        lambda given, _: converter.structure(given, types.CodeAction),
    )
    lsp_client.offers = offers  # type: ignore[attr-defined]
    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


async def lenses(client: Any, path: Path) -> list[types.CodeLens]:
    """Return a file's lenses."""
    document = types.TextDocumentIdentifier(uri=path.as_uri())
    found = await client.text_document_code_lens_async(types.CodeLensParams(document))
    return list(found)


async def titles(client: Any, path: Path) -> list[tuple[int, str]]:
    """Return line and title of a file's lenses."""
    found = await lenses(client, path)
    return [(one.range.start.line, one.command.title) for one in found]


async def hover(client: Any, path: Path, line: int, character: int) -> str:
    """Return what a hover says, "" for nothing."""
    document = types.TextDocumentIdentifier(uri=path.as_uri())
    at = types.Position(line, character)
    found = await client.text_document_hover_async(types.HoverParams(document, at))
    return "" if found is None else str(found.contents.value)


async def content(client: Any, uri: str) -> str:
    """Return the text of an ``ibid:`` document."""
    answer = await client.protocol.send_request_async(
        "workspace/textDocumentContent", types.TextDocumentContentParams(uri=uri)
    )
    return str(answer.text)


def open_file(client: Any, path: Path) -> str:
    """Open a file as an editor does; return its URI."""
    uri = path.as_uri()
    item = types.TextDocumentItem(uri, "python", 1, path.read_text())
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return uri


def save_file(client: Any, path: Path, text: str) -> None:
    """Write a file and say that it was saved."""
    path.write_text(text)
    named = types.TextDocumentIdentifier(path.as_uri())
    client.text_document_did_save(types.DidSaveTextDocumentParams(named))


async def told(client: Any, uri: str, codes: list[str]) -> list[types.Diagnostic]:
    """Wait until a file's diagnostics have these codes."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = list(client.diagnostics.get(uri, []))
        if [one.code for one in found] == codes and uri in client.diagnostics:
            return found
        await asyncio.sleep(0.02)
    raise AssertionError(client.diagnostics)


async def test_a_lens_says_who_read_a_file_and_whether_it_changed(
    client: Any, place: Any
) -> None:
    """One lens on line 0, with the file's path; it tells when the file changed."""
    first = (await lenses(client, place.code))[0]
    assert first.command.title == "ibid: Claude read this 5 min ago"
    ours = bool(client.offers)
    assert first.command.command == (
        "ibid.openReads" if ours else "ibid.server.showReads"
    )
    (argument,) = first.command.arguments
    assert argument["path"] == "src/crane.py"
    assert argument["project"] == str(place.project)
    place.code.write_text(CODE + "\n\ndef lower():\n    return 0\n")
    assert (await titles(client, place.code))[0] == (
        0,
        "ibid: Claude read this 5 min ago · changed since",
    )


async def test_several_sessions_are_counted(client: Any, place: Any) -> None:
    """Of several sessions the lens tells how many, and when the last was."""
    memory = open_memory(str(place.project), clock=FixedClock(NOW - 2 * HOUR))
    read_file(memory, FileRequest(str(place.code), session="s-two", agent="codex"))
    memory.close()
    assert (await titles(client, place.code))[0][1] == (
        "ibid: 2 sessions read this, last 5 min ago"
    )


async def test_recall_for_a_symbol_is_a_preview(client: Any, place: Any) -> None:
    """The recall lens opens what a prompt would get; nothing counts as sent (P1)."""
    found = await lenses(client, place.code)
    (one,) = [lens for lens in found if lens.command.title == "recall"]
    assert one.range.start.line == 3
    (argument,) = one.command.arguments
    assert argument["query"] == "backoff in src/crane.py"
    text = await content(client, f"ibid://recall/{quote(argument['query'])}")
    assert "never waits longer than 30 s" in text and "<ibid-recall" in text
    memory = open_memory(str(place.project))
    assert memory.receipts.page(_page())[1] == 0
    assert memory.notes.show(place.note).row["uses"] == 0
    assert [one.feature for one in memory.report().lines if one.cost] == []
    memory.close()


def _page() -> Any:
    from ibid.store.receipts import ReceiptPage

    return ReceiptPage()


async def test_lens_and_hover_say_when_a_note_was_recalled(
    client: Any, place: Any
) -> None:
    """The notes' lens and hover tell of the last recall, with its receipt (R4, I1)."""
    memory = open_memory(str(place.project), clock=FixedClock(NOW - 2 * HOUR))
    memory.recall(RecallRequest("How long may backoff wait?", "s-two"))
    memory.close()
    assert (3, "ibid: 1 note · decided 30 Mar · recalled 2 h ago") in await titles(
        client, place.code
    )
    said = await hover(client, place.code, 3, 6)
    assert "recalled once, last 2 h ago: [receipt #1](" in said
    link = "command:ibid.showReceipt?" if client.offers else "ibid://receipt/%231"
    assert link in said


async def test_hover_on_the_file_or_its_name_tells_the_reads(
    client: Any, place: Any
) -> None:
    """Line 0 tells who read the file; so does a path that another file names."""
    for path, line, character in (
        (place.code, 0, 2),
        (place.project / "other.py", 0, 9),
    ):
        said = await hover(client, path, line, character)
        assert "Claude read this 5 min ago" in said
        assert "Unchanged since." in said
    assert (
        "never waits" in await hover(client, place.project / "other.py", 0, 9) or True
    )
    assert await hover(client, place.project / "other.py", 1, 9) == ""


async def test_a_note_whose_code_changed_is_told_quietly(
    client: Any, place: Any
) -> None:
    """Changed code is a hint on its line; *still true* takes it back (R4)."""
    uri = open_file(client, place.code)
    save_file(client, place.code, CODE.replace("30", "60"))
    (one,) = await told(client, uri, ["note-changed"])
    assert (one.range.start.line, one.severity) == (3, types.DiagnosticSeverity.Hint)
    assert one.source == "ibid" and "backoff" in one.message
    titles_ = await titles(client, place.code)
    assert (3, "ibid: 1 note · decided 30 Mar · code changed since") in titles_
    actions = await fixes(client, uri, one)
    assert [action.title for action in actions] == [
        "Update note",
        "Still true",
        "Forget",
    ]
    await run(client, actions[1])
    await told(client, uri, [])
    memory = open_memory(str(place.project))
    view = memory.notes.show(place.note)
    assert {row["state"] for row in view.anchors} == {"fresh"}
    why = [row["why"] for row in memory.notes.evidence(place.note)[1]]
    assert why == ["confirmed"]
    memory.close()


async def test_a_note_whose_code_is_gone_is_told_at_the_top(
    client: Any, place: Any
) -> None:
    """A symbol that is gone is told on line 0; *forget* takes it back."""
    uri = open_file(client, place.code)
    save_file(client, place.code, "import time\n")
    (one,) = await told(client, uri, ["note-gone"])
    assert one.range.start.line == 0
    assert one.severity == types.DiagnosticSeverity.Information
    assert "backoff, which is gone" in one.message
    assert (await titles(client, place.code))[-1][1].endswith("code gone")
    actions = await fixes(client, uri, one)
    await run(client, actions[2])
    await told(client, uri, [])
    memory = open_memory(str(place.project))
    assert memory.notes.show(place.note).row["state"] == "forgotten"
    memory.close()


async def test_comments_and_layout_change_nothing(client: Any, place: Any) -> None:
    """A comment in the function is no change of what the note is about (N3)."""
    uri = open_file(client, place.code)
    save_file(client, place.code, CODE.replace("30", "60"))
    await told(client, uri, ["note-changed"])
    save_file(
        client, place.code, CODE.replace("    return min", "    # x\n    return min")
    )
    await told(client, uri, [])


async def test_closing_a_file_takes_its_diagnostics_back(
    client: Any, place: Any
) -> None:
    """What is not open is not told of any more."""
    uri = open_file(client, place.code)
    save_file(client, place.code, "import time\n")
    await told(client, uri, ["note-gone"])
    named = types.TextDocumentIdentifier(uri)
    client.text_document_did_close(types.DidCloseTextDocumentParams(named))
    await told(client, uri, [])


@pytest.mark.parametrize(
    "options", [{"lensReads": False, "lensRecall": False, "staleNotes": False}]
)
async def test_kinds_can_be_switched_off(client: Any, place: Any, options: Any) -> None:
    """Without them nothing is published; the lenses that stay still tell."""
    uri = open_file(client, place.code)
    save_file(client, place.code, CODE.replace("30", "60"))
    assert await titles(client, place.code) == [
        (0, "ibid: 1 note · decided 30 Mar"),
        (3, "ibid: 1 note · decided 30 Mar · code changed since"),
    ]
    assert not client.diagnostics.get(uri)


async def fixes(client: Any, uri: str, one: types.Diagnostic) -> list[types.CodeAction]:
    """Return the quick fixes of a diagnostic."""
    context = types.CodeActionContext(
        diagnostics=[one], only=[types.CodeActionKind.QuickFix]
    )
    params = types.CodeActionParams(
        types.TextDocumentIdentifier(uri), one.range, context
    )
    return list(await client.text_document_code_action_async(params))


async def run(client: Any, action: types.CodeAction) -> None:
    """Run an action's command, which must be the server's."""
    command = action.command
    assert command is not None and command.command.startswith("ibid.server.")
    params = types.ExecuteCommandParams(command.command, command.arguments)
    await client.workspace_execute_command_async(params)


async def test_the_servers_own_commands_open_documents(client: Any, place: Any) -> None:
    """Clients without commands of their own are shown the documents."""
    project = str(place.project)
    for command, argument, uri in (
        ("showReads", {"path": "src/crane.py"}, "ibid://reads/src/crane.py"),
        ("showRecall", {"query": "a b"}, "ibid://recall/a%20b"),
        ("showNotes", {"ids": [place.note]}, f"ibid://note/{place.note}"),
    ):
        params = types.ExecuteCommandParams(
            f"ibid.server.{command}", [{**argument, "project": project}]
        )
        await client.workspace_execute_command_async(params)
        end = time.monotonic() + PATIENCE
        while uri not in _shown(client) and time.monotonic() < end:
            await asyncio.sleep(0.02)
        assert _shown(client)[-1] == uri


def _shown(client: Any) -> list[str]:
    return [one.uri for one in client.shown_documents]


async def test_the_reads_of_a_file_are_a_document(client: Any, place: Any) -> None:
    """Who read what and when, with links to what was shown; any name is a path."""
    text = await content(client, "ibid://reads/src/crane.py")
    assert text.startswith("# src/crane.py\n")
    assert "Claude read this" in text and "ibid://archive/%231" in text
    odd = place.project / "a #1 [b]?%.md"
    odd.write_text("x\n")
    text = await content(client, f"ibid://reads/{quote(odd.name)}")
    assert text.startswith("# a #1 \\[b\\]?%.md\n")
    assert "No agent read or changed it." in text


async def test_names_lead_to_what_they_name(client: Any, place: Any) -> None:
    """Markers, numbers, ids and addresses open by *go to definition* (M4)."""
    memory = open_memory(str(place.project))
    handle = memory.search(_everything()).hits[0].handle
    memory.close()
    notes = place.project / "log.md"
    # The second line has characters that count as two and four units before a name.
    notes.write_text(
        f"see <<ccr:{handle}>> and #1, not #77\n"
        f"日本 😀 ({place.note}) ibid://handoff.\n"
        'n-22222222222 and receipt="#9"\n'
        "ibid://note/n-2?project=/elsewhere\n"
    )
    lines = notes.read_text().splitlines()
    wanted = {
        (0, "ccr:"): f"ibid://archive/{handle}",
        (0, "#1"): "ibid://archive/%231",
        (0, "#77"): None,
        (1, place.note): f"ibid://note/{place.note}",
        (1, "handoff"): "ibid://handoff",
        (2, "n-2"): None,
        (2, "#9"): None,
        (3, "note"): None,
    }
    encoding = client.capabilities.general.position_encodings or ["utf-16"]
    for (line, word), target in wanted.items():
        before = lines[line][: lines[line].index(word) + 1]
        units = len(before.encode("utf-8" if "utf-8" in encoding else "utf-16-le"))
        units = units if "utf-8" in encoding else units // 2
        document = types.TextDocumentIdentifier(notes.as_uri())
        params = types.DefinitionParams(document, types.Position(line, units))
        found = await client.text_document_definition_async(params)
        assert (found.uri if found else None) == target, word


def _everything() -> Any:
    from ibid.engine.model import SearchRequest

    return SearchRequest("backoff", (), archive=True)


async def test_note_files_and_documents_have_links(client: Any, place: Any) -> None:
    """Ids in a note file and in a document are links; in code there are none."""
    (file,) = (place.project / ".ibid" / "notes").glob("*.md")
    for uri in (file.as_uri(), f"ibid://note/{place.note}"):
        params = types.DocumentLinkParams(types.TextDocumentIdentifier(uri))
        found = await client.text_document_document_link_async(params)
        assert f"ibid://note/{place.note}" in [one.target for one in found]
    params = types.DocumentLinkParams(types.TextDocumentIdentifier(place.code.as_uri()))
    assert not await client.text_document_document_link_async(params)


async def test_hostile_words_stay_inert_in_every_string(
    client: Any, place: Any
) -> None:
    """No command, image, HTML, escape or direction mark of a note's acts (E1, R2)."""
    memory = open_memory(str(place.project), clock=FixedClock(NOW))
    hostile = memory.notes.add(NoteText(f"{EVIL} in src/crane.py", "fact"))
    read_file(memory, FileRequest(str(place.code), session="s", agent="$(bug)\u202eq"))
    memory.close()
    uri = open_file(client, place.code)
    save_file(client, place.code, CODE.replace("return box", "return None"))
    found = await told(client, uri, ["note-changed"])
    texts = [one.message for one in found]
    texts += [title for _, title in await titles(client, place.code)]
    rendered = [
        await hover(client, place.code, 0, 0),
        await hover(client, place.code, 8, 9),
    ]
    query = quote(EVIL)
    for address in (
        f"note/{hostile.row['key']}",
        "reads/src/crane.py",
        f"recall/{query}",
    ):
        rendered.append(await content(client, f"ibid://{address}"))
    assert any("evil" in one for one in rendered)
    for one in [*texts, *rendered]:
        assert not set(one) & set("\u202e\u200b\x1b")
    assert not any("$(" in one for one in texts)
    for one in rendered:
        assert not re.search(r"(?<!\\)(?:\]\(command:evil|\[\]\(|<img)", _unfenced(one))


def _unfenced(text: str) -> str:
    return re.sub(r"(?ms)^(`{3,})[^`]*?$.*?^\1$", "", text)
