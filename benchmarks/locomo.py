"""Retrieval quality on LoCoMo conversations, beside plain FTS5 in the same run.

Usage: ``python benchmarks/locomo.py PATH [--json]``; PATH is a LoCoMo JSON file or a
folder of them.  The data is not part of this repository.

A question's evidence names the turns that answer it.  R@k is the share of them in the
first k hits, averaged over questions; S@k says whether any session with evidence is
among the first k sessions.  Turn figures are over categories 1 to 4 (multi-hop,
temporal, open-domain, single-hop), session figures over 1 to 5: questions of category
5 name the wrong speaker on purpose.  Some evidence is glued or misspelt in the data
(``D8:6; D9:17``, ``D:11:26``, ``D30:05``) and is read by a pattern.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "server"))

from ibid.engine.recall import rank
from ibid.engine.recall.terms import is_stop
from ibid.store import driver, search
from ibid.store.connection import Store
from ibid.store.schema import ensure_schema
from ibid.store.tables import MESSAGE_BITS
from ibid.text.stems import index_terms

DEPTH = 100  # Hits asked for.


class Turn(NamedTuple):
    """One utterance."""

    session: int
    speaker: str
    text: str
    at: int


class Question(NamedTuple):
    """A question and the turns, by index, that answer it."""

    text: str
    category: int
    evidence: tuple[int, ...]


class Conversation(NamedTuple):
    """One file of the data."""

    turns: list[Turn]
    questions: list[Question]


# From a question to turn indices, the best first.
Engine = Callable[[str], list[int]]


def load(path: Path) -> Conversation:
    """Read one conversation; captions of images belong to the text."""
    data = json.loads(path.read_text(encoding="utf-8"))
    turns: list[Turn] = []
    place: dict[tuple[int, int], int] = {}
    numbers = (re.fullmatch(r"session_(\d+)", key) for key in data)
    for number in sorted(int(found[1]) for found in numbers if found):
        at = _moment(data.get(f"session_{number}_date_time", ""))
        for raw in data[f"session_{number}"]:
            for one, two in _places(raw["dia_id"]):
                place[one, two] = len(turns)
            text = f"{raw['text']} {raw.get('blip_caption', '')}".strip()
            turns.append(Turn(number, raw["speaker"], text, at))
    questions = []
    for raw in data["qa"]:
        names = (name for one in raw.get("evidence", []) for name in _places(str(one)))
        found = dict.fromkeys(place[name] for name in names if name in place)
        if found:
            questions.append(Question(raw["question"], raw["category"], tuple(found)))
    return Conversation(turns, questions)


def _places(text: str) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in re.findall(r"D:?(\d+):0*(\d+)", text)]


def _moment(text: str) -> int:
    moment = datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    return int(moment.timestamp() * 1000)


# -- engines ----------------------------------------------------------------------


def plain_fts(turns: list[Turn], tokenizer: str, stop: bool) -> Engine:
    """Return SQLite's own ranking of an OR of the words, as an integrator writes it."""
    connection = driver.connect(":memory:")
    connection.execute(
        f"CREATE VIRTUAL TABLE f USING fts5 (body, tokenize='{tokenizer}')"
    )
    connection.executemany(
        "INSERT INTO f (rowid, body) VALUES (?, ?)",
        [(at, f"{turn.speaker}: {turn.text}") for at, turn in enumerate(turns)],
    )

    def ask(question: str) -> list[int]:
        words = re.findall(r"\w+", question.lower())
        if stop:
            words = [word for word in words if not is_stop(word, word)][:12] or words
        match = " OR ".join(f'"{word}"' for word in words)
        rows = connection.execute(
            "SELECT rowid FROM f WHERE f MATCH ? ORDER BY rank LIMIT ?", (match, DEPTH)
        )
        return [row[0] for row in rows]

    return ask


def ibid(folder: Path, turns: list[Turn], names: str = "author") -> Engine:
    """Return Ibid's own ranking; ``names``: author, text or role says who speaks."""
    store = Store(str(folder / f"{random.random()}.db"))
    ensure_schema(store)
    rows: dict[int, int] = {}
    with store.write() as connection:
        positions: dict[int, int] = defaultdict(int)
        first = turns[0].speaker
        for at, turn in enumerate(turns):
            positions[turn.session] += 1
            row = turn.session << MESSAGE_BITS | positions[turn.session]
            rows[row] = at
            author = turn.speaker if names == "author" else ""
            label = f"{turn.speaker}: " if names == "text" else ""
            role = "person" if turn.speaker == first else "agent"
            _add(
                connection,
                row,
                role,
                turn._replace(text=label + turn.text, speaker=author),
            )
    reader = store.read()

    def ask(question: str) -> list[int]:
        request = rank.Request(question, layers=frozenset(("L0",)), limit=DEPTH)
        return [rows[hit.row] for hit in rank.search(reader, request).hits]

    return ask


def _add(connection: driver.Connection, row: int, role: str, turn: Turn) -> None:
    found = index_terms(turn.text, turn.speaker)
    session = row >> MESSAGE_BITS
    connection.execute(
        "INSERT OR IGNORE INTO session (id, agent, native) VALUES (?, 'benchmark', ?)",
        (session, str(session)),
    )
    connection.execute(
        "INSERT INTO message (id, session, role, author, text, at, native, length)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (row, session, role, turn.speaker, turn.text, turn.at, str(row), len(found)),
    )
    search.ensure_terms(connection, search.MESSAGES, row, found)


