"""Whether a text can hold a secret at all: what each kind of rule needs to see (E3).

Most prompts and notes hold none of it, and the rules take longer to load than a hook
may run.  A gate only ever errs to the safe side: where it says no, its rules find
nothing; a test holds the two together.
"""

from __future__ import annotations

import re
from functools import lru_cache

#: Pieces of credentials that no run of token characters holds whole.
_LOOSE = ("Q~", "TT3", "fm2_", "whsec_", "ABSK", "ntKey=", "ssKey=")
#: What begins a notation of its own, in lower case.
_MARKS = (
    "://", "auth", "bearer", "cookie", "sig=", "signature=", "sign in", "cred", "login",
    "log in", "seed phrase", "recovery phrase", "mnemonic", '"kty',
)  # fmt: skip
#: What begins a command or statement that takes a password, in lower case.
_COMMANDS = (
    "echo ", "printf ", "pgpass", ":5432:", "connect", "identified", "securestring",
    "net user", "oracle:", "insert into", "curl", "mysql", "login", "mongo", "sqlcmd",
    "zip -", "sshpass", "openssl", "redis-cli", "ldap", "smbclient", "http -a",
    "sqlplus",
)  # fmt: skip
#: Pieces of names for credentials; the short ones only where a word begins.
_PIECES = ("pass", "secret", "token", "key", "cred", "auth", "_pat")
_SHORT = ("psk", "pw", "otp", "pin")
#: The same in other scripts.
_WIDE_MARKS = ("账号", "帳號", "账户", "帳戶", "登录", "登入", "助记词", "助記詞")
_WIDE_PIECES = (
    "密码", "密碼", "口令", "パスワード", "пароль", "비밀번호", "密钥", "密鑰", "金鑰",
    "私钥", "私鑰", "令牌", "权杖", "權杖", "凭证", "憑證", "凭据", "验证码", "驗證碼",
)  # fmt: skip


def may_hold_key_block(soft: str) -> bool:
    """Whether a private key in armour may stand in the softened text."""
    return "PRIVATE KEY" in soft or "PuTTY" in soft


def may_hold_shape(soft: str) -> bool:
    """Whether a credential that says by its shape what it is may stand there."""
    if len(soft) < 8:
        return False
    return _run().search(soft) is not None or any(piece in soft for piece in _LOOSE)


def may_hold_form(soft: str, low: str) -> bool:
    """Whether a notation of credentials may stand there."""
    if not soft.isascii() and any(mark in soft for mark in _WIDE_MARKS):
        return True
    return any(mark in low for mark in _MARKS)


def may_hold_command(low: str) -> bool:
    """Whether a command or statement that takes a password may stand there."""
    return any(command in low for command in _COMMANDS)


def may_hold_label(soft: str, low: str) -> bool:
    """Whether the name of a credential may stand there."""
    if not soft.isascii() and any(piece in soft for piece in _WIDE_PIECES):
        return True
    if any(piece in low for piece in _PIECES):
        return True
    return any(_begins(soft, low, piece) for piece in _SHORT)


def _begins(soft: str, low: str, piece: str) -> bool:
    at = low.find(piece)
    while at >= 0:
        if not at or not (soft[at - 1].islower() and soft[at].islower()):
            return True
        at = low.find(piece, at + len(piece))
    return False


@lru_cache(maxsize=1)
def _run() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9_-]{16}")
