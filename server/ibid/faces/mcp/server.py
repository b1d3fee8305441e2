"""The MCP server on standard input and output, by the official SDK (R3).

It leaves at the end of its input.  While it runs it takes part in the project's duties
under their lease, so that people without an editor are served too.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import TYPE_CHECKING, Any

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from ibid import __version__
from ibid.duties.runner import Runner
from ibid.engine.keep.metering import meter_footprint
from ibid.engine.memory import open_memory
from ibid.errors import IbidError
from ibid.faces.mcp import answers, standing, tools
from ibid.text.tokens import estimate

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from ibid.engine.memory import Memory

logger = logging.getLogger(__name__)

_TOOLS = [types.Tool.model_validate(tool) for tool in tools.TOOLS]


def run(project: str = "") -> int:
    """Serve until the end of input; return the exit status."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    host = Host(project or os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd())  # noqa: PTH109
    try:
        anyio.run(_serve, host)
    finally:
        host.close()
    return 0


class Host:
    """The project's memory and its duties, opened at the first call."""

    def __init__(self, project: str, duties: bool = True) -> None:
        self._project = project
        self._duties = duties
        self._memory: Memory | None = None
        self._runner: Runner | None = None
        self._lock = threading.Lock()
        self._carried = False

    def call(self, name: str, given: dict[str, Any], client: str) -> str:
        """Return what a tool answers; on a worker thread.

        Raises:
            IbidError: what went wrong, with what to do next.
        """
        caller = answers.caller_of(client)
        memory = self._opened()
        self._carry(memory, caller)
        return answers.answer(memory, name, given, caller)

    def close(self) -> None:
        """Stop the duties and close the memory; idempotent."""
        if self._runner is not None:
            self._runner.stop()
        if self._memory is not None:
            self._memory.close()

    def _opened(self) -> Memory:
        with self._lock:
            if self._memory is None:
                self._memory = open_memory(self._project)
                if self._duties:
                    self._runner = Runner(lambda _: None)
                    self._runner.add(self._memory)
                    self._runner.start()
            return self._memory

    def _carry(self, memory: Memory, caller: answers.Caller) -> None:
        """Enter once what the agent carries for us (P4)."""
        with self._lock:
            if self._carried:
                return
            self._carried = True
        tokens = sum(map(estimate, standing.texts().values()))
        meter_footprint(memory, caller.session, caller.agent, tokens)


async def _serve(host: Host) -> None:
    server = make_server(host)
    async with stdio_server() as (reading, writing):
        options = server.create_initialization_options()
        await server.run(reading, writing, options)


def make_server(host: Host) -> Server[Any]:
    """Return the server over ``host``: two requests, no state of its own."""

    async def list_tools(
        _: ServerRequestContext[Any], __: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=_TOOLS)

    async def call_tool(
        context: ServerRequestContext[Any], asked: types.CallToolRequestParams
    ) -> types.CallToolResult:
        client = _client(context)
        given = dict(asked.arguments or {})
        # One thread at a time: the store has one writer in a process.
        try:
            text = await to_thread.run_sync(host.call, asked.name, given, client)
        except IbidError as error:
            return _result(str(error), is_error=True)
        except Exception:
            logger.exception("tool %s", asked.name)
            return _result("Ibid failed to answer; go on without it.", is_error=True)
        return _result(text)

    return Server(
        "ibid",
        version=__version__,
        instructions=tools.INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _result(text: str, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(text=text)], is_error=is_error
    )


def _client(context: ServerRequestContext[Any]) -> str:
    """Return what the client calls itself, or ""."""
    params = context.session.client_params
    return "" if params is None else params.client_info.name
