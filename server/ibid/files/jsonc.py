"""Put entries into JSON and JSONC, and take them out, byte for byte (R5).

A small scanner of our own finds where values lie; what is not ours is never printed
anew.  Comments, trailing commas, order, indentation, line ends and a byte order mark
stay as they are.  Pure functions on text; linear time.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ibid.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

DEEPEST = 100  # Levels; settings have five.

_BLANK = re.compile(r"[ \t\r\n\ufeff]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD = re.compile(r"[-+.\w]+")
_INDENT = re.compile(r"[\r\n]([ \t]+)\S")


class Item(NamedTuple):
    """A member of an object or an element of an array."""

    key: str | None
    start: int  # Of the key, or of an element's value.
    node: Node
    comma: int  # Where the comma behind it is; -1 for none.


class Node(NamedTuple):
    """A value and where it lies."""

    value: Any  # Of a scalar.
    start: int
    end: int
    items: list[Item] | None = None  # Of a container.
    is_object: bool = False

    def find(self, key: str | int) -> Item | None:
        """Return the member called ``key``, or the element of that number.

        Of several members the last, as parsers do.
        """
        if isinstance(key, int):
            is_in = not self.is_object and 0 <= key < len(self.items or ())
            return (self.items or [])[key] if is_in else None
        if not self.is_object:
            return None
        return next((one for one in reversed(self.items or ()) if one.key == key), None)

    def plain(self) -> Any:
        """Return the value as Python's."""
        if self.items is None:
            return self.value
        if self.is_object:
            return {one.key: one.node.plain() for one in self.items}
        return [one.node.plain() for one in self.items]


_Key = TypeVar("_Key", str, str | int)
Pieces = list[tuple[int, str]]  # What goes in where, by rising offset.


# -- putting in and taking out -------------------------------------------------------


def insertion(text: str, path: Sequence[str], value: Any, append: bool) -> Pieces:
    """Return what to insert so that ``value`` stands at ``path``.

    With ``append`` ``path`` is an array, and the value becomes its last element.
    Containers that are missing are made.

    Raises:
        InputError: not JSON, or something else stands there.
    """
    root = parse(text)
    if root is None:
        return _first(text, _wrapped(path, value, append))
    node, rest = _deepest(root, path)
    if not rest:
        if not append or node.items is None or node.is_object:
            _refuse(text, node, path, "already there")
        return _put(text, root, node, None, value)
    if not node.is_object:
        _refuse(text, node, path[: len(path) - len(rest)], "no object")
    return _put(text, root, node, rest[0], _wrapped(rest[1:], value, append))


def removal(text: str, path: Sequence[str | int]) -> str:
    """Return the text without the member or element at ``path``; numbers are indexes.

    Raises:
        InputError: not JSON, or there is none.
    """
    root = parse(text)
    node, rest = (None, path) if root is None else _deepest(root, path[:-1])
    item = None if node is None or rest else node.find(path[-1])
    if node is None or node.items is None or item is None:
        raise InputError(f"There is no {'.'.join(map(str, path))}.")
    at = next(at for at, one in enumerate(node.items) if one.start == item.start)
    return _cut(text, node.items, at)


def find(text: str, path: Sequence[str | int]) -> Any:
    """Return the value at ``path``; None when there is none.

    Raises:
        InputError: not JSON.
    """
    root = parse(text)
    if root is None:
        return None
    node, rest = _deepest(root, path)
    return None if rest else node.plain()


def loads(text: str) -> Any:
    """Return the value of a whole text; None for an empty one.

    Raises:
        InputError: not JSON.
    """
    root = parse(text)
    return None if root is None else root.plain()


def _deepest(root: Node, path: Sequence[_Key]) -> tuple[Node, Sequence[_Key]]:
    """Return the last node on ``path`` that exists, and what of the path is left."""
    node = root
    for at, key in enumerate(path):
        item = node.find(key)
        if item is None:
            return node, path[at:]
        node = item.node
    return node, ()


def _wrapped(path: Sequence[str], value: Any, append: bool) -> Any:
    made = [value] if append else value
    for key in reversed(path):
        made = {key: made}
    return made


def _refuse(text: str, node: Node, path: Sequence[str], why: str) -> None:
    where = ".".join(path) or "the document"
    raise InputError(f"{where} in line {_line(text, node.start)} is {why}.")


def _first(text: str, value: Any) -> Pieces:
    """Return the insertion into a text without any value, behind its comments."""
    end = _newline(text)
    made = json.dumps(value, indent=2, ensure_ascii=False).replace("\n", end)
    before = end if text.strip(" \t\ufeff") and text[-1:] not in "\r\n" else ""
    return [(len(text), before + made + end)]


