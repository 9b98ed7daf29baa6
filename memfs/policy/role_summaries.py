"""What a summary of a role's memories may not lose, counted and checked anew whenever it is read.

A summary is conservative: every claim, question, tension and implication of what it covers stands
in it in its own words, or is named as left out. Its counts, ranges, digests and labels follow from
what it covers; nothing that it says of itself is believed (E7, E8, E12). Pure.

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
    SUMMARY_KIND,
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
from memfs.policy.authority import derive_sensitivity, derive_sinks, derive_taint
from memfs.policy.paraphrase import is_denial
from memfs.policy.relations import ends_of_edge
from memfs.policy.role_lifecycle import is_open

CONFIDENT: Final = 0.70
"""A summary that is less certain than this gives way to what it covers."""
HIGH_PRESSURE: Final = 0.70
"""Intensity from which on a pressure asks for the exact memories."""
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
_LINE: Final = re.compile(
    r"- (?P<sort>claim|against|wording|question|tension|implication): (?P<text>.+)\Z"
)
_DATED: Final = re.compile(r"\A- (?:\d{4}-\d{2}-\d{2}: )?")
_PARTS: Final = ("question", "tension", "implication")


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


@frozen(kw_only=False)
class Loss:
    """One thing that a summary lost, or says otherwise than what it covers.

    Attributes:
        part: What: a field of the summary, or the sort of what is not said.
        words: Expected and got; ids and numbers, and no word of a memory.
    """

    part: str
    words: str


def may_cover(record: Record) -> bool:
    """Tells whether a memory can be covered: of a profile that is summarised, and not over."""
    return profile_of(record) in COVERABLE and is_open(record)


def is_pressing_hard(records: Iterable[Record]) -> bool:
    """Tells whether anything that presses now asks for the exact memories (E10).

    It presses hard where it is obligated, or from :data:`HIGH_PRESSURE` on; what cools does not.
    """
    for record in records:
        if profile_of(record) is not Profile.AGENCY_PRESSURE or not is_open(record):
            continue
        state = lifecycle_of(record)
        if state is Lifecycle.OBLIGATED:
            return True
        if state is Lifecycle.ACTIVE and number_of(record, "intensity") >= HIGH_PRESSURE:
            return True
    return False


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


def opposing_ids(children: Sequence[Record], edges: Iterable[Record]) -> frozenset[str]:
    """Returns the ids of all that speaks against the strongest claim, or against another covered.

    By an edge that says so, by its own state, or because it says the very same and denies it.
    """
    return _voices(ranked(children), tuple(edges))[1]


def _voices(
    order: Sequence[Record], edges: Sequence[Record]
) -> tuple[frozenset[str], frozenset[str]]:
    head = order[0]
    same = {child.id for child in order if _is_same_claim(child, head)}
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


def _is_same_claim(one: Record, other: Record) -> bool:
    return normalise_text(one.title) == normalise_text(other.title)


def figures_of(children: Sequence[Record], edges: Sequence[Record]) -> Figures:
    """Counts what a summary of memories reports.

    Args:
        children: What it covers; at least one.
        edges: Edges of role memory that touch any of them.
    """
    order = ranked(children)
    bearing, against = _voices(order, edges)
    certain = [child.confidence or 0.0 for child in order]
    salient = [number_of(child, "salience") for child in order]
    share = len(bearing) / (len(bearing) + len(against)) if bearing else 0.0
    return Figures(
        anchor_count=len(anchors_in(order)),
        supports=len(bearing),
        contradicts=len(against),
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


def parts_of(children: Sequence[Record], edges: Iterable[Record] = ()) -> tuple[Part, ...]:
    """Returns all that memories say, each thing once, the strongest first."""
    order = ranked(children)
    against = _voices(order, tuple(edges))[1] if order else frozenset()
    found: dict[tuple[str, str], Part] = {}
    for child in order:
        for part in _said(child, is_against=child.id in against):
            found.setdefault(part.key, part)
    return tuple(found.values())


def _said(child: Record, *, is_against: bool) -> Iterator[Part]:
    yield Part("against" if is_against else "claim", child.title, child.id)
    for sort in _PARTS:
        text = text_field(child, sort)
        if text.strip():
            yield Part(sort, text, child.id)
    for line in (*child.body.splitlines(), child.summary, child.abstract):
        # What it gathered, and whatever else stands in its file, is said by it too.
        text = _DATED.sub("", line).strip()
        if text:
            yield Part("wording", text, child.id)


def lines_of(summary: Record) -> Iterator[tuple[str, str]]:
    """Yields sort and text of every line of a summary; a line of no sort has an empty one."""
    for line in summary.body.splitlines():
        if line.strip():
            match = _LINE.match(line)
            yield (match["sort"], match["text"]) if match else ("", line)


def check_summary(
    summary: Record, children: Sequence[Record], edges: Sequence[Record] = ()
) -> tuple[Loss, ...]:
    """Returns what a summary lost of what it covers, or says otherwise; nothing for a whole one.

    What it names as left out is not lost: it is a known omission, for which a reader descends.

    Args:
        summary: Of any making: by rule, or worded by a model.
        children: The memories that it is to stand for, as they are now.
        edges: Edges of role memory that touch any of them, as they are now.
    """
    if summary.kind != SUMMARY_KIND:
        return (Loss("kind", f"expected {SUMMARY_KIND}, got {summary.kind}"),)
    if not children:
        return (Loss("covers_nodes", "expected a memory, got none"),)
    checks = (_lost_coverage, _lost_words, _invented, _lost_figures, _lost_sources, _lost_labels)
    found = (loss for check in checks for loss in check(summary, children, edges))
    return tuple(dict.fromkeys(found))


def _lost_coverage(
    summary: Record, children: Sequence[Record], edges: Sequence[Record]
) -> Iterator[Loss]:
    omissions = set(texts_field(summary, "omissions"))
    for name, wanted in (("covers_nodes", children), ("covers_edges", edges)):
        given, expected = set(texts_field(summary, name)), {record.id for record in wanted}
        is_left_out = name == "covers_edges" and "edges" in omissions
        if given != expected and not (is_left_out and given < expected):
            yield Loss(name, f"expected {len(expected)}, got {len(given & expected)} of them")
    expected = {child.id for child in children}
    if not expected <= set(summary.derived_from):
        yield Loss("derived_from", f"expected {len(expected)} memories")
    target = normalise_text(text_field(summary, "target"))
    if not target or any(normalise_text(text_field(item, "target")) != target for item in children):
        yield Loss("target", "expected the one target of all that is covered")


def _lost_words(
    summary: Record, children: Sequence[Record], edges: Sequence[Record]
) -> Iterator[Loss]:
    said = {(sort, normalise_text(text)) for sort, text in lines_of(summary)}
    said.add(("claim", normalise_text(summary.title)))
    said |= {(sort, normalise_text(text_field(summary, sort))) for sort in _PARTS}
    omissions = set(texts_field(summary, "omissions"))
    for part in parts_of(children, edges):
        if part.key not in said and part.omission not in omissions:
            yield Loss(part.sort, f"expected the {part.omission}")
    if not text_field(summary, "implication").strip():
        yield Loss("implication", "expected one, got none")
    if not (text_field(summary, "question") or text_field(summary, "tension")).strip():
        yield Loss("question", "expected a question or a tension, got neither")
    strongest = ranked(children)[0]
    if not is_said_again(summary.title, strongest.title):
        yield Loss("claim", f"expected the claim of {strongest.id}")


def is_said_again(new: str, old: str) -> bool:
    """Tells whether words may stand for others: the same words in the same order, but for articles.

    A paraphrase may turn a claim round (``a blocks b``), move it in time or change its one word
    that matters; what stands for a memory may not.
    """
    return _words(new) == _words(old)


def _words(text: str) -> tuple[str, ...]:
    words = (word.strip(_ROUND_WORDS) for word in normalise_text(text).split())
    return tuple(word for word in words if word and word not in _ARTICLES)


_ROUND_WORDS: Final = ".,;:!…\"'“”‘’()"
"""What stands beside a word and changes nothing that it says."""
_ARTICLES: Final = frozenset({"a", "an", "the"})


def _invented(
    summary: Record, children: Sequence[Record], edges: Sequence[Record]
) -> Iterator[Loss]:
    parts = parts_of(children, edges)
    keys = {part.key for part in parts}
    for sort in _PARTS:
        text = text_field(summary, sort)
        of_sort = (part.text for part in parts if part.sort == sort)
        if text.strip() and not any(is_said_again(text, other) for other in of_sort):
            yield Loss(sort, "expected words of what is covered")
    if any((sort, normalise_text(text)) not in keys for sort, text in lines_of(summary)):
        yield Loss("body", "expected lines of what is covered alone")
    tags = {tag for child in children for tag in child.tags}
    if summary.summary or summary.abstract or summary.unknown or not set(summary.tags) <= tags:
        yield Loss("body", "expected nothing that is not covered")


def _lost_figures(
    summary: Record, children: Sequence[Record], edges: Sequence[Record]
) -> Iterator[Loss]:
    figures = figures_of(children, edges)
    for name in COUNTED:
        expected, got = getattr(figures, name), number_of(summary, name, -1.0)
        if got != expected:
            yield Loss(name, f"expected {expected:g}, got {got:g}")
    own = -1.0 if summary.confidence is None else summary.confidence
    if not abs(own - figures.confidence) <= _ROUNDING:  # not a number is none either
        yield Loss("confidence", f"expected {figures.confidence:g}, got {summary.confidence}")


def _lost_sources(
    summary: Record, children: Sequence[Record], edges: Sequence[Record]
) -> Iterator[Loss]:
    omissions = set(texts_field(summary, "omissions"))
    wanted = (
        ("anchors", "anchors", anchors_in(ranked(children)) or (ANCHOR_MISSING,)),
        ("source_hashes", "sources", hashes_in(children, edges)),
    )
    for name, omission, expected in wanted:
        got = texts_field(summary, name)
        missing, foreign = set(expected) - set(got), set(got) - set(expected)
        if foreign or (missing and omission not in omissions):
            yield Loss(name, f"expected {len(expected)}, got {len(got)}, {len(foreign)} of others")


def _lost_labels(
    summary: Record, children: Sequence[Record], _edges: Sequence[Record]
) -> Iterator[Loss]:
    kept = (
        summary.sensitivity >= derive_sensitivity(item.sensitivity for item in children),
        summary.sinks <= derive_sinks(item.sinks for item in children),
        set(summary.taint) >= set(derive_taint(item.taint for item in children)),
        {item.scope for item in children} == {summary.scope},
        {item.record_class for item in children} <= {"", summary.record_class},
        *(_is_within(summary, child) for child in children),
    )
    if not all(kept):
        yield Loss("labels", "expected labels as close as those of all that is covered")


def _is_within(summary: Record, child: Record) -> bool:
    """Whether a summary is not there for longer than a memory that it covers."""
    ends = ((summary.expires, child.expires), (summary.valid_until, child.valid_until))
    return all(end is None or (own is not None and own <= end) for own, end in ends)


_ROUNDING: Final = 0.00005
