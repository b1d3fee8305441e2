"""Transcript files: cursors, half lines, rotation, kept bytes, owners (B1, M5, S1)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ibid.agents.registry import load_agent
from ibid.duties.exporting import export_all, main_transcript, read_transcript
from ibid.duties.follow import follow
from ibid.duties.importing import ImportRun, find_transcripts
from ibid.engine.learn.context import Counts
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import FixedClock, SearchRequest
from ibid.errors import DisabledError, InputError, NotFoundError
from ibid.store import projects, registry

AT = "2026-04-02T11:00:{:02}Z"


def lines(session: str = "s1", turns: int = 3) -> list[bytes]:
    """Return a neutral session, one record a line."""
    told: list[dict[str, Any]] = [
        {"type": "session", "session": session, "agent": "demo", "at": AT.format(0)}
    ]
    for turn in range(turns):
        common = {"session": session, "at": AT.format(turn + 1)}
        told += [
            {"type": "prompt", "id": f"{session}-p{turn}", **common,
             "text": f"Never rename table number {turn} of the heron schema."},
            {"type": "tool", "id": f"{session}-t{turn}", "name": "Bash", **common,
             "input": {"command": f"ls {turn}"}, "output": f"file{turn}.sql\n" * 3},
            {"type": "answer", "id": f"{session}-a{turn}", **common,
             "text": f"Table {turn} keeps its name."},
            {"type": "turn", "status": "completed", **common},
        ]  # fmt: skip
    return [json.dumps(one).encode() + b"\n" for one in told]


def read(memory: Memory, path: Path, final: bool = False) -> Counts:
    """Follow a file once."""
    counts = Counts()
    for _ in follow(memory, load_agent("neutral"), path, counts, final):
        pass
    return counts


def said(memory: Memory) -> list[str]:
    """Return every message of the turn log, in order."""
    rows = memory.store.read().execute("SELECT text FROM message ORDER BY id")
    return [row["text"] for row in rows]


def kept(memory: Memory, session: str = "s1") -> bytes:
    """Return the kept bytes of a session."""
    return b"".join(read_transcript(memory, main_transcript(memory, session)))


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(cuts=st.lists(st.integers(0, 2500), max_size=6))
def test_any_way_a_file_grows_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    """Appended in any pieces, every record is stored exactly once."""
    folder = tmp_path_factory.mktemp("grow")
    memory = open_memory(str(folder), str(folder / "home"))
    data = b"".join(lines())
    path = folder / "s1.ibid.jsonl"
    ends = sorted({min(cut, len(data)) for cut in cuts} | {len(data)})
    for end in ends:
        path.write_bytes(data[:end])
        # Growing keeps the inode: rewrite in place.
        read(memory, path)
    assert said(memory) == [
        text
        for turn in range(3)
        for text in (
            f"Never rename table number {turn} of the heron schema.",
            f"Table {turn} keeps its name.",
        )
    ]
    assert kept(memory) == data
    memory.close()


def test_a_half_written_last_line_waits(memory: Memory, tmp_path: Path) -> None:
    """Until its newline has come it is neither read nor lost."""
    path = tmp_path / "s1.ibid.jsonl"
    whole = lines(turns=1)
    path.write_bytes(b"".join(whole)[:-5])
    read(memory, path)
    row = memory.store.read().execute("SELECT state FROM turn").fetchone()
    assert row["state"] == "open"
    with path.open("ab") as file:
        file.write(b"".join(whole)[-5:])
    read(memory, path)
    row = memory.store.read().execute("SELECT state FROM turn").fetchone()
    assert row["state"] == "completed"


def test_an_import_takes_a_last_line_without_newline(
    memory: Memory, tmp_path: Path
) -> None:
    """A file that is complete need not end in a newline."""
    path = tmp_path / "s1.ibid.jsonl"
    data = b"".join(lines(turns=1))[:-1]
    path.write_bytes(data)
    read(memory, path, final=True)
    row = memory.store.read().execute("SELECT state FROM turn").fetchone()
    assert row["state"] == "completed"
    assert kept(memory) == data


def test_a_replaced_file_is_read_anew(memory: Memory, tmp_path: Path) -> None:
    """Another file of the same name adds what is new; the old one stays kept."""
    path = tmp_path / "s1.ibid.jsonl"
    path.write_bytes(b"".join(lines(turns=1)))
    read(memory, path)
    other = tmp_path / "new"
    other.write_bytes(b"".join(lines(turns=2)))
    other.replace(path)
    counts = read(memory, path)
    assert counts.turns == 1
    assert len(said(memory)) == 4


def test_a_truncated_file_is_read_anew(memory: Memory, tmp_path: Path) -> None:
    """A shorter file loses nothing that was stored."""
    path = tmp_path / "s1.ibid.jsonl"
    path.write_bytes(b"".join(lines(turns=3)))
    read(memory, path)
    path.write_bytes(b"".join(lines(turns=1)))
    read(memory, path)
    assert len(said(memory)) == 6


def test_a_corrupt_line_is_counted_and_passed_over(
    memory: Memory, tmp_path: Path
) -> None:
    """What comes after it is read; the kept file has it byte for byte."""
    told = lines(turns=2)
    told.insert(3, b'{"type": "prompt", "text": "cut\n')
    told.insert(5, b"\xff\xfe\x00garbage\n")
    path = tmp_path / "s1.ibid.jsonl"
    path.write_bytes(b"".join(told))
    run = ImportRun(find_transcripts([path]), memory)
    for _ in run.steps():
        pass
    report = run.report.as_dict()
    assert report["skippedLines"] == 2
    assert report["turns"] == 2
    assert kept(memory) == b"".join(told)


def test_a_lost_cursor_adds_nothing(memory: Memory, tmp_path: Path) -> None:
    """Native ids make a second reading of everything a no-op."""
    path = tmp_path / "s1.ibid.jsonl"
    path.write_bytes(b"".join(lines()))
    read(memory, path)
    before = said(memory)
    with memory.store.write() as connection:
        connection.execute("DELETE FROM cursor")
    counts = read(memory, path)
    assert said(memory) == before
    assert (counts.turns, counts.candidates, counts.archived) == (0, 0, 0)
    assert kept(memory) == path.read_bytes()


def test_a_deleted_transcript_stays_searchable_and_exportable(
    memory: Memory, tmp_path: Path
) -> None:
    """After the agent deleted its file the same bytes are given back (M5)."""
    path = tmp_path / "s1.ibid.jsonl"
    data = b"".join(lines())
    path.write_bytes(data)
    read(memory, path)
    path.unlink()
    assert memory.search(SearchRequest("heron schema", ("L0",))).total > 0
    assert kept(memory) == data
    (written,) = export_all(memory, "s1", tmp_path / "out")
    assert (tmp_path / "out" / written.name).read_bytes() == data
    with pytest.raises(InputError, match="already"):
        export_all(memory, "s1", tmp_path / "out")


def test_private_sessions_leave_no_content(
    memory: Memory, tmp_path: Path, clock: FixedClock
) -> None:
    """Neither turn, archive, transcript, episode nor note is stored (H4)."""
    memory.sessions.preset_next("demo", "private")
    at = "2026-04-02T11:59:55Z"
    told = [json.loads(line) | {"at": at} for line in lines()]
    path = tmp_path / "s1.ibid.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in told))
    read(memory, path)
    connection = memory.store.read()
    for table in ("message", "archive", "transcript", "memory", "candidate", "turn"):
        count = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        assert (table, count) == (table, 0)
    assert memory.sessions.load("s1")["preset"] == "private"
    with pytest.raises(NotFoundError):
        main_transcript(memory, "s1")


def test_transcripts_can_be_left_where_they_are(memory: Memory, tmp_path: Path) -> None:
    """With the switch off a session is read and its file is not kept (M5)."""
    memory.set_policy("project", "transcripts", False)
    path = tmp_path / "s1.ibid.jsonl"
    path.write_bytes(b"".join(lines()))
    read(memory, path)
    assert len(said(memory)) == 6
    with pytest.raises(NotFoundError, match="transcripts off"):
        main_transcript(memory, "s1")


def test_the_master_switch_stops_imports(memory: Memory, tmp_path: Path) -> None:
    """Nothing is imported while memory is off, and the message says so (H4)."""
    memory.set_policy("project", "master", False)
    path = tmp_path / "s1.ibid.jsonl"
    path.write_bytes(b"".join(lines()))
    run = ImportRun(find_transcripts([path]), memory)
    with pytest.raises(DisabledError, match="master on"):
        list(run.steps())
    assert said(memory) == []


@pytest.mark.parametrize("name", ["nothing.jsonl", "notes.txt"])
def test_paths_that_cannot_be_imported_are_named(tmp_path: Path, name: str) -> None:
    """What is missing or no transcript is refused with what to do."""
    if name == "notes.txt":
        (tmp_path / name).write_text("hello")
    with pytest.raises(InputError, match=name):
        find_transcripts([tmp_path / name])


# -- whose path it is ------------------------------------------------------------------


def git(folder: Path, *words: str) -> None:
    """Run git quietly."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    subprocess.run(
        ["git", *identity, *words], cwd=folder, check=True, capture_output=True
    )


