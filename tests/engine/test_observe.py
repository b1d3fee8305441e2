"""What agents observed is archived and found, with or without ids of calls (M1, M2)."""

from __future__ import annotations

from ibid.agents import events as e
from ibid.engine.memory import Memory
from ibid.engine.model import FixedClock, SearchRequest
from ibid.store.verify import verify

CWD = "/srv/shop"


def store(memory: Memory, clock: FixedClock, *events: e.Event) -> None:
    """Store a session's events whose records have no ids, one after the other."""
    now = clock.now()
    seen = e.SessionSeen(e.Head("s", now, "", "", 0), agent="robo", cwd=CWD)
    placed = [
        event._replace(head=e.Head("s", now, "", event.head.scope, 100 * number))
        for number, event in enumerate(events, 1)
    ]
    memory.apply("robo", [seen, *placed])


def tool(output: str, given: dict[str, str], scope: str = "") -> e.Tool:
    """Return a tool's use."""
    return e.Tool(e.Head("", 0, "", scope), "Bash", given, output)


def read(path: str, text: str) -> e.Read:
    """Return a read of a whole file."""
    return e.Read(e.Head("", 0), path, 1, text.count("\n") + 1, text)


def archived(memory: Memory, query: str) -> list[str]:
    """Return the archived texts that a query finds."""
    hits = memory.search(SearchRequest(query, layers=(), archive=True)).hits
    return [memory.expand(hit.id, False).data.decode() for hit in hits]


def test_calls_without_ids_are_told_apart(memory: Memory, clock: FixedClock) -> None:
    """Each output is kept, beside reads of the same batch, and once (M1)."""
    batch = (
        tool("quokka passed", {"command": "make one"}),
        read("src/a.py", "wombat = 1\n"),
        tool("numbat passed", {"command": "make two"}),
        tool("bilby passed", {"command": "make two"}, scope="sub"),
    )
    for _ in range(2):
        store(memory, clock, *batch)
    rows = memory.store.read().execute("SELECT count(*) FROM tool").fetchone()
    assert rows[0] == 3
    for word in ("quokka", "wombat", "numbat", "bilby"):
        assert len(archived(memory, word)) == 1, word


def test_an_excluded_file_takes_nothing_else_with_it(
    memory: Memory, clock: FixedClock
) -> None:
    """What has no id is not taken for the read that never enters (E1)."""
    store(
        memory,
        clock,
        read(".env", "quokka = 1\n"),
        read("src/a.py", "wombat = 1\n"),
        tool("numbat passed", {"command": "make"}),
    )
    assert archived(memory, "quokka") == []
    assert archived(memory, "wombat") == ["wombat = 1\n"]
    assert archived(memory, "numbat") == ["numbat passed"]


def test_archived_texts_are_found_by_file_and_command(
    memory: Memory, clock: FixedClock
) -> None:
    """Its path or command line finds a text that does not name it (M2, R4)."""
    store(
        memory,
        clock,
        read("src/uploader.py", "retry = 3\n"),
        tool("2 passed", {"command": "pytest tests/unit"}),
    )
    assert archived(memory, "uploader.py") == ["retry = 3\n"]
    assert archived(memory, "pytest") == ["2 passed"]
    assert verify(memory.store.read(), full=True) == []


def test_an_archived_hit_is_shown_from_where_it_matches(
    memory: Memory, clock: FixedClock
) -> None:
    """A match deep in a log is in sight; secrets of its command line are not (E1)."""
    secret = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    log = "all is well\n" * 400 + "quokka failed\n" + "all is well\n" * 400
    store(memory, clock, tool(log, {"command": f"curl -H 'X-Key: {secret}' x"}))
    found = memory.search(SearchRequest("the quokka", layers=(), archive=True))
    (hit,) = found.hits
    assert "quokka failed" in hit.text and len(hit.text) < 800
    assert secret not in hit.text and "curl" in hit.text
    assert secret not in memory.expand(hit.id).title
    assert secret in memory.expand(hit.id, True).title


def test_a_sessions_title_shows_no_secret(memory: Memory, clock: FixedClock) -> None:
    """Agents title sessions by the first prompt; the title is masked like any (E1)."""
    secret = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    head = e.Head("s", clock.now(), "x", "", 0)
    memory.apply("robo", [e.SessionSeen(head, agent="robo", title=f"Use {secret}")])
    (row,), _ = memory.sessions.page(10, 0)
    assert secret not in row["title"] and row["title"].startswith("Use ")
    kept = memory.store.read().execute("SELECT title FROM session").fetchall()
    assert [one[0] for one in kept] == [row["title"]]


def test_an_erased_sentence_is_in_no_title(memory: Memory, clock: FixedClock) -> None:
    """A command that quotes it is renamed, and is not found by it any more (K3)."""
    from ibid.engine.keep.holes import cut_everywhere

    sentence = "Never feed the quokkas after midnight."
    store(memory, clock, tool("done", {"command": f'echo "{sentence}"'}))
    assert archived(memory, "quokkas") == ["done"]
    with memory.store.write() as connection:
        cut_everywhere(connection, sentence)
    assert archived(memory, "quokkas") == []
    assert archived(memory, "echo") == ["done"]
    assert verify(memory.store.read(), full=True) == []
