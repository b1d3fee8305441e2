"""Every message is answered exactly once, whatever it is."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from lsprotocol import types

from ibid.faces.lsp import protocol
from ibid.faces.lsp import server as server_module
from ibid.faces.lsp.dispatch import Command, Feature, Kind
from ibid.faces.lsp.params import Params

NESTED = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"a": [1]}}


async def ping(session: Any, name: str = "ping") -> None:
    """Return once everything sent before was served."""
    assert (await session.call(name, "test/echo", {"value": 1}))["result"]


async def test_a_session_begins_with_what_the_server_can(session: Any) -> None:
    """The capabilities say no text sync, the content scheme, and our protocol."""
    answer = await session.call(
        1, "initialize", {"processId": None, "capabilities": {}}
    )
    result = answer["result"]
    assert result["serverInfo"] == {"name": "ibid", "version": "1.2.3"}
    capabilities = result["capabilities"]
    assert capabilities["textDocumentSync"] == {
        "openClose": False,
        "change": 0,
        "save": False,
    }
    assert capabilities["workspace"]["textDocumentContent"] == {"schemes": ["ibid"]}
    assert capabilities["experimental"] == {"ibid": {"protocol": 1}}
    assert capabilities["positionEncoding"] == "utf-16"
    commands = capabilities["executeCommandProvider"]["commands"]
    assert commands == ["ibid.server.echo", "ibid.server.nap"]


async def test_the_client_chooses_the_position_encoding(session: Any) -> None:
    """The client's first choice is taken."""
    general = {"positionEncodings": ["utf-8", "utf-16"]}
    capabilities = await session.initialize(capabilities={"general": general})
    assert capabilities["positionEncoding"] == "utf-8"


async def test_a_feature_can_be_switched_off(session: Any) -> None:
    """A switch in the options takes the capability and the method away."""
    capabilities = await session.initialize(initializationOptions={"hovers": False})
    assert "hoverProvider" not in capabilities
    params = {"textDocument": {"uri": "file:///a"}, "position": None}
    answer = await session.call(1, "textDocument/hover", params)
    assert answer["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("off", "stays"), [(("a",), True), (("b",), True), (("a", "b"), False)]
)
async def test_a_feature_for_two_goes_when_neither_wants_it(
    session: Any, off: tuple[str, ...], stays: bool
) -> None:
    """Several switches take a feature away only together."""
    session.server.register(
        Feature(
            method=types.TEXT_DOCUMENT_DID_OPEN,
            kind=Kind.IMMEDIATE,
            handler=lambda params: None,
            switch=("a", "b"),
        )
    )
    options = dict.fromkeys(off, False)
    capabilities = await session.initialize(initializationOptions=options)
    assert capabilities["textDocumentSync"]["openClose"] is stays


async def test_the_status_example_is_served(session: Any) -> None:
    """`ibid/status` goes to the hub with the project of the request."""
    await session.initialize()
    answer = await session.call(1, "ibid/status", {"project": "/somewhere"})
    assert answer["result"]["project"] == "/somewhere"
    answer = await session.call(2, "ibid/status")
    assert answer["result"]["project"] is None


