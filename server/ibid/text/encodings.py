"""From the bytes of a file to the text a reader is shown (N5).

Line ends stay as they are, and so does a byte order mark, for it is in the file.  A
text that is no valid Unicode is shown with replacement characters and marked as
inexact: two different files could look the same, so nothing is ever said about change.
"""

from __future__ import annotations

import codecs
from typing import NamedTuple

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEAD = 8_192  # Bytes in which a NUL tells a binary file.

UTF8 = "utf-8"


class Decoded(NamedTuple):
    """A file's text as delivered, in which encoding, and whether nothing was lost."""

    text: str
    encoding: str
    exact: bool


def decode(data: bytes) -> Decoded | None:
    r"""Return the text of a file, or None when it is binary.

    >>> decode(b"caf\xc3\xa9\r\n")
    Decoded(text='café\r\n', encoding='utf-8', exact=True)
    >>> decode(b"caf\xe9").exact, decode(b"\x7fELF\x00")
    (False, None)
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _decoded(data, name)
    if b"\0" in data[:_HEAD]:
        return None
    return _decoded(data, UTF8)


def _decoded(data: bytes, encoding: str) -> Decoded:
    try:
        return Decoded(data.decode(encoding), encoding, True)
    except UnicodeDecodeError:
        return Decoded(data.decode(encoding, "replace"), encoding, False)
