"""What a session gets when it starts or was compacted: handoff, hint, pins (O3).

Together at most 700 estimated tokens: the handoff 400, the hint 120, pins the rest.
The same state gives the same bytes, and a session is served once per start; each part
has its own receipt and cost.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep import policy, withhold
from ibid.engine.ledger import handoff, hint
from ibid.engine.model import DAY, MINUTE
from ibid.engine.recall import block
from ibid.engine.recall.recall import note_item, pinned_notes
from ibid.store import memories, receipts, sessions
from ibid.text.digest import keyed
from ibid.text.redact import redact
from ibid.text.tokens import ESTIMATOR, estimate

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.engine.recall.recall import RecalledItem
    from ibid.store.driver import Connection, Row

MOST = 700  # Estimated tokens of all parts and their frame.
AGE = 14 * DAY  # An older handoff is history: search finds it, nobody boots from it.
TWICE = MINUTE  # A start that is told again within this is the same one.

# What a start may be called; after a compaction a session gets its own state back.
COMPACTED = "compact"
FRESH = ("startup", "clear", COMPACTED)


class Start(NamedTuple):
    """A session that starts."""

    session: str
    agent: str = ""
    role: str = ""
    source: str = "startup"
    scope: str = ""  # The subagent that starts, else "".

    @property
    def reader(self) -> str:
        """Who is told: a subagent's context is not its session's."""
        return f"{self.session}/{self.scope}" if self.scope else self.session


class _Part(NamedTuple):
    kind: str  # handoff | hint | pins
    text: str
    items: list[receipts.ReceiptItem]
    rows: tuple[int, ...] = ()
    mark: str = ""  # What its receipt says of the control group (P6).


def session_start(memory: Memory, start: Start) -> str | None:
    """Return what a starting session is told, with receipts; None for nothing.

    A resumed session has it in its context already; so has one that asks twice.  A
    subagent has its task from its parent: it gets no handoff.

    Raises:
        StoreError: the store cannot be read; the session starts without memory (G7).
    """
    connection = memory.store.read()
    agent = start.agent or None
    session = sessions.find_session(connection, start.session, agent)
    shown = start.agent or ("" if session is None else session["agent"])
    if policy.may_recall(memory.switches(), session, shown):
        return None
    if not _is_new(memory, connection, start):
        return None
    who = (start, session)
    handed = None if start.scope else _handoff(memory, connection, start, session)
    handed = _decided(memory, connection, handed, who)
    named = "" if handed is None else handed.text
    hinted = _decided(memory, connection, _hint(memory, start, session, named), who)
    decided = [part for part in (handed, hinted) if part is not None]
    parts = [part for part in decided if part.text]
    frame = _render(memory.key, [])
    left = MOST - estimate(frame) - sum(estimate(part.text) + 1 for part in parts)
    role = start.role or (start.agent if session is None else session["role"])
    pins = _pins(connection, role, left)
    parts += [pins] if pins is not None else []
    told = parts + [part for part in decided if part.mark == receipts.WITHHELD]
    text = _render(memory.key, parts)
    if told and not memory.store.read_only:
        _record(memory, start, session, told, text)
    return text if parts else None


def _decided(
    memory: Memory,
    connection: Connection,
    part: _Part | None,
    who: tuple[Start, Row | None],
) -> _Part | None:
    """Return a part with its mark; without its text if it is not given (P3, P6)."""
    if part is None:
        return None
    start, session = who
    agent = start.agent or ("" if session is None else session["agent"])
    role = start.role or start.agent
    case = withhold.Case(part.kind, role, session, start.session, agent)
    verdict = withhold.decide(memory, connection, case)
    if verdict.reason:
        return _Part(part.kind, "", [], mark=verdict.mark)
    return part._replace(mark=verdict.mark)


def _is_new(memory: Memory, connection: Connection, start: Start) -> bool:
    """Say whether this start is to be served: once, and again after a compaction."""
    row = connection.execute(
        """SELECT max(at) AS at, max(CASE WHEN query = ?2 THEN at END) AS same
        FROM receipt WHERE native = ?1 AND prompt = ''""",
        (start.reader, start.source),
    ).fetchone()
    if row["at"] is None:
        return True
    if start.source != COMPACTED:
        return False
    return row["same"] is None or memory.clock.now() - row["same"] > TWICE


# -- the parts ------------------------------------------------------------------------


def _handoff(
    memory: Memory, connection: Connection, start: Start, session: Row | None
) -> _Part | None:
    """Return the handoff to boot from: its own after a compaction, else the latest."""
    if start.source == COMPACTED and session is not None:
        made = handoff.build(memory, session)
    else:
        made = None
        for row in _earlier(memory, connection, session):
            made = handoff.build(memory, row)
            if made is not None:
                break
    if made is None:
        return None
    items = [
        receipts.ReceiptItem(
            one.item, one.layer, "handoff", 1.0, one.text, estimate(one.text), "null"
        )
        for one in made.parts
    ]
    return _Part("handoff", made.text.rstrip("\n"), items)


def _earlier(memory: Memory, connection: Connection, session: Row | None) -> list[Row]:
    """Return the sessions one could go on from, the latest first."""
    own = [] if session is None else sessions.lineage_of(connection, session["id"])
    marks = ", ".join("?" * len(own)) or "-1"
    return connection.execute(
        f"""SELECT * FROM session s WHERE s.last > ? AND s.kind = 'main'
        AND s.write_policy <> 'deny' AND NOT s.hidden AND s.id NOT IN ({marks})
        AND EXISTS (SELECT 1 FROM turn t WHERE t.session = s.id)
        ORDER BY s.last DESC, s.id DESC LIMIT 5""",  # noqa: S608 - only marks.
        (memory.clock.now() - AGE, *own),
    ).fetchall()


def _hint(memory: Memory, start: Start, session: Row | None, told: str) -> _Part | None:
    anew = start.source == COMPACTED or bool(start.scope)
    found = hint.hint(memory, hint.Reader(session, start.session, anew, told))
    if found is None:
        return None
    item = receipts.ReceiptItem(
        "hint", "L0", "hint", 1.0, found, estimate(found), "null"
    )
    return _Part("hint", found, [item])


def _pins(connection: Connection, role: str, room: int) -> _Part | None:
    """Return the pinned notes that fit into what is left."""
    kept: list[tuple[RecalledItem, str]] = []
    for row in pinned_notes(connection, role):
        one = note_item(connection, row, 1.0)
        line = block.line_of(one.item)
        room -= estimate(line) + 1
        if room < 0:
            break
        kept.append((one, line))
    if not kept:
        return None
    items = [
        receipts.ReceiptItem(
            one.item.id,
            one.item.layer,
            one.item.category,
            1.0,
            line,
            estimate(line),
            json.dumps(None if one.source is None else one.source._asdict()),
        )
        for one, line in kept
    ]
    rows = tuple(one.row for one, _ in kept)
    return _Part("pins", "\n".join(line for _, line in kept), items, rows)


def _render(key: bytes, parts: list[_Part]) -> str:
    """Return the parts in their fence; its nonce is made from what it holds (G4)."""
    body = "\n".join(part.text for part in parts)
    mark = keyed(key, body, 20)
    nonce, name = mark[:8], f"r-{mark[8:16]}"
    head = f'<ibid-start receipt="{name}" nonce="{nonce}" status="{block.STATUS}">'
    return f"{head}\n{block.RULE}\n{body}\n</ibid-start {nonce}>"


# -- receipts -------------------------------------------------------------------------


def _record(
    memory: Memory, start: Start, session: Row | None, parts: list[_Part], text: str
) -> None:
    """Write a receipt and a cost for each part; the frame is the first one's (I1).

    Last come those that the control group withholds: they sent and cost nothing (P6).
    """
    name = text.partition('receipt="')[2].partition('"')[0]
    sent = _shares(parts, text)
    frame = estimate(text) - sum(estimate(part.text) for part in parts)
    now = memory.clock.now()
    number = None if session is None else session["id"]
    with memory.store.write() as connection:
        epoch = 0 if number is None else sessions.current_epoch(connection, number)
        for at, part in reversed(list(enumerate(parts))):
            tokens = estimate(part.text) + (frame if at == 0 and part.text else 0)
            layers: dict[str, int] = {}
            for item in part.items:
                layers[item.layer] = layers.get(item.layer, 0) + item.tokens
            receipt = receipts.NewReceipt(
                name=name,
                kind=part.kind,
                session=number,
                native=start.reader,
                agent=start.agent,
                role=start.role or start.agent,
                at=now,
                prompt="",
                query=redact(start.source)[:40],
                text=sent[at],
                tokens=tokens,
                estimator=ESTIMATOR,
                layers=json.dumps(layers),
                epoch=epoch,
                control=part.mark,
            )
            receipts.add_receipt(connection, receipt, part.items)
            memories.bump_used(connection, part.rows, now)


def _shares(parts: list[_Part], text: str) -> list[str]:
    """Return what each part sent of the whole; joined by newlines they are all of it.

    The first has the head, the last the end mark; what was withheld sent nothing.
    """
    sent = [part.text for part in parts if part.text]
    if sent:
        head, _, tail = text.partition("\n".join(sent))
        sent[0] = head + sent[0]
        sent[-1] += tail
    return sent + [""] * (len(parts) - len(sent))
