"""Measure the redactor: recall, precision, collateral, speed, hostile input (E2, E3).

    python benchmarks/redaction.py CORPUS.jsonl [--text PATH] [--hostile]

A corpus has one JSON object a line: ``text``, ``tier`` (A shape, B label, C sentence,
D bare), ``kind``, ``ctx`` and ``secrets`` with ``start`` and ``end`` in characters; a
line without secrets is a negative.  A secret counts as removed when 90 % of its
characters lie in spans.  Speed is given in MB/s and as a ratio to a floor measured in
the same run: one lower-casing and one regular expression over the same text.  The text
is the standard library's source unless ``--text`` names a file or a folder.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from pathlib import Path

from ibid.text.redact import find_secrets, redact

#: Pieces whose repetition is the worst that is known.
HOSTILE = (
    "a", " ", "password: ", "password=", "token_", "\"'", 'password\\"', "api_key=abc&",
    "key = (\n" + " " * 20, "-----BEGIN PRI" + "VATE KEY-----\n", "A" * 64 + "\n",
    "eyJhbGciOiJI.ey", "x://a:", "curl -u ", "mysql ", "authorization: bearer ",
    "login a ", "<password ", "0123456789abcdef", "sk" + "-", "a.", "密码是", ":token",
    "AccountKey=", "password,\n", "cookie: a=b; ", "insert into t (password) values (",
)  # fmt: skip


#: How much text is read for the speed, in characters.
MOST = 8_000_000


class Tally:
    """Counts over a corpus."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.removed: Counter[str] = Counter()
        self.spans = self.false = self.negatives = self.hit = 0
        self.clean = self.lost = self.unstable = 0

    def add(self, row: dict[str, object], spans: list[tuple[int, int]]) -> None:
        """Count one line of the corpus and the spans found in it."""
        secrets = [(s["start"], s["end"]) for s in row["secrets"]]  # type: ignore[attr-defined]
        for start, end in spans:
            self.spans += 1
            self.false += not any(start < e and s < end for s, e in secrets)
        covered = sum(overlap(span, s) for span in spans for s in secrets)
        self.lost += sum(e - s for s, e in spans) - covered
        self.clean += len(str(row["text"])) - sum(e - s for s, e in secrets)
        if not secrets:
            self.negatives += 1
            self.hit += bool(spans)
            return
        whole = all(
            sum(overlap(span, s) for span in spans) >= 0.9 * (s[1] - s[0])
            for s in secrets
        )
        for group in (f"tier {row['tier']}", f"{row['tier']} in {row['ctx']}"):
            self.seen[group] += 1
            self.removed[group] += whole

    def report(self) -> None:
        """Print the figures."""
        for group in sorted(self.seen):
            share = self.removed[group] / self.seen[group]
            print(f"recall {group:16s} {share:.4f} of {self.seen[group]}")
        precision = 1 - self.false / self.spans if self.spans else 1.0
        print(f"span precision         {precision:.4f} of {self.spans} spans")
        print(f"negatives hit          {self.hit} of {self.negatives}")
        print(f"collateral             {self.lost / max(1, self.clean):.4%}")
        print(f"not idempotent         {self.unstable}")


def overlap(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Return how many characters two spans share."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))


def read_blocks(path: Path, size: int = 8192) -> list[str]:
    """Return the text of a file, or a folder's files, in blocks of whole lines."""
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    blocks: list[str] = []
    block = ""
    for file in files:
        if len(blocks) * size > MOST:
            break
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines(True):
            block += line
            if len(block) >= size:
                blocks.append(block)
                block = ""
    return [*blocks, block]


def measure_speed(blocks: list[str]) -> None:
    """Print the speed over `blocks` and its ratio to the floor's (CPU time)."""
    runs = re.compile(r"[A-Za-z0-9_-]{16,}")
    megabytes = sum(len(block.encode("utf-8", "replace")) for block in blocks) / 1e6

    def seconds(work: object) -> float:
        start = time.process_time()
        for block in blocks:
            work(block)  # type: ignore[operator]
        return time.process_time() - start

    find_secrets(blocks[0])
    floor = min(seconds(lambda b: runs.findall(b.lower())) for _ in range(3))
    own = min(seconds(find_secrets) for _ in range(3))
    each = sorted(seconds_of(block) for block in blocks)
    print(f"speed                  {megabytes / own:.2f} MB/s on {megabytes:.1f} MB")
    print(f"ratio to the floor     {floor / own:.3f} ({megabytes / floor:.1f} MB/s)")
    middle, late = each[len(each) // 2], each[int(len(each) * 0.99)]
    print(f"block of 8 KiB         p50 {middle * 1e3:.2f} ms, p99 {late * 1e3:.2f} ms")


def seconds_of(text: str) -> float:
    """Return the CPU seconds of one call."""
    start = time.process_time()
    find_secrets(text)
    return time.process_time() - start


def measure_hostile(size: int = 20_000) -> None:
    """Print the worst of HOSTILE: time a character, and its growth for four times."""
    worst = []
    for unit in HOSTILE:
        short = seconds_of(unit * (size // len(unit)))
        long = seconds_of(unit * (4 * size // len(unit)))
        worst.append((long / (4 * size) * 1e6, long / max(short, 1e-4), unit))
    for micros, growth, unit in sorted(worst, reverse=True)[:6]:
        print(f"hostile {unit[:24]!r:28} {micros:5.1f} us a character, x{growth:.1f}")


def main() -> None:
    """Read the command line and print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--text", type=Path, default=Path(json.__file__).parent.parent)
    parser.add_argument("--hostile", action="store_true")
    args = parser.parse_args()
    tally = Tally()
    for line in args.corpus.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        tally.add(row, [(s.start, s.end) for s in find_secrets(row["text"])])
        masked = redact(row["text"])
        tally.unstable += redact(masked) != masked
    tally.report()
    measure_speed(read_blocks(args.text))
    if args.hostile:
        measure_hostile()


if __name__ == "__main__":
    main()
