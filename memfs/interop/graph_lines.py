"""A graph in JSON Lines: entities and the edges between them, one a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memfs.domains.graph.lines import FORMAT, draft_from, is_edge_line, is_entity_line
from memfs.interop.exact_lines import exact_item
from memfs.interop.json_items import RawItem, iter_lines
from memfs.interop.json_source import FileItems, first_objects, read_json_files
from memfs.interop.port import ImportItem
from memfs.interop.sources import SourceFile


class GraphLines:
    """Reads entities and edges, a line each."""

    name = FORMAT

    def detect(self, path: Path) -> float:
        """Sure when the first lines have what entities have, or both ends and a relation."""
        found = first_objects(path, iter_lines)
        known = sum(is_entity_line(line) or is_edge_line(line) for line in found)
        return 0.95 if known and known * 2 >= len(found) else 0.0

    def read(self, path: Path, below: str = "") -> Iterator[ImportItem]:
        """Yields one entity or edge a line, in file order."""
        return read_json_files(path, below, self.name, iter_lines, _items_from_line)


def _items_from_line(file: SourceFile, item: RawItem, source: str) -> FileItems:
    return exact_item(file, item, source, draft_from)
