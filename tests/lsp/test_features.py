"""The features of the real server, as VS Code and Neovim would use them."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from ibid.engine.keep import demote
from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import open_memory
from ibid.store.receipts import COST, SAVING, Entry, add_entry

HERE = Path(__file__).parent
CODE = "import time\n\n\ndef backoff(n):\n    return n\n\n\nclass Uploader:\n    pass\n"
PATIENCE = 20.0


def plain(value: Any) -> Any:
    """Return what the client made of JSON as plain values again."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A project with code and notes, and folders of its own for Ibid and agents."""
    home, agents = tmp_path / "ibid-home", tmp_path / "claude"
    project = tmp_path / "parcel"
    (project / "src").mkdir(parents=True)
    code = project / "src" / "upload.py"
    code.write_text(CODE)
    monkeypatch.setenv("IBID_HOME", str(home))
    memory = open_memory(str(project))
    rule = NoteText("backoff() in src/upload.py never exceeds 30 s", "constraint")
    note = memory.notes.add(rule)
    memory.close()
    return SimpleNamespace(
        home=home, agents=agents, project=project, code=code, note=note.row["key"]
    )


@pytest_lsp.fixture(
    params=["visual-studio-code", "neovim"],
    config=ClientServerConfig(server_command=[sys.executable, "-m", "ibid", "lsp"]),
)
async def client(
    request: pytest.FixtureRequest,
    lsp_client: LanguageClient,
    place: SimpleNamespace,
) -> AsyncIterator[None]:
    """Begin and end a session in the project."""
    lsp_client.told = []  # type: ignore[attr-defined]
    for name in ("memoryChanged", "turnRecalled", "candidateSettled"):

        @lsp_client.feature(f"ibid/{name}")
        def keep(params: Any, name: str = name) -> None:
            lsp_client.told.append((name, plain(params)))  # type: ignore

    @lsp_client.feature("workspace/codeLens/refresh")
    def refresh(_: Any) -> None:
        """Ask for lenses again, as an editor would."""

    folder = types.WorkspaceFolder(uri=place.project.as_uri(), name="parcel")
    params = types.InitializeParams(
        process_id=os.getpid(),
        capabilities=client_capabilities(request.param),
        workspace_folders=[folder],
        initialization_options={
            "home": str(place.home),
            "commands": ["ibid.openNotes"],
        },
    )
    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


async def ask(client: Any, method: str, **params: Any) -> Any:
    """Send one of our requests and return its result as plain values."""
    answer = await client.protocol.send_request_async(f"ibid/{method}", params)
    return plain(answer)


async def told(client: Any, wanted: str) -> dict[str, Any]:
    """Wait for a notification."""
    import asyncio

    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for name, params in client.told:
            if name == wanted:
                return dict(params)
        await asyncio.sleep(0.05)
    raise AssertionError(f"no {wanted} within {PATIENCE} s: {client.told}")


async def test_status_says_how_memory_is_doing(client: Any, place: Any) -> None:
    """Counts and state, for the status bar."""
    status = await ask(client, "status")
    assert status["project"] == str(place.project)
    assert (status["state"], status["notes"], status["candidates"]) == ("on", 1, 0)
    assert status["net"] is None
    for _ in range(2):
        await ask(client, "read", path="src/upload.py", session="s", agent="codex")
    (line,) = (await ask(client, "report"))["roles"]
    assert (await ask(client, "status"))["net"] == line["net"]


async def test_recall_gives_a_block_and_tells_of_it(client: Any, place: Any) -> None:
    """The answer carries block, items and receipt; other views hear of it."""
    answer = await ask(
        client, "recall", prompt="How long may backoff wait?", session="s1"
    )
    assert answer["block"].startswith("<ibid-recall ")
    assert [item["id"] for item in answer["items"]] == [place.note]
    assert answer["receipt"] == "#1"
    assert (await told(client, "turnRecalled"))["receipt"] == "#1"
    receipt = await ask(client, "receipt/show", id="#1")
    assert receipt["text"] == answer["block"]
    listed = await ask(client, "receipt/list")
    assert listed["total"] == 1 and "text" not in listed["receipts"][0]


@pytest.mark.parametrize(
    "query", ["", "?", '"', "a AND (b", "http-client a::b", "\x00", "😀" * 300, "的"]
)
async def test_search_never_fails(client: Any, query: str) -> None:
    """Any text is a query; an empty answer says why (F4)."""
    found = await ask(client, "search", query=query, archive=True)
    assert found["hits"] or found["reason"]


