"""Whose a document is, by its URI."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from ibid.faces.lsp.documents import memory_of


class NamingHub:
    """A hub whose memories are the names they were asked by."""

    def memory(self, project: str | None) -> Any:
        """Return the name."""
        return project


@pytest.mark.parametrize("folder", ["/srv/a", "/srv/a b&c=d", "/srv/ä?#%"])
def test_the_project_of_a_document_is_read_however_it_is_escaped(folder: str) -> None:
    """Some editors write the query as it was given, others escape its signs."""
    hub: Any = NamingHub()
    query = f"project={quote(folder, safe='')}"
    for written in (query, quote(query, safe="")):
        assert memory_of(hub, f"ibid://note/n-1?{written}") == folder
    assert memory_of(hub, "ibid://note/n-1") is None
