"""Preserved segments, sentences, and cuts that respect both (Q5, B4, B8, G5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.text.segments import (
    ELLIPSIS,
    cut_at_sentence,
    last_statements_first,
    mask,
    preserved_segments,
    sentences,
)

NAMES = [
    ("https://docs.example.test/a?b=1#c", "url"),
    ("ops@example.test", "url"),
    ("src/queue/worker.py", "path"),
    ("payments/", "path"),
    ("~/.config/app", "path"),
    ("./run", "path"),
    ("C:\\work\\a.txt", "path"),
    (".env", "path"),
    ("README.md", "path"),
    ("v1.2.3-rc.1", "version"),
    ("2.40.1", "version"),
    ("42", "number"),
    ("1,500", "number"),
    ("20%", "number"),
    ("30s", "number"),
    ("retry_limit", "identifier"),
    ("maxRetries", "identifier"),
    ("Queue.push()", "identifier"),
    ("std::vector", "identifier"),
    ("C++", "identifier"),
    ("--no-cache", "identifier"),
    ("@scope", "identifier"),
    ("eu-west-9", "identifier"),
    ("`never do`", "code"),
]


@pytest.mark.parametrize(("name", "kind"), NAMES)
def test_names_are_preserved(name: str, kind: str) -> None:
    """A name is one segment of its kind, its full stop not being part of it (Q5)."""
    text = f"Keep {name}. Then go."
    spans = [(text[s.start : s.end], s.kind) for s in preserved_segments(text)]
    assert spans == [(name, kind)]


def test_number_after_a_product_is_a_version() -> None:
    """Two numbers with a dot are a version after a name, else a number (D2)."""
    kinds = [span.kind for span in preserved_segments("Node 20.1 costs 0.5 more")]
    assert kinds == ["version", "number"]


@pytest.mark.parametrize("word", ["and", "Tests", "single-threaded", "_never_", "e.g."])
def test_words_are_not_preserved(word: str) -> None:
    """Plain, hyphenated and emphasised words are no names."""
    assert preserved_segments(f"so {word} it is") == []


def test_fences() -> None:
    """A fence is one segment; unclosed it reaches to the end (Q5)."""
    text = "a\n```py\nx = 1\n\ny = 2\n```\nb\n~~~\nrest\nmore"
    blocks = [text[s.start : s.end] for s in preserved_segments(text)]
    assert blocks == ["```py\nx = 1\n\ny = 2\n```", "~~~\nrest\nmore"]


def test_line_that_opens_and_closes() -> None:
    """A fence that closes on its own line mutes nothing behind it (W3)."""
    text = "``` one line ```\nafter it"
    assert [s.end for s in preserved_segments(text)] == [16]


SENTENCES = [
    ("Use 3.11. Not 3.12!", ["Use 3.11.", "Not 3.12!"]),
    ("Edit foo.py. Then stop.", ["Edit foo.py.", "Then stop."]),
    ("See e.g. the docs. Bye", ["See e.g. the docs.", "Bye"]),
    ("We log, cache, etc. Never both.", ["We log, cache, etc.", "Never both."]),
    ("no dots here", ["no dots here"]),
    ("先跑测试。再提交！好吗？", ["先跑测试。", "再提交！", "好吗？"]),
    ("先跑测试.再提交", ["先跑测试.", "再提交"]),
    ("- one\n- two", ["one", "two"]),
    ("1. one\n2) two\n(3) three", ["one", "two", "three"]),
    ("一、先写\n2、再跑\n③ 提交", ["先写", "再跑", "提交"]),
    ("- [ ] open\n- [x] done", ["open", "done"]),
    ("## Title\ntext", ["Title", "text"]),
    ("He said “no.” Then left.", ["He said “no.”", "Then left."]),
    ("What?! Now.", ["What?!", "Now."]),
    ("fix this\nnever that", ["fix this", "never that"]),
    ("Mr. Fox agrees. So do I.", ["Mr. Fox agrees.", "So do I."]),
]


@pytest.mark.parametrize(("text", "expected"), SENTENCES)
def test_sentences(text: str, expected: list[str]) -> None:
    """Sentences end where they do in English and Chinese, not in names (B4)."""
    masked = mask(text, preserved_segments(text))
    assert [text[s.start : s.end] for s in sentences(masked)] == expected


def test_wrapped_lines_are_one_sentence() -> None:
    """A long line without an end goes on in the next if that begins small (B4)."""
    text = (
        "This is a line of a paragraph that somebody wrapped at a fixed\n"
        "width in an editor. The next one follows."
    )
    assert len(sentences(text)) == 2


# -- cuts ------------------------------------------------------------------------


def test_short_text_is_not_cut() -> None:
    """What fits stays as it is, to the last blank (G5)."""
    assert cut_at_sentence(" all of it \n", 20) == " all of it \n"


def test_cut_at_a_sentence_end() -> None:
    """A clip holds whole sentences only (G5)."""
    text = "One is short. Two is longer. Three is never shown."
    assert cut_at_sentence(text, 35) == "One is short. Two is longer."


def test_cut_never_inside_a_fence() -> None:
    """A fence that does not fit is left out as a whole (Q5)."""
    text = "Look:\n```\na. b. c.\nd. e. f.\n```\nDone."
    assert cut_at_sentence(text, 20) == "Look:"
    assert cut_at_sentence("```\na. b. c.\n```\nEnd.", 10) == ""


def test_cut_at_a_clause_that_takes_nothing_back() -> None:
    """A long sentence ends at a clause, and says so; a "but" is never lost (Q5)."""
    text = "We keep the queue in memory, flush it hourly, and log every flush to disk."
    assert cut_at_sentence(text, 50) == "We keep the queue in memory, flush it hourly…"
    bent = "We keep the whole queue in memory, but never in production or on staging."
    assert cut_at_sentence(bent, 50) == ""


def test_cut_at_a_word_drops_no_negation() -> None:
    """Without a clause a word ends the cut, unless a negation would be lost (Q5)."""
    assert cut_at_sentence("one two three four five six", 16) == "one two three…"
    assert cut_at_sentence("safe for all callers that are not threads", 20) == ""


def test_outcome_ends_with_the_last_statement() -> None:
    """The last statements win over the first, in their own order (B8)."""
    text = "I looked. " * 40 + "The limit is 3 now. Tests pass."
    cut = last_statements_first(text, 60)
    assert cut.startswith(ELLIPSIS)
    assert cut.endswith("The limit is 3 now. Tests pass.")


def test_outcome_leaves_a_long_fence_out() -> None:
    """A fence that does not fit is skipped, what stands around it is kept (B8, Q5)."""
    text = "It was the cache.\n```\n" + "x = 1\n" * 50 + "```\nFixed in v2.1."
    assert last_statements_first(text, 80) == "It was the cache.\n… Fixed in v2.1."


def test_outcome_of_one_long_sentence() -> None:
    """A single sentence that is too long is cut like any other (B8)."""
    text = "We moved the queue, renamed the worker, and left the docs as they were"
    assert last_statements_first(text, 40) == "We moved the queue, renamed the worker…"


TEXTS = st.lists(
    st.sampled_from(
        [
            "Keep v1.2.3 of src/app.py. ",
            "Never log request bodies! ",
            "```\ncode. more.\n```\n",
            "See https://example.test/a.b?c, it might help; ",
            "先跑测试。",
            "`a. b` is fine ",
            "\n\n",
            "- item one.\n",
            "but not today ",
        ]
    ),
    max_size=14,
).map("".join)


@given(TEXTS, st.integers(1, 200))
def test_cuts_keep_segments_whole(text: str, limit: int) -> None:
    """A cut is a beginning of the text that fits and ends in no segment (Q5)."""
    cut = cut_at_sentence(text, limit)
    assert len(cut) <= limit
    kept = cut.removesuffix(ELLIPSIS)
    assert text.startswith(kept)
    if cut != text:
        end = len(kept)
        inside = [s for s in preserved_segments(text) if s.start < end < s.end]
        assert inside == []


@given(TEXTS, st.integers(2, 200))
def test_outcomes_keep_segments_whole(text: str, limit: int) -> None:
    """An outcome fits, and each of its pieces stands whole in the text (B8, Q5)."""
    cut = last_statements_first(text, limit)
    assert len(cut) <= limit
    for piece in cut.split(ELLIPSIS):
        assert piece.strip() in text


@given(st.text(max_size=200))
def test_segments_are_in_order(text: str) -> None:
    """Segments and sentences lie in the text, in order, without touching (Q5)."""
    for spans in (preserved_segments(text), sentences(text)):
        at = 0
        for span in spans:
            assert at <= span.start < span.end <= len(text)
            at = span.end


@given(st.text(max_size=200))
def test_mask_keeps_the_length(text: str) -> None:
    """A masked text has the same length and the same lines (B4)."""
    masked = mask(text, preserved_segments(text))
    assert len(masked) == len(text)
    assert masked.count("\n") == text.count("\n")
