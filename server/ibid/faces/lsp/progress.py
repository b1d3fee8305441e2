"""What a long handler holds: a stop flag to check, and progress to report.

The client's own token is used when it gave one; else the server asks for one, if the
client declared ``window.workDoneProgress``, and stays silent until it is granted.
"""

from __future__ import annotations

import secrets
import threading
import time
from concurrent.futures import Future
from typing import Any, Protocol

from lsprotocol import types

PAUSE = 0.1
"""Seconds at least between two reports of one progress."""


class Wire(Protocol):
    """What progress needs of the connection; all callable from any thread."""

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""

    def ask(self, method: str, params: Any) -> Future[Any]:
        """Send a request; the future holds its result or error."""

    def supports(self, capability: str) -> bool:
        """Say whether the client declared ``capability``, a dotted path."""


class StoppedError(Exception):
    """Raised by `Work.check` once nobody waits for the result any more."""


class Work:
    """The handle of one running long call."""

    def __init__(self, wire: Wire, title: str, token: int | str | None) -> None:
        self.token = token
        self._wire = wire
        self._title = title
        self._stop = threading.Event()
        self._lock = threading.RLock()  # A grant may come while we ask.
        self._granted = token is not None
        self._begun = False
        self._ended = False
        self._sent = -PAUSE
        self._waiting: dict[str, Any] | None = None

    @property
    def stopped(self) -> bool:
        """Whether the client cancelled, or the server is ending."""
        return self._stop.is_set()

    def check(self) -> None:
        """Return if the work should go on; call it between batches.

        Raises:
            StoppedError: the client cancelled, or the server is ending.
        """
        if self._stop.is_set():
            raise StoppedError

    def report(self, message: str, done: int = 0, total: int = 0) -> None:
        """Show ``message``, and a percentage when ``total`` is known.

        The first report opens the progress: it shows percentages only if that one
        does.  Of reports in quick succession some are skipped.
        """
        value: dict[str, Any] = {"kind": "report", "message": message}
        if total > 0:
            value["percentage"] = max(0, min(100, done * 100 // total))
        with self._lock:
            self._waiting = value
            if time.monotonic() - self._sent >= PAUSE:
                self._flush()

    def ask(self) -> None:
        """Ask the client for a progress of its own, unless it gave one."""
        with self._lock:
            if self._granted or not self._wire.supports("window.work_done_progress"):
                return
            self.token = f"ibid-{secrets.token_hex(6)}"
            params = types.WorkDoneProgressCreateParams(token=self.token)
            asked = self._wire.ask(types.WINDOW_WORK_DONE_PROGRESS_CREATE, params)
        asked.add_done_callback(self._grant)

    def stop(self) -> None:
        """Set the flag and close the progress at once."""
        self._stop.set()
        self.end()

    def end(self) -> None:
        """Close the progress; what is reported later goes nowhere."""
        with self._lock:
            if self._begun and not self._ended:
                self._send({"kind": "end"})
            self._ended = True

    def _grant(self, asked: Future[Any]) -> None:
        if asked.cancelled() or asked.exception() is not None:
            return
        with self._lock:
            self._granted = True
            self._flush()

    def _flush(self) -> None:
        """Send the waiting report, after the beginning if it is the first."""
        if self._waiting is None or not self._granted or self._ended:
            return
        if not self._begun:
            begin = {"kind": "begin", "title": self._title, "cancellable": True}
            self._send(
                begin | ({"percentage": 0} if "percentage" in self._waiting else {})
            )
            self._begun = True
        self._send(self._waiting)
        self._waiting = None
        self._sent = time.monotonic()

    def _send(self, value: dict[str, Any]) -> None:
        self._wire.tell(types.PROGRESS, {"token": self.token, "value": value})
