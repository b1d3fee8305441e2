"""Notice that transcripts grew: file events where the system gives them, and a sweep.

Only the agents' transcript folders are watched, never the workspace.  The sweep (one
``stat`` a file) finds what events lose, folders that appear later, and everything when
the system has no watches left.
"""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibid.duties.sources import expanded_roots

if TYPE_CHECKING:
    from collections.abc import Iterable

logger = logging.getLogger(__name__)


class Watcher:
    """Collects the paths of files that changed below ``roots``.

    A root can be a pattern such as ``a/*/b``, or a file, which the sweep looks at.

    Thread-safe; `take` never blocks.  ``degraded`` says why events are missing, if
    they are; the sweep goes on then.
    """

    def __init__(self, roots: Iterable[Path]) -> None:
        self._roots = list(roots)
        self._dirty: set[Path] = set()
        self._known: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()
        self._observer: Any = None
        self._watched: set[Path] = set()
        self.degraded = ""

    def start(self) -> None:
        """Begin to watch those roots that exist; others are found by `sweep`."""
        try:
            from watchdog.observers import Observer

            self._observer = Observer()
            self._observer.daemon = True
            self._watch_existing()
            self._observer.start()
        except (ImportError, OSError) as error:
            self._fall_back(error)

    def take(self) -> set[Path]:
        """Return the files that changed since the last call."""
        with self._lock:
            dirty, self._dirty = self._dirty, set()
            return dirty

    def sweep(self) -> None:
        """Look at every file below the roots once."""
        if self._observer is not None:
            try:
                self._watch_existing()
            except OSError as error:
                self._fall_back(error)
        seen: dict[str, tuple[int, int]] = {}
        for root in expanded_roots(self._roots):
            self._sweep_folder(str(root), seen)
        changed = {
            Path(path) for path, mark in seen.items() if self._known.get(path) != mark
        }
        self._known = seen
        with self._lock:
            self._dirty |= changed

    def stop(self) -> None:
        """Stop watching; idempotent."""
        observer, self._observer = self._observer, None
        if observer is not None and observer.is_alive():
            observer.stop()
            observer.join(timeout=1)

    def note(self, path: Path) -> None:
        """Count a file as changed."""
        with self._lock:
            self._dirty.add(path)

    def _watch_existing(self) -> None:
        for root in expanded_roots(self._roots):
            if root in self._watched or not root.is_dir():
                continue
            self._observer.schedule(_handler(self), str(root), recursive=True)
            self._watched.add(root)

    def _fall_back(self, error: Exception) -> None:
        """Go on by sweeping alone, and say so once."""
        self.stop()
        self.degraded = f"no file events ({error}); transcripts are polled instead"
        logger.warning("%s", self.degraded)

    def _sweep_folder(self, folder: str, seen: dict[str, tuple[int, int]]) -> None:
        try:
            entries = list(os.scandir(folder))
        except NotADirectoryError:
            self._sweep_file(folder, seen)
            return
        except OSError:
            return
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    self._sweep_folder(entry.path, seen)
                elif entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    seen[entry.path] = (status.st_size, status.st_mtime_ns)
            except OSError:
                continue

    @staticmethod
    def _sweep_file(path: str, seen: dict[str, tuple[int, int]]) -> None:
        try:
            status = Path(path).lstat()
        except OSError:
            return
        seen[path] = (status.st_size, status.st_mtime_ns)


def _handler(watcher: Watcher) -> Any:
    from watchdog.events import FileSystemEventHandler

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: Any) -> None:
            if event.is_directory or event.event_type in ("opened", "closed_no_write"):
                return
            watcher.note(Path(os.fsdecode(event.src_path)))
            if getattr(event, "dest_path", ""):
                watcher.note(Path(os.fsdecode(event.dest_path)))

    return Handler()
