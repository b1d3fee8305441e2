"""How much a value looks like a secret (E2)."""

import random
import string
import uuid

import pytest

from ibid.text.redact_values import (
    NO,
    PASSWORD,
    RANDOM,
    WORD,
    grade,
    is_passphrase,
    is_placeholder,
    is_random,
    names_credential,
    rarity,
)

ALPHABETS = [
    string.ascii_letters + string.digits,
    string.ascii_letters + string.digits + "-_",
    string.ascii_letters + string.digits + "+/",
    "0123456789abcdef",
    "0123456789ABCDEF",
    string.ascii_lowercase + string.digits,
    string.ascii_letters,
]


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_drawn_values_are_random(alphabet: str) -> None:
    """What a machine drew from any usual alphabet is graded so, nearly always."""
    rng = random.Random(alphabet)
    drawn = ["".join(rng.choices(alphabet, k=32)) for _ in range(200)]
    assert sum(grade(value) == RANDOM for value in drawn) >= 197


def test_uuid_is_random() -> None:
    """A UUID beside a label counts as drawn."""
    rng = random.Random(6)
    assert is_random(str(uuid.UUID(int=rng.getrandbits(128), version=4)))


@pytest.mark.parametrize(
    "value",
    ["Harbor4821!", "falcon-meadow42", "h4rb0r123", "walnut.sonnet74", "ab^cd*Ef!gh@"],
)
def test_chosen_values_are_passwords(value: str) -> None:
    """The mixtures that people are asked for are recognised."""
    assert grade(value) >= PASSWORD


@pytest.mark.parametrize("value", ["letmein", "opensesame", "12345678"])
def test_words_are_words(value: str) -> None:
    """Letters or figures alone say little."""
    assert grade(value) == WORD


@pytest.mark.parametrize(
    "value",
    [
        "sha256", "base64url", "argon2id", "oauth2", "RS256", "v1.2.3", "2026-03-04",
        "12-characters", "8-bit", "127.0.0.1:8080", "localhost:5432", "a@b.example",
        "/etc/ssl/key1.pem", "config.yaml", "./x1", "https://a.example/b", "arn:aws:x1",
        "settings.SECRET1", "request.token2", "f(x1)", "d['k1']", "x => x1",
        "[a-z0-9]{8}", r"^\d+$", "0xdeadbeef", "#ff00aa", "50%", "utf8mb4", "x86_64",
        "rsa-sha2-512", "gpt-4o-mini", "sha256:0a1b2c3d4e5f60718293", "abc",
    ],
)  # fmt: skip
def test_other_things_are_none(value: str) -> None:
    """Techniques, figures, dates, addresses, paths and code are no secrets."""
    assert grade(value) == NO


def test_placeholders() -> None:
    """A value that asks to be filled in is a placeholder; a random one is not."""
    for value in (
        "<key>",
        "your_key",
        "xxxx",
        "${A}",
        "{{a}}",
        "$A",
        "***",
        "my-token",
    ):
        assert is_placeholder(value), value
    rng = random.Random(8)
    drawn = ["".join(rng.choices(ALPHABETS[0], k=40)) for _ in range(500)]
    assert not any(map(is_placeholder, drawn))


def test_rarity_tells_words_from_noise() -> None:
    """English pairs of letters are common, drawn ones are not."""
    assert rarity("correct horse battery staple") < 0.15
    assert rarity("xkqpzlmwvbgtjhf") > 0.6


def test_passphrases() -> None:
    """Plain words make a passphrase; a sentence's words do not."""
    assert is_passphrase("violet anchor ladder tunnel")
    assert is_passphrase("correct horse battery staple")
    assert not is_passphrase("the password is too short")
    assert not is_passphrase("violet anchor")


def test_identifiers_that_speak_of_credentials() -> None:
    """``user_pass2`` is a variable; a drawn value is not."""
    assert names_credential("user_pass2")
    assert names_credential("form.newPassword1")
    assert not names_credential("falcon42")


@pytest.mark.parametrize("name", ["user2secret", "oauth2token", "token2secret"])
def test_a_digit_between_words_is_no_name(name: str) -> None:
    """A chosen word, a digit and *secret* are a password; techniques make names."""
    assert names_credential(name)
    assert not names_credential("falcon" + name[-7:])
