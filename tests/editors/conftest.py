"""A real VS Code for the tests of this folder: installed, packed and started once."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .workbench import ROOT, MissingEditorError, Workbench, ensure_editor, ensure_vsix

if TYPE_CHECKING:
    from collections.abc import Iterator

UPLOAD = '''\
"""Uploads, and what happens when the line drops."""


def backoff(attempt: int) -> float:
    """Return the seconds to wait before an attempt."""
    return min(60.0, 2.0**attempt)


class Uploader:
    """Sends files in parts."""

    def send(self, name: str) -> None:
        """Send one file."""
        print(name, backoff(1))
'''


class Orders:
    """What the fake server is told to do, from the next request on."""

    def __init__(self, path: Path) -> None:
        """Keep the orders in the file at ``path``."""
        self.path = path
        self.give()

    def give(self, **orders: Any) -> None:
        """Replace all orders."""
        self.path.write_text(json.dumps(orders), encoding="utf-8")


class Memory:
    """A project with a memory of its own, filled by the command line."""

    def __init__(self, home: Path) -> None:
        """Make an empty project and a command that serves its memory."""
        self.home = home
        self.folder = home / "shop"
        self.command = home / "bin" / "ibid"
        self._environment = {
            "HOME": str(home),
            "IBID_HOME": str(home / "ibid"),
            "PYTHONPATH": str(ROOT / "server"),
        }
        (self.folder / "src").mkdir(parents=True)
        (self.folder / "src" / "upload.py").write_text(UPLOAD, encoding="utf-8")
        self._pid = home / "server.pid"
        server = [sys.executable, "-m", "ibid"]
        write_command(self.command, server, self._environment, self._pid)

    def server_pid(self) -> int:
        """Return the process that the editor started last."""
        return int(self._pid.read_text(encoding="utf-8"))

    def run(self, *args: str) -> Any:
        """Run the command line in the project and return its JSON."""
        done = subprocess.run(
            [sys.executable, "-m", "ibid", *args, "--json"],
            cwd=self.folder,
            env={**os.environ, **self._environment},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout or "null")

    def say(self, session: str, *turns: tuple[str, str]) -> None:
        """Import a session of completed turns, each a prompt and its answer."""
        self.tell(session, list(_events(session, str(self.folder), turns)))

    def see(self, session: str, prompt: str, *did: dict[str, Any]) -> None:
        """Import a session of one turn in which an agent read or ran things."""
        now = datetime.now(UTC).isoformat()
        first, asked, *rest = _events(session, str(self.folder), ((prompt, "Done."),))
        fields = {"session": session, "at": now, "scope": ""}
        done = [
            {**fields, "id": f"{session}-{at}", **one} for at, one in enumerate(did)
        ]
        self.tell(session, [first, asked, *done, *rest])

    def tell(self, session: str, events: list[dict[str, Any]]) -> None:
        """Import a session of neutral events."""
        path = self.home / f"{session}.ibid.jsonl"
        lines = "".join(json.dumps(event) + "\n" for event in events)
        path.write_text(lines, encoding="utf-8")
        self.run("import", str(path))


def _events(
    session: str, cwd: str, turns: tuple[tuple[str, str], ...]
) -> Iterator[dict[str, Any]]:
    at = datetime.now(UTC)

    def event(kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "session": session, "at": at.isoformat(), **fields}

    yield event("session", agent="claude-code", cwd=cwd)
    for number, (prompt, said) in enumerate(turns):
        at += timedelta(milliseconds=10)
        yield event("prompt", text=prompt, id=f"{session}-p{number}")
        at += timedelta(milliseconds=10)
        yield event("answer", text=said, id=f"{session}-a{number}")
        yield event("turn", status="completed")


def write_command(
    path: Path,
    command: list[str],
    environment: dict[str, str],
    pid: Path = Path(os.devnull),
) -> None:
    """Write an executable that notes its process and becomes ``command``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    given = [f"{name}={value}" for name, value in environment.items()]
    line = shlex.join(["env", *given, *command])
    note = f"echo $$ > {shlex.quote(str(pid))}"
    path.write_text(f'#!/bin/sh\n{note}\nexec {line} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture(scope="session")
def editor() -> Path:
    """Return where the real editor is, or skip with what is missing."""
    try:
        return ensure_editor()
    except MissingEditorError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def vsix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the extension, packed from its source."""
    try:
        return ensure_vsix(tmp_path_factory.mktemp("vsix"))
    except MissingEditorError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Orders:
    """Return the orders of the fake server."""
    return Orders(tmp_path_factory.mktemp("orders") / "orders.json")


@pytest.fixture(scope="module")
def faulty(
    editor: Path, vsix: Path, orders: Orders, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workbench]:
    """Start a workbench whose server does as it is ordered."""
    home = tmp_path_factory.mktemp("faulty")
    server = home / "bin" / "ibid"
    fake = [sys.executable, str(Path(__file__).parent / "fake_server.py")]
    write_command(server, fake, {"IBID_FAKE_ORDERS": str(orders.path)})
    (home / "shop").mkdir()
    bench = Workbench(editor, vsix, home, server)
    yield bench
    bench.close()


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """Return a project with a session, notes and a receipt in its memory."""
    memory = Memory(tmp_path_factory.mktemp("memory"))
    memory.run("note", "list")  # From now on the project is known: nothing is history.
    memory.say(
        "red",
        ("tests are red again, please look", "The fixture was missing."),
        ("Never log request bodies in payments/.", "Understood."),
        ("We decided to keep the ledger in Postgres.", "Noted."),
    )
    memory.run(
        "note", "add", "Retry limit is 3 for all outbound calls.",
        "--category", "decision", "--path", "src/upload.py", "--symbol", "backoff",
    )  # fmt: skip
    memory.run(
        "recall", "what is the retry limit for outbound calls", "--session", "blue"
    )
    return memory


@pytest.fixture(scope="module")
def bench(
    editor: Path, vsix: Path, memory: Memory, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workbench]:
    """Start a workbench on that project with the real server."""
    bench = Workbench(editor, vsix, tmp_path_factory.mktemp("bench"), memory.command)
    yield bench
    bench.close()
