"""Made-up memories of any size, and stores that hold them."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memfs.app.container import init_store
from memfs.app.opening import open_workspace
from memfs.app.registry import REGISTRY
from memfs.app.system import encode_ulid
from memfs.formats.record_codec import encode_record
from memfs.model.authority import Authority
from memfs.model.decision import Decision, Verdict
from memfs.model.instants import month_of
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import SYSTEM_ACTOR, Channel, Origin, OriginClass, Principal
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.store.layout import record_path

KINDS = ("fact", "note", "decision", "reference", "warning")
PROJECT = "bench"
START = datetime(2024, 1, 1, tzinfo=UTC)
SPAN_DAYS = 1000
VOCABULARY = 30_000
BODY_WORDS = 120


def vocabulary(rng: random.Random) -> list[str]:
    """Returns made-up words, the commonest first."""
    starts = "b br c cl d dr f g gr h k l m n p pr qu r s st t tr v w z".split()
    middles = "a e i o u ai ea oo".split()
    ends = "n r l st ck m nd x p t".split()
    words = {
        "".join(rng.choice(part) for part in (starts, middles, ends) for _ in range(1))
        + "".join(rng.choice(starts) + rng.choice(middles) for _ in range(rng.randint(0, 2)))
        for _ in range(VOCABULARY * 3)
    }
    chosen = sorted(words)
    rng.shuffle(chosen)
    return chosen[:VOCABULARY]


def records(count: int, seed: int = 7) -> Iterator[Record]:
    """Yields ``count`` records of about 120 words, Zipf over 30,000, spread over months."""
    rng = random.Random(seed)
    words = vocabulary(rng)
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(len(words))))
    origin = Origin(
        origin_class=OriginClass.USER_STATED,
        principal=Principal.parse("user:ana"),
        channel=Channel.TERMINAL,
    )
    for number in range(count):
        observed = START + timedelta(days=SPAN_DAYS * number / count)
        text = rng.choices(words, cum_weights=weights, k=BODY_WORDS)
        body = "\n".join(" ".join(text[at : at + 12]) for at in range(0, BODY_WORDS, 12))
        yield Record(
            kind=KINDS[number % len(KINDS)],
            id="mem_" + encode_ulid((int(observed.timestamp() * 1000) << 80) + number * 7_919_003),
            title=" ".join(text[:8]),
            body=f"{body}\n",
            scope=Scope.parse(f"project:{PROJECT}"),
            observed=observed.replace(microsecond=0),
            origin=origin,
            authority=Authority.USER,
            importance=1 + number % 10,
            tags=(text[3], text[5]),
        )


def laid_out(count: int) -> dict[str, bytes]:
    """Returns the files of ``count`` records by path."""
    return files_of(records(count))


def files_of(items: Iterable[Record]) -> dict[str, bytes]:
    """Returns the files of records by path, filed as a store files them."""
    shards: dict[str, dict[str, int]] = {}
    files: dict[str, bytes] = {}
    for record in items:
        kind = REGISTRY.get(record.kind)
        if kind is None or record.observed is None:
            raise KeyError(record.kind)
        counts = shards.setdefault(kind.folder, {})
        path = record_path(kind, record, month_of(record.observed), counts)
        shard = path.rsplit("/", 2)[1]
        counts[shard] = counts.get(shard, 0) + 1
        files[path] = encode_record(record, REGISTRY)
    return files


@contextmanager
def project_with(count: int) -> Iterator[Path]:
    """Makes a project whose store holds ``count`` records, and removes it again."""
    with tempfile.TemporaryDirectory(prefix="memfs-bench-") as folder:
        project = Path(folder) / PROJECT
        project.mkdir()
        env = environment(Path(folder))
        subprocess.run(["git", "init", "-q", str(project)], check=True, env=env)
        init_store(
            folder=project,
            env=env,
            project=PROJECT,
            is_scripted=True,
            as_principal="user:ana",
            yes=True,
        )
        if count:
            fill(project, env, laid_out(count))
        yield project


def environment(home: Path) -> dict[str, str]:
    """Returns an environment whose caches and configuration lie below ``home``."""
    names = ("PATH", "LANG", "VIRTUAL_ENV", "OPENBLAS_CORETYPE")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return kept | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_DATA_HOME": str(home / ".data"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "PYTHONPATH": str(Path(__file__).resolve().parents[1]),
    }


def fill(project: Path, env: dict[str, str], files: dict[str, bytes]) -> None:
    """Commits ``files`` as one operation through the one door."""
    workspace = open_workspace(start=project, env=env)
    decision = Decision(verdict=Verdict.ACTIVATE, rule="bench.fill")
    try:
        workspace.store.commit(
            Plan(
                transaction=workspace.ids.new_id("tx"),
                operation=OperationKind.IMPORT,
                subject=f"{len(files)} made-up records",
                actor=SYSTEM_ACTOR,
                at=workspace.clock.now(),
                changes=tuple(
                    FileChange(path=path, content=content, expected=None, decision=decision)
                    for path, content in files.items()
                ),
                base=workspace.store.ledger_head() or "",
            )
        )
    finally:
        workspace.store.close()
