"""Progress uses the client's token, or asks for one, and ends with the work."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import pytest

from ibid.faces.lsp import progress
from ibid.faces.lsp.progress import StoppedError, Work


class FakeWire:
    """Keeps what was sent; the test answers what was asked."""

    def __init__(self, *, supports: bool = True) -> None:
        self.sent: list[dict[str, Any]] = []
        self.asked: list[tuple[str, Any, Future[Any]]] = []
        self._supports = supports

    def tell(self, method: str, params: Any) -> None:
        """Keep a notification."""
        assert method == "$/progress"
        self.sent.append(params)

    def ask(self, method: str, params: Any) -> Future[Any]:
        """Keep a request."""
        future: Future[Any] = Future()
        self.asked.append((method, params, future))
        return future

    def supports(self, capability: str) -> bool:
        """Say what the test decided."""
        return self._supports

    def kinds(self) -> list[str]:
        """Return the kinds of progress sent."""
        return [params["value"]["kind"] for params in self.sent]


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every report through."""
    monkeypatch.setattr(progress, "PAUSE", 0.0)


def test_the_clients_token_is_used() -> None:
    """With a token of the client nothing is asked."""
    wire = FakeWire()
    work = Work(wire, "Importing", "tok")
    work.ask()
    work.report("one", 1, 4)
    work.end()
    assert wire.asked == []
    assert [p["token"] for p in wire.sent] == ["tok"] * 3
    assert [p["value"] for p in wire.sent] == [
        {"kind": "begin", "title": "Importing", "cancellable": True, "percentage": 0},
        {"kind": "report", "message": "one", "percentage": 25},
        {"kind": "end"},
    ]


def test_a_token_is_asked_for_and_waited_for() -> None:
    """Nothing is sent before the client agreed; then the last report is."""
    wire = FakeWire()
    work = Work(wire, "Importing", None)
    work.ask()
    ((method, params, asked),) = wire.asked
    assert method == "window/workDoneProgress/create"
    work.report("one")
    work.report("two")
    assert wire.sent == []
    asked.set_result(None)
    assert wire.kinds() == ["begin", "report"]
    assert wire.sent[1]["value"]["message"] == "two"
    assert {p["token"] for p in wire.sent} == {params.token}


def test_a_refused_token_means_silence() -> None:
    """A client that refuses sees nothing, and the work goes on."""
    wire = FakeWire()
    work = Work(wire, "Importing", None)
    work.ask()
    wire.asked[0][2].set_exception(RuntimeError("no"))
    work.report("one")
    work.end()
    work.check()
    assert wire.sent == []


def test_a_client_without_progress_is_not_asked() -> None:
    """Without the capability there is no server-made token."""
    wire = FakeWire(supports=False)
    work = Work(wire, "Importing", None)
    work.ask()
    work.report("one")
    work.end()
    assert wire.asked == []
    assert wire.sent == []


def test_nothing_follows_the_end() -> None:
    """After a stop the progress is closed, and late reports go nowhere."""
    wire = FakeWire()
    work = Work(wire, "Importing", 7)
    work.report("one")
    work.stop()
    work.report("two")
    work.end()
    assert wire.kinds() == ["begin", "report", "end"]
    assert work.stopped
    with pytest.raises(StoppedError):
        work.check()


def test_an_unreported_work_shows_nothing() -> None:
    """No progress flashes up for work that was too short to report."""
    wire = FakeWire()
    Work(wire, "Importing", 7).end()
    assert wire.sent == []


def test_a_token_granted_after_the_end_is_not_used() -> None:
    """A late grant does not open a progress that nobody would close."""
    wire = FakeWire()
    work = Work(wire, "Importing", None)
    work.ask()
    work.report("one")
    work.end()
    wire.asked[0][2].set_result(None)
    assert wire.sent == []


def test_reports_in_quick_succession_are_thinned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A handler may report each item without flooding the client."""
    monkeypatch.setattr(progress, "PAUSE", 3600.0)
    wire = FakeWire()
    work = Work(wire, "Importing", 7)
    for number in range(1000):
        work.report("item", number, 1000)
    work.end()
    assert wire.kinds() == ["begin", "report", "end"]