@pytest.mark.parametrize(
    ("message", "code", "msg_id"),
    [
        (b"", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"meth', -32700, None),
        (b"[" * 50_000, -32700, None),
        (42, -32600, None),
        (None, -32600, None),
        ({}, -32600, None),
        ([], -32600, None),
        ({"id": 1, "method": "x"}, -32600, 1),
        ({"jsonrpc": "1.0", "id": "a", "method": "x"}, -32600, "a"),
        ({"jsonrpc": "2.0", "id": 1, "method": 7}, -32600, 1),
        ({"jsonrpc": "2.0", "id": 1}, -32600, 1),
        ({"jsonrpc": "2.0", "id": None, "method": "x"}, -32600, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "x"}, -32600, None),
        ({"jsonrpc": "2.0", "id": True, "method": "x"}, -32600, None),
        ({"jsonrpc": "2.0", "id": {"a": 1}, "method": "x"}, -32600, None),
        ({"jsonrpc": "2.0", "id": 1, "method": "no/such"}, -32601, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": ""}, -32601, 1),
        ({"jsonrpc": "2.0", "id": 0, "method": "$/odd"}, -32601, 0),
        ({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": 1}, -32600, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "test/echo", "params": []}, -32602, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "test/echo", "params": "x"}, -32602, 1),
        ({"jsonrpc": "2.0", "id": 1, "method": "test/echo"}, -32602, 1),
    ],
)
async def test_malformed_messages_are_answered_once(
    session: Any, message: Any, code: int, msg_id: Any
) -> None:
    """A message that cannot be served gets one error, and the session goes on."""
    await session.initialize()
    before = len(session.sent)
    session.send(message)
    await ping(session)
    (answer, _) = session.sent[before:]
    assert answer["id"] == msg_id
    assert answer["error"]["code"] == code
    assert answer["error"]["data"]["code"]


async def test_a_batch_is_refused_member_by_member(session: Any) -> None:
    """Each request of a batch hears that batches are not served."""
    await session.initialize()
    session.send([{"jsonrpc": "2.0", "id": n, "method": "test/echo"} for n in (1, 2)])
    for msg_id in (1, 2):
        assert (await session.answer(msg_id))["error"]["code"] == -32600


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "no/such", "params": {"a": 1}},
        {"jsonrpc": "2.0", "method": "test/read", "params": {"seconds": "x"}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest"},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": []}},
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}},
        {"jsonrpc": "2.0", "method": "$/setTrace", "params": {"value": 5}},
        {"jsonrpc": "2.0", "method": "window/workDoneProgress/cancel", "params": {}},
        {
            "jsonrpc": "2.0",
            "method": "window/workDoneProgress/cancel",
            "params": {"token": 7},
        },
        {"jsonrpc": "2.0", "id": 77, "result": None},
        {"jsonrpc": "2.0", "id": [], "result": None},
        {"jsonrpc": "2.0", "id": "zz", "error": "boom"},
        {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}},
        {"jsonrpc": "2.0", "method": "initialized", "params": {}},
    ],
)
async def test_nothing_answers_a_notification(session: Any, message: Any) -> None:
    """Notifications and stray responses are never answered, nor shown to anyone."""
    await session.initialize()
    before = len(session.sent)
    session.send(message)
    await ping(session)
    assert len(session.sent) == before + 1


async def test_a_message_inside_the_params_arrives_intact(session: Any) -> None:
    """A nested object with a `jsonrpc` key is data."""
    await session.initialize()
    answer = await session.call(1, "test/echo", {"value": [NESTED, {"jsonrpc": "x"}]})
    assert answer["result"] == {"value": [NESTED, {"jsonrpc": "x"}]}


async def test_text_that_is_no_unicode_comes_back(session: Any) -> None:
    """A lone surrogate in the parameters does not break the answer."""
    await session.initialize()
    session.send(
        b'{"jsonrpc":"2.0","id":1,"method":"test/echo","params":{"value":"\\ud800"}}'
    )
    assert (await session.answer(1))["result"] == {"value": "\ud800"}


async def test_before_initialize_requests_wait_for_nobody(session: Any) -> None:
    """Too early a request is refused, too early a notification ignored."""
    session.notify("test/echo", {"value": 1})
    answer = await session.call(1, "test/echo", {"value": 1})
    assert answer["error"]["code"] == -32002
    assert (await session.call(2, "shutdown"))["error"]["code"] == -32002


async def test_a_bad_initialize_can_be_repeated(session: Any) -> None:
    """Parameters that do not fit are named; the next attempt counts."""
    answer = await session.call(1, "initialize", {"processId": "x"})
    assert answer["error"]["code"] == -32602
    assert "$.capabilities" in answer["error"]["message"]
    await session.initialize()
    assert (await session.call(2, "initialize"))["error"]["code"] == -32600


async def test_after_shutdown_requests_are_refused(session: Any) -> None:
    """The end is announced to whoever still asks, and shutdown answered once."""
    await session.initialize()
    session.request(1, "shutdown")
    session.request(2, "test/echo", {"value": 1})
    session.request(3, "shutdown")
    session.notify("test/echo", {"value": 1})
    for msg_id in (2, 3):
        assert (await session.answer(msg_id))["error"]["code"] == -32600
    assert (await session.answer(1))["result"] is None


