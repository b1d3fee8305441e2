"""Note files: Markdown with a short front matter (O1, R6).

The front matter is a small, strict part of YAML read by hand: scalars, ``[a, b]`` and
``- item`` lists.  No aliases, tags, nesting or code; a header that is not one is text,
never an error, and what a line gets wrong is a `Problem` with its place.  Rewriting
touches only the lines that change, so comments, order and line ends stay a person's.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from ibid.text.digest import digest

if TYPE_CHECKING:
    from collections.abc import Collection

FENCE = "---"
MOST_LINES = 64  # Of a front matter; a longer one is text.
MOST_ITEMS = 64
LONGEST_NAME = 80  # Bytes of a file's name.

CATEGORIES = ("constraint", "preference", "decision", "fact")
KEYS = {
    "id": "the note's id; leave it to Ibid",
    "category": "constraint, preference, decision or fact",
    "pinned": "true: always recalled first",
    "role": "the agent profile it is for; without it, for all",
    "tags": "words to find it by, as [a, b]",
    "about": "files or symbols it is about, as [src/a.py, src/b.py#name]",
}
_LISTS = ("tags", "about")

Value = str | bool | tuple[str, ...]


class Problem(NamedTuple):
    """What a line of a front matter gets wrong; lines count from 0."""

    line: int
    message: str


class NoteFile(NamedTuple):
    """What a note file says."""

    fields: dict[str, Value]
    body: str  # Stripped; line ends are newlines.
    problems: tuple[Problem, ...]
    header: int  # Lines of the front matter with its fences; 0: there is none.

    def text(self, key: str) -> str:
        """Return a scalar field, "" when it is missing."""
        value = self.fields.get(key, "")
        return value if isinstance(value, str) else ""

    def items(self, key: str) -> tuple[str, ...]:
        """Return a list field."""
        value = self.fields.get(key, ())
        return value if isinstance(value, tuple) else ()


def parse(data: bytes) -> NoteFile:
    """Return what a note file says; never an error, linear in its length."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    lines = text.split("\n")
    end = _end_of_header(lines)
    if end is None:
        return NoteFile({}, text.strip(), (), 0)
    fields, problems = _fields(lines[1:end])
    body = "\n".join(lines[end + 1 :]).strip()
    return NoteFile(fields, body, tuple(problems), end + 1)


def render(fields: dict[str, Value], body: str) -> bytes:
    """Return a new note file."""
    head = [f"{key}: {_printed(value)}" for key, value in fields.items() if value]
    text = "\n".join([FENCE, *head, FENCE, "", body.strip(), ""])
    return text.encode("utf-8", "replace")


def rewritten(data: bytes, changes: dict[str, Value], body: str | None) -> bytes:
    """Return a note file with some fields changed, and the body if one is given.

    An empty value removes a field.  All other bytes stay; so do line ends.
    """
    text = data.decode("utf-8-sig", "surrogateescape")
    ending = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(ending)
    end = _end_of_header(lines)
    if end is None:
        whole = parse(data).body if body is None else body
        return render(changes, whole).replace(b"\n", ending.encode())
    head, rest = lines[1:end], lines[end:]
    for key, value in changes.items():
        head = _with_field(head, key, value)
    if body is not None:
        rest = [rest[0], "", *body.strip().split("\n"), ""]
    bom = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    whole = ending.join([lines[0], *head, *rest])
    return bom + whole.encode("utf-8", "surrogateescape")


def file_name(text: str, key: str, taken: Collection[str] = ()) -> str:
    """Return a name for a new note's file: from its words and its id (R4).

    Only ``a-z0-9-``, at most 80 bytes, no name that Windows keeps for itself, and none
    that differs from a ``taken`` one in case or composition alone.

    >>> file_name("Never log bodies in payments/", "n-25abcdefghjkmnpq")
    'never-log-bodies-in-payments-jkmnpq.md'
    """
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", folded.lower()[:400])[:6]
    stem = "-".join(words)[:52].strip("-") or "note"
    tail = "".join(re.findall(r"[a-z0-9]", key.lower()))[-6:] or "x"
    used = {fold_name(name) for name in taken}
    name, count = f"{stem}-{tail}", 1
    while f"{name}.md" in used:
        count += 1
        name = f"{stem}-{tail}-{count}"
    return f"{name}.md"


def fold_name(name: str) -> str:
    """Return what a file's name is compared by: case and composition aside."""
    return unicodedata.normalize("NFC", name).casefold()


def is_note_name(name: str) -> bool:
    """Say whether a name in a note folder can be a note: no copy, no temporary file."""
    return (
        name.endswith(".md")
        and not name.startswith((".", "~"))
        and ".conflict-" not in name
        and len(name.encode("utf-8", "surrogateescape")) <= 255
        and name.isprintable()
    )


