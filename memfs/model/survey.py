"""What was seen of a project's tree: parts, and how they bear on each other; nothing was run.

A survey is a value. What it says was read off files alone, each with the digest of its bytes at
that moment; what could not be looked at is counted, and nothing is said of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from memfs.model.frozen import frozen
from memfs.model.role import Profile, RepoRelation


@frozen
class Part:
    """One part of a project, or one thing that its modules read or write.

    Attributes:
        profile: Architecture or dataflow.
        path: The file that it is, with ``/``; empty for what is no file of the project.
        symbol: What it is called: a sort, a colon and a name.
        claim: What was seen of it, one line.
        question: What that leaves open.
        implication: What follows for whoever changes it.
        sources: Files that this was read off, as they are named in the tree.
        seams: Test files that import it.
        tags: Its language and sort.
        salience: How much it matters, 0 to 1.
        confidence: How sure it is, 0 to 1.
    """

    profile: Profile
    path: str
    symbol: str
    claim: str
    question: str
    implication: str
    sources: tuple[str, ...]
    seams: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    salience: float = 0.5
    confidence: float = 0.9

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from every other part of the project."""
        return str(self.profile), self.path, self.symbol


@frozen
class Bond:
    """One way in which a part bears on another.

    Attributes:
        relation: Which.
        start: Key of the part that it begins at.
        end: Key of the part that it leads to.
        claim: What was seen, one line.
        source: The file that it was read off.
        confidence: How sure it is, 0 to 1.
    """

    relation: RepoRelation
    start: tuple[str, str, str]
    end: tuple[str, str, str]
    claim: str
    source: str
    confidence: float = 0.9


@frozen
class Survey:
    """All that was seen.

    Attributes:
        parts: By key, in the order of their keys.
        bonds: Each once, in order.
        digests: Git's blob id of each file that was looked at, by its name in the tree.
        looked_at: How many files were read.
        left_out: How many files, or what of them, were left out, by why.
        unread: Files that are there and could not be looked at this time.
    """

    parts: Mapping[tuple[str, str, str], Part] = field(default_factory=lambda: MappingProxyType({}))
    bonds: tuple[Bond, ...] = ()
    digests: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    looked_at: int = 0
    left_out: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    unread: frozenset[str] = frozenset()
