"""The words of the Chinese grammar, and the guards that speak against a signal (B5).

Every guard reads a view (`ibid.text.view`): traditional characters are simplified ones,
full-width punctuation is half-width.
"""

from __future__ import annotations

import re
from functools import cache

from ibid.text.signals.grammar import Clause


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Return ``pattern`` compiled, once."""
    return re.compile(pattern)


def has(pattern: str, view: str) -> bool:
    """Say whether ``pattern`` occurs in ``view``."""
    return compiled(pattern).search(view) is not None


def begins(pattern: str, view: str) -> re.Match[str] | None:
    """Return the match of ``pattern`` at the beginning of ``view``, or None."""
    return compiled(pattern).match(view)


def is_question(view: str) -> bool:
    """Say whether a sentence asks, with or without a question mark.

    >>> is_question("能不能帮我看一下这个报错"), is_question("不要提交")
    (True, False)
    """
    if "?" in view:
        return True
    view = re.sub(
        "无论如何|不管怎么?样?|什么.{0,6}?都|哪.{0,4}都|谁都|怎么.{0,4}都", "", view
    )
    return has(_ASKS, view.rstrip("。.! ~"))


_ASKS = (
    "[吗呢么嘛]$|来着$|为什么|为何|怎么|如何(?!$)|哪(?!怕)|谁|多少|几个|是否|什么|干嘛"
    "|(能|要|会|该|好|行|对|用|想|可|是)不\\1|可不可以|有没有|需不需要|应不应该"
    "|知不知道"
    "|(?:要|用|选|该)[^,;]{0,20}?(?<![,;])还是\\s*(?!要|得|失败|不|没|有|会|先|别)"
)


def is_guarded(view: str) -> bool:
    """Say whether a sentence is of the moment, doubted, denied, or a confession."""
    return (
        has(MOMENT, view)
        or has(_NEGATED, view)
        or has(_REQUESTS, view)
        or has(_HEDGE, view.rstrip("。.! "))
        or has(_CONFESSION, view)
        or (has(_CONDITION, view) and has(_MOMENTARY, view))
    )


MOMENT = (
    "暂时|暂且|先不|先别|现在(?!起|开始|都)|这[一]?次|本次|此次|这回|今天|今晚"
    "|明天|上次|上周|马上|赶紧|尽快"
    "|刚才|刚刚|马上|赶紧|尽快|这一条|待会|等一下|等会|一会|还不要|这里先|目前先"
    "|这个\\s?(?:pr|任务|提交|文件|函数|方法"
    "|分支|测试|按钮|页面|问题|需求|改动)|该文件|这条(?!规)|这行|这段"
)


# A later clause that asks for work on what an earlier one told.
_REQUESTS = (
    "[,;。]\\s*(?:你|请|麻烦|先|直接|帮我?|那就|所以)*(?:修|改|加|看|查|处理|实现"
    "|给|帮|开始)"
    "(?:一下|一改|个|上|好|掉|吧|我|方案|看看?|开始|这个|$)|[,;]\\s*(?:帮我|先给"
    "|直接开始)"
)


_NEGATED = (
    "没必要|没有必要|不是(?:所有|每|必须|一定|说)|不一定|未必|无需|无须|并非|用不着"
)


_HEDGE = (
    "可能|也许|大概|好像|似乎|估计|或许|看起来|看来|感觉|我觉得|我猜|我想(?!要)"
    "|不确定|不太确定"
    "|应该是|应该不|听说|据说|貌似|说不定|恐怕|(?<!就)(?<!还是)吧$"
)


_CONFESSION = (
    "(?:^|[,;。]\\s*)我(?!们)(?:也|还|就|真的?|都)*(?:不(?!喜欢|想要|希望|愿)"
    "|没"
    "|忘"
    "|看不|搞不|弄不)"
)


_CONDITION = "如果|要是|假如|假使|倘若|万一|一旦|除非|的话"


_MOMENTARY = (
    "失败|报错|还是|找不到|没|不行|通过|过了|不了|卡|挂|能(?!够)|好了|完了"
    "|跑不"
    "|这样"
    "|那样|有问题"
)


REPORT = (
    "(?:错误信息|错误|消息|日志|文档|手册|规范|他们?|她|同事|老板|客户|用户"
    "|编译器|报错|网上|接口|提示|书上|教程|测试|评审)"
    "[^,;:。]{0,10}?(?:说|写(?:着|道|了)|要求|让我|提示|规定|约定|建议|告诉|认为"
    "|觉得|报)"
)


_TASK = (
    "(?:请|麻烦|帮忙|你|再|先|好的?|那|现在|顺便|然后"
    "|[,;:\\s])*(?:在[^,;]{1,8}[写加注说]明?|帮|麻烦|让(?!我们)|给我"
    "|给[^,;]{1,8}[加写改补做设]|把|修|改一|改成|改下|加|写|看|查|实现|重构|新建|新增"
    "|创建|添加|增加|删|更新|重新|继续|优化|检查|解释|做|生成|调整|排查|运行|执行|总结"
    "|翻译|换成|补|搞|弄|整理|处理|升级|安装|配置|画|列|跑一|跑下|提交一|部署一|测试一"
    "|测一|试一|完善|设计|分析|对比|研究|打开|关闭)"
)


def is_task(view: str) -> bool:
    """Say whether a clause asks for work on the spot."""
    return begins(_TASK, view) is not None


def is_creation(view: str) -> bool:
    """Say whether a clause asks for something new to be made."""
    return (
        begins(
            "(?:请|麻烦|帮我?|你|我想|我要|我们要|来|[,;:\\s])*(?:实现|写[一个]"
            "|做[一个]|创建|新建|新增|开发|加[一个]"
            "|搭建|设计|生成)",
            view,
        )
        is not None
    )


def is_foreign(heading: str) -> bool:
    """Say whether what stands under ``heading`` is not the person's own rule."""
    return (
        is_question(heading)
        or has(MOMENT, heading)
        or has(REPORT, heading)
        or (is_task(heading) and not has("规则|约定|规范", heading))
    )


