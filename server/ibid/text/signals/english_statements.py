"""Decisions, conventions and stable statements in English (B3): decisions and facts."""

from __future__ import annotations

import re

from ibid.text.signals import english_words as words
from ibid.text.signals.english_words import begins, has, is_concrete
from ibid.text.signals.grammar import Clause, Rule

# -- decision and convention ---------------------------------------------------

_DECIDE = (
    r"(?:decided|agreed|settled|chosen|chose|opted|standardi[sz]ed|concluded"
    r"|committed to|resolved)"
)
_NO_DECISION = (
    r"(?:you|nothing|the wrong|about|by\b|it\b|this\b|that$|yesterday|that you|to "
    r"(?:skip|wait|postpone|talk|meet|stop|leave|take|go(?! with)|look|see|try|fix"
    r"|do)\b)"
)


# What one person decides about a project, and not about the evening.
_OWN = (
    r"(?:decided (?:that|on|against)\b|decided (?:not )?to (?:use|go with|drop|keep"
    r"|switch|move|license|licence|adopt|store|support|remove|ship|host|stay|stick"
    r"|rename|split|merge|deprecate|build|base|target|write|only|always|never|make"
    r"|publish|release|rely|require|allow|forbid)\b|chose .* (?:for|as|over)\b"
    r"|(?:settled|opted) )"
)


def decides(clause: Clause) -> str | None:
    """Match "we decided", "the team agreed", "it was decided"."""
    found = begins(
        r"(?P<who>(?:we all|we|the (?:\w+ )?team|our team|everyone|everybody"
        r"|management)(?:'ve| have| has|'d| had)?|i(?:'ve| have)?|it was|it's been|it "
        r"has been)(?: (?:all|finally|already|just|also|now|both|jointly|since"
        r"|recently|formally"
        rf"|then|previously|long))* (?P<m>{_DECIDE})\b(?P<rest>.*)",
        clause.text,
    )
    if not found:
        return None
    rest = found["rest"].strip(" ,:")
    if begins(r"i\b", found["who"]) and not begins(_OWN, f"{found['m']} {rest}"):
        return None
    if begins(_NO_DECISION, rest):
        return None
    rest = re.sub(
        r"^(?:(?:to|on|that|against|for|not|upon|in favou?r of)\s+)+", "", rest
    )
    return f"decision: {found['m']}" if is_concrete(rest) else None


_GOES = (
    r"go(?:ing)? with|go for|use|using|going to use|stick(?:ing)? (?:with|to)"
    r"|standardi[sz](?:e|ing) on|adopt(?:ed|ing)?|settle on|switching to|moving to"
    r"|switched to|moved to|migrated to|migrating to|keep using"
)


def goes_with(clause: Clause) -> str | None:
    """Match "let's go with X", "we'll use X", "we switched to X"."""
    found = begins(
        r"(?P<w>let's|let us|we're|we are|we will|we'll|we)"
        rf"(?: (?:all|just|now|also|then|have|should))* (?P<m>{_GOES}) (?P<rest>.+)",
        clause.text,
    )
    if not found:
        return None
    rest = found["rest"].strip()
    if found["w"] == "we" and begins(r"(?:use|using|go|stick|keep|adopt$)", found["m"]):
        return None
    if has(r"\b(?:later|next|first|instead)[.!]*$|\bsubagents?\b", rest):
        return None
    explained = begins(r"[^:—]{1,40}[:—]\s*(?:\S+\s+){2,}", rest)
    named = is_concrete(rest) and not _is_anyone(rest)
    return f"decision: {found['m']}" if explained or named else None


def _is_anyone(rest: str) -> bool:
    """Say whether ``rest`` is only definite, so that no reader can tell which it is."""
    kinds = (
        r"the (?!\w+er )\w+ (?:pattern|library|framework|license|licence|model"
        r"|convention|format)"
    )
    return bool(begins(r"(?:the|an?|my|your|this|that)\b", rest)) and not begins(
        kinds, rest
    )


_NORM = (
    r"(?:convention|standard|rule|policy|guideline|decision|agreement|norm|practice"
    r"|principle|style|scheme)"
)
_NO_NORM = (
    r"(?:yours|up to|wrong|bad|unclear|not\b|missing|broken|you|fine|ok|good|there|in "
    r"the|made|final|taken|documented|as follows|violated|outdated|pending|due|still"
    r"|about|is\b|ignored|explained|described|here|below|above|too|to be)\b"
)


