"""Choices and likings in English (B3): preferences."""

from __future__ import annotations

import re

from ibid.text.signals import english_words as words
from ibid.text.signals.english_words import begins, has, is_concrete
from ibid.text.signals.grammar import Clause, Rule

# -- the choice between two named things ---------------------------------------

_WHO = (
    r"(?:(?:you|we|everyone|everybody|people|contributors|agents|all \w+"
    r"|nobody)\s+)?(?:(?:should|must|shall|will|to|always|never|only|rather|please"
    r"|just|have to|has to|need to|also|'d|would|generally|usually)\s+)*"
)
_PICK = (
    r"(?:use|prefer using|prefer|choose|pick|favou?r|go with|stick (?:to|with)|adopt"
    r"|standardi[sz]e on|opt for|rely on|default to|reach for)"
)
_DO = (
    r"(?:write|name|call|log|format|lint|test|run|import|store|keep|put|place|indent"
    r"|spell|group|order|install|deploy|model|document|manage|build|commit|throw)"
)
_DECIDED = (
    r"(?:(?:we|i|the team)(?:'ve| have|'ll| will|'re|'d| would)?(?: all| now)? "
    r"(?:decided|agreed|chosen|chose|going|opted|want|like|prefer|settled)?\s*(?:to "
    r"|on )?|let's |let us |(?:this|the|our) (?:[\w-]+ )?(?:project|repo|repository"
    r"|codebase|app|service|team|library|package|monorepo|frontend|backend|server"
    r"|client|ci|tests|code) )"
)
_CONTRAST = r"(?:instead of|rather than|in place of|as opposed to|in favou?r of|over)"


def choice(clause: Clause) -> str | None:
    """Match "use X, not Y" and "use X instead of Y"."""
    found = begins(
        rf"(?:{_DECIDED})?{_WHO}(?P<verb>{_PICK}|uses|{_DO})\s+(?P<x>[^;:]+?)"
        rf"(?:,? (?P<c>{_CONTRAST})\s+|,? (?:and |but )?(?P<n>not|never)\s+)(?P<y>.+)",
        clause.text,
    )
    if not found:
        return None
    one = found["x"]
    if begins(r"(?:call|name)$", found["verb"]):
        one = re.sub(r"^(?:them|it|these|those) ", "", one)
    if not _names_two(one, found["y"]):
        return None
    if found["verb"] == "uses" and not begins(r"(?:this|the|our)\b", clause.text):
        return None
    if found["n"] and (begins(_NO_CONTRAST, found["y"]) or not _is_plain(found)):
        return None
    if has(words.SCREEN, f"{found['x']} {found['y']}"):
        return None
    if found["c"] == "over" and not _is_over(found["verb"], found["y"]):
        return None
    if not begins(rf"(?:{_PICK}|uses)$", found["verb"]):
        # "Put the button left, not right" is work; "name branches x, not y" a habit.
        definite = r"\b(?:the|this|that|my|your|its|an?)\b"
        if clause.setting.task or has(definite, f"{found['x']} {found['y']}"):
            return None
    return f"choice: {found['c'] or found['n']}"


_NO_CONTRAST = (
    r"(?:only|just|yet|even|all|be|to|in|on|necessarily|because|as)\b(?! \u01c0)"
)


def _is_plain(found: re.Match[str]) -> bool:
    """Say whether "X not Y" is a contrast and not a verb with its negation."""
    verbs = r"\b(?:must|should|do|does|is|are|will|can|shall|may|to|has|have)$"
    comma = found.group()[found.end("x") - found.start()] == ","
    return not has(verbs, found["x"]) and (comma or found["n"] == "not")


def _is_over(verb: str, other: str) -> bool:
    carried = r"(?:https?|tls|tcp|ssh|udp|time|the|and over|again|a|websockets?)\b"
    return begins(
        r"prefer|favou?r|choose|pick|use$|go with|stick", verb
    ) is not None and not begins(carried, other)


def _names_two(one: str, other: str) -> bool:
    if begins(r"(?:my|your)\b", one) or begins(r"(?:my|your|this|that)\b", other):
        return False
    if begins(r"(?:(?:only )?the|an?)\b", one) and begins(r"the\b", other):
        return False
    if not begins(r"the\b", other):
        one = re.sub(r"^the new (?=\w)", "", one)  # The other one tells which.
    return all(
        is_concrete(name) and not begins(r"(?:not|do|does|is|was)\b", name)
        for name in (one, other)
    )


def refusal(clause: Clause) -> str | None:
    """Match "don't use X, use Y" and "instead of X, use Y"."""
    found = begins(
        rf"(?P<m>instead of|rather than) (?P<y>[^,]+), ?(?:please )?{_PICK} (?P<x>.+)",
        clause.text,
    ) or begins(
        r"(?P<m>don'?t|do not|never|stop|avoid|no longer) (?:ever )?(?:use|using)"
        r" (?P<y>[^,;.]+)[,;.]+\s*(?:but |and |please |instead |rather )*"
        r"(?:use|prefer|go with) (?P<x>.+)",
        clause.text,
    )
    if found and _names_two(found["x"], found["y"]):
        return f"choice: {found['m']}"
    return None


