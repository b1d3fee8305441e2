"""Run handlers by the class they declared, and answer each request exactly once.

============  =========================  ==================  =====================
kind          runs                       may touch           cancellation
============  =========================  ==================  =====================
`IMMEDIATE`   on the event loop, < 2 ms  memory only         async handlers only
`READ`        a pool of daemon threads   store reads         answered, result lost
`WRITE`       one thread, in order       one transaction     never: it is short
`LONG`        a pool of daemon threads   reads, then writes  answered, flag set
============  =========================  ==================  =====================

Every job but an immediate one waits until the memory was opened (`warm_up`), which
the writer thread does first.  Methods belong to the event loop unless they say else.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import inspect
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from .guard import CANCELLED, Refusal, describe_error, log_error
from .pools import DaemonPool
from .progress import StoppedError, Wire, Work

logger = logging.getLogger(__name__)

READERS = 4
LONG_RUNNERS = 2
NOTICE = 0.1
"""Seconds a pool has at the end for what was stopped to notice it."""

COMMAND_PREFIX = "ibid.server."


class Kind(enum.Enum):
    """The class of a handler; the table above says what each may do."""

    IMMEDIATE = "immediate"
    READ = "read"
    WRITE = "write"
    LONG = "long"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """One method of the wire and what serves it.

    ``handler`` takes the decoded parameters, and a `Work` as well if ``kind`` is
    `Kind.LONG`; it is a plain function, or ``async`` if it is immediate.  What it
    returns is a struct, an lsprotocol object, or plain JSON data.  ``params`` may be
    left out for the standard's methods; ``options`` are its server capabilities;
    ``title`` heads the progress of a long one; ``switch`` names the member of
    ``initializationOptions`` that turns the feature off when it is ``false``, or
    several that do so together.
    """

    method: str
    kind: Kind
    handler: Callable[..., Any]
    params: type | None = None
    options: Any = None
    title: str = "Ibid"
    switch: str | tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse an async handler where a thread would have to run it.

        Raises:
            TypeError: the handler is ``async`` and not immediate.
        """
        if inspect.iscoroutinefunction(self.handler) and self.kind != Kind.IMMEDIATE:
            raise TypeError(f"{self.method}: only immediate handlers may be async")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(Feature):
    """A command of ``workspace/executeCommand``; its one argument is ``params``.

    Its id starts with ``ibid.server.``, which no client command does: a shared id
    makes the client's start fail.
    """

    def __post_init__(self) -> None:
        """Refuse an id that a client command could have.

        Raises:
            ValueError: the id is outside the server's own name space.
        """
        if not self.method.startswith(COMMAND_PREFIX):
            raise ValueError(f"{self.method}: server commands are {COMMAND_PREFIX}…")
        Feature.__post_init__(self)


class Answers(Wire, Protocol):
    """Where the outcome of a request goes; called on the event loop only."""

    def respond(self, msg_id: int | str, result: Any) -> None:
        """Send the result."""

    def refuse(self, msg_id: int | str | None, why: Refusal) -> None:
        """Send the error."""


class Call:
    """One request (or notification, without an id) being served."""

    __slots__ = ("answered", "feature", "future", "msg_id", "work")

    def __init__(self, msg_id: int | str | None, feature: Feature) -> None:
        self.msg_id = msg_id
        self.feature = feature
        self.answered = False
        self.work: Work | None = None
        self.future: Future[Any] | asyncio.Future[Any] | None = None


