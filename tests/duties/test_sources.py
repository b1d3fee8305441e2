"""Transcripts that do not just grow: packed ones, documents, sessions in a database."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from ibid.agents.registry import load_agent
from ibid.duties import sources
from ibid.duties.exporting import export_all, main_transcript, read_transcript
from ibid.duties.follow import cwd_of, follow
from ibid.duties.importing import (
    ImportRun,
    belongs,
    find_transcripts,
    machine_transcripts,
)
from ibid.duties.runner import Runner
from ibid.duties.watch import Watcher
from ibid.engine.learn.context import Counts
from ibid.engine.memory import Memory, open_memory
from ibid.errors import InputError
from ibid.store import candidates, driver

THREAD = "0197c000-0000-7000-8000-000000000001"
SESSION = "ses_1"
START = 1_775_100_000_000
AT = "2026-04-02T11:00:{:02}Z"


def read(memory: Memory, agent: str, path: Path, final: bool = True) -> Counts:
    """Follow a transcript once."""
    counts = Counts()
    for _ in follow(memory, load_agent(agent), path, counts, final):
        pass
    return counts


def said(memory: Memory) -> list[str]:
    """Return every message of the turn log, in order."""
    rows = memory.store.read().execute("SELECT text FROM message ORDER BY id")
    return [row["text"] for row in rows]


def states(memory: Memory) -> list[str]:
    """Return how each turn stands."""
    rows = memory.store.read().execute("SELECT state FROM turn ORDER BY id")
    return [row["state"] for row in rows]


def kept(memory: Memory, session: str) -> bytes:
    """Return the kept bytes of a session."""
    return b"".join(read_transcript(memory, main_transcript(memory, session)))


# -- packed files ----------------------------------------------------------------------


def rollout(turns: int, cwd: str = "/srv/heron") -> bytes:
    """Return a Codex rollout."""
    told: list[dict[str, Any]] = [
        {"type": "session_meta", "payload": {"id": THREAD, "cwd": cwd}}
    ]
    for turn in range(turns):
        key = f"turn-{turn}"
        for kind, fields in (
            ("task_started", {"turn_id": key}),
            ("user_message", {"message": f"Never rename heron number {turn}."}),
            ("task_complete", {"turn_id": key}),
        ):
            told.append({"type": "event_msg", "payload": {"type": kind, **fields}})
    stamped = [{"timestamp": AT.format(n)} | one for n, one in enumerate(told)]
    return b"".join(json.dumps(one).encode() + b"\n" for one in stamped)


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A place for a rollout."""
    return tmp_path / f"rollout-2026-04-02T11-00-00-{THREAD}.jsonl"


def pack(path: Path, data: bytes, frames: int = 1) -> Path:
    """Write ``data`` packed, in so many frames."""
    packed = path.with_name(path.name + ".zst")
    size = len(data) // frames + 1
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    packed.write_bytes(b"".join(zstandard.compress(piece) for piece in pieces))
    return packed


@pytest.mark.parametrize("frames", [1, 3])
def test_a_packed_file_is_read_like_a_plain_one(
    memory: Memory, plain: Path, frames: int
) -> None:
    """What is in it counts, also for its kept bytes."""
    data = rollout(3)
    packed = pack(plain, data, frames)
    assert read(memory, "codex", packed).turns == 3
    assert kept(memory, THREAD) == data
    assert cwd_of(load_agent("codex"), packed) == "/srv/heron"
    assert read(memory, "codex", packed).turns == 0


def test_packing_and_unpacking_a_file_adds_nothing(memory: Memory, plain: Path) -> None:
    """One is the other by its bytes: it is read on where it was left."""
    plain.write_bytes(rollout(1))
    read(memory, "codex", plain)
    packed = pack(plain, rollout(2))
    plain.rename(plain.with_name("old"))
    assert read(memory, "codex", packed).turns == 1
    # Both are there for a moment, so that the new file is another one for sure.
    plain.write_bytes(rollout(3))
    packed.unlink()
    assert read(memory, "codex", plain).turns == 1
    assert len(said(memory)) == 3
    assert kept(memory, THREAD) == rollout(3)
    rows = memory.store.read().execute("SELECT count(*) FROM transcript").fetchone()
    assert rows[0] == 1


def test_a_broken_packed_file_is_named(memory: Memory, plain: Path) -> None:
    """An import says which file it was and goes on."""
    packed = pack(plain, rollout(1))
    packed.write_bytes(packed.read_bytes()[:8] + b"\xff" * 40)
    run = ImportRun(find_transcripts([packed]), memory)
    assert list(run.steps())
    assert [packed.name in problem for problem in run.report.problems] == [True]


