"""One committed operation beside `git add` and `git commit` in the same store, at growing sizes.

    python benchmarks/store_write.py [--sizes 1000,10000,100000] [--rounds 40]

An operation is three new files of 1.1 KB in three folders: one commit, files in place, index in
step, both refs moved. memfs and Git take turns, each in its own copy of one store. Shown are
medians of CPU (children included) and of wall time, the ratio of CPU with the bar that it has
to stay under, and how much dearer an operation is than in the smallest store. `batch` survives
a power cut (fsync), `process` a killed process; Git as it comes calls fsync for neither.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memfs.model.decision import Decision, Verdict
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.settings import Durability, StoreSettings
from memfs.store.scaffold import prepare_store
from memfs.store.store import Store

ADMITTED = Decision(verdict=Verdict.ACTIVATE, rule="benchmark")
MOMENT = datetime(2026, 11, 1, tzinfo=UTC)
BODY = b"What was decided, why it was decided and how to apply it, in plain words. " * 15
BARS = {1_000: (0.8, 0.4), 10_000: (0.4, 0.2), 100_000: (0.15, 0.05)}
"""By number of files: the ratio that must be reached, and the one to reach next."""
BATCH = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Medians of one way of committing, in milliseconds."""

    cpu_ms: float
    wall_ms: float
    slow_ms: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    smallest: dict[str, float] = {}
    print(
        f"{'files':>7}  {'way':<16} {'CPU ms':>7} {'wall ms':>8} {'p90 ms':>7} "
        f"{'of git':>7} {'bar':>5} {'next':>5} {'growth':>7}"
    )
    for size in (int(text) for text in options.sizes.split(",")):
        with tempfile.TemporaryDirectory(prefix="memfs-bench-") as folder:
            costs = measure(Path(folder), size, options.rounds)
        git = costs["git add+commit"].cpu_ms
        for way, cost in costs.items():
            growth = cost.cpu_ms / smallest.setdefault(way, cost.cpu_ms)
            bar, target = BARS.get(size, (0.0, 0.0)) if way != "git add+commit" else (0.0, 0.0)
            print(
                f"{size:>7}  {way:<16} {cost.cpu_ms:>7.2f} {cost.wall_ms:>8.2f} "
                f"{cost.slow_ms:>7.2f} {cost.cpu_ms / git:>7.3f} {bar or '':>5} "
                f"{target or '':>5} {growth:>6.1f}x"
            )


def measure(folder: Path, size: int, rounds: int) -> Mapping[str, Cost]:
    """Lets each way commit once per round, in turns."""
    root = fill(folder / "store", size)
    ways: dict[str, Callable[[int], None]] = {}
    stores = []
    for durability in (Durability.BATCH, Durability.PROCESS):
        copy = copy_store(root, folder / str(durability))
        store = Store.open(copy, settings=StoreSettings(durability=durability))
        stores.append(store)
        ways[f"memfs {durability}"] = with_memfs(store)
    ways["git add+commit"] = with_git(copy_store(root, folder / "git"))
    times: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    for number in range(rounds + 3):
        for way, commit in ways.items():
            taken = timed(commit, number)
            if number >= 3:
                times[way].append(taken)
    for store in stores:
        store.close()
    return {way: summary(taken) for way, taken in times.items()}


def summary(taken: list[tuple[float, float]]) -> Cost:
    wall = sorted(item[1] for item in taken)
    return Cost(
        cpu_ms=statistics.median(item[0] for item in taken) * 1000,
        wall_ms=statistics.median(wall) * 1000,
        slow_ms=wall[len(wall) * 9 // 10] * 1000,
    )


def timed(commit: Callable[[int], None], number: int) -> tuple[float, float]:
    before, began = cpu(), time.perf_counter()
    commit(number)
    return cpu() - before, time.perf_counter() - began


def cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(item.ru_utime + item.ru_stime for item in used)


def fill(root: Path, size: int) -> Path:
    """Makes a store of ``size`` files, 500 to a folder."""
    prepare_store(root)
    with Store.open(root, settings=StoreSettings(durability=Durability.PROCESS)) as store:
        for start in range(0, size, BATCH):
            numbers = range(start, min(start + BATCH, size))
            files = {
                f"records/note/2026-01.{n // 500}/{n:06d}.md": b"%d\n" % n + BODY for n in numbers
            }
            store.commit(plan(store, files))
        store.maintain(is_forced=True)
    return root


def copy_store(root: Path, target: Path) -> Path:
    """Copies a store; Git looks at every file once, as it would have after a checkout."""
    shutil.copytree(root, target, symlinks=True)
    git(target, "update-index", "-q", "--no-split-index", "--refresh")
    git(target, "status")
    return target


def operation(number: int) -> dict[str, bytes]:
    return {
        f"records/fact/2026-11/{number:06d}.md": b"fact %d\n" % number + BODY,
        f"evidence/2026-11/{number:06d}.json": b"evidence %d\n" % number + BODY,
        f"receipts/2026-11/{number:06d}.json": b"receipt %d\n" % number + BODY,
    }


def with_memfs(store: Store) -> Callable[[int], None]:
    def commit(number: int) -> None:
        store.commit(plan(store, operation(number)))

    return commit


def with_git(root: Path) -> Callable[[int], None]:
    def commit(number: int) -> None:
        files = operation(number)
        for path, content in files.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        git(root, "add", "--", *files)
        git(root, "commit", "-q", "-m", f"operation {number}")

    return commit


def git(root: Path, *words: str) -> None:
    """Runs Git without hooks, so that only its own work is counted."""
    settings = ("core.hooksPath=/dev/null", "user.name=Bench", "user.email=bench@example.invalid")
    options = [word for setting in settings for word in ("-c", setting)]
    environment = {name: value for name, value in os.environ.items() if "GIT_" not in name}
    command = ["git", "-C", str(root), *options, *words]
    subprocess.run(command, check=True, capture_output=True, env=environment)


def plan(store: Store, files: Mapping[str, bytes]) -> Plan:
    return Plan(
        transaction="tx_01kb8x3v7a0000000000000000",
        operation=OperationKind.RECORD,
        subject="a thing",
        actor=SYSTEM_ACTOR,
        at=MOMENT,
        changes=tuple(
            FileChange(path=path, content=content, expected=None, decision=ADMITTED)
            for path, content in files.items()
        ),
        base=store.ledger_head() or "",
    )


if __name__ == "__main__":
    main()
