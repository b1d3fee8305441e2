"""Secrets told in sentences, and sentences that tell none (E2)."""

import random
import string

import pytest

from ibid.text.redact import find_secrets

ALNUM = string.ascii_letters + string.digits
TOLD = [
    "The admin password is {}, please change it later.",
    "login with password {} and user root",
    "my password: {}",
    "use the passphrase '{}' for the vault",
    "pw is {}",
    "the api key is {}",
    "Our API key for the weather service: {}",
    "set the token to {} and retry",
    "here's the secret: {}",
    "I set MYSQL_ROOT_PASSWORD to {} in compose",
    "use {} for the admin password",
    "{} is the sudo password",
    "decrypt with {} as the passphrase",
    "I changed it to {} (the password), tell ops",
    "staging login: deploy / {}",
    "FYI the creds are deploy / {}",
    "Password for the admin user (reset with `x`):\n  {}",
    "Use the following password to proceed:\n\n{}\n",
    "数据库密码是 {}，别外传。",
    "管理员密码：{}",
    "登录口令为{}，请尽快修改",
    "root 的密码改成了 {}",
    "密码 {}",
    "账号admin，密码{}",
    "用户名/密码：admin/{}",
    "管理员账号 admin / {}",
    "密碼已重設為{}，請盡快登入",
    "測試環境的 API 金鑰是「{}」",
    "連接用的密碼（{}）需要更換",
    "把 token 设置为 {}",
    "token 已更新：{}",
    "パスワードは {} です",
]


@pytest.mark.parametrize("sentence", TOLD)
def test_told_value_is_found(sentence: str) -> None:
    """The value that a sentence names is found alone."""
    rng = random.Random(sentence)
    for _ in range(20):
        value = rng.choice(("Falcon", "Meadow", "Copper")) + str(
            rng.randrange(100, 9999)
        )
        if rng.random() < 0.5:
            value = "".join(rng.choices(ALNUM, k=24)) + str(rng.randrange(10))
        before, after = sentence.split("{}")
        text = before + value + after
        assert [text[s.start : s.end] for s in find_secrets(text)] == [value]


@pytest.mark.parametrize("sentence", ["the OTP is {}", "验证码：{}", "PIN code is {}"])
def test_codes_are_found(sentence: str) -> None:
    """One-time codes are figures; only their name tells them from counts."""
    code = str(random.Random(1).randrange(100_000, 999_999))
    text = sentence.format(code)
    assert [text[s.start : s.end] for s in find_secrets(text)] == [code]


@pytest.mark.parametrize(
    "sentence",
    [
        "the password is base64 encoded",
        "password is at least 12 characters",
        "the token is RS256-signed and 1024 bytes long",
        "the key is user_42",
        "the api key is v2-only",
        "password changed at 2024-05-01T10:00:00Z",
        "Our password policy is OWASP-2021 compliant.",
        "token limit exceeded (200000)",
        "login: admin/dashboard2 page is broken",
        "sign in with GitHub/Google2",
        "see auth: middleware/auth2.ts",
        "Login failed for user admin / attempt 3 of 5",
        "passed 1234 tests, pass: 412, fail: 6",
        "make the tests pass 30c9c0f071a2",
        "IsFirstPass 615c19d9e03d4be2049c10db0151edbc3b229246",
        "pin 13 is the LED, pin: 13",
        "the tokens are in cache using partition key: 0d3b5b1a-8684-4f3a-b294-66c3b9aa",
        "GPG key: F3EF5F62A87FC27A22E643F714CE4FF5015AA242",
        "multiple synonyms for each token",
        "secret sauce: caching + 3 retries",
        "密码字段用varchar255存储",
        "把密码改成bcrypt12存储",
        "令牌过期时间为7200秒",
        "使用AES256密钥加密，密钥长度为256位",
        "凭证有效期到2025-12-31",
        "token类型是Bearer2",
        "验证码：用户收到短信后输入",
        "把 token 数量限制为 4096。",
    ],
)
def test_other_sentences_are_left(sentence: str) -> None:
    """Sentences about credentials, techniques and counts tell no secret."""
    assert find_secrets(sentence) == []
