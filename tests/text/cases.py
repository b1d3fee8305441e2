"""Reads the example sentences that lie under ``tests/data/signals``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent.parent / "data" / "signals"

# A folder with more cases of the same shapes, held by whoever judges the result.
MORE = "IBID_CASES"


def read_cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of one file of ours, one object a line."""
    return _read(DATA / name)


def read_more(name: str) -> list[dict[str, Any]]:
    """Return the cases of a file from outside, or skip the test that wants them."""
    folder = os.environ.get(MORE)
    if not folder:
        pytest.skip(f"{MORE} names no folder with further cases")
    return _read(Path(folder) / name)


def _read(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]
