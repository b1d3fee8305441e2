"""Cut a sentence out of what was kept: a recorded hole of the same length (K3)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ibid.engine import index
from ibid.engine.learn.capture import full_text
from ibid.store import archive, memories, transcripts, turns
from ibid.text.redact import redact

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection

_TELLING = 12  # Characters of a sentence's beginning that a cut title must share.
_HOLE = "\u2588"  # One for each character: offsets elsewhere stay true.


def hole(text: str) -> str:
    """Return what stands where ``text`` was cut out: as long, no word of it."""
    return _HOLE * len(text)


def cut_message(
    connection: Connection, memory: Memory, message: int, sentence: str
) -> None:
    """Cut ``sentence`` out of a message, its turn's episode and candidates."""
    row = turns.find_message(connection, message)
    assert row is not None
    text = row["text"].replace(sentence, hole(sentence))
    author = row["author"]
    index.remove(connection, index.MESSAGES, message, row["text"], author)
    found = index.analyse(text, author)
    end = row["end"] or 0
    new = turns.NewText(message, text, end, found.secret, found.length, found.handle)
    turns.replace_text(connection, new)
    index.add(connection, index.MESSAGES, message, found.terms)
    masked = redact(sentence)
    connection.execute("DELETE FROM candidate WHERE text = ?", (masked,))
    if row["turn"] is not None:
        _cut_episode(connection, row["turn"], masked)


def _cut_episode(connection: Connection, turn: int, sentence: str) -> None:
    """Cut a sentence out of an episode and index it by what is left of its turn."""
    known = connection.execute(
        "SELECT * FROM memory WHERE turn = ? AND layer = 2", (turn,)
    ).fetchone()
    if known is None:
        return
    values = {
        name: known[name].replace(sentence, hole(sentence))
        for name in ("text", "request")
    }
    memories.update_memory(connection, known["id"], values)
    full = full_text(turns.turn_messages(connection, turn))
    index.index_memory(connection, known["id"], full)


def cut_everywhere(connection: Connection, sentence: str) -> None:
    """Cut a sentence out of every kept transcript, however escaped, and the archive."""
    forms = spellings(sentence)
    rows = connection.execute("SELECT id FROM transcript WHERE gone IS NULL").fetchall()
    for row in rows:
        data = b"".join(transcripts.load_transcript(connection, row[0]))
        spans = [span for form in forms for span in _find(data, form)]
        if spans:
            transcripts.cut_spans(connection, row[0], spans)
    _cut_archive(connection, sentence)
    _cut_titles(connection, sentence)
    _cut_todos(connection, sentence)


def without(text: str, sentence: str) -> str:
    """Return ``text`` with holes for ``sentence``, also where a cut end begins it."""
    for form in spellings(sentence):
        written = form.decode("utf-8", "replace")
        text = text.replace(written, hole(written))
    bare = text.rstrip("\u2026. ")
    for size in range(min(len(sentence), len(bare)), _TELLING - 1, -1):
        if bare.endswith(sentence[:size]):
            kept = len(bare) - size
            return text[:kept] + hole(sentence[:size]) + text[len(bare) :]
    return text


def _cut_titles(connection: Connection, sentence: str) -> None:
    """Cut a sentence, or its beginning, out of what sessions and tools are called."""
    for table in ("session", "tool", "archive"):
        rows = connection.execute(
            f"SELECT id, title FROM {table} WHERE instr(title, ?)",  # noqa: S608
            (sentence[:_TELLING],),
        ).fetchall()
        for row in rows:
            title = without(row["title"], sentence)
            if table == "archive":
                _rename_archived(connection, row["id"], title)
                continue
            connection.execute(
                f"UPDATE {table} SET title = ? WHERE id = ?",  # noqa: S608
                (title, row["id"]),
            )


def _rename_archived(connection: Connection, number: int, title: str) -> None:
    """Give an archived text another title, which is among what it is found by."""
    found = archive.find_archive(connection, f"#{number}")
    assert found is not None
    data = None
    if found.state != "gone":
        data = archive.load_bytes(connection, found)
        index.unindex_archived(connection, found, data)
    connection.execute("UPDATE archive SET title = ? WHERE id = ?", (title, number))
    if data is not None:
        text = data.decode("utf-8", "replace")
        index.index_archived(connection, found._replace(title=title), text)


def _cut_todos(connection: Connection, sentence: str) -> None:
    """Cut a sentence out of to-do lists and plans, which the handoff shows."""
    rows = connection.execute("SELECT session, items, plan FROM todo").fetchall()
    for row in rows:
        items = [
            [without(text, sentence), state] for text, state in json.loads(row["items"])
        ]
        connection.execute(
            "UPDATE todo SET items = ?, plan = ? WHERE session = ?",
            (
                json.dumps(items, ensure_ascii=False),
                without(row["plan"], sentence),
                row["session"],
            ),
        )


def spellings(sentence: str) -> list[bytes]:
    """Return the bytes by which a transcript can hold a sentence.

    As it is, and inside a JSON string, with or without non-ASCII escaped; also twice.
    """
    plain = json.dumps(sentence, ensure_ascii=False)[1:-1]
    escaped = json.dumps(sentence)[1:-1]
    twice = [json.dumps(one, ensure_ascii=False)[1:-1] for one in (plain, escaped)]
    slashed = plain.replace("/", "\\/")
    forms = dict.fromkeys([sentence, plain, escaped, *twice, slashed])
    return [form.encode("utf-8", "surrogatepass") for form in forms]


def _find(data: bytes, form: bytes) -> list[tuple[int, int]]:
    spans, at = [], data.find(form)
    while at >= 0:
        spans.append((at, at + len(form)))
        at = data.find(form, at + len(form))
    return spans


def _cut_archive(connection: Connection, sentence: str) -> None:
    """Drop archived texts that hold the sentence: they cannot be cut and stay true."""
    forms = spellings(sentence)
    rows = connection.execute("SELECT id FROM archive WHERE state <> 'gone'").fetchall()
    for row in rows:
        found = archive.find_archive(connection, f"#{row[0]}")
        if found is None:
            continue
        data = archive.load_bytes(connection, found)
        if any(form in data for form in forms):
            drop_archived(connection, row[0], "a person erased a sentence in it")


def drop_archived(connection: Connection, number: int, why: str = "") -> None:
    """Take an archived text out of index and store; with ``why`` a tombstone stays."""
    found = archive.find_archive(connection, f"#{number}")
    if found is None or found.state == "gone":
        return
    index.unindex_archived(connection, found, archive.load_bytes(connection, found))
    if why:
        archive.bury(connection, [found], found.observed, why)
    else:
        archive.erase(connection, [found])
