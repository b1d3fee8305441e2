"""VS Code with a server that is slow, dead, missing, huge or full of hostile text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .conftest import Orders
    from .workbench import Workbench

pytestmark = pytest.mark.editor

QUEUE, NOTES, USED, SESSIONS = "Review queue", "Notes", "Memory used", "Sessions"


@pytest.fixture
def ordered(orders: Orders, faulty: Workbench) -> Any:
    """Return what opens the workspace anew with a server that does as ordered."""

    def open_with(**wanted: Any) -> Workbench:
        orders.give(**wanted)
        faulty.open(faulty.home / "shop")
        faulty.do("container", "Ibid")
        return faulty

    yield open_with
    orders.give()


def test_ten_thousand_notes_are_read_a_page_at_a_time(ordered: Any) -> None:
    """A long list shows its first page at once and the next one when asked."""
    bench = ordered(notes=10_000, candidates=300)
    bench.until(lambda: bench.labels(NOTES))

    def at_the_end() -> list[str]:
        bench.do("end", NOTES)
        return bench.labels(NOTES)

    for left in (9_900, 9_800):
        more = f"Load more ({left} left)"
        bench.until(at_the_end, lambda seen, more=more: more in seen)
        bench.do("click", NOTES, more)
    bench.until(lambda: bench.do("badge", "Ibid"), lambda seen: seen == "300")
    bench.shot("many")


def hostile_rows(bench: Workbench, view: str) -> list[dict[str, Any]]:
    """Return the visible rows of a view with the fake server's hostile text."""
    rows = bench.do("rows", view)
    return [row for row in rows if "command:ibid.deleteNote" in row["label"]]


def test_hostile_text_is_inert_in_rows_and_tooltips(ordered: Any) -> None:
    """Links, commands, icons and hidden characters of a text stay plain characters."""
    bench = ordered()
    hostile = []
    for view in (QUEUE, NOTES, USED):
        bench.until(lambda view=view: bench.labels(view))
        if view == USED:
            bench.do("end", view)
        hostile += bench.until(lambda view=view: hostile_rows(bench, view))
    for row in hostile:
        assert row["links"] == 0
        assert "$(trash) gnp.exe ab" in row["label"]
    # The hover of what the mouse was over before may come late: look again then.
    shown = bench.until(
        lambda: bench.do("tooltip", QUEUE, "[run]"),
        lambda seen: "deleteNote" in seen["text"],
    )
    assert "[run](command:ibid.deleteNote)" in shown["text"]
    assert (shown["links"], shown["pictures"]) == ([], 0)
    bench.shot("hostile")


def test_hostile_text_is_inert_in_quick_picks(ordered: Any) -> None:
    """A search shows the text of its hits without turning any of it into icons."""
    bench = ordered()
    bench.until(lambda: bench.labels(QUEUE))
    bench.do("palette", "Ibid: Search Memory")
    bench.do("type", "anything", False)
    picks = bench.until(lambda: bench.do("picks"))
    assert "$(trash) gnp.exe ab" in picks[0]
    bench.do("press", "Escape")


def test_a_slow_server_is_shown_and_a_command_says_so(
    ordered: Any, orders: Orders
) -> None:
    """While answers are late, status bar and command say so; then it is well again."""
    bench = ordered()
    bench.until(lambda: bench.labels(NOTES))
    orders.give(delay=6)
    bench.do("palette", "Ibid: Filter Notes")
    bench.until(lambda: bench.do("status")["text"], lambda seen: "slow" in seen)
    said = bench.do("message", "has not answered")
    assert said["buttons"] == ["Restart", "Show log"]
    bench.shot("slow")
    orders.give()
    bench.until(lambda: bench.do("status")["text"], lambda seen: seen == "Ibid 8")


