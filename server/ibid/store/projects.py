"""Whose memory a path belongs to, and where that memory lies (S1).

One function, `project_of`, answers for every face.  A project is the folder a person
registered, else the Git main checkout above the path (worktrees, also vanished ones
once seen, and subfolders belong to it), else the folder itself; always by its real
path, case-folded where the volume ignores case.  Each project has a folder of its own
under ``$IBID_HOME/projects``, so isolation is structural (A1, S2).
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from ibid.errors import InputError
from ibid.store.folders import ensure_private
from ibid.text.digest import digest

HOME_VARIABLE = "IBID_HOME"
REGISTRY = "registry.json"


class Project(NamedTuple):
    """A project: ``path`` as shown, ``key`` as compared, ``folder`` of its memory."""

    path: str
    key: str
    folder: str

    @property
    def name(self) -> str:
        """The last part of the path, for people."""
        return os.path.basename(self.path) or self.path

    @property
    def database(self) -> str:
        """The path of the project's database file."""
        return os.path.join(self.folder, "ibid.db")


def home_folder(given: str | None = None) -> str:
    """Return where Ibid keeps its data: ``given``, ``$IBID_HOME`` or the platform's."""
    chosen = given or os.environ.get(HOME_VARIABLE)
    if chosen:
        return os.path.abspath(os.path.expanduser(chosen))
    from platformdirs import user_data_dir

    return user_data_dir("ibid", appauthor=False)


def project_of(path: str, home: str) -> Project:
    """Return the project that ``path`` (a file or folder, existing or not) is in (S1).

    Raises:
        InputError: ``path`` is empty or holds a NUL.
    """
    if not path or "\0" in path:
        raise InputError(f"Not a path: {path!r}. Give a folder of the project.")
    registry = load_registry(home)
    real = os.path.realpath(path)
    folder = real if not os.path.isfile(real) else os.path.dirname(real)
    root = _registered(folder, registry) or _checkout(folder, home, registry) or folder
    root = registry["moved"].get(root, root)
    return _project(root, home)


def _project(root: str, home: str) -> Project:
    key = root.casefold() if ignores_case(root) else root
    slug = "".join(c if c.isalnum() and c.isascii() else "-" for c in _name(root))
    name = f"{slug[:40].lower()}-{digest(key.encode('utf-8', 'surrogateescape'))[3:19]}"
    return Project(root, key, os.path.join(home, "projects", name))


def _name(root: str) -> str:
    return os.path.basename(root) or "root"


def ignores_case(path: str) -> bool:
    """Say whether the volume of ``path`` folds case; False where nothing exists."""
    swapped = path.swapcase()
    if swapped == path or not os.path.exists(path):
        return False
    try:
        return os.path.samefile(path, swapped)
    except OSError:
        return False


# -- Git -----------------------------------------------------------------------


def _checkout(folder: str, home: str, registry: dict[str, Any]) -> str | None:
    """Return the main checkout above ``folder``; remember worktrees, which vanish."""
    for place in _upwards(folder):
        if place in registry["worktrees"]:
            return str(registry["worktrees"][place])
        git = os.path.join(place, ".git")
        if os.path.isdir(git):
            return place
        if os.path.isfile(git):
            main = _main_of_worktree(place, git)
            if main is None:
                return place  # A submodule: a repository of its own.
            _remember_worktree(home, place, main)
            return main
    return None


def _main_of_worktree(place: str, git: str) -> str | None:
    """Return the main checkout that the ``.git`` file of a worktree points to."""
    try:
        with open(git, encoding="utf-8", errors="replace") as file:
            line = file.read(4096).strip()
    except OSError:
        return None
    if not line.startswith("gitdir:"):
        return None
    target = os.path.realpath(os.path.join(place, line[len("gitdir:") :].strip()))
    holder, kind = os.path.split(os.path.dirname(target))
    if kind != "worktrees":
        return None
    return os.path.dirname(holder) if os.path.basename(holder) == ".git" else holder


def _upwards(folder: str) -> list[str]:
    places = [folder]
    while (parent := os.path.dirname(places[-1])) != places[-1]:
        places.append(parent)
    return places


# -- what a person registered --------------------------------------------------


def load_registry(home: str) -> dict[str, Any]:
    """Return the registry: ``own`` folders, ``aliases``, ``moved``, ``worktrees``.

    A registry that cannot be read counts as empty; it is never overwritten then.
    """
    try:
        with open(os.path.join(home, REGISTRY), encoding="utf-8") as file:
            stored = json.load(file)
    except (OSError, ValueError):
        stored = {}
    if not isinstance(stored, dict):
        stored = {}
    empty: dict[str, Any] = {"own": {}, "aliases": {}, "moved": {}, "worktrees": {}}
    for name, value in empty.items():
        given = stored.get(name)
        empty[name] = given if isinstance(given, dict) else value
    return empty


def register(home: str, kind: str, path: str, target: str) -> None:
    """Record that ``path`` is ``target``'s: kind own, aliases, moved or worktrees."""
    registry = load_registry(home)
    registry[kind][os.path.realpath(path)] = os.path.realpath(target)
    _write_json(os.path.join(home, REGISTRY), registry)


def _registered(folder: str, registry: dict[str, Any]) -> str | None:
    for place in _upwards(folder):
        if place in registry["own"] or place in registry["aliases"]:
            found = registry["aliases"].get(place) or registry["own"].get(place)
            return str(found)
    return None


def _remember_worktree(home: str, place: str, main: str) -> None:
    try:
        register(home, "worktrees", place, main)
    except OSError:
        return  # Read-only home: the worktree is found again while it exists.


# -- the folder of a project ---------------------------------------------------


def ensure_folder(project: Project) -> None:
    """Make the project's folder and its ``project.json``, mode 0700; idempotent."""
    ensure_private(project.folder)
    manifest = os.path.join(project.folder, "project.json")
    if not os.path.exists(manifest):
        _write_json(manifest, {"path": project.path, "key": project.key})


def list_projects(home: str) -> list[Project]:
    """Return every project that has a folder here, by path."""
    base = os.path.join(home, "projects")
    found = []
    for name in sorted(os.listdir(base)) if os.path.isdir(base) else []:
        try:
            with open(os.path.join(base, name, "project.json"), encoding="utf-8") as f:
                stored = json.load(f)
            row = Project(stored["path"], stored["key"], os.path.join(base, name))
        except (OSError, ValueError, KeyError, TypeError):
            continue
        found.append(row)
    return sorted(found)


def _write_json(path: str, value: object) -> None:
    """Write atomically, readable by this user only."""
    ensure_private(os.path.dirname(path))
    temporary = f"{path}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(temporary, path)
