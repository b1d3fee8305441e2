"""Cut the client's byte stream into messages, and frame what goes back.

The parser is forgiving where clients differ (header case, a missing space, LF line
ends, a byte order mark) and final where the stream has lost its frame: a reader that
goes on after that is deaf for ever, so it raises and the server ends with status 1.
Nothing here knows pygls or what a message means.
"""

from __future__ import annotations

import json
import os
import queue
import re
import threading
import time
from collections.abc import Callable, Iterator
from io import FileIO
from typing import Any

MAX_BODY = 32 << 20
"""Longest message body accepted, in bytes."""

MAX_HEADERS = 8 << 10
"""Longest header block accepted, in bytes."""

MAX_BACKLOG = 64 << 20
"""Bytes waiting for a client that does not read, above which we stop reading too."""

_HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*?)[ \t]*")
_NUMBER = re.compile(rb"[0-9]{1,12}")
_BOM = b"\xef\xbb\xbf"
_CHUNK = 1 << 16


class FramingError(Exception):
    """The stream has lost its frame; nothing after this point can be trusted."""


class ParseError(Exception):
    """A whole body that is not JSON; the stream itself is still in step."""


class FrameParser:
    """Cuts a stream into bodies, in time linear in its length."""

    def __init__(self, max_body: int = MAX_BODY) -> None:
        self._max_body = max_body
        self._buffer = bytearray()
        self._seen = (
            0  # Bytes of the buffer that hold no line end: not looked at twice.
        )
        self._used = 0  # Header bytes of the current frame.
        self._length: int | None = None
        self._headers = False  # Whether the current frame has shown any.
        self._in_body = False

    def feed(self, data: bytes | memoryview) -> Iterator[bytes]:
        """Yield each body that ``data`` completes, in order.

        Raises:
            FramingError: after the bodies that came before the bad place.
        """
        self._buffer += data
        while True:
            if self._in_body:
                body = self._take_body()
                if body is None:
                    return
                yield body
            elif not self._take_line():
                return

    def _take_body(self) -> bytes | None:
        """Return the body once it is whole, else ``None``."""
        assert self._length is not None
        if len(self._buffer) < self._length:
            return None
        body = bytes(memoryview(self._buffer)[: self._length])
        del self._buffer[: self._length]
        self._length, self._in_body, self._headers = None, False, False
        self._seen, self._used = 0, 0
        return body

    def _take_line(self) -> bool:
        """Consume one header line; false when it is not whole yet."""
        end = self._buffer.find(b"\n", self._seen)
        if self._used + (end if end >= 0 else len(self._buffer)) > MAX_HEADERS:
            raise FramingError(f"a header block longer than {MAX_HEADERS} bytes")
        if end < 0:
            self._seen = len(self._buffer)
            return False
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._seen, self._used = 0, self._used + end + 1
        self._read_line(line.removesuffix(b"\r").removeprefix(_BOM))
        return True

    def _read_line(self, line: bytes) -> None:
        if line:
            self._read_header(line)
        elif self._length is not None:
            self._in_body = True
        elif self._headers:  # Stray line ends between frames are harmless.
            raise FramingError("headers without a Content-Length")

    def _read_header(self, line: bytes) -> None:
        match = _HEADER.fullmatch(line)
        if match is None:
            raise FramingError("a line that is no header")
        self._headers = True
        if match[1].lower() != b"content-length":
            return
        if _NUMBER.fullmatch(match[2]) is None:
            raise FramingError("a Content-Length that is no number")
        length = int(match[2])
        if length > self._max_body:
            raise FramingError(
                f"a body of {length} bytes; {self._max_body} is the most"
            )
        if self._length not in (None, length):
            raise FramingError("two different Content-Lengths")
        self._length = length


def decode_message(body: bytes) -> Any:
    """Return the JSON value in ``body``.

    Lone surrogates written as escapes pass; integers of more than 4,300 digits and
    the non-JSON constants (``NaN``) do not.

    Raises:
        ParseError: it is not JSON in UTF-8, or nested too deeply to be read.
    """
    try:
        text = body.removeprefix(_BOM).decode("utf-8")
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as exc:
        raise ParseError(type(exc).__name__) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def encode_frame(body: str) -> bytes:
    """Return ``body``, which is ASCII, as one frame."""
    return f"Content-Length: {len(body)}\r\n\r\n{body}".encode("ascii")


class FrameReader(threading.Thread):
    """Reads a descriptor in its own daemon thread and hands bodies on.

    ``on_body`` and ``on_end`` are called from that thread, ``on_end`` exactly once:
    with ``None`` at the end of the stream, else with the error.  ``wait`` is called
    before each read and may hold the reader back.
    """

    def __init__(
        self,
        fd: int,
        on_body: Callable[[bytes], None],
        on_end: Callable[[Exception | None], None],
        wait: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(name="ibid-reader", daemon=True)
        self._fd = fd
        self._on_body = on_body
        self._on_end = on_end
        self._wait = wait

    def run(self) -> None:
        """Read until the stream ends or loses its frame."""
        error: Exception | None = None
        try:
            with FileIO(self._fd, closefd=False) as stream:
                self._read_all(stream)
        except (FramingError, OSError) as exc:
            error = exc
        self._on_end(error)

    def _read_all(self, stream: FileIO) -> None:
        """Hand on every body; one buffer is used again, as a new one each costs MBs."""
        parser = FrameParser()
        chunk = memoryview(bytearray(_CHUNK))
        self._wait()
        while size := stream.readinto(chunk):
            for body in parser.feed(chunk[:size]):
                self._on_body(body)
            self._wait()


class FrameWriter:
    """Writes frames in order from its own daemon thread.

    `write` never blocks, so a client that stops reading cannot stop the event loop;
    `wait_for_room` is where the reader is held back instead.
    """

    def __init__(self, fd: int, on_lost: Callable[[], None]) -> None:
        self._fd = fd
        self._on_lost = on_lost
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._room = threading.Condition()
        self._backlog = 0
        self._thread = threading.Thread(
            target=self._run, name="ibid-writer", daemon=True
        )
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue one frame; from any thread."""
        with self._room:
            self._backlog += len(data)
        self._queue.put(data)

    def wait_for_room(self) -> None:
        """Return once the client has read enough of what waits for it."""
        with self._room:
            self._room.wait_for(lambda: self._backlog < MAX_BACKLOG)

    def close(self, seconds: float = 0.2) -> None:
        """Wait at most ``seconds`` for what is queued, then let go."""
        self._queue.put(None)
        self._thread.join(seconds)

    def _run(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                self._write_all(data)
            except OSError:
                self._on_lost()
                return
            with self._room:
                self._backlog -= len(data)
                self._room.notify_all()

    def _write_all(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(self._fd, view[: 1 << 20]) :]
            except BlockingIOError:
                time.sleep(0.01)  # Someone made the shared pipe non-blocking.
