"""Whether two notes say the same: near-duplicates, differences, contradictions (D1-D4).

Two notes may become one only if nothing that carries meaning differs: what is left of
them once case, spaces, punctuation, articles and politeness are gone must be the same
words in the same order.  A false merge loses a rule, a missed one costs a look.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from ibid.text.segments import name_kind
from ibid.text.terms import terms

# Jaccard over terms, D1 and D4.
MERGES_FROM = 0.8
CONFLICTS_FROM = 0.3

# More words than this are compared as they are, not aligned.
_MAX_ALIGNED = 300


def may_merge(a: str, b: str) -> bool:
    """Say whether notes ``a`` and ``b`` may become one without a change of meaning.

    >>> may_merge("Run cargo fmt before committing", "run cargo fmt before committing.")
    True
    >>> may_merge("Prefer tabs over spaces", "Prefer spaces over tabs")
    False
    """
    return similarity(a, b) >= MERGES_FROM and difference(a, b) is None


def similarity(a: str, b: str) -> float:
    """Return the Jaccard index of the terms of ``a`` and ``b``, from 0 to 1.

    Terms are unstemmed and stop words count; texts without any term are similar only
    if they are equal.  Rule: D1.
    """
    one, other = set(terms(a)), set(terms(b))
    if not one and not other:
        return 1.0 if a.split() == b.split() else 0.0
    return len(one & other) / len(one | other)


def difference(a: str, b: str) -> str | None:
    """Return the kind of the difference in meaning between ``a`` and ``b``, or None.

    Kinds: ``negation``, ``hedge``, ``modality``, ``number``, ``version``, ``path``,
    ``url``, ``identifier``, ``order`` and ``word``.  Rule: D2.

    >>> difference("never log it", "always log it")
    'negation'
    """
    one, other = _words(a), _words(b)
    if _same(one, other):
        return None
    for kind in _KINDS:
        if not _same(
            [word for word in one if word.kind == kind],
            [word for word in other if word.kind == kind],
        ):
            moved = _count(one) == _count(other)
            return "order" if moved and kind not in _MODAL_KINDS else kind
    if _count(one) == _count(other):
        return "order"
    for before, left, right in _replaced(one, other):
        if before and before.kind == "number":
            return "number"
        if _is_choice(before, left, right):
            return "identifier"
    return "word"


def contradicts(a: str, b: str) -> bool:
    """Say whether ``a`` and ``b`` speak of the same and disagree.

    They share terms (Jaccard of at least 0.3), and one denies what the other says, or
    puts another value in the same place, or the same things in another order.
    Rule: D4.

    >>> contradicts("Always use Bun", "Never mind, always use Bun")
    False
    >>> contradicts("Always use Bun", "Always use npm")
    True
    """
    if similarity(a, b) < CONFLICTS_FROM:
        return False
    one, other = _words(_affirmed(a)), _words(_affirmed(b))
    if _denials(one) % 2 != _denials(other) % 2:
        return True
    if _same(one, other):
        return False
    turned = _count(one) == _count(other) and any(w.key in _PIVOTS for w in one)
    return turned or _replaces(one, other)


# -- words that carry meaning --------------------------------------------------


class _Word(NamedTuple):
    key: str
    kind: str
    raw: str


_MODAL_KINDS = ("negation", "hedge", "modality")
_KINDS = (*_MODAL_KINDS, "number", "version", "path", "url", "identifier")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NEGATIONS = _set(
    "not never no none nothing nobody neither nor without avoid avoiding refrain stop"
    " forbid forbidden prohibited banned disallowed except unless hardly deny denied"
    " 不 没 無 无 勿 别 別 禁 未 非 莫 沒 免 拒 除"
)
_HEDGES = _set(
    "might maybe perhaps probably likely possibly could seems seem apparently about"
    " roughly around approximately almost nearly usually often sometimes mostly"
    " generally typically normally occasionally rarely seldom presumably potentially"
    " some somewhat partly fairly 概 许 許 或 似 估"
)
_MODALS = _set(
    "must should shall may can will would ought have has need needs required always"
    " only optional optionally recommended preferably allowed permitted mandatory ever"
    " every each all any both either prefer preferred want"
    " 必 须 須 应 應 该 該 可 能 要 只 仅 僅 需 得 都 总 總 最 好 准"
)
_NUMBERS = _set(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen"
    " fourteen fifteen sixteen twenty thirty forty fifty sixty hundred thousand million"
    " once twice thrice half double first second third"
    " 一 二 三 四 五 六 七 八 九 十 百 千 万 萬 两 兩 零 半 〇"
)
# Say nothing: articles, politeness, emphasis.
_FILLERS = _set(
    "a an the please pls also just really so then well very kindly simply actually"
    " basically single do does did 请 請 的 了 吧 啊 呢 也 把"
)

_CONTRACTIONS = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "shan't": "shall not",
    "ain't": "is not",
    "let's": "let us",
    "it's": "it is",
    "that's": "that is",
    "i'd": "i would",
    "we'd": "we would",
    "gonna": "going to",
}
_SHORT = {"n't": " not", "'ve": " have", "'re": " are", "'ll": " will", "'m": " am"}

_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"


@lru_cache(maxsize=1)
def _token() -> re.Pattern[str]:
    return re.compile(
        rf"[{_HAN}]|[<>=≠≤≥]+|[^\s\"`()\[\]{{}},;!?…“”«»「」『』、。<>=≠≤≥{_HAN}]+"
    )


_FRONTED = re.compile(
    r"\s*((?:before|after|when|whenever|in|for|on|during|while|with|if|unless"
    r"|once|until"
    r"|from|at|under|within|by)\b[^,.;:]{1,80}),\s+([^,].*)",
    re.IGNORECASE | re.DOTALL,
)


def _words(text: str) -> list[_Word]:
    """Return the words of ``text`` that carry meaning, in order.

    A condition that stands first is moved to the end, where it stands otherwise.
    """
    text = unicodedata.normalize("NFKC", text[:20000]).replace("’", "'")
    fronted = _FRONTED.fullmatch(text)
    if fronted:
        text = f"{fronted[2].rstrip(' .!')} {fronted[1]}"
    found: list[_Word] = []
    before = ""
    for token in _token().findall(text):
        raw = token.strip("'*").rstrip(".:").strip("'*")
        for part in _parts(raw):
            word = _word(part, before)
            if word and not _is_empty_object(word, found):
                found.append(word)
            before = part
    return found


def _parts(raw: str) -> list[str]:
    """Return ``raw`` with contractions and hyphens of plain words taken apart."""
    low = raw.lower()
    if low in _CONTRACTIONS:
        return _CONTRACTIONS[low].split()
    for short, long in _SHORT.items():
        if low.endswith(short) and len(low) > len(short):
            return [raw[: -len(short)], long.strip()]
    if "-" in raw and raw.replace("-", "").isalpha():
        return [part for part in raw.split("-") if part]
    return [raw] if raw.strip("-–—_*~.") else []


def _word(raw: str, before: str) -> _Word | None:
    key = raw.casefold()
    if key in _FILLERS or not key:
        return None
    for kind, known in (
        ("negation", _NEGATIONS),
        ("hedge", _HEDGES),
        ("modality", _MODALS),
        ("number", _NUMBERS),
    ):
        if key in known:
            return _Word(key, kind, raw)
    kind = name_kind(raw, before) or "word"
    if kind == "word" or raw.isalpha():
        # Names of letters alone are often typed in lower case.
        return _Word(key, kind, raw)
    return _Word(raw[0].casefold() + raw[1:], kind, raw)


_ACTS = re.compile(r"(?:commit|push|merg|submit|review)(?:s|e|es|ing|ting)?$")


def _is_empty_object(word: _Word, before: list[_Word]) -> bool:
    """Say whether ``word`` adds nothing: "committing (code)", "pushing (changes)"."""
    empty = word.key in ("code", "changes", "anything", "it", "things", "work")
    return empty and bool(before) and _ACTS.match(before[-1].key) is not None


def _same(one: list[_Word], other: list[_Word]) -> bool:
    return len(one) == len(other) and all(
        _equal(left, right) for left, right in zip(one, other, strict=True)
    )


def _equal(one: _Word, other: _Word) -> bool:
    if one.key == other.key:
        return not (_is_camel(one.raw) and _is_camel(other.raw)) or one.raw == other.raw
    if one.kind != "word" or other.kind != "word":
        return False
    return _stem(one.key) == _stem(other.key)


def _is_camel(raw: str) -> bool:
    return re.search(r"[a-z][A-Z]", raw) is not None


def _stem(word: str) -> str:
    """Return ``word`` without plural and -ing; tenses stay apart."""
    if len(word) > 5 and word.endswith("ing"):
        stem = word[:-3]
        return stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] not in "sl" else stem
    if len(word) > 3 and word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _name(word: _Word) -> str:
    """Return what ``word`` is counted and aligned by."""
    if word.kind == "word":
        return _stem(word.key)
    return word.raw if _is_camel(word.raw) else word.key


def _count(words: list[_Word]) -> Counter[str]:
    return Counter(map(_name, words))


# -- contradiction -------------------------------------------------------------


_AFFIRMS = re.compile(
    r"\bnever mind\b[\s,.!]*|\b(?:do not|don't|never|not) forget to\b|\bnot only\b"
    r"|\bwithout (?:exception|fail)\b|\bno (?:matter|doubt)\b|别忘了?"
    r"|不要忘记?了?|不管|无论|不但|不仅"
    r"|[区分特级类个识差性]别|別(?=的|人)|[区區]別",
    re.IGNORECASE,
)


def _affirmed(text: str) -> str:
    """Return ``text`` without what looks like a negation and is none."""
    return _AFFIRMS.sub(" ", unicodedata.normalize("NFKC", text).replace("’", "'"))


def _denials(words: list[_Word]) -> int:
    return sum(word.kind == "negation" for word in words)


# Words that are followed by what somebody chose.
_CHOOSES = _set(
    "use using prefer with via adopt choose pick is are install 用 采 選 选"
)


# Around these the order of things is their meaning.
_PIVOTS = _set(
    "not over instead rather than before after from to into onto first then until"
    " unless except without only versus 不 先 再 前 后 後 代 替 到 从 從"
)


def _replaces(one: list[_Word], other: list[_Word]) -> bool:
    """Say whether the same place holds another value of the same kind."""
    for before, left, right in _replaced(one, other):
        shared = {w.kind for w in left} & {w.kind for w in right}
        if shared - {"word", "negation"} or _is_choice(before, left, right):
            return True
    return False


def _is_choice(before: _Word | None, left: list[_Word], right: list[_Word]) -> bool:
    """Say whether one word was chosen instead of another, or is another unit."""
    if before is None or len(left) != 1 or len(right) != 1:
        return False
    return before.key in _CHOOSES or before.kind == "number"


def _replaced(
    one: list[_Word], other: list[_Word]
) -> list[tuple[_Word | None, list[_Word], list[_Word]]]:
    """Return what stands in ``one`` for what in ``other``, and the word before it."""
    if max(len(one), len(other)) > _MAX_ALIGNED:
        return []
    matcher = SequenceMatcher(
        None, [_name(w) for w in one], [_name(w) for w in other], autojunk=False
    )
    return [
        (one[a - 1] if a else None, one[a:b], other[c:d])
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag == "replace"
    ]
