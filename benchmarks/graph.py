"""Walks over the graph beside a plain dictionary, from the same run.

A store of 10,000 entities with two links each is asked for neighbours, expansions and paths,
warm in one process and cold from the command line. The dictionary holds the same graph, opens
everything to everybody and knows nothing of time: it is the floor, not a peer. Figures are CPU.
A person's first question also looks for files that were edited by hand.

    python -m benchmarks.graph [--nodes 1000 10000]
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path

from benchmarks.commands import MEMFS, PERSON, best, run
from benchmarks.corpus import PROJECT, START, environment, files_of, fill, project_with
from memfs.app.container import Memory, open_memory
from memfs.model.authority import Authority
from memfs.model.ids import derived_id
from memfs.model.naming import entity_key
from memfs.model.origin import Actor, Channel, Origin, OriginClass, Principal
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.services.graph_drafts import named_by_ends

ASKED = 100
SCOPE = Scope.parse(f"project:{PROJECT}")
STATED = Origin(
    origin_class=OriginClass.USER_STATED,
    principal=Principal.parse("user:ana"),
    channel=Channel.TERMINAL,
)
READERS = {
    "person": Actor(Principal.parse("user:ana"), Channel.TERMINAL),
    "program": Actor(Principal.parse("agent:x"), Channel.AGENT),
}
RELATIONS = ("uses", "depends on", "part of", "owned by", "calls")


def name_of(number: int) -> str:
    """Returns the name of the entity of that number."""
    return f"Component {number}"


def graph_records(count: int) -> Iterator[Record]:
    """Yields entities and twice as many edges; a few entities have a hundred links."""
    rng = random.Random(5)
    ids = [derived_id("ent", name_of(number)) for number in range(count)]
    for number, identifier in enumerate(ids):
        yield Record(
            kind="entity",
            id=identifier,
            title=name_of(number),
            subject=entity_key(name_of(number)),
            body=f"{name_of(number)} does what it is there for, and no more than that.\n",
            scope=SCOPE,
            observed=START + timedelta(minutes=number),
            origin=STATED,
            authority=Authority.USER,
        )
    for number in range(2 * count):
        start = rng.randrange(count)
        hub = rng.randrange(max(1, count // 100))
        end = hub if rng.random() < 0.2 else rng.randrange(count)
        if start != end:
            edge = Record(
                kind="edge",
                id=derived_id("edge", str(number)),
                scope=SCOPE,
                observed=START + timedelta(minutes=number),
                origin=STATED,
                authority=Authority.USER,
                fields={"from": ids[start], "to": ids[end], "relation": RELATIONS[number % 5]},
            )
            yield named_by_ends(edge, SCOPE)


def dictionary(records: Sequence[Record]) -> Mapping[str, list[str]]:
    """Returns the same graph as a dictionary of neighbours."""
    found: dict[str, list[str]] = {}
    for record in records:
        if record.kind == "edge":
            start, end = str(record.fields["from"]), str(record.fields["to"])
            found.setdefault(start, []).append(end)
            found.setdefault(end, []).append(start)
    return found


def reach(graph: Mapping[str, list[str]], start: str, hops: int) -> set[str]:
    """Returns what a dictionary reaches in so many steps."""
    known, frontier = {start}, [start]
    for _ in range(hops):
        frontier = [
            name
            for name in dict.fromkeys(end for it in frontier for end in graph.get(it, ()))
            if name not in known
        ]
        known.update(frontier)
    return known


def timed(asks: Sequence[Callable[[], object]]) -> tuple[float, float]:
    """Returns the CPU that half of the questions took at most, and 95 in 100, in milliseconds."""
    took = []
    for ask in asks:
        start = time.process_time()
        ask()
        took.append((time.process_time() - start) * 1e3)
    took.sort()
    return statistics.median(took), took[int(len(took) * 0.95)]


def measure_warm(project: Path, env: Mapping[str, str], records: Sequence[Record]) -> None:
    """Prints what walks cost in a process that has asked before."""
    graph = dictionary(records)
    rng = random.Random(11)
    starts = rng.sample([record.id for record in records if record.kind == "entity"], ASKED)
    floor = {
        hops: timed([partial(reach, graph, start, hops) for start in starts])[0] for hops in (1, 2)
    }
    for reader, actor in READERS.items():
        memory = open_memory(start=project, env=dict(env))
        memory.actor = actor
        begun = time.process_time()
        memory.neighbors(starts[0])
        first = (time.process_time() - begun) * 1e3
        print(f"  {reader}: the first question of all {first:.1f} ms")
        for what, hops, questions in _questions(memory, starts):
            timed(questions)
            median, slow = timed(questions)
            print(
                f"    {what:<20} {median:6.2f} ms, 95 in 100 within {slow:6.2f} ms; "
                f"dictionary {floor[hops] * 1e3:5.0f} µs"
            )
        if actor.is_person:
            after = statistics.median(_after_changes(memory, starts))
            print(f"    2 hops after a write {after:6.2f} ms")
        memory.close()


def _after_changes(memory: Memory, starts: Sequence[str]) -> Iterator[float]:
    """Yields what two hops cost right after each of some writes: the head has moved."""
    for number, start in enumerate(starts[:10]):
        memory.remember(f"Component {number} was looked at", kind="note")
        begun = time.process_time()
        memory.neighbors(start)
        yield (time.process_time() - begun) * 1e3


def _questions(
    memory: Memory, starts: Sequence[str]
) -> Iterator[tuple[str, int, list[Callable[[], object]]]]:
    yield "expand, 1 hop", 1, [partial(memory.expand, start) for start in starts]
    yield "neighbours, 1 hop", 1, [partial(memory.neighbors, start, hops=1) for start in starts]
    yield "neighbours, 2 hops", 2, [partial(memory.neighbors, start) for start in starts]
    yield "path", 2, [partial(memory.path, *ends) for ends in pairwise(starts)]


def measure_cold(project: Path, env: dict[str, str]) -> None:
    """Prints what the same costs from a cold process."""
    floor = best((sys.executable, "-c", "pass"), project, env)
    print(f"  cold process; bare Python {floor.cpu_ms:.0f} ms CPU")
    for words in (
        ("neighbors", name_of(7)),
        ("expand", name_of(7)),
        ("path", name_of(7), name_of(8)),
        ("graph", "--around", name_of(7)),
        ("recall", f"what calls {name_of(7)}"),
    ):
        cost = best((*MEMFS, *words, *PERSON), project, env)
        print(
            f"    {words[0]:<20} {cost.cpu_ms:6.0f} ms CPU  {cost.cpu_ms / floor.cpu_ms:5.1f} x  "
            f"{cost.wall_ms:6.0f} ms wall  {cost.rss_mb:4.0f} MB"
        )


def main() -> None:
    """Measures everything."""
    parser = argparse.ArgumentParser(description="What walks over the graph cost.")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1_000, 10_000])
    for count in parser.parse_args().nodes:
        records = list(graph_records(count))
        with project_with(0) as project:
            env = environment(project.parent)
            fill(project, env, files_of(records))
            run((*MEMFS, "rebuild", *PERSON), project, env)
            edges = sum(record.kind == "edge" for record in records)
            print(f"{count} entities, {edges} edges")
            os.environ.update(env)
            measure_warm(project, env, records)
            measure_cold(project, env)


if __name__ == "__main__":
    main()
