"""Obligations and prohibitions in Chinese (B3): constraints."""

from __future__ import annotations

from ibid.text.signals.chinese_words import begins, has, is_concrete, is_rule, is_task
from ibid.text.signals.grammar import Clause, Rule


def must(clause: Clause) -> str | None:
    """Match 必须, 务必, 一定要 and what else obliges by itself."""
    found = begins(
        "(?P<subj>[^,;:。]{0,40}?)(?P<m>必须(?!能够?(?!用))|必需|务必"
        "|(?<!不)一定要|(?<!不)一定得|千万要|须(?=先|由|经|在|用|为))"
        "[:\\s]*(?P<rest>.*)",
        clause.text,
    )
    if not found or not is_rule(found, clause):
        return None
    if begins("承认", found["rest"].strip()) or has(
        "才(?:行|能|可以|恢复|好|会|有)|快点?|小心|了$|的$",
        found["rest"].rstrip("。.! "),
    ):
        return None
    if found["m"] == "必须" and begins(
        "是(?:因为|.{0,6}(?:问题|条件|原因|bug))", found["rest"]
    ):
        return None
    return f"obligation: {found['m']}"


def lasting(clause: Clause) -> str | None:
    """Match 以后都, 从现在起, 一律: frames that make a rule of any request."""
    found = begins(
        "(?P<m>从现在(?:起|开始)|从今(?:天|往后|以后)?(?:起|开始)?|以后|今后|往后|从此)"
        "(?!再说|有机会|有时间|有需要|想|慢慢|可能|会|也许|端|面|有空"
        "|再)(?P<rest>.{3,})",
        clause.text,
    )
    if found and is_concrete(found["rest"]):
        return f"obligation: {found['m']}"
    found = begins(
        "(?P<subj>[^,;:。]{0,30}?)(?P<m>一律|始终|永远(?=不|要|用|保|先|在)"
        "|统统)(?P<rest>.{2,})",
        clause.text,
    )
    if (
        found
        and is_rule(found, clause)
        and not has("失败|报错|返回|超时|是空|为空", found["rest"])
    ):
        return f"obligation: {found['m']}"
    found = begins(
        "(?P<m>总是|总要)(?P<rest>(?:先|用|使用|在|写|给|把|保持|运行|跑|要"
        "|检查).{2,})",
        clause.text,
    )
    return f"obligation: {found['m']}" if found else None


def each_time(clause: Clause) -> str | None:
    """Match 每次…都要, 所有…必须: rules about every one."""
    found = begins(
        "(?P<subj>[^,;:。]{0,12}?(?P<m>每次|每回|每当|凡是|所有|每个|每一个|每条|每份"
        "|任何|全部|每|只要)[^。]{0,60}?)(?P<o>都要|都必须|都得|都需要?|都应该?|均需"
        "|都不能|都不要|都不得|都不可|前先|后先|时先|之前先|要先|前要|后要|时要|就要"
        "|必须|不能|不得|不要|禁止|需要|先)(?P<rest>.{2,})",
        clause.text,
    )
    if not found or (is_task(clause.before) and not found["m"].startswith("每次")):
        return None
    if has(
        "失败|报错|超时|返回|崩|挂|卡|很慢|等很久|手动|重新登|重启|悬停", found["rest"]
    ) or is_task(clause.text):
        return None
    return f"obligation: {found['m']}"


def remember(clause: Clause) -> str | None:
    """Match 记得要, 确保 and 别忘了 where they ask for a habit."""
    found = begins(
        "(?P<m>记得要|记得|别忘了|不要忘了|别忘记)(?P<rest>.{2,})", clause.text
    )
    if found:
        habit = found["m"] == "记得要" or has(
            "每次|都|同步|提交前|提交之前|推送前|合并前|发布前|发版前|改完"
            "|修改.{0,8}后",
            found["rest"],
        )
        return (
            f"obligation: {found['m']}"
            if habit and is_concrete(found["rest"])
            else None
        )
    found = begins(
        "(?P<m>确保|保证)(?P<rest>.*(?:所有|每|任何|都|不会?|没有|始终|一律).{2,})",
        clause.text,
    )
    return f"obligation: {found['m']}" if found and not clause.setting.task else None


def only(clause: Clause) -> str | None:
    """Match 只能, 只支持, 最多: limits."""
    found = begins(
        "(?P<m>只有)[^,;:。这那它他她你我]{2,12}?(?:才?可以|才?能|允许)(?P<rest>.{2,})",
        clause.text,
    )
    if found and not has(
        "看到|看见|复现|打开|访问$|了$|解决", found["rest"].rstrip("。")
    ):
        return "constraint: 只有"
    found = begins(
        "(?P<subj>[^,;:。]{0,20}?)(?P<m>只能|只允许|只准|只许|只可|仅限|仅允许"
        "|只支持|只支援|仅支持|仅支援"
        "|只接受|仅接受)(?P<rest>.{2,})",
        clause.text,
    )
    if (
        found
        and is_rule(found, clause)
        and not has("了$|重启|再试|这样|先", found["rest"].rstrip("。"))
    ):
        return f"constraint: {found['m']}"
    found = begins(
        "(?:我们|项目里?|本项目|这个项目)(?P<m>只|仅)(?:用|使用|在|部署|发布|合并"
        "|保留|维护)(?P<rest>.{2,})",
        clause.text,
    )
    if found and is_concrete(found["rest"]) and not has("了", found["rest"]):
        return f"constraint: {found['m']}"
    found = begins(
        "(?P<subj>[^,;:。]{2,20}?)(?P<m>最多|至多|最少|至少|不超过|不得超过"
        "|不能超过|不要超过|不少于|不低于)"
        "\\s*(?:有|为|是)?\\s*[\\d一二三四五六七八九十百千两几]",
        clause.text,
    )
    if (
        found
        and not clause.setting.creates
        and not has("给我|写|列|生成|返回|显示|给出|提供|加|选|找|等|跑", found["subj"])
    ):
        return f"limit: {found['m']}"
    return None


