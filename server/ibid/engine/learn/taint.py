"""Whether a sentence repeats what its turn read from outside (B10).

Outside is what no person of this project wrote: the web, MCP servers other than ours,
files that do not lie in the session's working directory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.store import archive
from ibid.text.terms import terms

if TYPE_CHECKING:
    from ibid.store.driver import Connection

# A sentence repeats a text if this share of its runs of words stands there.
REPEATED = 0.6
_RUN = 4  # Words.
_MOST_BYTES = 2_000_000  # Of outside text compared for one turn.


class OutsideTexts:
    """The texts that one turn read from outside, as runs of words."""

    def __init__(self, texts: list[str]) -> None:
        self._runs: set[tuple[str, ...]] = set()
        for text in texts:
            self._runs |= set(_runs(text))

    def repeats(self, sentence: str) -> bool:
        """Say whether most of ``sentence`` stands in those texts."""
        runs = _runs(sentence)
        if not runs or not self._runs:
            return False
        shared = sum(run in self._runs for run in runs)
        return shared / len(runs) >= REPEATED


def _runs(text: str) -> list[tuple[str, ...]]:
    words = terms(text)
    length = min(_RUN, len(words))
    if not length:
        return []
    return [tuple(words[at : at + length]) for at in range(len(words) - length + 1)]


def load_outside(connection: Connection, turn: int, cwd: str) -> OutsideTexts:
    """Return what a turn read from outside, as far as it is archived."""
    rows = connection.execute(
        """SELECT archive FROM tool WHERE turn = ?1 AND archive IS NOT NULL
            AND (kind = 'web' OR (name LIKE 'mcp\\_\\_%' ESCAPE '\\'
                AND name NOT LIKE 'mcp\\_\\_ibid%' ESCAPE '\\'))
        UNION SELECT archive FROM shown WHERE turn = ?1 AND archive IS NOT NULL
            AND ?2 <> '' AND path LIKE '/%' AND substr(path || '/', 1, length(?2) + 1)
                <> ?2 || '/'""",
        (turn, cwd),
    ).fetchall()
    texts, left = [], _MOST_BYTES
    for row in rows:
        found = archive.find_archive(connection, f"#{row[0]}")
        if found is None or found.state == "gone" or found.bytes > left:
            continue
        left -= found.bytes
        data = archive.load_bytes(connection, found)
        texts.append(data.decode("utf-8", "replace"))
    return OutsideTexts(texts)
