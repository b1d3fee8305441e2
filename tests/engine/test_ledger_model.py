"""No false stub, ever: the ledger against a plain model of each reader's context (N).

The model keeps, for each reader, what it was really given since its context last began
anew, in the order in which it happened.  Transcripts tell the ledger late; compactions
come by hook, by transcript or both.  Every answer is checked against the model: a full
one is the file, a stub repeats only what the reader has and holds last, a delta makes
the file of a text that the reader has.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import NamedTuple

import pytest

from ibid.agents import events as e
from ibid.engine.ledger.epochs import Ending
from ibid.engine.memory import Memory
from ibid.engine.model import FixedClock, ReadRequest
from ibid.text.diffs import apply_delta, split_lines
from ibid.text.tokens import estimate

STEPS = 3_500  # Of each of the seeds.
SEEDS = (11, 12, 13)
FILES = ("src/box.py", "src/lid.kt", "notes.txt")
SCOPES = ("", "", "", "helper")
STUB = re.compile(r"\[unchanged\] (\S+) (\d+)-(\d+), turn (\d+) #(\d+)")
DELTA = re.compile(
    r"\[changed\] (\S+)(?: (\d+)-(\d+))? since turn (\d+): (\d+) of (\d+) lines"
    r"(?:, only comments and layout)?\n(.*)"
    r"\[full: #(\d+) is what you saw; read again with fresh for all of it\]",
    re.DOTALL,
)


class Given(NamedTuple):
    """Lines that a reader was really given."""

    first: int
    lines: list[str]
    ends: bool  # It was shown where the file ended.
    open: bool  # The end of its last line was not shown.


class Context:
    """What one reader has of one file, since its context began anew."""

    def __init__(self) -> None:
        self.given: list[Given] = []
        self.edited = False  # It changed part of the file since.

    def view(self) -> dict[int, tuple[str, bool]]:
        """Return the last text known of each line."""
        known: dict[int, tuple[str, bool]] = {}
        for one in self.given:
            last = one.first + len(one.lines) - 1
            for at, line in enumerate(one.lines):
                number = one.first + at
                known[number] = (line, one.open and number == last)
            if one.ends:
                known = {n: line for n, line in known.items() if n <= last}
        return known


class Session:
    """A conversation: its threads' contexts, and what its transcript tells later."""

    def __init__(self, agent: str, name: str) -> None:
        self.agent = agent
        self.name = name
        self.contexts: dict[tuple[str, str], Context] = {}
        self.untold: list[e.Event] = []
        self.ended = False

    def context(self, scope: str, path: str) -> Context:
        """Return what a thread has of a file."""
        return self.contexts.setdefault((scope, path), Context())

    def forget(self, scope: str | None) -> None:
        """Let a thread's context begin anew; None: all threads'."""
        for key in list(self.contexts):
            if scope is None or key[0] == scope:
                del self.contexts[key]


