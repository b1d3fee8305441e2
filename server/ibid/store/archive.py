"""The verbatim archive: what agents observed, by content (M1-M4).

A text is named by the first 24 hex digits of its BLAKE3 digest and by its row's number
in the project; both stay valid for ever, also when the text itself has gone.  It lies
raw in its row while *hot*, in a shared frame when *cold*, and leaves a tombstone that
says when and why when it is *gone*.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.errors import (
    AmbiguousError,
    ConflictError,
    GoneError,
    NotFoundError,
    StoreCorruptError,
)
from ibid.store import frames
from ibid.text.digest import HANDLE_LENGTH, digest, handle

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ibid.store import driver

HOT = "hot"
COLD = "cold"
GONE = "gone"
HOT_MS = 30 * 60_000

# What may refer to a text, so that it stays (M3).  The owner of the first three is the
# key of a memory, of a handoff and a marker the row id of their session.
NOTE = "note"
EPISODE = "episode"
PIN = "pin"
HANDOFF = "handoff"
MARKER = "marker"

_STEP_BYTES = 1 << 22  # Hot bytes that one step of `freeze` takes at most.
_STEP_ROWS = 500


class ArchiveItem(NamedTuple):
    """A text to keep, as it was observed; ``observed`` in milliseconds."""

    data: bytes
    observed: int
    session: int | None = None
    turn: int | None = None
    title: str = ""  # What it is the output of, for lists.
    kind: str = ""  # As `Tool.kind`, or "image", "file" …
    tokens: int = 0
    secret: bool = False
    author: str = "tool"
    origin: str = "automatic"
    taint: int = 1


class ArchiveRow(NamedTuple):
    """What the store knows of a text, without the text; ``id`` is its number."""

    id: int
    handle: str
    digest: str
    bytes: int
    tokens: int
    state: str  # hot | cold | gone
    frame: int | None
    offset: int
    observed: int
    session: int | None
    turn: int | None
    title: str
    kind: str
    secret: int
    gone: int | None  # When it went, in milliseconds.
    why: str
    length: int  # Terms it is indexed with.
    author: str
    origin: str
    taint: int
    redact_version: int
    terms_version: int
    version: int


_COLUMNS = ", ".join(ArchiveRow._fields)
SELECT = f"SELECT {_COLUMNS} FROM archive "

# The same text again keeps its row; after it was gone, it is a text to index anew.
_UPSERT = """
INSERT INTO archive (handle, digest, bytes, state, data, frame, offset, observed,
    session, turn, title, kind, tokens, secret, author, origin, taint)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (handle) DO UPDATE SET state = excluded.state, data = excluded.data,
    frame = excluded.frame, offset = excluded.offset, observed = excluded.observed,
    gone = NULL, why = '', length = 0, terms_version = 0, redact_version = 0,
    version = version + 1
