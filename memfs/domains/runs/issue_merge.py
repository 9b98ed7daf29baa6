"""Merges two versions of an issue by their events: nothing lost, nothing twice (C15).

The result is the same bytes whichever side is ours, and merging it again with either side gives
it again. What is no event, and what two sides say of whether and to whom the issue is served, is
never guessed: that is a conflict, and a person decides.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Final

from memfs.errors import ConflictError, DataError
from memfs.formats.canonical import plain_data
from memfs.formats.issue_log import encode_events, parse_log
from memfs.formats.record_codec import read_record, update_record
from memfs.model.authority import Authority
from memfs.model.issue import ISSUE_KIND, IssueEvent
from memfs.model.issue_fold import in_order
from memfs.model.kinds import KindRegistry
from memfs.model.limits import BODY_BYTES
from memfs.model.record import Record
from memfs.model.values import JsonValue

_LABELS: Final = frozenset(
    ("id", "kind", "status", "scope", "subject", "record_class", "sensitivity", "sinks")
) | frozenset(
    ("superseded_by", "superseded_from", "expires", "valid_from", "valid_until", "review_after")
)
"""Whether and to whom it is served: two sides that changed one of them differ for a reason."""
_SETS: Final = frozenset(
    ("taint", "evidence", "derived_from", "supersedes", "conflicts", "tags", "entities")
) | frozenset(("relations",))
_MAPPINGS: Final = frozenset({"fields", "unknown"})
_TRACKER: Final = "tracker"


class IssueMergeError(ConflictError):
    """Two versions of an issue cannot be merged without a person."""

    code = "conflict.issue-merge"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    content: bytes
    record: Record
    events: Mapping[str, IssueEvent]

    @property
    def order(self) -> tuple[datetime, str, bytes]:
        """What the side whose file is edited is chosen by: the one that was opened first."""
        first = min(event.order for event in self.events.values())
        return (*first, self.content)


def merge_issues(
    base: bytes, ours: bytes, theirs: bytes, *, path: str, registry: KindRegistry
) -> bytes:
    """Returns the file that both versions come to.

    Args:
        base: What both started from; empty, or unreadable, where there is none.
        ours: One version.
        theirs: The other version.
        path: Names the file.
        registry: The kinds.

    Raises:
        IssueMergeError: They cannot be merged without a person; the message says why.
    """
    if ours == theirs:
        return ours
    left = _side(ours, path, registry)
    right = _side(theirs, path, registry)
    try:
        common = _side(base, path, registry) if base else None
    except IssueMergeError:
        # Of a merge of merges, say, with marks of a conflict in it: all of both sides counts.
        common = None
    chosen = min((left, right), key=lambda side: side.order)
    record = _merged_record(common.record if common else None, left, right, chosen)
    body = encode_events(in_order(_merged_events(common, left, right).values()))
    if "\r\n" in chosen.record.body:
        body = body.replace("\n", "\r\n")
    if len(body.encode("utf-8")) > BODY_BYTES:
        raise IssueMergeError("expected a log that fits one file, got more", path=path)
    try:
        return update_record(
            chosen.content, replace(record, body=body), path=path, registry=registry
        )
    except DataError as error:
        raise IssueMergeError(error.message, path=path) from error


def _side(content: bytes, path: str, registry: KindRegistry) -> _Side:
    try:
        record = read_record(content, path=path, registry=registry)
    except DataError as error:
        raise IssueMergeError(error.message, path=path, line=error.line) from error
    log = parse_log(record.body)
    if record.kind != ISSUE_KIND or not log.events:
        raise IssueMergeError("expected an issue with a log, got something else", path=path)
    if log.faults:
        raise IssueMergeError(log.faults[0].message, path=path)
    return _Side(content=content, record=record, events={event.id: event for event in log.events})


def _merged_events(base: _Side | None, left: _Side, right: _Side) -> Mapping[str, IssueEvent]:
    """Returns the events of both; an event that only one side changed is as that side has it."""
    merged: dict[str, IssueEvent] = dict(left.events)
    for name, event in right.events.items():
        mine = left.events.get(name)
        if mine is None or mine == event:
            merged[name] = event
            continue
        before = base.events.get(name) if base is not None else None
        if before is None or before not in (mine, event):
            raise IssueMergeError(f"expected one event {name}, got two that differ")
        merged[name] = event if mine == before else mine
    return merged


def _merged_record(base: Record | None, left: _Side, right: _Side, chosen: _Side) -> Record:
    changes: dict[str, object] = {}
    for item in fields(Record):
        if item.name == "body":
            continue
        mine, other = getattr(left.record, item.name), getattr(right.record, item.name)
        before = getattr(base, item.name) if base is not None else None
        picked = getattr(chosen.record, item.name)
        if item.name in _MAPPINGS:
            value: object = _merged_mapping(before, mine, other, picked)
        else:
            value = _merged_value(item.name, base, mine, other, picked)
        if value != picked:
            changes[item.name] = value
    merged: Record = replace(chosen.record, **changes) if changes else chosen.record  # type: ignore[arg-type]
    return merged


def _merged_value(
    name: str, base: Record | None, mine: object, other: object, picked: object
) -> object:
    if mine == other:
        return mine
    if base is not None:
        before = getattr(base, name)
        if mine == before:
            return other
        if other == before:
            return mine
    if name in _LABELS:
        raise IssueMergeError(f"expected one {name}, got two that differ")
    if name in _SETS:
        return tuple(sorted({*_items(mine), *_items(other)}, key=str))
    if isinstance(mine, Authority) and isinstance(other, Authority):
        return min(mine, other)
    if isinstance(mine, int) and isinstance(other, int):
        return max(mine, other)
    return picked


def _items(value: object) -> tuple[object, ...]:
    return value if isinstance(value, tuple) else ()


def _merged_mapping(
    before: Mapping[str, JsonValue] | None,
    mine: Mapping[str, JsonValue],
    other: Mapping[str, JsonValue],
    picked: Mapping[str, JsonValue],
) -> Mapping[str, JsonValue]:
    merged: dict[str, JsonValue] = {}
    for name in dict.fromkeys((*picked, *sorted({*mine, *other}))):
        value = _merged_field(
            name,
            _said(before, name),
            _said(mine, name),
            _said(other, name),
            is_based=before is not None,
        )
        if value is not None:
            merged[name] = value
    return merged


def _said(values: Mapping[str, JsonValue] | None, name: str) -> JsonValue:
    return plain_data(values[name]) if values is not None and name in values else None


def _merged_field(
    name: str, before: JsonValue, mine: JsonValue, other: JsonValue, *, is_based: bool
) -> JsonValue:
    if mine == other:
        return mine
    if is_based and mine == before:
        return other
    if is_based and other == before:
        return mine
    if mine is None or other is None:
        return other if mine is None else mine
    if name != _TRACKER:
        raise IssueMergeError(f"expected one {name}, got two that differ")
    return max(mine, other, key=_recency)


def _recency(value: JsonValue) -> tuple[str, str]:
    """Orders what a tracker said by when it says it changed last; ties by the words."""
    changed = value.get("updated_at") if isinstance(value, Mapping) else None
    return (changed if isinstance(changed, str) else "", json.dumps(value, sort_keys=True))
