"""A flat JSON array of nodes: ``id content importance tags relations timestamp``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from memfs.interop.json_items import RawItem, iter_elements, parse_item
from memfs.interop.json_source import (
    FileItems,
    first_objects,
    missing,
    read_json_files,
    refused,
)
from memfs.interop.markdown_notes import CLAIM_NAMES
from memfs.interop.port import DIGEST_DOMAIN, ImportItem
from memfs.interop.sources import SourceFile
from memfs.interop.wording import (
    foreign_fields,
    foreign_importance,
    foreign_instant,
    foreign_tags,
    one_line,
    tidy_body,
    title_from,
)
from memfs.model.digests import content_digest
from memfs.model.limits import TITLE_CHARS
from memfs.model.problem import Problem
from memfs.model.record import Record
from memfs.model.values import JsonValue

_TEXTS: Final = ("content", "text", "summary", "abstract")
_TIMES: Final = ("timestamp", "created_at", "created", "time")
_MARKS: Final = frozenset({"importance", "tags", "relations", *_TIMES})
_USED: Final = ("content", "tags", "title", "subject", "summary", "abstract")


class NodeJson:
    """Reads an array of memory nodes."""

    name = "node-json"

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
        draft=_draft(node, body),
        source=source,
        digest=content_digest(DIGEST_DOMAIN, item.data),
    )


def _draft(node: Mapping[str, JsonValue], body: str) -> Record:
    said_kind = _text(node, "kind", "type")
    kind = said_kind if said_kind in CLAIM_NAMES else "note"
    importance = node.get("importance")
    said = {key: value for key, value in node.items() if key not in _USED}
    weight = foreign_importance(importance)
    if importance == weight:
        said.pop("importance", None)
    happened = None
    for name in _TIMES:
        if (happened := foreign_instant(node.get(name))) is not None:
            said.pop(name, None)
            break
    for name in ("kind", "type"):
        if said.get(name) == kind:
            del said[name]
    title = one_line(_text(node, "title", "name"), TITLE_CHARS)
    summary = _text(node, "summary")
    return Record(
        kind=kind,
        title=title or title_from(summary) or title_from(body),
        body=body,
        subject=one_line(_text(node, "subject")),
        event_time=happened,
        importance=weight,
        tags=foreign_tags(node.get("tags")),
        summary=summary if tidy_body(summary) != body else "",
        abstract=_text(node, "abstract"),
        unknown=foreign_fields(NodeJson.name, said),
    )


def _text(node: Mapping[str, JsonValue], *names: str) -> str:
    for name in names:
        value = node.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip("\n")
    return ""
