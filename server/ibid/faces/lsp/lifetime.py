"""Begin with a clean stdout, and end when the editor does.

A server ends two seconds after its input ends, five after the editor's process is
gone, at once on ``exit``, SIGTERM or a lost frame, and no hung handler can hold it
up: if closing takes too long the process is left by `os._exit` (C12).
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

logger = logging.getLogger(__name__)

CLOSING = 1.5
"""Seconds the closing may take before the process is left as it is."""

POLL = 1.5
"""Seconds between two looks at the editor's process."""


class Lifetime:
    """Whether the server should end, and with which status."""

    def __init__(self) -> None:
        self.code: int | None = None
        self._lock = threading.Lock()
        self._wake: Callable[[], None] | None = None
        self._leave: Callable[[int], None] = os._exit

    def arm(
        self, wake: Callable[[], None], leave: Callable[[int], None] = os._exit
    ) -> None:
        """From now on let `stop` call ``wake``, and ``leave`` when all else hangs."""
        self._leave = leave
        with self._lock:
            self._wake = wake
            stopped = self.code is not None
        if stopped:
            wake()

    def stop(self, code: int, why: str) -> None:
        """End with ``code``; from any thread, and only the first call counts."""
        with self._lock:
            if self.code is not None:
                return
            self.code = code
            wake = self._wake
        logger.debug("ending: %s", why)
        if wake is not None:
            _later(CLOSING, self._leave, code)
            wake()

    def stop_later(self, code: int, why: str, seconds: float) -> None:
        """End in ``seconds`` if nothing else ended the server before."""
        _later(seconds, self.stop, code, why)


def _later(seconds: float, call: Callable[..., None], *args: object) -> None:
    timer = threading.Timer(seconds, call, args)
    timer.daemon = True
    timer.start()


class Stdio(NamedTuple):
    """Our private copies of the protocol's descriptors."""

    reading: int
    writing: int


def protect_stdio() -> Stdio:
    """Keep fds 0 and 1 for the protocol alone and return copies of them.

    From here on ``print``, C libraries and child processes write to stderr and read
    nothing, and no child inherits the protocol's pipes.
    """
    reading, writing = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # Started without a stderr.
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
    os.close(nowhere)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", errors="backslashreplace", closefd=False)
    sys.stdout = sys.stderr
    for fd in (reading, writing):
        if sys.platform != "win32":
            os.set_blocking(fd, True)
    return Stdio(reading, writing)


def stop_on_signals(lifetime: Lifetime) -> None:
    """Let SIGTERM, SIGINT and SIGHUP end the server cleanly, with status 0.

    The handler may interrupt any code, so it only starts a thread.
    """

    def stop(number: int, _: object) -> None:
        why = signal.Signals(number).name
        threading.Thread(target=lifetime.stop, args=(0, why), daemon=True).start()

    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), stop)


class ParentWatch(threading.Thread):
    """Notices from its own thread that nobody is left to serve.

    The client's process id decides once it is known and was seen alive.  Without
    one (``processId: null``, or a client on another machine or in another container)
    the parent does: another one than at the start, or init's when the client's id is
    already gone.
    """

    def __init__(self, on_gone: Callable[[], None], seconds: float = POLL) -> None:
        super().__init__(name="ibid-parent", daemon=True)
        self._on_gone = on_gone
        self._seconds = seconds
        self._orphaned = parent_probe()
        self._client_alive: Callable[[], bool] | None = None
        self._unseen = False

    def watch(self, pid: int | None) -> None:
        """Watch the process that ``initialize`` named."""
        if pid is None or pid <= 0:  # To a signal, 0 and below are whole groups.
            return
        alive = process_probe(pid)
        if alive():
            self._client_alive = alive
        else:
            self._unseen = True
            logger.warning("the client's process is not visible here; not watched")

    def run(self) -> None:
        """Look until the client is gone."""
        while not self._gone():
            time.sleep(self._seconds)
        self._on_gone()

    def _gone(self) -> bool:
        if self._client_alive is not None:
            return not self._client_alive()
        return self._orphaned() or (self._unseen and os.getppid() == 1)


_DEAD = "dead"


def parent_probe() -> Callable[[], bool]:
    """Return what says whether this process has lost the parent it has now."""
    parent = os.getppid()
    if sys.platform == "win32":
        from .windows import WindowsProcess

        alive = WindowsProcess(parent).is_alive
        return lambda: not alive()
    else:
        return lambda: os.getppid() != parent


def process_probe(pid: int) -> Callable[[], bool]:
    """Return what says whether the process ``pid`` of now is still running.

    A zombie is not running, and a new process under the same number is another one.
    """
    if sys.platform == "win32":
        from .windows import WindowsProcess

        return WindowsProcess(pid).is_alive
    else:
        born = _birth(pid)
        return lambda: born != _DEAD and _exists(pid) and _birth(pid) == born


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def _birth(pid: int) -> str:
    """Return what tells this process from a later one, or "" where unknown."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return ""
    fields = stat.rpartition(b")")[2].split()  # The name before may hold anything.
    return _DEAD if fields[0] in b"ZX" else fields[19].decode()
