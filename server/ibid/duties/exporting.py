"""Give kept transcripts back, byte for byte (M5)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ibid.errors import InputError, NotFoundError
from ibid.store import transcripts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ibid.engine.memory import Memory


class Written(NamedTuple):
    """A transcript file that was written out."""

    name: str
    bytes: int
    cut: int  # Bytes that had been cut out of it (K3, E1).


def main_transcript(memory: Memory, session: str) -> transcripts.TranscriptRow:
    """Return the newest kept file of a session's main thread.

    Raises:
        NotFoundError: no such session, or none of its files was kept.
    """
    rows = _kept(memory, session)
    main = [row for row in rows if not row.scope]
    return max(main or rows, key=lambda row: (row.generation, row.bytes))


def read_transcript(memory: Memory, row: transcripts.TranscriptRow) -> Iterator[bytes]:
    """Return a kept file's bytes in pieces.

    Raises:
        GoneError: the size cap took it.
        StoreCorruptError: a part of it is damaged.
    """
    return transcripts.load_transcript(memory.store.read(), row.id)


def export_all(memory: Memory, session: str, folder: Path) -> list[Written]:
    """Write every kept file of a session below ``folder``; nothing is overwritten.

    Raises:
        NotFoundError: no such session, or none of its files was kept.
        InputError: a file of that name is there already.
    """
    written = []
    newest = {row.name: row for row in _kept(memory, session)}
    for row in newest.values():
        target = folder.joinpath(*_safe_parts(row.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f"{target.name}.{os.getpid()}.part")
        if target.exists():
            raise InputError(f"{target} is there already; give an empty folder.")
        try:
            with partial.open("xb") as file:
                for piece in read_transcript(memory, row):
                    file.write(piece)
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        written.append(Written(row.name, row.bytes, row.cut))
    return written


def _kept(memory: Memory, session: str) -> list[transcripts.TranscriptRow]:
    row = memory.sessions.load(session)
    rows = transcripts.list_transcripts(memory.store.read(), row["id"])
    if not rows:
        raise NotFoundError(
            f"No transcript of session {row['native']} was kept. Transcripts are kept "
            "from their import on, unless `ibid policy set transcripts off`."
        )
    return rows


def _safe_parts(name: str) -> list[str]:
    """Return a stored name's parts; none may climb out of the folder."""
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return [part.replace("\\", "_").replace(":", "_") for part in parts] or ["session"]
