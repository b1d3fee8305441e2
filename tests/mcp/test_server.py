"""The MCP server over stdio, by the SDK's own client (R3, P1, P4, B10)."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client.stdio import StdioServerParameters, stdio_client
from tests.engine.talk import Talk

from ibid.engine.keep.notes import NoteText
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import DAY, FixedClock
from ibid.faces.mcp import standing, tools
from ibid.store.candidates import CandidatePage
from ibid.text.tokens import estimate
from mcp import ClientSession

FOOTPRINT = sum(map(estimate, standing.texts().values()))
NOTE = "Migrations of the ledger are reversible."


@asynccontextmanager
async def client(project: Path, **env: str) -> AsyncIterator[ClientSession]:
    """Start a server in the project and connect to it."""
    words = ["-m", "ibid", "mcp", "--project", str(project)]
    parameters = StdioServerParameters(
        command=sys.executable, args=words, env={**os.environ, **env}
    )
    info = types.Implementation(name="claude-code", version="2.1.0")
    async with stdio_client(parameters) as (reading, writing):
        session = ClientSession(reading, writing, client_info=info)
        async with session:
            await session.initialize()
            yield session


async def call(client_: ClientSession, name: str, **given: Any) -> tuple[str, bool]:
    """Call a tool; return its text and whether it is an error."""
    found = await client_.call_tool(name, given)
    (content,) = found.content
    assert isinstance(content, types.TextContent)
    return content.text, found.is_error


@pytest.fixture
def stored(memory: Memory) -> Memory:
    """A memory with a note, closed."""
    memory.notes.add(NoteText(NOTE))
    memory.close()
    return memory


async def test_six_tools_cost_at_most_700_tokens(project: Path) -> None:
    """What an agent always carries, as it goes over the wire (P4)."""
    async with client(project) as session:
        listed = await session.list_tools()
    assert [tool.name for tool in listed.tools] == list(tools.NAMES)
    assert len(tools.NAMES) == 6
    shown = [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools]
    *carried, instructions = standing.texts().values()
    assert [json.loads(text) for text in carried] == shown
    assert session.instructions == instructions == tools.INSTRUCTIONS
    assert FOOTPRINT <= 700


async def test_recall_gives_the_block_and_its_receipt(
    stored: Memory, project: Path
) -> None:
    """The same block as everywhere, with a receipt and its cost (I1, P1)."""
    async with client(project) as session:
        text, failed = await call(session, "recall", prompt="Migrate the ledger")
    assert not failed
    assert text.startswith("<ibid-recall ")
    assert NOTE in text
    again = open_memory(str(project))
    rows = again.store.read().execute("SELECT text, agent FROM receipt").fetchall()
    assert [tuple(row) for row in rows] == [(text, "claude-code")]
    again.close()


async def test_every_answer_and_the_footprint_are_metered(
    stored: Memory, project: Path
) -> None:
    """Each answer's tokens are a cost, the schemas once a server (P1, P4)."""
    async with client(project) as session:
        found, _ = await call(session, "search", query="ledger")
        await call(session, "recall", prompt="Migrate the ledger")
        await call(session, "handoff")
    again = open_memory(str(project))
    rows = again.store.read().execute(
        "SELECT feature, kind, tokens FROM account ORDER BY id"
    )
    entries = [tuple(row) for row in rows]
    again.close()
    assert entries[0] == (
        "footprint",
        "cost",
        sum(map(estimate, standing.texts().values())),
    )
    assert entries[1] == ("tools", "cost", estimate(found))
    assert [feature for feature, *_ in entries] == [
        "footprint",
        "tools",
        "block",
        "tools",
    ]


async def test_search_and_expand_find_what_was_said(
    memory: Memory, project: Path, clock: FixedClock
) -> None:
    """A hit says where it was said, and its handle gives the whole text."""
    whole = "The parser keeps its state in a ring buffer. " + "Then more of it. " * 40
    Talk(memory, clock, "s1").turn("How does the parser work?", whole)
    memory.close()
    async with client(project) as session:
        text, failed = await call(session, "search", query="ring buffer parser")
        assert not failed
        assert "(session s1 turn 1)" in text
        handle = text.partition("<<ccr:")[2].partition(">>")[0]
        full, _ = await call(session, "expand", handle=handle)
    assert full == whole


async def test_secrets_stay_masked(
    memory: Memory, project: Path, clock: FixedClock
) -> None:
    """Neither search nor expand shows one (E1)."""
    chance = random.Random(4)
    secret = "gh" + "p_" + "".join(chance.choice("abcdefgh23456789") for _ in range(36))
    Talk(memory, clock, "s1").turn("Which token is it?", f"The zebra token is {secret}")
    memory.close()
    async with client(project) as session:
        text, _ = await call(session, "search", query="zebra token")
        full, _ = await call(session, "expand", handle="turn:s1/1")
    assert "zebra" in text
    assert "zebra" in full
    assert secret not in text + full


