"""What a summary of a role's memories lost, or says otherwise than what it covers.

A summary is conservative: every claim, question, tension and implication of what it covers stands
in it in its own words, or is named as left out. Its counts, ranges, digests and labels follow from
what it covers; nothing that it says of itself is believed (E7, E8, E12). Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import ANCHOR_MISSING, SUMMARY_KIND, number_of
from memfs.model.text import normalise_text
from memfs.policy.authority import derive_sensitivity, derive_sinks, derive_taint
from memfs.policy.role_summaries import (
    COUNTED,
    PARTS,
    Covered,
    anchors_in,
    cover,
    hashes_in,
)

_LINE: Final = re.compile(
    r"- (?P<sort>claim|against|wording|question|tension|implication): (?P<text>.+)\Z"
)
_ROUNDING: Final = 0.00005
_ROUND_WORDS: Final = ".,;:!…\"'“”‘’()"
"""What stands beside a word and changes nothing that it says."""
_ARTICLES: Final = frozenset({"a", "an", "the"})


@frozen(kw_only=False)
class Loss:
    """One thing that a summary lost, or says otherwise than what it covers.

    Attributes:
        part: What: a field of the summary, or the sort of what is not said.
        words: Expected and got; ids and numbers, and no word of a memory.
    """

    part: str
    words: str


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
    return check_covered(summary, cover(children, edges))


def check_covered(summary: Record, covered: Covered) -> tuple[Loss, ...]:
    """Returns what a summary lost of memories that are counted already; see ``check_summary``."""
    checks = (_lost_coverage, _lost_words, _invented, _lost_figures, _lost_sources, _lost_labels)
    found = (loss for check in checks for loss in check(summary, covered))
    return tuple(dict.fromkeys(found))


def _lost_coverage(summary: Record, covered: Covered) -> Iterator[Loss]:
    omissions = set(texts_field(summary, "omissions"))
    for name, wanted in (("covers_nodes", covered.order), ("covers_edges", covered.edges)):
        given, expected = set(texts_field(summary, name)), {record.id for record in wanted}
        is_left_out = name == "covers_edges" and "edges" in omissions
        if given != expected and not (is_left_out and given < expected):
            yield Loss(name, f"expected {len(expected)}, got {len(given & expected)} of them")
    expected = {child.id for child in covered.order}
    if not expected <= set(summary.derived_from):
        yield Loss("derived_from", f"expected {len(expected)} memories")
    for name, is_needed in (("target", True), ("topic", False)):
        own = normalise_text(text_field(summary, name))
        theirs = {normalise_text(text_field(item, name)) for item in covered.order}
        if theirs != {own} and (own or is_needed):
            yield Loss(name, f"expected the one {name} of all that is covered")


def _lost_words(summary: Record, covered: Covered) -> Iterator[Loss]:
    said = {(sort, normalise_text(text)) for sort, text in lines_of(summary)}
    said.add(("claim", normalise_text(summary.title)))
    said |= {(sort, normalise_text(text_field(summary, sort))) for sort in PARTS}
    omissions = set(texts_field(summary, "omissions"))
    for part in covered.parts:
        if part.key not in said and part.omission not in omissions:
            yield Loss(part.sort, f"expected the {part.omission}")
    if not text_field(summary, "implication").strip():
        yield Loss("implication", "expected one, got none")
    if not (text_field(summary, "question") or text_field(summary, "tension")).strip():
        yield Loss("question", "expected a question or a tension, got neither")
    strongest = covered.order[0]
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


def _invented(summary: Record, covered: Covered) -> Iterator[Loss]:
    parts = covered.parts
    keys = {part.key for part in parts}
    for sort in PARTS:
        text = text_field(summary, sort)
        of_sort = (part.text for part in parts if part.sort == sort)
        if text.strip() and not any(is_said_again(text, other) for other in of_sort):
            yield Loss(sort, "expected words of what is covered")
    if any((sort, normalise_text(text)) not in keys for sort, text in lines_of(summary)):
        yield Loss("body", "expected lines of what is covered alone")
    tags = {tag for child in covered.order for tag in child.tags}
    if summary.summary or summary.abstract or summary.unknown or not set(summary.tags) <= tags:
        yield Loss("body", "expected nothing that is not covered")


def _lost_figures(summary: Record, covered: Covered) -> Iterator[Loss]:
    figures = covered.figures
    for name in COUNTED:
        expected, got = getattr(figures, name), number_of(summary, name, -1.0)
        if got != expected:
            yield Loss(name, f"expected {expected:g}, got {got:g}")
    own = -1.0 if summary.confidence is None else summary.confidence
    if not abs(own - figures.confidence) <= _ROUNDING:  # not a number is none either
        yield Loss("confidence", f"expected {figures.confidence:g}, got {summary.confidence}")


def _lost_sources(summary: Record, covered: Covered) -> Iterator[Loss]:
    omissions = set(texts_field(summary, "omissions"))
    wanted = (
        ("anchors", "anchors", anchors_in(covered.order) or (ANCHOR_MISSING,)),
        ("source_hashes", "sources", hashes_in(covered.order, covered.edges)),
    )
    for name, omission, expected in wanted:
        got = texts_field(summary, name)
        missing, foreign = set(expected) - set(got), set(got) - set(expected)
        if foreign or (missing and omission not in omissions):
            yield Loss(name, f"expected {len(expected)}, got {len(got)}, {len(foreign)} of others")


def _lost_labels(summary: Record, covered: Covered) -> Iterator[Loss]:
    children = covered.order
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
