"""When a hook of ours really ran: ``$IBID_HOME/hooks/<agent>.json``, event -> ms.

A file in an agent's settings proves nothing; this does.  The hook writes it, so it
costs one small read, and one write a minute and event at most (R3, R5).
"""

from __future__ import annotations

import json
import os

from ibid.store.folders import ensure_private

FOLDER = "hooks"
FRESH = 60_000  # Milliseconds for which a record is not written again.


def record(home: str, agent: str, event: str, at: int) -> None:
    """Note that ``event`` of ``agent`` reached us; whatever fails, nothing happens."""
    known = load(home, agent)
    if 0 <= at - known.get(event, -FRESH) < FRESH:
        return
    known[event] = at
    path = os.path.join(home, FOLDER, f"{agent}.json")
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        ensure_private(os.path.dirname(path))
        descriptor = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(known, file)
        os.replace(temporary, path)
    except OSError:
        if os.path.exists(temporary):
            os.remove(temporary)


def load(home: str, agent: str) -> dict[str, int]:
    """Return event -> milliseconds of its last call; empty when none ever came."""
    try:
        with open(
            os.path.join(home, FOLDER, f"{agent}.json"), encoding="utf-8"
        ) as file:
            stored = json.load(file)
    except (OSError, ValueError):
        return {}
    pairs = stored.items() if isinstance(stored, dict) else ()
    return {str(name): at for name, at in pairs if type(at) is int}
