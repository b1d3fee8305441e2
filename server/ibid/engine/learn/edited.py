"""Which symbols an agent's edit changed, for the handoff (O2, N7).

An edit tells the lines it replaced, or the whole file.  Lines within a function name no
symbol by themselves: then the text that the session was last shown does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.engine.ledger.changes import load_text
from ibid.store import shown
from ibid.text.clean import one_line
from ibid.text.structure import (
    changed_by_lines,
    changed_symbols,
    find_outline,
    language_of,
    outline_by_lines,
)

if TYPE_CHECKING:
    from ibid.agents.events import Edit
    from ibid.store.driver import Connection

MOST = 8  # Symbols of one edit.
_LONGEST = 100_000  # Characters; of longer texts nothing is said.
_PARSED = 20_000  # Characters; longer ones are compared line by line.
_NAME = 80


def edited_symbols(
    connection: Connection, session: int, path: str, event: Edit
) -> list[str]:
    """Return the names of what an edit changed, in order; [] when that is not known."""
    before, after = event.before or "", event.after
    size = len(before) + len(after)
    if size > _LONGEST:
        return []
    if event.whole or not before:
        compared = changed_symbols if size < _PARSED else changed_by_lines
        found = [one.name for one in compared(before, after, language_of(path))]
    else:
        found = _enclosing(connection, session, path, before)
        found += [one.name for one in outline_by_lines(after)]
    names = [one_line(name)[:_NAME] for name in found]
    return list(dict.fromkeys(name for name in names if name))[:MOST]


def _enclosing(
    connection: Connection, session: int, path: str, before: str
) -> list[str]:
    """Return the innermost symbols of the file that the replaced lines stand in."""
    text = load_text(connection, shown.last_text(connection, session, path))
    if text is None or len(text) > _LONGEST or text.count(before) != 1:
        return [one.name for one in outline_by_lines(before)]
    start = text.count("\n", 0, text.index(before)) + 1
    end = start + before.rstrip("\n").count("\n")
    inner: dict[int, tuple[int, str]] = {}
    for one in find_outline(text, language_of(path)):
        for line in range(max(one.first, start), min(one.last, end) + 1):
            if line not in inner or inner[line][0] <= one.first:
                inner[line] = (one.first, one.name)
    return [inner[line][1] for line in sorted(inner)]