def test_a_server_that_ends_once_is_started_again(ordered: Any, orders: Orders) -> None:
    """A crash costs nothing but the moment: the views are back by themselves."""
    bench = ordered()
    bench.until(lambda: bench.labels(NOTES))
    orders.give(die="once", candidates=9)
    bench.do("palette", "Ibid: Refresh")
    bench.until(lambda: bench.do("status")["text"], lambda seen: seen == "Ibid 9")
    bench.until(lambda: bench.labels(NOTES))


def test_a_server_that_keeps_ending_is_left_down_with_a_way_on(
    ordered: Any, orders: Orders
) -> None:
    """After the last try, view, status bar and commands say so and offer a restart."""
    bench = ordered(die=True)
    bench.until(lambda: bench.do("status")["text"], lambda seen: "stopped" in seen)
    assert "error-kind" in bench.do("status")["classes"]
    bench.until(lambda: bench.do("welcome", QUEUE), lambda seen: "running" in seen)
    bench.do("palette", "Ibid: Add Note")
    bench.do("type", "The cache lives in Redis")
    bench.do("pick", "fact")
    said = bench.do("message", "is not running")
    assert said["buttons"][0] == "Restart"
    bench.shot("dead")
    orders.give()
    bench.do("messageButton", "is not running", "Restart")
    bench.until(lambda: bench.do("status")["text"], lambda seen: seen == "Ibid 8")
    bench.until(lambda: bench.labels(QUEUE))


def test_a_missing_server_is_said_with_the_command_that_installs_it(
    ordered: Any,
) -> None:
    """Without a server the view has a button, whose message shows the command."""
    bench = ordered()
    settings = bench.home / "data" / "Machine" / "settings.json"
    before = settings.read_text(encoding="utf-8")
    try:
        nowhere = {"ibid.server.path": str(bench.home / "nowhere")}
        settings.write_text(json.dumps(nowhere), encoding="utf-8")
        bench.until(lambda: bench.do("status")["text"], lambda seen: "not inst" in seen)
        bench.until(lambda: bench.do("welcome", QUEUE), lambda seen: "Install" in seen)
        bench.do("palette", "Ibid: Install the Server")
        said = bench.do("message", "install")
        assert "ibid-memory" in said["text"]
        assert "nowhere" in said["text"]
        assert said["buttons"] == ["Run in a terminal", "Copy", "Set its path"]
        bench.shot("missing")
    finally:
        settings.write_text(before, encoding="utf-8")
    bench.until(lambda: bench.labels(QUEUE))


def test_the_net_is_a_page_with_the_same_figures_as_text(ordered: Any) -> None:
    """Chart, table and sums of a page that neither runs nor fetches what it is told."""
    bench = ordered()
    bench.until(lambda: bench.labels(NOTES))
    bench.do("palette", "Ibid: Show Net of Cost and Saving")
    page = bench.until(lambda: bench.do("page"), lambda seen: "stubs" in seen["text"])
    assert page["names"] == ["Cost against saving over time"]
    assert page["bars"] > 30
    stubs = ["stubs", "18,400", "−3,100", "960", "+14,340", "41", "on"]
    assert stubs in page["rows"]
    hints = next(row for row in page["rows"] if row[0] == "hints")
    assert hints[1:5] == ["unknown", "0", "2,100", "unknown"]
    assert "<img src=x onerror=alert(1)> **bold**" in page["text"]
    assert page["pictures"] == 0
    assert bench.do("pageEscape", bench.address) == []
    bench.shot("net-page")


def test_what_was_switched_off_is_turned_on_from_the_page(ordered: Any) -> None:
    """A demotion says why, and one button takes it back (P3)."""
    bench = ordered()
    bench.until(lambda: bench.labels(NOTES))
    bench.do("palette", "Ibid: Show Net of Cost and Saving")
    page = bench.until(lambda: bench.do("page"), lambda seen: "deltas" in seen["text"])
    assert "with 95 % confidence below zero" in page["text"]
    bench.do("pageButton", "Turn deltas back on for codex")
    bench.do("message", "deltas is on again for codex")
    bench.until(
        lambda: bench.do("page")["text"], lambda seen: "Switched off" not in seen
    )
