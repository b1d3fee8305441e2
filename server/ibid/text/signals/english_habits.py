"""Limits and habits in English (B3): "we only V", "at most 5", "before each commit"."""

from __future__ import annotations

from ibid.text.signals import english_words as words
from ibid.text.signals.english_subjects import EACH, kind_of, points_back, subject_kind
from ibid.text.signals.english_words import begins, has, is_concrete
from ibid.text.signals.grammar import Clause, Rule


def only(clause: Clause) -> str | None:
    """Match "we only support X", "we no longer use X", "only use X"."""
    found = begins(
        r"(?:we|this \w+|the project|our \w+) (?P<m>only|no longer) (?:ever )?"
        r"(?P<verb>[a-z-]+) (?P<rest>.+)",
        clause.text,
    )
    if found and is_concrete(found["rest"]):
        if begins(rf"{words.PAST}|{_SEEN}", found["verb"]):
            return None
        return (
            f"{'prohibition' if found['m'] == 'no longer' else 'constraint'}:"
            f" {found['m']}"
        )
    found = begins(
        r"(?P<subj>(?:[\w-]+ )?[\w-]+s) only (?:happen|run|go|come|ship|land|live"
        r"|merge)\b (?P<rest>\w+ \w.+)",
        clause.text,
    )
    if (
        found
        and has(words.ARTEFACT, found["subj"])
        and not has(words.FAILS, found["rest"])
    ):
        return "constraint: only"
    found = begins(
        r"(?:only (?:use|import|support|target|accept|allow|log|commit|deploy|merge"
        r"|write|depend on|release|rely on|store|expose|mock)|(?:use|import|support"
        r"|accept|allow|commit|deploy) only) (?P<rest>.+)",
        clause.text,
    )
    if not found or not is_concrete(found["rest"]) or clause.setting.creates:
        return None
    if begins(_DEFINITE, found["rest"]):
        return None
    return "constraint: only"


_SEEN = (
    r"(?:see|get|have|need|know|find|want|works?|loads?|opens?|fails?|runs?|shows?"
    r"|exists?|hit|happens?|had)\b"
)


_DEFINITE = (
    r"(?:\w+ )?the\b(?! (?:std|standard|shared|approved|official|public|built-?in"
    r"|native))"
)


_LIMIT = (
    r"(?:at most|no more than|at least|no fewer than|no less than|a maximum of"
    r"|a minimum of)"
)


def limit(clause: Clause) -> str | None:
    """Match "retry at most 5 times", "lines are at most 100 characters"."""
    found = begins(
        r"(?:retry|keep|limit|cap|allow|wait|restrict|hold|require|nest|buffer|batch"
        r"|use(?= at))\b"
        rf"(?P<x>.*?)\b(?P<m>{_LIMIT}) \w+(?P<rest>.*)",
        clause.text,
    )
    if found and is_concrete(found["rest"]) and not has(r"\bme\b", found["x"]):
        return f"limit: {found['m']}"
    found = begins(
        r"(?P<subj>[^,;:]{3,80}?) (?:is|are|stays?|lives?|lasts?)"
        r" (?:limited to |capped at |for )?"
        rf"(?P<m>{_LIMIT}) \w+",
        clause.text,
    )
    kinds = ("plural", "universal", "ours")
    allowed = begins(
        rf"(?P<m>{_LIMIT}) .+ (?:is|are) (?:allowed"
        rf"|permitted)\b",
        clause.text,
    )
    if allowed and not clause.setting.creates:
        return f"limit: {allowed['m']}"
    if found and subject_kind(found["subj"]) in kinds and not clause.setting.creates:
        return f"limit: {found['m']}"
    return None


_UNWILLED = (
    r"(?:get|gets|see|have(?! more)|know|find|hit|run into|fail|forget|seem|end|need"
    r"|want|like|go|do|use to|care|finish|mean|talk|work|miss|look|enjoy|love|wonder"
    r"|bring|end up)\b"
)


