"""The manifest of a place that lies elsewhere, as a file in the private cache folder (E35)."""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from memfs.index.manifest import replace_file
from memfs.index.vector_port import VectorManifest

_VERSION: Final = 1
_MOST_BYTES: Final = 256 * 1024 * 1024


def read_manifest_file(path: Path, model: str = "") -> VectorManifest | None:
    """Returns the manifest; ``None`` where there is none of this model that can be read."""
    try:
        with path.open("rb") as stream:
            value = json.loads(stream.read(_MOST_BYTES))
        if value["v"] != _VERSION or (model and value["model"] != model):
            return None
        return VectorManifest(
            model=str(value["model"]),
            dimension=int(value["dimension"]),
            ledger=str(value["ledger"]),
            entries={str(k): (str(v[0]), str(v[1])) for k, v in value["entries"].items()},
            stale=tuple(map(str, value["stale"])),
            unpurged=tuple(map(str, value["unpurged"])),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return None


def write_manifest_file(path: Path, manifest: VectorManifest) -> None:
    """Writes a manifest whole, owner-only.

    Raises:
        OSError: It cannot be written.
    """
    value = {
        "v": _VERSION,
        "model": manifest.model,
        "dimension": manifest.dimension,
        "ledger": manifest.ledger,
        "stale": list(manifest.stale),
        "unpurged": list(manifest.unpurged),
        "entries": {name: list(manifest.entries[name]) for name in sorted(manifest.entries)},
    }
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_file(path, json.dumps(value, separators=(",", ":")).encode("ascii"))


def note_unpurged(folder: Path, gone: Collection[str]) -> bool:
    """Notes in every manifest of ``folder`` that points are still to be taken out of a server.

    Args:
        folder: Where the manifests are.
        gone: Records that must have no point.

    Returns:
        Whether there was anything to note.
    """
    is_noted = False
    for path in sorted(folder.glob("*.json")):
        manifest = read_manifest_file(path)
        if manifest is None:
            continue
        named = manifest.entries.keys() & set(gone)
        if named:
            kept = {k: v for k, v in manifest.entries.items() if k not in named}
            unpurged = tuple(sorted({*manifest.unpurged, *named}))
            with suppress(OSError):
                write_manifest_file(path, replace(manifest, entries=kept, unpurged=unpurged))
            is_noted = True
    return is_noted