_ADVERB = (
    "(?:请|千万|绝对|永远|也|都|就|再|你|大家|我们|任何人|谁都|一律|切记|务必"
    "|一定"
    "|均"
    "|更|另外|坚决|\\s)*"
)


_FIRM = (
    "不得(?!不)|不准|不许|不允许|禁止|严禁|切勿|请勿|勿(?!忘)|切忌|杜绝|绝不能?"
    "|决不能?|绝对不能?|永不|永远不要?|一律不"
)


_SOFT = "不要|不能|不可以?|不应该?|别"


_NOT_BIE = "(?<![区特分级类个识差性鉴判辨告派离])"


_IDLE = (
    "(?:让我|显示|渲染|展示|打印|总结|解释|写代码|写测试|用截图|用图|用附件|了|紧"
    "|这样|那样|停|急|担心|怕|管|客气|忘|误会|慌|问|说了?$|走|想|动$|再?来|啰嗦"
    "|着急|生气|的|人"
    "|名|处|致|墅|闹|吵|提了|等|看了?$|继续|放弃|解释|改$|改了|跑了?$|动了|总|光"
    "|只|太|这么|那么)"
)


def prohibition(clause: Clause) -> str | None:
    """Match 不要, 禁止, 不得, 别 and their kin."""
    found = begins(
        f"(?P<subj>[^,;:。]{{0,40}}?)(?P<m>{_FIRM})\\s*(?P<rest>.*)", clause.text
    )
    if (
        found
        and is_rule(found, clause)
        and not begins("的|了|已", found["rest"])
        and not _is_spot(found["rest"])
    ):
        return f"prohibition: {found['m']}"
    found = begins(
        f"(?P<subj>[^,;:。]{{0,24}}?){_ADVERB}{_NOT_BIE}(?<!要)(?P<m>{_SOFT})\\s*"
        f"(?P<rest>.*)",
        clause.text,
    )
    if not found or not is_rule(found, clause) or begins(_IDLE, found["rest"]):
        return None
    subject, rest = found["subj"].strip(" 请"), found["rest"].strip(" 。.!")
    if _is_spot(rest) or has("[了啦]$", rest):
        return None
    if subject and not begins(f".*(?:{_PLACE})$", subject):
        return None
    if (
        not subject
        and found["m"] in ("不能", "不可", "不可以")
        and begins(_FAILS, rest)
    ):
        return None
    return f"prohibition: {found['m']}"


_PLACE = (
    "里面?|中|内|上|下|时|的时候|前|后|之间|代码|提交|接口|api|项目|分支|环境"
    "|文件|人|成员|我们|你|们"
    "|服务|层|模块|组件|函数|类|变量名?|名称?|注释|文档|脚本|配置|库|行|字段|密钥"
    "|目录|仓库|版本"
    "|就|都|也|再|千万|永远|绝对|以后|今后|,"
)


_FAILS = (
    "(?:说|再快|怪|保证|确定|登录|运行|编译|打开|显示|工作|复现|保存|加载|连接"
    "|启动"
    "|用(?:了|$)|正常|识别|点|访问$)"
)


def _is_spot(rest: str) -> bool:
    """Say whether ``rest`` points at something on the spot: 改这个, 动它."""
    return has(
        "^[\u4e00-\u9fff]{0,3}(?:它|他|这|那|别的|其他的?|任何东西)(?!个?(?:项目"
        "|仓库|工程|里))",
        rest,
    )


def avoid(clause: Clause) -> str | None:
    """Match 避免, 停止使用, 我们不再支持."""
    found = begins(
        "(?:请|尽量|要|应该?|尽可能)*(?P<m>避免|尽量不要|停止(?=使用|添加|在|写"
        "|提交|用))(?P<rest>.{2,})",
        clause.text,
    )
    if found and is_concrete(found["rest"]):
        return f"prohibition: {found['m']}"
    found = begins(
        "(?:我们|项目|本项目|这个项目|新代码)(?P<m>不再|从不|绝不|不)(?:支持|支援"
        "|使用|用|维护|接受|发布|提交|部署|允许|在)(?P<rest>.{2,})",
        clause.text,
    )
    if (
        found
        and is_concrete(found["rest"])
        and not has("了$", found["rest"].rstrip("。"))
    ):
        return f"prohibition: {found['m']}"
    return None


def ought(clause: Clause) -> str | None:
    """Match 应当 and 需要 about a kind of thing, not about this one."""
    found = begins(
        "(?P<subj>[^,;:。]{2,20}?)(?P<m>应当|应始终|应该始终|应该一律"
        "|应该都)(?P<rest>.{2,})",
        clause.text,
    )
    if found and is_rule(found, clause) and not clause.setting.task:
        return f"obligation: {found['m']}"
    return None


MUSTS: tuple[Rule, ...] = (
    must,
    lasting,
    each_time,
    remember,
    only,
    prohibition,
    avoid,
    ought,
)
