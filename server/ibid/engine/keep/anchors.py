"""Whether the code that notes name is still what it was (R4).

A print is taken when the code is first seen after the note was made, and again when a
person says that the note is still true.  Files are read through the gate, and only
those whose own time changed since they were last judged, by any process.  A note that
names only a symbol is about the one file, of those touched last, that defines it; one
that names code that never was is never judged.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ibid.engine.keep import privacy
from ibid.errors import InputError, NotFoundError
from ibid.files import gate
from ibid.store import anchors, memories
from ibid.text import prints
from ibid.text.encodings import decode
from ibid.text.prints import FRESH, GONE, Code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ibid.engine.memory import Memory
    from ibid.store.driver import Row

_TOUCHED = 20_000  # Touched files among which a bare file name is looked for.
_RECENT = 200  # Files in which a symbol without a file is looked for.
_MOST_HOLDING = 20  # Of those, that are read for it.

CONFIRMED = "confirmed"  # The word in a note's history.


# Instead of a file's own time in nanoseconds, for what is no file that may be read.
_NOTHING, _FOLDER, _OTHER = 0, 1, 2


class Place(NamedTuple):
    """What stands at a path of the project now; no code unless it can be read."""

    code: Code | None
    time: int

    @property
    def is_there(self) -> bool:
        """Whether a readable file or a folder is there."""
        return self.time == _FOLDER or self.code is not None


class Anchors:
    """What of the code the notes of one project name."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._root = memory.project.path
        self._sought: set[int] = set()  # Anchors that were found nowhere.

    # -- looking -------------------------------------------------------------------

    def states(self, notes: Iterable[Row], path: str, code: Code) -> dict[int, str]:
        """Return anchor -> fresh, changed or gone for notes that name a file.

        ``notes`` are rows of `anchored_notes`, ``path`` is relative to the project,
        ``code`` the file as it is now.  Nothing is written.
        """
        found: dict[int, str] = {}
        for note in notes:
            print_, place = _split(note["anchor_print"])
            state = note["anchor_state"]
            if print_ and place == path:
                now = code.print_of(note["anchor_symbol"])
                state = _judged(print_, now, note["anchor_finer"]) or state
            elif not note["anchor_path"]:
                state = FRESH  # Another file with a symbol of that name is not meant.
            found[note["anchor"]] = state
        return found

    def refresh(self, seek: bool = False) -> bool:
        """Judge what changed since it was last judged; say whether a state changed.

        With ``seek`` also names that were found nowhere are looked for again, and
        symbols without a file at all.
        """
        store = self._memory.store
        if store.read_only:
            return False
        rows = anchors.watched(store.read())
        if seek:
            self._sought.clear()
        else:
            rows = [row for row in rows if row["path"] or row["fingerprint"]]
        due = self._due(rows)
        if not due:
            return False
        before = {row["id"]: row for row in due}
        news = [one for one in self._judge(due) if _differs(one, before[one.anchor])]
        if not news:
            return False
        with store.write() as connection:
            anchors.set_judged(connection, news)
        return any(one.state != before[one.anchor]["state"] for one in news)

    # -- acting --------------------------------------------------------------------

    def confirm(self, name: str, path: str = "") -> int:
        """Take the prints of a note's code anew: a person says it is still true.

        ``path`` is relative to the project; without one all that the note names.  What
        is gone is not watched any more until it is there again.  Returns the note's
        row.

        Raises:
            NotFoundError, AmbiguousError: no note, or several, are called so.
            InputError: it names nothing in the code, or not that path.
        """
        memory = self._memory
        connection = memory.store.read()
        note = memories.load_memory(connection, name)
        rows = memories.list_anchors(connection, note["id"])
        if path:
            rows = [row for row in rows if _is_of(row, path)]
        if not rows:
            what = path or "code"
            raise InputError(f"{note['key']} names no {what}: nothing to confirm.")
        anew = [self._anew(row) for row in rows]
        with memory.store.write(durable=True) as connection:
            row = memories.find_memory(connection, note["id"])
            if row is None:
                raise NotFoundError(f"Note {note['key']} was deleted meanwhile.")
            anchors.set_judged(connection, anew)
            memories.add_history(connection, row, CONFIRMED, memory.clock.now())
        return int(note["id"])

    # -- parts ---------------------------------------------------------------------

    def _due(self, rows: list[Row]) -> list[Row]:
        """Return the anchors that are new, or whose file changed since."""
        times: dict[str, int] = {}
        due = []
        for row in rows:
            _, place = _split(row["fingerprint"])
            if not place:
                if row["id"] not in self._sought:
                    due.append(row)
                continue
            if place not in times:
                times[place] = self._time(place)
            if times[place] != row["checked"]:
                due.append(row)
        return due

    def _judge(self, rows: list[Row]) -> Iterator[anchors.Judged]:
        """Yield what is known of each anchor now, but of those found nowhere."""
        places = _Places(self._look, self._touched)
        for row in rows:
            print_, path = _split(row["fingerprint"])
            if print_:
                yield _compared(row, print_, places[path])
                continue
            found = self._candidates(row, places)
            # Of several files none is meant.
            first = _first(row, found[0], places[found[0]]) if len(found) == 1 else None
            if first is None:
                self._sought.add(row["id"])
            else:
                yield first

    def _candidates(self, row: Row, places: _Places) -> list[str]:
        """Return the files that an anchor may mean."""
        path, symbol = row["path"], row["symbol"]
        if path and ("/" in path or places[path].is_there):
            return [path]
        if path:
            same = [one for one in places.touched if one.rpartition("/")[2] == path]
            return [one for one in same if places[one].is_there]
        recent = places.touched[:_RECENT]
        holding = [one for one in recent if _holds(places[one], symbol)]
        if len(holding) > _MOST_HOLDING:
            return []  # So common a name says nothing.
        return [one for one in holding if _defines(places[one], symbol)]

    def _anew(self, row: Row) -> anchors.Judged:
        _, path = _split(row["fingerprint"])
        path = path or row["path"]
        first = _first(row, path, self._look(path)) if path else None
        return first or anchors.Judged("", FRESH, 0, row["id"])

    def _touched(self) -> list[str]:
        """Return the files of the project that anybody touched, the last first."""
        base = self._root.rstrip("/") + "/"
        paths = anchors.touched_paths(self._memory.store.read(), _TOUCHED)
        return [path[len(base) :] for path in paths if path.startswith(base)]

    def _time(self, relative: str) -> int:
        """Return a file's own time; it changes whenever the file does."""
        above, _, name = relative.rpartition("/")
        try:
            folder = gate.open_folder(self._root, above)
            if folder is None:
                return _NOTHING
            with folder:
                mark = folder.mark(name)
                if mark is not None:
                    return max(mark[:2])
                inner = folder.child(name, make=False)
            if inner is None:
                return _NOTHING
            inner.__exit__()
        except InputError:
            return _OTHER
        return _FOLDER

    def _look(self, relative: str) -> Place:
        """Return what is at a path; what never enters the store is not read (E1)."""
        time = self._time(relative)
        full = f"{self._root}/{relative}"
        if time <= _OTHER or privacy.is_excluded(self._memory.switches(), full):
            return Place(None, time)
        try:
            file = gate.find_file(self._root, relative)
            text = None if file is None else decode(file.data)
        except InputError:
            return Place(None, time)
        return Place(None if text is None else Code(text.text, relative), time)


