"""The Chinese grammar of signals, simplified and traditional alike.

A sentence is read clause by clause in the order of B3.  Obligations and prohibitions
stand in `chinese_musts`, the guards in `chinese_words`.
"""

from __future__ import annotations

import re

from ibid.text.signals.chinese_musts import MUSTS
from ibid.text.signals.chinese_words import (
    LASTING,
    REPORT,
    begins,
    compiled,
    has,
    is_concrete,
    is_guarded,
    is_question,
    is_rule,
    is_task,
    names_thing,
)
from ibid.text.signals.grammar import Clause, Match, Rule, Setting


def find(view: str, setting: Setting) -> Match | None:
    """Return the first signal of a sentence, or None.

    >>> find("必须先跑测试再提交。", Setting()).signal
    'obligation: 必须'
    """
    if not has(_MARKERS, view) or is_question(view) or is_guarded(view):
        return None
    clauses = _clauses(view, setting)
    for category, rules in _ORDER:
        for at, clause in clauses:
            trims = is_task(clause.before)
            for rule in rules:
                signal = rule(clause)
                if signal and (not trims or begins(LASTING, clause.text)):
                    return Match(category, signal, at if trims else 0, trims)
    return None


_MARKERS = (
    "必须|必需|务必|一定|一律|只|仅|不|禁|严|切|勿|别|绝|决|永远|避免|停止|以后"
    "|今后|从|往后"
    "|每|凡|所有|任何|都|记得|确保|保证|应|须|始终|总是|最多|至多|至少|喜欢|偏"
    "|倾向|习惯|愿|宁"
    "|讨厌|希望|想要|优先|首选|尽量|请|用|约定|定|采|统一|规|惯例|原则|标准|共识"
    "|是|在|基于"
    "|支持|支援|依赖|叫|位于|说好|选|由|与其|杜绝"
)


_OPENER = (
    "(?>另外|还有|注意|记住|请记住|请注意|对了|顺便|然后|而且|并且|但是|不过"
    "|好的?|谢谢|嗯|总之"
    "|首先|其次|最后|以及|切记|提醒(?:一下)?|再说一遍|重要|还是那句话|同时|此外"
    "|那么|ok|重申"
    "|如前所述|补充一点|补充一下|再强调一遍|强调一下|麻烦你?|拜托|规则|要求"
    "|原则上|比起[^,我]{1,12}?,?(?=我)|相比[^,我]{1,12}?,?(?=我)|[,;:\\s、])++"
)


def _clauses(view: str, setting: Setting) -> list[tuple[int, Clause]]:
    found: list[tuple[int, Clause]] = []
    seen = -1
    for begin in [
        0,
        *(b.end() for b in re.finditer("[,;:。!()]+\\s*|\\s(?=请|不要)", view)),
    ]:
        opener = compiled(_OPENER).match(view, begin)
        at = opener.end() if opener else begin
        if at <= seen or at >= len(view):
            continue
        seen = at
        before = view[:begin]
        if has(REPORT, before):
            break
        found.append((at, Clause(view[at:], before, setting)))
    return found


_WHO = (
    "(?>我们|大家|项目|本项目|这个项目|所有人|统一|一律|以后|今后|从现在(?:起"
    "|开始)|往后|必须|务必"
    "|请|应该|应当|要|都|就|只|尽量|最好|优先|决定|约定|还是|前端|后端|代码里?"
    "|测试里?|里|中|你|写代码"
    "|一定|全部|也|默认|\\s|,)*+"
)


_USE = "(?:使用|选用|采用|选择|改用|用|选|写|偏好|喜欢|考虑)"


def choice(clause: Clause) -> str | None:
    """Match 用 X，不要用 Y in its many forms."""
    text = clause.text
    found = begins(
        f"{_WHO}(?:(?!如果|要是|为什么|这|那|把"
        f"|帮)[^,;:。用]{{1,10}}?)?{_USE}(?P<x>[^;。]{{1,60}}?)[,;\\s]*"
        "(?P<c>而不是|而非|\\bnot\\b|不要再?用|不要使用|别再?用|别使用|不用"
        "|不使用|勿用|不要|代替|替代|取代)"
        "(?P<y>[^。]+)",
        text,
    ) or begins(
        "(?:请|以后|今后|都|你|,|大家|我们|一律)*(?P<c>别|不要|禁止|请勿|勿|不再"
        "|停止|不)再?(?:使用|用)"
        "(?P<y>[^,;。]{1,40})[,;。\\s]+(?:请|而是|要|应该|就|统一|一律|直接|都)*"
        "(?:使用|改用|换成|换用|用)(?P<x>.+)",
        text,
    )
    if found and names_thing(found["x"]) and names_thing(found["y"]):
        return f"choice: {found['c']}"
    found = begins("(?P<c>能用)(?P<x>[^,。]{1,20}?),?就(?:不要|别|不)用(?P<y>.+)", text)
    if found and names_thing(found["x"]) and names_thing(found["y"]):
        return f"choice: {found['c']}"
    found = begins(
        "(?:我|我们)?(?P<c>宁可|宁愿|宁肯|与其)(?P<x>[^。]{1,60}?),?(?:也不|而不"
        "|不如|不要)(?P<y>.+)",
        text,
    )
    if found and names_thing(found["x"]) and names_thing(found["y"]):
        return f"choice: {found['c']}"
    return None


