"""What a hook call imports, for its 60 ms are mostly imports (R3)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory, open_memory
from ibid.store import includes

HEAVY = {
    *("pygls", "lsprotocol", "sqlite_utils", "watchdog", "pydantic", "numpy", "mcp"),
    *("click", "rich", "msgspec", "attrs", "cattrs", "anyio", "asyncio", "socket"),
    *("logging", "pathlib", "dataclasses", "hashlib", "subprocess", "tree_sitter"),
    *("zstandard", "random", "difflib", "inspect"),
}
# What of ours a call that recalls needs not.
OURS = (
    "ibid.text.signals",
    "ibid.text.meaning",
    "ibid.text.redact_shapes",
    "ibid.engine.learn",
    "ibid.engine.keep.notes",
    "ibid.store.backup",
    "ibid.store.restore",
    "ibid.duties",
)


def loaded(project: Path, event: str, **told: str) -> set[str]:
    """Return the modules that one call had loaded when it was over."""
    code = (
        "import sys, os; leave = os._exit\n"
        "def tell(status):\n"
        "    os.write(2, ' '.join(sys.modules).encode()); leave(status)\n"
        "os._exit = tell; sys.argv[1:] = ['hook', 'claude-code']\n"
        "import runpy; before = set(sys.modules)\n"
        "from ibid.__main__ import main; main()\n"
    )
    given = {"session_id": "s1", "hook_event_name": event, "cwd": str(project), **told}
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ,
    )
    assert bool(done.stdout) == (event != "PreCompact")
    return set(done.stderr.split())


@pytest.mark.parametrize(
    ("event", "told"),
    [
        ("UserPromptSubmit", {"prompt": "Write a migration for the ledger"}),
        ("SessionStart", {"source": "startup"}),
        ("SubagentStart", {"agent_id": "a1"}),
        ("PreCompact", {"trigger": "auto"}),
    ],
)
def test_a_call_loads_nothing_heavy(
    memory: Memory, project: Path, event: str, told: dict[str, str]
) -> None:
    """Neither a heavy library nor a part of ours that the call has no use for."""
    memory.notes.add(NoteText("Migrations of the ledger are reversible.", pinned=True))
    memory.close()
    names = loaded(project, event, **told)
    assert "ibid.engine.memory" in names
    assert {name.split(".")[0] for name in names} & HEAVY == set()
    assert [name for name in names if name.startswith(OURS)] == []


def test_listed_projects_cost_only_who_listed_some(
    memory: Memory, project: Path, tmp_path: Path
) -> None:
    """Without a list nothing of it is loaded; with one nothing heavy is (S2)."""
    memory.notes.add(NoteText("Migrations of the ledger are reversible.", pinned=True))
    folder = tmp_path / "shop"
    folder.mkdir()
    open_memory(str(folder)).close()
    prompt = {"prompt": "Write a migration for the ledger"}
    crossing = {"ibid.engine.recall.crossing", "ibid.store.includes"}
    assert loaded(project, "UserPromptSubmit", **prompt) & crossing == set()
    includes.change(memory.home, memory.project, "shop", on=True)
    prompt["session_id"] = "s2"
    names = loaded(project, "UserPromptSubmit", **prompt)
    assert names >= crossing
    assert {name.split(".")[0] for name in names} & HEAVY == set()


def test_records_defined_quickly_are_the_same_records() -> None:
    """A hook's named tuples behave like `typing.NamedTuple`'s (R3)."""
    code = """
import typing
from ibid.faces.hooks import quick
class Plain(typing.NamedTuple):
    a: int
    b: str = "x"
quick.install()
class Quick(typing.NamedTuple):
    'A record.'
    a: int
    b: str = "x"
    def both(self):
        return self.a, self.b
one, other = Quick(1), Plain(1)
assert one == other == (1, "x") and hash(one) == hash(other)
assert one._replace(b="y") == other._replace(b="y") == Quick(a=1, b="y")
assert one._asdict() == other._asdict() and Quick._fields == Plain._fields
assert Quick._make([3, "z"]).both() == (3, "z")
assert repr(one) == "Quick(a=1, b='x')" and Quick.__doc__ == "A record."
match one:
    case Quick(a, b):
        assert (a, b) == (1, "x")
for wrong in (lambda: Quick(), lambda: Quick(1, c=2), lambda: Quick(1, "x", 3),
              lambda: one._replace(c=1), lambda: Quick._make([1])):
    try:
        wrong()
    except (TypeError, ValueError):
        continue
    raise AssertionError
a, b = Quick(2)
assert isinstance(one, tuple) and one.a == 1 and one[1] == "x"
try:
    one.a = 3
except AttributeError:
    pass
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)
