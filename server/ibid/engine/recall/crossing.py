"""What recall takes from projects that a person listed: notes and episodes (S2).

Ranked in each one's own store by the same functions, over the same floor; nothing is
written there.  What cannot be read just now is left out and named: recall goes on
without it (G7, Q4).
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep import policy
from ibid.engine.recall import rank
from ibid.engine.recall.block import shown_name
from ibid.engine.recall.recall import RecalledItem, hit_item
from ibid.errors import StoreError
from ibid.store import (
    foreign,
    frames,
    includes,
    memories,
    projects,
    schema,
    sessions,
    settings,
)
from ibid.store.connection import HOOK_BUSY_MS, translated

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

LAYERS = frozenset(("L1", "L2"))


class Crossed(NamedTuple):
    """What other projects gave, and why some of them gave nothing."""

    items: list[RecalledItem]
    troubles: tuple[str, ...]


def find(
    memory: Memory, roots: Sequence[str], wanted: rank.Request, native: str
) -> Crossed:
    """Return what the projects at ``roots`` know for a prompt of session ``native``.

    All of them together wait for locks no longer than a hook would for one.
    """
    patience = min(memory.store.busy_ms, HOOK_BUSY_MS) // len(roots)
    items: list[RecalledItem] = []
    troubles: list[str] = []
    for root in roots:
        look = _Look(memory.home, root, wanted, native)
        try:
            items += look.items(patience)
        except (StoreError, OSError, *frames.DAMAGE) as error:
            troubles.append(f"{shown_name(root)} is left out: {error}")
    return Crossed(items, tuple(troubles))


def without_known(
    found: Iterable[RecalledItem], own: Iterable[RecalledItem]
) -> list[RecalledItem]:
    """Return what this project does not know itself, by id or by word."""
    known = {one for held in own for one in (held.item.id, held.item.text)}
    kept = []
    for one in found:
        if known.isdisjoint((one.item.id, one.item.text)):
            known |= {one.item.id, one.item.text}
            kept.append(one)
    return kept


def demand_there(memory: Memory, sent: Iterable[RecalledItem]) -> None:
    """Demand that what is to be recorded as sent is still known where it is from.

    Within the transaction that records it: a deletion there is either seen here, or
    has to wait for this transaction and then blanks what it wrote (K3).

    Raises:
        StoreError: it was deleted meanwhile, or its store cannot be read any more.
    """
    keys: dict[str, list[str]] = {}
    for one in sent:
        if one.project:
            keys.setdefault(one.project, []).append(one.item.id)
    for root, wanted in keys.items():
        path = projects.project_at(root, memory.home).database
        with translated(path), closing(foreign.connect(path, HOOK_BUSY_MS)) as other:
            for key in wanted:
                if not _knows(other, key):
                    raise StoreError(f"{key} was deleted just now")


def _knows(connection: Connection, key: str) -> bool:
    sql = "SELECT 1 FROM memory WHERE key = ?"
    return connection.execute(sql, (key,)).fetchone() is not None


class _Look(NamedTuple):
    """A look into one other project."""

    home: str
    root: str
    wanted: rank.Request
    native: str

    def items(self, patience: int) -> list[RecalledItem]:
        """Return its notes and episodes as items that name it, the best first.

        Raises:
            StoreError, OSError, frames.DAMAGE: it cannot be read.
        """
        if not includes.is_there(self.home, self.root):
            raise StoreError(f"there is no memory of {self.root}")
        path = projects.project_at(self.root, self.home).database
        with translated(path), closing(foreign.connect(path, patience)) as connection:
            connection.execute("BEGIN")  # One moment, and one wait for a lock.
            _check_schema(connection)
            if not self._is_open(connection):
                return []
            return self._found(connection)

    def _is_open(self, connection: Connection) -> bool:
        """Say whether its own switches let its memory be recalled (H2)."""
        general = settings.load_global(self.home)
        return policy.effective(general, settings.load_settings(connection)).recall

    def _found(self, connection: Connection) -> list[RecalledItem]:
        closed = sessions.closed_sessions(connection)
        asking = sessions.find_session(connection, self.native) if self.native else None
        hidden = closed
        if asking is not None:
            hidden |= frozenset(sessions.lineage_of(connection, asking["id"]))
        wanted = self.wanted._replace(layers=LAYERS, exclude_sessions=hidden)
        found = []
        for hit in rank.search(connection, wanted).hits:
            row = memories.find_memory(connection, hit.row)
            if row is None or _is_closed(connection, row, closed):
                continue
            one = hit_item(connection, hit)
            if one is not None:
                found.append(self._marked(one))
        return sorted(found, key=lambda one: -one.item.score)

    def _marked(self, one: RecalledItem) -> RecalledItem:
        """Return an item that names its project; a pin there is none here (G1)."""
        boost = rank.PIN_BOOST if one.item.pinned else 0.0
        item = one.item._replace(
            project=shown_name(self.root), pinned=False, score=one.item.score - boost
        )
        source = one.source and one.source._replace(title="")
        return RecalledItem(item, source, 0, self.root)


def _check_schema(connection: Connection) -> None:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version != schema.SCHEMA_VERSION:
        raise StoreError(
            f"its memory has schema {version}, this Ibid knows {schema.SCHEMA_VERSION}"
        )


def _is_closed(connection: Connection, row: Row, closed: frozenset[int]) -> bool:
    """Say whether a note was said in closed sessions only."""
    said = connection.execute(
        "SELECT session FROM evidence WHERE memory = ?", (row["id"],)
    ).fetchall()
    return bool(said) and closed.issuperset(one["session"] for one in said)
