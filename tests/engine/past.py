"""A past for tests: writes sessions as neutral events, and replays them."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ibid.duties.importing import find_transcripts
from ibid.duties.replaying import Ground, ReplayRun
from ibid.engine.model import MINUTE
from ibid.engine.replay.log import Fact

# 2026-03-02 09:00 UTC.
BEGIN = 1_772_442_000_000

CODE = "".join(f"def step_{n}(parcel):\n    return parcel + {n}\n\n" for n in range(30))


def iso(at: int) -> str:
    """Return a moment in milliseconds as neutral events write it."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat()


class Past:
    """Records of several sessions; each call adds one at the present minute."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.project = project
        self.folder = folder
        self.now = BEGIN
        self.records: list[dict[str, Any]] = []

    def wait(self, minutes: float) -> None:
        """Let time pass."""
        self.now += round(minutes * MINUTE)

    def add(self, session: str, kind: str, **fields: Any) -> None:
        """Add a record, a second after the last one."""
        self.now += 1000
        name = f"{session}-{len(self.records)}"
        given = {"type": kind, "session": session, "at": iso(self.now), "id": name}
        self.records.append({**given, **fields})

    def begin(self, session: str, agent: str = "claude-code", **fields: Any) -> None:
        """Begin a session in the project."""
        self.add(session, "session", agent=agent, cwd=str(self.project), **fields)

    def ask(self, session: str, text: str) -> None:
        """Say something as the person."""
        self.add(session, "prompt", text=text)

    def answer(self, session: str, text: str = "Done.") -> None:
        """Let the agent answer, by one request, and end the turn."""
        self.add(session, "usage", input=10, output=10)
        self.add(session, "answer", text=text)
        self.add(session, "turn", status="completed")

    def turn(self, session: str, text: str, answer: str = "Done.") -> None:
        """Add a whole turn."""
        self.ask(session, text)
        self.answer(session, answer)

    def read(self, session: str, path: str, text: str = CODE, **fields: Any) -> None:
        """Let the session read a whole file, as an agent shows its lines."""
        lines = text.removesuffix("\n")
        count = lines.count("\n") + 1
        given = {"first": 1, "last": count, "total": count, "text": lines, **fields}
        self.add(session, "read", path=path, **given)

    def run(self, session: str, command: str, output: str) -> None:
        """Let the session run a command."""
        given = {"command": command}
        self.add(session, "tool", name="Bash", input=given, output=output)

    def write(self, records: list[dict[str, Any]] | None = None) -> Path:
        """Write each session to a file of its own; return their folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        files: dict[str, list[str]] = defaultdict(list)
        for record in self.records if records is None else records:
            files[record.get("file", record["session"])].append(json.dumps(record))
        for name, lines in files.items():
            path = self.folder / f"{name}.ibid.jsonl"
            path.write_text("\n".join(lines) + "\n")
        return self.folder

    def replay(self, home: Path | None = None) -> ReplayRun:
        """Write and replay everything."""
        return replayed(self.write(), home)


def replayed(folder: Path, home: Path | None = None, owner: str = "") -> ReplayRun:
    """Replay all files of a folder."""
    ground = Ground(str(home or folder.parent / "no-home"), owner, "/elsewhere")
    run = ReplayRun(find_transcripts([folder]), ground)
    for _ in run.steps():
        pass
    return run


def of_kind(run: ReplayRun, kind: str, feature: str = "") -> list[Fact]:
    """Return the facts of a kind."""
    return [
        fact
        for fact in run.facts
        if fact.kind == kind and feature in ("", fact.feature)
    ]
