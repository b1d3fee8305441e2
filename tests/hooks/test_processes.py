"""Hook calls as processes: real input, real trouble, exit status 0 (R3, G7)."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory, open_memory
from ibid.store import driver, findings, handshakes
from ibid.store.receipts import ReceiptPage

NOTE = "Migrations of the ledger are reversible."
PROMPT = "Write a migration for the ledger"
EVENTS = ("SessionStart", "UserPromptSubmit", "PreCompact", "SubagentStart")


def call(
    project: Path,
    event: str = "UserPromptSubmit",
    agent: str = "claude-code",
    env: dict[str, str] | None = None,
    before: Callable[[], None] | None = None,
    **told: Any,
) -> subprocess.CompletedProcess[bytes]:
    """Run one hook call in a process of its own."""
    given = {
        "session_id": "s1",
        "hook_event_name": event,
        "cwd": str(project),
        "prompt": PROMPT,
        **told,
    }
    return subprocess.run(
        [sys.executable, "-m", "ibid", "hook", agent],
        input=json.dumps(given).encode(),
        capture_output=True,
        check=False,
        env=os.environ | (env or {}),
        timeout=60,
        preexec_fn=before,
    )


def silent(done: subprocess.CompletedProcess[bytes]) -> bool:
    """Say whether a call failed open: nothing printed, exit status 0."""
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def text_of(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the text that a call handed to the agent."""
    assert done.returncode == 0
    assert done.stderr == b""
    found = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert isinstance(found, str)
    return found


def log(home: Path | None = None) -> list[str]:
    """Return the lines of the hooks' log."""
    path = Path(home or os.environ["IBID_HOME"], "log", "hooks.log")
    return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def stored(memory: Memory) -> Memory:
    """A memory with a note, closed for the hook's sake."""
    memory.notes.add(NoteText(NOTE))
    memory.close()
    return memory


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Wait until something is so; say whether it came to be."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.1)
    return False


def test_a_prompt_gets_its_block_and_a_receipt(stored: Memory, project: Path) -> None:
    """The block that is printed is the one that the receipt holds (I1)."""
    block = text_of(call(project))
    assert NOTE in block
    again = open_memory(str(project))
    rows, total = again.receipts.page(ReceiptPage())
    assert total == 1
    assert again.receipts.show(f"#{rows[0].row['id']}").row["text"] == block
    again.close()
    assert silent(call(project))  # Unchanged: it was sent in this epoch (G2).
    assert log() == []


def test_a_call_leaves_its_handshake(stored: Memory, project: Path) -> None:
    """The doctor believes only hooks that ran, also those that gave nothing."""
    call(project, "PreCompact", "codex")
    assert list(handshakes.load(stored.home, "codex")) == ["PreCompact"]
    assert handshakes.load(stored.home, "gemini") == {}


def test_nothing_is_recalled_beside_a_rival(stored: Memory, project: Path) -> None:
    """A hook reads what another face noted, and stays silent (Q1)."""
    findings.record(stored.home, stored.project.key, ["cavemem"], [])
    assert silent(call(project))


def test_the_same_state_gives_the_same_bytes(stored: Memory, project: Path) -> None:
    """Two sessions that start alike are told the same (O3, G4)."""
    with_pin = open_memory(str(project))
    with_pin.notes.add(NoteText("The ledger is stored in Postgres.", pinned=True))
    with_pin.close()
    one = text_of(call(project, "SessionStart", session_id="a", source="startup"))
    other = text_of(call(project, "SessionStart", session_id="b", source="startup"))
    assert one == other
    assert "Postgres" in one


def test_a_compaction_gives_the_pins_back_once(stored: Memory, project: Path) -> None:
    """The purge before it, the text after it, and no pin twice (N4, O3, G2)."""
    pinned = open_memory(str(project))
    pinned.notes.add(NoteText("The ledger is stored in Postgres.", pinned=True))
    pinned.close()
    assert "Postgres" in text_of(call(project, "SessionStart", source="startup"))
    assert "Postgres" not in text_of(call(project))
    assert silent(call(project, "PreCompact", trigger="auto"))
    assert "Postgres" in text_of(call(project, "SessionStart", source="compact"))
    assert "Postgres" not in text_of(call(project))
    again = open_memory(str(project))
    count = again.store.read().execute("SELECT count(*) FROM epoch").fetchone()[0]
    assert count == 2
    again.close()