def habit(clause: Clause) -> str | None:
    """Match "we never V", "dates are always stored": habits told as such."""
    found = begins(
        r"(?:we|everyone|everybody) (?P<m>always|never) (?P<rest>.+)", clause.text
    )
    if found:
        told = begins(
            rf"(?:really |actually |even )?(?:{_UNWILLED}|{words.PAST})", found["rest"]
        )
        kept = not told and is_concrete(
            found["rest"].partition(" ")[2] or found["rest"]
        )
        return f"{kind_of(found['m'] == 'never')}: {found['m']}" if kept else None
    found = begins(
        rf"we (?P<m>don'?t|do not) (?:{words.CONDUCT}|use|add|support|allow"
        rf"|accept|write|do)\b"
        r"(?P<rest>.+)",
        clause.text,
    )
    if (
        found
        and is_concrete(found["rest"])
        and not begins(r" (?:the|a|an|any)\b", found["rest"])
    ):
        return "prohibition: we don't"
    found = begins(
        rf"(?P<subj>[^,;:]{{3,80}}?) (?:are|is|get|gets) (?P<m>always|never) "
        rf"(?P<rest>(?:[a-z]+ly )?{words.DONE}.*)",
        clause.text,
    )
    if found and subject_kind(found["subj"]) in ("plural", "universal", "ours"):
        if not has(words.FAILS, found["rest"]):
            return f"{kind_of(found['m'] == 'never')}: {found['m']}"
        return None
    found = begins(
        r"(?P<subj>(?!the|this|that|these|those|my)(?:an? )?(?:[\w-]+ )?[\w-]+)"
        r" (?P<m>never|always) (?P<rest>\w+ \w.*)",
        clause.text,
    )
    if found and _is_habit_of_a_kind(found["subj"], found["rest"]):
        return f"{kind_of(found['m'] == 'never')}: {found['m']}"
    if begins(
        r"(?:treat|keep|use|run|write|quote|pin|sign)\b .*\balways[.!]*$", clause.text
    ):
        return "obligation: always"
    return None


def _is_habit_of_a_kind(subject: str, rest: str) -> bool:
    """Say whether "tests never …", "a function never …" is meant as a rule."""
    kind = has(words.ARTEFACT, subject) and begins(r"an?\b|.*s$", subject)
    told = begins(f"{_UNWILLED}|{words.PAST}", rest) or has(words.FAILS, rest)
    return bool(kind) and not told


_ACTS = (
    rf"(?:{words.TASK}|{words.CONDUCT}|use|keep|treat|sign|format|lint|put|name"
    rf"|prefix|tag"
    r"|link|mention|record|note|regenerate|bump|sync|back up|rebuild|seed|validate"
    r"|announce|notify|pin|pull|rebase)\b"
)


_KEEP = (
    r"(?:keep|put|store|treat|place) (?:all|every) (?!of |the |these |those )\w+ "
    r".*\b(?:in|as|under|out of)\b|keep (?:[\w-]+ ){0,2}[\w-]+s (?:small|short|pure"
    r"|thin|free|under|below|sorted|stable|flat|in sync|simple|stateless|typed|private"
    r"|green|minimal|focused|immutable|consistent|independent|within|backwards?)\b"
)


# A new thing is of this task ("when you add the button"), an old one of every task.
_WHEN_YOU = (
    r"(?:.*[.!:] )?(?:when|if|whenever|after|before) (?:you |we |someone )?(?:(?:touch"
    r"|chang|edit|modify|renam|remov|delet|upgrad|bump|releas|deploy)(?:e|ing)?\b"
    r"|(?:add|creat|writ|introduc)(?:e|ing)? (?!the |this |that ))"
)


def each_time(clause: Clause) -> str | None:
    """Match requests that hold for every time: "run X before every commit"."""
    whole = begins(
        r"(?:for|in|on|with) (?:every|all|each|any) (?:new )?[\w-]+(?: \w+)?? "
        rf"(?={_ACTS})",
        clause.text,
    )
    if whole and not clause.setting.creates:
        clause = clause._replace(
            text=clause.text[whole.end() :], before=f"{whole.group().rstrip()}, "
        )
    text = clause.text
    after = text.partition(" ")[2]
    if not begins(_ACTS, text) or not (
        is_concrete(after) or points_back(after, clause)
    ):
        return None
    if clause.conditional and begins(_WHEN_YOU, clause.before):
        return "obligation: when"
    at_each = rf"\b(?:before|after|for|on|in|with|at|following|of) {EACH}"
    over_all = (
        r"(?:.*[.!] )?(?:for|in|on|with) (?:all|every|each|any) (?!of |the |these )\w"
    )
    if begins(over_all, clause.before) and not clause.setting.creates:
        return "obligation: every"
    if has(r"\b(?:whenever|every time|each time)\b", clause.before) or has(
        at_each, f"{clause.before}{text}"
    ):
        return "obligation: every"
    if begins(_KEEP, text) and not clause.setting.task:
        return "obligation: keep"
    return None


def needs_all(clause: Clause) -> str | None:
    """Match "I need every X done": an obligation in the first person."""
    found = begins(
        r"i(?: really)? (?:need|expect) (?:every|all|each)\b(?! (?:the"
        r"|of)\b).* (?:\w+(?:ed|en)\b|to \w+ \w)",
        clause.text,
    )
    return "obligation: every" if found and not clause.setting.task else None


def framed(clause: Clause) -> str | None:
    """Match anything that *from now on* makes a rule of."""
    if not clause.framed or begins(
        r"(?:it|this|that|i|i'll|i'm|he|she|they|(?:we'll|we will|let's) see)\b",
        clause.text,
    ):
        return None
    if has(words.HEDGE, clause.text) or not has(r"\w+\W+\w+", clause.text):
        return None
    return "obligation: from now on" if is_concrete(clause.text) else None


HABITS: tuple[Rule, ...] = (only, limit, habit, each_time, needs_all, framed)
