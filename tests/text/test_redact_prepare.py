"""The plain copies of a text that the rules look at (E2)."""

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.text.redact import find_secrets
from ibid.text.redact_prepare import soften, squeeze


@pytest.mark.parametrize(
    ("text", "soft"),
    [
        ("密码：“x”", '密码:"x"'),
        ("a\\nb\\tc", "a \nb \tc"),
        ("\x1b[1;32mok\x1b[0m", "       ok    "),
        ("\\u001b[32mok\\u001b[0m", "          ok         "),
        ("a\\u003db", "a=     b"),
        ("x=&quot;y&quot;", 'x="     y"     '),
        ("%22a%22%3A1", '"  a"  :  1'),
        ("a%3Db", "a%3Db"),
        ("plain text", "plain text"),
    ],
)
def test_soft_copy(text: str, soft: str) -> None:
    """Escapes, colours and wide signs become plain, column for column."""
    assert soften(text) == soft


@given(st.text(max_size=80))
def test_soft_copy_keeps_every_offset(text: str) -> None:
    """The copy has the text's length, in lower case too."""
    soft = soften(text)
    assert len(soft) == len(text)
    assert len(soft.lower()) == len(text)


def test_squeezed_copy_knows_the_way_back() -> None:
    """A span of the squeezed copy is mapped to the text, codes inside included."""
    text = "DB_\x1b[31mPASS\x1b[0m=x"
    squeezed = squeeze(text)
    assert squeezed is not None
    assert squeezed.text == "DB_PASS=x"
    assert squeezed.origin(3, 7) == (8, 12)
    assert squeezed.origin(0, 9) == (0, len(text))


def test_text_without_codes_has_no_squeezed_copy() -> None:
    """Most texts are looked at once."""
    assert squeeze("nothing to take out [0m") is not None
    assert squeeze("nothing to take out") is None


def test_colours_inside_name_and_value() -> None:
    """What a search tool highlights in the middle of a word hides nothing."""
    value = "".join(random.Random(1).choices(string.ascii_letters + "0123", k=36))
    name = "DB_\x1b[01;31m\x1b[KPASSWORD\x1b[m\x1b[K=Meadow" + "4821!"
    assert [s.kind for s in find_secrets(name)] == ["password"]
    token = "\x1b[31mgh" + "p_\x1b[0m" + value
    (secret,) = find_secrets(token)
    assert secret.end == len(token)
