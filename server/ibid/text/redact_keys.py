"""Private-key blocks: one span from the first line to the last (E2, E3).

The block may be indented, quoted, numbered, part of a diff, escaped in JSON, joined to
one line, or cut off: the walk takes lines as long as they look like a key's body.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ibid.text.redact_values import is_wordlike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

KIND = "private-key"
#: The shortest real body (an Ed25519 seed) has 64 characters; an ellipsis has fewer.
_SHORTEST = 40
_PUTTY = "PuTTY-User-" + "Key-File-"


def find_key_blocks(soft: str) -> Iterator[tuple[int, int, str]]:
    """Yield each private-key block of the softened text."""
    at = 0
    while match := _begin().search(soft, at):
        end = _walk(soft, match.end(), _end())
        if end:
            yield match.start(), end, KIND
        at = max(end, match.end())
    at = soft.find(_PUTTY)
    while at >= 0:
        end = _walk(soft, at, _putty_end())
        if end:
            yield at, end, KIND
        at = soft.find(_PUTTY, max(end, at + 1))


def _walk(soft: str, at: int, closing: re.Pattern[str]) -> int:
    """Return where the block that is open at `at` ends, or 0 if it has no body."""
    blanks = found = last = 0
    while at < len(soft):
        stop = soft.find("\n", at)
        stop = len(soft) if stop < 0 else stop
        line = soft[at : min(stop, at + 32768)]
        close = closing.search(line)
        inner = line[: close.start()] if close else line
        body = _body().fullmatch(inner)
        if body and _is_body(body[1]):
            found, last, blanks = found + len(body[1]), at + body.end(1), 0
        elif close is None:
            blanks += 1
            if blanks > (2 if found else 14) or not _between().fullmatch(inner):
                break
        if close:
            return at + close.end() if found >= _SHORTEST else 0
        at = stop + 1
    return last if found >= _SHORTEST else 0


def _is_body(line: str) -> bool:
    """Whether `line` is base64: long, or short and no word."""
    if len(line) >= 20:
        return len(set(line)) > 4
    return any(not c.isalpha() for c in line) or not is_wordlike(line)


@lru_cache(maxsize=1)
def _begin() -> re.Pattern[str]:
    return re.compile(
        r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIV" r"ATE KEY(?: BLOCK)? ?-{4,5}"
    )


@lru_cache(maxsize=1)
def _end() -> re.Pattern[str]:
    return re.compile(r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIV" r"ATE KEY(?: BLOCK)? ?-{4,5}")


@lru_cache(maxsize=1)
def _putty_end() -> re.Pattern[str]:
    return re.compile(r"Private-M" r"AC: [0-9a-f]{40,64}")


#: What may stand before and after the key's text on its line: a diff's sign, a
#: quotation mark, a line number with its arrow, the quotes and joints of source code.
_LEFT = (
    r"[\s>+|#*\"'`,;:.()\\\u2502\u2192-]{0,60}"
    r"(?:\d{1,6}[\s:|>\u2192\u2502\t+-]{1,8}\s{0,40})?"
)
_RIGHT = r"[\s\"'`,;+.()\\|\u2502*]{0,60}"


@lru_cache(maxsize=1)
def _body() -> re.Pattern[str]:
    return re.compile(
        _LEFT + r"[\"'`]?([A-Za-z0-9+/=](?:[A-Za-z0-9+/=]|[ ](?=[A-Za-z0-9+/=]{16})"
        r"|[ ](?=[A-Za-z0-9+/=]{1,15}\s*$))*)" + _RIGHT
    )


@lru_cache(maxsize=1)
def _between() -> re.Pattern[str]:
    """Return the lines of a block that are not its body: empty ones and headers."""
    return re.compile(
        _LEFT + r"(?:(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|Encryption"
        r"|Subject|X-[\w-]{1,40}|Key-Derivation|Argon2-[\w-]{1,20}|Public-Lines"
        r"|Private-Lines|PuTTY-User-Key-File-\d): .{0,200})?" + _RIGHT
    )
