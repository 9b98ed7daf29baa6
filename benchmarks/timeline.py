"""Questions to a timeline beside a plain list and beside a search of its files, from one run.

Events of 1,000 days are asked for by day, month and year, by what they are about and for the
newest, warm in one process and cold from the command line. The list holds the same events,
opens everything to everybody and knows no past: it is the floor, not a peer. What views cost
after one more event stands beside making them anew.

    python -m benchmarks.timeline [--events 1000 10000]
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from benchmarks.commands import MEMFS, PERSON, best, run
from benchmarks.corpus import (
    PROJECT,
    SPAN_DAYS,
    START,
    environment,
    files_of,
    fill,
    project_with,
)
from memfs.app.container import Memory, open_memory
from memfs.domains.timeline.month_views import refresh_timeline_views
from memfs.model.authority import Authority
from memfs.model.ids import derived_id
from memfs.model.origin import Actor, Channel, Origin, OriginClass, Principal
from memfs.model.record import Record
from memfs.model.scope import Scope

ASKED = 40
NAMES = 200
SORTS = ("work", "decision", "learning", "event")
STATED = Origin(
    origin_class=OriginClass.USER_STATED,
    principal=Principal.parse("user:ana"),
    channel=Channel.TERMINAL,
)
READERS = {
    "person": Actor(Principal.parse("user:ana"), Channel.TERMINAL),
    "program": Actor(Principal.parse("agent:x"), Channel.AGENT),
}
PERIODS = {"a day": 1, "a month": 30, "a year": 365}


def events(count: int) -> Iterator[Record]:
    """Yields events spread over the days, each about up to three of the names."""
    rng = random.Random(3)
    for number in range(count):
        moment = START + timedelta(days=SPAN_DAYS * number / count)
        about = rng.sample(range(NAMES), rng.randrange(4))
        yield Record(
            kind="event",
            id=derived_id("event", str(number)),
            title=f"Step {number} moved part {rng.randrange(1000)} of the harbour to its new place",
            scope=Scope.parse(f"project:{PROJECT}"),
            observed=moment.replace(microsecond=0),
            event_time=moment,
            origin=STATED,
            authority=Authority.USER,
            entities=tuple(f"Component {name}" for name in about),
            fields={
                "event_kind": SORTS[number % 4],
                "project": PROJECT,
                "session": f"s{number % 9}",
            },
        )


def timed(asks: Sequence[Callable[[], object]]) -> tuple[float, float]:
    """Returns the median and the time within which 95 in 100 are done, in milliseconds."""
    took = []
    for ask in asks:
        start = time.perf_counter()
        ask()
        took.append((time.perf_counter() - start) * 1e3)
    took.sort()
    return statistics.median(took), took[int(len(took) * 0.95)]


def plain(
    records: Sequence[Record], since: datetime, until: datetime, name: str = ""
) -> list[Record]:
    """Returns what a list of the same events has, newest first."""
    found = [
        record
        for record in records
        if record.event_time is not None
        and since <= record.event_time < until
        and (not name or name in record.entities)
    ]
    return sorted(found, key=lambda record: (record.event_time, record.id), reverse=True)


def measure_warm(project: Path, env: Mapping[str, str], records: Sequence[Record]) -> None:
    """Prints what questions cost in a process that has asked before."""
    for reader, actor in READERS.items():
        memory = open_memory(start=project, env=dict(env))
        memory.actor = actor
        begun = time.perf_counter()
        memory.timeline(limit=1)
        print(f"  {reader}: the first question of all {(time.perf_counter() - begun) * 1e3:.1f} ms")
        ask_all(memory, records)
        memory.close()


def ask_all(memory: Memory, records: Sequence[Record]) -> None:
    """Prints what each kind of question costs."""
    rng = random.Random(11)
    last = START + timedelta(days=SPAN_DAYS)
    for what, days in PERIODS.items():
        starts = [START + timedelta(days=rng.uniform(0, SPAN_DAYS - days)) for _ in range(ASKED)]
        spans = [(start, start + timedelta(days=days)) for start in starts]
        asks = [
            partial(memory.timeline, since=a.isoformat(), until=b.isoformat()) for a, b in spans
        ]
        _print(what, asks, [partial(plain, records, a, b) for a, b in spans])
    names = [f"Component {rng.randrange(NAMES)}" for _ in range(ASKED)]
    _print(
        "about one thing",
        [partial(memory.timeline, entity=name) for name in names],
        [partial(plain, records, START, last, name) for name in names],
    )
    _print(
        "the newest 100",
        [partial(memory.timeline, limit=100)] * ASKED,
        [partial(plain, records, START, last)] * ASKED,
    )


def _print(
    what: str,
    asks: Sequence[Callable[[], Sequence[object]]],
    floor: Sequence[Callable[[], object]],
) -> None:
    median, slow = timed(asks)
    print(
        f"    {what:<18} {median:8.2f} ms, 95 in 100 within {slow:8.2f} ms; "
        f"list {timed(floor)[0]:7.2f} ms; some {len(asks[0]())} events"
    )


def measure_views(project: Path, env: Mapping[str, str]) -> None:
    """Prints what the files of the months cost: anew, and after one more event."""
    memory = open_memory(start=project, env=dict(env))
    memory.actor = READERS["person"]
    anew, _ = timed([lambda: refresh_timeline_views(memory.workspace, is_anew=True)] * 3)
    memory.record_event("One more step", at="2025-03-03")
    more, _ = timed([lambda: refresh_timeline_views(memory.workspace)])
    again, _ = timed([lambda: refresh_timeline_views(memory.workspace)] * 5)
    size = sum(
        path.stat().st_size for path in (project / ".memfs" / "views" / "timeline").iterdir()
    )
    print(f"  views of {size / 1e6:.1f} MB: anew {anew:.0f} ms, one more event {more:.1f} ms,")
    print(f"    nothing new {again:.2f} ms")
    memory.close()


def measure_cold(project: Path, env: dict[str, str]) -> None:
    """Prints what the same costs from a cold process, and what a search of the files does."""
    floor = best((sys.executable, "-c", "pass"), project, env)
    month = ("--since", "2025-03-01", "--until", "2025-04-01")
    print(f"  cold process; bare Python {floor.cpu_ms:.0f} ms CPU")
    for what, words in (
        ("a month", ("timeline", *month, "--limit", "0")),
        ("about one thing", ("timeline", "--entity", "Component 7")),
        ("the newest 100", ("timeline",)),
        ("drawn", ("timeline", "--chart", "--limit", "0")),
    ):
        cost = best((*MEMFS, *words, *PERSON), project, env)
        print(
            f"    {what:<18} {cost.cpu_ms:6.0f} ms CPU  {cost.cpu_ms / floor.cpu_ms:5.1f} x  "
            f"{cost.wall_ms:6.0f} ms wall  {cost.rss_mb:4.0f} MB"
        )
    views = project / ".memfs" / "views" / "timeline"
    search = partial(
        subprocess.run,
        ["grep", "-rh", 'Component 7"', str(views)],
        stdout=subprocess.DEVNULL,
        check=False,
    )
    print(f"    grep in the views  {timed([search] * 5)[0]:6.1f} ms wall")


def main() -> None:
    """Measures everything."""
    parser = argparse.ArgumentParser(description="What questions to a timeline cost.")
    parser.add_argument("--events", type=int, nargs="+", default=[1_000, 10_000])
    for count in parser.parse_args().events:
        records = list(events(count))
        with project_with(0) as project:
            env = environment(project.parent)
            fill(project, env, files_of(records))
            run((*MEMFS, "rebuild", *PERSON), project, env)
            print(f"{count} events")
            os.environ.update(env)
            measure_warm(project, env, records)
            measure_views(project, env)
            measure_cold(project, env)


if __name__ == "__main__":
    main()