def test_a_file_by_another_name_is_known_by_its_content(
    memory: Memory, tmp_path: Path
) -> None:
    """Exports and samples have names of their own; other files stay none."""
    (tmp_path / "sample.jsonl").write_bytes(rollout(1))
    (tmp_path / "chat.json").write_bytes(document(1))
    (tmp_path / "package.json").write_text('{"name": "heron"}')
    found = find_transcripts([tmp_path])
    assert {(one.agent.AGENT, one.path.name) for one in found} == {
        ("codex", "sample.jsonl"),
        ("opencode", "chat.json"),
    }
    list(ImportRun(found, memory).steps())
    assert len(said(memory)) == 1 + 2


# -- documents -------------------------------------------------------------------------


def messages(turns: int, last: str = "It keeps its name.") -> list[dict[str, Any]]:
    """Return messages as opencode has them; the last turn's answer is ``last``."""
    told: list[dict[str, Any]] = []
    for turn in range(turns):
        at = START + turn * 60_000
        text = "It keeps its name." if turn < turns - 1 else last
        told += [
            {"info": {"id": f"msg_{turn}a", "role": "user", "time": {"created": at}},
             "parts": [{"type": "text", "id": f"prt_{turn}a",
                        "text": f"Never rename heron number {turn}."}]},
            {"info": {"id": f"msg_{turn}b", "role": "assistant", "finish": "stop",
                      "time": {"created": at + 5, "completed": at + 9}},
             "parts": [{"type": "text", "id": f"prt_{turn}b", "text": text}]},
        ]  # fmt: skip
    return told


def document(turns: int, last: str = "It keeps its name.") -> bytes:
    """Return a session as opencode exports it."""
    info = {"id": SESSION, "directory": "/srv/heron"}
    whole = {"info": info, "messages": messages(turns, last)}
    return json.dumps(whole).encode()


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """A place for an exported session."""
    return tmp_path / f"{SESSION}.json"


def test_a_document_written_anew_adds_what_is_new(memory: Memory, export: Path) -> None:
    """Its kept bytes are replaced; nothing is told twice."""
    export.write_bytes(document(1))
    assert read(memory, "opencode", export).turns == 1
    assert read(memory, "opencode", export).turns == 0
    export.write_bytes(document(3))
    assert read(memory, "opencode", export).turns == 2
    assert len(said(memory)) == 6
    assert states(memory) == ["completed"] * 3
    assert kept(memory, SESSION) == document(3)
    rows = memory.store.read().execute("SELECT count(*) FROM transcript").fetchone()
    assert rows[0] == 1


def test_an_answer_that_grew_is_renewed(memory: Memory, export: Path) -> None:
    """The message has its newest text, the index and the episode too."""
    export.write_bytes(document(1, last="It keeps"))
    read(memory, "opencode", export)
    export.write_bytes(document(1, last="It keeps the plumage column."))
    read(memory, "opencode", export)
    assert said(memory)[1] == "It keeps the plumage column."
    row = memory.store.read().execute("SELECT text FROM memory WHERE layer = 2")
    assert "plumage" in row.fetchone()["text"]


def test_telling_old_turns_again_does_not_end_the_running_one(
    memory: Memory, export: Path
) -> None:
    """An end belongs to the turn that it stands behind."""
    whole = json.loads(document(2))
    whole["messages"].pop()
    export.write_text(json.dumps(whole))
    read(memory, "opencode", export)
    assert states(memory) == ["completed", "open"]
    whole["info"]["title"] = "Herons"
    export.write_text(json.dumps(whole))
    read(memory, "opencode", export)
    assert states(memory) == ["completed", "open"]


def test_a_half_written_document_waits(memory: Memory, export: Path) -> None:
    """It is read when it is whole; an import counts it as unreadable."""
    export.write_bytes(document(2)[:-30])
    assert read(memory, "opencode", export, final=False).turns == 0
    run = ImportRun(find_transcripts([export]), memory)
    list(run.steps())
    assert run.report.as_dict()["skippedLines"] == 1
    export.write_bytes(document(2))
    assert read(memory, "opencode", export, final=False).turns == 2