CHOICES: tuple[Rule, ...] = (choice, refusal)

# -- liking --------------------------------------------------------------------

_VERY = (
    r"(?:(?:really|strongly|generally|usually|always|personally|also|much|still|do"
    r"|definitely|quite|absolutely|just|'d|would|'ve always)\s*)*"
)
_SPOT = (
    r"(?:not\b|how|what|where|when|your\b|to (?:see|know|hear|say|think)\b|the\b|seeing"
    r"|that you\b)"
)
# "That commits are signed" names a thing; "that" alone points.
_THAT = r"^it (?:if|when) |^that (?=[\w\u01c0-]+ (?:is|are|be|stay|get|have|use|go)\b)"


def likes(clause: Clause) -> str | None:
    """Match "I prefer", "I like", "I hate"."""
    found = begins(
        rf"(?:i|we)\s?(?P<very>{_VERY})\s*(?P<m>prefer|favou?r|like|love|enjoy"
        rf"|hate|dislike"
        r"|detest|loathe|can't stand|adore)\b(?P<rest>.*)",
        clause.text,
    )
    if not found:
        return None
    marker = found["m"]
    rest = re.sub(_THAT, "", found["rest"].strip())
    if has(
        r"\bbut (?:we|it|i|they|he|the|this|that)\b|\bmyself\b|\bto do (?:this|it"
        r"|that)\b",
        rest,
    ):
        return None
    asks = marker in ("like", "love", "enjoy") and has(r"would|'d", found["very"])
    if asks or not is_concrete(rest):
        return None
    spot = (
        r"(?:to not say|not|the|your|that you)\b"
        if marker in ("prefer", "hate")
        else _SPOT
    )
    return None if begins(spot, rest) else f"liking: {marker}"


def rather(clause: Clause) -> str | None:
    """Match "I'd rather have X"."""
    found = begins(r"(?:i|we)(?:'d| would) (?:much )?rather (?P<rest>.+)", clause.text)
    if not found or begins(
        r"(?:not|you|that you|have you|wait|do it|see it)\b", found["rest"]
    ):
        return None
    return "liking: rather" if is_concrete(found["rest"].partition(" ")[2]) else None


def dislikes(clause: Clause) -> str | None:
    """Match "I don't like X", "I don't want any X"."""
    found = begins(
        r"(?:i|we) (?:don'?t|do not|never) (?P<m>like|want|love|enjoy)\b(?P<rest>.*)",
        clause.text,
    )
    if not found:
        return None
    rest = found["rest"].strip()
    spot = r"(?:how|what|where|when|your|to\b|the\b|you to (?:see|know))"
    if not is_concrete(rest) or begins(spot, rest):
        return None
    if found["m"] == "want" and not begins(r"(?:any|you to|new|\w+s\b)", rest):
        return None
    return f"liking: don't {found['m']}"


def prefers(clause: Clause) -> str | None:
    """Match the imperative "prefer X" and "my preference is X"."""
    found = (
        begins(r"(?P<m>prefer|favou?r) (?P<rest>.+)", clause.text)
        or begins(
            r"(?:my|our) (?:personal |general |strong )?(?P<m>preference)s? (?:is|are"
            r"|would be) (?P<rest>.+)",
            clause.text,
        )
        or begins(
            r"(?:i'm|i am|we're|we are) (?:not )?(?:a )?(?:big "
            r"|huge )?(?P<m>fan)s? of (?P<rest>.+)",
            clause.text,
        )
    )
    if not found or not is_concrete(re.sub(_THAT, "", found["rest"])):
        return None
    if begins(r"(?:which|what|who)ever|not to|to not", found["rest"]):
        return None
    return f"liking: {found['m']}"


_ARTEFACTS = (
    r"(?:commits|prs|pull requests|functions|methods|classes|modules|files|messages"
    r"|diffs|answers|replies|comments|names|branches|components|explanations|summaries"
    r"|patches|interfaces|types|docstrings|changesets)"
)


def wants(clause: Clause) -> str | None:
    """Match "I want small PRs", "I always want to see the plan"."""
    found = begins(r"i (?P<m>(?:always |only |really )*want) (?P<rest>.+)", clause.text)
    if not found or clause.setting.creates:
        return None
    rest = found["rest"]
    if "always" in found["m"]:
        return "liking: want" if is_concrete(rest) else None
    if begins(rf"(?:[a-z-]+,? (?:and )?){{1,3}}{_ARTEFACTS}\b", rest) and not begins(
        r"(?:to|you|the|an?|this|that|it|these|those|some|two|more)\b", rest
    ):
        return "liking: want"
    every = begins(r"(?:every|all|each)\b(?! (?:the|of)\b)", rest)
    return "liking: want" if every and not clause.setting.task else None


LIKINGS: tuple[Rule, ...] = (likes, rather, dislikes, prefers, wants)
