"""Whether a value that stands at a credential's place is one (E2).

:func:`grade` says how much a value looks like a secret, from 0 (a placeholder, code, a
path, a number) to 3 (random).  What grade a place asks for is its caller's business.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import add

from ibid.text.redact_words import (
    ASKING,
    ENDINGS,
    FOLLOWS,
    GENERIC,
    REFERRING,
    SENTENCE,
)

#: Grades of :func:`grade`.
NO, WORD, PASSWORD, RANDOM = 0, 1, 2, 3
#: How much of a long value is looked at: enough to know it, and the work stays linear.
_JUDGED = 96
#: How public values begin: digests, public keys, the names of resources.
_PUBLIC = (
    "sha256", "sha512", "sha384", "sha1-", "md5:", "aaaac3n", "aaaab3n", "arn:", "urn:",
    "ssh-", "projects/",
)  # fmt: skip


def grade(value: str) -> int:
    """Say how much `value` looks like a secret: NO, WORD, PASSWORD or RANDOM.

    WORD is letters a person could have chosen; PASSWORD has the mixture people are
    asked for; RANDOM was drawn by a machine.
    """
    value = value[:_JUDGED]
    if len(value) < 4 or is_placeholder(value):
        return NO
    random = is_random(value)
    if is_code(value) and not (random and len(set(_marks().findall(value))) > 2):
        return NO
    if random:
        return NO if is_public(value) else RANDOM
    if is_reference(value) or is_technical(value):
        return NO
    return _chosen(value)


def is_placeholder(value: str) -> bool:
    """Whether `value` stands for a secret to be filled in, or says there is none."""
    if _templates().search(value) or len(set(value)) < 3:
        return True
    low = value.lower()
    if any(word in low for word in ASKING):
        return True
    words = _words().findall(value)
    return not value.isdigit() and bool(words) and all(map(_is_generic, words))


def is_code(value: str) -> bool:
    """Whether `value` is an expression: a call, an index, an attribute, a variable."""
    match = _expressions().match(value)
    if match is not None and not is_random(match[0]):
        return True
    return bool(_patterns().search(value))


def is_random(value: str) -> bool:
    """Whether a machine drew `value`: its characters change kind or follow no word."""
    value = value[:_JUDGED]
    if compiled(r"(?=[0-9]*[A-Fa-f])(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{16,}").fullmatch(
        value
    ):
        return True
    pieces = _pieces().findall(value)
    size = sum(map(len, pieces))
    digits = sum(len(p) for p in pieces if p.isdigit())
    if size < 10 or size < 0.6 * len(value) or digits == size:
        return False
    mean = size / (len(pieces) - len(_chunks().findall(value)) + 1)
    if digits and mean <= 3.4 and size >= 16:
        return True
    mixed = value.lower() != value != value.upper()
    if mean <= 2.9 and (digits >= 2 or mixed) and rarity(value) > 0.15:
        return True
    return size >= 16 and mean < 12 and rarity(value) > 0.3


def rarity(text: str) -> float:
    """Return which share of the letter pairs in `text` English hardly ever uses."""
    pieces = [p for p in _pieces().findall(text) if not p.isdigit()]
    low = " ".join(pieces).lower()
    pairs = len(low) - 2 * len(pieces) + 1
    if pairs <= 0:
        return float(len(text) > 7)
    return 1 - sum(map(_pairs().__contains__, map(add, low, low[1:]))) / pairs


def is_reference(value: str) -> bool:
    """Whether `value` points at something: a path, an address, a file, a name."""
    low = value.lower()
    if "://" in value or low.startswith(("arn:", "ssh-", "projects/", "urn:")):
        return True
    if (
        value.startswith(("/", "./", "../", "~/", "--", "//", "\\"))
        or value[1:3] == ":\\"
    ):
        return True
    if value[0] in "@&*!" and is_wordlike(value[1:]) and value[1:].isalpha():
        return True
    if "/" in value and all(map(is_wordlike, value.strip("/").split("/")[:4])):
        return True
    return low.endswith(ENDINGS) or bool(_addresses().fullmatch(value))


def is_technical(value: str) -> bool:
    """Whether `value` is a figure or the name of a technique: ``sha256``, ``8-bit``."""
    if _figures().fullmatch(value):
        return True
    if value.isalpha() or _marks().search(value):
        return False
    words = [w.lower() for w in _camel().split(value) if w]
    if len(words) > 2 and not any(len(w) > 2 and w.isalpha() for w in words):
        return False
    return all(
        len(w) < 5 or rarity(w) <= 0.3 if w.isalpha() else _techniques().fullmatch(w)
        for w in words
    )


def has_mark(value: str) -> bool:
    """Whether a sign stands in `value` that names and paths do not have."""
    return bool(_marks().search(value))


def is_public(value: str) -> bool:
    """Whether a random `value` is of a kind that is no secret by itself."""
    return value.lower().startswith(_PUBLIC)


def is_wordlike(text: str) -> bool:
    """Whether the letters of `text` could be words."""
    return bool(text) and not is_random(text) and rarity(text) <= 0.25


def names_credential(value: str) -> bool:
    """Whether `value` is an identifier that speaks of credentials: ``user_pass2``."""
    if not compiled(r"[A-Za-z_][\w.:$\[\]>-]*").fullmatch(value) or is_random(value):
        return False
    if any(not _techniques().fullmatch(w) for w in _glued().findall(value)):
        return False  # Names end in a digit; passwords have it between words.
    words = [w.rstrip("0123456789").lower() for w in _words().findall(value)]
    return any(w in REFERRING for w in words) and rarity(value) <= 0.25


def is_chosen_word(value: str) -> bool:
    """Whether `value` is one lower-case word that somebody may have chosen."""
    return len(value) >= 6 and value.isalpha() and value.islower() and value.isascii()


def is_passphrase(value: str) -> bool:
    """Whether `value` is three to eight plain words with none of a sentence's."""
    words = value.split(" ")
    if not 3 <= len(words) <= 8 or not all(2 <= len(w) <= 12 for w in words):
        return False
    plain = all(w.islower() and w.isalnum() and w.isascii() for w in words)
    usual = sum(w in GENERIC for w in words)
    return plain and usual * 3 < len(words) and not any(w in SENTENCE for w in words)


