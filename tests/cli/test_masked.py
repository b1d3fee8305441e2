"""What agents call things is shown masked, on every exit (E1)."""

from __future__ import annotations

import itertools
import json
import secrets
from pathlib import Path
from typing import Any

import pytest

from ibid.agents import events as e
from ibid.engine.memory import Memory
from ibid.engine.model import FixedClock

#: Columns that hold what agents, tools and people named, as it came.
NAMED = {
    "session": ("title", "branch", "agent_version"),
    "archive": ("title",),
    "tool": ("title", "name"),
    "epoch": ("reason",),
    "usage": ("model",),
    "claim": ("path",),
    "memory": ("reason", "tags"),
    "anchor": ("path", "symbol"),
    "candidate": ("reason", "signal"),
    "shown": ("path",),
    "running": ("reason",),
}
EXITS = [
    ("session", "list"),
    ("session", "delete", "s1"),
    ("note", "list"),
    ("note", "show", "{note}"),
    ("search", "parcel"),
    ("recall", "weigh every parcel"),
    ("receipts",),
    ("report",),
    ("handoff", "--session", "s1"),
    ("expand", "#1"),
    ("review", "list"),
    ("doctor",),
    ("verify",),
]


@pytest.fixture
def token(memory: Memory, clock: FixedClock, project: Path) -> str:
    """A secret in every name that the memory holds."""
    token = "gh" + "p_" + secrets.token_hex(18)
    numbers = itertools.count()

    def head() -> e.Head:
        return e.Head("s1", clock.now(), f"n{next(numbers)}", "")

    memory.apply(
        "claude-code",
        [
            e.SessionSeen(head(), agent="claude-code", cwd=str(project), title="T"),
            e.Prompt(head(), "Always weigh every parcel before it is sent.", e.TYPED),
            e.Tool(head(), "Bash", {"command": "weigh"}, "parcel\n" * 900, kind="exec"),
            e.Read(head(), str(project / "a.py"), 1, 0, "parcel\n" * 90),
            e.Answer(head(), "Every parcel is weighed.", "model", ""),
            e.TurnEnded(head(), e.COMPLETED),
        ],
    )
    with memory.store.write() as connection:
        for table, columns in NAMED.items():
            for column in columns:
                value = f'["{token}"]' if column == "tags" else f"x {token}"
                connection.execute(
                    f"UPDATE OR IGNORE {table} SET {column} = ?", (value,)
                )
    return token


def test_no_exit_shows_it(ibid: Any, memory: Memory, token: str) -> None:
    """Neither what people read nor the objects hold a secret that a name holds."""
    sql = "SELECT key FROM memory WHERE active = 1"
    note = memory.store.read().execute(sql).fetchone()[0]
    told = []
    for words in EXITS:
        asked = [word.format(note=note) for word in words]
        for form in ((), ("--json",)):
            done = ibid(*form, *asked, status=None)
            told += [(*form, *words)] if token in done.output else []
    assert told == []


def test_a_file_is_named_masked_and_opens_by_its_path(
    ibid: Any, memory: Memory, project: Path
) -> None:
    """``name`` is shown of a file, ``path`` opens it; a stub names it masked too."""
    token = "gh" + "p_" + secrets.token_hex(18)
    path = project / f"{token}.py"
    path.write_text("parcel = 1\n" * 90)
    ibid("read", str(path), "--session", "first")
    again = ibid("read", str(path), "--session", "first").stdout
    assert again.startswith("[unchanged] [redacted:github-token].py 1-90")
    (row,) = json.loads(ibid("--json", "reads").stdout)["files"]
    assert row["name"] == "[redacted:github-token].py"
    assert Path(row["path"]) == path
    history = json.loads(ibid("--json", "reads", row["path"]).stdout)
    assert (history["name"], history["sessions"]) == (row["name"], 1)


def test_a_claim_is_kept_masked_and_released_by_its_path(memory: Memory) -> None:
    """Others read whose a path is, never the secret in its name (O4)."""
    head = e.Head("s1", memory.clock.now(), "n", "")
    memory.apply("claude-code", [e.SessionSeen(head, agent="claude-code")])
    token = "gh" + "p_" + secrets.token_hex(18)
    (claim,) = memory.parallel.claim("s1", [f"src/{token}.py"])
    assert claim.path == "src/[redacted:github-token].py"
    assert memory.parallel.release("s1", [f"src/{token}.py"]) == []