async def test_shutdown_waits_for_what_is_short(session: Any, tmp_path: Any) -> None:
    """Reads and writes are answered before shutdown is, long calls cancelled."""
    await session.initialize()
    session.request(1, "test/write", {"seconds": 0.1, "name": "w1"})
    session.request(2, "test/write", {"name": "w2"})
    session.request(3, "test/read", {"seconds": 0.2})
    session.request(4, "test/long", {"seconds": 3600})
    session.request(5, "shutdown")
    assert (await session.answer(5))["result"] is None
    assert session.sent[-1]["id"] == 5
    for msg_id in (1, 2, 3):
        assert "result" in session.answers(msg_id)[0]
    assert session.answers(4)[0]["error"]["code"] == -32800
    assert (tmp_path / "w2").read_text() == "written"


async def test_shutdown_does_not_wait_for_what_hangs(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After its patience the rest is cancelled, and shutdown answered once."""
    monkeypatch.setattr(protocol, "LAST_CALLS", 0.05)
    await session.initialize()
    session.request(1, "test/read", {"seconds": 0.4})
    session.request(2, "test/wait", {"seconds": 3600})
    session.request(3, "shutdown")
    assert (await session.answer(3))["result"] is None
    for msg_id in (1, 2):
        assert session.answers(msg_id)[0]["error"]["code"] == -32800
    await asyncio.to_thread(session.server.dispatcher.close, 20)
    await ping_refused(session)
    assert len(session.answers(1)) == len(session.answers(3)) == 1


async def ping_refused(session: Any) -> None:
    """Return once everything sent before was served by an ending server."""
    answer = await session.call("late", "test/echo", {"value": 1})
    assert answer["error"]["code"] == -32600


async def test_an_id_in_use_is_refused(session: Any) -> None:
    """Two requests under one id cannot both be told apart; the second is refused."""
    await session.initialize()
    session.request(1, "test/write", {"seconds": 0.05})
    session.request(1, "test/write")
    session.request("1", "test/write")
    await session.answer("1")
    codes = [m.get("error", {}).get("code") for m in session.answers(1)]
    assert codes == [-32600, None]


async def test_each_kind_runs_where_it_says(session: Any) -> None:
    """Immediate handlers share the event loop's thread, the others have their own."""
    await session.initialize()
    threads = {}
    for kind in ("wait", "block", "read", "write", "long"):
        answer = await session.call(kind, f"test/{kind}", {})
        threads[kind] = answer["result"]["thread"]
    assert threads["wait"] == threads["block"] == "MainThread"
    assert threads["write"] == "ibid-write-1"
    assert threads["read"].startswith("ibid-read-")
    assert threads["long"].startswith("ibid-long-")


@pytest.mark.parametrize("kind", ["read", "long", "wait"])
async def test_cancelling_answers_at_once(session: Any, kind: str) -> None:
    """A cancelled call is answered -32800 while its handler still sleeps."""
    await session.initialize()
    session.request(1, f"test/{kind}", {"seconds": 0.3})
    session.notify("$/cancelRequest", {"id": 1})
    session.notify("$/cancelRequest", {"id": 1})
    assert (await session.answer(1))["error"]["code"] == -32800
    await asyncio.sleep(0.4)
    await ping(session)
    assert len(session.answers(1)) == 1


async def test_cancelling_a_long_call_stops_it(session: Any, tmp_path: Any) -> None:
    """The handler of a long call sees its flag."""
    await session.initialize()
    session.request(1, "test/long", {"seconds": 600, "workDoneToken": "t"})
    await session.find(lambda m: m.get("method") == "$/progress")
    session.notify("$/cancelRequest", {"id": 1})
    assert (await session.answer(1))["error"]["code"] == -32800
    assert await asyncio.to_thread(session.server.dispatcher.close, 20)
    assert (tmp_path / "nap").read_text() == "stopped"
    kinds = [m["params"]["value"]["kind"] for m in session.sent if "method" in m]
    assert (kinds[0], kinds[-1]) == ("begin", "end")


async def test_cancelling_by_the_progress_is_the_same(session: Any) -> None:
    """The button beside the progress cancels the call that shows it."""
    await session.initialize()
    session.request(1, "test/long", {"seconds": 600, "workDoneToken": "t"})
    await session.find(lambda m: m.get("method") == "$/progress")
    session.notify("window/workDoneProgress/cancel", {"token": "t"})
    assert (await session.answer(1))["error"]["code"] == -32800


async def test_a_write_is_never_interrupted(session: Any, tmp_path: Any) -> None:
    """Cancelling a write changes nothing: it is done, and answered as done."""
    await session.initialize()
    session.request(1, "test/write", {"seconds": 0.05, "name": "w1"})
    session.request(2, "test/write", {"name": "w2"})
    for msg_id in (1, 2):
        session.notify("$/cancelRequest", {"id": msg_id})
    for msg_id in (1, 2):
        assert "result" in await session.answer(msg_id)
        assert (tmp_path / f"w{msg_id}").read_text() == "written"


async def test_a_busy_kind_does_not_hold_up_another(session: Any) -> None:
    """With every reader and writer asleep the rest is still served."""
    await session.initialize()
    for number in range(40):
        session.request(f"r{number}", "test/read", {"seconds": 0.2})
    session.request("w", "test/write", {"seconds": 0.2})
    await ping(session)
    await session.call("l", "test/long", {})
    assert session.answers("r39") == []
    for number in range(40):
        session.notify("$/cancelRequest", {"id": f"r{number}"})


async def test_a_client_without_token_is_asked_for_one(session: Any) -> None:
    """A client with progress grants the server's own token."""
    await session.initialize(capabilities={"window": {"workDoneProgress": True}})
    session.request(1, "test/long", {"seconds": 600})
    create = "window/workDoneProgress/create"
    asked = await session.find(lambda m: m.get("method") == create)
    session.send({"jsonrpc": "2.0", "id": asked["id"], "result": None})
    shown = await session.find(lambda m: m.get("method") == "$/progress")
    assert shown["params"]["token"] == asked["params"]["token"]
    session.notify("$/cancelRequest", {"id": 1})


async def test_errors_have_their_codes_and_no_secrets(
    session: Any, stub: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Named errors keep their words, others neither words nor traceback."""
    caplog.set_level(logging.DEBUG)
    await session.initialize()
    answer = await session.call(1, "test/fail", {"kind": "GoneError"})
    assert answer["error"] == {
        "code": -33004,
        "message": "no such thing: GoneError",
        "data": {"code": "gone"},
    }
    answer = await session.call(2, "test/fail", {"kind": "unforeseen"})
    assert answer["error"]["code"] == -33000
    assert answer["error"]["data"] == {"code": "failed"}
    answer = await session.call(3, "test/fail", {"kind": "unencodable"})
    assert answer["error"]["code"] == -33000
    session.notify("test/misbehave")
    await session.call(4, "test/fail", {"kind": "unforeseen"})
    for text in (str(session.sent), caplog.text):
        assert stub.SECRET not in text
        assert "Traceback" not in text


async def test_commands_take_one_typed_argument(session: Any) -> None:
    """A command is served by its kind; a bad one is refused by field."""
    await session.initialize()

    async def run(msg_id: int, **params: Any) -> Any:
        return await session.call(msg_id, "workspace/executeCommand", params)

    answer = await run(1, command="ibid.server.echo", arguments=[{"value": NESTED}])
    assert answer["result"] == {"value": NESTED}
    for msg_id, params, field in (
        (2, {"command": "rm -rf /"}, r"$.command"),
        (3, {"command": "ibid.server.echo", "arguments": [{}]}, "value"),
        (4, {"command": "ibid.server.echo", "arguments": [{}, {}]}, r"$.arguments"),
        (5, {"command": "ibid.server.echo"}, "value"),
    ):
        answer = await run(msg_id, **params)
        assert answer["error"]["code"] == -32602
        assert field in answer["error"]["message"]
    session.request(6, "workspace/executeCommand", {
        "command": "ibid.server.nap", "arguments": [{"seconds": 0.2}]
    })  # fmt: skip
    session.notify("$/cancelRequest", {"id": 6})
    assert (await session.answer(6))["error"]["code"] == -32800


async def test_a_command_shows_its_progress(session: Any) -> None:
    """The token beside a command is its handler's."""
    session.server.register(
        Command(
            method="ibid.server.long",
            kind=Kind.LONG,
            params=Params,
            handler=lambda params, work: work.report("so far"),
        )
    )
    await session.initialize()
    run = {"command": "ibid.server.long", "workDoneToken": "t"}
    await session.call(1, "workspace/executeCommand", run)
    tokens = [m["params"]["token"] for m in session.sent if "method" in m]
    assert tokens == ["t"] * 3


async def test_any_usual_object_is_a_result(session: Any) -> None:
    """Structs, the standard's objects and plain data may be mixed."""

    class Shape(Params):
        best_guess: Any = None

    def answer(params: Shape) -> Any:
        where = types.Position(line=1, character=2)
        return {"all": [Shape(project="p", best_guess=where), where, params, None]}

    session.server.register(
        Feature(method="test/shape", kind=Kind.READ, params=Shape, handler=answer)
    )
    await session.initialize()
    found = await session.call(1, "test/shape", {"bestGuess": 1})
    plain = {"line": 1, "character": 2}
    shape = {"project": "p", "workDoneToken": None, "bestGuess": plain}
    echo = {"project": None, "workDoneToken": None, "bestGuess": 1}
    assert found["result"] == {"all": [shape, plain, echo, None]}


async def test_a_feature_can_ask_for_open_and_save(session: Any) -> None:
    """Events without contents are asked for only where a feature wants them."""
    seen: list[str] = []
    for method in ("textDocument/didOpen", "textDocument/didSave"):
        session.server.register(
            Feature(
                method=method,
                kind=Kind.IMMEDIATE,
                handler=lambda params: seen.append(params.text_document.uri),
            )
        )
    capabilities = await session.initialize()
    sync = capabilities["textDocumentSync"]
    assert sync == {"openClose": True, "change": 0, "save": True}
    document = {"uri": "file:///a", "languageId": "x", "version": 1, "text": "t"}
    session.notify("textDocument/didOpen", {"textDocument": document})
    session.notify("textDocument/didSave", {"textDocument": {"uri": "file:///b"}})
    assert seen == ["file:///a", "file:///b"]


async def test_the_clients_own_commands_are_known(session: Any) -> None:
    """A client command is offered only if the client listed it."""
    await session.initialize(initializationOptions={"commands": ["ibid.openNotes"]})
    assert session.server.offers("ibid.openNotes")
    assert not session.server.offers("ibid.other")


async def test_nothing_leaks(session: Any) -> None:
    """Neither requests nor notifications leave anything behind."""
    await session.initialize()
    books = session.server.protocol
    for number in range(500):
        document = {"uri": f"file:///{number}", "version": 1}
        session.notify("textDocument/didOpen", {"textDocument": document})
        session.notify("test/wait", {})
        session.notify("$/cancelRequest", {"id": number})
        session.request(number, "test/read", {})
        session.request(f"w{number}", "workspace/symbol", {"query": "q"})
    for number in range(500):
        await session.answer(f"w{number}")
        await session.answer(number)
    async with asyncio.timeout(20):
        while books.dispatcher.in_flight:
            await asyncio.sleep(0.01)
    assert books._request_futures == {}
    assert books._result_types == {}
    assert books.workspace.text_documents == {}


async def test_handlers_wait_until_the_memory_is_open(session: Any, stub: Any) -> None:
    """`initialize` and memory-only handlers are served while the hub still opens."""
    options = {"startSeconds": 0.2}
    await session.initialize(initializationOptions=options, rootUri="file:///srv/a")
    session.request(1, "test/read", {})
    await ping(session)
    assert session.answers(1) == []
    assert "result" in await session.answer(1)
    hub = session.server.hub
    assert hub.opening == (("file:///srv/a",), options)


async def test_a_memory_that_cannot_open_is_told_to_everyone(session: Any) -> None:
    """Each request hears why; those that need no memory are served."""
    await session.initialize(initializationOptions={"startFails": True})
    for msg_id, kind in enumerate(("read", "write", "long")):
        answer = await session.call(msg_id, f"test/{kind}", {})
        assert answer["error"]["code"] == -33010
        assert answer["error"]["data"] == {"code": "storeTooNew"}
    await ping(session)


async def test_workspace_folders_are_followed(session: Any) -> None:
    """The folders are those of now, the first one first."""
    folders = [{"uri": f"file:///{name}", "name": name} for name in "ab"]
    await session.initialize(workspaceFolders=folders)
    assert session.server.folders == ("file:///a", "file:///b")
    event = {"added": [{"uri": "file:///c", "name": "c"}], "removed": [folders[0]]}
    session.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    assert session.server.folders == ("file:///b", "file:///c")


async def test_refreshes_are_sent_only_when_declared(session: Any) -> None:
    """A client that declared nothing is asked nothing."""
    await session.initialize()
    await session.call(1, "test/refresh", {})
    assert [m for m in session.sent if "method" in m] == []


async def test_refreshes_of_a_kind_do_not_pile_up(session: Any) -> None:
    """While one is unanswered more make only one more."""
    workspace = {
        "codeLens": {"refreshSupport": True},
        "textDocumentContent": {"dynamicRegistration": True},
    }
    await session.initialize(capabilities={"workspace": workspace})

    def asked() -> list[dict[str, Any]]:
        method = "workspace/codeLens/refresh"
        return [m for m in session.sent if m.get("method") == method]

    for number in range(5):
        await session.call(number, "test/refresh", {})
    (first,) = asked()
    content = "workspace/textDocumentContent/refresh"
    shown = await session.find(lambda m: m.get("method") == content)
    assert shown["params"] == {"uri": "ibid://note/n-1"}
    session.send({"jsonrpc": "2.0", "id": first["id"], "result": None})
    await ping(session)
    assert len(asked()) == 2
    error = {"code": -1, "message": "no"}
    session.send({"jsonrpc": "2.0", "id": asked()[1]["id"], "error": error})
    await ping(session, "again")
    assert len(asked()) == 2


async def test_lenses_are_asked_for_again_as_time_passes(
    session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Titles say how long ago: while a file is open they are renewed (R4)."""
    monkeypatch.setattr(server_module, "AGEING", 0.01)
    session.server.stale = OneFileOpen()
    await session.initialize(
        capabilities={"workspace": {"codeLens": {"refreshSupport": True}}}
    )
    await session.find(lambda m: m.get("method") == "workspace/codeLens/refresh")


class OneFileOpen:
    """Stands for the open files."""

    def is_any_open(self) -> bool:
        """Say that there is one."""
        return True

    def check_all(self) -> None:
        """Look at nothing."""

    def asked(self, looked: Any, places: Any) -> None:
        """Note nothing."""


async def test_a_look_at_a_file_may_fail(session: Any) -> None:
    """What a job of ours raises is logged, and the thread goes on serving."""
    await session.initialize()

    def fail() -> None:
        raise RuntimeError("the marmalade clause")

    for _ in range(8):
        session.server.dispatcher.submit_read(fail)
    answer = await session.call(1, "ibid/status", {})
    assert answer["result"]["state"] == "on"


async def test_later_registration_needs_the_clients_word(session: Any) -> None:
    """Only a client with dynamic registration is asked to register."""
    watched = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
    await session.initialize(capabilities={"workspace": watched})
    register = session.server.register_later
    method = "workspace/didChangeWatchedFiles"
    assert register(method, None, "workspace.did_change_watched_files")
    assert not register("textDocument/hover", None, "text_document.hover")
    asked = await session.find(lambda m: m.get("method") == "client/registerCapability")
    assert [r["method"] for r in asked["params"]["registrations"]] == [method]


def test_registrations_that_cannot_work_are_refused(stub: Any) -> None:
    """What would only fail at run time fails when it is registered."""
    server = stub.make_server()

    async def later(params: Params) -> None:
        """Do nothing."""

    with pytest.raises(TypeError, match="async"):
        Feature(method="ibid/x", kind=Kind.READ, params=Params, handler=later)
    with pytest.raises(TypeError, match="async"):
        Command(method="ibid.server.x", kind=Kind.READ, params=Params, handler=later)
    with pytest.raises(ValueError, match=r"ibid\.server"):
        Command(method="ibid.x", kind=Kind.READ, params=Params, handler=print)
    with pytest.raises(TypeError, match="ibid/x"):
        server.register(Feature(method="ibid/x", kind=Kind.READ, handler=print))
    with pytest.raises(ValueError, match="shutdown"):
        server.register(Feature(method="shutdown", kind=Kind.READ, handler=print))
    for refused in (server.thread, server.feature, server.command):
        with pytest.raises(TypeError):
            refused()
