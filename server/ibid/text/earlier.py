"""What a prompt wants of the past: earlier work (G1), or nothing at all (G2)."""

from __future__ import annotations

import re
from functools import lru_cache

from ibid.text.view import HAN, view_of

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
    if _english().search(view):
        return True
    return HAN.search(view) is not None and _chinese().search(view) is not None


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


@lru_cache(maxsize=1)
def _english() -> re.Pattern[str]:
    gap = r"(?:[^.!?\n]{0,80}?\s)??"
    return re.compile(
        # What did we decide, how did you fix, why did we choose, have we seen.
        rf"\b(?:what|which|how|why|where|when|who|whether) [^.!?\n]{{0,40}}?\b(?:did"
        rf"|had|have) {_WE_DID}\b|\b(?:what|how|which|why) (?:did|have) {_WE} "
        rf"[^.!?\n]{{0,60}}{_THEN}\b|\b(?:what|which|how|why|where|when) "
        rf"[^.!?\n]{{0,30}}?\bwere {_WE} (?:working"
        r"|doing|trying|talking|saying|up to)\b|\b(?:what|which|how|why|the) "
        r"[^.!?\n]{0,40}?\b(?:we|you)(?:'d| had)? (?:decided|agreed|settled|discussed"
        r"|concluded|fixed|solved|ended up|talked|dropped|chose|moved|came up)\b"
        rf"|^(?:and |so |ok |but )?(?:did|have|had|didn't|haven't) {_WE_DID}\b"
        # Someone did it, and when.
        rf"|\b(?:we|you|claude|codex)(?:'ve|'d| have| had)? (?:already |just |also "
        rf")?(?:{_DID}|tried|did|saw|wrote|made|used|added|built|worked|started|had"
        rf"|been through|seen|done)\b{gap}{_THEN}\b|\bi(?:'ve|'d| have| had)? "
        rf"(?:already |just )?(?:told|asked|said|mentioned|explained|gave"
        rf"|wanted)\b{gap}{_THEN}\b"
        r"|\b(?:yesterday|last (?:time|week|month|session|night|friday|monday)"
        r"|earlier(?: today)?|previously|the other day|(?:a few|two|three|some"
        r"|several) \w+ ago),? (?:when )?(?:we|you)(?:'d| had)? (?!can|could|should"
        r"|must|need|want|will|are|have)\w+"
        # As we discussed, per our discussion, like last time.
        rf"|\b(?:as|like) {_WE}(?:'ve|'d| have| had)? (?:already |just |once "
        rf")?(?:discussed|agreed|decided|said|told|mentioned|planned|talked|did"
        rf"|described|explained|suggested)\b"
        r"|\bas (?:discussed|agreed|decided|mentioned|planned|said)(?: (?:before"
        r"|earlier|above|yesterday|previously|last \w+))?(?=[,.!:]|$)|\b(?:per"
        r"|following|from|after|according to) our (?:earlier |last |previous "
        r")?(?:discussion|conversation|talk|chat|agreement|decision|last)\b|\b(?:like"
        r"|as|same (?:way|as|thing)[^.!?\n]{0,20}) last time\b"
        r"|\bsame(?: \w+)? as (?:last time"
        r"|before|yesterday)\b"
        rf"|\b(?:in|from|during|since|of|to|as in|about) (?:{_TALK}|that session"
        rf"|another session)\b"
        r"|\b(?:our|your|my) (?:last|previous|earlier|prior) (?:session|conversation"
        r"|chat|discussion|decision|plan|attempt|approach|solution|answer|suggestion"
        r"|idea|fix)\b"
        # Memory itself.
        r"|(?:^|[.!?,] |please )(?:remember|recall) (?:(?:our|the) (?:decision"
        r"|discussion|conversation|agreement|plan)) (?:on|about|for|to|of|with|from)\b"
        rf"|\b(?:do you |you )?(?:still )?(?:remember|recall) (?:when|how|what|why"
        rf"|where|that time|the (?:time|fix|plan|decision|discussion|bug|issue"
        rf"|session)|our|which)\b(?! the user)[^.!?\n]{{0,60}}\b(?:we|you|i|our|was"
        rf"|were)\b"
        r"|^(?:do|can|could) you (?:still )?(?:remember|recall) (?!to\b)|(?:^|[.!?,] "
        r"|please |could you |can you )remind me (?:what|how|why|which|where|when"
        r"|again|of (?:what|the|our))\b|\b(?:pick|continue|carry on|resume"
        r"|start)\w*(?: up)?(?: from)? where (?:we|you|i) (?:left|stopped)\b|\bwhat "
        r"(?:we|you|i) (?:talked|were|had been|discussed|decided|agreed|did|changed)\b"
        r"|\b(?:we've|we have|i've|i have) (?:been through|seen|had|discussed|talked "
        r"about) (?:this|that|it)\b"
        rf"|\bwhat was (?:the|our) (?:reason|decision|conclusion|plan|fix|outcome"
        rf"|result|solution|verdict)\b(?:[^.!?\n]{{0,60}}\b{_WE}\b"
        rf"|[^.!?\n]{{0,60}}\b(?:yesterday|last|earlier|before|previous))|\b(?:the"
        rf"|that) [^.!?\n]{{1,40}}? {_WE} (?:fixed|solved|decided|changed|made"
        rf"|discussed|added|removed|wrote|built) (?:on \w+day|yesterday|last \w+"
        rf"|earlier|before|previously)\b"
        r"|\blast (?:week|month|time|session|friday|monday|night) (?:we|you)\b"
        r"|\bcontinue (?:with )?(?:yesterday|last (?:session|week|time))('s)?\b"
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
    if _empty_dense().fullmatch(text):
        return True
    words = text.split()
    return len(words) <= 12 and all(
        word in _EMPTY_WORDS
        or (len(word) == 1 and word.isascii())
        or word.isdigit()
        or _empty_dense().fullmatch(word) is not None
        for word in words
    )
