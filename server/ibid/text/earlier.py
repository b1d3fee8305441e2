"""What a prompt wants of the past: earlier work (G1), or nothing at all (G2)."""

from __future__ import annotations

import re
from functools import lru_cache

from ibid.text.view import view_of

# Only the beginning of a long prompt says what it wants; the rest is pasted.
_READ = 4000


def asks_about_earlier_work(prompt: str) -> bool:
    """Say whether ``prompt`` asks about what was said or done before, in EN or ZH.

    It needs a person (*we*, *you*, *I*) who did something, or a conversation, together
    with a time that is over; words that only look like it (the previous sibling, git
    history, before committing) do not count.  Rule: G1.

    >>> asks_about_earlier_work("what did we decide yesterday")
    True
    >>> asks_about_earlier_work("use the previous sibling selector")
    False
    """
    view = re.sub(r"`[^`\n]*`", " ", view_of(prompt[:_READ]))
    for signs, pattern in _ENGLISH:
        if any(sign in view for sign in signs) and _compiled(pattern).search(view):
            return True
    if view.isascii():
        return False
    from ibid.text.view import HAN

    return HAN.search(view) is not None and _chinese().search(view) is not None


@lru_cache(maxsize=32)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_WE = r"(?:we|you|i|u|claude|codex|gemini|copilot)"
# What is done together, or by an agent for a person.
_DID = (
    r"(?:decided?|agreed?|discuss(?:ed)?|fix(?:ed)?|solved?|said|say|tell|told"
    r"|ask(?:ed)?|mention(?:ed)?|suggest(?:ed)?|concluded?|changed?|choose|chosen?"
    r"|pick(?:ed)?|drop(?:ped)?|talk(?:ed)?|settled?|plan(?:ned)?|moved?|removed?|end "
    r"up|ended|propose[d]?|recommend(?:ed)?|refactor(?:ed)?|handled?|debug(?:ged)?"
    r"|come up|came up|figured?|revert(?:ed)?|implement(?:ed)?|explain(?:ed)?|leave"
    r"|left|go with|went)"
)
_WE_DID = (
    rf"(?:we (?:already |ever |even |not |n't )*(?:{_DID}|try|tried|see|seen|hit"
    rf"|use|used|do"
    r"|done|write|written|make|made|add|added|build|built|start|started|run|have"
    r"|had|set)"
    rf"|(?:you|u|claude|codex|gemini|copilot) (?:already |ever )*{_DID}"
    r"|i (?:already |ever )*(?:ask|asked|tell|told|say|said|mention|mentioned"
    r"|want|give))"
)
_THEN = (
    r"(?:yesterday|last (?:time|week|month|year|night|session|conversation|chat|friday"
    r"|monday|tuesday|wednesday|thursday|saturday|sunday|sprint)|earlier(?: today)?"
    r"|(?:a few|some|two|three|several|many|a couple of) (?:days|weeks|months"
    r"|sessions) ago|the other day|on (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|previously|before|in the past|back then|this morning|a while (?:ago|back)|once "
    r"before|already)"
)
# A conversation that is over.
_TALK = (
    r"(?:(?:our|your|my|that|the|a) )?(?:last|previous|earlier|prior|former|old|past)"
    r" (?:session|conversation|chat|discussion|talk|thread|meeting)s?"
)


_GAP = r"(?:[^.!?\n]{0,80}?\s)??"
_ASKS = r"\b(?:what|which|how|why|where|when|who|whether)"
_AGREED = (
    r"(?:discussed|agreed|decided|said|told|mentioned|planned|talked|did|described"
    r"|explained|suggested)"
)

