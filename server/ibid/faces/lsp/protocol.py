"""The protocol layer over pygls that answers everything and leaks nothing.

pygls structures every nested object with a ``jsonrpc`` key as a message, leaves
requests unanswered whose parameters do not fit, sends tracebacks and keeps a future
for each notification.  `SafeProtocol` therefore takes each parsed message itself,
judges its outer shape, and leaves running to the `Dispatcher`; pygls still builds the
capabilities, keeps the workspace folders and speaks to the client.

This is the only module that touches private parts of pygls.  They are listed in
`PRIVATE`, and a test fails loudly when a new version changes them.
"""

from __future__ import annotations

import enum
import json
import logging
from collections.abc import Generator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

import cattrs
import msgspec
from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method

from . import guard
from .dispatch import Dispatcher, Feature, Kind
from .frames import ParseError, decode_message, encode_frame
from .guard import Refusal
from .params import Params, ParamsError, decode_params, params_type

if TYPE_CHECKING:
    from .server import IbidServer

logger = logging.getLogger(__name__)

PRIVATE = (
    "_converter",
    "_request_futures",
    "_result_types",
    "_send_data",
    "_serialize_message",
    "_server",
    "_shutdown",
)
"""Everything private of pygls' protocol that is used or overridden here."""

PROTOCOL_VERSION = 1
LAST_CALLS = 1.5
"""Seconds ``shutdown`` waits for what is being served; VS Code kills after two."""

_Result = TypeVar("_Result")


