"""Vectors of runs: optional, a cache, and never a reason to serve anything (C25, C26).

One line a run in the private cache folder: its id, the blob that was embedded, the model and the
vector. A line of another model, or of other bytes, is made anew; a line of a run that is no
longer served is gone. Vectors only order what matched by its words and passed the read gate.
Nothing here runs unless an embedder is configured.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from memfs.errors import IndexUnavailableError
from memfs.model.authority import Sink
from memfs.model.frozen import frozen
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.query import Query
from memfs.model.record import Record
from memfs.services.ports import Embedder, Workspace
from memfs.services.ranking import RUN_KIND
from memfs.services.shelf import shelf

VECTORS_FILE: Final = "vectors.jsonl"
BATCH: Final = 64
MOST_CHARS: Final = 4_000
"""So much of a run is embedded: its words, not its length, tell runs apart."""
MOST_RUNS: Final = 1_000_000
_DIGITS: Final = 6


@frozen
class RunVector:
    """The line of one run."""

    id: str
    blob: str
    model: str
    vector: tuple[float, ...]


@frozen
class VectorCounts:
    """What bringing the vectors up came to."""

    kept: int = 0
    embedded: int = 0
    dropped: int = 0
    trouble: str = ""


def read_vectors(workspace: Workspace) -> dict[str, RunVector]:
    """Returns the vectors by run; lines that are damaged are left out."""
    try:
        content = (workspace.cache_dir / VECTORS_FILE).read_bytes()
    except OSError:
        return {}
    lines = (_vector_from(line) for line in content.splitlines())
    return {item.id: item for item in lines if item is not None}


def refresh_vectors(workspace: Workspace) -> VectorCounts:
    """Brings the vectors up to the ledger and to the model that is configured.

    Only what may go to where the embedder is, is embedded. A fault of the embedder leaves what
    was there and is told by its code.
    """
    embedder = workspace.embedder
    if embedder is None:
        return VectorCounts()
    known = read_vectors(workspace)
    try:
        sink = Sink.REMOTE if embedder.is_remote else Sink.PERSON
    except IndexUnavailableError as error:
        return VectorCounts(kept=len(known), trouble=error.code)
    query = Query(text="", actor=SYSTEM_ACTOR, sink=sink, kinds=(RUN_KIND,), limit=MOST_RUNS)
    every = shelf(workspace, workspace.store.snapshot(), query)
    by_blob = {item.blob: item for item in known.values() if item.model == embedder.name}
    kept = [by_blob[hit.blob] for hit in every.hits if hit.blob in by_blob]
    missing = [hit for hit in every.hits if hit.blob not in by_blob]
    made: list[RunVector] = []
    trouble = ""
    try:
        for start in range(0, len(missing), BATCH):
            stored = every.read(missing[start : start + BATCH])
            records = [(item.record, item.blob) for item in stored]
            made += _embedded(embedder, records)
    except IndexUnavailableError as error:
        trouble = error.code
    current = {item.id: item for item in (*kept, *made)}
    _write(workspace.cache_dir, current.values())
    gone = len(set(known) - set(current))
    return VectorCounts(kept=len(kept), embedded=len(made), dropped=gone, trouble=trouble)


def drop_vectors(workspace: Workspace, identifiers: Iterable[str]) -> None:
    """Takes the lines of records away, such as of what was withdrawn (A39)."""
    known = read_vectors(workspace)
    wanted = set(identifiers)
    if wanted.isdisjoint(known):
        return
    _write(workspace.cache_dir, (item for item in known.values() if item.id not in wanted))


def similarities(workspace: Workspace, text: str, found: Mapping[str, str]) -> Mapping[str, float]:
    """Returns how near runs are to a question, -1 to 1, by id; empty where nothing can be said.

    Args:
        workspace: The store.
        text: The question.
        found: Blob by id of the records that matched by their words.
    """
    embedder = workspace.embedder
    if embedder is None or not text.strip():
        return {}
    known = read_vectors(workspace)
    usable = [
        item
        for name, blob in found.items()
        if (item := known.get(name)) and item.blob == blob and item.model == embedder.name
    ]
    if not usable:
        return {}
    try:
        (asked,) = embedder.embed((text[:MOST_CHARS],))
    except (IndexUnavailableError, ValueError):
        return {}
    return {item.id: _cosine(asked, item.vector) for item in usable}


def _embedded(embedder: Embedder, records: Sequence[tuple[Record, str]]) -> Iterator[RunVector]:
    if not records:
        return
    texts = tuple(f"{record.title}\n{record.body}"[:MOST_CHARS] for record, _ in records)
    vectors = embedder.embed(texts)
    for (record, blob), vector in zip(records, vectors, strict=True):
        yield RunVector(
            id=record.id,
            blob=blob,
            model=embedder.name,
            vector=tuple(round(part, _DIGITS) for part in vector),
        )


def _cosine(first: Sequence[float], second: Sequence[float]) -> float:
    if len(first) != len(second):
        return 0.0
    length = math.sqrt(sum(a * a for a in first) * sum(b * b for b in second))
    return sum(a * b for a, b in zip(first, second, strict=True)) / length if length else 0.0


def _write(folder: Path, vectors: Iterable[RunVector]) -> None:
    """Writes the lines whole, in the order of ids; where that fails, they are made again."""
    lines = (
        json.dumps(
            {"run": item.id, "blob": item.blob, "model": item.model, "vector": list(item.vector)},
            separators=(",", ":"),
        )
        for item in sorted(vectors, key=lambda item: item.id)
    )
    place = folder / VECTORS_FILE
    aside = folder / f"{VECTORS_FILE}.{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(aside, flags, 0o600), "w", encoding="ascii") as out:
            out.writelines(f"{line}\n" for line in lines)
        aside.replace(place)


def _vector_from(line: bytes) -> RunVector | None:
    try:
        values = json.loads(line)
        vector = array("d", values["vector"])
        found = RunVector(
            id=str(values["run"]),
            blob=str(values["blob"]),
            model=str(values["model"]),
            vector=tuple(vector),
        )
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return None
    return found if all(map(math.isfinite, found.vector)) else None
