"""The names by which opencode's messages and calls are known again.

A fork copies messages under new ids but keeps their times and the ids of calls; so
those name them.  Ids of calls alone are not unique: some models count from zero.
"""

from __future__ import annotations

import json
import zlib
from typing import Any

from ibid.agents.fields import count_of, dict_of, text_of


def message_key(info: dict[str, Any], session: str, child: str) -> str:
    """Return the name of a message.

    Args:
        info: the message's own record.
        session: its session.
        child: the subagent's id if it is one's; they can begin in the same moment.
    """
    created = count_of(dict_of(info, "time"), "created")
    if not created:
        return text_of(info, "id") or f"{session}/?"
    name = f"{text_of(info, 'role')}@{created}"
    return f"{child}/{name}" if child else name


def call_key(part: dict[str, Any]) -> str:
    """Return the name of a tool call, the same in each copy of it."""
    state = dict_of(part, "state")
    call = text_of(part, "callID") or text_of(part, "id")
    started = count_of(dict_of(state, "time"), "start")
    given = json.dumps(dict_of(state, "input"), sort_keys=True)
    mark = zlib.crc32(f"{text_of(part, 'tool')}{given}".encode("utf-8", "replace"))
    return f"{call}@{started}:{mark:08x}"