def convention(clause: Clause) -> str | None:
    """Match "the convention is", "decision: X", "by convention"."""
    text = clause.text
    found = begins(
        rf"(?:the|our|a|one|my|final)\s+(?P<x>(?:(?!at|of|in|for|to|this|that|on"
        rf"|with)[a-z-]+ ){{0,3}})(?P<m>{_NORM})s?"
        r"(?: (?:here|for|in|on|about|with) [^,:]{1,40}?| we (?:follow|use|have))?"
        r"(?:\s+(?:is|are)|\s*:)(?: now| always)?[\s:,]*(?:that |to )?(?P<rest>.+)",
        text,
    )
    if found and is_concrete(found["rest"]) and not begins(_NO_NORM, found["rest"]):
        # "The style is broken" says nothing; "the naming style is X" does.
        vague = found["m"] in ("style", "practice", "scheme", "principle")
        if not vague or begins(
            r"our\b|the (?:\w+ )*(?:naming|house|best|code|git)\b", text
        ):
            kind = "decision" if found["m"] == "decision" else "convention"
            return f"{kind}: {found['m']}"
    found = begins(
        r"(?:the|our) (?P<m>agreed|chosen|decided) [\w-]+(?: \w+)? (?:is|are) "
        r"(?P<rest>.+)|(?:the|our) (?:\w+ )?decision is (?:final|made|taken): "
        r"(?P<what>.+)",
        text,
    )
    if found and is_concrete(found["rest"] or found["what"]):
        return f"decision: {found['m'] or 'decision'}"
    found = begins(
        r"(?:it's|it is|that's|that is) (?P<m>decided|settled|agreed)[:,] (?P<rest>.+)",
        text,
    )
    if found and is_concrete(found["rest"]):
        return f"decision: {found['m']}"
    found = begins(
        r"(?P<m>decision|decided|agreed|agreement|convention|policy|standard"
        r"|guideline)s?(?: made)?\s*:\s*(?P<rest>.+)",
        text,
    )
    if found and is_concrete(found["rest"]):
        return f"decision: {found['m']}"
    if begins(
        r"(?:by|as a|per|according to|following) (?:the |our )?convention\b,? (?!over "
        r"there|they).{6,}",
        text,
    ):
        return "convention: by convention"
    return None


_CUSTOM = (
    r"\b(?:conventional commits|semver|semantic version\w*|snake_case|camel ?case|kebab"
    r"[- ]?case|pascal ?case|snake[- ]case|trunk[- ]based|git ?flow|tabs|spaces"
    r"|squash merges?|feature branch\w*|british|american|imperative|past tense|present"
    r"|iso 8601|iso-8601|utc|calver|tdd|test[- ]driven|pair programming|code review"
    r"|commit messages|bem|adrs?|design docs|conventions?|naming|style guide"
    r"|prefix(?:es)?|suffix(?:es)?|singular|plural|uppercase|lowercase)\b"
    r"|\u01c0+ for \w+ names"
)


def custom(clause: Clause) -> str | None:
    """Match "we name X in the past tense", "we use conventional commits"."""
    found = begins(
        r"we (?:always )?(?P<m>name|call|prefix|suffix|tag|version|spell|indent|order"
        r"|sort|group|capitali[sz]e|abbreviate|number) (?P<rest>.+)",
        clause.text,
    )
    if found and is_concrete(found["rest"]) and has(r"\w+ \w+", found["rest"]):
        return f"convention: {found['m']}"
    found = begins(
        r"we (?:all |always |mostly )*(?P<m>use|follow|write|practi[sc]e|stick to|do)"
        r" (?P<rest>.+)",
        clause.text,
    )
    if found and is_concrete(found["rest"]) and has(_CUSTOM, found["rest"]):
        return f"convention: {found['m']}"
    return None


DECISIONS: tuple[Rule, ...] = (decides, goes_with, convention, custom)

# -- stable statements about the project ---------------------------------------

