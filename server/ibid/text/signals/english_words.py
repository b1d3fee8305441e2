"""The words of the English grammar, and the guards that speak against a signal (B5).

Every guard reads a view (`ibid.text.grammar`) and answers with a truth value; the rules
that ask them stand in `ibid.text.signals_en`.
"""

from __future__ import annotations

import re
from functools import cache

# Acts on a repository: a prohibition of them outlives the task.
CONDUCT = (
    r"(?:commit|push|force-?push|merge|rebase|squash|amend|edit|modify|touch|change"
    r"|rename|delete|remove|drop|log|deploy|publish|release|ship|reformat|hard-?code"
    r"|mock|skip|disable|bypass|import|depend|rely|store|expose|tag|bump|check in"
    r"|cherry-?pick|overwrite|rewrite|swallow|suppress|ignore|leak|share|send|move"
    r"|introduce|break|downgrade|upgrade|install|vendor|pin|stash|reset|revert)"
)

# Verbs that ask for work on the spot.
TASK = (
    r"(?:fix|add|implement|refactor|write|update|create|look|check|run|rerun|open"
    r"|rename|remove|delete|move|explain|show|build|make|generate|find|investigate"
    r"|debug|review|rewrite|convert|migrate|port|upgrade|bump|install|try|test"
    r"|continue|read|start|stop|change|replace|extract|split|merge|commit|push|deploy"
    r"|clean|help|tell|give|list|summari[sz]e|document|improve|optimi[sz]e|execute"
    r"|finish|complete|apply|analy[sz]e|compare|design|draft|translate|draw|print"
    r"|restart|revert|undo|redo|inspect|search|grep|set up|setup|configure|adjust"
    r"|tweak|simplify|polish|handle|resolve|close|reopen|download|upload|copy|paste"
    r"|put|insert|append|prepare|plan|research|verify|validate|ensure|render|display"
    r"|scaffold|wire|hook|integrate|think|consider|please|go|do(?! keep| remember| "
    r"note)|see|take|use|proceed|switch|enable|disable|ask|work|drop)"
)
CREATE = (
    r"(?:write|create|build|implement|add|generate|make|design|draft|develop|scaffold"
    r"|code|prototype|introduce|compose)"
)
DETERMINER = (
    r"(?:a|an|the|this|that|these|those|my|our|your|its|his|her|their|some|all|both|any"
    r"|another|one|two|three|four|five|it|them|me|us|out|up|into|through|over|for|to|at"
    r"|on|off|with|from|in|now|again|please|new|more|also|back|whether|why|how|what"
    r"|where|which|everything|if|that|\d+|\u01c0+)"
)

# What points at something that nobody sees any more in a month.
POINTER = (
    r"(?:it|this|that|these|those|them|him|her|he|she|me|us|so|(?:anything|everything"
    r"|something|nothing)(?! (?:in|under|from|inside|outside|below) )|anyone|any more"
    r"|anymore|too|mine|yours|like (?:this|that)|what|how|the way|(?:one|ones|both"
    r"|either|neither|now|more|there|here|else|again|yet)(?=\s*(?:[.,;!]|$|instead))"
    r"|the (?:first|second|third|fourth|last|other|latter|former|old|new|same|next"
    r"|rest|previous|above|below|following|one|ones|opposite"
    r"|original)\b|the (?:current|existing) (?:one|file|version|approach|code|branch"
    r"|setup|solution|state)\b|(?:option|plan|approach|variant|version|solution|choice|number|step"
    r"|design)\s+[\w\u01c0]{1,3}(?=[\s.,!;]|$)|your (?:recommendation|suggestion|plan"
    r"|idea|approach|proposal|version|call))"
)
# This project, and what belongs to all of it, is no pointer.
PROJECT = (
    r"(?:project|repo|repository|codebase|code ?base|monorepo|app|application|service"
    r"|product|library|package|team|workspace|website|site|system|platform|org"
    r"|organi[sz]ation|company|plugin|extension|server|client|tool|api|game)"
)

