"""The read ledger, rule by rule (N1-N8, P1, Q4)."""

from __future__ import annotations

import secrets
from typing import Any

import pytest

from ibid.agents import events as e
from ibid.engine.ledger import native, reread
from ibid.engine.ledger.epochs import Ending
from ibid.engine.ledger.reread import Answer
from ibid.engine.memory import Memory
from ibid.engine.model import DAY, MINUTE, FixedClock, ReadRequest
from ibid.errors import InputError, StoreBusyError
from ibid.store import archive, shown
from ibid.store.shown import FilePage
from ibid.text.diffs import apply_delta
from ibid.text.tokens import estimate

from .talk import Talk

CODE = "".join(
    f"value_{n} = compute(left, right, {n})  # step {n}\n" for n in range(90)
)


class Desk:
    """Reads the files of a project as one reader."""

    def __init__(self, memory: Memory, clock: FixedClock, session: str = "s1") -> None:
        self.memory = memory
        self.clock = clock
        self.session = session

    def path(self, name: str = "src/box.py") -> str:
        """Return a file's absolute path."""
        return f"{self.memory.project.path}/{name}"

    def read(self, content: bytes | str = CODE, **fields: Any) -> Answer:
        """Read a file that holds ``content``, a second later."""
        self.clock.move(1000)
        path = self.path(fields.pop("name", "src/box.py"))
        request = ReadRequest(path, fields.pop("session", self.session), **fields)
        return self.memory.read(request, content)

    def kinds(self, *contents: bytes | str, **fields: Any) -> list[str]:
        """Read several contents one after the other; return the kinds of answers."""
        return [self.read(content, **fields).answer for content in contents]


@pytest.fixture
def desk(memory: Memory, clock: FixedClock) -> Desk:
    """A reader in an empty project."""
    return Desk(memory, clock)


def accounts(memory: Memory) -> list[tuple[str, str, int]]:
    """Return feature, kind and tokens of all account entries."""
    rows = memory.store.read().execute("SELECT feature, kind, tokens FROM account")
    return [tuple(row) for row in rows]


# -- stubs -----------------------------------------------------------------------------


def test_an_exact_repeat_gets_a_stub(desk: Desk, memory: Memory) -> None:
    """One line that names path, lines, turn and number; the number expands (N2, M4)."""
    talk = Talk(memory, desk.clock)
    talk.ask("Have a look at the box.")
    first = desk.read()
    assert (first.answer, first.text, first.turn) == ("full", CODE, 1)
    assert first.tokens == first.raw_tokens == estimate(CODE)
    again = desk.read()
    assert again.text == "[unchanged] src/box.py 1-90, turn 1 #1"
    assert (again.answer, again.turn, again.handle) == ("stub", 1, first.handle)
    assert memory.expand("#1").data == CODE.encode()
    assert memory.expand(again.handle or "").data == CODE.encode()
    assert 1 - again.tokens / again.raw_tokens >= 0.984


@pytest.mark.parametrize(
    ("name", "shown_as"),
    [
        ("a.py", "a.py"),
        ("src/upload.py", "src/upload.py"),
        ("packages/mailer/source/envelope/index.ts", "index.ts"),
        ("server/parcels/weighing/parcel_scales.py", "parcel_scales.py"),
    ],
)
def test_a_stub_is_short(desk: Desk, name: str, shown_as: str) -> None:
    """At most twenty estimated tokens for paths up to 40 characters (N2).

    Where the whole path does not fit its last name stands for it, which the reader has
    just asked for.
    """
    assert len(name) <= 40
    desk.read(name=name, last=40)
    stub = desk.read(name=name, last=40)
    assert stub.text == f"[unchanged] {shown_as} 1-40, turn 0 #1"
    assert stub.tokens <= 20


def test_a_longer_path_shows_its_end(desk: Desk) -> None:
    """Nothing that a reader gets grows with the path: it knows what it asked for."""
    name = "packages/mailer/source/envelopes/addresses/index.ts"
    desk.read(name=name)
    delta = desk.read(CODE.replace("step 7\n", "pace 7\n"), name=name)
    assert delta.text.startswith(
        "[changed] …/source/envelopes/addresses/index.ts since"
    )


def test_a_stub_is_never_longer_than_the_text(desk: Desk) -> None:
    """A few words are sent again rather than described (N2)."""
    assert desk.kinds("x = 1\n", "x = 1\n") == ["full", "full"]
    assert desk.kinds("", "", name="empty.py") == ["full", "full"]


