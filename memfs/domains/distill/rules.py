"""The extractor that needs no model: a table of rules for each kind of material (O27)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, assert_never

from memfs.domains.distill.commit_rules import products_of_commit
from memfs.domains.distill.material import CommitSeen, Material, RunSeen, TurnSeen
from memfs.domains.distill.products import Product
from memfs.domains.distill.run_rules import products_of_run
from memfs.domains.distill.turn_rules import FactsIn, SentencesIn, products_of_turn

RULES: Final = "rules"


@dataclass(frozen=True, slots=True)
class RuleExtractor:
    """Finds products by fixed wordings; the same material always gives the same products.

    Attributes:
        facts_in: Finds claims in what somebody said.
        sentences_in: Splits what somebody said into plain sentences.
    """

    facts_in: FactsIn
    sentences_in: SentencesIn

    @property
    def name(self) -> str:
        """What a receipt calls it."""
        return RULES

    def __call__(self, material: Material) -> Iterator[Product]:
        """Yields what one piece of material tells."""
        match material:
            case CommitSeen():
                yield from products_of_commit(material)
            case RunSeen():
                yield from products_of_run(material)
            case TurnSeen():
                yield from products_of_turn(material, self.facts_in, self.sentences_in)
            case _:
                assert_never(material)
