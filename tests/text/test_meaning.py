"""Whether two notes say the same (D1, D2, D4)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.text.meaning import contradicts, difference, may_merge, similarity

from .cases import read_cases, read_more

CASES = read_cases("merge.jsonl")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["a"][:40])
def test_merge(case: dict[str, Any]) -> None:
    """Two notes become one only if nothing that carries meaning differs (D1, D2)."""
    assert may_merge(case["a"], case["b"]) is case["merge"]
    assert may_merge(case["b"], case["a"]) is case["merge"]


@pytest.mark.parametrize(
    "case",
    [c for c in CASES if not c["merge"] and c["kind"] not in ("scope", "far")],
    ids=lambda case: case["a"][:40],
)
def test_difference_is_named(case: dict[str, Any]) -> None:
    """The kind of a difference is told to whoever reviews the pair (D2)."""
    assert difference(case["a"], case["b"]) == case["kind"]


def test_outside_cases() -> None:
    """The cases of whoever judges the result hold as well (D2)."""
    wrong = [
        case
        for case in read_more("merge.jsonl")
        if may_merge(case["a"], case["b"]) is not case["merge"]
    ]
    assert wrong == []


def test_similarity_counts_shared_terms() -> None:
    """Similarity is the Jaccard index of unstemmed terms, stop words too (D1)."""
    assert similarity("run the tests", "run the linter") == 0.5
    assert similarity("run tests", "run test") == pytest.approx(1 / 3)
    assert similarity("", "") == 1.0
    assert similarity("!!", "??") == 0.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always use Deno", "Never use Deno"),
        ("Always use npm", "Always use pnpm"),
        ("Indent with tabs", "Indent with spaces"),
        (
            "The timeout is 5 seconds for all calls",
            "The timeout is 9 seconds for calls",
        ),
        ("Prefer fakes over mocks", "Prefer mocks over fakes"),
        ("Reviewers must sign off", "Reviewers may sign off"),
        ("Deploy from branch release/2", "Deploy from branch release/3"),
        ("合并前必须评审", "合并前不必评审"),
    ],
)
def test_contradiction(one: str, other: str) -> None:
    """A note that denies or replaces what a correction says contradicts it (D4)."""
    assert contradicts(one, other)
    assert contradicts(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always use Deno", "Never mind, always use Deno"),
        ("Always use Deno", "Do not forget to always use Deno"),
        ("Always use Deno", "Use Deno without exception, always"),
        ("提交前必须评审", "提交前必须评审，特别是接口"),
        ("Always run tests first", "Always run linters first"),
        ("Never log request bodies", "Avoid logging request bodies"),
        ("Use tabs in Makefiles", "The database is Postgres"),
    ],
)
def test_no_contradiction(one: str, other: str) -> None:
    """What only looks like a denial, or speaks of something else, is none (D4)."""
    assert not contradicts(one, other)


# -- properties --------------------------------------------------------------------

THINGS = ["the upload worker", "every migration", "public endpoints", "the nightly job"]
PLACES = ["in src/queue", "in tests/data", "on the release branch", "in every region"]
PARTS = st.tuples(
    st.sampled_from(["must", "should", "may"]),
    st.sampled_from(["never", "always"]),
    st.sampled_from(["retry", "restart", "validate", "rename"]),
    st.sampled_from(THINGS),
    st.integers(2, 40),
    st.sampled_from(["v1.2.0", "v2.4.1", "v3.0.0"]),
    st.sampled_from(["MAX_RETRIES", "uploadQueue", "retry_policy"]),
    st.sampled_from(PLACES),
)


def sentence(parts: tuple[Any, ...]) -> str:
    """Return a sentence that holds one of each kind of meaning."""
    modal, adverb, verb, thing, number, version, name, place = parts
    return (
        f"Since {version} you {modal} {adverb} {verb} {thing} more than {number} times"
        f" {place} before {name} is read"
    )


@given(PARTS, PARTS, st.integers(0, 7))
def test_changed_meaning_never_merges(
    parts: tuple[Any, ...], others: tuple[Any, ...], at: int
) -> None:
    """Another negation, modality, number, version, name, path or word stays (D2)."""
    changed = (*parts[:at], others[at], *parts[at + 1 :])
    same = parts[at] == others[at]
    assert may_merge(sentence(parts), sentence(changed)) is same


@given(PARTS)
def test_order_never_merges(parts: tuple[Any, ...]) -> None:
    """The same words around "before" the other way round stay apart (D2)."""
    text = sentence(parts)
    first, second = text.split(" before ")
    assert not may_merge(text, f"{second} before {first}")


@given(PARTS, st.data())
def test_looks_merge(parts: tuple[Any, ...], data: st.DataObject) -> None:
    """Case of plain words, spaces and the final mark change no meaning (D2)."""
    words = sentence(parts).split(" ")
    drawn = []
    for word in words:
        plain = word.isalpha() and word.islower()
        loud = plain and data.draw(st.booleans())
        drawn.append(word.capitalize() if loud else word)
    spaces = data.draw(st.sampled_from([" ", "  ", "\n", "\u3000"]))
    end = data.draw(st.sampled_from(["", ".", "!", " .", "。"]))
    assert may_merge(sentence(parts), spaces.join(drawn) + end)


@given(st.text(max_size=80), st.text(max_size=80))
def test_meaning_is_symmetric(one: str, other: str) -> None:
    """Which of two texts comes first changes nothing; each merges with itself (D1)."""
    assert similarity(one, other) == similarity(other, one)
    assert may_merge(one, other) == may_merge(other, one)
    assert may_merge(one, one)