# Each pattern is compiled only if one of its signs occurs: hooks start anew each time.
_ENGLISH: tuple[tuple[tuple[str, ...], str], ...] = (
    # What did we decide, how did you fix, have we seen.
    (
        ("did", "had", "have"),
        rf"{_ASKS} [^.!?\n]{{0,40}}?\b(?:did|had|have) {_WE_DID}\b"
        rf"|{_ASKS} (?:did|have) {_WE} [^.!?\n]{{0,60}}{_THEN}\b"
        rf"|^(?:and |so |ok |but )?(?:did|have|had|didn't|haven't) {_WE_DID}\b",
    ),
    # Which name we settled on, what were we working on.
    (
        (
            "decided",
            "agreed",
            "settled",
            "discussed",
            "concluded",
            "fixed",
            "solved",
            "ended up",
            "talked",
            "dropped",
            "chose",
            "moved",
            "came up",
        ),
        r"\b(?:what|which|how|why|the) [^.!?\n]{0,40}?\b(?:we|you)(?:'d| had)?"
        r" (?:decided|agreed|settled|discussed|concluded|fixed|solved|ended up|talked"
        r"|dropped|chose|moved|came up)\b",
    ),
    (
        ("were ", "was ", "what we", "what you", "what i"),
        rf"{_ASKS} [^.!?\n]{{0,30}}?\bwere {_WE} (?:working|doing|trying|talking|saying"
        r"|up to)\b|\bwhat (?:we|you|i) (?:talked|were|had been|discussed|decided"
        r"|agreed|did|changed)\b"
        r"|\bwhat was (?:the|our) (?:reason|decision|conclusion|plan|fix|outcome"
        r"|result|solution|verdict)\b[^.!?\n]{0,60}"
        rf"\b(?:{_WE}|yesterday|last|earlier|before|previous)\b",
    ),
    # Someone did it, and when.
    (
        (
            "yesterday",
            "last ",
            "earlier",
            "ago",
            "the other day",
            "on ",
            "previously",
            "before",
            "in the past",
            "back then",
            "this morning",
            "a while",
            "already",
        ),
        r"\b(?:we|you|claude|codex)(?:'ve|'d| have| had)? (?:already |just |also )?"
        rf"(?:{_DID}|tried|did|saw|wrote|made|used|added|built|worked|started|had"
        rf"|been through|seen|done)\b{_GAP}{_THEN}\b"
        r"|\bi(?:'ve|'d| have| had)? (?:already |just )?(?:told|asked|said|mentioned"
        rf"|explained|gave|wanted)\b{_GAP}{_THEN}\b"
        rf"|\b(?:the|that) [^.!?\n]{{1,40}}? {_WE} (?:fixed|solved|decided|changed|made"
        r"|discussed|added|removed|wrote|built) (?:on \w+day|yesterday|last \w+"
        r"|earlier|before|previously)\b",
    ),
    (
        ("yesterday", "last ", "earlier", "ago", "the other day", "previously"),
        r"\b(?:yesterday|last (?:time|week|month|session|night|friday|monday)|earlier"
        r"(?: today)?|previously|the other day|(?:a few|two|three|some|several) \w+"
        r" ago),? (?:when )?(?:we|you)(?:'d| had)?"
        r" (?!can|could|should|must|need|want|will|are|have)\w+"
        r"|\b(?:like|as|same (?:way|as|thing)[^.!?\n]{0,20}) last time\b"
        r"|\bcontinue (?:with )?(?:yesterday|last (?:session|week|time))\b",
    ),
    # As we discussed, per our discussion, same as before.
    (
        ("as ", "like ", " our "),
        rf"\b(?:as|like) {_WE}(?:'ve|'d| have| had)? (?:already |just |once )?"
        rf"{_AGREED}\b|\bas (?:discussed|agreed|decided|mentioned|planned|said)"
        r"(?: (?:before|earlier|above|yesterday|previously|last \w+))?(?=[,.!:]|$)"
        r"|\b(?:per|following|from|after|according to) our (?:earlier |last "
        r"|previous )?"
        r"(?:discussion|conversation|talk|chat|agreement|decision|last)\b"
        r"|\bsame(?: \w+)? as (?:last time|before|yesterday)\b",
    ),
    # A conversation or an attempt that is over.
    (
        (
            "last ",
            "previous",
            "earlier",
            "prior",
            "former",
            "old ",
            "past ",
            "that session",
            "another session",
        ),
        r"\b(?:in|from|during|since|of|to|as in|about) "
        rf"(?:{_TALK}|that session|another session)\b"
        r"|\b(?:our|your|my) (?:last|previous|earlier|prior) (?:session|conversation"
        r"|chat|discussion|decision|plan|attempt|approach|solution|answer|suggestion"
        r"|idea|fix)\b",
    ),
    # Memory itself.
    (
        ("remember", "recall", "remind me"),
        r"(?:^|[.!?,] |please )(?:remember|recall) (?:our|the) (?:decision|discussion"
        r"|conversation|agreement|plan) (?:on|about|for|to|of|with|from)\b"
        r"|\b(?:remember|recall) (?:when|how|what|why|where|that time|our|which"
        r"|the (?:time|fix|plan|decision|discussion|bug|issue|session))\b(?! the user)"
        r"[^.!?\n]{0,60}\b(?:we|you|i|our|was|were)\b"
        r"|^(?:do|can|could) you (?:still )?(?:remember|recall) (?!to\b)"
        r"|(?:^|[.!?,] |please |could you |can you )remind me (?:what|how|why|which"
        r"|where|when|again|of (?:what|the|our))\b",
    ),
    (
        (" left", " stopped", "been through", "i've ", "we've ", " have "),
        r"\b(?:pick|continue|carry on|resume|start|go on)\w*(?: up)?(?: from)?"
        r" where (?:we|you|i) (?:left|stopped)\b"
        r"|\b(?:we've|we have|i've|i have) (?:been through|seen|had|discussed"
        r"|talked about) (?:this|that|it)\b",
    ),
)


