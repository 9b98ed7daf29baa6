"""What vectors cost at 10,000 records, each figure beside the same without them.

    python -m benchmarks.vectors --records 10000

Made-up records in a real store; the offline embedder where it is installed, the hashing one
otherwise. Times are CPU milliseconds, the middle of several. Rankings are measured in
``benchmarks.locomo``.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from benchmarks.corpus import environment, project_with, vocabulary
from memfs.app.opening import open_workspace
from memfs.errors import IndexUnavailableError
from memfs.index import cosine
from memfs.index.vector_files import FileVectors
from memfs.index.vector_table import read_table
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.query import Query
from memfs.services.embedders import embedder_named
from memfs.services.ports import Embedder, Workspace
from memfs.services.recall import search
from memfs.services.vector_hits import near_records
from memfs.services.vectors import refresh_vectors, vector_place

ANA = Actor(Principal.parse("user:ana"), Channel.TERMINAL)
COMPARED = 200
ROUNDS = 15


def cpu_ms(act: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Returns the middle of what ``act`` costs, in milliseconds of CPU."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        act()
        found.append((time.process_time() - start) * 1000)
    return statistics.median(found)


def once_s(act: Callable[[], object]) -> float:
    """Returns what ``act`` costs once, in seconds of CPU."""
    start = time.process_time()
    act()
    return time.process_time() - start


def usable(names: Sequence[str]) -> list[Embedder]:
    """Returns those embedders that work here."""
    found = []
    for name in names:
        embedder = embedder_named(name)
        with suppress(IndexUnavailableError):
            embedder.embed(("one text",))
            found.append(embedder)
    return found


def questions(count: int) -> list[str]:
    """Returns made-up questions of three words of the corpus."""
    rng = random.Random(11)
    words = vocabulary(random.Random(7))[:2000]
    return [" ".join(rng.choices(words, k=3)) for _ in range(count)]


def measure(workspace: Workspace, embedder: Embedder) -> list[tuple[str, str]]:
    """Returns the figures of one embedder, a name and words each."""
    # Recall with vectors at all needs the weight of a new store; its age is no matter here.
    rank = replace(workspace.settings.recall.rank, vector=0.25)
    recalled = replace(workspace.settings.recall, rank=rank)
    settings = replace(workspace.settings, recall=recalled)
    there = replace(workspace, embedder=embedder, settings=settings)
    plain = replace(there, embedder=None)
    place = vector_place(there, embedder)
    assert isinstance(place, FileVectors)
    embedding = once_s(lambda: refresh_vectors(there))
    count = len(place.manifest().entries)
    again = cpu_ms(lambda: refresh_vectors(there), 3)
    size = sum(path.stat().st_size for path in place.folder.iterdir()) / 1e6
    (vector,) = embedder.embed(("some words of a question",))
    blobs = [blob for blob, _ in place.manifest().entries.values()][:COMPARED]
    domains = {domain for _, domain in place.manifest().entries.values()}

    def opened() -> None:
        read_table.cache_clear()
        place.manifest()

    asked = questions(30)
    queries = [Query(text=text, actor=ANA, limit=5) for text in asked]
    rows = [
        ("embed and write all", f"{embedding:8.1f} s  ({count / embedding:,.0f} records/s)"),
        ("bring up when nothing changed", f"{again:8.1f} ms"),
        ("size on disk", f"{size:8.1f} MB ({size * 1e6 / count:,.0f} bytes a record)"),
        ("read the manifest", f"{cpu_ms(opened, 5):8.1f} ms"),
        ("embed a question", f"{cpu_ms(lambda: embedder.embed(('some words',))):8.2f} ms"),
        (f"compare {len(blobs)} of them", f"{cpu_ms(lambda: place.scores(vector, blobs)):8.2f} ms"),
    ]
    worth = cosine.WORTH_NUMPY
    for name, least in (("numpy", worth), ("plain Python", count + 1)):
        cosine.WORTH_NUMPY = least  # type: ignore[misc]
        spent = cpu_ms(lambda: place.nearest(vector, 10, domains), 3)
        rows.append((f"the nearest of all, {name}", f"{spent:8.1f} ms"))
    cosine.WORTH_NUMPY = worth  # type: ignore[misc]
    for name, workspace_of in (("words", plain), ("words + vectors", there)):
        each = [cpu_ms(lambda w=workspace_of, q=q: search(w, q), 3) for q in queries]  # type: ignore[misc]
        rows.append((f"search warm, {name}", f"{statistics.median(each):8.1f} ms"))
    snapshot = workspace.store.snapshot()
    each = [cpu_ms(lambda t=t: near_records(there, snapshot, t, queries[0]), 3) for t in asked[:9]]  # type: ignore[misc]
    rows.append(("vectors alone, checked", f"{statistics.median(each):8.1f} ms"))
    return rows


def cold(project: Path, env: dict[str, str], name: str) -> float:
    """Returns the wall time of a question in a process of its own, in milliseconds."""
    import subprocess
    import sys

    spent = []
    for text in questions(4):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "memfs", "recall", text],
            cwd=project,
            env={**env, "MEMFS_EMBEDDINGS": name},
            capture_output=True,
            check=True,
        )
        spent.append((time.perf_counter() - start) * 1000)
    return statistics.median(spent)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=10_000)
    options = parser.parse_args(arguments)
    with project_with(options.records) as project:
        env = environment(project.parent)
        workspace = open_workspace(start=project, env=env)
        try:
            search(workspace, Query(text="warm", actor=ANA))
            for embedder in usable(("wordllama", "hashing")):
                print(f"\n{options.records:,} records, {embedder.name}")
                for name, said in measure(workspace, embedder):
                    print(f"  {name:36}{said}")
        finally:
            workspace.store.close()
        print("\na question in a process of its own, wall time")
        for name, title in (("", "words"), ("hashing", "hashing"), ("wordllama", "wordllama")):
            with suppress(IndexUnavailableError):
                print(f"  {title:36}{cold(project, env, name):8.0f} ms")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