class Dispatcher:
    """Runs features and keeps the table of the calls in flight."""

    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._calls: set[Call] = set()
        self._by_id: dict[int | str, Call] = {}
        self._waiting: list[Callable[[], None]] = []
        self._opened = threading.Event()
        self._failure: BaseException | None = None
        self._pools = {
            Kind.READ: DaemonPool("read", READERS),
            Kind.WRITE: DaemonPool("write", 1),
            Kind.LONG: DaemonPool("long", LONG_RUNNERS),
        }

    def warm_up(self, opening: Callable[[], None]) -> None:
        """Let the writer thread run ``opening`` before any other job; from any thread.

        If it raises, every job after it is answered with that error.
        """
        self._pools[Kind.WRITE].submit(partial(self._open, opening))

    @property
    def in_flight(self) -> int:
        """How many requests and notifications are being served."""
        return len(self._calls)

    def serves(self, msg_id: int | str) -> bool:
        """Say whether a request with this id is still unanswered."""
        return msg_id in self._by_id

    def start(self, feature: Feature, params: Any, msg_id: int | str | None) -> None:
        """Run ``feature``; without ``msg_id`` nothing is ever answered."""
        call = Call(msg_id, feature)
        self._calls.add(call)
        if msg_id is not None:
            self._by_id[msg_id] = call
        try:
            if feature.kind is Kind.IMMEDIATE:
                self._run_here(call, params)
            else:
                self._run_elsewhere(call, params)
        except Exception as exc:  # This is the guard of the face.
            self._fail(call, exc)

    def submit_write(self, job: Callable[[], Any]) -> Future[Any]:
        """Run ``job`` on the writer thread, after what is queued; from any thread."""
        return self._pools[Kind.WRITE].submit(job)

    def submit_read(self, job: Callable[[], Any]) -> Future[Any]:
        """Run ``job`` on a thread for reading, once the memory is open."""
        return self._pools[Kind.READ].submit(partial(self._read, job))

    def cancel(self, msg_id: Any) -> None:
        """Answer a cancelled read or long request at once; leave a write alone."""
        call = self._by_id.get(msg_id)
        if call is not None and call.feature.kind is not Kind.WRITE:
            self._abandon(call)

    def cancel_progress(self, token: int | str) -> None:
        """Cancel the long call that shows its progress under ``token``."""
        for call in list(self._calls):
            if call.work is not None and call.work.token == token:
                self._abandon(call)

    def cancel_kinds(self, *kinds: Kind) -> None:
        """Cancel the calls of these kinds."""
        for call in list(self._calls):
            if call.feature.kind in kinds:
                self._abandon(call)

    def when_idle(self, done: Callable[[], None], seconds: float) -> None:
        """Call ``done`` once nothing is served and the queued writes are through.

        It is called after ``seconds`` in any case, so perhaps twice.
        """
        _running_loop().call_later(seconds, done)
        self._waiting.append(done)
        self._tell_idle()

    def _tell_idle(self) -> None:
        if not self._calls:
            for done in self._waiting:
                self._when_written(done)
            self._waiting.clear()

    def _when_written(self, done: Callable[[], None]) -> None:
        loop = _running_loop()

        def tell(_: Future[Any]) -> None:
            with contextlib.suppress(RuntimeError):  # The loop may be gone by then.
                loop.call_soon_threadsafe(done)

        self.submit_write(_nothing).add_done_callback(tell)

    def close(self, seconds: float = NOTICE) -> bool:
        """Give each pool ``seconds`` to notice the end; false if a write still runs.

        From any thread, after the calls were cancelled.
        """
        for kind in (Kind.LONG, Kind.READ):
            self._pools[kind].wait_idle(seconds)
        return self._pools[Kind.WRITE].wait_idle(seconds)

    def _open(self, opening: Callable[[], None]) -> None:
        try:
            opening()
        except BaseException as exc:  # Told to every call instead.
            log_error(exc, "opening the memory")
            self._failure = exc
        finally:
            self._opened.set()

    def _run_here(self, call: Call, params: Any) -> None:
        """Run an immediate call; an async one becomes a task."""
        result = call.feature.handler(params)
        if inspect.iscoroutine(result):
            task = asyncio.ensure_future(result)
            call.future = task
            task.add_done_callback(partial(self._finish, call))
        else:
            self._answer(call, result)

    def _run_elsewhere(self, call: Call, params: Any) -> None:
        """Queue a call on the pool of its kind."""
        feature = call.feature
        if feature.kind is Kind.LONG:
            token = getattr(params, "work_done_token", None)
            call.work = Work(self._answers, feature.title, token)
        future = self._pools[feature.kind].submit(partial(self._run, call, params))
        call.future = future
        future.add_done_callback(partial(self._hand_over, call, _running_loop()))

    def _read(self, job: Callable[[], Any]) -> None:
        self._opened.wait()
        if self._failure is not None:
            return  # Every call is told; this is nobody's.
        try:
            job()
        except Exception as exc:  # This is the guard of the face.
            log_error(exc, "a look at a file")

    def _run(self, call: Call, params: Any) -> Any:
        """Run a call on a worker thread, once the memory is open."""
        self._opened.wait()
        if self._failure is not None:
            # One exception serves many calls: do not let its traceback grow.
            raise self._failure.with_traceback(None)
        if call.work is None:
            return call.feature.handler(params)
        call.work.check()
        call.work.ask()
        return call.feature.handler(params, call.work)

    def _hand_over(
        self, call: Call, loop: asyncio.AbstractEventLoop, future: Future[Any]
    ) -> None:
        with contextlib.suppress(RuntimeError):  # The loop may be gone at the end.
            loop.call_soon_threadsafe(self._finish, call, future)

    def _finish(self, call: Call, future: Future[Any] | asyncio.Future[Any]) -> None:
        """Answer a call whose handler has ended, unless it was answered before."""
        call.future = None  # It holds the call: let both go.
        if call.work is not None:
            call.work.end()
        if future.cancelled():
            self._refuse(call, CANCELLED)
            return
        error = future.exception()
        if error is None:
            self._answer(call, future.result())
        else:
            self._fail(call, error)

    def _abandon(self, call: Call) -> None:
        """Answer that the call was cancelled, and drop what it still yields."""
        self._refuse(call, CANCELLED)
        if call.work is not None:
            call.work.stop()
        if call.future is not None:
            call.future.cancel()
            call.future = None

    def _answer(self, call: Call, result: Any) -> None:
        msg_id = self._claim(call)
        if msg_id is not None:
            self._answers.respond(msg_id, result)

    def _fail(self, call: Call, error: BaseException) -> None:
        if isinstance(error, StoppedError):
            self._refuse(call, CANCELLED)
        elif not call.answered:
            self._refuse(call, describe_error(error, call.feature.method))

    def _refuse(self, call: Call, why: Refusal) -> None:
        msg_id = self._claim(call)
        if msg_id is not None:
            self._answers.refuse(msg_id, why)

    def _claim(self, call: Call) -> int | str | None:
        """Return the id to answer: once, and only of a request."""
        if call.answered:
            return None
        call.answered = True
        self._calls.discard(call)
        if call.msg_id is not None:
            del self._by_id[call.msg_id]
        self._tell_idle()
        return call.msg_id


def _running_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def _nothing() -> None:
    """Mark a place in the writer's queue."""
