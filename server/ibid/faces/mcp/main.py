"""The start of the MCP server, as the command line calls it."""

from __future__ import annotations


def run(project: str = "") -> int:
    """Serve until the end of input; return the exit status."""
    from ibid.faces.mcp.server import run as serve

    return serve(project)
