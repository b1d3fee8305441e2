"""Commands and refusals in English (B3): "never V", "don't V", "no X", "make sure".

Each rule reads a clause and returns the reason why it is kept, or None.  A strong
marker (*never*) makes a rule by itself; a weak one (*don't*, *make sure*) only of what
is said of a kind of thing or of every time.
"""

from __future__ import annotations

import re

from ibid.text.signals import english_words as words
from ibid.text.signals.english_subjects import EACH, has_frame, kind_of, points_back
from ibid.text.signals.english_words import begins, has, is_concrete
from ibid.text.signals.grammar import Clause, Rule

_ADVERBS = r"(?:(?:please|also|just|absolutely|simply|really|ever|at least)[\s,]+)*"


def never_always(clause: Clause) -> str | None:
    """Match the imperatives "never V" and "always V"."""
    found = begins(
        rf"(?:let's |let us |{_ADVERBS})(?P<m>never|always)\b(?:,? (?:ever|always"
        rf"|never))?"
        r"[\s,:]+(?P<rest>.+)",
        clause.text,
    )
    if not found or clause.continued or not _is_command(found["rest"], clause):
        return None
    return f"{kind_of(found['m'] == 'never')}: {found['m']}"


# What follows an adverb and is no command.
_NO_COMMAND = (
    r"(?:mind|again|say never|the|a|an|on top|been|so|too|very|thought|and|or|give up"
    r"|quit|good|nice|great|fun|happy|on|in|at|here|there|yours|up|down|wrong|right"
    r"|ready|ok|hard|easy|possible|true|false|a pleasure|heard|be(?:en)? (?:able"
    rf"|sorry))\b|{words.PAST}|\w+ing\b|\w+(?<![sui])s\b"
)


_BASE_FORM = (
    r"(?:process|access|pass|compress|discuss|address|embed|need|feed|seed|speed"
    r"|proceed|exceed|shed|string|bring|ping|focus|express|press|cross|assess|suppress"
    r"|bypass|canvas|alias)\b"
)


def _is_command(rest: str, clause: Clause) -> bool:
    """Say whether ``rest`` is a verb in its base form with something to act on."""
    rest = re.sub(r"^(?:(?:really|actually|ever|quite|just|simply) )+", "", rest)
    if begins(_NO_COMMAND, rest) and not begins(_BASE_FORM, rest):
        return False
    verb, _, after = rest.partition(" ")
    after = re.sub(r"^(?:me|us) (?=\w)", "", after)
    if not after:
        return begins(rf"{words.CONDUCT}|lint|format|sign|review", verb) is not None
    return is_concrete(after) or points_back(after, clause)


_IDLE = (
    r"(?:worry|mind|stop|know|bother|care|hesitate|panic|think|see|understand|get|have"
    r"|need|want|be|feel|do|wait|stress|fret|sweat|continue|go|start|try|explain|tell"
    r"|give|say|apologi[sz]e|rush|hurry|like|look|find|remember|agree|believe|seem|ask"
    r"|work|let|keep|run|read|you|we|they|i|it|all|always|even|actually|yet|really"
    r"|love|enjoy|hate|prefer|just|exist|matter|over\w*|show|render|display|print"
    r"|output|highlight|animate|summari[sz]e|hide|draw|play|open|close|click|scroll"
    r"|return|include|list|describe|respond|reply|answer|finish|implement|fix|refactor"
    r"|quit)$"
)


def dont(clause: Clause) -> str | None:
    """Match the imperative "don't V something"."""
    found = begins(
        rf"{_ADVERBS}(?P<m>don'?t|do not|let's not) (?P<ever>ever |please |just )?"
        r"(?P<verb>[a-z-]+)\s*(?P<rest>.*)",
        clause.text,
    )
    if not found or clause.continued:
        return None
    verb, rest = found["verb"], found["rest"]
    if verb == "forget":
        habit = has_frame(clause) and is_concrete(rest.removeprefix("to "))
        return "obligation: don't forget" if habit else None
    if has(
        r"^(?:\w+ )?\w+(?<!that)(?<!which) (?:is|are|was|were|does|doesn't|works"
        r"|fails)\b",
        rest,
    ):
        return None
    ever = found["ever"] == "ever " or clause.framed
    if not (is_concrete(rest) or points_back(rest, clause)) or begins(
        r"(?:or|and)\b", rest
    ):
        return None
    if begins(_IDLE, verb) and not (ever or _asks_first(verb, rest)):
        return None
    conduct = begins(rf"{words.CONDUCT}\b", verb) is not None
    if clause.conditional and not conduct:
        return None
    return (
        f"prohibition: {found['m']}"
        if _is_lasting(rest, conduct, ever, clause)
        else None
    )


