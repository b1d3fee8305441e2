"""Short, honest extracts for the handoff: what fits, whole, with a handle for the rest.

Every extract is redacted as a whole first, then cut between statements, so that no
number, path, hedge or negation is altered (E2, Q5); a line that stands below a heading
keeps it, because "Not done:" above a list turns its meaning around.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ibid.text.clean import defang, one_line
from ibid.text.redact import redact
from ibid.text.segments import (
    cut_at_sentence,
    fences,
    last_statements_first,
    sentences,
)
from ibid.text.tokens import estimate

_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*?)\s*#*$")
_BOLD = re.compile(r"\s*\*\*([^*]{1,80})\*\*:?\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)、])\s+(?:\[[ xX]\]\s+)?")
_TABLE = re.compile(r"\s*\|.*\|\s*$")
_RULE = re.compile(r"[\s`]*[^\w\s`]{0,3}(?:[-*_=─━]\s*){3,}[`\s]*$")
_NEXT = re.compile(
    r"\s*(?:(?:remaining|next(?: steps?)?|what['’]?s (?:left|next)|follow-?ups?"
    r"|to-?dos?|still (?:open|to do|missing)|not (?:yet )?done|left to do"
    r"|open (?:points|ends))\b"
    r"|下一步|接下来|接下來|剩余|剩餘|待办|待辦|未完成|残り|次の).{0,40}$",
    re.IGNORECASE,
)


class Line(NamedTuple):
    """One line of an answer, and the headings and lead-in it stands under."""

    text: str
    above: tuple[str, ...] = ()


def opening(text: str, tokens: int, handle: str = "") -> str:
    """Return the beginning of a request in at most ``tokens``, on one line.

    Where something is left out, ``handle`` says where all of it is.
    """
    whole = _without_fences(redact(text))
    shown = one_line(defang(whole.text))
    if not whole.dropped and estimate(shown) <= tokens:
        return shown
    rest = marker(handle)
    room = tokens - (estimate(rest) if rest else 0)
    kept = _shrunk(defang(whole.text), room)
    return f"{kept} {rest}".strip()


def _shrunk(text: str, tokens: int) -> str:
    """Return the longest beginning that costs at most ``tokens``; "" if none."""
    size = len(text)
    for _ in range(8):
        kept = one_line(text if size >= len(text) else cut_at_sentence(text, size))
        cost = estimate(kept)
        if cost <= tokens:
            return kept
        size = min(size - 1, int(min(size, len(kept)) * max(tokens, 0) / cost))
        if size < 12:
            break
    return ""


def ending(text: str, tokens: int, handle: str = "", without: str = "") -> str:
    """Return what an answer ends with, in at most ``tokens``, on one line.

    Results stand last (B8).  Tables and code become the handle's; what is said
    elsewhere already, ``without``, is left out of the last line.
    """
    whole = _without_fences(redact(text))
    lines = lines_of(whole.text)
    if without and lines and lines[-1].text.endswith(without):
        words = lines[-1].text[: -len(without)].rstrip()
        lines[-1:] = [lines[-1]._replace(text=words)] if words else []
    rest = marker(handle)
    everything = _joined(lines)
    if not whole.dropped and not whole.tables and estimate(everything) <= tokens:
        return everything
    room = tokens - (estimate(rest) if rest else 0)
    kept: list[Line] = []
    for line in reversed(lines):
        left = room - (estimate(_joined(kept)) if kept else 0)
        short = line if estimate(_joined([line, *kept])) <= room else None
        if short is None and left >= _WORTH:
            short = _last_of(line, kept, room)
        if short is not None:
            kept.insert(0, short)
        if short is not line:
            break
    return f"{_joined(kept)} {rest}".strip()


_WORTH = 24  # Tokens of room for which part of a long line is worth having.


def _last_of(line: Line, kept: list[Line], room: int) -> Line | None:
    """Return the last statements of a line that fit before ``kept``."""
    size = len(line.text) - 1
    while size > 12:
        short = last_statements_first(line.text, size)
        if not short:
            return None
        cost = estimate(_joined([line._replace(text=short), *kept]))
        if cost <= room:
            return line._replace(text=short)
        size = min(int(size * 0.8), int(len(short) * room / cost))
    return None


def lines_of(text: str) -> list[Line]:
    r"""Return the lines of an answer with what they stand under, in order.

    >>> lines_of("## Not done\n- the docs")
    [Line(text='the docs', above=('Not done',))]
    """
    found: list[Line] = []
    heading = lead = ""
    waiting = False  # A heading or lead-in that no line has followed yet.
    for raw in text.splitlines():
        if not raw.strip():
            continue
        if _TABLE.match(raw) or _RULE.match(raw):
            continue
        title, bold = _HEADING.match(raw), _BOLD.match(raw)
        if title or bold:
            if waiting:
                found.append(Line(lead or heading))
            heading = _bare(title.group(1)) if title else heading
            lead = _bare(bold.group(1)) if bold and not title else ""
            waiting = True
            continue
        item = _ITEM.match(raw)
        is_item = item is not None
        words = one_line(defang(raw if item is None else raw[item.end() :]))
        if not words:
            continue
        if not is_item and words.endswith((":", "：")):
            lead, waiting = words.rstrip(":："), True
            continue
        if not is_item and not raw.startswith((" ", "\t")):
            lead = "" if not waiting else lead
        above = tuple(one for one in (heading, lead) if one)
        found.append(Line(words, above))
        waiting = False
    return found


def next_steps(text: str, most: int = 4) -> list[str]:
    """Return what an answer lists under a heading such as *Next steps*."""
    lines = lines_of(_without_fences(redact(text)).text)
    steps = [line.text for line in lines if any(_NEXT.match(one) for one in line.above)]
    return steps[:most]


def question(text: str) -> str:
    """Return the question that an answer ends with, or ""."""
    lines = lines_of(_without_fences(redact(text)).text)
    if not lines or not lines[-1].text.endswith(("?", "？")):
        return ""
    last = lines[-1].text
    found = sentences(last)
    asked = last[found[-1].start : found[-1].end].strip() if found else ""
    return asked if asked.endswith(("?", "？")) else ""


def plan_title(plan: str) -> str:
    """Return what a plan calls itself: its first heading or line."""
    for raw in redact(plan).splitlines():
        title = _HEADING.match(raw)
        words = one_line(defang(title.group(1) if title else raw))
        if words:
            return re.sub(r"^plan\s*:\s*", "", words, flags=re.IGNORECASE)
    return ""


def marker(handle: str) -> str:
    """Return the marker of a handle on the wire (M1), "" for none."""
    return f"<<ccr:{handle}>>" if handle else ""


class _Whole(NamedTuple):
    text: str
    dropped: bool
    tables: bool


def _without_fences(text: str) -> _Whole:
    kept, at = [], 0
    for span in fences(text):
        kept.append(text[at : span.start])
        at = span.end
    kept.append(text[at:])
    left = "".join(kept)
    tables = any(_TABLE.match(line) for line in left.splitlines())
    return _Whole(left, at > 0, tables)


def _joined(lines: list[Line]) -> str:
    """Return lines as one, each heading said once before what stands under it."""
    out: list[str] = []
    under: tuple[str, ...] = ()
    for line in lines:
        if line.above != under:
            new = [one for one in line.above if one not in under]
            if new:
                out.append(f"{' – '.join(new)}:")
        under = line.above
        out.append(
            line.text if line.text[-1:] in ".!?:;。！？：；…" else f"{line.text};"
        )
    return " ".join(out).rstrip(";")


def _bare(title: str) -> str:
    return one_line(defang(title.strip().strip("*").rstrip(":：.。")))
