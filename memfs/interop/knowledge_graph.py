"""A knowledge graph in JSON Lines: entities with observations, and relations between them.

One observation is one claim: its subject is the entity and its title names it, so that
"has a PhD" stays "Bob: has a PhD". Observations may be strings or objects with a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from memfs.interop.json_items import RawItem, iter_lines, parse_item
from memfs.interop.json_source import FileItems, first_objects, missing, read_json_files, refused
from memfs.interop.port import DIGEST_DOMAIN, FOREIGN_FIELD, ImportItem
from memfs.interop.sources import SourceFile
from memfs.interop.wording import (
    foreign_fields,
    foreign_instant,
    foreign_tags,
    one_line,
    tidy_body,
    title_from,
)
from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.limits import LINE_CHARS
from memfs.model.problem import Problem
from memfs.model.record import Record
from memfs.model.values import JsonValue

_ENTITY_KEYS: Final = ("type", "_type", "name", "entityType", "observations")
_RELATION_KEYS: Final = ("type", "_type", "from", "to", "relationType")
_TEXT_KEYS: Final = ("text", "content", "observation")
_TIME_KEYS: Final = ("timestamp", "time", "created_at", "createdAt")
_PLAIN_TYPES: Final = frozenset({"", "default", "entity", "unknown"})


class KnowledgeGraph:
    """Reads the file family of the reference memory server."""

    name = "knowledge-graph"

    def detect(self, path: Path) -> float:
        """Sure when the first lines are entities or relations."""
        found = first_objects(path, iter_lines)
        known = sum(_line_type(line) != "" for line in found)
        return 0.9 if known and known * 2 >= len(found) else 0.0

    def read(self, path: Path, below: str = "") -> Iterator[ImportItem]:
        """Yields the observations of each entity and each relation, in file order."""
        return read_json_files(path, below, self.name, iter_lines, _items_from_line)


def _line_type(line: Mapping[str, JsonValue]) -> str:
    said = line.get("type", line.get("_type"))
    if said == "relation" or ("relationType" in line and "from" in line and "to" in line):
        return "relation"
    if "name" in line and (said == "entity" or "entityType" in line):
        return "entity"
    return ""


def _items_from_line(file: SourceFile, item: RawItem, source: str) -> FileItems:
    line = parse_item(item, file.shown)
    if isinstance(line, Problem):
        yield refused(item, source, line)
        return
    match _line_type(line):
        case "entity":
            yield from _items_from_entity(file, item, source, line)
        case "relation":
            yield _item_from_relation(file, item, source, line)
        case _:
            message = "expected an entity or a relation, got another object"
            problem = Problem(file.shown, item.line, 0, "import.unknown-line", message)
            yield refused(item, source, problem)


def _items_from_entity(
    file: SourceFile, item: RawItem, source: str, line: Mapping[str, JsonValue]
) -> FileItems:
    name = _name(line.get("name"))
    observations = line.get("observations", [])
    if not name or not isinstance(observations, list):
        message = "expected an entity with a name and a list of observations"
        yield missing(file, item, source, message)
        return
    entity_type = str(line.get("entityType") or "")
    said: dict[str, JsonValue] = {"type": "entity", "entity_type": entity_type}
    said |= {key: value for key, value in line.items() if key not in _ENTITY_KEYS}
    if not observations:
        yield _claim(f"{source}.0", name, entity_text(name, entity_type), said, None)
    for number, observation in enumerate(observations, 1):
        text, happened, extra = _observation(observation)
        if not text.strip():
            message = f"expected text in observation {number} of {name!r}, got none"
            yield missing(file, item, f"{source}.{number}", message)
            continue
        yield _claim(f"{source}.{number}", name, text, said | extra, happened)


def _name(value: JsonValue) -> str:
    return one_line(value, LINE_CHARS) if isinstance(value, str) else ""


def _observation(value: JsonValue) -> tuple[str, JsonValue, dict[str, JsonValue]]:
    """Returns text, time and other fields of an observation in either form."""
    if isinstance(value, str):
        return value, None, {}
    if not isinstance(value, Mapping):
        return "", None, {}
    text = next((found for key in _TEXT_KEYS if isinstance(found := value.get(key), str)), "")
    time = next((found for key in _TIME_KEYS if (found := value.get(key)) is not None), None)
    rest = {key: found for key, found in value.items() if key not in (*_TEXT_KEYS, *_TIME_KEYS)}
    return text, time, rest


def _claim(
    source: str,
    name: str,
    text: str,
    said: dict[str, JsonValue],
    time: JsonValue,
) -> ImportItem:
    happened = foreign_instant(time)
    if happened is None:
        said = said | {"time": time}
    draft = replace(observation_draft(name, text, said), event_time=happened)
    digest = content_digest(DIGEST_DOMAIN, f"{name}\0{text}\0{time}".encode())
    return ImportItem(draft=draft, source=source, digest=digest)


def observation_draft(name: str, text: str, said: Mapping[str, JsonValue]) -> Record:
    """Returns the claim that an observation of an entity makes.

    Args:
        name: The entity, on one line.
        text: The observation.
        said: What else its source says: ``type`` is ``entity``, and ``entity_type``.
    """
    entity_type = str(said.get("entity_type", ""))
    line = title_from(text)
    return Record(
        kind="note",
        title=one_line(line if line.startswith(name) else f"{name}: {line}"),
        body=tidy_body(text),
        subject=name,
        tags=() if entity_type in _PLAIN_TYPES else foreign_tags([entity_type]),
        entities=(name,),
        unknown=foreign_fields(KnowledgeGraph.name, said),
    )


def entity_text(name: str, entity_type: str) -> str:
    """Returns the words of an entity of which nothing was observed."""
    return f"{name} ({entity_type})" if entity_type else name


def relation_draft(start: str, end: str, label: str, said: Mapping[str, JsonValue]) -> Record:
    """Returns the claim that a relation makes; ``said`` is what else its source says."""
    sentence = f"{start} {label.replace('_', ' ').strip() or label} {end}"
    kept: dict[str, JsonValue] = {"type": "relation", "from": start, "to": end, "relation": label}
    return Record(
        kind="note",
        title=one_line(sentence),
        body=tidy_body(sentence),
        subject=start,
        tags=("relation",),
        entities=tuple(dict.fromkeys((start, end))),
        unknown=foreign_fields(KnowledgeGraph.name, kept | dict(said)),
    )


@frozen
class GraphStatement:
    """What one record says of a graph.

    Attributes:
        name: The entity, or where a relation starts.
        type: Type of the entity, or of the relation.
        observation: What was observed; empty for an entity alone, and for a relation.
        end: Where a relation leads; empty for an entity.
    """

    name: str
    type: str
    observation: str = ""
    end: str = ""


def statement_of(record: Record) -> GraphStatement | None:
    """Returns what a record says of a graph; ``None`` where it came from none.

    The words of the record are what counts, and the fields only tell what they are words of.
    """
    said = record.unknown.get(FOREIGN_FIELD)
    if not isinstance(said, Mapping) or said.get("format") != KnowledgeGraph.name:
        return None
    if said.get("type") == "relation":
        start, end, label = (str(said.get(key) or "") for key in ("from", "to", "relation"))
        return GraphStatement(name=start, type=label, end=end) if start and end and label else None
    name = record.subject or next(iter(record.entities), "")
    if not name:
        return None
    entity_type = str(said.get("entity_type") or "")
    words = record.body.removesuffix("\n")
    is_entity_alone = words == entity_text(name, entity_type)
    return GraphStatement(name=name, type=entity_type, observation="" if is_entity_alone else words)


def _item_from_relation(
    file: SourceFile, item: RawItem, source: str, line: Mapping[str, JsonValue]
) -> ImportItem:
    start, end, label = (_name(line.get(key)) for key in ("from", "to", "relationType"))
    if not (start and end and label):
        message = "expected a relation with 'from', 'to' and 'relationType'"
        return missing(file, item, source, message)
    said = {key: value for key, value in line.items() if key not in _RELATION_KEYS}
    draft = relation_draft(start, end, label, said)
    return ImportItem(draft=draft, source=source, digest=content_digest(DIGEST_DOMAIN, item.data))
