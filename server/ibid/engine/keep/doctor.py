"""Judge how a memory and its agents are doing, from facts that were collected (Q, P4).

Every finding is one `Check`: what, how it is, and what to do.  *fail* means that
something does not work or is not safe; *warn* that a person may want to act.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep import rivals
from ibid.engine.keep.withhold import UNNAMED
from ibid.engine.model import DAY
from ibid.text.tokens import estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

OK, WARN, FAIL = "ok", "warn", "fail"
FOOTPRINT = 700  # Tokens an agent may always carry for us (P4).
SOON = 7  # Days in which a session that expires is told of.
WATCHES = 0.8  # Of the system's file watches, from which on it is told.


class Check(NamedTuple):
    """One finding."""

    name: str
    state: str
    message: str
    next: str = ""


class AgentFacts(NamedTuple):
    """What is known of one agent on this machine."""

    agent: str
    is_found: bool
    version: str  # "" unknown.
    is_installed: bool  # Our entries stand in its settings.
    installed_at: int | None  # Milliseconds.
    events: Mapping[str, int]  # When a hook of ours last ran, by event.


class Expiry(NamedTuple):
    """How many sessions an agent will delete soon."""

    agent: str
    days: int | None  # After which it deletes them; None: never.
    sessions: int
    soon: int
    kept: int  # Of those, kept by us already.


class Demoted(NamedTuple):
    """A feature that is off for a role because of what it cost (P3)."""

    role: str
    feature: str
    reason: str

    @property
    def fix(self) -> str:
        """The command that turns it on again."""
        role = f" --role {self.role}" if self.role else ""
        return f"ibid report --enable {self.feature}{role}"


class Facts(NamedTuple):
    """All that was collected."""

    versions: Mapping[str, str]
    is_safe: bool  # Several processes may share a store through this SQLite.
    agents: tuple[AgentFacts, ...]
    sightings: tuple[rivals.Sighting, ...]
    allowed: frozenset[str]
    expiries: tuple[Expiry, ...]
    problems: tuple[str, ...]  # Of the database.
    standing: Mapping[str, str] | None  # Texts an agent always carries; None unknown.
    watches: tuple[int, int] | None  # Needed and allowed; None: no such limit.
    exposed: tuple[str, ...]  # Paths that others may read or write.
    demoted: tuple[Demoted, ...] = ()  # Features that cost more than they saved.
    missing: tuple[str, ...] = ()  # Projects to recall from that are no more (S2).
    erasing: tuple[str, ...] = ()  # Why deletions are not done yet (K3).


class Report(NamedTuple):
    """What the doctor says."""

    checks: tuple[Check, ...]
    facts: Facts
    footprint: int | None

    @property
    def is_well(self) -> bool:
        """Whether nothing failed."""
        return all(one.state != FAIL for one in self.checks)


def examine(facts: Facts) -> Report:
    """Return the judgement, in the order a person should read it."""
    checks = (
        *_rivals(facts),
        *_database(facts),
        *(_agent(one) for one in facts.agents if one.is_found or one.is_installed),
        *_expiries(facts.expiries),
        *(_demoted(one) for one in facts.demoted),
        *(_missing(root) for root in facts.missing),
        *(_erasing(why) for why in facts.erasing),
        _footprint(facts.standing),
        *_watches(facts.watches),
        *_permissions(facts.exposed),
    )
    return Report(checks, facts, footprint(facts.standing))


def handshake(agent: AgentFacts) -> str:
    """Return ``working``, ``silent`` (no hook came since set-up) or ``absent``.

    A hook that ran though no entry of ours stands where set-up writes (a plugin, a
    project's own settings) proves itself.
    """
    last = max(agent.events.values(), default=0)
    if last and (not agent.is_installed or last >= (agent.installed_at or 0)):
        return "working"
    return "silent" if agent.is_installed else "absent"


def footprint(standing: Mapping[str, str] | None) -> int | None:
    """Return the tokens that an agent always carries; None: nobody knows them."""
    if standing is None:
        return None
    return sum(estimate(text) for text in standing.values())


def _rivals(facts: Facts) -> Iterator[Check]:
    barred = rivals.active(facts.sightings, facts.allowed)
    for one in barred:
        said = f"{one.rival} is active ({one.what} in {one.where}); nothing is recalled"
        fix = f"Remove it: {one.fix}; or: ibid doctor --allow {one.rival}"
        yield Check("rival", FAIL, f"{said} beside it.", fix)
    told = {one.rival for one in barred}
    for one in facts.sightings:
        if one.rival in told:
            continue
        told.add(one.rival)
        if one.state == rivals.ACTIVE:
            said = f"{one.rival} is active ({one.what} in {one.where}) and allowed."
            yield Check("rival", WARN, said)
        else:
            said = f"{one.rival} is not active; left over: {one.what} {one.where}."
            yield Check("rival", WARN, said, f"If you do not need it: {one.fix}")
    if not told:
        yield Check("rival", OK, "No other memory is active beside Ibid.")


def _database(facts: Facts) -> Iterator[Check]:
    for problem in facts.problems:
        yield Check("database", FAIL, problem, "ibid verify says more.")
    if not facts.problems:
        yield Check("database", OK, "The store's structure and links hold.")
    if not facts.is_safe:
        said = f"SQLite {facts.versions.get('sqlite', '')} can damage shared files."
        yield Check(
            "sqlite", WARN, said, "Use a Python whose SQLite is 3.51.3 or newer."
        )


def _agent(agent: AgentFacts) -> Check:
    named = f"{agent.agent} {agent.version}".strip()
    state = handshake(agent)
    if state == "working":
        last = max(agent.events, key=lambda name: agent.events[name])
        return Check("agent", OK, f"{named}: our hooks run; the last was {last}.")
    command = f"ibid setup {agent.agent}"
    if state == "absent":
        return Check("agent", WARN, f"{named}: not set up.", command)
    ever = "since they were set up" if agent.events else "so far"
    said = f"{named}: our hooks are in its settings, but none has run {ever}."
    fix = (
        f"Start it anew and send a prompt; trust the hooks if it asks. Else: {command}"
    )
    return Check("agent", WARN, said, fix)


def _expiries(expiries: Iterable[Expiry]) -> Iterator[Check]:
    for one in expiries:
        if one.days is None or not one.sessions:
            continue
        lost = one.soon - one.kept
        said = (
            f"{one.agent} deletes sessions after {one.days} days: {one.soon} of "
            f"{one.sessions} go within {SOON} days, {one.kept} of these are kept."
        )
        fix = "ibid import --all" if lost else ""
        yield Check("expiry", WARN if lost else OK, said, fix)


def is_soon(modified: int, days: int, now: int) -> bool:
    """Say whether a file of that time (ms) is deleted within `SOON` days."""
    return now - modified >= (days - SOON) * DAY


def _demoted(one: Demoted) -> Check:
    said = f"{one.feature} is off for {one.role or UNNAMED}: {one.reason}."
    return Check("net", WARN, said, f"To have it back: {one.fix}")


def _missing(root: str) -> Check:
    said = f"Recall is to use {root} too, but there is no memory of it."
    take_off = f"ibid project include {root} --remove"
    fix = f"If it was moved: ibid project move OLD NEW. Else: {take_off}"
    return Check("include", WARN, said, fix)


def _erasing(why: str) -> Check:
    said = f"A deletion is not done yet. {why}"
    return Check("erasing", WARN, said, "It is tried again by itself while Ibid runs.")


def _footprint(standing: Mapping[str, str] | None) -> Check:
    tokens = footprint(standing)
    if tokens is None:
        return Check("footprint", OK, "Without an MCP server an agent carries nothing.")
    state = OK if tokens <= FOOTPRINT else FAIL
    said = f"An agent always carries ≈ {tokens} tokens for Ibid; at most {FOOTPRINT}."
    return Check("footprint", state, said, "" if state == OK else "Please report this.")


def _watches(watches: tuple[int, int] | None) -> Iterator[Check]:
    if watches is None:
        return
    needed, most = watches
    said = f"{needed:,} of {most:,} file watches are needed for transcripts."
    if needed > most * WATCHES:
        fix = "Raise fs.inotify.max_user_watches; until then transcripts are polled."
        yield Check("watch", WARN, said, fix)
    else:
        yield Check("watch", OK, said)


def _permissions(exposed: Iterable[str]) -> Iterator[Check]:
    found = list(exposed)
    for path in found:
        fix = f"chmod go-rwx {path}"
        yield Check("permissions", WARN, f"Others on this machine can use {path}.", fix)
    if not found:
        yield Check("permissions", OK, "Ibid's data is readable by you only.")
