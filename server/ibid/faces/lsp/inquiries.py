"""Documents that answer a question: who read a file, what a prompt would get (R4).

Nothing is sent and nothing is recorded by opening one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.duties import reading
from ibid.engine.ledger.handoff import moment
from ibid.engine.model import RecallRequest, SearchRequest
from ibid.faces import shapes
from ibid.faces.lsp.addresses import item_line, uri
from ibid.faces.lsp.lenses import did
from ibid.faces.lsp.wording import agent_name, counted
from ibid.text.clean import fence, markdown
from ibid.text.redact import redact
from ibid.text.tokens import estimate

if TYPE_CHECKING:
    from ibid.engine.ledger.history import Touch
    from ibid.engine.memory import Memory
    from ibid.engine.recall.searching import Hit
    from ibid.faces.lsp.hub import Hub

_MOST_HITS = 10
_EXCERPT = 160  # Characters of an archived text.


def reads(hub: Hub, memory: Memory, path: str) -> str:
    """Return who read or changed a file, when, and what of it the archive holds (N7).

    Raises:
        InputError: ``path`` cannot be one.
    """
    history = reading.file_history(memory, path)
    relative = memory.notes.relative(path)
    lines = [f"# {markdown(redact(relative))}", ""]
    lines += [_summary(history.line) or "No agent read or changed it.", ""]
    if history.touches:
        lines += ["## Reads and changes", ""]
        lines += [_touch(hub, memory, one) for one in history.touches]
    wanted = SearchRequest(relative, (), archive=True, limit=_MOST_HITS)
    hits = memory.search(wanted).hits
    if hits:
        lines += ["", "## In the archive", ""]
        lines += [_hit(hub, memory, one) for one in hits]
    return "\n".join(lines) + "\n"


def recall(hub: Hub, memory: Memory, query: str) -> str:
    """Return what recall would give for ``query``: a preview without a receipt."""
    answer = memory.preview(RecallRequest(query, asked=True))
    lines = [f"# Recall: {markdown(redact(query))}", ""]
    lines += ["A preview: nothing was sent to an agent, so there is no receipt.", ""]
    if answer.block is None:
        lines += [f"Nothing: {markdown(answer.reason)}.", ""]
        return "\n".join(lines)
    rows = [
        {**shapes.recalled_item(one), "tokens": estimate(one.item.text)}
        for one in answer.items
    ]
    lines += [f"{counted(len(rows), 'item')}, {answer.tokens} tokens", ""]
    lines += ["## Items", ""]
    lines += [item_line(hub, memory, row) for row in rows]
    lines += ["", "## Block as it would be sent", "", fence(redact(answer.block))]
    return "\n".join(lines) + "\n"


def _summary(line: str) -> str:
    return f"{markdown(redact(line[:1].upper() + line[1:]))}." if line else ""


def _touch(hub: Hub, memory: Memory, one: Touch) -> str:
    if one.kind in ("opened", "saved"):
        return f"- {moment(one.at)}, you {one.kind} it"
    who = f"{markdown(agent_name(one.agent))} {did(one)}".rstrip(",")
    line = f"- {moment(one.at)}, {who}"
    if one.turn is not None:
        turn = uri("turn", f"{one.session}/{one.turn}", hub, memory)
        line += f", [turn {one.turn}]({turn})"
    line += f" of *{markdown(redact(one.title))}*" if one.title else ""
    if one.number is not None:
        name = f"#{one.number}"
        line += f": [{name}]({uri('archive', name, hub, memory)})"
    return line


def _hit(hub: Hub, memory: Memory, one: Hit) -> str:
    target = uri("archive", one.handle or one.id, hub, memory)
    return f"- [{one.id}]({target}) {markdown(one.text[:_EXCERPT])}"
