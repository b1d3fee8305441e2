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

    known: bool
    same: bool


class Held:
    """What sessions of one project have read and run, by what is known of it."""

    def __init__(self) -> None:
        self._readers: dict[str, set[str]] = {}
        self._texts: dict[tuple[str, str], set[str]] = {}
        self._first: set[tuple[str, str, str]] = set()
        self._runs: dict[tuple[str, str], set[str]] = {}

    def read(self, session: str, scope: str, path: str, text: str) -> Before | None:
        """Note a read; say what earlier sessions knew, None if it is not the first.

        The first one of this reader, that is: of this session, or of its subagent.
        """
        key = (path, digest(text.rstrip("\n").encode("utf-8", "replace")))
        readers = self._readers.setdefault(path, set())
        texts = self._texts.setdefault(key, set())
        before = Before(bool(readers - {session}), bool(texts - {session}))
        readers.add(session)
        texts.add(session)
        reader = (session, scope, path)
        if reader in self._first:
            return None
        self._first.add(reader)
        return before

    def run(self, session: str, command: str, output: str) -> Before:
        """Note a command; say whether it gave this output before, and elsewhere."""
        key = (command, digest(output.encode("utf-8", "replace")))
        sessions = self._runs.setdefault(key, set())
        before = Before(bool(sessions), bool(sessions - {session}))
        sessions.add(session)
        return before
