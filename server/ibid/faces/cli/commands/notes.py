"""``ibid note``: what a person does with notes."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click

from ibid.engine.keep.notes import NoteText
from ibid.engine.model import CATEGORIES
from ibid.errors import InputError, StoreError
from ibid.faces import shapes
from ibid.faces.cli import render
from ibid.faces.cli.options import Face, common
from ibid.store.memories import SORTS, VIEWS, Page

if TYPE_CHECKING:
    from ibid.engine.keep.notes import NoteView

_CATEGORY = click.Choice(CATEGORIES)
_NONE = (
    "No such note. `ibid note list` shows all; `ibid import` reads past sessions, "
    "`ibid note add` notes something."
)


@click.group()
def note() -> None:
    """Add, list, correct, pin, forget and restore notes."""


@note.command()
@click.argument("text", nargs=-1, required=True)
@click.option("--category", type=_CATEGORY, help="Else what the text itself signals.")
@click.option("--pin", "pinned", is_flag=True, help="Always recalled first.")
@click.option("--role", default="", help="For one role only.")
@click.option("--path", default="", help="The file it is about.")
@click.option("--symbol", default="", help="The symbol in that file.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@common
def add(face: Face, text: tuple[str, ...], **given: Any) -> None:
    """Note TEXT: active at once, a person's own word."""
    given["category"] = given["category"] or ""
    new = NoteText(" ".join(text), **given)
    _show(face, face.memory.notes.add(new))


@note.command("list")
@click.option("--view", type=click.Choice(VIEWS), default="all", show_default=True)
@click.option("--sort", type=click.Choice(SORTS), default="updated", show_default=True)
@click.option("--query", default="", help="Only those whose text holds this.")
@click.option("--path", default="", help="Only those about this file.")
@click.option("--limit", default=100, type=click.IntRange(0, 10_000))
@click.option("--offset", default=0, type=click.IntRange(0))
@common
def list_(face: Face, **given: Any) -> None:
    """List notes and episodes."""
    _look(face)
    views, total = face.memory.notes.page(Page(**given))
    rows = [shapes.note(view) for view in views]

    def show() -> None:
        render.table(
            ("id", "category", "pin", "used", "text"),
            (
                (
                    face.short("memory", row["id"]),
                    row["category"],
                    "pin" if row["pinned"] else "",
                    row["uses"],
                    render.brief(row["text"]),
                )
                for row in rows
            ),
            _NONE,
        )
        if total > len(rows):
            render.notice(f"{len(rows)} of {total}; more with --offset.")

    face.show(rows, show)


@note.command("show")
@click.argument("note_id", metavar="ID")
@common
def show_(face: Face, note_id: str) -> None:
    """Show one note, episode or the profile, whole, with what it is about."""
    _look(face)
    row = shapes.note(face.memory.notes.show(note_id))

    def show() -> None:
        marks = [row["layer"], row["category"], row["origin"], row["state"]]
        marks += ["pinned"] if row["pinned"] else []
        render.line(f"{row['id']} · {' · '.join(marks)}")
        render.text(row["text"])
        for one in row["anchors"]:
            symbol = f" {one['symbol']}" if one["symbol"] else ""
            render.line(f"About {one['path']}{symbol}, {one['state']}")
        for one in row["sources"]:
            render.line(_said(one))
        for name in ("supersedes", "conflicts", "file", "reason"):
            if row[name]:
                render.line(f"{name.capitalize()}: {row[name]}")
        if row["uses"]:
            times = render.count(row["uses"], "time")
            render.line(f"Recalled {times}, last {render.when(row['used'])}")

    face.show(row, show)


@note.command()
@click.argument("note_id", metavar="ID")
@click.argument("words", metavar="[TEXT]...", nargs=-1)
@click.option("--text", help="The new wording, too.")
@click.option("--category", type=_CATEGORY)
@click.option("--tag", "tags", multiple=True, help="Replaces the tags.")
@click.option("--version", type=int, help="The version you read; guards others' edits.")
@common
def edit(
    face: Face,
    note_id: str,
    words: tuple[str, ...],
    tags: tuple[str, ...],
    **given: Any,
) -> None:
    """Give a note a new TEXT, category or tags."""
    if words and given["text"] is not None:
        raise InputError("Give the new wording once: as TEXT or with --text.")
    changes = {**given, "tags": list(tags) or None}
    if words:
        changes["text"] = " ".join(words)
    _show(face, face.memory.notes.edit(note_id, changes))