_PLACED = (
    r"(?:in|at|on|under|inside|within|behind|below|hosted|located|stored|kept|deployed"
    r"|running (?:on|in)|run|served|managed|shared|pinned|built|written|based"
    r"|driven|trained"
    r"|tested|compiled|shipped|released|maintained|owned|signed"
    r"|(?:called|named) (?!twice|once|when|from|by|in|before|after|on|with|every|again)"
    r"|licensed|published|versioned|powered|generated|split|organi[sz]ed|structured"
    r"|backed|a|an|the|\d+|postgres|mysql|mostly)\b|\u01c0"
)
_VERBS = (
    r"(?:uses|runs|targets|requires|supports|consists of|depends on|ships|lives|sits"
    r"|listens|exposes|stores|builds|deploys|follows|contains|talks to|speaks|serves"
    r"|reads|writes|generates|comes|goes|resides|belongs|holds|hosts"
    r"|implements|integrates|relies "
    r"on|is|are|use|run|live|target|support|need|needs|require|depend on|come|go|store"
    r"|contain|sit|reside)"
)
_NOUNS = (
    r"(?:cluster|server|database|db|ci|cd|bucket|repo|repository|docs|documentation"
    r"|schema|api|environment|env|production|prod|staging|tests?|config|configuration"
    r"|migrations?|frontend|front-end|backend|back-end|infra|infrastructure|pipeline"
    r"|build|registry|queue|cache|broker|cdn|app|application|services?|website|site"
    r"|clients?|cli|sdk|library|packages?|monorepo|codebase|project|team|company"
    r"|product|design system|assets|fixtures|translations|locales|scripts|dashboards?"
    r"|logs|metrics|alerts|runbooks?|changelog|release notes|main branch|default "
    r"branch|entry ?point|deployment|domain|host|gateway|proxy|workers?|scheduler"
    r"|storage|warehouse|monitoring|tracker|board|license|licence|readme|theme|styles"
    r"|components|models|handlers|types|protos?|specs?|lockfile|images?|customers?"
    r"|ui|gui|users?|secrets|feature flags?|snapshots?|backups?|vault|vpn|model"
    r"|dataset|data"
    r"|parser|compiler|engine|kernel|firmware|plugin|extension|game|bot)"
)
_STATES = (
    r"(?:broken|down|up|slow|full|failing|red|green|flaky|stuck|dead|empty|wrong"
    r"|missing|bad|good|fine|great|awful|a mess|messy|giving|taking|crashing|hanging"
    r"|acting|behaving|throwing|getting|leaking|out of|off|on fire|too|very|so|still"
    r"|again|not|never|always|being|about|really|going|ready|done|finished|working"
    r"|unusable|outdated|stale|ok|okay|weird|confusing|annoying|huge|beautiful|nice"
    r"|cool|awesome|in a|in progress|under construction|a nightmare|a disaster|here"
    r"|there|next|a pain|now|currently failing|unclear|unstable|hard|easy|difficult"
    r"|old|the (?:way|problem|issue|bug|one|same|reason|only|last|next|first|right"
    r"|cause)|on the way|in trouble|a (?:bit|little|problem|joke|good|bad|big)|at "
    r"fault|in question|in the way)\b"
)


def fact(clause: Clause) -> str | None:
    """Match "this project uses", "our CI runs on", "the docs are in"."""
    if _has_context(clause):
        return None
    found = begins(
        rf"(?P<subj>(?:this|the|our|my) (?:[\w\u01c0/-]+ ){{0,3}}?{_NOUNS}"
        rf"|production|staging"
        r"|(?:unit|integration|e2e|end-to-end|ui) tests|our (?:[\w-]+ "
        r"){0,2}[\w-]+)(?: (?:in|of|for|on) [\w\u01c0/-]+)? (?:(?:currently|now|also"
        r"|only|all|itself|mainly|mostly) )*"
        rf"(?P<m>{_VERBS}) (?P<rest>.+)",
        clause.text,
    )
    if found and _is_stable(found, clause):
        return f"fact: {found['m']}"
    named = begins(
        r"(?:the|our) (?:default|main|primary|production|staging|release|integration) "
        r"(?:branch|language|locale|database|region|domain|license|licence"
        r"|registry|queue"
        rf"|cluster|host|time ?zone|editor|target|shell|runtime) is "
        rf"(?!{_STATES})[\w\u01c0.-]+[.!]*$",
        clause.text,
    )
    if named:
        return "fact: is"
    kept = begins(
        r"(?!(?:the|this|that|it|these|those|they|he|she|i|you|there)\b)[\w -]{3,40}"
        r" (?P<m>lives?|resides?|(?:is|are) (?:stored|kept|hosted|generated|deployed))"
        r" (?:in|on|at|under|by|from) \S",
        clause.text,
    )
    return f"fact: {kept['m']}" if kept else None


