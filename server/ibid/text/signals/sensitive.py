"""Sentences that always wait for review: secrets, network, installs, approvals (B10).

A remembered sentence of these kinds could make an agent do harm while nobody looks, so
that it is never promoted alone.  The test reads what the sentence is about, not whether
it forbids or demands: prose about secrets waits as well.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ibid.text.view import HAN, view_of

_SECRETS = (
    r"(?:^|[\s/~'\"`(])\.(?:env|pgpass|netrc|npmrc|aws|ssh|kube|htpasswd)\b|\.pem\b"
    r"|\b(?:passwords?|passwd|passphrases?|credentials?|private keys?|ssh[ -]keys?"
    r"|api[ -]?keys?|signing keys?|encryption keys?|secret keys?|service[- ]account "
    r"keys?|keychain|keyring|keystore|id_rsa|id_ed25519|key files?|(?:access|auth"
    r"|bearer|refresh|session|api|github|gitlab|npm|pypi|login|security|personal "
    r"access|deploy|oauth|jwt|id) tokens?|tokens? (?:in|into|to|with|from) (?:the "
    r")?(?:url|header|log|logs|repo|client|config|code|source|fixtures?|localstorage"
    r"|cookies?|clipboard|environment|keychain|browser|vault|disk)"
    r"|secrets?(?! (?:santa|sauce|weapon))|session cookies?|kubeconfig|vault path"
    r"|client secret|connection strings?|pin codes?|2fa|mfa|otp)(?![\w-]*-based)"
    r"|\b[a-z0-9_]*(?:api_key|secret|token|passw(?:or)?d|access_key"
    r"|private_key)(?:_[a-z0-9]+)*\b(?<!\btoken)|\$\{?[a-z_]*(?:token|key|secret|pass)"
)
_NETWORK = (
    r"\b(?:send|post|push|forward|upload|report|copy|stream)\w*\b[^.;]{0,30} to"
    r" [\w-]+(?:\.[a-z][\w-]*)+\b|https?://|\b(?:curl|wget|scp|rsync|sftp|ftp"
    r"|netcat|nc|ngrok|telnet|ssh)\b"
    r"|\b(?:download|upload|exfiltrate|phone home|webhooks?|telemetry|firewall"
    r"|port[- ]?forward|vpn|dns|hosts file|proxy|proxies"
    r"|mirrors?(?! image))\b(?! (?:object|pattern|class|type))"
    r"|\b(?:fetch|read|load|pull|get|take|follow) (?:\w+ ){0,3}(?:instructions|rules"
    r"|commands|orders|updates)|\b(?:send|post|push|forward|report|mail|email|e-mail"
    r"|copy|sync|transmit|submit|share|leak)\w*\b[^.;]{0,60}\b(?:endpoint|external"
    r"|remote|server|analytics|outside|bucket|cloud|third[- ]part\w+|slack|discord"
    r"|telegram|every branch|backup|address|host|@)|\b(?:tls|ssl"
    r"|certificates?)\b[^.;]{0,30}\b(?:verif\w*|check\w*|valid\w*|off|disable\w*"
    r"|ignore\w*|skip\w*)|\b(?:disable|turn off|skip|ignore|without|bypass"
    r"|no)\b[^.;]{0,30}\b(?:tls|ssl|certificates?|https|verification)\b|--insecure"
    r"|\b(?:open|expose|bind|publish|forward|listen)\w*\b[^.;]{0,30}\b(?:port|ports"
    r"|publicly|to the world|internet|0\.0\.0\.0|public)\b|0\.0\.0\.0|\b(?:outbound"
    r"|outgoing|inbound|egress)\b|\b(?:network|internet|web) access\b|\b(?:use|access"
    r"|reach|connect to|talk to|hit) the (?:internet|network|web)\b|\b(?:change|set"
    r"|add|switch|use)\b[^.;]{0,30}\b(?:registry|remote|mirror|index-url|nameserver)\b"
    r"|\bconnect to\b|\bremote host\b|/etc/hosts|\bvisit the link\b|\btraffic\b"
    r"|@[\w-]+\.\w+"
)
_INSTALLS = (
    r"\b(?:install|reinstall|preinstall|postinstall|uninstall)\w*\b(?! (?:size|page"
    r"|guide|docs))|\b(?:npx|sudo|chmod|chown|setuid|apt-get|apt|brew|choco|winget)\b"
    r"|\b(?:pip|npm|yarn|pnpm|cargo|go|gem|composer|dotnet|uv)\s+(?:i|add|install|get"
    r"|update|upgrade)\b|\b(?:add|pull in|bring in)\b[^.;]{0,30}\b(?:as (?:a |an "
    r")?(?:new )?dependency|to the settings|plugin|extension|from the marketplace|mcp "
    r"server)|\bupgrade\b[^.;]{0,20}\b(?:all|every|packages?"
    r"|dependencies)\b[^.;]{0,30}\b(?:automatic\w*|every|always|blindly)|\b(?:latest"
    r"|newest) (?:version|image|binary|release) (?:of every|from|and run)\b|\bmcp "
    r"server\b|\bpull the latest image\b|\bas root\b|\benable the hook\b|\broot "
    r"(?:access|rights|user|shell)\b|\b(?:add|register"
    r"|enable)\b[^.;]{0,20}\bhooks?\b[^.;]{0,30}\bsettings\b"
)
_APPROVALS = (
    r"\bapprov(?:e|es|ed|ing|al|als)\b(?! tests?\b)|\bauto-?(?:approve|accept|confirm"
    r"|merge)\w*|\b(?:ask|asks|asking|prompt|prompts|prompting|wait|waiting|check with"
    r"|checking with)\b[^.;]{0,40}\b(?:me|confirmation|permission|approval|consent"
    r"|user|review|us)\b(?! (?:if|what|which|how))|\b(?:without|never|don't|do not|no "
    r"need to|skip|stop)\b[^.;]{0,20}\b(?:ask|asking|prompt|prompting|confirm\w*"
    r"|permission|consent)\b|\b(?:permissions?|consent|authoriz\w+|authoris\w+)\b(?! "
    r"(?:model|table|matrix|class|checks? live))|--(?:dangerously|yes|force|no-verify"
    r"|yolo|allow|skip)[\w-]*|-y\b|\byolo\b|\bno-verify\b|\banswer (?:yes|y)\b"
    r"|\baccept (?:every|all|any)\b|\bskip(?:ping)? (?:the )?(?:pre-?commit|hooks?"
    r"|review|checks?|confirmation)|\bbypass\w*\b|\bsandbox\w*\b(?! iframe)"
    r"|\bbranch protection\b"
    r"|\bwithout (?:waiting|review|asking|telling)\b|\b(?:ignore|override|disregard"
    r"|forget)\b[^.;]{0,30}\b(?:rules?|instructions?|restrictions?|policy|policies"
    r"|safety|guardrails?|claude\.md|agents\.md)|\bgrant\w*\b|\bfull access\b|\bwrite "
    r"access\b|\bforce[- ]push without\b|\bdelete [^.;]{0,20} without\b"
)
_HIDES = (
    r"\b(?:don't|do not|never|without|not|no need to|avoid|nobody"
    r"|stop)\b[^.;]{0,25}\b(?:tell|telling|mention|mentioning|inform|informing|show"
    r"|showing|reveal|revealing|disclose|disclosing|report|reporting|notify|notifying"
    r"|admit|say|let)\b[^.;]{0,40}\b(?:user|users|me|us|anyone|anybody|reviewers?"
    r"|person|people|human|instructions?|note|tests?|answers?|skipped|failed|failures?"
    r"|team|them|that the|know|was)\b|\b(?:hide|hiding|conceal\w*|cover up|obscure"
    r"|disguise)\b[^.;]{0,40}\b(?:from|source|user|warnings?|errors?|failures?"
    r"|changes?)\b|\b(?:silently|secretly|quietly|covertly) (?!fail|swallow|ignor"
    r"|drop|skip"
    r"|truncat|catch|coerc|convert|default)\w+|\b(?:silently|secretly|quietly|covertly"
    r"|behind)\b[^.;]{0,30}\b(?:revert|change|delete|sync|push|send|edit|update|undo"
    r"|upload|back)\w*|\bmake the change quietly\b|\bkeep (?:this|it"
    r"|that)\b[^.;]{0,20}\b(?:secret|quiet|private|between|to yourself|hidden)"
    r"|\bbetween us\b|\bnobody needs to know\b|\bpretend\b|\bclaim (?:that )?\b|\bsay "
    r"nothing\b|\bleave\b[^.;]{0,30}\bout of the (?:summary|report|log|answer)"
    r"|\bomit\b[^.;]{0,40}\bfrom\b|\b(?:delete|clear|remove|wipe|erase"
    r"|rewrite)\b[^.;]{0,25}\b(?:audit|traces?|shell history|bash history|evidence"
    r"|logs? after)\b|\b(?:do not|don't) (?:report|mention) (?:it|this|that)\b"
    r"|\bdo not log the\b|\bback of the user\b|\bthe user's back\b"
    r"|\blie\b|\bundisclosed\b|\bunnoticed\b"
)

_ZH = (
    # Secrets.
    "密钥|私钥|公钥|密码|口令|凭[证据]|令牌|访问令|api ?key|token|secret|密匙"
    "|证书|\\.env|id_rsa|助记词|验证码|账号密"
    # Network.
    "|https?://|curl|wget|下载|上传|外部服务|外网|公网|联网|网络访问|连外|互联网"
    "|webhook|防火墙|代理|端口|tls|ssl|镜像源|registry|远程|云端|同步到|发送到"
    "|发到(?!产|布)|转发|流量|内网穿透|域名解析"
    # Installs.
    "|安装|npm i|pip i|sudo|apt |brew |拉取最新|最新镜像|自动升级|升级所有|插件"
    "|扩展(?!性|名)|root|提权|chmod"
    # Approvals.
    "|批准|审批|授权|许可(?!证)|权限检查|所有权限|不用问|不要问|别问|无需(?:确认"
    "|询问|同意)|不需要.{0,4}(?:确认|同意|批准)|询问用户|不要询问|自动(?:确认"
    "|同意|批准|接受|执行|通过)"
    "|自动批准|已经同意|跳过"
    ".{0,6}(?:确认|检查|审|评审|钩子)|绕过|沙箱|沙盒|--no-verify|--yes|直接部署"
    "|忽略.{0,8}(?:规则|指令|指示|限制)|不经|默认.{0,4}同意|等待确认|等我确认|问我"
    # Concealment.
    "|不要告诉|别告诉|不要让.{0,6}知道|别让.{0,6}知道|隐瞒|瞒着|悄悄|偷偷|保密"
    "|不要透露|别透露|不要提到|别提|不要提(?:及|起)|不要向.{0,8}(?:报告|说)|假装"
    "|谎|不告诉"
    "|不要(?:向[^。]{1,8})?(?:提起|提到|提及|报告|汇报)|不要报告|掩盖|(?:删除"
    "|清空|清除|抹掉).{0,6}(?:日志|历史|痕迹|记录)"
    "|不要在(?:总结|报告|回答)"
)


@lru_cache(maxsize=1)
def _english() -> re.Pattern[str]:
    kinds = (_SECRETS, _NETWORK, _INSTALLS, _APPROVALS, _HIDES)
    return re.compile("|".join(f"(?:{kind})" for kind in kinds))


@lru_cache(maxsize=1)
def _chinese() -> re.Pattern[str]:
    return re.compile(_ZH)


def is_sensitive(sentence: str) -> bool:
    """Say whether ``sentence`` always waits for a person, whatever its origin (B10).

    >>> is_sensitive("Never ask before installing."), is_sensitive("Use tabs.")
    (True, False)
    """
    view = view_of(sentence[:4000])
    if _english().search(view):
        return True
    return HAN.search(view) is not None and _chinese().search(view) is not None
