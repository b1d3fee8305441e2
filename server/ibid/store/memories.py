"""L1 to L3: notes, episodes, the profile; their evidence, history, anchors (A4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.errors import AmbiguousError, ConflictError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.store.driver import Connection, Row

NOTE, EPISODE, PROFILE = 1, 2, 3

ACTIVE = "active"
FORGOTTEN = "forgotten"
SUPERSEDED = "superseded"
QUARANTINED = "quarantined"
DORMANT = "dormant"


class NewMemory(NamedTuple):
    """A row of layer 1, 2 or 3 to be kept; its text has been redacted."""

    key: str
    layer: int
    category: str
    text: str
    confidence: float
    origin: str
    at: int
    request: str = ""
    turn: int | None = None
    session: int | None = None
    role: str = ""
    tags: str = "[]"
    pinned: bool = False
    author: str = ""
    taint: bool = False
    outside: bool = False
    curated: bool = False  # A person added, accepted, edited or corrected it.
    state: str = ACTIVE
    reason: str = ""
    supersedes: int | None = None
    conflicts: int | None = None


class Evidence(NamedTuple):
    """Where a memory was said: a span of a message, in characters."""

    memory: int
    session: int | None
    turn: int | None
    message: int | None
    start: int
    end: int
    at: int


def add_memory(connection: Connection, new: NewMemory) -> int:
    """Insert a memory and return its row id."""
    values = new._asdict()
    values["active"] = new.state == ACTIVE
    values["created"] = values["updated"] = values.pop("at")
    return _insert(connection, "memory", values)


def _insert(connection: Connection, table: str, values: dict[str, Any]) -> int:
    names = ", ".join(values)
    marks = ", ".join(f":{name}" for name in values)
    sql = f"INSERT INTO {table} ({names}) VALUES ({marks})"
    done = connection.execute(sql, values)
    assert done.lastrowid is not None
    return int(done.lastrowid)


def find_memory(connection: Connection, memory: int) -> Row | None:
    """Return the memory with this row id."""
    row: Row | None = connection.execute(
        "SELECT * FROM memory WHERE id = ?", (memory,)
    ).fetchone()
    return row


def find_by_handle(connection: Connection, handle: str) -> Row | None:
    """Return a memory whose text's handle is, or begins with, ``handle``; else None.

    Raises:
        AmbiguousError: several different handles begin so.
    """
    rows = connection.execute(
        "SELECT * FROM memory WHERE handle >= ? AND handle < ? GROUP BY handle LIMIT 2",
        (handle, handle + "g"),
    ).fetchall()
    if len(rows) > 1 and rows[0]["handle"] != handle:
        raise AmbiguousError(f"Several texts begin with {handle}. Give more of it.")
    return rows[0] if rows and handle else None


def load_memory(connection: Connection, name: str) -> Row:
    """Return the memory whose id is, or uniquely starts with, ``name``.

    Raises:
        NotFoundError: there is none.
        AmbiguousError: several start so.
    """
    rows = _by_prefix(connection, "memory", name)
    if not rows:
        raise NotFoundError(
            f"No note {name!r} in this project. `ibid note list` shows them."
        )
    return _only(rows, name)


def load_candidate(connection: Connection, name: str) -> Row:
    """Return the candidate whose id is, or uniquely starts with, ``name``.

    Raises:
        NotFoundError: there is none.
        AmbiguousError: several start so.
    """
    rows = _by_prefix(connection, "candidate", name)
    if not rows:
        raise NotFoundError(
            f"No candidate {name!r} in this project. `ibid review list` shows them."
        )
    return _only(rows, name)


def _by_prefix(connection: Connection, table: str, name: str) -> list[Row]:
    sql = f"SELECT * FROM {table} WHERE key >= ? AND key < ? ORDER BY key LIMIT 3"
    return connection.execute(sql, (name, name + "\U0010ffff")).fetchall()


def _only(rows: list[Row], name: str) -> Row:
    if len(rows) > 1 and rows[0]["key"] != name:
        shown = ", ".join(row["key"] for row in rows)
        raise AmbiguousError(f"{name!r} is the start of several ids: {shown} …")
    return rows[0]


SHORTEST = 11  # Characters of a shortened id: its second, and chance.


def short_key(connection: Connection, table: str, key: str) -> str:
    """Return an id's shortest unique prefix in its table, at least `SHORTEST` long."""
    return key[: max(SHORTEST, shared_length(connection, table, "key", key) + 1)]


