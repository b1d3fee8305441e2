"""``ibid/project/…``: which projects there are, and whose a folder is (S1)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ibid.faces import shapes
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.hub import path_of
from ibid.faces.lsp.params import Params
from ibid.store import moving, projects

if TYPE_CHECKING:
    from collections.abc import Callable

    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer


class LinkParams(Params):
    """A folder and the project it belongs to; ``null``: where it lies."""

    path: str
    target: str | None = None


class MoveParams(Params):
    """A folder as it was called, and as it is called now."""

    old: str
    new: str
    preview: bool = False


def register(server: IbidServer, hub: Hub) -> None:
    """Serve the list of projects, links and moves."""

    def list_projects(params: Params) -> shapes.Json:
        home = hub.memory(params.project).home
        rows = [
            {"path": one.path, "name": one.name, "bytes": _size(one.database)}
            for one in projects.list_projects(home)
        ]
        return {"projects": rows}

    def link(params: LinkParams) -> shapes.Json:
        path, home = path_of(params.path), hub.memory(params.project).home
        hub.release(path)
        if params.target is None:
            moving.unlink(home, path)
        else:
            moving.link(home, path, path_of(params.target))
        return _owner(path, home)

    def move(params: MoveParams) -> shapes.Json:
        old, new = path_of(params.old), path_of(params.new)
        home = hub.memory(params.project).home
        left = moving.files_left(home, old, new)
        told = {"left": left, "message": shapes.left_behind(left) or None}
        if params.preview:
            return {**_owner(new, home), **told}
        hub.release(old)
        hub.release(new)
        return {**_owner(moving.move_project(home, old, new).path, home), **told}

    table: list[tuple[str, type, Kind, Callable[..., Any]]] = [
        ("ibid/project/list", Params, Kind.READ, list_projects),
        ("ibid/project/link", LinkParams, Kind.WRITE, link),
        ("ibid/project/move", MoveParams, Kind.WRITE, move),
    ]
    for method, params, kind, handler in table:
        server.register(
            Feature(method=method, params=params, kind=kind, handler=handler)
        )


def _owner(path: str, home: str) -> shapes.Json:
    found = projects.project_of(path, home)
    return {"path": found.path, "name": found.name}


def _size(database: str) -> int:
    try:
        return Path(database).stat().st_size
    except OSError:
        return 0
