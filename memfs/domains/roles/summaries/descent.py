"""Cuts what a role remembers: summaries where they stand for all they cover, memories elsewhere.

A summary replaces its children only where nothing speaks against it; otherwise the reader gets the
exact memories and a warning that says why (E9, E10, E57). Whether it may is worked out here from
the memories themselves: what a summary says of its own state and counts is compared, never
believed (E12). Pure; the same input gives the same cut.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.domains.roles.summaries.summarizing import Joins
from memfs.domains.roles.view import RoleView
from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.record_fields import texts_field
from memfs.model.role import SUMMARY_KIND, Lifecycle, lifecycle_of, role_scope
from memfs.policy.role_lifecycle import is_open
from memfs.policy.role_summaries import (
    CONFIDENT,
    cover,
    is_pressing_hard,
    ranked,
)
from memfs.policy.role_summary_check import check_covered


class Caution(StrEnum):
    """Why a reader is warned; stable, rendered as it is."""

    STALE = "stale"
    """Something that it was read off, or that it covers, changed since."""
    LOW_CONFIDENCE = "low-confidence"
    """It is less certain than :data:`CONFIDENT`."""
    OMISSIONS = "omissions"
    """It is known to leave something out."""
    PRESSURE = "pressure"
    """Something presses hard: the exact memories are told."""
    LOST = "lost"
    """It lost something, or says other counts than what it covers."""
    GONE = "gone"
    """Something that it covers is not there, or is over."""


CAUTION_WORDS: Final[Mapping[Caution, str]] = MappingProxyType(
    {
        Caution.STALE: "something that it was read off, or that it covers, changed since",
        Caution.LOW_CONFIDENCE: f"it is less certain than {CONFIDENT:.2f}",
        Caution.OMISSIONS: "it is known to leave something out",
        Caution.PRESSURE: "something presses hard, so the exact memories are told",
        Caution.LOST: "it does not say what it covers",
        Caution.GONE: "something that it covers is over, or cannot be seen",
    }
)


@frozen
class Warned:
    """One warning about what a cut shows, or does not show.

    Attributes:
        caution: Why, as a code.
        id: The summary, memory or edge that it is about.
        words: Why, in words; none of a memory's.
        missing: Ids that were expected and are not to be seen by this reader.
    """

    caution: Caution
    id: str
    words: str
    missing: tuple[str, ...] = ()


@frozen
class Card:
    """One thing of a cut, told whole.

    Attributes:
        record: A memory, or a summary.
        covers: Ids of the memories that a summary stands for here; empty for a memory.
        cautions: What is to be said with it.
    """

    record: Record
    covers: tuple[str, ...] = ()
    cautions: tuple[Caution, ...] = ()

    @property
    def is_summary(self) -> bool:
        """Whether it stands for others."""
        return self.record.kind == SUMMARY_KIND


@frozen
class Cut:
    """What of a role's memory is told.

    Attributes:
        cards: Summaries and memories, each memory once, by itself or within a summary. Where a
            summary stands is the place of the strongest that it covers.
        warnings: What is to be known with them, in a fixed order, each once.
    """

    cards: tuple[Card, ...] = ()
    warnings: tuple[Warned, ...] = ()


def cut(
    view: RoleView,
    summaries: Iterable[Record],
    stale: Collection[str],
    *,
    edges: Sequence[Record] = (),
    chosen: Collection[str] | None = None,
    is_high_pressure: bool | None = None,
    now: datetime,
) -> Cut:
    """Cuts memories: every chosen one is told, by itself or by a summary that lost nothing.

    Args:
        view: What the role remembers, as whoever asks may see it.
        summaries: Its summaries, as they may be seen; in any order, believed in nothing.
        stale: Ids of memories, edges and summaries that are stale now (see ``freshness``).
        edges: Edges of its memory, as they may be seen.
        chosen: Ids of the memories that the cut is of; by default all that are not over. A
            summary that covers anything else is not in it, so that no filter is got around.
        is_high_pressure: Something presses hard; by default worked out from the view.
        now: The present: what has expired stands for nothing.
    """
    names = frozenset(chosen) if chosen is not None else _open_ids(view)
    wanted = {name: view.memories[name] for name in names if name in view.memories}
    is_pressed = (
        is_pressing_hard(view.memories.values()) if is_high_pressure is None else is_high_pressure
    )
    joins = Joins(edges)
    standing: dict[str, Card] = {}
    replaced: set[str] = set()
    warnings: list[Warned] = []
    for summary in sorted(summaries, key=lambda item: item.id):
        covered = texts_field(summary, "covers_nodes")
        if not _is_of(summary, view, now) or not _is_whole_in(covered, names, view):
            continue
        children = [view.memories[name] for name in covered if name in view.memories]
        found = tuple(_against(summary, children, joins.of(covered), stale, is_pressed=is_pressed))
        warnings += found
        if found or not replaced.isdisjoint(covered):
            continue
        replaced.update(covered)
        standing[ranked(children)[0].id] = Card(record=summary, covers=covered)
    cards: list[Card] = []
    for record in ranked(wanted.values()):
        if record.id in standing:
            cards.append(standing[record.id])
        elif record.id not in replaced:
            cards.append(_card(record, stale))
    warnings += _stale_ones(cards, joins, stale)
    return Cut(cards=tuple(cards), warnings=tuple(dict.fromkeys(warnings)))


def _open_ids(view: RoleView) -> frozenset[str]:
    return frozenset(name for name, record in view.memories.items() if is_open(record))


def _is_whole_in(covered: Collection[str], names: Collection[str], view: RoleView) -> bool:
    """Whether a cut is of all that a summary covers and that is not over, and of any of it."""
    open_ones = (name for name in covered if name in view.memories and is_open(view.memories[name]))
    return any(name in names for name in covered) and all(name in names for name in open_ones)


def _is_of(summary: Record, view: RoleView, now: datetime) -> bool:
    """Whether a summary is one of this role that was not put aside."""
    is_over = summary.expires is not None and summary.expires <= now
    return (
        summary.kind == SUMMARY_KIND
        and summary.scope == role_scope(view.role)
        and lifecycle_of(summary) is not Lifecycle.RETIRED
        and not is_over
    )


def _against(
    summary: Record,
    children: Sequence[Record],
    edges: Sequence[Record],
    stale: Collection[str],
    *,
    is_pressed: bool,
) -> Iterator[Warned]:
    """Yields why a summary may not stand for what it covers; nothing where it may."""
    there = {child.id for child in children}
    gone = tuple(name for name in texts_field(summary, "covers_nodes") if name not in there)
    if gone or not all(map(is_open, children)):
        yield _warned(Caution.GONE, summary.id, missing=gone)
    if summary.id in stale or not stale_free(summary, stale):
        yield _warned(Caution.STALE, summary.id)
    if not children or gone:
        return
    covered = cover(children, edges)
    lost = check_covered(summary, covered)
    if lost:
        parts = ", ".join(dict.fromkeys(loss.part for loss in lost))
        words = f"{CAUTION_WORDS[Caution.LOST]}: {parts}"
        yield Warned(caution=Caution.LOST, id=summary.id, words=words)
    if covered.figures.confidence < CONFIDENT:
        yield _warned(Caution.LOW_CONFIDENCE, summary.id)
    if texts_field(summary, "omissions"):
        yield _warned(Caution.OMISSIONS, summary.id)
    if is_pressed:
        yield _warned(Caution.PRESSURE, summary.id)


def stale_free(summary: Record, stale: Collection[str]) -> bool:
    """Tells whether nothing that a summary covers is stale."""
    covered = (*texts_field(summary, "covers_nodes"), *texts_field(summary, "covers_edges"))
    return not any(name in stale for name in covered)


def _warned(caution: Caution, identifier: str, *, missing: tuple[str, ...] = ()) -> Warned:
    return Warned(caution=caution, id=identifier, words=CAUTION_WORDS[caution], missing=missing)


def _card(record: Record, stale: Collection[str]) -> Card:
    # A project's memory that was marked as stale stays so until somebody looks again.
    is_stale = record.id in stale or lifecycle_of(record) is Lifecycle.STALE
    return Card(record=record, cautions=(Caution.STALE,) if is_stale else ())


def _stale_ones(cards: Iterable[Card], joins: Joins, stale: Collection[str]) -> Iterator[Warned]:
    exact = [card.record.id for card in cards if not card.is_summary]
    for card in cards:
        if Caution.STALE in card.cautions:
            yield _warned(Caution.STALE, card.record.id)
    for edge in joins.of(exact):
        if edge.id in stale:
            yield _warned(Caution.STALE, edge.id)
