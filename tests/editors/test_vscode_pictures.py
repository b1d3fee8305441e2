"""Takes the pictures of docs/images from a real VS Code, in any theme.

Run by hand when a view changes, for what is in the pictures is for people to judge:

    IBID_PICTURES=docs/images pytest -m slow tests/editors/test_vscode_pictures.py

``IBID_THEME`` names another theme, such as *Default Dark Modern*.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .conftest import UPLOAD, Memory, write_command
from .workbench import Workbench

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.editor, pytest.mark.slow]

QUEUE, NOTES, ARCHIVE, USED, READS = (
    *("Review queue", "Notes", "Archive", "Memory used"),
    "Reads",
)
MOST_BYTES = 200_000
FAILED = "1 failed, 11 passed in 4.2s"
LOG = ("9f1c2ab Back off between attempts", "77d10e2 Send in parts, timeout 60 s")


def ran(command: str, *lines: str) -> dict[str, Any]:
    """Return the event of a command and what it said."""
    given = {"type": "tool", "name": "Bash", "input": {"command": command}}
    return {**given, "output": "\n".join(lines) + "\n"}


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    """Return a project with a few days of work in its memory."""
    memory = Memory(tmp_path_factory.mktemp("story"))
    upload = str(memory.folder / "src" / "upload.py")
    lines = len(UPLOAD.splitlines())
    whole = {"first": 1, "last": lines, "total": lines, "text": UPLOAD}
    memory.run("note", "list")  # From now on the project is known: nothing is history.
    memory.see(
        "retries",
        "The upload test is flaky on CI, please find out why.",
        {"type": "read", "path": upload, **whole},
        ran("pytest -x tests/test_upload.py", "E  TimeoutError: line dropped", FAILED),
        ran("git log --oneline -3 src/upload.py", *LOG),
    )
    memory.say(
        "parts",
        ("Uploads above 2 GB must always be sent in parts of 64 MB.", "Done."),
        ("Never log request bodies in payments/.", "Understood."),
        ("We decided to keep the ledger in Postgres.", "Noted."),
        ("I prefer small commits, one behaviour each.", "Will do."),
    )
    for text, category, symbol in (
        ("Retry limit is 3 for all outbound calls.", "decision", "backoff"),
        ("backoff() never waits longer than a minute.", "constraint", "backoff"),
        ("Parts are sent one after the other, never in parallel.", "fact", "Uploader"),
    ):
        memory.run(
            "note", "add", text, "--category", category, "--path", "src/upload.py",
            "--symbol", symbol,
        )  # fmt: skip
    memory.run("recall", "what is the retry limit for uploads", "--session", "blue")
    changed = UPLOAD.replace("60.0", "45.0")
    (memory.folder / "src" / "upload.py").write_text(changed, encoding="utf-8")
    return memory


@pytest.fixture(scope="module")
def bench(
    editor: Path, vsix: Path, story: Memory, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workbench]:
    """Start a workbench on that project, in the theme that is asked for."""
    home = tmp_path_factory.mktemp("bench")
    bench = Workbench(editor, vsix, home, story.command, settings=theme())
    bench.open(story.folder)
    bench.do("container", "Ibid")
    bench.do("widen", 430)
    yield bench
    bench.close()


def theme() -> dict[str, str]:
    """Return the setting for the theme of the environment."""
    name = os.environ.get("IBID_THEME", "")
    return {"workbench.colorTheme": name} if name else {}


def keep(bench: Workbench, name: str) -> None:
    """Take a picture, into docs/images if told so; it must be small."""
    folder = Path(os.environ.get("IBID_PICTURES", bench.home / "pictures")).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"vscode-{name}.png"
    bench.do("shot", str(path))
    assert 5_000 < path.stat().st_size < MOST_BYTES


def only(bench: Workbench, *views: str) -> None:
    """Unfold these views alone."""
    for view in (QUEUE, NOTES, ARCHIVE, USED, READS, "Sessions", "Net"):
        bench.do("unfold" if view in views else "fold", view)


def test_the_queue_beside_what_was_said(bench: Workbench) -> None:
    """What waits, why, and the turn in which it was said."""
    only(bench, QUEUE)
    bench.until(lambda: len(bench.labels(QUEUE)) >= 4)
    bench.do("expand", QUEUE, "Never log")
    bench.until(lambda: any("Said in" in one for one in bench.labels(QUEUE)))
    bench.do("click", QUEUE, "Said in turn 2")
    bench.until(lambda: "Never log" in bench.do("editor")["text"])
    keep(bench, "queue")


def test_the_block_that_was_sent(bench: Workbench) -> None:
    """The receipt of an injection, down to its exact text."""
    bench.do("tidy")
    only(bench, USED)
    bench.until(lambda: bench.labels(USED))
    bench.do("expand", USED, "tokens")
    bench.do("click", USED, "tokens")
    bench.until(lambda: "untrusted" in bench.do("editor")["text"])
    keep(bench, "receipt")


def test_the_notes_on_their_code(bench: Workbench) -> None:
    """Lenses, and the hover of a symbol, beside the list of notes."""
    bench.do("tidy")
    only(bench, NOTES)
    bench.until(lambda: bench.labels(NOTES))
    bench.do("expand", NOTES, "never waits")
    bench.do("file", "src/upload.py")
    bench.until(lambda: len(bench.do("lenses")) >= 2)
    keep(bench, "notes")
    bench.do("hover", "backoff")
    keep(bench, "hover")


def test_the_archive_and_its_search(bench: Workbench) -> None:
    """The list while one types, above the view of the search before."""
    bench.do("tidy")
    only(bench, ARCHIVE)
    for words in ("timeout", "timeout line"):
        bench.do("palette", "Ibid: Search the Archive")
        bench.do("type", words, False)
        bench.until(lambda: len(bench.do("picks")) >= 2)
        if words == "timeout":
            bench.do("press", "Escape")
            bench.until(lambda: bench.labels(ARCHIVE))
            bench.do("click", ARCHIVE, "pytest -x")
            bench.until(lambda: "TimeoutError" in bench.do("editor")["text"])
    keep(bench, "archive")
    bench.do("press", "Escape")


def test_the_reads_of_a_file(bench: Workbench) -> None:
    """The file in front, who read it, and that it changed since."""
    bench.do("tidy")
    only(bench, READS)
    bench.do("file", "src/upload.py")
    bench.until(lambda: len(bench.labels(READS)) >= 4)
    keep(bench, "reads")


def test_the_net_over_time(
    editor: Path, vsix: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two months of accounts, which only a fake server has in a test."""
    home = tmp_path_factory.mktemp("net")
    orders = home / "orders.json"
    orders.write_text('{"calm": true}', encoding="utf-8")
    fake = [sys.executable, str(Path(__file__).parent / "fake_server.py")]
    write_command(home / "bin" / "ibid", fake, {"IBID_FAKE_ORDERS": str(orders)})
    (home / "shop").mkdir()
    bench = Workbench(editor, vsix, home, home / "bin" / "ibid", settings=theme())
    try:
        bench.do("open", f"{bench.address}?folder={home / 'shop'}", 1280, 1060)
        bench.do("container", "Ibid")
        bench.do("palette", "View: Toggle Primary Side Bar Visibility")
        bench.do("palette", "Ibid: Show Net of Cost and Saving")
        bench.until(lambda: "stubs" in bench.do("page")["text"])
        keep(bench, "net")
    finally:
        bench.close()
