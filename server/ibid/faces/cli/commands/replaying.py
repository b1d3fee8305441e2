"""``ibid replay``: what memory would have cost and saved, before it is switched on."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ibid.duties import importing
from ibid.duties.replaying import Ground, ReplayRun
from ibid.errors import InputError
from ibid.faces import replays
from ibid.faces.cli import charts, render
from ibid.faces.cli.commands.memory import drive
from ibid.faces.cli.options import Face, common
from ibid.store.projects import home_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADS = (
    *("role", "feature", "n", "gross", "bounced", "cost", "net", "carried", "95 %"),
    "items used, found, not, untold",
)


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--chart", type=click.Path(path_type=Path), help="Write an SVG here.")
@click.option("--sessions", is_flag=True, help="Show each session as well.")
@common
def replay(
    face: Face, paths: tuple[Path, ...], chart: Path | None, sessions: bool
) -> None:
    """Play past sessions: PATHS, or those of the project that are still to be had.

    They run through a memory that is thrown away afterwards, in the order of time and
    with only what was known at each moment.  Nothing else is written, nothing is sent.
    """
    home = home_folder()
    if paths:
        files = importing.find_transcripts(paths)
        ground = Ground(home, face.project or "", face.project or os.getcwd())  # noqa: PTH109
        run = ReplayRun(files, ground)
    else:
        memory = face.memory
        files = importing.machine_transcripts(dict(os.environ), Path.home())
        files = [one for one in files if importing.belongs(one, memory)]
        run = ReplayRun(files, Ground(home, memory.project.path), memory)
    with _stopped_by_signals(), closing(run.steps()) as steps:
        drive(steps, "Replaying", quiet=face.as_json)
    shape = replays.replay(run)
    if chart is not None:
        _write(chart, charts.svg(shape))
    face.show(shape, lambda: _show(shape, sessions=sessions))


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Let a closed terminal or ``kill`` end the block as an error does: it cleans up.

    The status is the one that a shell gives to a process that a signal ended.
    """

    def stop(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    known = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number and signal.getsignal(number) == signal.SIG_DFL:  # Else: nohup.
                known[number] = signal.signal(number, stop)
    try:
        yield
    finally:
        for number, before in known.items():
            signal.signal(number, before)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror}.") from error


def _show(shape: dict[str, Any], *, sessions: bool) -> None:
    for problem in shape["problems"]:
        render.notice(problem)
    if not shape["sessions"]:
        render.notice("No past session was found. Name transcripts or their folder.")
        return
    days = f"{render.when(shape['from'])} to {render.when(shape['to'])}"
    render.line(
        f"{render.count(shape['sessions'], 'session')} of "
        f"{render.count(shape['projects'], 'project')}, {days}, "
        f"{shape['bytes']:,} bytes in {shape['seconds']} s"
    )
    render.line()
    for bar in charts.bars(shape["features"]):
        render.text(bar)
    render.line()
    lines = [{**one, "role": "all"} for one in shape["features"]] + shape["roles"]
    render.table(_HEADS, (_cells(one) for one in lines))
    if sessions:
        render.line()
        _show_sessions(shape["rows"])
    render.line()
    _show_held(shape["held"])
    render.notice(
        f"Tokens estimated by {shape['estimator']}; carried: times the requests that "
        f"carry them; interval: {shape['interval']}. An injection has no "
        "counterfactual: what it saved is unknown."
    )


def _cells(one: dict[str, Any]) -> tuple[object, ...]:
    items = one["items"]
    known = [items[name] for name in ("used", "found", "unused", "untold")]
    interval = one["interval"]
    unknown = one["unknown"]
    return (
        one["role"],
        one["feature"],
        one["samples"],
        "unknown" if unknown else f"{one['gross']:,}",
        f"{-one['bounced']:,}",
        f"{one['cost']:,}",
        "unknown" if unknown else f"{one['net']:+,}",
        f"{one['carried']['net']:+,}",
        "–" if interval is None or unknown else f"{interval[0]:+,} … {interval[1]:+,}",
        ", ".join(map(str, known)) if items["sent"] else "–",
    )


def _show_sessions(rows: list[dict[str, Any]]) -> None:
    render.table(
        ("session", "agent", "began", "prompts", "reads", "requests", "net by feature"),
        (
            (
                row["session"][:12],
                row["agent"],
                render.when(row["at"]),
                row["prompts"],
                row["reads"],
                row["requests"],
                ", ".join(
                    f"{one['feature']} {one['net']:+,}" for one in row["features"]
                ),
            )
            for row in rows
        ),
    )


def _show_held(held: dict[str, Any]) -> None:
    """Say what was got again although memory held it: what could be saved at most."""
    for name, said in (
        ("again", "first reads were of files that an earlier session had read"),
        ("againSame", "of them showed the very same text"),
        ("reruns", "commands gave the very output they had given before"),
        ("said", "sentences of a person stood in a note of another session already"),
    ):
        pile = held[name]
        render.line(f"{pile['count']} {said} ({pile['tokens']:,} tokens)")
