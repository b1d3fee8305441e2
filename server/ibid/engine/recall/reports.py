"""Receipts as a person sees them: **Memory used**, and where a note was used (I1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ibid.errors import NotFoundError
from ibid.store import memories, receipts

if TYPE_CHECKING:
    from ibid.engine.memory import Memory
    from ibid.store.driver import Row


class ReceiptView(NamedTuple):
    """A receipt with its items."""

    row: Row
    items: list[Row]


class Receipts:
    """The receipts of one project."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def page(self, page: receipts.ReceiptPage) -> tuple[list[ReceiptView], int]:
        """Return one page of receipts, newest first, and how many there are.

        Raises:
            NotFoundError, AmbiguousError: ``page.note`` names none, or several.
        """
        connection = self._memory.store.read()
        if page.note:
            note = memories.load_memory(connection, page.note)
            page = page._replace(note=note["key"])
        rows, total = receipts.list_receipts(connection, page)
        views = [
            ReceiptView(row, receipts.receipt_items(connection, row["id"]))
            for row in rows
        ]
        return views, total

    def show(self, name: str) -> ReceiptView:
        """Return one receipt by its number (``#88``) or the name in its fence.

        Raises:
            NotFoundError: there is none.
        """
        connection = self._memory.store.read()
        row = receipts.find_receipt(connection, name)
        if row is None:
            raise NotFoundError(
                f"No receipt {name!r} in this project. `ibid receipts` shows them."
            )
        return ReceiptView(row, receipts.receipt_items(connection, row["id"]))