async def test_bad_requests_are_refused_by_name(client: Any) -> None:
    """Missing fields, unknown ids and layers come back as named errors."""
    cases = [
        ("recall", {}, -32602, "prompt"),
        ("note/pin", {"id": "n-none"}, -33001, "n-none"),
        ("search", {"query": "x", "layers": ["L9"]}, -32602, "L9"),
        ("policy/set", {"name": "settling", "value": "soon"}, -32602, "settling"),
        ("session/preset", {"session": "?", "preset": "private"}, -33001, "session"),
        ("receipt/show", {"id": "#99"}, -33001, "#99"),
        ("note/list", {"view": "nonsense"}, -32602, "nonsense"),
    ]
    for method, params, code, word in cases:
        with pytest.raises(JsonRpcException) as caught:
            await ask(client, method, **params)
        assert caught.value.code == code, method
        assert word in caught.value.message
        assert "Traceback" not in str(caught.value.data)


async def test_a_note_shows_on_the_code_it_names(client: Any, place: Any) -> None:
    """Lenses above the file and the symbol, the note in the hover (R4)."""
    document = types.TextDocumentIdentifier(uri=place.code.as_uri())
    lenses = await client.text_document_code_lens_async(
        types.CodeLensParams(text_document=document)
    )
    assert [lens.range.start.line for lens in lenses] == [0, 3, 3]
    commands = [lens.command.command for lens in lenses]
    assert commands == ["ibid.openNotes", "ibid.openNotes", "ibid.server.showRecall"]
    assert re.match(r"ibid: 1 note · ruled \d+ \w{3}", lenses[0].command.title)
    hover = await client.text_document_hover_async(
        types.HoverParams(document, types.Position(line=3, character=6))
    )
    assert "never exceeds 30 s" in hover.contents.value
    nothing = await client.text_document_hover_async(
        types.HoverParams(document, types.Position(line=7, character=8))
    )
    assert nothing is None


async def test_files_without_notes_have_no_lens(client: Any, place: Any) -> None:
    """A file with nothing to say, or that is not there, has none (R4)."""
    for uri in (
        (place.project / "none.py").as_uri(),
        "untitled:Untitled-1",
        "file:///elsewhere/src/upload.py",
        "git:/x?y",
    ):
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri=uri))
        assert not await client.text_document_code_lens_async(params)


async def test_a_file_opened_by_a_link_has_its_lenses(client: Any, place: Any) -> None:
    """A file counts by its real path, as its project does (S1, R4)."""
    link = place.project.parent / "link"
    link.symlink_to(place.project, target_is_directory=True)
    document = types.TextDocumentIdentifier(uri=(link / "src/upload.py").as_uri())
    lenses = await client.text_document_code_lens_async(
        types.CodeLensParams(text_document=document)
    )
    assert [lens.range.start.line for lens in lenses] == [0, 3, 3]


async def test_documents_open_by_uri(client: Any, place: Any) -> None:
    """Notes and receipts read as Markdown; hostile text in them is inert."""
    await ask(
        client,
        "note/edit",
        id=place.note,
        text="[click](command:evil) <img src=x> \u202e ```\nx",
    )
    answer = await client.protocol.send_request_async(
        "workspace/textDocumentContent",
        types.TextDocumentContentParams(uri=f"ibid://note/{place.note}"),
    )
    assert "click" in answer.text
    outside = re.sub(r"(?s)`{3,}.*?`{3,}", "", answer.text)
    assert "](command:" not in outside and "<img" not in outside
    assert "\u202e" not in answer.text


