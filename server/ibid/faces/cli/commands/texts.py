"""Filters on standard input that change nothing: ``capture`` and ``redact``."""

from __future__ import annotations

import sys

import click

from ibid.faces.cli import render
from ibid.faces.cli.options import Face, common
from ibid.text import redact as redaction
from ibid.text.signals import find_signals


def _input() -> str:
    return sys.stdin.buffer.read().decode("utf-8", "replace")


@click.command()
@common
def capture(face: Face) -> None:
    """Show what a prompt on standard input would teach.

    Offsets are in characters of the prompt; nothing is stored.
    """
    prompt = _input()
    found = [
        {
            "category": signal.category,
            "text": redaction.redact(signal.text),
            "start": signal.start,
            "end": signal.end,
            "signal": signal.signal,
        }
        for signal in find_signals(prompt)
    ]

    def text() -> None:
        for one in found:
            render.line(f"{one['category']:<11} {one['text']}  ({one['signal']})")
        if not found:
            render.notice("Nothing would be kept.")

    face.show(found, text)


@click.command()
@common
def redact(face: Face) -> None:
    """Mask the secrets in the text on standard input.

    Only the values are replaced; every other byte stays.
    """
    given = _input()
    if not face.as_json:
        render.raw(redaction.redact(given).encode("utf-8", "replace"))
        return
    spans = [
        {"kind": one.kind, "start": one.start, "end": one.end}
        for one in redaction.find_secrets(given)
    ]
    render.json({"text": redaction.redact(given), "spans": spans})
