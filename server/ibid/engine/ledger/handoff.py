"""The handoff: where a session left off, in at most 400 tokens (O2).

Made from the turn log, the notes and the ledger alone, so it can be made again at any
time, after a crash as well, and the same rows give the same bytes.  Everything it names
resolves: notes by their ids, texts by their handles, turns by session and number.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.ledger import gist
from ibid.engine.ledger.facts import Facts, load_facts, outcome
from ibid.store import memories, turns
from ibid.text.clean import defang, one_line
from ibid.text.redact import redact
from ibid.text.tokens import estimate

if TYPE_CHECKING:
    from ibid.engine.ledger.facts import EditedFile
    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

MOST = 400  # Estimated tokens of a handoff.
SHORT = 8  # Characters of a session's id, as shown.

_SYMBOLS = 3  # Of one file that are named.
_QUESTION = 40  # Tokens of a question that is quoted as an open end.

# How much room each part has, tried from the most generous on, in percent.
_SCALES = (190, 160, 135, 115, 100, 85, 70, 55, 42, 30, 20)


class Part(NamedTuple):
    """One line of a handoff, and what it was made of."""

    text: str
    item: str  # ``turn:SESSION/N`` or a note's id: what a receipt names (I1).
    layer: str = "L0"


class Handoff(NamedTuple):
    """A session's handoff: its text, what that costs, and where its lines come from."""

    session: str
    text: str
    tokens: int
    parts: list[Part]
    archives: tuple[int, ...]  # Archived texts it refers to, to be kept for it (M3).


def build(memory: Memory, session: Row) -> Handoff | None:
    """Return the handoff of ``session``, or None when it has nothing to hand on.

    Nothing is handed on of a session that may not be stored (H4).
    """
    if session["write_policy"] == "deny" or session["hidden"]:
        return None
    connection = memory.store.read()
    facts = load_facts(connection, session)
    if not facts.asked and not facts.answers and not facts.edits:
        return None
    writer = _Writer(connection, facts, memory.project.path)
    for scale in _SCALES:
        parts, archives = writer.parts(scale)
        text = "\n".join(part.text for part in parts) + "\n"
        tokens = estimate(text)
        if tokens <= MOST:
            return Handoff(session["native"], text, tokens, parts, archives)
    head = writer.head()
    return Handoff(session["native"], f"{head}\n", estimate(head), [], ())