def test_ranges_add_up_and_gaps_do_not(desk: Desk) -> None:
    """Only lines that were all shown are left out (N2, N5)."""
    desk.read(first=1, last=50)
    assert desk.read().answer == "full", "the rest was never shown"
    other = Desk(desk.memory, desk.clock, "s2")
    other.read(first=1, last=50)
    other.read(first=40, last=80)
    both = other.read(first=30, last=70)
    assert both.answer == "stub"
    shown_lines = CODE.splitlines(keepends=True)[29:70]
    assert desk.memory.expand(both.handle or "").data.decode() == "".join(shown_lines)
    assert other.read(first=79, last=85).answer == "full"


def test_lines_that_moved_are_not_unchanged(desk: Desk) -> None:
    """What stands in these lines counts, not whether it stood somewhere (N5)."""
    desk.read()
    assert desk.read("new = 1\n" + CODE, first=10, last=20).answer == "full"


def test_a_file_that_got_shorter_is_not_unchanged(desk: Desk) -> None:
    """Lines that are gone are a change, though all that are left were shown."""
    desk.read()
    lines = CODE.splitlines(keepends=True)
    answer = desk.read("".join(lines[:-1]))
    assert answer.answer == "delta"
    assert desk.read("".join(lines[:60]), first=50, last=99).answer == "full"


def test_the_last_text_of_a_line_counts(desk: Desk) -> None:
    """A file that went back to an older text is news to who saw the newer (N2)."""
    changed = CODE.replace("step 7\n", "pace 7\n")
    assert desk.kinds(CODE, changed, CODE) == ["full", "delta", "delta"]


def test_one_character_in_the_same_second_is_a_change(desk: Desk) -> None:
    """Content decides: the same size and time do not make it the same (N3)."""
    path = desk.path()
    desk.memory.read(ReadRequest(path, "s1"), CODE)
    answer = desk.memory.read(ReadRequest(path, "s1"), CODE.replace("left", "west", 1))
    assert answer.answer == "delta"


# -- whose context ---------------------------------------------------------------------


def test_nobody_is_told_of_what_another_saw(desk: Desk) -> None:
    """Not another session, a subagent, its parent, or an unnamed thread (N1)."""
    desk.read()
    assert desk.read(session="s2").answer == "full"
    assert desk.read(session="s").answer == "full", "a prefix is another session"
    assert desk.read(scope="helper").answer == "full"
    assert desk.read(scope=None).answer == "full"
    assert desk.read(session="").answer == "full"
    assert desk.read(scope="helper").answer == "stub"


def test_one_name_of_two_agents_is_nobodys(desk: Desk, memory: Memory) -> None:
    """Without the agent, two sessions of one name cannot be told apart (N4)."""
    for agent in ("claude-code", "codex"):
        Talk(memory, desk.clock, "s1", agent=agent)
    assert desk.kinds(CODE, CODE, agent="codex") == ["full", "stub"]
    answer = desk.read()
    assert (answer.answer, answer.handle) == ("full", None)
    assert desk.read(agent="claude-code").answer == "full"


def test_a_session_met_before_its_agent_becomes_that_agents(
    desk: Desk, memory: Memory
) -> None:
    """One row, one context; what was shown before is in doubt and counts no more."""
    desk.read()
    Talk(memory, desk.clock, "s1", agent="codex")
    assert desk.kinds(CODE, CODE) == ["full", "stub"]
    rows, total = memory.sessions.page()
    assert [(row["agent"], row["native"]) for row in rows] == [("codex", "s1")]
    assert total == 1


@pytest.mark.parametrize("scope", ["", None])
def test_a_compaction_ends_what_is_known(desk: Desk, scope: str | None) -> None:
    """At once, in full, and for this reader or, unnamed, for all of them (N4)."""
    desk.read()
    desk.read(scope="helper")
    ended = desk.memory.ledger.end_epoch(Ending("s1", scope))
    assert ended.purged == (1 if scope == "" else 2)
    assert desk.read().answer == "full"
    assert desk.read(scope="helper").answer == ("stub" if scope == "" else "full")
    desk.memory.ledger.end_epoch(Ending("s1", scope))
    assert desk.read().answer == "full", "a second one within the same second too"


