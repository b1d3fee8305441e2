"""Erase what other projects were sent of a memory that is deleted here (S2, K3, I2).

Every project that ever recalled from this one may hold its words: in receipts, and,
where the injected block came back in a transcript or a tool's answer, in what it keeps
of those.  A part of the erasing job, which knows ids only; a project that cannot be
opened now keeps the job open and is named.
"""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING, Any

from ibid.engine.keep.holes import cut_everywhere
from ibid.engine.keep.words import remember
from ibid.errors import IbidError, StoreBusyError
from ibid.store import backup, frames, includes, projects, receipts
from ibid.store.connection import HOOK_BUSY_MS, Store
from ibid.store.schema import ensure_schema
from ibid.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row


def keys_of_note(
    connection: Connection, note: Row, sentences: Iterable[str]
) -> list[str]:
    """Return the notes and episodes whose sent text may hold words of ``note``."""
    keys = {note["key"]}
    for sentence in sentences:
        keys |= _holding(connection, sentence)
    return sorted(keys)


def keys_of_said(connection: Connection, spans: Iterable[dict[str, int]]) -> list[str]:
    """Return those whose sent text may hold what was said at ``spans``.

    An episode counts whatever it tells now: an earlier form of it may have been sent.
    """
    keys: set[str] = set()
    for span in spans:
        row = connection.execute(
            "SELECT text FROM message WHERE id = ?", (span["message"],)
        ).fetchone()
        sentence = "" if row is None else row["text"][span["start"] : span["end"]]
        if not sentence.strip():
            continue
        keys |= _holding(connection, redact(sentence))
        keys |= _keys(
            connection,
            "SELECT key FROM memory WHERE layer = 2 AND turn IN"
            " (SELECT turn FROM message WHERE instr(text, ?))",
            sentence,
        )
    return sorted(keys)


def keys_of_session(connection: Connection, session: int) -> list[str]:
    """Return the episodes of a session."""
    sql = "SELECT key FROM memory WHERE layer = 2 AND session = ?"
    return sorted(_keys(connection, sql, session))


def _holding(connection: Connection, sentence: str) -> set[str]:
    sql = "SELECT key FROM memory WHERE instr(text, ?1) OR instr(request, ?1)"
    return _keys(connection, sql, sentence) if sentence.strip() else set()


def _keys(connection: Connection, sql: str, value: str | int) -> set[str]:
    return {row["key"] for row in connection.execute(sql, (value,)).fetchall()}


# -- in the readers ----------------------------------------------------------------


def work(memory: Memory, payload: dict[str, Any]) -> list[str]:
    """Do what is left of a job in the projects that read here; return why it waits.

    ``payload`` holds ``keys`` and ``said`` (whether kept transcripts are cut as well),
    and is given ``readers``: those where it is not done yet.
    """
    if not payload.get("keys"):
        return []
    if "readers" not in payload:
        try:
            roots = includes.readers(memory.home, memory.project.key)
        except IbidError as error:
            return [str(error)]
        payload["readers"] = roots
    waits = []
    for root in list(payload["readers"]):
        try:
            _work_in(memory, root, payload)
            payload["readers"].remove(root)
        except (IbidError, OSError, *frames.DAMAGE) as error:
            waits.append(f"{root}: {error}")
    return waits


def _work_in(memory: Memory, root: str, payload: dict[str, Any]) -> None:
    """Blank, cut and clean in the project that is at ``root`` now.

    Raises:
        IbidError, OSError, frames.DAMAGE: it could not be done to its end.
    """
    from ibid.engine.memory import Memory

    project = projects.project_of(root, memory.home)  # It may have been moved.
    if not os.path.isfile(project.database):
        return
    with closing(Store(project.database, HOOK_BUSY_MS)) as store:
        ensure_schema(store)
        reader = Memory(project, memory.home, store, memory.clock)
        if not _blank(reader, payload):
            return
        if not clean(reader):
            raise StoreBusyError("another process is reading there")


def _blank(reader: Memory, payload: dict[str, Any]) -> bool:
    """Blank receipts and cut the lines out of what is kept; say if any was ever sent.

    That they are blank already is no end: a kill may have come before the cleaning.
    """
    with reader.store.write(durable=True) as connection:
        lines = receipts.blank_items(connection, payload["keys"], crossed=True)
        if payload["said"]:
            for line in sorted(lines):
                cut_everywhere(connection, line)
                remember(connection, reader.key, line, reader.clock.now())
        return receipts.has_items(connection, payload["keys"])


def clean(memory: Memory) -> bool:
    """Clean index, free pages, log and backups; False while another process reads."""
    if not memory.store.scrub():
        return False
    path = memory.project.database
    if backup.has_copies(path):  # The older ones hold what was erased.
        backup.replace_backups(path, memory.clock.now())
    return True