def misspelt(engine: Engine, share: float = 0.3) -> Engine:
    """Return ``engine`` asked with one error in ``share`` of the long words."""

    def ask(question: str) -> list[int]:
        chance = random.Random(question)
        return engine(
            re.sub(r"[A-Za-z]{5,}", lambda m: _wrong(m[0], chance, share), question)
        )

    return ask


def _wrong(word: str, chance: random.Random, share: float) -> str:
    if chance.random() >= share:
        return word
    at = chance.randrange(len(word) - 1)
    letter = chance.choice("abcdefghijklmnopqrstuvwxyz")
    kind = chance.randrange(4)
    if kind == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if kind == 1:
        return word[:at] + word[at + 1 :]
    return word[:at] + letter + word[at + (kind == 2) :]


def merged(parts: Iterable[Conversation]) -> Conversation:
    """Return the conversations as one, with their questions."""
    turns: list[Turn] = []
    questions: list[Question] = []
    sessions = 0
    for part in parts:
        base = len(turns)
        turns += [turn._replace(session=turn.session + sessions) for turn in part.turns]
        sessions = max(turn.session for turn in turns)
        questions += [
            one._replace(evidence=tuple(at + base for at in one.evidence))
            for one in part.questions
        ]
    return Conversation(turns, questions)


# -- measures ---------------------------------------------------------------------


def measure(engine: Engine, conversation: Conversation) -> list[dict[str, float]]:
    """Return the figures of each question."""
    figures = []
    for question in conversation.questions:
        start = time.process_time()
        found = engine(question.text)
        spent = (time.process_time() - start) * 1000
        one = {"category": float(question.category), "ms": spent}
        one |= _turn_figures(found, set(question.evidence))
        sessions = list(dict.fromkeys(conversation.turns[at].session for at in found))
        wanted = {conversation.turns[at].session for at in question.evidence}
        one |= {
            f"S@{k}": float(not wanted.isdisjoint(sessions[:k])) for k in (1, 5, 10)
        }
        one["S MRR"] = _reciprocal(sessions, wanted)
        figures.append(one)
    return figures


def _turn_figures(found: list[int], wanted: set[int]) -> dict[str, float]:
    figures = {
        f"R@{k}": len(wanted.intersection(found[:k])) / len(wanted) for k in (1, 5, 10)
    }
    figures["MRR"] = _reciprocal(found, wanted)
    gain = sum(
        1 / math.log2(at + 2) for at, one in enumerate(found[:10]) if one in wanted
    )
    best = sum(1 / math.log2(at + 2) for at in range(min(10, len(wanted))))
    return figures | {"nDCG@10": gain / best}


def _reciprocal(found: list[int], wanted: set[int]) -> float:
    return next((1 / (at + 1) for at, one in enumerate(found) if one in wanted), 0.0)


TURN_FIGURES = ("R@1", "R@5", "R@10", "nDCG@10", "MRR")
SESSION_FIGURES = ("S@1", "S@5", "S@10", "S MRR")


def summary(figures: list[dict[str, float]]) -> dict[str, float]:
    """Return means in percent, R@10 by category, and milliseconds of processor time."""
    turns = [one for one in figures if one["category"] <= 4]
    result = {name: 100 * _mean(one[name] for one in turns) for name in TURN_FIGURES}
    for category in (1, 2, 3, 4, 5):
        own = [one["R@10"] for one in figures if one["category"] == category]
        result[f"R@10 c{category}"] = 100 * _mean(own)
    result |= {
        name: 100 * _mean(one[name] for one in figures) for name in SESSION_FIGURES
    }
    spent = sorted(one["ms"] for one in figures)
    return result | {
        "p50 ms": spent[len(spent) // 2],
        "p99 ms": spent[int(len(spent) * 0.99)],
    }


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def run(path: Path) -> dict[str, dict[str, float]]:
    """Return the summary of every engine and variant."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    parts = [load(file) for file in files]
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        engines: dict[str, Callable[[list[Turn]], Engine]] = {
            "fts5 unicode61": lambda turns: plain_fts(turns, "unicode61", False),
            "fts5 porter": lambda turns: plain_fts(turns, "porter unicode61", True),
            "ibid": lambda turns: ibid(folder, turns),
            "ibid, names in text": lambda turns: ibid(folder, turns, "text"),
            "ibid, roles only": lambda turns: ibid(folder, turns, "role"),
        }
        results = {name: _run(make, parts) for name, make in engines.items()}
        for name in ("fts5 porter", "ibid"):
            make = engines[name]
            results[f"{name}, misspelt"] = _run(
                lambda turns, make=make: misspelt(make(turns)), parts
            )
            results[f"{name}, merged"] = _run(make, [merged(parts)])
    return results


def _run(
    make: Callable[[list[Turn]], Engine], parts: list[Conversation]
) -> dict[str, float]:
    return summary([one for part in parts for one in measure(make(part.turns), part)])


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = run(given.path)
    if given.json:
        print(json.dumps(results, indent=2))
        return
    columns = next(iter(results.values()))
    print(f"{'':22}" + "".join(f"{name:>8}" for name in columns))
    for name, row in results.items():
        print(f"{name:22}" + "".join(f"{value:8.1f}" for value in row.values()))


if __name__ == "__main__":
    main()