def digest_of(data: bytes) -> str:
    """Return the digest by which a file's content is recognised."""
    return digest(data)


# -- the front matter ------------------------------------------------------------------


def _end_of_header(lines: list[str]) -> int | None:
    """Return the line of the closing fence, if the text begins with a front matter."""
    if not lines or lines[0].rstrip() != FENCE:
        return None
    for at, line in enumerate(lines[1 : MOST_LINES + 2], 1):
        if line.rstrip() in (FENCE, "..."):
            return at
    return None


def _fields(lines: list[str]) -> tuple[dict[str, Value], list[Problem]]:
    found: dict[str, Value] = {}
    problems: list[Problem] = []
    listed: list[str] | None = None  # Items of the key that the last line began.
    key = ""
    for at, raw in enumerate(lines, 1):
        line = raw.rstrip()
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item = re.match(r"\s*-\s+(.*)$", line)
        if item and listed is not None and len(listed) < MOST_ITEMS:
            listed.append(_scalar(item.group(1)))
            found[key] = tuple(listed)
            continue
        pair = re.match(r"([A-Za-z][\w-]{0,40})\s*:(?:\s+(.*))?$", line)
        if pair is None:
            problems.append(Problem(at, "Not a `key: value` line."))
            listed = None
            continue
        key, given = pair.group(1), (pair.group(2) or "").strip()
        if key in found:
            problems.append(Problem(at, f"`{key}` is here twice; the first counts."))
            listed = None
            continue
        listed = [] if not given and key in _LISTS else None
        value, problem = _value(key, given)
        if problem:
            problems.append(Problem(at, problem))
        elif value is not None:
            found[key] = value
    return found, problems


def _value(key: str, given: str) -> tuple[Value | None, str]:
    """Return a field's value, or what is wrong with it."""
    if given.startswith(("&", "*", "!", "|", ">", "{", "%", "@", "`")):
        return None, "Anchors, aliases, tags, blocks and maps are not read."
    if key in _LISTS:
        items = _inline(given)
        if items is None:
            return None, f"`{key}` takes a list, such as [a, b]."
        return items, ""
    return _one(key, _scalar(given))


def _one(key: str, value: str) -> tuple[Value | None, str]:
    """Return a scalar field's value, or what is wrong with it."""
    if key == "pinned":
        flags = {"true": True, "false": False, "yes": True, "no": False, "": False}
        if value.lower() not in flags:
            return None, "`pinned` is true or false."
        return flags[value.lower()], ""
    if key == "category" and value not in CATEGORIES:
        return None, f"No category {value[:40]!r}. There are: {', '.join(CATEGORIES)}."
    if key == "id" and not re.fullmatch(r"n-[0-9a-z]{4,40}", value):
        return None, "An id is `n-` and letters; leave it to Ibid."
    if key not in KEYS:
        return value, f"Ibid knows no `{key}`; it is kept as it is."
    return value, ""


def _inline(given: str) -> tuple[str, ...] | None:
    if not given:
        return ()
    if not (given.startswith("[") and given.endswith("]")):
        return None if "," in given or "[" in given else (_scalar(given),)
    parts = re.findall(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|[^,]+', given[1:-1])
    items = [_scalar(part.strip()) for part in parts]
    return tuple(one for one in items if one)[:MOST_ITEMS]


def _scalar(given: str) -> str:
    if given[:1] == '"':
        try:
            read, _ = json.JSONDecoder().raw_decode(given)
            return str(read)
        except ValueError:
            return given.strip('"')
    if given[:1] == "'" and given.rstrip().endswith("'") and len(given) > 1:
        return given.rstrip()[1:-1].replace("''", "'")
    return re.split(r"\s#", given, maxsplit=1)[0].strip()


def _printed(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(_quoted(one) for one in value)}]"
    return _quoted(value)


def _quoted(text: str) -> str:
    """Return a scalar as it may stand in YAML, quoted where it has to be."""
    plain = re.fullmatch(r"[\w./#()@+-][\w ./#()@+-]{0,200}", text)
    words = text.lower() in ("true", "false", "yes", "no", "null", "on", "off", "~")
    numeric = re.fullmatch(r"[\d.+-]+", text)
    safe = text == text.strip() and " #" not in text and text[:1] not in "-@#"
    if plain and safe and not words and not numeric:
        return text
    return json.dumps(text, ensure_ascii=False)


def _with_field(head: list[str], key: str, value: Value) -> list[str]:
    """Return the lines of a front matter with one field set or removed."""
    new = [f"{key}: {_printed(value)}"] if value else []
    for at, line in enumerate(head):
        if re.match(rf"{re.escape(key)}\s*:", line):
            end = at + 1
            while end < len(head) and re.match(r"\s*-\s", head[end]):
                end += 1
            return [*head[:at], *new, *head[end:]]
    return [*head, *new]
