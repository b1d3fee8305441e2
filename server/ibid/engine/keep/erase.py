"""Permanent deletion: a durable job, shown until it is done (K3, I2).

Deleting a note erases its words everywhere but keeps receipts' totals; with *and where
it was said* the sentence is cut out of turns, episodes, archive and kept transcripts,
and a suppression key stops a later import from bringing it back.  A job remembers only
ids; it is retried until index, write-ahead log and backups are clean as well.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.engine import index
from ibid.engine.keep import elsewhere
from ibid.engine.keep.holes import (
    cut_everywhere,
    cut_message,
    drop_archived,
    hole,
)
from ibid.engine.keep.sessions import load_session
from ibid.engine.keep.words import remember
from ibid.engine.learn.merge import term_hashes
from ibid.engine.learn.profile import rebuild_profile
from ibid.errors import InputError
from ibid.store import candidates, jobs, memories, receipts, transcripts, turns
from ibid.text.clean import one_line
from ibid.text.redact import redact

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

ERASE = "erase"
_READING = "Another process is reading the store."


class Deleted(NamedTuple):
    """What was deleted, and the job that finishes it; None when all is done."""

    name: str
    job: int | None
    waits: str = ""  # Why the job is not done yet.


class Eraser:
    """Deletes notes and sessions of one project."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def delete_note(self, name: str, said: bool = False, file: bool = False) -> Deleted:
        """Delete a note for good; with ``said`` also where it was said.

        With ``file`` its file goes too, unless somebody changed it since; a file that
        stays is never taken for a note again.

        Raises:
            InputError: the profile is meant, which is made from the notes.
            NotFoundError, AmbiguousError: no note, or several, are called so.
        """
        memory = self._memory
        with memory.store.write(durable=True) as connection:
            row = memories.load_memory(connection, name)
            if row["layer"] == memories.PROFILE:
                raise InputError("The profile is made from the notes; delete those.")
            now = memory.clock.now()
            spans = _spans(connection, row) if said else []
            sentences = {row["text"], *_older(connection, row)}
            keys = elsewhere.keys_of_note(connection, row, sentences)
            keys += elsewhere.keys_of_said(connection, spans)
            self._forget_words(connection, row, sentences, now)
            index.drop_memory(connection, row["id"])
            connection.execute(  # A chain of corrections stays one (D4).
                "UPDATE memory SET supersedes = ? WHERE supersedes = ?",
                (row["supersedes"], row["id"]),
            )
            connection.execute("DELETE FROM memory WHERE id = ?", (row["id"],))
            rebuild_profile(connection, memory.ids.new, now)
            self._add_job(connection, spans, keys, said)
            if row["file"]:
                stays = candidates.Suppression(f"note:{row['key']}", 0, 0, now)
                candidates.ensure_suppression(connection, stays)
        if file and row["file"]:
            memory.filenotes.remove(row)
        return self._finish(row["key"])

    def delete_session(self, name: str) -> Deleted:
        """Delete a whole session with what nothing else needs; notes of it stay.

        Raises:
            NotFoundError, AmbiguousError: no session, or several, are called so.
        """
        memory = self._memory
        with memory.store.write(durable=True) as connection:
            row = load_session(connection, name)
            now = memory.clock.now()
            keys = elsewhere.keys_of_session(connection, row["id"])
            receipts.blank_items(connection, keys, crossed=False)
            _drop_session(connection, row, now)
            rebuild_profile(connection, memory.ids.new, now)
            self._add_job(connection, [], keys, said=True)
        return self._finish(row["native"])

    def run(self) -> int | None:
        """Work on open jobs; return the number of one that must be tried again."""
        memory = self._memory
        left = None
        if memory.store.read_only:
            return None
        for job in jobs.open_jobs(memory.store.read(), ERASE):
            if not self._try(job):
                left = int(job["id"])
        return left

    def waiting(self) -> list[str]:
        """Return why deletions are not done yet, one sentence for each (K3)."""
        found = jobs.open_jobs(self._memory.store.read(), ERASE)
        return [job["error"] or _READING for job in found]

    def _try(self, job: Row) -> bool:
        """Work on one job: here first, then where this project is read; say if done."""
        memory = self._memory
        payload = json.loads(job["payload"])
        with memory.store.write(durable=True) as connection:
            for span in payload["spans"]:
                _cut(connection, memory, span)
            payload["spans"] = []
            jobs.finish_steps(connection, job["id"], json.dumps(payload))
        waits = []
        if not payload.get("clean"):
            memory.handoffs.refresh()
            payload["clean"] = elsewhere.clean(memory)
            if not payload["clean"]:
                waits.append(_READING)
        waits += elsewhere.work(memory, payload)
        with memory.store.write(durable=True) as connection:
            told = " ".join(waits)
            jobs.finish_steps(connection, job["id"], json.dumps(payload), told)
            if not waits:
                jobs.end_job(connection, job["id"])
        return not waits

    def _add_job(
        self,
        connection: Connection,
        spans: list[dict[str, int]],
        keys: list[str],
        said: bool,
    ) -> None:
        payload = {"spans": spans, "keys": keys, "said": said}
        now = self._memory.clock.now()
        jobs.add_job(connection, ERASE, json.dumps(payload), now)

    def _finish(self, name: str) -> Deleted:
        job = self.run()
        return Deleted(name, job, " ".join(self.waiting()) if job else "")

    def _forget_words(
        self, connection: Connection, row: Row, sentences: set[str], now: int
    ) -> None:
        """Erase a note's words from candidates and receipts; leave keyed hashes."""
        hashes = term_hashes(self._memory.key, row["text"])
        stone = candidates.Tombstone(
            "deleted", row["key"], row["category"], hashes, now
        )
        candidates.add_tombstone(connection, stone)
        for sentence in sentences:
            connection.execute(
                "DELETE FROM candidate WHERE memory = ? OR text = ?",
                (row["id"], sentence),
            )
            _blank_receipts(connection, row["key"], sentence)