async def test_an_imported_session_reaches_the_queue(client: Any, place: Any) -> None:
    """An import fills the queue once; accepting a candidate makes a note."""
    folder = place.project / "sessions"
    folder.mkdir()
    path = folder / "s.ibid.jsonl"
    at = "2026-04-02T12:00:00Z"
    told_ = [
        {"type": "session", "session": "x", "at": at, "agent": "demo"},
        {"type": "prompt", "session": "x", "id": "p", "at": at,
         "text": "Never push to the release branch."},
        {"type": "answer", "session": "x", "id": "a", "at": at, "text": "I will not."},
        {"type": "turn", "session": "x", "at": at, "status": "completed"},
    ]  # fmt: skip
    path.write_text("".join(json.dumps(one) + "\n" for one in told_))
    report = await ask(client, "import", paths=[str(path)])
    assert (report["sessions"], report["candidates"]) == (1, 1)
    again = await ask(client, "import", paths=[str(path)])
    assert (again["sessions"], again["turns"], again["bytes"]) == (0, 0, 0)
    queue = await ask(client, "candidate/list")
    (candidate,) = queue["candidates"]
    assert candidate["waits"] == "history"
    assert candidate["source"]["turn"] == 1
    note = await ask(client, "candidate/accept", id=candidate["id"])
    assert note["text"] == "Never push to the release branch."
    changed = await told(client, "memoryChanged")
    assert "candidates" in changed["kinds"] or "turns" in changed["kinds"]
    symbols = await client.workspace_symbol_async(
        types.WorkspaceSymbolParams(query="release branch")
    )
    assert [one.location.uri.split("?")[0] for one in symbols] == [
        f"ibid://note/{note['id']}"
    ]
    assert symbols[0].location.range.start.line == 0  # Editors drop one without.


async def test_notes_can_be_forgotten_and_brought_back(client: Any, place: Any) -> None:
    """Forget, restore, correct, pin, delete over the wire."""
    assert (await ask(client, "note/forget", id=place.note))["state"] == "forgotten"
    assert (await ask(client, "note/restore", id=place.note))["active"]
    right = await ask(client, "note/correct", id=place.note, text="backoff() is 20 s")
    assert right["pinned"] and right["supersedes"] == place.note
    assert not (await ask(client, "note/unpin", id=right["id"]))["pinned"]
    evidence = await ask(client, "note/evidence", id=right["id"])
    assert evidence["sources"] == []
    gone = await ask(client, "note/delete", id=right["id"])
    assert gone == {"id": right["id"], "job": None, "waits": None}
    listed = await ask(client, "note/list", view="all")
    assert [one["id"] for one in listed["notes"]] == []


async def test_policies_and_presets(client: Any) -> None:
    """Switches are set for the project and hold at once."""
    policies = await ask(client, "policy/set", name="recall", value=False)
    assert policies["effective"]["recall"] is False
    answer = await ask(client, "recall", prompt="How long may backoff wait?")
    assert answer["block"] is None and "switched off" in answer["reason"]
    assert (await ask(client, "status"))["state"] == "learning"
    following = await ask(client, "session/preset", agent="codex", preset="private")
    assert (following["read"], following["write"]) == ("deny", "deny")


async def test_verify_and_projects(client: Any, place: Any) -> None:
    """The store proves itself over the wire, and projects are listed."""
    assert (await ask(client, "verify"))["ok"]
    projects = (await ask(client, "project/list"))["projects"]
    assert [one["path"] for one in projects] == [str(place.project)]


async def test_a_person_lists_another_project_for_recall(
    client: Any, place: Any, tmp_path: Path
) -> None:
    """Item, receipt and document say where it is from, and lead there (S2, I1)."""
    shop = tmp_path / "shop"
    shop.mkdir()
    with closing(open_memory(str(shop))) as memory:
        note = memory.notes.add(NoteText("Parcels ship by freight.")).row["key"]
    prompt = "How do parcels ship by freight?"
    assert (await ask(client, "recall", prompt=prompt))["items"] == []
    row = await ask(client, "project/include", other=shop.as_uri(), included=True)
    assert row["path"] == str(place.project)
    assert row["includes"] == [{"path": str(shop), "name": "shop", "missing": False}]
    assert row in (await ask(client, "project/list"))["projects"]
    answer = await ask(client, "recall", prompt=prompt, session="s1")
    (item,) = answer["items"]
    assert (item["id"], item["project"]) == (note, str(shop))
    assert item["projectName"] == "shop"
    receipt = await ask(client, "receipt/show", id=answer["receipt"])
    assert receipt["items"][0]["project"] == str(shop)
    text = await document(client, f"ibid://receipt/{answer['receipt'].strip('#')}")
    address = f"ibid://note/{note}?project={shop}"
    assert f"[{note}]({address}) from shop" in text
    assert "Parcels ship by freight." in await document(client, address)
    await ask(client, "project/include", other="shop", included=False)
    assert (await ask(client, "recall", prompt=prompt, session="s2"))["items"] == []
    with pytest.raises(JsonRpcException) as caught:
        await ask(client, "project/include", other="nowhere", included=True)
    assert caught.value.code == -33001


