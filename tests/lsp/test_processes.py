"""Real servers on real pipes: what breaks them, and how they end (C12)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SERVER = Path(__file__).parents[2] / "server"
Start = Callable[..., Any]
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")


def test_shutdown_and_exit_end_with_status_0(start: Start, tmp_path: Path) -> None:
    """The orderly end closes the hub."""
    server = start(str(tmp_path))
    server.initialize()
    assert server.call(1, "shutdown")["result"] is None
    server.notify("exit")
    assert server.wait() == 0
    assert (tmp_path / "closed").exists()


def test_an_end_in_one_breath_is_orderly(start: Start) -> None:
    """A script may write a whole session at once: each request is answered."""
    server = start()
    options = {"startSeconds": 0.02}
    params = {"processId": None, "capabilities": {}, "initializationOptions": options}
    server.request(1, "initialize", params)
    server.notify("initialized", {})
    server.request(2, "test/read", {})
    server.request(3, "test/write", {})
    server.request(4, "shutdown")
    server.notify("exit")
    server.close_stdin()
    for msg_id in (1, 2, 3, 4):
        assert "result" in server.answer(msg_id)
    assert server.wait() == 0


def test_exit_alone_ends_with_status_1(start: Start, tmp_path: Path) -> None:
    """Without shutdown the status says so, and the hub is closed all the same."""
    server = start(str(tmp_path))
    server.initialize()
    server.notify("exit")
    assert server.wait() == 1
    assert (tmp_path / "closed").exists()


def test_exit_is_heard_before_initialize(start: Start) -> None:
    """A client that gives up at once is obeyed."""
    server = start()
    server.notify("exit")
    assert server.wait() == 1


@pytest.mark.parametrize("method", ["read", "write", "long", "wait", "block"])
def test_the_end_of_the_input_ends_a_busy_server(
    start: Start, tmp_path: Path, method: str
) -> None:
    """No handler, hung in whatever class, keeps the process alive."""
    server = start(str(tmp_path))
    server.initialize()
    server.call(1, "test/echo", {"value": 1})
    for msg_id in range(2, 8):
        server.request(msg_id, f"test/{method}", {"seconds": 3600})
    time.sleep(0.1)
    server.close_stdin()
    assert server.wait() == 1
    # The last resort leaves without closing only what itself hangs the loop.
    assert (tmp_path / "closed").exists() == (method != "block")


def test_a_hub_that_hangs_while_opening_is_left(start: Start) -> None:
    """Not even opening the memory can hold up the end."""
    server = start()
    server.initialize(initializationOptions={"startSeconds": 3600})
    server.request(1, "test/read", {})
    server.close_stdin()
    assert server.wait() == 1


def test_the_last_write_is_done_before_the_end(start: Start, tmp_path: Path) -> None:
    """A write that was begun when the input ended is not lost."""
    server = start(str(tmp_path))
    server.initialize()
    server.call(1, "test/echo", {"value": 1})
    server.request(2, "test/write", {"seconds": 0.2, "name": "w"})
    server.close_stdin()
    assert server.answer(2)["result"]
    assert server.wait() == 1
    assert (tmp_path / "w").read_text() == "written"


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signals_end_it_cleanly(start: Start, tmp_path: Path, number: int) -> None:
    """A signal closes the hub and is no failure."""
    server = start(str(tmp_path))
    server.initialize()
    server.call(1, "test/read", {})
    server.request(2, "test/long", {"seconds": 3600})
    server.process.send_signal(number)
    assert server.wait() == 0
    assert (tmp_path / "closed").exists()


@posix
def test_a_closed_stdout_ends_it() -> None:
    """A client that no longer reads its answers is gone, though its pipe is open."""
    stub = Path(__file__).with_name("stub_server.py")
    with subprocess.Popen(
        [sys.executable, str(stub)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=server_env(),
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdout.close()
        server.stdin.write(b"Content-Length: 2\r\n\r\n{}")
        server.stdin.flush()
        assert server.wait(20) == 1


def server_env() -> dict[str, str]:
    """Return the environment in which a server finds its sources."""
    return {**os.environ, "PYTHONPATH": str(SERVER)}


PARENT = """
import json, os, subprocess, sys
reading, writing = os.pipe()
holder = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE,
                          pass_fds=(writing,))
server = subprocess.Popen([sys.executable, *sys.argv[2:]], stdin=reading)
for message in json.loads(sys.argv[1]):
    if message.get("method") == "initialize":
        message["params"]["processId"] = message["params"].get("pid", os.getpid())
    body = json.dumps(message).encode()
    os.write(writing, b"Content-Length: %d\\r\\n\\r\\n%b" % (len(body), body))
