"""``ibid/project/…``: which there are, whose a folder is, who recalls whom (S1, S2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ibid.faces import shapes
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.hub import path_of
from ibid.faces.lsp.params import Params
from ibid.store import includes, moving, projects

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


class IncludeParams(Params):
    """Another project, by path or name, and whether recall may use it."""

    other: str
    included: bool


def register(server: IbidServer, hub: Hub) -> None:
    """Serve the list of projects, links and moves."""

    def list_projects(params: Params) -> shapes.Json:
        home = hub.memory(params.project).home
        found = projects.list_projects(home)
        return {"projects": [shapes.project(one, home) for one in found]}

    def include(params: IncludeParams) -> shapes.Json:
        memory = hub.memory(params.project)
        is_uri = params.other.startswith("file:")
        other = path_of(params.other) if is_uri else params.other
        includes.change(memory.home, memory.project, other, params.included)
        return shapes.project(memory.project, memory.home)

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
        ("ibid/project/include", IncludeParams, Kind.WRITE, include),
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