def test_a_long_document_is_stored_in_slices(
    memory: Memory, export: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short transactions give the same rows as one."""
    monkeypatch.setattr("ibid.duties.documents.SLICE", 2)
    export.write_bytes(document(5))
    assert read(memory, "opencode", export).turns == 5
    assert len(said(memory)) == 10
    assert states(memory) == ["completed"] * 5


def test_what_was_erased_stays_out_of_a_document_written_anew(
    memory: Memory, export: Path
) -> None:
    """The sentence is a hole in its message and in the kept bytes (K3)."""
    told = "The vault is under the heron. Good."
    export.write_bytes(document(1, last=told))
    read(memory, "opencode", export)
    assert b"vault" in kept(memory, SESSION)
    row = memory.store.read().execute("SELECT * FROM message WHERE role = 'agent'")
    native = row.fetchone()["native"]
    with memory.store.write() as connection:
        candidates.ensure_suppression(
            connection, candidates.Suppression(native, 0, 29, START)
        )
    export.write_bytes(document(1, last=told).replace(b"heron number", b"egret number"))
    read(memory, "opencode", export)
    assert b"vault" not in kept(memory, SESSION)
    assert b"Good." in kept(memory, SESSION)


# -- databases -------------------------------------------------------------------------


@pytest.fixture
def database(tmp_path: Path) -> Iterator[tuple[Path, driver.Connection]]:
    """A database of opencode's, which its owner has open in WAL mode."""
    path = tmp_path / "data" / "opencode.db"
    path.parent.mkdir()
    connection = driver.connect(str(path), isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(
        "CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT,"
        " version TEXT, time_created INTEGER, time_updated INTEGER)"
    )
    connection.execute(
        "CREATE TABLE message (id TEXT, session_id TEXT, time_updated INTEGER,"
        " data TEXT)"
    )
    connection.execute(
        "CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT,"
        " time_updated INTEGER, data TEXT)"
    )
    yield path, connection
    connection.close()


def fill(
    connection: driver.Connection, session: str, folder: str, turns: int, at: int = 1
) -> None:
    """Write a session's rows as opencode does."""
    for table in ("session", "message", "part"):
        column = "id" if table == "session" else "session_id"
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (session,))
    connection.execute(
        "INSERT INTO session VALUES (?, NULL, ?, 'Herons', '1.4.0', ?, ?)",
        (session, folder, START, at),
    )
    for message in messages(turns):
        info, name = message["info"], f"{session}{message['info']['id']}"
        data = {key: value for key, value in info.items() if key != "id"}
        created = data["time"]["created"] + len(session)
        data["time"] = data["time"] | {"created": created}
        connection.execute(
            "INSERT INTO message VALUES (?, ?, ?, ?)",
            (name, session, at, json.dumps(data)),
        )
        for part in message["parts"]:
            connection.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?)",
                (f"prt_{name}", name, session, at, json.dumps(part)),
            )


def test_a_database_is_read_while_its_owner_writes(
    memory: Memory, database: tuple[Path, driver.Connection]
) -> None:
    """Each session is a document of its own; its kept bytes are an export."""
    path, connection = database
    fill(connection, SESSION, "/srv/heron", 2)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE session SET title = 'Not yet'")
    assert read(memory, "opencode", path).turns == 2
    connection.execute("ROLLBACK")
    assert read(memory, "opencode", path).turns == 0
    fill(connection, SESSION, "/srv/heron", 3, at=2)
    assert read(memory, "opencode", path).turns == 1
    assert memory.sessions.load(SESSION)["title"] == "Herons"
    exported = json.loads(kept(memory, SESSION))
    assert [one["parts"][0]["text"] for one in exported["messages"]] == said(memory)


def test_a_databases_sessions_belong_to_their_own_projects(
    memory: Memory, database: tuple[Path, driver.Connection], tmp_path: Path
) -> None:
    """One file holds the sessions of all projects; each goes to its folder's (S1)."""
    path, connection = database
    fill(connection, "ses_z", memory.project.path, 1)
    fill(connection, "ses_else", str(tmp_path / "else"), 1)
    env = {"XDG_DATA_HOME": str(tmp_path)}
    path.parent.rename(tmp_path / "opencode")
    found = machine_transcripts(env, tmp_path / "nobody")
    assert [one.path.name for one in found] == ["ses_z.json", "ses_else.json"]
    mine = [one for one in found if belongs(one, memory)]
    assert [one.path.stem for one in mine] == ["ses_z"]
    list(ImportRun(mine, memory).steps())
    assert len(said(memory)) == 2
    (written,) = export_all(memory, "ses_z", tmp_path / "out")
    assert written.name == "ses_z.json"


def test_only_sessions_that_changed_are_followed(
    memory: Memory, database: tuple[Path, driver.Connection]
) -> None:
    """A write to the database's log names the sessions it was about."""
    path, connection = database
    fill(connection, "ses_a", memory.project.path, 1)
    fill(connection, "ses_b", memory.project.path, 1)
    runner = Runner(lambda event: None, watch=False)
    runner.add(memory)
    log = path.with_name("opencode.db-wal")
    assert [one.name for one in runner._changed({log, path})] == [
        "ses_a.json",
        "ses_b.json",
    ]
    fill(connection, "ses_b", memory.project.path, 2, at=5)
    assert [one.name for one in runner._changed({log})] == ["ses_b.json"]
    assert runner._changed({log}) == []


