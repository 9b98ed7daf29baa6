"""A timeline in JSON Lines: one event a line, with the time it happened and how that is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from memfs.domains.timeline.lines import FORMAT, draft_from
from memfs.interop.exact_lines import exact_item
from memfs.interop.json_items import RawItem, iter_lines
from memfs.interop.json_source import FileItems, first_objects, read_json_files
from memfs.interop.port import ImportItem
from memfs.interop.sources import SourceFile
from memfs.model.event import EventSort

_SORTS: Final = frozenset(EventSort)


class Timeline:
    """Reads events, a line each."""

    name = FORMAT

    def detect(self, path: Path) -> float:
        """Sure when the first lines have a sort of event, a time it happened and words."""
        found = first_objects(path, iter_lines)
        known = sum(
            "event_time" in line
            and str(line.get("kind")) in _SORTS
            and not {"title", "text"}.isdisjoint(line)
            for line in found
        )
        return 0.95 if known and known * 2 >= len(found) else 0.0

    def read(self, path: Path, below: str = "") -> Iterator[ImportItem]:
        """Yields one event a line, in file order."""
        return read_json_files(path, below, self.name, iter_lines, _items_from_line)


def _items_from_line(file: SourceFile, item: RawItem, source: str) -> FileItems:
    return exact_item(file, item, source, draft_from)