# The moment, not the project.
MOMENT = (
    r"\b(?:for now|for the moment|for the time being|right now|this time|just once|at "
    r"the moment|in the meantime|meanwhile|temporarily|today|tonight|tomorrow|this "
    r"(?:morning|afternoon|evening|week|once|step|round|iteration)|yet|(?:for|in|on"
    r"|with|within|during) this (?:one|pr|pull request|task|change|commit|fix|file"
    r"|session|request|feature|branch|turn|ticket|issue|test|function|method|class"
    r"|step|prompt|question|refactor|refactoring|migration|case|run|part|section|line"
    r"|job|exercise|round|pass)|until (?:i|we|you|it|that|then|the|this|tomorrow"
    r"|monday|told)|before i\b|after i\b|(?:on|in|at|from) lines? \d+|first thing"
    r"|when (?:you're|you are) (?:done|finished)|(?:once|when|after|until) (?:it|that"
    r"|this)(?:'s| is)? (?:done|finished|works|ready)|(?<!from )now[.!]*$|as (?:above"
    r"|below|shown|in the (?:screenshot|image|example)))\b"
)

HEDGE = (
    r"\b(?:maybe|perhaps|probably|possibly|presumably|apparently|hopefully|arguably"
    r"|supposedly|i (?:think|guess|believe|suppose|assume|wonder|hope|feel|imagine|bet"
    r"|doubt|suspect|perceive|notice|noticed|realize|realise|understand|see"
    r"|thought|heard|am not sure|don't think|seem)|not (?:so )?sure|unsure"
    r"|not certain|seems?|looks? like|might|could|if i (?:recall|remember)|iirc|afaik"
    r"|i'm (?:asking|wondering|guessing|assuming|not)|we may\b|it may\b|or not"
    r"|somehow)\b"
)

REPORT = (
    r"\b(?:says?|said|states?|stated|claims?|claimed|tells?|told|mentions?|mentioned"
    r"|suggests?|suggested|recommends?|recommended|complains?|complained|reports?"
    r"|reported|insists?|insisted|according to|reads|wrote|thinks?|thought|believes?"
    r"|warns?|warned|argues?|argued|wants?|requires?|expects?|documented|prints?"
    r"|asked|asks|heard|read|he|she|they)\b"
)
OWN_REPORT = (
    r"\b(?:i|we)(?:'ve| have)?(?: already| always| just)? (?:said|told|mentioned)\b"
)

NEGATED = (
    r"(?:\b(?:don'?t|do not|doesn't|does not|needn't|need not|didn't|did not|haven't"
    r"|have not|hasn't|has not|isn't|is not|aren't|are not|wasn't|wouldn't|won't"
    r"|can't|cannot|never|not)\b[^,;:]{0,20}|\bno (?:need|reason|rule)\b[^,;:]{0,20}"
    r"|\bnot (?:a|the|that|because|necessarily|required|necessary)\b[^,;:]{0,30})$"
)

EMBEDS = (
    r"\b(?:why|how|what|which|who|where|whether|explain|describe|figure out|find out"
    r"|tell me|show me|check (?:if|that|whether)|see (?:if|that)|understand|wondering"
    r"|know|remember (?:when|how)|question|curious|discuss|asking)\b"
)

