"""The measures of the retrieval benchmark, on a conversation made by hand."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def locomo() -> ModuleType:
    """The benchmark, loaded from its file."""
    path = ROOT / "benchmarks" / "locomo.py"
    spec = importlib.util.spec_from_file_location("benchmark_locomo", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A file of the data's shape, with its faults."""
    talk = {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "I planted a pear tree."},
            {"speaker": "Bob", "dia_id": "D1:2", "text": "Lovely!"},
        ],
        "session_2_date_time": "9:00 am on 1 June, 2023",
        "session_2": [
            {
                "speaker": "Bob",
                "dia_id": "D2:1",
                "text": "Look at this.",
                "blip_caption": "a boat on a lake",
            },
        ],
        "session_3_date_time": "9:00 am on 2 June, 2023",
        "qa": [
            {"question": "q1", "category": 1, "evidence": ["D1:1; D2:1"]},
            {"question": "q2", "category": 2, "evidence": ["D:1:02"]},
            {"question": "q3", "category": 5, "evidence": ["D9:9"]},
            {"question": "q4", "category": 5, "evidence": []},
        ],
    }
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(talk), encoding="utf-8")
    return path


def test_glued_and_misspelt_evidence_is_read(locomo: ModuleType, data: Path) -> None:
    """Captions belong to the text; questions without evidence are left out."""
    found = locomo.load(data)
    assert [turn.text for turn in found.turns][2] == "Look at this. a boat on a lake"
    assert [one.evidence for one in found.questions] == [(0, 2), (1,)]


def test_the_measures(locomo: ModuleType, data: Path) -> None:
    """R@k is the share of evidence, S@k any session, both averaged over questions."""
    answers = {"q1": [1, 0], "q2": [2, 1]}
    found = locomo.summary(locomo.measure(answers.__getitem__, locomo.load(data)))
    assert found["R@1"] == 0 and found["R@5"] == pytest.approx(75)
    assert found["MRR"] == pytest.approx(50)
    assert found["S@1"] == 50 and found["S@5"] == 100
    assert found["R@10 c1"] == 50 and found["R@10 c2"] == 100


def test_the_engines_find_what_was_said(locomo: ModuleType, data: Path) -> None:
    """Ibid and the plain table answer the same questions about the same turns."""
    turns = locomo.load(data).turns
    plain = locomo.plain_fts(turns, "porter unicode61", True)
    for names in ("author", "text", "role"):
        ours = locomo.ibid(data.parent, turns, names)
        assert plain("Who planted a pear?")[0] == ours("Who planted a pear?")[0] == 0
        assert locomo.misspelt(ours, 1.0)("planted the pear tree")[0] == 0


def test_merged_conversations_keep_their_evidence(
    locomo: ModuleType, data: Path
) -> None:
    """Sessions and evidence of the second move behind those of the first."""
    one = locomo.load(data)
    both = locomo.merged([one, one])
    assert [turn.session for turn in both.turns] == [1, 1, 2, 3, 3, 4]
    assert both.questions[2].evidence == (3, 5)