def _spans(connection: Connection, row: Row) -> list[dict[str, int]]:
    """Return where the note was said, as message and characters."""
    return [
        {"message": one["message"], "start": one["start"], "end": one["end"]}
        for one in memories.list_evidence(connection, row["id"])
        if one["message"] is not None and one["end"] > one["start"]
    ]


def _older(connection: Connection, row: Row) -> set[str]:
    return {one["text"] for one in memories.list_history(connection, row["id"])}


def _blank_receipts(connection: Connection, key: str, sentence: str) -> None:
    """Blank a note's text in receipts and keep their totals, marked so (I2)."""
    lines = connection.execute(
        "SELECT receipt, position, text FROM receipt_item"
        " WHERE item = ?1 OR instr(text, ?2)",
        (key, sentence),
    ).fetchall()
    receipts.blank_lines(connection, lines)
    connection.execute(
        "UPDATE receipt SET text = replace(text, ?1, ?2),"
        " query = replace(query, ?1, ?2), erased = 1, version = version + 1"
        " WHERE instr(text, ?1) OR instr(query, ?1)",
        (sentence, receipts.ERASED),
    )


def _blank_handed_on(connection: Connection, native: str) -> None:
    """Blank what other sessions were sent of this one: its handoff's lines (I2)."""
    start = f"turn:{native}/"
    rows = connection.execute(
        "SELECT item, text FROM receipt_item WHERE substr(item, 1, ?) = ?",
        (len(start), start),
    ).fetchall()
    for row in rows:
        _blank_receipts(connection, row["item"], row["text"])


def _cut(connection: Connection, memory: Memory, span: dict[str, Any]) -> None:
    """Cut one sentence out of everything that holds it (K3)."""
    row = turns.find_message(connection, span["message"])
    if row is None:
        return
    sentence = row["text"][span["start"] : span["end"]]
    if not sentence.strip() or sentence == hole(sentence):
        return
    cut_everywhere(connection, sentence)
    now = memory.clock.now()
    remember(connection, memory.key, sentence, now)
    for form in dict.fromkeys((sentence, redact(sentence), one_line(sentence))):
        _blank_receipts(connection, "", form)
    same = connection.execute(
        "SELECT id FROM message WHERE instr(text, ?)", (sentence,)
    ).fetchall()
    for one in same:
        cut_message(connection, memory, one["id"], sentence)
    suppression = candidates.Suppression(row["native"], span["start"], span["end"], now)
    candidates.ensure_suppression(connection, suppression)


def _drop_session(connection: Connection, session: Row, now: int) -> None:
    """Remove a session's rows; archived texts only if nothing else names them."""
    number = session["id"]
    for row in connection.execute(
        "SELECT id, text, author FROM message WHERE session = ?", (number,)
    ).fetchall():
        index.remove(connection, index.MESSAGES, row["id"], row["text"], row["author"])
    for row in connection.execute(
        "SELECT id FROM memory WHERE session = ? AND layer = 2", (number,)
    ).fetchall():
        index.drop_memory(connection, row["id"])
        connection.execute("DELETE FROM memory WHERE id = ?", (row["id"],))
    needed = connection.execute(
        """SELECT archive FROM tool WHERE session = ?1 AND archive IS NOT NULL
        UNION SELECT archive FROM shown WHERE session = ?1 AND archive IS NOT NULL""",
        (number,),
    ).fetchall()
    transcripts.erase_transcripts(connection, number)
    connection.execute("DELETE FROM evidence WHERE session = ?", (number,))
    connection.execute(
        "UPDATE receipt SET text = '', query = '', erased = 1 WHERE session = ?"
        " OR native = ?",
        (number, session["native"]),
    )
    _blank_handed_on(connection, session["native"])
    connection.execute("DELETE FROM session WHERE id = ?", (number,))
    _drop_unneeded(connection, [row[0] for row in needed])
    whole = candidates.Suppression(f"session:{session['native']}", 0, 0, now)
    candidates.ensure_suppression(connection, whole)


def _drop_unneeded(connection: Connection, archived: list[int]) -> None:
    for number in archived:
        used = connection.execute(
            """SELECT 1 FROM tool WHERE archive = ?1 UNION ALL
            SELECT 1 FROM shown WHERE archive = ?1 UNION ALL
            SELECT 1 FROM reference WHERE archive = ?1 LIMIT 1""",
            (number,),
        ).fetchone()
        if used is None:
            drop_archived(connection, number)
