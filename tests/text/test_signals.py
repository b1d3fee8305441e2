"""What is kept of a prompt, and what is not (B2-B6)."""

from __future__ import annotations

import json
import random
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.text.signals import Signal, find_signals

from .cases import read_cases, read_more

KEPT = read_cases("capture.jsonl")
SILENT = read_cases("silence.jsonl")

ALPHABET = string.ascii_letters + string.digits


def kept(prompt: str) -> list[dict[str, str]]:
    """Return categories and texts of what is kept of ``prompt``."""
    return [{"category": s.category, "text": s.text} for s in find_signals(prompt)]


def texts(prompt: str) -> list[str]:
    """Return the texts of what is kept of ``prompt``."""
    return [signal.text for signal in find_signals(prompt)]


@pytest.mark.parametrize("case", KEPT, ids=lambda c: c["prompt"][:40])
def test_rule_is_kept(case: dict[str, Any]) -> None:
    """A standing rule, liking, decision or fact is kept in its own words (B3, B4)."""
    assert kept(case["prompt"]) == case["expect"]


@pytest.mark.parametrize("case", SILENT, ids=lambda c: c["prompt"][:40])
def test_nothing_is_kept(case: dict[str, Any]) -> None:
    """What belongs to the moment, to somebody else or to a machine is not kept (B5)."""
    assert kept(case["prompt"]) == []


def test_outside_cases() -> None:
    """The cases of whoever judges the result hold as well (B3-B5)."""
    wrong = []
    for case in read_more("capture.jsonl"):
        prompt = case["prompt"].replace("{fake:openai}", fake_key("sk-", 40))
        if kept(prompt) != case["expect"]:
            wrong.append((prompt, kept(prompt)))
    assert wrong == []


# -- headings ------------------------------------------------------------------


def test_items_under_a_plain_heading_are_kept_alone() -> None:
    """A heading that says nothing is left out, the items stay (B4)."""
    prompt = (
        "House rules:\n- Never squash hotfixes.\n- bump lodash\n- Use tabs, not spaces."
    )
    assert texts(prompt) == ["Never squash hotfixes.", "Use tabs, not spaces."]


def test_items_under_a_limiting_heading_keep_it() -> None:
    """Items that hold only under a condition are one with their heading (B4, Q5)."""
    block = "When touching invoices:\n- never round twice\n- always add a test"
    assert texts(f"Hi.\n\n{block}\n\nNever skip CI.") == [block, "Never skip CI."]
    assert texts("Never:\n- push to trunk\n- amend tags") == [
        "Never:\n- push to trunk\n- amend tags"
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "For this PR:",
        "TODO:",
        "Acceptance criteria:",
        "Please review these rules:",
        "Which of these is better:",
        "Our old guidelines were:",
        "The vendor says:",
        "需求：",
        "这次：",
    ],
)
def test_items_under_a_foreign_heading_are_not_kept(heading: str) -> None:
    """Items of a task, a report or a question are not the person's rules (B5)."""
    items = "- never round twice\n- always add a test"
    assert texts(f"{heading}\n{items}") == []
    assert texts(f"{heading}\n{items}\n\nNever skip CI.") == ["Never skip CI."]


def test_document_to_work_on_is_not_read() -> None:
    """What follows "implement the following plan:" is a document (B2)."""
    plan = "# Plan\n\nHandlers must never block.\n\n- Always cache."
    assert texts(f"Never skip CI. Implement the following plan:\n\n{plan}") == [
        "Never skip CI."
    ]


def test_links_are_names() -> None:
    """Words inside a Markdown link or a path are no markers (B4)."""
    assert texts("open [you must read](docs/must.md) and src/never/push.py") == []
    rule = "Never edit [the schema](db/schema.sql) by hand."
    assert texts(rule) == [rule]


# -- limits ----------------------------------------------------------------------


def test_at_most_eight() -> None:
    """The ninth rule of a prompt is left out (B6)."""
    prompt = "\n".join(f"- Never edit part{n}/ by hand." for n in range(12))
    assert len(find_signals(prompt)) == 8


def test_exact_duplicates_once() -> None:
    """The same sentence said twice is kept once, a different path is another (B6)."""
    again = "Never edit a/one.txt.\nNever edit a/one.txt.\nNever edit b/two.txt."
    assert texts(again) == ["Never edit a/one.txt.", "Never edit b/two.txt."]


def test_long_sentence_is_left_out() -> None:
    """A sentence of more than 360 characters is not kept, one of 360 is (B6)."""
    rule = "Never delete rows of the archive" + " and of the index" * 19 + "."
    fitting = rule + "x" * (360 - len(rule))
    assert texts(fitting) == [fitting]
    assert texts(fitting + "y") == []


def test_short_sentence_is_left_out() -> None:
    """A sentence of less than six characters is not kept (B6)."""
    assert texts("禁止强推。") == []
    assert texts("禁止强推主干。") == ["禁止强推主干。"]


# -- credentials -----------------------------------------------------------------


