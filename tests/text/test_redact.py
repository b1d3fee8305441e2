"""Masking values in whole texts: what goes, what stays, and that twice is once (E2)."""

import random
import string
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.text import redact as module
from ibid.text.redact import (
    REDACT_VERSION,
    find_secrets,
    has_secret,
    mask_values,
    redact,
)

ALNUM = string.ascii_letters + string.digits
WORDS = ("harbour", "falcon", "copper", "meadow", "tiger", "orbit", "velvet")


def token(rng: random.Random, size: int = 32) -> str:
    """Draw a machine's token."""
    return "".join(rng.choices(ALNUM, k=size))


def password(rng: random.Random) -> str:
    """Draw a password the way people make them."""
    return rng.choice(
        (
            f"{rng.choice(WORDS).capitalize()}{rng.randrange(100, 9999)}!",
            f"{rng.choice(WORDS)}-{rng.choice(WORDS)}{rng.randrange(10, 999)}",
            token(rng, 14),
        )
    )


PROSE = [
    "Never log the password in plain text.",
    "Ask my secretary about the meeting.",
    "Always rotate the API key monthly.",
    "The password must have at least 12 characters and one digit.",
    "Bearer tokens go into the Authorization header.",
    "We count tokens with tiktoken; max_tokens is 4096.",
    "The secret of fast builds is caching; the key is patience.",
    "Token usage: input=1234 output=567 cached=89012",
    "The API key is read from the environment, see config/settings2.py.",
    "Passwords are hashed with argon2id, secrets live in vault2.",
    "The access token is valid until 2026-03-04T10:11:12Z.",
    "The token is base64-encoded JSON, the secret is 32-byte hex.",
    "Fix: token refresh raced with logout (#1234), see a1b2c3d4e5.",
    "密码长度至少 12 位，密码错误 5 次锁定 30 分钟。",
    "请在环境变量里配置密钥，不要写进代码。",
    "我们决定：以后所有密码都用 argon2id 加密存储。",
    "登录接口返回 token，有效期为7200秒。",
    "密碼必須包含數字，金鑰每 90 天輪換一次。",
]


@pytest.mark.parametrize("text", PROSE)
def test_prose_about_secrets_survives(text: str) -> None:
    """A sentence about secrets that holds none comes back as the same object."""
    assert redact(text) is text
    assert not has_secret(text)


@pytest.mark.parametrize(
    "line",
    [
        "DB_PASSWORD={}\n",
        "export API_TOKEN='{}' # rotate",
        '  "client_secret": "{}",\n',
        "  password: {}\n  user: app\n",
        "$ mysql --password={} app",
        "The admin password is {}, change it.",
        "数据库密码是 {}，别外传。",
        "postgres://app:{}@db.example.com:5432/app",
        "\ttoken\t=\t'{}'   \n",
    ],
)
def test_only_the_value_goes(line: str) -> None:
    """Every byte around the value stays where it was."""
    rng = random.Random(line)
    for _ in range(10):
        value = password(rng)
        before, after = line.split("{}")
        masked = redact(before + value + after)
        assert masked.startswith(before + "[redacted:")
        assert masked.endswith("]" + after)
        assert value not in masked


def test_spans_name_the_value() -> None:
    """A span holds the value, its kind is the marker's, and the kind is one word."""
    rng = random.Random(3)
    first, second = password(rng), token(rng)
    text = f"password: {first}\nAPI_TOKEN={second}\n"
    spans = find_secrets(text)
    assert [text[s.start : s.end] for s in spans] == [first, second]
    assert [s.kind for s in spans] == ["password", "token"]
    assert redact(text) == "password: [redacted:password]\nAPI_TOKEN=[redacted:token]\n"


def test_value_is_masked_again_where_nothing_announces_it() -> None:
    """A value that was announced once is masked in the rest of the text too."""
    value = "Harbour" + str(random.Random(5).randrange(1000, 9999))
    text = f"The password is {value} for now.\nI typed {value} and got in; {value}x no."
    masked = redact(text)
    assert masked.count("[redacted:password]") == 2
    assert masked.endswith(f"{value}x no.")


