"""The hooks' log: one line a failure, no text of notes or prompts, two small files."""

from __future__ import annotations

import os
import time

from ibid.errors import IbidError

MOST_BYTES = 256 * 1024


def write(agent: str, moment: str, *troubles: str) -> None:
    """Append one line; where even that fails, nothing happens."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    said = "; ".join(troubles)
    line = f"{stamp} {agent or '-'} {moment or '-'} {said}"
    line = line.replace("\n", " ")[:500]
    try:
        path = path_of()
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        _rotate(path)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode("utf-8", "replace"))
        finally:
            os.close(descriptor)
    except Exception:
        return


def path_of() -> str:
    """Return the path of the log."""
    from ibid.store.projects import home_folder

    return os.path.join(home_folder(), "log", "hooks.log")


def named(error: BaseException) -> str:
    """Return what an error is called: its code, or its kind and where it rose.

    Never its message, which may hold what somebody wrote.
    """
    if isinstance(error, IbidError):
        return error.code
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None:
        return type(error).__name__
    name = os.path.basename(place.tb_frame.f_code.co_filename)
    return f"{type(error).__name__} at {name}:{place.tb_lineno}"


def _rotate(path: str) -> None:
    try:
        if os.path.getsize(path) > MOST_BYTES:
            os.replace(path, f"{path}.1")
    except FileNotFoundError:
        return
