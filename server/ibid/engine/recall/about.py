"""What memory holds about one file: archived texts of it and notes on it (F4, R4)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep.notes import real_of
from ibid.engine.recall import rank
from ibid.store import search as index

if TYPE_CHECKING:
    from ibid.engine.memory import Memory

MOST = 500  # Rows of each kind, the newest.


class About(NamedTuple):
    """Row ids of what is about a file, the newest first."""

    archive: tuple[int, ...]
    notes: tuple[int, ...]

    def ranges(self) -> dict[str, index.Ranges]:
        """Return where in each index to look."""
        return {
            index.ARCHIVE: tuple((row, row) for row in self.archive),
            index.MEMORIES: tuple((row, row) for row in self.notes),
        }

    def page(self, request: rank.Request) -> rank.Ranked:
        """Return all there is, without a word to look for: notes, then the newest."""
        kinds = (("L1", self.notes), (rank.ARCHIVE, self.archive))
        hits = [
            rank.Hit(layer, row, rank.fuse_unasked(layer, at), "all", 0.0, 0)
            for layer, rows in kinds
            if layer in request.layers
            for at, row in enumerate(rows)
        ]
        shown = hits[request.offset : request.offset + request.limit]
        return rank.Ranked(shown, len(hits), "" if shown else "nothing more is kept")


def load_about(memory: Memory, path: str, hidden: frozenset[int]) -> About:
    """Return what is about ``path``, absolute or below the project.

    ``hidden`` are sessions whose texts are not shown (G3).
    """
    connection = memory.store.read()
    relative = memory.notes.relative(path)
    paths = names_of(memory.project.path, relative)
    rows = index.archived_about(connection, paths, hidden, MOST)
    notes = index.noted_about(connection, relative, MOST)
    return About(tuple(rows), tuple(notes))


def names_of(root: str, relative: str) -> tuple[str, ...]:
    """Return the names under which agents told of a file: all that mean this one.

    ``relative`` comes from `Notes.relative`, which says whose path it is.
    """
    full = os.path.join(root, *relative.split("/")) if relative[:1] != "/" else relative
    return tuple(dict.fromkeys((relative, full, real_of(full))))
