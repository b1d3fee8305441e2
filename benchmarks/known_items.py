"""Known messages of real coding sessions, found again by a part of what they say.

Usage: ``python benchmarks/known_items.py FOLDER [--json]``; FOLDER holds Claude Code
transcripts, at any depth.  Nothing of them is kept.

Every message is imported as it would be; then messages are drawn and asked for: by the
rarest name in them (a path, an identifier, an error code), by five of their words in a
sentence, and by those words with one misspelt.  Plain FTS5 gets the same texts and
questions in the same run.  hit@k says whether the message itself is among the first k.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "server"))

from ibid.agents.registry import load_agent
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import SearchRequest
from ibid.engine.recall.terms import is_stop
from ibid.text.stems import index_terms
from ibid.text.terms import terms
from locomo import Engine, Turn, misspelt, plain_fts

AGENT = "claude-code"
DRAWN = 300
_PIECE = 1 << 20


class Item(NamedTuple):
    """A message and the questions it should answer."""

    place: int
    name: str
    words: str


def read_all(folder: Path, memory: Memory) -> list[tuple[int, str]]:
    """Import every transcript below ``folder``; return row ids and texts."""
    agent = load_agent(AGENT)
    for path in sorted(folder.rglob("*.jsonl")):
        reader, offset, data = agent.reader(path), 0, path.read_bytes()
        while offset < len(data):
            last = offset + _PIECE >= len(data)
            batch = reader.feed(data[offset : offset + _PIECE], offset, final=last)
            memory.apply(AGENT, batch.events)
            offset += batch.consumed or len(data)
    rows = memory.store.read().execute("SELECT id, text FROM message ORDER BY id")
    return [(row[0], row[1]) for row in rows]


def draw(texts: list[str]) -> list[Item]:
    """Return messages of at least twelve telling words, with their questions."""
    chance = random.Random(len(texts))
    found = [index_terms(text) for text in texts]
    frequency = Counter(word for words in found for word in set(words))
    items: list[Item] = []
    for place in chance.sample(range(len(texts)), len(texts)):
        telling = [
            term
            for term in dict.fromkeys(terms(texts[place]))
            if len(term) > 2 and not is_stop(term, index_terms(term)[0])
        ]
        plain = [term for term in telling if term.isalpha()]
        names = [term for term in telling if not term.isalpha() and len(term) < 60]
        if len(plain) < 12 or not names:
            continue
        name = min(names, key=lambda term: (frequency[index_terms(term)[0]], term))
        words = sorted(chance.sample(plain, 5), key=plain.index)
        asked = f"what did we say about {' '.join(words)}?"
        items.append(Item(place, f"where did {name} come up?", asked))
        if len(items) == DRAWN:
            break
    return items


def measure(
    engine: Engine, items: list[Item], question: Callable[[Item], str]
) -> dict[str, float]:
    """Return hit@1, hit@5, hit@10 and the mean reciprocal rank, in percent."""
    ranks = []
    for item in items:
        found = engine(question(item))
        ranks.append(found.index(item.place) + 1 if item.place in found else 0)
    figures = {
        f"hit@{k}": 100 * sum(0 < rank <= k for rank in ranks) / len(ranks)
        for k in (1, 5, 10)
    }
    return figures | {"MRR": 100 * sum(1 / rank for rank in ranks if rank) / len(ranks)}


def run(folder: Path) -> dict[str, dict[str, float]]:
    """Return the figures of both engines for each kind of question."""
    results: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as made:
        memory = open_memory(str(Path(made) / "project"), home=str(Path(made) / "home"))
        rows = read_all(folder, memory)
        places = {f"m-{row}": place for place, (row, _) in enumerate(rows)}
        texts = [text for _, text in rows]
        items = draw(texts)
        turns = [Turn(1, "", text, 0) for text in texts]

        def ibid(query: str) -> list[int]:
            found = memory.search(SearchRequest(query, layers=("L0",), limit=20))
            return [places[hit.id] for hit in found.hits]

        engines = {
            "fts5 porter": plain_fts(turns, "porter unicode61", True),
            "ibid": ibid,
        }
        for name, engine in engines.items():
            results[f"{name}, name"] = measure(engine, items, lambda item: item.name)
            results[f"{name}, words"] = measure(engine, items, lambda item: item.words)
            wrong = misspelt(engine)
            results[f"{name}, misspelt"] = measure(
                wrong, items, lambda item: item.words
            )
        memory.close()
    return {"messages": {"rows": len(rows), "drawn": len(items)}} | results


def main() -> None:
    """Print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    results = run(given.folder)
    if given.json:
        print(json.dumps(results, indent=2))
        return
    for name, row in results.items():
        shown = "  ".join(f"{key} {value:.1f}" for key, value in row.items())
        print(f"{name:22} {shown}")


if __name__ == "__main__":
    main()
