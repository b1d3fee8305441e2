"""What a query asks for: its telling words, who spoke, and when (F1, G2).

Words that say nothing alone (stop words) are left out, unless nothing else is there.
What remains are index terms, made by the function that made those of stored text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ibid.engine.recall import times
from ibid.engine.recall.stops import STOP_STEMS, WEAK_STEMS
from ibid.text.stems import index_terms
from ibid.text.terms import fold, is_dense, terms

# A query of more characters is a paste: its beginning and its end are read.
MAX_QUERY = 20_000

# At most so many words are looked up, and at most so many of them are used (F1).
MAX_LOOKED_UP = 24
_SENTENCE = 4
_CAPITAL = r"(?<=[\w,] )[^\W\d_a-z][^\W\d_]+"
MAX_TERMS = 12


class Query(NamedTuple):
    """A question, analysed."""

    words: tuple[str, ...]  # At most `MAX_LOOKED_UP` index terms, none twice.
    common: bool  # Nothing but stop words: they were kept for want of others.
    sentence: bool  # Four terms or more, stop words too: not a mere keyword.
    names: dict[str, str]  # Words that may name who spoke, each with its folded form.
    capitals: frozenset[str]  # The folded words that have a capital amid the query.
    voice: str  # person | agent: whose words are asked for; "" either's.
    asks_when: bool  # Asks for a time or a number.
    when: times.When | None  # The times it names.


def analyse(text: str, now: int, said: bool = True) -> Query:
    """Return what ``text``, asked at ``now`` (milliseconds), looks for.

    Who said it and whether it asks for a time is only found out where messages are
    looked for (``said``).

    >>> analyse("What did we decide about the upload retries?", 0).words
    ('decid', 'upload', 'retri')
    """
    if len(text) > MAX_QUERY:
        text = f"{text[: MAX_QUERY // 2]} {text[-MAX_QUERY // 2 :]}"
    content: dict[str, str] = {}
    stops: dict[str, str] = {}
    found = terms(text)
    for term in found:
        if not term.endswith("'s"):  # Its base follows.
            word = index_terms(term)[0]  # A run's last character is not asked for.
            kind = stops if is_stop(term, word) else content
            kind.setdefault(word, term)
    words = content or stops
    chosen = _most_telling(words)
    return Query(
        words=tuple(chosen),
        common=not content,
        sentence=len(found) >= _SENTENCE,
        names={word: words[word] for word in chosen if words[word].isalpha()},
        capitals=frozenset(map(fold, re.findall(_CAPITAL, text) if said else ())),
        voice=_voice(text) if said else "",
        asks_when=said and times.asks_when(text),
        when=times.find_when(text, now),
    )


def is_stop(term: str, word: str) -> bool:
    """Say whether a term, with its index term ``word``, says nothing alone.

    >>> [is_stop(term, term) for term in ("the", "don't", "什么", "的错", "retry")]
    [True, True, True, True, False]
    """
    if term in _stop_words() or word in _stop_stems():
        return True
    if not is_dense(term):
        return False
    return any(mark in _EMPTY for mark in term) or all(
        "\u3041" <= mark <= "\u309f" for mark in term
    )


def is_weak(word: str) -> bool:
    """Say whether sharing the index term ``word`` alone makes nothing relevant (G2).

    Besides stop words these are what any request says: *add*, *fix*, *file* …
    """
    return word in _weak_stems() or (len(word) == 1 and word.isascii())


def _most_telling(words: dict[str, str]) -> list[str]:
    """Return the `MAX_LOOKED_UP` words most likely rare: names, then long ones."""
    if len(words) <= MAX_LOOKED_UP:
        return list(words)
    order = sorted(words, key=_telling, reverse=True)[:MAX_LOOKED_UP]
    return [word for word in words if word in set(order)]


def _telling(word: str) -> tuple[int, int]:
    if is_dense(word):
        return (1, 6)
    plain = word.isalpha()
    return (0 if len(word) < 3 else 1 if plain else 2, min(len(word), 24))


# -- who ----------------------------------------------------------------------------


def _voice(text: str) -> str:
    """Return whose words the question is about, if it tells of the past."""
    mine = re.search(_MINE, text, re.IGNORECASE) is not None
    yours = re.search(_YOURS, text, re.IGNORECASE) is not None
    if mine == yours:
        return ""
    return "person" if mine else "agent"


# What one did, after *did I* and after *I*; people say *I want* of the present.
_DID = (
    "(?:say|tell|ask|mention|want|decide|request|suggest|write|answer|explain|fix|do"
    "|change|propose|find)"
)
_DONE = (
    "(?:said|told|asked|mentioned|wanted|decided|requested|suggested|wrote|answered"
    "|explained|fixed|did|changed|proposed|found)"
)
_MINE = (
    rf"\bdid i {_DID}\b|\b(?:i|i had|have i|i've) {_DONE}\b"
    "|我(?:说|說|问|問|要求|提|让|讓)"
)
_YOURS = (
    rf"\bdid you {_DID}\b|\b(?:you|you had|have you|you've) {_DONE}\b"
    "|你(?:说|說|修|改|建议|建議|回答|做)"
)


# -- stop words -------------------------------------------------------------------


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    return frozenset(_STOPS.split())


@lru_cache(maxsize=1)
def _stop_stems() -> frozenset[str]:
    """Return the stems of the English stop words: ``thi`` is that of *this*."""
    return frozenset(STOP_STEMS.split())


@lru_cache(maxsize=1)
def _weak_stems() -> frozenset[str]:
    return _stop_stems().union(WEAK_STEMS.split())


_WEAK = (
    "want need like look take make get got go give tell say said know think see use"
    " work thing way new good try add change help file code line run fix set put call"
    " create update write read show find implement check project repo repository"
    " problem issue question one two first next last time case way part"
)

# Particles of Chinese: a pair with one of them spans two words.
_EMPTY = frozenset("的吗呢吧嗎啊呀嘛")

_ENGLISH = (
    "a an the and or but nor if then else of at by for with about against between into"
    " through during before after above below to from up down in out on off over under"
    " again further once here there when where why how what which who whom whose this"
    " that these those am is are was were be been being have has had having do does"
    " did doing done would should could can cannot will shall may might must ought i"
    " me my mine myself we us our ours ourselves you your yours yourself he him his"
    " himself she her hers herself it its itself they them their theirs themselves as"
    " until while because so than too very just not no only own same such any all each"
    " both few more most some also ever yet still s t d ll re ve m please hi hello hey"
    " thanks thank ok okay yes let lets there here now well really actually maybe"
)
_STOPS = _ENGLISH + (
    " don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't couldn't"
    " shouldn't haven't hasn't hadn't i'm i'll i've i'd it's that's let's what's we're"
    " we've we'll you're you've they're there's he's she's who's where's how's der das"
    " und oder nicht ist ein eine einen mit für von zu den dem des auf wie wir le la"
    " les un une des et ou est dans pour avec pas qui que nous vous sur el los las una"
    " y en con por para como qué es del и в не на что с по как это для мы я он она они"
    " у же бы из но а к о 我们 我們 你们 你們 他们 他們 这个 這個 那个 那個 这些 這些"
    " 一个 一個 什么 什麼 怎么 怎麼 如何 为什 為什 可以 可能 请问 請問 请你 請你 是否"
    " 是不 不是 就是 还是 還是 以及 因为 因為 所以 如果 但是 然后 然後 一下 现在 現在"
    " 时候 時候 哪个 哪個 哪里 哪裡 有没 没有 沒有 有沒 帮我 幫我 的时 에서 으로 하는"
)
