"""The digest of a source: of every file that an importer would look at, by place and content."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from memfs.interop.sources import (
    JSON_FILES,
    MARKDOWN,
    SourceError,
    open_source,
    walk_source,
)
from memfs.model.digests import content_digest
from memfs.model.problem import Problem

_PIECE: Final = 1 << 20


def source_digest(path: Path) -> str:
    """Returns a digest that changes when any file below ``path`` that counts does.

    What cannot be read counts with the reason why; nothing is written, no link is followed.
    """
    found = hashlib.sha256()
    for entry in walk_source(path, MARKDOWN | JSON_FILES):
        if isinstance(entry, Problem):
            found.update(f"{entry.code}\0{entry.path}\0".encode())
            continue
        found.update(entry.relative.encode("utf-8", "backslashreplace") + b"\0")
        try:
            with open_source(entry) as stream:
                inner = hashlib.sha256()
                while piece := stream.read(_PIECE):
                    inner.update(piece)
                found.update(inner.digest())
        except (SourceError, OSError) as error:
            found.update(f"{getattr(error, 'code', 'io')}\0".encode())
    return content_digest("migration-source", found.digest())
