"""The command line as a person and a script use it (R6)."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from ibid.engine.keep.policy import DEFAULTS
from ibid.faces.cli.main import cli

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "samples" / "sessions").glob("*.jsonl"))


def value(done: Result) -> Any:
    """Return the JSON a command printed."""
    return json.loads(done.stdout)


def test_every_command_says_what_it_does(ibid: Any) -> None:
    """Help is there for each command and subcommand."""

    def walk(command: Any, words: list[str]) -> None:
        done = ibid(*words, "--help")
        assert len(done.stdout.splitlines()) > 3
        for name, one in getattr(command, "commands", {}).items():
            assert one.help, [*words, name]
            walk(one, [*words, name])

    walk(cli, [])


def test_every_setting_is_documented() -> None:
    """docs/configuration.md has a row for each setting."""
    text = (ROOT / "docs" / "configuration.md").read_text()
    for name in DEFAULTS:
        assert f"| `{name}` | " in text, name
    assert "| `control` | 0 to 50 | 0 |" in text


def test_every_command_is_documented() -> None:
    """docs/configuration.md names each command and subcommand."""
    text = (ROOT / "docs" / "configuration.md").read_text()
    for name, command in cli.commands.items():
        row = next(
            (line for line in text.splitlines() if line.startswith(f"| `ibid {name}")),
            None,
        ) or next((line for line in text.splitlines() if f"`ibid {name}`" in line), "")
        assert row, name
        for sub in getattr(command, "commands", {}):
            assert sub in row, f"{name} {sub}"


def test_the_main_job_from_end_to_end(ibid: Any) -> None:
    """Import, review, accept, recall, receipt: the objects are those of the wire."""
    report = value(ibid("--json", "import", *map(str, SAMPLES)))
    assert (report["sessions"], report["turns"], report["skippedLines"]) == (2, 6, 0)
    assert report["candidates"] >= 4
    again = value(ibid("--json", "import", *map(str, SAMPLES)))
    counted = ("sessions", "turns", "episodes", "candidates", "archived", "reads")
    assert [again[name] for name in (*counted, "bytes")] == [0] * 7
    queue = value(ibid("--json", "review", "list"))
    assert {one["left"] for one in queue} == {None}  # Old sessions wait for a person.
    chosen = next(one for one in queue if "request bodies" in one["text"])
    note = value(ibid("--json", "review", "accept", chosen["id"][:12]))
    assert note["text"] == chosen["text"]
    assert note["sources"][0]["turn"] == chosen["source"]["turn"]
    answer = value(
        ibid("--json", "recall", "May I log request bodies?", "--session", "x")
    )
    assert note["id"] in [item["id"] for item in answer["items"]]
    (row,) = value(ibid("--json", "receipts"))
    assert row["id"] == answer["receipt"]
    assert row["text"] == answer["block"]
    assert value(ibid("--json", "verify"))["ok"]


def test_an_exported_transcript_equals_its_file(ibid: Any, tmp_path: Path) -> None:
    """Byte for byte, on standard output and as files (M5)."""
    ibid("import", str(SAMPLES[0]))
    session = SAMPLES[0].stem
    done = ibid("export", "--transcript", session)
    assert done.stdout_bytes == SAMPLES[0].read_bytes()
    out = tmp_path / "out"
    rows = value(ibid("--json", "export", "--transcript", session, "--all", str(out)))
    assert [row["bytes"] for row in rows] == [SAMPLES[0].stat().st_size]
    assert (out / SAMPLES[0].name).read_bytes() == SAMPLES[0].read_bytes()


def test_capture_is_a_filter(ibid: Any) -> None:
    """Offsets are in characters of the prompt; nothing is stored (B4)."""
    prompt = "👍 Fix it. Never push to main. 必须先跑测试。"
    found = value(ibid("--json", "capture", text=prompt))
    assert [one["text"] for one in found] == ["Never push to main.", "必须先跑测试。"]
    for one in found:
        assert prompt[one["start"] : one["end"]] == one["text"]
        assert one["signal"]
    assert value(ibid("--json", "note", "list")) == []


def test_redact_masks_only_the_value(ibid: Any) -> None:
    """Every other byte stays, and spans name what was found (E2)."""
    key = "gh" + "p_" + secrets.token_hex(18)
    text = f"token:\t{key}  # never log the password\n"
    done = ibid("redact", text=text)
    assert key not in done.stdout
    assert done.stdout.endswith("  # never log the password\n")
    shape = value(ibid("--json", "redact", text=text))
    (span,) = shape["spans"]
    assert text[span["start"] : span["end"]] == key
    assert shape["text"] == done.stdout


@pytest.mark.parametrize(
    "query",
    ["", " ", "?", '"', "'", "a AND (b", "NEAR(", "*", "http-client", "a::b", "😀"],
)
def test_search_takes_any_text(ibid: Any, query: str) -> None:
    """No query is an error; an empty answer says why (F4)."""
    found = value(ibid("--json", "search", "--archive", "--", query))
    assert found["hits"] == [] and found["reason"]


@pytest.mark.parametrize(
    ("words", "status", "code", "hint"),
    [
        (["note", "pin", "n-none"], 2, "notFound", "note list"),
        (["review", "accept", "c-none"], 2, "notFound", "review list"),
        (["receipts", "#7"], 2, "notFound", "ibid receipts"),
        (["expand", "00ff00ff00ff00ff00ff00ff"], 2, "notFound", ""),
        (["import", "/no/such/file"], 2, "invalid", "/no/such/file"),
        (["export", "--transcript", "none"], 2, "notFound", "session list"),
        (["search", "x", "--layers", "L7"], 2, "invalid", "L7"),
        (["policy", "set", "settling", "soon"], 2, "invalid", "0 to 1440"),
    ],
)
def test_errors_say_what_where_and_next(
    ibid: Any, words: list[str], status: int, code: str, hint: str
) -> None:
    """One sentence on standard error, the name in JSON, nothing on standard output."""
    done = ibid("--json", *words, status=status)
    error = json.loads(done.stderr)["error"]
    assert error["code"] == code
    assert hint in error["message"]
    assert done.stdout == ""
    plain = ibid(*words, status=status)
    assert plain.stderr.startswith("ibid: ") and "Traceback" not in plain.stderr


def test_control_characters_do_not_reach_the_terminal(ibid: Any) -> None:
    """Stored text is cleaned on its way out."""
    ibid("note", "add", "the \x1b]0;owned\x07\x1b[31mred\u202e queue is \u200bheron")
    done = ibid("note", "list")
    assert "queue is heron" in done.stdout
    for mark in ("\x1b", "\x07", "\u202e", "\u200b"):
        assert mark not in done.stdout


def test_deleting_asks_first(ibid: Any) -> None:
    """Without a yes nothing is deleted (K3)."""
    note = value(ibid("--json", "note", "add", "The queue is called heron."))
    ibid("note", "delete", note["id"], text="n\n", status=1)
    assert len(value(ibid("--json", "note", "list"))) == 1
    ibid("note", "delete", note["id"], "--yes")
    assert value(ibid("--json", "note", "list")) == []


def test_every_subcommand_of_note_and_review_works(ibid: Any) -> None:
    """Edit, correct, pin, forget, restore, snooze, reject: each answers its row."""
    note = value(ibid("--json", "note", "add", "The queue is called heron."))
    name = note["id"]
    edited = value(ibid("--json", "note", "edit", name, "--text", "It is called stork"))
    assert edited["text"] == "It is called stork"
    assert value(ibid("--json", "note", "pin", name))["pinned"]
    assert not value(ibid("--json", "note", "unpin", name))["pinned"]
    assert value(ibid("--json", "note", "forget", name))["state"] == "forgotten"
    assert value(ibid("--json", "note", "restore", name))["active"]
    right = value(ibid("--json", "note", "correct", name, "It is called crane"))
    assert right["supersedes"] == name
    shown = value(ibid("--json", "note", "evidence", right["id"]))
    assert shown["sources"] == []
    assert [(one["text"], one["why"]) for one in shown["history"]] == [
        ("The queue is called heron.", "edited"),
        ("It is called stork", "corrected"),
    ]
    assert "Noted by hand (correction)" in ibid("note", "evidence", right["id"]).stdout
    assert "Supersedes: " + name in ibid("note", "show", right["id"]).stdout
    ibid("import", str(SAMPLES[0]))
    queue = value(ibid("--json", "review", "list"))
    first = queue[0]["id"]
    assert value(ibid("--json", "review", "snooze", first))["state"] == "snoozed"
    assert value(ibid("--json", "review", "reject", first))["state"] == "rejected"
    assert value(ibid("--json", "review", "restore", first))["state"] == "pending"
    changed = value(ibid("--json", "review", "edit", first, "Never rename the queue."))
    assert changed["text"] == "Never rename the queue."


def test_every_id_that_search_prints_can_be_opened(ibid: Any) -> None:
    """Messages, notes, episodes and archived texts expand by id and its start (M4)."""
    ibid("import", *map(str, SAMPLES))
    for one in range(3):
        ibid("note", "add", f"The request body limit {one} is kept in limits.toml.")
    found = value(ibid("--json", "search", "--archive", "request bodies limit"))
    layers = {hit["layer"] for hit in found["hits"]}
    assert {"L0", "L1", "L2", "L3"} <= layers
    for hit in found["hits"]:
        whole = value(ibid("--json", "expand", hit["id"]))
        assert whole["text"], hit
        if hit["handle"]:
            short = value(ibid("--json", "expand", hit["handle"][:12]))
            assert short["bytes"] > 0, hit
        if hit["layer"] in {"L1", "L2", "L3"}:
            assert ibid("note", "show", hit["id"]).stdout.startswith(hit["id"])


def test_a_part_of_a_text_is_printed(ibid: Any) -> None:
    """By lines, from its ends, or around a word with numbers (M2)."""
    ibid("import", str(SAMPLES[0]))
    query = ibid("--json", "search", "--archive", "--layers", "L0", "upload")
    name = value(query)["hits"][0]["id"]
    whole = ibid("expand", name).stdout
    first = whole.split("\n")[0]
    assert ibid("expand", name, "--head", "1").stdout.strip("\n") == first
    assert ibid("expand", name, "--lines", "1:1").stdout.strip("\n") == first
    assert ibid("expand", name, "--find", first[:12]).stdout.startswith(f"1: {first}")
    shape = value(ibid("--json", "expand", name, "--tail", "1"))
    assert shape["parts"] == [[shape["total"]] * 2]
    ibid("expand", name, "--head", "1", "--find", "x", status=2)


def test_setting_a_policy_shows_what_changed(ibid: Any) -> None:
    """One row, not the whole table; the JSON is as ever."""
    text = ibid("policy", "set", "learn", "off").stdout
    assert "learn" in text and "recall" not in text
    assert value(ibid("--json", "policy", "set", "learn", "on"))["effective"]["recall"]


def test_projects_are_linked_and_moved(
    ibid: Any, project: Path, tmp_path: Path
) -> None:
    """Each answers whose the folder is now; what cannot be is said (S1)."""
    other, new = tmp_path / "other", tmp_path / "new"
    other.mkdir()
    ibid("note", "add", "The queue is called heron.")
    linked = value(ibid("--json", "project", "link", str(other), str(project)))
    assert linked["path"] == str(project)
    assert str(other) in ibid("project", "unlink", str(other)).stdout
    ibid("project", "unlink", str(other), status=2)
    ibid("project", "move", str(project), str(new), status=2)
    new.mkdir()
    said = ibid("project", "move", str(project), str(new), "--preview").stdout
    assert "1 note file is not in the new folder: .ibid/notes/" in said
    new.rmdir()
    project.rename(new)
    moved = value(ibid("--json", "project", "move", str(project), str(new)))
    assert (moved["path"], moved["left"]) == (str(new), [])
    rows = value(ibid("--json", "--project", str(new), "note", "list"))
    assert [row["text"] for row in rows] == ["The queue is called heron."]


def test_another_project_is_listed_for_recall(
    ibid: Any, project: Path, tmp_path: Path
) -> None:
    """A person lists it, recall names it, the list and the receipt tell of it (S2)."""
    shop = tmp_path / "shop"
    shop.mkdir()
    there = ("--project", str(shop))
    ibid("note", "add", "The queue is called heron.")
    assert (
        "There is no memory of" in ibid("project", "include", "shop", status=2).output
    )
    added = ibid("--json", *there, "note", "add", "Parcels ship by freight.")
    note = value(added)["id"]
    row = value(ibid("--json", "project", "include", str(shop)))
    wanted = [{"path": str(shop), "name": "shop", "missing": False}]
    assert (row["path"], row["includes"]) == (str(project), wanted)
    assert value(ibid("--json", "project", "list"))[0]["includes"] == wanted
    assert "recalls from" in ibid("project", "list").stdout
    answer = value(ibid("--json", "recall", "How do parcels ship by freight?"))
    (item,) = answer["items"]
    assert (item["id"], item["project"]) == (note, str(shop))
    assert item["projectName"] == "shop"
    assert f"({shop})" in ibid("receipts", answer["receipt"]).stdout
    assert "recalls no more" in ibid("project", "include", "shop", "--remove").stdout
    again = value(ibid("--json", "recall", "How do parcels ship by freight?"))
    assert again["items"] == []
    ibid("project", "include", "shop", "--remove", status=2)


def test_the_doctor_tells_of_an_included_project_that_is_no_more(
    ibid: Any, project: Path, tmp_path: Path
) -> None:
    """It points to nothing: said with what to do, there and in the list (S2)."""
    shop = tmp_path / "shop"
    shop.mkdir()
    ibid("note", "add", "The queue is called heron.")
    ibid("--project", str(shop), "note", "add", "Parcels ship by freight.")
    ibid("project", "include", "shop")
    ibid("project", "link", str(shop), str(project))
    checks = value(ibid("--json", "doctor"))["checks"]
    (check,) = [one for one in checks if one["name"] == "include"]
    assert str(shop) in check["message"]
    assert "--remove" in check["next"]
    assert f"{shop} (no memory there)" in " ".join(
        ibid("project", "list").stdout.replace("\n", " ").split()
    )


def test_a_backup_is_listed_and_put_back(ibid: Any, project: Path) -> None:
    """Asked first; what was there is set aside, and the old notes are found again."""
    from ibid.store.backup import write_backup
    from ibid.store.projects import home_folder, project_of

    assert value(ibid("--json", "restore")) == []
    ibid("note", "add", "The queue is called heron.")
    database = project_of(str(project), home_folder()).database
    write_backup(database, 1_900_000_000_000)
    ibid("note", "add", "The cache is called stork.")
    (backup,) = value(ibid("--json", "restore"))
    assert ibid("restore", backup["backup"], text="n\n", status=1).stdout == ""
    ibid("restore", "ibid-other.db.zst", "--yes", status=2)
    done = value(ibid("--json", "restore", backup["backup"], "--yes"))
    assert Path(done["aside"]).is_file()
    found = value(ibid("--json", "search", "queue heron"))
    assert [hit["text"] for hit in found["hits"]] == ["The queue is called heron."]
    assert value(ibid("--json", "search", "stork"))["hits"] == []
    assert value(ibid("--json", "verify"))["ok"]


def test_no_memory_is_put_back_under_an_editor(
    ibid: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was opened while a person was asked keeps the memory it has open."""
    from ibid.engine.memory import Memory, open_memory
    from ibid.store.backup import write_backup

    ibid("note", "add", "The queue is called heron.")
    opened: list[Memory] = [open_memory(str(project))]
    write_backup(opened[0].store.path, 1_900_000_000_000)
    opened.pop().close()
    (backup,) = value(ibid("--json", "restore"))

    def confirm(*_: object, **__: object) -> bool:
        opened.append(open_memory(str(project)))
        return True

    monkeypatch.setattr("click.confirm", confirm)
    done = ibid("restore", backup["backup"], status=1)
    assert "in use" in done.stderr
    opened.pop().close()
    assert "heron" in ibid("search", "queue").stdout


