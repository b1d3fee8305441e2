"""What all commands share: project, JSON, opening the memory, and the guard."""

from __future__ import annotations

import errno
import functools
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ibid.engine import reindex
from ibid.engine.memory import Memory, open_memory
from ibid.errors import IbidError, InputError
from ibid.faces.cli import render
from ibid.store import projects
from ibid.store.memories import short_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

F = TypeVar("F", bound="Callable[..., Any]")

USAGE, FAILURE = 2, 1


class Settings:
    """What the options before the command said."""

    def __init__(self, project: str | None, as_json: bool) -> None:
        self.project = project
        self.as_json = as_json


def common(command: F) -> F:
    """Give a command ``--project`` and ``--json``, and turn errors into exit codes."""

    @click.option("--project", metavar="DIR", help="A folder of the project.")
    @click.option("--json", "as_json", is_flag=True, help="Print JSON.")
    @click.pass_context
    @functools.wraps(command)
    def run(
        context: click.Context, /, project: str | None, as_json: bool, **given: Any
    ) -> Any:
        outer: Settings = context.obj or Settings(None, False)
        face = Face(project or outer.project, as_json or outer.as_json)
        with guarded(face):
            return command(face, **given)

    return run  # type: ignore[return-value]


@contextmanager
def guarded(face: Face) -> Iterator[None]:
    """Turn named errors into one sentence and an exit status; 2 for what was given."""
    try:
        yield
    except IbidError as error:
        render.error(error.code, str(error), face.as_json)
        raise SystemExit(USAGE if isinstance(error, InputError) else FAILURE) from None
    except BrokenPipeError:
        os._exit(0)  # The reader left; there is nobody to tell.
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            raise
        said = "Cannot print: no space left where the output goes. Make room there."
        render.error("output", said, face.as_json)
        face.close()
        os._exit(FAILURE)  # What could not be printed would be tried once more.
    finally:
        face.close()


class Face:
    """One call of the command line: how to answer, and the memory it opened."""

    def __init__(self, project: str | None, as_json: bool) -> None:
        self.project = project
        self.as_json = as_json
        self._memory: Memory | None = None
        self._others: dict[str, Memory] = {}

    @property
    def memory(self) -> Memory:
        """The memory of the project, opened at first use."""
        if self._memory is None:
            self._memory = open_memory(self._where())
            self._memory.filenotes.scan(final=True)
            if self._memory.healed:
                render.notice(self._memory.healed)
            for count in reindex.steps(self._memory):
                if count == reindex.BATCH and not self.as_json:
                    render.notice("Making the index again …")
        return self._memory

    @property
    def project_here(self) -> projects.Project:
        """The project, without opening its memory."""
        return projects.project_of(self._where(), projects.home_folder())

    def _where(self) -> str:
        where = self.project or os.getcwd()  # noqa: PTH109
        if not os.path.isdir(where):  # noqa: PTH112
            raise InputError(f"No folder at {where}. Name a project's folder.")
        return where

    def memory_of(self, path: str) -> Memory:
        """Return the memory of the project that ``path`` is in, opened once."""
        if path not in self._others:
            memory = open_memory(path)
            for known in self._others.values():
                if known.project.key == memory.project.key:
                    memory.close()
                    memory = known
                    break
            self._others[path] = memory
        return self._others[path]

    def memory_of_or_here(self, path: str) -> Memory:
        """Return the memory of ``path``'s project; "" means where the face is."""
        return self.memory_of(path) if path else self.memory

    def short(self, table: str, key: str) -> str:
        """Return an id's shortest unique prefix, for people."""
        return short_key(self.memory.store.read(), table, key)

    def show(self, value: Any, text: Callable[[], None]) -> None:
        """Answer with JSON if it was asked for, else by ``text``."""
        if self.as_json:
            render.json(value)
        else:
            text()
        sys.stdout.flush()  # Here, where it is seen that the reader has left.

    def close(self) -> None:
        """Close what was opened."""
        opened = [*self._others.values()]
        if self._memory is not None:
            opened.append(self._memory)
        for memory in opened:
            memory.close()


def parse_range(text: str) -> tuple[int, int]:
    """Return the lines that ``A:B``, ``A:`` or ``:B`` names; (0, 0) is all of them.

    Raises:
        InputError: it is no range.

    >>> parse_range("10:20"), parse_range("5:"), parse_range("")
    ((10, 20), (5, 0), (0, 0))
    """
    if not text:
        return 0, 0
    parts = text.replace("-", ":").split(":")
    numbers = [int(part) if part.isascii() and part.isdigit() else 0 for part in parts]
    named = [number for part, number in zip(parts, numbers, strict=True) if part]
    if len(parts) != 2 or not named or not all(named):
        raise InputError(f"No range {text!r}; lines count from 1, as in 10:20.")
    return numbers[0] or 1, numbers[1]
