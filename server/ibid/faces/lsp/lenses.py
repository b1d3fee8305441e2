"""The lenses above a file and its symbols: who read it, its notes, recall (R4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from ibid.engine.model import DAY
from ibid.faces.lsp.looking import history_of
from ibid.faces.lsp.wording import agent_name, ago, counted, short_date
from ibid.text.prints import CHANGED, FRESH, GONE

if TYPE_CHECKING:
    from ibid.engine.ledger.history import FileHistory, Touch
    from ibid.faces.lsp.looking import Looked, Place
    from ibid.faces.lsp.server import IbidServer

OPEN_NOTES, SHOW_NOTES = "ibid.openNotes", "ibid.server.showNotes"
OPEN_READS, SHOW_READS = "ibid.openReads", "ibid.server.showReads"
OPEN_RECALL, SHOW_RECALL = "ibid.openRecall", "ibid.server.showRecall"

DAYS = 7  # That a read or change counts, unless ``lensDays`` says else.
_MOST_DAYS = 3_650
_VERBS = {"decision": "decided", "constraint": "ruled", "preference": "preferred"}
_BY_AGENTS = frozenset({"read", "wrote", "edited"})
_STATES = {FRESH: "", CHANGED: " · code changed since", GONE: " · code gone"}


def lenses(
    server: IbidServer, looked: Looked, places: list[Place]
) -> list[types.CodeLens]:
    """Return the lenses of a file with notes at ``places``; perhaps none."""
    found = []
    if wants(server, "lensReads"):
        history = history_of(looked, counted=False)
        title = reads_title(history, looked.memory.clock.now(), days(server.options))
        if title:
            found.append(_reads(server, looked, f"ibid: {title}"))
    for place in places:
        if wants(server, "lensNotes"):
            found.append(_notes(server, looked, place))
        if place.symbol and wants(server, "lensRecall"):
            found.append(_recall(server, looked, place))
    return found


def wants(server: IbidServer, kind: str) -> bool:
    """Say whether the client did not switch a kind off."""
    return server.options.get(kind) is not False


def days(options: dict[str, Any]) -> int:
    """Return how many days back a read or change counts."""
    given = options.get("lensDays")
    if isinstance(given, bool) or not isinstance(given, int | float):
        return DAYS
    if math.isnan(given):
        return DAYS
    return int(min(max(given, 0), _MOST_DAYS))


def reads_title(history: FileHistory, now: int, back: int = DAYS) -> str:
    """Return who read or changed a file lately, and whether it changed since.

    "" when no agent did within ``back`` days.
    """
    recent = [one for one in agent_touches(history) if one.at >= now - back * DAY]
    if not recent:
        return ""
    sessions = {one.session for one in recent}
    when = ago(recent[0].at, now)
    if len(sessions) > 1:
        changed = any(one.kind != "read" for one in recent)
        what = "read or changed" if changed else "read"
        title = f"{len(sessions)} sessions {what} this, last {when}"
    else:
        title = f"{agent_name(recent[0].agent)} {did(recent[0])} {when}"
    return title + (" · changed since" if changed_since(history) else "")


def agent_touches(history: FileHistory) -> list[Touch]:
    """Return what agents did with a file, the newest first."""
    return [one for one in history.touches if one.kind in _BY_AGENTS]


def did(touch: Touch) -> str:
    """Return ``read this`` or ``read lines 1–80,`` and the like."""
    if touch.kind != "read":
        return "wrote this" if touch.kind == "wrote" else "changed this"
    if touch.first > 1 or touch.last < touch.total:
        return f"read lines {touch.first}–{touch.last},"
    return "read this"


def changed_since(history: FileHistory) -> bool:
    """Say whether a file changed after an agent knew it.

    An agent's own later edit is no such change, and what came after it is not known.
    """
    edited = [one.at for one in agent_touches(history) if one.kind == "edited"]
    since = history.since
    return since.state == "changed" and since.at >= max(edited, default=0)


def notes_title(place: Place, now: int) -> str:
    """Return ``2 notes · decided 2 Apr · recalled 2 h ago · code changed since``."""
    notes = place.notes
    newest = max(notes, key=lambda note: (note["updated"], note["id"]))
    verb = _VERBS.get(newest["category"], "noted")
    title = f"{counted(len(notes), 'note')} · {verb} "
    title += short_date(newest["created"], now)
    used = max((note["used"] or 0 for note in notes), default=0)
    title += f" · recalled {ago(used, now)}" if used else ""
    return title + _STATES[place.state]


# -- as the protocol carries them ------------------------------------------------------


def _reads(server: IbidServer, looked: Looked, title: str) -> types.CodeLens:
    argument = {**_where(looked), "path": looked.relative}
    return _lens(server, 0, title, (OPEN_READS, SHOW_READS), argument)


def _notes(server: IbidServer, looked: Looked, place: Place) -> types.CodeLens:
    title = f"ibid: {notes_title(place, looked.memory.clock.now())}"
    argument = {**_where(looked), "ids": [note["key"] for note in place.notes]}
    return _lens(server, place.line, title, (OPEN_NOTES, SHOW_NOTES), argument)


def _recall(server: IbidServer, looked: Looked, place: Place) -> types.CodeLens:
    query = f"{place.symbol} in {looked.relative}"
    argument = {**_where(looked), "query": query}
    return _lens(server, place.line, "recall", (OPEN_RECALL, SHOW_RECALL), argument)


def _where(looked: Looked) -> dict[str, Any]:
    return {"project": looked.memory.project.path, "uri": looked.uri}


def _lens(
    server: IbidServer,
    line: int,
    title: str,
    commands: tuple[str, str],
    argument: dict[str, Any],
) -> types.CodeLens:
    start = types.Position(line=line, character=0)
    client, fallback = commands
    return types.CodeLens(
        range=types.Range(start=start, end=start),
        command=types.Command(
            title=title,
            command=client if server.offers(client) else fallback,
            arguments=[argument],
        ),
    )
