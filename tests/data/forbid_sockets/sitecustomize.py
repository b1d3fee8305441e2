"""Forbids every socket but a private local one, in each Python that starts (Q2).

Python imports this by itself where its folder is on the path.  Each try is written to
the file that ``IBID_TEST_SOCKETS`` names, so that it is seen even where somebody
catches the error.
"""

import os
import sys

_TOLD = os.environ.get("IBID_TEST_SOCKETS", "")
_LOCAL = 1  # AF_UNIX: what asyncio wakes itself by.
_ACTS = ("connect", "bind", "getaddrinfo", "gethostbyname", "sendto", "sendmsg")
_FORBIDDEN = frozenset(f"socket.{act}" for act in _ACTS)


def _watch(event: str, given: tuple[object, ...]) -> None:
    if event == "socket.__new__":
        if given[1] in (_LOCAL, -1):
            return
    elif event not in _FORBIDDEN:
        return
    descriptor = os.open(_TOLD, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, f"{event} {given[1:]} in {sys.argv}\n".encode())
    os.close(descriptor)
    raise PermissionError(f"no network in this run: {event}")


if _TOLD:
    sys.addaudithook(_watch)
