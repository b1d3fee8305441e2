"""Make the language server, and run it on this process's standard streams.

`create_server` builds a server and lets each feature module register itself; there is
no server at module level, so that tests make as many as they like.  See `status` for
how a feature module looks.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from . import guard, status
from .board import Board
from .dispatch import Command, Dispatcher, Feature, Kind
from .frames import FrameReader, FrameWriter
from .lifetime import Lifetime, ParentWatch, Stdio, protect_stdio, stop_on_signals
from .logs import attach_log
from .params import params_type
from .protocol import SERVED_ITSELF, SafeProtocol

logger = logging.getLogger(__name__)

AGEING = 60.0
"""Seconds after which what a lens says of the time may be wrong."""

FRAMES_AHEAD = 256
"""Messages the reader may be ahead of the event loop."""

LOOP_HANGS = 0.3
"""Seconds after which the event loop need not be waited for any more."""

LAST_CALLS = 0.6
"""Seconds that what is being served has to finish at the end."""


class Opening(NamedTuple):
    """What the memory is opened with."""

    folders: tuple[str, ...]
    """URIs of the workspace folders, the first one first; may be empty."""
    options: dict[str, Any]
    """The client's ``initializationOptions`` (docs/protocol.md)."""


class MemoryHub(Protocol):
    """Where the features find the memory of each project."""

    def start(self, opening: Opening) -> None:
        """Import what is heavy and open the memory.

        Called once, on the writer thread, after ``initialize`` was answered and before
        any handler but an immediate one.
        """

    def close(self) -> None:
        """Let go of the store; called once, at the end, if `start` was.

        What hangs may still be running then, `start` included.
        """


class Looking(Protocol):
    """What looks at open files again when the memory changed."""

    def check_all(self) -> None:
        """Look at every open file again."""

    def is_any_open(self) -> bool:
        """Say whether there is a file whose lenses show."""

    def asked(self, looked: Any, places: Any) -> None:
        """Say what there is to say of a file that was just looked at."""


Register = Callable[["IbidServer", Any], None]
"""What each feature module exports as ``register``: takes the server and the hub."""

FEATURES: tuple[Register, ...] = (status.register,)


def create_server(
    memory_hub: MemoryHub, version: str, features: Sequence[Register] = FEATURES
) -> IbidServer:
    """Return a server with ``features`` registered, not yet running."""
    # pygls logs whole payloads at INFO.
    logging.getLogger("pygls").setLevel(logging.WARNING)
    server = IbidServer(memory_hub, version)
    for register in features:
        register(server, memory_hub)
    return server


