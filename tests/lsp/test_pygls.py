"""What we lean on inside pygls is as it was when it was read.

If a test here fails after an upgrade, read `ibid.faces.lsp.protocol` against the new
pygls before changing anything: these parts carry no promise.
"""

from __future__ import annotations

import inspect
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

import ibid.faces.lsp
from ibid.faces.lsp.protocol import PRIVATE, SafeProtocol


class Pipe:
    """Keeps what is written."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        """Keep it."""
        self.data += data

    def close(self) -> None:
        """Do nothing."""


def plain_server() -> LanguageServer:
    """Return pygls' own server."""
    return LanguageServer("x", "1")


def test_the_version_is_the_one_that_was_read() -> None:
    """A new minor version has to be read first."""
    assert version("pygls").split(".")[:2] == ["2", "1"]


@pytest.mark.parametrize("name", PRIVATE)
def test_the_private_parts_exist(name: str) -> None:
    """Each private name we use is still one of pygls'."""
    assert hasattr(plain_server().protocol, name)


def test_no_other_module_touches_private_parts() -> None:
    """The private names stand in `protocol` and nowhere else."""
    (folder,) = map(Path, ibid.faces.lsp.__path__)
    for path in folder.glob("*.py"):
        if path.name != "protocol.py":
            text = path.read_text(encoding="utf-8")
            for name in PRIVATE:
                assert f"protocol.{name}" not in text, path.name


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("_send_data", ["self", "data"]),
        ("_serialize_message", ["self", "data"]),
        ("structure_message", ["self", "data"]),
        ("handle_message", ["self", "message"]),
        ("lsp_initialize", ["self", "params"]),
        ("send_request", ["self", "method", "params", "callback", "msg_id"]),
    ],
)
def test_what_we_override_is_called_as_before(
    method: str, parameters: list[str]
) -> None:
    """The signatures are unchanged."""
    found = inspect.signature(getattr(LanguageServerProtocol, method))
    assert list(found.parameters) == parameters


def test_the_rest_of_pygls_sends_through_what_we_override() -> None:
    """Notifications and requests of pygls pass `_send_data`, and their books."""
    server = plain_server()
    protocol = server.protocol
    sent: list[Any] = []
    protocol._send_data = sent.append
    server.window_log_message(
        types.LogMessageParams(type=types.MessageType.Log, message="m")
    )
    future = server.workspace_code_lens_refresh(None)
    assert [message.method for message in sent] == [
        "window/logMessage",
        "workspace/codeLens/refresh",
    ]
    msg_id = sent[1].id
    assert protocol._request_futures == {msg_id: future}
    assert protocol._result_types == {msg_id: types.CodeLensRefreshResponse}


def test_initialize_is_a_generator_that_needs_no_help() -> None:
    """Pygls' own handler yields only to a user's handler, and we register none."""
    server = plain_server()
    params = types.InitializeParams(capabilities=types.ClientCapabilities())
    steps = server.protocol.lsp_initialize(params)
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert isinstance(end.value.value, types.InitializeResult)
    assert server.workspace is not None


def test_the_features_are_plain_dictionaries() -> None:
    """A feature can be taken out again before the capabilities are built."""
    server = plain_server()
    server.feature("textDocument/hover")(lambda params: None)
    del server.protocol.fm.features["textDocument/hover"]
    assert "textDocument/hover" not in server.protocol.fm.features


def test_our_overrides_are_in_effect(stub: Any) -> None:
    """A message of pygls leaves as one ASCII frame of ours."""
    server = stub.make_server()
    pipe = Pipe()
    assert isinstance(server.protocol, SafeProtocol)
    server.protocol.set_writer(pipe)
    server.window_log_message(
        types.LogMessageParams(type=types.MessageType.Log, message="é")
    )
    head, _, body = pipe.data.partition(b"\r\n\r\n")
    assert head == b"Content-Length: %d" % len(body)
    assert json.loads(body)["params"] == {"type": 4, "message": "é"}