"""


def ensure_archive(connection: driver.Connection, item: ArchiveItem) -> ArchiveRow:
    """Keep one text, hot; the same bytes again give the same row (M1).

    Raises:
        ConflictError: another text already has this handle.
    """
    return ensure_archives(connection, [item])[0]


def ensure_archives(
    connection: driver.Connection, items: Sequence[ArchiveItem], cold_before: int = 0
) -> list[ArchiveRow]:
    """Keep many texts at once and return their rows in the same order.

    What was observed before ``cold_before`` (milliseconds) is written into frames
    directly, never raw (M3): for an import.  Take the items of one transcript chunk.

    Raises:
        ConflictError: another text already has one of these handles.
    """
    names: list[str] = []
    fresh: dict[str, tuple[str, ArchiveItem]] = {}
    for item in items:
        tagged = digest(item.data)
        names.append(handle(tagged))
        if names[-1] in fresh:
            continue
        if not _seen_again(connection, names[-1], tagged, item.observed):
            fresh[names[-1]] = (tagged, item)
    cold = [name for name, (_, item) in fresh.items() if item.observed < cold_before]
    places = dict(
        zip(
            cold,
            frames.place(connection, [fresh[name][1].data for name in cold]),
            strict=True,
        )
    )
    for name, (tagged, item) in fresh.items():
        _write(connection, tagged, item, places.get(name))
    rows = {name: load_archive(connection, name) for name in dict.fromkeys(names)}
    return [rows[name] for name in names]


def find_archive(connection: driver.Connection, name: str) -> ArchiveRow | None:
    """Return the row that ``name`` means, or None when there is none.

    ``name`` is a handle, a prefix of one, a number (``#412`` or ``412``) or a marker
    ``<<ccr:HANDLE>>``.  Digits alone are a number where such a number exists, else a
    prefix.

    Raises:
        AmbiguousError: several handles begin with this prefix.
    """
    name = name.strip().removeprefix("<<ccr:").removesuffix(">>").strip().lower()
    number = name.removeprefix("#")
    if number.isascii() and number.isdigit() and len(number) < 18:
        row = connection.execute(SELECT + "WHERE id = ?", (int(number),)).fetchone()
        if row is not None or name.startswith("#"):
            return ArchiveRow(*row) if row is not None else None
    if not name or len(name) > HANDLE_LENGTH or name.strip("0123456789abcdef"):
        return None
    rows = connection.execute(
        SELECT + "WHERE handle >= ? AND handle < ? ORDER BY handle LIMIT 6",
        (name, name + "g"),
    ).fetchall()
    if len(rows) > 1:
        some = ", ".join(f"{row[1]} (#{row[0]})" for row in rows[:5])
        raise AmbiguousError(
            f"Several archived texts begin with {name}: {some}"
            f"{' …' if len(rows) > 5 else ''}. Give more of the handle, or the number."
        )
    return ArchiveRow(*rows[0]) if rows else None


def load_archive(connection: driver.Connection, name: str) -> ArchiveRow:
    """Return the row that ``name`` means, as `find_archive` reads it.

    Raises:
        NotFoundError: no text of this project is called so.
        AmbiguousError: several handles begin with this prefix.
    """
    row = find_archive(connection, name)
    if row is None:
        raise NotFoundError(
            f"No archived text {name} in this project. Look for its words with "
            "`ibid search --archive`."
        )
    return row


def load_bytes(connection: driver.Connection, row: ArchiveRow) -> bytes:
    """Return the text byte for byte as it came, checked against its digest (M1).

    Raises:
        GoneError: the size cap took it, or damage did; says when and why.
        NotFoundError: the row was erased since it was read.
        StoreCorruptError: the bytes are not those that were archived.
    """
    try:
        found = _stored(connection, row.id)
        if found is None:
            raise NotFoundError(f"Archived text #{row.id} ({row.handle}) was erased.")
        state, data, offset, size, frame, frame_size = found
        if state == GONE:
            raise gone_error(load_archive(connection, row.handle))
        if state == COLD:
            data = frames.inflate(frame or b"", frame_size or 0)
            data = data[offset : offset + size]
    except StoreCorruptError as error:
        raise _corrupt(row) from error
    if data is None or digest(data) != row.digest:
        raise _corrupt(row)
    return bytes(data)


def load_many(
    connection: driver.Connection, rows: Iterable[ArchiveRow]
) -> Iterator[tuple[ArchiveRow, bytes | None]]:
    """Give each row with its text, checked; None where it is gone or damaged.

    A frame is inflated once for rows that lie in it one after the other.
    """
    held, raw = -1, b""
    for row in rows:
        data: bytes | None = None
        if row.state == HOT:
            with suppress(StoreCorruptError):
                found = _stored(connection, row.id)
                data = found[1] if found else None
        elif row.frame is not None:
            if row.frame != held:
                held, raw = row.frame, frames.load(connection, row.frame) or b""
            data = raw[row.offset : row.offset + row.bytes]
        yield row, data if data is None or digest(data) == row.digest else None


def freeze(connection: driver.Connection, now: int, hot_ms: int = HOT_MS) -> bool:
    """Move what has been hot for ``hot_ms`` into frames: one step (M3).

    Call it in a transaction of its own until it returns False: nothing more is due.
    """
    due: list[int] = []
    total = 0
    rows = connection.execute(
        "SELECT id, bytes FROM archive WHERE state = 'hot' AND observed <= ?"
        " ORDER BY observed LIMIT ?",
        (now - hot_ms, _STEP_ROWS),
    ).fetchall()
    for number, size in rows:
        if due and total + size > _STEP_BYTES:
            break
        due.append(int(number))
        total += size
    texts = [
        connection.execute(
            "SELECT data FROM archive WHERE id = ?", (number,)
        ).fetchone()[0]
        for number in due
    ]
    for number, spot in zip(due, frames.place(connection, texts), strict=True):
        connection.execute(
            "UPDATE archive SET state = 'cold', data = NULL, frame = ?, offset = ?"
            " WHERE id = ?",
            (spot.frame, spot.offset, number),
        )
    return len(due) < len(rows) or len(rows) == _STEP_ROWS


def add_reference(
    connection: driver.Connection,
    archive: int,
    kind: str,
    owner: str,
    until: int | None = None,
) -> None:
    """Keep text number ``archive`` because ``owner`` refers to it (M3); idempotent.

    ``until`` ends it (milliseconds; None: never).  A later end replaces an earlier one,
    never the reverse.
    """
    connection.execute(
        "INSERT INTO reference (archive, kind, owner, until) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (archive, kind, owner) DO UPDATE SET until = CASE"
        " WHEN until IS NULL OR excluded.until IS NULL THEN NULL"
        " ELSE max(until, excluded.until) END",
        (archive, kind, owner, until),
    )


def extend_references(
    connection: driver.Connection, kind: str, owner: str, until: int
) -> None:
    """Let what ``owner`` refers to stay until then: its session had an event (M3)."""
    connection.execute(
        "UPDATE reference SET until = ? WHERE kind = ? AND owner = ? AND until < ?",
        (until, kind, owner, until),
    )


def remove_references(connection: driver.Connection, kind: str, owner: str) -> None:
    """Forget that ``owner`` refers to anything; the texts themselves stay."""
    connection.execute(
        "DELETE FROM reference WHERE kind = ? AND owner = ?", (kind, owner)
    )


def is_protected(connection: driver.Connection, archive: int, now: int) -> bool:
    """Say whether something still refers to text number ``archive`` (M3)."""
    row = connection.execute(
        "SELECT 1 FROM reference WHERE archive = ? AND (until IS NULL OR until > ?)",
        (archive, now),
    ).fetchone()
    return row is not None


def bury(
    connection: driver.Connection, rows: Iterable[ArchiveRow], now: int, why: str
) -> None:
    """Drop the bytes of ``rows`` and leave tombstones that say ``why`` (M3).

    The rows were read in this transaction, and their terms taken from the index.
    """
    touched: dict[int, None] = {}
    for row in rows:
        if row.frame is not None:
            touched[row.frame] = None
        connection.execute(
            "UPDATE archive SET state = 'gone', data = NULL, frame = NULL, offset = 0,"
            " gone = ?, why = ?, length = 0, version = version + 1 WHERE id = ?",
            (now, why, row.id),
        )
    for frame in touched:
        frames.shrink(connection, frame)


def erase(connection: driver.Connection, rows: Iterable[ArchiveRow]) -> None:
    """Remove ``rows`` with their bytes and references, leaving nothing (K3).

    The caller has removed what points to them (``tool``, ``shown``) and their terms.
    """
    touched: dict[int, None] = {}
    for row in rows:
        if row.frame is not None:
            touched[row.frame] = None
        connection.execute("DELETE FROM archive WHERE id = ?", (row.id,))
    for frame in touched:
        frames.shrink(connection, frame)


def gone_error(row: ArchiveRow) -> GoneError:
    """Return the error that says when and why ``row`` went (M3)."""
    from ibid.text.redact import redact  # Few calls say this, hooks none.

    when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime((row.gone or 0) / 1000))
    what = f" ({redact(row.title)})" if row.title else ""
    return GoneError(
        f"Archived text #{row.id} {row.handle}{what}, {row.bytes:,} bytes, is gone "
        f"since {when}: {row.why or 'no reason was recorded'}. Observe it again, for "
        "example by reading the file or running the command, and it is archived again."
    )


def _seen_again(
    connection: driver.Connection, name: str, tagged: str, observed: int
) -> bool:
    """Say whether the text is kept already; if so, note when it was seen again."""
    row = connection.execute(
        "SELECT id, digest, state, observed FROM archive WHERE handle = ?", (name,)
    ).fetchone()
    if row is None:
        return False
    if row[1] != tagged:
        raise ConflictError(
            f"Two different texts have the handle {name}; the second was not archived."
        )
    if row[2] == GONE:
        return False
    if observed > row[3]:
        connection.execute(
            "UPDATE archive SET observed = ? WHERE id = ?", (observed, row[0])
        )
    return True


def _write(
    connection: driver.Connection,
    tagged: str,
    item: ArchiveItem,
    spot: frames.Place | None,
) -> None:
    where: tuple[str, bytes | None, int | None, int] = (HOT, item.data, None, 0)
    if spot is not None:
        where = (COLD, None, spot.frame, spot.offset)
    about = (item.session, item.turn, item.title, item.kind, item.tokens)
    connection.execute(
        _UPSERT,
        (
            *(handle(tagged), tagged, len(item.data), *where, item.observed, *about),
            *(int(item.secret), item.author, item.origin, item.taint),
        ),
    )


def _stored(connection: driver.Connection, number: int) -> tuple[Any, ...] | None:
    """Return a text as it lies there, in one statement: its frame may be replaced."""
    with frames.readable():
        row: tuple[Any, ...] | None = connection.execute(
            "SELECT a.state, a.data, a.offset, a.bytes, f.data, f.bytes FROM archive a"
            " LEFT JOIN frame f ON f.id = a.frame WHERE a.id = ?",
            (number,),
        ).fetchone()
    return row


def _corrupt(row: ArchiveRow) -> StoreCorruptError:
    return StoreCorruptError(
        f"Archived text #{row.id} {row.handle} is damaged: its bytes do not match its "
        "digest. Run `ibid verify` to see what else is, and observe the text again."
    )
