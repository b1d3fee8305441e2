"""Several processes, kills, locks, full disks and damaged files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.engine.talk import Talk

from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import MINUTE, FixedClock
from ibid.store import driver
from ibid.store.memories import Page
from ibid.store.verify import verify

START = 1_775_131_200_000


def run(project: Path, *words: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "ibid", "--project", str(project), "--json", *words],
        capture_output=True,
        check=False,
        env={**os.environ, **env},
        timeout=60,
    )


def start(project: Path, *words: str, **env: str) -> subprocess.Popen[bytes]:
    """Start a command in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "ibid", "--project", str(project), "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **env},
    )


def test_two_processes_promote_four_hundred_once(
    memory: Memory, project: Path, clock: FixedClock
) -> None:
    """400 due candidates, two processes at once: 400 notes (C3)."""
    for number in range(400):
        Talk(memory, clock, f"s{number}").turn(
            f"Never deploy service number {number} to region {number * 7} by hand."
        )
    memory.close()
    later = str(clock.now() + 31 * MINUTE)
    running = [start(project, "review", "list", IBID_NOW=later) for _ in range(2)]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    again = open_memory(str(project), clock=clock)
    assert again.notes.counts()["rules"] == 400
    rows = again.store.read().execute(
        "SELECT count(*), count(DISTINCT memory) FROM candidate WHERE state='accepted'"
    )
    assert tuple(rows.fetchone()) == (400, 400)
    again.close()


@pytest.mark.parametrize("delay", [0.05, 0.2, 0.35, 0.5, 0.8])
def test_a_killed_import_loses_nothing(
    project: Path, tmp_path: Path, delay: float
) -> None:
    """After SIGKILL anywhere the next import completes the same store."""
    path = tmp_path / "s1.ibid.jsonl"
    at = "2026-04-02T11:00:00Z"
    with path.open("w") as file:
        for turn in range(3000):
            common = {"session": "s1", "at": at}
            for one in (
                {"type": "prompt", "id": f"p{turn}", "text": f"Look at {turn}"},
                {"type": "answer", "id": f"a{turn}", "text": f"Seen {turn}. " * 9},
                {"type": "turn", "status": "completed"},
            ):
                file.write(json.dumps({**one, **common}) + "\n")
    process = start(project, "import", str(path))
    time.sleep(delay)
    process.kill()
    process.communicate()
    done = run(project, "import", str(path))
    assert done.returncode == 0, done.stderr
    memory = open_memory(str(project))
    connection = memory.store.read()
    count = connection.execute("SELECT count(*) FROM message").fetchone()[0]
    assert count == 6000
    assert verify(connection, full=True) == []
    exported = run(project, "export", "--transcript", "s1")
    assert exported.stdout == path.read_bytes()
    memory.close()


@contextmanager
def locked(memory: Memory) -> Iterator[None]:
    """Hold the store's write lock, as another process would."""
    other = driver.connect(memory.project.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_a_locked_store_is_said_and_recall_goes_on(project: Path) -> None:
    """Writing fails in time with a clear message; reading is not held up (G7)."""
    memory = open_memory(str(project), busy_ms=300)
    from ibid.engine.keep.notes import NoteText
    from ibid.engine.model import RecallRequest
    from ibid.errors import StoreBusyError

    memory.notes.add(NoteText("The queue is called heron."))
    with locked(memory):
        with pytest.raises(StoreBusyError, match="another process"):
            memory.notes.add(NoteText("The stork is another."))
        answer = memory.recall(RecallRequest("What is the heron queue?", "x"))
    assert answer.block is not None
    assert answer.receipt is None and "no receipt" in answer.reason
    memory.notes.add(NoteText("The stork is another."))
    memory.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_store_is_still_read(project: Path) -> None:
    """In a folder that cannot be written, recall and search work."""
    from ibid.engine.keep.notes import NoteText
    from ibid.engine.model import SearchRequest

    memory = open_memory(str(project))
    memory.notes.add(NoteText("The queue is called heron."))
    folder = Path(memory.project.folder)
    memory.store.checkpoint()
    memory.close()
    folder.chmod(0o500)
    try:
        again = open_memory(str(project))
        assert again.store.read_only
        assert again.search(SearchRequest("heron")).total == 1
        again.close()
    finally:
        folder.chmod(0o700)


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"This is no database at all, not even a little. " * 100,
        b"SQLite format 3\x00" + b"\x00" * 4000,
    ],
)
def test_a_damaged_store_is_set_aside(project: Path, damage: bytes) -> None:
    """The file is kept aside, the person is told, and memory goes on (C9)."""
    from ibid.engine.keep.notes import NoteText
    from ibid.store.backup import write_backup

    memory = open_memory(str(project))
    memory.notes.add(NoteText("The queue is called heron."))
    memory.store.checkpoint()
    database = Path(memory.project.database)
    write_backup(str(database), START)
    memory.close()
    open_memory(str(project)).close()
    for name in database.parent.glob("ibid.db-*"):
        name.unlink()
    database.write_bytes(damage)
    done = run(project, "note", "list")
    assert done.returncode == 0, done.stderr
    assert [one["text"] for one in json.loads(done.stdout)] == [
        "The queue is called heron."
    ]
    assert b"set aside" in done.stderr
    assert list(database.parent.glob("corrupt-*"))


