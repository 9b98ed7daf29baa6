"""Every claim that is made of others cites what it was made of (O43). Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.ids import is_id, split_version

MISSING: Final = "citation.missing"
"""A claim cites no source that exists."""
UNKNOWN: Final = "citation.unknown"
"""A claim cites something that it was not made of."""


@frozen
class Claim:
    """Words, and the ids of what they rest on, without versions."""

    text: str
    sources: tuple[str, ...] = ()


@frozen
class Fault:
    """Why a claim is refused."""

    code: str
    claim: Claim


def claim_of(text: str, sources: Iterable[str]) -> Claim:
    """Returns a claim with its sources folded: without versions, each once, in order."""
    names = (split_version(source.strip())[0] for source in sources)
    return Claim(text=" ".join(text.split()), sources=tuple(dict.fromkeys(names)))


def citation_fault(claim: Claim, known: Collection[str]) -> Fault | None:
    """Returns why a claim may not stand: it cites nothing, or not only what it was made of.

    Args:
        claim: The claim.
        known: Ids of the sources that exist and were given.
    """
    if not [name for name in claim.sources if is_id(name)]:
        return Fault(code=MISSING, claim=claim)
    if any(name not in known for name in claim.sources):
        return Fault(code=UNKNOWN, claim=claim)
    return None