def likes(clause: Clause) -> str | None:
    """Match 我喜欢, 我偏好, 优先使用, 请用中文回答."""
    text = clause.text
    found = begins(
        "(?:(?!所以|因为|但|如果|虽然)[^,;:。我]{1,6})?(?:我|我们)(?:个人|还是"
        "|比较|更加?|真的|非常|很|一向|一直|都|其实|也|最|,|\\s)*"
        "(?P<m>喜欢|偏好|偏爱|偏向于?|倾向于?|习惯于?|愿意|宁可|宁愿|讨厌|不喜欢"
        "|不想要|反感)(?P<rest>.+)",
        text,
    )
    if (
        found
        and is_concrete(found["rest"])
        and not has("那个|这个|的那|这样|那样", found["rest"])
    ):
        return f"liking: {found['m']}"
    found = begins(
        "(?:我|我们)?(?P<m>希望)(?!你|能|可以|加|把|这|在这|有一?个"
        "|今)(?P<rest>.+(?:保持|都|尽量|始终|使用|不要|一律).+)",
        text,
    )
    if found:
        return "liking: 希望"
    found = begins(
        "我(?P<m>想要)(?!一|这|那|你|看|个|把|加"
        "|知)(?P<rest>[^,。]{1,12}的[^,。]{1,10}$)",
        text.rstrip("。. "),
    )
    if found and not clause.setting.task:
        return "liking: 想要"
    found = begins(
        "(?:请)?(?P<m>优先(?:使用|用|考虑|选择?|采用)|首选|偏好|尽量(?:用|使用"
        "|保持|写))(?P<rest>.+)",
        text,
    )
    if found and is_concrete(found["rest"]):
        return f"liking: {found['m']}"
    found = begins("(?P<m>请(?:统一|都|一律)?(?:使用|用))(?P<rest>.+)", text)
    if (
        found
        and is_concrete(found["rest"])
        and not has(_USED_NOW, found["rest"])
        and not clause.setting.task
    ):
        return f"liking: {found['m']}"
    return None


_USED_NOW = (
    "最|方法|方式|办法|表格|实现|写一|做|重构|修|生成|总结|一句|句话|画|解释|完成"
    "|上面|图|截图|附件|第|来(?!写|命名|管理|编写|存)"
    "|写(?!提交|注释|注解|文档|信息|测试|代码|commit|变更|日志|脚本)|翻译|分析"
    "|重写|搜|查|帮|加|改"
)


_US = (
    "(?:我们|大家|团队|项目组|全队|我)(?:最终|最后|已经?|都|一致|后来|还是|就|现在"
    "|一起|也|之前|,|\\s)*"
)


def decides(clause: Clause) -> str | None:
    """Match 我们决定, 定了, 统一用, 那就用."""
    text = clause.text
    found = begins(
        f"(?:{_US}|最终|最后|已经?|经讨论,?)(?P<m>决定|商定|约定|说好|说定|敲定"
        f"|议定|选定|达成一致|同意|选择|选用|采用|改用|规定"
        f"|定下)了?[,:\\s]*(?P<rest>.+)",
        text,
    )
    if (
        found
        and is_concrete(found["rest"])
        and not begins(
            "一下|的|权|了?$|跳过|推迟|取消|明天|先|去|休息|再", found["rest"]
        )
    ):
        return f"decision: {found['m']}"
    found = begins(
        "(?P<subj>[^,;:。]{2,16}?|)(?<![确稳固锁假肯一设绑指决规约否选判鉴])(?P<m>定了"
        "|定下来了?|定好了)[,:\\s]*(?P<rest>.{2,})",
        text,
    )
    if (
        found
        and not has("这么|这样|那么|如果|等", found["subj"])
        and not begins("再|之后|后", found["rest"])
    ):
        return "decision: 定了"
    found = begins(
        "(?P<subj>[^,;:。]{0,24}?)(?P<m>统一(?:使用|采用|用|成|为|命名|放|写|存"
        "|返回|走|以|叫))(?P<rest>.+)",
        text,
    )
    if found and is_rule(found, clause) and not begins("一下|处理", found["rest"]):
        return f"decision: {found['m']}"
    found = begins(
        "(?P<subj>[^,;:。把将]{0,12}?)(?P<m>改用|换用|采用)(?P<rest>.+)", text
    )
    if (
        found
        and not has("这(?!个?项目)", found["rest"])
        and is_rule(found, clause)
        and is_concrete(found["rest"])
        and not begins(".*该|.*算法|.*函数", found["subj"])
    ):
        return f"decision: {found['m']}"
    found = begins("(?:那么?就|那|就|还是|那还是)(?P<m>用|选|采用)(?P<rest>.+)", text)
    if found and is_concrete(found["rest"]) and has("[a-z\u01c0]{2,}", found["rest"]):
        return f"decision: 就{found['m']}"
    return None