class World:
    """Files, sessions and the ledger; each method is one kind of step."""

    def __init__(self, memory: Memory, clock: FixedClock, seed: int) -> None:
        self.memory = memory
        self.clock = clock
        self.random = random.Random(seed)
        self.files: dict[str, str] = {}
        self.branches: list[dict[str, str]] = [{}, {}]
        self.counted: Counter[str] = Counter()
        self.records = 0
        self.sessions: list[Session] = []
        self.new_session()
        for path in FILES:
            self.write(path)

    # -- steps of the world ----------------------------------------------------------

    def step(self) -> None:
        """Take one random step."""
        self.clock.move(self.random.choice((1, 40, 900, 2_000, 30_000, 400_000)))
        kinds = (
            (self.read, 80),
            (self.ranged_read, 30),
            (self.fresh_read, 4),
            (self.native_read, 14),
            (self.edit, 22),
            (self.same_size_edit, 7),
            (self.own_edit, 6),
            (self.own_write, 4),
            (self.rename, 2),
            (self.delete, 2),
            (self.write_again, 5),
            (self.change_line_ends, 1),
            (self.switch_branch, 3),
            (self.compact_by_hook, 2),
            (self.compact_by_transcript, 3),
            (self.compact_by_both, 2),
            (self.resume, 1),
            (self.reset, 1),
            (self.end_session, 1),
            (self.new_session, 2),
            (self.silence, 1),
            (self.tell, 8),
        )
        chosen = self.random.choices(
            [kind for kind, _ in kinds], [weight for _, weight in kinds]
        )[0]
        self.counted[chosen.__name__] += 1
        chosen()

    def write(self, path: str) -> None:
        """Put a text of a few versions there; they come back, and lines repeat."""
        rng = self.random
        lines = [
            f"value_{n % 9} = compute(left, right, {rng.choice((1, 1, 2))})  # {n % 4}"
            for n in range(rng.choice((6, 24, 40)))
        ]
        self.files[path] = "\n".join(lines) + rng.choice(("\n", "\n", "\n", ""))

    def write_again(self) -> None:
        """Make a file that may have been deleted."""
        self.write(self.random.choice(FILES))

    def edit(self) -> None:
        """Insert, remove or replace a few lines; somebody else does."""
        path = self.some_path()
        lines = split_lines(self.files[path])
        for _ in range(self.random.choice((1, 1, 2, 5))):
            at = self.random.randrange(len(lines) + 1)
            kind = self.random.randrange(3)
            if kind == 0:
                lines.insert(at, f"extra = {self.random.randrange(3)}  # inserted\n")
            elif kind == 1 and len(lines) > 4:
                del lines[min(at, len(lines) - 1)]
            elif at < len(lines):
                lines[at] = f"changed = {self.random.randrange(3)}  # replaced\n"
        self.files[path] = "".join(lines)

    def same_size_edit(self) -> None:
        """Change a character: the size stays, and so does the second."""
        path = self.some_path()
        text = self.files[path]
        at = self.random.randrange(len(text))
        if text[at] not in "\r\n":
            self.files[path] = text[:at] + self.random.choice("xyz") + text[at + 1 :]

    def rename(self) -> None:
        """Let one file take another's name."""
        old, new = self.some_path(), self.random.choice(FILES)
        self.files[new] = self.files.pop(old)

    def delete(self) -> None:
        """Remove a file."""
        del self.files[self.some_path()]

    def switch_branch(self) -> None:
        """Exchange all files for those of the other branch."""
        self.branches[0] = dict(self.files)
        self.branches.reverse()
        self.files = dict(self.branches[0]) or self.files

    def change_line_ends(self) -> None:
        """Let every line end otherwise."""
        path = self.some_path()
        text = self.files[path]
        unix = text.replace("\r\n", "\n")
        self.files[path] = unix if unix != text else unix.replace("\n", "\r\n")

    def some_path(self) -> str:
        """Return a file that is there."""
        if not self.files:
            self.write(self.random.choice(FILES))
        return self.random.choice(sorted(self.files))

    # -- steps of readers ------------------------------------------------------------

    def new_session(self) -> None:
        """Begin a session of one of two agents, which share names of sessions."""
        agent = self.random.choice(("claude-code", "demo"))
        known = [one.name for one in self.sessions if one.agent != agent]
        name = f"s{len(self.sessions)}"
        if known and self.random.random() < 0.3:
            name = self.random.choice(known)
        if any((one.agent, one.name) == (agent, name) for one in self.sessions):
            return
        session = Session(agent, name)
        self.sessions.append(session)
        if self.random.random() < 0.8:
            self.say(
                session, "", lambda head: e.SessionSeen(head, agent=agent, cwd="/p")
            )
            self.say(
                session, "", lambda head: e.Prompt(head, "Have a look at the box.")
            )

    def agent(self, session: Session) -> str:
        """Return the agent as a face gives it: not always, where its name will do."""
        names = [one.name for one in self.sessions]
        leave_out = names.count(session.name) == 1 and self.random.random() < 0.5
        return "" if leave_out else session.agent

    def some_session(self) -> Session:
        """Return one of the last sessions."""
        return self.random.choice(self.sessions[-3:])

    def say(self, session: Session, scope: str, make: object) -> None:
        """Let a transcript tell something, some time later."""
        self.records += 1
        head = e.Head(session.name, self.clock.now(), f"r{self.records}", scope)
        session.untold.append(make(head))  # type: ignore[operator]

    def tell(self, session: Session | None = None) -> None:
        """Let the ledger take in what a transcript has told so far."""
        session = session or self.some_session()
        if session.untold:
            self.memory.apply(session.agent, session.untold)
            session.untold = []

    def compact_by_hook(self) -> None:
        """Tell of a compaction at once."""
        session, scope = self.some_session(), self.random.choice(SCOPES)
        ending = Ending(session.name, scope, agent=self.agent(session))
        self.memory.ledger.end_epoch(ending)
        session.forget(scope)

    def compact_by_transcript(self) -> None:
        """Compact without a hook: only the transcript will tell."""
        session, scope = self.some_session(), self.random.choice(SCOPES)
        session.forget(scope)
        self.say(session, scope, lambda head: e.Compacted(head, "auto"))

    def compact_by_both(self) -> None:
        """Compact with a hook, and the transcript tells it again."""
        session, scope = self.some_session(), self.random.choice(SCOPES)
        self.memory.ledger.end_epoch(
            Ending(session.name, scope, agent=self.agent(session))
        )
        session.forget(scope)
        self.clock.move(20_000)
        self.say(session, scope, lambda head: e.Compacted(head, "auto"))

    def resume(self) -> None:
        """Resume or rewind: the whole session is another one."""
        session = self.some_session()
        session.forget(None)
        self.say(session, "", lambda head: e.Boundary(head, "resume"))

    def reset(self) -> None:
        """Let a face say that a context is new, without saying whose."""
        session = self.some_session()
        self.memory.ledger.end_epoch(
            Ending(session.name, None, "reset", self.agent(session))
        )
        session.forget(None)

    def end_session(self) -> None:
        """End a session; whoever goes on in it has resumed it."""
        session = self.some_session()
        session.forget(None)
        self.say(session, "", e.SessionEnded)

    def silence(self) -> None:
        """Let an hour pass: every context is in doubt."""
        self.clock.move(61 * 60_000)
        for session in self.sessions:
            session.forget(None)

    def own_edit(self) -> None:
        """Let a reader change a line itself; the event tells old and new."""
        session, scope, path = self.reader()
        lines = split_lines(self.files[path])
        at = self.random.randrange(len(lines))
        old, lines[at] = lines[at], f"mine = {self.random.randrange(3)}\n"
        self.files[path] = "".join(lines)
        session.context(scope, path).edited = True
        new = lines[at]
        self.say(session, scope, lambda head: e.Edit(head, f"/p/{path}", old, new))

    def own_write(self) -> None:
        """Let a reader write the whole file, which it then knows."""
        session, scope, path = self.reader()
        self.write(path)
        text = self.files[path]
        context = session.context(scope, path)
        context.edited = False
        context.given.append(Given(1, split_lines(text), True, False))
        self.say(
            session, scope, lambda head: e.Edit(head, f"/p/{path}", None, text, True)
        )

    def native_read(self) -> None:
        """Let a reader read by its own tool, which shows numbered lines."""
        session, scope, path = self.reader()
        pieces = self.files[path].split("\n")
        first, last = 1, len(pieces)
        if self.random.random() < 0.4:
            first = self.random.randrange(1, last + 1)
            last = self.random.randrange(first, last + 1)
        shown = "\n".join(pieces[first - 1 : last])
        total = len(pieces)
        known = self.random.random() < 0.7
        self.note_native(session.context(scope, path), first, shown, last == total)
        event = (first, last, shown, total if known else 0)
        self.say(session, scope, lambda head: e.Read(head, f"/p/{path}", *event))

    @staticmethod
    def note_native(context: Context, first: int, shown: str, at_end: bool) -> None:
        """Add what numbered lines show; an empty last one is the file's last end."""
        lines = [piece + "\n" for piece in shown.split("\n")]
        lines[-1] = lines[-1][:-1]
        if at_end and not lines[-1] and len(lines) > 1:
            lines.pop()
        elif at_end and not lines[-1]:
            return
        context.edited = False
        context.given.append(Given(first, lines, at_end, not at_end))

    def reader(self) -> tuple[Session, str, str]:
        """Return who reads what."""
        return self.some_session(), self.random.choice(SCOPES), self.some_path()

    # -- reads, and their proof ------------------------------------------------------

    def read(self, fresh: bool = False, ranged: bool = False) -> None:
        """Let a reader ask; what it is given must be true for it."""
        session, scope = self.some_session(), self.random.choice(SCOPES)
        path = self.random.choice((*sorted(self.files) * 9, *FILES))
        request = ReadRequest(
            f"/p/{path}", session.name, scope, fresh=fresh, agent=self.agent(session)
        )
        text = self.files.get(path)
        if text is None:
            self.memory.ledger.miss(request)
            self.counted["missing"] += 1
            session.contexts.pop((scope, path), None)
            return
        total = len(split_lines(text))
        if ranged and total:
            first = self.random.randrange(1, total + 1)
            last = self.random.randrange(first, total + 6)
            request = request._replace(first=first, last=last)
        if self.memory.ledger.may_shorten(request):
            self.tell(session)  # As `duties.reading` does, from the file.
        content: bytes | str = text.encode()
        if self.random.random() < 0.1:
            content = text  # An unsaved buffer.
        answer = self.memory.read(request, content)
        self.counted[answer.answer] += 1
        self.check(session.context(scope, path), request, text, answer)

    def ranged_read(self) -> None:
        """Ask for some lines, perhaps beyond the end."""
        self.read(ranged=True)

    def fresh_read(self) -> None:
        """Ask for all of it."""
        self.read(fresh=True)

    def check(
        self, context: Context, request: ReadRequest, text: str, answer: object
    ) -> None:
        """Judge an answer by what the reader really has."""
        lines = split_lines(text)
        first, last = request.first or 1, min(request.last or len(lines), len(lines))
        to_end = not request.last or request.last >= len(lines)
        raw = "".join(lines[first - 1 : last])
        kind, sent = answer.answer, answer.text  # type: ignore[attr-defined]
        assert answer.raw_tokens == estimate(raw)  # type: ignore[attr-defined]
        if kind == "full":
            assert sent == raw
        else:
            assert not request.fresh
            assert estimate(sent) == answer.tokens < answer.raw_tokens  # type: ignore
        if kind == "stub":
            self.check_stub(context, sent, (first, last, to_end), lines)
            return
        if kind == "delta":
            self.check_delta(context, sent, (first, last), raw)
        context.edited = False
        given = Given(first, lines[first - 1 : last], to_end, False)
        context.given.append(given)

    def check_stub(
        self,
        context: Context,
        sent: str,
        asked: tuple[int, int, bool],
        lines: list[str],
    ) -> None:
        """Let a stub be true: these very lines are the last that the reader knows."""
        match = STUB.fullmatch(sent)
        assert match, sent
        first, last, to_end = asked
        assert (int(match[2]), int(match[3])) == (first, last)
        assert not context.edited, "the reader changed the file since"
        known = context.view()
        for number in range(first, last + 1):
            line, is_open = known.get(number, (None, False))
            now = lines[number - 1]
            assert line == now or (is_open and f"{line}\n" == now), (number, sent)
        if to_end:
            assert not known or max(known) <= len(lines), "the file got shorter"
        whole = self.memory.expand(f"#{match[5]}").data.decode()
        assert "".join(lines[first - 1 : last]).rstrip("\n") in whole

    def check_delta(
        self, context: Context, sent: str, asked: tuple[int, int], raw: str
    ) -> None:
        """Let a delta make the file of a text that the reader was given."""
        match = DELTA.fullmatch(sent)
        assert match, sent
        first, last = asked
        base = self.memory.expand(f"#{match[8]}").data.decode()
        for one in reversed(context.given):
            if "".join(one.lines) != base:
                continue
            part = one.lines
            if match[2]:
                part = part[first - one.first : last - one.first + 1]
            if (
                one.first <= first
                and apply_delta("".join(part), match[7], first) == raw
            ):
                return
        raise AssertionError(f"not made from what the reader has: {sent}")