class IbidServer(LanguageServer):
    """A language server whose handlers run by declared class."""

    protocol: SafeProtocol

    def __init__(self, memory_hub: MemoryHub, version: str) -> None:
        super().__init__(
            "ibid",
            version,
            text_document_sync_kind=types.TextDocumentSyncKind.None_,
            protocol_cls=SafeProtocol,
            converter_factory=default_converter,
        )
        self.hub = memory_hub
        self.lifetime = Lifetime()
        self.parent: ParentWatch | None = None
        self.options: dict[str, Any] = {}
        self.board = Board(self.tell)
        self.stale: Looking | None = None
        self._opened = False
        self._refresh = _Refresh(self)

    def register(self, feature: Feature) -> None:
        """Serve a method, or a `Command`; before the server runs.

        Raises:
            TypeError: a method of ours without a params type.
            ValueError: a method that the protocol itself serves.
            pygls.exceptions.FeatureAlreadyRegisteredError: it is served already.
            pygls.exceptions.CommandAlreadyRegisteredError: it is served already.
        """
        params_type(feature.method, feature.params)
        if feature.method in SERVED_ITSELF:
            raise ValueError(f"{feature.method} is served by the protocol itself")
        if isinstance(feature, Command):
            self.protocol.fm.command(feature.method)(_placeholder())
            self.protocol.commands[feature.method] = feature
        else:
            self.protocol.fm.feature(feature.method, feature.options)(_placeholder())
            self.protocol.features[feature.method] = feature

    @property
    def dispatcher(self) -> Dispatcher:
        """What runs the handlers; `Dispatcher.submit_write` is for duties."""
        return self.protocol.dispatcher

    @property
    def folders(self) -> tuple[str, ...]:
        """The URIs of the workspace folders now."""
        workspace = self.protocol.workspace
        if not workspace.folders and workspace.root_uri:
            return (workspace.root_uri,)
        return tuple(workspace.folders)

    def supports(self, capability: str) -> bool:
        """Say whether the client declared ``capability``, a dotted path."""
        return self.protocol.supports(capability)

    def offers(self, command: str) -> bool:
        """Say whether the client listed ``command`` as one of its own to be sent."""
        commands = self.options.get("commands")
        return isinstance(commands, list) and command in commands

    def tell(self, method: str, params: Any) -> None:
        """Send a notification such as ``ibid/memoryChanged``; from any thread."""
        self.protocol.tell(method, params)

    def refresh_lenses(self) -> None:
        """Let the client ask for code lenses again, if it declared that it can."""
        if self.supports("workspace.code_lens.refresh_support"):
            self._refresh.ask(types.WORKSPACE_CODE_LENS_REFRESH, None)

    def memory_changed(self, kinds: Sequence[str]) -> None:
        """Let what shows in files be true again after a change; from any thread."""
        if "notes" in kinds or "turns" in kinds:
            self.refresh_lenses()
        if "notes" in kinds and self.stale is not None:
            self.stale.check_all()

    def refresh_document(self, uri: str) -> None:
        """Let the client read an ``ibid:`` document again, if it declared such."""
        if self.supports("workspace.text_document_content"):
            params = types.TextDocumentContentRefreshParams(uri=uri)
            self._refresh.ask(types.WORKSPACE_TEXT_DOCUMENT_CONTENT_REFRESH, params)

    def register_later(self, method: str, options: Any, capability: str) -> bool:
        """Register ``method`` dynamically, if the client declared ``capability``.

        ``capability`` is such as ``workspace.did_change_watched_files`` and must carry
        ``dynamicRegistration``.  The feature itself was registered before.
        """
        if not self.supports(f"{capability}.dynamic_registration"):
            return False
        registration = types.Registration(
            id=f"ibid:{method}", method=method, register_options=options
        )
        params = types.RegistrationParams(registrations=[registration])
        self.protocol.ask(types.CLIENT_REGISTER_CAPABILITY, params)
        return True

    def open_memory(self) -> None:
        """Open the memory in the background, once (on the event loop)."""
        if not self._opened:
            self._opened = True
            opening = Opening(self.folders, self.options)
            self.dispatcher.warm_up(lambda: self.hub.start(opening))
            self._let_lenses_age()

    def _let_lenses_age(self) -> None:
        """Ask again every minute while files are open: lenses say how long ago."""
        if self.stale is not None and self.stale.is_any_open():
            self.refresh_lenses()
        asyncio.get_running_loop().call_later(AGEING, self._let_lenses_age)

    def on_initialize(self, params: types.InitializeParams) -> None:
        """Note what the client said about itself."""
        options = params.initialization_options
        self.options = options if isinstance(options, dict) else {}
        if self.parent is not None:
            self.parent.watch(params.process_id)

    def close_memory(self) -> None:
        """Close the hub, if it was opened; after the last handler."""
        if self._opened:
            try:
                self.hub.close()
            except Exception as exc:  # Nobody is left to be told but the log.
                guard.log_error(exc, "closing the memory")

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log that something failed outside a request; nothing is ever shown."""
        guard.log_error(error, "the connection")

    def feature(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse pygls' own registration.

        Raises:
            TypeError: always.
        """
        raise TypeError("use register(Feature(...)): it declares the handler's kind")

    def command(self, *_: Any, **__: Any) -> NoReturn:
        """Refuse pygls' own registration.

        Raises:
            TypeError: always.
        """
        raise TypeError("use register(Command(...)): it declares the handler's kind")

    def thread(self) -> NoReturn:
        """Refuse pygls' threads, whose pool also reads the input.

        Raises:
            TypeError: always.
        """
        raise TypeError("declare Kind.READ, WRITE or LONG instead of a pygls thread")


