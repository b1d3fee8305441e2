"""What an agent always carries for us: the MCP server's tools and instructions (P4)."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE = "ibid.faces.mcp.standing"


def texts() -> Mapping[str, str] | None:
    """Return them by name, as they are sent; None while there is no MCP server.

    The module `SOURCE` says them by a function of the same name; it must be cheap to
    import and never needs the server's library.
    """
    if find_spec(SOURCE) is None:
        return None
    module: Any = import_module(SOURCE)
    return dict(module.texts())
