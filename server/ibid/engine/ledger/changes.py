"""What a reader was shown, and which symbols changed since, in words (N7).

On the path of hooks: nothing heavy is imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.errors import GoneError, NotFoundError, StoreCorruptError
from ibid.store import archive
from ibid.text.clean import defang, one_line
from ibid.text.redact import redact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ibid.store.driver import Connection
    from ibid.text.structure import SymbolChange

_MOST_NAMED = 3  # Symbols named in a line.
_LONGEST_NAME = 80


def load_text(connection: Connection, number: int | None) -> str | None:
    """Return an archived text, or None when it is gone."""
    if number is None:
        return None
    try:
        row = archive.load_archive(connection, f"#{number}")
        return archive.load_bytes(connection, row).decode("utf-8", "replace")
    except (NotFoundError, GoneError, StoreCorruptError):
        return None


def name_changes(symbols: Sequence[SymbolChange], most: int = _MOST_NAMED) -> str:
    """Return ``backoff() changed, lift() added and 2 more``, made safe to send."""
    said = []
    for one in symbols[:most]:
        name = one_line(defang(redact(one.name)))[:_LONGEST_NAME]
        said.append(f"{name}{'()' if one.callable else ''} {one.change}")
    more = len(symbols) - len(said)
    return ", ".join(said) + (f" and {more} more" if more else "")
