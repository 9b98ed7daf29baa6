"""The manifest of a generation: which segments make up the index, and for which commit.

Readers read this file and nothing else to find out what to open, so one rename publishes a
whole change: new segments, deletions and the commit that they stand for.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from memfs.errors import IndexUnavailableError
from memfs.index.port import SCHEMA_VERSION
from memfs.model.frozen import frozen

MANIFEST_NAME: Final = "manifest.json"
_MAX_BYTES: Final = 64 * 1024 * 1024


@frozen
class SegmentEntry:
    """One segment: its name, the documents in it and the numbers of those deleted since."""

    name: str
    count: int
    deleted: frozenset[int] = frozenset()

    @property
    def live(self) -> int:
        """Number of documents that still stand."""
        return self.count - len(self.deleted)


@frozen
class Manifest:
    """What a generation holds.

    Attributes:
        store_id: The store whose records these are.
        ledger: The commit whose served view was indexed.
        settings: Digest of what is fixed at indexing.
        revision: Whoosh's own number of the commit that wrote the segments.
        segments: In document order.
    """

    store_id: str
    ledger: str
    settings: str
    revision: int
    segments: tuple[SegmentEntry, ...]

    @property
    def records(self) -> int:
        """Number of live documents."""
        return sum(segment.live for segment in self.segments)


def read_manifest(folder: Path) -> Manifest:
    """Reads the manifest of a generation folder.

    Raises:
        IndexUnavailableError: It is missing, unreadable or of another schema.
    """
    try:
        with (folder / MANIFEST_NAME).open("rb") as stream:
            data = json.loads(stream.read(_MAX_BYTES))
        if data["schema"] != SCHEMA_VERSION:
            raise IndexUnavailableError(
                f"expected index schema {SCHEMA_VERSION}, got {data['schema']!r}",
                code="index.other-schema",
            )
        return Manifest(
            store_id=str(data["store_id"]),
            ledger=str(data["ledger"]),
            settings=str(data["settings"]),
            revision=int(data["revision"]),
            segments=tuple(
                SegmentEntry(
                    name=str(item["name"]),
                    count=int(item["count"]),
                    deleted=frozenset(int(number) for number in item["deleted"]),
                )
                for item in data["segments"]
            ),
        )
    except OSError as error:
        raise IndexUnavailableError(
            f"expected an index manifest, got {error.strerror}", code="index.missing"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise IndexUnavailableError(
            "expected an index manifest, got something else", code="index.damaged"
        ) from error


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replaces the manifest of a generation folder in one step."""
    data = json.dumps(
        {
            "schema": SCHEMA_VERSION,
            "store_id": manifest.store_id,
            "ledger": manifest.ledger,
            "settings": manifest.settings,
            "revision": manifest.revision,
            "segments": [
                {"name": item.name, "count": item.count, "deleted": sorted(item.deleted)}
                for item in manifest.segments
            ],
        }
    ).encode("utf-8")
    replace_file(folder / MANIFEST_NAME, data)


def replace_file(path: Path, data: bytes) -> None:
    """Writes ``data`` beside ``path``, owner-only, and renames it into place."""
    staged = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        staged.replace(path)
    except BaseException:
        staged.unlink(missing_ok=True)
        raise
