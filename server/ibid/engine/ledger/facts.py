"""What the store knows of one session, for its handoff (O2): rows only, no wording."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.events import COMMAND, OUTSIDE_FLAGS, PLAN, QUEUED, TYPED
from ibid.store import turns
from ibid.store.sessions import session_range
from ibid.text.earlier import is_contentless
from ibid.text.own import without_own

if TYPE_CHECKING:
    from ibid.store.driver import Connection, Row

_ASKING = (TYPED, QUEUED, COMMAND, PLAN)
_SHORT_ANSWER = 200  # Characters; such a last answer may only be a sign-off.


class Said(NamedTuple):
    """A message with its turn's number and whether that turn read from outside."""

    text: str
    handle: str
    turn: int
    outside: bool


class Decision(NamedTuple):
    """A note or a waiting candidate that this session led to."""

    row: Row
    kind: str  # note | candidate
    turn: int


class Failure(NamedTuple):
    """A command that failed and was not seen to succeed afterwards."""

    title: str
    program: str  # What it runs: one or two words of it.
    turn: int
    handle: str
    archive: int | None


class EditedFile(NamedTuple):
    """A file that was edited: how often, and which symbols, the last first."""

    path: str
    times: int
    symbols: list[str]


class Facts(NamedTuple):
    """What is known of a session."""

    session: Row
    turn: Row | None  # The last one.
    asked: list[Said]  # Requests that say something, in order.
    answers: list[Said]  # The last few answers, in order.
    decisions: list[Decision]
    edits: list[EditedFile]  # The last edited first.
    failures: list[Failure]
    todos: list[tuple[str, str]]
    plan: str  # An accepted plan that nothing has been done about yet, as far as seen.
    last_is_answer: bool


def load_facts(connection: Connection, session: Row) -> Facts:
    """Return what the store knows of ``session``, in a fixed order."""
    number = session["id"]
    asked, answers, last = _messages(connection, number)
    turn = turns.last_turn(connection, number)
    todos, plan = _todos(connection, number, turn)
    return Facts(
        session=session,
        turn=turn,
        asked=asked,
        answers=answers,
        decisions=_decisions(connection, number),
        edits=_edits(connection, number),
        failures=_failures(connection, number),
        todos=todos,
        plan=plan,
        last_is_answer=last,
    )


_MESSAGES = """SELECT m.*, t.number AS turn_number, t.flags FROM message m
LEFT JOIN turn t ON t.id = m.turn
WHERE m.id BETWEEN ? AND ? AND m.scope = '' AND m.role = ?"""


def _messages(
    connection: Connection, session: int
) -> tuple[list[Said], list[Said], bool]:
    rows = connection.execute(
        f"{_MESSAGES} ORDER BY m.id", (*session_range(session), "person")
    ).fetchall()
    asked = [_said(row) for row in rows if _is_request(row)]
    answers = connection.execute(
        f"{_MESSAGES} AND m.voice = '' ORDER BY m.id DESC LIMIT 5",
        (*session_range(session), "agent"),
    ).fetchall()
    if not asked:  # A session that another agent drives.
        given = connection.execute(
            f"{_MESSAGES} AND m.voice = 'agent' ORDER BY m.id LIMIT 50",
            (*session_range(session), "agent"),
        ).fetchall()
        asked = [_said(row) for row in given if not is_contentless(row["text"])]
    last = bool(answers) and (not rows or answers[0]["id"] > rows[-1]["id"])
    return asked, [_said(row) for row in reversed(answers)], last


def latest_request(connection: Connection, session: int) -> Said | None:
    """Return the last request of a session that says something."""
    rows = connection.execute(
        f"{_MESSAGES} ORDER BY m.id DESC LIMIT 20",
        (*session_range(session), "person"),
    ).fetchall()
    return next((_said(row) for row in rows if _is_request(row)), None)


def _is_request(row: Row) -> bool:
    """Say whether a person's message asks for something: not "ok", not ``/clear``."""
    if row["voice"] not in _ASKING:
        return False
    text = row["text"].strip()
    if row["voice"] == COMMAND and text.startswith("/"):
        return text.split(maxsplit=1)[0] not in _HOST_COMMANDS
    return not is_contentless(text)


# Commands that are for the agent's program, not for the work.
_HOST_COMMANDS = frozenset(
    re.split(
        " ",
        "/clear /compact /resume /exit /quit /model /help /config /cost /login /logout"
        " /status /mcp /agents /hooks /memory /permissions /doctor /context /plugin"
        " /rewind /usage /effort /fast /terminal-setup /ide /vim /theme /export /init",
    )
)


def _said(row: Row) -> Said:
    outside = bool(OUTSIDE_FLAGS & set((row["flags"] or "").split()))
    return Said(
        without_own(row["text"]), row["handle"], row["turn_number"] or 0, outside
    )


