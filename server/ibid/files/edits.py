"""Edits of other people's settings that can be taken back byte for byte (R5).

`put_in` only ever inserts; what it inserted, and where, is all that undoing needs, so
no second copy of somebody's settings is kept.  When a file changed since, only our
entries go.  Pure functions on bytes; `ibid.files.writer` writes.
"""

from __future__ import annotations

import difflib
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ibid.errors import InputError
from ibid.files import jsonc, toml
from ibid.files.gate import find_file
from ibid.files.writer import ABSENT, remove_file, write_file
from ibid.text.digest import digest

if TYPE_CHECKING:
    from collections.abc import Sequence

JSON, TOML, TEXT = "json", "toml", "text"
_GROUP = "hooks"  # What a group of Claude Code's hooks holds.
MOST_BYTES = 32 << 20  # ~/.claude.json holds more than settings.


class Entry(NamedTuple):
    """A value of ours: at ``path``, or the last element of the array there."""

    path: tuple[str, ...]
    value: Any
    append: bool = False


class Inserted(NamedTuple):
    """What `put_in` did."""

    data: bytes
    # One list of (offset, text) an entry, in order; offsets in characters.
    steps: list[jsonc.Pieces]
    made: list[tuple[str, ...]]  # Containers that were not there.
    added: list[Entry]  # Those that were not there.


def put_in(form: str, data: bytes, entries: Sequence[Entry]) -> Inserted:
    """Return ``data`` with the entries it does not have yet.

    A `TEXT` file is ours alone: its one entry is the whole of it.

    Raises:
        InputError: the file cannot be read as ``form``, or something else stands there.
    """
    text = _decode(data)
    steps: list[jsonc.Pieces] = []
    made: list[tuple[str, ...]] = []
    added: list[Entry] = []
    for entry in entries:
        if is_there(form, text, entry):
            continue
        made += [one for one in _missing(form, text, entry) if one not in made]
        steps.append(_step(form, text, entry))
        text = _apply(text, steps[-1])
        added.append(entry)
    if any(not is_there(form, text, entry) for entry in entries):
        raise InputError("It cannot be edited safely.")
    return Inserted(_encode(text), steps, made, added)


def take_back(data: bytes, steps: Sequence[jsonc.Pieces]) -> bytes:
    """Return what was there before `put_in`, given exactly what it returned.

    Raises:
        InputError: this is not what it returned.
    """
    text = _decode(data)
    for pieces in reversed(steps):
        shift = sum(len(piece) for _, piece in pieces)
        for offset, piece in reversed(pieces):
            shift -= len(piece)
            start = offset + shift
            if text[start : start + len(piece)] != piece:
                raise InputError("It is not what Ibid wrote.")
            text = text[:start] + text[start + len(piece) :]
    return _encode(text)


def take_out(
    form: str,
    data: bytes,
    entries: Sequence[Entry],
    made: Sequence[tuple[str, ...]] = (),
) -> bytes:
    """Return a file that changed since, without our entries; all else stays.

    An entry is ours by the command it runs.  Containers that were ``made``
    for them go when nothing else is in them.

    Raises:
        InputError: it cannot be read as ``form``.
    """
    text = _decode(data)
    if form == TEXT:
        return b"" if any(text == entry.value for entry in entries) else data
    for entry in reversed(entries):
        if form == TOML:
            if toml.find(text, entry.path) == entry.value:
                text = toml.removal(text, entry.path, entry.value)
            continue
        while path := _place(text, entry):
            text = jsonc.removal(text, path)
    if form == JSON:
        for emptied in sorted(made, key=len, reverse=True):
            if emptied and jsonc.find(text, emptied) in ([], {}):
                text = jsonc.removal(text, emptied)
    return _encode(text)


def is_there(form: str, text: str, entry: Entry) -> bool:
    """Say whether an entry does its work in a text; its details may be somebody's.

    Raises:
        InputError: it cannot be read as ``form``.
    """
    if form == TEXT:
        return bool(text == entry.value)
    if form == TOML:
        return _is_ours(toml.find(text, entry.path), entry.value)
    return bool(_place(text, entry))


def has_all(form: str, data: bytes, entries: Sequence[Entry]) -> bool:
    """Say whether all entries are there; False for what cannot be read."""
    try:
        text = _decode(data)
        return all(is_there(form, text, entry) for entry in entries)
    except InputError:
        return False


def is_left(form: str, data: bytes, entry: Entry) -> bool:
    """Say whether something stands at the place of an entry that was taken out.

    Raises:
        InputError: it cannot be read as ``form``.
    """
    text = _decode(data)
    if form == TEXT:
        return bool(text)
    if entry.append:
        return False
    found = (toml if form == TOML else jsonc).find(text, entry.path)
    return found is not None


def is_empty(form: str, data: bytes) -> bool:
    """Say whether nothing is left that anybody would miss."""
    text = _decode(data)
    if form == JSON:
        try:
            return jsonc.loads(text) in (None, {}) and not text.strip(" \t\r\n{}")
        except InputError:
            return False
    return not text.strip()


