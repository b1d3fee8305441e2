"""Latency of the ranking at scale, as ratios to plain FTS5 in the same process.

Usage: ``python benchmarks/search_scale.py [ROWS…] [--json]``, by default 10000 and
100000; a million rows take some twenty minutes and 1.5 GB in the temporary folder.

The rows are made of invented words by Zipf's law, with a topic for each session.  A
query is twelve words of one message: five very frequent (12 % of rows or more), four
in between (0.5 to 8 %) and three rare.  The floor is what an integrator writes: a
full-text table, an OR of all words, ``order by rank limit 20``.  Times are processor
time.
"""

from __future__ import annotations

import argparse
import bisect
import itertools
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "server"))

from ibid.engine.recall import rank
from ibid.store import driver, search
from ibid.store.connection import Store
from ibid.store.schema import ensure_schema
from ibid.store.tables import MESSAGE_BITS
from ibid.text.stems import index_terms, stem

WORDS = 150_000
SESSION = 200  # Messages of a session.
QUERIES = 60

Words = list[str]


class Language:
    """Invented words, drawn by Zipf's law."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.words = [_word(number) for number in range(WORDS)]
        shares = (1 / (number + 2.7) ** 1.05 for number in range(WORDS))
        self.ladder = list(itertools.accumulate(shares))

    def draw(self, count: int) -> Words:
        """Return ``count`` words, frequent ones more often."""
        top = self.ladder[-1]
        return [
            self.words[bisect.bisect(self.ladder, self.chance.random() * top)]
            for _ in range(count)
        ]

    def message(self, topic: Words) -> str:
        """Return a message, a seventh of it about ``topic``."""
        words = self.draw(max(3, int(self.chance.lognormvariate(3.8, 0.7))))
        for at in range(0, len(words), 7):
            words[at] = self.chance.choice(topic)
        return " ".join(words)


def _word(number: int) -> str:
    vowels, consonants = "aeiou", "bcdfglmnprstvz"
    word, rest = "", number + 7
    while rest:
        rest, digit = divmod(rest, 70)
        word += consonants[digit % 14] + vowels[digit // 14]
    return word


def build(folder: Path, rows: int) -> tuple[driver.Connection, driver.Connection]:
    """Return readers of a new store of ``rows`` messages and of a plain table."""
    chance = random.Random(rows)
    language = Language(chance)
    store = Store(str(folder / f"{rows}.db"))
    ensure_schema(store)
    plain = driver.connect(str(folder / f"plain{rows}.db"))
    plain.execute("CREATE VIRTUAL TABLE plain USING fts5 (body, content='')")
    for session in range(1, rows // SESSION + 1):
        topic = language.draw(30) + chance.sample(language.words[2000:], 10)
        texts = {
            session << MESSAGE_BITS | place: language.message(topic)
            for place in range(1, SESSION + 1)
        }
        with plain:
            plain.executemany(
                "INSERT INTO plain (rowid, body) VALUES (?, ?)", texts.items()
            )
        with store.write() as connection:
            connection.execute(
                "INSERT INTO session (id, agent, native) VALUES (?, 'benchmark', ?)",
                (session, str(session)),
            )
            for row, text in texts.items():
                _add(connection, row, text)
    return store.read(), plain


def _add(connection: driver.Connection, row: int, text: str) -> None:
    found = index_terms(text)
    role = "person" if row % 2 else "agent"
    connection.execute(
        "INSERT INTO message (id, session, role, text, at, native, length)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (row, row >> MESSAGE_BITS, role, text, row, str(row), len(found)),
    )
    search.ensure_terms(connection, search.MESSAGES, row, found)


def choose_queries(connection: driver.Connection, rows: int) -> list[tuple[int, Words]]:
    """Return messages, each with a query of twelve words of its own."""
    chance = random.Random(5)
    shares: dict[str, float] = {}
    found: list[tuple[int, Words]] = []
    while len(found) < QUERIES:
        session = chance.randint(1, rows // SESSION)
        row = session << MESSAGE_BITS | chance.randint(1, SESSION)
        text = connection.execute(
            "SELECT text FROM message WHERE id = ?", (row,)
        ).fetchone()[0]
        bands: tuple[Words, Words, Words] = ([], [], [])
        for word in dict.fromkeys(text.split()):
            share = shares.get(word) or _share(connection, word, rows)
            shares[word] = share
            if share >= 0.12:
                bands[0].append(word)
            elif 0.005 <= share <= 0.08:
                bands[1].append(word)
            elif share < 0.005:
                bands[2].append(word)
        query = bands[0][:5] + bands[1][:4] + bands[2][:3]
        if len(query) == 12:
            chance.shuffle(query)
            found.append((row, query))
    return found


def _share(connection: driver.Connection, word: str, rows: int) -> float:
    counted = connection.execute(
        f"SELECT count(*) FROM {search.MESSAGES} WHERE {search.MESSAGES} MATCH ?",
        (search.exactly(stem(word)),),
    )
    return int(counted.fetchone()[0]) / rows


def measure(
    queries: list[tuple[int, Words]], ask: Callable[[Words], list[int]]
) -> dict[str, float]:
    """Return milliseconds, and how often the message itself is in the first twenty."""
    for _, query in queries[:5]:
        ask(query)
    times, found = [], 0
    for row, query in queries:
        start = time.process_time()
        rows = ask(query)
        times.append((time.process_time() - start) * 1000)
        found += row in rows[:20]
    times.sort()
    share = found / len(queries)
    return {"p50": times[len(times) // 2], "p99": times[-1], "found": share}


def run(rows: int) -> dict[str, dict[str, float]]:
    """Return the figures of each way, and the ratio to the plain one."""
    with tempfile.TemporaryDirectory() as made:
        connection, plain = build(Path(made), rows)
        queries = choose_queries(connection, rows)
        results = {
            "plain FTS5 or": measure(queries, lambda query: _plain(plain, query)),
            "ibid search": measure(
                queries, lambda query: _ask(connection, query, False)
            ),
            "ibid recall": measure(
                queries, lambda query: _ask(connection, query, True)
            ),
        }
        connection.close()
        plain.close()
    floor = results["plain FTS5 or"]
    for figures in results.values():
        figures["times faster"] = floor["p50"] / figures["p50"]
    return results


def _plain(connection: driver.Connection, query: Words) -> list[int]:
    match = " OR ".join(map(search.exactly, query))
    rows = connection.execute(
        "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 20", (match,)
    )
    return [row[0] for row in rows]


def _ask(connection: driver.Connection, query: Words, floor: bool) -> list[int]:
    request = rank.Request(" ".join(query), layers=frozenset(("L0",)), floor=floor)
    return [hit.row for hit in rank.search(connection, request).hits]


def main() -> None:
    """Print a table for each size, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = {rows: run(rows) for rows in given.rows}
    if given.json:
        print(json.dumps(results, indent=2))
        return
    for rows, ways in results.items():
        print(f"{rows:,} rows")
        for way, figures in ways.items():
            shown = "  ".join(f"{name} {value:.2f}" for name, value in figures.items())
            print(f"  {way:14} {shown}")


if __name__ == "__main__":
    main()
