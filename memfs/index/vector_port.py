"""What a place that holds vectors is asked; files in the cache, or a server, stand behind it.

A place holds points: the id of a record, the blob that was embedded, the domain that the record is
read in, and the vector. Never a word, a name or a path (E48). The id of a point says nothing of
content or model (the model has a place of its own), so that a record has one point whatever
it says. What comes back only says where to look: callers re-read and re-check each record.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Final, Protocol

from memfs.model.frozen import frozen

_SLUG: Final = re.compile(r"[^a-z0-9]+")
_SLUG_CHARS: Final = 24
_NOTHING: Final[Mapping[str, tuple[str, str]]] = MappingProxyType({})


@frozen
class VectorPoint:
    """One record's vector.

    Attributes:
        id: The record.
        blob: The bytes that were embedded.
        domain: Digest of everything that access to the record depends on.
        vector: Of length 1, or of zeros where there was nothing to say.
    """

    id: str
    blob: str
    domain: str
    vector: Sequence[float]


@frozen
class VectorHit:
    """A point that is near; ``score`` is the cosine, -1 to 1."""

    id: str
    blob: str
    score: float


@frozen
class VectorManifest:
    """What a place holds (E35).

    Attributes:
        model: Name of the model.
        dimension: Length of every vector; 0 while there is none.
        ledger: The commit that the points were last brought up to; empty while that goes on.
        entries: Blob and domain by id.
        stale: Records whose point was of other bytes and that could not be embedded again.
        unpurged: Records whose points are still to be taken out of a server.
    """

    model: str
    dimension: int = 0
    ledger: str = ""
    entries: Mapping[str, tuple[str, str]] = field(default_factory=lambda: _NOTHING)
    stale: tuple[str, ...] = ()
    unpurged: tuple[str, ...] = ()


class VectorPlace(Protocol):
    """Holds the vectors of one store and one model."""

    @property
    def is_remote(self) -> bool:
        """Whether points leave this machine: then only what may, is put there."""
        ...

    def manifest(self) -> VectorManifest:
        """Returns what it holds; of a place that nobody wrote to, nothing."""
        ...

    def held(self) -> Mapping[str, str]:
        """Returns the blob by id of every point that is really there, each looked at.

        Raises:
            IndexUnavailableError: It cannot be read.
        """
        ...

    def put(self, points: Sequence[VectorPoint]) -> None:
        """Adds points, each in the place of the one that its record had.

        Raises:
            IndexUnavailableError: It cannot be written.
        """
        ...

    def settle(self, kept: Collection[str], *, ledger: str, stale: Collection[str] = ()) -> int:
        """Takes away every point but those of ``kept``, and notes what it stands for now.

        Returns:
            How many were taken away.

        Raises:
            IndexUnavailableError: It cannot be written.
        """
        ...

    def scores(self, vector: Sequence[float], blobs: Collection[str]) -> Mapping[str, float]:
        """Returns the cosines of the points of ``blobs``, by blob; those it does not have lack.

        Raises:
            IndexUnavailableError: It cannot be read.
        """
        ...

    def others(self) -> Iterable[VectorPlace]:
        """Returns the places that models of before left for the same store, where this one is."""
        ...

    def nearest(
        self, vector: Sequence[float], limit: int, domains: Collection[str]
    ) -> tuple[VectorHit, ...]:
        """Returns the nearest points of ``domains``, nearest first, ties by id.

        Raises:
            IndexUnavailableError: It cannot be read.
        """
        ...


def place_name(model: str) -> str:
    """Returns the name of the place of a model: readable, and the same for no two of them."""
    digest = hashlib.blake2b(model.encode("utf-8", "replace"), digest_size=6).hexdigest()
    slug = _SLUG.sub("-", model.casefold()).strip("-")[:_SLUG_CHARS].strip("-")
    return f"{slug}-{digest}" if slug else digest


def domain_of(gate: str) -> str:
    """Returns the digest of a gate of the index."""
    return hashlib.blake2b(gate.encode("utf-8", "replace"), digest_size=8).hexdigest()
