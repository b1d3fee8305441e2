"""The virtual documents behind ``ibid:`` URIs, as Markdown that cannot act (R1, B4).

Words from memory are escaped or fenced: no link, image, HTML or command acts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

from ibid.engine.recall import sources
from ibid.errors import InputError
from ibid.faces import shapes
from ibid.faces.lsp import inquiries
from ibid.faces.lsp.addresses import item_line, uri
from ibid.faces.lsp.wording import counted, times
from ibid.store.receipts import WITHHELD
from ibid.text.clean import fence, markdown

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.shapes import Json


def read(hub: Hub, given: str) -> str:
    """Return the Markdown of the document at URI ``given``.

    Raises:
        InputError: not such a document; NotFoundError: no such row.
    """
    parts = urlsplit(given)
    memory = memory_of(hub, given)
    kind = parts.netloc.lower()
    name = unquote(parts.path.lstrip("/"))
    if kind == "reads":
        return inquiries.reads(hub, memory, name)
    if kind == "recall":
        return inquiries.recall(hub, memory, name)
    name = name.removesuffix(".md")
    if kind == "note":
        return _note(hub, memory, name)
    if kind == "candidate":
        return _candidate(hub, memory, name)
    if kind == "receipt":
        return _receipt(hub, memory, name)
    if kind == "turn":
        expanded = memory.expand(f"turn:{name}")
        return _text(f"Turn {name}", expanded.data)
    if kind == "handoff":
        shown = memory.handoffs.preview(name)
        return _text(f"Handoff {shown.session}", shown.text.encode())
    if kind == "archive":
        expanded = memory.expand(name)
        return _text(expanded.title or name, expanded.data)
    raise InputError(
        f"No document {given!r}. There are note, candidate, receipt, turn, handoff, "
        "archive, reads and recall."
    )


def memory_of(hub: Hub, given: str) -> Memory:
    """Return the memory that the document at URI ``given`` is of.

    Some editors escape a query as a whole, its equals sign too.
    """
    asked = urlsplit(given).query
    query = parse_qs(asked) or parse_qs(unquote(asked))
    return hub.memory(next(iter(query.get("project", [])), None))


def _text(title: str, data: bytes) -> str:
    return f"# {markdown(title)}\n\n{fence(data.decode('utf-8', 'replace'))}\n"


def _note(hub: Hub, memory: Memory, name: str) -> str:
    view = memory.notes.show(name)
    row = shapes.note(view)
    said, history = memory.notes.evidence(name)
    shown = shapes.evidence(said, history, reveal=False)
    marks = [row["category"].capitalize(), row["state"], row["origin"]]
    marks += ["pinned"] if row["pinned"] else []
    marks += ["outside"] if row["taint"] else []
    lines = [f"# {markdown(row['category'].capitalize())} {row['id']}", ""]
    lines += [" · ".join(markdown(mark) for mark in marks), ""]
    if row["request"]:
        lines += ["**Asked**", "", fence(row["request"]), "", "**Outcome**", ""]
    lines += [fence(row["text"]), ""]
    if row["reason"]:
        lines += [f"{markdown(row['reason'])}", ""]
    lines += ["## Where it was said", ""]
    lines += [_said(hub, memory, one) for one in shown["sources"]] or [
        "You added it by hand."
    ]
    if row["anchors"]:
        lines += ["", "## What it is about", ""]
        lines += [
            f"- {markdown(one['path'])} {markdown(one['symbol'])} ({one['state']})"
            for one in row["anchors"]
        ]
    if shown["history"]:
        lines += ["", "## History", ""]
        lines += [
            f"- {sources.date(one['at'])}, {markdown(one['why'])}: "
            f"{markdown(one['text'])}"
            for one in shown["history"]
        ]
    lines += ["", "## Use", "", _use(row)]
    return "\n".join(lines) + "\n"


def _use(row: Json) -> str:
    if not row["uses"]:
        return "Not recalled yet."
    return f"{times(row['uses']).capitalize()}, last {sources.date(row['used'])}."


def _said(hub: Hub, memory: Memory, one: Json) -> str:
    title = f" of *{markdown(one['title'])}*" if one["title"] else ""
    place = uri("turn", f"{one['session']}/{one['turn']}", hub, memory)
    text = "the turn is gone" if one["text"] is None else markdown(one["text"][:600])
    return (
        f"- {sources.date(one['at'])}, {markdown(one['agent'])} "
        f"[turn {one['turn']}]({place}){title}: {text}"
    )


def _candidate(hub: Hub, memory: Memory, name: str) -> str:
    row = shapes.candidate(memory.queue.show(name))
    source = row["source"]
    lines = [f"# Candidate {row['id']}", "", fence(row["text"]), ""]
    lines += [f"- Category: {markdown(row['category'])}"]
    lines += [f"- Why it was kept: {markdown(row['signal'] or 'proposed')}"]
    lines += [f"- {markdown(_waiting(row))}"]
    if row["resembles"]:
        target = uri("note", row["resembles"], hub, memory)
        lines += [f"- Resembles [{row['resembles']}]({target})"]
    if source is None:
        return "\n".join(lines) + "\n"
    title = f" of *{markdown(source['title'])}*" if source["title"] else ""
    place = uri("turn", f"{source['session']}/{source['turn']}", hub, memory)
    lines += [
        f"- Said {sources.date(source['at'])} in [turn {source['turn']}]({place})"
        f"{title}, {markdown(source['agent'])} {markdown(source['session'][:8])}",
    ]
    return "\n".join(lines) + "\n"


def _waiting(row: Json) -> str:
    if row["state"] != "pending":
        return f"It is {row['state']}."
    if row["left"] is None:
        return f"It waits for you: {row['reason'] or row['waits']}."
    return f"It settles in {-(-row['left'] // 60_000)} min."


def _used(row: Json) -> str:
    """Return what a receipt is about, in one line."""
    if row["control"] == WITHHELD:
        return f"Memory withheld to compare: {markdown(row['kind'])} (control group)"
    layers = " · ".join(f"{layer} {count}" for layer, count in row["layers"].items())
    items = counted(len(row["items"]), "item")
    return f"Memory used: {items}, {row['tokens']} tokens · {layers}"


def _receipt(hub: Hub, memory: Memory, name: str) -> str:
    row = shapes.receipt(memory.receipts.show(name))
    lines = [
        f"# {_used(row)}",
        "",
        f"{row['id']} · {sources.date(row['at'])} · {markdown(row['agent'] or 'agent')}"
        f" {markdown((row['session'] or '–')[:8])} · tokens by {row['estimator']}",
        "",
        "**Asked**",
        "",
        fence(row["query"]),
        "",
        "## Items",
        "",
    ]
    lines += [item_line(hub, memory, item) for item in row["items"]]
    lines += ["", "## Block as sent", "", fence(row["text"])]
    return "\n".join(lines) + "\n"
