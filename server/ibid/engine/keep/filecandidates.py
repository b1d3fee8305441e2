"""Note files that Ibid did not write: candidates until a person accepts them (R1).

A candidate is tied to the exact bytes of its file.  Changed again, it is another one;
gone, it is withdrawn; rejected, the same bytes are not proposed a second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.engine import index
from ibid.engine.keep.about import note_about
from ibid.engine.learn.profile import rebuild_profile
from ibid.engine.learn.settle import ensure_anchors
from ibid.engine.model import CATEGORIES, CERTAIN
from ibid.errors import ConflictError, InputError
from ibid.files import gate
from ibid.files import notes as files
from ibid.store import candidates, memories, notefiles
from ibid.text.redact import redact
from ibid.text.signals import find_signals

if TYPE_CHECKING:
    from ibid.engine.keep.filenotes import Found
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

SIGNAL = "note file"


def propose(
    memory: Memory, connection: Connection, found: Found, owner: Row | None
) -> int:
    """Put a file that nobody vouched for into the queue; return 1 when it is new."""
    if not found.text:
        return 0
    if notefiles.candidate_of(connection, found.relative, found.digest) is not None:
        return 0
    now = memory.clock.now()
    what = "changes a note" if owner is not None else "was not written by Ibid"
    reason = f"{found.relative} {what}: accept it if you trust it"
    if found.secret:
        reason += "; it holds a secret, which is masked here"
    new = candidates.NewCandidate(
        key=memory.ids.new("c"),
        category=_category(found),
        text=found.text,
        signal=SIGNAL,
        role=found.role,
        confidence=CERTAIN,
        at=now,
        due=now,
        waits="review",
        reason=reason,
        created=now,
        author="file",
        origin="file",
        taint=True,
    )
    number = notefiles.add_candidate(connection, new)
    resembles = None if owner is None else owner["id"]
    notefiles.tie_candidate(connection, number, found.relative, found.digest, resembles)
    return 1


def withdraw_stale(connection: Connection, there: frozenset[str], now: int) -> int:
    """Withdraw waiting files that are gone, or were changed again."""
    count = 0
    newest: dict[str, int] = {}
    rows = notefiles.waiting_files(connection)
    for row in rows:
        newest[row["file"]] = max(newest.get(row["file"], 0), row["id"])
    for row in rows:
        if row["file"] in there and newest[row["file"]] == row["id"]:
            continue
        values = {
            "state": candidates.WITHDRAWN,
            "reason": "its file is gone or was changed again",
            "updated": now,
        }
        memories.update_row(connection, "candidate", row["id"], values)
        count += 1
    return count


def accept_file(
    memory: Memory, connection: Connection, candidate: Row, pinned: bool
) -> str:
    """Make the file of an accepted candidate a note; return the note's id.

    Nothing is written to the file: it may be tracked (R5).

    Raises:
        ConflictError: the file is not what was shown any more.
    """
    from ibid.engine.keep.filenotes import Found, correct_by_file

    relative = candidate["file"]
    row = gate.find_file(memory.project.path, relative)
    if row is None or files.digest_of(row.data) != candidate["digest"]:
        raise ConflictError(
            f"{relative} has changed since it was proposed; look at it again."
        )
    note = files.parse(row.data)
    found = Found(relative, row.data, candidate["digest"], note, candidate["role"])
    owner = (
        None
        if candidate["resembles"] is None
        else memories.find_memory(connection, candidate["resembles"])
    )
    if owner is not None:
        correct_by_file(memory, connection, owner, found)
        number, key = owner["id"], str(owner["key"])
    else:
        key = _free_key(memory, connection, note.text("id"))
        new = _new_note(candidate, found, key, memory.clock.now())
        number = memories.add_memory(connection, new)
        index.index_memory(connection, number, new.text)
        ensure_anchors(connection, number, new.text)
        note_about(connection, number, found)
    if pinned:
        memories.update_memory(connection, number, {"pinned": 1})
    notefiles.file_seen(connection, number, relative, candidate["digest"])
    connection.execute(
        "UPDATE candidate SET memory = ? WHERE id = ?", (number, candidate["id"])
    )
    rebuild_profile(connection, memory.ids.new, memory.clock.now())
    return key


def _new_note(candidate: Row, found: Found, key: str, at: int) -> memories.NewMemory:
    return memories.NewMemory(
        key=key,
        layer=memories.NOTE,
        category=candidate["category"],
        text=candidate["text"],
        confidence=CERTAIN,
        origin="file",
        at=at,
        role=candidate["role"],
        tags=found.tags,
        pinned=bool(found.note.fields.get("pinned", False)),
        author="file",
        curated=True,
    )


def _free_key(memory: Memory, connection: Connection, key: str) -> str:
    """Return the id that a file names, if no other note has it, else a new one."""
    if key and notefiles.by_key(connection, key) is None:
        return key
    return memory.ids.new("n")


def _category(found: Found) -> str:
    said = found.note.text("category")
    if said in CATEGORIES:
        return said
    signals = find_signals(redact(found.note.body[:2_000]))
    return signals[0].category if signals else "fact"


def check_editable(candidate: Row) -> None:
    """Refuse to edit a candidate that is a file: its words are the file's.

    Raises:
        InputError: says where to edit them.
    """
    if candidate["file"]:
        raise InputError(f"Edit {candidate['file']} itself; its words are the note.")
