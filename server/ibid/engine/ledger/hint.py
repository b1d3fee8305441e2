"""The hint: what was read before, what changed since, who else works (N7, O4).

At most 120 estimated tokens; others at work come first.  A reader that begins anew
within its session, after a compaction or as a subagent, is told what the session last
had in hand: with the handoff that is half of what it then reads again.  A new session
is told what most sessions read if the setting ``hint`` is *on*: replayed over published
sessions that named one in ten of the files that were read again, and spared nothing
that could be measured (P3, P5), so it is not by default.  Whether a file is unchanged
is told from the file as it is now, line by line as it was shown; a file that is gone is
not named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep import policy
from ibid.engine.recall import sources
from ibid.errors import InputError
from ibid.store import sessions
from ibid.text.digest import digest
from ibid.text.tokens import estimate

if TYPE_CHECKING:
    from ibid.engine.ledger.parallel import Other
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

MOST = 120  # Estimated tokens.
_WINDOW = 30 * 86_400_000  # Reads older than this before the last one do not count.
_READS = 1_000  # So many of the latest are looked at, however many there are.
_LOOKED_AT = 24  # Files of which it is seen whether they changed.
_OTHERS = 2
_COMPARED = 30_000  # Characters that are compared, of all files: a hook waits for it.
_WORTH = 8  # Tokens that must be left for a change to be looked for.
_NAMED = 2  # Symbols named of one file.
_OWN = 5  # Files of the same session; of further ones few are read again.


class _Known(NamedTuple):
    path: str  # Relative to the project.
    times: int  # Sessions that read it.
    last: int
    row: Row  # The last read.


class Reader(NamedTuple):
    """Who is to be told."""

    session: Row | None
    native: str
    anew: bool = False  # It begins anew within its session.
    told: str = ""  # What it is told besides, and need not be told twice.


def hint(memory: Memory, reader: Reader) -> str | None:
    """Return the hint for a starting reader, or None when there is nothing to say."""
    connection = memory.store.read()
    session, wanted = reader.session, memory.switches().hint
    others = memory.parallel.live(session, reader.native, _OTHERS)
    bits = [_working(one) for one in others]
    while bits and estimate(" ".join(bits)) > MOST:
        bits.pop()
    rest, before = " ".join(bits), ""
    if reader.anew and session is not None and wanted != policy.HINT_OFF:
        before = _in_hand(memory, connection, reader, rest)
    if not before and wanted == policy.HINT_ON:
        before = _read_before(memory, connection, session, rest)
    text = " ".join([*([before] if before else []), *bits])
    return text or None


def _read_before(
    memory: Memory, connection: Connection, session: Row | None, rest: str
) -> str:
    """Name as many files as fit, then what changed in them, while there is room."""
    looking = _Looking(memory, connection)
    named: list[tuple[_Known, str]] = []
    kept: list[str] = []
    for known in _known(memory, connection, session):
        state = looking.state(known)
        if not state:
            continue
        head = _counted(memory, known)
        if not _fits([*kept, f"{head}, {state})"], rest):
            break
        kept.append(f"{head}, {state})")
        named.append((known, head))
    for at, (known, head) in enumerate(named):
        left = MOST - estimate(f"{_line(kept)} {rest}")
        changes = looking.changes(known) if left >= _WORTH else ""
        fuller = [*kept[:at], f"{head}, since then {changes})", *kept[at + 1 :]]
        if changes and _fits(fuller, rest):
            kept = fuller
    return _line(kept) if kept else ""


def _fits(files: list[str], rest: str) -> bool:
    return estimate(f"{_line(files)} {rest}") <= MOST


def _line(files: list[str]) -> str:
    return f"Read before here: {', '.join(files)}."


def _counted(memory: Memory, known: _Known) -> str:
    count = "1 session" if known.times == 1 else f"{known.times} sessions"
    name = memory.parallel.shown(known.path)
    return f"{name} ({count}, last {sources.date(known.last)}"


def _in_hand(memory: Memory, connection: Connection, reader: Reader, rest: str) -> str:
    """Return the files that the session read or changed last, with the lines read."""
    assert reader.session is not None
    kept: list[str] = []
    rows = connection.execute(
        """SELECT path, max(at) AS last, first, last AS till, total FROM
            (SELECT path, at, first, last, total FROM shown WHERE session = ?1
                AND answer IN ('full', 'delta', 'native', 'stub', 'wrote')
            UNION ALL SELECT path, at, 0, 0, 0 FROM edit WHERE session = ?1)
        GROUP BY path ORDER BY max(at) DESC, path LIMIT ?2""",
        (reader.session["id"], _LOOKED_AT),
    ).fetchall()
    for row in rows:
        path = _relative(row["path"], reader.session["cwd"], memory.project.path)
        if path is None or not _is_there(memory, path):
            continue
        name = memory.parallel.shown(path)
        if name in reader.told:
            continue
        part = row["first"] > 1 or 0 < row["till"] < row["total"]
        shown = f"{name} {row['first']}-{row['till']}" if part else name
        line = f"Read before in this session: {', '.join([*kept, shown])}."
        if estimate(f"{line} {rest}") > MOST or len(kept) == _OWN:
            break
        kept.append(shown)
    return f"Read before in this session: {', '.join(kept)}." if kept else ""


def _is_there(memory: Memory, path: str) -> bool:
    try:
        return memory.find_file(path) is not None
    except InputError:
        return False


def _known(memory: Memory, connection: Connection, session: Row | None) -> list[_Known]:
    """Return the files that most earlier sessions read, each with its last read."""
    own = (
        set()
        if session is None
        else set(sessions.lineage_of(connection, session["id"]))
    )
    rows = connection.execute(
        """SELECT r.path, r.session, max(r.at) AS last, s.cwd FROM
            (SELECT path, session, at FROM shown WHERE answer <> 'gone'
                ORDER BY id DESC LIMIT ?) r
        JOIN session s ON s.id = r.session
        WHERE s.write_policy <> 'deny' AND NOT s.hidden
        GROUP BY r.path, r.session""",
        (_READS,),
    ).fetchall()
    oldest = max((row["last"] for row in rows), default=0) - _WINDOW
    readers: dict[str, set[int]] = {}
    last: dict[str, tuple[int, str, int]] = {}
    for row in rows:
        if row["session"] in own or row["last"] < oldest:
            continue
        path = _relative(row["path"], row["cwd"], memory.project.path)
        if path is None:
            continue
        readers.setdefault(path, set()).add(row["session"])
        last[path] = max(
            last.get(path, (0, "", 0)), (row["last"], row["path"], row["session"])
        )
    order = sorted(readers, key=lambda one: (-len(readers[one]), -last[one][0], one))
    found = []
    for path in order[:_LOOKED_AT]:
        at, absolute, reader = last[path]
        row = connection.execute(
            """SELECT * FROM shown WHERE path = ? AND session = ? AND at = ?
            AND answer <> 'gone' ORDER BY last - first DESC, id LIMIT 1""",
            (absolute, reader, at),
        ).fetchone()
        found.append(_Known(path, len(readers[path]), at, row))
    return found


def _relative(path: str, cwd: str, root: str) -> str | None:
    """Return a path inside the project, also when a worktree of it was read."""
    for place in (root, cwd):
        base = place.rstrip("/")
        if base and path.startswith(f"{base}/"):
            return path[len(base) + 1 :]
    return None


class _Looking:
    """Tells of files whether they changed since, within what a hook has time for."""

    def __init__(self, memory: Memory, connection: Connection) -> None:
        self._memory = memory
        self._connection = connection
        self._left = _COMPARED
        self._changed: dict[str, str] = {}  # Path -> text, of files that did.

    def state(self, known: _Known) -> str:
        """Return ``unchanged`` or ``changed since``; "" for a file that is gone."""
        try:
            found = self._memory.find_file(known.path)
        except InputError:
            return ""
        if found is None:
            return ""
        text = found.data.decode("utf-8", "replace")
        row = known.row
        if _is_same(row, text):
            return "unchanged"
        self._changed[known.path] = text
        by = self._connection.execute(
            "SELECT max(at) FROM edit WHERE path = ? AND at > ?",
            (row["path"], known.last),
        ).fetchone()[0]
        return f"changed {sources.date(by)}" if by else "changed since"

    def changes(self, known: _Known) -> str:
        """Return which symbols changed, if the whole file was shown and is small."""
        row, text = known.row, self._changed.get(known.path)
        if text is None or row["first"] != 1 or row["last"] != row["total"]:
            return ""
        if len(text) * 2 > self._left:
            return ""
        from ibid.engine.ledger.changes import load_text, name_changes
        from ibid.text.structure import changed_by_lines, language_of

        old = load_text(self._connection, row["archive"])
        if old is None or len(old) + len(text) > self._left:
            return ""
        self._left -= len(old) + len(text)
        symbols = changed_by_lines(old, text, language_of(row["path"]))
        return name_changes(symbols, _NAMED) if symbols else ""


def _is_same(row: Row, text: str) -> bool:
    lines = text.split("\n")
    shown = "\n".join(lines[row["first"] - 1 : row["last"]])
    texts = (shown, f"{shown}\n", shown.rstrip("\n"), shown.replace("\r\n", "\n"))
    return any(
        digest(text.encode("utf-8", "replace")) == row["fingerprint"] for text in texts
    )


def _working(one: Other) -> str:
    """Return one sentence about another live session."""
    task = f": {one.task}" if one.task else ""
    where = ", ".join(one.claims[:2] or one.files[:2])
    on = f" on {where}" if where else ""
    claimed = " (claimed)" if one.claims else ""
    end = "" if task.endswith((".", "!", "?", "…", "。", "？", "！")) else "."
    return f"Another session ({one.name}) is{on}{claimed}{task}{end}"
