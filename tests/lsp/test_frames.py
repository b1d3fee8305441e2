"""The stream is cut into the same bodies however it arrives, or it ends (C12)."""

from __future__ import annotations

import json
import os
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.faces.lsp.frames import (
    MAX_BODY,
    MAX_HEADERS,
    FrameParser,
    FrameReader,
    FrameWriter,
    FramingError,
    ParseError,
    decode_message,
    encode_frame,
)


def parse(data: bytes) -> list[bytes]:
    """Return the bodies in ``data``."""
    return list(FrameParser().feed(data))


@given(st.lists(st.binary(max_size=60), max_size=6), st.data())
@settings(max_examples=40)
def test_cuts_do_not_matter(bodies: list[bytes], data: st.DataObject) -> None:
    """The same bodies come out whatever the pieces were."""
    stream = b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(b), b) for b in bodies)
    parser = FrameParser()
    found = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += parser.feed(stream[:size])
        stream = stream[size:]
    assert found == bodies


@pytest.mark.parametrize(
    "header",
    [
        b"content-length: 2\r\n\r\n",
        b"CONTENT-LENGTH:2\r\n\r\n",
        b"Content-Length : 2 \r\n\r\n",
        b"Content-Length: 2\n\n",
        b"\xef\xbb\xbfContent-Length: 2\r\n\r\n",
        b"\r\n\r\n\nContent-Length: 2\r\n\r\n",
        b"X-Thing: a:b\r\nContent-Length: 2\r\nContent-Type: any\r\n\r\n",
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n",
        b"Content-Length: 0002\r\n\r\n",
    ],
)
def test_tolerated_headers(header: bytes) -> None:
    """Spellings that clients are known to use are understood, twice in a row."""
    assert parse(header + b"{}" + header + b"[]") == [b"{}", b"[]"]


@pytest.mark.parametrize(
    "bad",
    [
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: abc\r\n\r\n{}",
        b"Content-Length: \r\n\r\n",
        b"Content-Length: 1e3\r\n\r\n",
        b"Content-Length: 99999999999\r\n\r\n{}",
        b"Content-Length: %d\r\n\r\n" % (MAX_BODY + 1),
        b"Content-Length: %s\r\n\r\n" % (b"9" * 5000),
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        b"Content-Type: x\r\n\r\n{}",
        b"A:\n\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\r\n" * MAX_HEADERS,
        b"A" * (MAX_HEADERS + 1),
        b"A: b\r\n" * MAX_HEADERS,
    ],
)
def test_lost_frames_end_the_stream(bad: bytes) -> None:
    """What cannot be trusted raises at once, after the good messages before it."""
    parser = FrameParser()
    bodies = parser.feed(b"Content-Length: 2\r\n\r\n{}" + bad)
    assert next(bodies) == b"{}"
    with pytest.raises(FramingError):
        list(bodies)


def test_a_length_shorter_than_the_body_is_noticed() -> None:
    """The rest of a body is no header, so the stream ends instead of going deaf."""
    parser = FrameParser()
    list(parser.feed(b'Content-Length: 10\r\n\r\n{"jsonrpc":"2.0","id":1}'))
    with pytest.raises(FramingError):
        list(parser.feed(b"Content-Length: 2\r\n\r\n{}"))


def test_a_long_stream_by_single_bytes_is_read() -> None:
    """A body in single bytes is not searched again for each of them."""
    body = b"x" * 200_000
    stream = b"Content-Length: 200000\r\n\r\n" + body
    parser = FrameParser()
    found = [part for byte in stream for part in parser.feed(bytes((byte,)))]
    assert found == [body]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'{"a":',
        b"\xff\xfe\x00g",
        b'"\xc3\x28"',
        b"NaN",
        b'{"a":-Infinity}',
        b"[" * 100_000,
        b"9" * 5000,
        '{"a":1}'.encode("utf-16"),
    ],
)
def test_bodies_that_are_no_json(body: bytes) -> None:
    """A body that is not JSON in UTF-8 is refused without quoting it."""
    with pytest.raises(ParseError) as caught:
        decode_message(body)
    assert str(caught.value).isidentifier()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
@settings(max_examples=60)
def test_json_survives(value: object) -> None:
    """What one side encodes the other decodes, also behind a byte order mark."""
    (body,) = parse(encode_frame(json.dumps(value)))
    assert decode_message(body) == value
    assert decode_message(b"\xef\xbb\xbf" + body) == value


def test_a_lone_surrogate_passes() -> None:
    """An escaped lone surrogate is text like any other."""
    assert decode_message(b'"\\ud800"') == "\ud800"


def test_the_writer_keeps_order_from_many_threads() -> None:
    """Frames never mix, and those of one thread stay in order."""
    reading, writing = os.pipe()
    writer = FrameWriter(writing, lambda: None)

    def write(name: str) -> None:
        for number in range(200):
            writer.write(encode_frame(json.dumps([name, number])))

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.close(20)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        found = [json.loads(body) for body in parse(stream.read())]
    for name in "abc":
        assert [n for who, n in found if who == name] == list(range(200))


def test_a_client_that_is_gone_is_noticed_once() -> None:
    """A broken pipe is told, and writing on does no harm."""
    reading, writing = os.pipe()
    os.close(reading)
    lost = threading.Event()
    writer = FrameWriter(writing, lost.set)
    writer.write(b"a")
    assert lost.wait(20)
    writer.write(b"b")
    writer.close(0.1)
    os.close(writing)


def test_the_reader_says_how_the_stream_ended() -> None:
    """The end is told once: cleanly, or with what was wrong."""
    for data, kind in ((b"", type(None)), (b"garbage\n", FramingError)):
        reading, writing = os.pipe()
        bodies: list[bytes] = []
        ends: list[Exception | None] = []
        reader = FrameReader(reading, bodies.append, ends.append)
        os.write(writing, b"Content-Length: 2\r\n\r\n{}" + data)
        os.close(writing)
        reader.start()
        reader.join(20)
        os.close(reading)
        assert bodies == [b"{}"]
        assert [type(end) for end in ends] == [kind]
