"""What hovers say: notes with their use, and who read a file (R4).

Words from memory are escaped; links are to the client's own commands where it listed
them, else to documents: VS Code follows no link of a scheme it does not know.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pygls import uris

from ibid.engine.recall import sources
from ibid.faces.lsp import addresses
from ibid.faces.lsp.lenses import OPEN_READS, agent_touches, changed_since, did
from ibid.faces.lsp.wording import agent_name, ago, times
from ibid.store.receipts import ReceiptPage
from ibid.text.clean import markdown
from ibid.text.prints import FRESH, GONE
from ibid.text.redact import redact

if TYPE_CHECKING:
    from ibid.engine.ledger.history import FileHistory, Touch
    from ibid.engine.memory import Memory
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.looking import Mention
    from ibid.faces.lsp.server import IbidServer
    from ibid.store.driver import Row

MOST_NOTES = 5
_MOST_READS = 4
RULE = "\n\n---\n\n"


class Hovers:
    """Makes hovers for the client of one server."""

    def __init__(self, server: IbidServer, hub: Hub) -> None:
        self._server = server
        self._hub = hub

    def notes(self, memory: Memory, mentions: list[Mention]) -> list[str]:
        """Return one passage a note."""
        return [self._note(memory, one) for one in mentions[:MOST_NOTES]]

    def reads(self, memory: Memory, history: FileHistory) -> str:
        """Return who read or changed a file and what changed since; "" for nobody."""
        touches = agent_touches(history)
        if not touches:
            return ""
        now = memory.clock.now()
        relative = memory.notes.relative(history.path)
        lines = [f"**{markdown(redact(relative))}**", ""]
        lines += [f"- {touch_line(one, now)}" for one in touches[:_MOST_READS]]
        since = since_line(history)
        lines += ["", since] if since else []
        argument = {
            "project": memory.project.path,
            "path": relative,
            "uri": uris.from_fs_path(history.path) or "",
        }
        target = addresses.uri("reads", relative, self._hub, memory)
        lines += ["", self._link("All reads", OPEN_READS, argument, target)]
        return "\n".join(lines)

    # -- parts ---------------------------------------------------------------------

    def _note(self, memory: Memory, mention: Mention) -> str:
        note = mention.note
        marks = [f"**{note['category'].capitalize()}**"]
        marks += ["pinned"] if note["pinned"] else []
        marks += ["outside"] if note["taint"] else []
        marks += self._use(memory, note)
        lines = [" · ".join(marks), "", markdown(redact(note["text"])), ""]
        if mention.state != FRESH:
            lines += [f"*{_became(mention)}*", ""]
        lines += [f"{_said(memory, note)} {' · '.join(self._links(memory, note))}"]
        return "\n".join(lines)

    def _use(self, memory: Memory, note: Row) -> list[str]:
        """Return how often and when it was recalled, with the receipt of that (I1)."""
        if not note["uses"]:
            return []
        when = ago(note["used"] or 0, memory.clock.now())
        said = f"{times(note['uses'])}, last {when}"
        views, _ = memory.receipts.page(ReceiptPage(note=note["key"], limit=1))
        if not views:
            return [said]
        name = f"#{views[0].row['id']}"
        argument = {"project": memory.project.path, "id": name}
        target = addresses.uri("receipt", name, self._hub, memory)
        link = self._link(f"receipt {name}", "ibid.showReceipt", argument, target)
        return [f"{said}: {link}"]

    def _links(self, memory: Memory, note: Row) -> list[str]:
        argument = {"project": memory.project.path, "id": note["key"]}
        target = addresses.uri("note", note["key"], self._hub, memory)
        links = [self._link("Open evidence", "ibid.showEvidence", argument, target)]
        for title, command in (
            ("Correct", "ibid.correctNote"),
            ("Forget", "ibid.forgetNote"),
        ):
            if self._server.offers(command):
                links.append(self._link(title, command, argument, ""))
        return links

    def _link(
        self, title: str, command: str, argument: dict[str, Any], otherwise: str
    ) -> str:
        """Return a link to the client's command, else to a document."""
        if self._server.offers(command):
            return f"[{title}](command:{command}?{quote(json.dumps([argument]))})"
        return f"[{title}]({otherwise})"


def _said(memory: Memory, note: Row) -> str:
    source = sources.source_of(memory.store.read(), note)
    if source is None:
        return f"You noted it on {sources.date(note['created'])}."
    title = f" of *{markdown(redact(source.title))}*" if source.title else ""
    agent = markdown(agent_name(source.agent))
    return f"From turn {source.turn}{title}, {agent}, {sources.date(source.at)}."


def _became(mention: Mention) -> str:
    what = markdown(redact(mention.symbol)) if mention.symbol else "This file"
    if mention.state == GONE:
        return f"{what} is gone since this was noted."
    return f"{what} has changed since this was noted."


def touch_line(touch: Touch, now: int) -> str:
    """Return ``Claude read lines 1–80, 5 min ago (*title*)`` as inert Markdown."""
    title = f" (*{markdown(redact(touch.title))}*)" if touch.title else ""
    where = ", in a subagent" if touch.scope else ""
    who = markdown(agent_name(touch.agent))
    return f"{who} {did(touch)} {ago(touch.at, now)}{where}{title}"


def since_line(history: FileHistory) -> str:
    """Return what changed since an agent last knew the whole file, or ""."""
    if history.since.state == "gone":
        return "It is gone now."
    if history.since.state == "unchanged":
        return "Unchanged since."
    if not changed_since(history):
        return ""
    said = [
        f"{markdown(redact(one.name))}{'()' if one.callable else ''} {one.change}"
        for one in history.since.symbols[:8]
    ]
    more = len(history.since.symbols) - len(said)
    if said:
        return f"Since then {', '.join(said)}{f' and {more} more' if more else ''}."
    lines = history.since.lines
    return f"Since then {lines} lines changed." if lines else "Changed since then."
