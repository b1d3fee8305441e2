"""What every reader must bear: fields of the wrong type, and real files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import strategies as st

from ibid.agents.registry import SNIFF, find_agent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


def spoil(data: st.DataObject, value: Any, steps: int = 6) -> None:
    """Give some fields or items within ``value`` another value, whatever their type."""
    for _ in range(data.draw(st.integers(1, steps))):
        if not isinstance(value, dict | list) or not value:
            break
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        key = data.draw(st.sampled_from(keys))
        if data.draw(st.booleans()):
            value = value[key]
            continue
        value[key] = data.draw(
            st.sampled_from([None, 7, -1, 1e400, "x", [], [1], {}, {"a": {}}, True])
        )


def real_files(agent: ModuleType, pattern: str) -> Iterator[tuple[Path, bytes]]:
    """Yield this agent's files below ``$IBID_TRANSCRIPTS``; skip the test without."""
    folder = os.environ.get("IBID_TRANSCRIPTS", "")
    if not folder:
        pytest.skip("IBID_TRANSCRIPTS names no folder of transcripts")
    found = False
    for path in sorted(Path(folder).rglob(pattern)):
        data = path.read_bytes()
        if find_agent(path, data[:SNIFF]) is agent:
            found = True
            yield path, data
    if not found:
        pytest.skip(f"IBID_TRANSCRIPTS: no files of {agent.AGENT} below {folder}")
