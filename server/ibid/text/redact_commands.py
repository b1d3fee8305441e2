"""Passwords on command lines and in statements: ``curl -u``, ``IDENTIFIED BY`` (E3)."""

from __future__ import annotations

import re
from functools import lru_cache

from ibid.text.redact_tables import read_insert
from ibid.text.redact_values import NO, PASSWORD, compiled, grade

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Found = tuple[int, int, str]
    Reader = Callable[[str, int], Iterator[Found]]

#: How far a command is read, in characters.
_LONGEST = 400


def find_commands(soft: str, low: str) -> Iterator[Found]:
    """Yield the passwords of the commands and statements in the softened text."""
    options = set(_letters().findall(low))
    for gate, command, patterns in _OPTIONS:
        at = low.find(command) if gate in options or gate == command else -1
        while at >= 0:
            end = _line_end(soft, at)
            for pattern in patterns:
                for match in compiled(pattern).finditer(soft, at, end):
                    if _is_typed(match["value"]):
                        yield *match.span("value"), "password"
            at = low.find(command, max(end, at + len(command)))
    for mark, reader in _readers():
        at = low.find(mark)
        while at >= 0:
            yield from reader(soft, at)
            at = low.find(mark, at + len(mark))


@lru_cache(maxsize=1)
def _readers() -> tuple[tuple[str, Reader], ...]:
    """Return the marks of statements and who reads them."""
    return (
        ("echo ", read_piped),
        ("printf ", read_piped),
        ("pgpass", read_pgpass),
        (":5432:", read_pgpass),
        ("connect", read_connection),
        ("identified", read_identified),
        ("securestring", read_identified),
        ("net user", read_identified),
        ("oracle:", read_identified),
        ("insert into", read_insert),
    )


def read_piped(soft: str, at: int) -> Iterator[Found]:
    """Read ``echo PASSWORD | sudo -S`` and its like."""
    match = _piped().match(soft, at)
    if match and _is_typed(match["value"]):
        yield *match.span("value"), "password"


def read_pgpass(soft: str, at: int) -> Iterator[Found]:
    """Read ``host:5432:database:user:PASSWORD``."""
    begin = soft.rfind("\n", max(0, at - 300), at) + 1
    match = _pgpass().search(soft, max(begin, at - 300), at + 300)
    if match and grade(match[1]) != NO:
        yield match.start(1), match.end(1), "password"


def read_connection(soft: str, at: int) -> Iterator[Found]:
    """Read the third argument of ``connect(url, "user", "PASSWORD")``."""
    match = _connection().match(soft, at)
    if match and grade(match["value"]) >= PASSWORD:
        yield *match.span("value"), "password"


def read_identified(soft: str, at: int) -> Iterator[Found]:
    """Read the password of statements that call it by another name."""
    match = _identified().match(soft, at)
    value = match[match.lastgroup or 0] if match else ""
    if match and match.lastgroup and grade(value) >= PASSWORD:
        yield *match.span(match.lastgroup), "password"


def _line_end(soft: str, at: int) -> int:
    """Return the end of the command at `at`, over lines that a backslash joins."""
    stop = soft.find("\n", at, at + _LONGEST)
    while stop > 0 and soft[stop - 1] == "\\":
        stop = soft.find("\n", stop + 1, at + _LONGEST)
    return stop if stop > 0 else min(len(soft), at + _LONGEST)


def _is_typed(value: str) -> bool:
    mark = grade(value)
    return mark >= PASSWORD or (mark != NO and len(value) >= 5)


_BARE = r"(?P<value>[^\s\"'`]{2,200})"
_ANY = r"[\"']?" + _BARE


#: The option's letter, or the command itself; the command; how its password is written.
_OPTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "curl",
        "curl",
        (
            r"\s(?:-u|-U|--user|--proxy-user)[ =]?[\"']?[^\s:\"']{0,64}:" + _BARE,
            r"\s(?:-b|--cookie)[ =][\"']?[^=\s]{1,64}=(?P<value>[^\s\"'`;]{16,})",
        ),
    ),
    (
        "p",
        "mysql",
        (r"\s-p(?P<value>[^\s\"'`-][^\s\"'`]{2,100})", r"\s-p[\"']" + _BARE),
    ),
    ("p", "login", (r"(?<=login)\s.{0,160}?\s-p ?" + _ANY,)),
    ("p", "mongo", (r"\s-p ?" + _ANY,)),
    ("p", "sqlcmd", (r"\s-P ?" + _ANY,)),
    ("p", "zip -", (r"\s-P ?" + _ANY,)),
    ("p", "sshpass", (r"\s-p ?" + _ANY,)),
    ("p", "openssl", (r"\spass:" + _ANY,)),
    ("k", "openssl", (r"\s-k " + _ANY,)),
    ("a", "redis-cli", (r"\s-a ?" + _ANY, r"\s--pass " + _ANY)),
    ("w", "ldap", (r"\s-w ?" + _ANY,)),
    ("u", "smbclient", (r"\s-U ?[\"']?[^\s%\"']{1,64}%" + _BARE,)),
    ("a", "http -a", (r"\s-a ?[\"']?[^\s:\"']{1,64}:" + _BARE,)),
    ("sqlplus", "sqlplus", (r"\s\w{1,32}/(?P<value>[^\s/@]{4,64})@",)),
)


@lru_cache(maxsize=1)
def _letters() -> re.Pattern[str]:
    """Return the options that may carry a password: their letters."""
    return re.compile(r" -([pakwu])")


@lru_cache(maxsize=1)
def _piped() -> re.Pattern[str]:
    return re.compile(
        r"(?i:echo|printf)\s{1,3}(?:-n\s{1,3})?[\"']?(?:[\w.-]{1,32}:)?"
        r"(?P<value>[^\s\"'|\\]{4,128})(?:\\n)?[\"']?\s{0,3}\|[^|\n]{0,120}?"
        r"(?:sudo -S|chpasswd|-stdin|-with-token|secret create)",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _pgpass() -> re.Pattern[str]:
    return re.compile(
        r"(?<![\w.*:-])[\w.*-]{1,64}:(?:\d{2,5}|\*):[\w.*-]{1,64}:[\w.*-]{1,64}:"
        r"([^\s:#\"'/]{4,128})(?!\S)",
        re.ASCII,
    )


@lru_cache(maxsize=1)
def _connection() -> re.Pattern[str]:
    return re.compile(
        r"[Cc]onnect(?:ion)?\s?\([^()\n]{1,120}?,\s{0,3}[\"'][^\"'\n]{1,40}[\"'],\s{0,3}"
        r"[\"'](?P<value>[^\"'\n]{4,128})[\"']"
    )


@lru_cache(maxsize=1)
def _identified() -> re.Pattern[str]:
    return re.compile(
        r"(?i:identified\s(?:with\s\w{1,32}\s)?by)\s'(?P<sql>[^'\n]{4,128})'"
        r"|IDENTIFIED BY \"(?P<oracle_sql>[^\"\n]{4,128})\""
        r"|(?i:securestring)\s(?:-\w{1,16}\s)?[\"'](?P<ps>[^\"'\n]{4,128})[\"']"
        r"|net user [\w.@-]{1,40} (?P<net>[^\s/*]{4,64})"
        r"|oracle:\w{1,8}:\w{1,32}/(?P<oracle>[^\s/@]{4,64})@"
    )
