"""What a draft may carry: no more than a record can hold, and nothing that grants an action.

What is too large, empty or no text comes back without its draft. A field of the source that
reads like a permission is left out and reported (A2): the claim may still be worth having.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from memfs.formats.kind_fields import grants_in
from memfs.interop.port import FOREIGN_FIELD, ImportItem
from memfs.interop.sources import printable
from memfs.model.limits import BODY_BYTES, LINE_CHARS, TEXT_CHARS
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record
from memfs.model.values import JsonValue

_TOO_LARGE: Final = "import.too-large"
_UNKNOWN_BYTES: Final = 16 * 1024
_UNKNOWN_DEPTH: Final = 8
_PLACE: Final = re.compile(r"#(?P<line>\d+)(?:\.\d+)?\Z")


def bounded_item(item: ImportItem, root: Path) -> ImportItem:
    """Returns an item found at or below ``root``, without its draft if no record could hold it."""
    if item.draft is None:
        return item
    refusal = _refusal_of(item, item.draft)
    if refusal is None:
        return _without_grants(item, item.draft, root)
    problem = _problem(item, root, *refusal)
    raw = item.raw or item.draft.body.encode()
    return replace(item, draft=None, problems=(*item.problems, problem), raw=raw)


def _without_grants(item: ImportItem, draft: Record, root: Path) -> ImportItem:
    said = draft.unknown.get(FOREIGN_FIELD)
    places = grants_in(said) if isinstance(said, dict) else []
    if not places:
        return item
    names = ", ".join(sorted({repr(place[-1]) for place in places}))
    message = f"left out {names}: no field can grant an action"
    problem = _problem(item, root, "import.grants-action", message)
    problem = replace(problem, severity=Severity.WARNING)
    kept = pruned(said, frozenset(places))
    unknown = {**draft.unknown, FOREIGN_FIELD: kept}
    draft = replace(draft, unknown=unknown)
    return replace(item, draft=draft, problems=(*item.problems, problem))


def pruned(
    value: JsonValue,
    places: frozenset[tuple[str | int, ...]],
    here: tuple[str | int, ...] = (),
) -> JsonValue:
    """Returns plain data without the members at ``places``."""
    if isinstance(value, Mapping):
        return {
            key: pruned(inner, places, (*here, key))
            for key, inner in value.items()
            if (*here, key) not in places
        }
    if isinstance(value, list):
        return [pruned(inner, places, (*here, number)) for number, inner in enumerate(value)]
    return value


def _problem(item: ImportItem, root: Path, code: str, message: str) -> Problem:
    place = _PLACE.search(item.source)
    path = item.source[: place.start() if place else None].partition("/")[2]
    shown = printable(str(root / path if root.is_dir() else root))
    return Problem(shown, int(place["line"]) if place else 0, 0, code, message)


def _refusal_of(item: ImportItem, draft: Record) -> tuple[str, str] | None:
    """Returns code and message of what keeps a draft from being a record."""
    if not draft.title:
        return "import.empty", "expected words, got none"
    size = len(draft.body.encode())
    if size > BODY_BYTES:
        return _TOO_LARGE, f"expected a body of at most {BODY_BYTES} bytes, got {size}"
    longest = max(len(draft.summary), len(draft.abstract))
    if longest > TEXT_CHARS:
        return _TOO_LARGE, f"expected a summary of at most {TEXT_CHARS} characters, got {longest}"
    size = len(json.dumps(draft.unknown, ensure_ascii=False, default=list))
    if size > _UNKNOWN_BYTES or _depth(draft.unknown) > _UNKNOWN_DEPTH:
        message = (
            f"expected at most {_UNKNOWN_BYTES} bytes and {_UNKNOWN_DEPTH} levels of other fields"
        )
        return _TOO_LARGE, message
    if len(item.source) > LINE_CHARS:
        return _TOO_LARGE, f"expected a path of at most {LINE_CHARS} characters"
    texts = (draft.body, draft.summary, draft.abstract, *_texts(draft.unknown))
    if any("\0" in text for text in texts):
        return "import.nul", "expected text, got a NUL character"
    return None


def _depth(value: object) -> int:
    return 1 + max(map(_depth, _inside(value)), default=0) if _inside(value) else 0


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    if isinstance(value, dict):
        yield from value
    for inner in _inside(value):
        yield from _texts(inner)


def _inside(value: object) -> tuple[object, ...]:
    match value:
        case dict():
            return tuple(value.values())
        case list() | tuple():
            return tuple(value)
        case _:
            return ()