@pytest.mark.parametrize(
    "text",
    [
        "password=[redacted:password]",
        '"api_key": "[redacted:key]"',
        "the token is [redacted:token], ok",
        "Authorization: Bearer [redacted:token]",
        "postgres://app:[redacted:url-credential]@db",
        "[redacted:password]: [redacted:token] [redacted:private-key]",
        "[redacted:password]=Meadow[redacted:token]",
        "密码是[redacted:password]",
    ],
)
def test_markers_are_never_matched(text: str) -> None:
    """A text that was redacted before holds no secret."""
    assert find_secrets(text) == []


PIECES = st.sampled_from(
    [
        "password", "token", "api_key", "secret", "密码", "是", "：", "=", ": ",
        " is ", '"', "'", '\\"', "\\n", "\n", " ", "://", "a:", "@h", "&x=", "?key=",
        "curl -u ", "Bearer ", "Cookie: s=", "[redacted:token]", "|", ",", "(", ")",
        "{", "}", "<", ">", "\x1b[32m", "\x1b[0m", "gh" + "p_", "sk" + "-",
        "Meadow4821!", "falcon-tiger77", "aB3xK9mQ2vR7tY5wZ1nC4pL8", "%22", "\u0130",
        "0f3a9c1e5b7d2468ace0", "\ud800", "x",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_twice_is_once(text: str) -> None:
    """Redacting again changes nothing, and nothing is left to find (E2)."""
    masked = redact(text)
    assert redact(masked) == masked
    assert find_secrets(masked) == []


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=14).map("".join)))
def test_spans_are_sorted_and_apart(text: str) -> None:
    """Spans lie in the text, in order, none on another; the cheap test agrees."""
    spans = find_secrets(text)
    ends = [0]
    for span in spans:
        assert ends[-1] <= span.start < span.end <= len(text)
        ends.append(span.end)
    assert has_secret(text) is bool(spans)


@pytest.mark.parametrize(
    "unit",
    [
        "password: ", "password=", "token_", "api_key=abc&", "<password ", "x://a:",
        "curl -u ", "密码是", "authorization: bearer ", "eyJhbGciOiJI.ey", "\"'",
        "-----BEGIN PRI" + "VATE KEY-----\n", "A" * 64 + "\n", "password\\\"", "a.",
        "password,\n", "insert into t (password) values (", "login a / ", "cookie: ",
        "AccountKey=",
    ],
)  # fmt: skip
def test_hostile_repetition_ends(unit: str) -> None:
    """Thirty thousand characters of one piece are worked through like any others."""
    text = unit * (30_000 // len(unit))
    assert all(0 <= s.start < s.end <= len(text) for s in find_secrets(text))


def test_known_values_are_masked() -> None:
    """Exact values go whatever they look like; short and ordinary ones stay."""
    value = "plain" + "word" + str(random.Random(1).randrange(10, 99))
    text = f"it said {value}, not x{value}x; password, ab"
    masked = mask_values(text, [value, "password", "ab", ""])
    assert masked == f"it said [redacted:value], not x{value}x; password, ab"


def test_whole_text_is_needed() -> None:
    """A secret is found in the whole text although neither half would show it."""
    value = token(random.Random(2), 40)
    text = f"x\nAPI_TOKEN={value}\n"
    cut = text.index(value)
    assert find_secrets(text)
    assert not has_secret(text[:cut])
    assert not has_secret(text[cut:])


def test_import_is_light() -> None:
    """Importing loads no rule and nothing heavy, for the hook's sake (DESIGN)."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import ibid.text.redact;"
        "print(*sorted(m for m in sys.modules if m.startswith('ibid.text.')"
        " or m in ('typing', 'logging', 'pathlib', 'dataclasses', 'hashlib')))"
    )
    server = module.__file__.split("ibid")[0]
    command = [sys.executable, "-I", "-S", "-c", code, server]
    out = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = ["redact", "redact_gate", "redact_prepare"]
    assert out.stdout.split() == [f"ibid.text.{name}" for name in loaded]


def test_version_is_a_number() -> None:
    """Rows keep the version of the rules they were made by."""
    assert REDACT_VERSION >= 1