def outcome(answers: list[Said]) -> Said | None:
    """Return the answer that tells where things stand.

    That is the last one, unless it is a mere sign-off after a fuller report.
    """
    if not answers:
        return None
    last = answers[-1]
    if len(last.text) >= _SHORT_ANSWER:
        return last
    near = [one for one in answers[-4:] if last.turn - one.turn <= 1]
    longest = max(near, key=lambda one: len(one.text))
    return longest if len(longest.text) >= 2 * _SHORT_ANSWER else last


def _decisions(connection: Connection, session: int) -> list[Decision]:
    """Return notes said in the session, then candidates that only wait to settle.

    What repeats outside text or must be reviewed is not handed on (B10).
    """
    notes = connection.execute(
        """SELECT m.*, min(t.number) AS turn_number FROM memory m
        JOIN evidence e ON e.memory = m.id LEFT JOIN turn t ON t.id = e.turn
        WHERE e.session = ? AND m.layer = 1 AND m.active
            AND (NOT m.taint OR m.curated)
        GROUP BY m.id ORDER BY m.category = 'decision' DESC, m.pinned DESC,
            turn_number DESC, m.key""",
        (session,),
    ).fetchall()
    waiting = connection.execute(
        """SELECT c.*, t.number AS turn_number FROM candidate c
        LEFT JOIN turn t ON t.id = c.turn WHERE c.session = ? AND c.state = 'pending'
            AND c.waits IN ('settling', 'snoozed') AND NOT c.taint
        ORDER BY c.category = 'decision' DESC, turn_number DESC, c.key""",
        (session,),
    ).fetchall()
    return [Decision(row, "note", row["turn_number"] or 0) for row in notes] + [
        Decision(row, "candidate", row["turn_number"] or 0) for row in waiting
    ]


def _edits(connection: Connection, session: int) -> list[EditedFile]:
    rows = connection.execute(
        """SELECT path, symbols FROM edit WHERE session = ?
        ORDER BY at DESC, id DESC""",
        (session,),
    ).fetchall()
    times: dict[str, int] = {}
    symbols: dict[str, dict[str, None]] = {}
    for row in rows:
        times[row["path"]] = times.get(row["path"], 0) + 1
        named = symbols.setdefault(row["path"], {})
        named.update(dict.fromkeys(one for one in row["symbols"].split("\n") if one))
    return [EditedFile(path, times[path], list(symbols[path])) for path in times]


def _failures(connection: Connection, session: int) -> list[Failure]:
    """Return commands whose last run in the last two turns failed, newest first.

    What only looks around (``grep`` finds nothing) is no open end, nor is the call
    during which a person broke the turn off.
    """
    rows = connection.execute(
        """SELECT o.title, o.error, o.archive, t.number, t.state AS ended,
            a.handle, a.state
        FROM tool o JOIN turn t ON t.id = o.turn
        LEFT JOIN archive a ON a.id = o.archive
        WHERE t.session = ?1 AND o.session = ?1 AND o.kind = 'exec' AND t.number >=
            (SELECT max(number) - 1 FROM turn WHERE session = ?1)
        ORDER BY o.at DESC, o.id DESC LIMIT 400""",
        (session,),
    ).fetchall()
    seen: set[str] = set()
    found = []
    for at, row in enumerate(rows):
        program = _program(row["title"])
        if not program or program in seen or program.split()[0] in _LOOKING:
            continue
        seen.add(program)
        broken = at == 0 and row["ended"] == "cancelled"
        if row["error"] and not broken:
            handle = row["handle"] if row["state"] in ("hot", "cold") else ""
            archive = row["archive"] if handle else None
            found.append(
                Failure(row["title"], program, row["number"], handle or "", archive)
            )
    return found


_LOOKING = frozenset(
    re.split(
        " ",
        "ls cat head tail grep rg ag find fd which type test [ diff cmp stat file tree"
        " wc pwd env printenv ps kill pkill lsof sleep echo true false man less curl"
        " for while if rm mkdir cp mv touch chmod timeout",
    )
)


def _program(command: str) -> str:
    """Return what a command runs, so that its next run with other flags is the same."""
    parts = re.split(r"&&|\|\||[;|]", command)
    words: list[str] = []
    for part in parts:
        words = [one for one in part.split() if "=" not in one][:2]
        if words and words[0] not in ("cd", "export", "source", "sleep", "echo"):
            break
    return " ".join(words)


def _todos(
    connection: Connection, session: int, turn: Row | None
) -> tuple[list[tuple[str, str]], str]:
    """Return the named to-dos, and the plan unless it was carried out."""
    row = connection.execute(
        "SELECT items, plan, at FROM todo WHERE session = ?", (session,)
    ).fetchone()
    if row is None:
        return [], ""
    try:
        items = [(str(text), str(state)) for text, state in json.loads(row["items"])]
    except (ValueError, TypeError):
        items = []
    named = [one for one in items if not re.fullmatch(r"\s*#?\d+\s*", one[0])]
    done = turn is not None and turn["state"] in (turns.COMPLETED, turns.PRESUMED)
    edited = connection.execute(
        "SELECT 1 FROM edit WHERE session = ? AND at > ? LIMIT 1", (session, row["at"])
    ).fetchone()
    return named, "" if done and edited else row["plan"]
