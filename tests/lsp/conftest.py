"""Clients for the language server's tests: one in process, one over real pipes."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ibid.faces.lsp.server import IbidServer

HERE = Path(__file__).parent
STUB = HERE / "stub_server.py"
SERVER = HERE.parents[1] / "server"
PATIENCE = 20.0
"""Seconds after which a test gives up; nothing is measured by it."""

INITIALIZE = {"processId": None, "rootUri": None, "capabilities": {}}


def load_stub() -> Any:
    """Return the module of the stub server."""
    spec = importlib.util.spec_from_file_location("lsp_stub_server", STUB)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def stub() -> Any:
    """Return the module of the stub server."""
    return load_stub()


class InProcess:
    """A server on this event loop; what it sends is kept as parsed messages."""

    def __init__(self, server: IbidServer) -> None:
        self.server = server
        self.sent: list[dict[str, Any]] = []
        self._arrived = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        server.protocol.set_writer(self)

    def write(self, data: bytes) -> None:
        """Keep what the server sends, from any thread."""
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        self._loop.call_soon_threadsafe(self._keep, message)

    def close(self) -> None:
        """Do what a writer must be able to do."""

    def _keep(self, message: dict[str, Any]) -> None:
        self.sent.append(message)
        self._arrived.set()

    def send(self, message: Any) -> None:
        """Let the server receive a message."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.server.protocol.receive(body)

    def request(self, msg_id: Any, method: str, params: Any = None) -> None:
        """Send a request without waiting."""
        self.send({"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params})

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    async def find(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the first message sent that is wanted, waiting for it."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for message in self.sent:
                    if wanted(message):
                        return message
                self._arrived.clear()
                await self._arrived.wait()

    async def answer(self, msg_id: Any) -> dict[str, Any]:
        """Return the response to ``msg_id``."""
        return await self.find(lambda m: "method" not in m and m.get("id") == msg_id)

    async def call(self, msg_id: Any, method: str, params: Any = None) -> Any:
        """Send a request and return the whole response."""
        self.request(msg_id, method, params)
        return await self.answer(msg_id)

    async def initialize(self, **params: Any) -> dict[str, Any]:
        """Begin a session; return the server's capabilities."""
        answer = await self.call("init", "initialize", {**INITIALIZE, **params})
        self.notify("initialized", {})
        capabilities: dict[str, Any] = answer["result"]["capabilities"]
        return capabilities

    def answers(self, msg_id: Any) -> list[dict[str, Any]]:
        """Return all responses to ``msg_id`` so far."""
        return [m for m in self.sent if "method" not in m and m.get("id") == msg_id]


@pytest.fixture
async def session(stub: Any, tmp_path: Path) -> AsyncIterator[InProcess]:
    """Yield a client of a server in this process, not initialized."""
    made = InProcess(stub.make_server(tmp_path))
    yield made
    made.server.protocol.give_up()
    made.server.dispatcher.close(PATIENCE)


class Process:
    """A client over the pipes of a real server process, which speaks raw bytes."""

    def __init__(self, *arguments: str, **options: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", str(STUB), *arguments],
            stdin=options.pop("stdin", subprocess.PIPE),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=server_env(),
            bufsize=0,
            **options,
        )
        self.stderr = b""
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._threads = [
            threading.Thread(target=target, daemon=True)
            for target in (self._read, self._read_errors)
        ]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        buffered = os.fdopen(os.dup(stream.fileno()), "rb")
        with buffered:
            while header := buffered.readline():
                assert header.lower().startswith(b"content-length:"), header
                assert buffered.readline() == b"\r\n"
                body = buffered.read(int(header.split(b":")[1]))
                self._messages.put(json.loads(body))
        self._messages.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.stderr = self.process.stderr.read()

    def send_bytes(self, data: bytes) -> None:
        """Write bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def send(self, message: Any) -> None:
        """Write one message."""
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def request(self, msg_id: Any, method: str, params: Any = None) -> None:
        """Send a request without waiting."""
        self.send({"jsonrpc": "2.0", "id": msg_id, "method": method, "params": params})

    def notify(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def receive(self) -> dict[str, Any]:
        """Return the next message of the server.

        Raises:
            EOFError: it has ended.
        """
        message = self._messages.get(timeout=PATIENCE)
        if message is None:
            self._messages.put(None)
            raise EOFError(self.stderr)
        return message

    def answer(self, msg_id: Any) -> dict[str, Any]:
        """Return the response to ``msg_id``, passing over everything before it."""
        while True:
            message = self.receive()
            if "method" not in message and message["id"] == msg_id:
                return message

    def call(self, msg_id: Any, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request and return the whole response."""
        self.request(msg_id, method, params)
        return self.answer(msg_id)

    def initialize(self, **params: Any) -> dict[str, Any]:
        """Begin a session; return the whole response."""
        answer = self.call("init", "initialize", {**INITIALIZE, **params})
        self.notify("initialized", {})
        return answer

    def close_stdin(self) -> None:
        """End the server's input."""
        if self.process.stdin is not None:
            self.process.stdin.close()

    def wait(self) -> int:
        """Return the exit status of the server, which must end by itself."""
        status = self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        return status

    def close(self) -> None:
        """Leave nothing behind."""
        self.close_stdin()
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


def server_env() -> dict[str, str]:
    """Return the environment in which a server finds its sources."""
    return {**os.environ, "PYTHONPATH": str(SERVER)}


@pytest.fixture
def start() -> Iterator[Callable[..., Process]]:
    """Yield what starts servers as processes; they are gone after the test."""
    started: list[Process] = []

    def start_one(*arguments: str, **options: Any) -> Process:
        process = Process(*arguments, **options)
        started.append(process)
        return process

    yield start_one
    for process in started:
        process.close()
