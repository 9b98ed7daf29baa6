"""Which line of a file of vectors is whose: the manifest of a place in files (E35)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from memfs.index.vector_port import VectorManifest
from memfs.model.frozen import frozen

_VERSION: Final = 1
_MOST_BYTES: Final = 256 * 1024 * 1024
_MOST_DIMENSION: Final = 65_536
_MOST_WIDTH: Final = 1_048_576


@frozen
class Lines:
    """The manifest, and where each point lies.

    Attributes:
        manifest: What the file holds.
        width: Length of a line in bytes.
        count: Lines that were written, those included that stand for nothing any more.
        rows: Number of its line by id.
        by_blob: Id by blob.
    """

    manifest: VectorManifest
    width: int
    count: int
    rows: Mapping[str, int]
    by_blob: Mapping[str, str]

    def blob_of(self, name: str) -> str:
        """Returns the blob that the point of a record was made of."""
        return self.manifest.entries[name][0]


def no_lines(model: str) -> Lines:
    """Returns the table of a place that nobody wrote to."""
    return Lines(manifest=VectorManifest(model=model), width=0, count=0, rows={}, by_blob={})


@lru_cache(maxsize=8)
def read_table(path: Path, mark: tuple[int, ...], model: str) -> Lines:
    """Reads a manifest once for each time that it was written; a damaged one holds nothing."""
    del mark  # part of the key: another file is read anew
    try:
        with path.open("rb") as stream:
            value = json.loads(stream.read(_MOST_BYTES))
        if value["v"] != _VERSION or value["model"] != model:
            return no_lines(model)
        entries = {str(k): (str(v[0]), str(v[1])) for k, v in value["entries"].items()}
        rows = {str(k): int(v[2]) for k, v in value["entries"].items()}
        manifest = VectorManifest(
            model=model,
            dimension=int(value["dimension"]),
            ledger=str(value["ledger"]),
            entries=entries,
            stale=tuple(map(str, value["stale"])),
        )
        width, count = int(value["width"]), int(value["count"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return no_lines(model)
    is_sound = 0 <= manifest.dimension <= _MOST_DIMENSION and 0 <= width <= _MOST_WIDTH
    if not is_sound or count < 0 or any(not 0 <= row < count for row in rows.values()):
        return no_lines(model)
    by_blob = {blob: name for name, (blob, _) in entries.items()}
    return Lines(manifest=manifest, width=width, count=count, rows=rows, by_blob=by_blob)


def encode_table(lines: Lines) -> bytes:
    """Returns the manifest with the number of each line, as it is written."""
    manifest = lines.manifest
    value = {
        "v": _VERSION,
        "model": manifest.model,
        "dimension": manifest.dimension,
        "ledger": manifest.ledger,
        "width": lines.width,
        "count": lines.count,
        "stale": list(manifest.stale),
        "entries": {
            name: [*manifest.entries[name], lines.rows[name]] for name in sorted(manifest.entries)
        },
    }
    return json.dumps(value, separators=(",", ":")).encode("ascii")


def model_of(path: Path) -> str | None:
    """Returns the model of a manifest; ``None`` where it cannot be read."""
    try:
        with path.open("rb") as stream:
            value = json.loads(stream.read(_MOST_BYTES))
        return str(value["model"]) if value["v"] == _VERSION else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
