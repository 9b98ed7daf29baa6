"""The retrieval log: what was considered for an answer, what was given, and why (A40).

One line an answer in the user's private cache folder, never in the store. It holds ids, scores,
codes and sizes and no word of a question or a record: a question stands there as a digest keyed
by a secret of the folder. The log is bounded, disposable, and costs an answer well under a
millisecond; failing to write it never fails an answer.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.ids import is_id
from memfs.model.instants import format_instant
from memfs.model.packet import LeftOut, MemoryState, Packet, ScoredRecord
from memfs.model.query import Query
from memfs.model.text import normalise_text
from memfs.services.ports import Workspace
from memfs.services.recall import RecallOutcome

LOG_FOLDER: Final = "log"
LOG_FILE: Final = "recall.jsonl"
EARLIER_FILE: Final = "recall.1.jsonl"
KEY_FILE: Final = "key"
MANIFEST_FILES: Final = ("packets.jsonl", "packets.1.jsonl")
MOST_BYTES: Final = 1_048_576
"""Size at which the log is put aside; the one before it is dropped then."""
MOST_ITEMS: Final = 50
_KEY_BYTES: Final = 32
_DIGEST_BYTES: Final = 16
_FILE: Final = "file"
"""Stands for what was left out and is named by its file: a file's name is made of its title."""


@frozen
class LoggedItem:
    """One record that was considered; ``parts`` are the weighted components of its score."""

    reference: str
    rank: int
    score: float
    parts: Mapping[str, float]
    is_packed: bool
    tokens: int = 0
    store: str = ""


