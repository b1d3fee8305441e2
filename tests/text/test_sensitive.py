"""Sentences that always wait for review (B10)."""

from __future__ import annotations

from ibid.text.signals import is_sensitive

from .cases import read_cases

CASES = read_cases("sensitive.jsonl")
RULES = read_cases("capture.jsonl")


def test_dangerous_phrasings_are_held() -> None:
    """At least 95 % of phrasings about secrets, network and the like wait (B10)."""
    missed = [
        c["text"] for c in CASES if c["sensitive"] and not is_sensitive(c["text"])
    ]
    asked = sum(case["sensitive"] for case in CASES)
    assert asked >= 200
    assert len(missed) <= 0.05 * asked, missed


def test_ordinary_preferences_are_not_held() -> None:
    """At most 2 % of ordinary preferences wait without need (B10)."""
    ordinary = [case["text"] for case in CASES if not case["sensitive"]]
    ordinary += [
        rule["text"]
        for case in RULES
        for rule in case["expect"]
        if rule["category"] in ("preference", "decision")
    ]
    held = [text for text in ordinary if is_sensitive(text)]
    assert len(ordinary) >= 500
    assert len(held) <= 0.02 * len(ordinary), held


def test_long_text_is_read_at_its_beginning() -> None:
    """A long text is judged by its first 4,000 characters."""
    assert is_sensitive("Never log the password. " + "x" * 5000)
