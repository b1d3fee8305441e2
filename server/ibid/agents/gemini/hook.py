"""Gemini CLI's hooks: SessionStart and BeforeAgent take text, the others none.

There is none after a compression; what was shown counts no more from before it on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibid.agents import hooks
from ibid.agents.hooks import Call, additional, told

if TYPE_CHECKING:
    from collections.abc import Mapping

AGENT = "gemini"

_MOMENTS = {
    "SessionStart": hooks.START,
    "BeforeAgent": hooks.PROMPT,
    "PreCompress": hooks.COMPACTING,
    "AfterAgent": hooks.STOP,
    "SessionEnd": hooks.END,
}
_ANSWERED = frozenset({hooks.START, hooks.PROMPT})


def from_hook(data: hooks.Json, environ: Mapping[str, str]) -> Call | None:
    """Return what was told; None for what concerns no memory."""
    return told(data, AGENT, _MOMENTS, environ.get("GEMINI_PROJECT_DIR", ""))


def may_answer(call: Call) -> bool:
    """Say whether a text can be given at this moment."""
    return call.moment in _ANSWERED


def to_hook(call: Call, text: str) -> hooks.Json:
    """Return the answer that adds ``text`` to the context."""
    return additional(call, text)
