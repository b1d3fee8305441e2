"""Every place a sentence can hide in is empty after *and where it was said* (K3)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ibid.agents import events as e
from ibid.duties.importing import ImportRun, find_transcripts
from ibid.engine.memory import Memory
from ibid.engine.model import FixedClock, RecallRequest, SearchRequest
from ibid.store import backup, damage, transcripts
from ibid.store.candidates import CandidatePage
from ibid.store.verify import verify
from tests.engine.talk import Talk

SENTENCES = [
    'Never say "quokka" to the \\plover, always write wombat.',
    "绝不要把羊驼配置提交到仓库里。",
    "Always name the 🦔 hedgehog\u2019s port 7411 in config/zoo.toml.",
    "Never use tabs ok",
]


def record(kind: str, native: str, **fields: object) -> dict[str, object]:
    """Return one neutral event of session s1."""
    return {"type": kind, "session": "s1", "at": "2026-04-02T11:00:00Z", "id": native,
            **fields}  # fmt: skip


def write(folder: Path, events: list[dict[str, object]], ascii_: bool = True) -> Path:
    """Write a transcript of neutral events."""
    path = folder / "s1.ibid.jsonl"
    path.write_text(
        "".join(json.dumps(one, ensure_ascii=ascii_) + "\n" for one in events)
    )
    return path


def load(memory: Memory, path: Path) -> None:
    """Import one file."""
    for _ in ImportRun(find_transcripts([path]), memory).steps():
        pass


def everywhere(sentence: str) -> list[dict[str, object]]:
    """Return a session that has the sentence in every kind of place."""
    nested = json.dumps({"text": sentence})
    return [
        record("session", "h", agent="demo", title=f"About: {sentence}"),
        record("prompt", "p1", text=f"Look at it. {sentence}\nThanks."),
        record("tool", "t1", name="Bash",
               input={"command": f"git commit -m '{sentence}'"}, output="ok"),
        record("tool", "t2", name="Bash", input={"command": "cat log.jsonl"},
               output=f"line: {nested}"),
        record("tool", "t3", name="TodoWrite", input={"todos": [
            {"content": sentence, "status": "pending"}]}, output="ok"),
        record("tool", "t4", name="ExitPlanMode", input={"plan": f"# Plan\n{sentence}"},
               output="User has approved your plan"),
        record("answer", "a1", text=f"Understood: {sentence}"),
        record("turn", "e1", status="completed"),
        record("prompt", "p2", text=f"Earlier I said: {sentence} Do it now please."),
        record("answer", "a2", text="Done."),
        record("turn", "e2", status="completed"),
    ]  # fmt: skip


def todo(sentence: str) -> e.Todo:
    """Return an agent's to-do list and plan that hold the sentence."""
    return e.Todo(e.Head("s1", 0, "todo"), ((sentence, "pending"),), f"# {sentence}")


def left_over(memory: Memory, project: Path, sentence: str) -> list[str]:
    """Return where the sentence still is: tables, and files under home and project."""
    memory.store.checkpoint()
    connection = memory.store.read()
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'"
    ).fetchall()
    forms = [sentence, json.dumps(sentence)[1:-1],
             json.dumps(sentence, ensure_ascii=False)[1:-1]]  # fmt: skip
    bytes_ = [form.encode() for form in forms]
    places = []
    for (name,) in names:
        for row in connection.execute(f"SELECT * FROM {name}").fetchall():
            for value in row:
                data = value if isinstance(value, bytes) else str(value).encode()
                if any(form in data for form in bytes_):
                    places.append(f"table {name}")
    for root in (Path(memory.home), project):
        for file in root.rglob("*"):
            if file.is_file() and any(form in file.read_bytes() for form in bytes_):
                places.append(f"file {file}")
    for row in connection.execute("SELECT id FROM transcript").fetchall():
        data = b"".join(transcripts.load_transcript(connection, row[0]))
        if any(form in data for form in bytes_):
            places.append("transcript")
    return sorted(set(places))


def accept_all(memory: Memory) -> list[str]:
    """Accept what waits."""
    views, _ = memory.queue.page(CandidatePage())
    keys = []
    for view in views:
        keys.append(str(memory.queue.accept(view.row["key"]).row["key"]))
    return keys


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_is_gone_from_titles_todos_plans_and_nested_json(
    memory: Memory, project: Path, tmp_path: Path, sentence: str
) -> None:
    """No table, file or kept transcript holds it, and a new import changes nothing."""
    path = write(tmp_path, everywhere(sentence))
    load(memory, path)
    memory.apply("neutral", [todo(sentence)])
    memory.recall(RecallRequest(f"What about {sentence}", "other", "codex"))
    keys = accept_all(memory)
    assert keys
    memory.recall(RecallRequest(f"Did I say {sentence} earlier?", "another"))
    memory.handoffs.refresh()
    for key in dict.fromkeys(keys):
        memory.eraser.delete_note(key, said=True, file=True)
    assert left_over(memory, project, sentence) == []
    assert verify(memory.store.read(), full=True) == []
    with memory.store.write() as connection:
        connection.execute("DELETE FROM cursor")
    load(memory, path)
    copy = tmp_path / "copy"
    copy.mkdir()
    load(memory, write(copy, everywhere(sentence), ascii_=False))
    assert left_over(memory, project, sentence) == []
    assert accept_all(memory) == []
    assert verify(memory.store.read(), full=True) == []


def test_a_copy_under_other_ids_brings_nothing_back(
    memory: Memory, project: Path, clock: FixedClock, tmp_path: Path
) -> None:
    """The words are known again, not only the records; said later, they are new."""
    sentence = SENTENCES[0]
    load(memory, write(tmp_path, everywhere(sentence)))
    for key in dict.fromkeys(accept_all(memory)):
        memory.eraser.delete_note(key, said=True, file=True)
    fork = tmp_path / "fork"
    fork.mkdir()
    copied = [
        {**one, "session": "s9", "id": f"x{one['id']}"} for one in everywhere(sentence)
    ]
    load(memory, write(fork, copied))
    assert left_over(memory, project, sentence) == []
    clock.move(1)
    Talk(memory, clock, "later").turn(f"Once more. {sentence}")
    assert memory.search(SearchRequest("wombat plover", ("L0",))).total == 1


def test_set_aside_files_and_backups_hold_nothing(
    memory: Memory, project: Path, clock: FixedClock, tmp_path: Path
) -> None:
    """A damaged file that was set aside, and every backup, lose it too (K3)."""
    sentence = SENTENCES[1]
    load(memory, write(tmp_path, everywhere(sentence)))
    keys = accept_all(memory)
    database = Path(memory.project.database)
    memory.store.checkpoint()
    aside = database.with_name(f"corrupt-20260401T000000Z-{database.name}")
    aside.write_bytes(database.read_bytes())
    assert damage.list_aside(str(database)) == [str(aside)]
    backup.write_backup(str(database), clock.now())
    assert backup.list_backups(str(database))
    for key in dict.fromkeys(keys):
        memory.eraser.delete_note(key, said=True, file=True)
    assert left_over(memory, project, sentence) == []
