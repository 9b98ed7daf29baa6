"""The JSON lines of an issue tracker: one issue a line, every field of it kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from memfs.domains.runs.issue_key import tracker_key
from memfs.domains.runs.tracker_rows import RowParts, parts_of_row
from memfs.errors import DataError
from memfs.formats.canonical import emit_value
from memfs.formats.issue_log import encode_events
from memfs.formats.kind_fields import grants_in
from memfs.interop.draft_bounds import pruned
from memfs.interop.json_items import RawItem, iter_lines, parse_item
from memfs.interop.json_source import (
    FileItems,
    first_objects,
    missing,
    read_json_files,
    refused,
)
from memfs.interop.port import DIGEST_DOMAIN, ImportItem
from memfs.interop.sources import SourceFile
from memfs.interop.wording import foreign_tags
from memfs.model.digests import content_digest
from memfs.model.issue import ISSUE_KIND
from memfs.model.problem import Problem, Severity
from memfs.model.record import DEFAULT_IMPORTANCE, Record
from memfs.model.values import JsonValue

NAME: Final = "tracker"
_ID_CHARS: Final = 200
_ROW_BYTES: Final = 49_152
"""Longest rest of a row that fits the frontmatter of one file with all that memfs adds."""
_ROW_DEPTH: Final = 8
_MARKS: Final = frozenset(("status", "priority", "issue_type", "dependencies", "created_at"))
_ENOUGH_MARKS: Final = 2
_IMPORTANCE: Final = {0: 9, 1: 7, 2: 5, 3: 4, 4: 2}
"""What a priority from P0 to P4 comes to."""


class Tracker:
    """Reads the export of an issue tracker."""

    name = NAME

    def detect(self, path: Path) -> float:
        """Sure when the first lines have an id, a title, a status and what else issues have."""
        found = first_objects(path, iter_lines)
        known = sum(
            {"id", "title", "status"} <= row.keys() and len(_MARKS & row.keys()) >= _ENOUGH_MARKS
            for row in found
        )
        return 0.95 if known and known * 2 >= len(found) else 0.0

    def read(self, path: Path, below: str = "") -> Iterator[ImportItem]:
        """Yields one issue a line, in file order; an id that came before is a problem."""
        seen: dict[str, str] = {}

        def items_from(file: SourceFile, item: RawItem, source: str) -> FileItems:
            yield from _items_from(file, item, source, seen)

        return read_json_files(path, below, NAME, iter_lines, items_from)


def _items_from(file: SourceFile, item: RawItem, source: str, seen: dict[str, str]) -> FileItems:
    row = parse_item(item, file.shown)
    if isinstance(row, Problem):
        yield refused(item, source, row)
        return
    identifier, title = row.get("id"), row.get("title")
    if not isinstance(identifier, str) or not _is_plain(identifier):
        yield missing(file, item, source, "expected an issue with an 'id' on one line, got none")
        return
    if not isinstance(title, str) or not title.strip():
        yield missing(file, item, source, "expected an issue with a 'title', got none")
        return
    digest = content_digest(DIGEST_DOMAIN, item.data)
    if seen.setdefault(identifier, digest) != digest:
        message = f"expected an id of its own, got {identifier!r} again with other words"
        problem = Problem(file.shown, item.line, 0, "import.duplicate-id", message)
        yield refused(item, source, problem)
        return
    yield _item(file, item, source, row)


def _item(file: SourceFile, item: RawItem, source: str, row: Mapping[str, JsonValue]) -> ImportItem:
    said, problems = _without_grants(file, item, row)
    key = tracker_key(str(said["id"]))
    parts = parts_of_row(said, key)
    wrong = _fault_of(parts.tracker)
    if wrong:
        return refused(item, source, Problem(file.shown, item.line, 0, *wrong))
    problems += _remarks(file, item, said, parts)
    draft = Record(
        kind=ISSUE_KIND,
        title=parts.title,
        body=encode_events(parts.events),
        subject=key,
        tags=foreign_tags(said.get("labels")),
        importance=_importance(said.get("priority")),
        fields={"key": key, "tracker": dict(parts.tracker)},
    )
    return ImportItem(
        draft=draft,
        source=source,
        digest=content_digest(DIGEST_DOMAIN, item.data),
        problems=tuple(problems),
    )


def _is_plain(identifier: str) -> bool:
    return (
        0 < len(identifier) <= _ID_CHARS and identifier.isprintable() and bool(identifier.strip())
    )


def _without_grants(
    file: SourceFile, item: RawItem, row: Mapping[str, JsonValue]
) -> tuple[Mapping[str, JsonValue], list[Problem]]:
    """Leaves out fields that read like a permission: no record has one (A2)."""
    places = grants_in(dict(row))
    if not places:
        return row, []
    names = ", ".join(sorted({repr(place[-1]) for place in places}))
    message = f"left out {names}: no field can grant an action"
    problem = _remark(file, item, "import.grants-action", message)
    kept = pruned(dict(row), frozenset(places))
    return (kept if isinstance(kept, Mapping) else row), [problem]


def _fault_of(tracker: Mapping[str, JsonValue]) -> tuple[str, str] | None:
    """Returns what keeps the rest of a row from standing in a record file."""
    size = len(json.dumps(tracker, ensure_ascii=False).encode("utf-8", "replace"))
    if size > _ROW_BYTES or _depth(tracker) > _ROW_DEPTH:
        message = (
            f"expected at most {_ROW_BYTES} bytes and {_ROW_DEPTH} levels of fields, got {size}"
        )
        return "import.too-large", message
    try:
        emit_value(tracker)
    except DataError as error:
        return "import.unwritable", error.message
    return None


def _remarks(
    file: SourceFile, item: RawItem, row: Mapping[str, JsonValue], parts: RowParts
) -> list[Problem]:
    found = []
    if not parts.is_known_status:
        status = str(row.get("status"))[:_ID_CHARS]
        message = f"the status {status!r} is kept as it is and counts as {_state(parts)}"
        found.append(_remark(file, item, "import.unknown-status", message))
    if not parts.is_timed:
        message = "expected 'created_at' to be an instant with a zone, got none"
        found.append(_remark(file, item, "import.no-time", message))
    return found


def _state(parts: RowParts) -> str:
    from memfs.model.issue_fold import fold

    return str(fold(parts.events).state)


def _remark(file: SourceFile, item: RawItem, code: str, message: str) -> Problem:
    return Problem(file.shown, item.line, 0, code, message, severity=Severity.WARNING)


def _importance(priority: JsonValue) -> int:
    if isinstance(priority, bool) or not isinstance(priority, int):
        return DEFAULT_IMPORTANCE
    return _IMPORTANCE.get(priority, DEFAULT_IMPORTANCE)


def _depth(value: JsonValue) -> int:
    if isinstance(value, Mapping):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list | tuple):
        return 1 + max(map(_depth, value), default=0)
    return 0