@pytest.mark.parametrize("event", EVENTS)
def test_no_memory_of_the_project_is_no_trouble(project: Path, event: str) -> None:
    """A hook makes no database: nothing printed, one line logged."""
    assert silent(call(project, event))
    assert [line.split(" ", 3)[3] for line in log()] == ["no memory of this project"]
    assert not list(Path(os.environ["IBID_HOME"]).rglob("*.db"))


@pytest.mark.parametrize("content", [b"", b"no database at all" * 500])
def test_a_damaged_database_is_left_alone(
    stored: Memory, project: Path, content: bytes
) -> None:
    """Empty or foreign bytes: nothing printed, nothing changed, one line logged."""
    path = Path(stored.project.database)
    path.write_bytes(content)
    assert silent(call(project))
    assert path.read_bytes() == content
    assert len(log()) == 1


def test_a_locked_database_holds_nobody_up(stored: Memory, project: Path) -> None:
    """Without a receipt nothing is sent; the call gives up in time (I1, G7)."""
    other = driver.connect(stored.project.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        assert silent(call(project))
    finally:
        other.execute("ROLLBACK")
        other.close()
    assert len(log()) == 1
    assert NOTE in text_of(call(project))


def test_a_full_disk_is_no_trouble(stored: Memory, project: Path) -> None:
    """Where nothing can be written nothing is sent."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    assert silent(call(project, before=limit))
    assert NOTE in text_of(call(project))


def test_without_home_it_stays_silent(stored: Memory, project: Path) -> None:
    """No HOME and no IBID_HOME: there is nothing to look for."""
    env = {key: os.environ[key] for key in ("PATH", "PYTHONPATH")}
    done = subprocess.run(
        [sys.executable, "-m", "ibid", "hook", "claude-code"],
        input=json.dumps(
            {
                "session_id": "s1",
                "hook_event_name": "UserPromptSubmit",
                "cwd": str(project),
                "prompt": PROMPT,
            }
        ).encode(),
        capture_output=True,
        check=False,
        env={**env, "XDG_DATA_HOME": str(project.parent / "none")},
        timeout=60,
    )
    assert silent(done)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe{}", b"[" * 100_000]
)
def test_whatever_comes_in_it_exits_0(project: Path, data: bytes) -> None:
    """Broken input is one line in the log, and none of it stands there."""
    done = subprocess.run(
        [sys.executable, "-m", "ibid", "hook", "claude-code"],
        input=data,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert silent(done)
    assert len(log()) == 1


def test_an_unknown_agent_exits_0(project: Path) -> None:
    """A wrong word in a hooks file must not stop an agent."""
    assert silent(call(project, agent="emacs"))
    assert len(log()) == 1


def test_the_log_holds_no_text_and_stays_small(stored: Memory, project: Path) -> None:
    """What a prompt says is nobody's business; the file is turned over."""
    path = Path(os.environ["IBID_HOME"], "log", "hooks.log")
    path.parent.mkdir(parents=True)
    path.write_text("x" * 300_000 + "\n")
    Path(stored.project.database).write_bytes(b"broken " * 100)
    assert silent(call(project, prompt="The zebra password is striped"))
    assert path.stat().st_size < 1_000
    assert path.with_name("hooks.log.1").stat().st_size == 300_001
    assert "zebra" not in path.read_text()


def test_nobody_reads_for_ever(project: Path) -> None:
    """An agent that never closes the pipe is not waited for (hard stop)."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ibid", "hook", "claude-code"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.wait(timeout=30) == 0
    assert process.stdout is not None
    assert process.stdout.read() == b""
    for stream in (process.stdin, process.stdout, process.stderr):
        assert stream is not None
        stream.close()
    assert len(log()) == 1


# -- policies --------------------------------------------------------------------------


def write_policy(project: Path, session: str = "s1") -> tuple[str, str]:
    """Return the read and write policies of a session."""
    memory = open_memory(str(project))
    row = memory.sessions.load(session)
    memory.close()
    return row["read_policy"], row["write_policy"]


@pytest.mark.parametrize(
    ("env", "policies", "recalls"),
    [
        ({"IBID_DISABLE": "1"}, ("deny", "deny"), False),
        ({"IBID_NO_CAPTURE": "1"}, ("inherit", "deny"), True),
        ({"IBID_PRESET": "private"}, ("deny", "deny"), False),
        ({"IBID_PRESET": "recall-only"}, ("allow", "deny"), True),
        ({"IBID_PRESET": "learn-only"}, ("deny", "allow"), False),
    ],
)
def test_the_environment_is_written_down_for_watchers_elsewhere(
    stored: Memory,
    project: Path,
    env: dict[str, str],
    policies: tuple[str, str],
    recalls: bool,
) -> None:
    """Only the hook sees the agent's environment: its write marks the session (H3)."""
    done = call(project, env=env)
    assert bool(done.stdout) == recalls
    assert done.returncode == 0
    assert write_policy(project) == policies


def test_no_recall_is_obeyed_and_nothing_is_marked(
    stored: Memory, project: Path
) -> None:
    """IBID_NO_RECALL gives nothing and keeps learning (H3)."""
    assert silent(call(project, env={"IBID_NO_RECALL": "1"}))
    memory = open_memory(str(project))
    assert memory.sessions.page()[1] == 0
    memory.close()


def test_a_waiting_preset_is_taken_by_the_session_that_starts(
    stored: Memory, project: Path
) -> None:
    """Before anything is recalled for it (H1)."""
    memory = open_memory(str(project))
    memory.sessions.preset_next("claude-code", "private")
    memory.close()
    assert silent(call(project, "SessionStart", source="startup"))
    assert silent(call(project))
    assert write_policy(project) == ("deny", "deny")
    assert NOTE in text_of(call(project, session_id="s2"))


def test_codex_gets_a_block_only_when_a_person_wants_one(
    stored: Memory, project: Path
) -> None:
    """There every block looks as if the user had written it (G8)."""
    assert silent(call(project, agent="codex"))
    assert silent(call(project, "SessionStart", agent="codex", source="startup"))
    done = call(project, agent="codex", env={"IBID_PRESET": "memory-on"})
    assert NOTE in text_of(done)
    assert set(json.loads(done.stdout)) == {"hookSpecificOutput"}


def test_a_side_chat_of_codex_recalls_and_is_not_learned_from(
    stored: Memory, project: Path
) -> None:
    """Quick and side chats recall only (G8)."""
    done = call(project, agent="codex", session_id="side1", thread_source="side")
    assert NOTE in text_of(done)
    assert write_policy(project, "side1") == ("allow", "deny")


# -- afterwards ------------------------------------------------------------------------


def transcript(folder: Path, session: str, *prompts: str) -> Path:
    """Write a transcript of neutral events, one turn a prompt."""
    path = folder / f"{session}.ibid.jsonl"
    at = "2026-11-30T11:00:00Z"
    lines: list[dict[str, Any]] = [
        {"type": "session", "agent": "claude-code", "cwd": str(folder)}
    ]
    for number, prompt in enumerate(prompts):
        lines += [
            {"type": "prompt", "id": f"{session}p{number}", "text": prompt},
            {"type": "answer", "id": f"{session}a{number}", "text": "Done as asked."},
            {"type": "turn", "status": "completed"},
        ]
    with path.open("w") as file:
        for line in lines:
            file.write(json.dumps({**line, "session": session, "at": at}) + "\n")
    return path


def count(project: Path, sql: str) -> int:
    """Return a number from the project's store, 0 where there is none yet."""
    memory = open_memory(str(project))
    try:
        return int(memory.store.read().execute(sql).fetchone()[0])
    finally:
        memory.close()


def test_the_end_of_a_session_imports_it_without_an_editor(project: Path) -> None:
    """The hook returns at once; import and handoff follow in their own process."""
    path = transcript(project, "s1", "Never deploy the ledger on a Friday.")
    done = call(project, "SessionEnd", transcript_path=str(path), reason="exit")
    assert silent(done)
    assert wait_for(lambda: count(project, "SELECT count(*) FROM candidate") == 1)
    ended = "SELECT count(*) FROM session WHERE ended IS NOT NULL"
    assert wait_for(lambda: count(project, ended) == 1)
    assert wait_for((project / ".ibid/state/handoff.md").exists)


def test_nothing_is_imported_that_may_not_be(stored: Memory, project: Path) -> None:
    """Under IBID_NO_CAPTURE no process is left behind, and none elsewhere reads it."""
    path = transcript(project, "s1", "Never deploy the ledger on a Friday.")
    env = {"IBID_NO_CAPTURE": "1"}
    assert silent(call(project, "Stop", env=env, transcript_path=str(path)))
    done = subprocess.run(
        [sys.executable, *f"-m ibid --project {project} --json import {path}".split()],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout)["turns"] == 0
    assert count(project, "SELECT count(*) FROM message") == 0