def test_a_database_of_another_form_has_no_sessions(
    memory: Memory, tmp_path: Path
) -> None:
    """Nothing is guessed; what is no database at all is named."""
    path = tmp_path / "opencode.db"
    connection = driver.connect(str(path))
    connection.execute("CREATE TABLE session (id TEXT)")
    connection.close()
    assert sources.expand(load_agent("opencode"), path) == []
    path.write_bytes(b"x" * 5_000)
    for attempt in (
        lambda: read(memory, "opencode", path),
        lambda: find_transcripts([path]),
    ):
        with pytest.raises(InputError, match=r"opencode\.db"):
            attempt()
    assert find_transcripts([tmp_path]) == []
    assert not (tmp_path / "opencode.db-wal").exists()


def test_a_session_that_is_gone_is_named(
    memory: Memory, database: tuple[Path, driver.Connection]
) -> None:
    """Its owner deleted it between notice and read."""
    path, _ = database
    with pytest.raises(InputError, match="ses_gone"):
        read(memory, "opencode", path / "ses_gone.json")


def test_a_subagents_file_is_not_the_sessions_main_one(
    memory: Memory, tmp_path: Path
) -> None:
    """Its name does not say so; its records do (M5)."""
    own = THREAD.replace("1", "2")
    spawn = {"thread_spawn": {"parent_thread_id": THREAD}}
    meta = {"id": own, "cwd": "/srv/heron", "source": {"subagent": spawn}}
    said = {"type": "user_message", "message": "Count the herons."}
    child = tmp_path / f"rollout-2026-04-02T11-00-09-{own}.jsonl"
    child.write_text(
        "".join(
            json.dumps({"timestamp": AT.format(9), "type": kind, "payload": one}) + "\n"
            for kind, one in (("session_meta", meta), ("event_msg", said))
        )
    )
    main = tmp_path / f"rollout-2026-04-02T11-00-00-{THREAD}.jsonl"
    main.write_bytes(rollout(1))
    for path in (child, main):
        read(memory, "codex", path)
    assert kept(memory, THREAD) == rollout(1)
    assert len(export_all(memory, THREAD, tmp_path / "out")) == 2


# -- transcripts without times ---------------------------------------------------------


def test_what_tells_no_time_happened_when_its_file_changed(
    memory: Memory, tmp_path: Path
) -> None:
    """A transcript without times is not of the year 1970."""
    path = tmp_path / "agent-transcripts" / "c1.jsonl"
    path.parent.mkdir()
    query = "<user_query>Never rename a heron.</user_query>"
    content = [{"type": "text", "text": query}]
    path.write_text(
        json.dumps({"role": "user", "message": {"content": content}}) + "\n"
    )
    os.utime(path, (START / 1000, START / 1000))
    assert read(memory, "cursor", path).turns == 1
    row = memory.store.read().execute("SELECT at FROM message").fetchone()
    assert row["at"] == START


# -- folders that are watched ----------------------------------------------------------


def test_patterns_and_files_are_watched(tmp_path: Path) -> None:
    """Folders that a pattern names later are found, and single files too."""
    watcher = Watcher([tmp_path / "store" / "*" / "chats", tmp_path / "a.db"])
    watcher.sweep()
    assert watcher.take() == set()
    folder = tmp_path / "store" / "x1" / "chats"
    folder.mkdir(parents=True)
    (tmp_path / "store" / "x1" / "cache").mkdir()
    (tmp_path / "store" / "x1" / "cache" / "b.json").write_text("{}")
    (folder / "a.json").write_text("{}")
    (tmp_path / "a.db").write_text("x")
    watcher.sweep()
    assert watcher.take() == {folder / "a.json", tmp_path / "a.db"}


def test_a_found_project_needs_no_file_of_ours(tmp_path: Path) -> None:
    """Reading another program's database leaves nothing beside it."""
    memory = open_memory(str(tmp_path), str(tmp_path / "home"))
    path = tmp_path / "data" / "opencode.db"
    path.parent.mkdir()
    connection = driver.connect(str(path))
    connection.execute("CREATE TABLE session (id TEXT, directory TEXT)")
    connection.commit()
    connection.close()
    before = sorted(path.parent.iterdir())
    read(memory, "opencode", path)
    assert sorted(path.parent.iterdir()) == before
    memory.close()
