"""``ibid replay``, as a person and a script use it (P5, R6)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.engine.past import Past

from ibid.duties.importing import find_transcripts
from ibid.duties.replaying import Ground, ReplayRun
from ibid.faces.cli import charts


@pytest.fixture
def past(project: Path, tmp_path: Path) -> Path:
    """A folder of two sessions; the second reads a file twice."""
    made = Past(project, tmp_path / "transcripts")
    made.begin("one")
    made.turn("one", "Write the label printer.", "Wrote label_printer.py.")
    made.wait(60)
    made.begin("two")
    made.ask("two", "Look at the label printer.")
    made.read("two", "label_printer.py")
    made.read("two", "label_printer.py")
    made.answer("two")
    return made.write()


def test_the_table_names_cost_net_and_what_is_unknown(ibid: Any, past: Path) -> None:
    """A stub has a net, a handoff a cost; the estimator and interval are named (P2)."""
    done = ibid("replay", str(past), "--sessions")
    rows = [line.split() for line in done.stdout.splitlines()]
    stub = next(row for row in rows if row[:2] == ["all", "stub"])
    handoff = next(row for row in rows if row[:2] == ["all", "handoff"])
    assert stub[6].startswith("+")
    assert handoff[3] == handoff[6] == "unknown"
    assert any(row[:2] == ["two", "claude-code"] for row in rows)
    assert "Tokens estimated by" in done.stderr
    assert "bootstrap" in done.stderr


def test_the_object_is_the_wires(ibid: Any, past: Path) -> None:
    """Every field of docs/protocol.md, and again the same but for the seconds."""
    shapes = []
    for _ in range(2):
        shapes.append(json.loads(ibid("--json", "replay", str(past)).stdout))
        assert shapes[-1].pop("seconds") > 0
    assert shapes[0] == shapes[1]
    text = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text()
    row = next(line for line in text.splitlines() if "| `ibid/replay` |" in line)
    for name in shapes[0]:
        assert f'"{name}"' in row
    said = next(line for line in text.splitlines() if "**ReplayLine**" in line)
    for line in shapes[0]["features"]:
        for name in (*line, *line["items"], *line["carried"]):
            assert f'"{name}"' in said
    (row_one, row_two) = shapes[0]["rows"]
    assert (row_one["session"], row_two["session"]) == ("one", "two")
    assert (row_two["prompts"], row_two["reads"], row_two["requests"]) == (1, 2, 1)


def test_the_chart_is_one_picture_that_needs_nothing(
    ibid: Any, past: Path, tmp_path: Path
) -> None:
    """Well-formed, without a reference to anything else."""
    chart = tmp_path / "chart.svg"
    ibid("replay", str(past), "--chart", str(chart))
    root = ElementTree.fromstring(chart.read_text())
    texts = [element.text for element in root.iter() if element.text]
    assert "stub" in texts
    assert any("net +" in text for text in texts)
    assert "href" not in chart.read_text()
    nowhere = str(tmp_path / "no" / "chart.svg")
    ibid("replay", str(past), "--chart", nowhere, status=2)


def test_without_paths_the_projects_own_sessions_are_played(
    ibid: Any, past: Path
) -> None:
    """Those that were kept count when their files are gone (M5)."""
    ibid("import", str(past))
    assert "No past session" in ibid("replay").stderr
    for path in past.iterdir():
        path.unlink()
    shape = json.loads(ibid("--json", "replay").stdout)
    assert [row["session"] for row in shape["rows"]] == ["one", "two"]


def test_what_is_no_transcript_is_refused(ibid: Any, tmp_path: Path) -> None:
    """A sentence and status 2."""
    done = ibid("replay", str(tmp_path / "nothing"), status=2)
    assert "No file or folder" in done.stderr


def test_the_picture_holds_the_whole_interval() -> None:
    """A net that may be far greater than what was saved is not cut off."""
    line = {"feature": "stub", "cost": 10, "gross": 100, "bounced": 0, "net": 90}
    shape = {
        "features": [{**line, "unknown": False, "interval": [-50, 400]}],
        **{"sessions": 2, "estimator": "some", "interval": "95 %"},
    }
    root = ElementTree.fromstring(charts.svg(shape))
    width = float(root.attrib["width"])
    marks = [one.attrib for one in root.iter() if one.tag.endswith("line")]
    net = next(one for one in marks if one["y1"] == one["y2"])
    axis = next(float(one["x1"]) for one in marks if one["x1"] == one["x2"])
    low, high = float(net["x1"]) - axis, float(net["x2"]) - axis
    assert low < 0 < high < width - axis
    assert high == pytest.approx(-8 * low, abs=1)  # Tenths of pixels are kept.


def test_bars_keep_their_room() -> None:
    """The longest bar fills its side, a small cost still shows, nothing shows none."""
    made = [
        {"feature": "stub", "cost": 1, "gross": 900, "bounced": 100, "net": 799}
        | {"unknown": False},
        {"feature": "pins", "cost": 0, "gross": 0, "bounced": 0, "net": 0}
        | {"unknown": True},
    ]
    stub, pins = charts.bars(made)
    assert stub.count("█") == 24
    assert "▏│" in stub
    assert "█" not in pins
    assert {len(line.split("│")[0]) for line in (stub, pins)} == {33}


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGKILL"])
def test_nothing_stays_of_a_replay_that_was_ended(
    name: str, project: Path, past: Path, tmp_path: Path
) -> None:
    """A closed terminal leaves nothing; what a kill leaves goes with the next one."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    other = scratch / "ibid-replay-other"  # Nobody's: it says not that it is done.
    other.mkdir()
    code = (
        "import os, signal, sys\n"
        "from ibid.engine.replay.play import Player\n"
        "from ibid.faces.cli.main import cli\n"
        "Player.play = lambda *_: os.kill(os.getpid(), getattr(signal, sys.argv[1]))\n"
        "cli(sys.argv[2:])\n"
    )
    words = ["--project", str(project), "replay", str(past)]
    env = {**os.environ, "TMPDIR": str(scratch)}
    given = [sys.executable, "-c", code, name, *words]
    done = subprocess.run(given, env=env, check=False, capture_output=True)
    number = getattr(signal, name)
    killed = name == "SIGKILL"
    assert done.returncode == (-number if killed else 128 + number), done.stderr
    assert len(list(scratch.iterdir())) == 1 + killed
    if killed:
        again = [sys.executable, "-m", "ibid", *words]
        subprocess.run(again, env=env, check=True, capture_output=True)
    assert list(scratch.iterdir()) == [other]


def test_a_replay_leaves_another_that_runs_alone(
    past: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two at once: the folder of neither is taken for one that was left."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    runs = [ReplayRun(find_transcripts([past]), Ground("")).steps() for _ in range(2)]
    for steps in runs:
        next(steps)
    assert len(list(scratch.iterdir())) == 2
    for steps in runs:
        steps.close()
    assert list(scratch.iterdir()) == []