def test_a_store_of_a_newer_ibid_is_left_alone(project: Path) -> None:
    """The message says to update; nothing is changed."""
    memory = open_memory(str(project))
    with memory.store.write() as connection:
        connection.execute("PRAGMA user_version = 99")
    memory.close()
    done = run(project, "note", "list")
    assert done.returncode == 1
    assert b"newer Ibid" in done.stderr


class Server:
    """A language server started as an editor starts it."""

    def __init__(self, project: Path, **options: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "ibid", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        folder = {"uri": project.as_uri(), "name": "project"}
        self.number = 0
        params = {
            "processId": os.getpid(),
            "capabilities": {},
            "workspaceFolders": [folder],
            "initializationOptions": options,
        }
        self.request("initialize", params)
        self._send({"method": "initialized", "params": {}})

    def request(self, method: str, params: Any) -> Any:
        """Send a request and return its result."""
        self.number += 1
        self._send({"id": self.number, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == self.number and "method" not in message:
                return message.get("result", message.get("error"))

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            length = int(line.split(b":")[1]) if b"Length" in line else length
        found: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return found

    def close(self) -> None:
        """End it whatever its state."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None and not pipe.closed:
                with suppress(BrokenPipeError):
                    pipe.close()


@pytest.fixture
def servers() -> Iterator[list[Server]]:
    """Servers that are ended after the test."""
    made: list[Server] = []
    yield made
    for server in made:
        server.close()


def wait_for(condition: Any, seconds: float = 20.0) -> None:
    """Wait until ``condition`` holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.05)


def test_a_finished_turn_reaches_memory_while_it_is_watched(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, servers: Any
) -> None:
    """A transcript that an agent writes is followed; another window sees it."""
    config = tmp_path / "claude"
    folder = config / "projects" / "-project"
    folder.mkdir(parents=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(config))
    servers += [Server(project), Server(project)]
    name = "0a0a0a0a-0000-4000-8000-000000000001"
    # Whole seconds, and not before the servers first saw the project.
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 1))
    common = {
        "sessionId": name,
        "cwd": str(project),
        "version": "2.1.210",
        "isSidechain": False,
        "userType": "external",
        "timestamp": stamp,
    }
    records = [
        {"type": "user", "uuid": "u1", "parentUuid": None,
         "message": {"role": "user", "content": "Never push to the release branch."}},
        {"type": "assistant", "uuid": "u2", "parentUuid": "u1",
         "message": {"id": "m1", "role": "assistant", "model": "x",
                     "content": [{"type": "text", "text": "I will not."}]}},
        {"type": "system", "subtype": "turn_duration", "uuid": "u3",
         "parentUuid": "u2", "durationMs": 9},
    ]  # fmt: skip
    with (folder / f"{name}.jsonl").open("w") as file:
        for record in records:
            file.write(json.dumps({**record, **common}) + "\n")
            file.flush()
    for server in servers:
        wait_for(lambda s=server: s.request("ibid/status", {})["candidates"] == 1)
    queue = servers[1].request("ibid/candidate/list", {})["candidates"]
    assert [one["waits"] for one in queue] == ["settling"]


def test_a_killed_server_leaves_nothing_behind(project: Path, servers: Any) -> None:
    """Its lease runs out, its store is sound, the next server serves."""
    first = Server(project, watch=False)
    servers.append(first)
    first.request("ibid/note/add", {"text": "The queue is called heron."})
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    second = Server(project, watch=False)
    servers.append(second)
    notes = second.request("ibid/note/list", {})["notes"]
    assert [one["text"] for one in notes] == ["The queue is called heron."]
    assert second.request("ibid/verify", {})["ok"]


def test_a_server_leaves_with_its_editor(project: Path, servers: Any) -> None:
    """The end of the editor's pipe is the end of the server."""
    server = Server(project)
    servers.append(server)
    assert server.process.stdin is not None
    server.process.stdin.close()
    wait_for(lambda: server.process.poll() is not None)


def test_ten_thousand_notes_stay_pageable(memory: Memory, clock: FixedClock) -> None:
    """Lists come in pages with their total; nothing asks for all at once."""
    from ibid.engine import index
    from ibid.store.memories import NewMemory, add_memory

    with memory.store.write() as connection:
        for number in range(10_000):
            text = f"Service number {number} is called heron {number * 3}."
            row = add_memory(
                connection,
                NewMemory(
                    memory.ids.new("n"), 1, "fact", text, 0.9, "automatic", number
                ),
            )
            index.index_memory(connection, row, text)
    views, total = memory.notes.page(Page(limit=50, offset=9_990))
    assert (len(views), total) == (10, 10_000)
    from ibid.engine.model import SearchRequest

    found = memory.search(SearchRequest("service 7777", ("L1",), limit=5))
    assert found.hits[0].text.startswith("Service number 7777 ")
