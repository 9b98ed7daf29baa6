"""What the importers of JSON files share: files in order, items in order, nothing skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

from memfs.interop.json_items import RawItem, parse_item
from memfs.interop.port import DIGEST_DOMAIN, ImportItem
from memfs.interop.sources import (
    JSON_FILES,
    SourceError,
    SourceFile,
    item_of_problem,
    open_source,
    walk_source,
)
from memfs.model.digests import content_digest
from memfs.model.problem import Problem
from memfs.model.values import JsonValue

FileItems: TypeAlias = Iterator[ImportItem]
Splitter: TypeAlias = Callable[[BinaryIO], Iterator[RawItem]]
Reader: TypeAlias = Callable[[SourceFile, RawItem, str], FileItems]
_SAMPLE: Final = 10


def read_json_files(path: Path, below: str, name: str, split: Splitter, read: Reader) -> FileItems:
    """Yields the items of every JSON file at or below ``path``.

    ``read`` gets the file, one raw item, and the pointer ``import:<format>/<file>#<line>``.
    """
    for entry in walk_source(path, JSON_FILES, below):
        if isinstance(entry, Problem):
            yield item_of_problem(entry, source=f"import:{name}")
            continue
        source = f"import:{name}/{entry.relative}"
        try:
            stream = open_source(entry)
        except SourceError as error:
            yield item_of_problem(error.problem(), source=source)
            continue
        with stream:
            try:
                for item in split(stream):
                    yield from read(entry, item, f"{source}#{item.line}")
            except OSError as error:
                message = f"cannot read the file to its end: {error.strerror}"
                problem = Problem(entry.shown, 0, 0, SourceError.code, message)
                yield item_of_problem(problem, source=source)


def first_objects(path: Path, split: Splitter) -> list[Mapping[str, JsonValue]]:
    """Returns the objects among the first items of the first file at or below ``path``."""
    if path.suffix.lower() not in JSON_FILES and not path.is_dir():
        return []
    files = (entry for entry in walk_source(path, JSON_FILES) if isinstance(entry, SourceFile))
    first = next(files, None)
    if first is None:
        return []
    try:
        with open_source(first) as stream:
            values = [parse_item(item, first.shown) for item in islice(split(stream), _SAMPLE)]
    except (SourceError, OSError):
        return []
    return [value for value in values if not isinstance(value, Problem)]


def refused(item: RawItem, source: str, problem: Problem) -> ImportItem:
    """Returns an item that keeps its bytes and says what is wrong with it."""
    return ImportItem(
        draft=None,
        source=source,
        digest=content_digest(DIGEST_DOMAIN, item.data) if item.data else "",
        problems=(problem,),
        raw=item.data,
    )


def missing(file: SourceFile, item: RawItem, source: str, message: str) -> ImportItem:
    """Returns an item that lacks a field it cannot do without."""
    problem = Problem(file.shown, item.line, 0, "import.missing-field", message)
    return refused(item, source, problem)