def diff(name: str, before: bytes, after: bytes) -> str:
    """Return the change as a unified diff with one line around it."""
    lines = difflib.unified_diff(
        _decode(before).split("\n"),
        _decode(after).split("\n"),
        f"a/{name.lstrip('/')}" if before else "/dev/null",
        f"b/{name.lstrip('/')}" if after else "/dev/null",
        n=1,
        lineterm="",
    )
    text = "\n".join(line.rstrip("\r") for line in lines)
    return text.encode("utf-8", "replace").decode("utf-8")


def _missing(form: str, text: str, entry: Entry) -> list[tuple[str, ...]]:
    """Return the containers on the way to an entry that are not there yet."""
    if form != JSON:
        return []
    stop = len(entry.path) + (1 if entry.append else 0)
    above = [entry.path[:length] for length in range(stop)]
    return [path for path in above if jsonc.find(text, path) is None]


def _step(form: str, text: str, entry: Entry) -> jsonc.Pieces:
    if form == JSON:
        return jsonc.insertion(text, entry.path, entry.value, entry.append)
    if form == TOML:
        return [toml.insertion(text, entry.path, entry.value)]
    if text:
        raise InputError("It is there already and not what Ibid would write.")
    return [(0, entry.value)]


def _apply(text: str, pieces: jsonc.Pieces) -> str:
    for offset, piece in reversed(pieces):
        text = text[:offset] + piece + text[offset:]
    return text


def _place(text: str, entry: Entry) -> tuple[str | int, ...]:
    """Return the path of an entry in JSON, of our part in a hook's group; else ()."""
    found = jsonc.find(text, entry.path)
    if not entry.append:
        return entry.path if _is_ours(found, entry.value) else ()
    rows = found if isinstance(found, list) else []
    for at in reversed(range(len(rows))):
        if _is_ours(rows[at], entry.value):
            return (*entry.path, at)
        inner = rows[at].get(_GROUP) if isinstance(rows[at], dict) else None
        ours = entry.value.get(_GROUP) if isinstance(entry.value, dict) else None
        if not isinstance(inner, list) or not ours:
            continue
        for index, one in enumerate(inner):
            if _is_ours(one, ours[0]):
                alone = len(inner) == 1
                return (*entry.path, at, *(() if alone else (_GROUP, index)))
    return ()


def _is_ours(found: Any, value: Any) -> bool:
    """Say whether a value is ours: it runs our command, or it is the very same."""
    mark = _mark(value)
    return _mark(found) == mark if mark else _is_same(found, value)


def _mark(value: Any) -> tuple[Any, ...]:
    if not isinstance(value, dict):
        return ()
    run = [value.get(name) for name in ("command", "bash", "args")]
    return tuple(map(repr, run)) if run[0] or run[1] else ()


def _is_same(one: Any, other: Any) -> bool:
    """Compare as JSON does: true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _is_same(one[key], other[key]) for key in one
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _decode(data: bytes) -> str:
    """Return the text; bytes that are no UTF-8 come back as they were."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InputError("It is UTF-16; Ibid edits UTF-8 only.")
    return data.decode("utf-8", "surrogateescape")


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


# -- files ---------------------------------------------------------------------------


def read(path: str) -> bytes | None:
    """Return a settings file's bytes, or None when there is none.

    Raises:
        InputError: it may not be read; the message says why.
    """
    root, name = place_of(path)
    found = find_file(root, name, MOST_BYTES)
    return None if found is None else found.data


def write(path: str, data: bytes | None, before: bytes | None) -> None:
    """Let ``data`` take the place of ``before``; None is no file.

    Raises:
        InputError: it changed in between, or cannot be written; nothing was changed.
    """
    root, name = place_of(path)
    expected = ABSENT if before is None else digest(before)
    if read(path) != before:
        raise InputError(f"{path} changed just now; run it again.")
    if data is None:
        if not remove_file(root, name, expected, MOST_BYTES):
            raise InputError(f"{path} changed just now; run it again.")
        return
    os.makedirs(root, exist_ok=True)
    done = write_file(root, name, data, expected, MOST_BYTES)
    if done.conflict:
        raise InputError(f"{path} changed just now; ours went to {done.relative}.")


def place_of(path: str) -> tuple[str, str]:
    """Return the real folder of a person's own file, and its name there.

    A link in a home folder is its owner's will (dotfiles); its target is edited, so
    that the link stays.
    """
    folder, name = os.path.split(os.path.realpath(path))
    return folder, name


def missing_folders(path: str) -> list[str]:
    """Return the folders above ``path`` that writing it has to make, inmost first."""
    folder, found = os.path.dirname(os.path.realpath(path)), []
    while folder and not os.path.lexists(folder):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found


def remove_empty(folder: str) -> None:
    """Remove a folder that was made for us, unless somebody uses it by now."""
    try:
        os.rmdir(folder)
    except OSError:
        return
