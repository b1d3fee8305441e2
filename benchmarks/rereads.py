"""What stubs and deltas would have saved in real sessions, honestly little (N2, N7).

    python benchmarks/rereads.py FOLDER

Plays the transcripts in FOLDER in their own order.  Each read of a file is asked of the
ledger as if it had come through ``ibid read``, with the very lines that the agent was
shown; edits, compactions and resumes are told as the transcript tells them.  What a
re-read is, a plain model decides, not the ledger.  Agents that had got a short answer
would perhaps have asked again, or not: bounces are counted as the ledger counts them,
from the reads that were really made.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ibid.agents import events as e
from ibid.agents.registry import WHOLE
from ibid.duties import sources
from ibid.duties.importing import Found, find_transcripts
from ibid.duties.storing import dated
from ibid.engine.ledger.native import lines_of
from ibid.engine.ledger.seen import GAP
from ibid.engine.memory import Memory, open_memory
from ibid.engine.model import FixedClock, ReadRequest
from ibid.errors import IbidError
from ibid.store import shown
from ibid.text.tokens import ESTIMATOR, OPENAI, estimate

FIRST, EXACT, COVERED = "first or new lines", "exact repeat", "covered re-read"
EDITED, CHANGED = "after an own edit", "changed or partly new"
LOST = "after a compaction, resume or silence"
KINDS = (FIRST, EXACT, COVERED, EDITED, CHANGED, LOST)
CHUNK = 1 << 19


class Read(NamedTuple):
    """One read: what it was, what was answered, and what that cost."""

    kind: str
    answer: str
    raw: int
    sent: int
    reason: str
    other: tuple[int, int]  # Raw and sent, by another vocabulary.


class Context:
    """What one reader has of one file, line by line."""

    def __init__(self) -> None:
        self.lines: dict[int, str] = {}
        self.stale: set[int] = set()  # Known from before its own last edit.
        self.repeats: set[tuple[int, str]] = set()

    def edit(self, event: e.Edit) -> None:
        """Note that the reader changed the file itself; a whole one it knows."""
        self.repeats.clear()
        if event.whole:
            self.lines = dict(enumerate(event.after.split("\n"), 1))
            self.stale.clear()
        self.stale |= set() if event.whole else set(self.lines)

    def judge(self, first: int, text: str) -> str:
        """Return what kind of read this is, and remember it."""
        numbered = {first + at: line for at, line in enumerate(text.split("\n"))}
        known = [number for number in numbered if number in self.lines]
        same = all(self.lines.get(number) == line for number, line in numbered.items())
        if not known:
            kind = FIRST
        elif self.stale.intersection(known):
            kind = EDITED
        elif same and (first, text) in self.repeats:
            kind = EXACT
        else:
            kind = COVERED if same else CHANGED
        if not same:
            self.repeats.clear()
        self.lines |= numbered
        self.stale -= set(numbered)
        self.repeats.add((first, text))
        return kind


class Replay:
    """Plays transcripts to a ledger and keeps the plain model beside it."""

    def __init__(self, home: str, clock: FixedClock) -> None:
        self.home = home
        self.clock = clock
        self.memories: dict[str, Memory] = {}
        self.reads: list[Read] = []
        self._contexts: dict[tuple[str, str], dict[str, Context]] = defaultdict(dict)
        self._lost: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._known: set[str] = set()
        self._folders: dict[str, str] = {}
        self._last: dict[str, int] = {}

    def memory(self, session: str) -> Memory:
        """Return the memory of the session's project."""
        folder = self._folders.get(session, "/nowhere")
        if folder not in self.memories:
            self.memories[folder] = open_memory(folder, self.home, self.clock)
        return self.memories[folder]

    def play(self, agent: str, event: e.Event) -> None:
        """Take one event."""
        head = event.head
        if not head.session:
            return
        if head.at:
            self.clock.move(head.at - self.clock.now())
            last = self._last.get(head.session, head.at)
            self._last[head.session] = max(last, head.at)
            if head.at - last > GAP:
                self._forget(head.session, None)
        if isinstance(event, e.SessionSeen) and event.cwd:
            self._folders.setdefault(head.session, event.cwd)
        if isinstance(event, e.Read):
            self._read(event)
            return
        if isinstance(event, e.Compacted):
            self._forget(head.session, head.scope)
        if isinstance(event, e.Boundary | e.SessionEnded):
            self._forget(head.session, head.scope or None)
        if isinstance(event, e.Edit):
            context = self._contexts[head.session, head.scope].get(event.path)
            if context is not None:
                context.edit(event)
        if not isinstance(event, e.Answer | e.Tool | e.Usage | e.Injected | e.Todo):
            self.memory(head.session).apply(agent, [event])

    def _forget(self, session: str, scope: str | None) -> None:
        """Let a thread's context begin anew; None: all threads'."""
        for key in list(self._contexts):
            if key[0] == session and scope in (None, key[1]):
                self._lost[key] |= set(self._contexts.pop(key))

    def _read(self, event: e.Read) -> None:
        native = f"{event.head.id}:{event.path}"
        if not event.text or event.stub or (event.head.id and native in self._known):
            return
        self._known.add(native)
        lines = lines_of(event)
        if lines.last < lines.first:
            return
        key = (event.head.session, event.head.scope)
        context = self._contexts[key].setdefault(event.path, Context())
        kind = context.judge(lines.first, event.text)
        if kind == FIRST and event.path in self._lost[key]:
            self._lost[key].discard(event.path)
            kind = LOST
        path = event.path if event.path.startswith("/") else f"/{event.path}"
        ends = lines.total == lines.last
        request = ReadRequest(
            path,
            event.head.session,
            event.head.scope,
            first=lines.first,
            last=0 if ends else lines.last,
        )
        text = event.text
        missing = lines.last - lines.first + 1 - text.count("\n")
        if not ends:  # The end of its last line was not shown, and a line follows.
            text += "\n" * (missing + 1)
        # The lines before are not asked for: any will do.
        content = "\n" * (lines.first - 1) + text
        answer = self.memory(event.head.session).read(request, content)
        raw, sent = answer.raw_tokens, answer.tokens
        other = (estimate(text, OPENAI), estimate(answer.text, OPENAI))
        self.reads.append(Read(kind, answer.answer, raw, sent, answer.reason, other))


