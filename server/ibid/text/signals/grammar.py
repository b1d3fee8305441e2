"""What the grammars of both languages share: sentences to read, and what they answer.

A grammar never sees a text as it was typed but its view (`ibid.text.view`), with names
and quotations masked.  So an offset in the view is an offset in the text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Match(NamedTuple):
    """What a grammar found in a view.

    ``start`` is where the rule begins; what stands before it may be dropped if
    ``trims`` (a request for this task that only shares the sentence).
    """

    category: str
    signal: str
    start: int
    trims: bool = False


class Sentence(NamedTuple):
    """A sentence of a prompt: ``prompt[start:end]``, and its view."""

    start: int
    end: int
    view: str


class Setting(NamedTuple):
    """What the other sentences of a prompt are about.

    ``task`` says that one asks for work, ``creates`` that one asks for something new:
    then a weak marker speaks of that work and not of the project (B5).
    """

    task: bool = False
    creates: bool = False


class Clause(NamedTuple):
    """A view from the beginning of a clause to the end of its sentence.

    ``before`` is what the sentence said up to there.  ``framed`` says that something
    like *from now on* makes a rule of it, ``conditional`` that it hangs on a condition,
    ``before_creates`` that what stands before asks for something new, and ``continued``
    that it shares the subject of what stands before ("we try and never stop").
    """

    text: str
    before: str
    setting: Setting
    framed: bool = False
    conditional: bool = False
    before_creates: bool = False
    continued: bool = False


# Reads a clause and returns the reason why it is kept, or None.
Rule = Callable[[Clause], str | None]
