"""Which note lies in which file, and with which content it was last seen (O1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.store.memories import _insert

if TYPE_CHECKING:
    from ibid.store.candidates import NewCandidate
    from ibid.store.driver import Connection, Row


def unfiled(connection: Connection, limit: int = 500) -> list[int]:
    """Return notes whose file may not be what the row is; those that retired first."""
    rows = connection.execute(
        """SELECT id FROM memory WHERE layer = 1 AND version <> filed
        AND (curated OR file <> '') ORDER BY active, id LIMIT ?""",
        (limit,),
    ).fetchall()
    return [row[0] for row in rows]


def filed(connection: Connection) -> list[Row]:
    """Return every note that has a file."""
    return connection.execute(
        "SELECT * FROM memory WHERE layer = 1 AND file <> '' ORDER BY id"
    ).fetchall()


def set_file(
    connection: Connection, note: int, file: str, digest: str, version: int
) -> None:
    """Note a file, its digest, and for which version of the row; no change of it."""
    connection.execute(
        "UPDATE memory SET file = ?, digest = ?, filed = ? WHERE id = ?",
        (file, digest, version, note),
    )


def file_seen(connection: Connection, note: int, file: str, digest: str) -> None:
    """Note that row and file are the same now."""
    connection.execute(
        "UPDATE memory SET file = ?, digest = ?, filed = version WHERE id = ?",
        (file, digest, note),
    )


def by_file(connection: Connection, file: str) -> Row | None:
    """Return the note that lies in ``file``."""
    return _one(connection, "file = ?", file)


def by_key(connection: Connection, key: str) -> Row | None:
    """Return the note with this id."""
    return _one(connection, "key = ?", key)


def by_digest(connection: Connection, digest: str) -> Row | None:
    """Return the note whose file had this content when it was last seen."""
    return _one(connection, "digest = ? AND file <> ''", digest)


def _one(connection: Connection, where: str, value: str) -> Row | None:
    row: Row | None = connection.execute(
        f"SELECT * FROM memory WHERE layer = 1 AND {where} ORDER BY id LIMIT 1",
        (value,),
    ).fetchone()
    return row


def heir_of(connection: Connection, note: int) -> Row | None:
    """Return the active note that supersedes another one."""
    row: Row | None = connection.execute(
        "SELECT * FROM memory WHERE supersedes = ? AND active ORDER BY id DESC LIMIT 1",
        (note,),
    ).fetchone()
    return row


def drop_anchors(connection: Connection, note: int) -> None:
    """Untie a note from the code, before its new words tie it again."""
    connection.execute("DELETE FROM anchor WHERE memory = ?", (note,))


def drop_anchor(connection: Connection, note: int, path: str, symbol: str) -> None:
    """Untie a note from one place in the code."""
    sql = "DELETE FROM anchor WHERE memory = ? AND path = ? AND symbol = ?"
    connection.execute(sql, (note, path, symbol))


# -- files that wait -------------------------------------------------------------------


def candidate_of(connection: Connection, file: str, digest: str) -> Row | None:
    """Return the candidate made of these bytes of a file, in whatever state."""
    row: Row | None = connection.execute(
        "SELECT * FROM candidate WHERE file = ? AND digest = ?"
        " AND state <> 'withdrawn' LIMIT 1",
        (file, digest),
    ).fetchone()
    return row


def add_candidate(connection: Connection, new: NewCandidate) -> int:
    """Insert a candidate that no session said; return its number."""
    return _insert(connection, "candidate", {**new._asdict(), "updated": new.created})


def tie_candidate(
    connection: Connection, candidate: int, file: str, digest: str, note: int | None
) -> None:
    """Tie a candidate to a file's bytes, and to the note that they would change."""
    connection.execute(
        "UPDATE candidate SET file = ?, digest = ?, resembles = ? WHERE id = ?",
        (file, digest, note, candidate),
    )


def waiting_files(connection: Connection) -> list[Row]:
    """Return the candidates that are files and still wait."""
    return connection.execute(
        "SELECT * FROM candidate WHERE file <> '' AND state = 'pending' ORDER BY id"
    ).fetchall()
