"""What never enters: excluded files, and secrets where a person said so (E1)."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from typing import TYPE_CHECKING

from ibid.text.redact import find_secrets, has_secret, redact

if TYPE_CHECKING:
    from ibid.engine.keep.policy import Switches


def is_excluded(switches: Switches, path: str) -> bool:
    """Say whether a file's content may not enter archive or kept transcripts.

    A glob without a slash is matched with the file's name, others with the whole path;
    upper and lower case do not matter.
    """
    slashed = path.replace("\\", "/").lower()
    name = slashed.rpartition("/")[2]
    for glob in switches.exclude:
        target = slashed if "/" in glob else name
        if _pattern(glob.lower()).match(target):
            return True
    return False


@lru_cache(maxsize=256)
def _pattern(glob: str) -> re.Pattern[str]:
    return re.compile(translate(glob))


def at_the_door(switches: Switches, text: str) -> str:
    """Return ``text`` as it may be stored: masked if secrets are cut at the door."""
    if switches.secrets == "mask" and has_secret(text):
        return redact(text)
    return text


def secret_spans(data: bytes) -> list[tuple[int, int]]:
    """Return the byte spans of secrets in a piece of a transcript file."""
    text = data.decode("utf-8", "surrogateescape")
    spans, at, offset = [], 0, 0
    for one in find_secrets(text):
        offset += len(text[at : one.start].encode("utf-8", "surrogateescape"))
        length = len(text[one.start : one.end].encode("utf-8", "surrogateescape"))
        spans.append((offset, offset + length))
        at, offset = one.end, offset + length
    return spans
