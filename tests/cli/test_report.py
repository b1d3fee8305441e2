"""`ibid report`: the net, what is demoted, and turning it on again (P2, P3, R6)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ibid.engine.memory import open_memory
from ibid.engine.model import ReadRequest

CODE = "".join(f"value_{n} = compute(left, right, {n})\n" for n in range(40))


def read(ibid: Any, session: str) -> str:
    """Let a session read the file; return the kind of answer."""
    done = ibid("--json", "read", "box.py", "--session", session)
    return str(json.loads(done.stdout)["answer"])


@pytest.fixture
def demoted(project: Path) -> None:
    """Thirty sessions that each got a stub and asked again."""
    (project / "box.py").write_text(CODE)
    memory = open_memory(str(project))
    for number in range(31):
        for _ in range(3):
            path = str(project / "box.py")
            memory.read(ReadRequest(path, f"s{number}"), CODE)
    memory.close()


@pytest.mark.usefixtures("demoted")
def test_a_demotion_is_told_and_taken_back(ibid: Any, project: Path) -> None:
    """State, figures and the way back; a new session has no stubs until then."""
    shown = ibid("report").stdout
    for word in ("demoted", "30 samples", "ibid report --enable stub", "unknown"):
        assert word in shown
    (line,) = [one for one in report(ibid) if one["feature"] == "stub"]
    assert (line["state"], line["samples"]) == ("demoted", 30)
    assert line["lower"] < 0 and line["at"] > 0
    assert line["net"] == line["gross"] - line["bounced"] - line["cost"] < 0
    assert [read(ibid, "new"), read(ibid, "new")] == ["full", "full"]

    done = ibid("report", "--enable", "stub", "--role", "nobody")
    assert "nothing changed" in done.stderr
    done = ibid("report", "--enable", "stub")
    assert "stub is on again for unnamed agents; its samples count anew" in done.stderr
    (line,) = [one for one in report(ibid) if one["feature"] == "stub"]
    assert line["state"] == "on" and "turned on again by you" in line["reason"]
    assert read(ibid, "new") == "stub"
    ibid("verify")


@pytest.mark.usefixtures("demoted")
def test_the_doctor_names_what_is_off(project: Path) -> None:
    """With its figures and the command that turns it on again (P3)."""
    from ibid.duties import doctor
    from ibid.duties.rivals import this_machine

    memory = open_memory(str(project))
    found = doctor.examine(memory, this_machine(), None)
    memory.close()
    (check,) = [one for one in found.checks if one.name == "net"]
    assert (check.state, check.next) == (
        "warn",
        "To have it back: ibid report --enable stub",
    )
    assert "stub is off for unnamed agents: demoted" in check.message


def test_a_report_may_be_of_one_role(ibid: Any, project: Path) -> None:
    """Lines and days of others are left out, in JSON as in the table (P2)."""
    (project / "box.py").write_text(CODE)
    memory = open_memory(str(project))
    for role in ("codex", "claude-code"):
        for _ in range(2):
            path = str(project / "box.py")
            memory.read(ReadRequest(path, f"s-{role}", agent=role), CODE)
    memory.close()
    assert {one["role"] for one in report(ibid)} == {"codex", "claude-code"}
    assert {one["role"] for one in report(ibid, "--role", "codex")} == {"codex"}
    shown = ibid("report", "--days", "1", "--role", "codex").stdout
    assert "codex" in shown and "claude-code" not in shown


def report(ibid: Any, *words: str) -> Any:
    """Return the lines of the report."""
    return json.loads(ibid("--json", "report", *words).stdout)["roles"]


def test_a_feature_that_there_is_not_is_refused(ibid: Any) -> None:
    """The message names those that can be demoted."""
    done = ibid("report", "--enable", "pins", status=2)
    assert "stub, delta, hint, handoff, block" in done.stderr


@pytest.mark.usefixtures("demoted")
def test_the_days_are_told_when_asked_for(ibid: Any) -> None:
    """The table only then; JSON has them anyway, and their sums are the report's."""
    assert "bounced" in ibid("report").stdout and "day" not in ibid("report").stdout
    assert "day" in ibid("report", "--days", "7").stdout
    shape = json.loads(ibid("--json", "report").stdout)
    assert set(shape) == {"roles", "estimator", "days", "control"}
    for line in shape["roles"]:
        mine = [one for one in shape["days"] if one["feature"] == line["feature"]]
        for name in ("gross", "bounced", "cost"):
            assert sum(one[name] for one in mine) == line[name]
    assert json.loads(ibid("--json", "report", "--days", "0").stdout)["days"] == []


def test_receipts_and_sessions_show_the_control_group(ibid: Any, project: Path) -> None:
    """A withheld block is a receipt of its own; its session goes without blocks."""
    ibid("note", "add", "The heron queue holds 5 jobs.")
    ibid("policy", "set", "control", "50")
    names = [f"s{number}" for number in range(30)]
    for name in names:
        (project / "box.py").write_text("x = 1\n")
        ibid("read", "box.py", "--session", name)
        ibid("recall", "How big is the heron queue?", "--session", name)
    rows = json.loads(ibid("--json", "receipts").stdout)
    withheld = {row["session"] for row in rows if row["control"] == "withheld"}
    assert {row["control"] for row in rows} == {"given", "withheld"}
    assert all(not row["tokens"] for row in rows if row["control"] == "withheld")
    sessions = json.loads(ibid("--json", "session", "list").stdout)
    assert {row["session"] for row in sessions if row["control"] == ["block"]} == (
        withheld
    )
    assert "block withheld" in ibid("receipts").stdout
    number = next(row["id"] for row in rows if row["control"] == "withheld")
    assert "withheld to compare" in ibid("receipts", number).stdout
    assert "Control group: 50 % of sessions." in ibid("report").stderr
