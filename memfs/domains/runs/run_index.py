"""The list of runs beside the ledger: the newest one by one, the older ones summed up (C21).

``views/runs.jsonl`` holds a line for each of the newest runs (500 by default), newest first;
``views/runs-older.json`` counts the others by month and state. Both are derived: the same
ledger gives the same bytes, whether they were brought up run by run or made anew (C20, C37).
Every run stays where it is and is found like any record. Only what a person on this machine is
served stands in them, and of a confidential run no word.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from memfs.domains.runs.work_sections import summary_of
from memfs.errors import DataError, IndexUnavailableError, StoreError
from memfs.index.port import IndexHit
from memfs.model.authority import Sink
from memfs.model.instants import format_instant
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.query import Query
from memfs.model.record import Record, StoredRecord
from memfs.model.run import RUN_KIND
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace
from memfs.services.projection_source import read_projection, write_projection
from memfs.services.runs_view import (
    OLDER_VIEW,
    RUNS_VIEW,
    VIEWS,
    drop_stamp,
    has_runs,
    read_stamp,
    view_key,
    write_stamp,
)
from memfs.services.served_records import read_records
from memfs.services.shelf import Shelf, shelf
from memfs.store.snapshot import Snapshot

MOST_RUNS: Final = 1_000_000
_KEPT_FILE: Final = "run-facts.json"
_VERSION: Final = 1
_LINE_FIELDS: Final = ("state", "session", "root", "parent", "previous", "issues", "next")
_UNKNOWN: Final = "unknown"

Fact: TypeAlias = tuple[str, str, float]
"""Month, state and duration in seconds of one run: what the sums are made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunIndex:
    """What was written: how many runs are listed, and how many are summed up."""

    listed: int
    older: int


def refresh_run_index(workspace: Workspace, *, is_anew: bool = False) -> RunIndex | None:
    """Brings the list of runs up to the ledger; reads no run again that it knows.

    Args:
        workspace: The store.
        is_anew: Read every run again and believe nothing that was kept.

    Returns:
        What it holds; ``None`` where it could not be written, and the next writer does it.
    """
    snapshot = workspace.store.snapshot()
    if is_anew:
        drop_stamp(workspace)
    try:
        if not has_runs(snapshot):
            for path in VIEWS:
                workspace.store.remove_untracked(path)
            drop_stamp(workspace)
            return RunIndex(listed=0, older=0)
        return _written(workspace, snapshot, is_anew=is_anew)
    except (OSError, StoreError, DataError, IndexUnavailableError):
        return None


def _written(workspace: Workspace, snapshot: Snapshot, *, is_anew: bool) -> RunIndex:
    every = _runs(workspace, snapshot)
    limit = workspace.settings.runs.index_entries
    newest, older = every.hits[:limit], every.hits[limit:]
    kept = _Kept() if is_anew else _kept(workspace)
    lines = _lines(every, newest, kept)
    # What the index names and the ledger does not serve has nothing to say.
    newest = tuple(hit for hit in newest if hit.blob in lines)
    facts = _facts(workspace, snapshot, older, kept)
    write_projection(workspace, RUNS_VIEW, "".join(f"{lines[hit.blob]}\n" for hit in newest))
    write_projection(workspace, OLDER_VIEW, _older_text([facts[hit.blob] for hit in older]))
    _keep(workspace, [hit.blob for hit in newest], facts)
    write_stamp(workspace, view_key(workspace, snapshot))
    return RunIndex(listed=len(newest), older=len(older))


def _runs(workspace: Workspace, snapshot: Snapshot) -> Shelf:
    query = Query(text="", actor=SYSTEM_ACTOR, sink=Sink.PERSON, kinds=(RUN_KIND,), limit=MOST_RUNS)
    return shelf(workspace, snapshot, query)


# One line a run --------------------------------------------------------------------------


def _lines(every: Shelf, newest: Sequence[IndexHit], kept: _Kept) -> dict[str, str]:
    """Returns the line of each run by its blob; what the view has already is not read."""
    lines = {hit.blob: kept.lines[hit.blob] for hit in newest if hit.blob in kept.lines}
    missing = [hit for hit in newest if hit.blob not in lines]
    return lines | {stored.blob: _line(stored) for stored in every.read(missing)}


