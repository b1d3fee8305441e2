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
from typing import NamedTuple

from ibid.errors import InputError, StoreError
from ibid.store import registry
from ibid.store.folders import ensure_private, write_json
from ibid.text.digest import digest

HOME_VARIABLE = "IBID_HOME"
MANIFEST = "project.json"
INCLUDES = "includes.json"  # Which projects recall from which (S2).
EMPTY = ".empty-"  # In the name of a memory without content that was set aside.


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
    known = registry.load(home)
    real = os.path.realpath(path)
    folder = real if not os.path.isfile(real) else os.path.dirname(real)
    root = _registered(folder, known) or _checkout(folder, home, known) or folder
    return project_at(root, home)


def project_at(root: str, home: str) -> Project:
    """Return the project whose root is ``root``, a real path."""
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


def _checkout(folder: str, home: str, known: registry.Known) -> str | None:
    """Return the main checkout above ``folder``; remember worktrees, which vanish."""
    for place in _upwards(folder):
        if place in known["worktrees"]:
            return known["worktrees"][place]
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


def _registered(folder: str, known: registry.Known) -> str | None:
    for place in _upwards(folder):
        found = known["aliases"].get(place) or known["own"].get(place)
        if found:
            return found
    return None


def _remember_worktree(home: str, place: str, main: str) -> None:
    try:
        registry.register(home, "worktrees", place, main)
    except (OSError, StoreError):
        return  # The worktree is found again while it exists.


# -- the folder of a project ---------------------------------------------------


def ensure_folder(project: Project) -> None:
    """Make the project's folder and its ``project.json``, mode 0700; idempotent."""
    ensure_private(project.folder)
    if not os.path.exists(os.path.join(project.folder, MANIFEST)):
        write_manifest(project.folder, project)


def write_manifest(folder: str, project: Project) -> None:
    """Say in ``folder`` which project's memory lies there."""
    told = {"path": project.path, "key": project.key}
    write_json(os.path.join(folder, MANIFEST), told)


def list_projects(home: str) -> list[Project]:
    """Return every project that has a folder here, by path."""
    base = os.path.join(home, "projects")
    found = []
    for name in sorted(os.listdir(base)) if os.path.isdir(base) else []:
        if EMPTY in name:
            continue
        try:
            with open(os.path.join(base, name, MANIFEST), encoding="utf-8") as f:
                stored = json.load(f)
            row = Project(stored["path"], stored["key"], os.path.join(base, name))
        except (OSError, ValueError, KeyError, TypeError):
            continue
        found.append(row)
    return sorted(found)


def size_of(database: str) -> int:
    """Return the bytes of a file of a memory; 0 where there is none."""
    try:
        return os.path.getsize(database)
    except OSError:
        return 0
