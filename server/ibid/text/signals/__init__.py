"""What a person said that is worth keeping: the signals of a prompt (B3-B6, B10).

A signal is one sentence with its category and its place in the prompt.  The languages
have a module each (`ibid.text.signals_en`, `ibid.text.signals_zh`): a grammar of who
speaks of whom, of the marker, and of what speaks against it.  This module cuts a prompt
into sentences, hides what was not typed, and keeps the limits.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from ibid.text.regions import ignored_regions, quotations
from ibid.text.segments import MASK, Span, mask, preserved_segments, sentences
from ibid.text.signals import chinese, chinese_words, english
from ibid.text.signals import english_words as words
from ibid.text.signals.grammar import Match, Sentence, Setting
from ibid.text.signals.sensitive import is_sensitive
from ibid.text.view import HAN, KANA, view_of

__all__ = ["Signal", "find_signals", "is_sensitive"]

MAX_SIGNALS = 8
MIN_LENGTH = 6
MAX_LENGTH = 360
# Longer sentences are pasted text; their rule could not be kept anyway.
_MAX_SENTENCE = 1200


class Signal(NamedTuple):
    """One sentence of a prompt that carries a rule: ``text == prompt[start:end]``.

    ``category`` is constraint, preference, decision or fact; ``signal`` says in a few
    words why it was kept, such as ``prohibition: never``.
    """

    category: str
    text: str
    start: int
    end: int
    signal: str


def find_signals(prompt: str) -> list[Signal]:
    """Return the signals of ``prompt`` in the order in which they stand there.

    At most eight, each of 6 to 360 characters, exact duplicates once; sentences that
    hold a credential are left out.  Linear in the length of the prompt.  Rules: B2-B6.

    >>> [s.text for s in find_signals("Fix the crash. Never push to main.")]
    ['Never push to main.']
    """
    units = _units(prompt)
    # A pasted text repeats itself; each sentence is read once.
    read = {unit.view: _setting(unit) for unit in {u.view: u for u in units}.values()}
    settings = [read[unit.view] for unit in units]
    counts = Counter(settings)
    secrets: list[Span] | None = None
    found: list[Signal] = []
    known: set[str] = set()
    for unit, setting in zip(units, settings, strict=True):
        said = prompt[unit.start : unit.end]
        if said in known:
            continue
        known.add(said)
        match = _classify(unit, _without(setting, counts))
        if match is None:
            continue
        signal = _signal(prompt, unit, match)
        if signal is None or any(signal.text == other.text for other in found):
            continue
        if secrets is None:
            secrets = _secret_spans(prompt)
        if any(s.start < unit.end and unit.start < s.end for s in secrets):
            continue
        found.append(signal)
        if len(found) == MAX_SIGNALS:
            break
    return found


def _classify(unit: Sentence, setting: Setting) -> Match | None:
    view = unit.view
    if len(view) > _MAX_SENTENCE or KANA.search(view):
        return None
    found = chinese.find(view, setting) if HAN.search(view) else None
    return found or english.find(view, setting)


def _signal(prompt: str, unit: Sentence, match: Match) -> Signal | None:
    """Return the signal: its span without lead-in, marks of emphasis and blanks."""
    start, end = unit.start, unit.end
    lead = match.start if match.trims else _lead_in(unit.view, prompt[start:end])
    start += lead
    text = prompt[start:end]
    start += len(text) - len(text.lstrip(" \t\n-—–,;:，；：、"))
    text = prompt[start:end].rstrip()
    for mark in ("**", "__", "*", "_"):
        if text.startswith(mark) and text.endswith(mark) and text.count(mark) == 2:
            start += len(mark)
            text = text[len(mark) : -len(mark)]
    if not MIN_LENGTH <= len(text) <= MAX_LENGTH:
        return None
    return Signal(match.category, text, start, start + len(text), match.signal)


# -- lead-ins ------------------------------------------------------------------

# A lead-in that says one of these belongs to the rule.
_LEAD_KEEPS = (
    r"\b(?:must|always|never|don'?t|do not|should|prefer|decided|decision|agreed"
    r"|agreement|convention|standard|policy|guideline|let's|only|avoid|if|when"
    r"|whenever|unless|maybe|perhaps|probably|might|may|from now on|going forward|we "
    r"use|use|make sure|while|during|(?:in|for|on|with|under|within|inside|outside"
    r"|at) (?!you\b|me\b|us\b|advance|this (?:one|note)|start|short|mind|passing"
    r"|general))\b|^\W*(?:before|after|as|by|per)\b|必须|务必|不要|禁止|不得|约定|决定"
    r"|规范|统一|如果|时|里|中|对于|关于|以后|今后|可能|也许"
)
_LEAD_DROPS = (
    r"\b(?:remember|note|important|reminder|nb|fyi|ps|btw|also|rules?|things?|points?"
    r"|requests?|tips?|remarks?|heads|again|please|and|but|so|one|two|three|more"
    r"|another|general|edit|attention|caution|hint|feedback|preferences?|constraints?"
    r"|this|that|you|i|we|it|do|is|are|here|there|keep|thanks|ok|okay|yes|no|mind|last"
    r"|first|next|second|finally|question|repeat|know|what)\b|注意|记住|切记|另外|还有"
    r"|提醒|重要|规则|要求|一点|补充|顺便|对了|最后|首先|其次|请|说明|强调"
)


def _colons(view: str, text: str) -> str:
    """Return the beginning of ``view`` with full-width colons as they were typed."""
    return "".join(
        "：" if typed == "：" else seen
        for seen, typed in zip(view[:160], text[:160], strict=True)
    )


_PHRASES = (
    r"\b(?:(?:keep|bear) in mind|for the record|in (?:general|short|addition)|by the "
    r"way|as a (?:reminder|rule)|on that note|for (?:reference|clarity|context|the "
    r"future))\b"
)


def _lead_in(view: str, text: str) -> int:
    """Return the length of the lead-in that ends in a colon and says nothing, or 0.

    A topic (``Frontend:``) limits the rule behind it as a condition does: it stays.
    Rule: B4.
    """
    length = 0
    for colon in re.finditer(r":(?=\s|[^\x00-\x7f])|：", _colons(view, text)):
        lead = re.sub(_PHRASES, "note", view[length : colon.start()])
        rest = view[colon.end() :]
        if re.search(_LEAD_KEEPS, lead) or len(rest.strip()) < MIN_LENGTH:
            break
        if not re.search(_LEAD_DROPS, lead) and len(lead.split()) < 4:
            break
        length = colon.end()
    return length


# -- sentences of a prompt -----------------------------------------------------


def _units(prompt: str) -> list[Sentence]:
    """Return the sentences that the person typed, with their views."""
    regions = ignored_regions(prompt)
    visible = _hide(prompt, regions)
    quoted = quotations(visible)
    masked = _hide_quotes(mask(visible, preserved_segments(visible)), quoted)
    view = view_of(masked)
    heading = ""
    found: list[Sentence] = []
    for part in sentences(masked):
        text = view[part.start : part.end]
        if _OPENS_DOCUMENT.match(text):
            break
        line = view.rfind("\n", 0, part.start) + 1
        item = bool(view[line : part.start].strip(" \t#"))
        if (
            not item
            and view[line : part.start].strip(" \t") != view[line : part.start].strip()
        ):
            heading = ""
        if text.rstrip().endswith(":"):
            heading = text
            continue
        heading = heading if item else ""
        if heading and _is_foreign(heading):
            continue
        found.append(Sentence(part.start, part.end, text))
    return found


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


# From here on the prompt is a document to work on, not a person talking.
_OPENS_DOCUMENT = re.compile(
    r"(?:please )?(?:implement|execute|follow|carry out|review|summari[sz]e|translate"
    r"|proofread|rewrite|improve|edit|use|analy[sz]e|read"
    r"|refine)\b[^.!?]{0,60}\b(?:plan|spec|specification|document|prompt|text|article"
    r"|draft|issue|ticket|readme|email|message|requirements|description|below"
    r"|following|story|transcript)[^.!?]{0,30}:$"
)
_FOREIGN = re.compile(
    r"\b(?:requirements?|acceptance criteria|spec(?:ification)?s?|todos?|to-?do|tasks?"
    r"|steps?|goals?|features?|scope|deliverables?|user stor(?:y|ies)|bugs?|issues?"
    r"|questions?|options?|for now|findings|log|output|errors?)\s*:$|\b(?:this"
    r"|current) (?:pr|task|change|commit|fix|session|request|feature|branch)\b|(?:需求"
    r"|任务|步骤|目标|功能|验收标准|待办|问题|选项|这次|本次)\S{0,4}:$"
)


def _is_foreign(heading: str) -> bool:
    """Say whether what stands under ``heading`` is of a task, report or question."""
    return (
        bool(_FOREIGN.search(heading))
        or english.is_foreign(heading)
        or bool(HAN.search(heading) and chinese_words.is_foreign(heading))
    )


def _setting(unit: Sentence) -> Setting:
    """Return what ``unit`` by itself is about."""
    return Setting(
        words.is_task(unit.view) or chinese_words.is_task(unit.view),
        words.is_creation(unit.view) or chinese_words.is_creation(unit.view),
    )


def _without(one: Setting, settings: Counter[Setting]) -> Setting:
    """Return what the sentences other than ``one`` are about."""
    others = [s for s, count in settings.items() if count > (s == one)]
    return Setting(any(s.task for s in others), any(s.creates for s in others))


# -- credentials ---------------------------------------------------------------


def _secret_spans(prompt: str) -> list[Span]:
    """Return the credentials of ``prompt``, sought in the whole of it (E2)."""
    # Loaded only once there is something to keep.
    from ibid.text.redact import find_secrets

    return [Span(found.start, found.end, found.kind) for found in find_secrets(prompt)]