def convention(clause: Clause) -> str | None:
    """Match 约定是, 命名规范是, 决定：."""
    found = begins(
        "(?P<subj>[^,;:。]{0,12}?)(?P<m>决定|约定|规范|惯例|规定|原则|标准|共识"
        "|结论|规则|习惯)"
        "\\s*(?:是|:|为|就是)\\s*(?P<rest>.+)",
        clause.text,
    )
    if found is None:
        # A colon ends a clause, and the convention stands after it.
        found = begins(
            "(?P<subj>)(?P<m>约定|决定|规范|惯例|共识)\\s*[:,]\\s*(?P<rest>.+)",
            clause.before + clause.text,
        )
    if (
        found
        and is_concrete(found["rest"])
        and not begins("(?:他|她|你|文档|接口|这|那|对)", found["subj"])
        and not begins("错|对的|不|你|什么|好的|问题", found["rest"])
    ):
        return f"convention: {found['m']}"
    found = begins(
        "我们(?:都|一直|一般|统一)*(?P<m>用|使用|遵循|采用|按|写)(?P<rest>.*(?:驼峰"
        "|下划线|空格|\\btab|主干开发|trunk|语义化|约定式提交|英文|中文|小写|大写"
        "|utc).*)",
        clause.text,
    )
    return f"convention: {found['m']}" if found else None


_PROJECT = (
    "(?:本|该|这个|此|我们的?|我们这个|整个|当前)?(?:项目|仓库|代码库|专案|工程"
    "|应用程?序?|系统|产品|网站|服务|app)"
)


_THING = (
    "(?:测试环境|生产环境|预发环境|预发布环境|正式环境|开发环境|线上环境?"
    "|[测试生产预发开线上]{0,4}(?:服务器|环境|集群|数据库)|资料库|前端代码|后端代码"
    "|前端|后端|文档|主分支|默认分支|分支|配置文件?|代码|服务器|日志|接口|移动端"
    "|客户端|服务端|缓存|队列"
    "|镜像|流水线|监控|静态资源|组件库|设计系统|脚本|单元测试|集成测试|测试"
    "|迁移文件?|ci|cd|api|用户|客户|源码|构建)"
)


def fact(clause: Clause) -> str | None:
    """Match 本项目使用, 我们的 CI 跑在, 文档放在, 我们用."""
    text = clause.text.rstrip("。.! ")
    if clause.before.strip(" ,") or has(_STATES, text):
        return None
    kept = begins(
        "[^,;:。我你他这那]{2,12}?(?P<m>放在|存放在|存储在|部署在"
        "|托管在)\\s?[a-z\u01c0\\d]",
        text,
    )
    if kept:
        return f"fact: {kept['m']}"
    found = begins(
        f"(?P<subj>{_PROJECT}|我们|我们的?\\s?[\\w\u01c0\\s]{{1,10}}?"
        f"|(?:{_THING}的)?{_THING})(?:的?(?:代码|版本))?\\s?(?:都|目前|主要|全部|也)?"
        "(?P<m>使用|用的?是|基于|采用|运行在|运行于|跑在|部署在|部署到|托管在"
        "|位于|放在|存放在|存在|支持|支援|依赖"
        "|叫做?|是用|是|在|用|由)\\s*(?P<rest>.{2,})",
        text,
    )
    if not found or not is_concrete(found["rest"]):
        return None
    if found["m"] == "在" and not _is_place(found["subj"], found["rest"]):
        return None
    if found["m"] == "在" and has(
        "^(?:跑|运行|重启|失败|构建|等|做|写|用|测)", found["rest"]
    ):
        return None
    if found["m"] == "用" and not begins("我们|项目|本|前端|后端", found["subj"]):
        return None
    return f"fact: {found['m']}"


def _is_place(subject: str, rest: str) -> bool:
    """Say whether what follows 在 is a place and no activity."""
    if has("服务器|环境|集群|数据库|机房", subject):
        return not begins(
            "备份|跑|运行|重启|构建|升级|迁移|维护|报|等|做|写|更新|同步|下载", rest
        )
    return has(
        "[a-z\u01c0\\d]|目录|文件夹|仓库|云|机房|内网|公司|[里下上中]面?$|根目录", rest
    )


_STATES = (
    "昨天|坏|挂|慢|红了|满了|失败|问题|不|没|了$|又|卡|崩|乱|烂|报错|异常|空的|错"
    "|糟|怎|需要|打不|正在|好像|难|太"
    "|以前|之前|曾经|原来|过$"
)


_ORDER: tuple[tuple[str, tuple[Rule, ...]], ...] = (
    ("preference", (choice,)),
    ("constraint", MUSTS),
    ("preference", (likes,)),
    ("decision", (decides, convention)),
    ("fact", (fact,)),
)
