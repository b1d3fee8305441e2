"""What importing a folder of real transcripts costs, and whether nothing is lost.

    python benchmarks/corpus.py FOLDER

Prints skipped lines, peak memory, the store's size as a share of the files, time as a
ratio to a plain read-and-parse of the same lines in the same run, that a second import
adds nothing, and that every kept transcript equals its file byte for byte.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

from ibid.duties.importing import Found, ImportRun, find_transcripts
from ibid.engine.memory import Memory, open_memory
from ibid.store import transcripts
from ibid.store.verify import verify


def parse_only(files: list[Found]) -> float:
    """Return the CPU seconds that reading and parsing alone take."""
    begun = time.process_time()
    for one in files:
        for line in one.path.read_bytes().splitlines():
            try:
                json.loads(line)
            except (ValueError, RecursionError):
                continue
    return time.process_time() - begun


def run_import(files: list[Found], memory: Memory) -> tuple[dict[str, object], float]:
    """Import the files; return the report and its CPU seconds."""
    run = ImportRun(files, memory)
    begun = time.process_time()
    for _ in run.steps():
        pass
    return run.report.as_dict(), time.process_time() - begun


def compare(files: list[Found], memory: Memory) -> tuple[int, int]:
    """Return how many kept transcripts equal their file, and how many do not."""
    connection = memory.store.read()
    same = different = 0
    for one in files:
        row = connection.execute(
            "SELECT id FROM transcript WHERE path = ? ORDER BY generation DESC",
            (str(one.path),),
        ).fetchone()
        if row is None:
            continue
        data = b"".join(transcripts.load_transcript(connection, row[0]))
        if data == one.path.read_bytes():
            same += 1
        else:
            different += 1
    return same, different


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    files = find_transcripts([folder])
    total = sum(one.size for one in files)
    lines = sum(one.path.read_bytes().count(b"\n") for one in files)
    with tempfile.TemporaryDirectory() as home:
        memory = open_memory(str(folder), home)
        report, seconds = run_import(files, memory)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        memory.store.checkpoint()
        size = Path(memory.project.database).stat().st_size
        again, _ = run_import(files, memory)
        same, different = compare(files, memory)
        problems = verify(memory.store.read(), full=True)
        memory.close()
    floor = parse_only(files)
    skipped = int(str(report["skippedLines"]))
    added = {k: v for k, v in again.items() if k in report and v and k != "seconds"}
    print(f"files {len(files)}, {total / 1e6:.1f} MB, {lines} lines")
    print("report", json.dumps(report))
    print(f"skipped {skipped} = {100 * skipped / max(1, lines):.3f} % of lines")
    print(f"peak memory {peak:.0f} MB")
    print(f"store {size / 1e6:.1f} MB = {size / total:.3f} of the files")
    print(f"CPU {seconds:.2f} s = {seconds / floor:.1f} × reading and parsing alone")
    print(f"second import adds {added or 'nothing'}")
    print(f"kept transcripts: {same} equal their file, {different} differ")
    print(f"verify: {len(problems)} problems")


if __name__ == "__main__":
    main()