@pytest.mark.parametrize(
    "make",
    [
        lambda head: e.Compacted(head, "auto"),
        lambda head: e.Boundary(head, "resume"),
        lambda head: e.Boundary(head, "rewind"),
        lambda head: e.SessionEnded(head, "exit"),
    ],
)
def test_what_the_transcript_tells_ends_it_too(
    desk: Desk, memory: Memory, make: Any
) -> None:
    """Compaction, resume, rewind and end, as the agent's file says (N4)."""
    talk = Talk(memory, desk.clock)
    desk.read()
    desk.clock.move(1000)
    talk.apply(make(talk.head()))
    assert desk.kinds(CODE, CODE) == ["full", "stub"]


def test_a_compaction_told_twice_ends_one_epoch(desk: Desk, memory: Memory) -> None:
    """The boundary and its summary carry one id: what was read between stays."""
    talk = Talk(memory, desk.clock)
    head = talk.head()
    talk.apply(e.Compacted(head, "auto"))
    desk.read()
    talk.apply(e.Compacted(head, "", "a summary"))
    assert desk.read().answer == "stub"


def test_an_hour_of_silence_ends_it(desk: Desk, memory: Memory) -> None:
    """Also if somebody else of the session breaks the silence, or the transcript."""
    desk.read()
    desk.clock.move(61 * MINUTE)
    desk.read(scope="helper")
    assert desk.read().answer == "full"
    desk.clock.move(59 * MINUTE)
    assert desk.read().answer == "stub"
    desk.clock.move(61 * MINUTE)
    Talk(memory, desk.clock, agent="claude-code").ask("Go on.")
    assert desk.read().answer == "full"


def test_what_is_told_late_of_before_a_compaction_does_not_count(
    desk: Desk, memory: Memory
) -> None:
    """The hook is quick, the transcript slow: its old reads are of the past (N4)."""
    talk = Talk(memory, desk.clock)
    late = talk.head()
    desk.clock.move(5000)
    memory.ledger.end_epoch(Ending("s1", ""))
    desk.clock.move(5000)
    talk.apply(e.Read(late, desk.path(), 1, 90, CODE))
    assert desk.read().answer == "full"


def test_records_from_the_future_do_not_count(desk: Desk, memory: Memory) -> None:
    """A clock that went back leaves no order to rely on (N4)."""
    talk = Talk(memory, desk.clock)
    head = talk.head()._replace(at=desk.clock.now() + 10 * MINUTE)
    talk.apply(e.Read(head, desk.path(), 1, 90, CODE))
    assert desk.read().answer == "full"


def test_what_is_told_late_keeps_its_place_in_time(desk: Desk, memory: Memory) -> None:
    """The newest sight is the one that happened last, not the one told last."""
    talk = Talk(memory, desk.clock)
    old = CODE.replace("left", "west")
    late = talk.head()
    desk.read(CODE)
    talk.apply(e.Read(late, desk.path(), 1, 90, old))
    assert desk.read(old).answer != "stub"


# -- native reads and edits ------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "last", "total", "text", "expected"),
    [
        (1, 3, 3, "a\nb\n", (1, 2, 2)),  # The end of the file numbered as a line.
        (1, 2, 2, "a\nb", (1, 2, 2)),
        (4, 6, 9, "a\nb\n", (4, 6, 9)),  # The last of the range is empty.
        (4, 0, 0, "a\nb\n", (4, 5, 0)),
        (4, 5, 0, "a\nb\n", (4, 5, 0)),
        (4, 80, 0, "a\nb", (4, 5, 0)),  # The text was cut: it counts.
        (1, 2, 2, "\n", (1, 1, 1)),
    ],
)
def test_lines_are_counted_as_they_were_shown(
    first: int, last: int, total: int, text: str, expected: tuple[int, int, int]
) -> None:
    """Numbered lines show the end of a file as one more line, others do not (N5)."""
    event = e.Read(e.Head("s"), "a", first, last, text, total)
    assert native.lines_of(event)[:3] == expected


def test_native_reads_are_known(desk: Desk, memory: Memory) -> None:
    """What an agent read by its own tool it has in context as well (N6)."""
    talk = Talk(memory, desk.clock)
    talk.apply(e.Read(talk.head(), desk.path(), 1, 91, CODE, 91))
    assert desk.read().answer == "stub"
    talk.apply(e.Read(talk.head(), desk.path("b.py"), 10, 12, "a\nb\nc"))
    assert desk.read(CODE, name="b.py").answer == "full"


def test_an_agents_own_stub_shows_nothing(desk: Desk, memory: Memory) -> None:
    """The agent's *file unchanged* gives the reader no lines."""
    talk = Talk(memory, desk.clock)
    talk.apply(e.Read(talk.head(), desk.path(), 1, 0, stub=True))
    assert desk.read().answer == "full"


