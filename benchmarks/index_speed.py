"""How fast the index is made, refreshed and asked, and how that grows.

    python -m benchmarks.index_speed [--sizes 1000 10000] [--peers-to 10000]

A store with that many synthetic records (120 words, Zipf over 30,000 words) is made through the
one door; then, in the same run: the index from the tree, a refresh after one change, a refresh
with nothing changed, questions of eight words (the whole call: index, ledger
re-read, rank), and a cold process that recalls. Beside it stand SQLite FTS5 and Whoosh as they
come, with the text handed to them for nothing. Times are CPU time of the process in
milliseconds, but for the cold process, whose wall time counts too; the bar is DESIGN §8.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memfs.app.registry import REGISTRY
from memfs.app.system import SystemClock, SystemIds, encode_ulid
from memfs.formats.record_codec import encode_record
from memfs.model.decision import Decision, Verdict
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import Actor, Channel, Origin, OriginClass, Principal
from memfs.model.query import Query
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.settings import Durability, Settings, StoreSettings
from memfs.services.ports import Workspace
from memfs.services.recall import search
from memfs.services.reindex import ensure_fresh, rebuild
from memfs.store.scaffold import prepare_store
from memfs.store.store import Store

ANA = Actor(Principal.parse("user:ana"), Channel.TERMINAL)
STATED = Origin(
    origin_class=OriginClass.USER_STATED, principal=ANA.principal, channel=Channel.TERMINAL
)
ADMITTED = Decision(verdict=Verdict.ACTIVATE, rule="benchmark.admitted", policy="0badcafe")
START = datetime(2026, 1, 1, tzinfo=UTC)
WORDS_A_RECORD = 120
VOCABULARY = 30_000
QUESTIONS = 200
TERMS = 8
CHANGES = 24


@dataclass(frozen=True, slots=True)
class Bar:
    """What DESIGN §8 asks for, in milliseconds, by number of records; nothing elsewhere."""

    by_size: dict[int, float]

    def verdict(self, size: int, found: float) -> str:
        """Returns the bar and whether it is met."""
        bar = self.by_size.get(size)
        if bar is None:
            return ""
        return f"bar {bar:,.0f}: {'met' if found <= bar else 'MISSED'}"


BUILD = Bar({10_000: 6_000, 100_000: 60_000})
REFRESH = Bar({1_000: 20, 10_000: 20, 100_000: 20})
FRESH = Bar({1_000: 5, 10_000: 5, 100_000: 5})
SEARCH = Bar({10_000: 3, 100_000: 10})
COLD = Bar({10_000: 200})


def corpus(count: int) -> list[Record]:
    """Returns synthetic records, the same in every run."""
    rng = random.Random(1)
    syllables = [c + v for c in "bcdfglmnprst" for v in "aeiou"]
    endings = ["", "", "s", "ing", "ed", "er"]
    words = [
        "".join(rng.choices(syllables, k=rng.randint(2, 4))) + rng.choice(endings)
        for _ in range(VOCABULARY)
    ]
    weights = list(itertools.accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))
    records = []
    for number in range(count):
        said = rng.choices(words, cum_weights=weights, k=WORDS_A_RECORD)
        at = START + timedelta(minutes=number)
        records.append(
            Record(
                kind="fact",
                id=f"mem_{encode_ulid((int(at.timestamp() * 1000) << 80) + number)}",
                title=" ".join(said[:6]),
                body=" ".join(said) + "\n",
                scope=Scope.parse("project:speed"),
                observed=at,
                origin=STATED,
            )
        )
    return records


def path_of(record: Record, number: int) -> str:
    """Returns a path in a month folder of at most 500 files."""
    month = number // 500
    return f"records/fact/{2000 + month // 12}-{month % 12 + 1:02d}/r-{record.id[-6:]}.md"


def write(store: Store, files: dict[str, bytes]) -> None:
    """Commits files through the one door."""
    tip = store.snapshot()
    changes = []
    for path, content in files.items():
        entry = tip.entry(path) if tip.commit else None
        changes.append(
            FileChange(
                path=path,
                content=content,
                expected=entry.blob if entry else None,
                decision=ADMITTED,
            )
        )
    store.commit(
        Plan(
            transaction=SystemIds().new_id("tx"),
            operation=OperationKind.RECORD,
            subject="speed",
            actor=ANA,
            at=START,
            changes=tuple(changes),
            base=store.ledger_head() or "",
        )
    )


def timed(work: Callable[[], object]) -> float:
    """Returns the CPU time of ``work`` in milliseconds."""
    start = time.process_time()
    work()
    return 1000 * (time.process_time() - start)


def spread(samples: Sequence[float]) -> tuple[float, float]:
    """Returns the median and the 95th percentile."""
    ordered = sorted(samples)
    return ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)]


def line(name: str, found: float, note: str = "") -> None:
    """Prints one figure."""
    print(f"  {name:44}{found:12,.2f} ms  {note}".rstrip(), flush=True)


def questions(records: Sequence[Record]) -> list[str]:
    """Returns questions of eight different words of one record each.

    The hundred most frequent words stand for function words and are not asked for.
    """
    rng = random.Random(2)
    frequency = Counter(word for record in records for word in record.body.split())
    common = {word for word, _ in frequency.most_common(100)}
    return [
        " ".join(rng.sample(sorted(set(rng.choice(records).body.split()) - common), TERMS))
        for _ in range(QUESTIONS)
    ]


def measure(size: int, folder: Path, *, with_peers: bool) -> None:
    """Prints the figures of one size."""
    records = corpus(size)
    print(f"{size:,} records", flush=True)
    root = folder / "store"
    prepare_store(root)
    settings = StoreSettings(durability=Durability.PROCESS)
    with Store.open(root, settings=settings) as store:
        write(store, {"memfs.yaml": b"store_id: store_speed\nproject: speed\n"})
        files = {path_of(r, n): encode_record(r, REGISTRY) for n, r in enumerate(records)}
        write(store, files)
        workspace = Workspace(
            store=store,
            settings=Settings(store_id="store_speed", project="speed"),
            registry=REGISTRY,
            clock=SystemClock(),
            ids=SystemIds(),
            cache_dir=folder / "cache",
        )
        _measure_index(workspace, records, size)
        _measure_search(workspace, questions(records), size)
    _measure_cold(root, folder / "cache", questions(records)[0], size)
    if with_peers:
        _measure_peers(records, questions(records), folder)


def _measure_index(workspace: Workspace, records: Sequence[Record], size: int) -> None:
    build = timed(lambda: rebuild(workspace))
    line("index from the tree", build, BUILD.verdict(size, build))
    line("  a record", build / size)
    samples = []
    for number in range(CHANGES):
        record = replace(records[number * 7], body=f"{records[number * 7].body} again{number}\n")
        write(workspace.store, {path_of(record, number * 7): encode_record(record, REGISTRY)})
        samples.append(timed(lambda: ensure_fresh(workspace)))
    middle, high = spread(samples)
    note = REFRESH.verdict(size, middle)
    line("refresh after one change, median", middle, note)
    line("  95 of 100 (small segments merge)", high)
    fresh, _ = spread([timed(lambda: ensure_fresh(workspace)) for _ in range(20)])
    line("refresh, nothing changed", fresh, FRESH.verdict(size, fresh))


def _measure_search(workspace: Workspace, asked: Sequence[str], size: int) -> None:
    samples = [timed(lambda text=text: search(workspace, _query(text))) for text in asked]  # type: ignore[misc]
    middle, high = spread(samples)
    line("search, eight words, the whole call, median", middle, SEARCH.verdict(size, middle))
    line("  95 of 100", high)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {'peak resident memory of this process':44}{peak:12,.0f} MB")


def _query(text: str) -> Query:
    return Query(text=text, actor=ANA)


def _measure_cold(root: Path, cache: Path, text: str, size: int) -> None:
    program = (
        "import sys;from pathlib import Path;from memfs.store.store import Store;"
        "from memfs.app.registry import REGISTRY;"
        "from memfs.app.system import SystemClock,SystemIds;"
        "from memfs.model.settings import Settings;from memfs.services.ports import Workspace;"
        "from memfs.model.origin import Actor,Channel,Principal;"
        "from memfs.model.query import Query;"
        "from memfs.services.recall import recall;"
        "from memfs.services.compile_context import compile_packet;"
        "a=Actor(Principal.parse('user:ana'),Channel.TERMINAL);"
        "q=Query(text=sys.argv[3],actor=a);s=Store.open(Path(sys.argv[1]));"
        "w=Workspace(store=s,settings=Settings(store_id='store_speed',project='speed'),"
        "registry=REGISTRY,clock=SystemClock(),ids=SystemIds(),cache_dir=Path(sys.argv[2]));"
        "p=compile_packet(w,recall(w,q),q);s.close();assert p.cards,p"
    )
    command = [sys.executable, "-c", program, str(root), str(cache), text]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    bare = _child([sys.executable, "-c", "pass"], environment)
    cold = _child(command, environment)
    line("cold process: recall and packet, CPU", cold, COLD.verdict(size, cold))
    line("  bare Python", bare)


def _child(command: Sequence[str], environment: dict[str, str]) -> float:
    """Returns the least CPU time of several runs of a command."""
    found = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * min(found)


def _measure_peers(records: Sequence[Record], asked: Sequence[str], folder: Path) -> None:
    connection = sqlite3.connect(folder / "fts.sqlite")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize=porter)")
    rows = [(record.body,) for record in records]
    line("SQLite FTS5: build", timed(lambda: _fts_build(connection, rows)))
    samples = [timed(lambda text=text: _fts_ask(connection, text)) for text in asked]  # type: ignore[misc]
    line("SQLite FTS5: search, median", spread(samples)[0])
    connection.close()
    from whoosh import fields, query
    from whoosh.analysis import StemmingAnalyzer
    from whoosh.index import create_in

    (folder / "whoosh").mkdir()
    analyzer = StemmingAnalyzer()
    index = create_in(str(folder / "whoosh"), fields.Schema(text=fields.TEXT(analyzer=analyzer)))

    def build() -> None:
        writer = index.writer()
        for record in records:
            writer.add_document(text=record.body)
        writer.commit()

    line("Whoosh as it comes: build", timed(build))
    searcher = index.searcher()
    questions = [
        query.Or([query.Term("text", token.text) for token in analyzer(text)])
        for text in asked[:60]
    ]
    samples = [timed(lambda q=q: searcher.search(q, limit=10)) for q in questions]  # type: ignore[misc]
    line("Whoosh as it comes: search, median", spread(samples)[0])


def _fts_build(connection: sqlite3.Connection, rows: Sequence[tuple[str]]) -> None:
    connection.executemany("INSERT INTO t VALUES (?)", rows)
    connection.commit()


def _fts_ask(connection: sqlite3.Connection, text: str) -> None:
    match = " OR ".join(f'"{word}"' for word in dict.fromkeys(text.split()))
    connection.execute(
        "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10", (match,)
    ).fetchall()


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the figures of every size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--peers-to", type=int, default=10_000, help="largest size for peers")
    options = parser.parse_args(arguments)
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as scratch:
            measure(size, Path(scratch), with_peers=size <= options.peers_to)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
