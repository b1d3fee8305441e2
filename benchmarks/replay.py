"""What memory would have cost and saved in real sessions, and that nobody peeked (P5).

    python benchmarks/replay.py FOLDER [--cuts N] [--hint on] [--budget TOKENS]

Replays the transcripts in FOLDER, each session in its own project.  Says what each
feature cost and saved by agent, how often what it told came to be needed, and what
agents got again although memory held it.  With ``--cuts`` it replays N times more, each
time without what came after some moment, and compares every fact before it.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from ibid.duties import replaying
from ibid.duties.importing import Found, find_transcripts
from ibid.duties.replaying import Ground, ReplayRun, Timed, moments_of
from ibid.engine.replay import log
from ibid.engine.replay.log import Fact
from ibid.engine.replay.sums import add_up
from ibid.store.settings import ensure_global


def play(folder: Path, home: str, until: int | None = None) -> ReplayRun:
    """Replay all of a folder, or what was there at a moment."""

    def cut(one: Found, number: int) -> Iterator[Timed]:
        for timed in moments_of(one, number):
            if until is not None and timed.moment.at > until:
                return
            yield timed

    with mock.patch.object(replaying, "moments_of", cut):
        run = ReplayRun(find_transcripts([folder]), Ground(home, "", "/nowhere"))
        for _ in run.steps():
            pass
    return run


def by_agent(facts: list[Fact]) -> list[Fact]:
    """Return the facts with agents for roles: subagents' count as their agent's."""
    return [fact._replace(who=fact.who._replace(role=fact.who.agent)) for fact in facts]


def report(facts: list[Fact]) -> None:
    """Print the figures."""
    made = add_up(by_agent(facts), random.Random("sums"))
    print(f"\n{made.estimator}; interval: {made.interval}\n")
    print("| agent | feature | n | gross | bounced | cost | net | 95 % | carried |")
    print("|---|---|---|---|---|---|---|---|---|")
    for line in [*made.features, *made.roles]:
        net = "unknown" if line.unknown else f"{line.once.net:+,}"
        low, high = line.interval or (0, 0)
        told = line.interval is not None and not line.unknown
        print(
            f"| {line.role or 'all'} | {line.feature} | {line.samples} "
            f"| {line.once.gross:,} | {-line.once.bounced:,} | {line.once.cost:,} "
            f"| {net} | {f'{low:+,} … {high:+,}' if told else '–'} "
            f"| {line.carried.net:+,} |"
        )
    print("\n| feature | items | used | found | neither | cannot be told | at most |")
    print("|---|---|---|---|---|---|---|")
    for line in made.features:
        if line.items:
            print(
                f"| {line.feature} | {line.items} | {line.used} | {line.found} "
                f"| {line.unused} | {line.untold} | {line.once.most:,} |"
            )
    print("\n| feature, when | n | cost | carried |")
    print("|---|---|---|---|")
    for name, told in moments(facts).items():
        print(f"| {name} | {told[0]} | {told[1]:,} | {told[2]:,} |")
    print("\n| got again | times | tokens |")
    print("|---|---|---|")
    for name, pile in sorted(made.held.items()):
        print(f"| {name} | {pile.times} | {pile.tokens:,} |")


def moments(facts: list[Fact]) -> dict[str, list[int]]:
    """Return how many injections there were at which kind of start, and their cost."""
    requests: dict[tuple[str, str, str, int], int] = defaultdict(int)
    found: dict[str, list[int]] = {}
    for fact in reversed(facts):
        key = (fact.who.project, fact.who.session, fact.who.scope, fact.who.epoch)
        requests[key] += fact.kind == log.REQUEST
        if fact.kind == log.COST and fact.about:
            told = found.setdefault(f"{fact.feature}, {fact.about}", [0, 0, 0])
            told[0] += 1
            told[1] += fact.tokens
            told[2] += fact.tokens * max(1, requests[key])
    return dict(sorted(found.items()))


def compare(folder: Path, home: str, facts: list[Fact], cuts: int) -> None:
    """Replay without the future, and say whether anything of the past changed."""
    chance = random.Random("cuts")
    for at in sorted(chance.sample(sorted({fact.at for fact in facts}), cuts)):
        known = [fact for fact in facts if fact.at <= at]
        same = play(folder, home, at).facts == known
        print(f"until {at}: {len(known)} facts {'the same' if same else 'DIFFER'}")


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cuts", type=int, default=0)
    parser.add_argument("--hint", choices=("on", "session", "off"))
    parser.add_argument("--budget", type=int)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        for name in ("hint", "budget"):
            if getattr(given, name) is not None:
                ensure_global(home, name, getattr(given, name))
        begun = time.process_time()
        run = play(given.folder, home)
        used = time.process_time() - begun
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{run.files} files, {run.bytes:,} bytes, {run.moments:,} moments, "
            f"{len(run.facts):,} facts; {run.seconds:.0f} s, {used:.0f} s of one "
            f"processor ({os.cpu_count()} here), {peak:.0f} MB at most"
        )
        for problem in run.problems:
            print(problem)
        report(run.facts)
        compare(given.folder, home, run.facts, given.cuts)


if __name__ == "__main__":
    main()