def test_after_an_own_edit_nothing_is_called_unchanged(
    desk: Desk, memory: Memory
) -> None:
    """The delta is against what was shown; the very text shown is sent again."""
    talk = Talk(memory, desk.clock)
    desk.read()
    mine = CODE.replace("step 7\n", "pace 7\n")
    desk.clock.move(1000)
    talk.apply(e.Edit(talk.head(), desk.path(), "step 7\n", "pace 7\n"))
    assert desk.read(mine).answer == "delta"
    desk.clock.move(1000)
    talk.apply(e.Edit(talk.head(), desk.path(), "pace 7\n", "path 7\n"))
    assert desk.read(mine).answer == "full", "somebody put it back"


def test_a_reader_knows_the_file_it_wrote(desk: Desk, memory: Memory) -> None:
    """Once it has read the file; a first read is always granted (N4)."""
    talk = Talk(memory, desk.clock)
    talk.apply(e.Edit(talk.head(), desk.path(), None, CODE, True))
    assert desk.kinds(CODE, CODE) == ["full", "stub"]
    desk.clock.move(1000)
    other = CODE.replace("left", "west")
    talk.apply(e.Edit(talk.head(), desk.path(), CODE, other, True))
    assert desk.read(other).answer == "stub"


def test_a_file_that_was_gone_falls_out(desk: Desk, memory: Memory) -> None:
    """Also when it comes back with the same words (N5)."""
    desk.read()
    memory.ledger.miss(ReadRequest(desk.path(), "s1"))
    assert desk.kinds(CODE, CODE) == ["full", "stub"]
    talk = Talk(memory, desk.clock)
    desk.clock.move(1000)
    given = {"file_path": desk.path()}
    failed = e.Tool(talk.head(), "Read", given, "no such file", True, kind="read")
    talk.apply(failed)
    assert desk.read().answer == "full"


# -- as delivered ----------------------------------------------------------------------


def test_encodings_and_line_ends_count(desk: Desk) -> None:
    """The same words in other bytes are not the same file (N5)."""
    crlf = CODE.replace("\n", "\r\n")
    assert desk.kinds(CODE.encode(), crlf.encode()) == ["full", "full"]
    assert desk.read(crlf.encode()).answer == "stub"
    assert desk.read(("\ufeff" + crlf).encode()).answer == "delta"
    wide = "\ufeff" + crlf
    assert desk.kinds(wide.encode("utf-16-le"), wide.encode("utf-16-le")) == [
        "full",
        "full",
    ]
    assert desk.kinds(CODE.encode(), CODE[:-1].encode(), name="end.py") == [
        "full",
        "delta",
    ]


def test_bytes_that_are_no_text_are_sent_as_they_look(desk: Desk) -> None:
    """Two different files could look the same, so nothing is held back (N5)."""
    data = CODE.encode() + b"\xff\n"
    assert desk.kinds(data, data) == ["full", "full"]
    with pytest.raises(InputError, match="binary"):
        desk.read(b"\x7fELF\x00\x00")


def test_an_unsaved_buffer_is_what_was_shown(desk: Desk) -> None:
    """What counts is what was delivered, not what is on disk (N5)."""
    buffer = CODE.replace("step 7\n", "pace 7\n")
    assert desk.kinds(buffer, buffer.encode(), CODE.encode()) == [
        "full",
        "stub",
        "delta",
    ]


@pytest.mark.parametrize("given", [(91, 99), (5, 4), (0, 0), (90, 200)])
def test_ranges_are_checked(desk: Desk, given: tuple[int, int]) -> None:
    """Lines that are not there are an error that says how many there are."""
    first, last = given
    if given in ((0, 0), (90, 200)):
        assert desk.read(first=first, last=last).last == 90
        return
    with pytest.raises(InputError, match="90 lines"):
        desk.read(first=first, last=last)


# -- deltas ----------------------------------------------------------------------------


def test_a_delta_makes_the_file(desk: Desk, memory: Memory) -> None:
    """Head, hunks and the handle of what was seen; the hunks rebuild the file (N2)."""
    desk.read()
    changed = CODE.replace("step 7\n", "pace 7\n").replace(
        "step 80\n", "step 80\nmore\n"
    )
    answer = desk.read(changed)
    lines = answer.text.split("\n")
    assert lines[0] == "[changed] src/box.py since turn 0: 2 of 91 lines"
    assert lines[-1] == (
        "[full: #1 is what you saw; read again with fresh for all of it]"
    )
    delta = "\n".join(lines[1:-1]) + "\n"
    assert apply_delta(memory.expand("#1").data.decode(), delta) == changed
    assert memory.expand(answer.handle or "").data.decode() == CODE
    assert answer.tokens < answer.raw_tokens == estimate(changed)
    assert desk.read(changed, fresh=True).text == changed
    again = desk.read(changed)
    assert again.answer == "stub"


