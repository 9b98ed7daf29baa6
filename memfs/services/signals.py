"""Recall signals: how often a record was handed out, and for how many different questions (O38).

Counted from the retrieval log and kept beside it for longer, in the user's private data folder:
ids, counts and keyed digests, no word of a question or a record. What memfs reads itself (a
sleep, a projection, a canary, a session start that asks nothing) is never in that log as a
question, and counts for nothing. A cache of use: it orders, it admits nothing, and where it is
lost only the order is another.

Each line of the log is counted once: beside the counts stands how far each log was read, both
written as one file, whole. Of two processes that count at once one may win; what the other
counted is counted again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from memfs.errors import DataError
from memfs.model.ids import STORE_PREFIX, is_id, split_version
from memfs.model.instants import parse_instant
from memfs.model.packet import MemoryState
from memfs.policy.lasting import Use
from memfs.services.ports import Workspace
from memfs.services.retrieval_log import (
    EARLIER_FILE,
    LOG_FILE,
    LOG_FOLDER,
    LoggedRecall,
    keyed_digest,
    parse_line,
)
from memfs.store.files import atomic_write, open_folder, open_root, read_file

FOLDER: Final = "usage"
MOST_RECORDS: Final = 20_000
"""So many records are counted; those that nobody asked for the longest time go first."""
MOST_QUESTIONS: Final = 16
"""So many different questions of a record are told apart; more say nothing new."""
FIRST_PLACES: Final = 5
"""A search shows much; what comes behind these places was hardly what was looked for."""
_FILE_BYTES: Final = 16 * 1024 * 1024
_VERSION: Final = 1
_OPEN_STATES: Final = frozenset({str(MemoryState.OK), str(MemoryState.DEGRADED)})
_HEAD_BYTES: Final = 512
_SECRET: Final = "memfs-usage"
"""Its keyed digest tells whether two digests were made with the same key."""


@dataclass(slots=True)
class _Tally:
    """What was counted of one record; ``earlier`` counts questions of a key that is gone."""

    recalls: int = 0
    earlier: int = 0
    nearness: float = 0.0
    last: str = ""
    questions: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Counts:
    """One clone's counts: up to where its logs were read, and the records by id."""

    key: str = ""
    read: dict[str, int] = field(default_factory=dict)
    records: dict[str, _Tally] = field(default_factory=dict)


def uses_of(workspace: Workspace) -> Mapping[str, Use]:
    """Returns how records of this store were used on this machine, by id, up to now."""
    gather(workspace)
    found: dict[str, Use] = {}
    for counts in _all_counts(workspace):
        for identifier, tally in counts.records.items():
            found[identifier] = _added(found.get(identifier), _use_from(tally))
    return found


def gather(workspace: Workspace) -> int:
    """Counts what the retrieval log has that was not counted; returns how many answers.

    Nothing is raised: what cannot be counted now is counted the next time.
    """
    if workspace.is_switched_off or not is_id(workspace.store_id, STORE_PREFIX):
        return 0
    counts = _read(workspace, _own_name(workspace)) or _Counts()
    nothing = keyed_digest(workspace, "")
    _follow_key(counts, keyed_digest(workspace, _SECRET))
    answers, read = 0, {}
    for name in (EARLIER_FILE, LOG_FILE):
        mark, offset, lines = _news(workspace.cache_dir / LOG_FOLDER / name, counts.read)
        if mark:
            read[mark] = offset
        for line in lines:
            entry = parse_line(line)
            if entry is not None and _counts_for_use(entry, nothing):
                answers += 1
                _count(counts, entry)
    if not answers and read == counts.read:
        return 0
    counts.read = read
    _write(workspace, counts)
    return answers


def forget_use(workspace: Workspace, identifiers: Iterable[str]) -> int:
    """Takes records out of every count that is kept of this store; returns how many went."""
    gone, removed = frozenset(identifiers), 0
    gather(workspace)
    for name in _names(workspace):
        counts = _read(workspace, name)
        found = gone & counts.records.keys() if counts is not None else ()
        if counts is not None and found:
            removed += len(found)
            for identifier in found:
                del counts.records[identifier]
            _write(workspace, counts, name)
    return removed


# Counting --------------------------------------------------------------------------------


def _counts_for_use(entry: LoggedRecall, nothing: str) -> bool:
    """Tells whether somebody asked: neither memfs itself, nor a start without any question."""
    is_asked = bool(entry.question) and entry.question != nothing
    return is_asked and entry.state in _OPEN_STATES and not entry.actor.startswith("system:")


def _count(counts: _Counts, entry: LoggedRecall) -> None:
    last_place = FIRST_PLACES if entry.verb == "search" else 0
    for item in entry.items:
        identifier = split_version(item.reference)[0]
        is_near = item.rank > 0 and not (last_place and item.rank > last_place)
        if not (item.is_packed and is_near) or item.store or not is_id(identifier):
            continue
        tally = counts.records.setdefault(identifier, _Tally())
        tally.recalls += 1
        tally.nearness = round(tally.nearness + 1 / item.rank, 4)
        tally.last = max(tally.last, entry.at)
        if entry.question not in tally.questions and len(tally.questions) < MOST_QUESTIONS:
            tally.questions.append(entry.question)


