"""The server notices when nobody is left, and ends whatever hangs (C12)."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from ibid.faces.lsp import lifetime, windows
from ibid.faces.lsp.lifetime import Lifetime, ParentWatch, process_probe

PATIENCE = 20


def test_only_the_first_stop_counts() -> None:
    """Whatever comes later does not change the exit status."""
    life = Lifetime()
    woken: list[int] = []
    life.arm(lambda: woken.append(1), lambda code: None)
    life.stop(0, "exit")
    life.stop(1, "the input ended")
    assert life.code == 0
    assert woken == [1]


def test_a_stop_before_the_loop_runs_is_not_lost() -> None:
    """A server that is told to end while it starts ends when it has started."""
    life = Lifetime()
    life.stop(1, "early")
    woken = threading.Event()
    life.arm(woken.set, lambda code: None)
    assert woken.is_set()


def test_closing_that_hangs_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the time for closing the process is left with the same status."""
    monkeypatch.setattr(lifetime, "CLOSING", 0.01)
    life = Lifetime()
    left: list[int] = []
    gone = threading.Event()

    def leave(code: int) -> None:
        left.append(code)
        gone.set()

    life.arm(lambda: None, leave)
    life.stop_later(3, "the input ended", 0.01)
    assert gone.wait(PATIENCE)
    assert left == [3]


def sleeper() -> subprocess.Popen[bytes]:
    """Return a process that ends when its input does."""
    code = "import sys; sys.stdin.read()"
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)


@pytest.mark.skipif(sys.platform == "win32", reason="zombies are POSIX")
def test_a_process_is_gone_once_it_has_ended() -> None:
    """A process that ended is gone, also while nobody has waited for it."""
    process = sleeper()
    alive = process_probe(process.pid)
    assert alive()
    assert process.stdin is not None
    process.stdin.close()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    if sys.platform == "linux":
        assert not alive()
        assert not process_probe(process.pid)()
    process.wait(PATIENCE)
    assert not alive()


@pytest.mark.parametrize("pid", [0x7FFF_FFFE, 1 << 70])
def test_a_process_that_never_was(pid: int) -> None:
    """An impossible process is not alive, and no crash."""
    assert not process_probe(pid)()


def test_the_clients_process_decides() -> None:
    """The watch ends soon after the process that initialize named."""
    process = sleeper()
    gone = threading.Event()
    watch = ParentWatch(gone.set, seconds=0.01)
    watch.watch(process.pid)
    watch.start()
    assert not gone.wait(0.1)
    assert process.stdin is not None
    process.stdin.close()
    process.wait(PATIENCE)
    assert gone.wait(PATIENCE)


def test_without_a_process_id_the_parent_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A client without a process id is gone when the parent is another one."""
    parents = [7, 7, 7]
    monkeypatch.setattr(os, "getppid", lambda: parents[-1])
    gone = threading.Event()
    watch = ParentWatch(gone.set, seconds=0.01)
    for nobody in (None, 0, -1):
        watch.watch(nobody)
    watch.start()
    assert not gone.wait(0.1)
    parents.append(1)
    assert gone.wait(PATIENCE)


def test_a_client_elsewhere_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process id of another machine ends the server only if it is an orphan."""
    for parent, orphan in ((7, False), (1, True)):
        monkeypatch.setattr(os, "getppid", lambda parent=parent: parent)
        gone = threading.Event()
        watch = ParentWatch(gone.set, seconds=0.01)
        watch.watch(0x7FFF_FFFE)
        watch.start()
        assert gone.wait(PATIENCE if orphan else 0.1) is orphan
        if not orphan:
            monkeypatch.setattr(os, "getppid", lambda: 1)
            assert gone.wait(PATIENCE)


class FakeKernel:
    """Answers as kernel32 would."""

    def __init__(self, handle: int, error: int, waited: int) -> None:
        self.handle, self.error, self.waited = handle, error, waited

    def open_process(self, pid: int) -> tuple[int, int]:
        """Return what the test decided."""
        return self.handle, self.error

    def wait(self, handle: int) -> int:
        """Return what the test decided."""
        assert handle == self.handle
        return self.waited


@pytest.mark.parametrize(
    ("handle", "error", "waited", "alive"),
    [
        (44, 0, 258, True),  # WAIT_TIMEOUT: it runs.
        (44, 0, 0, False),  # WAIT_OBJECT_0: it has ended.
        (44, 0, 0xFFFFFFFF, True),  # WAIT_FAILED: not known, so not gone.
        (0, 5, 0, True),  # Access denied: it is someone else's, so it exists.
        (0, 87, 0, False),  # Invalid parameter: there is no such process.
    ],
)
def test_what_windows_answers(
    handle: int, error: int, waited: int, alive: bool
) -> None:
    """Only a signalled handle, or no process at all, means gone."""
    kernel = FakeKernel(handle, error, waited)
    assert windows.WindowsProcess(4711, kernel).is_alive() is alive