def test_a_delta_of_a_range_is_of_that_range(desk: Desk) -> None:
    """Numbers are the file's; what moves lines over the range's end is sent whole."""
    desk.read(first=21, last=80)
    changed = CODE.replace("step 40\n", "pace 40\n")
    answer = desk.read(changed, first=21, last=80)
    assert answer.text.startswith(
        "[changed] src/box.py 21-80 since turn 0: 1 of 60 lines\n@@ -38,7 +38,7 @@\n"
    )
    other = Desk(desk.memory, desk.clock, "s2")
    other.read(first=21, last=80)
    grown = CODE.replace("step 40\n", "step 40\nmore\n")
    assert other.read(grown, first=21, last=80).answer == "full"


@pytest.mark.parametrize(("count", "kind"), [(120, "delta"), (121, "full")])
def test_more_than_120_changed_lines_are_sent_whole(
    desk: Desk, count: int, kind: str
) -> None:
    """A large change is easier to read as the file (N2)."""
    lines = (CODE * 12).splitlines(keepends=True)
    desk.read("".join(lines))
    new = [line.upper() if n < count else line for n, line in enumerate(lines)]
    assert desk.read("".join(new)).answer == kind


def test_a_delta_that_is_no_shorter_is_not_sent(desk: Desk) -> None:
    """Half of a short file changed: the file is the shorter answer (N2)."""
    lines = CODE.splitlines(keepends=True)[:8]
    desk.read("".join(lines))
    assert desk.read("".join(lines[:3] + lines[6:])).answer == "full"


def test_twenty_thousand_lines(desk: Desk) -> None:
    """A long file with a few changes gets its delta (N2)."""
    lines = [f"row {n % 120}\n" for n in range(20_000)]
    desk.read("".join(lines))
    for at in range(100, 20_000, 900):
        lines[at] = "changed\n"
    answer = desk.read("".join(lines))
    assert answer.answer == "delta"
    assert "since turn 0: 23 of 20000 lines" in answer.text


def test_only_comments_and_layout_is_said_and_never_unchanged(desk: Desk) -> None:
    """A structural match whose text differs is a small delta (N3)."""
    desk.read()
    laid_out = CODE.replace("# step 7\n", "# the seventh\n").replace(
        "(left,", "( left,"
    )
    answer = desk.read(laid_out.replace("( left,", "(left,", 80))
    assert answer.answer == "delta"
    assert answer.text.split("\n")[0].endswith(" lines, only comments and layout")
    assert "only comments" not in desk.read(CODE.replace("89", "91")).text
    plain = (
        desk.read(CODE, name="notes.txt"),
        desk.read(CODE + "more\n", name="notes.txt"),
    )
    assert "only comments" not in plain[1].text


# -- bounces and accounts --------------------------------------------------------------


def test_who_asks_again_gets_everything(desk: Desk, memory: Memory) -> None:
    """Within ten minutes or five reads; the saving is reversed by an entry (N6, P1)."""
    assert desk.kinds(CODE, CODE, CODE, CODE) == ["full", "stub", "full", "stub"]
    sent, raw = estimate("[unchanged] src/box.py 1-90, turn 0 #1"), estimate(CODE)
    assert accounts(memory) == [
        ("stub", "cost", sent),
        ("stub", "saving", raw),
        ("stub", "bounce", raw),
        ("stub", "cost", sent),
        ("stub", "saving", raw),
    ]
    for at in range(4):
        desk.read(name=f"other{at}.py")
    desk.clock.move(11 * MINUTE)
    assert desk.read().answer == "full", "it is the fifth read since"
    desk.read()
    for at in range(5):
        desk.read(name=f"another{at}.py")
    desk.clock.move(11 * MINUTE)
    assert desk.read().answer == "stub"


def test_asking_for_all_of_it_is_a_bounce(desk: Desk, memory: Memory) -> None:
    """``fresh`` always gives the full text, and the stub saved nothing (N6)."""
    desk.kinds(CODE, CODE)
    assert desk.read(fresh=True).text == CODE
    assert [kind for _, kind, _ in accounts(memory)] == ["cost", "saving", "bounce"]
    desk.read(fresh=True)
    assert len(accounts(memory)) == 3, "once"


