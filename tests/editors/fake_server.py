"""A server that answers with canned objects, slowly or not at all if told to.

Stands in for the real one where a test needs what that never does: ten thousand
rows in no time, hostile texts in every field, answers that do not come, a sudden
end.  Reads its orders from the JSON file named by ``IBID_FAKE_ORDERS``, anew at each
request: ``{"delay": seconds, "die": bool or "once", "candidates": n, "notes": n,
"calm": no hostile text in the accounts}``.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
from datetime import date, timedelta
from pathlib import Path
from typing import Any

NOW = int(time.time() * 1000)
HOSTILE = (
    "[run](command:ibid.deleteNote) <img src=x onerror=alert(1)> **bold** "
    "$(trash) \u202egnp.exe\u202c a\u200bb ![x](http://localhost:9/leak)"
)
WAITS = ("settling", "settling", "review", "agent", "taint", "history")
CATEGORIES = ("constraint", "preference", "decision", "fact")
RULES = (
    "Never log request bodies in payments/",
    "Use uv for environments, not poetry",
    "The ledger is stored in Postgres",
    "Retry limit is 3 for all outbound calls",
    "Migrations are reversible",
)


def main() -> None:
    """Answer requests until standard input ends."""
    while (message := read_message()) is not None:
        orders = read_orders()
        if orders.get("die"):
            end(orders)
        if "id" in message and "method" in message:
            if message["method"] not in ("initialize", "shutdown"):
                time.sleep(orders.get("delay", 0))
            answer(message, orders)
        elif message.get("method") == "exit":
            return


def end(orders: dict[str, Any]) -> None:
    """End as a crash does; with ``"die": "once"`` the next server lives."""
    if orders["die"] == "once":
        left = json.dumps({**orders, "die": False})
        Path(os.environ["IBID_FAKE_ORDERS"]).write_text(left, encoding="utf-8")
    os._exit(70)


def read_message() -> dict[str, Any] | None:
    """Read one framed message; None at the end of input."""
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if length == 0:
        return None
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def write_message(message: dict[str, Any]) -> None:
    """Write one framed message."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


def read_orders() -> dict[str, Any]:
    """Read how to behave from now on."""
    try:
        orders: dict[str, Any] = json.loads(
            Path(os.environ["IBID_FAKE_ORDERS"]).read_text(encoding="utf-8")
        )
    except (KeyError, OSError, ValueError):
        return {}
    return orders


def answer(message: dict[str, Any], orders: dict[str, Any]) -> None:
    """Answer a request, or say that it is not known here."""
    find = ANSWERS.get(message["method"])
    if find is None:
        error = {"code": -32601, "message": f"not faked: {message['method']}"}
        write_message({"id": message["id"], "error": error})
    else:
        result = find(message.get("params") or {}, orders)
        write_message({"id": message["id"], "result": result})


def source(at: int) -> dict[str, Any]:
    """Return where the candidate or note of that number was said."""
    return {
        "session": f"session-{at % 7}",
        "turn": at % 9 + 1,
        "message": None,
        "title": HOSTILE if at == 0 else "tests are red again",
        "agent": "claude-code",
        "at": NOW - at * 60_000,
    }


def text(at: int) -> str:
    """Return the words of that number; the first ones are hostile."""
    return HOSTILE if at == 0 else f"{RULES[at % len(RULES)]} ({at})"


def candidate(at: int) -> dict[str, Any]:
    """Return the candidate of that number."""
    waits = WAITS[at % len(WAITS)]
    left = (at % 30 + 1) * 60_000 if waits == "settling" else None
    return {
        "id": f"c-{at:05}",
        "category": CATEGORIES[at % 4],
        "text": text(at),
        "signal": "prohibition: never",
        "source": source(at),
        "at": NOW - at * 60_000,
        "due": None if left is None else NOW + left,
        "left": left,
        "state": "pending",
        "waits": waits,
        "reason": None,
        "resembles": "n-00001" if at % 5 == 0 else None,
        "taint": waits == "taint",
        "version": 1,
    }


