"""What an agent went and got although memory held it already (P5, N7).

A read of what an earlier session had read, a command whose output was the very one it
had given before: their sizes are recorded, so they bound what memory could save.  They
are no saving: nobody knows whether the agent would have done without.
"""

from __future__ import annotations

from typing import NamedTuple

from ibid.text.digest import digest


class Before(NamedTuple):
    """That something was there before, and whether it was the very same text."""

    known: bool  # Elsewhere: in an earlier session.
    same: bool
    lost: bool = False  # The reader itself had it, before its context began anew.


class Held:
    """What sessions of one project have read and run, by what is known of it."""

    def __init__(self) -> None:
        self._readers: dict[str, set[str]] = {}
        self._texts: dict[tuple[str, str], set[str]] = {}
        self._epochs: dict[tuple[str, str, str], int] = {}
        self._runs: dict[tuple[str, str], set[str]] = {}

    def read(
        self, session: str, reader: tuple[str, int], path: str, text: str
    ) -> Before | None:
        """Note a read by a thread in an epoch; say what was known of it before.

        None if it is not the first in its epoch.
        """
        (scope, epoch), key = reader, (path, content(text))
        readers = self._readers.setdefault(path, set())
        texts = self._texts.setdefault(key, set())
        last = self._epochs.get((session, scope, path))
        self._epochs[session, scope, path] = epoch
        lost = last is not None
        before = Before(
            bool(readers - {session}),
            bool(texts if lost else texts - {session}),
            lost,
        )
        readers.add(session)
        texts.add(session)
        return None if last == epoch else before

    def run(self, session: str, command: str, output: str) -> Before:
        """Note a command; say whether it gave this output before, and elsewhere."""
        key = (command, digest(output.encode("utf-8", "replace")))
        sessions = self._runs.setdefault(key, set())
        before = Before(bool(sessions), bool(sessions - {session}))
        sessions.add(session)
        return before


def content(text: str) -> str:
    """Return the digest of a text, whatever ends it."""
    return digest(text.rstrip("\n").encode("utf-8", "replace"))