def test_a_native_read_after_a_stub_is_a_bounce(desk: Desk, memory: Memory) -> None:
    """Who reads by another tool what the stub stood for was not helped (N6)."""
    talk = Talk(memory, desk.clock)
    desk.kinds(CODE, CODE)
    desk.clock.move(1000)
    talk.apply(e.Read(talk.head(), desk.path(), 1, 91, CODE, 91))
    assert [kind for _, kind, _ in accounts(memory)] == ["cost", "saving", "bounce"]


def test_a_read_for_another_reason_is_no_bounce(desk: Desk, memory: Memory) -> None:
    """After a change, or of other lines, asking again is not the stub's fault."""
    talk = Talk(memory, desk.clock)
    changed = CODE.replace("step 7\n", "pace 7\n")
    assert desk.kinds(CODE, CODE, changed) == ["full", "stub", "delta"]
    desk.clock.move(1000)
    talk.apply(e.Read(talk.head(), desk.path(), 1, 90, CODE.replace("left", "west")))
    assert "bounce" not in [kind for _, kind, _ in accounts(memory)]


def test_the_report_says_the_net(desk: Desk, memory: Memory) -> None:
    """Gross less bounced less cost, for the role; one sample a short answer (P2)."""
    Talk(memory, desk.clock, agent="codex", role="reviewer")
    desk.kinds(CODE, CODE, CODE, CODE)
    (line,) = [one for one in memory.report().lines if one.feature == "stub"]
    sent, raw = estimate("[unchanged] src/box.py 1-90, turn 0 #1"), estimate(CODE)
    assert (line.role, line.samples, line.unknown) == ("reviewer", 2, False)
    assert (line.gross, line.bounced, line.cost) == (2 * raw, raw, 2 * sent)
    assert line.net == raw - 2 * sent


def test_a_delta_bounces_as_well(desk: Desk, memory: Memory) -> None:
    """Its saving is taken back when the text is asked for at once."""
    changed = CODE.replace("step 7\n", "pace 7\n")
    assert desk.kinds(CODE, changed, changed) == ["full", "delta", "full"]
    raw = estimate(changed)
    assert ("delta", "saving", raw) in accounts(memory)
    assert ("delta", "bounce", raw) in accounts(memory)


# -- switches, faults and doubt --------------------------------------------------------


