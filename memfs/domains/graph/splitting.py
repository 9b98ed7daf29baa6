"""One record that means two things becomes two: which words, names and edges go with the second.

Pure. The first keeps its id, so that whatever names it still finds it; the second is a record of
its own, worth no more and kept as closely as the first. What moves stood in the first word for
word; nothing is dropped, and an abstract stays with both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from memfs.domains.graph.merging import MERGED_KINDS, aliases_of
from memfs.model.authority import Sensitivity
from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.graph import ENTITY_KIND
from memfs.model.naming import entity_key
from memfs.model.record import Record
from memfs.model.values import JsonValue
from memfs.policy.reasons import reason
from memfs.policy.withdrawal import is_standing

SPLIT_RELATION: Final = "split into"
"""The relation of the edge from the first to the second."""
_HEADING: Final = re.compile(r"(?P<marks>#{1,6})\s+(?P<text>.*?)\s*#*\s*\Z")
_FENCE: Final = re.compile(r"\s{0,3}(?:```|~~~)")


@frozen
class Part:
    """What goes with the second record.

    Attributes:
        title: What it is called.
        text: Words of the first that move to it, exactly as they stand there; may be empty.
        section: Heading of a section of the first that moves to it; may be empty.
        summary: Its own summary; empty for none.
        abstract: Its own abstract; empty for that of the first.
        entity_type: What sort of thing it is; empty for that of the first.
        aliases: Names of the first that are names of the second.
        attributes: Names of attributes that move.
        edges: Ids of edges that move; empty to draw every edge at both.
    """

    title: str
    text: str = ""
    section: str = ""
    summary: str = ""
    abstract: str = ""
    entity_type: str = ""
    aliases: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    edges: tuple[str, ...] = ()


def check_split(record: Record, part: Part) -> tuple[Reason, ...]:
    """Returns every reason why a record cannot be split so; empty where it can."""
    known = {entity_key(name) for name in aliases_of(record)}
    attributes = _attributes(record)
    faults = (
        ("split.kind", record.kind not in MERGED_KINDS),
        ("merge.sealed", record.sensitivity is Sensitivity.SEALED),
        ("record.not-active", not is_standing(record)),
        ("split.title", not entity_key(part.title)),
        ("split.same-name", entity_key(part.title) == entity_key(record.title)),
        ("split.text", _passage(record.body, part) is None),
        (
            "split.alias",
            any(entity_key(name) not in known for name in part.aliases)
            or any(name not in attributes for name in part.attributes),
        ),
    )
    return tuple(reason(code) for code, is_so in faults if is_so)


def split_off(record: Record, part: Part) -> tuple[Record, Record]:
    """Returns what the first says without the part, and the second as a draft without an id."""
    passage = _passage(record.body, part) or ""
    own = {entity_key(name) for name in (part.title, *part.aliases)}
    aliases = aliases_of(record)
    attributes = _attributes(record)
    first = replace(
        record,
        body=_body_without(record.body, passage),
        fields=_fields(
            record,
            aliases=tuple(name for name in aliases if entity_key(name) not in own),
            attributes={k: v for k, v in attributes.items() if k not in part.attributes},
            entity_type=_type(record),
        ),
    )
    title_key = entity_key(part.title)
    names = (name for name in aliases if entity_key(name) in own - {title_key})
    second = replace(
        record,
        id="",
        title=" ".join(part.title.split()),
        subject=title_key if record.kind == ENTITY_KIND else "",
        body=passage and passage.rstrip("\n") + "\n",
        version=1,
        summary=part.summary,
        abstract=part.abstract or record.abstract,
        supersedes=(),
        conflicts=(),
        relations=(),
        fields=_fields(
            record,
            aliases=tuple(names),
            attributes={k: v for k, v in attributes.items() if k in part.attributes},
            entity_type=part.entity_type or _type(record),
        ),
    )
    return first, second


def _fields(
    record: Record,
    *,
    aliases: tuple[str, ...],
    attributes: Mapping[str, JsonValue],
    entity_type: str,
) -> Mapping[str, JsonValue]:
    if record.kind != ENTITY_KIND:
        return record.fields
    named: dict[str, JsonValue] = {
        **record.fields,
        "aliases": list(aliases),
        "attributes": dict(attributes),
        "entity_type": entity_type,
    }
    return {name: value for name, value in named.items() if value not in ("", [], {})}


def _type(record: Record) -> str:
    return str(record.fields.get("entity_type") or "")


def _attributes(record: Record) -> Mapping[str, JsonValue]:
    value = record.fields.get("attributes")
    return value if isinstance(value, Mapping) else {}


def _passage(body: str, part: Part) -> str | None:
    """Returns the words that move, as they stand; empty for none, ``None`` where they do not."""
    if part.section:
        return _section(body, part.section)
    text = part.text.strip("\n")
    if not text.strip():
        return ""
    return text if text in body else None


def _section(body: str, heading: str) -> str | None:
    """Returns the section below a heading, with it, to the next heading of its rank."""
    wanted = " ".join(heading.lstrip("# ").split()).casefold()
    found: list[str] = []
    rank = 0
    is_code = False
    for line in body.split("\n"):
        is_code = is_code != bool(_FENCE.match(line))
        head = None if is_code else _HEADING.match(line)
        if rank and head is not None and len(head["marks"]) <= rank:
            break
        if not rank and head is not None and " ".join(head["text"].split()).casefold() == wanted:
            rank = len(head["marks"])
        if rank:
            found.append(line)
    return "\n".join(found).strip("\n") if rank else None


def _body_without(body: str, passage: str) -> str:
    if not passage:
        return body
    head, _, tail = body.partition(passage)
    kept = [part.strip("\n") for part in (head, tail) if part.strip()]
    return "\n\n".join(kept) + "\n" if kept else ""
