"""Automatic recall: what a prompt gets from memory, within its budget (G, I1).

Order of filling: pins, L1, L2, L0, L3; at most 12, 3, 3 and 1 of them, and a token
ceiling for the whole block.  What the session was already sent in this epoch, and what
it said itself, stays out.  The block, its receipt and its cost are one transaction.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep import policy, withhold
from ibid.engine.model import Source
from ibid.engine.recall import block, rank, sources
from ibid.errors import StoreError
from ibid.store import memories, receipts, sessions
from ibid.text.clean import whole
from ibid.text.digest import digest
from ibid.text.earlier import asks_about_earlier_work, is_contentless
from ibid.text.redact import redact
from ibid.text.segments import cut_at_sentence
from ibid.text.tokens import ESTIMATOR, estimate

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.engine.model import RecallRequest
    from ibid.store.driver import Connection, Row

COUNTS = {"L1": 12, "L2": 3, "L0": 3, "L3": 1}
_ORDER = ("L1", "L2", "L0", "L3")
_QUERY_LENGTH = 1_200
BLOCK, PINS = "block", "pins"


class RecalledItem(NamedTuple):
    """One memory in a recalled block."""

    item: block.Item
    source: Source | None
    row: int  # Of the memory; a message's for L0; 0 in another project's store.
    project: str = ""  # The root of another project that it is of (S2).


class Recalled(NamedTuple):
    """The answer to a prompt."""

    block: str | None
    tokens: int
    items: list[RecalledItem]
    receipt: int | None
    name: str
    earlier_work: bool
    reason: str
    troubles: tuple[str, ...] = ()  # Why listed projects gave nothing (S2).


def recall(memory: Memory, request: RecallRequest) -> Recalled:
    """Return the block for a prompt, with its receipt, or why there is none.

    Raises:
        StoreError: the store cannot be read; the caller sends the prompt as it is (G7).
    """
    request = _whole(request)
    answer, sent = _compose(memory, request)
    for one in sent:
        try:
            number = _record(memory, request, one)
            answer = answer._replace(receipt=number)
        except StoreError as error:
            reason = f"{answer.reason}; no receipt could be written: {error}"
            answer = answer._replace(receipt=None, reason=reason)
    return answer


def preview(memory: Memory, request: RecallRequest) -> Recalled:
    """Return what a prompt would get; nothing is sent, so nothing is recorded (R4).

    No receipt, no cost, no use of a note.

    Raises:
        StoreError: the store cannot be read.
    """
    return _compose(memory, _whole(request))[0]


def _whole(request: RecallRequest) -> RecallRequest:
    return request._replace(
        prompt=whole(request.prompt), session=whole(request.session)
    )


def _compose(
    memory: Memory, request: RecallRequest
) -> tuple[Recalled, list[_Injection]]:
    """Return the answer without its receipt, and what receipts are to tell."""
    connection = memory.store.read()
    session = _session(connection, request)
    agent = request.agent or ("" if session is None else session["agent"])
    earlier = asks_about_earlier_work(request.prompt)
    shown_to = "" if request.asked else agent  # A tool's answer is no prompt (G8).
    refused = policy.may_recall(memory.switches(), session, shown_to)
    if not refused and is_contentless(request.prompt):
        refused = "the prompt has nothing to look for"
    nothing = Recalled(None, 0, [], None, "", earlier, refused)
    if refused:
        return nothing, []
    chosen, troubles = _choose(memory, connection, _Asked(request, session, earlier))
    nothing = nothing._replace(reason="; ".join(troubles), troubles=troubles)
    if not chosen:
        reason = "; ".join(("nothing relevant is known", *troubles))
        return nothing._replace(reason=reason), []
    role = request.role or request.agent
    case = withhold.Case(BLOCK, role, session, request.session, agent, request.asked)
    verdict = withhold.decide(memory, connection, case)
    if verdict.reason:
        reason = "; ".join((verdict.reason, *troubles))
        held = nothing._replace(reason=reason)
        return _keep_pins(memory, request, chosen, (held, verdict.mark))
    made = _rendered(memory, request, chosen)
    sent = _Injection(BLOCK, verdict.mark, made, chosen)
    return _answered(nothing, sent), [sent]


def _keep_pins(
    memory: Memory,
    request: RecallRequest,
    chosen: list[RecalledItem],
    held: tuple[Recalled, str],
) -> tuple[Recalled, list[_Injection]]:
    """Return a block of the pins alone, which nothing withholds (P3).

    What is withheld to compare leaves a receipt without a word of it (P6).
    """
    answer, mark = held
    pins = [one for one in chosen if one.item.pinned]
    told = []
    if mark == receipts.WITHHELD and len(pins) < len(chosen):
        empty = block.render([], memory.key)._replace(text="", tokens=0)
        told.append(_Injection(BLOCK, mark, empty, []))
    if not pins:
        return answer, told
    sent = _Injection(PINS, "", _rendered(memory, request, pins), pins)
    return _answered(answer, sent), [*told, sent]


def _answered(nothing: Recalled, sent: _Injection) -> Recalled:
    """Return the answer that is sent; what else it had to say stays its reason."""
    made, count = sent.made, len(sent.chosen)
    reason = f"{count} of memory, ≈ {made.tokens} tokens"
    if nothing.reason:
        reason = f"{reason}; {nothing.reason}"
    return nothing._replace(
        block=made.text,
        tokens=made.tokens,
        items=sent.chosen,
        name=made.name,
        reason=reason,
    )


def _rendered(
    memory: Memory, request: RecallRequest, chosen: list[RecalledItem]
) -> block.Block:
    """Return the block; what does not fit any more leaves ``chosen``."""
    made = block.render([one.item for one in chosen], memory.key)
    while _is_over(made, memory.switches().budget, request.room) and len(chosen) > 1:
        chosen.pop()  # The whole is a little more than its parts.
        made = block.render([one.item for one in chosen], memory.key)
    return made


def _is_over(made: block.Block, budget: int, room: int) -> bool:
    return made.tokens > budget or bool(room and len(made.text) > room)


class _Asked(NamedTuple):
    request: RecallRequest
    session: Row | None
    earlier: bool


class _Injection(NamedTuple):
    kind: str  # block | pins
    mark: str  # What the receipt says of the control group (P6).
    made: block.Block
    chosen: list[RecalledItem]


def _session(connection: Connection, request: RecallRequest) -> Row | None:
    if not request.session:
        return None
    exact = sessions.find_session(connection, request.session, request.agent or None)
    # A caller that names its agent otherwise must not lose the session's policy.
    return exact or sessions.find_session(connection, request.session)


# -- choosing ------------------------------------------------------------------------


def _choose(
    memory: Memory, connection: Connection, asked: _Asked
) -> tuple[list[RecalledItem], tuple[str, ...]]:
    """Return what fits, in the order of filling, within counts and tokens (G1, G2).

    And why listed projects gave nothing (S2); one's own come first on equal score.
    """
    epoch = since = 0
    own = sessions.hidden_sessions(connection)
    role = asked.request.role or asked.request.agent
    if asked.session is not None:
        role = asked.request.role or asked.session["role"]
        epoch = sessions.current_epoch(connection, asked.session["id"])
        since = sessions.epoch_began(connection, asked.session["id"])
        own |= frozenset(sessions.lineage_of(connection, asked.session["id"]))
    sent: dict[tuple[str, str], str] = {}
    if asked.request.session:  # A look without one excludes nothing.
        sent = receipts.sent_items(connection, asked.request.session, epoch, since)
    layers = _ORDER if asked.earlier else ("L1", "L2", "L3")
    wanted = rank.Request(
        query=asked.request.prompt,
        layers=frozenset(layers),
        exclude_sessions=own,
        role=role,
        limit=40,
        floor=True,
        now=memory.clock.now(),
    )
    found = rank.search(connection, wanted).hits
    pins = [note_item(connection, row, 1.0) for row in pinned_notes(connection, role)]
    hits = [hit_item(connection, hit) for hit in found]
    ranked = [one for one in hits if one is not None]
    troubles: tuple[str, ...] = ()
    roots = memory.included()
    if roots:
        from ibid.engine.recall import crossing

        crossed = crossing.find(memory, roots, wanted, asked.request.session)
        ranked += crossing.without_known(crossed.items, [*pins, *ranked])
        ranked.sort(key=lambda one: -one.item.score)
        troubles = crossed.troubles
    frame = block.frame_tokens(any(one.project for one in ranked))
    filling = _Filling(memory.switches().budget - frame, sent)
    for one in pins:
        filling.add(one)
    for layer in _ORDER:
        for one in ranked:
            if one.item.layer == layer:
                filling.add(one)
    return filling.items, troubles


def pinned_notes(connection: Connection, role: str) -> list[Row]:
    """Return the pinned notes for a role, newest first (G1, B10)."""
    return connection.execute(
        """SELECT * FROM memory WHERE layer = 1 AND active AND pinned
        AND (role = '' OR role = ?) AND (NOT taint OR curated)
        ORDER BY updated DESC, id DESC LIMIT ?""",
        (role, COUNTS["L1"]),
    ).fetchall()


def note_item(connection: Connection, row: Row, score: float) -> RecalledItem:
    """Return a memory of layer 1 to 3 as an item to be sent (G5)."""
    source = sources.source_of(connection, row)
    shown = sources.describe(row, source)
    text = row["text"]
    if row["layer"] == memories.EPISODE:
        text = f"Asked: {row['request']} Outcome: {row['text']}"
    item = block.Item(
        id=row["key"],
        layer=f"L{row['layer']}",
        category=row["category"],
        score=score,
        text=text,
        source=shown,
        handle=row["handle"],
        short=memories.short_key(connection, "memory", row["key"]),
        pinned=bool(row["pinned"]),
        outside=bool(row["outside"] or row["taint"]),
    )
    return RecalledItem(item, source, row["id"])


def hit_item(connection: Connection, hit: rank.Hit) -> RecalledItem | None:
    """Return what was found as an item; None when it may not be sent (B10, E1)."""
    if hit.layer == "L0":
        return _message_item(connection, hit)
    row = memories.find_memory(connection, hit.row)
    if row is None or (row["taint"] and row["layer"] == 1 and not row["curated"]):
        return None
    return note_item(connection, row, hit.score)


def _message_item(connection: Connection, hit: rank.Hit) -> RecalledItem | None:
    """Return a transcript excerpt; what holds a secret is never injected (E1)."""
    found = sources.message_source(connection, hit.row)
    if found is None or found.row["secret"]:
        return None
    item = block.Item(
        id=found.id,
        layer="L0",
        category=found.row["role"],
        score=hit.score,
        text=found.row["text"],
        source=found.shown,
        handle=found.row["handle"],
    )
    return RecalledItem(item, found.source, hit.row)


class _Filling:
    """Takes items while counts and tokens allow."""

    def __init__(self, tokens: int, sent: dict[tuple[str, str], str]) -> None:
        self.items: list[RecalledItem] = []
        self._left = tokens
        self._counts = dict(COUNTS)
        self._sent = sent

    def add(self, one: RecalledItem) -> None:
        """Add an item unless it is there, was sent in this epoch, or does not fit."""
        if any(one.item.id == held.item.id for held in self.items):
            return
        layer = one.item.layer
        if self._counts.get(layer, 0) <= 0:
            return
        if layer == "L3":
            cut = self._without_listed(one)
            if cut is None:
                return
            one = cut
        line = block.line_of(one.item)
        cost = estimate(line) + 1
        was = self._sent.get((one.project, one.item.id))
        if was == line or cost > self._left:
            return
        self.items.append(one)
        self._left -= cost
        self._counts[layer] -= 1

    def _without_listed(self, one: RecalledItem) -> RecalledItem | None:
        """Cut the profile to its budget and to what is not listed already (G1)."""
        listed = {held.item.text for held in self.items}
        kept: list[str] = []
        for line in one.item.text.splitlines():
            if line.removeprefix("- ") in listed:
                continue
            if estimate("\n".join([*kept, line])) > block.PROFILE_TOKENS:
                break
            kept.append(line)
        if not any(line.startswith("- ") for line in kept):
            return None
        text = " ".join(_without_empty(kept))
        return one._replace(item=one.item._replace(text=text))


def _without_empty(lines: list[str]) -> list[str]:
    """Drop headings that no note follows."""
    following = [*lines[1:], ""]
    return [
        line
        for line, after in zip(lines, following, strict=True)
        if line.startswith("- ") or after.startswith("- ")
    ]


# -- the receipt ----------------------------------------------------------------------


def _record(memory: Memory, request: RecallRequest, sent: _Injection) -> int:
    """Write receipt, items, cost and use in one transaction (I1, P1)."""
    made, chosen = sent.made, sent.chosen
    now = memory.clock.now()
    role = request.role or request.agent
    with memory.store.write() as connection:
        if any(one.project for one in chosen):
            from ibid.engine.recall import crossing

            crossing.demand_there(memory, chosen)
        session = _session(connection, request)
        number = None if session is None else session["id"]
        epoch = 0 if number is None else sessions.current_epoch(connection, number)
        receipt = receipts.NewReceipt(
            name=made.name,
            kind=sent.kind,
            session=number,
            native=request.session,
            agent=request.agent,
            role=role,
            at=now,
            prompt=digest(request.prompt.encode("utf-8", "replace")),
            query=cut_at_sentence(redact(request.prompt), _QUERY_LENGTH),
            text=made.text,
            tokens=made.tokens,
            estimator=ESTIMATOR,
            layers=json.dumps(made.layers),
            epoch=epoch,
            control=sent.mark,
        )
        rows = [_receipt_item(one, made) for one in chosen]
        written = receipts.add_receipt(connection, receipt, rows)
        own = [one for one in chosen if not one.project]
        used = [one.row for one in own if one.item.layer != "L0"]
        memories.bump_used(connection, used, now)
    return written


def _receipt_item(one: RecalledItem, made: block.Block) -> receipts.ReceiptItem:
    line = made.lines[one.item.id]
    return receipts.ReceiptItem(
        item=one.item.id,
        layer=one.item.layer,
        category=one.item.category,
        score=one.item.score,
        text=line,
        tokens=estimate(line),
        source=json.dumps(None if one.source is None else one.source._asdict()),
        project=one.project,
    )