async def test_a_read_is_short_only_for_a_reader_that_is_known(
    stored: Memory, project: Path
) -> None:
    """A second read of a named session is a stub; of nobody it is the text (N2, N4)."""
    (project / "a.py").write_text("".join(f"line = {n}\n" for n in range(60)))
    async with client(project) as session:
        first, _ = await call(session, "read", path="a.py", session="s1")
        again, _ = await call(session, "read", path="a.py", session="s1")
        other, _ = await call(session, "read", path="a.py", session="s1", scope="kid")
        unknown, _ = await call(session, "read", path="a.py")
        lines, _ = await call(session, "read", path="a.py", range=[2, 3])
    assert first == other == unknown == (project / "a.py").read_text()
    assert again.startswith("[unchanged] a.py 1-60")
    assert lines == "line = 1\nline = 2\n"


async def test_a_session_of_the_environment_has_no_known_thread(
    stored: Memory, project: Path
) -> None:
    """Subagents share the server: a false stub is worse than none (N4)."""
    (project / "a.py").write_text("".join(f"line = {n}\n" for n in range(60)))
    async with client(project, IBID_SESSION="s1") as session:
        first, _ = await call(session, "read", path="a.py")
        again, _ = await call(session, "read", path="a.py")
    assert first == again


async def test_remember_proposes_and_never_decides(
    memory: Memory, project: Path, clock: FixedClock
) -> None:
    """A candidate of origin agent, in review for ever, whatever its words (B10)."""
    memory.close()
    async with client(project) as session:
        said = await call(session, "remember", text="Squash before merging to main.")
        twice = await call(session, "remember", text="Squash before merging to main.")
        short = await call(session, "remember", text="Hm.")
        odd = await call(session, "remember", text="Use tabs here.", category="law")
    assert not said[1]
    assert twice[1]
    assert short[1]
    assert odd[1]
    clock.move(10 * DAY)
    again = open_memory(str(project), clock=clock)
    again.settle()
    views, total = again.queue.page(CandidatePage())
    assert total == 1
    row = views[0].row
    assert (row["origin"], row["author"], views[0].waits) == (
        "agent",
        "agent",
        "review",
    )
    assert again.notes.counts()["rules"] == 0
    again.close()


async def test_an_agent_cannot_flood_the_queue(project: Path) -> None:
    """Eight proposals are enough for one turn (B6)."""
    async with client(project) as session:
        answers = [
            await call(
                session, "remember", text=f"Module {n} is owned by team {n * 7}."
            )
            for n in range(9)
        ]
    assert [failed for _, failed in answers] == [False] * 8 + [True]


async def test_switches_and_presets_hold(stored: Memory, project: Path) -> None:
    """What may not recall or learn is told so, and nothing is stored (H2, H3, H4)."""
    async with client(project, IBID_PRESET="private") as session:
        for name, given in (
            ("search", {"query": "ledger"}),
            ("expand", {"handle": "#1"}),
            ("handoff", {}),
            ("remember", {"text": "Squash before merging."}),
        ):
            text, failed = await call(session, name, **given)
            assert failed, name
            assert NOTE not in text
        text, _ = await call(session, "recall", prompt="Migrate the ledger")
        assert NOTE not in text
    async with client(project, IBID_NO_CAPTURE="1") as session:
        _, failed = await call(session, "remember", text="Squash before merging.")
        assert failed
    async with client(project, IBID_DISABLE="1") as session:
        _, failed = await call(session, "search", query="ledger")
        assert failed


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("search", {"query": 5}),
        ("search", {}),
        ("search", {"query": "x", "limit": "many"}),
        ("read", {"path": "a", "range": [3, 1]}),
        ("read", {"path": "a", "range": "all"}),
        ("read", {"path": "../../etc"}),
        ("read", {"path": "\0"}),
        ("expand", {"handle": ["x"]}),
        ("forget", {"id": "n-1"}),
    ],
)
async def test_what_cannot_be_used_is_said(
    stored: Memory, project: Path, name: str, given: dict[str, Any]
) -> None:
    """An error with a sentence, and the server goes on."""
    async with client(project) as session:
        text, failed = await call(session, name, **given)
        assert failed
        assert text
        _, failed = await call(session, "search", query="ledger")
        assert not failed


def test_it_leaves_at_the_end_of_input(stored: Memory, project: Path) -> None:
    """No input, no server: exit status 0, nothing printed."""
    done = subprocess.run(
        [sys.executable, "-m", "ibid", "mcp", "--project", str(project)],
        input=b"",
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, b"")
