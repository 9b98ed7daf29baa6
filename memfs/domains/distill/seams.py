"""What the stages are given: sources, an extractor, and the ways into memory. Protocols alone.

Distillation knows no other domain. Whoever composes memfs joins them here, so that a source, a
model in place of the rules, or another projection is one more value and no other stage changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Protocol

from memfs.domains.distill.material import Material
from memfs.domains.distill.products import ClaimFound, Product
from memfs.domains.distill.state import Part
from memfs.model.result import Result
from memfs.model.values import JsonValue


class Source(Protocol):
    """Where material comes from: commits, runs, sessions."""

    @property
    def is_seen(self) -> bool:
        """Whether memfs itself saw what it tells of, instead of somebody saying it."""
        ...

    def collect(self, mark: JsonValue, limit: int) -> Part:
        """Returns pointers to what is new since ``mark``, oldest first, at most ``limit``.

        The part's mark holds once exactly these are done. No items: nothing is new.
        """
        ...

    def read(self, items: Sequence[str]) -> Iterator[Material]:
        """Yields what is behind pointers; what is gone meanwhile is left out."""
        ...

    def gone(self, part: Part) -> frozenset[str]:
        """Returns the ids of sessions of a part that were deleted meanwhile: nothing is kept of
        what they said.
        """
        ...

    def settle(self, part: Part, products: Sequence[Product], full: AbstractSet[str]) -> None:
        """Notes outside of the marks that a part is done; most sources have nothing to note.

        Args:
            part: The part.
            products: What was found in all of the round.
            full: Keys of products that found no room in the inbox: their turns are not done.
        """
        ...


class Extractor(Protocol):
    """Finds products in material: rules, or a model behind the same interface (O27)."""

    @property
    def name(self) -> str:
        """``rules``, or the name of the model."""
        ...

    def __call__(self, material: Material) -> Iterable[Product]:
        """Yields what one piece of material tells; raises nothing for what it cannot read."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """What became of a round's products.

    Attributes:
        activated: References of the records that are in the ledger now.
        waiting: Ids of the candidates that wait.
        known: Number of products that were there already, waiting, rejected or taken back.
        refused: Number that policy refused, by the code of the first reason.
        transactions: The commits.
        results: What became of each claim, as a caller is told.
        full: Keys of products that found no room in the inbox.
    """

    activated: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    known: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    transactions: tuple[str, ...] = ()
    results: tuple[Result, ...] = ()
    full: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Seams:
    """Everything that a pass is given.

    Attributes:
        sources: Every one by name, in the order in which they are read: a round that another
            process left may have taken from any.
        collected: Names of those that a new round takes from.
        extract: What finds products.
        propose_claim: Proposes a sentence with its evidence.
        project: Brings the projections up and returns what was written.
    """

    sources: Mapping[str, Source]
    collected: frozenset[str]
    extract: Extractor
    propose_claim: Callable[[ClaimFound], Result]
    project: Callable[[], Sequence[str]]
