"""Which names announce a credential (E3)."""

import pytest

from ibid.text.redact_labels import (
    KEY,
    OPEN,
    PASS,
    SECRET,
    TOKEN,
    family_of,
    find_labels,
    split_words,
)


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("password", PASS),
        ("MYSQL_ROOT_PASSWORD", PASS),
        ("dbPass", PASS),
        ("spring.datasource.password", PASS),
        ("confirmPassword", PASS),
        ("client-secret", SECRET),
        ("SECRET_KEY_BASE", KEY),
        ("aws_secret_access_key", KEY),
        ("Ocp-Apim-Subscription-Key", KEY),
        ("X-API-Key", KEY),
        ("accessToken", TOKEN),
        ("_authToken", TOKEN),
        ("API_TOKEN_V2", TOKEN),
    ],
)
def test_names_of_credentials(name: str, family: str) -> None:
    """A name is known by its words, in every style."""
    assert family_of(name) == (family, False)


@pytest.mark.parametrize(
    "name",
    [
        "password_hash", "passwordField", "token_count", "max_tokens", "tokenizer",
        "secretName", "secretKeyRef", "next_page_token", "public_key", "primary_key",
        "api_key_id", "token_type", "secretary", "keyboard", "monkey", "compass",
        "has_password", "LockToken", "publicKeyToken",
        "tokens", "KEY_PREFIX", "passwordMinLength", "cache_key",
        "X-Amz-Credential", "author", "path", "pattern", "mapping", "key",
    ],
)  # fmt: skip
def test_names_of_other_things(name: str) -> None:
    """A name that only speaks about a credential, or of something else, is none."""
    assert family_of(name) is None


def test_word_before_the_name_counts() -> None:
    """``API key`` is two words; ``key`` alone is nothing."""
    assert family_of("key", "API") == (KEY, False)
    assert family_of("key", "arrow") is None


def test_doubtful_names_are_loose() -> None:
    """Unknown words behind a credential's make the name doubtful."""
    assert family_of("PASSWORD_OF_THE_MOON") == (PASS, True)
    assert family_of("OPENWEATHER_KEY") == (OPEN, True)


def test_words_of_a_name() -> None:
    """Camel, snake and kebab names split alike."""
    assert split_words("getAPIKey_2x-Fast") == ["get", "api", "key", "2", "x", "fast"]


def test_labels_stand_once_with_their_spans() -> None:
    """A name that holds several pieces is one label, with its place in the text."""
    text = "x secret_access_key=1, 密码：2 [redacted:token]"
    found = [(m.name, m.start, m.end) for m in find_labels(text, text.lower())]
    assert found == [("secret_access_key", 2, 19), ("密码", 23, 25)]