print(server.pid, flush=True)
input()
"""
"""An editor whose server's pipe is held open by another process as well."""


@posix
@pytest.mark.parametrize("with_pid", [True, False])
@pytest.mark.parametrize("busy", ["echo", "block"])
def test_it_follows_a_killed_editor(with_pid: bool, busy: str) -> None:
    """The pipe stays open, the editor is killed: the server ends, even if it hangs."""
    stub = Path(__file__).with_name("stub_server.py")
    initialize = {"capabilities": {}} | ({} if with_pid else {"pid": None})
    params = {"value": 1} if busy == "echo" else {"seconds": 3600}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize},
        {"jsonrpc": "2.0", "id": 2, "method": f"test/{busy}", "params": params},
    ]
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, json.dumps(messages), str(stub)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=server_env(),
    )
    with parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        # Its answer to initialize shows that it runs; then the editor is killed.
        assert parent.stdout.readline().startswith(b"Content-Length")
        parent.kill()
        parent.wait(20)
        end = time.monotonic() + 20
        while is_running(server) and time.monotonic() < end:
            time.sleep(0.05)
        assert not is_running(server)


def is_running(pid: int) -> bool:
    """Say whether the process runs; a zombie nobody collects does not."""
    try:
        os.kill(pid, 0)
        stat = Path(f"/proc/{pid}/stat")
        return (
            not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
        )
    except (ProcessLookupError, FileNotFoundError):
        return False


@pytest.mark.parametrize(
    "bad",
    [
        b"Content-Length: 99999999999\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n",
        b'Content-Length: 3\r\n\r\n{"jsonrpc":"2.0","id":1}\r\n',
        b"GET / HTTP/1.1\r\n\r\n",
        b"A" * 100_000,
    ],
)
def test_a_lost_frame_is_the_end_not_deafness(start: Start, bad: bytes) -> None:
    """What cannot be framed ends the server with one line on stderr."""
    server = start()
    server.initialize()
    server.send_bytes(bad)
    assert server.wait() == 1
    assert b"the client's stream cannot be read" in server.stderr
    assert b"Traceback" not in server.stderr


def test_nothing_but_frames_leaves_on_stdout(start: Start, stub: Any) -> None:
    """A print in a handler, an error and a child process do not break the protocol."""
    server = start()
    server.initialize()
    assert server.call(1, "test/misbehave")["error"]["code"] == -33000
    assert server.call(2, "test/echo", {"value": 1})["result"] == {"value": 1}
    server.close_stdin()
    server.wait()
    assert b"this would break the protocol" in server.stderr
    assert stub.SECRET.encode() not in server.stderr
    assert b"Traceback" not in server.stderr


def test_the_log_goes_to_the_client(start: Start, stub: Any) -> None:
    """An unforeseen error is logged to the client's channel, by its id alone."""
    server = start()
    server.initialize()
    server.request(1, "test/fail", {"kind": "unforeseen"})
    logged = server.receive()
    assert logged["method"] == "window/logMessage"
    assert logged["params"]["type"] == 1
    ident = server.answer(1)["error"]["message"].split()[-1]
    assert ident in logged["params"]["message"]
    assert stub.SECRET not in str(logged)
    server.close_stdin()
    server.wait()
    assert server.stderr == b""


def test_a_flood_is_answered_to_the_last(start: Start) -> None:
    """Thousands of requests and cancellations at once leave none unanswered."""
    server = start()
    server.initialize()
    for msg_id in range(1500):
        server.request(msg_id, "workspace/symbol", {"query": "q"})
        if msg_id % 3 == 0:
            server.notify("$/cancelRequest", {"id": msg_id})
    found = set()
    while len(found) < 1500:
        answer = server.receive()
        assert answer["id"] not in found
        found.add(answer["id"])


def test_a_client_that_reads_late_gets_everything(start: Start) -> None:
    """Answers larger than any pipe wait for the client without blocking the server."""
    server = start()
    server.initialize()
    big = "x" * 300_000
    for msg_id in range(20):
        server.request(msg_id, "test/echo", {"value": big})
    for msg_id in range(20):
        assert server.answer(msg_id)["result"]["value"] == big


def test_starting_imports_nothing_heavy() -> None:
    """What the store and the watcher need is imported after `initialized`."""
    heavy = ("sqlite_utils", "watchdog", "sqlite3", "pysqlite3", "click", "tree_sitter")
    code = (
        "import sys, ibid.faces.lsp.server; "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=server_env(),
        capture_output=True,
        check=True,
        text=True,
    )
    assert found.stdout.strip() == "[]"
