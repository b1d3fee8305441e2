"""What counts as a term (F1)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.text.terms import MAX_TERM, TERMS_VERSION, fold, is_dense, terms

CASES = [
    ("Fix the upload", ["fix", "the", "upload"]),
    ("log log", ["log", "log"]),
    ("", []),
    ("\u0301 ¸ ´", []),
    ("🚀 … ?!", []),
    ("café CAFE\u0301", ["café", "café"]),
    ("Ｆｕｌｌ　１２", ["full", "12"]),
    ("Straße", ["strasse"]),
    ("миграции Ёлка", ["миграции", "ёлка"]),
    ("قاعدة البيانات", ["قاعدة", "البيانات"]),
    ("हिन्दी में", ["हिन्दी", "में"]),
    ("מסד נתונים", ["מסד", "נתונים"]),
    ("测试必须通过", ["测试", "试必", "必须", "须通", "通过"]),
    ("検索を直す", ["検索", "索を", "を直", "直す"]),
    ("ｶﾞｲﾄﾞ", ["ガイ", "イド"]),
    ("검색을", ["검색", "색을"]),
    ("ไทย", ["ไท", "ทย"]),
    ("錯 x", ["錯", "x"]),
    ("𠀀𠀁𠀂", ["𠀀𠀁", "𠀁𠀂"]),
    ("在Python3里", ["在", "python3", "里"]),
    ("getUserName", ["getusername", "get", "user", "name"]),
    ("HTTPServer", ["httpserver", "http", "server"]),
    ("URLs", ["urls"]),
    ("retry_limit", ["retry_limit", "retry", "limit"]),
    ("eu-north-1", ["eu-north-1", "eu", "north", "1"]),
    ("C++ C# F#", ["c++", "c#", "f#"]),
    ("C++20.", ["c++20", "c++"]),
    (".env", [".env", "env"]),
    ("read .env.local", ["read", ".env.local", "env", "local"]),
    ("error[E0433]", ["error[e0433]", "error", "e0433"]),
    ("std::vec", ["std::vec", "std", "vec"]),
    ("v3.11", ["v3.11", "v3", "11"]),
    ("don't", ["don't"]),
    ("the parser’s", ["the", "parser's", "parser"]),
    ("l'erreur", ["l'erreur", "erreur"]),
    ("end. Next", ["end", "next"]),
    ("wait...what", ["wait", "what"]),
    ("foo().bar", ["foo", "bar"]),
    ("_never_", ["never"]),
    ("____ _", []),
    ("__init__", ["__init__", "init"]),
    (
        "src/api_v2.py:12",
        ["src/api_v2.py:12", "src", "api_v2.py", "12", "api_v2", "py", "api", "v2"],
    ),
    ("src\\api", ["src/api", "src", "api"]),
    ("zero\u200bwidth soft\u00adhyphen", ["zero", "width", "softhyphen"]),
    ("lone \ud83d half\x00null", ["lone", "half", "null"]),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_terms_of_a_text(text: str, expected: list[str]) -> None:
    """Words of every script are folded; names come whole and split; dense pairs."""
    assert terms(text) == expected


def test_a_word_inside_a_word_is_not_a_term() -> None:
    """W7: 'log' is not found in 'catalog', nor 'go' in 'Django'."""
    assert "log" not in terms("the catalog of Django")
    assert "go" not in terms("the catalog of Django")


def test_languages_named_by_marks_stay_apart() -> None:
    """W11: C, C++ and C# share no term."""
    assert not set(terms("C++")) & set(terms("C#"))
    assert "c" not in terms("C++ C#")


def test_encoded_data_is_one_term() -> None:
    """A pasted blob neither splits into noise nor grows without bound."""
    blob = "aGVsbG8gd29ybGQhISBhbmQgbW9y" * 20
    assert terms(blob) == [blob.lower()[:MAX_TERM]]


def test_a_full_stop_and_spacing_change_nothing() -> None:
    """Punctuation at the end and runs of blanks are no part of a term."""
    assert terms("Run  cargo fmt.") == terms("run cargo fmt")


@settings(deadline=None)
@given(st.text())
def test_any_text_has_folded_terms(text: str) -> None:
    """Every term is non-empty, bounded, normalised and free of blanks and NUL."""
    for term in terms(text):
        assert 0 < len(term) <= MAX_TERM
        assert not any(mark.isspace() or mark == "\0" for mark in term)
        assert unicodedata.normalize("NFKC", term) == term


@settings(deadline=None)
@given(st.text(alphabet=st.characters(max_codepoint=0x24F)))
def test_a_known_term_is_found_again(text: str) -> None:
    """A single word folds to itself: looking up a stored term finds it."""
    for term in terms(text):
        if term.isalnum() and len(term) < MAX_TERM:
            assert fold(term) == term
            assert terms(term)[:1] == [term]


@pytest.mark.parametrize(
    "text",
    ["a" + "\u0301\u0323" * 200_000, "a." * 200_000, "[" * 400_000, "x_" * 200_000],
)
def test_hostile_texts_end(text: str) -> None:
    """Runs that make normalising or matching quadratic are cut first."""
    assert len(terms(text)) <= len(text)


def test_dense_scripts_are_recognised() -> None:
    """The query counts pairs of characters apart from words."""
    assert is_dense("检索") and is_dense("검색")
    assert not is_dense("naïve") and not is_dense("миграция") and not is_dense("")


def test_the_version_is_a_number() -> None:
    """Rows store it, so that stale ones can be found by comparison."""
    assert TERMS_VERSION >= 1
