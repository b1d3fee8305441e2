"""Read what `ibid.engine.keep.rivals` judges, and note what it found (Q1).

Faces call `note_rivals` when they start; recall reads only what was noted.
"""

from __future__ import annotations

import os
import shutil
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibid.agents.setups import AGENTS, Where, load_setup
from ibid.engine.keep import rivals
from ibid.errors import InputError
from ibid.files import edits, jsonc
from ibid.store import findings, settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ibid.engine.memory import Memory

_EXTENSIONS = (".gemini/extensions/*/gemini-extension.json",)
_PLUGINS = (".config/opencode/plugin*/*.[jt]s", ".config/opencode/plugin*/*.mjs")


def note_rivals(
    memory: Memory, environ: Mapping[str, str] = os.environ
) -> list[rivals.Sighting]:
    """Return what is seen of rivals beside a project, and note the active ones.

    Never raises for what the files hold; a home that cannot be written stays as it is.
    """
    seen = look(str(Path.home()), memory.project.path, environ)
    machine = {
        one.rival for one in seen if one.state == rivals.ACTIVE and not one.is_own
    }
    own = {one.rival for one in seen if one.state == rivals.ACTIVE and one.is_own}
    try:
        findings.record(memory.home, memory.project.key, [*machine], [*own - machine])
    except OSError:
        return seen
    return seen


def unallowed(memory: Memory, seen: list[rivals.Sighting]) -> list[rivals.Sighting]:
    """Return the first sighting of each active rival that nobody allowed."""
    general = settings.load_global(memory.home)
    own = settings.load_settings(memory.store.read())
    return rivals.active(seen, rivals.allowed_in(general, own))


def look(home: str, project: str, environ: Mapping[str, str]) -> list[rivals.Sighting]:
    """Return every trace of a rival in agents' settings, environment and home."""
    where = Where(home, environ, ("ibid",))
    rows = [
        row
        for path in _settings_files(where, project)
        for row in _read(path, home, project)
    ]
    folders = tuple(
        _shown(str(Path(home, name)), home)
        for rival in rivals.RIVALS
        for name in rival.folders
        if Path(home, name).is_dir()
    )
    return rivals.find_rivals(rivals.Traces((*rows, *_files(home)), environ, folders))


def _settings_files(where: Where, project: str) -> list[str]:
    paths: list[str] = []
    for agent in AGENTS:
        for path in load_setup(agent).settings(where, project):
            paths += _matching(path) if "*" in path else [path]
    return list(dict.fromkeys(paths))


def _matching(path: str) -> list[str]:
    pattern = Path(path)
    return [str(one) for one in sorted(pattern.parent.glob(pattern.name))[:50]]


def _read(
    path: str, home: str, project: str
) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield a settings file's value, and what it holds for this very project."""
    value = read_settings(path)
    if not value:
        return
    is_own = path.startswith(project + os.sep) and project != home
    shown = _shown(path, home)
    yield shown, value, is_own
    places = value.get("projects")
    if isinstance(places, dict) and isinstance(places.get(project), dict):
        yield shown, places[project], True


def read_settings(path: str) -> dict[str, Any]:
    """Return the value of a settings file; empty for what is no such thing."""
    try:
        data = edits.read(path)
        if data is None:
            return {}
        text = data.decode("utf-8-sig", "replace")
        value = tomllib.loads(text) if path.endswith(".toml") else jsonc.loads(text)
    except (InputError, ValueError, OSError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _files(home: str) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Yield extensions and plugins that are switched on by lying where they lie."""
    for pattern in _EXTENSIONS:
        for path in sorted(Path(home).glob(pattern))[:50]:
            value = {**read_settings(str(path)), "plugins": [path.parent.name]}
            yield _shown(str(path), home), value, False
    for pattern in _PLUGINS:
        for path in sorted(Path(home).glob(pattern))[:50]:
            yield _shown(str(path), home), {"plugins": [path.name]}, False


def _shown(path: str, home: str) -> str:
    """Return a path as people write it."""
    inside = path.startswith(home + os.sep)
    return f"~{path[len(home) :]}" if inside else path


def this_machine() -> Where:
    """Return this machine, and how its agents start Ibid: by an absolute path."""
    beside = shutil.which("ibid", path=str(Path(sys.executable).parent))
    called = sys.argv[0] if Path(sys.argv[0]).stem == "ibid" else ""
    program = shutil.which(called) if called else beside or shutil.which("ibid")
    command = (
        (os.path.abspath(program),)  # noqa: PTH100 - links stay links.
        if program
        else (sys.executable, "-m", "ibid")
    )
    return Where(str(Path.home()), os.environ, command)
