"""The cost of what our tools answer and of what an agent always carries (P1, P4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.errors import StoreError
from ibid.store import receipts, sessions
from ibid.text.tokens import ESTIMATOR, estimate

if TYPE_CHECKING:
    from ibid.engine.memory import Memory

TOOLS, FOOTPRINT = "tools", "footprint"


def meter_answer(
    memory: Memory, session: str, agent: str, tool: str, text: str
) -> None:
    """Enter what an answer of a tool costs."""
    _meter(memory, (session, agent), (TOOLS, f"text sent by {tool}"), estimate(text))


def meter_footprint(memory: Memory, session: str, agent: str, tokens: int) -> None:
    """Enter what schemas and instructions cost an agent that carries them."""
    _meter(memory, (session, agent), (FOOTPRINT, "schemas and instructions"), tokens)


def _meter(
    memory: Memory, who: tuple[str, str], what: tuple[str, str], tokens: int
) -> None:
    """Enter a cost; where nothing can be written the answer goes out all the same."""
    (session, agent), (feature, basis) = who, what
    if memory.store.read_only or not memory.switches().master:
        return
    try:
        with memory.store.write() as connection:
            row = sessions.find_session(connection, session) if session else None
            entry = receipts.Entry(
                at=memory.clock.now(),
                session=None if row is None else row["id"],
                native=session,
                role=agent if row is None else row["role"] or agent,
                feature=feature,
                kind=receipts.COST,
                tokens=tokens,
                times=1,
                basis=basis,
                estimator=ESTIMATOR,
            )
            receipts.add_entry(connection, entry)
    except StoreError:
        return
