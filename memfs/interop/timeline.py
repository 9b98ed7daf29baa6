"""A timeline in JSON Lines: one event a line, with the time it happened and how that is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from memfs.domains.timeline.lines import FORMAT, draft_from
from memfs.errors import DataError
from memfs.formats.canonical import emit_value
from memfs.formats.foreign_line import FOREIGN, LineError
from memfs.formats.kind_fields import grants_in
from memfs.interop.draft_bounds import pruned
from memfs.interop.json_items import RawItem, iter_lines, parse_item
from memfs.interop.json_source import FileItems, first_objects, read_json_files, refused
from memfs.interop.port import DIGEST_DOMAIN, ImportItem
from memfs.interop.sources import SourceFile
from memfs.interop.wording import exact
from memfs.model.digests import content_digest
from memfs.model.event import EventSort
from memfs.model.problem import Problem, Severity
from memfs.model.values import JsonValue

_SORTS: Final = frozenset(EventSort)


class Timeline:
    """Reads events, a line each."""

    name = FORMAT

    def detect(self, path: Path) -> float:
        """Sure when the first lines have a sort of event, a time it happened and words."""
        found = first_objects(path, iter_lines)
        known = sum(
            "event_time" in line
            and line.get("kind") in _SORTS
            and not {"title", "text"}.isdisjoint(line)
            for line in found
        )
        return 0.95 if known and known * 2 >= len(found) else 0.0

    def read(self, path: Path, below: str = "") -> Iterator[ImportItem]:
        """Yields one event a line, in file order."""
        return read_json_files(path, below, self.name, iter_lines, _items_from_line)


def _items_from_line(file: SourceFile, item: RawItem, source: str) -> FileItems:
    line = parse_item(item, file.shown)
    if isinstance(line, Problem):
        yield refused(item, source, line)
        return
    line, problems = _without_grants(file, item, line)
    try:
        draft = draft_from({name: exact(value) for name, value in line.items()})
        emit_value(draft.unknown.get(FOREIGN))
    except LineError as error:
        yield refused(item, source, Problem(file.shown, item.line, 0, error.code, str(error)))
        return
    except DataError as error:
        problem = Problem(file.shown, item.line, 0, "import.unwritable", error.message)
        yield refused(item, source, problem)
        return
    yield ImportItem(
        draft=draft,
        source=source,
        digest=content_digest(DIGEST_DOMAIN, item.data),
        problems=problems,
    )


def _without_grants(
    file: SourceFile, item: RawItem, line: Mapping[str, JsonValue]
) -> tuple[Mapping[str, JsonValue], tuple[Problem, ...]]:
    """Leaves out fields that read like a permission: no record has one (A2)."""
    places = grants_in(dict(line))
    if not places:
        return line, ()
    names = ", ".join(sorted({repr(place[-1]) for place in places}))
    message = f"left out {names}: no field can grant an action"
    problem = Problem(
        file.shown, item.line, 0, "import.grants-action", message, severity=Severity.WARNING
    )
    kept = pruned(dict(line), frozenset(places))
    return (kept if isinstance(kept, Mapping) else line), (problem,)
