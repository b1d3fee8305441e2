"""The terms of a text: the one function behind index, query and near-duplicates (F1).

A term is a word of any script, case- and width-folded.  What people write in code is
kept whole and split: a path gives its segments, a dotted or hyphenated name its pieces,
an identifier its words.  Writing without spaces between words (Han, Kana, Hangul, Thai,
Lao, Khmer, Burmese) becomes overlapping pairs of characters.

Accents are kept (``café`` is one term and differs from ``cafe``), because terms also
decide whether two notes say the same (D1); `ibid.text.stems` folds them for search.
Simplified and traditional Chinese stay distinct: folding them needs a table that the
standard library does not have.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Raise this whenever the terms of any text change: rows carry it, and those with an
# older one are indexed again.
TERMS_VERSION = 1

# Longer words are cut: nobody types them, and pasted blobs must not swell the index.
MAX_TERM = 120

# Names of more words than this are encoded data, not identifiers.
_MAX_WORDS = 8

# Characters of scripts that write words without spaces: bigrams.
_DENSE = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1050-\u109f\u1780-\u17d3"
    "\u1100-\u11ff\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3041-\u309a\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003fffd"
)

# Marks that belong to the letter before them; ``\w`` leaves them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
    "\u0711-\u07f3\u0816-\u082d\u0859-\u085b\u0898-\u0963\u0981-\u09e3\u0a01-\u0a75"
    "\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d63"
    "\u0d81-\u0df3\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc"
    "\u135d-\u135f\u1712-\u1734\u180b-\u180d\u180f-\u193b\u1a17-\u1a1b\u1a55-\u1a7f"
    "\u1ab0-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3\u1c24-\u1c37\u1cd0-\u1cd2\u1cd4-\u1dff"
    "\ua66f\ua674-\ua67d\ua69e\ua69f\ua802-\ua827\ua880-\ua8c5\ua8e0-\ua8f1"
    "\ua926-\ua953\ua980-\ua9c0\uabe3-\uabed\U00011000-\U00011046"
    "\U00011070-\U000110ba\U00011100-\U00011134\U0001e8d0-\U0001e94a"
)

# Invisible characters inside words: joiners, soft hyphens, variation selectors.
_INVISIBLE = "[\u00ad\u200c-\u200f\u2060\ufe00-\ufe0f\ufeff]"


def terms(text: str) -> list[str]:
    """Return the terms of ``text`` in order, with repeats: unstemmed, stop words too.

    Linear in the length of the text; any text is allowed.  Rule: F1.

    >>> terms("Fix getUser in src/api.py")
    ['fix', 'getuser', 'get', 'user', 'in', 'src/api.py', 'src', 'api.py', 'api', 'py']
    >>> terms("C++ 不必")
    ['c++', '不必']
    """
    found: list[str] = []
    known: dict[str, list[str]] = {}
    for chunk in _chunks(text):
        names = known.get(chunk)
        if names is None:
            names = known[chunk] = _chunk_terms(chunk)
        found += names
    return found


def fold(word: str) -> str:
    """Return ``word`` folded by case and width, cut to `MAX_TERM` characters.

    >>> fold("Ｓtraße")
    'strasse'
    """
    if word.isascii():
        return word.lower()[:MAX_TERM]
    return unicodedata.normalize("NFKC", word.casefold())[:MAX_TERM]


def is_dense(term: str) -> bool:
    """Say whether ``term`` is of a script that is indexed by pairs of characters."""
    return term[:1] >= "\u0e01" and _dense_runs().match(term) is not None


def _chunk_terms(chunk: str) -> list[str]:
    if chunk.isalpha() and (chunk.islower() or chunk[1:].islower()):
        if not is_dense(chunk):
            return [fold(chunk)]
    elif not is_dense(chunk):
        return _name_terms(chunk)
    return _pairs(chunk)


def _pairs(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    return [run[at : at + 2] for at in range(len(run) - 1)]


# -- names, whole and split -------------------------------------------------------


def _name_terms(chunk: str) -> list[str]:
    """Return a path, identifier or other name: whole, then split level by level."""
    name = chunk.replace("’", "'").replace("\\", "/")
    if len(name) > 2 and name[0] == "_" == name[-1] and name[1] != "_":
        name = name.strip("_")  # Emphasis, not a name: ``_never_``.
    if not name.strip("_"):
        return []
    found = [fold(name)]
    plus = name.find("++")
    if plus >= 0 and not name.endswith("++"):
        found.append(fold(name[: plus + 2]))  # ``C++17`` is ``C++``.
    base = name[:plus] if plus >= 0 else name.rstrip("#")
    if base != name and len(base) <= 2:
        return found  # ``C++`` and ``C#`` are not ``C``.
    for segment in _split(found, base, "/:@[]~"):
        for piece in _split(found, segment, "."):
            for word in _split(found, piece, "-_"):
                _add_words(found, word)
    return found


def _split(found: list[str], name: str, marks: str) -> list[str]:
    """Return the parts of ``name`` between any of ``marks``, adding them if new."""
    cut = name
    for mark in marks[1:]:
        cut = cut.replace(mark, marks[0])
    parts = [part for part in cut.split(marks[0]) if part]
    if parts != [name]:
        found += [fold(part) for part in parts]
    return parts


def _add_words(found: list[str], word: str) -> None:
    """Add the words of a camel-case name, or what an apostrophe joins."""
    if "'" in word:
        head, *rest = word.split("'")
        if rest in _CLITICS:
            found.append(fold(head))
        elif rest != ["t"]:
            found += [fold(part) for part in (head, *rest) if len(part) > 1]
    elif not (word.islower() or word.isupper() or word.istitle()):
        words = _camel_words(word)
        if 1 < len(words) <= max(2, min(_MAX_WORDS, len(word) // 3)):
            found += [fold(part) for part in words]


_CLITICS = (["s"], ["re"], ["ve"], ["ll"], ["d"], ["m"])


def _camel_words(name: str) -> list[str]:
    """Return the words of a camel-case name; acronyms and numbers stay together.

    >>> _camel_words("parseHTTPHeader2"), _camel_words("URLs")
    (['parse', 'HTTP', 'Header2'], ['URLs'])
    """
    if name[-1] == "s" and name[:-1].isupper():
        return [name]
    starts = [0]
    for at in range(1, len(name)):
        if name[at].isupper():
            after_capital = name[at - 1].isupper()
            if not after_capital or name[at + 1 : at + 2].islower():
                starts.append(at)
    return [
        name[start:end]
        for start, end in zip(starts, [*starts[1:], len(name)], strict=True)
    ]


# -- cutting a text into chunks ---------------------------------------------------


def _chunks(text: str) -> list[str]:
    """Return the names and the runs of dense script in ``text``, in order."""
    if text.isascii():
        return _names(marks="").findall(text)
    text = _normal(text)
    if not re.search(_WIDE, text):
        return _names(marks="").findall(text)
    found: list[str] = []
    for at, piece in enumerate(_dense_runs().split(text)):
        if at % 2:
            found.append(piece)
        else:
            found += _names(_MARKS).findall(piece)
    return found


# Where marks and dense scripts may live: outside Latin, typographic signs and emoji.
# Written as an exception, because a class of wide ranges takes 5 ms to compile.
_WIDE = "[^\x00-\u02ff\u2000-\u2ddf\U0001f000-\U0001ffff]"


def _normal(text: str) -> str:
    """Return ``text`` normalised, in linear time.

    Long runs of marks are cut first: putting them in canonical order is quadratic.
    """
    if len(text) > 1000:
        text = re.sub("([^\\w\\s\x00-\x7f]{30})[^\\w\\s\x00-\x7f]+", r"\1", text)
    return re.sub(_INVISIBLE, "", unicodedata.normalize("NFKC", text))


@lru_cache(maxsize=2)
def _names(marks: str) -> re.Pattern[str]:
    """Return the pattern of a name of word characters and ``marks``.

    A leading dot (``.env``), joints between words, an index (``error[E0433]``) and a
    trailing ``++`` or ``#`` belong to it.  The small alphabet is tried first by
    `_chunks`, because the whole one takes a hook 2 ms to compile.
    """
    word, letter = rf"\w[\w{marks}]*", rf"[\w{marks}]"
    joint = r"(?:::|:\\|[/\\]\.?|:(?=[0-9])|[-.@~'’])"
    index = rf"(?:\[{word}\])?"
    sharp = rf"(?:(?:\+\+[0-9]*|#)(?!{letter}))?"
    return re.compile(rf"(?:(?<![\w.)\]])\.)?{word}(?:{joint}{word})*{index}{sharp}")


@lru_cache(maxsize=1)
def _dense_runs() -> re.Pattern[str]:
    return re.compile(f"([{_DENSE}]+)")
