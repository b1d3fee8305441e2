"""Secrets alone on the line below their name, and lines that only look so (E2)."""

import random
import string

import pytest

from ibid.text.redact import find_secrets, redact

ALNUM = string.ascii_letters + string.digits
BELOW = [
    "password:\n{}\n",
    "password:\n    {}",
    "Passphrase:\r\n{}\r\n",
    "Password:\n\n{}\nand then log in",
    "API token:\n{}\n",
    "DB_PASSWORD=\n{}\n",
    "secret: |2-\n   {}\n",
    "vault:\n  password: >- # folded\n    {}\n  user: deploy\n",
    "**Password:**\n{}\n",
    "## Admin password\n\n{}\n",
    "Password:\n```\n{}\n```\n",
    "The password is:\n\n```text\n{}\n```\n",
    "> password:\n> {}\n",
    "- password:\n  - {}\n",
    "# password:\n# {}\n",
    '[["password:\\n{}"]]',
    '["password:\\n{}", "and more"]',
    "密码：\n{}\n",
    "管理员密码是：\n  {}\n",
]
#: Names of credentials at a line's end, and a next line that is none.
OTHERS = [
    "password:\n  description: what the user types\n",
    "password:\n  type: string\n  minLength: 12\n",
    "secrets:\n  - source: server_certificate\n",
    "token:\n  getToken()\n",
    "password:\n  this.props.password2,\n",
    "## Password\n\nAuthentication2FA explains it.\n",
    "## Password\n\nSee docs/auth-v2.md for it\n",
    "password:\n  ${DB_PASSWORD_1}\n",
    "password:\n  $(cat /run/secrets/db1)\n",
    "token:\n  https://example.org/tokens/v2\n",
    "API key:\n  src/config/keys2.py\n",
    "secret:\n  - sha256\n  - sha512\n",
    "password =\n    os.environ['PW2']\n",
    "passwords:\n1. never share them\n2. rotate them\n",
    "token:\n3f2a91bc\n",
    "Password:\n<your-password-1>\n",
    "密码：\n请见文档\n",
    "password\nKj8sMw2xQp4zTn9b\n",
]


@pytest.mark.parametrize("place", BELOW)
def test_value_below_its_name_is_found(place: str) -> None:
    """The value on the next line is found alone, however it is set off."""
    rng = random.Random(place)
    before, after = place.split("{}")
    for _ in range(20):
        value = "".join(rng.choices(ALNUM, k=24)) + str(rng.randrange(10))
        if rng.random() < 0.5:
            value = rng.choice(("Falcon", "Meadow")) + f"#{rng.randrange(100, 9999)}x"
        text = before + value + after
        assert [text[s.start : s.end] for s in find_secrets(text)] == [value], text
        assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize("text", OTHERS)
def test_other_lines_below_a_name_are_left(text: str) -> None:
    """A mapping, code, a reference or prose below the name is no value."""
    assert redact(text) == text


@pytest.mark.parametrize("unit", ["password:\n", "password:\n\n> ", "## key\n```\n# "])
def test_many_names_without_values_cost_little(unit: str) -> None:
    """Names at line ends, thousands of them, are gone through once."""
    text = unit * (200_000 // len(unit))
    assert find_secrets(text) == []