def _chosen(value: str) -> int:
    letters = sum(c.isalpha() for c in value)
    digits = sum(c.isdigit() for c in value)
    if letters and digits:
        return PASSWORD if len(value) >= 5 else NO
    if digits:
        return WORD if digits >= 4 and digits == len(value) else NO
    if letters and _marks().search(value[1:-1]):
        return PASSWORD
    if not letters:
        return NO
    known = any(len(w) > 3 and _is_generic(w) for w in _words().findall(value))
    if known or " " in value or letters < 8:
        return WORD
    mean = letters / max(1, len(_pieces().findall(value)))
    mixed = value.lower() != value != value.upper()
    if mixed and (mean <= 3.2 or letters >= 10):
        return PASSWORD if rarity(value) > 0.25 else WORD
    return PASSWORD if letters >= 10 and rarity(value) > 0.45 else WORD


def _is_generic(word: str) -> bool:
    if word.isdigit():
        return True
    bare = word.lower().rstrip("0123456789")
    return bare in GENERIC and len(word) - len(bare) <= 1


@lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile `pattern` when it is first needed: most texts need none (DESIGN)."""
    return re.compile(pattern, re.ASCII)


@lru_cache(maxsize=1)
def _pairs() -> frozenset[str]:
    return frozenset(a + b for a, follow in FOLLOWS.items() for b in follow)


@lru_cache(maxsize=1)
def _templates() -> re.Pattern[str]:
    """Return what fills in later: ``<key>``, ``${VAR}``, ``%s``, ``[redacted:x]``."""
    return re.compile(
        r"^[\W_]+$|^\{[\w.\[\]]+(?:![rsa]?)?$|^[,}\])]+(?:[\"',:{}\[\]]|$)"
        r"|^\[[\w .:/-]{0,60}\]$|^\([\w .:/-]{0,60}\)$|^__(?:[a-z_]+|[A-Z_]+)__$"
        r"|\$\{|\$\(|\{\{|\}\}|<%|#\{|%\(\w+\)|\[redacted|\[REDACTED|\[MASKED"
        r"|^\$\w+$|^%[A-Z]\w+%$|^%[sdvr]$|^\{[\w.!:]*\}$|\{[a-z_][\w.]*\}|^<|^&#?\w+;?$"
        r"|(.)\1{7}|xxxx|XXXX"
        r"|(?:^|[^a-z])[Yy]our(?:$|[^a-z])|^YOUR|YOUR[_ -]"
        r"|[Yy]our(?:[Aa]pi|[Kk]ey|[Tt]ok|[Ss]ec|[Pp]ass)",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _expressions() -> re.Pattern[str]:
    """Return what code begins with; the match is the name that is judged."""
    return re.compile(
        r"[A-Za-z_$@][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*"
        r"(?=[(\[{]|\?\.|::|->|\.$)"
        r"|(?:self|this|cls|os|process|env|config|settings|args|opts|options|props|req"
        r"|request|res|response|ctx|data|form|user|state|params|session|import|secrets"
        r"|vars?|local|module|each|steps|github|inputs|Values|event|event|json|body)"
        r"\.[A-Za-z_][\w.]*$"
        r"|[A-Za-z_$][A-Za-z_$]*(?:\.[A-Za-z_$][A-Za-z_$]*)+$"
        r"|=>",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _patterns() -> re.Pattern[str]:
    """Return what only regular expressions and alphabets hold."""
    return re.compile(
        r"\[.*(?:a-z|A-Z|0-9)|\[\^?\\?[A-Za-z0-9]-[A-Za-z0-9]|\(\?|\[\^|\[\[|\\[dwsDWSbB][*+{\\]|\\x[0-9a-f]{2}\\x|\.[*+][?$)]"
        r"|^/\^|\\u[0-9A-Fa-f]{4}|%[sdr][:@]|[:@]%[sdr]|\)\.[a-z]|\)[?*+]"
        r"|abcdefghij|ABCDEFGHIJ|['\"].*\(|\(.*['\"]"
    )


@lru_cache(maxsize=1)
def _addresses() -> re.Pattern[str]:
    return re.compile(
        r"[\w.+-]+@[\w-]+(?:\.[A-Za-z]{2,})+|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}(?:[:/].*)?"
        r"|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?|localhost.*|@[\w-]+/[\w./-]+",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _figures() -> re.Pattern[str]:
    return re.compile(
        r"v?\d+(?:\.\d+)+[\w.+-]*|\d{4}-\d\d(?:-\d\d)?\S*|\d\d?:\d\d\S*"
        r"|\d[\d,_.]*[%A-Za-z]{1,2}"
        r"|\d+(?:-\d+)?[ -]?(?:bits?|bytes?|chars?|characters?|digits?|hours?|h|days?"
        r"|mins?|minutes?|ms|s|sec|seconds?|weeks?|months?|years?|k|kb|mb|gb|tokens?|x|px)"
        r"(?:-[a-z]+)*|(?:0x|#)[0-9A-Fa-f]{1,16}|\d+\.\d+|\d+[eE]\d+|[+-]?\d{1,3}",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _techniques() -> re.Pattern[str]:
    """Return words that carry a digit without being anybody's password."""
    return re.compile(
        r"(?:sha|md|nistp|secp|aes|rsa|dsa|hs|rs|es|ps|ed|curve|x|utf|ucs|iso|base|b"
        r"|oauth|openid|oidc|pbkdf|argon|bcrypt|scrypt|hmac|chacha|blake|crc|poly|tls"
        r"|ssl|http|https|ipv|ip|v|ver|version|rev|release|py|python|node|java|jdk|php"
        r"|ruby|go|rust|ecma|html|css|vue|react|k|s|ec|r|h|d|i|l|p|q|t|c|n|m|u|gpt"
        r"|claude|llama|gemini|qwen|mistral|gemma|phi|o|win|amd|arm|aarch|int|uint|float"
        r"|str|latin|cp|gb|big|mp|step|level|phase|part|page|line|user|item|row|col|id"
        r"|idx|index|num|test|case|type|msg|key|token|secret|pass|password|var|arg|param"
        r"|field|varchar|char|nvarchar|decimal|bit|bigint|smallint|host|port|web|log|math|atan|exp|vec|mat|sm|pkcs|psk|wpa|ws|neo|auth|rc"
        r"|beta|alpha|dev)\d{1,5}(?:[a-z]{0,3}|url|id)?|\d{1,4}|\d{1,3}[a-z]{1,2}|k8s"
        r"|i18n|l10n|a11y|p2p|e2e|x86|2fa|b2b|n8n|utf8mb4|(?:19|20)\d{6}",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _glued() -> re.Pattern[str]:
    return re.compile(r"[a-z]{4,}[0-9]+(?=[a-z]{3})")


@lru_cache(maxsize=1)
def _pieces() -> re.Pattern[str]:
    return re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


@lru_cache(maxsize=1)
def _chunks() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9]+")


@lru_cache(maxsize=1)
def _camel() -> re.Pattern[str]:
    return re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    return re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+|[^\x00-\x7f]+")


@lru_cache(maxsize=1)
def _marks() -> re.Pattern[str]:
    return re.compile(r"[!@#$%^&*?+~=]")
