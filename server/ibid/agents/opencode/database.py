"""opencode's database: its rows become documents of the exported form.

Nothing is opened here: whoever may open it gives a function that answers queries.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ibid.agents.registry import Stored

if TYPE_CHECKING:
    from ibid.agents.registry import Query

_NEEDED = {
    "session": {"id", "directory"},
    "message": {"id", "session_id", "data"},
    "part": {"id", "message_id", "session_id", "data"},
}


def sessions(query: Query, session: str = "") -> list[Stored]:
    """Return the sessions in the database, oldest first, or the one asked for.

    None if its tables are of another form than this knows.
    """
    for table, needed in _NEEDED.items():
        if not needed <= _columns(query, table):
            return []
    has_times = "time_updated" in _columns(query, "part")
    changed = "max(p.time_updated)" if has_times else "count(*)"
    order = "s.time_created" if "time_created" in _columns(query, "session") else "s.id"
    rows = query(
        "SELECT s.id, s.directory, (SELECT count(*) || ':' || coalesce("  # noqa: S608
        f"{changed}, 0) FROM part p WHERE p.session_id = s.id) AS parts,"
        " (SELECT count(*) FROM message m WHERE m.session_id = s.id) AS messages"
        f" FROM session s WHERE ?1 = '' OR s.id = ?1 ORDER BY {order}",
        (session,),
    )
    return [
        Stored(
            str(row["id"]),
            str(row["directory"] or ""),
            f"{row['messages']}/{row['parts']}",
        )
        for row in rows
    ]


def document(query: Query, session: str) -> bytes:
    """Return a session as `opencode export` writes it, or b"" if it is gone."""
    known = query("SELECT * FROM session WHERE id = ?", (session,))
    if not known:
        return b""
    row = known[0]
    info = {
        "id": session,
        "directory": row["directory"],
        "parentID": row.get("parent_id"),
        "title": row.get("title"),
        "version": row.get("version"),
        "time": {
            "created": row.get("time_created"),
            "updated": row.get("time_updated"),
        },
    }
    parts: dict[str, list[dict[str, Any]]] = {}
    for part in query(
        "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id",
        (session,),
    ):
        value = _data(part["data"]) | {"id": part["id"], "sessionID": session}
        parts.setdefault(str(part["message_id"]), []).append(value)
    messages = [
        {
            "info": _data(message["data"])
            | {"id": message["id"], "sessionID": session},
            "parts": parts.get(str(message["id"]), []),
        }
        for message in query(
            "SELECT id, data FROM message WHERE session_id = ? ORDER BY id", (session,)
        )
    ]
    whole = {"info": info, "messages": messages}
    return json.dumps(whole, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def _columns(query: Query, table: str) -> set[str]:
    return {
        str(row["name"])
        for row in query("SELECT name FROM pragma_table_info(?)", (table,))
    }


def _data(text: Any) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return {}
    return value if type(value) is dict else {}
