"""What a brief costs from a cold process, over claims, runs and issues.

CPU is user and system time of the process, the smallest of several runs, beside an empty Python
process and ``memfs recall`` of the same run. The first call after a change of every issue is
printed apart: it reads them all once.

    python -m benchmarks.context [--records 10000]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from benchmarks.commands import MEMFS, best, run
from benchmarks.corpus import environment, files_of, fill, project_with, records
from memfs.app.system import encode_ulid
from memfs.model.instants import format_instant
from memfs.model.origin import Channel, Origin, OriginClass, Principal
from memfs.model.record import Record

RUN_SHARE, ISSUE_SHARE = 4, 20
"""One record in so many is a run, an issue; one issue in five is open."""
AGENT = ("--as", "agent:x")


def work(count: int) -> Iterator[Record]:
    """Yields ``count`` records, claims, runs and issues among them."""
    origin = Origin(
        origin_class=OriginClass.AGENT_STATED,
        principal=Principal.parse("agent:x"),
        channel=Channel.AGENT,
    )
    for number, record in enumerate(records(count)):
        if number % ISSUE_SHARE == 0:
            yield _issue(record, number, origin)
        elif number % RUN_SHARE == 1:
            yield _run(record, number, origin)
        else:
            yield record


def _run(record: Record, number: int, origin: Origin) -> Record:
    assert record.observed is not None
    name = f"run_{_ulid(record)}"
    lines = record.body.split("\n")
    steps = [lines[3], lines[4]]
    body = "\n".join((lines[0], lines[1], "", *(f"NEXT: {step}" for step in steps)))
    return replace(
        record,
        kind="run",
        id=name,
        body=f"{body}\n",
        origin=origin,
        importance=5,
        tags=(),
        fields={
            "task": lines[2],
            "state": "done" if number % 3 else "error",
            "started": format_instant(record.observed - timedelta(minutes=5)),
            "finished": format_instant(record.observed),
            "root": name,
            "session": f"chat-{number // 100}",
            "next": steps,
        },
    )


def _issue(record: Record, number: int, origin: Origin) -> Record:
    assert record.observed is not None
    by = f"run_{_ulid(record)}"
    at = format_instant(record.observed)
    events = [f"- {at} opened by {by}: {record.title} (evt_{_ulid(record)})"]
    if number % (5 * ISSUE_SHARE):
        other = encode_ulid(number * 7_919_003)
        events.append(f"- {at} resolved by {by}: {record.title} (evt_{other})")
    return replace(
        record,
        kind="issue",
        id=f"iss_{_ulid(record)}",
        body="\n".join(events) + "\n",
        origin=origin,
        tags=(),
        fields={"key": record.title.lower()},
    )


def _ulid(record: Record) -> str:
    return record.id.rpartition("_")[2]


def measure(count: int) -> None:
    """Prints the cost of a brief on a store of ``count`` records."""
    with project_with(0) as project:
        env = environment(project.parent)
        fill(project, env, files_of(work(count)))
        floor = best((sys.executable, "-c", "pass"), project, env)
        run((*MEMFS, "rebuild", "--as", "user:ana", "--yes"), project, env)
        asked = "brai stond trel"
        first = run((*MEMFS, "context", "--task", asked, *AGENT), project, env)
        print(f"{count} records; bare Python {floor.cpu_ms:.0f} ms")
        print(f"  {'first context':<24} {first.cpu_ms:6.0f} ms CPU")
        for name, words in {
            "recall": ("recall", asked),
            "context --task": ("context", "--task", asked),
            "context --session-start": ("context", "--session-start"),
            "context, MEMFS=off": ("context", "--session-start"),
        }.items():
            given = env | ({"MEMFS": "off"} if "off" in name else {})
            cost = best((*MEMFS, *words, *AGENT), project, given)
            ratio = cost.cpu_ms / floor.cpu_ms
            print(f"  {name:<24} {cost.cpu_ms:6.0f} ms CPU  {ratio:5.1f} x  {cost.rss_mb:4.0f} MB")


def main() -> None:
    """Measures at each size that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, nargs="+", default=[10_000])
    for count in parser.parse_args().records:
        measure(count)


if __name__ == "__main__":
    main()
