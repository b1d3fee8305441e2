"""Whose a folder is, and backups of a project's memory."""

from __future__ import annotations

from pathlib import Path

import click

from ibid.engine.model import SystemClock
from ibid.errors import NotFoundError
from ibid.faces import shapes
from ibid.faces.cli import render
from ibid.faces.cli.options import Face, common
from ibid.store import backup, includes, moving, projects
from ibid.store.connection import check_alone


@click.group()
def project() -> None:
    """List projects, and say which folders belong to which."""


@project.command("list")
@common
def list_projects(face: Face) -> None:
    """List the projects that have memory here."""
    home = projects.home_folder()
    rows = [shapes.project(one, home) for one in projects.list_projects(home)]

    def show() -> None:
        render.table(
            ("project", "MB", "path", "recalls from"),
            (
                (row["name"], f"{row['bytes'] / 1e6:.1f}", row["path"], _sources(row))
                for row in rows
            ),
            "No project has memory here yet.",
        )

    face.show(rows, show)


def _sources(row: shapes.Json) -> str:
    """Return the projects that one recalls from, in words."""
    named = (
        f"{one['path']} (no memory there)" if one["missing"] else one["name"]
        for one in row["includes"]
    )
    return ", ".join(named) or "–"


@project.command()
@click.argument("other")
@click.option("--remove", is_flag=True, help="Recall from it no more.")
@common
def include(face: Face, other: str, remove: bool) -> None:
    """Let recall in this project use the notes and episodes of OTHER, too.

    OTHER is a path or a project's name.  What comes from there names it; nothing else
    crosses, and nothing at all unless it is listed so.
    """
    home, here = projects.home_folder(), face.memory.project
    root = includes.change(home, here, other, not remove)
    verb = "recalls no more from" if remove else "recalls from"
    face.show(
        shapes.project(here, home),
        lambda: render.line(f"{here.path} {verb} {root}"),
    )


@project.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@common
def link(face: Face, path: Path, target: Path) -> None:
    """Let PATH belong to the project at TARGET; with itself, be its own project."""
    moving.link(projects.home_folder(), str(path), str(target))
    _show_owner(face, path)


@project.command()
@click.argument("path", type=click.Path(path_type=Path))
@common
def unlink(face: Face, path: Path) -> None:
    """Let PATH belong again to where it lies."""
    moving.unlink(projects.home_folder(), str(path))
    _show_owner(face, path)


@project.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--preview", is_flag=True, help="Say what stays behind; move nothing.")
@common
def move(face: Face, old: Path, new: Path, preview: bool) -> None:
    """Let the memory of OLD follow its folder, which was moved to NEW.

    Notes whose files are not in NEW too sleep until they are; that is said.
    """
    home = projects.home_folder()
    left = moving.files_left(home, str(old), str(new))
    if preview:
        shape = {"path": str(new), "left": left}
        face.show(shape, lambda: render.line(shapes.left_behind(left) or _NONE_LEFT))
        return
    if left:
        render.notice(shapes.left_behind(left))
    moving.move_project(home, str(old), str(new))
    _show_owner(face, new, {"left": left})
    if left:
        render.notice(f"{render.count(len(left), 'note')} will sleep until then.")


_NONE_LEFT = "No note file stays behind."


def _show_owner(face: Face, path: Path, more: dict[str, object] | None = None) -> None:
    found = projects.project_of(str(path), projects.home_folder())
    face.show(
        {"path": found.path, "name": found.name, **(more or {})},
        lambda: render.line(f"{path} belongs to {found.path}"),
    )


@click.command()
@click.argument("name", metavar="[BACKUP]", default="")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def restore(face: Face, name: str, yes: bool) -> None:
    """List the backups of the project's memory, or put BACKUP in its place.

    The memory that was there is set aside, never deleted.
    """
    database = face.project_here.database
    there = {Path(path).name: path for path in backup.list_backups(database)}
    if not name:
        rows = [{"backup": one, "bytes": projects.size_of(there[one])} for one in there]
        face.show(rows, lambda: _show_backups(rows))
        return
    path = there.get(name)
    if path is None:
        raise NotFoundError(f"No backup {name!r}. `ibid restore` lists them.")
    check_alone(database)
    if not yes:
        render.notice(f"What was noted after {name} is not in it.")
        click.confirm("Put it in the place of the memory?", abort=True, err=True)
        check_alone(database)  # An editor may have been opened meanwhile.
    from ibid.store.restore import restore as put_back

    done = put_back(database, path, SystemClock().now())
    face.memory.store.read()  # Opened, its index is made again.
    shape = {"backup": name, "aside": done.aside, "lost": done.lost}
    face.show(shape, lambda: render.line(_restored(name, done.aside, done.lost)))


def _show_backups(rows: list[dict[str, object]]) -> None:
    render.table(
        ("backup", "bytes"), ((row["backup"], f"{row['bytes']:,}") for row in rows)
    )
    if not rows:
        render.notice("There is no backup yet: one is made each day an editor is open.")


def _restored(name: str, aside: str, lost: int) -> str:
    gone = f" {render.count(lost, 'archived text')} were in no copy." if lost else ""
    return (
        f"{name} is in place; what was there is {aside}.{gone} Run `ibid import` to "
        "read what came after it again."
    )
