"""A memory that is made for one replay and thrown away (P5).

It is the engine as it is, on a store of its own, with four things held still: its key,
its ids, its switches, and the project's files, which it knows only as far as somebody
was seen to read or write them.  So the same past gives the same bytes, and neither the
disk of today nor the person's own store has a say.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ibid.engine.keep import policy
from ibid.engine.memory import Memory
from ibid.engine.model import FixedClock, Ids
from ibid.files.gate import FileRow
from ibid.store import projects, settings
from ibid.store.connection import Store
from ibid.store.schema import ensure_schema
from ibid.text.digest import keyed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from ibid.agents.events import Edit
    from ibid.engine.ledger.native import Lines

_SEED = b"replay"

# What a replay asks as if it were on, for it tells what that would cost.
_ON = {
    **{"master": True, "learn": True, "recall": True},
    **{"promotion": "auto", "control": 0},
}
# Everything else is as the project has it, but nothing is written into the workspace.
_OFF = {"files": False, "editor": False, "transcripts": False}


class Workspace:
    """The project's files as far as sessions were seen to read or write them."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def show(self, path: str, lines: Lines) -> None:
        """Note lines that somebody was shown, or wrote as a whole file."""
        text = lines.text.split("\n")[: max(0, lines.last - lines.first + 1)]
        known = self._files.setdefault(path, [])
        known += [""] * (lines.last - len(known))
        known[lines.first - 1 : lines.last] = text
        if lines.total == lines.last:
            del known[lines.last :]

    def edit(self, path: str, event: Edit) -> None:
        """Note a change of a part; what cannot be followed is as nobody saw it."""
        if path not in self._files:
            return
        text = "\n".join(self._files[path])
        before = event.before or ""
        if not before or before not in text:
            self._files[path] = []
            return
        self._files[path] = text.replace(before, event.after, 1).split("\n")

    def find(self, path: str) -> FileRow | None:
        """Return a file as it was last seen, or None if it never was."""
        if path not in self._files:
            return None
        text = "\n".join(self._files[path])
        return FileRow(text.encode("utf-8", "replace"), 1, 0o644)


class ScratchMemory(Memory):
    """One project's memory during a replay; `workspace` is told by whoever plays."""

    def __init__(
        self,
        project: projects.Project,
        home: str,
        store: Store,
        clock: FixedClock,
        chance: Random,
    ) -> None:
        super().__init__(project, home, store, clock)
        self.workspace = Workspace()
        self.moved = clock
        self.ids = Ids(clock, chance)
        self._held: policy.Switches | None = None

    def switches(self) -> policy.Switches:
        """Return the switches, which nobody changes during a replay."""
        if self._held is None:
            self._held = super().switches()
        return self._held

    def keep_on(self) -> None:
        """Let nothing be demoted: a replay measures all of it, to the end (P3)."""
        with self.store.write() as connection:
            connection.execute(
                "UPDATE running SET samples = 0, mean = 0, squares = 0,"
                " since = (SELECT coalesce(max(id), 0) FROM account)"
            )

    def find_file(self, relative: str) -> FileRow | None:
        """Return a file as far as it was seen by now."""
        return self.workspace.find(os.path.join(self.project.path, relative))


def open_scratch(
    path: str, home: str, chance: Random, given: Mapping[str, Any] | None = None
) -> ScratchMemory:
    """Open an empty memory for the project at ``path`` in the scratch folder ``home``.

    Ids are drawn from ``chance``.  ``given`` are the project's own settings; what a
    person switched off counts as on.

    Raises:
        StoreError: the scratch folder cannot be written.
    """
    project = projects.project_of(path, home)
    store = Store(project.database)
    try:
        ensure_schema(store)
        projects.ensure_folder(project)
        _settle_settings(store, project, dict(given or {}))
        return ScratchMemory(project, home, store, FixedClock(0), chance)
    except BaseException:
        store.close()
        raise


def _settle_settings(
    store: Store, project: projects.Project, given: dict[str, Any]
) -> None:
    """Give the store a key that is the project's, and the past to be learned from."""
    known = {name: value for name, value in given.items() if name in policy.DEFAULTS}
    key = keyed(_SEED.ljust(32, b"\0"), project.key, 64)
    fixed = {"key": key, "firstSeen": 0}
    with store.write() as connection:
        for name, value in {**known, **_ON, **_OFF, **fixed}.items():
            settings.ensure_setting(connection, name, value, 0)