def test_switches(desk: Desk, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No stubs, or measured only, or nothing at all (H3, H4)."""
    monkeypatch.setenv("IBID_NO_STUBS", "1")
    assert desk.kinds(CODE, CODE) == ["full", "full"]
    assert accounts(memory) == []
    monkeypatch.delenv("IBID_NO_STUBS")
    monkeypatch.setenv("IBID_MEASURE_ONLY", "1")
    assert desk.read().text == CODE
    ((feature, kind, tokens),) = accounts(memory)
    assert (feature, kind) == ("stub", "measured")
    assert 0 < tokens < estimate(CODE)
    monkeypatch.delenv("IBID_MEASURE_ONLY")
    assert desk.read().answer == "stub"
    for name in ("IBID_DISABLE", "IBID_NO_CAPTURE"):
        monkeypatch.setenv(name, "1")
        answer = desk.read(session="other")
        assert (answer.text, answer.handle) == (CODE, None)
        monkeypatch.delenv(name)
    assert memory.sessions.page()[1] == 1


@pytest.mark.parametrize("preset", ["private", "recall-only"])
def test_nothing_of_a_private_session_is_stored(
    desk: Desk, memory: Memory, preset: str
) -> None:
    """It reads, and nothing of it is kept (H4)."""
    Talk(memory, desk.clock)
    memory.sessions.preset("s1", preset)
    assert desk.kinds(CODE, CODE) == ["full", "full"]
    count = memory.store.read().execute
    assert count("SELECT count(*) FROM archive").fetchone()[0] == 0
    assert count("SELECT count(*) FROM shown").fetchone()[0] == 0


@pytest.mark.parametrize("name", ["make_delta", "estimate"])
def test_a_transform_that_fails_sends_the_text(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Whatever breaks on the way to a shorter answer (Q4)."""
    desk.read()

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(reread, name, broken)
    changed = CODE.replace("step 7\n", "pace 7\n")
    if name == "estimate":
        monkeypatch.setattr(reread, "_tokens", lambda *_: 2000)
    answer = desk.read(changed)
    assert (answer.answer, answer.text) == ("full", changed)
    monkeypatch.undo()
    assert desk.read(changed).answer == "stub", "it was recorded nevertheless"


def test_a_store_that_cannot_be_written_does_not_keep_the_text_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The full text goes out, unrecorded (Q4)."""
    desk.read()

    def busy(*_: object, **__: object) -> None:
        raise StoreBusyError("busy")

    monkeypatch.setattr(desk.memory.store, "write", busy)
    answer = desk.read()
    assert (answer.answer, answer.text, answer.handle) == ("full", CODE, None)


def test_doubt_gives_everything(desk: Desk) -> None:
    """Whoever is in doubt says so, and a text that may be cut does not count (N4)."""
    desk.read()
    assert desk.read(doubt="its transcript cannot be read").text == CODE
    other = Desk(desk.memory, desk.clock, "s2")
    assert other.read(limit=100).text == CODE
    assert other.kinds(CODE, CODE) == ["full", "stub"]


def test_files_that_never_enter_are_read_and_not_kept(
    desk: Desk, memory: Memory
) -> None:
    """A key file is given whole each time; nothing of it is stored (E1)."""
    for name in (".env", "deploy/id_rsa", "prod.pem"):
        assert desk.kinds(CODE, CODE, name=name) == ["full", "full"]
    count = memory.store.read().execute("SELECT count(*) FROM archive")
    assert count.fetchone()[0] == 0
    assert memory.reads(desk.path(".env"), CODE).touches == []


def test_secrets_cut_at_the_door_are_no_base(desk: Desk, memory: Memory) -> None:
    """What was kept otherwise than it was shown can be compared as a whole only."""
    memory.set_policy("project", "archive.secrets", "mask")
    key = "gh" + "p_" + secrets.token_hex(18)
    text = CODE + f"token = '{key}'\n"
    first = desk.read(text)
    assert first.text == text
    assert key.encode() not in memory.expand(first.handle or "", reveal=True).data
    assert desk.read(text).answer == "stub"
    assert desk.read(text.replace("step 7\n", "pace 7\n")).answer == "full"
    assert desk.read(text, first=3, last=60).answer == "full"


def test_a_name_in_many_sessions_and_files(desk: Desk) -> None:
    """Paths with blanks, line ends and other scripts stay on one line."""
    for name in ("a b/c d.py", "日本/箱.py", "odd\nname.py"):
        stub = [desk.read(name=name), desk.read(name=name)][1]
        assert stub.answer == "stub"
        assert "\n" not in stub.text


# -- handles ---------------------------------------------------------------------------


def test_a_printed_number_is_protected(desk: Desk, memory: Memory) -> None:
    """For thirty days after its session's last event (M3, M4)."""
    talk = Talk(memory, desk.clock)
    desk.kinds(CODE, CODE)
    connection = memory.store.read()
    now = desk.clock.now()
    assert archive.is_protected(connection, 1, now + 29 * DAY)
    assert not archive.is_protected(connection, 1, now + 31 * DAY)
    desk.clock.move(20 * DAY)
    talk.ask("And now?")
    assert archive.is_protected(connection, 1, now + 49 * DAY)


def test_a_text_that_went_is_kept_again(desk: Desk, memory: Memory) -> None:
    """A stub never names a handle that cannot be expanded (M4)."""
    desk.read()
    with memory.store.write() as connection:
        row = archive.load_archive(connection, "#1")
        archive.bury(connection, [row], desk.clock.now(), "the size cap")
    stub = desk.read()
    assert stub.answer == "stub"
    assert memory.expand(stub.handle or "").data == CODE.encode()


def test_a_text_that_went_is_no_base(desk: Desk, memory: Memory) -> None:
    """What cannot be compared any more is sent whole (N4)."""
    desk.read()
    with memory.store.write() as connection:
        row = archive.load_archive(connection, "#1")
        archive.bury(connection, [row], desk.clock.now(), "the size cap")
    assert desk.read(CODE, first=3, last=40).answer == "full"
    assert desk.read(CODE + "more\n").answer == "full"


def test_what_was_read_is_found_by_its_words(desk: Desk, memory: Memory) -> None:
    """Full texts go to the archive, searchable, with secrets marked (M2, E1)."""
    key = "gh" + "p_" + secrets.token_hex(18)
    desk.read(CODE + f"token = '{key}'  # marmoset\n")
    from ibid.engine.model import SearchRequest

    found = memory.search(SearchRequest("marmoset", archive=True))
    assert found.hits
    assert key not in found.hits[0].text
    assert key.encode() not in memory.expand("#1").data


# -- across sessions -------------------------------------------------------------------


def test_what_earlier_sessions_knew(desk: Desk, memory: Memory) -> None:
    """Who, when, which lines, and which symbols changed since (N7)."""
    old = "def weigh(a):\n    return a\n\n\ndef pack(a):\n    return [a]\n" * 1
    talk = Talk(memory, desk.clock, "first", agent="codex", title="Weigh it")
    talk.ask("How heavy is it?")
    desk.read(old, session="first", agent="codex")
    desk.clock.move(DAY)
    new = old.replace("return a\n", "return a + 1\n") + "\n\ndef send(a):\n    pass\n"
    answer = desk.read(new, session="second")
    assert answer.before == (
        "Read before: 1 session, last 2026-04-02; since then weigh() changed, "
        "send() added."
    )
    assert ("hint", "cost", estimate(answer.before)) in accounts(memory)
    assert desk.read(new, session="second", fresh=True).before == ""
    found = memory.reads(desk.path(), new)
    assert (found.sessions, found.since.state) == (2, "unchanged")
    last = found.touches[-1]
    assert (last.agent, last.title, last.turn, last.kind) == (
        *("codex", "Weigh it", 1),
        "read",
    )
    assert (last.first, last.last, last.total) == (1, 6, 6)
    assert memory.reads(desk.path(), None).since.state == "gone"
    changed = memory.reads(desk.path(), new.replace("pass", "return a"))
    assert [(one.name, one.change) for one in changed.since.symbols] == [
        ("send", "changed")
    ]
    assert memory.reads(desk.path("never.py")).line == ""


def test_a_session_is_not_told_of_itself_or_without_recall(
    desk: Desk, memory: Memory
) -> None:
    """Subagents and resumed sessions are the same; presets and switches hold."""
    desk.read()
    assert desk.read(scope="helper").before == ""
    Talk(memory, desk.clock, "s2", parent="s1")
    assert desk.read(session="s2").before == ""
    Talk(memory, desk.clock, "s3")
    memory.sessions.preset("s3", "learn-only")
    assert desk.read(session="s3").before == ""
    memory.set_policy("project", "recall", False)
    assert desk.read(session="s4").before == ""


def test_parts_of_a_file_are_judged_by_themselves(desk: Desk, memory: Memory) -> None:
    """Who saw ten lines knows whether those changed."""
    talk = Talk(memory, desk.clock)
    part = "".join(CODE.splitlines(keepends=True)[9:20])
    talk.apply(e.Read(talk.head(), desk.path(), 10, 20, part.rstrip("\n")))
    assert memory.reads(desk.path(), CODE).since.state == "unchanged"
    assert memory.reads(desk.path(), "new\n" + CODE).since.state == "changed"


def test_edits_are_part_of_the_history(desk: Desk, memory: Memory) -> None:
    """Files are listed by who touched them last (N7)."""
    talk = Talk(memory, desk.clock)
    desk.read(name="a.py")
    desk.clock.move(1000)
    talk.apply(e.Edit(talk.head(), desk.path("b.py"), "x", "y"))
    files, total = memory.ledger.files(FilePage(limit=1))
    assert total == 2
    assert [(one.path, one.reads, one.edits) for one in files] == [
        (desk.path("b.py"), 0, 1)
    ]
    assert [one.kind for one in memory.reads(desk.path("b.py")).touches] == ["edited"]


def test_the_person_is_a_reader_of_their_own(desk: Desk, memory: Memory) -> None:
    """Opened and saved files are known, listed nowhere as a session, and no reader's.

    It can be switched off (N8).
    """
    assert memory.ledger.touched(desk.path(), shown.OPENED)
    assert not memory.ledger.touched(desk.path(), shown.OPENED), "just now"
    assert memory.ledger.touched(desk.path(), shown.SAVED)
    assert memory.sessions.page() == ([], 0)
    answer = desk.read(session="editor", scope="person", agent="editor")
    assert (answer.answer, answer.before) == ("full", "")
    found = memory.reads(desk.path(), CODE)
    assert [one.kind for one in found.touches if one.agent == "editor"][-2:] == [
        "saved",
        "opened",
    ]
    memory.set_policy("project", "editor", False)
    assert not memory.ledger.touched(desk.path(), shown.SAVED)