def _put(text: str, root: Node, node: Node, key: str | None, value: Any) -> Pieces:
    """Return the insertion of a last item into the container ``node``."""
    items, close = node.items or [], node.end - 1
    after, pieces = node.start + 1, []
    if items:
        after = items[-1].comma + 1 or items[-1].node.end
        pieces = [(after, ",")] if items[-1].comma < 0 else []
    at = _behind_comments(text, after, close)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if items:
        is_tall = _has_break(text[after:close])
    else:
        is_tall = not root.items or _has_break(text[root.start : root.end])
    if not is_tall:
        made = name + json.dumps(value, ensure_ascii=False)
        pieces.append((at, f" {made}" if items else made))
        return _joined(pieces)
    end, unit = _newline(text), _unit(text)
    outer = _indent_of(text, node.start)
    inner = outer + unit
    if items and _starts_line(text, items[-1].start):
        inner = _indent_of(text, items[-1].start)
    made = name + json.dumps(value, indent=unit, ensure_ascii=False)
    made = end + inner + made.replace("\n", end + inner)
    if not _has_break(text[at:close]):
        made += end + outer
    pieces.append((at, made))
    return _joined(pieces)


def _joined(pieces: Pieces) -> Pieces:
    if len(pieces) == 2 and pieces[0][0] == pieces[1][0]:
        return [(pieces[0][0], pieces[0][1] + pieces[1][1])]
    return pieces


def _cut(text: str, items: list[Item], index: int) -> str:
    """Return the text without one item, its comma and the line it stood on."""
    item = items[index]
    start, end = item.start, item.node.end
    begin = start
    while begin and text[begin - 1] in " \t":
        begin -= 1
    if begin and text[begin - 1] in "\r\n":
        begin -= 1
        if begin and text[begin - 1 : begin + 1] == "\r\n":
            begin -= 1
    if item.comma >= 0:
        between = text[end : item.comma]
        return text[:begin] + between + text[item.comma + 1 :]
    if index and items[index - 1].comma >= 0:
        comma = items[index - 1].comma
        return text[:comma] + text[comma + 1 : max(begin, comma + 1)] + text[end:]
    return text[:begin] + text[end:]


# -- layout --------------------------------------------------------------------------


def _behind_comments(text: str, start: int, stop: int) -> int:
    """Return where the last comment between two places ends; ``start`` without one."""
    at = start
    while True:
        at = _blank(text, at)
        match = _COMMENT.match(text, at, stop)
        if match is None:
            return start
        start = at = match.end()


def _newline(text: str) -> str:
    if "\r\n" in text:
        return "\r\n"
    return "\r" if "\r" in text and "\n" not in text else "\n"


def _has_break(text: str) -> bool:
    return "\n" in text or "\r" in text


def _unit(text: str) -> str:
    """Return by what a level is indented: the first indentation there is."""
    match = _INDENT.search(text)
    return match[1] if match else "  "


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _indent_of(text: str, at: int) -> str:
    line = text[_line_start(text, at) : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _starts_line(text: str, at: int) -> bool:
    start = _line_start(text, at)
    return start > 0 and not text[start:at].strip(" \t")


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


# -- the scanner ---------------------------------------------------------------------


def parse(text: str) -> Node | None:
    """Return the value of a text; None when there is none, only blanks and comments.

    Raises:
        InputError: not JSON with comments and trailing commas; names the line.
    """
    at = _skip(text, 0)
    if at == len(text):
        return None
    node = _value(text, at, 0)
    at = _skip(text, node.end)
    if at < len(text):
        raise _broken(text, at)
    return node


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise InputError(f"Nested deeper than {DEEPEST} levels.")
    character = text[at : at + 1]
    if character in ("{", "["):
        return _container(text, at, depth)
    if character == '"':
        match = _STRING.match(text, at)
        if match is None:
            raise _broken(text, at)
        return Node(_string(text, match), at, match.end())
    match = _WORD.match(text, at)
    try:
        return Node(json.loads(match[0]), at, match.end())  # type: ignore[index, union-attr]
    except (ValueError, TypeError):
        raise _broken(text, at) from None


def _container(text: str, start: int, depth: int) -> Node:
    is_object = text[start] == "{"
    close = "}" if is_object else "]"
    items: list[Item] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != close:
        if items and items[-1].comma < 0:
            raise _broken(text, at)
        begin, key = at, None
        if is_object:
            key, at = _key(text, at)
        node = _value(text, at, depth + 1)
        at = _skip(text, node.end)
        comma = at if text[at : at + 1] == "," else -1
        if comma >= 0:
            at = _skip(text, comma + 1)
        items.append(Item(key, begin, node, comma))
    return Node(None, start, at + 1, items, is_object)


def _key(text: str, at: int) -> tuple[str, int]:
    match = _STRING.match(text, at)
    if match is None:
        raise _broken(text, at)
    colon = _skip(text, match.end())
    if text[colon : colon + 1] != ":":
        raise _broken(text, colon)
    return _string(text, match), _skip(text, colon + 1)


def _string(text: str, match: re.Match[str]) -> str:
    try:
        return str(json.loads(match[0], strict=False))
    except ValueError:
        raise _broken(text, match.start()) from None


def _blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _skip(text: str, at: int) -> int:
    """Return the next place that is neither blank nor comment."""
    while True:
        at = _blank(text, at)
        if text[at : at + 1] != "/":
            return at
        match = _COMMENT.match(text, at)
        if match is None:
            raise _broken(text, at)
        at = match.end()


def _broken(text: str, at: int) -> InputError:
    return InputError(f"Line {_line(text, at)} is not what JSON has there.")