def events_of(one: Found) -> Iterator[e.Event]:
    """Return what a transcript tells."""
    for path in sources.expand(one.agent, one.path):
        if one.agent.form(path) == WHOLE:
            data = sources.load_document(one.agent, path)
            reader = one.agent.reader(path, None)
            yield from reader.feed(data, 0, final=True).events
            continue
        with sources.open_stream(one.agent, path) as stream:
            reader = one.agent.reader(path, None)
            offset, size = 0, CHUNK
            while data := stream.read(offset, size):
                is_last = len(data) < size
                batch = reader.feed(data, offset, final=is_last)
                yield from dated(batch.events, stream.at)
                offset += batch.consumed
                size = CHUNK if batch.consumed else size * 2
                if is_last:
                    break


def accounts(memories: list[Memory]) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the sum and the number of entries by feature and kind."""
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for memory in memories:
        for feature, kind, tokens, count in memory.store.read().execute(
            "SELECT feature, kind, sum(tokens), count(*) FROM account"
            " WHERE feature IN ('stub', 'delta') GROUP BY feature, kind"
        ):
            before = sums.get((feature, kind), (0, 0))
            sums[feature, kind] = (before[0] + tokens, before[1] + count)
    return sums


def report(memories: list[Memory], reads: list[Read]) -> None:
    """Print the figures."""
    total = sum(one.raw for one in reads)
    print(f"{len(reads)} reads, {total:,} tokens ({ESTIMATOR})\n")
    print("| kind of read | reads | tokens | stubs | deltas | sent | suppressed |")
    print("|---|---|---|---|---|---|---|")
    for kind in KINDS:
        _row(kind, [one for one in reads if one.kind == kind])
    short = [one for one in reads if one.answer == shown.STUB]
    exact = [one for one in short if one.kind == EXACT]
    raw, sent = (sum(one.other[at] for one in exact) for at in (0, 1))
    by_other = 100 * (1 - sent / max(1, raw))
    print(
        f"\nper stub of an exact repeat: {_suppressed(exact):.2f} % suppressed "
        f"({by_other:.2f} % by {OPENAI})"
    )
    print(f"per stub of any kind: {_suppressed(short):.2f} %")
    sums = accounts(memories)
    for feature in ("stub", "delta"):
        gross, count = sums.get((feature, "saving"), (0, 0))
        bounced, times = sums.get((feature, "bounce"), (0, 0))
        cost, _ = sums.get((feature, "cost"), (0, 0))
        net = gross - bounced - cost
        print(
            f"{feature}s: gross {gross:,} bounced −{bounced:,} ({times} of {count}) "
            f"cost {cost:,} net {net:+,} = {100 * net / max(1, total):.2f} % of all"
        )
    why = [one.reason for one in reads if one.kind in (EXACT, COVERED) and one.reason]
    for reason in sorted(set(why), key=why.count, reverse=True):
        print(f"  covered, yet in full: {why.count(reason)} × {reason}")


def _row(kind: str, reads: list[Read]) -> None:
    stubs = sum(one.answer == shown.STUB for one in reads)
    deltas = sum(one.answer == shown.DELTA for one in reads)
    raw, sent = sum(one.raw for one in reads), sum(one.sent for one in reads)
    print(
        f"| {kind} | {len(reads)} | {raw:,} | {stubs} | {deltas} | {sent:,} "
        f"| {_suppressed(reads):.1f} % |"
    )


def _suppressed(reads: list[Read]) -> float:
    raw = sum(one.raw for one in reads)
    return 100 * (1 - sum(one.sent for one in reads) / raw) if raw else 0.0


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    clock = FixedClock(0)
    with tempfile.TemporaryDirectory() as home:
        replay = Replay(home, clock)
        for one in find_transcripts([folder]):
            try:
                for event in events_of(one):
                    replay.play(one.agent.AGENT, event)
            except IbidError as error:
                print(f"passed over: {error}")
        report(list(replay.memories.values()), replay.reads)
        for memory in replay.memories.values():
            memory.close()


if __name__ == "__main__":
    main()