@note.command()
@click.argument("note_id", metavar="ID")
@click.argument("text", nargs=-1, required=True)
@common
def correct(face: Face, note_id: str, text: tuple[str, ...]) -> None:
    """Replace a note by a pinned correction that keeps its sources."""
    _show(face, face.memory.notes.correct(note_id, " ".join(text)))


@note.command()
@click.argument("note_id", metavar="ID")
@common
def pin(face: Face, note_id: str) -> None:
    """Pin a note: recalled first, never pruned."""
    _show(face, face.memory.notes.pin(note_id))


@note.command()
@click.argument("note_id", metavar="ID")
@common
def unpin(face: Face, note_id: str) -> None:
    """Unpin a note."""
    _show(face, face.memory.notes.pin(note_id, pinned=False))


@note.command()
@click.argument("note_id", metavar="ID")
@common
def forget(face: Face, note_id: str) -> None:
    """Deactivate a note; `ibid note restore` brings it back."""
    _show(face, face.memory.notes.forget(note_id))


@note.command()
@click.argument("note_id", metavar="ID")
@common
def restore(face: Face, note_id: str) -> None:
    """Reactivate a forgotten, superseded or quarantined note."""
    _show(face, face.memory.notes.restore(note_id))


@note.command()
@click.argument("note_id", metavar="ID")
@click.option("--path", default="", help="Only of this file; else all it names.")
@common
def confirm(face: Face, note_id: str, path: str) -> None:
    """Say that a note is still true, though the code it names changed or is gone."""
    _show(face, face.memory.notes.confirm(note_id, path))


@note.command()
@click.argument("note_id", metavar="ID")
@click.option("--said", is_flag=True, help="Also cut out where it was said.")
@click.option("--file", "with_file", is_flag=True, help="Its file goes too.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def delete(face: Face, note_id: str, said: bool, with_file: bool, yes: bool) -> None:
    """Delete a note for good: its words, history, evidence and receipt texts.

    A file that stays is never taken for a note again.
    """
    row = shapes.note(face.memory.notes.show(note_id))
    if not yes:
        where = " and where it was said" if said else ""
        render.notice(f"{row['id']}: {row['text']}")
        click.confirm(f"Delete it for good{where}?", abort=True, err=True)
        if row["file"] and not with_file:
            with_file = click.confirm(f"Delete {row['file']}, too?", err=True)
    done = face.memory.eraser.delete_note(note_id, said, with_file)
    stays = row["file"] if row["file"] and not with_file else ""
    face.show(shapes.deleted(done), lambda: render.line(render.erased(done, stays)))


@note.command()
@click.option("--off", is_flag=True, help="Hide them from Git again.")
@common
def share(face: Face, off: bool) -> None:
    """Let Git see the note files, so that a team can share them; they stay yours.

    Removes the .gitignore that Ibid put beside them; add and commit them as you like.
    """
    folders = face.memory.filenotes.share(not off)
    state = "hidden from Git" if off else "seen by Git"
    shape = {"folders": folders, "shared": not off}
    face.show(shape, lambda: render.line(f"{', '.join(folders)}: {state}."))


@note.command()
@click.argument("note_id", metavar="ID")
@click.option("--reveal", is_flag=True, help="Show secrets instead of masking them.")
@common
def evidence(face: Face, note_id: str, reveal: bool) -> None:
    """Show where a note was said, and its older wordings."""
    rows, history = face.memory.notes.evidence(note_id)
    shape = shapes.evidence(rows, history, reveal)

    def show() -> None:
        for one in shape["sources"]:
            render.line(f"{_said(one)}: {one['text'] or '(the turn is gone)'}")
        if not rows:
            row = shapes.note(face.memory.notes.show(note_id))
            given = f"{render.when(row['created'])}  Noted by hand ({row['origin']})"
            render.line(f"{given}; no session said it.")
        for old in shape["history"]:
            render.line(f"{render.when(old['at'])}  {old['why']}: {old['text']}")

    face.show(shape, show)


def _look(face: Face) -> None:
    """Look whether the code that notes name changed; a busy store knows it later."""
    with contextlib.suppress(StoreError):
        face.memory.anchors.refresh()


def _said(source: shapes.Json) -> str:
    """Return where and when something was said."""
    who = f"{source['agent']} {source['session'][:8]}".strip()
    return f"{render.when(source['at'])}  {who} turn {source['turn']}"


def _show(face: Face, view: NoteView) -> None:
    row = shapes.note(view)
    pinned = ", pinned" if row["pinned"] else ""
    face.show(
        row,
        lambda: render.line(
            f"{row['id']} {row['category']}{pinned}, {row['state']}: {row['text']}"
        ),
    )
