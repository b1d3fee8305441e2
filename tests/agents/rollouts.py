"""Builds synthetic rollouts: Codex-like records of several versions, as bytes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from records import encode

START = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)
CWD = "/srv/shop"

OLD = "0.39.0"  # No marks of turns, outputs in JSON, structured commands missing.
MID = "0.118.0"  # Marks with turn ids, outputs with a header.
NEW = "0.150.0"  # Ordinals, session ids, histories of subagents.


def uuid7(seconds: float, number: int = 1) -> str:
    """Return a time-sorted id made that many seconds after the start."""
    millis = int((START + timedelta(seconds=seconds)).timestamp() * 1000)
    text = f"{millis:012x}"
    return f"{text[:8]}-{text[8:]}-7000-8000-{number:012x}"


THREAD = uuid7(0)
PATH = Path(
    f"/home/eva/.codex/sessions/2026/05/06/rollout-2026-05-06T09-08-09-{THREAD}.jsonl"
)


class Rollout:
    """A rollout in the making."""

    def __init__(self, version: str = MID, thread: str = THREAD) -> None:
        self.version = version
        self.thread = thread
        self.records: list[dict[str, Any]] = []
        self.now = START
        self.turn = ""
        self._count = 0
        self._spent = 0

    def data(self) -> bytes:
        """Return the whole file."""
        return encode(*self.records)

    def add(self, kind: str, payload: dict[str, Any]) -> None:
        """Append a record."""
        stamp = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        record: dict[str, Any] = {"timestamp": stamp}
        if self.version == NEW:
            record["ordinal"] = len(self.records)
        self.records.append(record | {"type": kind, "payload": payload})
        self.now += timedelta(seconds=3)

    def event(self, kind: str, **fields: Any) -> None:
        """Append what the client showed."""
        self.add("event_msg", {"type": kind, **fields})

    def item(self, kind: str, **fields: Any) -> None:
        """Append what the model saw."""
        self.add("response_item", {"type": kind, **fields})

    def meta(self, thread: str = "", **fields: Any) -> None:
        """Append the line that tells of a thread."""
        stamp = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        payload = {
            "id": thread or self.thread,
            "timestamp": stamp,
            "cwd": CWD,
            "originator": "codex-tui",
            "cli_version": self.version,
            "source": "cli",
            "git": {"branch": "main"},
        }
        self.add("session_meta", payload | fields)

    def message(self, role: str, *texts: str, **fields: Any) -> None:
        """Append a message of the model's conversation."""
        kind = "output_text" if role == "assistant" else "input_text"
        content = [{"type": kind, "text": text} for text in texts]
        self.item("message", role=role, content=content, **fields)

    def begin(self, turn: str = "") -> None:
        """Mark that a turn begins, where the version does."""
        if self.version == OLD:
            self.add("turn_context", {"cwd": CWD, "model": "model-x"})
            return
        self._count += 1
        seconds = (self.now - START).total_seconds()
        self.turn = turn or uuid7(seconds, self._count)
        self.event("task_started", turn_id=self.turn)
        context = {"turn_id": self.turn, "cwd": CWD, "model": "model-x"}
        self.add("turn_context", context)

    def ask(self, text: str, sent: str = "", **fields: Any) -> None:
        """Append a person's words, as the model and the client have them."""
        self.message("user", sent or text)
        self.event("user_message", message=text, **fields)

    def answer(self, text: str) -> None:
        """Append the agent's words, twice as it does."""
        self.event("agent_message", message=text)
        self.message("assistant", text)

    def end(self, last: str | None = "Done.") -> None:
        """Mark that the turn is over, where the version does."""
        if self.version != OLD:
            self.event("task_complete", turn_id=self.turn, last_agent_message=last)

    def call(self, key: str, name: str, /, **given: Any) -> None:
        """Append a call of a function."""
        arguments = json.dumps(given)
        self.item("function_call", name=name, arguments=arguments, call_id=key)

    def output(self, key: str, output: Any, kind: str = "function_call") -> None:
        """Append what a call gave back."""
        self.item(f"{kind}_output", call_id=key, output=output)

    def run(self, key: str, script: str, output: str, code: int = 0) -> None:
        """Append a command and its output, as the version writes them."""
        if self.version == OLD:
            self.call(key, "shell", command=["bash", "-lc", script])
            body = {"output": output, "metadata": {"exit_code": code}}
            self.output(key, json.dumps(body))
            return
        self.call(key, "exec_command", cmd=script, workdir=CWD)
        self.event("exec_command_end", call_id=key, cwd=CWD, exit_code=code)
        head = "Chunk ID: 1f\nWall time: 0.1 seconds\n"
        head += f"Process exited with code {code}\nOriginal token count: 9\nOutput:\n"
        self.output(key, head + output)

    def patch(self, key: str, patch: str, output: str = "Success. Updated") -> None:
        """Append a patch and what came of it."""
        self.item("custom_tool_call", name="apply_patch", input=patch, call_id=key)
        self.event("patch_apply_end", call_id=key, success=True, changes={})
        self.output(key, output, "custom_tool_call")

    def tokens(self, used: int, cached: int = 0, output: int = 1) -> None:
        """Append the tokens of a request, which are added to the sum."""
        self._spent += used + output
        last = {
            "input_tokens": used,
            "cached_input_tokens": cached,
            "output_tokens": output,
        }
        info = {
            "total_token_usage": {"total_tokens": self._spent},
            "last_token_usage": last,
        }
        self.event("token_count", info=info)
