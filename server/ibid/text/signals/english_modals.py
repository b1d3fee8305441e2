"""Rules about a subject in English (B3): "X must", "X should never", "X is barred"."""

from __future__ import annotations

import re
from collections.abc import Callable

from ibid.text.signals import english_words as words
from ibid.text.signals.english_subjects import (
    Subject,
    has_subject,
    kind_of,
    subject_kind,
)
from ibid.text.signals.english_words import begins, has, is_concrete
from ibid.text.signals.grammar import Clause, Rule

_MODAL = (
    r"(?P<subj>[^;:()]{1,120}?),? (?P<m>must|mustn't|shall|should|shouldn't|have to"
    r"|has to|needs? to|needs?|requires|may only|may not|can only)\b"
    r"(?P<adv>(?: (?:not|never|always|only|also|still|all|ever))*)(?P<rest>[\s,:].+|$)"
)


def modal(clause: Clause) -> str | None:
    """Match "X must", "X should never", "every X needs": rules about a subject."""
    found = begins(_MODAL, clause.text)
    if not found or not has_subject(found["subj"]):
        return None
    rest = found["rest"].strip(" ,:")
    if begins(r"[a-z]+ (?:is|are|was|has)\b", rest):
        return None
    if not rest or not (is_concrete(rest) or has(r"\w+ \w+|\w{4,}", rest)):
        return None
    marker = found["m"]
    adverbs = found["adv"] + (" not" if marker.endswith("n't") else "")
    check = _MODALS[re.sub(r"^(need|require)s", r"\1", marker.removesuffix("n't"))]
    if not check(Subject(found["subj"]), adverbs, rest, clause):
        return None
    firm = re.search(r"never|always", adverbs)
    said = f"{marker} {firm.group()}" if firm else marker
    return f"{kind_of(has(r'not|never', adverbs + marker))}: {said}"


# Done once, a rule of this kind is over, unless it says when it holds again.
_ONCE = (
    r"be (?:rerun|redone|renamed|deleted|fixed|updated|replaced|rewritten|moved"
    r"|removed|converted|migrated|changed|added|finished|completed)\b(?! (?:in|before"
    r"|with|when|after|by|on|whenever|without|as|via|through|together))"
)


def _must(subject: Subject, adverbs: str, rest: str, clause: Clause) -> bool:
    kind = subject.kind
    if begins(words.GUESS, f" {rest}"):
        # "Releases must have signed tags" is a rule, "it must have crashed" a guess.
        owns = begins(r"have (?:a|an|the|at|no|\w+ed \w+)\b", rest) is not None
        return owns and kind in ("plural", "universal", "generic", "ours")
    if begins(rf"{_ONCE}|be able to\b", rest) and not has(
        r"never|always|only|not", adverbs
    ):
        return False
    if begins(r"every(?:thing|one|body)$", subject.text) and " " not in rest:
        return False
    if kind == "you":
        return begins(r"(?:first|now|then)\b", rest) is None
    firm = has(r"never|always|only", adverbs) or bool(
        begins(r"(?:stay|remain|keep)\b", rest)
    )
    if kind == "definite":
        return (firm or subject.is_part) and _holds_for_a_part(subject, rest, clause)
    if clause.setting.creates:
        return subject.is_artefact and kind != "bare"
    return firm or not clause.setting.task or subject.is_artefact or subject.is_part


def _holds_for_a_part(subject: Subject, rest: str, clause: Clause) -> bool:
    """Say whether "the X must" is about the system and not about this task."""
    return not (
        clause.conditional
        or clause.setting.creates
        or begins(r"(?:come|stem|originate)\b", rest)
        or (clause.setting.task and has(words.FAILS, rest))
        or has(words.SCREEN, subject.text)
    )


_NO_HABIT = (
    r"be able to|be (?:fixed|fine|ok|okay|there|enough|working|done|good)\b|work\b"
    r"|have been|see\b"
)


def _should(subject: Subject, adverbs: str, rest: str, clause: Clause) -> bool:
    strong = has(r"never|always|only", adverbs) or clause.framed
    strong = strong or begins(r"no longer\b", rest) is not None
    kind = subject.kind
    if begins(_NO_HABIT, rest):
        return False
    firm = strong and subject.kind in ("plural", "universal", "you")
    if not firm and has(words.SCREEN, f"{subject.text} {rest}"):
        return False
    if kind == "you":
        return strong and is_concrete(rest.partition(" ")[2] or rest)
    if kind == "definite":
        return strong and not clause.setting.task
    if kind == "bare":
        return strong or (subject.is_artefact and not clause.setting.task)
    return strong or (subject.is_artefact and not clause.setting.task)


