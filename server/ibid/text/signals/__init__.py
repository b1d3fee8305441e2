"""What a person said that is worth keeping: the signals of a prompt (B3-B6, B10).

A signal is one sentence with its category and its place in the prompt.  `prompt` finds
the sentences that were typed; the languages have a grammar each (`english`, `chinese`):
of whom a sentence speaks, by which marker, and what speaks against it.  This module
asks them in turn, cuts the lead-in and keeps the limits.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from ibid.text.segments import Span
from ibid.text.signals import chinese, chinese_words, english
from ibid.text.signals import english_words as words
from ibid.text.signals.grammar import Match, Sentence, Setting
from ibid.text.signals.prompt import typed_sentences
from ibid.text.signals.sensitive import is_sensitive
from ibid.text.view import HAN, KANA

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
    units = typed_sentences(prompt)
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
