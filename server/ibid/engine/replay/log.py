"""What a replay found, one fact after the other: all that its report is made from (P5).

A fact stands at the moment at which it became known, and nothing that happens later
changes or removes one.  So two replays of the same past agree fact by fact, whatever
came afterwards; the tests compare exactly that.
"""

from __future__ import annotations

from typing import NamedTuple

# What a fact tells.  The first three are entries of the accounts, as they stand there.
COST, SAVING, BOUNCE = "cost", "saving", "bounce"
REQUEST = "request"  # The reader's agent sent its context to its model once more.
PROMPT = "prompt"
ITEM = "item"  # One memory of an injection; ``tokens`` are its own.
USED = "used"  # The agent wrote a name of an item that nothing else had told it.
FOUND = "found"  # The agent wrote one that a tool had told it only after the item did.
READ = "read"  # A read of any kind; ``tokens`` are those of its full text.
AGAIN = "again"  # A reader's first read of what an earlier session had read.
LOST = "lost"  # The same of what it had itself read, before its context began anew.
RERUN = "rerun"  # A command gave the very output that it had given before.
SOUGHT = "sought"  # An output told a name that an injection had told before.
SAID = "said"  # A person said what a note of another session says already.
DIFFERS = "differs"  # A person said something else than a note says.

# Features that are no kind of receipt.
STUB, DELTA = "stub", "delta"
BEFORE = "before"  # The line about earlier reads that our read tool adds.


class Who(NamedTuple):
    """A reader: one thread of one session, in one epoch."""

    project: str
    session: str
    agent: str
    role: str
    scope: str = ""
    epoch: int = 0


class Fact(NamedTuple):
    """Something that became known at ``at``."""

    at: int
    who: Who
    kind: str
    feature: str = ""
    tokens: int = 0
    about: str = ""  # An item's id, a path below the project, or a digest.
    same: bool = False  # The text was the very one that was known.
    entry: int = -1  # The fact that a later one is about, by its place in the log.
    named: tuple[str, ...] = ()  # Features whose injections had named it.