def note(at: int) -> dict[str, Any]:
    """Return the note of that number."""
    return {
        "id": f"n-{at:05}",
        "layer": "L1",
        "category": CATEGORIES[at % 4],
        "text": text(at),
        "confidence": 0.9,
        "origin": "automatic",
        "author": "person",
        "role": None,
        "tags": [],
        "pinned": at % 10 == 1,
        "active": True,
        "state": "active",
        "taint": False,
        "created": NOW,
        "updated": NOW,
        "used": NOW if at % 3 else None,
        "uses": at % 3,
        "sources": [source(at)],
        "supersedes": None,
        "conflicts": None,
        "reason": None,
        "anchors": [],
        "version": 1,
    }


def receipt(at: int) -> dict[str, Any]:
    """Return the receipt of that number."""
    items = [
        {
            "id": f"n-{k:05}",
            "layer": "L1",
            "category": CATEGORIES[k % 4],
            "score": 0.9 - k / 10,
            "text": text(k),
            "source": source(k),
        }
        for k in range(3)
    ]
    return {
        "id": f"r-{at:05}",
        "kind": "block",
        "session": f"session-{at % 3}",
        "turn": at + 1,
        "agent": "claude-code",
        "role": "claude-code",
        "at": NOW - at * 60_000,
        "query": "why do the tests fail",
        "tokens": 212,
        "estimator": "fake",
        "layers": {"L1": 212},
        "items": items,
        "erased": False,
    }


def page(make: Any, total: int, params: dict[str, Any]) -> list[Any]:
    """Return the rows of one page."""
    first = params.get("offset") or 0
    return [make(at) for at in range(first, min(total, first + params["limit"]))]


def initialize(_params: dict[str, Any], _orders: dict[str, Any]) -> dict[str, Any]:
    """Return the capabilities of the real server."""
    return {
        "capabilities": {
            "codeLensProvider": {},
            "hoverProvider": True,
            "workspaceSymbolProvider": True,
            "workspace": {"textDocumentContent": {"schemes": ["ibid"]}},
            "experimental": {"ibid": {"protocol": 1}},
        },
        "serverInfo": {"name": "ibid", "version": "0.1.0"},
    }


def status(params: dict[str, Any], orders: dict[str, Any]) -> dict[str, Any]:
    """Return a project whose memory is on."""
    return {
        "project": params.get("project"),
        "name": "shop",
        "state": "on",
        "candidates": orders.get("candidates", 8),
        "notes": orders.get("notes", 12),
        "receipts": 5,
        "sessions": 3,
        "importing": False,
        "message": None,
    }


def candidates(params: dict[str, Any], orders: dict[str, Any]) -> dict[str, Any]:
    """Return a page of the queue."""
    total = orders.get("candidates", 8)
    rows = page(candidate, total, params)
    return {"candidates": rows, "total": total, "digest": {"expired": 0}}


def notes(params: dict[str, Any], orders: dict[str, Any]) -> dict[str, Any]:
    """Return a page of the notes."""
    total = orders.get("notes", 12)
    return {
        "notes": page(note, total, params),
        "total": total,
        "counts": {"all": total},
    }


def receipts(params: dict[str, Any], _orders: dict[str, Any]) -> dict[str, Any]:
    """Return a page of the receipts."""
    return {"receipts": page(receipt, 5, params), "total": 5}


def sessions(_params: dict[str, Any], _orders: dict[str, Any]) -> dict[str, Any]:
    """Return three sessions, one of them private."""
    presets = ("default", "private", "learn-only")
    rows = [
        {
            "session": f"session-{at}",
            "agent": "claude-code",
            "role": "claude-code",
            "title": HOSTILE if at == 2 else "tests are red again",
            "at": NOW - at * 3_600_000,
            "turns": 9,
            "state": "ended",
            "preset": preset,
            "kept": at == 0,
        }
        for at, preset in enumerate(presets)
    ]
    return {"sessions": rows, "total": 3}


