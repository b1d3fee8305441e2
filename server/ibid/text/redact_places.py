"""Values beside the name of a credential: assignments, maps, flags, cells (E2, E3).

Code, environment files, JSON, YAML, TOML, tables, command lines and XML all write a
name, something between, and the value.  Only the value is reported.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ibid.text.redact_labels import (
    CODE,
    KEY,
    OPEN,
    PASS,
    SECRET,
    is_env_name,
    is_reader,
)
from ibid.text.redact_values import (
    PASSWORD,
    RANDOM,
    WORD,
    grade,
    has_mark,
    is_chosen_word,
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

#: How a value is written; the less the notation proves, the more the value must.
QUOTED, ENV, PLAIN, CODED = "quoted", "env", "plain", "coded"
ELEMENT, ARGUMENT, CALL = "element", "argument", "call"
#: How much of an unquoted value must look drawn before the rest is read.
_PROVING = 256
#: How many further values of a list are read.
_ITEMS = 64
#: Where the value of a quotation is looked for, in characters.
_LONGEST = 8192


def find_values(soft: str, label: Label) -> Iterator[Found]:
    """Yield the value that stands at `label`'s place, or each of its list's."""
    gap = _gap(soft, label)
    if gap is None:
        return
    form, at = gap
    found = _value(soft, at, label, form)
    if form == ELEMENT and found and not _tag_end().match(soft, found[1]):
        return
    if found:
        yield found
    item = _first_item().match(soft, at)
    for _ in range(_ITEMS if item else 0):
        item = _next_item().match(soft, item.end()) if item else None
        found = item and _found(item["value"], item.start("value"), label, QUOTED)
        if found:
            yield found


def is_secret(value: str, label: Label, form: str) -> bool:
    """Whether `value`, written as `form` says, is what `label` announces."""
    if "\n" in value or not value:
        return False
    if " " in value:
        return form != PLAIN and _is_spaced(value, label)
    if label.family == CODE:
        sure = form != CODED and not label.loose
        return sure and value.isdigit() and 4 <= len(value) <= 8
    if form in (PLAIN, CODED) and (is_expression(value) or names_credential(value)):
        return False
    mark = grade(value)
    if mark == RANDOM:
        return label.family != OPEN or _is_open(value)
    if label.family == OPEN or label.loose:
        return False
    if mark == PASSWORD:
        return _is_password(value, label, form)
    return mark == WORD and _is_word(value, label, form)


def is_expression(value: str) -> bool:
    """Whether `value`, written without quotes, can only be code."""
    return bool(_operators().search(value))


def trim(value: str, *, whole: bool = False) -> str:
    """Cut what follows an unquoted value: the next field, a bracket, a full stop.

    An environment variable is taken `whole`: nothing else stands on its line.
    """
    cut = (_next_value() if whole else _next_field()).search(value)
    if cut:
        value = value[: cut.start()]
    if not whole and "{" not in value:
        value = value.split("}", 1)[0]
    while value and value[-1] in ".,:;)]}":
        last = value[-1]
        pair = {")": "(", "]": "[", "}": "{"}.get(last)
        if pair and value.count(pair) >= value.count(last):
            break
        value = value[:-1]
    return value


def _gap(soft: str, label: Label) -> tuple[str, int] | None:
    """Return how the value after `label` is written, and where it begins."""
    close = _close().match(soft, label.end)
    at = close.end() if close else label.end
    gap = _attribute().match(soft, at)
    if gap:
        return PLAIN, gap.end()
    before = soft[max(0, label.start - 6) : label.start].rstrip("\"'# ")
    if close and close[0].endswith(">"):
        return ELEMENT, at
    gap = _sign().match(soft, at)
    if gap is None:
        return _after_space(soft, label)
    sign, end = gap["sign"], gap.end()
    if sign in ",(|":
        return _in_list(sign, end, label, close[0] if close else "", before)
    if sign == "==" and is_env_name(label.name) and not gap["blank"]:
        return ENV, end - 1
    if sign in ("==", "==="):
        return ARGUMENT, end
    if sign == "=" and (gap["blank"] or soft.startswith(" ", end)):
        return CODED, end
    is_env = sign == "=" and is_env_name(label.name)
    is_env = is_env and not before.endswith(("?", "&"))
    return (ENV if is_env else PLAIN), end


def _in_list(
    sign: str, end: int, label: Label, close: str, before: str
) -> tuple[str, int] | None:
    """Return the form of ``("name", "value")``, ``name("value")``, ``| name | V |``.

    The second word of any list is not its first word's value, so the name must open
    an argument list or be a flag.
    """
    if label.name.lower() == "pass":
        return None
    if sign == "(":
        return None if is_reader(label.name) else (CALL, end)
    if sign == "|":
        return PLAIN, end
    is_first = before.endswith("(") or label.name.startswith("-")
    return (ARGUMENT, end) if close and is_first and ")" not in close else None


def _after_space(soft: str, label: Label) -> tuple[str, int] | None:
    """Return the form of ``--password V``, ``setx TOKEN V``, ``PASSWORD 'V'``."""
    gap = _space().match(soft, label.end)
    if gap is None:
        return None
    head = soft[max(0, label.start - 48) : label.start]
    if label.name.startswith("-") or _setter().search(head):
        return PLAIN, gap.end()
    if head.endswith(("#define ", "setq ")):
        return QUOTED, gap.end()
    is_quoted = soft.startswith(('"', "'", "`", "\\"), gap.end())
    if is_quoted and label.name.isalpha() and label.name.lower() != "pass":
        return ARGUMENT, gap.end()
    return None


def _value(soft: str, at: int, label: Label, form: str) -> Found | None:
    """Return the value that begins at `at`, quoted or not, if it is a secret."""
    opening = _opening().match(soft, at)
    if opening is None:
        return None
    quote, start = opening["quote"], opening.end()
    if quote:
        end = _close_of(soft, start, quote)
        if end > start:
            quoted = form if form in (ARGUMENT, CALL) else QUOTED
            return _found(soft[start:end], start, label, quoted)
        form = CODED
    elif form in (QUOTED, ARGUMENT, CALL) or ("\n" in opening[0] and not opening["go"]):
        return None
    match = _unquoted().match(soft, start)
    if match is None or _field().match(match[0]):
        return None
    value = match[0]
    if len(value) == _PROVING and is_random(value):
        value = _rest().match(soft, start)[0]  # type: ignore[index]
    if label.start > 0 and soft[label.start - 1] in "?&":
        value = value.split("#", 1)[0]
    value = trim(value, whole=form == ENV)
    if soft[label.start - 1 : label.start] == "/" and "/" in value:
        start += value.index("/") + 1  # `user/password: admin/V`
        value = value[value.index("/") + 1 :]
    return _found(value, start, label, form)


def _found(value: str, start: int, label: Label, form: str) -> Found | None:
    scheme = _scheme().match(value)
    if scheme:
        start += scheme.end()
        value = value[scheme.end() :]
    user = _user().match(value) if label.name.lower().startswith("cred") else None
    if user:
        start += user.end()
        value = value[user.end() :]
    start += len(value) - len(value.lstrip())
    value = value.strip()
    if not is_secret(value, label, form):
        return None
    return start, start + len(value), KEY if label.family == OPEN else label.family


def _is_spaced(value: str, label: Label) -> bool:
    """Whether a value with blanks is a passphrase, or salt of every kind of sign."""
    if label.family == PASS and is_passphrase(value):
        return True
    signs = {c for c in value if not c.isalnum() and c not in " ,.'-"}
    kinds = any(c.isdigit() for c in value) and value.lower() != value != value.upper()
    drawn = kinds and len(signs) > 4 and rarity(value) > 0.25
    return drawn and len(value) >= 20 and not label.loose


def _is_password(value: str, label: Label, form: str) -> bool:
    if label.family == PASS:
        return len(value) >= 5
    if form == CALL or label.family in value.lower():
        return False
    mixed = sum(c.isdigit() for c in value) > 1 or rarity(value) > 0.25
    if form != ENV and not mixed and not has_mark(value):
        return False
    return len(value) >= (6 if label.family == SECRET else 8)


def _is_open(value: str) -> bool:
    mixed = value.lower() != value != value.upper()
    return mixed and len(value) >= 20 and not value.startswith("/")


def _is_word(value: str, label: Label, form: str) -> bool:
    if not value.isdigit():
        sure = form in (QUOTED, ENV) or (form == ELEMENT and label.name.isalpha())
        named = label.family == PASS and not label.name.lower().endswith("pass")
        return sure and named and is_chosen_word(value)
    least = {PASS: 4, SECRET: 8, KEY: 8}.get(label.family, 12)
    return form != CODED and len(value) >= (max(6, least) if form == PLAIN else least)


def _close_of(soft: str, start: int, quote: str) -> int:
    """Return where the text that `quote` opened ends, or -1."""
    end = soft.find(quote, start, start + _LONGEST)
    while end > start and soft[end - 1] == "\\":
        end = soft.find(quote, end + 1, start + _LONGEST)
    return end


@lru_cache(maxsize=1)
def _close() -> re.Pattern[str]:
    return re.compile(r"(?:\(e?s\))?(?:\\{0,7}[\"'`\])}*>]){1,4}|\(e?s\)")


@lru_cache(maxsize=1)
def _attribute() -> re.Pattern[str]:
    """Return the gap of ``name="X" value="…"`` and ``- name: X`` / ``value: …``."""
    return re.compile(
        r"[\s,\\{]{1,60}[\"']?(?:value|content|val|default|body)\\{0,7}[\"']?"
        r"[ \t]{0,4}[:=]|\s{1,4}--?(?:body|value|b|v)[ =]"
        r"|</key>\s{0,40}<string>"
    )


@lru_cache(maxsize=1)
def _sign() -> re.Pattern[str]:
    """Return the sign between a name and its value, with a type before it."""
    return re.compile(
        r"(?:\s?[?!]?:\s?[A-Za-z_&][\w.&]{0,32}(?:\[[\w., |]{0,32}\])?"
        r"(?:\s\|\s\w{1,16}){0,2}(?=\s{0,2}=[^=>])"
        r"|\s(?:string|String|str|text|char\s?\*)(?=\s?=)"
        r"|\)?\.(?:fill|type|send_keys|sendKeys|setValue|set_value|set|value)(?=\())?"
        r"(?P<blank>[ \t]{0,24})"
        r"(?P<sign>:=|=>|===?|\?\?=|\|\|=|\?=|=|:(?!:)|,|\||\(|[\u2192\u21d2])",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _space() -> re.Pattern[str]:
    return re.compile(r"[\"']?[ \t]{1,8}(?:BY[ \t])?(?![=&|<>]|--?[a-z][a-z-]*[\s=])")


@lru_cache(maxsize=1)
def _setter() -> re.Pattern[str]:
    """Return the commands after which a name and a value stand bare."""
    return re.compile(
        r"(?:\bsetx|\bsetenv|\bset -\w{1,3}|\bENV|\bARG|\blogin \S{1,32})\s{1,8}\"?$"
        r"|\b(?:config(?:ure)?|secrets?|env|git)[: ](?:set|add|config)\s"
        r"(?:--[a-z]{1,12}\s)?\S{0,40}$",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _opening() -> re.Pattern[str]:
    """Return what stands before a value's first character."""
    return re.compile(
        r"(?:\*\*)?[ \t]{0,40}(?P<go>\\(?=\s?\n)|[|>][+-]?(?=\s?\n))?"
        r"(?:!![a-z]{1,8}[ ]|&\w{1,32}[ ])?"
        r"(?:(?:Some|Just|SecretStr|SecretString|Secret::new|String::from)\()?"
        r"(?:\s{0,2}\n[ \t]{0,80})?(?:<!\[CDATA\[|[(\[]\s{0,80}){0,2}"
        r"(?:[A-Za-z@$]{0,2}(?P<quote>\\{0,7}(?:\"\"\"|'''|[\"'`])))?",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _tag_end() -> re.Pattern[str]:
    return re.compile(r"(?:\]\]>)?</")


@lru_cache(maxsize=1)
def _first_item() -> re.Pattern[str]:
    return re.compile(r"\s{0,8}\[\s{0,80}\\{0,7}[\"'][^\"'\n\\]{0,400}\\{0,7}[\"']")


@lru_cache(maxsize=1)
def _next_item() -> re.Pattern[str]:
    return re.compile(
        r"\s{0,8},\s{0,80}\\{0,7}[\"'](?P<value>[^\"'\n\\]{1,400})\\{0,7}[\"']"
    )


@lru_cache(maxsize=1)
def _unquoted() -> re.Pattern[str]:
    return re.compile(r"[!#-&(-;=?-\[\]^_a-{}~\u00c0-\u024f]{1,256}")


@lru_cache(maxsize=1)
def _rest() -> re.Pattern[str]:
    return re.compile(_unquoted().pattern.replace("256", "65536"))


@lru_cache(maxsize=1)
def _field() -> re.Pattern[str]:
    """Return another name and its sign, where a value was expected."""
    return re.compile(
        r"(?:[a-z_]{3,40}|[A-Z_]{3,40})=[^=]"
        r"|[A-Za-z_]{0,12}(?:[Kk]ey|[Tt]oken|[Pp]assword|[Ss]ecret)[:=]"
    )


@lru_cache(maxsize=1)
def _next_field() -> re.Pattern[str]:
    """Return where an unquoted value gives way to the next field of its line."""
    return re.compile(
        r"&(?=[A-Za-z_][\w.%-]{0,40}=|#?\w{2,8};)|[;,]|\)[\]}>,.;(]|[)\]}]$"
    )


@lru_cache(maxsize=1)
def _operators() -> re.Pattern[str]:
    return re.compile(
        r"[!=]==|=>|&&|^!!|^\{\w+:|^(?:exports|[a-z])\.[$\w]|[)}]=|\?\.|\?\?|\|\||^![01](?:[}\]),]|$)|[\w$]\(|\)\{|^-?[0-9]+[=<>?]"
        r"|^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\.[A-Za-z_$]+(?:$|[=:!?])"
    )


@lru_cache(maxsize=1)
def _next_value() -> re.Pattern[str]:
    """Return the same for an environment variable, which ends sooner at a blank."""
    return re.compile(r"&(?=[a-z_]{2,24}=[^&=])|;|,(?=\s|$|[\w.]{1,40}[=:])")


@lru_cache(maxsize=1)
def _user() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z][\w.-]{1,32}[:/](?=[^\s/]{4})", re.ASCII)


@lru_cache(maxsize=1)
def _scheme() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?:bearer|basic|token|apikey|api-key|bot|key|sso-key|splunk|genie-?key)"
        r"\s{1,4}(?=[^\s=:]{8})|base64:|0x(?=[0-9a-f]{16,}$))",
        re.IGNORECASE,
    )
