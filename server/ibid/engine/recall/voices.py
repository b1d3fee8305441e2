"""Which participant of the conversations a question names.

An author is one; so is a name before a colon, if that is where the word is mostly found
(``Error: …`` makes no speaker); so is whom one side keeps addressing (*Thanks, Ann!*):
then the other side is meant.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.recall.postings import LIMIT
from ibid.store import search
from ibid.store.tables import MESSAGE_BITS
from ibid.text.stems import SPEAKER, speakers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.recall.postings import Place, Posting
    from ibid.engine.recall.terms import Query
    from ibid.store.driver import Connection

PERSON, AGENT = "person", "agent"


class Speaker(NamedTuple):
    """A participant, known by name or by role."""

    name: str  # Folded.
    role: str = ""  # Instead of the name: a side of the conversations.
    rows: frozenset[int] = frozenset()  # Newest messages known to be theirs.
    sessions: frozenset[int] = frozenset()  # Where they take part; empty: unknown.

    def said(self, facts: search.Facts) -> bool:
        """Say whether a message with these facts is by this participant."""
        if self.role:
            return side_of(facts.role) == self.role
        return self.name in speakers(facts.author, facts.head)

    def is_absent(self, row: int) -> bool:
        """Say whether they are known to take no part in the session of ``row``."""
        return bool(self.sessions) and row >> MESSAGE_BITS not in self.sessions


def side_of(role: str) -> str:
    """Return the side of a conversation that a role is on; a prompt's may be a name."""
    return AGENT if role == AGENT else PERSON


def find_speakers(
    connection: Connection, place: Place, query: Query, postings: Sequence[Posting]
) -> dict[str, Speaker]:
    """Return the words of ``query`` that name a participant, with whom they name."""
    found: dict[str, Speaker] = {}
    names = {word: name for word, name in query.names.items() if len(name) > 1}
    any_name = " OR ".join(search.exactly(SPEAKER + name) for name in names.values())
    if not names:
        return found
    named = search.find_rows(connection, place.table, any_name, 1, place.ranges)
    for posting in postings:
        name = names.get(posting.word, "")
        said = _said_by(connection, place, posting, name) if named and name else None
        if said:
            places = _sessions_of(said, posting)
            found[posting.word] = Speaker(name, rows=said, sessions=places)
        elif name in query.capitals:
            role = _addressed_role(connection, place, posting, name)
            if role:
                found[posting.word] = Speaker(name, role)
    return found


def _said_by(
    connection: Connection, place: Place, posting: Posting, name: str
) -> frozenset[int]:
    """Return the newest messages of the participant ``name``, if it is one."""
    match = search.exactly(SPEAKER + name)
    said = search.find_rows(connection, place.table, match, LIMIT + 1, place.ranges)
    facts = search.find_facts(connection, place.table, said[:1], search.Filter())
    by_author = any(name in speakers(one.author, "") for one in facts.values())
    labels = len(posting.rows.intersection(said))
    if by_author or 2 * labels >= len(posting.rows) > 2:
        return frozenset(said)
    return frozenset()


def _sessions_of(rows: frozenset[int], posting: Posting) -> frozenset[int]:
    """Return the sessions where a participant speaks or is spoken of, if all known."""
    if len(rows) > LIMIT or not posting.complete:
        return frozenset()
    return frozenset(row >> MESSAGE_BITS for row in rows.union(posting.rows))


def _addressed_role(
    connection: Connection, place: Place, posting: Posting, name: str
) -> str:
    """Return the role of whoever is addressed as ``name``, or ""."""
    rows = sorted(posting.rows, reverse=True)[:_SAMPLE]
    if len(rows) < _FEWEST:
        return ""
    address = re.compile(rf"(?:^|[,.!?]|\b[a-z]+)\s+{re.escape(name)}[,.!?]")
    facts = search.find_facts(connection, place.table, rows, search.Filter())
    by = {PERSON: 0, AGENT: 0}
    for one in facts.values():
        if address.search(f" {one.head.lower()}"):
            by[side_of(one.role)] += 1
    most = max(by, key=lambda role: by[role])
    if by[most] < max(_FEWEST, len(facts) / 3) or by[most] < 0.8 * sum(by.values()):
        return ""
    return AGENT if most == PERSON else PERSON


_SAMPLE = 100
_FEWEST = 5
