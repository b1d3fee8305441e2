"""Segments that stay as they are, sentences, and cuts that respect both.

A *preserved segment* is a fence, inline code, URL, path, version, number or identifier:
no cut may fall inside one (Q5).  A *sentence* is the unit that capture keeps (B4) and
that clips and episodes are cut at (B8, G5).  All offsets are characters of the text
that was passed in; every function is linear in its length.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

# Stands for a character of a preserved or quoted segment: a letter nobody types, so
# that a masked name still reads as one word.
MASK = "\u01c0"

ELLIPSIS = "…"


class Span(NamedTuple):
    """A piece of a text: ``text[start:end]``, and what it is."""

    start: int
    end: int
    kind: str


def cut_at_sentence(text: str, limit: int) -> str:
    """Return the longest beginning of ``text`` of at most ``limit`` characters.

    It ends at the end of a sentence, never inside a preserved segment.  Where not one
    sentence fits, it ends at a clause whose rest takes nothing back, marked with an
    ellipsis; where that is impossible too it is empty, and the caller shows the handle
    alone.  Rules: B8, G1, G5, Q5.

    >>> cut_at_sentence("Use v1.2. Never v2.0. Bye.", 22)
    'Use v1.2. Never v2.0.'
    """
    if len(text) <= limit:
        return text
    # A sentence that begins before the limit may need its whole length to be judged.
    window = text[: limit + 4000]
    best = 0
    for part in _statements(window):
        if part.end > limit:
            break
        best = part.end
    if best:
        return text[:best]
    return _cut_at_clause(window, limit)


def last_statements_first(text: str, limit: int) -> str:
    """Return what ``text`` ends with, in at most ``limit`` characters.

    Results stand last in an answer, so that its last statements win over the first
    ones; they stay in the order in which they were said.  Only whole sentences and
    whole fences are left out, and an ellipsis stands where something is missing.
    Rules: B8, Q5.

    >>> last_statements_first("I looked. It was slow. The limit is 3 now.", 34)
    '… It was slow. The limit is 3 now.'
    """
    if len(text) <= limit:
        return text
    parts = _statements(text)
    kept: list[str] = []
    room = limit - len(_GAP)
    below = len(text.rstrip())
    whole = True
    for part in reversed(parts):
        size = below - part.start
        if size <= room:
            kept.append(text[part.start : below])
            whole = True
        elif part.kind == "fence":
            # The statement that introduced the fence, or follows it, may still fit.
            size = len(_GAP) if whole else 0
            kept.append(_GAP if whole else "")
            whole = False
        else:
            break
        room -= size
        below = part.start
        if room < 0:
            break
    result = "".join(reversed(kept)).strip()
    if parts and not result.strip(_GAP):
        tail = parts[-1]
        return cut_at_sentence(text[tail.start : tail.end], limit)
    if len(kept) < len(parts) and not result.startswith(ELLIPSIS):
        result = _GAP + result
    return result


_GAP = f"{ELLIPSIS} "


def _statements(text: str) -> list[Span]:
    """Return sentences and fences of ``text`` in order."""
    spans = preserved_segments(text)
    masked = mask(text, spans)
    # Code spans over several lines are as whole as fences.
    blocks = [s for s in spans if s.kind == "fence" or "\n" in text[s.start : s.end]]
    found: list[Span] = []
    at = 0
    for block in [*blocks, Span(len(text), len(text), "")]:
        found += [
            Span(at + part.start, at + part.end, part.kind)
            for part in sentences(masked[at : block.start])
        ]
        if block.kind:
            found.append(Span(block.start, block.end, "fence"))
        at = block.end
    return found


# -- where nothing fits: clauses -----------------------------------------------

# What follows would limit or take back what was said before it.
_RESTRICTS = (
    r"(?:but|unless|except|not|never|only|if|when|without|although|though|however|until"
    r"|instead|rather|provided|as long as|or|nor|which|who|while|than|maybe|probably)\b"
    r"|[但除不只如却可没非勿别]"
)
_NEGATES = (
    r"\b(?:not|no|never|none|without|unless|except|only|may|might|could|maybe|perhaps"
    r"|probably|likely|possibly|seems?|if)\b|n['’]t\b|[不没無无勿别非未可]"
)


def _cut_at_clause(text: str, limit: int) -> str:
    spans = preserved_segments(text)
    masked = mask(text, spans)
    first = next(iter(_statements(text)), None)
    if first is None or first.kind == "fence":
        return ""
    end = first.end
    room = min(limit, len(masked)) - len(ELLIPSIS)
    ends = re.finditer(r"[,;:，；：、](?=\s|[^\x00-\x7f])|\s(?=(?:and|then)\s)", masked)
    best = 0
    for found in ends:
        if found.start() > room:
            break
        rest = masked[found.end() : end].lstrip()
        if not re.match(_RESTRICTS, rest, re.IGNORECASE):
            best = found.start()
    if not best:
        # At a word, if the clause holds nothing that a cut could turn around.
        best = masked.rfind(" ", 0, max(room, 0) + 1)
        clause = masked.rfind(",", 0, max(best, 0)) + 1
        if best <= 0 or re.search(_NEGATES, masked[clause:end], re.IGNORECASE):
            return ""
    return text[:best].rstrip(" ,;:，；：、") + ELLIPSIS


# -- sentences -----------------------------------------------------------------

# A full stop after these ends no sentence.
_ABBREVIATIONS = frozenset(
    re.split(
        " ",
        "e.g i.e eg ie etc vs cf approx resp incl excl fig no nr vol ca al dr mr mrs ms"
        " st jr sr prof inc ltd co dept est min max avg ver rev sec ch pp ed misc",
    )
)
_CLOSERS = "\"'”’»)\\]*_」』）】》"


@lru_cache(maxsize=1)
def _list_mark() -> re.Pattern[str]:
    return re.compile(
        r"[ \t]*(?:#{1,6}[ \t]+)?"
        r"(?:(?:[-*+•‣◦·–—]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\(?[ivxIVX]{1,4}[.)])[ \t]+"
        r"|[（(]?[0-9０-９]{1,3}[）)、．]|[（(]?[一二三四五六七八九十]{1,3}[）)、．]"
        r"|[①-⑳][ \t]*)?[ \t]*"
        r"(?:\[[ xX]\][ \t]+)?"
    )


def sentences(text: str) -> list[Span]:
    """Return the sentences of ``text``, in order; list markers stay outside.

    A line is its own sentence unless it looks wrapped: long, without an end, and
    followed by a line that begins in lower case.  Pass a masked text (`mask`) to keep
    names with dots whole.  Rule: B4.

    >>> sentences("Use 3.11. Not 3.12!")[1].start
    10
    """
    found: list[Span] = []
    for start, end in _paragraphs(text):
        found += _split_paragraph(text, start, end)
    return found


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """Return the spans of lines, wrapped lines joined, without their list markers."""
    found: list[tuple[int, int]] = []
    mark_of = _list_mark()
    at = 0
    wraps = False
    for line in text.splitlines(keepends=True):
        mark = mark_of.match(line)
        head = mark.end() if mark else 0
        start, end = at + head, at + len(line.rstrip())
        at += len(line)
        if start >= end:
            wraps = False
            continue
        plain = not line[:head].strip()
        if wraps and plain and (text[start].islower() or text[start] in "(`\u01c0"):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
        wraps = len(line) >= 60 and text[end - 1] not in ".!?:;。！？：；"
    return found


@lru_cache(maxsize=1)
def _ends() -> re.Pattern[str]:
    return re.compile(
        rf"[.!?…]+[{_CLOSERS}]*(?=\s|$)"
        rf"|[。！？．｡]+[{_CLOSERS}]*"
        rf"|(?<=[\u3040-\u9fff])[.!?]+[{_CLOSERS}]*(?=[^\x00-\x7f]|\s|$)"
    )


def _split_paragraph(text: str, start: int, end: int) -> list[Span]:
    found: list[Span] = []
    at = start
    for stop in _ends().finditer(text, start, end):
        if stop.start() == at or _goes_on(text, at, stop):
            continue
        found.append(Span(at, stop.end(), "sentence"))
        at = stop.end()
        while at < end and text[at].isspace():
            at += 1
    if at < end:
        found.append(Span(at, end, "sentence"))
    return found


def _goes_on(text: str, start: int, stop: re.Match[str]) -> bool:
    """Say whether the full stop at ``stop`` belongs to an abbreviation."""
    if text[stop.start()] != ".":
        return False
    word = re.split(r"[\s(,]", text[max(start, stop.start() - 12) : stop.start()])[-1]
    if stop.end() >= len(text):
        return False
    following = text[stop.end() : stop.end() + 12].lstrip()[:1]
    if word.lower() in _ABBREVIATIONS:
        # "etc." and "no." end a sentence when a capital follows.
        return word.lower() not in ("etc", "no", "co", "inc", "max", "min") or (
            not following.isupper()
        )
    return len(word) == 1 and word.isupper() and following.isupper()


# -- preserved segments --------------------------------------------------------


def preserved_segments(text: str) -> list[Span]:
    """Return the fences, inline code and names of ``text``, in order, not overlapping.

    Kinds: ``fence``, ``code``, ``url``, ``path``, ``version``, ``number``,
    ``identifier``.  Rule: Q5.

    >>> [s.kind for s in preserved_segments("`x` in src/a.py, Node 20.1, maxRuns 5")]
    ['code', 'path', 'version', 'identifier', 'number']
    """
    blocks = fences(text)
    codes = _outside(inline_code(text), blocks)
    closed = sorted([*blocks, *codes])
    return sorted([*closed, *_outside(_names(text), closed)])


def mask(text: str, spans: list[Span], keep: tuple[str, ...] = ("number",)) -> str:
    """Return ``text`` with each span's characters replaced, at the same length.

    Line breaks stay, and so do spans of the kinds in ``keep``.
    """
    parts: list[str] = []
    at = 0
    for span in spans:
        if span.kind in keep or span.start < at:
            continue
        parts.append(text[at : span.start])
        inner = text[span.start : span.end]
        parts.append(re.sub(r"[^\n]", MASK, inner))
        at = span.end
    return "".join([*parts, text[at:]])


@lru_cache(maxsize=1)
def _fence() -> re.Pattern[str]:
    return re.compile(r"[ \t]*(?:[-*+][ \t]+)?(`{3,}|~{3,})([^\n]*)")


def fences(text: str) -> list[Span]:
    """Return the fenced blocks of ``text``, with their fence lines.

    An unclosed one reaches to the end; a line that opens and closes is one of its own.
    """
    found: list[Span] = []
    at = 0
    opened: tuple[int, str] | None = None
    fence = _fence()
    for line in text.splitlines(keepends=True):
        mark = fence.match(line)
        if mark and opened is None:
            if mark[1] in mark[2]:
                rest = at + mark.start(2) + mark[2].rindex(mark[1]) + len(mark[1])
                found.append(Span(at + mark.start(1), rest, "fence"))
            elif "`" not in mark[2]:
                opened = (at + mark.start(1), mark[1])
        elif mark and opened and mark[1].startswith(opened[1]) and not mark[2].strip():
            found.append(Span(opened[0], at + len(line.rstrip()), "fence"))
            opened = None
        at += len(line)
    if opened:
        found.append(Span(opened[0], len(text.rstrip()), "fence"))
    return found


def inline_code(text: str) -> list[Span]:
    """Return the backtick spans of ``text``; short runs stay within one line."""
    runs = [(run.start(), run.end()) for run in re.finditer(r"`+", text)]
    by_length: dict[int, list[int]] = {}
    for start, end in reversed(runs):
        by_length.setdefault(end - start, []).append(start)
    found: list[Span] = []
    at = 0
    for start, end in runs:
        same = by_length[end - start]
        same.pop()
        if start < at or not same:
            continue
        close = same[-1]
        limit = text.find("\n", end) if end - start < 3 else -1
        if limit == -1 or close < limit:
            found.append(Span(start, close + end - start, "code"))
            at = close + end - start
    return found


def _outside(spans: list[Span], closed: list[Span]) -> list[Span]:
    """Return those of ``spans`` that touch none of ``closed``; both are sorted."""
    found: list[Span] = []
    at = 0
    for span in spans:
        while at < len(closed) and closed[at].end <= span.start:
            at += 1
        if at == len(closed) or span.end <= closed[at].start:
            found.append(span)
    return found


# -- names ---------------------------------------------------------------------


@lru_cache(maxsize=1)
def _tokens() -> re.Pattern[str]:
    """Return the pattern of an address, or of what stands between marks and CJK."""
    cjk = r"\u2014\u2026\u3000-\u9fff\uac00-\ud7af\uff00-\uffef"
    quotes = "\"'`“”‘’«»"
    return re.compile(
        rf"[a-zA-Z][a-zA-Z0-9+.-]{{1,20}}://[^\s<>|{quotes}{cjk}]+"
        rf"|[^\s()\[\]{{}}<>|*,;!?{quotes}{cjk}]+(?:\(\)|(?:,\d{{3}})+(?!\d))?"
    )


def _names(text: str) -> list[Span]:
    found: list[Span] = []
    before = ""
    for token in _tokens().finditer(text):
        raw = token.group()
        word = raw.rstrip(".:,;!?)]}" if "://" in raw else ".:")
        lead = len(word) - len(word.lstrip("=&^"))
        word = word[lead:]
        kind = name_kind(word, before)
        if kind:
            start = token.start() + lead
            found.append(Span(start, start + len(word), kind))
        before = word
    return found


_KINDS = (
    ("url", r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://\S+|www\.\S+\.\S+"),
    ("url", r"[\w.+-]+@[\w-]+\.\w\S*"),
    ("version", r"[vV]\d[\w.+-]*|\d+(?:\.(?:\d+|x)){2,}\S*"),
    ("version", r"\d+\.\d+[a-z-]\S*|ES\d{1,4}"),
    ("number", r"[-+±~≤≥<>#]?[$€£]?\d[\d,._:/-]*(?:%|[a-zA-Zµ]{1,3}\d?)?"),
    ("path", r"[~.]{0,2}[\\/][\w.@-].*|[\w.@~$-]+[\\/].*|[A-Za-z]:\\.+|~|\.{1,2}"),
    ("path", r"[\w-]+(?:\.[\w-]+)*\.[a-zA-Z][a-zA-Z0-9]{0,5}|\.[a-z][\w.-]+"),
    (
        "identifier",
        r".*(?:\(\)|::|[a-z]_|_[a-z0-9A-Z]|[A-Z0-9]_|[a-z0-9][A-Z]).*"
        r"|[A-Za-z]{1,2}(?:\+\+|#)|-{1,2}[a-zA-Z][\w-]*|[@$%#][\w./-]+"
        r"|(?=.*\d)(?=.*[A-Za-z])[\w.:@-]+",
    ),
)


@lru_cache(maxsize=1)
def _kinds() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)


def name_kind(word: str, before: str = "") -> str | None:
    """Return the kind of preserved segment that ``word`` is, or None.

    ``before`` is the word that stands before it: ``3.11`` is a version after
    ``Python``, a number after ``to``.
    """
    if word.isalpha() and (word.islower() or word.istitle() or len(word) > 200):
        return None
    if word.strip("_").isalpha() and word[:1] == "_" == word[-1:]:
        return None  # Emphasis.
    if word.lower() in _ABBREVIATIONS or re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]", word):
        return None
    for kind, pattern in _kinds():
        if pattern.fullmatch(word[:200]):
            if kind == "number" and "." in word and before[:1].isupper():
                return "version"
            return kind
    return None