def shared_length(connection: Connection, table: str, column: str, key: str) -> int:
    """Return how much of ``key`` any other in that column begins with."""
    near = connection.execute(  # The neighbours in order decide it.
        f"SELECT max({column}) FROM {table} WHERE {column} < :k UNION ALL"
        f" SELECT min({column}) FROM {table} WHERE {column} > :k",
        {"k": key},
    ).fetchall()
    return max((_shared(key, row[0]) for row in near if row[0]), default=0)


def _shared(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def update_memory(
    connection: Connection,
    memory: int,
    values: dict[str, Any],
    version: int | None = None,
) -> None:
    """Change columns of a memory and raise its version.

    Raises:
        ConflictError: ``version`` is given and the row has moved on.
    """
    update_row(connection, "memory", memory, values, version)


def update_row(
    connection: Connection,
    table: str,
    row: int,
    values: dict[str, Any],
    version: int | None = None,
) -> None:
    """Change columns of one row of ``table`` and raise its version.

    Raises:
        ConflictError: ``version`` is given and the row has moved on.
    """
    columns = ", ".join(f"{name} = :{name}" for name in values)
    sql = f"UPDATE {table} SET {columns}, version = version + 1 WHERE id = :id"
    given = {**values, "id": row}
    if version is not None:
        sql, given["seen"] = sql + " AND version = :seen", version
    if connection.execute(sql, given).rowcount == 0:
        raise ConflictError(
            "Somebody changed this since you read it; nothing was written. Look at it "
            "again and repeat your change."
        )


# -- evidence, history, anchors ------------------------------------------------


def ensure_evidence(connection: Connection, evidence: Evidence) -> bool:
    """Add a place where the memory was said; say whether it was new."""
    done = connection.execute(
        "INSERT OR IGNORE INTO evidence"
        ' (memory, session, turn, message, start, "end", at)'
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        evidence,
    )
    return done.rowcount > 0


def copy_evidence(connection: Connection, source: int, target: int) -> None:
    """Give ``target`` the evidence of ``source`` as well."""
    connection.execute(
        "INSERT OR IGNORE INTO evidence"
        ' (memory, session, turn, message, start, "end", at)'
        ' SELECT ?, session, turn, message, start, "end", at FROM evidence'
        " WHERE memory = ?",
        (target, source),
    )


def list_evidence(connection: Connection, memory: int) -> list[Row]:
    """Return where the memory was said, oldest first, with session and turn.

    An episode is of a whole turn: its words are the turn's first message.
    """
    return connection.execute(
        f"""SELECT e.*, s.native AS session_native, s.agent, s.title,
            t.number AS turn_number, m.native AS message_native, m.text AS message_text,
            m.secret AS message_secret
        FROM evidence e LEFT JOIN session s ON s.id = e.session
        LEFT JOIN turn t ON t.id = e.turn
        LEFT JOIN message m ON m.id = coalesce(e.message,
            (SELECT min(said.id) FROM message said JOIN memory o ON o.id = e.memory
            WHERE o.layer = {EPISODE} AND said.turn = e.turn AND said.scope = ''))
        WHERE e.memory = ? ORDER BY e.at, e.rowid""",
        (memory,),
    ).fetchall()


def add_history(connection: Connection, memory: Row, why: str, at: int) -> None:
    """Keep the wording that ``memory`` had until now."""
    connection.execute(
        "INSERT INTO history (memory, text, category, why, at) VALUES (?, ?, ?, ?, ?)",
        (memory["id"], memory["text"], memory["category"], why, at),
    )


def list_history(connection: Connection, memory: int) -> list[Row]:
    """Return the memory's older wordings, oldest first, of what it corrects too."""
    return connection.execute(
        """WITH RECURSIVE line (id) AS (
            SELECT ?1 UNION
            SELECT m.supersedes FROM memory m JOIN line USING (id)
            WHERE m.supersedes IS NOT NULL)
        SELECT text, at, why FROM history WHERE memory IN line
        UNION ALL SELECT text, updated, 'corrected' FROM memory
            WHERE id IN line AND id <> ?1
        ORDER BY at""",
        (memory,),
    ).fetchall()


def ensure_anchor(
    connection: Connection, memory: int, path: str, symbol: str = "", line: int = 0
) -> None:
    """Tie a memory to a path (relative to the project) and a symbol in it (R4).

    Both are redacted like the memory's text: a name that holds a secret ties to nothing
    (E1).
    """
    from ibid.text.redact import redact

    connection.execute(
        "INSERT OR IGNORE INTO anchor (memory, path, symbol, line) VALUES (?, ?, ?, ?)",
        (memory, redact(path), redact(symbol), line),
    )


def list_anchors(connection: Connection, memory: int) -> list[Row]:
    """Return what in the code a memory is about."""
    return connection.execute(
        "SELECT * FROM anchor WHERE memory = ? ORDER BY path, symbol", (memory,)
    ).fetchall()


# -- lists ---------------------------------------------------------------------

_RECENT_MS = 30 * 86_400_000
_VIEWS = {
    "all": "layer < 3 AND active",
    "pinned": "layer < 3 AND active AND pinned",
    "rules": "layer = 1 AND active AND category IN ('constraint', 'preference')",
    "facts": "layer = 1 AND active AND category IN ('fact', 'decision')",
    "episodes": "layer = 2 AND active",
    "recent": "layer < 3 AND active AND used > :now - :recent",
    "forgotten": "state = 'forgotten'",
    "superseded": "layer = 1 AND state = 'superseded'",
    "attention": "(state IN ('quarantined', 'dormant') OR active AND conflicts)",
}
VIEWS = tuple(_VIEWS)
_SORTS = {name: name for name in ("updated", "created", "used", "uses")}
SORTS = tuple(_SORTS)


class Page(NamedTuple):
    """Which memories to list."""

    view: str = "all"
    query: str = ""
    path: str = ""
    limit: int = 100
    offset: int = 0
    sort: str = "updated"  # One of `SORTS`, the greatest first.


def list_memories(
    connection: Connection, page: Page, now: int
) -> tuple[list[Row], int]:
    """Return one page of a view, pinned first, and how many there are."""
    where = _VIEWS[page.view]
    if page.query:
        where += " AND instr(lower(text || ' ' || request), lower(:query)) > 0"
    if page.path:
        where += " AND id IN (SELECT memory FROM anchor WHERE path = :path)"
    given = {**page._asdict(), "now": now, "recent": _RECENT_MS}
    count = f"SELECT count(*) FROM memory WHERE {where}"
    total = connection.execute(count, given).fetchone()[0]
    sql = (
        f"SELECT * FROM memory WHERE {where}"
        f" ORDER BY pinned DESC, coalesce({_SORTS[page.sort]}, 0) DESC, id DESC"
        " LIMIT :limit OFFSET :offset"
    )
    return connection.execute(sql, given).fetchall(), total


def count_views(connection: Connection, now: int) -> dict[str, int]:
    """Return how many memories each view holds."""
    sums = ", ".join(f"total({where})" for where in _VIEWS.values())
    row = connection.execute(
        f"SELECT {sums} FROM memory",
        {"now": now, "recent": _RECENT_MS},
    ).fetchone()
    return {view: int(count) for view, count in zip(_VIEWS, row, strict=True)}


def active_notes(connection: Connection) -> list[Row]:
    """Return every active L1 note, corrections first, then newest."""
    return connection.execute(
        "SELECT * FROM memory WHERE layer = 1 AND active"
        " ORDER BY origin = 'correction' DESC, updated DESC, id DESC"
    ).fetchall()


def drop_oldest_episodes(
    connection: Connection, keep: int, undo_before: int
) -> list[int]:
    """Return the episodes that the cap drops: the oldest unpinned active ones (K1).

    Pinned ones are exempt and uncounted; forgotten ones wait for Undo until
    ``undo_before`` and do not count.  The caller takes them out of the index first.
    """
    rows = connection.execute(
        """SELECT id FROM (SELECT id FROM memory
            WHERE layer = 2 AND active AND NOT pinned
            ORDER BY created DESC, id DESC LIMIT -1 OFFSET ?)
        UNION SELECT id FROM memory
            WHERE layer = 2 AND state = 'forgotten' AND forgotten < ?""",
        (keep, undo_before),
    ).fetchall()
    return [row[0] for row in rows]


def bump_used(connection: Connection, memories: Sequence[int], at: int) -> None:
    """Count one more use of each memory; its age is not renewed by that (A4)."""
    connection.executemany(
        "UPDATE memory SET used = ?, uses = uses + 1 WHERE id = ?",
        [(at, memory) for memory in memories],
    )
