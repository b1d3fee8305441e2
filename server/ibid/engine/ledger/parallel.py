"""Agents that work at the same time: who is live, on what, and what they claim (O4).

A session is live until it ends or has been silent for 15 minutes.  A claim names a file
or folder of the project and ends with its session, or after an hour of silence.
Sessions that may not be stored are seen by nobody (H4).
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep import policy
from ibid.engine.keep.sessions import load_session
from ibid.engine.ledger import gist
from ibid.engine.ledger.facts import latest_request
from ibid.engine.ledger.handoff import moment
from ibid.engine.model import MINUTE
from ibid.errors import ConflictError, DisabledError, InputError
from ibid.store import claims, sessions
from ibid.text.clean import defang, one_line
from ibid.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.engine.memory import Memory
    from ibid.store.driver import Connection, Row

LIVE = 15 * MINUTE  # Silence after which a session does not count as working.
CLAIMED = 60 * MINUTE  # Silence after which its claims end.
TASK = 40  # Tokens of another session's task.
FILES = 4  # Files it touched last.


class Other(NamedTuple):
    """A live session as others see it."""

    session: str
    agent: str
    branch: str
    at: int
    task: str
    files: tuple[str, ...]
    claims: tuple[str, ...]

    @property
    def name(self) -> str:
        """What others call it: its agent, where that is known, and its id's start."""
        return f"{self.agent} {self.session[:8]}".strip()


class Claim(NamedTuple):
    """A path that a session has claimed."""

    path: str
    session: str
    agent: str
    at: int


class Parallel:
    """The sessions of one project that work now."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def live(
        self, besides: Row | None = None, native: str = "", most: int = 20
    ) -> list[Other]:
        """Return the live sessions, the latest first, but for one and its descent."""
        connection = self._memory.store.read()
        now = self._memory.clock.now()
        own = (
            set()
            if besides is None
            else set(sessions.lineage_of(connection, besides["id"]))
        )
        rows = claims.live_sessions(connection, now - LIVE)
        others = [
            row for row in rows if row["id"] not in own and row["native"] != native
        ]
        return [self._other(connection, row) for row in others[:most]]

    def claims(self) -> list[Claim]:
        """Return the claims that hold now, by path."""
        connection = self._memory.store.read()
        since = self._memory.clock.now() - CLAIMED
        return [
            Claim(row["path"], row["native"], row["agent"], row["at"])
            for row in claims.list_claims(connection, since)
        ]

    def claim(self, name: str, paths: Sequence[str]) -> list[Claim]:
        """Claim paths for a session; all of them or none.

        Raises:
            ConflictError: another session has one of them, or a folder around it; or
                the session has ended, and its claims would with it.
            DisabledError: the session may not be stored.
            NotFoundError, AmbiguousError: no session, or several, are called so.
        """
        memory = self._memory
        wanted = [self._path(path) for path in paths]
        if not wanted:
            raise InputError("Name at least one path to claim.")
        with memory.store.write(durable=True) as connection:
            row = load_session(connection, name)
            if row["write_policy"] == policy.DENY:
                raise DisabledError(f"Session {row['native']} is private.")
            if row["ended"] is not None:
                raise ConflictError(
                    f"Session {row['native'][:8]} has ended, and claims end with their "
                    "session. Name one that is at work: `ibid session list`."
                )
            now = memory.clock.now()
            for held in claims.list_claims(connection, now - CLAIMED):
                taken = [one for one in wanted if _touch(one, held["path"])]
                if taken and held["id"] != row["id"]:
                    raise ConflictError(
                        f"{taken[0]} is claimed by {held['agent']} "
                        f"{held['native'][:8]} ({held['path']}, since "
                        f"{moment(held['at'])}). Nothing was claimed; work elsewhere "
                        "or ask that session to release it."
                    )
            claims.ensure_claims(connection, row["id"], wanted, now)
        return self.claims()

    def release(self, name: str, paths: Sequence[str]) -> list[Claim]:
        """Release a session's claims on paths; on all when none is named.

        Raises:
            NotFoundError, AmbiguousError: no session, or several, are called so.
        """
        given = [self._path(path) for path in paths]
        with self._memory.store.write(durable=True) as connection:
            row = load_session(connection, name)
            claims.drop_claims(connection, row["id"], given)
        return self.claims()

    def table(self) -> str:
        """Return ``agents.md``: who works on what; "" when nobody does."""
        others = self.live()
        if not others:
            return ""
        lines = ["# Agents at work", ""]
        for one in others:
            branch = f" on {one.branch}" if one.branch else ""
            lines.append(
                f"- {one.name}{branch}, last {moment(one.at)}: "
                f"{one.task or 'no task said yet'}"
            )
            if one.files:
                lines.append(f"  - touched last: {', '.join(one.files)}")
            if one.claims:
                lines.append(f"  - claims: {', '.join(one.claims)}")
        return "\n".join(lines) + "\n"

    # -- parts ---------------------------------------------------------------------

    def _other(self, connection: Connection, row: Row) -> Other:
        asked = latest_request(connection, row["id"])
        held = claims.claims_of(connection, row["id"])
        return Other(
            session=row["native"],
            agent=row["agent"],
            branch=one_line(defang(redact(row["branch"]))),
            at=row["last"],
            task="" if asked is None else gist.opening(asked.text, TASK),
            files=tuple(
                self.shown(path, row["cwd"])
                for path in claims.touched_last(connection, row["id"], FILES)
            ),
            claims=tuple(map(redact, held)),
        )

    def shown(self, path: str, cwd: str = "") -> str:
        """Return a path as others read it: relative to the project where it can be."""
        for root in (cwd, self._memory.project.path):
            if root and path.startswith(root.rstrip("/") + "/"):
                path = path[len(root.rstrip("/")) + 1 :]
                break
        return one_line(defang(redact(path)))

    def _path(self, path: str) -> str:
        """Return a claimed path relative to the project, with slashes.

        Raises:
            InputError: it is not inside the project.
        """
        relative = self._memory.notes.relative(path)
        clean = redact(posixpath.normpath(relative))  # As it is kept, so on release.
        if not path or clean.startswith(("/", "../")) or clean == "..":
            raise InputError(f"{path!r} is not inside {self._memory.project.path}.")
        return clean


def _touch(one: str, other: str) -> bool:
    """Say whether two paths are the same, or one is a folder around the other."""
    if "." in (one, other) or one == other:
        return True
    return one.startswith(f"{other}/") or other.startswith(f"{one}/")