def report(params: dict[str, Any], orders: dict[str, Any]) -> dict[str, Any]:
    """Return accounts of sixty days; a feature that is enabled is on from then on."""
    _enabled.update([params["enable"]] if "enable" in params else [])
    lines = [
        account("claude-code", "stubs", gross=18_400, bounced=3_100, cost=960, n=41),
        account("claude-code", "hints", cost=2_100, n=30, unknown=True),
        account("codex", "deltas", gross=420, bounced=380, cost=510, n=38),
        account("codex", "block", cost=779, n=12, unknown=True),
    ]
    if "deltas" not in _enabled:
        why = "net −470, with 95 % confidence below zero"
        lines[2] |= {"state": "demoted", "lower": -14.2, "at": NOW, "reason": why}
    lines[1]["reason"] = "" if orders.get("calm") else HOSTILE
    days = [day for at in range(60) for day in day_rows(at)]
    return {"roles": lines, "estimator": "fake-1", "days": days, "control": 10}


def account(role: str, feature: str, **figures: Any) -> dict[str, Any]:
    """Return what one feature cost and saved."""
    line = {"gross": 0, "bounced": 0, "unknown": False, **figures}
    return {
        **line,
        "role": role,
        "feature": feature,
        "net": line["gross"] - line["bounced"] - line["cost"],
        "samples": line.pop("n"),
        "state": "on",
        "reason": "",
        "lower": None,
        "at": None,
    }


def day_rows(at: int) -> list[dict[str, Any]]:
    """Return the accounts of one day; weekends are quiet."""
    day = date(2026, 10, 2) + timedelta(days=at)
    if day.weekday() >= 5:
        return []
    stubs = {"gross": 240 + at * 37 % 390, "bounced": at * 13 % 90, "cost": 20}
    hints = {"gross": 0, "bounced": 0, "cost": 60 + at * 29 % 70}
    about = {"day": day.isoformat(), "role": "claude-code"}
    return [
        {**about, "feature": "stubs", **stubs},
        {**about, "feature": "hints", **hints},
    ]


def content(params: dict[str, Any], _orders: dict[str, Any]) -> dict[str, Any]:
    """Return the document of an address."""
    return {"text": f"# {params['uri']}\n\n{RULES[0]}\n"}


def search(params: dict[str, Any], _orders: dict[str, Any]) -> dict[str, Any]:
    """Return three hits for any query."""
    items = receipt(0)["items"]
    hits = [{**item, "handle": None, "matched": "all"} for item in items]
    return {"hits": hits, "total": 3, "reason": None}


def lenses(_params: dict[str, Any], _orders: dict[str, Any]) -> list[Any]:
    """Return one lens on the first line."""
    start = {"line": 0, "character": 0}
    command = {
        "title": "ibid: 2 notes · decided 2 Apr",
        "command": "ibid.openNotes",
        "arguments": [{"ids": ["n-00001", "n-00002"]}],
    }
    return [{"range": {"start": start, "end": start}, "command": command}]


def nothing(_params: dict[str, Any], _orders: dict[str, Any]) -> None:
    """Answer with null."""


_accepted = itertools.count()
_enabled: set[str] = set()
ANSWERS: dict[str, Any] = {
    "initialize": initialize,
    "shutdown": nothing,
    "ibid/status": status,
    "ibid/candidate/list": candidates,
    "ibid/candidate/accept": lambda params, orders: note(next(_accepted)),
    "ibid/note/list": notes,
    "ibid/receipt/list": receipts,
    "ibid/session/list": sessions,
    "ibid/search": search,
    "ibid/report": report,
    "workspace/textDocumentContent": content,
    "textDocument/codeLens": lenses,
    "textDocument/hover": nothing,
    "workspace/symbol": lambda params, orders: [],
}

if __name__ == "__main__":
    main()
