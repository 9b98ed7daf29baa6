"""Two records that mean the same become one: what the one says afterwards, and how it comes apart.

Pure. Invariants: no word of either is dropped; what the merged record may be believed for, and
where it may go, is never more than either allows (A4, A6); taking the merge apart again takes
away what it brought and leaves whatever was said since. How the edges follow is told in
``memfs.domains.graph.rehanging``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, TypeVar

from memfs.model.authority import Sensitivity
from memfs.model.decision import Reason
from memfs.model.graph import ENTITY_KIND
from memfs.model.ids import split_version
from memfs.model.kinds import KindRegistry
from memfs.model.naming import entity_key
from memfs.model.record import Record
from memfs.model.text import normalise_text
from memfs.model.values import JsonValue
from memfs.policy.authority import authority_of, labelled
from memfs.policy.bounds import check_bounds
from memfs.policy.reasons import reason
from memfs.policy.relations import ends_of_edge
from memfs.policy.withdrawal import is_standing

MERGED_KINDS: Final = frozenset({ENTITY_KIND, "note"})
"""Kinds of which two can become one: things, and nodes about anything."""
_ALIASES: Final = "aliases"
_Ordered = TypeVar("_Ordered", float, datetime)


def check_merge(kept: Record, absorbed: Record) -> tuple[Reason, ...]:
    """Returns every reason why two records cannot become one; empty where they can."""
    faults = (
        ("merge.same", kept.id == absorbed.id),
        ("merge.kind", kept.kind not in MERGED_KINDS or kept.kind != absorbed.kind),
        ("merge.scope", kept.scope != absorbed.scope),
        ("merge.class", kept.record_class != absorbed.record_class),
        ("merge.sealed", Sensitivity.SEALED in (kept.sensitivity, absorbed.sensitivity)),
        ("merge.validity", _held(kept) != _held(absorbed)),
        (
            "record.not-active",
            not (is_standing(kept) and is_standing(absorbed)),
        ),
    )
    return tuple(reason(code) for code, is_so in faults if is_so)


def check_result(record: Record, registry: KindRegistry) -> tuple[Reason, ...]:
    """Returns every way in which a record would be too large for its file."""
    return check_bounds(record, registry.get(record.kind))


def merged(kept: Record, absorbed: Record, edges: Sequence[Record] = ()) -> Record:
    """Returns what ``kept`` says once it stands for ``absorbed`` too.

    The names of the absorbed one become aliases, its summary and abstract fill what is empty.
    What is left of its words follows in a section of their own. Its id, version and state are
    not touched.

    Args:
        kept: The record that stays.
        absorbed: The record that gives way to it.
        edges: Edges that are not drawn any more and say more than what stands in their place:
            the record keeps their words.
    """
    sources = (absorbed, *edges)
    labels = labelled(kept, kept.origin, sources) if kept.origin is not None else kept
    own = {kept.id, absorbed.id}
    fields, left_fields = _merged_fields(kept, absorbed)
    remarks = (f"{ends_of_edge(edge)[1]}: {words_of_edge(edge)}" for edge in edges)
    names = tuple(item.id for item in sources)
    return replace(
        labels,
        body=_with_section(kept.body, section_of(kept, absorbed, (*left_fields, *remarks))),
        summary=kept.summary or absorbed.summary,
        abstract=kept.abstract or absorbed.abstract,
        tags=_union(kept.tags, absorbed.tags),
        entities=_without(_union(kept.entities, absorbed.entities), own),
        relations=tuple(
            item
            for item in dict.fromkeys((*kept.relations, *absorbed.relations))
            if split_version(item.target)[0] not in own
        ),
        derived_from=_without(_union(kept.derived_from, names), {kept.id}),
        supersedes=_without(_union(kept.supersedes, (absorbed.id,)), {kept.id}),
        event_time=kept.event_time or absorbed.event_time,
        confidence=_lower(kept.confidence, absorbed.confidence),
        importance=max(kept.importance, absorbed.importance),
        expires=_lower(kept.expires, absorbed.expires),
        review_after=_lower(kept.review_after, absorbed.review_after),
        branch=kept.branch if kept.branch == absorbed.branch else "",
        authority=min(authority_of(kept), *map(authority_of, sources)),
        fields=fields,
        unknown={**absorbed.unknown, **kept.unknown},
    )


def words_of_edge(edge: Record) -> str:
    """Returns what an edge says beyond its ends, on one line; empty for nothing."""
    return " ".join(f"{edge.summary}\n{edge.abstract}\n{edge.body}".split())


def section_of(kept: Record, absorbed: Record, lines: Iterable[str] = ()) -> str:
    """Returns the section that keeps what ``absorbed`` says beyond ``kept``; may be empty.

    The same records give the same section, so that it is found again when they come apart.
    """
    said = kept.body
    parts: list[str] = []
    for text, standing in ((absorbed.summary, kept.summary), (absorbed.abstract, kept.abstract)):
        if text.strip() and standing and not _is_said(text, (standing, said, *parts)):
            parts.append(text.strip())
    body = absorbed.body.strip("\n")
    if body.strip() and not _is_said(body, (said, *parts)):
        parts.append(body)
    listed = [f"- {line}" for line in lines]
    if listed:
        parts.append("\n".join(listed))
    is_named = absorbed.kind == ENTITY_KIND or _is_said(absorbed.title, (kept.title, said, body))
    if not parts and is_named:
        return ""
    heading = "" if _starts_with_title(parts[:1], absorbed) else f"## {absorbed.title}\n\n"
    text = heading + "\n\n".join(parts)
    return text.rstrip("\n") + "\n"


# Merging ------------------------------------------------------------------------------------


def _merged_fields(kept: Record, absorbed: Record) -> tuple[Mapping[str, JsonValue], list[str]]:
    """Returns the fields of both, and in words those that say otherwise in the absorbed one."""
    fields: dict[str, JsonValue] = {**absorbed.fields, **kept.fields}
    lines: list[str] = []
    for name, value in absorbed.fields.items():
        standing = kept.fields.get(name)
        if standing is None or standing == value:
            continue
        if isinstance(standing, Mapping) and isinstance(value, Mapping):
            fields[name] = {**value, **standing}
            lines += [
                f"{key}: {_worded(item)}"
                for key, item in value.items()
                if key in standing and standing[key] != item
            ]
        elif _is_list(standing) and _is_list(value):
            fields[name] = list(_union(tuple(standing), tuple(value)))  # type: ignore[arg-type]
        else:
            lines.append(f"{name}: {_worded(value)}")
    if kept.kind != ENTITY_KIND and absorbed.subject not in ("", kept.subject):
        lines.append(f"subject: {absorbed.subject}")
    for name, value in absorbed.unknown.items():
        if name in kept.unknown and kept.unknown[name] != value:
            lines.append(f"{name}: {_worded(value)}")
    if kept.kind == ENTITY_KIND:
        fields[_ALIASES] = list(_aliases(kept, absorbed))
    return {name: value for name, value in fields.items() if value not in (None, [])}, lines


def _aliases(kept: Record, absorbed: Record) -> Iterator[str]:
    """Yields every name of both but the kept one's own, each once by its key."""
    known = {entity_key(kept.title)}
    for name in (*aliases_of(kept), absorbed.title, *aliases_of(absorbed)):
        key = entity_key(name)
        if key and key not in known:
            known.add(key)
            yield name


