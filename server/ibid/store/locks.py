"""One process at a time, where a file as a whole is concerned."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ibid.errors import StoreBusyError, StoreReadOnlyError

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECONDS = 5.0


@contextmanager
def exclusive(path: str, patience: float = _SECONDS) -> Iterator[None]:
    """Let one process at a time through, by a lock file beside ``path``.

    The lock is the operating system's and goes with the process that holds it.

    Raises:
        StoreBusyError: another process held it longer than ``patience`` seconds.
        StoreReadOnlyError: the folder cannot be written.
    """
    try:
        lock = os.open(path + ".lock", os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise StoreReadOnlyError(
            f"Cannot write beside {path} ({error.strerror}). Make its folder writable."
        ) from error
    try:
        deadline = time.monotonic() + patience
        while not _taken(lock):
            if time.monotonic() > deadline:
                raise StoreBusyError(
                    f"Another process is at work on {path}. Nothing was done; try "
                    "again in a moment."
                )
            time.sleep(0.02)
        yield
    finally:
        os.close(lock)


def _taken(lock: int) -> bool:
    """Try to take the lock of an open file; it ends with the file."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
