"""Names that announce a credential: ``DB_PASSWORD``, ``apiKey``, ``密码`` (E3).

A name is read word by word, so that ``password_hash``, ``max_tokens`` and
``public_key`` are not taken for what their first or last letters say.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ibid.text.redact_words import ABOUT, CLOSED, CURSORS, NEUTRAL, OPENING, READING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: What a name promises.  OPEN is a key whose name says no more than that.
PASS, SECRET, TOKEN, KEY, CODE = "password", "secret", "token", "key", "code"
OPEN = "open"

_HEADS = {
    PASS: "password passwd passphrase passcode passwort passwords passkey pwd pass pw"
    " psk masterpass requirepass masterauth",
    SECRET: "secret secrets credential credentials creds",
    TOKEN: "token pat authtoken accesstoken bearertoken tokens",
    KEY: "apikey secretkey accesskey privatekey authkey appkey apikeys",
    CODE: "otp totp pin mfa 2fa",
}
_FAMILY = {word: family for family, words in _HEADS.items() for word in words.split()}
_ENDINGS = (
    ("password", PASS), ("passwd", PASS), ("passphrase", PASS), ("dbpass", PASS),
    ("userpass", PASS), ("secretkey", KEY), ("privatekey", KEY), ("apikey", KEY),
    ("accesskey", KEY), ("authtoken", TOKEN), ("accesstoken", TOKEN),
    ("apitoken", TOKEN), ("refreshtoken", TOKEN), ("clientsecret", SECRET),
    ("appsecret", SECRET),
)  # fmt: skip
_WIDE = {
    "密码": PASS, "密碼": PASS, "口令": PASS, "パスワード": PASS, "пароль": PASS,
    "비밀번호": PASS, "密钥": KEY, "密鑰": KEY, "金鑰": KEY, "私钥": KEY, "私鑰": KEY,
    "令牌": TOKEN, "权杖": TOKEN, "權杖": TOKEN, "凭证": SECRET, "憑證": SECRET,
    "凭据": SECRET, "验证码": CODE, "驗證碼": CODE,
}  # fmt: skip
#: The pieces by which the names are looked for; every name holds one.
_PIECES = (
    "pass", "secret", "token", "key", "cred", "auth", "psk", "_pat", "pw", "otp", "pin",
)  # fmt: skip
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.$")


class Label:
    """The name of a credential where it stands in a text.

    `family` is what the name promises; `loose` says that words follow in the name
    which make that doubtful.
    """

    __slots__ = ("end", "family", "loose", "name", "start")

    def __init__(self, name: str, span: tuple[int, int], family: str, loose: bool):
        self.name = name
        self.start, self.end = span
        self.family = family
        self.loose = loose


def find_labels(soft: str, low: str) -> Iterator[Label]:
    """Yield the names of credentials in the softened text, each once.

    Args:
        soft: The softened text.
        low: The same in lower case, one character for one.
    """
    done: set[int] = set()
    for piece in _PIECES:
        at = low.find(piece)
        while at >= 0:
            label = _label(soft, at, len(piece))
            if label and label.start not in done:
                done.add(label.start)
                yield label
            at = low.find(piece, at + len(piece))
    if not soft.isascii():
        for match in _wide_names().finditer(soft):
            yield Label(match[0], match.span(), _WIDE[match[0]], False)


@lru_cache(maxsize=4096)
def family_of(name: str, before: str = "") -> tuple[str, bool] | None:
    """Say what `name` announces, and whether it does so loosely; None for nothing.

    Args:
        name: The identifier, with its ``_``, ``-`` and ``.``.
        before: The word that stands before it, for names of two words (``API key``).
    """
    words = split_words(name)
    if before and words in (["key"], ["keys"]):
        words = [*split_words(before), *words]
    for i in range(len(words) - 1, -1, -1):
        family = _head(words, i)
        if family is None:
            continue
        rest = words[i + 1 :]
        if _is_other(words[:i], words[i], family) or any(w in ABOUT for w in rest):
            return None
        loose = any(w not in NEUTRAL and not w.isdigit() for w in rest)
        return family, loose or words[i] == "pat"
    return (OPEN, True) if _is_open_key(words) else None


def is_reader(name: str) -> bool:
    """Whether `name` is a function's that takes something else than the credential."""
    return any(w in READING for w in split_words(name))


def is_env_name(name: str) -> bool:
    """Whether `name` is written the way environment variables are."""
    return name.upper() == name and bool(split_words(name))


def split_words(name: str) -> list[str]:
    """Split an identifier into its lower-case words."""
    return [w.lower() for w in _words().findall(name)]


def _label(soft: str, at: int, size: int) -> Label | None:
    """Return the label whose name holds the piece at `at`."""
    if size < 4 and at and _is_inner(soft, at):
        return None
    tail = _tail().match(soft, at + size)
    end = tail.end() if tail else at + size
    after = soft[end : end + 1]
    if after.isalnum() and after.isascii():
        return None
    start = at
    while start > 0 and at - start < 48 and soft[start - 1] in _NAME:
        start -= 1
    if _is_segment(soft, start):
        return None
    name = soft[start:end].strip(".$")
    before = ""
    if start and name.isalpha() and soft[start - 1] == " ":
        previous = _previous().search(soft, max(0, start - 24), start)
        before = previous[1] if previous else ""
    elif start and name == "key" and soft[start - 1] in "?&":
        before = "query"
    known = family_of(name.lstrip("-."), before)
    return Label(name, (start, end), *known) if known else None


def _is_segment(soft: str, start: int) -> bool:
    """Whether the name belongs to a marker, or to the name of a cloud's resource."""
    if start == 0 or soft[start - 1] != ":":
        return False
    word = soft[max(0, start - 90) : start].split()[-1:]
    return bool(word) and ("[redacted:" in word[0][-10:] or "arn:" in word[0])


def _is_inner(soft: str, at: int) -> bool:
    """Whether a word has begun before `at`: ``mapping``, ``monkey``."""
    return soft[at - 1].islower() and soft[at].islower() and soft[at] != "k"


def _head(words: list[str], i: int) -> str | None:
    """Return what the word at `i` makes of the words before it."""
    word = words[i]
    if word in ("key", "keys"):
        return KEY if i and any(w in OPENING for w in words[:i]) else None
    if word in ("pat", "mfa", "2fa") and len(words) == 1:
        return None
    family = _FAMILY.get(word)
    return family or next((f for end, f in _ENDINGS if word.endswith(end)), None)


def _is_other(before: list[str], head: str, family: str) -> bool:
    """Whether the words before the head turn it into something else."""
    if not before:
        return head in ("tokens", "secrets")
    if family == TOKEN:
        return any(w in CURSORS for w in before)
    if family == KEY:
        return any(w in ("public", "pub", "primary", "foreign") for w in before)
    amazon = head == "credential" and "amz" in before
    return amazon or before[-1] in ("no", "without", "not", "forgot", "has", "is")


def _is_open_key(words: list[str]) -> bool:
    if len(words) < 2 or words[-1] not in ("key", "keys"):
        return False
    if words[:-1] == ["query"]:
        return True
    return not any(w in CLOSED or len(w) < 2 for w in words[:-1])


@lru_cache(maxsize=1)
def _wide_names() -> re.Pattern[str]:
    return re.compile("|".join(_WIDE))


@lru_cache(maxsize=1)
def _tail() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9_-]{1,48}", re.ASCII)


@lru_cache(maxsize=1)
def _previous() -> re.Pattern[str]:
    return re.compile(r"([A-Za-z0-9]{2,24})[ -]$", re.ASCII)


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    return re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
