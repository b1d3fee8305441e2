"""What a new note meets: the same said before, its opposite, or a correction (D).

Near-duplicates reinforce one note; merging never changes meaning; what contradicts a
correction is quarantined; what was let go goes to review instead of coming back.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine import index
from ibid.engine.model import CERTAIN
from ibid.store import candidates, memories
from ibid.text.digest import keyed
from ibid.text.meaning import contradicts, difference
from ibid.text.terms import terms

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row

NEAR = 0.8  # Jaccard similarity of near-duplicates (D1).
RELATED = 0.3  # Of a statement that may contradict a correction (D4).
REINFORCEMENT = 0.05

# Origins whose wording and category stay against an automatic note (D1).
_KEPT_ORIGINS = frozenset({"manual", "correction", "file"})


class Meeting(NamedTuple):
    """What a new text meets among the active notes."""

    kind: str  # new | same | differs | contradicts | let-go
    note: Row | None = None
    reason: str = ""


class Neighbours:
    """The active notes of a project, indexed in memory for one transaction."""

    def __init__(self, connection: Connection, key: bytes) -> None:
        self._key = key
        self._notes: dict[int, Row] = {}
        self._terms: dict[int, frozenset[str]] = {}
        self._postings: dict[str, list[int]] = {}
        for note in memories.active_notes(connection):
            self.add(note)
        self._stones = [
            (stone, frozenset(stone["hashes"].split()))
            for stone in candidates.list_tombstones(connection)
        ]

    def add(self, note: Row) -> None:
        """Add a note, or replace it after its wording changed."""
        self.drop(note["id"])
        found = frozenset(terms(note["text"]))
        self._notes[note["id"]] = note
        self._terms[note["id"]] = found
        for term in found:
            self._postings.setdefault(term, []).append(note["id"])

    def drop(self, note: int) -> None:
        """Take a note out, because it is not active any more."""
        for term in self._terms.pop(note, ()):
            self._postings[term].remove(note)
        self._notes.pop(note, None)

    def meet(self, text: str, origin: str = "automatic") -> Meeting:
        """Return what ``text`` meets; corrections first, then the nearest note."""
        near = self._near(text)
        if origin == "automatic":
            for note, _ in near:
                if note["origin"] == "correction" and contradicts(note["text"], text):
                    kind = difference(note["text"], text) or "meaning"
                    return Meeting("contradicts", note, kind)
        differing = None
        for note, score in near:
            if score < NEAR:
                break
            differs = difference(note["text"], text)
            if not differs:
                return Meeting("same", note)
            differing = differing or Meeting("differs", note, differs)
        if differing is not None:
            return differing
        stone = self.tombstone(text) if origin == "automatic" else None
        if stone is not None:
            return Meeting("let-go", None, f"like one that was {stone['kind']}")
        return Meeting("new")

    def _near(self, text: str) -> list[tuple[Row, float]]:
        """Return notes at least `RELATED` to ``text``, the nearest first."""
        found = frozenset(terms(text))
        shared: Counter[int] = Counter()
        for term in found:
            shared.update(self._postings.get(term, ()))
        scored = []
        for note, count in shared.items():
            score = count / (len(found) + len(self._terms[note]) - count)
            if score >= RELATED:
                scored.append((self._notes[note], score))
        return sorted(scored, key=lambda pair: (-pair[1], -pair[0]["updated"]))

    def tombstone(self, text: str) -> Row | None:
        """Return the tombstone that ``text`` is close to, if any (D5)."""
        found = frozenset(term_hashes(self._key, text).split())
        for stone, hashes in self._stones:
            union = len(found | hashes)
            if union and len(found & hashes) / union >= NEAR:
                return stone
        return None


def term_hashes(key: bytes, text: str) -> str:
    """Return the keyed hashes of a text's terms: recognised, never readable (K3)."""
    return " ".join(sorted({keyed(key, term) for term in terms(text)}))


class Again(NamedTuple):
    """The same said again: by whom, how, and when."""

    text: str
    category: str
    origin: str
    taint: bool
    at: int


def reinforce(connection: Connection, note: Row, again: Again) -> None:
    """Confirm ``note``: the newest wording is kept, the older in its history (D1).

    A manual, pinned, corrected or file note keeps its own against an automatic one.
    Taint survives (B10): a clean repetition does not wash it off.
    """
    values: dict[str, object] = {
        "confidence": min(CERTAIN, round(note["confidence"] + REINFORCEMENT, 4)),
        "updated": max(note["updated"], again.at),
        "taint": int(note["taint"] and again.taint),
    }
    kept = note["origin"] in _KEPT_ORIGINS or note["pinned"]
    if again.origin != "automatic":
        values["origin"] = again.origin
        values["confidence"] = CERTAIN
        kept = False
    if not kept and again.text != note["text"]:
        memories.add_history(connection, note, "said again", again.at)
        values |= {"text": again.text, "category": again.category}
        index.index_memory(connection, note["id"], again.text)
    memories.update_memory(connection, note["id"], values)