def _line(stored: StoredRecord) -> str:
    record = stored.record
    value: dict[str, JsonValue] = {"reference": record.reference, "finished": _ended(record)}
    if record.sensitivity.is_opaque:
        value |= {"state": record.fields.get("state"), "sensitivity": record.sensitivity.label}
    else:
        value |= {"title": record.title, "summary": summary_of(record)}
        value |= {name: record.fields[name] for name in _LINE_FIELDS if name in record.fields}
        value["path"] = stored.path
    filled = {name: part for name, part in value.items() if part not in (None, "", [])}
    return json.dumps(filled, ensure_ascii=False, separators=(",", ":"), default=str)


def _ended(record: Record) -> str:
    moment = record.event_time or record.observed
    return format_instant(moment) if moment is not None else ""


# What the older ones come to ---------------------------------------------------------------


def _facts(
    workspace: Workspace, snapshot: Snapshot, older: Sequence[IndexHit], kept: _Kept
) -> dict[str, Fact]:
    facts = {hit.blob: kept.facts[hit.blob] for hit in older if hit.blob in kept.facts}
    places = [(hit.path, hit.blob) for hit in older if hit.blob not in facts]
    for stored in read_records(workspace, snapshot, places):
        facts[stored.blob] = _fact(stored.record)
    return {hit.blob: facts.get(hit.blob, ("", _UNKNOWN, 0.0)) for hit in older}


def _fact(record: Record) -> Fact:
    state, took = record.fields.get("state"), record.fields.get("duration_s")
    seconds = float(took) if isinstance(took, int | float) else 0.0
    return _ended(record)[:7], str(state or _UNKNOWN), seconds


def _older_text(facts: Sequence[Fact]) -> str:
    months: dict[str, list[Fact]] = {}
    for fact in facts:
        months.setdefault(fact[0] or _UNKNOWN, []).append(fact)
    value = {
        "runs": len(facts),
        "more": "memfs search TEXT --kind run",
        "months": {month: _summed(months[month]) for month in sorted(months, reverse=True)},
    }
    return json.dumps(value, indent=1) + "\n"


def _summed(facts: Sequence[Fact]) -> dict[str, JsonValue]:
    states = sorted({state for _, state, _ in facts})
    return {
        "runs": len(facts),
        **{state: sum(fact[1] == state for fact in facts) for state in states},
        "duration_s": round(sum(sorted(took for _, _, took in facts)), 3),
    }


# What is known from the last time -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kept:
    """Lines and facts by blob, from the last time; empty where nothing can be relied on."""

    lines: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)


def _kept(workspace: Workspace) -> _Kept:
    """Reads what was kept; the lines of a view that somebody wrote in are made anew."""
    stamp = read_stamp(workspace)
    try:
        values = json.loads((workspace.cache_dir / _KEPT_FILE).read_bytes())
        blobs = [str(blob) for blob in values["lines"]]
        facts = {
            str(blob): (str(month), str(state), float(took))
            for blob, (month, state, took) in values["facts"].items()
        }
        is_ours = values["v"] == _VERSION
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _Kept()
    if not is_ours:
        return _Kept()
    text = read_projection(workspace, RUNS_VIEW)
    lines = (text or "").splitlines()
    is_whole = bool(stamp) and stamp[1] == workspace.store.working_digest(RUNS_VIEW)
    if not is_whole or len(lines) != len(blobs):
        return _Kept({}, facts)
    return _Kept(dict(zip(blobs, lines, strict=True)), facts)


def _keep(workspace: Workspace, blobs: Sequence[str], facts: Mapping[str, Fact]) -> None:
    """Keeps which run each line is of, and the facts: no word of any run."""
    values = {"v": _VERSION, "lines": list(blobs), "facts": facts}
    place = workspace.cache_dir / _KEPT_FILE
    aside = place.with_suffix(f".{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with contextlib.suppress(OSError):
        workspace.cache_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(aside, flags, 0o600), "w", encoding="ascii") as out:
            json.dump(values, out, separators=(",", ":"))
        aside.replace(place)
