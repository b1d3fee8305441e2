"""Worker threads that a hung job cannot use to keep the process alive.

The standard library's executor joins its threads when the interpreter ends, so one
handler that never returns would outlive the editor; these are daemons.  A job that
was cancelled before a thread took it is never run.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

_Job = tuple["Future[Any]", Callable[[], Any]]


class DaemonPool:
    """Runs jobs in the order they came on at most ``size`` daemon threads."""

    def __init__(self, name: str, size: int) -> None:
        self._name = name
        self._size = size
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._free = 0  # Threads waiting, less the jobs that already count on one.
        self._unfinished = 0
        self._idle = threading.Condition(self._lock)

    def submit(self, job: Callable[[], Any]) -> Future[Any]:
        """Queue ``job``; from any thread."""
        future: Future[Any] = Future()
        with self._lock:
            self._jobs.put((future, job))
            self._unfinished += 1
            if self._free > 0:
                self._free -= 1
            elif self._threads < self._size:
                self._start_thread()
        return future

    def wait_idle(self, seconds: float) -> bool:
        """Return once no job waits or runs; false if that took too long."""
        with self._idle:
            return self._idle.wait_for(lambda: self._unfinished == 0, seconds)

    def _start_thread(self) -> None:
        self._threads += 1
        name = f"ibid-{self._name}-{self._threads}"
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def _run(self) -> None:
        while True:
            future, job = self._jobs.get()
            if future.set_running_or_notify_cancel():
                _complete(future, job)
            del future, job  # Nothing of the last job may live on in an idle thread.
            with self._idle:
                self._unfinished -= 1
                self._idle.notify_all()
                if self._jobs.empty():
                    self._free += 1


def _complete(future: Future[Any], job: Callable[[], Any]) -> None:
    try:
        result = job()
    except BaseException as exc:  # The future carries it to the guard.
        future.set_exception(exc)
    else:
        future.set_result(result)
