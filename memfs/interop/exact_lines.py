"""Items of JSON Lines that keep a line as it came, so that it can go out again field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memfs.errors import DataError
from memfs.formats.canonical import emit_value
from memfs.formats.foreign_line import LineError
from memfs.formats.kind_fields import grants_in
from memfs.interop.draft_bounds import pruned
from memfs.interop.json_items import RawItem, parse_item
from memfs.interop.json_source import FileItems, refused
from memfs.interop.port import DIGEST_DOMAIN, ImportItem
from memfs.interop.sources import SourceFile
from memfs.interop.wording import exact
from memfs.model.digests import content_digest
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record
from memfs.model.values import JsonValue

DraftFrom = Callable[[Mapping[str, JsonValue]], Record]
"""Makes a draft of a line; raises :class:`LineError` for one that is none of its format."""


def exact_item(file: SourceFile, item: RawItem, source: str, draft_from: DraftFrom) -> FileItems:
    """Yields the item of one line: a draft that can be written, or what is wrong with the line."""
    line = parse_item(item, file.shown)
    if isinstance(line, Problem):
        yield refused(item, source, line)
        return
    line, problems = _without_grants(file, item, line)
    try:
        draft = draft_from({name: exact(value) for name, value in line.items()})
        emit_value({**draft.fields, **draft.unknown})
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
