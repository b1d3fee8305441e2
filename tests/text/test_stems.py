"""What a row is indexed by: word forms, accents, speakers (F1, F5)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.text.stems import SPEAKER, index_terms, speakers, stem, without_accents
from ibid.text.terms import terms


@pytest.mark.parametrize(
    "forms",
    [
        "upload uploads uploading uploaded",
        "migration migrations migrate migrated",
        "retry retries retried",
        "cache caches caching cached",
        "decide decided deciding",
        "run ran running runs",
        "write wrote written writing",
        "build built builds",
        "child children",
        "index indices indexes",
        "commit commits committed committing",
        "fail fails failed",
        "class classes",
        "query queries",
    ],
)
def test_the_forms_of_a_word_have_one_stem(forms: str) -> None:
    """Plurals, tenses and irregular forms are found by each other."""
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "words",
    ["log catalog", "port import", "cart card", "use user", "new now", "is as"],
)
def test_different_words_keep_apart(words: str) -> None:
    """A stem is no excuse: words of another meaning have another one."""
    one, two = words.split()
    assert stem(one) != stem(two)


@pytest.mark.parametrize(
    ("word", "bare"),
    [("café", "cafe"), ("größe", "große"), ("ёлка", "елка"), ("كَتَبَ", "كتب")],
)
def test_accents_are_folded_for_search(word: str, bare: str) -> None:
    """What people leave out when they type is left out of the index."""
    assert without_accents(word) == bare


@pytest.mark.parametrize(
    ("text", "author", "expected"),
    [
        ("Uploads failed", "", ["upload", "fail"]),
        ("the parser's limits", "", ["the", "parser", "limit"]),
        ("don't", "", ["don't"]),
        ("src/api.py", "", ["src/api.py", "src", "api.py", "api", "py"]),
        ("遇到死锁。", "", ["遇到", "到死", "死锁", "锁"]),
        ("锁", "", ["锁", ""]),
        ("hello", "Ann Lee", ["hello", "@ann", "@lee"]),
        ("Ann: hello", "person", ["ann", "hello", "@ann"]),
    ],
)
def test_the_terms_of_a_row(text: str, author: str, expected: list[str]) -> None:
    """Words are stemmed, names are not; a dense run ends with its last character."""
    assert index_terms(text, author) == [term for term in expected if term]


@pytest.mark.parametrize(
    ("author", "text", "names"),
    [
        ("Ann", "Bob: hello", ["ann"]),
        ("person", "hello", []),
        ("agent", "**Bob Smith** (8 May): hello", ["bob", "smith"]),
        ("", "[Ann]: hello", ["ann"]),
        ("some-model-4-5", "hello", []),
        ("model", "hello", []),
        ("", "see http://host: x", []),
        ("王芳", "好", ["王芳"]),
        ("", "", []),
    ],
)
def test_who_speaks(author: str, text: str, names: list[str]) -> None:
    """A person's name as author, or a name before a colon; no role, no model."""
    assert speakers(author, text) == names


@settings(deadline=None)
@given(st.text(), st.text(max_size=20))
def test_no_term_of_a_text_is_taken_for_a_speaker(text: str, author: str) -> None:
    """The mark of a speaker cannot be written, so nobody can pose as one."""
    assert not any(term.startswith(SPEAKER) for term in terms(text))
    named = [term for term in index_terms(text, author) if term.startswith(SPEAKER)]
    assert named == [SPEAKER + name for name in speakers(author, text)]
    assert all(index_terms(text, author))


@settings(deadline=None)
@given(st.from_regex(r"[a-z]{1,50}", fullmatch=True))
def test_a_stem_is_a_word_of_letters(word: str) -> None:
    """Any word has a stem, at most a letter longer and never empty."""
    assert stem(word).isalpha() and len(stem(word)) <= max(6, len(word) + 1)
