"""Sizes, shapes and references of a draft (A83, A28): the same for every producer.

Decoding has checked types already; this checks again what a producer that builds records
in code could get wrong, so that no path is without it. All problems are returned at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from memfs.model.decision import Reason
from memfs.model.ids import is_id, split_version
from memfs.model.kinds import KindRegistry, KindSpec
from memfs.model.limits import (
    BODY_BYTES,
    LABEL_CHARS,
    LINE_CHARS,
    LIST_ITEMS,
    TEXT_CHARS,
    TITLE_CHARS,
)
from memfs.model.procedure import EARNED_FIELDS, PROCEDURE_KIND
from memfs.model.record import Record
from memfs.policy.content import fields_of, words_of
from memfs.policy.reasons import reason

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_LINE_BREAK: Final = re.compile(r"[\r\n\u2028\u2029]")
_ITEM: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\S", re.MULTILINE)
_SENTENCE_END: Final = re.compile(r"[.!?。！？](?:\s|$)")
_EARNED_STAGES: Final = frozenset({"held_out", "canary", "active"})
_ATOMIC_KINDS: Final = frozenset({"preference", "profile", "fact"})
_ATOMIC_ITEMS: Final = 3
_ATOMIC_SENTENCES: Final = 6
IMPORTANCE: Final = range(1, 11)


def check_kind(record: Record, registry: KindRegistry) -> Reason | None:
    """Returns why the kind of a draft cannot be used, or ``None``."""
    kind = registry.get(record.kind)
    if kind is None:
        return reason("kind.unknown")
    for field in kind.fields:
        value = record.fields.get(field.name)
        if field.required and value in (None, ""):
            return reason("kind.missing-field", field.name)
        if field.choices and value is not None and value not in field.choices:
            return reason("kind.bad-choice", field.name)
    return None


def check_stage(record: Record) -> Reason | None:
    """Returns why a procedure cannot claim its stage (DESIGN §2: trial at most), or ``None``."""
    if record.kind != PROCEDURE_KIND:
        return None
    is_earned = record.fields.get("stage") in _EARNED_STAGES
    if is_earned or any(record.fields.get(name) not in (None, "") for name in EARNED_FIELDS):
        return reason("procedure.stage")
    return None


def started_anew(draft: Record, target: Record | None) -> Record:
    """Returns a new wording of a procedure without what the old one has earned.

    What a draft says of its stage beyond what the ledger says stays, to be refused.
    """
    if draft.kind != PROCEDURE_KIND or target is None:
        return draft
    own = {
        name: target.fields[name]
        for name in ("stage", *EARNED_FIELDS)
        if target.fields.get(name) is not None
    }
    kept = {
        name: value for name, value in draft.fields.items() if name not in own or own[name] != value
    }
    return draft if len(kept) == len(draft.fields) else replace(draft, fields=kept)


def check_bounds(
    record: Record, kind: KindSpec | None = None, *, body_bytes: int = BODY_BYTES
) -> tuple[Reason, ...]:
    """Returns every way in which a draft is too large, empty or malformed.

    Args:
        record: The draft.
        kind: Its kind; a kind that is no claim may be without words.
        body_bytes: Largest body in UTF-8 bytes; never more than the limit of the format.
    """
    checks = (
        ("bounds.empty", _is_empty(record, kind)),
        ("bounds.title", _is_title_bad(record.title)),
        ("bounds.body", _is_larger(record.body, min(body_bytes, BODY_BYTES))),
        ("bounds.text", _is_text_long(record)),
        ("bounds.items", _has_many_items(record)),
        ("bounds.control-characters", _has_control(record)),
        ("bounds.number", _is_number_bad(record)),
        ("bounds.validity", _is_validity_empty(record)),
        ("bounds.reference", any(not _is_reference(item) for item in _references(record))),
    )
    return tuple(reason(code) for code, is_broken in checks if is_broken)


def check_atomic(record: Record) -> Reason | None:
    """Returns a reason to look at a draft that seems to hold several claims (A11).

    Only kinds that hold one value are looked at; a note or a procedure may be long.
    """
    if record.kind not in _ATOMIC_KINDS:
        return None
    items = len(_ITEM.findall(record.body))
    if items >= _ATOMIC_ITEMS or len(_SENTENCE_END.findall(record.body)) >= _ATOMIC_SENTENCES:
        return reason("claim.not-atomic")
    return None


def _is_empty(record: Record, kind: KindSpec | None) -> bool:
    if kind is not None and (not kind.is_claim or kind.extension == ".json"):
        return False
    return not record.title.strip() and not record.body.strip()


def _is_title_bad(title: str) -> bool:
    return len(title) > TITLE_CHARS or _LINE_BREAK.search(title) is not None


def _is_larger(text: str, size_bytes: int) -> bool:
    if len(text) > size_bytes:
        return True
    return len(text.encode("utf-8", "surrogatepass")) > size_bytes


def _is_text_long(record: Record) -> bool:
    lines = (record.subject, record.transform, record.branch, *record.entities)
    labels = (record.record_class, *record.tags, *record.taint)
    return (
        max(len(record.summary), len(record.abstract)) > TEXT_CHARS
        or any(len(line) > LINE_CHARS or _LINE_BREAK.search(line) for line in lines)
        or any(len(label) > LABEL_CHARS or _LINE_BREAK.search(label) for label in labels)
        or any(
            len(part) > LINE_CHARS
            for relation in record.relations
            for part in (relation.target, relation.label)
        )
        or sum(len(word) for word in words_of(record.fields)) > BODY_BYTES
        or sum(len(word) for word in words_of(record.unknown)) > BODY_BYTES
    )


def _lists(record: Record) -> Iterator[Sequence[object]]:
    yield record.tags
    yield record.entities
    yield record.relations
    yield record.evidence
    yield record.derived_from
    yield record.supersedes
    yield record.conflicts
    yield record.taint
    for value in record.fields.values():
        if isinstance(value, list | tuple):
            yield value


def _has_many_items(record: Record) -> bool:
    return any(len(items) > LIST_ITEMS for items in _lists(record))


def _has_control(record: Record) -> bool:
    return any(
        _CONTROL.search(text) is not None
        for text in (record.title, record.body, *fields_of(record))
    )


def _is_number_bad(record: Record) -> bool:
    return (
        record.importance not in IMPORTANCE
        or record.version < 1
        or (record.confidence is not None and not 0 <= record.confidence <= 1)
    )


def _is_validity_empty(record: Record) -> bool:
    start, end = record.valid_from, record.valid_until
    return start is not None and end is not None and end <= start


def _references(record: Record) -> Iterator[str]:
    yield from record.evidence
    yield from record.derived_from
    yield from record.supersedes
    yield from record.conflicts
    if record.superseded_by:
        yield record.superseded_by
    if record.id:
        yield record.id


def _is_reference(text: str) -> bool:
    identifier, _ = split_version(text)
    return is_id(identifier)
