"""What a hook call costs, over a bare start of Python, on a store of 100,000 turns.

    python benchmarks/hook.py [--turns N] [--runs N] [--json]

The store is made of invented words by Zipf's law: sessions of 100 turns with a prompt
and an answer each, notes, episodes and reads.  Each run starts ``python -I -S -c
pass``, ``python -c pass`` and the hook one after the other, so that whatever else the
machine does hits all three.  Figures are processor time of the child (user and system)
in milliseconds; *over bare* is the median of the differences to ``python -c pass``.
Bytecode is cached, as it is where a package is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "server"))

from ibid.engine import index
from ibid.engine.memory import Memory, open_memory
from ibid.store import memories, search
from ibid.store.tables import MESSAGE_BITS
from ibid.text.stems import index_terms
from search_scale import Language

TURNS_A_SESSION = 100
NOTES = 400
EPISODES = 300
READS = 20_000
NOW = 1_775_131_200_000
LIMIT = 60.0


def build(memory: Memory, turns: int) -> list[str]:
    """Fill the store; return prompts that have something to find."""
    chance = random.Random(turns)
    language = Language(chance)
    count = max(1, turns // TURNS_A_SESSION)
    prompts: list[str] = []
    for session in range(1, count + 1):
        topic = language.draw(30) + chance.sample(language.words[2000:], 10)
        at = NOW - (count - session) * 3_600_000
        with memory.store.write() as connection:
            connection.execute(
                "INSERT INTO session (id, agent, native, role, cwd, started, last)"
                " VALUES (?, 'claude-code', ?, 'claude-code', ?, ?, ?)",
                (session, f"session-{session}", memory.project.path, at, at),
            )
            for turn in range(1, TURNS_A_SESSION + 1):
                asked = language.message(topic)
                _turn(connection, (session, turn, at), asked, language.message(topic))
            prompts.append(" ".join(asked.split()[:14]))
    with memory.store.write() as connection:
        for number in range(NOTES + EPISODES):
            text = language.message(language.draw(20))
            new = memories.NewMemory(
                key=memory.ids.new("n"),
                layer=1 if number < NOTES else 2,
                category="fact" if number < NOTES else "episode",
                text=" ".join(text.split()[:18]),
                request="" if number < NOTES else " ".join(text.split()[:9]),
                confidence=0.9,
                origin="automatic",
                at=NOW,
                pinned=number < 4,
            )
            row = memories.add_memory(connection, new)
            index.index_memory(connection, row, text)
        _reads(connection, memory.project.path, count, chance)
    return prompts


def _turn(connection, place, asked: str, answered: str) -> None:
    session, turn, at = place
    number = (session - 1) * TURNS_A_SESSION + turn
    connection.execute(
        "INSERT INTO turn (id, session, number, native, state, at, ended)"
        " VALUES (?, ?, ?, ?, 'completed', ?, ?)",
        (number, session, turn, f"t{number}", at, at),
    )
    for role, text, offset in (("person", asked, 1), ("agent", answered, 2)):
        row = session << MESSAGE_BITS | (2 * turn + offset)
        found = index_terms(text)
        voice = "typed" if role == "person" else ""
        connection.execute(
            "INSERT INTO message (id, session, turn, role, voice, text, at, native,"
            " length) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (row, session, number, role, voice, text, at, f"m{row}", len(found)),
        )
        search.ensure_terms(connection, search.MESSAGES, row, found)


def _reads(connection, root: str, sessions: int, chance: random.Random) -> None:
    paths = [Path(root, f"src/part{number}.py") for number in range(200)]
    paths[0].parent.mkdir(exist_ok=True)
    for path in paths:
        path.write_text(f"# {path.name}\n" * 40)
    for number in range(READS):
        connection.execute(
            "INSERT INTO shown (session, scope, epoch, path, first, last, total,"
            " fingerprint, native, tokens, at) VALUES (?, '', 0, ?, 1, 40, 40, ?, ?,"
            " 100, ?)",
            (
                chance.randint(1, sessions),
                str(chance.choice(paths)),
                f"b3:{number}",
                f"r{number}",
                NOW - chance.randint(0, 10**9),
            ),
        )


def cpu(command: list[str], given: bytes = b"") -> float:
    """Run a command; return the milliseconds of processor time it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return spent * 1000


def measure(folder: Path, prompts: list[str], runs: int) -> dict[str, dict[str, float]]:
    """Return the figures of each kind of call, paired with bare starts."""
    isolated = [sys.executable, "-I", "-S", "-c", "pass"]
    bare = [sys.executable, "-c", "pass"]
    hook = [sys.executable, "-m", "ibid", "hook", "claude-code"]
    calls = {
        "prompt": ("UserPromptSubmit", {}),
        "session start": ("SessionStart", {"source": "startup"}),
        "after compaction": ("SessionStart", {"source": "compact"}),
        "before compaction": ("PreCompact", {"trigger": "auto"}),
        "subagent": ("SubagentStart", {"agent_id": "a1", "agent_type": "Explore"}),
    }
    results = {}
    for name, (event, fields) in calls.items():
        times: list[tuple[float, float, float]] = []
        for run in range(runs + 1):
            told = {
                "hook_event_name": event,
                "session_id": f"bench-{name}-{run}",
                "cwd": str(folder),
                "prompt": prompts[run % len(prompts)],
                **fields,
            }
            data = json.dumps(told).encode()
            row = (cpu(isolated), cpu(bare), cpu(hook, data))
            if run:  # The first one fills caches.
                times.append(row)
        over = [hooked - plain for _, plain, hooked in times]
        results[name] = {
            "isolated": statistics.median(one[0] for one in times),
            "bare": statistics.median(one[1] for one in times),
            "hook": statistics.median(one[2] for one in times),
            "over bare": statistics.median(over),
            "least": min(over),
            "p90": sorted(over)[int(len(over) * 0.9)],
        }
    return results


def main() -> None:
    """Print the figures, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--keep", type=Path, help="Keep the store there, or use it.")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        base = given.keep or Path(made)
        folder = base / "project"
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["IBID_HOME"] = str(base / "home")
        os.environ["PYTHONPATH"] = str(Path(__file__).parents[1] / "server")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        kept = base / "prompts.json"
        if kept.exists():
            prompts = json.loads(kept.read_text())
        else:
            memory = open_memory(str(folder))
            prompts = build(memory, given.turns)
            memory.close()
            kept.write_text(json.dumps(prompts))
        results = measure(folder, prompts, given.runs)
    if given.json:
        print(json.dumps(results, indent=2))
        return
    for name, figures in results.items():
        shown = "  ".join(f"{key} {value:5.1f}" for key, value in figures.items())
        verdict = "" if figures["over bare"] <= LIMIT else f"  OVER {LIMIT:.0f}"
        print(f"{name:18} {shown}{verdict}")


if __name__ == "__main__":
    main()