def _has_context(clause: Clause) -> bool:
    """Say whether a statement is part of a story or a doubt."""
    at, _ = words.skip_openers(clause.before, 0)
    told = clause.before[at:].strip(" ,:;-")
    return (
        (told != "" and not begins(r".*[.!:]\s*$", clause.before) and not _opens(told))
        or has(words.HEDGE, clause.text)
        or has(r"\b(?:was|were|had|used to|until|but)\b", clause.text)
    )


def _opens(told: str) -> bool:
    """Say whether what stands before is only an opener at its end."""
    return begins(r"(?:by the way|fyi|note|also|thanks|context|btw)$", told) is not None


_MOVES = (
    r"(?:runs?|goe?s?|comes?|lives?|sits?|resides?|listens|reads?|writes?|builds"
    r"|deploys?|ships)$"
)
# What a machine runs; "the job runs nightly" says less.
_RUNS = (
    r"^(?:ubuntu|debian|linux|windows|macos|alpine|centos|fedora|rhel|nixos|nginx"
    r"|apache|caddy|postgres\w*|mysql|redis|kubernetes|docker|node|python|java|go|php"
    r"|ruby)\b"
)
_WHERE = (
    r"\b(?:on|in|at|under|with|via|from|to|behind|through|as|against|inside|every)\b"
)


def _is_stable(found: re.Match[str], clause: Clause) -> bool:
    rest, verb, subject = found["rest"], found["m"], found["subj"]
    if has(
        r"\b(?:wrong|broken|missing|outdated|successfully|fine|locally|not|above|below"
        r"|attached|attachment|screenshot|message|downloads|clipboard)\b",
        rest,
    ):
        return False
    if not is_concrete(rest) or begins(_STATES, rest) or has(words.CULPRIT, subject):
        return False
    whole = begins(rf"(?:this|the|our) (?:[\w-]+ )?{words.PROJECT}$", subject)
    theirs = begins(r"(?:this|the) ", subject) and not whole
    if verb in ("is", "are"):
        adverbs = (
            r"(?:(?:currently|now|also|all|mainly|entirely|fully|mostly|just|only) )*"
        )
        bare = begins(r"the\b(?! \w+ \w+)", rest)
        return begins(f"{adverbs}(?:{_PLACED})", rest) is not None and not bare
    if begins(r"(?:needs?|requires?)$", verb):
        wish = (
            r"(?:an?|the|to|more|some|new|your|my|better|work|love|attention|cleanup"
            r"|tests|docs|improvements?|\w+ing)\b"
        )
        sober = not theirs or has(r"\b(?:tests?|builds?|server|service|app)$", subject)
        return sober and not begins(wish, rest)
    if begins(_MOVES, verb):
        event = (
            r"\b(?:twice|when|whenever|for ?ever|into|out of|without|every push|fine)\b"
        )
        return has(f"{_WHERE}|{_RUNS}", rest) and not has(event, rest)
    part = has(words.PART, subject) or has(r"s$", subject)
    return not theirs or (part and not clause.setting.task)


_DOES = (
    r"(?:use|deploy|host|run|ship|build|test|store|manage|target|support|release"
    r"|publish|monitor|track|develop|write|rely on|depend on|serve|sell)"
)


def we_do(clause: Clause) -> str | None:
    """Match "we use X", "we deploy with X"."""
    if _has_context(clause):
        return None
    found = begins(
        rf"we (?:(?:currently|mostly|mainly|all|also|now) )*(?P<m>{_DOES}) "
        rf"(?P<rest>.+)",
        clause.text,
    )
    if not found or not is_concrete(found["rest"]):
        return None
    rest = found["rest"]
    if begins(r"(?:out of|into|the same)\b|\w+ to (?:get|check|see|do)\b", rest):
        return None
    if has(r"\b(?:when it|here|wrongly|by mistake|too (?:much|many|often))\b", rest):
        return None
    named = begins(
        r"(?:use|host|target|support|develop|rely on|depend on|sell)$", found["m"]
    )
    return f"fact: {found['m']}" if named or has(_WHERE + r"|\busing\b", rest) else None


FACTS: tuple[Rule, ...] = (fact, we_do)
