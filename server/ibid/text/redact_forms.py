"""Credentials in notations of their own: URLs, headers, cookies, command lines (E3)."""

from __future__ import annotations

import re
from base64 import b64decode
from functools import lru_cache

from ibid.text.redact_prose import is_strict, trim_sentence
from ibid.text.redact_values import (
    NO,
    PASSWORD,
    RANDOM,
    compiled,
    grade,
    is_placeholder,
    is_random,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Found = tuple[int, int, str]
    Reader = Callable[[str, int], Iterator[Found]]


def find_forms(soft: str, low: str) -> Iterator[Found]:
    """Yield the secrets of every notation whose mark stands in the text."""
    if not soft.isascii():
        for match in _wide_marks().finditer(soft):
            yield from read_login(soft, match.start())
            yield from read_mnemonic(soft, match.start())
    for gate, marks in _readers():
        if gate not in low:
            continue
        for mark, reader in marks:
            at = low.find(mark)
            while at >= 0:
                yield from reader(soft, at)
                at = low.find(mark, at + len(mark))


@lru_cache(maxsize=1)
def _readers() -> tuple[tuple[str, tuple[tuple[str, Reader], ...]], ...]:
    """Return the marks and their readers behind the few pieces all of them share."""
    signed = (("sig=", read_query), ("signature=", read_query), ("sign in", read_login))
    return (
        ("://", (("://", read_url),)),
        ("auth", (("auth", read_auth),)),
        ("bearer", (("bearer", read_bearer),)),
        ("cookie", (("cookie", read_cookie),)),
        ("sig", signed),
        ("cred", (("cred", read_login),)),
        ("log", (("login", read_login), ("log in", read_login))),
        ("phrase", tuple((f"{w} phrase", read_mnemonic) for w in ("seed", "recovery"))),
        ("mnemonic", (("mnemonic", read_mnemonic),)),
        ('"kty', (('"kty', read_jwk),)),
    )


def read_url(soft: str, at: int) -> Iterator[Found]:
    """Read ``scheme://user:PASSWORD@host`` and ``scheme://TOKEN@host``."""
    hook = _webhook().match(soft, at + 3)
    if hook:
        scheme = 5 if soft.startswith("https", at - 5) else 4
        yield at - scheme, hook.end(), "webhook-url"
    match = _userinfo().match(soft, at + 3)
    if match is None:
        return
    user, password = match["user"], match["password"]
    if password is None:
        if is_random(user) and len(user) >= 16:
            yield match.start("user"), match.end("user"), "url-credential"
        return
    if is_random(user) and len(user) >= 20:
        yield match.start("user"), match.end("user"), "url-credential"
    if password != user and not _is_default(password):
        yield match.start("password"), match.end("password"), "url-credential"


def read_bearer(soft: str, at: int) -> Iterator[Found]:
    """Read ``Bearer VALUE`` wherever it stands."""
    match = _bearer().match(soft, at)
    if match and grade(match[1]) >= PASSWORD and len(match[1]) >= 16:
        yield match.start(1), match.end(1), "token"


def read_cookie(soft: str, at: int) -> Iterator[Found]:
    """Read the random values of ``Cookie:`` and ``Set-Cookie:``."""
    match = _cookie().match(soft, at)
    if match is None:
        return
    line = soft.find("\n", match.end(), match.end() + 4096)
    again = soft.find("ookie", match.end(), match.end() + 4096)
    ends = [end for end in (line, again) if end >= 0]
    for pair in _pair().finditer(soft, match.end(), min(ends, default=at + 4096)):
        if is_random(pair[1]) and len(pair[1]) >= 16 and grade(pair[1]) != NO:
            yield pair.start(1), pair.end(1), "cookie"


def read_query(soft: str, at: int) -> Iterator[Found]:
    """Read signatures and keys in a URL's query, where nothing else is called so."""
    match = _query().search(soft, max(0, at - 14), at + 600)
    value = match[1].rstrip(".") if match else ""
    if match is None or not is_random(value) or len(value) < 20:
        return
    start = match.start()
    if (start and soft[start - 1] in "?&") or value.endswith(("%3D", "%3d")):
        yield match.start(1), match.start(1) + len(value), "signature"


def read_auth(soft: str, at: int) -> Iterator[Found]:
    """Read ``Authorization: SCHEME VALUE``, ``"auth": "…"`` and ``auth=("u", "p")``."""
    match = _authorization().match(soft, at)
    if match and _is_credential(match["value"], bool(match["scheme"])):
        kind = "basic-auth" if (match["scheme"] or "").lower() == "basic" else "token"
        yield match.start("value"), match.end("value"), kind
    match = _auth().match(soft, at)
    if match and (_is_pair(match[1]) or (is_random(match[1]) and len(match[1]) >= 24)):
        yield match.start(1), match.end(1), "basic-auth"
    match = _auth_pair().match(soft, at)
    if match and grade(match["value"]) >= PASSWORD:
        yield match.start("value"), match.end("value"), "password"


def read_mnemonic(soft: str, at: int) -> Iterator[Found]:
    """Read the twelve to twenty-four words that restore a wallet."""
    match = _mnemonic().match(soft, at)
    if match and len(match[1].split()) in (12, 15, 18, 21, 24):
        yield match.start(1), match.end(1), "mnemonic"


def read_login(soft: str, at: int) -> Iterator[Found]:
    """Read ``login: admin / PASSWORD`` and its like after a word for logins."""
    match = _login().match(soft, at)
    value = trim_sentence(match["value"]) if match else ""
    if match is None or not is_strict(value, "password"):
        return
    start = match.start("value")
    sure = sum(c.isdigit() for c in value) > 1 or not value.isalnum()
    if sure or soft[start - 1] != "/":
        yield start, start + len(value), "password"


def read_jwk(soft: str, at: int) -> Iterator[Found]:
    """Read the private members of a JSON web key."""
    begin = soft.rfind("{", max(0, at - 1500), at)
    end = soft.find("}", at, at + 3000)
    for match in _jwk().finditer(soft, max(begin, at - 1500), max(end, at)):
        yield match.start(1), match.end(1), "private-key"


def _is_default(password: str) -> bool:
    return len(password) < 3 or is_placeholder(password) or password.startswith("$")


def _is_credential(value: str, after_scheme: bool) -> bool:
    if compiled(r"\w+=[^=]").match(value):
        return False
    return grade(value) >= (PASSWORD if after_scheme else RANDOM) and len(value) >= 8


def _is_pair(value: str) -> bool:
    try:
        pair = b64decode(value + "=" * (-len(value) % 4), validate=True)
    except ValueError:
        return False
    user, colon, password = pair.partition(b":")
    return bool(user and colon and password) and all(31 < byte < 127 for byte in pair)


@lru_cache(maxsize=1)
def _webhook() -> re.Pattern[str]:
    """Return the addresses that whoever knows them may post to."""
    return re.compile(
        r"hooks\.slack\.com/[a-z]{1,16}/[\w/-]{24,}"
        r"|(?:\w{1,16}\.)?discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,20}/[\w-]{40,}"
        r"|[\w-]{1,60}\.webhook\.office\.com/webhookb2/[\w@/-]{60,}"
        r"|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[\w-]{30,}"
        r"|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[\w-]{30,}",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _userinfo() -> re.Pattern[str]:
    return re.compile(
        r"(?P<user>[^\s/:@\"'<>`\\]{0,200})"
        r"(?::(?P<password>[^\s/\"'<>`\\]{1,256}))?@(?=[\w\[{$.-])",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _authorization() -> re.Pattern[str]:
    return re.compile(
        r"(?:[Aa]uthorization|AUTHORIZATION)(?:\\{0,7}[\"'`\])}]){0,3}\s{0,3}(?:=>|[:=,])\s{0,3}\\{0,7}[\"'`]?"
        r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9-]{1,20})[ \t]{1,4}"
        r"(?:(?:token|api_?key)=\\{0,7}\"?)?)?"
        r"(?P<value>[^\s\"'`\\,;<>(){}]{6,4096})",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _bearer() -> re.Pattern[str]:
    return re.compile(
        r"bearer\\{0,7}[\"']?[\s:]{1,3}\\{0,7}[\"']?([A-Za-z0-9._~+/=-]{16,4096})",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _cookie() -> re.Pattern[str]:
    return re.compile(
        r"cookies?\\{0,7}[\"']?(?:\s?[:=]\s?|\s(?=[\"']))(?:\\{0,7}[\"'])?",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _pair() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.-])[\w.-]{1,64}=([\w%.~+/=|-]{1,4096})", re.ASCII)


@lru_cache(maxsize=1)
def _query() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w-])(?:x-\w{2,8}-)?(?:sig|signature)=([A-Za-z0-9%._~+/=-]{16,512})",
        re.IGNORECASE | re.ASCII,
    )


