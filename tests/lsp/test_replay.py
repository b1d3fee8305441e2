"""``ibid/replay`` over the wire: with progress, cancellable, and nothing is left."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from tests.engine.past import Past

PATIENCE = 30.0
SERVER = ClientServerConfig(server_command=[sys.executable, "-m", "ibid", "lsp"])


def plain(value: Any) -> Any:
    """Return what the client made of JSON as plain values again."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: plain(one) for name, one in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for what is temporary, before the server begins."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def place(tmp_path: Path, project: Path, scratch: Path) -> SimpleNamespace:
    """A project, and a past of many turns."""
    past = Past(project, tmp_path / "transcripts")
    for name in ("one", "two"):
        past.begin(name)
        for step in range(60):
            past.turn(name, f"Step {step} of the label printer of {name}.")
        past.wait(60)
    return SimpleNamespace(project=project, past=past.write(), scratch=scratch)


@pytest_lsp.fixture(config=SERVER)
async def client(
    lsp_client: LanguageClient, place: SimpleNamespace
) -> AsyncIterator[None]:
    """Begin and end a session in the project."""
    folder = types.WorkspaceFolder(uri=place.project.as_uri(), name="parcel")
    params = types.InitializeParams(
        process_id=os.getpid(),
        capabilities=client_capabilities("visual-studio-code"),
        workspace_folders=[folder],
        initialization_options={"watch": False},
    )
    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


def left(place: SimpleNamespace) -> list[Path]:
    """Return the scratch folders that are there."""
    return list(place.scratch.glob("ibid-replay-*"))


async def test_a_replay_tells_how_far_it_is(client: Any, place: Any) -> None:
    """The result is the command line's object; progress comes by the given token."""
    client.progress_reports["far"] = []
    sent = {"paths": [place.past.as_uri()], "workDoneToken": "far"}
    asked = client.protocol.send_request_async("ibid/replay", sent)
    shape = plain(await asyncio.wait_for(asked, PATIENCE))
    assert [row["session"] for row in shape["rows"]] == ["one", "two"]
    assert {line["feature"] for line in shape["features"]} >= {"handoff", "block"}
    kinds = [report.kind for report in client.progress_reports["far"]]
    assert (kinds[0], kinds[-1]) == ("begin", "end")
    assert left(place) == []


async def test_a_cancelled_replay_leaves_nothing(client: Any, place: Any) -> None:
    """It is answered at once, and its scratch folder goes."""
    sent = {"paths": [str(place.past)]}
    request = client.protocol.send_request_async("ibid/replay", sent, msg_id="r")
    asked = asyncio.create_task(request)
    for _ in range(3000):
        if left(place):
            break
        await asyncio.sleep(0.01)
    assert left(place)
    client.cancel_request(types.CancelParams(id="r"))
    with pytest.raises((JsonRpcException, asyncio.CancelledError)):
        await asyncio.wait_for(asked, PATIENCE)
    for _ in range(500):
        if not left(place):
            break
        await asyncio.sleep(0.02)
    assert left(place) == []
