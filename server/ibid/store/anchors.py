"""What of the code notes name, and how it was when it was last looked at (R4).

``fingerprint`` is a print of `ibid.text.prints`, a space, and ``@`` with the path it
was found at; "" while it was not found anywhere.  ``checked`` is the file's own time
when it was last judged, so that another process need not read it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ibid.store.driver import Connection, Row

MOST = 5_000  # Anchors that are looked after.

FINER = """(a.symbol = '' AND EXISTS (SELECT 1 FROM anchor b WHERE b.memory = a.memory
    AND b.path = a.path AND b.symbol <> '' AND b.fingerprint <> ''))"""


class Judged(NamedTuple):
    """What is known of an anchor now."""

    fingerprint: str
    state: str
    checked: int
    anchor: int


def watched(connection: Connection) -> list[Row]:
    """Return the anchors of active notes, the newest first.

    Of a file, ``finer`` says whether the note also names symbols in it.
    """
    return connection.execute(
        f"""SELECT a.*, {FINER} AS finer FROM anchor a JOIN memory m ON m.id = a.memory
        WHERE m.active AND m.layer = 1 ORDER BY a.id DESC LIMIT ?""",
        (MOST,),
    ).fetchall()


def anchored_notes(connection: Connection, path: str) -> list[Row]:
    """Return active notes that name ``path``, a folder above it, or only a symbol.

    Each has ``anchor``, its number, and ``anchor_path``, ``anchor_symbol``,
    ``anchor_print``, ``anchor_state`` and ``anchor_finer``, as `watched` has it.
    """
    parts = path.split("/")
    named = [path, *("/".join(parts[:end]) for end in range(1, len(parts))), ""]
    named += [parts[-1]] if len(parts) > 1 else []
    marks = ", ".join("?" * len(named))
    return connection.execute(
        f"""SELECT m.*, a.id AS anchor, a.path AS anchor_path,
            a.symbol AS anchor_symbol, a.fingerprint AS anchor_print,
            a.state AS anchor_state, {FINER} AS anchor_finer
        FROM anchor a JOIN memory m ON m.id = a.memory
        WHERE a.path IN ({marks}) AND m.active AND m.layer = 1
        ORDER BY m.pinned DESC, m.updated DESC LIMIT 500""",
        named,
    ).fetchall()


def set_judged(connection: Connection, found: Iterable[Judged]) -> None:
    """Note what is known of anchors now."""
    connection.executemany(
        "UPDATE anchor SET fingerprint = ?, state = ?, checked = ? WHERE id = ?", found
    )


def begin_anew(connection: Connection, memory: int) -> None:
    """Let a note's code be looked at anew: what is there then is what was meant."""
    connection.execute(
        "UPDATE anchor SET fingerprint = '', state = 'fresh', checked = 0"
        " WHERE memory = ?",
        (memory,),
    )


def drop_anchor(connection: Connection, memory: int, path: str, symbol: str) -> None:
    """Untie a note from one place that its words no longer name."""
    connection.execute(
        "DELETE FROM anchor WHERE memory = ? AND path = ? AND symbol = ?",
        (memory, path, symbol),
    )


def touched_paths(connection: Connection, limit: int) -> list[str]:
    """Return the absolute paths of files that anybody touched, the last first."""
    rows = connection.execute(
        """SELECT path FROM (SELECT path, at FROM shown UNION ALL
            SELECT path, at FROM edit)
        GROUP BY path ORDER BY max(at) DESC, path LIMIT ?""",
        (limit,),
    ).fetchall()
    return [row[0] for row in rows]
