"""Handoffs as files: when they are written, and that they follow what is erased (O2).

The text is made from the store each time; a row remembers for which moment of its
session a file was last written, and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep.sessions import load_session
from ibid.engine.ledger import handoff
from ibid.engine.model import DAY, MINUTE
from ibid.errors import DisabledError, InputError, NotFoundError
from ibid.files import state
from ibid.files.writer import remove_file
from ibid.store import archive, handoffs
from ibid.text.digest import HANDLE_LENGTH, digest, handle

if TYPE_CHECKING:
    from ibid.engine.ledger.handoff import Handoff
    from ibid.engine.memory import Memory
    from ibid.store.driver import Row

IDLE = 30 * MINUTE
LATEST = "handoff.md"
AGENTS = "agents.md"
_YOUNG = 2 * DAY  # Sessions that ended before are history: no file is made unasked.
_NAME = frozenset("0123456789abcdefghijklmnopqrstuvwxyz-")


class Shown(NamedTuple):
    """A handoff with the file it is, or will be, written to."""

    session: str
    text: str
    tokens: int
    path: str  # Relative to the project; "" when nothing was written.


class Handoffs:
    """The handoffs of one project."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self.trouble = ""  # Why files cannot be written, if they cannot.

    def preview(self, name: str = "") -> Shown:
        """Return a session's handoff, or the latest session's, without writing.

        Raises:
            NotFoundError: there is no such session, or nothing to hand on.
        """
        _, made = self._made(name)
        return Shown(made.session, made.text, made.tokens, "")

    def write(self, name: str = "", why: str = "asked") -> Shown:
        """Write a session's handoff into ``.ibid/state`` of the project.

        Raises:
            NotFoundError: there is no such session, or nothing to hand on.
            InputError: the file cannot be written; the message says why.
        """
        row, made = self._made(name)
        path = self._write(row, made, why)
        return Shown(made.session, made.text, made.tokens, path)

    def checkpoint(self, closing: bool = False) -> list[str]:
        """Write what is due: sessions that ended, rested, or reached a boundary.

        ``closing``: the workspace closes, so every session of now is due.  A session
        that crashed is found by its silence.  Returns the sessions written.
        """
        memory = self._memory
        switches = memory.switches()
        if memory.store.read_only or not switches.learn or not switches.files:
            return []
        now = memory.clock.now()
        done = []
        for row in handoffs.due_sessions(memory.store.read(), now - _YOUNG):
            why = "closing" if closing else _boundary(row, now)
            if not why:
                continue
            made = handoff.build(memory, row)
            try:
                if made is not None:
                    self._write(row, made, why)
                    done.append(row["native"])
                self.trouble = ""
            except InputError as error:
                self.trouble = str(error)
                return done
            if made is None:
                self._note(row, "", why)
        return done

    def refresh(self) -> None:
        """Make every written file anew, or remove it: erased or private (K3, H4)."""
        try:
            self._refresh()
            self.trouble = ""
        except InputError as error:
            self.trouble = str(error)

    def _refresh(self) -> None:
        memory, root = self._memory, self._memory.project.path
        written = handoffs.list_handoffs(memory.store.read())
        known = {file_name(row["native"]) for row in written}
        for name in state.names_below(root, f"{state.STATE}/handoff"):
            if name.endswith(".md") and name not in known:
                self._drop(f"handoff/{name}")
        self._drop(LATEST)  # Of whom it was is not known; the latest writes it again.
        for row in written:
            made = handoff.build(memory, row)
            if made is None:
                self._drop(f"handoff/{file_name(row['native'])}")
            else:
                self._write(row, made, row["why"])

    def ensure_agents(self) -> bool:
        """Bring ``agents.md`` up to date; without agents it goes (O4).

        Says whether it changed; why it cannot be written is kept as ``trouble``.
        """
        memory = self._memory
        if not memory.switches().files:
            return False
        try:
            text = memory.parallel.table()
            if text:
                return state.write_state(memory.project.path, AGENTS, text).changed
            return self._drop(AGENTS)
        except InputError as error:
            self.trouble = str(error)
            return False

    # -- parts ---------------------------------------------------------------------

    def _made(self, name: str) -> tuple[Row, Handoff]:
        memory = self._memory
        connection = memory.store.read()
        if name:
            row = load_session(connection, name)
        else:
            found = handoffs.latest_session(connection)
            if found is None:
                raise NotFoundError("No session has been seen in this project yet.")
            row = found
        if row["write_policy"] == "deny":
            raise DisabledError(
                f"Session {row['native']} is {row['preset']}: nothing of it is stored."
            )
        made = handoff.build(memory, row)
        if made is None:
            raise NotFoundError(f"Session {row['native']} has nothing to hand on yet.")
        return row, made

    def _write(self, row: Row, made: Handoff, why: str) -> str:
        root = self._memory.project.path
        name = f"handoff/{file_name(made.session)}"
        state.ensure_ignored(root, state.STATE)
        written = state.write_state(root, name, made.text)
        self._note(row, written.digest, why, made.archives)
        latest = handoffs.latest_written(self._memory.store.read())
        if latest == row["id"]:
            state.write_state(root, LATEST, made.text)
        return written.relative

    def _note(
        self, row: Row, digest_: str, why: str, archives: tuple[int, ...] = ()
    ) -> None:
        memory = self._memory
        with memory.store.write() as connection:
            handoffs.ensure_handoff(
                connection,
                handoffs.HandoffRow(
                    row["id"], why, row["last"], digest_, memory.clock.now()
                ),
            )
            archive.remove_references(connection, "handoff", row["native"])
            for number in archives:
                archive.add_reference(connection, number, "handoff", row["native"])

    def _drop(self, name: str) -> bool:
        """Remove a file of the state folder, whatever it holds: it is all ours."""
        from ibid.files.gate import find_file

        root = self._memory.project.path
        place = f"{state.STATE}/{name}"
        found = find_file(root, place)
        return found is not None and remove_file(root, place, digest(found.data))


def _boundary(row: Row, now: int) -> str:
    """Return why a session's handoff is due, or "" (O2)."""
    if row["ended"]:
        return "ended"
    if now - row["last"] >= IDLE:
        return "idle"
    if row["turn_state"] == "open":
        return ""
    if row["committed"]:
        return "commit"
    if row["planned"]:
        return "plan"
    return ""


def file_name(native: str) -> str:
    """Return the name of a session's file; ids never become paths as they are (R4).

    >>> file_name("../../etc/passwd")[-3:]
    '.md'
    """
    plain = 0 < len(native) <= 64 and set(native) <= _NAME and native[0] != "-"
    if not plain or native in _RESERVED:
        native = handle(digest(native.encode("utf-8", "replace")))[:HANDLE_LENGTH]
    return f"{native}.md"


_RESERVED = frozenset(
    ["con", "prn", "aux", "nul"]
    + [f"{name}{number}" for name in ("com", "lpt") for number in range(10)]
)
