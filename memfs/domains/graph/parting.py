"""Takes back what one change brought to a record, and leaves whatever was said since.

Pure, and a merge of three: the record as it stands, as it was before the change, and as the change
left it. Words that were edited since stay, and so do the labels that they made stricter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from memfs.model.record import Record
from memfs.model.values import JsonValue

_LISTS: Final = ("tags", "entities", "relations", "derived_from", "supersedes")
_WORDS: Final = ("title", "subject", "summary", "abstract", "event_time", "importance")
_LABELS: Final = (
    "confidence", "sensitivity", "sinks", "taint", "branch", "expires", "review_after", "authority",
)  # fmt: skip


def taken_apart(current: Record, before: Record, after: Record) -> tuple[Record, bool]:
    """Returns ``current`` without what a change from ``before`` to ``after`` brought.

    What was said since stays. Where the words that it brought were edited since, they stay too,
    and so do the labels that they made stricter.

    Args:
        current: The record as it stands.
        before: As it was before the change.
        after: As the change left it.

    Returns:
        The record, and whether all words that the change brought are gone from it.
    """
    body, is_clean = _body_apart(current.body, before.body, after.body)
    is_clean = is_clean and not _is_reworded(current, before, after)
    changes: dict[str, object] = {"body": body}
    for name in _LISTS:
        changes[name] = _list_apart(*(getattr(item, name) for item in (current, before, after)))
    for name in (*_WORDS, *_LABELS) if is_clean else _WORDS:
        changes[name] = _value_apart(*(getattr(item, name) for item in (current, before, after)))
    for name in ("fields", "unknown"):
        parts = (getattr(item, name) for item in (current, before, after))
        changes[name] = _fields_apart(*parts)
    apart: Record = replace(current, **changes)  # type: ignore[arg-type]
    return apart, is_clean


def _is_reworded(current: Record, before: Record, after: Record) -> bool:
    """Tells whether somebody edited a summary or an abstract that the change brought."""
    words = ((item.summary, item.abstract) for item in (current, before, after))
    return any(now != then and then != earlier for now, earlier, then in zip(*words, strict=True))


def _body_apart(current: str, before: str, after: str) -> tuple[str, bool]:
    """Takes what was put behind ``before`` out of ``current``; tells whether it could."""
    if current == after or before == after:
        return (before if current == after else current), True
    added = after.removeprefix(before.rstrip("\n")).strip("\n")
    head, found, tail = current.rpartition(added)
    if not added or not found:
        return current, not added
    head, tail = head.rstrip("\n"), tail.lstrip("\n")
    if not head:
        return tail, True
    return (f"{head}\n\n{tail}" if tail else f"{head}\n"), True


def _list_apart(
    current: tuple[object, ...], before: tuple[object, ...], after: tuple[object, ...]
) -> tuple[object, ...]:
    if current == after:
        return before
    added = [item for item in after if item not in before]
    back = [item for item in before if item not in after and item not in current]
    return (*(item for item in current if item not in added), *back)


def _value_apart(current: object, before: object, after: object) -> object:
    return before if current == after else current


def _fields_apart(
    current: Mapping[str, JsonValue],
    before: Mapping[str, JsonValue],
    after: Mapping[str, JsonValue],
) -> Mapping[str, JsonValue]:
    apart: dict[str, JsonValue] = {}
    for name in dict.fromkeys((*current, *before)):
        value = _field_apart(current.get(name), before.get(name), after.get(name))
        if value not in (None, [], {}):
            apart[name] = value
    return apart


def _field_apart(current: JsonValue, before: JsonValue, after: JsonValue) -> JsonValue:
    if current == after:
        return before
    if isinstance(current, Mapping) and isinstance(after, Mapping):
        return _fields_apart(current, before if isinstance(before, Mapping) else {}, after)
    if _is_list(current) and _is_list(after):
        parts = (tuple(item) if _is_list(item) else () for item in (current, before, after))  # type: ignore[arg-type]
        return list(_list_apart(*parts))  # type: ignore[arg-type]
    return current


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)
