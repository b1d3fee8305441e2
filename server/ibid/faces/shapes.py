"""The objects that command line, wire and MCP share, as plain JSON values.

Field names are single words or camelCase; times are milliseconds; what is absent is
None.  Every text passes redaction once more on its way out (E1).
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from ibid.engine.keep import policy
from ibid.engine.keep.doctor import handshake
from ibid.engine.keep.rivals import ACTIVE
from ibid.engine.model import Source, native_of
from ibid.engine.recall.block import shown_name
from ibid.store import includes, projects
from ibid.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ibid.duties.setting import Prepared
    from ibid.engine.keep.account import Line, Report
    from ibid.engine.keep.doctor import Report as Diagnosis
    from ibid.engine.keep.erase import Deleted
    from ibid.engine.keep.instructions import Preview
    from ibid.engine.keep.notes import NoteView
    from ibid.engine.keep.queue import CandidateView
    from ibid.engine.keep.rivals import Sighting
    from ibid.engine.ledger.epochs import Ended
    from ibid.engine.ledger.handoffs import Shown
    from ibid.engine.ledger.history import FileHistory, FileSummary, Touch
    from ibid.engine.ledger.parallel import Claim
    from ibid.engine.ledger.reread import Answer
    from ibid.engine.recall.expanding import Expanded
    from ibid.engine.recall.recall import Recalled, RecalledItem
    from ibid.engine.recall.reports import ReceiptView
    from ibid.engine.recall.searching import Found, Hit
    from ibid.store.driver import Row
    from ibid.store.projects import Project

Json = dict[str, Any]


def source(given: Source | None) -> Json | None:
    """Return where a memory was said."""
    return None if given is None else given._asdict()


def note(view: NoteView) -> Json:
    """Return a note, episode or profile with all its fields."""
    row = view.row
    return {
        "id": row["key"],
        "layer": f"L{row['layer']}",
        "category": row["category"],
        "text": redact(row["text"]),
        "request": redact(row["request"]) or None,
        "confidence": row["confidence"],
        "origin": row["origin"],
        "author": row["author"],
        "role": row["role"],
        "tags": [redact(tag) for tag in json.loads(row["tags"])],
        "pinned": bool(row["pinned"]),
        "active": bool(row["active"]),
        "state": row["state"],
        "taint": bool(row["taint"]),
        "outside": bool(row["outside"]),
        "created": row["created"],
        "updated": row["updated"],
        "used": row["used"],
        "uses": row["uses"],
        "sources": [source(one) for one in view.sources],
        "supersedes": view.supersedes,
        "conflicts": view.conflicts,
        "reason": redact(row["reason"]) or None,
        "anchors": [anchor(one) for one in view.anchors],
        "file": row["file"] or None,
        "version": row["version"],
    }


def anchor(row: Row) -> Json:
    """Return what in the code a note is about."""
    return {
        "path": redact(row["path"]),
        "symbol": redact(row["symbol"]),
        "line": row["line"],
        "state": row["state"],
    }


def candidate(view: CandidateView) -> Json:
    """Return a candidate with its sentence, turn, time left and reason (C5)."""
    row = view.row
    return {
        "id": row["key"],
        "category": row["category"],
        "text": redact(row["text"]),
        "signal": redact(row["signal"]),
        "source": _candidate_source(row),
        "at": row["at"],
        "due": row["due"],
        "left": view.left,
        "state": _candidate_state(view),
        "waits": view.waits,
        "reason": redact(view.reason) or None,
        "repeats": row["repeats"],
        "resembles": row["resembles_key"],
        "file": row["file"] or None,
        "origin": row["origin"],
        "taint": bool(row["taint"]),
        "version": row["version"],
    }


def _candidate_state(view: CandidateView) -> str:
    state = str(view.row["state"])
    return "snoozed" if state == "pending" and view.waits == "snoozed" else state


def _candidate_source(row: Row) -> Json | None:
    if row["session_native"] is None:
        return None
    message = native_of(row["message_native"] or "", row["agent"])
    return Source(
        row["session_native"],
        row["turn_number"],
        message,
        redact(row["title"] or ""),
        row["agent"],
        row["turn_at"] or row["at"],
    )._asdict()


def recalled(answer: Recalled) -> Json:
    """Return the answer to a recall."""
    return {
        "block": answer.block,
        "tokens": answer.tokens,
        "items": [recalled_item(one) for one in answer.items],
        "receipt": None if answer.receipt is None else f"#{answer.receipt}",
        "earlierWork": answer.earlier_work,
        "reason": answer.reason,
    }


def recalled_item(one: RecalledItem) -> Json:
    """Return one item of a recalled block."""
    return {
        "id": one.item.id,
        "layer": one.item.layer,
        "category": one.item.category,
        "score": one.item.score,
        "text": redact(one.item.text),
        "source": source(one.source),
        **_origin(one.project),
    }


def _origin(root: str) -> Json:
    """Return the other project that an item is of: where it is, how it is called."""
    name = shown_name(root) if root else None
    return {"project": root or None, "projectName": name}


def found(answer: Found) -> Json:
    """Return a page of search hits."""
    return {
        "hits": [hit(one) for one in answer.hits],
        "total": answer.total,
        "reason": answer.reason or None,
    }


def hit(one: Hit) -> Json:
    """Return one search hit."""
    return {**one._asdict(), "source": source(one.source), "handle": one.handle or None}


def expanded(answer: Expanded) -> Json:
    """Return an expanded text; bytes that are no text as base64."""
    shape: Json = {
        "bytes": answer.bytes,
        "state": answer.state,
        "redacted": answer.redacted,
        "title": answer.title,
        "total": answer.total,
        "parts": [[part.first, part.last] for part in answer.parts],
    }
    try:
        return {**shape, "text": answer.data.decode("utf-8")}
    except UnicodeDecodeError:
        return {**shape, "base64": base64.b64encode(answer.data).decode("ascii")}


def read_answer(answer: Answer) -> Json:
    """Return what a read was answered; the text itself goes out as it is (N6)."""
    return {
        "answer": answer.answer,
        "text": answer.text,
        "tokens": answer.tokens,
        "rawTokens": answer.raw_tokens,
        "handle": answer.handle,
        "turn": answer.turn,
        "number": None if answer.number is None else f"#{answer.number}",
        "lines": [answer.first, answer.last],
        "total": answer.total,
        "reason": answer.reason or None,
        "before": redact(answer.before) or None,
    }


def touched_files(
    found: Iterable[FileSummary], total: int, relative: Callable[[str], str]
) -> Json:
    """Return a page of files that were read; ``relative`` names one in the project.

    Of each ``path`` opens it and ``name`` is shown (E1, N7).
    """
    rows = [{**one._asdict(), "name": redact(relative(one.path))} for one in found]
    return {"files": rows, "total": total}


def file_history(found: FileHistory, relative: str) -> Json:
    """Return who read or changed a file, and what changed since (N7)."""
    since = found.since
    return {
        "path": found.path,
        "name": redact(relative),
        "sessions": found.sessions,
        "last": found.last or None,
        "line": redact(found.line) or None,
        "since": {
            "state": since.state,
            "at": since.at or None,
            "lines": since.lines,
            "symbols": [
                {**one._asdict(), "name": redact(one.name)} for one in since.symbols
            ],
        },
        "reads": [file_touch(one) for one in found.touches],
    }


def file_touch(one: Touch) -> Json:
    """Return one read or change of a file."""
    number = None if one.number is None else f"#{one.number}"
    return {**one._asdict(), "title": redact(one.title), "number": number}


def ended_epoch(ended: Ended) -> Json:
    """Return which epoch begins now, and how many rows count no more (N4)."""
    return ended._asdict()


def receipt(view: ReceiptView, whole: bool = True) -> Json:
    """Return a receipt; without its text and items' texts unless ``whole`` (I1)."""
    row = view.row
    shape = {
        "id": f"#{row['id']}",
        "name": row["name"],
        "kind": row["kind"],
        "session": row["native"] or None,
        "turn": row["turn_number"],
        "agent": row["agent"],
        "role": row["role"],
        "at": row["at"],
        "query": redact(row["query"]),
        "tokens": row["tokens"],
        "estimator": row["estimator"],
        "layers": json.loads(row["layers"]),
        "items": [receipt_item(item) for item in view.items],
        "erased": bool(row["erased"]),
        "control": row["control"] or None,
    }
    return {**shape, "text": redact(row["text"])} if whole else shape


