"""The sentences of a prompt that the person typed (B2, B4, B5).

What was pasted, quoted or injected is hidden; list items are judged by their heading.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ibid.text.regions import ignored_regions, quotations
from ibid.text.segments import MASK, Span, mask, preserved_segments, sentences
from ibid.text.signals import chinese_words, english
from ibid.text.signals.grammar import Sentence
from ibid.text.view import HAN, view_of

# A heading and the items under it are kept as one up to this length (B6).
_MAX_BLOCK = 360


def typed_sentences(prompt: str) -> list[Sentence]:
    """Return the sentences of ``prompt`` that were typed, with their views, in order.

    Items under a heading that belongs to a task, a report or a question are left out;
    items under one that limits or commands them ("In tests:", "Never:") are one
    sentence with it, because they would say something else without it.
    """
    masked = _masked(prompt)
    view = view_of(masked)
    heading: _Heading | None = None
    found: list[Sentence] = []
    marker = ""
    last = 0
    for part in sentences(masked):
        this = Sentence(part.start, part.end, view[part.start : part.end])
        if _OPENS_DOCUMENT.match(this.view):
            break
        line = view.rfind("\n", last, part.start)
        if line >= 0 or not last:
            marker = view[line + 1 : part.start].strip()
        last = part.end
        if this.view.endswith(":"):
            heading = _Heading(
                _is_foreign(this.view), this if _scope().search(this.view) else None
            )
        elif heading is None or not marker or marker.startswith("#"):
            heading = None
            found.append(this)
        elif heading.block and not heading.foreign:
            heading = heading._replace(block=_add(found, heading.block, this))
        elif not heading.foreign:
            found.append(this)
    return found


class _Heading(NamedTuple):
    """Whose words stand under a heading, and what its items are part of, if of it."""

    foreign: bool
    block: Sentence | None


def _add(found: list[Sentence], block: Sentence, item: Sentence) -> Sentence:
    """Add ``item`` to the ``block`` of its heading, if that stays short enough."""
    if item.end - block.start > _MAX_BLOCK:
        return block
    if found and found[-1] is block:
        found.pop()
    gap = " " * (item.start - block.end)
    grown = Sentence(block.start, item.end, f"{block.view}{gap}{item.view}")
    found.append(grown)
    return grown


def _masked(prompt: str) -> str:
    """Return ``prompt`` with names and quotations masked and the rest hidden."""
    visible = _hide(prompt, ignored_regions(prompt))
    masked = mask(visible, preserved_segments(visible))
    masked = _link().sub(lambda link: MASK * len(link.group()), masked)
    return _hide_quotes(masked, quotations(visible))


@lru_cache(maxsize=1)
def _link() -> re.Pattern[str]:
    """Return the pattern of a Markdown link: one name, whatever it is called."""
    return re.compile(r"\[[^\[\]\n]{1,200}\]\([^()\s]{1,400}\)")


def _hide(prompt: str, regions: list[Span]) -> str:
    """Return ``prompt`` with what was not typed as line breaks or one masked word."""
    parts: list[str] = []
    at = 0
    for region in regions:
        inner = prompt[region.start : region.end]
        inline = region.kind == "fence" and "\n" not in inner
        parts += [prompt[at : region.start], (MASK if inline else "\n") * len(inner)]
        at = region.end
    return "".join([*parts, prompt[at:]])


def _hide_quotes(masked: str, quoted: list[Span]) -> str:
    """Mask quotations, but for their marks and a full stop at their end."""
    parts: list[str] = []
    at = 0
    for quote in quoted:
        inner = masked[quote.start + 1 : quote.end - 1]
        kept = inner[len(inner.rstrip(".!?。！？")) :]
        hidden = MASK * (len(inner) - len(kept)) + kept
        parts += [masked[at : quote.start + 1], hidden]
        at = quote.end - 1
    return "".join([*parts, masked[at:]])


# -- headings ------------------------------------------------------------------


@lru_cache(maxsize=1)
def _scope() -> re.Pattern[str]:
    """Return what limits or commands the items under a heading."""
    return re.compile(
        r"^(?:and |but |so |also |please |\W)*"
        r"(?:in|for|on|with|under|within|inside|outside|at|when|whenever|if"
        r"|unless|while"
        r"|during|before|after) (?!you\b|me\b|us\b|everyone\b|all of|context|info|now\b"
        r"|(?:the )?(?:reference|record|future|example|clarity)\b|general|short"
        r"|addition"
        r"|(?:this|the|our|my) (?:project|repo|repository|codebase|app|team"
        r"|workspace)\b)"
        r"|\b(?:never|always|don'?t|do not|avoid|must not|must never)\s*:$"
        r"|(?:时|里|中|上|下|后|前)\s*:$|^对于|(?:不要|禁止|不得|不准|严禁"
        r"|切勿)[^:]{0,3}:$"
    )


# From here on the prompt is a document to work on, not a person talking.
_OPENS_DOCUMENT = re.compile(
    r"(?:please )?(?:implement|execute|follow|carry out|review|summari[sz]e|translate"
    r"|proofread|rewrite|improve|edit|use|analy[sz]e|read|refine)\b"
    r"(?![^:]*\b(?:rules?|conventions?|guidelines?|standards?|preferences?)\b)"
    r"[^.!?]{0,60}\b(?:plan|spec|specification|document|prompt|text|article|draft|issue"
    r"|ticket|readme|email|message|requirements|description|below|following|story"
    r"|transcript)[^.!?]{0,30}:$"
)
_FOREIGN = re.compile(
    r"\b(?:requirements?|acceptance criteria|spec(?:ification)?s?|todos?|to-?do|tasks?"
    r"|steps?|goals?|features?|scope|deliverables?|user stor(?:y|ies)|bugs?|issues?"
    r"|questions?|options?|for now|findings|log|output|errors?)\s*:$"
    r"|\b(?:this|current) (?:pr|task|change|commit|fix|session|request|feature"
    r"|branch)\b"
    r"|(?:需求|任务|步骤|目标|功能|验收标准|待办|问题|选项|这次|本次)\S{0,4}:$"
)


def _is_foreign(heading: str) -> bool:
    """Say whether what stands under ``heading`` is of a task, report or question."""
    return (
        bool(_FOREIGN.search(heading))
        or english.is_foreign(heading)
        or bool(HAN.search(heading) and chinese_words.is_foreign(heading))
    )