@frozen
class LoggedRecall:
    """One answer.

    Attributes:
        at: When, as text.
        verb: ``recall`` or ``search``.
        actor: Who asked.
        state: State of the answer; ``reason`` says why it is not ``ok``.
        reason: Stable code.
        ledger: The commit that it was computed from.
        question: Keyed digest of the words, folded; equal for equal words in one store on one
            machine.
        filters: What narrowed it: names of kinds, kinds of scopes, counts and instants.
        budget: Tokens allowed.
        tokens: Tokens given.
        coverage: Share of the question that the best hit covers.
        considered: How many were considered, also where fewer are named here.
        items: Best first.
        left_out: Id and code of what matched and was not given.
        vectors: What vectors had to say, in counts and a code; empty where none were asked.
    """

    at: str
    verb: str
    actor: str
    state: str
    reason: str
    ledger: str
    question: str
    filters: Mapping[str, object] = field(default_factory=dict)
    budget: int = 0
    tokens: int = 0
    coverage: float = 0.0
    considered: int = 0
    items: tuple[LoggedItem, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    vectors: Mapping[str, object] = field(default_factory=dict)


def log_recall(workspace: Workspace, query: Query, outcome: RecallOutcome, packet: Packet) -> None:
    """Notes a packet and what it was made of."""
    tokens = {card.hit.stored.record.id: card.tokens for card in packet.cards}
    _log(workspace, query, outcome, verb="recall", packet=packet, given=tokens)


def log_context(workspace: Workspace, query: Query, outcome: RecallOutcome, packet: Packet) -> None:
    """Notes what an agent was given before it started."""
    tokens = {card.hit.stored.record.id: card.tokens for card in packet.cards}
    _log(workspace, query, outcome, verb="context", packet=packet, given=tokens)


def keyed_digest(workspace: Workspace, text: str) -> str:
    """Returns a digest that nobody can confirm a guess by who has not the secret of the folder."""
    try:
        return _digest(_key(workspace.cache_dir / LOG_FOLDER), text)
    except OSError:
        return ""


def log_search(workspace: Workspace, query: Query, outcome: RecallOutcome) -> None:
    """Notes what a search handed out."""
    given = {hit.stored.record.id: 0 for hit in outcome.hits}
    _log(workspace, query, outcome, verb="search", packet=None, given=given)


def read_log(workspace: Workspace) -> Iterator[LoggedRecall]:
    """Yields the logged answers, newest first; lines that are cut or damaged are left out."""
    folder = workspace.cache_dir / LOG_FOLDER
    for name in (LOG_FILE, EARLIER_FILE):
        try:
            lines = (folder / name).read_bytes().splitlines()
        except OSError:
            continue
        for line in reversed(lines):
            entry = parse_line(line)
            if entry is not None:
                yield entry


def purge_log(workspace: Workspace) -> int:
    """Removes the log with its key and returns how many files went."""
    removed = 0
    for name in (LOG_FILE, EARLIER_FILE, KEY_FILE, *MANIFEST_FILES):
        with contextlib.suppress(OSError):
            (workspace.cache_dir / LOG_FOLDER / name).unlink()
            removed += 1
    return removed


def _log(
    workspace: Workspace,
    query: Query,
    outcome: RecallOutcome,
    *,
    verb: str,
    packet: Packet | None,
    given: Mapping[str, int],
) -> None:
    """Appends one line; where memory is off, nothing is written anywhere."""
    if outcome.state is MemoryState.OFF:
        return
    folder = workspace.cache_dir / LOG_FOLDER
    considered = outcome.hits or outcome.withheld
    left_out = outcome.left_out if packet is None else packet.left_out
    try:
        key = _key(folder)
        values = {
            "v": 1,
            "at": format_instant(workspace.clock.now()),
            "verb": verb,
            "actor": str(query.actor),
            "state": str(outcome.state if packet is None else packet.state),
            "reason": outcome.reason if packet is None else packet.reason,
            "ledger": outcome.ledger,
            "question": _digest(key, normalise_text(query.text)),
            "filters": _filters(query, key),
            "budget": query.budget_tokens,
            "tokens": 0 if packet is None else packet.tokens,
            "coverage": round(outcome.coverage, 4),
            "considered": len(considered) + len(outcome.left_out),
            "items": [
                *(_item(workspace, hit, given) for hit in considered[:MOST_ITEMS]),
                *(_told(reference) for reference in _references(packet)),
            ],
            "left_out": [_left(item) for item in left_out[:MOST_ITEMS]],
            **({} if outcome.vectors is None else {"vectors": outcome.vectors.value}),
        }
        line = json.dumps(values, separators=(",", ":")).encode("ascii") + b"\n"
        if append_line(folder / LOG_FILE, folder / EARLIER_FILE, line):
            # Once in some hundred answers: what is dropped next time is counted before it goes.
            from memfs.services.signals import gather

            gather(workspace)
    except OSError:
        return


def _item(workspace: Workspace, hit: ScoredRecord, given: Mapping[str, int]) -> dict[str, object]:
    record = hit.stored.record
    values: dict[str, object] = {
        "id": record.reference,
        "rank": hit.rank,
        "score": round(hit.score, 4),
        "parts": {name: round(part, 4) for name, part in hit.components.items()},
        "packed": record.id in given,
    }
    if given.get(record.id):
        values["tokens"] = given[record.id]
    if hit.stored.store not in ("", workspace.store_id):
        values["store"] = hit.stored.store
    return values


def _references(packet: Packet | None) -> tuple[str, ...]:
    """Returns the records that the sections of a packet tell of, each once."""
    sections = () if packet is None else packet.sections
    return tuple(dict.fromkeys(it.reference for section in sections for it in section.entries))


def _told(reference: str) -> dict[str, object]:
    return {"id": reference, "rank": 0, "score": 0.0, "parts": {}, "packed": True}


def _left(item: LeftOut) -> list[str]:
    return [item.id if is_id(item.id) else _FILE, item.code]


def _filters(query: Query, key: bytes) -> dict[str, object]:
    """Returns what narrowed the question; words that a caller chose stand as counts or digests."""
    instants = {
        "since": query.since,
        "until": query.until,
        "valid_at": query.valid_at,
        "as_of": query.as_of,
    }
    found: dict[str, object] = {
        "limit": query.limit,
        "sink": str(query.sink),
        "kinds": list(query.kinds),
        "scopes": sorted(str(scope.kind) for scope in query.scopes),
        "tags": len(query.tags),
        "subject": bool(query.subject),
        "branch": bool(query.branch),
        "purpose": _digest(key, query.purpose) if query.purpose else "",
        **{name: format_instant(moment) for name, moment in instants.items() if moment},
    }
    return {name: part for name, part in found.items() if part not in ("", [], 0, False)}


def _digest(key: bytes, text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=_DIGEST_BYTES, key=key).hexdigest()


def _key(folder: Path) -> bytes:
    """Returns the secret of this folder, made at its first use."""
    place = folder / KEY_FILE
    for _ in range(2):
        try:
            descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _make_key(folder, place)
            continue
        try:
            return os.read(descriptor, _KEY_BYTES)
        finally:
            os.close(descriptor)
    return b""


def _make_key(folder: Path, place: Path) -> None:
    """Makes the key whole or not at all; of two processes at once, one key stays."""
    aside = folder / f"{KEY_FILE}.{os.getpid()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(aside, flags, 0o600)
    try:
        os.write(descriptor, os.urandom(_KEY_BYTES))
    finally:
        os.close(descriptor)
    with contextlib.suppress(FileExistsError):
        os.link(aside, place)
    aside.unlink()


def append_line(place: Path, earlier: Path, line: bytes) -> bool:
    """Appends in one write, so that lines of several processes never mix; keeps the log bounded.

    Args:
        place: The log.
        earlier: Where a full log is put aside, over the one before it.
        line: With its line end.

    Returns:
        Whether the log was full and was put aside.

    Raises:
        OSError: It cannot be written.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(place, flags, 0o600)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return False
        os.write(descriptor, line)
        is_full = found.st_size + len(line) > MOST_BYTES
    finally:
        os.close(descriptor)
    if is_full:
        place.replace(earlier)
    return is_full


def parse_line(line: bytes) -> LoggedRecall | None:
    """Returns one logged answer; ``None`` for a line that is cut or damaged."""
    try:
        values = json.loads(line)
        return LoggedRecall(
            at=str(values["at"]),
            verb=str(values["verb"]),
            actor=str(values["actor"]),
            state=str(values["state"]),
            reason=str(values["reason"]),
            ledger=str(values["ledger"]),
            question=str(values["question"]),
            filters=dict(values["filters"]),
            budget=int(values["budget"]),
            tokens=int(values["tokens"]),
            coverage=float(values["coverage"]),
            considered=int(values["considered"]),
            items=tuple(_item_from(item) for item in values["items"]),
            left_out=_pairs(values["left_out"]),
            vectors=dict(values.get("vectors", {})),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _item_from(values: Mapping[str, object]) -> LoggedItem:
    parts = values["parts"]
    return LoggedItem(
        reference=str(values["id"]),
        rank=int(str(values["rank"])),
        score=float(str(values["score"])),
        parts={str(name): float(part) for name, part in dict(parts).items()},  # type: ignore[call-overload]
        is_packed=bool(values["packed"]),
        tokens=int(str(values.get("tokens", 0))),
        store=str(values.get("store", "")),
    )


def _pairs(values: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), str(code)) for name, code in values)
