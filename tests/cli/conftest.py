"""The command line, called in the project of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from ibid.faces.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def ibid(project: Path) -> Any:
    """Return a function that runs a command in the project."""

    def run(*words: str, text: str | None = None, status: int | None = 0) -> Result:
        done = CliRunner().invoke(cli, ["--project", str(project), *words], input=text)
        assert status in (None, done.exit_code), (words, done.output, done.exception)
        return done

    return run
