"""What is known of a file across sessions: who read or changed it, and what since (N7).

Real sessions re-read little, but half of what they read first an earlier session had
read: this is for them, for the handoff and for the lens above a file.  It tells symbols
that changed, never whole diffs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.ledger.changes import load_text, name_changes
from ibid.engine.recall.sources import date
from ibid.store import shown
from ibid.text.diffs import find_changes, split_lines
from ibid.text.structure import SymbolChange, changed_symbols, language_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.ledger.seen import Asked, Reader
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

MOST_TOUCHES = 200
_MOST_COUNTED = 2_000  # Changed lines; beyond that it is just "changed".

UNCHANGED, CHANGED, MISSING, UNKNOWN = "unchanged", "changed", "gone", "unknown"


class Touch(NamedTuple):
    """One read or change of a file, by an agent or by the person."""

    kind: str  # read | wrote | edited | opened | saved
    session: str
    agent: str
    role: str
    title: str  # Of the session.
    scope: str  # "" the main thread, else the subagent's id.
    turn: int | None
    at: int
    first: int  # Lines from 1; 0 for a change.
    last: int
    total: int
    tokens: int
    number: int | None  # Of the archived text.


class Since(NamedTuple):
    """What became of a file since it was last read as a whole."""

    state: str  # unchanged | changed | gone | unknown
    at: int  # When that was; 0 never.
    lines: int | None  # How many lines changed; None when that was not counted.
    symbols: list[SymbolChange]


class FileHistory(NamedTuple):
    """All that sessions knew of one file."""

    path: str
    touches: list[Touch]  # The newest first.
    sessions: int
    last: int  # When an agent last read or changed it; 0 never.
    since: Since
    line: str  # The same in one line, for a hint or a lens; "" when nobody knew it.


class FileSummary(NamedTuple):
    """One file that was touched."""

    path: str
    at: int
    sessions: int
    reads: int
    edits: int


def load_history(
    memory: Memory, paths: Sequence[str], text: str | None, counted: bool = True
) -> FileHistory:
    """Return what is known of the file at ``paths``, its names with and without links.

    ``text`` is the file as it is now; None when it is gone or no text.  Unless
    ``counted`` it is told that a file changed, but neither lines nor symbols.
    """
    connection = memory.store.read()
    reads = shown.path_reads(connection, paths, MOST_TOUCHES)
    edits = shown.path_edits(connection, paths, MOST_TOUCHES)
    touches = [_read(row) for row in reads] + [_edited(row) for row in edits]
    touches.sort(key=lambda one: one.at, reverse=True)
    known = [row for row in reads if not row["hidden"]]
    since = since_read(connection, known, text, counted)
    agents = [row for row in [*reads, *edits] if not row["hidden"]]
    names = {row["session"] for row in agents}
    last = max((row["at"] for row in agents), default=0)
    line = describe(len(names), last, since) if names else ""
    return FileHistory(paths[0], touches[:MOST_TOUCHES], len(names), last, since, line)


def before_line(
    memory: Memory, connection: Connection, reader: Reader, asked: Asked
) -> str:
    """Return what earlier sessions knew of a file, for one that reads it first, or "".

    A session whose preset does not recall gets none, nor does one that goes without
    hints (P3, P6).
    """
    from ibid.engine.keep import policy, withhold

    agent = reader.session["agent"]
    switches = memory.switches()
    if not switches.recall or switches.beside:
        return ""
    if policy.read_policy(reader.session, agent) == policy.DENY:
        return ""
    own = reader.session["lineage"] or reader.session["id"]
    rows = [
        row
        for row in shown.path_reads(connection, asked.paths, MOST_TOUCHES)
        if row["lineage"] != own and not row["hidden"] and row["write_policy"] != "deny"
    ]
    hint = withhold.case_of("hint", reader.session)
    if not rows or withhold.goes_without(memory, connection, hint):
        return ""
    since = since_read(connection, rows, "".join(asked.lines))
    names = {row["session"] for row in rows}
    return "Read before: " + describe(len(names), rows[0]["at"], since) + "."


def since_read(
    connection: Connection, rows: Sequence[Row], text: str | None, counted: bool = True
) -> Since:
    """Return what changed since the newest of ``rows`` that knows the whole file."""
    if text is None:
        return Since(MISSING, 0, None, [])
    kinds = (shown.FULL, shown.DELTA, shown.NATIVE, shown.WROTE)
    known = [row for row in rows if row["answer"] in kinds]
    for row in known:
        if row["first"] != 1 or row["last"] != row["total"]:
            continue
        old = load_text(connection, row["archive"])
        if old is not None:
            return compare(row, old, text, counted)
    return _since_part(connection, known, text)


def compare(row: Row, old: str, new: str, counted: bool = True) -> Since:
    """Return what changed between what ``row`` showed and now."""
    if old == new or (row["answer"] == shown.NATIVE and old + "\n" == new):
        return Since(UNCHANGED, row["at"], 0, [])
    if not counted:
        return Since(CHANGED, row["at"], None, [])
    changes = find_changes(split_lines(old), split_lines(new), _MOST_COUNTED)
    lines = None if changes is None else sum(change.lines for change in changes)
    symbols = changed_symbols(old, new, language_of(row["path"]))
    return Since(CHANGED, row["at"], lines, symbols)


def describe(sessions: int, last: int, since: Since) -> str:
    """Return ``3 sessions, last 2026-03-31; since then backoff() changed``."""
    count = f"{sessions} session{'s' if sessions != 1 else ''}"
    return f"{count}, last {date(last)}{_what(since)}"


def _since_part(connection: Connection, rows: Sequence[Row], text: str) -> Since:
    """Judge by the newest part that was shown: whether it still stands where it did."""
    if not rows:
        return Since(UNKNOWN, 0, None, [])
    row = rows[0]
    old = load_text(connection, row["archive"])
    if old is None:
        return Since(UNKNOWN, row["at"], None, [])
    lines = split_lines(text)[row["first"] - 1 : row["last"]]
    same = "".join(lines).removesuffix("\n") == old.removesuffix("\n")
    return Since(UNCHANGED if same else CHANGED, row["at"], 0 if same else None, [])


def _what(since: Since) -> str:
    if since.state == UNCHANGED:
        return "; unchanged"
    if since.state == MISSING:
        return "; it is gone"
    if since.state == UNKNOWN:
        return ""
    if not since.symbols:
        lines = f"{since.lines} lines " if since.lines else ""
        return f"; since then {lines}changed"
    return f"; since then {name_changes(since.symbols)}"


_KINDS = {
    shown.WROTE: "wrote",
    shown.OPENED: "opened",
    shown.SAVED: "saved",
}


def _read(row: Row) -> Touch:
    return Touch(
        _KINDS.get(row["answer"], "read"),
        *_who(row),
        row["first"],
        row["last"],
        row["total"],
        row["tokens"],
        row["archive"],
    )


def _edited(row: Row) -> Touch:
    return Touch("edited", *_who(row), 0, 0, 0, 0, None)


def _who(row: Row) -> tuple[str, str, str, str, str, int | None, int]:
    return (
        row["session_native"],
        row["agent"],
        row["role"],
        row["title"],
        row["scope"],
        row["turn_number"],
        row["at"],
    )
