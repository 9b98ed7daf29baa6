"""What a summary of a role's memories is made of, counted anew from what it covers (E7, E8). Pure.

All that the memories say stands in it, the strongest first; its counts, ranges and digests follow
from them alone. Whether one keeps that is told by ``role_summary_check``.

The thresholds are choices of this project: 0.70 is where descent begins by requirement (E9, E10);
the bounds keep a summary shorter than what it stands for, and one file small.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import (
    ANCHOR_MISSING,
    Lifecycle,
    MemoryRelation,
    Profile,
    anchors_of,
    lifecycle_of,
    memory_hash,
    number_of,
    profile_of,
)
from memfs.model.text import normalise_text
from memfs.policy.paraphrase import is_denial
from memfs.policy.relations import ends_of_edge
from memfs.policy.role_lifecycle import is_open
from memfs.policy.role_ripening import HIGH_PRESSURE, is_high_pressure
from memfs.policy.thresholds import Threshold

CONFIDENT: Final = 0.70
"""A summary that is less certain than this gives way to what it covers."""
LEAST_COVERED: Final = 2
"""Fewer memories need no summary: they are as short as it would be."""
MOST_COVERED: Final = 50
"""Memories that one summary covers; what comes after them by rank stands for itself."""
MOST_LINES: Final = 24
"""Lines that a summary keeps beside its claim, question, tension and implication."""
MOST_LINE_BYTES: Final = 16_384
MOST_KEPT_ANCHORS: Final = 64
MOST_KEPT_HASHES: Final = 500
MOST_KEPT_EDGES: Final = 200
MOST_KEPT_TAGS: Final = 16
THRESHOLDS: Final = (
    Threshold(
        name="confident",
        value=CONFIDENT,
        says="confidence below which a summary gives way",
    ),
    Threshold(
        name="high pressure",
        value=HIGH_PRESSURE,
        says="intensity from which on a pressure asks for the memories themselves",
    ),
    Threshold(
        name="least covered",
        value=LEAST_COVERED,
        says="memories of one target and topic from which on they have a summary",
    ),
    Threshold(
        name="most covered",
        value=MOST_COVERED,
        says="memories that one covers, the strongest; the others are told beside it",
    ),
    Threshold(
        name="most lines",
        value=MOST_LINES,
        says="lines that it keeps beside what leads; others are known omissions",
    ),
)
"""What the guide tells of it."""
COVERABLE: Final = frozenset(
    {
        Profile.ROLE_SELF,
        Profile.CONVERSATION,
        Profile.INCUBATION,
        Profile.EVIDENCE,
        Profile.REPO_ARCHITECTURE,
        Profile.REPO_DATAFLOW,
    }
)
"""What is summarised; what a role is, what presses it and what it might say is told whole."""
_SUPPORTING: Final = frozenset(
    {MemoryRelation.SUPPORTS, MemoryRelation.GROUNDS, MemoryRelation.CLUSTERS_WITH}
)
_DATED: Final = re.compile(r"\A- (?:\d{4}-\d{2}-\d{2}: )?")
PARTS: Final = ("question", "tension", "implication")
"""Fields of a memory that say something beside its claim."""


@frozen(kw_only=False)
class Part:
    """One thing that a covered memory says.

    Attributes:
        sort: ``claim``, ``against`` for a claim that speaks against, ``wording`` for other words
            that a memory gathered, ``question``, ``tension`` or ``implication``.
        text: As it is said.
        id: The memory, the first by rank that says it.
    """

    sort: str
    text: str
    id: str

    @property
    def key(self) -> tuple[str, str]:
        """What two parts have in common that say the same: folded in white space and case alone."""
        return self.sort, normalise_text(self.text)

    @property
    def line(self) -> str:
        """It as a line of a summary."""
        return f"- {self.sort}: {' '.join(self.text.split())}"

    @property
    def omission(self) -> str:
        """It as something that is known to be left out; no word of it stands in that."""
        return f"{self.sort} of {self.id}"


@frozen
class Figures:
    """What is counted over what a summary covers (E8).

    Attributes:
        anchor_count: Different anchors of the covered memories.
        supports: Memories that bear the strongest claim out, itself among them.
        contradicts: Memories that speak against it, or against each other.
        salience_least: Least salience.
        salience_most: Greatest salience.
        confidence_least: Least confidence; a memory that says none counts as 0.
        confidence_most: Greatest confidence.
        saturation: Greatest saturation.
        confidence: How certain a summary of them is: the least of theirs, and of that the share
            that bears the claim out among all that speak for or against it.
    """

    anchor_count: int
    supports: int
    contradicts: int
    salience_least: float
    salience_most: float
    confidence_least: float
    confidence_most: float
    saturation: float
    confidence: float


COUNTED: Final = tuple(name for name in Figures.__annotations__ if name != "confidence")
"""Fields of a summary that are counted."""


def may_cover(record: Record) -> bool:
    """Tells whether a memory can be covered: of a profile that is summarised, and not over."""
    return profile_of(record) in COVERABLE and is_open(record)


def is_pressing_hard(records: Iterable[Record]) -> bool:
    """Tells whether anything that presses hard now asks for the exact memories (E10)."""
    return any(map(is_high_pressure, records))


def ranked(children: Iterable[Record]) -> tuple[Record, ...]:
    """Returns memories in the order in which they are told, the strongest claim first.

    What was contradicted comes last; then the more certain, the more salient, the one with more
    evidence, the one met more often; equal ones by id. The same on every machine.
    """
    return tuple(sorted(children, key=_rank))


def _rank(record: Record) -> tuple[bool, float, float, int, float, str]:
    return (
        lifecycle_of(record) is Lifecycle.CONTRADICTED,
        -(record.confidence or 0.0),
        -number_of(record, "salience"),
        -len(anchors_of(record).evidence),
        -number_of(record, "repeats"),
        record.id,
    )


@frozen
class Covered:
    """Memories that one summary covers, counted once for all who ask.

    Attributes:
        order: The memories, the strongest first; at least one.
        edges: Edges of role memory that touch any of them.
        against: Ids of what speaks against the strongest claim, or against another of them.
        parts: All that they say, each thing once, the strongest first.
        figures: What is counted over them.
    """

    order: tuple[Record, ...]
    edges: tuple[Record, ...]
    against: frozenset[str]
    parts: tuple[Part, ...]
    figures: Figures


def cover(children: Iterable[Record], edges: Iterable[Record] = ()) -> Covered:
    """Counts memories as a summary tells them.

    Args:
        children: What it covers, in any order; at least one.
        edges: Edges of role memory that touch any of them.
    """
    order, joined = ranked(children), tuple(edges)
    bearing, against = _voices(order, joined)
    found: dict[tuple[str, str], Part] = {}
    for child in order:
        for part in _said(child, is_against=child.id in against):
            found.setdefault(part.key, part)
    return Covered(
        order=order,
        edges=joined,
        against=against,
        parts=tuple(found.values()),
        figures=_figures(order, len(bearing), len(against)),
    )


def _voices(
    order: Sequence[Record], edges: Sequence[Record]
) -> tuple[frozenset[str], frozenset[str]]:
    """Returns the ids of all that bear the strongest claim out, and of all that speak against it.

    By an edge that says so, by their own state, or because one says the very same and denies it.
    """
    head = order[0]
    claim = normalise_text(head.title)
    same = {child.id for child in order if normalise_text(child.title) == claim}
    covered = {child.id for child in order}
    against = {
        child.id
        for child in order
        if lifecycle_of(child) is Lifecycle.CONTRADICTED or is_denial(child.title, head.title)
    }
    bearing = set(same)
    for edge in edges:
        start, relation, end = ends_of_edge(edge)
        if relation == MemoryRelation.CONTRADICTS:
            both = {start, end}
            if both & same:
                against |= both - same or both - {head.id}
            elif both & covered:
                against.add(start)
        elif relation in _SUPPORTING and end in same:
            bearing.add(start)
        elif relation == MemoryRelation.DISTILLS and start in same:
            bearing.add(end)
    if lifecycle_of(head) is not Lifecycle.CONTRADICTED:
        against.discard(head.id)
    return frozenset(bearing - against), frozenset(against)


def _figures(order: Sequence[Record], supports: int, contradicts: int) -> Figures:
    certain = [child.confidence or 0.0 for child in order]
    salient = [number_of(child, "salience") for child in order]
    share = supports / (supports + contradicts) if supports else 0.0
    return Figures(
        anchor_count=len(anchors_in(order)),
        supports=supports,
        contradicts=contradicts,
        salience_least=min(salient),
        salience_most=max(salient),
        confidence_least=min(certain),
        confidence_most=max(certain),
        saturation=max(number_of(child, "saturation") for child in order),
        confidence=round(min(certain) * share, 4),
    )


def anchors_in(children: Iterable[Record]) -> tuple[str, ...]:
    """Returns every anchor of memories once, in the order of ``children``; not the missing mark."""
    every = (anchor for child in children for anchor in texts_field(child, "anchors"))
    return tuple(dict.fromkeys(anchor for anchor in every if anchor != ANCHOR_MISSING))


def hashes_in(children: Sequence[Record], edges: Iterable[Record]) -> tuple[str, ...]:
    """Returns the digests that a summary was made from: of the covered, then of their sources."""
    own = [f"memory:{child.id}={memory_hash(child)}" for child in children]
    theirs = {
        item for record in (*children, *edges) for item in texts_field(record, "source_hashes")
    }
    return tuple(dict.fromkeys((*sorted(own), *sorted(theirs))))


def _said(child: Record, *, is_against: bool) -> Iterator[Part]:
    yield Part("against" if is_against else "claim", child.title, child.id)
    for sort in PARTS:
        text = text_field(child, sort)
        if text.strip():
            yield Part(sort, text, child.id)
    for line in (*child.body.splitlines(), child.summary, child.abstract):
        # What it gathered, and whatever else stands in its file, is said by it too.
        text = _DATED.sub("", line).strip()
        if text:
            yield Part("wording", text, child.id)
