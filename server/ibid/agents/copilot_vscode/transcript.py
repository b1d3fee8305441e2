"""Copilot Chat's sessions in VS Code: documents become canonical events (B1, B2, B7).

A session is a list of requests; each holds the person's words, what was shown in
answer, and, behind that, the rounds of calls that led to it.  It is told as a whole
each time.  Parts of it: `log` (what a file holds), `results` (tools), `places`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ibid.agents import events
from ibid.agents.copilot_vscode.log import read_session
from ibid.agents.copilot_vscode.places import (
    accepts,
    describe,
    folder_of,
    form,
    path_of,
    roots,
    sniff,
)
from ibid.agents.copilot_vscode.results import finish, results, server_of, usage
from ibid.agents.documents import Document, Item, Whole
from ibid.agents.fields import count_of, dict_of, dicts_of, moment_of, text_of
from ibid.agents.own import is_own, without_own
from ibid.agents.tools import flags_of, kind_of

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "AGENT",
    "Transcript",
    "accepts",
    "describe",
    "folder_of",
    "form",
    "reader",
    "roots",
    "sniff",
]

AGENT = "vscode-copilot"

_WORKSPACE = re.compile(r"workspace with the following folders:\s*\n\s*-\s*(\S[^\n]*)")
_QUICK = frozenset({"editor", "terminal", "notebook"})
_CANCELLED_STATE, _FAILED_STATE = 2, 3
_BEFORE = frozenset({"promptFile", "promptText"})  # Attached by settings, not a person.
_VARIABLE_FLAGS = {
    "image": events.IMAGES,
    "element": events.BROWSER,
    "url": events.BROWSER,
    "sessionReference": events.CHATS,
    "workspace": "",
    "tool": "",
    "toolset": "",
    "command": "",
}
_SILENT = frozenset(
    {
        "autoModeResolution",
        "clearToPreviousToolInvocation",
        "codeCitation",
        "codeblockUri",
        "command",
        "confirmation",
        "elicitation",
        "elicitation2",
        "elicitationSerialized",
        "externalEdits",
        "extensions",
        "hook",
        "mcpServersStarting",
        "move",
        "multiDiffData",
        "notebookEditGroup",
        "planReview",
        "prepareToolInvocation",
        "progressMessage",
        "progressTask",
        "progressTaskSerialized",
        "pullRequest",
        "questionCarousel",
        "reference",
        "systemNotification",
        "thinking",
        "treeData",
        "undoStop",
        "warning",
        "workspaceEdit",
    }
)


def reader(path: Path, state: dict[str, Any] | None = None) -> Transcript:
    """Return a reader for the session at ``path``, which is not opened."""
    return Transcript(path, state)


class Transcript(Whole):
    """Reads one session; see `ibid.agents.registry.Reader`."""

    def __init__(self, path: Path, state: dict[str, Any] | None = None) -> None:
        super().__init__(state)
        self._name = describe(path).session or path.stem

    def tell(self, data: bytes) -> int:
        """Add the events of a session; -1 if ``data`` is none."""
        found = read_session(data)
        if found is None or not _is_session(found[0]):
            return -1
        session, unused = found
        self._session = _session_id(session) or self._name
        self._seen(session)
        for number, item in enumerate(session.items):
            is_last = number == len(session.items) - 1
            self._request(item, is_last=is_last)
        return unused

    def _seen(self, session: Document) -> None:
        at = count_of(session.value, "creationDate")
        if not at and session.items:
            at = count_of(session.items[0].value, "timestamp")
        quick = text_of(session.value, "initialLocation") in _QUICK
        self.add(
            events.SessionSeen(
                events.Head(self._session, at),
                AGENT,
                cwd=self.folder or _folder(session),
                kind="quick" if quick else "main",
                title=text_of(session.value, "customTitle")[:200],
            )
        )

    def _request(self, item: Item, *, is_last: bool) -> None:
        request = item.value
        at = moment_of(request, "timestamp")
        key = text_of(request, "requestId")
        head = events.Head(self._session, at, key, "", item.start, item.end)
        self._prompt(request, head)
        self._calls(request, head)
        self._answer(request, head)
        model = text_of(request, "modelId")
        self.add(usage(dict_of(request, "result"), head, model))
        self._end(request, head, is_last=is_last)

    # --- what people say -------------------------------------------------------------

    def _prompt(self, request: dict[str, Any], head: events.Head) -> None:
        text = text_of(dict_of(request, "message"), "text")
        if type(request.get("message")) is str:
            text = text_of(request, "message")
        words, own = without_own(text)
        for source, block in own:
            self.add(events.Injected(head, source, block, own=True))
        metadata = dict_of(dict_of(request, "result"), "metadata")
        for part in dicts_of(metadata, "renderedUserMessage"):
            sent = text_of(part, "text")
            if is_own(sent) and not own:
                self.add(events.Injected(head, "context", sent, own=True))
        flags = _variable_flags(request)
        if not words.strip() and not flags:
            return
        voice, author = events.TYPED, "person"
        if text_of(request, "confirmation") or request.get("isSystemInitiated") is True:
            voice, author = events.INJECTED, "harness"  # A button's words.
        self.add(events.Prompt(head, words.strip(), voice, author, flags))

    # --- what the agent says and does ------------------------------------------------

    def _calls(self, request: dict[str, Any], head: events.Head) -> None:
        metadata = dict_of(dict_of(request, "result"), "metadata")
        shown = _invocations(request)
        servers = {text_of(one, "toolId"): _server(one) for one in shown}
        outputs = results(metadata)
        rounds = dicts_of(metadata, "toolCallRounds")
        for number, one in enumerate(rounds):
            summary = text_of(one, "summary")
            if summary:
                key = f"{text_of(one, 'id') or f'{head.id}:{number}'}:summary"
                self.add(events.Compacted(head._replace(id=key), "auto", summary))
            at = moment_of(one, "timestamp") or head.at
            for call in dicts_of(one, "toolCalls"):
                key = text_of(call, "id")
                place = head._replace(id=key or f"{head.id}:{number}", at=at)
                server = server_of(text_of(call, "name"), servers)
                self.extend(finish(call, outputs.get(key, ""), server, place))
        if not any(dicts_of(one, "toolCalls") for one in rounds):
            self._shown_calls(shown, request, head)

    def _shown_calls(
        self, shown: list[dict[str, Any]], request: dict[str, Any], head: events.Head
    ) -> None:
        """Tell of calls by what was shown of them, where nothing else is kept."""
        for number, one in enumerate(shown):
            if one.get("isComplete") is not True:
                continue
            name = text_of(one, "toolId")
            server = server_of(name, {name: _server(one)})
            kind = "other" if server else kind_of(_plain_name(name))
            key = text_of(one, "toolCallId") or f"{head.id}:tool{number}"
            given = dict_of(one, "toolSpecificData")
            flags = flags_of(kind, server)
            place = head._replace(id=key)
            self.add(
                events.Tool(place, name, given, mcp=server, kind=kind, flags=flags)
            )
        for number, part in enumerate(dicts_of(request, "response")):
            path = _uri_path(part.get("uri"))
            if text_of(part, "kind") == "textEditGroup" and path:
                place = head._replace(id=f"{head.id}:edit{number}")
                self.add(events.Edit(place, path, None, _edited(part)))

    def _answer(self, request: dict[str, Any], head: events.Head) -> None:
        """Tell what was shown in answer; while it streams it grows."""
        pieces: list[str] = []
        for part in dicts_of(request, "response"):
            kind = text_of(part, "kind")
            if kind in {"", "markdownContent", "markdownVuln"}:
                pieces.append(_markdown(part))
            elif kind == "inlineReference":
                pieces.append(_reference(part))
            elif kind in {"toolInvocation", "toolInvocationSerialized"}:
                pieces.append("\n\n")
            elif kind in {"textEditGroup", "notebookEditGroup"}:
                continue
            elif kind not in _SILENT:
                self.drift.count("response", kind)
        text = re.sub(r"\n{3,}", "\n\n", "".join(pieces)).strip()
        key = text_of(request, "responseId") or f"{head.id}:answer"
        if text:
            model = text_of(request, "modelId")
            self.add(events.Answer(head._replace(id=key), text, model))

    def _end(
        self, request: dict[str, Any], head: events.Head, *, is_last: bool
    ) -> None:
        """Tell how the request ended, if it did (B1)."""
        result = dict_of(request, "result")
        state = dict_of(request, "modelState")
        error = dict_of(result, "errorDetails")
        value = count_of(state, "value")
        stopped = request.get("isCanceled") is True or value == _CANCELLED_STATE
        if stopped or text_of(error, "code").lower().startswith("cancel"):
            status = events.CANCELLED
        elif error or value == _FAILED_STATE:
            status = events.FAILED
        elif result:
            status = events.COMPLETED
        elif is_last:
            return
        else:
            status = events.CANCELLED  # It broke off, and the person went on.
        took = count_of(dict_of(result, "timings"), "totalElapsed")
        at = count_of(state, "completedAt") or head.at + took
        self.add(events.TurnEnded(head._replace(id=f"{head.id}:end", at=at), status))


def _is_session(session: Document) -> bool:
    about = session.value
    return bool(session.items) or any(
        key in about for key in ("sessionId", "responderUsername", "creationDate")
    )


def _session_id(session: Document) -> str:
    """Return the session's id; exports have it only in their results."""
    if text_of(session.value, "sessionId"):
        return text_of(session.value, "sessionId")
    for item in session.items:
        metadata = dict_of(dict_of(item.value, "result"), "metadata")
        if text_of(metadata, "sessionId"):
            return text_of(metadata, "sessionId")
    return ""