# What begins with these outlives the task it was said beside.
LASTING = (
    "(?:另外|而且|并且|还有|同时|但是?|请|记住|注意|[,:;\\s])*(?:以后|今后|往后|从现在"
    "|从今|每次|一律|永远|禁止|严禁|切勿|务必|请勿|绝不|决不|千万)"
)


POINTER = (
    "[\\s]*(?:这(?!个?(?:项目|仓库|工程|代码库|专案))|那|它|他|她"
    "|第[一二三四两](?!方)|上面|下面|刚|前一|后一"
    "|另[一外]|前者|后者|哪|什么|方案[一二三abc\\d]|选项|你|我)"
)


def is_concrete(words: str) -> bool:
    """Say whether ``words`` name something that a reader of next month will know."""
    words = words.strip(" ,.;:。!~\"'“”")
    return len(words) >= 2 and not begins(POINTER, words)


def names_thing(words: str) -> bool:
    """Say whether ``words`` name something, be it one character long."""
    words = words.strip(" ,.;:。!~\"'“”")
    return bool(words) and not begins(POINTER, words)


_ARTEFACT = (
    "接口|代码|测试|提交|函数|组件|迁移|注释|分支|文档|日志|pr|合并|变量|命名"
    "|模块|脚本|配置|依赖|异常|版本"
    "|发布|部署|密钥|我们|大家|你|api|commit|\u01c0|^$"
)


def is_rule(found: re.Match[str], clause: Clause) -> bool:
    """Say whether subject and rest of a marker make a rule."""
    subject, rest = found["subj"].strip(), found["rest"].strip(" 。.!")
    if begins(
        "(?:它|他|她|这|那)(?!个?(?:项目|仓库|工程|里))|我(?!们)|所以|因此|肯定"
        "|结果|原来|难道",
        subject,
    ):
        return False
    if has(REPORT, subject):
        return False
    if is_task(subject) and not has(
        "时|前|后|代码$|的时候|(?<![加写])[里中内上下]$", subject
    ):
        return False
    if clause.setting.creates and not has(_ARTEFACT, subject):
        return False
    if (
        is_task(clause.before)
        and clause.setting.task is False
        and not begins(LASTING, clause.text)
    ):
        return False
    return len(rest) >= 2 and not begins(POINTER, rest)
