"""What a completed turn teaches: one episode at once, and candidates (B).

Capture reads what the person typed and only that; the agent's words reach the episode's
outcome.  Every turn leaves one audit row, also when it taught nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.agents.events import OUTSIDE_FLAGS, PERSON_VOICES, PLAN
from ibid.engine import index
from ibid.engine.keep import policy
from ibid.engine.learn.taint import OutsideTexts, load_outside
from ibid.engine.model import AUTOMATIC, EPISODE
from ibid.store import candidates, memories, turns
from ibid.text.own import blank_own, without_own
from ibid.text.redact import REDACT_VERSION, redact
from ibid.text.segments import cut_at_sentence, last_statements_first
from ibid.text.signals import find_signals, is_sensitive
from ibid.text.terms import TERMS_VERSION

if TYPE_CHECKING:
    from ibid.engine.learn.context import Context
    from ibid.store.driver import Connection, Row
    from ibid.text.signals import Signal

REQUEST_LENGTH = 900  # Characters (B8).
OUTCOME_LENGTH = 1_400
MOST_CANDIDATES = 8  # A turn (B6).

CAPTURED = "captured"
NOTHING = "nothing found"
NOT_COMPLETED = "not completed"
DENIED = "policy denied"
EXCLUDED = "external context excluded"
DISABLED = "disabled"

_DONE = frozenset({turns.COMPLETED, turns.PRESUMED})


class Learned(NamedTuple):
    """What one turn gave."""

    episodes: int = 0
    candidates: int = 0


class _Turn(NamedTuple):
    row: Row
    session: Row
    messages: list[Row]
    flags: frozenset[str]
    at: int  # The turn's own completion time, never in the future.


def capture_turn(connection: Connection, context: Context, turn: int) -> Learned:
    """Let an ended turn teach what it may; idempotent for a turn that has taught.

    Leaves exactly one audit row (B9).
    """
    given = _load(connection, context, turn)
    status, reason = _gate(context, given)
    learned = Learned()
    if not status:
        learned = _learn(connection, context, given)
        status = CAPTURED if learned.candidates else NOTHING
    entry = turns.AuditEntry(
        turn, given.session["id"], status, learned.candidates, reason, context.now
    )
    turns.ensure_audit(connection, entry)
    return learned


def renew_episode(connection: Connection, context: Context, turn: int) -> None:
    """Bring the episode of a turn that went on after all up to date (B1)."""
    given = _load(connection, context, turn)
    if not _gate(context, given)[0]:
        _ensure_episode(connection, context, given)


def _load(connection: Connection, context: Context, turn: int) -> _Turn:
    row = turns.find_turn(connection, turn)
    assert row is not None
    session = connection.execute(
        "SELECT * FROM session WHERE id = ?", (row["session"],)
    ).fetchone()
    ended = row["ended"] or row["at"]
    return _Turn(
        row=row,
        session=session,
        messages=turns.turn_messages(connection, turn),
        flags=frozenset(row["flags"].split()),
        at=min(ended, context.now),
    )


def _gate(context: Context, given: _Turn) -> tuple[str, str]:
    """Return the audit status and reason that forbid learning, or two empty texts."""
    if not context.switches.learn:
        return DISABLED, "learning is switched off"
    denied = policy.may_learn(context.switches, given.session)
    if denied:
        return DENIED, denied
    if given.row["state"] not in _DONE:
        return NOT_COMPLETED, given.row["state"]
    excluded = policy.excluded_by(context.switches.external, given.flags)
    if excluded:
        return EXCLUDED, excluded
    return "", ""


def _learn(connection: Connection, context: Context, given: _Turn) -> Learned:
    episodes = _ensure_episode(connection, context, given)
    outside = OutsideTexts([])
    if given.flags & OUTSIDE_FLAGS:
        outside = load_outside(connection, given.row["id"], given.session["cwd"])
    made = 0
    seen: set[str] = set()
    for message in given.messages:
        if message["role"] != "person" or message["voice"] not in PERSON_VOICES:
            continue
        if message["voice"] == PLAN and message["author"]:
            continue
        for signal in find_signals(blank_own(message["text"])):
            if made >= MOST_CANDIDATES or signal.text in seen:
                continue
            seen.add(signal.text)
            tainted = outside.repeats(signal.text)
            new = _candidate(context, given, message, signal, tainted)
            made += candidates.ensure_candidate(connection, new) is not None
    return Learned(episodes, made)


def _candidate(
    context: Context, given: _Turn, message: Row, signal: Signal, tainted: bool
) -> candidates.NewCandidate:
    waits, reason = "settling", ""
    if tainted:
        waits, reason = "taint", "repeats text that its turn read from outside"
    elif is_sensitive(signal.text):
        waits, reason = "sensitive", "about secrets, network, installs or approvals"
    return candidates.NewCandidate(
        key=context.new_id("c"),
        category=signal.category,
        text=redact(signal.text),
        signal=signal.signal,
        session=given.session["id"],
        turn=given.row["id"],
        message=message["id"],
        start=signal.start,
        end=signal.end,
        confidence=AUTOMATIC,
        at=given.at,
        due=given.at + context.switches.settling,
        waits=waits,
        reason=reason,
        created=context.now,
        taint=tainted,
        redact_version=REDACT_VERSION,
        terms_version=TERMS_VERSION,
    )


# -- episodes ------------------------------------------------------------------


class _Episode(NamedTuple):
    request: str
    outcome: str
    full: str  # The redacted originals, by which it is found (F2).


def _ensure_episode(connection: Connection, context: Context, given: _Turn) -> int:
    """Write or renew the turn's episode; return 1 when it is new (B8)."""
    episode = _summarise(given)
    if episode is None:
        return 0
    known = connection.execute(
        "SELECT * FROM memory WHERE turn = ? AND layer = 2", (given.row["id"],)
    ).fetchone()
    if known is not None:
        if known["active"]:
            values = {"text": episode.outcome, "request": episode.request}
            memories.update_memory(connection, known["id"], values)
            index.index_memory(connection, known["id"], episode.full)
        return 0
    outside = bool(given.flags & OUTSIDE_FLAGS)
    new = memories.NewMemory(
        key=context.new_id("e"),
        layer=memories.EPISODE,
        category="episode",
        text=episode.outcome,
        request=episode.request,
        confidence=EPISODE,
        origin="automatic",
        at=given.at,
        turn=given.row["id"],
        session=given.session["id"],
        outside=outside,
        taint=outside,
    )
    row = memories.add_memory(connection, new)
    index.index_memory(connection, row, episode.full)
    said = memories.Evidence(
        row, given.session["id"], given.row["id"], None, 0, 0, given.at
    )
    memories.ensure_evidence(connection, said)
    return 1


def _summarise(given: _Turn) -> _Episode | None:
    """Return request and outcome, redacted; None if either half is empty."""
    asked = _joined(given.messages, "person")
    done = _joined(given.messages, "agent")
    if not asked or not done:
        return None
    return _Episode(
        request=cut_at_sentence(asked, REQUEST_LENGTH),
        outcome=last_statements_first(done, OUTCOME_LENGTH),
        full=full_text(given.messages),
    )


def full_text(messages: list[Row]) -> str:
    """Return what a turn's episode is found by: its redacted originals (B8, F2)."""
    asked, done = _joined(messages, "person"), _joined(messages, "agent")
    return index.canonical_text(done, asked)


def _joined(messages: list[Row], role: str) -> str:
    texts = [
        without_own(message["text"]) for message in messages if message["role"] == role
    ]
    return redact("\n\n".join(texts)).strip()
