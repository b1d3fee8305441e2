"""What an agent always carries for us, by name, as it is sent (P4)."""

from __future__ import annotations

import json

from ibid.faces.mcp.tools import INSTRUCTIONS, TOOLS


def texts() -> dict[str, str]:
    """Return each tool's schema and the instructions; needs no library."""
    compact = (",", ":")
    found = {
        str(tool["name"]): json.dumps(tool, ensure_ascii=False, separators=compact)
        for tool in TOOLS
    }
    return {**found, "instructions": INSTRUCTIONS}