# Guesses at a cause: "must be" of these obliges nobody.
CULPRIT = (
    r"\b(?:bug|problem|issue|error|culprit|cause|reason|crash|failure|leak|answer"
    r"|explanation|difference|mistake|regression|reason|thing|something|someone"
    r"|somebody|somewhere|anything)\b"
)
GUESS = (
    r"\s+(?:have\s+(?:already\s+|just\s+|somehow\s+)?(?:been|had|gone|got|gotten|done"
    r"|run|broken|become|come|made|left|lost|set|put|seen|changed|known|taken|given"
    r"|forgotten|written|\w+ed)\b|be\s+(?:a (?:bug|problem|typo|race|timing|bad|wrong"
    r"|misunderstanding|mistake|leak|joke|coincidence|glitch|regression|cache|caching)"
    r"|an (?:issue|error|old|off)|the (?:only|first|last|cause|reason|culprit|problem"
    r"|issue|cache|case|same|old|wrong|one|bug)|(?:so|such|really|quite|very|pretty"
    r"|rather|too)\b|\w+ing|stale|broken|wrong|missing|down|corrupt(?:ed)?|off"
    r"|confused|outdated|out of|old|somewhere|something|some|someone|kidding|joking"
    r"|right|mistaken|tired|nice|sure|crazy|blind|stuck|hard|difficult|easy|fun|great"
    r"|leaking|failing|hanging|running|caching|using|getting|doing|missing|coming"
    r"|happening|looking|throwing|trying|causing|wondering|lying|going|cached"
    r"|overloaded|misconfigured|full|dead|here|there|about|because|due|from|why|how"
    r"|what)\b|(?:admit|confess|say|apologi[sz]e|seem|love|enjoy|like|hate|mean|really"
    r"|think|wonder|know|feel|lie)\b)"
)

# What programs do to people: reports, whatever adverb stands with it.
FAILS = (
    r"\b(?:fail|fails|failed|failing|crash|crashes|crashed|hang|hangs|hung|break|breaks"
    r"|broke|broken|time out|times out|timed out|timing out|error|errors|throws?|threw"
    r"|returned|missing|wrong|red|flaky|slow|down|stuck|empty|null|undefined|lost|full"
    r"|skipped|ignored|forgotten|called|reached|executed|triggered|fired|invoked|hit"
    r"|rendered|loaded|updated|received|delivered|shown|displayed|closed|freed|released"
    r"|finished|finishes|cached|invalidated|refreshed|evaluated|resolved|late|happens?"
    r"|works?|worked|green|up|the same|true|false|there|here|zero|one|off|on|failing)\b"
)
# What people do to a repository, as participles.
DONE = (
    r"(?:committed|pushed|merged|rebased|squashed|amended|edited|modified|touched"
    r"|logged|stored|saved|written|kept|named|formatted|sorted|signed|versioned"
    r"|reviewed|tested|deployed|published|shared|exposed|hard-?coded|checked in"
    r"|deleted|renamed|reused|imported|mocked|patched|documented|tagged|pinned"
    r"|encrypted|hashed|escaped|quoted|squash-merged|built|generated|used|allowed"
    r"|added|run|done|prefixed|suffixed|lowercase|uppercase|lower-case|upper-case"
    r"|optional|reversible|idempotent|immutable|nullable|translated|validated|wrapped"
    r"|injected|passed|typed)\b"
)

PAST = (
    r"(?:got|had|did|was|were|saw|went|ran|came|knew|found|made|thought|said|told"
    r"|wrote|fixed|used to|worked|happened|noticed|tried|broke|built|kept|lost|met"
    r"|needed|took|wanted|[a-z]{2,}ed)\b"
)

STATIVE = (
    r"(?:support|keep|stay|remain|comply|be|preserve|maintain|follow|respect|carry"
    r"|contain|match|pass|include|conform|adhere|honou?r|live|start|end|have|avoid|use"
    r"|implement|declare|specify|return|expose|accept|fit|run)"
)

UNIVERSAL = (
    r"(?:all|every|each|any|nobody|no one|no(?= (?!need)\w)|none of|nothing|everything"
    r"|everyone|everybody|anyone|anybody|only)\b"
)