class SafeProtocol(LanguageServerProtocol):
    """Judges, routes and answers messages; each request exactly once."""

    _server: IbidServer

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self.dispatcher = Dispatcher(self)
        self.features: dict[str, Feature] = {}
        self.commands: dict[str, Feature] = {}
        self.client_capabilities = types.ClientCapabilities()
        self.initialized = False
        self._shutdown_id: int | str | None = None

    # Incoming: on the event loop.

    def receive(self, body: bytes) -> None:
        """Serve one message body as it came from the client."""
        try:
            message = decode_message(body)
        except ParseError as exc:
            logger.info("a message of %d bytes is no JSON: %s", len(body), exc)
            self.refuse(None, guard.PARSE)
        else:
            self.handle_message(message)

    def structure_message(self, data: Any) -> Any:
        """Return ``data`` as it is: payloads may hold messages of their own."""
        return data

    def handle_message(self, message: Any) -> None:
        """Serve one parsed message, whatever it is."""
        if isinstance(message, dict):
            self._handle_object(message)
        elif isinstance(message, list) and message:
            for member in message:
                self.refuse(_request_id(member), guard.NO_BATCH)
        else:
            self.refuse(None, guard.NO_REQUEST)

    def _handle_object(self, message: dict[str, Any]) -> None:
        method = message.get("method")
        msg_id = _request_id(message)
        is_request = "id" in message
        if "method" not in message and ("result" in message or "error" in message):
            self._settle(message)
        elif message.get("jsonrpc") != self.VERSION or not isinstance(method, str):
            self.refuse(msg_id, guard.NO_REQUEST)
        elif msg_id is not None:
            self._handle_call(msg_id, method, message.get("params"))
        elif is_request:
            self.refuse(None, guard.NO_REQUEST)
        else:
            self._handle_notice(method, message.get("params"))

    def _handle_call(self, msg_id: int | str, method: str, params: Any) -> None:
        """Serve a request with a usable id, or refuse it."""
        why = self._untimely(msg_id, method)
        if why is not None:
            self.refuse(msg_id, why)
        elif method == types.INITIALIZE:
            self._initialize(msg_id, params)
        elif method == types.SHUTDOWN:
            self._begin_shutdown(msg_id)
        else:
            self._start(msg_id, method, params)

    def _untimely(self, msg_id: int | str, method: str) -> Refusal | None:
        """Return why this request cannot be served at this moment."""
        if self._shutdown:
            return guard.ENDING
        if method == types.INITIALIZE:
            return guard.TWICE if self.initialized else None
        if not self.initialized:
            return guard.TOO_EARLY
        return guard.ID_IN_USE if self.dispatcher.serves(msg_id) else None

    def _start(self, msg_id: int | str, method: str, params: Any) -> None:
        try:
            feature, decoded = self._resolve(method, params)
        except ParamsError as exc:
            self.refuse(msg_id, guard.invalid_params(method, str(exc)))
        except LookupError:
            self.refuse(msg_id, guard.unknown_method(method))
        else:
            self._server.open_memory()
            self.dispatcher.start(feature, decoded, msg_id)

    def _resolve(self, method: str, params: Any) -> tuple[Feature, Any]:
        """Return what serves ``method``, with its decoded parameters.

        Raises:
            LookupError: nobody registered the method.
            ParamsError: the parameters do not fit.
        """
        if method == types.WORKSPACE_EXECUTE_COMMAND:
            return self._resolve_command(self._decode(method, params))
        feature = self.features[method]
        return feature, self._decode(method, params, feature.params)

    def _resolve_command(
        self, params: types.ExecuteCommandParams
    ) -> tuple[Feature, Any]:
        command = self.commands.get(params.command)
        if command is None:
            raise ParamsError("no such command @ $.command")
        arguments = params.arguments or ()
        if len(arguments) > 1:
            raise ParamsError("expected one argument @ $.arguments")
        argument = arguments[0] if arguments else None
        decoded = self._decode(command.method, argument, command.params)
        if isinstance(decoded, Params) and decoded.work_done_token is None:
            decoded.work_done_token = params.work_done_token
        return command, decoded

    def _decode(self, method: str, params: Any, declared: type | None = None) -> Any:
        kind = params_type(method, declared)
        return decode_params(self._converter, params, kind)

    def _handle_notice(self, method: str, params: Any) -> None:
        """Act on a notification; nothing about it is ever answered."""
        if method == types.EXIT:
            self._server.lifetime.stop(0 if self._shutdown else 1, "exit")
        elif self._shutdown or not self.initialized:
            logger.debug("a notification outside the session was ignored")
        elif method == types.CANCEL_REQUEST:
            self.dispatcher.cancel(_request_id(params))
        else:
            self._act_on(method, params)

    def _act_on(self, method: str, params: Any) -> None:
        try:
            if method in _OWN_NOTICES:
                self._update(method, self._decode(method, params))
            if method in self.features:
                feature, decoded = self._resolve(method, params)
                self._server.open_memory()
                self.dispatcher.start(feature, decoded, None)
        except ParamsError as exc:
            logger.info("notification %s ignored: %s", method, exc)
        except Exception as exc:  # This is the guard of the face.
            guard.log_error(exc, method)

    def _update(self, method: str, params: Any) -> None:
        """Keep what the session itself has to know."""
        if method == types.INITIALIZED:
            self._server.open_memory()
        elif method == types.SET_TRACE:
            _finish(self.lsp_set_trace(params))
        elif method == types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS:
            _finish(self.lsp_workspace__did_change_workspace_folders(params))
        else:
            self.dispatcher.cancel_progress(params.token)

    def _initialize(self, msg_id: int | str, params: Any) -> None:
        try:
            decoded = self._decode(types.INITIALIZE, params)
            result = _finish(self.lsp_initialize(decoded))
        except ParamsError as exc:
            self.refuse(msg_id, guard.invalid_params(types.INITIALIZE, str(exc)))
        except Exception as exc:  # Answered, whatever pygls raises.
            self.refuse(msg_id, guard.describe_error(exc, types.INITIALIZE))
        else:
            self.initialized = True
            self.respond(msg_id, result)
            self._server.on_initialize(decoded)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(
        self, params: types.InitializeParams
    ) -> Generator[Any, Any, types.InitializeResult]:
        """Let pygls build the capabilities, then say what it cannot know."""
        self._switch_off(params.initialization_options)
        result = yield from super().lsp_initialize(params)
        capabilities = result.capabilities
        registered = self.features.keys()
        capabilities.text_document_sync = types.TextDocumentSyncOptions(
            open_close=bool(registered & _OPEN_CLOSE),
            change=types.TextDocumentSyncKind.None_,
            save=types.TEXT_DOCUMENT_DID_SAVE in registered,
        )
        if types.WORKSPACE_TEXT_DOCUMENT_CONTENT in registered:
            assert capabilities.workspace is not None
            content = types.TextDocumentContentOptions(schemes=["ibid"])
            capabilities.workspace.text_document_content = content
        if not self.commands:
            capabilities.execute_command_provider = None
        capabilities.experimental = {"ibid": {"protocol": PROTOCOL_VERSION}}
        return result

    def _switch_off(self, options: Any) -> None:
        """Forget the features that the client does not want."""
        if not isinstance(options, dict):
            return
        for method, feature in list(self.features.items()):
            switch = feature.switch
            names = (switch,) if isinstance(switch, str) else switch or ()
            if names and all(options.get(name) is False for name in names):
                del self.features[method]
                del self.fm.features[method]

    def _begin_shutdown(self, msg_id: int | str) -> None:
        """Refuse what comes, stop what is long, answer once the rest is through."""
        self._shutdown = True
        self._shutdown_id = msg_id
        self.dispatcher.cancel_kinds(Kind.LONG)
        self.dispatcher.when_idle(self.give_up, LAST_CALLS)

    def give_up(self) -> None:
        """Cancel what still runs, and the questions the client has not answered.

        A ``shutdown`` that waited for it is answered after that.
        """
        self.dispatcher.cancel_kinds(Kind.IMMEDIATE, Kind.READ, Kind.LONG)
        msg_id, self._shutdown_id = self._shutdown_id, None
        if msg_id is not None:
            self.respond(msg_id, None)
        for future in list(self._request_futures.values()):
            future.cancel()

    def _settle(self, message: dict[str, Any]) -> None:
        """Complete the request of ours that this response answers."""
        msg_id = _request_id(message)
        if msg_id is None:
            return
        future = self._request_futures.pop(msg_id, None)
        kind = self._result_types.pop(msg_id, None)
        if future is None or not future.set_running_or_notify_cancel():
            logger.debug("a response to no request of ours was ignored")
            return
        try:
            future.set_result(self._result_of(message, kind))
        except Exception as exc:  # Whoever asked gets to know.
            future.set_exception(exc)

    def _result_of(self, message: dict[str, Any], kind: Any) -> Any:
        """Return the structured result.

        Raises:
            JsonRpcException: the client answered with an error.
        """
        error = message.get("error")
        if error is not None:
            code = error.get("code") if isinstance(error, dict) else None
            raise JsonRpcException("the client refused", code=code or None)
        if kind is None:
            return message.get("result")
        return self._converter.structure(message, kind).result

    # Outgoing: from any thread.

    def respond(self, msg_id: int | str, result: Any) -> None:
        """Answer a request; a result that is no JSON becomes an error."""
        answer = {"jsonrpc": self.VERSION, "id": msg_id, "result": result}
        try:
            frame = self._encode(answer)
        except (TypeError, ValueError, RecursionError, AttributeError) as exc:
            self.refuse(msg_id, guard.describe_error(exc, "encoding a result"))
        else:
            self._write(frame)

    def refuse(self, msg_id: int | str | None, why: Refusal) -> None:
        """Answer a request, or an unreadable message, with an error."""
        error = why.to_wire()
        self._send_data({"jsonrpc": self.VERSION, "id": msg_id, "error": error})

    def tell(self, method: str, params: Any) -> None:
        """Send a notification."""
        self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})

    def ask(self, method: str, params: Any) -> Future[Any]:
        """Send a request; its future completes on the event loop's thread."""
        return self.send_request(method, params)

    def supports(self, capability: str) -> bool:
        """Say whether the client declared ``capability``.

        It is a dotted path from `ClientCapabilities` in lsprotocol's spelling, such as
        ``window.show_document``.
        """
        return bool(get_capability(self.client_capabilities, capability, False))

    def _send_data(self, data: Any) -> None:
        try:
            frame = self._encode(data)
        except (TypeError, ValueError, RecursionError, AttributeError) as exc:
            guard.log_error(exc, "encoding a message")
        else:
            self._write(frame)

    def _encode(self, data: Any) -> bytes:
        body = json.dumps(
            data,
            default=self._serialize_message,
            allow_nan=False,
            separators=(",", ":"),
        )
        return encode_frame(body)

    def _write(self, frame: bytes) -> None:
        if self.writer is not None:
            self.writer.write(frame)

    def _serialize_message(self, data: Any) -> Any:
        """Return what stands for an object in JSON."""
        if isinstance(data, msgspec.Struct):
            return msgspec.to_builtins(data, enc_hook=self._serialize_message)
        if isinstance(data, enum.Enum):
            return data.value
        if hasattr(data, "__attrs_attrs__"):
            return self._converter.unstructure(data)
        raise TypeError(f"{type(data).__name__} is no JSON")


_OWN_NOTICES = frozenset(
    {
        types.INITIALIZED,
        types.SET_TRACE,
        types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
        types.WINDOW_WORK_DONE_PROGRESS_CANCEL,
    }
)

SERVED_ITSELF = frozenset(
    {
        types.INITIALIZE,
        types.SHUTDOWN,
        types.EXIT,
        types.CANCEL_REQUEST,
        types.WORKSPACE_EXECUTE_COMMAND,
    }
)
"""Methods that no feature may register."""

_OPEN_CLOSE = {types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CLOSE}


def _request_id(message: Any) -> int | str | None:
    """Return the id a response can carry back, else ``None``."""
    msg_id = message.get("id") if isinstance(message, dict) else None
    is_usable = isinstance(msg_id, (int, str)) and not isinstance(msg_id, bool)
    return msg_id if is_usable else None


def _finish(steps: Generator[Any, Any, _Result]) -> _Result:
    """Run one of pygls' own handlers; features are run by the dispatcher instead."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        result: _Result = end.value
        return result
