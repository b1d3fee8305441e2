"""From a handle back to the whole text: the other half of every cut (M2, M4).

A handle names an archived text, a message or an episode's originals; ``#412`` is an
archived text's number, ``turn:SESSION/N`` and ``m-N`` name what was said, ``n-…``,
``e-…`` and ``p-…`` memories.  A unique start of a name is enough.  Secrets are masked
unless the person asks to see them (E1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine import index
from ibid.engine.keep.sessions import load_session
from ibid.errors import InputError, NotFoundError
from ibid.store import archive, memories, turns
from ibid.text.digest import HANDLE_LENGTH
from ibid.text.excerpt import Excerpt, head, line_range, lines_of, search, tail
from ibid.text.redact import has_secret, redact

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

_MEMORIES = ("n-", "e-", "p-")


class Part(NamedTuple):
    """Which lines are wanted: a range, or head and tail, or those around ``find``.

    Lines count from 1; 0 and "" ask for nothing, and nothing at all for the whole text.
    """

    first: int = 0
    last: int = 0
    head: int = 0
    tail: int = 0
    find: str = ""


WHOLE = Part()


class Expanded(NamedTuple):
    """A text: ``bytes`` is the original's length, ``state`` hot or cold."""

    data: bytes  # What was asked for: the whole, or its parts one after the other.
    bytes: int
    state: str
    redacted: bool
    title: str
    parts: tuple[Excerpt, ...] = ()  # In order and apart; none of a whole text.
    total: int = 0  # Lines of the text.

    def numbered(self) -> str:
        """Return the parts with their lines' numbers, and marks where lines lack."""
        shown: list[str] = []
        at = 0
        for part in self.parts:
            if part.first > at + 1:
                shown.append(_left_out(part.first - at - 1))
            lines = part.text.removesuffix("\n").split("\n")
            shown += [f"{part.first + i}: {line}" for i, line in enumerate(lines)]
            at = part.last
        if at < self.total:
            shown.append(_left_out(self.total - at))
        return "\n".join(shown)


def _left_out(lines: int) -> str:
    return f"[{lines} more line{'' if lines == 1 else 's'}]"


def expand(memory: Memory, name: str, reveal: bool, part: Part = WHOLE) -> Expanded:
    """Return the text behind ``name``, byte-exact unless secrets are masked.

    Secrets are masked in the whole before any part is cut out of it.

    Raises:
        NotFoundError, AmbiguousError: nothing, or several texts, are called so.
        GoneError: it was there; the message says when and why it went.
        InputError: the part that is wanted cannot be one.
    """
    _check(part)
    return _cut(_load(memory, name, reveal), part)


def _check(part: Part) -> None:
    kinds = (part.first or part.last, part.head or part.tail, part.find)
    if sum(map(bool, kinds)) > 1:
        raise InputError("Ask for a range of lines, for head and tail, or for a word.")
    if min(part[:4]) < 0 or (kinds[0] and not 1 <= part.first <= part.last):
        raise InputError("Lines count from 1, first to last, as in 10:20.")


def _cut(found: Expanded, part: Part) -> Expanded:
    text = found.data.decode("utf-8", "surrogateescape")
    total = len(lines_of(text))
    if part == WHOLE:
        return found._replace(total=total)
    if part.find:
        parts = search(text, part.find)
    elif part.first:
        parts = [line_range(text, part.first, part.last)]
    elif part.head + part.tail >= total:
        parts = [head(text, total)]
    else:
        parts = [head(text, part.head), tail(text, part.tail)]
    parts = [one for one in parts if one.first <= one.last]
    data = "".join(one.text for one in parts).encode("utf-8", "surrogateescape")
    return found._replace(data=data, parts=tuple(parts), total=total)


def _load(memory: Memory, name: str, reveal: bool) -> Expanded:
    bare = name.strip().removeprefix("<<ccr:").removesuffix(">>")
    connection = memory.store.read()
    said = _said(connection, bare)
    if said is not None:
        return _masked(said[1].encode("utf-8", "replace"), "hot", said[0], reveal)
    row = archive.load_archive(connection, bare)
    data = archive.load_bytes(connection, row)
    title = row.title if reveal else redact(row.title)
    return _masked(data, row.state, title, reveal)


def _masked(data: bytes, state: str, title: str, reveal: bool) -> Expanded:
    size = len(data)
    if reveal:
        return Expanded(data, size, state, False, title)
    text = data.decode("utf-8", "surrogateescape")
    if not has_secret(text):
        return Expanded(data, size, state, False, title)
    masked = redact(text).encode("utf-8", "surrogateescape")
    return Expanded(masked, size, state, True, title)


def _said(connection: Connection, name: str) -> tuple[str, str] | None:
    """Return title and text of a message, turn or episode called ``name``."""
    if name.startswith("turn:"):
        session, _, number = name.removeprefix("turn:").rpartition("/")
        return _turn(connection, session, number)
    if name.startswith("m-") and name[2:].isdigit():
        row = turns.find_message(connection, int(name[2:]))
        return None if row is None else ("message", row["text"])
    if name[:2] in _MEMORIES:
        return _memory(connection, memories.load_memory(connection, name))
    if not name or name.strip("0123456789abcdef"):
        return None
    if len(name) < HANDLE_LENGTH and archive.find_archive(connection, name):
        return None  # What agents observed is meant first where a start is given.
    row = turns.find_by_handle(connection, name)
    if row is not None:
        return "message", row["text"]
    memory = memories.find_by_handle(connection, name)
    return None if memory is None else _memory(connection, memory)


def _memory(connection: Connection, row: Row) -> tuple[str, str]:
    """Return what an episode was made from, or a note's whole text (M4)."""
    if row["layer"] == memories.EPISODE and row["turn"] is not None:
        return "turn", turn_text(turns.turn_messages(connection, row["turn"]))
    return row["category"], row["text"]


def _turn(connection: Connection, session: str, number: str) -> tuple[str, str]:
    owner = load_session(connection, session)
    turn = None
    if number.isdigit():
        turn = turns.turn_by_number(connection, owner["id"], int(number))
    if turn is None:
        raise NotFoundError(f"No turn {number!r} in session {owner['native']}.")
    return "turn", turn_text(turns.turn_messages(connection, turn["id"]))


def turn_text(messages: list[Row]) -> str:
    """Return what was asked and answered in a turn, whole."""
    asked = [row["text"] for row in messages if row["role"] == "person"]
    done = [row["text"] for row in messages if row["role"] == "agent"]
    return index.canonical_text("\n\n".join(done), "\n\n".join(asked))