def _asks_first(verb: str, rest: str) -> bool:
    """Say whether "don't ask/run … before every …" speaks of every time."""
    return verb in ("ask", "run", "implement", "fix") and has(
        rf"\b{EACH}|without\b", rest
    )


def _is_lasting(rest: str, conduct: bool, ever: bool, clause: Clause) -> bool:
    """Say whether a prohibition outlives the moment in which it is said."""
    if ever or has(r"\b(?:ever|without)\b", rest):
        return True
    if not conduct and (
        begins(r"(?:the|a|an|my|your|any)\b", rest) or has(words.SCREEN, rest)
    ):
        return False
    if not clause.setting.task:
        return True
    return conduct and not begins(r"(?:\w+ )?(?:the|my|your)\b", rest)


def avoid(clause: Clause) -> str | None:
    """Match "avoid X", "stop V-ing X", "refrain from X"."""
    found = begins(
        rf"(?:let's |{_ADVERBS})(?P<m>avoid|refrain from|stop|steer clear of|quit)"
        r"\s+(?P<rest>.+)",
        clause.text,
    )
    if not found or not is_concrete(found["rest"]):
        return None
    if clause.conditional or clause.continued:
        return None
    rest = found["rest"]
    if found["m"] in ("stop", "quit") and not _stops_a_habit(rest):
        return None
    if begins(r"(?:the|my|your)\b", rest):
        return None
    adding = r"(?:add|us|edit|touch|commit|chang|modify|introduc)ing\b"
    if clause.setting.creates and not begins(adding, rest):
        return None
    return f"prohibition: {found['m']}"


def _stops_a_habit(rest: str) -> bool:
    if begins(r"(?:doing|working|being|trying|running|thinking|worrying)\b", rest):
        return False
    return (
        begins(r"[a-z]{2,}ing\b \S", rest) is not None
        and is_concrete(rest.partition(" ")[2])
        and not begins(r"\w+ the\b", rest)
    )


_NOTHING = (
    r"(?:problem|idea|worries|need|one|reason|luck|matter|wonder|rush|clue|longer"
    r"|thanks|doubt|way|chance|errors?|results?|output|logs?|such|changes? (?:needed"
    r"|required|is)|issue|body|surprise|hurry|sign|changes?|difference|progress"
    r"|success|trace|mention|hint|support|bugs?|tests?)\b"
)


_IN_WORK = (
    r"(?:commit|code|production|core|library|test|pr|pull|log|comment|doc|public|new"
    r"|fixture|template|component|controller|source|main|message|\u01c0|name|review"
    r"|domain|package)"
)


_ACCESS = (
    r"^(?:[\w-]+ ){0,2}(?:imports?|dependenc(?:y|ies)|calls|access|writes|commits"
    r"|merges"
    r"|deploys|deployments|pushes|side effects|i/o)"
    r" (?:from|to|on|into|onto|outside|between|at) \S"
)


