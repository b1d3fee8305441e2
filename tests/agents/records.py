"""Builds synthetic transcripts: Claude-like records of several versions, as bytes.

`Log` links records as the agent does: each names its parent, its session and its time.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ibid.agents.events import Batch, Event

SESSION = "11111111-2222-4333-8444-555555555555"
OTHER = "99999999-2222-4333-8444-555555555555"
FOLDER = Path("/home/eva/.claude/projects/-srv-shop")
MAIN = FOLDER / f"{SESSION}.jsonl"
CWD = "/srv/shop"
START = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)

OLD = "1.0.98"  # Subagents inline, no marks.
ARROW = "2.1.39"  # Progress records, arrow after line numbers, silent queue.
TAB = "2.1.119"  # Attachments, tab after line numbers, origins.
NEW = "2.1.270"  # Reasons of removals, sources of prompts, denial kinds.


def encode(*records: Any) -> bytes:
    """Return one line a record."""
    return b"".join(
        json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
        for record in records
    )


class Log:
    """A transcript in the making."""

    def __init__(
        self, version: str = TAB, session: str = SESSION, scope: str = ""
    ) -> None:
        self.version = version
        self.session = session
        self.scope = scope
        self.records: list[dict[str, Any]] = []
        self.parent: str | None = None
        self.cwd = CWD
        self.now = START
        self._count = 0
        self._message = 0

    def data(self) -> bytes:
        """Return the whole file."""
        return encode(*self.records)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

    def stamp(self) -> str:
        """Return the present moment as the agent writes it."""
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def new_id(self) -> str:
        """Return an id as the agent makes them: different from its first part on."""
        self._count += 1
        return f"{self._count:08x}-{self._count:04x}-4000-8000-{self._count:012x}"

    def add(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Append a record of the conversation, linked to the one before."""
        record: dict[str, Any] = {
            "parentUuid": self.parent,
            "isSidechain": bool(self.scope),
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": self.version,
            "gitBranch": "main",
            "type": kind,
            "uuid": self.new_id(),
            "timestamp": self.stamp(),
        }
        if self.scope:
            record["agentId"] = self.scope
        record |= fields
        self.records.append(record)
        self.parent = record["uuid"]
        self.now += timedelta(seconds=5)
        return record

    def bare(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Append a state record, which has no place in the conversation."""
        record = {"type": kind, "sessionId": self.session, **fields}
        self.records.append(record)
        return record

    def user(self, content: Any, **fields: Any) -> dict[str, Any]:
        """Append a user record: a text or blocks."""
        return self.add("user", message={"role": "user", "content": content}, **fields)

    def answer(self, *blocks: Any, **fields: Any) -> list[dict[str, Any]]:
        """Append one message of the agent, a record for each block."""
        self._message += 1
        message = {
            "id": f"msg_{self._message}",
            "model": "model-x",
            "role": "assistant",
            "stop_reason": fields.pop("stop_reason", None),
            "usage": {
                "input_tokens": 3,
                "output_tokens": 7,
                "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 20,
            },
        } | fields.pop("message", {})
        return [
            self.add(
                "assistant",
                message=message
                | {
                    "content": [
                        {"type": "text", "text": block}
                        if isinstance(block, str)
                        else block
                    ]
                },
                **fields,
            )
            for block in blocks
        ]

    def call(self, key: str, name: str, /, **given: Any) -> dict[str, Any]:
        """Append a message that calls one tool."""
        block = {"type": "tool_use", "id": key, "name": name, "input": given}
        return self.answer(block)[0]

    def result(
        self, key: str, content: Any, detail: Any = None, **fields: Any
    ) -> dict[str, Any]:
        """Append the result of a call; ``detail`` is the client's structured copy."""
        block = {"type": "tool_result", "tool_use_id": key, "content": content}
        if fields.pop("error", False):
            block["is_error"] = True
        if detail is not None:
            fields["toolUseResult"] = detail
        return self.user([block], **fields)

    def tool(
        self, key: str, name: str, content: Any, detail: Any = None, /, **given: Any
    ) -> None:
        """Append a call and its result."""
        self.call(key, name, **given)
        self.result(key, content, detail)

    def system(self, subtype: str, **fields: Any) -> dict[str, Any]:
        """Append a record of the harness."""
        return self.add("system", subtype=subtype, **fields)

    def attachment(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Append what the harness injects."""
        return self.add("attachment", attachment={"type": kind, **fields})

    def hook_progress(self, name: str, count: int = 1) -> None:
        """Append the progress records that older versions write for hooks."""
        for _ in range(count):
            data = {
                "type": "hook_progress",
                "hookEvent": name.partition(":")[0],
                "hookName": name,
            }
            self.add("progress", data=data)

    def queue(self, operation: str, **fields: Any) -> dict[str, Any]:
        """Append an operation on the queue of prompts."""
        return self.bare(
            "queue-operation", operation=operation, timestamp=self.stamp(), **fields
        )

    def compact(self, summary: str, trigger: str = "auto") -> None:
        """Append a compaction: its boundary and its summary."""
        old, self.parent = self.parent, None
        self.system(
            "compact_boundary",
            logicalParentUuid=old,
            compactMetadata={"trigger": trigger, "preTokens": 150_000},
        )
        self.user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)


def read(agent: Any, data: bytes, path: Path = MAIN) -> Batch:
    """Return what a fresh reader makes of a whole file."""
    batch: Batch = agent.reader(path, None).feed(data, 0)
    return batch


def read_in_pieces(
    agent: Any, data: bytes, cuts: Iterable[int], path: Path = MAIN
) -> tuple[list[Event], int, dict[str, int]]:
    """Return the same, fed in pieces; each piece has a new reader with a JSON state."""
    found: list[Event] = []
    skipped = 0
    unknown: dict[str, int] = {}
    state: str | None = None
    offset = 0
    for end in [*sorted(cuts), len(data)]:
        reader = agent.reader(path, None if state is None else json.loads(state))
        batch = reader.feed(data[offset:end], offset)
        offset += batch.consumed
        found += batch.events
        skipped += batch.skipped
        for kind, count in batch.unknown.items():
            unknown[kind] = unknown.get(kind, 0) + count
        state = json.dumps(reader.state())
    return found, skipped, unknown


def of(batch: Batch, kind: type) -> list[Any]:
    """Return the events of one kind, in order."""
    return [event for event in batch.events if type(event) is kind]


def numbered(text: str, version: str = TAB, first: int = 1) -> str:
    """Return ``text`` as a version of the agent shows it to the model."""
    lines = enumerate(text.split("\n"), first)
    if version in {OLD, ARROW}:
        return "\n".join(f"{number:>6}→{line}" for number, line in lines)
    return "\n".join(f"{number}\t{line}" for number, line in lines)
