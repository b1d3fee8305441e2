"""Of whom and of what an English sentence speaks, and of how many times.

What is said of a kind of thing, or of a part of the system, or of every time, can be a
rule; what is said of this one and now belongs to the task (B5).
"""

from __future__ import annotations

import re

from ibid.text.signals import english_words as words
from ibid.text.signals.english_words import begins, has
from ibid.text.signals.grammar import Clause


class Subject:
    """A subject, and what kind of thing it names."""

    __slots__ = ("kind", "noun", "text")

    def __init__(self, text: str) -> None:
        self.text = text.strip(" ,")
        self.kind = subject_kind(text)
        self.noun = head_noun(self.text)

    @property
    def is_artefact(self) -> bool:
        """Whether it is something that developers make."""
        return has(words.ARTEFACT, self.noun)

    @property
    def is_part(self) -> bool:
        """Whether it is a part of the system that can still be found next month."""
        return has(words.PART, self.noun)


def head_noun(subject: str) -> str:
    """Return ``subject`` up to what only describes its noun."""
    tail = r"\s(?:of|in|for|to|from|with|on|at|under|that|which|who|without|between)\s"
    return re.split(tail, subject)[0]


def subject_kind(subject: str) -> str:
    """Return what kind of subject ``subject`` is.

    ``you`` (also *we*), ``universal``, ``plural``, ``bare``, ``generic``, ``ours``,
    ``definite``, ``pointer`` (nobody will find it again) or ``none`` (no subject).
    """
    subject = subject.strip(" ,")
    for kind, pattern in _KINDS:
        if has(pattern, subject):
            return kind
    noun = head_noun(subject)
    plural = has(r"s$|\u01c0$|(?:people|children|data)$", noun)
    return "plural" if plural and not has(words.SINGULAR_S, noun) else "bare"


_POINTS = (
    r"^(?:all|both|each|every one|none|some|any)(?: of (?:them|these|those|it"
    r"|the)\b.*)?$|^(?:all|the) (?:two|three|four|five|six|\d+)\b"
    rf"|\b(?:in|of|on|at|from|to|with) (?:that|this|these|those) (?!{words.PROJECT})"
)
_POINTERS = (
    r"^(?:i|it|this|that|there|he|she|they|these|those|who|what|which|one|here|someone"
    r"|something|somebody|that's|it's)\b"
)
_NO_SUBJECT = (
    r"^(?:if|when|because|since|whether|as|while|until|to|not|by|for|with|from)\b"
    rf"|^(?:the|this|that|a)\b.*{words.CULPRIT}$"
)
_CLAUSE = (
    r"^(?!.*\b(?:that|which|who)\b).*\b(?:is|are|was|were|has|have|will|would|can)\b"
    r"|, (?:but|so|which|then|it|the)\b|[—–]|\w (?:you|we|i|they|he|she|it)$"
)
# In the order in which they are asked.
_KINDS = (
    ("you", r"^(?:you|we|everyone|agents|contributors|developers)$"),
    ("none", _CLAUSE),
    ("pointer", _POINTS),
    ("universal", rf"^{words.UNIVERSAL}"),
    ("definite", rf"^(?:this|the|our) (?:[\w-]+ )?{words.PROJECT}$"),
    ("pointer", _POINTERS),
    ("none", _NO_SUBJECT),
    ("definite", r"^(?:the|my|your|his|her|their|its)\b"),
    ("ours", r"^our\b"),
    ("generic", r"^an?\b"),
)


def has_subject(subject: str) -> bool:
    """Say whether ``subject`` is one, and neither a request nor a report."""
    compound = has(r"s$|\u01c0$", subject) and len(subject.split()) < 4
    if words.is_task(subject) and (not compound or has(r"\b(?:a|the|that)\b", subject)):
        return False
    if has(r"\w (?:when|if|because|unless|until|whether|saying)\b", subject):
        return False
    if has(rf"{words.REPORT} \S", subject) and not has(words.OWN_REPORT, subject):
        return False
    kind = subject_kind(subject)
    if has(words.EMBEDS, subject) and kind != "universal":
        return False
    return kind not in ("none", "pointer") and not has(words.HEDGE, subject)


_EVERY = (
    r"\b(?:always|never|whenever|every|each|all|any|everywhere|throughout|no matter"
    r"|(?:before|after|when|while|on) (?:committing|pushing|merging|releasing|deploying"
    r"|tagging|publishing|opening|adding|changing|editing|writing|creating|touching"
    r"|renaming|removing|deleting|upgrading|bumping|reviewing|refactoring|modifying"
    r"|you (?:commit|push|merge|release|deploy|open|add|change|touch|say|finish|claim"
    r"|edit|create|rename|delete|publish))|by default|in (?:general|new|all)|new)\b"
)


EACH = (
    r"(?:every|each|any) (?:single )?(?:commit|push|merge|release|deploy|deployment|pr"
    r"|pull request|change|migration|branch|build|upgrade|session|edit|task|refactor"
    r"|feature|fix|tag|rebase)\b"
)


def has_frame(clause: Clause) -> bool:
    """Say whether a clause speaks of every time and not of this one."""
    return clause.framed or has(_EVERY, clause.text) or has(_EVERY, clause.before)


def kind_of(prohibits: bool) -> str:
    """Return what a constraint is called in the reason for keeping it."""
    return "prohibition" if prohibits else "obligation"


def points_back(after: str, clause: Clause) -> bool:
    """Say whether a pronoun points at something that its own sentence names."""
    return clause.conditional and begins(r"(?:it|them|its)\b", after) is not None
