"""What it costs to keep everything verbatim: room and speed of archive and transcripts.

    PYTHONPATH=server python benchmarks/archive.py [FOLDER]

FOLDER holds transcript files (``*.jsonl``); without it a log is made up.  Every figure
stands beside a floor of the same run: each file compressed whole by plain zstd.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import zstandard

from ibid.store import archive, capacity, transcripts
from ibid.store.archive import ArchiveItem
from ibid.store.backup import write_backup
from ibid.store.connection import Store
from ibid.store.frames import LEVEL
from ibid.store.parts import BLOCK
from ibid.store.schema import ensure_schema
from ibid.store.transcripts import TranscriptItem
from ibid.store.verify import verify

NOW = 1_900_000_000_000
DAY = 86_400_000
CHUNK = 1 << 20


def main() -> None:
    """Measure on the folder given, or on a made-up log."""
    files = _files(Path(sys.argv[1])) if len(sys.argv) > 1 else [_made_up()]
    raw = sum(map(len, files))
    print(f"{len(files)} files, {raw / 1e6:.1f} MB\n")
    _levels(files, raw)
    floor = Timed(lambda: [_packed(data) for data in files])
    small = sum(map(len, floor.result))
    print(f"\n{'':34}{'of raw':>8}{'MB/s':>8}{'x floor time':>14}")
    _row("floor: whole files, plain zstd", small / raw, raw, floor.cpu, floor.cpu)
    for step in (1 << 12, 1 << 16, CHUNK):
        with _fresh() as store:
            _keep(store, files, step, floor.cpu)
    with _fresh() as store:
        _archive(store, _texts(files), floor.cpu / raw)
    with _fresh() as store:
        _whole(store, files, raw)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")


class Timed:
    """The result of a call and the CPU seconds it took."""

    def __init__(self, call: Callable[[], list[bytes]]) -> None:
        start = time.process_time()
        self.result = call()
        self.cpu = time.process_time() - start


def _row(name: str, share: float, size: int, cpu: float, floor: float) -> None:
    speed = size / max(cpu, 1e-9) / 1e6
    print(f"{name:34}{share:>8.4f}{speed:>8.0f}{cpu / floor:>14.2f}")


def _levels(files: list[bytes], raw: int) -> None:
    """Compare sizes of a block and levels of zstd."""
    print(f"{'zstd level':12}{'block':>8}{'of raw':>9}{'CPU s':>8}")
    for level in (1, 3, 6, 9, 12, 19):
        for block in (CHUNK, BLOCK, 2 * BLOCK):
            start, total = time.process_time(), 0
            for data in files:
                for at in range(0, len(data), block):
                    total += len(_packed(data[at : at + block], level))
            cpu = time.process_time() - start
            print(f"{level:<12}{block >> 20:>6} MB{total / raw:>9.4f}{cpu:>8.2f}")


def _keep(store: Store, files: list[bytes], step: int, floor: float) -> None:
    """Follow each file ``step`` bytes at a time, pack it, and read it back."""
    raw = sum(map(len, files))
    start = time.process_time()
    for number, data in enumerate(files):
        _follow(store, f"/{number}", data, step)
    used = capacity.usage(store.read()).transcripts
    name = f"keep, {step >> 10} kB at a time"
    _row(name, used / raw, raw, time.process_time() - start, floor)
    start = time.process_time()
    while _write(store, lambda db: transcripts.pack_step(db, NOW + DAY)):
        pass
    used = capacity.usage(store.read()).transcripts
    _row("  then packed", used / raw, raw, time.process_time() - start, floor)
    start = time.process_time()
    for number, data in enumerate(files):
        pieces = transcripts.load_transcript(store.read(), number + 1)
        assert b"".join(pieces) == data
    _row("  then loaded and checked", 1, raw, time.process_time() - start, floor)


def _follow(store: Store, path: str, data: bytes, step: int) -> None:
    item = TranscriptItem("claude-code", path, path, "1:1", at=NOW)
    with store.write() as connection:
        row = transcripts.ensure_transcript(connection, item)
    for at in range(0, len(data), step):
        with store.write() as connection:
            transcripts.keep(connection, row.id, at, data[at : at + step])


def _write(store: Store, step: Callable[..., bool]) -> bool:
    with store.write() as connection:
        return step(connection)


def _archive(store: Store, texts: list[bytes], floor_per_byte: float) -> None:
    """Archive texts cold and hot, and expand them in any order."""
    size = sum(map(len, texts))
    print(f"\n{len(texts)} texts, {size / 1e6:.1f} MB")
    floor = floor_per_byte * size
    start = time.process_time()
    rows = []
    for batch in _batches(texts):
        with store.write() as connection:
            items = [ArchiveItem(text, NOW - DAY) for text in batch]
            rows += archive.ensure_archives(connection, items, NOW)
    used = capacity.usage(store.read()).archive
    _row(
        "archive cold at import", used / size, size, time.process_time() - start, floor
    )
    start = time.process_time()
    with store.write() as connection:
        items = [ArchiveItem(text + b"\n", NOW - DAY) for text in texts]
        archive.ensure_archives(connection, items)
    _row("archive hot", 1, size, time.process_time() - start, floor)
    start = time.process_time()
    while _write(store, lambda db: archive.freeze(db, NOW)):
        pass
    _row("freeze", used / size, size, time.process_time() - start, floor)
    some = random.Random(1).sample(rows, min(500, len(rows)))
    start = time.process_time()
    for row in some:
        archive.load_bytes(store.read(), row)
    each = (time.process_time() - start) / len(some)
    print(f"expand one cold text: {each * 1e3:.2f} ms")


def _whole(store: Store, files: list[bytes], raw: int) -> None:
    """Keep files and texts as an import does; check everything and back up."""
    for number, data in enumerate(files):
        _follow(store, f"/{number}", data, CHUNK)
    for batch in _batches(_texts(files)):
        with store.write() as connection:
            items = [ArchiveItem(text, NOW - DAY) for text in batch]
            archive.ensure_archives(connection, items, NOW)
    while _write(store, lambda db: transcripts.pack_step(db, NOW + DAY)):
        pass
    with store.write() as connection:
        connection.execute("PRAGMA incremental_vacuum").fetchall()
    start = time.perf_counter()
    problems = verify(store.read(), full=True)
    print(f"\nverify in full: {time.perf_counter() - start:.2f} s, {problems}")
    start = time.perf_counter()
    backup = Path(write_backup(store.path, NOW))
    size = backup.stat().st_size
    print(f"backup: {time.perf_counter() - start:.2f} s, {size >> 10} kB")
    store.close()
    size = Path(store.path).stat().st_size
    print(f"file with transcripts and texts: {size / raw:.3f} of raw")


@contextmanager
def _fresh() -> Iterator[Store]:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"{folder}/ibid.db")
        ensure_schema(store)
        yield store
        store.close()


def _batches(texts: list[bytes]) -> Iterator[list[bytes]]:
    """Give the texts as an importer does: those of about 1 MB of transcript."""
    for at in range(0, len(texts), 100):
        yield texts[at : at + 100]


def _texts(files: list[bytes]) -> list[bytes]:
    """Return the long strings in the files, each once: they are tool output, mostly."""
    found: dict[str, None] = {}
    for data in files:
        for line in data.splitlines():
            try:
                _long_strings(json.loads(line), found)
            except ValueError:
                continue
    return [text.encode("utf-8", "replace") for text in found]


def _long_strings(value: object, found: dict[str, None]) -> None:
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, str) and len(value) >= 500:
            found[value] = None
        elif isinstance(value, dict):
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)


def _files(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.rglob("*.jsonl"))]


def _made_up() -> bytes:
    source = random.Random(1)
    words = [f"word{source.randrange(5000)}" for _ in range(3000)]
    lines = (
        json.dumps({"id": source.randrange(1 << 60), "text": _text(source, words)})
        for _ in range(4000)
    )
    return "\n".join(lines).encode()


def _text(source: random.Random, words: list[str]) -> str:
    return " ".join(source.choices(words, k=source.randrange(10, 400)))


def _packed(data: bytes, level: int = LEVEL) -> bytes:
    return zstandard.ZstdCompressor(level=level).compress(data)


if __name__ == "__main__":
    main()
