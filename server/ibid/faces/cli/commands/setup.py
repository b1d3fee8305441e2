"""``ibid setup`` and ``ibid doctor``: join the agents, and see whether it worked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ibid.agents.setups import AGENTS, EDITORS, editor
from ibid.duties import doctor as examining
from ibid.duties import rivals as watching
from ibid.duties import setting
from ibid.engine.keep import rivals
from ibid.errors import DisabledError
from ibid.faces import shapes, standing
from ibid.faces.cli import render
from ibid.faces.cli.options import FAILURE, Face, common
from ibid.store import projects, settings

if TYPE_CHECKING:
    from ibid.duties.setting import Prepared


@click.command()
@click.argument("agent", metavar="AGENT", type=click.Choice((*AGENTS, *EDITORS)))
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--dry-run", "dry", is_flag=True, help="Only show what would change.")
@click.option("--undo", is_flag=True, help="Take back what set-up wrote.")
@common
def setup(face: Face, agent: str, yes: bool, dry: bool, undo: bool) -> None:
    """Give AGENT Ibid's hooks and tools; shows the change and asks first.

    AGENT is claude-code, codex, gemini, opencode, copilot or cursor; for an editor,
    nvim or vscode, it says what to do.
    """
    if agent in EDITORS:
        steps = editor(agent)
        shape = {"agent": agent, "state": "manual", "files": [], "todo": list(steps)}
        face.show(shape, lambda: render.text("\n".join(steps)))
        return
    where, home = watching.this_machine(), projects.home_folder()
    if not undo:
        _refuse_beside_rivals(face, home)
    plan = setting.prepare_undo if undo else setting.prepare
    prepared = plan(agent, where, home)
    state = "unchanged" if prepared.is_idle else "preview"
    if not prepared.is_idle and not dry:
        if not yes:
            _show_diff(prepared)
            click.confirm("Change these files so?", abort=True, err=True)
        setting.carry_out(prepared, home)
        state = "undone" if undo else "installed"
    elif not dry:
        setting.carry_out(prepared, home)
    shape = shapes.setup(prepared, state)
    face.show(shape, lambda: _tell(prepared, state, yes or dry))
    if any(one.problem for one in prepared.changes):
        raise SystemExit(FAILURE)


@click.command()
@click.option("--allow", default="", metavar="RIVAL", help="Let it be beside Ibid.")
@common
def doctor(face: Face, allow: str) -> None:
    """Say how Ibid, its agents and what is beside it are doing, and what to do.

    Exit status 1 when something fails.
    """
    if allow:
        face.memory.allow_rival(allow)
        render.notice(f"{allow} is allowed beside Ibid; this is on the record.")
    report = examining.examine(face.memory, watching.this_machine(), standing.texts())

    def show() -> None:
        versions = report.facts.versions.items()
        render.line(" · ".join(f"{name} {version}" for name, version in versions))
        for one in report.checks:
            render.line(f"{one.state:<4}  {one.name}: {one.message}")
            if one.next:
                render.line(f"      → {one.next}")

    face.show(shapes.doctor(report), show)
    if not report.is_well:
        raise SystemExit(FAILURE)


def _refuse_beside_rivals(face: Face, home: str) -> None:
    """Refuse beside an active rival, before anything is written anywhere (Q1)."""
    place = face.project or os.getcwd()  # noqa: PTH109
    project = projects.project_of(place, home).path
    seen = watching.look(str(Path.home()), project, os.environ)
    allowed = rivals.allowed_in(settings.load_global(home))
    barred = rivals.active(seen, allowed)
    if barred:
        raise DisabledError(rivals.refusal(barred))
    for one in seen:
        if one.state == rivals.LEFTOVER:
            render.notice(
                f"{one.rival} is not active; left over: {one.what} {one.where}"
            )


def _show_diff(prepared: Prepared) -> None:
    for change in prepared.changes:
        if change.diff:
            render.notice(change.diff)


def _tell(prepared: Prepared, state: str, with_diff: bool) -> None:
    if with_diff:
        for change in prepared.changes:
            if change.diff:
                render.text(change.diff)
    for change in prepared.changes:
        if change.problem:
            render.line(f"{change.path}: {change.problem}")
    said = {
        "unchanged": "Nothing to change.",
        "preview": "Nothing was written.",
        "installed": f"{prepared.agent} is set up. Still to do:",
        "undone": f"{prepared.agent} is as it was.",
    }
    render.line(said[state])
    if state != "preview":
        for step in prepared.todo:
            render.line(f"- {step}")
