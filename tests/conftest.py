"""What all tests share: a memory in a temporary home, with a clock that is told."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import FixedClock
from ibid.store import driver

SERVER = Path(__file__).parents[1] / "server"

# 2026-04-02 12:00 UTC.
START = 1_775_131_200_000

# A busy machine is no failure: no property is held to a time.
settings.register_profile("ibid", deadline=None)
settings.load_profile("ibid")


def pytest_report_header() -> str:
    """Say which SQLite the tests ran on."""
    version = ".".join(map(str, driver.VERSION))
    return f"SQLite {version} ({driver.MODULE}, safe for WAL: {driver.SAFE})"


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep every test, and what it starts, away from this machine's own memory."""
    further = os.environ.get("IBID_TEST_PATH")  # What every process is to run with.
    path = os.pathsep.join([*([further] if further else []), str(SERVER)])
    monkeypatch.setenv("PYTHONPATH", path)
    monkeypatch.setenv("IBID_HOME", str(tmp_path / "ibid-home"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("IBID_NOW", "IBID_DISABLE", "IBID_PRESET", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def clock() -> FixedClock:
    """A clock that moves only when told to."""
    return FixedClock(START)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def memory(project: Path, clock: FixedClock) -> Iterator[Memory]:
    """The memory of an empty project."""
    opened = open_memory(str(project), clock=clock)
    yield opened
    opened.close()
