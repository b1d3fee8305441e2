"""Start a process that outlives its parent and says nothing."""

from __future__ import annotations

import os
import sys


def start(words: list[str]) -> None:
    """Run ``ibid`` with ``words``, in a session of its own, without any stream.

    Raises:
        OSError: it could not be started.
    """
    command = [sys.executable, "-m", "ibid", *words]
    if hasattr(os, "posix_spawn"):
        try:
            _spawn(command)
            return
        except NotImplementedError:
            pass  # This system's cannot make a session.
    _open(command)


def _spawn(command: list[str]) -> None:
    null = os.devnull
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, null, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, null, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, null, os.O_WRONLY, 0),
    ]
    os.posix_spawn(command[0], command, os.environ, file_actions=actions, setsid=True)


def _open(command: list[str]) -> None:
    import subprocess

    flags = 0
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        creationflags=flags,
        close_fds=True,
    )