# What developers make: said of these, a weak marker is a habit of the project.
ARTEFACT = (
    r"\b(?:commits?|commit messages?|prs?|pull requests?|branch(?:es)?|tests?"
    r"|functions?|methods?|class(?:es)?|modules?|handlers?|migrations?|names?"
    r"|identifiers?|variables?|constants?|comments?|docstrings?|code|docs"
    r"|documentation|types?|interfaces?|fixtures?|snapshots?|dependenc(?:y|ies)"
    r"|imports?|exports?|endpoints?|services?|packages?|scripts?|configs?|secrets?"
    r"|quer(?:y|ies)|releases?|changelog|reviews?|refactors?|components?|hooks?"
    r"|repositor(?:y|ies)|controllers?|models?|tables?|columns?|schemas?|timestamps?"
    r"|errors?|exceptions?|logs?|(?:log|error) messages|feature flags?|env vars?|ids"
    r"|files?|folders?|directories|contributors?|developers?|agents?|maintainers?"
    r"|apis?|builds?|deploy(?:ment)?s?|pipelines?|jobs?|changes?|callers?|libraries"
    r"|crates?|patch(?:es)?|subjects?|routes?|views|controllers|workers?|migrations?"
    r"|signatures?|parameters?|arguments?|helpers?|macros?)$"
)
# Parts of the system that can still be found next month.
PART = (
    r"\b(?:api|apis|worker|workers|server|client|sdk|cli|schema|core|library|format"
    r"|lockfile|bundle|build|pipeline|service|scheduler|parser|compiler|engine"
    r"|database|db|cache|queue|broker|gateway|proxy|frontend|backend|front-end"
    r"|back-end|module|package|importer|exporter|ingester|codebase|code|repo"
    r"|repository|project|app|application|plugin|extension|kernel|firmware|protocol"
    r"|contract|interface|layer|infra|infrastructure|config|cluster|branch|main|trunk"
    r"|master|production|staging|ci|runtime|binary|container|image|ledger|store|index"
    r"|domain|domain model|model|component library|design system|monorepo|platform"
    r"|system|team|bot|agent|hook|toolchain|docs|documentation|changelog|readme|test "
    r"suite|suite)$"
)
# What is seen on a screen: a weak marker there is a wish for this task.
SCREEN = (
    r"\b(?:buttons?|icons?|avatars?|sidebar|panels?|modals?|dialogs?|tooltips?"
    r"|dropdowns?|menus?|header|footer|navbar|toolbar|cards?|badges?|headings?|titles?"
    r"|fonts?|colou?rs?|backgrounds?|borders?|margins?|padding|pixels?|px|hover"
    r"|clicks?|clicked|animations?|screens?|pages?|homepage|layout|logo|arrows?|cursor"
    r"|sliders?|checkbox(?:es)?|popups?|banners?|carousel|scrollbar|spinner|legend"
    r"|thumbnails?|player|scores?|enem(?:y|ies)|sprites?|aligned|line up|lined up"
    r"|overlaps?|centered|centred|blue"
    r"|red|green|bold|italic|spacing|width|height|scrolls?|toasts?|previews?|form "
    r"fields?|text box|snake|ball)\b"
)
SINGULAR_S = r"(?:ss|us|is|as|ys|ics|ness)$"

