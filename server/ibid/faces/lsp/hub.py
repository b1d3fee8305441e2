"""The memories of the open workspace folders, and the duties that run for them."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from pygls import uris

from ibid.duties.rivals import note_rivals
from ibid.duties.runner import Checked, Event, Runner, Settled
from ibid.engine.keep import demote
from ibid.engine.keep.account import NetSoFar
from ibid.engine.memory import Memory, open_memory
from ibid.errors import IbidError, InputError
from ibid.faces.lsp import noteheader
from ibid.store import candidates, projects, receipts, sessions

if TYPE_CHECKING:
    from ibid.faces.lsp.server import IbidServer, Opening

logger = logging.getLogger(__name__)


class Hub:
    """Opens each project's memory once; one server serves several folders.

    ``server`` is set before `start`; the hub tells it what changed.
    """

    def __init__(self) -> None:
        self.server: IbidServer | None = None
        self.options: dict[str, Any] = {}
        self._home: str | None = None
        self._folders: tuple[str, ...] = ()
        self._memories: dict[str, Memory] = {}
        self._paths: dict[str, Memory] = {}
        self._lock = threading.Lock()
        self._runner: Runner | None = None
        self._trouble: dict[str, str] = {}
        self._told: dict[str, set[str]] = {}
        self._nets: dict[str, NetSoFar] = {}

    # -- lifetime ------------------------------------------------------------------

    def start(self, opening: Opening) -> None:
        """Open the folders' memories and begin the duties; called once."""
        self.options = opening.options
        home = opening.options.get("home")
        self._home = projects.home_folder(home if isinstance(home, str) else None)
        self._folders = opening.folders
        watch = opening.options.get("watch") is not False
        self._runner = Runner(self._on_event, watch)
        for folder in self._folders:
            try:
                self.memory(folder)
            except IbidError as error:
                self._trouble[folder] = str(error)
        self._runner.start()

    def close(self) -> None:
        """Stop the duties and close every store; called once, at the end."""
        if self._runner is not None:
            self._runner.stop()
        with self._lock:
            for memory in self._memories.values():
                memory.close()

    # -- memories ------------------------------------------------------------------

    def memory(self, project: str | None) -> Memory:
        """Return the memory of ``project`` (path or URI); None: the first folder.

        Raises:
            InputError: no folder is open and none was named, or it is not a path.
            StoreError: its database cannot be opened.
        """
        given = project or (self._folders[0] if self._folders else "")
        if not given:
            raise InputError("No folder is open; name the project's folder.")
        with self._lock:
            known = self._paths.get(given)
            if known is not None:
                return known
            path = path_of(given)
            key = projects.project_of(path, self._home or "").key
            memory = self._memories.get(key)
            if memory is None:
                memory = open_memory(path, self._home)
                note_rivals(memory)  # Recall refuses beside one (Q1).
                self._memories[key] = memory
                if self._runner is not None:
                    self._runner.add(memory)
            self._paths[given] = memory
            return memory

    def release(self, path: str) -> None:
        """Close the memory that ``path`` belongs to; the next request opens anew."""
        key = projects.project_of(path, self._home or "").key
        with self._lock:
            memory = self._memories.pop(key, None)
            self._nets.pop(key, None)
            if memory is None:
                return
            for given in [one for one, its in self._paths.items() if its is memory]:
                del self._paths[given]
        if self._runner is not None:
            self._runner.drop(memory)
        memory.close()

    def memory_of_file(self, uri: str) -> Memory | None:
        """Return the memory of an open folder that a file is in, or None."""
        path = os.path.realpath(path_of(uri))  # Projects are known by theirs (S1).
        best: Memory | None = None
        for memory in list(self._memories.values()):
            root = memory.project.path
            if path.startswith(root + os.sep) and (
                best is None or len(root) > len(best.project.path)
            ):
                best = memory
        return best

    def suffix(self, memory: Memory) -> str:
        """Return what a document's URI needs to name another folder's project."""
        first = self._paths.get(self._folders[0]) if self._folders else None
        return "" if memory is first else f"?project={quote(memory.project.path)}"

    def change_folders(self, added: list[str], removed: list[str]) -> None:
        """Take on the duties of new folders; hand on those that were closed (O2)."""
        gone = set(removed)
        kept = [one for one in self._folders if one not in gone]
        self._folders = (*kept, *added)
        for folder in added:
            try:
                memory = self.memory(folder)
            except IbidError as error:
                self._trouble[folder] = str(error)
                continue
            if self._runner is not None:
                self._runner.add(memory)
        for folder in removed:
            known = self._paths.get(folder)
            open_still = {id(self._paths.get(one)) for one in self._folders}
            if known is not None and self._runner and id(known) not in open_still:
                self._runner.drop(known)

    def memories(self) -> list[Memory]:
        """Return the memories that are open."""
        return list(self._memories.values())

    def status(self, project: str | None) -> dict[str, Any]:
        """Return the object of ``ibid/status``."""
        memory = self.memory(project)
        connection = memory.store.read()
        switches = memory.switches()
        importing = self._runner is not None and self._runner.is_importing(memory)
        degraded = self._runner.degraded if self._runner is not None else ""
        message = memory.healed or switches.beside or degraded
        message = message or demote.told(connection)
        return {
            "project": memory.project.path,
            "name": memory.project.name,
            "state": _state(memory, switches),
            "candidates": candidates.count_pending(connection),
            "notes": memory.notes.counts()["all"],
            "receipts": receipts.count_receipts(connection),
            "sessions": sessions.count_sessions(connection),
            "net": self._net(memory),
            "importing": importing,
            "message": message or None,
        }

    def _net(self, memory: Memory) -> int | None:
        with self._lock:  # Several threads ask.
            known = self._nets.setdefault(memory.project.key, NetSoFar())
            return known.net(memory.store.read())

    # -- what changed --------------------------------------------------------------

    def _on_event(self, event: Event) -> None:
        server = self.server
        if server is None:
            return
        where = event.memory.project.path
        if isinstance(event, Checked):
            self._tell_findings(server, event)
            return
        if isinstance(event, Settled):
            server.tell(
                "ibid/candidateSettled",
                {"project": where, "candidate": event.candidate, "note": event.note},
            )
            return
        kinds = list(event.kinds)
        server.tell("ibid/memoryChanged", {"project": where, "kinds": kinds})
        server.memory_changed(kinds)

    def _tell_findings(self, server: IbidServer, event: Checked) -> None:
        """Publish diagnostics of note files; those with nothing left get none."""
        memory, findings = event.memory, event.findings
        told = self._told.setdefault(memory.project.key, set())
        for place in sorted(told | findings.keys()):
            uri = uris.from_fs_path(memory.filenotes.path_of(place))
            if uri:
                shown = noteheader.diagnostics(findings.get(place, []))
                server.board.put(uri, "notefile", shown)
        self._told[memory.project.key] = set(findings)


def _state(memory: Memory, switches: Any) -> str:
    if memory.store.read_only:
        return "readOnly"
    if not switches.master or not (switches.learn or switches.recall):
        return "off"
    if switches.beside:
        return "refused"
    if switches.learn and switches.recall:
        return "on"
    return "learning" if switches.learn else "recalling"


def path_of(given: str) -> str:
    """Return the path that a path or ``file:`` URI names.

    Raises:
        InputError: it is a URI of another kind.
    """
    if given.startswith("file:"):
        path = uris.to_fs_path(given)
        if path:
            return path
    if "://" in given:
        raise InputError(f"Not a folder on this machine: {unquote(given)}.")
    return given
