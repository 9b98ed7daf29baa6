"""Reading a store beside Git itself, at growing sizes: one ratio a line, from the same run.

    python benchmarks/store_read.py [--sizes 1000,10000,100000]

Every question is asked of memfs and of the Git command that answers the same, in turns; shown
is the least CPU of several rounds of each, children included. A ratio below 1 means that
memfs needs less.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from memfs.model.decision import Decision, Verdict
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import SYSTEM_ACTOR
from memfs.store.scaffold import prepare_store
from memfs.store.store import Store

ROUNDS = 5
ADMITTED = Decision(verdict=Verdict.ACTIVATE, rule="benchmark")
MOMENT = datetime(2026, 11, 1, tzinfo=UTC)
BODY = "What was decided, why it was decided and how to apply it, in a few plain words. " * 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000")
    sizes = [int(size) for size in parser.parse_args().sizes.split(",")]
    print(f"{'records':>8}  {'what':<34} {'memfs':>10} {'git':>10} {'ratio':>7}")
    for size in sizes:
        folder = Path(tempfile.mkdtemp(prefix="memfs-bench-"))
        try:
            run(folder, size)
        finally:
            shutil.rmtree(folder)


def run(folder: Path, size: int) -> None:
    files = {path_of(number): text_of(number) for number in range(size)}
    with filled_store(folder / "memfs", files) as (store, seconds):
        show(size, "import in one commit, s", seconds, plain_import(folder / "plain", files))
        ask(size, store)


def ask(size: int, store: Store) -> None:
    git = git_in(store.root)
    store.working_changes()
    older = store.snapshot()
    store.commit(plan(store, {path_of(size): text_of(size)}))
    path = path_of(size // 2)
    blobs = [entry.blob for entry in older.entries("records/")]
    listing = "".join(f"{blob}\n" for blob in blobs).encode()
    rows: list[tuple[str, Callable[[], object], Callable[[], object]]] = [
        (
            "open and read one record",
            lambda: cold_read(store.root, path),
            git("show", f"HEAD:{path}"),
        ),
        ("list all files", lambda: list(fresh(store)), git("ls-tree", "-r", "-z", "HEAD")),
        (
            "read all records",
            lambda: read_all(store, blobs),
            git("cat-file", "--batch", "--buffer", data=listing),
        ),
        (
            "what one operation changed",
            lambda: list(store.snapshot().changes_since(older)),
            git("diff-tree", "-r", "-z", str(older.commit), "HEAD"),
        ),
        (
            "working tree, nothing changed",
            store.working_changes,
            git("status", "--porcelain", "-z"),
        ),
        (
            "history of one record",
            lambda: store.history(path),
            git("log", "--format=%H", "--", path),
        ),
    ]
    for name, ours, theirs in rows:
        show(size, name, *best(ours, theirs))


def best(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Returns the best time of each, in seconds, asked in turns."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for question, taken in zip((ours, theirs), times, strict=True):
            start = cpu_s()
            question()
            taken.append(cpu_s() - start)
    return min(times[0]), min(times[1])


def show(size: int, name: str, ours: float, theirs: float) -> None:
    scale = 1 if name.endswith(", s") else 1000
    label = name if scale == 1 else f"{name}, ms"
    figures = f"{ours * scale:>10.2f} {theirs * scale:>10.2f} {ours / max(theirs, 1e-9):>7.2f}"
    print(f"{size:>8}  {label:<34} {figures}")


@contextmanager
def filled_store(root: Path, files: dict[str, bytes]) -> Iterator[tuple[Store, float]]:
    prepare_store(root)
    with Store.open(root) as store:
        start = cpu_s()
        store.commit(plan(store, files))
        seconds = cpu_s() - start
        # Stamps of files that are younger than a moment are not believed yet.
        time.sleep(0.2)
        yield store, seconds


def plain_import(root: Path, files: dict[str, bytes]) -> float:
    """Returns what it takes Git alone to write, add and commit the same files."""
    root.mkdir()
    git = git_in(root)
    git("init", "--quiet")()
    start = cpu_s()
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    git("add", "-A")()
    git("-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "-qm", "all")()
    return cpu_s() - start


def git_in(root: Path) -> Callable[..., Callable[[], object]]:
    environment = dict(os.environ, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")

    def command(*args: str, data: bytes = b"") -> Callable[[], object]:
        return lambda: subprocess.run(
            ["git", "-C", str(root), *args],
            input=data,
            stdout=subprocess.DEVNULL,
            env=environment,
            check=True,
        )

    return command


def cold_read(root: Path, path: str) -> bytes | None:
    with Store.open(root) as store:
        return store.snapshot().read(path)


def cpu_s() -> float:
    """Returns the CPU time of this process and its ended children."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def read_all(store: Store, blobs: list[str]) -> int:
    with Store.open(store.root) as opened:
        return sum(1 for _ in opened.snapshot().read_blobs(blobs))


def fresh(store: Store) -> Iterator[object]:
    with Store.open(store.root) as opened:
        yield from opened.snapshot().entries()


def plan(store: Store, files: dict[str, bytes]) -> Plan:
    changes = tuple(
        FileChange(path=path, content=content, expected=None, decision=ADMITTED)
        for path, content in files.items()
    )
    return Plan(
        transaction=f"tx_{len(files):026d}",
        operation=OperationKind.RECORD,
        subject="benchmark",
        actor=SYSTEM_ACTOR,
        at=MOMENT,
        changes=changes,
        base=store.ledger_head() or "",
    )


def path_of(number: int) -> str:
    month, shard = number % 12 + 1, number // 6000 + 1
    return f"records/note/2026-{month:02d}.{shard}/note-{number}-{number:06d}.md"


def text_of(number: int) -> bytes:
    return f"---\nid: mem_{number:026d}\nkind: note\ntitle: Note {number}\n---\n{BODY}\n".encode()


if __name__ == "__main__":
    main()
