"""What a session gets when it starts: handoff, hint, pins (N7, O3, O4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibid.agents import events as e
from ibid.engine.keep.notes import NoteText
from ibid.engine.ledger.hint import MOST as HINT
from ibid.engine.ledger.starting import MOST
from ibid.engine.memory import Memory
from ibid.engine.model import DAY, MINUTE, FixedClock
from ibid.errors import ConflictError, InputError
from ibid.store.receipts import ReceiptPage
from ibid.text.tokens import estimate

from .talk import Talk


def read(talk: Talk, path: Path, text: str, whole: bool = False) -> None:
    """Let the session read a file as its agent would tell."""
    lines = text.removesuffix("\n")
    last = lines.count("\n") + 1
    total = last if whole else 0
    talk.apply(e.Read(talk.head(), str(path), 1, last, lines, total))


def kinds(memory: Memory, session: str) -> dict[str, int]:
    """Return the kinds of a session's receipts and their tokens."""
    views, _ = memory.receipts.page(ReceiptPage(session=session))
    return {view.row["kind"]: view.row["tokens"] for view in views}


def test_a_new_session_boots_from_the_last_one_once(
    memory: Memory, clock: FixedClock
) -> None:
    """Handoff and pins, labelled untrusted, in one fence; a second ask gets none."""
    Talk(memory, clock, "first").turn("Rename the parcel table.", "Renamed it.")
    memory.notes.add(NoteText("Never log addresses.", pinned=True))
    clock.move(20 * MINUTE)
    text = memory.session_start("second", "claude-code")
    assert text is not None
    assert text.startswith("<ibid-start receipt=")
    assert 'status="untrusted recalled context"' in text
    assert "Task: Rename the parcel table." in text
    assert "Never log addresses." in text
    assert memory.session_start("second", "claude-code") is None
    assert memory.session_start("second", "claude-code", source="resume") is None


def test_the_same_state_starts_with_the_same_bytes(
    memory: Memory, clock: FixedClock
) -> None:
    """Whichever session asks, and whenever, nothing changes but the state does."""
    Talk(memory, clock, "first").turn("Rename the parcel table.", "Renamed it.")
    clock.move(20 * MINUTE)
    one = memory.session_start("second", "claude-code")
    clock.move(3 * MINUTE)
    assert memory.session_start("third", "claude-code") == one