_ZH_THEN = (
    "上次|上回|上周|上个?(?:礼拜|星期|月|会话|对话)|之前|以前(?!端)|先前|昨天|前天"
    "|前几天|前两天|前些天|刚才|刚刚|早些时候|早上|那天|当时|当初|过去|曾经"
)
_ZH_DID = (
    "说|讲|提|讨论|聊|谈|商量|决定|约定|定|改|修|解决|处理|做|写|用|试|选|问|结论"
    "|方案|怎么|为什么|遇到|碰到|完成|工作|记|加|删|踩|实现|建议|给|计划|思路"
    "|设计|会话|对话"
)


@lru_cache(maxsize=1)
def _chinese() -> re.Pattern[str]:
    person = "(?:我们|咱们|咱|我|你|您)"
    return re.compile(
        # A person did something then; the past stands near its act.
        f"{person}[^,。!?;\n]{{0,8}}(?:{_ZH_THEN})[^。!?;\n]{{0,16}}(?:{_ZH_DID})"
        f"|(?:{_ZH_THEN}){person}[^。!?;\n]{{0,16}}(?:{_ZH_DID})"
        # The result of it, without a person: 上次是怎么修的, 先前的结论.
        "|(?:上次|上回|上个?(?:礼拜|星期)|先前|昨天|前几天|刚才|刚刚|之前|当时"
        "|前天)(?:是|都|还|又)?"
        "(?:怎么|如何|为什么|说|讲|提到|讨论|聊|谈|商量|决定|约定|修|改的|解决)"
        "|(?:上次|上回|先前|昨天|刚才|刚刚|之前|前几天|当时|上一次)(?:说|提|讨论"
        "|聊|谈|决定|商量|给|定|约定|做|用|写)?(?:好|过|到|下来)?的"
        "(?:那个?|这个?)?(?:结论|方案|决定|讨论|设计|思路|计划|建议|问题|会话"
        "|对话|约定|原因|工作|做法|说法|修法|解法|答案|内容|步骤)"
        "|(?:上次|上回|昨天|之前|先前|刚才)(?:的|那个?|这个?)[^。!?;\n]{0,10}(?:后来)?"
        "(?:怎么|如何)(?:修|解决|处理|改|弄|搞定)"
        "|(?:上次|上回|先前|昨天|刚才|刚刚)(?:那个?|这个?)(?:结论|方案|决定|讨论"
        "|思路|建议)"
        "|(?:接着|继续|按照?|照着|延续|沿用|像|跟|和|同)(?:着)?(?:上次|昨天|之前"
        "|先前|刚才|上回|以前)"
        "|(?:还)?记得(?:吗|我们|你|上次|之前|当时|那个|那次|.{0,12}(?:吗|是怎么|怎么))"
        f"|(?:{_ZH_THEN})[^。!?;\n]{{0,10}}(?:过)[^。!?;\n]{{0,12}}(?:吗|没有|没|么)"
        f"|(?:以前|之前|先前|曾经)(?:遇到|碰到|讨论|见|试|说|问|修|改|用|做|提"
        f"|决定|写)过"
        "|原话是|你说过|我说过|我们说过|我们讨论过|我们定过|你改过|你修过"
        "|上次(?:会话|对话)|上一(?:次|个)(?:会话|对话)"
    )


