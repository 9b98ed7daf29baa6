"""Masking: a record as one reader may see it, with everything else gone (A8, A31).

A record that is opened in part keeps what a reader needs to tell it from others (identity,
kind, scope, status, times of validity) and the fields that are shown. Every other word of it
is emptied here, before anything leaves a service, is matched or is compared. Digests of hidden
text go too: whoever can guess the text could confirm it by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from memfs.model.origin import Origin
from memfs.model.record import NO_FIELDS, Record, StoredRecord
from memfs.model.values import JsonValue
from memfs.policy.access import AccessRequest, may_read

_NAMED: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "title": "",
        "body": "",
        "subject": "",
        "tags": (),
        "entities": (),
        "relations": (),
        "summary": "",
        "abstract": "",
        "event_time": None,
    }
)
"""Fields that can be shown by name, and what stands there when they are not."""
_NEVER_IN_PART: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "transform": "",
        "taint": (),
        "branch": "",
        "evidence": (),
        "derived_from": (),
        "supersedes": (),
        "superseded_by": "",
        "conflicts": (),
    }
)
"""Where a record comes from and what it replaces: nothing that a grant shows by name."""
SOURCE: Final = "source"
"""Shows where it was said and by whom, as the transport told."""


@dataclass(frozen=True, slots=True)
class Visible:
    """A record as a reader may see it.

    Attributes:
        record: With hidden fields emptied.
        hidden: Names of the fields that had something and were emptied, sorted.
        is_whole: Whether nothing may be hidden from this reader, full or not.
    """

    record: Record
    hidden: tuple[str, ...] = ()
    is_whole: bool = True


def visible(record: Record, request: AccessRequest) -> Visible | None:
    """Returns ``record`` as ``request`` may see it; ``None`` when it may not at all."""
    decision = may_read(record, request)
    if not decision.allowed:
        return None
    if decision.shown is None:
        return Visible(record)
    return masked(record, decision.shown)


def visible_stored(stored: StoredRecord, request: AccessRequest) -> StoredRecord | None:
    """Returns a stored record as it may be seen; ``None`` when it may not at all.

    The name of its file is made of its title, and the blob id is a digest of all of it: who
    sees a part gets neither.
    """
    seen = visible(stored.record, request)
    if seen is None:
        return None
    if seen.is_whole:
        return stored
    return StoredRecord(record=seen.record, path="", blob="", store=stored.store)


def masked(record: Record, shown: frozenset[str]) -> Visible:
    """Returns a record with everything emptied that is not among the names in ``shown``."""
    changes: dict[str, Any] = {name: empty for name, empty in _NAMED.items() if name not in shown}
    hidden = {name for name, empty in changes.items() if getattr(record, name) != empty}
    changes.update(_NEVER_IN_PART)
    for name in ("fields", "unknown"):
        before: Mapping[str, JsonValue] = getattr(record, name)
        changes[name] = _kept(before, shown)
        hidden.update(before.keys() - shown)
    origin = record.origin
    if origin is not None:
        if SOURCE not in shown and (origin.source or origin.speaker):
            hidden.add(SOURCE)
        changes["origin"] = _without_source(origin, is_shown=SOURCE in shown)
    return Visible(replace(record, **changes), tuple(sorted(hidden)), is_whole=False)


def _kept(values: Mapping[str, JsonValue], shown: frozenset[str]) -> Mapping[str, JsonValue]:
    kept = {name: value for name, value in values.items() if name in shown}
    return kept or NO_FIELDS


def _without_source(origin: Origin, *, is_shown: bool) -> Origin:
    if is_shown:
        return replace(origin, digest="")
    return replace(origin, source="", speaker="", digest="")