def test_worktrees_and_subfolders_are_the_repository(tmp_path: Path) -> None:
    """All of them share one memory, a vanished worktree once seen too (S1)."""
    main = tmp_path / "main"
    (main / "sub" / "deep").mkdir(parents=True)
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "x")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    home = str(tmp_path / "home")
    root = projects.project_of(str(main), home)
    tree = tmp_path / "tree" / "sub"
    tree.mkdir()
    for path in (main / "sub" / "deep", tmp_path / "tree", tree, f"{main}/"):
        assert projects.project_of(str(path), home) == root
    git(main, "worktree", "remove", "--force", str(tmp_path / "tree"))
    assert projects.project_of(str(tree), home) == root


def test_links_and_the_real_path_are_one_project(tmp_path: Path) -> None:
    """Symbolic links, dots and trailing slashes name the same project (S1)."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    home = str(tmp_path / "home")
    one = projects.project_of(str(tmp_path / "real"), home)
    for path in ("link", "link/", "real/../real/", "./real"):
        assert projects.project_of(f"{tmp_path}/{path}", home) == one
    other = projects.project_of(str(tmp_path / "real2"), home)
    assert other.database != one.database


def test_a_person_decides_whose_a_folder_is(tmp_path: Path) -> None:
    """A subfolder can be its own project, another an alias (S1)."""
    main = tmp_path / "main"
    (main / "own").mkdir(parents=True)
    (main / "alias").mkdir()
    git(main, "init", "-q")
    home = str(tmp_path / "home")
    registry.register(home, "own", str(main / "own"), str(main / "own"))
    registry.register(home, "aliases", str(main / "alias"), str(tmp_path / "other"))
    assert projects.project_of(str(main / "own"), home).path == str(main / "own")
    alias = projects.project_of(str(main / "alias" / "x"), home)
    assert alias.path == str(tmp_path / "other")


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_path_that_is_none_is_refused(tmp_path: Path, path: str) -> None:
    """Empty names and NUL are named errors."""
    with pytest.raises(InputError):
        projects.project_of(path, str(tmp_path))


def test_excluded_files_never_enter(memory: Memory, tmp_path: Path) -> None:
    """What an agent read of a key file is in no archive and no kept transcript (E1)."""
    at = AT.format(1)
    told = lines(turns=1)
    told.insert(
        2,
        json.dumps(
            {"type": "read", "session": "s1", "at": at, "id": "r1",
             "path": "/srv/app/.env.local", "first": 1, "last": 1,
             "text": "HERON_SETTING=marmalade"}
        ).encode() + b"\n",
    )  # fmt: skip
    path = tmp_path / "s1.ibid.jsonl"
    path.write_bytes(b"".join(told))
    read(memory, path)
    data = kept(memory)
    assert b"marmalade" not in data
    assert len(data) == path.stat().st_size
    assert memory.search(SearchRequest("marmalade", archive=True)).total == 0
    memory.store.checkpoint()
    assert b"marmalade" not in Path(memory.project.database).read_bytes()


def test_secrets_can_be_cut_at_the_door(memory: Memory, tmp_path: Path) -> None:
    """With archive.secrets = mask no stored byte holds one; export says so (E1)."""
    import secrets as chance

    key = "gh" + "p_" + chance.token_hex(18)
    memory.set_policy("project", "archive.secrets", "mask")
    told = [
        line.replace(b"Table 0 keeps its name.", f"The token is {key}.".encode())
        for line in lines(turns=1)
    ]
    told[2] = told[2].replace(b"file0.sql", f"TOKEN={key}".encode())
    path = tmp_path / "s1.ibid.jsonl"
    path.write_bytes(b"".join(told))
    read(memory, path)
    memory.store.checkpoint()
    assert key.encode() not in Path(memory.project.database).read_bytes()
    data = kept(memory)
    assert key.encode() not in data
    assert len(data) == path.stat().st_size
    assert main_transcript(memory, "s1").cut > 0
