"""Secrets told in a sentence, in English and Chinese (E2).

"The password is X", "set the token to X", "密码改成了 X": the value must follow its
connective and must look chosen or drawn, for most sentences about passwords name none.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ibid.text.redact_labels import CODE, OPEN, PASS
from ibid.text.redact_values import (
    PASSWORD,
    RANDOM,
    compiled,
    grade,
    is_passphrase,
    is_random,
    names_credential,
    rarity,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ibid.text.redact_labels import Label

    Found = tuple[int, int, str]


def find_told(soft: str, label: Label) -> Iterator[Found]:
    """Yield the value that a sentence gives to `label`, before or after it.

    A sign at once after the name makes it an assignment, which is no sentence.
    """
    if label.loose or label.family == OPEN or _sign().match(soft, label.end):
        return
    if label.name.lower() in ("tokens", "secrets"):
        return
    if not soft.isascii():
        match = _chinese().match(soft, label.end)
        near = match is not None and match.start("value") <= label.end + 2
        if match and (match["link"] or (near and not label.name.isascii())):
            yield from _told(soft, match, label, sure=bool(match["link"]))
            return
    match = _alone().match(soft, label.end)
    if match and is_strict(match["value"], label.family):
        yield *match.span("value"), label.family
        return
    match = _english().match(soft, label.end)
    link = match["link"] if match else None
    name = label.name
    is_verb = name.lower() == "pass"
    is_natural = name.isalpha() and (name[1:].islower() or name.isupper())
    if match and (_is_noun(soft, label, link) if is_verb else link or is_natural):
        yield from _told(soft, match, label, sure=bool(link))
    if is_verb or not is_natural or soft[label.start - 1] not in " (":
        return
    match = _reversed().search(soft, max(0, label.start - 120), label.start)
    if match:
        yield from _told(soft, match, label, sure=False)


def is_strict(value: str, family: str) -> bool:
    """Whether `value` is a secret even though nothing but its place says so."""
    if len(value) < 6 or family == CODE or grade(value) < PASSWORD:
        return False
    if _is_expression(value) or "/" in value.strip("/"):
        return is_random(value)
    if compiled(r"[0-9a-f]{7,12}|[0-9a-f]{40}|[0-9a-f]{64}").fullmatch(value):
        return False
    return any(c.isdigit() for c in value) or is_random(value) or rarity(value) > 0.4


def trim_sentence(value: str) -> str:
    """Cut the punctuation of the sentence from the end of `value`."""
    value = value.rstrip(".,;:)]}>*_\"'`")
    if value.endswith("?") or (value.endswith("!") and value[:-1].isalpha()):
        return value[:-1]
    return value


def _is_noun(soft: str, label: Label, link: str | None) -> bool:
    """Whether "pass" is a password here: "the pass is X", "admin pass for y: X"."""
    before = soft[max(0, label.start - 16) : label.start].split()[-1:]
    owners = ("admin", "root", "db", "user", "smtp", "wifi", "my", "ssh", "login")
    return link == " is" or (link == ":" and bool(before) and before[0] in owners)


def _told(
    soft: str, match: re.Match[str], label: Label, *, sure: bool
) -> Iterator[Found]:
    """Yield the value of `match`; `sure` if a connective stands before it."""
    start = match.start("value")
    quote = soft[start - 1 : start]
    if quote in ('"', "'", "`") and label.family == PASS:
        end = soft.find(quote, start, start + 100)
        if end > start and is_passphrase(soft[start:end]):
            yield start, end, label.family
            return
    value = trim_sentence(compiled(r"[<\"'`]").split(match["value"], maxsplit=1)[0])
    if _measure().match(soft, start + len(value)):
        return
    if _is_told(value, label.family) if sure else is_strict(value, label.family):
        yield start, start + len(value), label.family


def _is_told(value: str, family: str) -> bool:
    """Whether `value` after "is" or "to" is the credential itself."""
    if value.isdigit():
        if family == CODE:
            return 4 <= len(value) <= 8
        return family == PASS and len(value) >= 6
    if family == CODE or len(value) < (6 if family == PASS else 8):
        return False
    mark = grade(value)
    if mark == PASSWORD:
        return not _is_expression(value) and not _is_short_hash(value)
    return mark == RANDOM


def _is_expression(value: str) -> bool:
    marks = compiled(r"[\"'()<>\[\]{}=\\|:;,]")
    return names_credential(value) or bool(marks.search(value))


def _is_short_hash(value: str) -> bool:
    return bool(compiled(r"[0-9a-f]{7,12}").fullmatch(value))


@lru_cache(maxsize=1)
def _sign() -> re.Pattern[str]:
    return re.compile(r"[\"'`\])}*]{0,4}\s{0,8}[:=?!]{0,2}[:=]")


@lru_cache(maxsize=1)
def _english() -> re.Pattern[str]:
    """Return the way from a name to its value: words, a link, an adverb, a quote."""
    return re.compile(
        r"(?:'s)?[\"'`*)]{0,3}(?:[ ]\([^()\n]{1,60}\)(?=[ :]))?"
        r"(?:(?:[ ](?!(?:[Ii]s|[Ww]as|[Tt]o|[Aa]s)[ ])[A-Za-z0-9@_/'()-]{1,24}){0,7}?"
        r"(?P<link>(?:,[ ]it's|[ ](?:is|was|are|to|as|ist|lautet|=|->"
        r"|[\u2013\u2014\u2192-]))(?=[ :])[:]?|:)"
        r"(?:[ ](?:now|currently|still|just|simply|actually|set|changed|to|be|called"
        r"|literally|the|following|this|from|probably|again|equal|equals)){0,4}"
        r"[ \t\n]{1,4}|[ ])[\"'`*(<\[]{0,3}(?P<value>[!-~\u00c0-\u024f]{4,4096})"
    )


@lru_cache(maxsize=1)
def _alone() -> re.Pattern[str]:
    """Return a line that ends in a colon, and a next one that holds but the value."""
    return re.compile(
        r"[^\n:]{0,80}:[ \t\r]{0,4}\n{1,2}[ \t]{0,8}[\"'`]?"
        r"(?P<value>[!-&(-_a-~]{6,200})[\"'`]?[ \t\r]{0,4}(?:\n|$)"
    )


@lru_cache(maxsize=1)
def _chinese() -> re.Pattern[str]:
    return re.compile(
        r"[ ]?(?:[从從由][ ]?[!-~]{1,32}?)?[\u4e00-\u9fff\u3041-\u3096]{0,8}?[ ]?"
        r"(?P<link>(?:[是为為は]|(?<=[\u4e00-\u9fff]):|就是|改成|改为|改為|设置?成|设置?为|設置?為|换成|換成"
        r"|设定为|設定為|重置为|重設為|重设为|用的是|叫做?|\u2192)"
        r"了?[ ]?[:=]?[ ]{0,2}|[ ])?"
        r"[\"'`*(<\[]{0,3}(?P<value>[!-~]{4,4096})"
    )


@lru_cache(maxsize=1)
def _reversed() -> re.Pattern[str]:
    """Return ``VALUE is the admin`` and ``VALUE as the``, before the name itself."""
    return re.compile(
        r"(?<![^\s\"'`(*])(?P<value>[A-Za-z0-9!@#$%^&+~][!-~]{6,63}?)"
        r"[\"'`)*]{0,2}"
        r"(?:[ ](?:is|as|for|was|being)(?:[ ](?:the|my|our|its|their|your|a|an))?"
        r"(?:[ ][a-z]{1,16}){0,2}[ ]"
        r"|[ ]\((?:(?:the|my|our|new|old|your|admin|root)[ ])?)$"
    )


@lru_cache(maxsize=1)
def _measure() -> re.Pattern[str]:
    """Return the nouns before which a figure measures something."""
    return re.compile(
        r"[ -]?(?:characters?|chars?|bytes?|bits?|digits?|days?|hours?|minutes?|times?"
        r"|seconds?|tokens?|words?|encoded|encrypted|hashed|hash|encoding|加密|位|个|個"
        r"|天|次|字符|字元|编码|編碼|小时|小時|分钟|分鐘)(?![a-z])"
    )
