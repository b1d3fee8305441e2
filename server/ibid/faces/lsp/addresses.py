"""The addresses of documents, and lines that hold them (R1)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from ibid.text.clean import markdown

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.faces.lsp.hub import Hub
    from ibid.faces.shapes import Json


def uri(kind: str, name: str, hub: Hub, memory: Memory) -> str:
    """Return a document's URI; with its project unless it is the first folder's."""
    return f"ibid://{kind}/{quote(name, safe='/')}{hub.suffix(memory)}"


def item_line(hub: Hub, memory: Memory, item: Json) -> str:
    """Return one item of a block or receipt, with a link to it where it is (S2)."""
    target = item["id"]
    address = uri("note", target, hub, memory)
    origin = ""
    if item["project"]:
        address = f"ibid://note/{quote(target)}?project={quote(item['project'])}"
        origin = f" from {markdown(item['projectName'])}"
    link = target if item["layer"] == "L0" else f"[{target}]({address})"
    return (
        f"- {item['score']:.3f} · {item['layer']} {markdown(item['category'])} "
        f"{link}{origin} · {item['tokens']} tokens: {markdown(item['text'])}"
    )
