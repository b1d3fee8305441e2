"""``ibid/session/…``, ``ibid/policy/…`` and ``ibid/report``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ibid.engine.keep.account import DAYS
from ibid.faces import shapes
from ibid.faces.lsp.dispatch import Feature, Kind
from ibid.faces.lsp.params import Params

if TYPE_CHECKING:
    from collections.abc import Callable

    from ibid.faces.lsp.hub import Hub
    from ibid.faces.lsp.server import IbidServer


class PageParams(Params):
    """Which page of a list."""

    limit: int = 100
    offset: int = 0


class SessionParams(Params):
    """A session's id or unique prefix."""

    session: str


class PresetParams(Params):
    """A session and the preset it gets."""

    preset: str
    session: str = ""
    agent: str = ""


class PolicyParams(Params):
    """A setting and its value; ``null`` inherits."""

    name: str
    scope: Literal["global", "project"] = "project"
    value: bool | int | str | list[str] | None = None


class ReportParams(Params):
    """A demoted feature to turn on, for every role or one; how many days to tell."""

    enable: str = ""
    role: str = ""
    days: int = DAYS


def register(server: IbidServer, hub: Hub) -> None:
    """Serve sessions, policies and the report."""

    def sessions(params: PageParams) -> shapes.Json:
        rows, total = hub.memory(params.project).sessions.page(
            params.limit, params.offset
        )
        return {"sessions": [shapes.session(row) for row in rows], "total": total}

    def preset(params: PresetParams) -> shapes.Json:
        found = hub.memory(params.project).sessions
        if params.agent and not params.session:
            return found.preset_next(params.agent, params.preset)
        return shapes.session(found.preset(params.session, params.preset))

    def delete(params: SessionParams) -> shapes.Json:
        done = hub.memory(params.project).eraser.delete_session(params.session)
        shape = shapes.deleted(done)
        return {"session": done.name, "job": shape["job"], "waits": shape["waits"]}

    def get(params: Params) -> shapes.Json:
        return hub.memory(params.project).policies()

    def set_(params: PolicyParams) -> shapes.Json:
        memory = hub.memory(params.project)
        return memory.set_policy(params.scope, params.name, params.value)

    def report(params: ReportParams) -> shapes.Json:
        memory = hub.memory(params.project)
        if params.enable:
            memory.enable(params.enable, params.role)
        return shapes.report(memory.report(params.days))

    table: list[tuple[str, type, Kind, Callable[..., Any]]] = [
        ("ibid/session/list", PageParams, Kind.READ, sessions),
        ("ibid/session/preset", PresetParams, Kind.WRITE, preset),
        ("ibid/session/delete", SessionParams, Kind.WRITE, delete),
        ("ibid/policy/get", Params, Kind.READ, get),
        ("ibid/policy/set", PolicyParams, Kind.WRITE, set_),
        ("ibid/report", ReportParams, Kind.WRITE, report),
    ]
    for method, params, kind, handler in table:
        server.register(
            Feature(method=method, params=params, kind=kind, handler=handler)
        )