# -- prompts without content ---------------------------------------------------


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_EMPTY_WORDS = _set(
    "a afternoon again agreed ah ahead all alright always and any anyway are as"
    " awesome aye back bad both bravo brilliant bye can carry cheers ciao clap"
    " claude clear codex confirm confirmed continue cool copilot correct course da"
    " danke do doing done evening exactly excellent fair false fantastic fine first"
    " for forward free from fuck gemini get getting gg go going good got gotcha"
    " gracias great ha haha hallo hello hey hi hm hmm hmmm hold i'm idea indeed is"
    " is's it it's item ja job just k keep kk kudos last let let's lgtm like lol"
    " looking looks lot lovely makes many maybe me merci mind moment more morning"
    " much n na nah neat nein never nevermind next nice no nope not now np of off oh"
    " ok okay okey on one ones option other oui perfect please pls plz pro proceed"
    " question quick r ready really resume retry right salut say sec second sense si"
    " so sorry sounds start step steps still stop super sure thank thanks that"
    " that's thats the them then there these they third this thx to too true try ty"
    " u uh uhh um very wait way we well what whatever will work worked works worries"
    " would wow x y ya yay yea yeah yep yes yess yo you your yours yup"
)
_EMPTY_ZH = (
    "继续(?:吧|做|下去|干|执行)?|好(?:的|吧|了|啊|呀|哒|滴|嘞|极了)?|可以(?:的|了|吗)?"
    "|行(?:吧|的|了|啊)?|嗯+|哦+|啊+|是(?:的|啊|呀)?|对(?:的|啊|呀|了)?|没错|没问题"
    "|不(?:用|要|行|是|对|可以|必)?(?:了|的)?|谢+谢?(?:你|您|啦|了)?|多谢|感谢"
    "|辛苦(?:了|你了)?|收到|明白(?:了)?|知道了|了解|懂了|开始(?:吧)?|再(?:来"
    "|试)(?:一次|一遍|试)?|重(?:试|来)|下一(?:步|个)|停(?:下|止)?|等(?:等|一下|下)|请"
    "|麻烦(?:你)?(?:了)?|你好|您好|哈+|嘿+|哇+|棒|赞|太(?:好|棒)(?:了)?|很好|不错|完美"
    "|厉害|同意|确认|通过|执行|动手吧|干吧|来吧|就这样(?:吧)?|先这样(?:吧)?|ok|好好"
    "|一样|都(?:可以|行|要)|随(?:便|你)|没事(?:了)?|算了|别|吧|了|的|那|就|嗯嗯"
    "|早(?:上好)?|晚安|再见|拜拜"
)
_EMPTY_OTHER = (
    "はい|いいえ|うん|そう(?:です)?|ok|お願い(?:します)?|続けて(?:ください)?"
    "|ありがとう(?:ございます)?|네|예|아니요|계속|감사합니다|да|нет|ок|спасибо"
    "|продолжай|давай|дальше|хорошо"
)


@lru_cache(maxsize=1)
def _empty_dense() -> re.Pattern[str]:
    # Atomic, so that a long run of one word cannot be taken apart in many ways.
    return re.compile(f"(?:(?>{_EMPTY_ZH}|{_EMPTY_OTHER})[\\s,.。!?~、…]*+)++")


def is_contentless(prompt: str) -> bool:
    """Say whether ``prompt`` says nothing to search for: "ok", 继续, an emoji (G2).

    A single letter or number is an answer to a question, and a bare command such as
    ``/clear`` is for the host.

    >>> is_contentless("Yes please!"), is_contentless("fix the parser")
    (True, False)
    """
    if len(prompt) > 200:
        return not prompt.strip()
    view = view_of(prompt)
    if re.fullmatch(r"\s*/[\w-]+\s*", view):
        return True
    if re.search(r"[#/\\@`$_]|\w\.\w", view):
        return False
    text = re.sub(r"[^\w\s']", " ", view).strip()
    text = re.sub(r"\s'|'\s|_", " ", text)
    if not text:
        return True
    words = text.split()
    return _is_empty(text) or (len(words) <= 12 and all(map(_is_empty, words)))


def _is_empty(word: str) -> bool:
    if word.isascii():
        return word in _EMPTY_WORDS or len(word) == 1 or word.isdigit()
    return word.isdigit() or _empty_dense().fullmatch(word) is not None