@lru_cache(maxsize=1)
def _auth() -> re.Pattern[str]:
    return re.compile(
        r"(?<![A-Za-z0-9-])auth\\{0,7}[\"']?\s{0,3}[:=]\s{0,3}\\{0,7}[\"']?"
        r"([A-Za-z0-9+/_-]{8,2048}={0,2})"
    )


@lru_cache(maxsize=1)
def _auth_pair() -> re.Pattern[str]:
    return re.compile(
        r"[Aa]uth\s{0,2}=?\s{0,2}\(\s{0,2}[\"'][^\"'\n]{1,64}[\"'],\s{0,2}"
        r"(?:Some\()?[\"'](?P<value>[^\"'\n]{4,128})[\"']"
    )


@lru_cache(maxsize=1)
def _mnemonic() -> re.Pattern[str]:
    return re.compile(
        r"[^\n:=]{2,40}[:=]\s{0,3}[\"']?"
        r"((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _wide_marks() -> re.Pattern[str]:
    return re.compile("账号|帳號|账户|帳戶|登录|登入|助记词|助記詞")


@lru_cache(maxsize=1)
def _login() -> re.Pattern[str]:
    return re.compile(
        r"(?:(?<![A-Za-z0-9])(?:[Ll]og ?in|[Ss]ign in|[Cc]red(?:ential)?s?|LOGIN|CREDS?"
        r"|CREDENTIALS?)(?![A-Za-z_])|账号|帳號|账户|帳戶|登录|登入)"
        r"(?:[ ](?:are|is|with|as|using|for|the|user|in|to|via)){0,4}[ ]?[:=]?[ ]{0,2}"
        r"[\"'`(]?[A-Za-z0-9_@+-][\w.@+-]{1,40}[\"'`]?(?:[ ]?/[ ]?|[ ]?:[ ]?|[ ]\|[ ])"
        r"[\"'`]?(?P<value>[!-~]{6,64})",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _jwk() -> re.Pattern[str]:
    return re.compile(
        r"\"(?:d|k|p|q|dp|dq|qi)\\{0,7}\"\s{0,3}:\s{0,3}\\{0,7}\"([\w-]{22,1400})"
    )
