"""What each tool answers: text for an agent, metered like anything it is given (P1).

Nothing here decides; a session that may not recall gets a sentence that says so.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.duties import reading
from ibid.engine.keep.metering import meter_answer
from ibid.engine.model import RecallRequest, SearchRequest
from ibid.engine.recall.expanding import Part
from ibid.errors import DisabledError, InputError, NotFoundError
from ibid.text.clean import defang, one_line
from ibid.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Callable

    from ibid.engine.memory import Memory
    from ibid.engine.recall.searching import Hit

Arguments = dict[str, Any]

LIMIT = 10
_CLIP = 300  # Characters of a search hit.
_HEAD = "Untrusted recalled context:"


class Caller(NamedTuple):
    """Who asks: the agent, and its session where that is known."""

    agent: str = ""
    session: str = ""
    told: bool = False  # The session was named with the call itself.


def answer(memory: Memory, name: str, given: Arguments, caller: Caller) -> str:
    """Return what tool ``name`` answers.

    Raises:
        InputError: no such tool, or arguments it cannot use; the message says which.
        IbidError: as the engine says.
    """
    if name not in _ANSWERS:
        raise InputError(f"No tool {name!r}. There are: {', '.join(_ANSWERS)}.")
    session = _text(given, "session") or caller.session
    caller = caller._replace(session=session, told=bool(given.get("session")))
    text = _ANSWERS[name](memory, given, caller)
    if name not in _METERED_ELSEWHERE:
        meter_answer(memory, caller.session, caller.agent, name, text)
    return text


# -- the tools -------------------------------------------------------------------------


def _recall(memory: Memory, given: Arguments, caller: Caller) -> str:
    prompt = _needed(given, "prompt")
    request = RecallRequest(prompt, caller.session, caller.agent, asked=True)
    found = memory.recall(request)
    return found.block or f"Nothing was recalled: {found.reason}."


def _search(memory: Memory, given: Arguments, caller: Caller) -> str:
    memory.sessions.check_readable(caller.session, caller.agent)
    limit = min(max(_number(given, "limit", LIMIT), 1), 50)
    offset = max(_number(given, "offset", 0), 0)
    request = SearchRequest(
        _needed(given, "query"),
        archive=_flag(given, "archive"),
        limit=limit,
        offset=offset,
    )
    found = memory.search(request)
    if not found.hits:
        return f"Nothing found: {found.reason or 'no row has these words'}."
    lines = [_hit(one) for one in found.hits]
    left = found.total - offset - len(lines)
    if left > 0:
        lines.append(f"[{left} more: offset {offset + len(lines)}]")
    return "\n".join([_HEAD, *lines])


def _hit(one: Hit) -> str:
    label = one_line(f"{one.layer} {one.category} {one.id}")
    text = one_line(defang(redact(one.text)))
    if len(text) > _CLIP:
        rest = f" <<ccr:{one.handle}>>" if one.handle else ""
        text = f"{text[:_CLIP]}…{rest}"
    said = one.source
    if said is None:
        return f"[{label}] {text}"
    turn = f" turn {said.turn}" if said.turn is not None else ""
    return f"[{label}] {text} (session {one_line(said.session)[:8]}{turn})"


def _expand(memory: Memory, given: Arguments, caller: Caller) -> str:
    memory.sessions.check_readable(caller.session, caller.agent)
    first, last = _range(given)
    part = Part(first, last, find=_text(given, "find"))
    found = memory.expand(_needed(given, "handle"), part=part)
    if part.find:
        return found.numbered() or f"Nothing of its {found.total} lines matches."
    try:
        return found.data.decode("utf-8")
    except UnicodeDecodeError:
        return f"[{found.bytes} bytes that are no text]"


def _read(memory: Memory, given: Arguments, caller: Caller) -> str:
    """Answer a read; a thread that is not known never gets a short answer (N4)."""
    first, last = _range(given)
    scope = _text(given, "scope") if caller.told or given.get("scope") else None
    request = reading.FileRequest(
        path=_needed(given, "path"),
        session=caller.session,
        scope=scope,
        first=first,
        last=last,
        fresh=_flag(given, "fresh"),
        agent=caller.agent,
    )
    return reading.read_file(memory, request).text


def _remember(memory: Memory, given: Arguments, caller: Caller) -> str:
    category = _text(given, "category") or "fact"
    text = _needed(given, "text")
    view = memory.queue.propose(text, category, caller.session, caller.agent)
    return f"Proposed as {view.row['key']}; a person decides in the review queue."


def _handoff(memory: Memory, given: Arguments, caller: Caller) -> str:
    memory.sessions.check_readable(caller.session, caller.agent)
    if not memory.switches().recall:
        raise DisabledError("Recall is switched off.")
    try:
        made = memory.handoffs.preview(_text(given, "session"))
    except NotFoundError as error:
        return str(error)
    return f"{_HEAD}\n{redact(made.text)}"


_ANSWERS: dict[str, Callable[[Memory, Arguments, Caller], str]] = {
    "recall": _recall,
    "search": _search,
    "expand": _expand,
    "read": _read,
    "remember": _remember,
    "handoff": _handoff,
}
_METERED_ELSEWHERE = frozenset({"recall", "read"})


# -- arguments -------------------------------------------------------------------------


def _text(given: Arguments, name: str) -> str:
    value = given.get(name)
    if value is None:
        return ""
    if type(value) is not str:
        raise InputError(f"{name} must be a text.")
    return value.encode("utf-8", "replace").decode("utf-8")


def _needed(given: Arguments, name: str) -> str:
    value = _text(given, name)
    if not value.strip():
        raise InputError(f"{name} is missing.")
    return value


def _number(given: Arguments, name: str, default: int) -> int:
    value = given.get(name)
    if value is None:
        return default
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not int or abs(value) > 10**9:
        raise InputError(f"{name} must be a whole number.")
    return value


def _flag(given: Arguments, name: str) -> bool:
    value = given.get(name)
    if value is not None and type(value) is not bool:
        raise InputError(f"{name} must be true or false.")
    return bool(value)


def _range(given: Arguments) -> tuple[int, int]:
    """Return the first and last line that are asked for; (0, 0) is all of them."""
    value = given.get("range")
    if value is None:
        return 0, 0
    if type(value) is not list or len(value) != 2:
        raise InputError("range must be two line numbers, first and last.")
    first = _number({"range": value[0]}, "range", 0)
    last = _number({"range": value[1]}, "range", 0)
    if not 1 <= first <= last:
        raise InputError(f"No range {first}:{last}; lines count from 1.")
    return first, last


# -- who asks --------------------------------------------------------------------------

# Beginnings of what clients call themselves.
_CLIENTS = {
    "claude": "claude-code",
    "codex": "codex",
    "gemini": "gemini",
    "opencode": "opencode",
    "copilot": "copilot",
    "github-copilot": "copilot",
    "visual studio code": "copilot",
    "cursor": "cursor",
}
_SESSIONS = ("IBID_SESSION", "CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID")


def caller_of(client: str) -> Caller:
    """Return who a client is; its session if the environment names it.

    Subagents share the server of their session, so its thread stays unknown.
    """
    low = client.lower()
    agent = next((name for sign, name in _CLIENTS.items() if low.startswith(sign)), "")
    session = next((os.environ[name] for name in _SESSIONS if os.environ.get(name)), "")
    return Caller(agent, session)
