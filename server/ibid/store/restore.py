"""A store made again from its newest good backup (C9, C10).

`heal` stands before every opening: it finds damage, sets the file aside and puts a
backup in its place.  The bulk, which backups leave out, is taken from the copy they
share and from the damaged file itself, each text only if its digest is right.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from ibid.errors import IbidError, StoreCorruptError, StoreReadOnlyError
from ibid.store import archive, driver, frames, parts, transcripts
from ibid.store.backup import BULK, VERBATIM, list_backups, remove_verbatim
from ibid.store.connection import translated
from ibid.store.damage import (
    backup_folder,
    clear_suspicion,
    find_damage,
    list_aside,
    mark_of,
    open_reader,
    set_aside,
)
from ibid.store.locks import exclusive
from ibid.store.settings import INDEXED
from ibid.text.digest import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Key = TypeVar("Key")
Found = TypeVar("Found")

_LOST = "the store was damaged and this text was in no copy of it"
_NUMBERED = ("archive", "frame", "part")  # Their ids are never used again,
_GAP = 1000  # nor are those that may have been given since the backup.
_HEAD = 100  # Bytes of a database's own head, at the start of its first page.
_PAGE = 4096


class Healed(NamedTuple):
    """What was done about a damaged store; tell the person."""

    damage: str
    aside: str  # Where the damaged file is now; "" when there was none.
    backup: str  # The backup that took its place; "" when none was good.
    lost: int  # Archived texts that no copy had.

    def __str__(self) -> str:
        """Say what happened and what to do next, in one paragraph."""
        kept = f"It was set aside as {self.aside}. " if self.aside else ""
        if not self.backup:
            return (
                f"The store was damaged: {self.damage}. {kept}There was no good backup:"
                " a new store was begun. Run `ibid import` to read the agents' "
                "transcripts again."
            )
        lost = f" {self.lost:,} archived texts were in no copy." if self.lost else ""
        return (
            f"The store was damaged: {self.damage}. {kept}The backup {self.backup} took"
            f" its place.{lost} Run `ibid import` to read what came after it again."
        )


def heal(path: str, now: int, thorough: bool = False) -> Healed | None:
    """Make sure that the file at ``path`` may be opened; None when it was sound.

    Damage of any kind is never written to: the file is set aside and the newest good
    backup takes its place, or nothing, so that a new store begins.  Several processes
    may call it at once; one does it.  Close this process's own connections first.

    Raises:
        StoreBusyError: another process is at it.
        StoreReadOnlyError: nothing can be moved or written there.
    """
    damage = find_damage(path, thorough)
    if not damage:
        clear_suspicion(path)
        with suppress(OSError, driver.Error):
            _mark(path)
        return None
    with exclusive(path):
        damage = find_damage(path, thorough)
        if not damage:
            return None
        aside = set_aside(path, now) if os.path.exists(path) else ""
        backup, lost = _restore(path, now)
        clear_suspicion(path)
    return Healed(damage, aside, backup, lost)


def restore(path: str, backup: str, now: int) -> Healed:
    """Put ``backup`` in the place of the store at ``path``, because a person asked.

    Raises:
        StoreCorruptError: the backup is damaged; the store is as it was.
        StoreReadOnlyError: nothing can be moved or written there.
    """
    with exclusive(path):
        copy = _unpacked(path, backup)
        if copy is None:
            raise StoreCorruptError(
                f"The backup {backup} is damaged; the store was left as it is. Take "
                "another one."
            )
        aside = set_aside(path, now) if os.path.exists(path) else ""
        lost = _finish(path, copy, now)
    return Healed("a person asked for a backup", aside, backup, lost)


def _restore(path: str, now: int) -> tuple[str, int]:
    """Put the newest good backup at ``path``; return it and how many texts are lost."""
    for backup in list_backups(path):
        copy = _unpacked(path, backup)
        if copy is not None:
            return backup, _finish(path, copy, now)
    # A new store begins: for the moment an empty file is no damage.
    with suppress(OSError):
        os.remove(mark_of(path))
    return "", 0


def _mark(path: str) -> None:
    """Remember that the file at ``path`` has tables, so that losing them is damage."""
    if os.path.exists(mark_of(path)) or not os.path.exists(path):
        return
    with closing(open_reader(path)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version:
        os.makedirs(backup_folder(path), mode=0o700, exist_ok=True)
        os.close(os.open(mark_of(path), os.O_CREAT | os.O_WRONLY, 0o600))


def _unpacked(path: str, backup: str) -> str | None:
    """Return a database made from ``backup`` beside ``path``; None if it is damaged."""
    import zstandard

    copy = path + ".restoring"
    for name in (copy, copy + "-journal"):
        with suppress(FileNotFoundError):
            os.remove(name)
    try:
        with (
            open(backup, "rb") as packed,
            os.fdopen(os.open(copy, os.O_CREAT | os.O_RDWR, 0o600), "wb") as raw,
        ):
            zstandard.ZstdDecompressor().copy_stream(packed, raw)
    except zstandard.ZstdError:
        return None
    except OSError as error:
        raise StoreReadOnlyError(
            f"Cannot restore {backup} to {path} ({error.strerror}). The damaged store "
            "was set aside beside it. Free some room and try again."
        ) from error
    return copy if not find_damage(copy, thorough=True) else None


def _finish(path: str, copy: str, now: int) -> int:
    """Fill the unpacked backup ``copy`` and move it to ``path``; return texts lost."""
    with translated(copy), closing(driver.connect(copy, isolation_level=None)) as new:
        new.execute("BEGIN IMMEDIATE")
        highest = dict.fromkeys(_NUMBERED, 0)
        for source in _sources(path, copy):
            with closing(open_reader(source)) as old:
                for table in _NUMBERED:
                    seen = _tried(_highest, old, table) or 0
                    highest[table] = max(highest[table], seen)
                _fill_frames(new, old)
                _fill_parts(new, old)
            if not _lacks(new):
                break
        lost = _bury_lost(new, now)
        _shorten(new)
        _count_on(new, highest)
        for table in ("message", "memory", "archive"):
            # The indexes are not in a backup: every row is to be indexed anew.
            new.execute(f"UPDATE {table} SET length = 0, terms_version = 0")
        new.execute("DELETE FROM setting WHERE name = ?", (INDEXED,))
        new.execute("COMMIT")
    os.replace(copy, path)
    with suppress(OSError, driver.Error):
        # Its numbers are those of the store before: the next copy begins anew.
        remove_verbatim(path)
        _mark(path)
    return lost


def _sources(path: str, copy: str) -> Iterator[str]:
    """Give the files that may have the bulk: the damaged one, its mend, the copy."""
    yield from list_aside(path)[-1:]
    verbatim = os.path.join(backup_folder(path), VERBATIM)
    if os.path.exists(verbatim):
        yield verbatim
    for aside in list_aside(path)[-1:]:
        mended = path + ".mended"
        try:
            _mend(aside, mended, copy)
            yield mended
        except OSError:
            continue  # No room for it.
        finally:
            for name in (mended, mended + "-wal", mended + "-shm"):
                with suppress(FileNotFoundError):
                    os.remove(name)


def _mend(aside: str, mended: str, copy: str) -> None:
    """Copy a damaged file and give the copy a head by which its pages can be read.

    SQLite reads nothing of a file whose head is damaged or that is shorter than its
    head says.  A head of the same kind does, if its two change counters differ: then
    the file is taken to be as long as it is.
    """
    with open(copy, "rb") as file:
        head = bytearray(file.read(_HEAD))
    head[24:28], head[92:96] = b"\0\0\0\1", b"\0\0\0\2"
    import shutil

    flags = os.O_CREAT | os.O_TRUNC | os.O_WRONLY
    with (
        open(aside, "rb") as source,
        os.fdopen(os.open(mended, flags, 0o600), "wb") as target,
    ):
        shutil.copyfileobj(source, target, 1 << 20)
        target.truncate(-(-target.tell() // _PAGE) * _PAGE)
        target.seek(0)
        target.write(head)


def _lacks(new: driver.Connection) -> bool:
    """Say whether something of the bulk is still missing."""
    return any(
        new.execute(f"SELECT 1 FROM {table} WHERE length(data) = 0").fetchone()
        for table in BULK
    )


def _fill_frames(new: driver.Connection, old: driver.Connection) -> None:
    """Copy the frames that ``new`` lacks from ``old``, text by text if need be."""
    for (frame,) in new.execute(
        "SELECT id FROM frame WHERE length(data) = 0"
    ).fetchall():
        rows = [
            archive.ArchiveRow(*row)
            for row in new.execute(archive.SELECT + "WHERE frame = ?", (frame,))
        ]
        found: dict[int, bytes] = {}
        raw = _tried(frames.load, old, frame) or b""
        for row in rows:
            text = raw[row.offset : row.offset + row.bytes]
            if digest(text) != row.digest:
                text = _moved(old, row)
            if digest(text) == row.digest:
                found[row.id] = text
        places = frames.place(new, list(found.values()))
        for number, spot in zip(found, places, strict=True):
            new.execute(
                "UPDATE archive SET frame = ?, offset = ? WHERE id = ?",
                (spot.frame, spot.offset, number),
            )
        if len(found) == len(rows):
            new.execute("DELETE FROM frame WHERE id = ?", (frame,))


def _moved(old: driver.Connection, row: archive.ArchiveRow) -> bytes:
    """Return a text that has been moved to another frame since the backup."""
    there = _tried(archive.find_archive, old, row.handle)
    return (_tried(archive.load_bytes, old, there) if there else None) or b""


def _fill_parts(new: driver.Connection, old: driver.Connection) -> None:
    """Copy the parts that ``new`` lacks from ``old``, or pieces of files there."""
    missing = new.execute(
        "SELECT p.id, p.digest, t.transcript, t.start, t.start + t.bytes FROM part p"
        " JOIN transcript_part t ON t.part = p.id WHERE length(p.data) = 0"
    ).fetchall()
    for number, tagged, transcript, start, end in missing:
        raw = _tried(parts.load, old, tagged)
        if raw is None:
            raw = _tried(_piece, old, (transcript, start, end))
        if raw is not None and digest(raw) == tagged:
            new.execute(
                "UPDATE part SET codec = ?, data = ? WHERE id = ?",
                (*parts.encoded(raw, full=True), number),
            )


def _piece(old: driver.Connection, place: tuple[int, int, int]) -> bytes:
    return b"".join(parts.stream(old, *place))


def _tried(
    load: Callable[[driver.Connection, Key], Found], old: driver.Connection, key: Key
) -> Found | None:
    """Return what ``load`` finds in a file that may be damaged in any way."""
    try:
        return load(old, key)
    except (*frames.DAMAGE, IbidError):
        return None


def _highest(old: driver.Connection, table: str) -> int:
    """Return the highest id that was given in ``table``, if it can be one of ours."""
    row = old.execute(
        f"SELECT max(id), (SELECT max(seq) FROM sqlite_sequence WHERE name = ?)"
        f" FROM {table}",
        (table,),
    ).fetchone()
    return max(int(number or 0) for number in row if int(number or 0) < 1 << 40)


def _count_on(new: driver.Connection, highest: dict[str, int]) -> None:
    """Give no number again that may have been given since the backup (M4)."""
    for table, seen in highest.items():
        own = int(new.execute(f"SELECT max(id) FROM {table}").fetchone()[0] or 0)
        new.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        new.execute(
            "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)",
            (table, max(own, seen) + _GAP),
        )


def _bury_lost(new: driver.Connection, now: int) -> int:
    """Leave tombstones for the texts that no source had; return how many."""
    rows = new.execute(
        archive.SELECT + "WHERE frame IN (SELECT id FROM frame WHERE length(data) = 0)"
    ).fetchall()
    archive.bury(new, [archive.ArchiveRow(*row) for row in rows], now, _LOST)
    return len(rows)


def _shorten(new: driver.Connection) -> None:
    """End each kept transcript before its first missing part: it can be kept on."""
    for transcript, start in new.execute(
        "SELECT t.transcript, min(t.start) FROM transcript_part t JOIN part p"
        " ON p.id = t.part WHERE length(p.data) = 0 GROUP BY t.transcript"
    ).fetchall():
        transcripts.shorten(new, transcript, start)
