"""The gates of redaction: they only ever let too much through (E3)."""

from __future__ import annotations

import random

from ibid.text import redact_commands as commands
from ibid.text import redact_gate as gate
from ibid.text.redact import find_secrets
from ibid.text.redact_forms import _readers, _wide_marks, find_forms
from ibid.text.redact_labels import _HEADS, _PIECES, _WIDE, find_labels
from ibid.text.redact_shapes import LOOSE, find_shapes

WORDS = (
    "the mapping of a monkey opinion spinning hotpot Pin PW otp x_pat passing "
    "keys jwt login 登录 密码 connect curl -u auth=( cookie: sig= token ok "
    "deploy_service_configuration 123 ://user:pw@host Q~ insert into psk éPsk"
)


def texts(count: int) -> list[str]:
    """Return texts of words that are, or look like, what announces a secret."""
    chance = random.Random(7)
    return [
        " ".join(chance.choice(WORDS.split()) for _ in range(chance.randint(1, 9)))
        for _ in range(count)
    ]


def test_every_mark_of_a_rule_opens_its_gate() -> None:
    """No notation, label or loose piece is known to a rule and not to its gate."""
    marks = [mark for _, pairs in _readers() for mark, _ in pairs]
    assert [mark for mark in marks if not gate.may_hold_form("x", mark)] == []
    known = [command for _, command, _ in commands._OPTIONS]
    known += [mark for mark, _ in commands._readers()]
    assert [mark for mark in known if not gate.may_hold_command(mark)] == []
    wide = _wide_marks().pattern.split("|")
    assert all(gate.may_hold_form(mark, mark) for mark in wide)
    names = [*_PIECES, *_WIDE, *" ".join(_HEADS.values()).split()]
    found = [name for name in names if list(find_labels(name, name))]
    assert len(found) > 40
    assert [name for name in found if not gate.may_hold_label(name, name)] == []
    assert all(gate.may_hold_shape(piece + "x" * 9) for piece, *_ in LOOSE)


def test_what_a_gate_keeps_out_no_rule_would_find() -> None:
    """Behind a closed gate its rules find nothing."""
    closed = 0
    for text in texts(2_000):
        low = text.lower()
        shape, form = gate.may_hold_shape(text), gate.may_hold_form(text, low)
        label = gate.may_hold_label(text, low)
        command = gate.may_hold_command(low)
        assert command or list(commands.find_commands(text, low)) == [], text
        closed += (not shape) + (not form) + (not label)
        assert shape or list(find_shapes(text)) == [], text
        assert form or list(find_forms(text, low)) == [], text
        assert label or list(find_labels(text, low)) == [], text
    assert closed > 500


def test_plain_prose_loads_no_rules() -> None:
    """A sentence without any sign of a secret is answered by the gates alone."""
    text = "Migrations of the ledger are reversible, mapping included."
    assert not gate.may_hold_key_block(text)
    assert not gate.may_hold_shape(text)
    assert not gate.may_hold_form(text, text.lower())
    assert not gate.may_hold_label(text, text.lower())
    assert not gate.may_hold_command(text.lower())
    assert find_secrets(text) == []


def test_a_secret_is_still_found() -> None:
    """Each gate lets its kind through."""
    chance = random.Random(3)
    body = "".join(chance.choice("abcdefghijkmnpqrstuvwxyz23456789") for _ in range(36))
    assert find_secrets("gh" + "p_" + body)
    assert find_secrets(f"password: {body[:14]}7Q")
    assert find_secrets(f"密码：{body[:14]}7Q")
    assert find_secrets(f"curl -u admin:{body[:14]}7Q https://example.org")
