"""What is known of the sessions in one file, so that only news of them is told."""

from __future__ import annotations

from typing import Any

from ibid.agents.events import Head, SessionSeen
from ibid.agents.fields import dict_of, text_of

_REMEMBERED = 6
_FIELDS = ("role", "cwd", "kind", "parent", "title", "version", "branch")


class Sessions:
    """The sessions of one file with what was last said of them."""

    def __init__(self, agent: str, file: str, state: dict[str, Any] | None) -> None:
        state = state or {}
        self._agent = agent
        self._file = file  # The session that the file is named after, or "".
        self._known: dict[str, dict[str, str]] = {
            name: dict(facts) for name, facts in state.get("known", {}).items()
        }
        self._other: str = state.get("other", "")  # A copied record's session.

    def state(self) -> dict[str, Any]:
        """Return what a successor needs, as JSON values."""
        return {"known": self._known, "other": self._other}

    def see(self, record: dict[str, Any], head: Head) -> SessionSeen | None:
        """Return what ``record`` adds to what is known of its session, if anything."""
        facts = {
            "cwd": text_of(record, "cwd"),
            "version": text_of(record, "version"),
            "branch": text_of(record, "gitBranch"),
            "parent": self._parent(record, head.session),
        }
        if not head.scope:
            facts["kind"] = "main"
            if text_of(record, "teamName"):
                facts["role"] = text_of(record, "agentName")
        return self.add(head, facts)

    def add(self, head: Head, facts: dict[str, str]) -> SessionSeen | None:
        """Return an event with the ``facts`` that are news, or None."""
        known = self._known.get(head.session)
        fresh = known is None
        if known is None:
            known = self._known[head.session] = {}
            while len(self._known) > _REMEMBERED:
                del self._known[next(iter(self._known))]
        news = {
            name: value
            for name, value in facts.items()
            if value and known.get(name) != value
        }
        if not news and not fresh:
            return None
        known.update(news)
        return SessionSeen(
            head, self._agent, **{name: news.get(name, "") for name in _FIELDS}
        )

    def version(self, session: str) -> str:
        """Return the agent's version that last wrote to ``session``."""
        return self._known.get(session, {}).get("version", "")

    def is_known(self, session: str) -> bool:
        """Say whether ``session`` was told of, or is none."""
        return not session or session in self._known

    def is_named(self, session: str) -> bool:
        """Say whether a person gave ``session`` its title."""
        return "named" in self._known.get(session, {})

    def cwd(self, session: str) -> str:
        """Return the last known working directory of ``session``."""
        return self._known.get(session, {}).get("cwd", "")

    def _parent(self, record: dict[str, Any], session: str) -> str:
        """Return the session that ``session`` was forked or resumed from, or ""."""
        forked = text_of(dict_of(record, "forkedFrom"), "sessionId")
        if forked and forked != session:
            return forked
        if not self._file:
            return ""
        if session != self._file:
            self._other = session
            return ""
        return self._other