class _Writer:
    """Words the parts of one handoff, each within a share of the budget."""

    def __init__(self, connection: Connection, facts: Facts, root: str) -> None:
        self._connection = connection
        self._facts = facts
        self._root = root
        self._short = facts.session["native"][:SHORT]
        self._archives: list[int] = []

    def parts(self, scale: int) -> tuple[list[Part], tuple[int, ...]]:
        """Return the lines at this scale, and the archived texts they refer to."""
        self._archives = []
        lines: list[Part] = [Part(self.head(), self._turn(0))]
        for write, share in (
            (self._task, 80),
            (self._then, 50),
            (self._state, 110),
            (self._decided, 80),
            (self._touched, 60),
            (self._open, 50),
            (self._next, 60),
        ):
            lines += write(share * scale // 100)
        return lines, tuple(dict.fromkeys(self._archives))

    def head(self) -> str:
        """Return the title: when the session last did something, and which it is."""
        row = self._facts.session
        return f"# Handoff · {moment(row['last'])} · {row['agent']} {self._short}"

    # -- what was asked --------------------------------------------------------------

    def _task(self, room: int) -> list[Part]:
        asked = self._facts.asked
        if not asked:
            return []
        first = asked[0]
        words = gist.opening(first.text, room, first.handle)
        return [Part(f"Task: {words or '(no words)'}", self._turn(first.turn))]

    def _then(self, room: int) -> list[Part]:
        """Name the later requests; the last ones win, in the order they were made."""
        kept: list[str] = []
        later = self._facts.asked[1:]
        for at, one in enumerate(reversed(later)):
            share = room // 2 if at == 0 else min(room // 3, 24)
            words = gist.opening(one.text, share, one.handle if at == 0 else "")
            if not words:
                continue
            line = " · ".join([f"{words} (turn {one.turn})", *kept])
            if estimate(line) > room:
                break
            kept.insert(0, f"{words} (turn {one.turn})")
        if not kept:
            return []
        skipped = "… · " if len(kept) < len(later) else ""
        text = f"Then asked: {skipped}{' · '.join(kept)}"
        return [Part(text, self._turn(later[-1].turn))]

    # -- where it stands -------------------------------------------------------------

    def _state(self, room: int) -> list[Part]:
        facts = self._facts
        done = outcome(facts.answers)
        number = 0 if facts.turn is None else facts.turn["number"]
        state = _STATES.get("" if facts.turn is None else facts.turn["state"], "")
        bits = [f"turn {number} {state}".strip()] if number else []
        if facts.todos:
            ready = sum(one[1] == "done" for one in facts.todos)
            bits.append(f"to-do {ready} of {len(facts.todos)} done")
        label = "State" if done is None or not done.outside else "State (outside)"
        asked = self._question()
        words = ""
        if done is not None:
            words = gist.ending(done.text, room, done.handle, asked)
        text = f"{label}: {', '.join(bits)}." if bits else f"{label}:"
        if not bits and not words:
            return []
        where = number if done is None else done.turn
        return [Part(f"{text} {words}".strip(), self._turn(where))]

    def _decided(self, room: int) -> list[Part]:
        """Name decisions, each with its id and where it was said."""
        kept: list[Part] = []
        spent = 0
        for one in self._facts.decisions:
            table = "memory" if one.kind == "note" else "candidate"
            key = memories.short_key(self._connection, table, one.row["key"])
            words = one_line(defang(redact(one.row["text"])))
            where = f"turn {one.turn}" if one.turn else "by hand"
            waits = "" if one.kind == "note" else ", not settled"
            line = f"{words.rstrip('.。')} ({key}, {where}{waits})"
            spent += estimate(line)
            if spent > room and kept:
                break
            if spent > room:
                return []
            layer = "L1" if one.kind == "note" else "L0"
            kept.append(Part(line, one.row["key"], layer))
        if not kept:
            return []
        texts = [f"{part.text};" for part in kept]
        texts[0] = f"Decided: {texts[0]}"
        texts[-1] = f"{texts[-1][:-1]}."
        return [
            part._replace(text=text) for part, text in zip(kept, texts, strict=True)
        ]

    def _touched(self, room: int) -> list[Part]:
        edits = self._facts.edits
        kept: list[str] = []
        for one in edits:
            fitting = [
                shown
                for shown in self._edited(one)
                if estimate("Touched: " + ", ".join([*kept, shown])) <= room
            ]
            if kept and not fitting:
                break
            kept += fitting[:1] or self._edited(one)[-1:]
        if not kept:
            return []
        more = len(edits) - len(kept)
        rest = f", and {more} more" if more else ""
        return [Part(f"Touched: {', '.join(kept)}{rest}.", self._turn(0))]

    def _edited(self, one: EditedFile) -> list[str]:
        """Return what to say of an edited file, the fullest first."""
        path = self._path(one.path)
        plain = path + (f" ({one.times}×)" if one.times > 1 else "")
        names = [one_line(defang(redact(name))) for name in one.symbols]
        found = [plain]
        for most in sorted({1, min(_SYMBOLS, len(names))} if names else ()):
            more = len(names) - most
            rest = f" and {more} more" if more else ""
            found.insert(0, f"{path} ({', '.join(names[:most])}{rest})")
        return found

    # -- what is left ----------------------------------------------------------------

    def _open(self, room: int) -> list[Part]:
        """Name what is not finished: a broken-off turn, failures, a question."""
        facts = self._facts
        bits: list[tuple[str, int | None]] = []
        if facts.turn is not None and facts.turn["state"] in _BROKEN:
            bits.append((f"turn {facts.turn['number']} was broken off", None))
        asked = self._question()
        if asked:
            bits.append((f"unanswered: {asked}", None))
        for failure in facts.failures[:2]:
            what = _command(failure.title, failure.program)
            see = f", see {gist.marker(failure.handle)}" if failure.handle else ""
            bits.append((f"{what} failed in turn {failure.turn}{see}", failure.archive))
        kept: list[str] = []
        for text, archive in bits:
            if estimate("Open: " + "; ".join([*kept, text])) > room:
                continue
            kept.append(text)
            if archive is not None:
                self._archives.append(archive)
        if not kept:
            return []
        number = 0 if facts.turn is None else facts.turn["number"]
        end = "" if kept[-1].endswith(("?", "？")) else "."
        return [Part(f"Open: {'; '.join(kept)}{end}", self._turn(number))]

    def _question(self) -> str:
        """Return what the agent asked last and nobody answered, if it is short."""
        facts = self._facts
        asked = gist.question(facts.answers[-1].text) if facts.last_is_answer else ""
        return asked if estimate(asked) <= _QUESTION else ""

    def _next(self, room: int) -> list[Part]:
        steps, turn = self._steps()
        kept: list[str] = []
        for step in steps:
            words = gist.opening(step, max(room // 2, 12))
            line = f"{len(kept) + 1}. {words}"
            if not words or estimate("Next: " + "  ".join([*kept, line])) > room:
                break
            kept.append(line)
        if not kept:
            return []
        more = len(steps) - len(kept)
        rest = f"  (and {more} more)" if more else ""
        return [Part(f"Next: {'  '.join(kept)}{rest}", self._turn(turn))]

    def _steps(self) -> tuple[list[str], int]:
        """Return what comes next: the to-do list, what the answer says, the plan."""
        facts = self._facts
        last = 0 if facts.turn is None else facts.turn["number"]
        todo = [text for text, state in facts.todos if state == "active"]
        todo += [text for text, state in facts.todos if state == "pending"]
        if todo:
            return todo, last
        done = outcome(facts.answers)
        said = [] if done is None else gist.next_steps(done.text)
        if said and done is not None:
            return said, done.turn
        title = gist.plan_title(facts.plan)
        return ([f"Follow the accepted plan: {title}"] if title else []), last

    # -- naming ----------------------------------------------------------------------

    def _turn(self, number: int) -> str:
        return f"turn:{self._facts.session['native']}/{number}"

    def _path(self, path: str) -> str:
        for root in (self._facts.session["cwd"], self._root):
            if root and path.startswith(root.rstrip("/") + "/"):
                path = path[len(root.rstrip("/")) + 1 :]
                break
        return one_line(defang(redact(path)))


_STATES = {
    turns.OPEN: "still running",
    turns.COMPLETED: "completed",
    turns.PRESUMED: "presumably completed",
    "cancelled": "interrupted",
    "failed": "failed",
}
_BROKEN = frozenset({"cancelled", "failed"})


def _command(title: str, program: str) -> str:
    """Return a command as code when it is short; a cut one would be another."""
    shown = one_line(redact(title))
    if len(shown) <= 70 and "`" not in shown and defang(shown) == shown:
        return f"`{shown}`"
    name = one_line(defang(redact(program)))
    return f"a command with `{name}`" if "`" not in name else "a command"


def moment(at: int) -> str:
    """Return a moment in milliseconds as ``2026-04-02 16:40``, in UTC."""
    if at <= 0:
        return "undated"
    try:
        return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return "undated"
