"""What the doctor concludes from facts (P4, Q1, R5)."""

from __future__ import annotations

from typing import Any

from ibid.engine.keep import doctor
from ibid.engine.keep.doctor import FAIL, OK, WARN, AgentFacts, Expiry, Facts
from ibid.engine.keep.rivals import ACTIVE, Sighting
from ibid.engine.model import DAY


def facts(**given: Any) -> Facts:
    """Facts in which all is well, but for what is given."""
    well: dict[str, Any] = {
        "versions": {"ibid": "0", "sqlite": "3.53"},
        "is_safe": True,
        "agents": (),
        "sightings": (),
        "allowed": frozenset(),
        "expiries": (),
        "problems": (),
        "standing": {"tools": "a tool"},
        "watches": (3, 100),
        "exposed": (),
    }
    return Facts(**{**well, **given})


def states(report: doctor.Report) -> dict[str, str]:
    """Return the state of each kind of finding."""
    return {one.name: one.state for one in report.checks}


def agent(**given: Any) -> AgentFacts:
    """An agent that was set up at 1,000 and never called."""
    made = AgentFacts("codex", True, "0.130.0", True, 1_000, {})
    return made._replace(**given)


def test_all_is_well() -> None:
    """Every finding is there and none complains."""
    report = doctor.examine(facts())
    assert set(states(report).values()) == {OK}
    assert report.is_well


def test_only_a_hook_that_ran_proves_a_set_up() -> None:
    """Entries in a file are silent; so is a call from before the last set-up."""
    assert doctor.handshake(agent()) == "silent"
    assert doctor.handshake(agent(events={"Stop": 999})) == "silent"
    assert doctor.handshake(agent(events={"Stop": 1_001})) == "working"
    assert doctor.handshake(agent(is_installed=False)) == "absent"
    assert doctor.handshake(agent(is_installed=False, events={"Stop": 5})) == "working"
    check = doctor.examine(facts(agents=(agent(),))).checks[2]
    assert (check.state, "trust" in check.next) == (WARN, True)


def test_an_agent_that_is_not_there_is_not_spoken_of() -> None:
    """Only found agents, or those with entries of ours, get a line."""
    report = doctor.examine(facts(agents=(agent(is_found=False, is_installed=False),)))
    assert "agent" not in states(report)


def test_a_rival_fails_and_an_allowed_one_warns() -> None:
    """The exit status follows from it."""
    one = Sighting("cavemem", ACTIVE, "hook Stop", "~/s.json", "npm uninstall")
    report = doctor.examine(facts(sightings=(one,)))
    assert (states(report)["rival"], report.is_well) == (FAIL, False)
    report = doctor.examine(facts(sightings=(one,), allowed=frozenset({"cavemem"})))
    assert (states(report)["rival"], report.is_well) == (WARN, True)


def test_sessions_that_go_soon_and_are_not_kept_are_told() -> None:
    """Kept ones, and agents that keep theirs, are no trouble."""
    lost = doctor.examine(facts(expiries=(Expiry("claude-code", 30, 9, 4, 1),)))
    assert states(lost)["expiry"] == WARN
    assert "4 of 9 go within 7 days, 1 of these are kept" in lost.checks[2].message
    kept = doctor.examine(facts(expiries=(Expiry("claude-code", 30, 9, 4, 4),)))
    assert states(kept)["expiry"] == OK
    assert "expiry" not in states(
        doctor.examine(facts(expiries=(Expiry("codex", None, 9, 0, 0),)))
    )
    assert doctor.is_soon(0, 30, 23 * DAY)
    assert not doctor.is_soon(0, 30, 22 * DAY)


def test_the_standing_footprint_has_a_limit() -> None:
    """More than 700 tokens fail; no server carries nothing."""
    assert (
        states(doctor.examine(facts(standing={"t": "word " * 2_000})))["footprint"]
        == FAIL
    )
    assert doctor.examine(facts(standing=None)).footprint is None


def test_what_the_system_limits_or_exposes_is_told() -> None:
    """Watches that run out, files others may read, a damaged store, an old SQLite."""
    report = doctor.examine(
        facts(watches=(90, 100), exposed=("/h",), problems=("p",), is_safe=False)
    )
    expected = {"watch": WARN, "permissions": WARN, "database": FAIL, "sqlite": WARN}
    assert expected.items() <= states(report).items()
