"""The front matter of note files in an editor: completion and diagnostics (O1, R1).

Pure: what the file says goes in, what the protocol carries comes out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ibid.files import notes as files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.keep.filenotes import Finding

_SEVERITIES = {
    "header": types.DiagnosticSeverity.Warning,
    "waiting": types.DiagnosticSeverity.Information,
    "secret": types.DiagnosticSeverity.Warning,
}
_VALUES = {"category": files.CATEGORIES, "pinned": ("true", "false")}
_NEW = "---\ncategory: ${1|constraint,preference,decision,fact|}\n---\n\n$0"

_PLAIN = "---\ncategory: fact\n---\n\n"


def diagnostics(findings: Sequence[Finding]) -> list[types.Diagnostic]:
    """Return what is to be shown in a note file."""
    return [
        types.Diagnostic(
            range=_line(one.line),
            message=one.message,
            severity=_SEVERITIES[one.kind],
            source="ibid",
            code=one.kind,
        )
        for one in findings
    ]


def complete(text: str, line: int, snippets: bool = True) -> list[types.CompletionItem]:
    """Return what may stand on a line of the front matter, as it is on the disk."""
    note = files.parse(text.encode("utf-8", "replace"))
    if not note.header:
        return [_whole(snippets)] if line == 0 else []
    if not 0 < line < note.header - 1:
        return [] if line >= note.header or line == 0 else _keys(note)
    lines = text.splitlines()
    key, colon, _ = lines[line].partition(":")
    if colon and key.strip() in _VALUES:
        return [_value(one) for one in _VALUES[key.strip()]]
    return _keys(note)


def _keys(note: files.NoteFile) -> list[types.CompletionItem]:
    return [
        types.CompletionItem(
            label=key,
            kind=types.CompletionItemKind.Property,
            detail=meaning,
            insert_text=f"{key}: ",
        )
        for key, meaning in files.KEYS.items()
        if key not in note.fields and key != "id"
    ]


def _value(value: str) -> types.CompletionItem:
    kind = types.CompletionItemKind.EnumMember
    return types.CompletionItem(label=value, kind=kind)


def _whole(snippets: bool) -> types.CompletionItem:
    plain = types.InsertTextFormat.PlainText
    return types.CompletionItem(
        label="front matter",
        kind=types.CompletionItemKind.Snippet,
        detail="category, pinned, role, tags and about of a note",
        insert_text=_NEW if snippets else _PLAIN,
        insert_text_format=types.InsertTextFormat.Snippet if snippets else plain,
    )


def _line(line: int) -> types.Range:
    return types.Range(
        start=types.Position(line=line, character=0),
        end=types.Position(line=line, character=1_000),
    )