def aliases_of(record: Record) -> tuple[str, ...]:
    """Returns the other names of an entity as they are written."""
    listed = record.fields.get(_ALIASES)
    return tuple(map(str, listed)) if isinstance(listed, list | tuple) else ()


def _with_section(body: str, section: str) -> str:
    if not section:
        return body
    if not body.strip():
        return section
    return body.rstrip("\n") + "\n\n" + section


def _starts_with_title(parts: list[str], record: Record) -> bool:
    title = normalise_text(record.title).rstrip("…").rstrip()
    return bool(parts) and normalise_text(parts[0]).lstrip("# ").startswith(title)


def _is_said(text: str, where: Iterable[str]) -> bool:
    words = normalise_text(text)
    return not words or any(words in normalise_text(item) for item in where)


def _held(record: Record) -> tuple[object, ...]:
    return record.valid_from, record.valid_until


def _worded(value: JsonValue) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_worded(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_worded, value))
    return " ".join(str(value).split())


def _is_list(value: object) -> bool:
    return isinstance(value, list | tuple)


def _union(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*left, *right)))


def _without(names: tuple[str, ...], own: set[str]) -> tuple[str, ...]:
    return tuple(name for name in names if split_version(name)[0] not in own)


def _lower(left: _Ordered | None, right: _Ordered | None) -> _Ordered | None:
    """Returns the lower of what is said; nothing said bounds nothing."""
    return min((item for item in (left, right) if item is not None), default=None)