def no(clause: Clause) -> str | None:
    """Match "no X without Y", "no new X", "no more X", "no X in Y"."""
    found = begins(
        r"(?P<a>absolutely |strictly )?no (?P<rest>[a-z\u01c0].*)", clause.text
    )
    if not found:
        return None
    rest = found["rest"]
    thing = re.split(r"\s(?:without|in|allowed|unless)\b", rest)[0]
    faults = (
        r"(?:new |more )?(?:[\w-]+ )?(?:issues?|errors?|warnings?|problems?|bugs?"
        r"|failures?|findings?)\b(?! (?:without|allowed|may|in ))"
    )
    if begins(faults, rest) or has(r"\b(?:needed|required|necessary)\b", rest):
        return None
    if begins(_NOTHING, rest) or (has(words.FAILS, thing) and not found["a"]):
        return None
    if has(
        r"\b(?:is|are|was|were|ran|found|has|have|does|do|mentioned|seen|left)\b", rest
    ):
        return None
    lasting = (
        found["a"]
        or begins(r"(?:more|new) [a-z]", rest)
        or has(r"^[\w\u01c0 -]+ (?:without|allowed|unless)\b", rest)
        or has(rf"^(?:[\w\u01c0-]+ ){{1,3}}in (?:the )?{_IN_WORK}", rest)
        or has(_ACCESS, rest)
    )
    return "prohibition: no" if lasting and not clause.setting.creates else None


def nothing_may(clause: Clause) -> str | None:
    """Match "nothing in X may V", "no module can V"."""
    found = begins(
        r"(?P<m>nothing|nobody|no one|no [\w\u01c0-]+) (?:[^,;:]{0,60}? )?(?:may|can"
        r"|is allowed to|are allowed to|should|must|shall) (?P<rest>\w.+)",
        clause.text,
    )
    spot = (
        r"(?:be (?:done|found|seen)|see|happen|reproduce|explain|help|change|break)\b"
    )
    if not found or begins(spot, found["rest"]):
        return None
    if found["m"] == "nothing" and not begins(
        r"nothing (?:in|from|under|outside)\b", clause.text
    ):
        return None
    return f"prohibition: {found['m'].split(' ')[0]}"


def inverted(clause: Clause) -> str | None:
    """Match "under no circumstances …" and "only maintainers may …"."""
    if begins(
        r"(?:under no circumstances|at no (?:time|point)|in no case)\b.{8,}",
        clause.text,
    ):
        return "prohibition: under no circumstances"
    if begins(
        r"only (?!the (?:first|second|last)|you |we |i |he |she "
        r"|they )[\w\u01c0 -]+ (?:may|can|must|are allowed to)\b \w+ \w+",
        clause.text,
    ):
        return "constraint: only"
    return None


def sure(clause: Clause) -> str | None:
    """Match "make sure", "ensure" and "be sure to" where they ask for a habit."""
    found = begins(
        r"(?:always )?(?P<m>make (?:absolutely )?sure|ensure|be sure|see to it)"
        r"(?: that| to| you| we)*\s+(?P<rest>.+)",
        clause.text,
    )
    if not found or not is_concrete(found["rest"]):
        return None
    rest = found["rest"]
    if begins(r"(?:understand|read|know|see|check|look|have)\b", rest):
        return None
    if not has_frame(clause):
        if clause.setting.task or not _is_said_of_a_kind(rest):
            return None
    elif begins(_OF_THIS, rest) and not has(_AT_EACH, rest):
        return None
    return f"obligation: {found['m']}"


# "Make sure the tests pass" is said of this task, unless it says when it holds again.
_OF_THIS = r"(?:the|everything|all (?:the )?tests? (?:pass|are|still))\b"
_AT_EACH = rf"\b{EACH}|\b(?:before|after) \w+ing\b"


_ARE = (
    r"s (?:are|run|use|have|stay|live|go|get|follow|include|match|carry|return|handle"
    r"|pass|never|always|do not|don't|must)\b"
)


def _is_said_of_a_kind(rest: str) -> bool:
    """Say whether ``rest`` begins with a bare plural and a verb: "migrations run …"."""
    definite = r"(?:the|this|that|these|those|my|your|it|they|we|you|i|there|an?|to)\b"
    said = begins(rf"(?P<noun>(?:[\w\u01c0-]+ ){{0,3}}[\w-]+){_ARE}", rest)
    return (
        not begins(definite, rest)
        and said is not None
        and not has(words.FAILS, rest[said.end("noun") :])
    )


COMMANDS: tuple[Rule, ...] = (
    never_always,
    dont,
    avoid,
    no,
    nothing_may,
    inverted,
    sure,
)
