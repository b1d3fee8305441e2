"""Put a table of our own into TOML as a marked block, and take it out (R5).

No library prints TOML back byte for byte in every case, so nothing is printed: the
block goes behind the last line, and `tomllib` says whether the document then is the
old one and our table.  Pure functions on text.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from ibid.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

BEGIN, END = "# >>> ibid", "# <<< ibid"

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def insertion(text: str, path: Sequence[str], value: dict[str, Any]) -> tuple[int, str]:
    """Return where to insert what, so that the table ``path`` holds ``value``.

    Raises:
        InputError: not TOML, or the table is there already.
    """
    before = loads(text)
    if find(text, path) is not None:
        raise InputError(f"[{'.'.join(path)}] is already there.")
    end = "\r\n" if "\r\n" in text else "\n"
    lines = [BEGIN, *_table(path, value), END, ""]
    made = end.join(lines)
    if text.strip("\ufeff"):
        made = (end if text.endswith("\n") else end * 2) + made
    if not _adds(before, text + made, path, value):
        raise InputError(
            f"No table [{'.'.join(path)}] can be added at its end. Where {path[0]} "
            f"is written in braces, write it as tables: [{path[0]}.NAME]."
        )
    return len(text), made


def _adds(before: Any, text: str, path: Sequence[str], value: dict[str, Any]) -> bool:
    """Say whether ``text`` is what was there before and the table, nothing else."""
    try:
        after = loads(text)
    except InputError:
        return False
    return find(text, path) == value and _without(after, path) == _without(before, path)


def removal(text: str, path: Sequence[str], value: dict[str, Any]) -> str:
    """Return the text without our block, wherever it is now.

    Raises:
        InputError: it is not there as it was written.
    """
    pattern = r"[\r\n]+".join(re.escape(line) for line in _table(path, value))
    marked = rf"{re.escape(BEGIN)}[\r\n]+{pattern}[\r\n]+{re.escape(END)}"
    before = loads(text)
    for wanted in (rf"(?:\r?\n)?{marked}\r?\n?", rf"{pattern}\r?\n?"):
        for match in re.finditer(wanted, text):
            made = text[: match.start()] + text[match.end() :]
            try:
                if _without(loads(made), path) == _without(before, path):
                    return made
            except InputError:
                continue
    raise InputError(f"[{'.'.join(path)}] is no longer what Ibid wrote.")


def find(text: str, path: Sequence[str]) -> Any:
    """Return the value at ``path``; None when there is none.

    Raises:
        InputError: not TOML.
    """
    node: Any = loads(text)
    for key in path:
        if not isinstance(node, dict) or key not in node:
            return None
        node = node[key]
    return node


def loads(text: str) -> dict[str, Any]:
    """Return the document's value.

    Raises:
        InputError: not TOML; the message says where.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"Not TOML: {error}.") from None


def _without(value: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return a copy without what is at ``path``, nor tables that held only that."""
    copy = dict(value)
    if len(path) > 1 and isinstance(copy.get(path[0]), dict):
        copy[path[0]] = _without(copy[path[0]], path[1:])
        if not copy[path[0]]:
            del copy[path[0]]
    else:
        copy.pop(path[0], None)
    return copy


def _table(path: Sequence[str], value: dict[str, Any]) -> list[str]:
    tables = {key: one for key, one in value.items() if isinstance(one, dict)}
    lines = [f"[{'.'.join(_key(one) for one in path)}]"]
    for key, one in value.items():
        if key not in tables:
            lines.append(f"{_key(key)} = {_value(one)}")
    for key, one in tables.items():
        lines += _table((*path, key), one)
    return lines


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    """Return a string, number, truth or list; JSON's strings are TOML's."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
