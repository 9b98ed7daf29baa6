"""Masking: a record as one reader may see it, with everything else gone (A8, A31).

A record that is opened in part keeps what a reader needs to tell it from others (identity,
kind, scope, status, times of validity) and the fields that are shown. Every other word of it
is emptied here, before anything leaves a service, is matched or is compared. Digests of hidden
text go too: whoever can guess the text could confirm it by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.origin import Origin
from memfs.model.record import NO_FIELDS, Record, StoredRecord
from memfs.model.values import JsonValue
from memfs.policy.access import AccessRequest, may_read

_PROSE: Final = (
    "title",
    "body",
    "subject",
    "tags",
    "entities",
    "relations",
    "summary",
    "abstract",
    "event_time",
)
"""Fields of every record that can be shown by name."""
SOURCE: Final = "source"
"""Shows where it was said and by whom, as the transport told."""


@frozen(kw_only=False)
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
    """Returns a record with everything emptied that is not among the names in ``shown``.

    Where it comes from, what it replaces and what contradicts it is never shown in part.
    """
    seen = replace(
        record,
        title=record.title if "title" in shown else "",
        body=record.body if "body" in shown else "",
        subject=record.subject if "subject" in shown else "",
        tags=record.tags if "tags" in shown else (),
        entities=record.entities if "entities" in shown else (),
        relations=record.relations if "relations" in shown else (),
        summary=record.summary if "summary" in shown else "",
        abstract=record.abstract if "abstract" in shown else "",
        event_time=record.event_time if "event_time" in shown else None,
        origin=record.origin and _without_source(record.origin, is_shown=SOURCE in shown),
        fields=_kept(record.fields, shown),
        unknown=_kept(record.unknown, shown),
        transform="",
        taint=(),
        branch="",
        evidence=(),
        derived_from=(),
        supersedes=(),
        superseded_by="",
        conflicts=(),
    )
    return Visible(seen, _hidden(record, shown), is_whole=False)


def _hidden(record: Record, shown: frozenset[str]) -> tuple[str, ...]:
    held = {name for name in _PROSE if getattr(record, name)}
    held.update(record.fields, record.unknown)
    if record.origin is not None and (record.origin.source or record.origin.speaker):
        held.add(SOURCE)
    return tuple(sorted(held - shown))


def _kept(values: Mapping[str, JsonValue], shown: frozenset[str]) -> Mapping[str, JsonValue]:
    kept = {name: value for name, value in values.items() if name in shown}
    return kept or NO_FIELDS


def _without_source(origin: Origin, *, is_shown: bool) -> Origin:
    if is_shown:
        return replace(origin, digest="")
    return replace(origin, source="", speaker="", digest="")