def test_counts_read_as_people_write_them(ibid: Any) -> None:
    """One session is not *1 sessions*."""
    text = ibid("import", str(SAMPLES[0])).stdout
    assert text.startswith("1 new session, ") and "1 turns" not in text


def test_a_real_process_answers_with_clean_streams(project: Path) -> None:
    """The installed entry point: JSON alone on standard output, UTF-8 whatever."""
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "ibid", "--project", str(project), "--json"),
            *("note", "add", "提交之前必须先跑测试"),
        ],
        capture_output=True,
        check=False,
        env=env,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode("utf-8"))["text"] == "提交之前必须先跑测试"
    assert done.stderr == b""


def test_a_note_is_still_true(ibid: Any, project: Path) -> None:
    """`note confirm` takes what the code is now; the list tells the state (R4)."""
    code = project / "crane.py"
    code.write_text("def lift(box):\n    return box\n")
    note = value(ibid("--json", "note", "add", "lift() in crane.py keeps its box"))[
        "id"
    ]
    code.write_text("def lift(box):\n    return None\n")
    (row,) = value(ibid("--json", "note", "list", "--path", "crane.py"))
    assert {one["state"] for one in row["anchors"]} == {"fresh", "changed"}
    row = value(ibid("--json", "note", "confirm", note, "--path", "crane.py"))
    assert {one["state"] for one in row["anchors"]} == {"fresh"}
    ibid("note", "confirm", note, "--path", "other.py", status=2)