def receipt_item(row: Row) -> Json:
    """Return one item of a receipt."""
    return {
        "id": row["item"],
        "layer": row["layer"],
        "category": row["category"],
        "score": row["score"],
        "text": redact(row["text"]),
        "tokens": row["tokens"],
        "source": _place(json.loads(row["source"])),
        **_origin(row["project"]),
    }


def _place(kept: Json | None) -> Json | None:
    """Return a source as it was kept, its title masked by today's rules (E1)."""
    if not kept or "title" not in kept:
        return kept
    return {**kept, "title": redact(kept["title"] or "")}


def handoff(made: Shown) -> Json:
    """Return a handoff and the file it was written to, if it was (O2)."""
    return {
        "session": made.session,
        "text": redact(made.text),
        "tokens": made.tokens,
        "path": made.path or None,
    }


def instructions(made: Preview) -> Json:
    """Return what an edit would make of an instruction file (C6)."""
    return {
        "path": made.path,
        "exists": made.exists,
        "before": made.before,
        "after": made.after,
        "diff": made.diff,
    }


def left_behind(files: list[str]) -> str:
    """Say which note files a move of the memory leaves behind, and what to do (O1)."""
    if not files:
        return ""
    count = "1 note file is" if len(files) == 1 else f"{len(files)} note files are"
    named = redact(", ".join(files[:3])) + (", …" if len(files) > 3 else "")
    return (
        f"{count} not in the new folder: {named}. Their notes are not recalled until "
        "they are: copy them from the old folder's .ibid, in the same places."
    )