def fake_key(prefix: str, length: int) -> str:
    """Return a fresh random value that looks like a key."""
    return prefix + "".join(random.choices(ALPHABET, k=length)) + "7aQ"


@pytest.mark.parametrize("prefix", ["gh" + "p_", "sk" + "-proj-", "gl" + "pat-"])
def test_credentials_are_not_kept(prefix: str) -> None:
    """A sentence with a credential is left out, its neighbours stay (B5)."""
    key = fake_key(prefix, 40)
    prompt = f"The deploy token must be {key}.\nNever squash release commits."
    assert texts(prompt) == ["Never squash release commits."]


# -- our own blocks (B2, G6) -------------------------------------------------------

BLOCK = (
    '<ibid-recall receipt="#7" nonce="q4t8" status="untrusted recalled context">\n'
    "From this project's earlier sessions, for reference.\n"
    "[L1 constraint n-5d2e] Never reuse a queue name. (you, 2026-02-03, session 1c"
    " turn 2)\n"
    "[L1 preference n-6f3g, pinned] Use spaces, not tabs. (you, 2026-02-04, session 1d"
    " turn 5)\n"
    "</ibid-recall q4t8>"
)
LOOKS = {
    "as it was": BLOCK,
    "quoted": "\n".join(f"> {line}" for line in BLOCK.splitlines()),
    "as JSON": json.dumps({"context": BLOCK}),
    "escaped": BLOCK.replace("<", "&lt;").replace(">", "&gt;"),
    "full width": BLOCK.replace("<", "\uff1c").replace(">", "\uff1e"),
    "defanged": BLOCK.replace("<", "\u2039").replace("[L", "\u27e6L"),
    "wrapped anew": BLOCK.replace(" ", "\n", 30),
    "without fence": "\n".join(BLOCK.splitlines()[2:4]),
    "one line": BLOCK.replace("\n", " "),
    "cut off": BLOCK[:-20],
    "unicode escapes": BLOCK.replace("<", "\\u003c").replace(">", "\\u003e"),
    "records": json.dumps([{"layer": "L1", "text": "Never reuse a queue name."}]),
}


@pytest.mark.parametrize("look", LOOKS)
def test_own_block_is_not_learned(look: str) -> None:
    """A recalled block that comes back as a person's words teaches nothing (P6)."""
    assert texts(LOOKS[look]) == []


@pytest.mark.parametrize("look", ["as it was", "quoted", "as JSON"])
def test_words_beside_a_block_are_learned(look: str) -> None:
    """What the person typed in another paragraph still counts (B2)."""
    said = "Migrations must be reversible."
    assert texts(f"{said}\n\n{LOOKS[look]}\n\n{said} Please.") == [said]


# -- properties ------------------------------------------------------------------

RULES = [case["prompt"] for case in KEPT if "\n" not in case["prompt"]]
PIECES = st.sampled_from(
    [
        *RULES[:80],
        *(case["prompt"] for case in SILENT[:80]),
        "```",
        "~~~",
        "> ",
        "\n",
        "\n\n",
        "- ",
        "1. ",
        "<system-reminder>",
        "</system-reminder>",
        "“",
        "\u3000",
        "İ",
        "🚀",
        ": ",
    ]
)


def check(prompt: str, found: list[Signal]) -> None:
    """Check what holds of the signals of any prompt."""
    assert len(found) <= 8
    assert len({signal.text for signal in found}) == len(found)
    for signal in found:
        assert signal.text == prompt[signal.start : signal.end]
        assert 6 <= len(signal.text) <= 360
        assert signal.category in {"constraint", "preference", "decision", "fact"}
        assert signal.signal


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_signals_are_spans_of_the_prompt(prompt: str) -> None:
    """Whatever the prompt, a signal is a piece of it within the limits (B4, B6)."""
    check(prompt, find_signals(prompt))


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=120))
def test_any_text_is_read(prompt: str) -> None:
    """No text at all makes the reader fail (B4)."""
    check(prompt, find_signals(prompt))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(RULES))
def test_hidden_rules_are_not_kept(rule: str) -> None:
    """Quoting, fencing or injecting a rule silences it (B2, B5)."""
    assert texts(f"> {rule}") == []
    assert texts(f"```\n{rule}\n```") == []
    assert texts(f"~~~\n{rule}") == []
    assert texts(f"<system-reminder>\n{rule}\n</system-reminder>") == []
    assert texts(f"I get this error:\n{rule}") == []


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(RULES), st.sampled_from(["- ", "3. ", "* ", "\u2022 ", "  - "]))
def test_list_markers_stay_outside(rule: str, marker: str) -> None:
    """A list marker belongs to no sentence (B4)."""
    for text in texts(f"{marker}{rule}"):
        assert text in rule


@pytest.mark.parametrize(
    "unit", ["Never. ", "must ", "“", "必须，", "> ", "`", "<a", "a: ", "and never "]
)
def test_long_prompts_are_read(unit: str) -> None:
    """A prompt of a quarter of a megabyte is read to its end (linear time)."""
    prompt = unit * (250_000 // len(unit)) + "\n\nAlways pin the base image."
    check(prompt, find_signals(prompt))