def _follow_key(counts: _Counts, key: str) -> None:
    """Keeps the number of questions where their digests say nothing any more.

    With the key of the log goes every means to tell an old question from a new one: then the
    larger of the two numbers counts, never both.
    """
    if counts.key == key:
        return
    for tally in counts.records.values():
        tally.earlier = max(tally.earlier, len(tally.questions))
        tally.questions.clear()
    counts.key = key


def _use_from(tally: _Tally) -> Use:
    try:
        last = parse_instant(tally.last) if tally.last else None
    except ValueError:
        last = None
    return Use(
        recalls=tally.recalls,
        queries=max(tally.earlier, len(tally.questions)),
        nearness=tally.nearness,
        last=last,
    )


def _added(one: Use | None, other: Use) -> Use:
    """Adds the counts of two clones, whose questions cannot be told apart."""
    if one is None:
        return other
    return Use(
        recalls=one.recalls + other.recalls,
        queries=max(one.queries, other.queries),
        nearness=one.nearness + other.nearness,
        last=max(filter(None, (one.last, other.last)), default=None),
    )


# Reading the log ---------------------------------------------------------------------------


def _news(place: Path, known: Mapping[str, int]) -> tuple[str, int, list[bytes]]:
    """Returns which log this is, up to where it is whole, and its lines that are new.

    A log is known by its first line, so that one that was put aside is the same, and one that
    was begun anew is another.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(place, flags)
    except OSError:
        return "", 0, []
    try:
        head = os.pread(descriptor, _HEAD_BYTES, 0)
        if not head:
            return "", 0, []
        # Of a longer first line the beginning stands for it: it names the second and the question.
        mark = hashlib.blake2b(head.partition(b"\n")[0], digest_size=12).hexdigest()
        begin = known.get(mark, 0)
        content = os.pread(descriptor, _FILE_BYTES, begin)
    except OSError:
        return "", 0, []
    finally:
        os.close(descriptor)
    whole = content.rpartition(b"\n")[0]
    return mark, begin + (len(whole) + 1 if whole else 0), whole.splitlines()


# The file ----------------------------------------------------------------------------------


def _own_name(workspace: Workspace) -> str:
    return f"{workspace.cache_dir.name}.json"


def _folder(workspace: Workspace) -> str:
    return f"{FOLDER}/{workspace.store_id}"


def _names(workspace: Workspace) -> tuple[str, ...]:
    home = workspace.home_dir
    if not home.is_absolute():
        return ()
    with suppress(OSError, DataError):
        root = open_root(home)
        try:
            with open_folder(root, _folder(workspace)) as folder, os.scandir(folder) as scan:
                return tuple(sorted(it.name for it in scan if it.name.endswith(".json")))
        finally:
            os.close(root)
    return ()


def _all_counts(workspace: Workspace) -> Iterator[_Counts]:
    for name in _names(workspace):
        counts = _read(workspace, name)
        if counts is not None:
            yield counts


def _read(workspace: Workspace, name: str) -> _Counts | None:
    """Reads one clone's counts; ``None`` where there are none that can be read."""
    if not workspace.home_dir.is_absolute():
        return None
    try:
        root = open_root(workspace.home_dir)
        try:
            content = read_file(root, f"{_folder(workspace)}/{name}", limit_bytes=_FILE_BYTES)
        finally:
            os.close(root)
        values = json.loads(content or b"")
        if values["v"] != _VERSION:
            return None
        return _Counts(
            key=str(values["key"]),
            read={str(mark): int(offset) for mark, offset in values["read"].items()},
            records={str(name): _tally(parts) for name, parts in values["records"].items()},
        )
    except (OSError, DataError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _tally(parts: list[object]) -> _Tally:
    recalls, earlier, nearness, last, questions = parts
    if not isinstance(questions, list):
        raise TypeError("expected a list of digests")
    return _Tally(
        recalls=int(str(recalls)),
        earlier=int(str(earlier)),
        nearness=float(str(nearness)),
        last=str(last),
        questions=[str(item) for item in questions],
    )


def _write(workspace: Workspace, counts: _Counts, name: str = "") -> None:
    kept = sorted(counts.records.items(), key=lambda item: (item[1].last, item[0]), reverse=True)
    values = {
        "v": _VERSION,
        "key": counts.key,
        "read": counts.read,
        "records": {
            identifier: [it.recalls, it.earlier, it.nearness, it.last, it.questions]
            for identifier, it in sorted(kept[:MOST_RECORDS])
        },
    }
    if not workspace.home_dir.is_absolute():
        return
    with suppress(OSError, DataError):
        workspace.home_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        root = open_root(workspace.home_dir)
        try:
            content = json.dumps(values, separators=(",", ":")).encode("ascii")
            path = f"{_folder(workspace)}/{name or _own_name(workspace)}"
            atomic_write(root, path, content, durable=False)
        finally:
            os.close(root)