def project(one: Project, home: str) -> Json:
    """Return a project that has memory here, and those it recalls from (S2)."""
    included = includes.included(home, one.key)
    rows = [
        {
            "path": root,
            "name": projects.project_at(root, home).name,
            "missing": not includes.is_there(home, root),
        }
        for root in included
    ]
    return {
        "path": one.path,
        "name": one.name,
        "bytes": projects.size_of(one.database),
        "includes": rows,
    }


def claim(one: Claim) -> Json:
    """Return a path that a session has claimed (O4); masked when it was claimed."""
    return one._asdict()


def report(made: Report) -> Json:
    """Return the net per role and feature, and per day (P2)."""
    return {
        "roles": [_net_line(line) for line in made.lines],
        "estimator": made.estimator,
        "days": [one._asdict() for one in made.days],
        "control": made.control,
    }


def _net_line(line: Line) -> Json:
    estimate = line.estimate
    if estimate is None:
        return line._asdict()
    told = {
        name: round(value, 1) if isinstance(value, float) else value
        for name, value in estimate._asdict().items()
    }
    return {**line._asdict(), "estimate": told}


def setup(prepared: Prepared, state: str) -> Json:
    """Return what set-up changed or would change, and what is left to the person."""
    return {
        "agent": prepared.agent,
        "state": state,
        "files": [
            {
                "path": one.path,
                "changed": one.before != one.after,
                "diff": one.diff,
                "problem": one.problem or None,
            }
            for one in prepared.changes
        ],
        "todo": list(prepared.todo),
    }


def doctor(report: Diagnosis) -> Json:
    """Return what the doctor found (P4, Q1, R5)."""
    facts = report.facts
    return {
        "ok": report.is_well,
        "versions": dict(facts.versions),
        "checks": [one._asdict() for one in report.checks],
        "agents": [
            {
                "agent": one.agent,
                "found": one.is_found,
                "version": one.version or None,
                "installed": one.is_installed,
                "state": handshake(one),
                "events": dict(one.events),
            }
            for one in facts.agents
        ],
        "rivals": [_rival(one, facts.allowed) for one in facts.sightings],
        "expiring": [one._asdict() for one in facts.expiries],
        "footprint": report.footprint,
    }


def _rival(one: Sighting, allowed: frozenset[str]) -> Json:
    is_allowed = one.state == ACTIVE and one.rival in allowed
    return {
        "rival": one.rival,
        "state": "allowed" if is_allowed else one.state,
        "what": one.what,
        "where": one.where,
        "next": one.fix,
    }


def deleted(done: Deleted) -> Json:
    """Return what was deleted, and the job that is still at it."""
    return {"id": done.name, "job": done.job, "waits": done.waits or None}


def session(row: Row) -> Json:
    """Return a session."""
    preset = policy.preset_of(row["read_policy"], row["write_policy"], row["preset"])
    keys = row.keys()
    return {
        "session": row["native"],
        "agent": row["agent"],
        "role": row["role"],
        "title": redact(row["title"]),
        "at": row["last"],
        "started": row["started"],
        "turns": row["turns"] if "turns" in keys else None,
        "state": "ended" if row["ended"] else "open",
        "preset": preset,
        "read": row["read_policy"],
        "write": row["write_policy"],
        "kept": bool(row["kept"]) if "kept" in keys else None,
        "control": _listed(row["control_of"]) if "control_of" in keys else [],
    }


def _listed(given: str | None) -> list[str]:
    """Return what SQL joined by commas."""
    return sorted(given.split(",")) if given else []


def evidence(rows: list[Row], history: list[Row], reveal: bool) -> Json:
    """Return where a note was said, masked unless ``reveal``, and older wordings."""
    return {
        "sources": [_said(row, reveal) for row in rows],
        "history": [
            {"text": redact(row["text"]), "at": row["at"], "why": row["why"]}
            for row in history
        ],
    }


def _said(row: Row, reveal: bool) -> Json:
    text = row["message_text"]
    if text is not None and row["end"] > row["start"]:
        text = text[row["start"] : row["end"]]
    place = Source(
        row["session_native"] or "",
        row["turn_number"],
        native_of(row["message_native"] or "", row["agent"] or ""),
        redact(row["title"] or ""),
        row["agent"] or "",
        row["at"],
    )
    shown = text if text is None or reveal else redact(text)
    return {**place._asdict(), "text": shown, "available": text is not None}
