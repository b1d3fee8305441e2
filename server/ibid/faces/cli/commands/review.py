"""``ibid review``: the queue of what may become memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ibid.engine.model import CATEGORIES
from ibid.faces import shapes
from ibid.faces.cli import render
from ibid.faces.cli.options import Face, common
from ibid.store.candidates import STATES, CandidatePage

if TYPE_CHECKING:
    from ibid.engine.keep.queue import CandidateView


@click.group()
def review() -> None:
    """List, accept, edit, reject and snooze candidates."""


@review.command("list")
@click.option("--query", default="", help="Only those whose text holds this.")
@click.option(
    "--state", type=click.Choice(STATES), help="Those in this state; else what waits."
)
@click.option("--limit", default=100, type=click.IntRange(0, 10_000))
@click.option("--offset", default=0, type=click.IntRange(0))
@common
def list_(face: Face, **given: Any) -> None:
    """List what waits, the soonest due first, then what your history said."""
    face.memory.settle()
    given["state"] = given["state"] or ""
    views, total = face.memory.queue.page(CandidatePage(**given))
    rows = [shapes.candidate(view) for view in views]

    def show() -> None:
        render.table(
            ("id", "left", "category", "why", "sentence"),
            (
                (
                    face.short("candidate", row["id"]),
                    render.left(row["left"], row["waits"]),
                    row["category"],
                    row["reason"] or row["signal"],
                    row["text"],
                )
                for row in rows
            ),
            f"No candidate is {given['state']}."
            if given["state"]
            else "Nothing waits.",
        )
        if total > len(rows):
            render.notice(f"{len(rows)} of {total}; more with --offset.")
        expired = face.memory.queue.expired()
        if expired:
            render.notice(f"{expired} expired untouched (--state expired).")

    face.show(rows, show)


@review.command()
@click.argument("candidate_ids", metavar="ID...", nargs=-1, required=True)
@click.option("--pin", "pinned", is_flag=True, help="Pin the note as well.")
@common
def accept(face: Face, candidate_ids: tuple[str, ...], pinned: bool) -> None:
    """Make candidates notes now."""
    notes = [
        shapes.note(face.memory.queue.accept(one, pinned)) for one in candidate_ids
    ]

    def show() -> None:
        for row in notes:
            render.line(f"{row['id']} {row['category']}: {row['text']}")

    face.show(notes[0] if len(notes) == 1 else notes, show)


@review.command()
@click.argument("candidate_id", metavar="ID")
@click.argument("text", nargs=-1, required=True)
@click.option("--category", type=click.Choice(CATEGORIES))
@click.option("--version", type=int, help="The version you read; guards others' edits.")
@common
def edit(
    face: Face,
    candidate_id: str,
    text: tuple[str, ...],
    category: str | None,
    version: int | None,
) -> None:
    """Change a candidate's words or category; it waits on."""
    queue = face.memory.queue
    _show(face, [queue.edit(candidate_id, " ".join(text), category or "", version)])


@review.command()
@click.argument("candidate_ids", metavar="ID...", nargs=-1, required=True)
@common
def reject(face: Face, candidate_ids: tuple[str, ...]) -> None:
    """Let candidates go; the like of them goes to review from now on."""
    _show(face, [face.memory.queue.reject(one) for one in candidate_ids])


@review.command()
@click.argument("candidate_ids", metavar="ID...", nargs=-1, required=True)
@common
def restore(face: Face, candidate_ids: tuple[str, ...]) -> None:
    """Take rejected candidates back into the queue."""
    _show(face, [face.memory.queue.restore(one) for one in candidate_ids])


@review.command()
@click.argument("candidate_ids", metavar="ID...", nargs=-1, required=True)
@click.option(
    "--until", type=click.Choice(("day", "session")), default="day", show_default=True
)
@common
def snooze(face: Face, candidate_ids: tuple[str, ...], until: str) -> None:
    """Put candidates off for a day, or until a next session begins."""
    _show(face, [face.memory.queue.snooze(one, until) for one in candidate_ids])


def _show(face: Face, views: list[CandidateView]) -> None:
    rows = [shapes.candidate(view) for view in views]

    def show() -> None:
        for row in rows:
            render.line(f"{row['id']} {row['state']}: {row['text']}")

    face.show(rows[0] if len(rows) == 1 else rows, show)