@pytest.mark.parametrize("seed", SEEDS)
def test_no_answer_is_ever_false(memory: Memory, clock: FixedClock, seed: int) -> None:
    """10,500 random steps of readers, files and contexts; every answer is true."""
    world = World(memory, clock, seed)
    for _ in range(STEPS):
        world.step()
    counted = world.counted
    # The test can fail only if short answers occur, in number.
    assert counted["stub"] > STEPS / 25, counted
    assert counted["delta"] > STEPS / 50, counted
    rare = ("missing", "silence", "switch_branch", "resume", "new_session")
    assert min(counted[kind] for kind in rare) > 5, counted
    connection = memory.store.read()
    totals = dict(
        connection.execute("SELECT kind, sum(tokens) FROM account GROUP BY kind")
    )
    assert totals["saving"] > totals["bounce"] > 0


def test_the_model_would_notice(memory: Memory, clock: FixedClock) -> None:
    """The proof itself can fail: an answer that is false is found out."""
    world = World(memory, clock, 1)
    lines = ["one\n", "two\n"]
    context = Context()
    with pytest.raises(AssertionError):
        world.check_stub(context, "[unchanged] a 1-2, turn 0 #1", (1, 2, True), lines)
    context.given.append(Given(1, ["one\n", "too\n"], True, False))
    with pytest.raises(AssertionError):
        world.check_stub(context, "[unchanged] a 1-2, turn 0 #1", (1, 2, True), lines)
