"""Files that no agent writes on a good day: odd times, copies, halves, huge prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ibid.duties.importing import ImportRun, find_transcripts
from ibid.engine.memory import Memory
from ibid.engine.model import MINUTE, FixedClock, SearchRequest
from ibid.store.candidates import CandidatePage
from ibid.store.verify import verify


def lines(session: str, at: object, text: str, name: str = "") -> str:
    """Return one turn of neutral events."""
    name, head = name or session, {"session": session, "at": at}
    made: list[dict[str, object]] = [
        {**head, "type": "session", "agent": "demo"},
        {
            "type": "prompt",
            "session": session,
            "at": at,
            "id": f"{name}p",
            "text": text,
        },
        {
            "type": "answer",
            "session": session,
            "at": at,
            "id": f"{name}a",
            "text": "Ok.",
        },
        {"type": "turn", "session": session, "at": at, "status": "completed"},
    ]
    return "".join(json.dumps(one) + "\n" for one in made)


def load(memory: Memory, folder: Path) -> dict[str, object]:
    """Import a folder."""
    run = ImportRun(find_transcripts([folder]), memory)
    for _ in run.steps():
        pass
    return run.report.as_dict()


@pytest.mark.parametrize(
    "at",
    [None, "", "yesterday", -1, 10**30, 1e308, "9999-12-31T23:59:59Z", [1],
     "0001-01-01T00:00:00Z", "2026-02-30T00:00:00Z", "1969-12-31T23:59:59Z"],
)  # fmt: skip
def test_any_time_is_survived_and_settles(
    memory: Memory, clock: FixedClock, tmp_path: Path, at: object
) -> None:
    """What claims to be of the far future waits no longer than what is of now (C1)."""
    folder = tmp_path / "f"
    folder.mkdir()
    (folder / "s.ibid.jsonl").write_text(lines("s", at, "Never feed the ibex."))
    assert load(memory, folder)["turns"] == 1
    views, _ = memory.queue.page(CandidatePage())
    assert len(views) == 1
    assert views[0].row["due"] <= clock.now() + 30 * MINUTE
    assert verify(memory.store.read(), full=True) == []
    assert load(memory, folder)["bytes"] == 0


def test_copies_under_other_names_add_nothing(memory: Memory, tmp_path: Path) -> None:
    """A copied file, and a fork with the same ids, share what is there."""
    folder = tmp_path / "f"
    (folder / "deep").mkdir(parents=True)
    text = lines("s", "2026-04-01T00:00:00Z", "Never feed the ibex.")
    (folder / "s.ibid.jsonl").write_text(text)
    (folder / "deep" / "copy.ibid.jsonl").write_text(text)
    fork = text.replace('"session": "s"', '"session": "t"')
    (folder / "t.ibid.jsonl").write_text(fork)
    report = load(memory, folder)
    assert (report["turns"], report["candidates"]) == (1, 1)
    assert memory.search(SearchRequest("ibex", ("L0",))).total == 1
    assert verify(memory.store.read(), full=True) == []


def test_half_characters_and_a_huge_prompt(memory: Memory, tmp_path: Path) -> None:
    """Both are stored and found; the huge one whole."""
    folder = tmp_path / "f"
    folder.mkdir()
    at = "2026-04-01T00:00:00Z"
    huge = "Never feed the ibex. " + "a" * 500_000 + " " + "word " * 100_000
    (folder / "h.ibid.jsonl").write_text(lines("h", at, huge))
    half = lines("u", at, "Never \ud83d feed the \udc00 gnu.")
    (folder / "u.ibid.jsonl").write_text(half)
    assert load(memory, folder)["turns"] == 2
    (hit,) = memory.search(SearchRequest("ibex", ("L0",))).hits
    assert hit.text == huge.strip() or hit.text == huge
    assert memory.search(SearchRequest("gnu", ("L0",))).total == 1


def test_a_replaced_file_is_read_anew(memory: Memory, tmp_path: Path) -> None:
    """What stood in it stays, what stands in it now is added, once."""
    folder = tmp_path / "f"
    folder.mkdir()
    path = folder / "s.ibid.jsonl"
    path.write_text(lines("s", "2026-04-01T00:00:00Z", "Never feed the ibex.", "one"))
    load(memory, folder)
    fresh = folder / "fresh"
    fresh.write_text(lines("s", "2026-04-01T01:00:00Z", "Never feed the gnu.", "two"))
    fresh.replace(path)
    assert load(memory, folder)["turns"] == 1
    assert memory.search(SearchRequest("ibex", ("L0",))).total == 1
    assert memory.search(SearchRequest("gnu", ("L0",))).total == 1
    assert verify(memory.store.read(), full=True) == []