class _Places(dict[str, Place]):
    """What is at each path, looked at once, and which files were touched."""

    def __init__(
        self, look: Callable[[str], Place], touched: Callable[[], list[str]]
    ) -> None:
        super().__init__()
        self._look = look
        self._list = touched

    @cached_property
    def touched(self) -> list[str]:
        """The files that anybody touched, the last first."""
        return self._list()

    def __missing__(self, path: str) -> Place:
        self[path] = self._look(path)
        return self[path]


def _holds(place: Place, symbol: str) -> bool:
    return place.code is not None and place.code.holds(symbol)


def _defines(place: Place, symbol: str) -> bool:
    return place.code is not None and place.code.defines(symbol)


def _split(fingerprint: str) -> tuple[str, str]:
    """Return the print and the path it was taken at; both "" when there is none."""
    print_, _, path = fingerprint.partition(" @")
    return (print_, path) if path else ("", "")


def _first(row: Row, path: str, place: Place) -> anchors.Judged | None:
    """Return an anchor with its first print, or None when its symbol is not there."""
    if place.time == _FOLDER:
        print_ = "" if row["symbol"] else prints.FOLDER
    else:
        print_ = "" if place.code is None else place.code.print_of(row["symbol"])
    if not print_:
        return None
    return anchors.Judged(f"{print_} @{path}", FRESH, place.time, row["id"])


def _compared(row: Row, print_: str, place: Place) -> anchors.Judged:
    state = row["state"]
    if place.time == _NOTHING or (print_ == prints.FOLDER) != (place.time == _FOLDER):
        state = GONE
    elif place.time == _FOLDER:
        state = FRESH
    elif place.code is not None:  # What cannot be read now is neither.
        now = place.code.print_of(row["symbol"])
        state = _judged(print_, now, row["finer"]) or state
    return anchors.Judged(row["fingerprint"], state, place.time, row["id"])


def _judged(print_: str, now: str, finer: bool) -> str | None:
    """Judge a print; a note that names symbols of a file is judged by those."""
    state = prints.judge(print_, now)
    return FRESH if finer and state == prints.CHANGED else state


def _differs(one: anchors.Judged, row: Row) -> bool:
    return (row["fingerprint"], row["state"], row["checked"]) != one[:3]


def _is_of(row: Row, path: str) -> bool:
    return path in (row["path"], _split(row["fingerprint"])[1])