async def document(client: Any, uri: str) -> str:
    """Return a document of the server."""
    params = types.TextDocumentContentParams(uri=uri)
    method = "workspace/textDocumentContent"
    return str((await client.protocol.send_request_async(method, params)).text)


async def test_a_memory_follows_its_folder(client: Any, place: Any) -> None:
    """The server lets go of the memory, and has it again at the new place (S1)."""
    new = place.project.with_name("parcels")
    place.project.rename(new)
    both = {"old": str(place.project), "new": str(new)}
    moved = await ask(client, "project/move", **both)
    assert (moved["path"], moved["name"]) == (str(new), "parcels")
    assert (moved["left"], moved["message"]) == ([], None)
    listed = await ask(client, "note/list", project=str(new))
    assert [one["id"] for one in listed["notes"]] == [place.note]
    listed = await ask(client, "note/list", project=str(place.project))
    assert [one["id"] for one in listed["notes"]] == [place.note]


async def test_a_folder_can_be_a_project_of_its_own(client: Any, place: Any) -> None:
    """Linked with itself it has its own memory; taken back, its project's again."""
    (place.project / ".git").mkdir()
    sub = str(place.project / "src")
    own = await ask(client, "project/link", path=sub, target=sub)
    assert own["name"] == "src"
    assert (await ask(client, "note/list", project=sub))["notes"] == []
    again = await ask(client, "project/link", path=sub)
    assert again["name"] == "parcel"
    assert len((await ask(client, "note/list", project=sub))["notes"]) == 1


async def test_the_doctor_reports_over_the_wire(client: Any, place: Any) -> None:
    """The same report as the command line's; a rival is allowed on the record."""
    report = await ask(client, "doctor", allow="cavemem")
    assert report["ok"] is True
    assert {one["name"] for one in report["checks"]} >= {"rival", "database"}
    settings = json.loads((place.home / "settings.json").read_text())
    assert isinstance(settings["allow:cavemem"], int)


async def test_the_report_turns_a_feature_on_again(client: Any, place: Any) -> None:
    """Lines, days and the control's share; what is demoted comes back (P2, P3)."""
    memory = open_memory(str(place.project))
    base = Entry(
        memory.clock.now(), None, "s", "codex", "stub", COST, 20, 1, "test", "none"
    )
    with memory.store.write() as connection:
        for _ in range(30):
            paid = add_entry(connection, base)
            saved = base._replace(kind=SAVING, tokens=15, pair=paid)
            add_entry(connection, saved)
        assert demote.judge(connection, "codex", "stub", memory.clock.now())
    memory.close()
    report = await ask(client, "report")
    (line,) = report["roles"]
    assert (line["state"], line["lower"], line["samples"]) == ("demoted", -5.0, 30)
    assert "30 samples, net −5.0 tokens each" in line["reason"]
    assert (line["net"], line["estimate"], report["control"]) == (-150, None, 0)
    (day,) = report["days"]
    assert (day["gross"], day["bounced"], day["cost"]) == (450, 0, 600)
    status = await ask(client, "status")
    assert status["message"] == "stub is off for codex: the report says why."
    report = await ask(client, "report", enable="stub", role="codex", days=0)
    assert (report["roles"][0]["state"], report["days"]) == ("on", [])
    with pytest.raises(JsonRpcException) as caught:
        await ask(client, "report", enable="pins")
    assert caught.value.code == -32602


async def test_a_withheld_block_is_a_receipt_and_no_recall(
    client: Any, place: Any
) -> None:
    """The prompt goes out without; the receipt's document says why (P6)."""
    await ask(client, "policy/set", name="control", value=50)
    for number in range(40):
        params = {"prompt": "How long may backoff wait?", "session": f"s{number}"}
        answer = await ask(client, "recall", **params)
        if answer["block"] is None:
            break
    assert answer["reason"] == "block is withheld to compare (control group)"
    receipt = await ask(client, "receipt/show", id=answer["receipt"])
    assert (receipt["control"], receipt["tokens"], receipt["text"]) == (
        "withheld",
        0,
        "",
    )
    uri = f"ibid://receipt/{answer['receipt'].removeprefix('#')}"
    document = await client.protocol.send_request_async(
        "workspace/textDocumentContent", types.TextDocumentContentParams(uri=uri)
    )
    assert "Memory withheld to compare: block" in document.text
    assert answer["receipt"] not in [
        params["receipt"] for name, params in client.told if name == "turnRecalled"
    ]
