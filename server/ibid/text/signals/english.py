"""The English grammar of signals: who, which marker, of what, and what speaks against.

A sentence is read clause by clause; each rule sees the view from the beginning of a
clause to the end of the sentence, and what was said before it.  The rules stand in
`english_commands`, `english_modals`, `english_habits`, `english_wishes` and
`english_statements`, the guards in `english_words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ibid.text.signals import english_words as words
from ibid.text.signals.english_commands import COMMANDS
from ibid.text.signals.english_habits import HABITS
from ibid.text.signals.english_modals import MODALS
from ibid.text.signals.english_statements import DECISIONS, FACTS
from ibid.text.signals.english_wishes import CHOICES, LIKINGS
from ibid.text.signals.english_words import begins, has
from ibid.text.signals.grammar import Clause, Match, Rule, Setting

# The order of B3: the choice first, then the first match in this order.
_ORDER: tuple[tuple[str, tuple[Rule, ...]], ...] = (
    ("preference", CHOICES),
    ("constraint", (*COMMANDS, *MODALS, *HABITS)),
    ("preference", LIKINGS),
    ("decision", DECISIONS),
    ("fact", FACTS),
)


def find(view: str, setting: Setting) -> Match | None:
    """Return the first signal of a sentence, or None.  Rules: B3, B5.

    >>> find("always run ruff.", Setting()).signal
    'obligation: always'
    """
    if words.is_question(view) or has(words.MOMENT, view) or words.tells_a_fault(view):
        return None
    requests = words.ends_in_a_request(view)
    clauses = list(_clauses(view, setting))
    for category, rules in _ORDER:
        for at, clause in clauses:
            trims = words.is_task(clause.before)
            if trims and (category in ("decision", "fact") or clause.before_creates):
                continue
            for rule in rules:
                signal = rule(clause)
                weak = (
                    trims or clause.continued or (requests and not clause.conditional)
                )
                if signal and (not weak or _outlives(signal, clause)):
                    return Match(category, signal, at if trims else 0, trims)
    return None


def _outlives(signal: str, clause: Clause) -> bool:
    """Say whether a rule holds beyond the task that shares its sentence."""
    return clause.framed or signal.endswith(("never", "always", "we don't"))


def is_foreign(heading: str) -> bool:
    """Say whether what stands under ``heading`` is not the person's own rule."""
    return (
        words.is_question(heading)
        or has(words.MOMENT, heading)
        or has(words.HEDGE, heading)
        or (has(words.REPORT, heading) and not has(words.OWN_REPORT, heading))
        or (
            words.is_task(heading)
            and not has(
                r"\b(?:follow|remember|respect|obey|observe|stick to)\b", heading
            )
        )
        or has(
            r"\b(?:was|were|old|previous|former|used to|their|competitors?)\b", heading
        )
        or has(r"\badd (?:the )?following\b", heading)
    )


# -- clauses -------------------------------------------------------------------


@lru_cache(maxsize=1)
def _breaks() -> re.Pattern[str]:
    """Return where a clause may begin; a loose one only after an adverbial."""
    return re.compile(
        r"[,;:(—–]+\s*|\s-{1,2}\s|\.{2,}\s|[.!]\s+|\s(?:and|but|so|then|that|which "
        r"means)\s|(?P<loose>\s(?=(?:always|never|don'?t|do not|avoid|make sure|please"
        r"|we|i|you|we've|we're|i've|i'd|we'd|we'll|use|prefer)\s))"
    )


# What may stand before a rule without a comma.
_ADVERBIAL = (
    r"(?:in|for|on|at|with|under|during|while|within|inside|outside|when|whenever"
    r"|before|after|if|once|unless|every time|each time|until|from|going|moving|as|by"
    r"|between|across)\b"
)
_FRAMED = (
    r"(?:^|[,;:.]\s*|and |but |so )(?:from now on|going forward|moving forward|in "
    r"(?:the )?future)\b"
)


def _clauses(view: str, setting: Setting) -> Iterator[tuple[int, Clause]]:
    """Yield the clauses of ``view`` that may hold a rule, with their offsets."""
    breaks = [(0, False)]
    breaks += [
        (found.end(), bool(found["loose"])) for found in _breaks().finditer(view)
    ]
    seen = -1
    last = 0
    for begin, loose in breaks:
        at, framed = words.skip_openers(view, begin)
        if at <= seen or at >= len(view):
            continue
        if loose and not begins(_ADVERBIAL, view[last:begin]):
            continue  # A subject stands before it.
        seen = last = at
        before = view[:begin]
        blocked, conditional = _reads_before(before)
        if blocked:
            continue
        yield (
            at,
            Clause(
                view[at:],
                before,
                setting,
                framed=framed or has(_FRAMED, before),
                conditional=conditional,
                before_creates=words.is_creation(before),
                continued=_is_continued(before),
            ),
        )


def _is_continued(before: str) -> bool:
    """Say whether a clause shares the subject of the one before it."""
    if has(r"\bthat $|\($", before):
        return True
    joined = begins(r"(.*[,;:.!] )?(?P<head>[^,;:.!]+) (?:and|but|or|then) $", before)
    if not joined or words.is_task(joined["head"]):
        return False
    at, _ = words.skip_openers(joined["head"], 0)
    return " " in joined["head"][at:].strip()


_CONDITION = (
    r"(?:if|when|whenever|every time|each time|once|unless|in case|until|as soon as"
    r"|as long as|while|after|before|provided)\b"
)
_GENERIC = (
    r"(?:whenever|every time|each time)\b|(?:if|when|once|unless|as soon as|while"
    r"|after|before) (?:you|we|someone|anyone|a|an|any|every|each|\w+ing|\w+s)\b"
)
# A condition that speaks of these is met, or not, on the spot.
_MOMENTARY = (
    r"\b(?:it|this|that|they|still|fails?|failed|pass|passes|passed|works?|worked|can't"
    r"|cannot|couldn't|see|stuck|sure|like|think|know|done|finished|ready|green|red"
    r"|already|now|wrong|there|find|found|these|those|i)\b"
)


# What follows such a lead-in is text to be used, not a rule to be kept.
_QUOTING = (
    r"\b(?:examples?|e\.g|i\.e|titles?|messages?|texts?|labels?|headings?|captions?"
    r"|subject|headlines?|strings?|quotes?|wording|translat\w+|description|slogan"
    r"|tooltip|says?|to)(?: \w+){0,3}$"
)


def _reads_before(before: str) -> tuple[bool, bool]:
    """Return whether what stands before blocks a clause, and whether it is if-like."""
    lead = before.rstrip(" ,;:(—–-.!")
    if not lead:
        return False, False
    if has(words.HEDGE, lead) or has(words.NEGATED, lead) or has(words.EMBEDS, lead):
        return True, False
    if has(words.REPORT, lead) and not has(words.OWN_REPORT, lead):
        return True, False
    if before.rstrip().endswith(":") and has(_QUOTING, lead):
        return True, False
    at, _ = words.skip_openers(lead, 0)
    if begins(r"(?:after|before) (?!\w+ing\b)", lead[at:]):
        return has(_MOMENTARY, lead), False
    if begins(_CONDITION, lead[at:]):
        return not begins(_GENERIC, lead[at:]) or has(_MOMENTARY, lead), True
    later = has(rf"[,;:.]\s*(?:but |and |so )?{_CONDITION}", lead)
    return later and has(_MOMENTARY, lead), False
