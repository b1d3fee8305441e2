"""Lines: from bytes to records, whatever the bytes are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.agents import lines
from ibid.agents.lines import Lines

RECORD = b'{"type":"note","text":"a"}'


def split(data: bytes, *, final: bool = False) -> tuple[list[lines.Record], Lines]:
    """Return the records of ``data`` and the splitter that made them."""
    splitter = Lines()
    return list(splitter.split(data, final=final)), splitter


def test_a_last_line_without_newline_waits_for_the_rest() -> None:
    """Only whole lines are used, and the rest of the bytes is not consumed."""
    records, splitter = split(RECORD + b"\n" + RECORD[:9])
    assert [record.value["text"] for record in records] == ["a"]
    assert splitter.consumed == len(RECORD) + 1
    assert splitter.skipped == 0


def test_a_last_line_without_newline_is_used_when_nothing_follows() -> None:
    """With ``final`` the file's last line is a line, newline or not."""
    records, splitter = split(RECORD + b"\n" + RECORD, final=True)
    assert len(records) == 2
    assert splitter.consumed == 2 * len(RECORD) + 1


def test_each_record_knows_its_bytes() -> None:
    """The byte range of a record is the record, counted from the file's start."""
    one = '{"text":"ü密\U0001f600"}'.encode()
    data = b"\n" + one + b"\r\n" + RECORD + b"\n"
    records = list(Lines().split(data, 1000))
    for record, raw in zip(records, (one, RECORD), strict=True):
        piece = data[record.start - 1000 : record.end - 1000]
        assert json.loads(piece) == json.loads(raw)


def test_glued_records_are_told_apart_with_their_places() -> None:
    """Two objects on one line are two records, also behind text that is not ASCII."""
    first = '{"text":"é密"}'.encode()
    data = first + b' {"text":"b"}{"text":"c"}\n'
    records, splitter = split(data)
    assert [record.value["text"] for record in records] == ["é密", "b", "c"]
    places = [data[record.start : record.end] for record in records]
    assert places == [first, b'{"text":"b"}', b'{"text":"c"}']
    assert splitter.skipped == 0


def test_a_record_appended_to_a_torn_one_is_saved() -> None:
    """What a crash tore is counted, and the record written behind it is kept."""
    data = b'{"type":"user","message":{"role":"us' + RECORD + b"\n"
    records, splitter = split(data)
    assert [record.value for record in records] == [json.loads(RECORD)]
    assert data[records[0].start : records[0].end] == RECORD
    assert splitter.skipped == 1


def test_an_object_within_a_torn_record_is_not_a_record() -> None:
    """A message that a broken record quotes is nobody's record."""
    inner = '{"type":"user","message":{"content":"always obey"}}'
    torn = '{"type":"progress","data":{"message":' + inner + ',"n":1'
    cut = torn.removesuffix(',"n":1')
    for data in (torn + ',"x":', torn.removeprefix('{"ty') + "}}", torn, cut):
        records, splitter = split(data.encode() + b"\n")
        assert records == []
        assert splitter.skipped == 1


@pytest.mark.parametrize(
    "line",
    [
        b"null",
        b"7",
        b'"text"',
        b"[]",
        b"[[]]",
        b"{",
        b"}",
        b"\x80\x81",
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b"[" * 100_000,
        b'{"a":tru}',
    ],
)
def test_a_line_that_is_no_object_is_counted_once(line: bytes) -> None:
    """Broken, wrong and bottomless lines are skipped; the good ones around stay."""
    records, splitter = split(RECORD + b"\n" + line + b"\n" + RECORD + b"\n")
    assert len(records) == 2
    assert splitter.skipped == 1


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b'"a\\ud83d b \\udc00"', "a\ufffd b \ufffd"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"a\\u0000b"', "a\ufffdb"),
        (b'"\xff\xc3("', "\ufffd\ufffd("),
        (b'"tab\tand\x01"', "tab\tand\x01"),
    ],
)
def test_text_that_no_store_can_hold_is_replaced(raw: bytes, text: str) -> None:
    """Lone surrogates, NUL and bad UTF-8 become U+FFFD; the record is kept."""
    records, splitter = split(b'{"text":' + raw + b',"n":["' + b'x"]}\n')
    assert records[0].value["text"] == text
    assert splitter.skipped == 0


@pytest.mark.parametrize("number", ["9" * 6000, "-" + "9" * 6000, "1e999", "NaN"])
def test_numbers_beyond_any_limit_do_not_lose_the_record(number: str) -> None:
    """A number that cannot be converted costs the number, not the line."""
    records, splitter = split(f'{{"n":{number},"text":"a"}}\n'.encode())
    assert records[0].value["text"] == "a"
    assert splitter.skipped == 0


def test_holes_marks_and_blank_lines_are_not_lines() -> None:
    """What a crash leaves of NULs, a byte order mark and blank lines cost nothing."""
    data = b"\xef\xbb\xbf" + RECORD + b"\r\n\n  \n" + b"\0" * 65_536 + RECORD + b"\n"
    records, splitter = split(data)
    assert [data[record.start : record.end].strip() for record in records] == [
        RECORD,
        RECORD,
    ]
    assert splitter.skipped == 0


def test_a_line_above_the_cap_is_skipped_wherever_it_is_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is counted once, never waited for, and the line behind it is read."""
    monkeypatch.setattr(lines, "LINE_CAP", 100)
    data = RECORD + b'\n{"text":"' + b"A" * 500 + b'"}\n' + RECORD + b"\n"
    for step in (7, 101, 150, len(data)):
        offset, skipped, found, inside = 0, 0, [], False
        end = 0
        while offset < len(data):
            end = min(len(data), end + step)
            splitter = Lines(inside=inside)
            found += list(splitter.split(data[offset:end], offset))
            assert end - offset - splitter.consumed <= 100
            offset += splitter.consumed
            skipped += splitter.skipped
            inside = splitter.inside
        assert (len(found), skipped) == (2, 1)
        assert found[1].end == len(data) - 1


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=30),
            st.dictionaries(st.text(max_size=3), st.text(max_size=9)).map(
                lambda value: json.dumps(value, ensure_ascii=False).encode(
                    "utf-8", "surrogatepass"
                )
            ),
        ),
        max_size=6,
    ),
    st.lists(st.integers(0, 200), max_size=4),
)
def test_any_bytes_cut_anywhere_give_the_same_records(
    parts: list[bytes], cuts: list[int]
) -> None:
    """Never an exception, and never another result for being read in pieces."""
    data = b"\n".join(parts)
    whole, splitter = split(data)
    offset, skipped, found, inside = 0, 0, [], False
    for end in [*sorted(min(cut, len(data)) for cut in cuts), len(data)]:
        piece = Lines(inside=inside)
        found += list(piece.split(data[offset:end], offset))
        offset += piece.consumed
        skipped += piece.skipped
        inside = piece.inside
    assert (found, skipped, offset) == (whole, splitter.skipped, splitter.consumed)
    for record in found:
        json.dumps(record.value, ensure_ascii=False).encode()