_RECURS = (
    r"\b(?:always|never|before (?:you|every|each|\w+ing)|after (?:every|each|\w+ing)"
    r"|whenever|every time)\b"
)


_DOING = r"(?:use|have|run|return|start|end|include|pass|implement|be)\b"


def _have_to(subject: Subject, adverbs: str, rest: str, clause: Clause) -> bool:
    kind = subject.kind
    if kind == "universal":
        return (
            not begins(r"(?:be )?(?:done|fixed)\b", rest) and not clause.setting.creates
        )
    lasting = begins(rf"{words.STATIVE}\b", rest) is not None
    if kind in ("plural", "ours"):
        return lasting and not clause.setting.creates
    if kind != "you" or not is_concrete(rest.partition(" ")[2]):
        return False
    if begins(r"(?:read|look|check|understand|know|see|first)\b", rest):
        return False
    if clause.framed or has(_RECURS, clause.before + clause.text):
        return True
    return lasting and not begins(_DOING, rest) and not clause.setting.task


def _need(subject: Subject, adverbs: str, rest: str, clause: Clause) -> bool:
    if subject.kind != "universal" or not is_concrete(rest):
        return False
    return not clause.setting.creates


def _may(subject: Subject, adverbs: str, rest: str, clause: Clause) -> bool:
    kinds = ("you", "universal", "plural", "ours", "bare")
    return subject.kind in kinds and is_concrete(rest.partition(" ")[2])


_MODALS: dict[str, Callable[[Subject, str, str, Clause], bool]] = {
    "must": _must,
    "shall": _must,
    "should": _should,
    "have to": _have_to,
    "has to": _have_to,
    "need to": _have_to,
    "need": _need,
    "require": _need,
    "may only": _may,
    "may not": _may,
    "can only": _may,
}


def cannot(clause: Clause) -> str | None:
    """Match "you cannot V", "we can't use X": what people may not do."""
    found = begins(
        r"(?:you|we) (?P<m>cannot|can't|can not) (?:use|add|rely on|depend on"
        r"|have|support"
        rf"|require|ship|allow|accept|{words.CONDUCT})\b(?P<rest>.*)",
        clause.text,
    )
    if not found or not is_concrete(found["rest"]):
        return None
    if has(r"\b(?:because|since|any ?more|when i|see|right now)\b", found["rest"]):
        return None
    return f"prohibition: {found['m']}"


def forbids(clause: Clause) -> str | None:
    """Match "it is forbidden to V", "it is required that", "you are never to V"."""
    found = begins(
        r"it(?:'s| is) (?P<m>required|mandatory|compulsory|obligatory) (?:that|to) "
        r"(?P<rest>.+)|(?:this|that) (?P<n>must never|must not) happen: (?P<what>\w+ "
        r"\w+ .+)",
        clause.text,
    )
    if found and is_concrete(found["rest"] or found["what"]):
        return f"{kind_of(bool(found['n']))}: {found['m'] or found['n']}"
    found = begins(
        r"(?:it(?:'s| is) (?:strictly )?(?P<m>forbidden|not allowed|prohibited|not "
        r"permitted)(?: for \w+)? to|(?:you|we|agents) are (?P<n>never|not|not allowed"
        r"|forbidden) to|(?:nobody|no one) is (?P<o>allowed) to) (?P<rest>\w.+)",
        clause.text,
    )
    if not found or not is_concrete(found["rest"].partition(" ")[2]):
        return None
    return f"prohibition: {found['m'] or found['n'] or found['o']}"


_DEMANDS = r"required|mandatory|compulsory|obligatory|non-negotiable|a must(?!-)"


_BARS = (
    r"forbidden|prohibited|banned|disallowed|not (?:allowed|permitted|acceptable)"
    r"|off[- ]limits|taboo"
)


def barred(clause: Clause) -> str | None:
    """Match "X is required", "X are forbidden", "X is not allowed"."""
    found = begins(
        rf"(?P<subj>[^;:(]{{3,120}}?) (?:is|are) (?:(?:strictly|absolutely|always) )?"
        rf"(?P<m>{_DEMANDS}|{_BARS})\b(?P<rest>.*)",
        clause.text,
    )
    if (
        not found
        or clause.conditional
        or begins(r"no\b|nothing\b|none\b", found["subj"])
    ):
        return None
    kind = subject_kind(found["subj"])
    demands = has(_DEMANDS, found["m"])
    if kind == "you" or (kind == "definite" and demands):
        return None
    if not has_subject(found["subj"]) or begins(
        r"\s+(?:by|because|when it|if)\b", found["rest"]
    ):
        return None
    return f"{kind_of(not demands)}: {found['m']}"


MODALS: tuple[Rule, ...] = (modal, cannot, forbids, barred)