# Openers carry no meaning of their own and may precede any rule.
_OPENER = (
    r"(?:(?:ok|okay|k|so|and|but|or|also|oh|ah|hey|hi|hello|well|then|please|pls|plz"
    r"|yes|yeah|yep|no(?=[,.!])|nope|right|sure|actually|btw|by the way|fyi|nb|ps"
    r"|p\.s\.?|note that|note|remember(?: that| to(?= always| never))?|keep in "
    r"mind(?: that)?|bear in mind(?: that)?|important|importantly|one more thing"
    r"|another thing|additionally|furthermore|moreover|finally|first|firstly|second"
    r"|secondly|third|lastly|next(?! time)|in addition|plus|again|team|guys|folks"
    r"|claude|codex|copilot|gemini|as a rule|in general|generally|just|thanks|thank "
    r"you|great|perfect|cool|nice|good|sorry|hm+|anyway|besides|really|while (?:you're"
    r"|you are|we're|we are)? ?at it|on (?:another|a related) note|for (?:the "
    r")?(?:next (?:time|ones?)|future)|next time|speaking of which|for (?:context|info"
    r"|information|reference|the record)|some context|context|quick note|quick "
    r"(?:reminder|heads[ -]?up)|heads[ -]?up|when in doubt|if in doubt|(?:if|where"
    r"|when|wherever|whenever) possible|unless otherwise noted|as for style|personally"
    r"|honestly|fwiw|imo|absolutely|reminder|as always|like i said|as i said|as i "
    r"told you|seriously|for the record|as a reminder|to be clear|to clarify|ever"
    r"|kindly|i repeat|rule|rules|basically|overall|as usual|listen|look|thing is|the "
    r"thing is|in short|(?:and )?i(?:'d| would)? (?:want|need|like|expect|ask)(?: "
    r"for)? (?:you|everyone|everybody|agents|us) to|(?:please )?you(?:'re| are) (?:to"
    r"|asked to|supposed to)|it(?:'s| is) (?:very |really |super )?(?:important"
    r"|crucial|essential|vital|critical|imperative|mandatory|necessary)(?: that(?: you"
    r"| we)?| to| for you to)?|feel free to|try to|let's just)(?![\w'-])[\s,:;.!—–-]*)"
)
_FRAME = (
    r"(?:from (?:now|here|today|this point|here on)(?: on| onwards?| out| forward)?"
    r"|going forwards?|moving forwards?|in (?:the )?future|henceforth|starting now"
    r"|from now on(?:wards)?|for all future \w+|at all times|as of now|in all cases"
    r"|under all circumstances)(?![\w'-])[\s,:;—–-]*"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def has(pattern: str, view: str) -> bool:
    """Say whether ``pattern`` occurs in ``view``."""
    return _compiled(pattern).search(view) is not None


def begins(pattern: str, view: str) -> re.Match[str] | None:
    """Return the match of ``pattern`` at the beginning of ``view``, or None."""
    return _compiled(pattern).match(view)


def skip_openers(view: str, at: int) -> tuple[int, bool]:
    """Return where the clause at ``at`` really begins, and whether a frame opens it.

    A frame is an adverbial such as ``from now on``: it makes a rule of any request.
    """
    framed = False
    while at < len(view) and view[at].isspace():
        at += 1
    while True:
        frame = _compiled(_FRAME).match(view, at)
        found = frame or _compiled(_OPENER).match(view, at)
        if not found or found.end() == at or found.end() >= len(view):
            return at, framed
        framed = framed or frame is not None
        at = found.end()


def is_question(view: str) -> bool:
    """Say whether a sentence asks, with or without a question mark.

    >>> is_question("should we always use tabs"), is_question("do not use tabs")
    (True, False)
    """
    tail = view.rstrip("\"'”’)]_ ")
    if tail.endswith("?") or "?" in view.rstrip(".! "):
        return True
    at, _ = skip_openers(view, 0)
    return (
        begins(_ASKS, view[at:]) is not None
        or has(_TAG, tail)
        or (begins(_ASKS, view) is not None)
    )


_ASKS = (
    r"(?:(?:can|could|would|will|should|shall|may|must|do|does|did|is|are|was|were|has"
    r"|have|had|am|isn't|aren't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't"
    r"|shouldn't|haven't|hasn't|wasn't) (?:i|you|we|it|he|she|they|this|that|these"
    r"|those|there|the|our|my|your|anyone|someone|somebody|people|users)\b|(?:is|are"
    r"|was|were|does|do|did|has|must|should|can) (?!not\b|n't|the same|never"
    r"|always)(?:[\w\u01c0-]+ ){1,4}(?:allowed|required|forbidden|mandatory|true|ok"
    r"|still|be|use|uses|have|need|in|on|there|here)\b|what(?!ever)\b|why\b|how\b"
    r"|which\b|who(?!ever)\b|whose\b|where(?!ver)\b|when (?:do|does|did|should|can"
    r"|will|is|are|must)\b|any (?:idea|reason|chance)\b|(?:i (?:wonder|was wondering)"
    r"|i'm (?:wondering|asking)|not sure|wondering|curious)\b|whether\b|tell me\b"
    r"|explain\b|show me\b)"
)
_TAG = (
    r"(?:,|-)\s*(?:right|no|ok|okay|correct|or not|don't we|isn't it|is it"
    r"|aren't they|yes)$"
)


def is_task(view: str) -> bool:
    """Say whether a sentence asks for work on the spot.

    >>> is_task("please fix the crash"), is_task("never crash")
    (True, False)
    """
    at, _ = skip_openers(view, 0)
    rest = view[at:]
    return bool(
        begins(rf"{TASK}(?:\s+{DETERMINER}\b|\s*[,.:!]|$)", rest)
        or (
            begins(rf"{TASK}\s+(?:[\w\u01c0/.'-]+\s+){{0,3}}(?:[\w\u01c0]+)", rest)
            and not begins(r"(?:use|ensure|make sure|go with|please)\b", rest)
            and not has(r"\b(?:must|should|always|never|is|are)\b", rest)
        )
        or begins(r"(?:can|could|would|will) you\b", rest)
        or has(r"\bi(?:'d like| would like| want| need) (?:you )?to\b", view)
        or begins(
            r"(?:we|you|i) (?:need|have|want|should|must) (?:to )?" + TASK + r"\b", rest
        )
    )


def is_creation(view: str) -> bool:
    """Say whether a sentence asks for something new to be made.

    >>> is_creation("implement login."), is_creation("build artifacts must be signed.")
    (True, False)
    """
    at, _ = skip_openers(view, 0)
    if begins(rf"{CREATE}\s+(?:me\s+)?{DETERMINER}\b", view[at:]):
        return True
    if begins(rf"{CREATE}\s+\w", view[at:]):
        return not has(r"\b(?:must|should|is|are|need|needs|have to|has to)\b", view)
    return has(
        rf"\b(?:you to|want to|can you|could you|need to|please|let's|help me|like to"
        rf"|we'll) {CREATE}\b|\b(?:i'm|i am|we're|we are) (?:build|mak|creat|writ"
        rf"|develop)ing\b",
        view,
    )


def is_concrete(words: str) -> bool:
    """Say whether ``words`` name something that a reader of next month will know.

    >>> is_concrete("generated files"), is_concrete("this file"), is_concrete("it")
    (True, False, False)
    """
    words = words.strip(" .!,;:-—–\"'()")
    if begins(rf"(?:this|the|our|that|these) (?:\w+ )?{PROJECT}\b", words):
        return True
    if begins(
        rf"(?:to |in |on |with |at |for |up |of |out |from )?{POINTER}(?!\w)", words
    ):
        return False
    return has(r"[^\W\d_]{2,}", words)


def tells_a_fault(view: str) -> bool:
    """Say whether a sentence calls what it tells a fault, or hands it on."""
    return has(
        r"\b(?:that's|that is|this is|which is|and it's) (?:(?:the|a|an|not) )?(?:bug"
        r"|problem|issue|weird|strange|odd|wrong|unexpected|annoying|bad|right"
        r"|intended)\b|\bmust\b.* wrong(?:ly)?[.!]*$|,\s*(?:says|said|reports"
        r"|complains|claims) \w+|\baccording to (?:the|this|that|its|an?) (?:error|log"
        r"|logs|compiler|docs|linter|message|stack|output|warning|trace|manual|book"
        r"|spec)\b|\b(?:somewhere|somehow)\b",
        view,
    )


def ends_in_a_request(view: str) -> bool:
    """Say whether a later clause asks for work on what an earlier one told.

    >>> ends_in_a_request("all buttons need a hover state, add it")
    True
    """
    return has(
        r"[,;.–—-]\s*(?:just |so |please |then |and |but |only )*(?:(?:fix|add|give"
        r"|tell|show|change|implement|update|remove|correct|handle|look|check"
        r"|investigate|make)\b[^,;]{0,40}\b(?:it|that|this|them|these|me|one)\b|(?:fix"
        r"|add|change|implement|update|correct|handle) (?:it|that|this|accordingly))",
        view,
    )
