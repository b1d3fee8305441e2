"""Sessions of clients that declare what VS Code and Neovim do."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

HERE = Path(__file__).parent


@pytest_lsp.fixture(
    params=["visual-studio-code", "neovim"],
    config=ClientServerConfig(
        server_command=[sys.executable, str(HERE / "stub_server.py")],
        server_env={"PYTHONPATH": str(HERE.parents[1] / "server")},
    ),
)
async def client(
    request: pytest.FixtureRequest, lsp_client: LanguageClient
) -> AsyncIterator[None]:
    """Begin and end a session with the capabilities of the editor."""
    name = request.param
    params = types.InitializeParams(
        capabilities=client_capabilities(name),
        workspace_folders=[types.WorkspaceFolder(uri="file:///srv/a", name="a")],
    )
    lsp_client.begun = await lsp_client.initialize_session(params)  # type: ignore
    lsp_client.editor = name  # type: ignore
    yield
    await lsp_client.shutdown_session()


async def test_the_editor_hears_what_it_can_use(client: Any) -> None:
    """Capabilities and position encoding suit the editor."""
    capabilities = client.begun.capabilities
    sync = capabilities.text_document_sync
    assert (sync.open_close, sync.change) == (False, types.TextDocumentSyncKind.None_)
    assert capabilities.workspace.text_document_content.schemes == ("ibid",)
    wanted = {"visual-studio-code": "utf-16", "neovim": "utf-8"}
    assert capabilities.position_encoding == wanted[client.editor]
    assert client.begun.server_info.name == "ibid"


async def test_requests_of_both_kinds_are_served(client: Any) -> None:
    """Ours and the standard's requests come back as they should."""
    ask = client.protocol.send_request_async
    status = await ask("ibid/status", {"project": "/p"})
    assert (status.project, status.state) == ("/p", "on")
    document = types.TextDocumentIdentifier(uri="file:///srv/a/x.py")
    hover = await client.text_document_hover_async(
        types.HoverParams(
            text_document=document, position=types.Position(line=3, character=0)
        )
    )
    assert hover.contents == "line 3"
    content = await client.workspace_text_document_content_async(
        types.TextDocumentContentParams(uri="ibid://note/n-1")
    )
    assert content.text == "# ibid://note/n-1\n"


async def test_a_bad_request_is_answered_by_the_field(client: Any) -> None:
    """A request without what it needs is refused by name, not left hanging."""
    ask = client.protocol.send_request_async
    with pytest.raises(JsonRpcException, match="value") as caught:
        await ask("test/echo", {})
    assert caught.value.code == -32602
    with pytest.raises(JsonRpcException) as caught:
        await ask("test/fail", {"kind": "unforeseen"})
    assert caught.value.code == -33000
    assert client.messages == []  # Nothing popped up.


async def test_progress_is_shown_by_the_editors_means(client: Any) -> None:
    """Both editors declare progress, so a long call asks for a token of its own."""
    asked = client.protocol.send_request_async("test/long", {"seconds": 0.5})
    assert (await asked).thread.startswith("ibid-long-")
    (reports,) = client.progress_reports.values()
    assert isinstance(reports[0], types.WorkDoneProgressBegin)
    assert isinstance(reports[-1], types.WorkDoneProgressEnd)


async def test_what_was_cancelled_is_answered(client: Any) -> None:
    """A cancelled request ends with the error the editors know."""
    asked = client.protocol.send_request("test/read", {"seconds": 2}, msg_id="nap")
    client.cancel_request(types.CancelParams(id="nap"))
    with pytest.raises(JsonRpcException) as caught:
        import asyncio

        await asyncio.wrap_future(asked)
    assert caught.value.code == -32800


async def test_refreshing_is_no_error(client: Any) -> None:
    """What is sent to refresh the editor fits what it declared."""
    asked = []

    @client.feature("workspace/codeLens/refresh")
    def refresh(params: None) -> None:
        asked.append(params)

    declared = client.capabilities.workspace.code_lens
    await client.protocol.send_request_async("test/refresh", {})
    assert (await client.protocol.send_request_async("ibid/status", {})).name == "stub"
    assert len(asked) == (declared is not None and declared.refresh_support)