def run_stdio(server: IbidServer) -> int:
    """Serve the client on stdin and stdout until the end; return the exit status.

    0 after ``shutdown`` and ``exit``, SIGTERM, SIGINT or SIGHUP; 1 after an ``exit``
    alone, the end of the input or of the client, or a lost frame.  Call it once, from
    the main thread.
    """
    stdio = protect_stdio()
    stop_on_signals(server.lifetime)
    server.parent = ParentWatch(
        lambda: server.lifetime.stop(1, "the client's process is gone")
    )
    server.parent.start()
    writer = FrameWriter(
        stdio.writing, lambda: server.lifetime.stop(1, "nobody reads our answers")
    )
    server.protocol.set_writer(writer)
    log = attach_log(server.protocol)
    try:
        asyncio.run(_serve(server, stdio, writer))
        if not server.dispatcher.close():
            logger.critical("left while a write was still running")
        writer.close()
        server.close_memory()
    finally:
        logging.getLogger("ibid").removeHandler(log)
    assert server.lifetime.code is not None
    return server.lifetime.code


async def _serve(server: IbidServer, stdio: Stdio, writer: FrameWriter) -> None:
    """Feed the protocol until the lifetime ends."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(_log_loop_error)
    loop.set_debug(False)  # Its warnings would quote the messages.
    ended = asyncio.Event()
    ahead = threading.Semaphore(FRAMES_AHEAD)

    def in_loop(call: Callable[..., None], *args: Any) -> None:
        with contextlib.suppress(RuntimeError):  # The loop may be closed by now.
            loop.call_soon_threadsafe(call, *args)

    def receive(body: bytes) -> None:
        ahead.release()
        if server.lifetime.code is None:
            server.protocol.receive(body)

    def on_body(body: bytes) -> None:
        ahead.acquire()
        in_loop(receive, body)

    def on_end(error: Exception | None) -> None:
        if error is not None:
            logger.critical("the client's stream cannot be read: %s", error)
        # What came before the end comes first, unless the loop hangs.
        in_loop(server.lifetime.stop, 1, "the input ended")
        server.lifetime.stop_later(1, "the input ended", LOOP_HANGS)

    server.lifetime.arm(lambda: in_loop(ended.set))
    FrameReader(stdio.reading, on_body, on_end, writer.wait_for_room).start()
    await ended.wait()
    server.dispatcher.cancel_kinds(Kind.LONG)
    idle = asyncio.Event()
    server.dispatcher.when_idle(idle.set, LAST_CALLS)
    await idle.wait()
    server.protocol.give_up()


def _log_loop_error(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an error of the event loop without the arguments asyncio would print."""
    error = context.get("exception")
    if isinstance(error, BaseException):
        guard.log_error(error, "the event loop")
    else:
        logger.error("the event loop reports trouble")


class _Refresh:
    """Sends refresh requests, never two of a kind at once."""

    def __init__(self, server: IbidServer) -> None:
        self._server = server
        self._lock = threading.Lock()
        self._again: dict[tuple[str, str], bool] = {}

    def ask(self, method: str, params: Any) -> None:
        """Ask now, or once more when the pending one is answered."""
        key = (method, getattr(params, "uri", ""))
        with self._lock:
            if key in self._again:
                self._again[key] = True
                return
            self._again[key] = False
        asked = self._server.protocol.ask(method, params)
        asked.add_done_callback(lambda _: self._answered(key, params))

    def _answered(self, key: tuple[str, str], params: Any) -> None:
        with self._lock:
            again = self._again.pop(key)
        if again:
            self.ask(key[0], params)


def _placeholder() -> Callable[[Any], None]:
    """Return a function that only tells pygls' builder of capabilities."""
    return lambda params: None
