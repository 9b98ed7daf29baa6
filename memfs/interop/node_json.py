"""A flat JSON array of nodes: ``id content importance tags relations timestamp``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from memfs.domains.nodes.imported import NODE_JSON
from memfs.formats.foreign_line import kept_otherwise
from memfs.interop.json_items import RawItem, iter_elements, parse_item
from memfs.interop.json_source import (
    FileItems,
    first_objects,
    missing,
    read_json_files,
    refused,
)
from memfs.interop.markdown_notes import CLAIM_NAMES
from memfs.interop.port import DIGEST_DOMAIN, FOREIGN_FIELD, ImportItem
from memfs.interop.sources import SourceFile
from memfs.interop.wording import (
    exact,
    foreign_fields,
    foreign_importance,
    foreign_instant,
    foreign_tags,
    one_line,
    tidy_body,
    title_from,
)
from memfs.model.authority import Sensitivity
from memfs.model.digests import content_digest
from memfs.model.ids import RECORD_PREFIX, is_id
from memfs.model.instants import format_instant
from memfs.model.limits import TITLE_CHARS
from memfs.model.problem import Problem
from memfs.model.record import Record
from memfs.model.values import JsonValue

_TEXTS: Final = ("content", "text", "summary", "abstract")
_TIMES: Final = ("timestamp", "created_at", "created", "time")
_MARKS: Final = frozenset({"importance", "tags", "relations", *_TIMES})
_SESSION: Final = ("session", "session_name")
_USED: Final = (
    "content",
    "tags",
    "title",
    "subject",
    "summary",
    "abstract",
    "entities",
    "sensitivity",
    *_SESSION,
)


class NodeJson:
    """Reads an array of memory nodes."""

    name = NODE_JSON

    def detect(self, path: Path) -> float:
        """Sure when the first elements have content and a mark of a memory node."""
        found = first_objects(path, iter_elements)
        known = sum(bool(_text(node, *_TEXTS)) and not _MARKS.isdisjoint(node) for node in found)
        return 0.85 if known and known * 2 >= len(found) else 0.0

    def read(self, path: Path, below: str = "") -> Iterator[ImportItem]:
        """Yields one claim a node, in file order."""
        return read_json_files(path, below, self.name, iter_elements, _items_from_node)


def _items_from_node(file: SourceFile, item: RawItem, source: str) -> FileItems:
    node = parse_item(item, file.shown)
    if isinstance(node, Problem):
        yield refused(item, source, node)
        return
    body = tidy_body(_text(node, *_TEXTS))
    if not body:
        yield missing(file, item, source, "expected a node with 'content', got none")
        return
    yield ImportItem(
        draft=_with_rest(draft_from(node), node),
        source=source,
        digest=content_digest(DIGEST_DOMAIN, item.data),
    )


def draft_from(node: Mapping[str, JsonValue]) -> Record:
    """Returns the draft of what a node says in fields of ours; an id of ours is kept."""
    body = tidy_body(_text(node, *_TEXTS))
    kind = _kind(node)
    happened = next((it for name in _TIMES if (it := foreign_instant(node.get(name)))), None)
    title = one_line(_text(node, "title", "name"), TITLE_CHARS)
    summary = _text(node, "summary")
    identifier = _text(node, "id")
    session = {name: one_line(_text(node, name)) for name in _SESSION} if kind == "note" else {}
    return Record(
        kind=kind,
        id=identifier if is_id(identifier, RECORD_PREFIX) else "",
        title=title or title_from(summary) or title_from(body),
        body=body,
        subject=one_line(_text(node, "subject")),
        event_time=happened,
        importance=foreign_importance(node.get("importance")),
        tags=foreign_tags(node.get("tags")),
        entities=foreign_tags(node.get("entities")),
        summary=summary if tidy_body(summary) != body else "",
        abstract=_text(node, "abstract"),
        sensitivity=_sensitivity(_text(node, "sensitivity")),
        fields={name: value for name, value in session.items() if value},
    )


def own_line(record: Record) -> dict[str, JsonValue]:
    """Returns a node as a line of ours, without what is empty."""
    title = record.title
    is_made = title in (title_from(record.summary), title_from(record.body))
    is_plain = record.sensitivity is Sensitivity.NORMAL
    line: dict[str, JsonValue] = {
        "id": record.id,
        "kind": "" if record.kind == "note" else record.kind,
        "title": "" if is_made else title,
        "summary": record.summary,
        "abstract": record.abstract,
        "content": record.body.removesuffix("\n"),
        "importance": record.importance,
        "tags": list(record.tags),
        "subject": record.subject,
        "entities": list(record.entities),
        "timestamp": format_instant(record.event_time) if record.event_time else "",
        **{name: record.fields.get(name) for name in _SESSION},
        "sensitivity": "" if is_plain else record.sensitivity.label,
    }
    return {name: value for name, value in line.items() if value not in (None, "", [])}


def _with_rest(draft: Record, node: Mapping[str, JsonValue]) -> Record:
    """Returns a draft with what its source said otherwise, or in fields that are not ours."""
    said = {key: value for key, value in node.items() if key not in _USED}
    if node.get("importance") == draft.importance:
        said.pop("importance", None)
    if draft.id:
        said.pop("id")
    for name in _TIMES:
        if foreign_instant(node.get(name)) is not None:
            said.pop(name, None)
            break
    for name in ("kind", "type"):
        if said.get(name) == draft.kind:
            del said[name]
    kept = dict(_mapping(foreign_fields(NodeJson.name, said)[FOREIGN_FIELD]))
    exactly = {name: exact(value) for name, value in node.items()}
    differing = _mapping(kept_otherwise(NodeJson.name, exactly, own_line(draft)).get(FOREIGN_FIELD))
    otherwise = {
        name: value
        for name, value in _mapping(differing.get("otherwise")).items()
        if kept.get(name) != value
    }
    without = [name for name in ("scope", "ingestion_time") if name not in node]
    missing = differing.get("without")
    without += list(map(str, missing)) if isinstance(missing, list | tuple) else []
    kept |= {"otherwise": otherwise} if otherwise else {}
    return replace(draft, unknown={FOREIGN_FIELD: {**kept, "without": list[JsonValue](without)}})


def _sensitivity(label: str) -> Sensitivity:
    try:
        return Sensitivity.from_label(label) if label else Sensitivity.NORMAL
    except ValueError:
        return Sensitivity.NORMAL


def _mapping(value: JsonValue) -> Mapping[str, JsonValue]:
    return value if isinstance(value, Mapping) else {}


def _kind(node: Mapping[str, JsonValue]) -> str:
    said = _text(node, "kind", "type")
    return said if said in CLAIM_NAMES else "note"


def _text(node: Mapping[str, JsonValue], *names: str) -> str:
    for name in names:
        value = node.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip("\n")
    return ""