def _folder(session: Document) -> str:
    """Return the first workspace folder that the agent was told of, or ""."""
    for item in session.items:
        metadata = dict_of(dict_of(item.value, "result"), "metadata")
        for key in ("renderedGlobalContext", "renderedUserMessage"):
            for part in dicts_of(metadata, key):
                match = _WORKSPACE.search(text_of(part, "text"))
                if match:
                    return match[1].strip()
    return ""


def _variable_flags(request: dict[str, Any]) -> tuple[str, ...]:
    """Return the flags of what was attached to a request (B7)."""
    flags: dict[str, None] = {}
    for one in dicts_of(dict_of(request, "variableData"), "variables"):
        kind = text_of(one, "kind")
        if kind in _BEFORE or one.get("automaticallyAdded") is True:
            continue
        if text_of(one, "id").startswith("mcp"):
            flags[events.MCP] = None
        else:
            flags[_VARIABLE_FLAGS.get(kind, events.FILES)] = None
    return tuple(flag for flag in flags if flag)


def _invocations(request: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        part
        for part in dicts_of(request, "response")
        if text_of(part, "kind") == "toolInvocationSerialized"
    ]


def _server(invocation: dict[str, Any]) -> str:
    source = dict_of(invocation, "source")
    return text_of(source, "label") if text_of(source, "type") == "mcp" else ""


def _plain_name(tool: str) -> str:
    """Return the name by which the model calls a tool: ``copilot_readFile``."""
    name = tool.removeprefix("copilot_")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def _markdown(part: dict[str, Any]) -> str:
    content = dict_of(part, "content")
    return text_of(part, "value") or text_of(content, "value")


def _reference(part: dict[str, Any]) -> str:
    """Return the name of a file or symbol that stands within a sentence."""
    named = text_of(part, "name")
    if named:
        return f"`{named}`"
    target = part.get("inlineReference")
    name = text_of(target, "name") if type(target) is dict else ""
    path = _uri_path(target) or _uri_path(dict_of(part, "inlineReference").get("uri"))
    name = name or path.rpartition("/")[2]
    return f"`{name}`" if name else ""


def _uri_path(uri: Any) -> str:
    if type(uri) is str:
        return path_of(uri)
    if type(uri) is not dict:
        return ""
    return text_of(uri, "fsPath") or text_of(uri, "path")


def _edited(group: dict[str, Any]) -> str:
    """Return the texts that a group of edits put into a file."""
    edits = group.get("edits")
    if type(edits) is not list:
        return ""
    return "".join(
        text_of(edit, "text")
        for step in edits
        for edit in dicts_of({"step": step}, "step")
    )