def test_each_part_has_its_receipt_and_cost(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """Their texts together are what was sent, their tokens what it cost (I1, P1)."""
    memory.set_policy("project", "hint", "on")
    code = project / "parcel.py"
    code.write_text("a = 1\n")
    talk = Talk(memory, clock, "first", cwd=str(project))
    talk.ask("Rename the parcel table.")
    read(talk, code, code.read_text())
    talk.answer("Renamed.")
    talk.end()
    memory.notes.add(NoteText("Never log addresses.", pinned=True))
    clock.move(20 * MINUTE)
    text = memory.session_start("second", "claude-code")
    assert text is not None
    views, _ = memory.receipts.page(ReceiptPage(session="second"))
    assert [view.row["kind"] for view in views] == ["handoff", "hint", "pins"]
    assert "\n".join(view.row["text"] for view in views) == text
    total = sum(view.row["tokens"] for view in views)
    assert abs(total - estimate(text)) <= 2
    rows = memory.store.read().execute("SELECT feature, tokens FROM account")
    assert {tuple(row) for row in rows} == set(kinds(memory, "second").items())


def test_all_parts_together_keep_the_budget(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """However much there is, a start costs at most 700 tokens."""
    memory.set_policy("project", "hint", "on")
    talk = Talk(memory, clock, "first", cwd=str(project))
    for number in range(12):
        path = project / f"a_rather_long_module_name_{number}.py"
        path.write_text(f"x = {number}\n")
        talk.ask(f"Step {number}: " + "rename all the tables of the parcel part. " * 30)
        read(talk, path, path.read_text())
        talk.apply(e.Edit(talk.head(), str(path), "", "x"))
        talk.answer(
            "\n".join(f"- point {at} is settled by v1.{at}" for at in range(90))
        )
        talk.end()
        rule = f"Rule number {number}: " + "no address of a parcel is ever logged " * 6
        memory.notes.add(NoteText(rule, "constraint", pinned=True))
    clock.move(20 * MINUTE)
    text = memory.session_start("second", "claude-code")
    assert text is not None
    assert 500 < estimate(text) <= MOST
    assert kinds(memory, "second")["hint"] <= HINT


def test_after_a_compaction_a_session_gets_its_own_state(
    memory: Memory, clock: FixedClock
) -> None:
    """Not another one's, and only once for each compaction."""
    own = Talk(memory, clock, "own")
    own.turn("Rename the parcel table.", "Renamed.")
    clock.move(MINUTE)
    Talk(memory, clock, "other").turn("Paint the shed.", "Painted.")
    text = memory.session_start("own", "claude-code", source="compact")
    assert text is not None
    assert "Task: Rename the parcel table." in text
    assert "Task: Paint" not in text
    assert memory.session_start("own", "claude-code", source="compact") is None
    clock.move(60 * MINUTE)
    assert memory.session_start("own", "claude-code", source="compact") is not None


def test_refusals_are_kept(memory: Memory, clock: FixedClock) -> None:
    """Recall off, a private session, or Codex' default: nothing is injected (G8, H)."""
    Talk(memory, clock, "first").turn("Rename the parcel table.")
    assert memory.session_start("second", "codex") is None
    Talk(memory, clock, "third")
    memory.sessions.preset("third", "private")
    assert memory.session_start("third", "claude-code") is None
    memory.set_policy("project", "recall", False)
    assert memory.session_start("fourth", "claude-code") is None


def test_an_old_handoff_is_history(memory: Memory, clock: FixedClock) -> None:
    """Nobody boots from what is older than two weeks, or from nothing."""
    assert memory.session_start("zero", "claude-code") is None
    Talk(memory, clock, "first").turn("Rename the parcel table.")
    clock.move(15 * DAY)
    assert memory.session_start("second", "claude-code") is None


def test_the_hint_says_what_was_read_and_whether_it_changed(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """Most read first; compared with the file as it is now; a gone file is left out.

    A new session is told so where the setting says *on*.
    """
    memory.set_policy("project", "hint", "on")
    files = {name: project / name for name in ("a.py", "b.py", "gone.py")}
    for name, path in files.items():
        path.write_text(f"name = {name!r}\nvalue = 1\n")
    for number in range(3):
        talk = Talk(memory, clock, f"r{number}", cwd=str(project))
        talk.ask("Look around in the code.")
        for name in ("a.py", "gone.py") if number else files:
            read(talk, files[name], files[name].read_text())
        talk.answer("Seen.")
        talk.end()
    files["b.py"].write_text("name = 'b.py'\nvalue = 2\n")
    files["gone.py"].unlink()
    clock.move(DAY)
    text = memory.session_start("next", "claude-code")
    assert text is not None
    line = next(one for one in text.splitlines() if one.startswith("Read before"))
    assert line == (
        "Read before here: a.py (3 sessions, last 2026-04-02, unchanged), "
        "b.py (1 session, last 2026-04-02, changed since)."
    )


def test_the_hint_names_symbols_that_changed(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """Of a file that was read whole; comments do not count (N7)."""
    memory.set_policy("project", "hint", "on")
    old = "def lift(box):\n    return box\n\n\n"
    old += "def lower(box):\n    # slowly\n    return 0\n"
    path = project / "crane.py"
    path.write_text(old)
    talk = Talk(memory, clock, "r", cwd=str(project))
    talk.ask("Look around in the code.")
    read(talk, path, old, whole=True)
    talk.end()
    clock.move(DAY)
    path.write_text(
        old.replace("return box", "return None").replace("    # slowly\n", "")
        + "\n\ndef turn(by):\n    return by\n"
    )
    texts = [memory.session_start(name, "claude-code") or "" for name in ("a", "b")]
    assert (
        "Read before here: crane.py (1 session, last 2026-04-02, since then "
        "lift() changed, turn() added)."
    ) in texts[0]
    assert texts[0] == texts[1]


def test_symbols_give_way_to_files_in_a_full_hint(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """Names of symbols never cost more than the hint has, nor a file its place."""
    memory.set_policy("project", "hint", "on")
    talk = Talk(memory, clock, "r", cwd=str(project))
    talk.ask("Look around in the code.")
    for number in range(6):
        path = project / f"some_rather_long_name_of_a_file_{number}.py"
        names = [f"another_rather_long_name_of_a_function_{n}" for n in range(3)]
        path.write_text("".join(f"def {name}():\n    return 1\n" for name in names))
        read(talk, path, path.read_text(), whole=True)
        path.write_text(path.read_text().replace("1", "2"))
    talk.end()
    clock.move(DAY)
    assert memory.session_start("next", "claude-code")
    assert kinds(memory, "next")["hint"] <= HINT
    (view,) = [
        one
        for one in memory.receipts.page(ReceiptPage(session="next"))[0]
        if one.row["kind"] == "hint"
    ]
    text = view.row["text"]
    # The second file is named, and what changed in it stands only in the first's stead.
    assert text.count("changed since") + text.count("since then") == 2


def test_who_begins_anew_is_told_what_its_session_had_in_hand(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """After a compaction, the last first, with the lines; a new session is not (N7)."""
    for name in ("a.py", "b.py", "c.py", "gone.py"):
        (project / name).write_text("x = 1\n" * 40)
    own = Talk(memory, clock, "own", cwd=str(project))
    own.ask("Look around in the code.")
    for name in ("a.py", "gone.py", "b.py"):
        clock.move(MINUTE)
        read(own, project / name, "x = 1\n" * 40)
    own.apply(e.Read(own.head(), str(project / "a.py"), 3, 9, "x = 1\n" * 7, 40))
    clock.move(MINUTE)
    own.apply(e.Edit(own.head(), str(project / "c.py"), "x = 1", "x = 2"))
    own.answer("Seen.")
    own.end()
    (project / "gone.py").unlink()
    clock.move(20 * MINUTE)
    assert "Read before" not in (memory.session_start("next", "claude-code") or "")
    text = memory.session_start("own", "claude-code", source="compact") or ""
    line = next(one for one in text.splitlines() if one.startswith("Read before"))
    # The handoff has named c.py already.
    assert line == "Read before in this session: a.py 3-9, b.py."
    helper = memory.subagent_start("own", "claude-code", "claude-code", "h1") or ""
    assert "Read before in this session: c.py, a.py 3-9, b.py." in helper
    memory.set_policy("project", "hint", "off")
    helper = memory.subagent_start("own", "claude-code", "claude-code", "h2") or ""
    assert "Read before" not in helper


def test_a_link_out_of_the_project_is_not_followed(
    memory: Memory, clock: FixedClock, project: Path, tmp_path: Path
) -> None:
    """The hint looks at files through the gate only (R3)."""
    memory.set_policy("project", "hint", "on")
    outside = tmp_path / "secret.txt"
    outside.write_text("salary = 1\n")
    (project / "a.txt").symlink_to(outside)
    talk = Talk(memory, clock, "r", cwd=str(project))
    talk.ask("Look around in the code.")
    read(talk, project / "a.txt", "salary = 1\n")
    talk.end()
    clock.move(DAY)
    text = memory.session_start("next", "claude-code") or ""
    assert "Read before" not in text


def test_parallel_sessions_see_each_other(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """Task, files and claims of who is live; silent, ended, private ones are not."""
    talk = Talk(memory, clock, "aaaa1111-x", cwd=str(project), agent="codex")
    talk.ask("Write the parcel guide.")
    talk.apply(e.Edit(talk.head(), f"{project}/docs/guide.md", "", "x"))
    text = memory.session_start("second", "claude-code") or ""
    assert (
        "Another session (codex aaaa1111) is on docs/guide.md: Write the parcel guide."
    ) in text
    memory.parallel.claim("aaaa1111-x", [str(project / "docs")])
    table = memory.parallel.table()
    assert "claims: docs" in table
    assert "touched last: docs/guide.md" in table
    memory.sessions.preset("aaaa1111-x", "private")
    assert memory.parallel.table() == ""
    memory.sessions.preset("aaaa1111-x", "default")
    clock.move(16 * MINUTE)
    assert memory.parallel.table() == ""


def test_a_session_of_an_unknown_agent_is_named_by_its_id(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """No blank stands where the agent's name would (O4)."""
    Talk(memory, clock, "aaaa1111-x", cwd=str(project), agent="").ask("Write a guide.")
    text = memory.session_start("second", "claude-code") or ""
    assert "Another session (aaaa1111) is: Write a guide." in text
    assert "- aaaa1111, last " in memory.parallel.table()


def test_claims_keep_others_out_and_expire(
    memory: Memory, clock: FixedClock, project: Path
) -> None:
    """A path or a folder around it is one session's until it lets go (O4)."""
    one, two = Talk(memory, clock, "one"), Talk(memory, clock, "two")
    memory.parallel.claim("one", ["src"])
    with pytest.raises(ConflictError, match=r"src/api\.py is claimed by claude-code"):
        memory.parallel.claim("two", ["docs", "src/api.py"])
    assert [claim.path for claim in memory.parallel.claims()] == ["src"]
    with pytest.raises(InputError):
        memory.parallel.claim("two", ["../elsewhere"])
    memory.parallel.release("one", [])
    memory.parallel.claim("two", ["src/api.py"])
    two.apply(e.SessionEnded(two.head()))
    assert memory.parallel.claims() == []
    with pytest.raises(ConflictError, match="two has ended"):
        memory.parallel.claim("two", ["docs"])
    memory.parallel.claim("one", ["src"])
    clock.move(61 * MINUTE)
    assert memory.parallel.claims() == []
    one.ask("Go on with the source please.")
    assert [claim.path for claim in memory.parallel.claims()] == ["src"]


def test_what_is_erased_leaves_the_receipts_of_a_start(
    memory: Memory, clock: FixedClock
) -> None:
    """A deleted session's words leave what others were sent of it (I2, K3)."""
    Talk(memory, clock, "first").turn("Rename the heron table.", "Renamed heron.")
    memory.notes.add(NoteText("Never log addresses.", pinned=True))
    clock.move(20 * MINUTE)
    assert "heron" in (memory.session_start("second", "claude-code") or "")
    memory.eraser.delete_session("first")
    rows = memory.store.read().execute("SELECT text FROM receipt").fetchall()
    texts = "\n".join(row["text"] for row in rows)
    assert "heron" not in texts
    assert "Never log addresses." in texts
