"""What a sleep costs, and what core memory adds to the start of a session.

Every pass in one process over made-up claims and events, beside comparing every pair of a few
hundred texts, which is what grouping costs without an index of rare terms. Then a cold session
start before there is a core and with one, beside an empty Python process.

    python -m benchmarks.sleep [--records 1000 10000]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

from benchmarks.commands import MEMFS, best
from benchmarks.corpus import environment, files_of, fill, project_with, records
from memfs.app.memory import Memory
from memfs.app.opening import open_workspace
from memfs.index.analysis import Analyzer
from memfs.index.likeness import frequencies_of, likeness, term_counts
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record

EVENT_SHARE = 4
PAIRED = 300
ANA = Actor(Principal.parse("user:ana"), Channel.TERMINAL)
AGENT = ("--as", "agent:x")


def lived(count: int) -> Iterator[Record]:
    """Yields ``count`` records, claims and events; one in fifty nearly repeats another."""
    before: Record | None = None
    for number, record in enumerate(records(count)):
        if number % EVENT_SHARE == 1:
            sort = ("work", "decision", "learning")[number % 3]
            yield replace(
                record,
                kind="event",
                id="event_" + record.id.rpartition("_")[2],
                body="",
                event_time=record.observed,
                fields={"event_kind": sort},
            )
        elif number % 50 == 2 and before is not None:
            yield replace(record, title=before.title, body=f"{before.body}indeed\n")
        else:
            before = record
            yield record


def timed(work: Callable[[], object]) -> float:
    """Returns the CPU seconds of one call."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measure(count: int) -> None:
    """Prints the cost of sleeping over ``count`` records."""
    with project_with(0) as project:
        env = environment(project.parent)
        fill(project, env, files_of(lived(count)))
        floor = best((sys.executable, "-c", "pass"), project, env)
        start = (*MEMFS, "context", "--session-start", *AGENT)
        before = best(start, project, env)
        print(f"{count} records; bare Python {floor.cpu_ms:.0f} ms")
        workspace = open_workspace(start=project, env=env)
        memory = Memory(workspace, ANA)
        try:
            print(f"  {'catalogue and index':<24} {timed(memory.rebuild):6.2f} s CPU")
            for stage in ("light", "deep", "rem", ""):
                cost = timed(lambda name=stage: memory.sleep(name))  # type: ignore[misc]
                print(f"  {'sleep ' + (stage or '(all)'):<24} {cost:6.2f} s CPU")
        finally:
            workspace.store.close()
        print(f"  {'every pair of ' + str(PAIRED):<24} {timed(_every_pair):6.2f} s CPU")
        after = best(start, project, env)
        for name, cost_of in (("without a core", before), ("with a core", after)):
            ratio = cost_of.cpu_ms / floor.cpu_ms
            print(f"  session start, {name:<15} {cost_of.cpu_ms:6.0f} ms CPU  {ratio:5.1f} x")


def _every_pair() -> None:
    analyzer = Analyzer()
    terms = [term_counts(analyzer, item.body) for item in records(PAIRED)]
    rarity = frequencies_of(terms)
    for one, other in combinations(terms, 2):
        likeness(one, other, rarity)


def main() -> None:
    """Measures at each size that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000, 10_000])
    for count in parser.parse_args().records:
        measure(count)


if __name__ == "__main__":
    main()
