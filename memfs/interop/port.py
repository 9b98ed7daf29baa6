"""What an importer is: it reads a foreign format and yields items, and never writes.

An item is either a draft record or the bytes that could not become one, and always a
pointer into the source and a digest of what stood there, so that a second import of the
same source adds nothing (A77). Importers give no authority, and no claim an id or a status: what
an imported claim is worth is decided by policy, from the channel. Events, entities and edges keep
the id that they bring where it is free, and the mark of what took their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

from memfs.model.digests import IMPORT_DOMAIN
from memfs.model.frozen import frozen
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record

DIGEST_DOMAIN: Final = IMPORT_DOMAIN
"""Domain of the digests of imported items (see ``memfs.model.digests``)."""

FOREIGN_FIELD: Final = "foreign_fields"
"""The unknown field in which a draft keeps what its source said and no field of ours holds."""


@frozen
class ImportItem:
    """One thing found in a source.

    Attributes:
        draft: The claim; ``None`` when there is none to make of it.
        source: ``import:<format>/<relative path>`` and, inside a file, ``#<line>`` or
            ``#<line>.<number>``.
        digest: Digest of the bytes of this item; empty only when they were not read.
        problems: What is wrong or was left aside, with file and line.
        raw: The bytes of an item without a draft, exactly; empty when they are too many.
        cites: What the item itself points at, such as ``session:<id>#<turn>``; it becomes
            the source of the claim's origin, and ``source`` stays among the foreign fields.
        speaker: Who said it according to the transport (O51).
    """

    draft: Record | None
    source: str
    digest: str
    problems: tuple[Problem, ...] = ()
    raw: bytes = b""
    cites: str = ""
    speaker: str = ""

    @property
    def is_malformed(self) -> bool:
        """Whether something stood here that could not become a claim."""
        return any(problem.severity is Severity.ERROR for problem in self.problems)


class Importer(Protocol):
    """One foreign format."""

    @property
    def name(self) -> str:
        """Name of the format, as in ``--format``."""
        ...

    def detect(self, path: Path) -> float:
        """Tells how surely ``path`` is in this format, from 0 to 1; reads only its beginning."""
        ...

    def read(self, path: Path, below: str = "") -> Iterator[ImportItem]:
        """Yields the items of a file or folder in a stable order, one at a time.

        ``below`` is where ``path`` stands under what the person named, with a final slash.
        """
        ...
