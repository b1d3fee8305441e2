"""Writes down what an answer came to: accounts, receipts, and what they name (P5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.engine.replay import log
from ibid.engine.replay.log import Fact, Who

if TYPE_CHECKING:
    from ibid.engine.replay.cast import Session
    from ibid.engine.replay.scratch import ScratchMemory
    from ibid.store.driver import Row


class Scribe:
    """Adds facts to the log of a replay, for one project."""

    def __init__(self, memory: ScratchMemory, facts: list[Fact]) -> None:
        self._memory = memory
        self._facts = facts
        self._entries: dict[int, int] = {}  # Account entry -> its place in the log.
        self._last_entry = 0

    def add(self, session: Session, scope: str, kind: str, **told: object) -> int:
        """Add a fact of a reader at this moment; return its place in the log."""
        who = Who(
            self._memory.project.path,
            session.native,
            session.agent,
            session.role,
            scope,
            session.readers[scope].epoch,
        )
        at = self._memory.clock.now()
        self._facts.append(Fact(at, who, kind, **told))  # type: ignore[arg-type]
        return len(self._facts) - 1

    def collect(self, session: Session, scope: str, said: str = "") -> None:
        """Write down what the accounts and receipts say of the last answer."""
        connection = self._memory.store.read()
        rows = connection.execute(
            "SELECT a.*, CASE WHEN r.kind <> 'block' THEN r.query END AS query"
            " FROM account a LEFT JOIN receipt r ON r.id = a.receipt"
            " WHERE a.id > ? ORDER BY a.id",
            (self._last_entry,),
        ).fetchall()
        for row in rows:
            self._last_entry = row["id"]
            feature = row["feature"]
            if feature == "hint" and row["receipt"] is None:
                feature = log.BEFORE
            place = self.add(
                session,
                scope,
                row["kind"],
                feature=feature,
                tokens=row["tokens"],
                about=row["query"] or "",
                entry=self._entries.get(row["reverses"] or 0, -1),
            )
            self._entries[row["id"]] = place
            if row["receipt"] is not None:
                self._watch(session, scope, row["receipt"], (place, said))

    def _watch(
        self, session: Session, scope: str, receipt: int, about: tuple[int, str]
    ) -> None:
        """Note what was injected, item by item, and watch for its names."""
        place, said = about
        connection = self._memory.store.read()
        reader = session.readers[scope]
        row = connection.execute(
            "SELECT kind, text FROM receipt WHERE id = ?", (receipt,)
        ).fetchone()
        reader.injected.append((row["kind"], row["text"]))
        for item in connection.execute(
            "SELECT * FROM receipt_item WHERE receipt = ? ORDER BY position", (receipt,)
        ).fetchall():
            number = len(self._facts)
            text = _text_of(item, row["kind"])
            telling = reader.witness.watch(number, row["kind"], text, said)
            self.add(
                session,
                scope,
                log.ITEM,
                feature=row["kind"],
                tokens=item["tokens"],
                about=item["item"],
                same=telling,
                entry=place,
            )

    def named(self, session: Session, scope: str, words: str) -> tuple[str, ...]:
        """Return the features whose injections in this epoch hold these words."""
        injected = session.readers[scope].injected
        return tuple(sorted({feature for feature, text in injected if words in text}))

    def relative(self, path: str, session: Session) -> str:
        """Return a path as others read it: relative to the project where it can be."""
        for root in (session.cwd, self._memory.project.path):
            base = root.rstrip("/")
            if base and path.startswith(f"{base}/"):
                return path[len(base) + 1 :]
        return path


def _text_of(item: Row, kind: str) -> str:
    """Return an item's words as they were sent, without its label and source."""
    text: str = item["text"]
    if kind not in ("block", "pins"):
        return text
    return text.partition("] ")[2].rpartition(" (")[0] or text
