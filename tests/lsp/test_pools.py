"""Jobs run in order on daemon threads, and never once cancelled."""

from __future__ import annotations

import threading
from concurrent.futures import wait

import pytest

from ibid.faces.lsp.pools import DaemonPool

PATIENCE = 20


def test_one_thread_keeps_the_order() -> None:
    """A pool of one runs its jobs one after the other, as they came."""
    pool = DaemonPool("t", 1)
    done: list[int] = []
    wait([pool.submit(lambda n=n: done.append(n)) for n in range(50)], PATIENCE)
    assert done == list(range(50))


def test_threads_are_daemons_and_few() -> None:
    """No more threads than allowed, none of which keeps the process alive."""
    pool = DaemonPool("t", 3)
    gate = threading.Event()
    seen: set[threading.Thread] = set()

    def job() -> None:
        seen.add(threading.current_thread())
        gate.wait(PATIENCE)

    futures = [pool.submit(job) for _ in range(9)]
    gate.set()
    wait(futures, PATIENCE)
    assert 1 <= len(seen) <= 3
    assert all(thread.daemon for thread in seen)


def test_an_idle_thread_is_used_again() -> None:
    """Jobs that come one at a time share a thread."""
    pool = DaemonPool("t", 4)
    names = set()
    for _ in range(20):
        names.add(pool.submit(threading.current_thread).result(PATIENCE).name)
        assert pool.wait_idle(PATIENCE)
    assert len(names) <= 2


def test_a_cancelled_job_is_never_run() -> None:
    """What was cancelled while it waited does not run later."""
    pool = DaemonPool("t", 1)
    gate = threading.Event()
    ran = threading.Event()
    pool.submit(lambda: gate.wait(PATIENCE))
    late = pool.submit(ran.set)
    assert late.cancel()
    gate.set()
    assert pool.wait_idle(PATIENCE)
    assert not ran.is_set()


def test_any_error_reaches_the_future() -> None:
    """Not even SystemExit ends a worker."""
    pool = DaemonPool("t", 1)

    def leave() -> None:
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        pool.submit(leave).result(PATIENCE)
    assert pool.submit(lambda: 1).result(PATIENCE) == 1


def test_waiting_for_idleness_gives_up() -> None:
    """A hung job is reported, not waited for."""
    pool = DaemonPool("t", 1)
    gate = threading.Event()
    pool.submit(lambda: gate.wait(PATIENCE))
    assert not pool.wait_idle(0.01)
    gate.set()
    assert pool.wait_idle(PATIENCE)
