"""Chooses the cards of a packet from the picture of a role: one of four cuts, within a budget.

Pure: the same picture gives the same cards in the same order. What is over or speaks against
something that stands is left out and counted, unless it is asked for; how something stands is
told as it is found now, whatever is stored (E9 to E12, E14 to E16).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeAlias

from memfs.domains.roles.packets.picture import Picture
from memfs.domains.roles.summaries.descent import Card as Told
from memfs.domains.roles.summaries.descent import Caution as Descent
from memfs.domains.roles.summaries.descent import Cut as Descended
from memfs.domains.roles.summaries.descent import Warned
from memfs.domains.roles.summaries.descent import cut as descend
from memfs.domains.roles.summaries.freshness import sources_of
from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.record_fields import texts_field
from memfs.model.role import (
    Lifecycle,
    Profile,
    RepoRelation,
    anchors_of,
    lifecycle_of,
    profile_of,
    role_of,
)
from memfs.policy.relations import ends_of_edge
from memfs.policy.role_cuts import (
    CUTS,
    Cut,
    Lane,
    PacketKind,
    Sort,
    contradictions,
    in_turns,
    is_put_aside,
    lane_of,
)
from memfs.policy.role_freshness import not_looked_at
from memfs.policy.role_lifecycle import is_of_project
from memfs.policy.role_readiness import decide_every, decide_readiness
from memfs.policy.role_ripening import priority_of, theme_key, themes_of


class CautionCode(StrEnum):
    """What else than the cautions of descent a reader has to know before they rely on a packet."""

    CONTRADICTED = "contradicted"
    PUT_ASIDE = "put-aside"
    UNANCHORED = "unanchored"
    NOT_ACCEPTED = "not-accepted"
    LEFT_OUT = "left-out"
    HELD_BACK = "held-back"
    NOT_LOOKED_AT = "not-looked-at"


@frozen
class Caution:
    """A warning: why, in words of this build, and what it is about."""

    code: CautionCode | Descent
    message: str
    ids: tuple[str, ...] = ()


@frozen
class RoleCard:
    """One card of a packet.

    Attributes:
        lane: The line of the cut that it stands in.
        sort: What it shows.
        record: The memory, summary, edge or receipt, as the reader may see it.
        is_stale: Something that it was read off changed or is gone, as found now.
        against: Ids of the open memories that contradict it.
        seams: What a claim on a project can be checked by: tests, as anchors.
        readiness: What is decided now about a candidate: verdict and row; empty for others.
    """

    lane: str
    sort: Sort
    record: Record
    is_stale: bool = False
    against: tuple[str, ...] = ()
    seams: tuple[str, ...] = ()
    readiness: str = ""


@frozen
class Chosen:
    """The cards of a packet, what to beware of, and how much is not in it.

    Attributes:
        cards: In the order of the lanes; at most as many as the budget.
        cautions: What a reader has to know.
        beyond: Lane to how many more it has.
        aside: How many that were put aside, or contradict, were left out.
    """

    cards: tuple[RoleCard, ...] = ()
    cautions: tuple[Caution, ...] = ()
    beyond: Mapping[str, int] = field(default_factory=dict)
    aside: int = 0


_Order: TypeAlias = tuple[bool, float, str]


def is_stale(picture: Picture, record: Record) -> bool:
    """Tells whether something is stale as found now, or was and nobody has looked again."""
    return record.id in picture.stale or lifecycle_of(record) is Lifecycle.STALE


def choose(
    picture: Picture,
    kind: PacketKind,
    most: int,
    *,
    is_all: bool = False,
    allowed: frozenset[str] | None = None,
) -> Chosen:
    """Chooses the cards of one cut.

    Args:
        picture: All of the role that the reader may see.
        kind: Whose packet it is.
        most: Cards at most, of all sorts together.
        is_all: What was put aside, and what contradicts, too.
        allowed: Ids of memories beside which none is taken; ``None`` for all.
    """
    return _Chooser(picture, CUTS[kind], is_all=is_all, allowed=allowed).chosen(most)


class _Chooser:
    """One cut of one picture."""

    def __init__(
        self, picture: Picture, cut: Cut, *, is_all: bool, allowed: frozenset[str] | None
    ) -> None:
        self.picture = picture
        self.cut = cut
        self.is_all = is_all
        self.memories = picture.view.memories
        self.readiness = decide_every(self.memories, picture.view.now)
        self.against = contradictions(self.memories, picture.edges)
        speaking = {name for names in self.against.values() for name in names}
        hidden = frozenset() if is_all else frozenset(speaking)
        now = picture.view.now
        taken = self.memories.keys() if allowed is None else self.memories.keys() & allowed
        own: dict[str, list[Record]] = {}
        for record in self.memories.values():
            own.setdefault(role_of(record), []).append(record)
        self.themes = {role: themes_of(records, now) for role, records in own.items()}
        self.tests: dict[str, list[Record]] = {}
        for start, relation, end in map(ends_of_edge, picture.edges):
            if relation == RepoRelation.TESTS and start in self.memories:
                self.tests.setdefault(end, []).append(self.memories[start])
        self.kept: dict[str, Record] = {}
        self.aside: set[str] = set()
        for name in sorted(taken):
            record = self.memories[name]
            if self._lane(record) is None:
                continue
            if not is_all and (is_put_aside(record) or name in hidden):
                self.aside.add(name)
            else:
                self.kept[name] = record

    def chosen(self, most: int) -> Chosen:
        """Returns the cards; edges follow the memories that are chosen without them."""
        descended = self._descended()
        memories = self._in_lanes(descended.cards)
        first = self._turns(memories, most)
        shown = {card.record.id for card in first}
        cards = {name: list(items) for name, items in memories.items()}
        for more in (self._links(shown), self._receipts()):
            for name, items in more.items():
                cards.setdefault(name, []).extend(items)
        taken = self._turns(cards, most)
        beyond = {
            lane.name: len(cards.get(lane.name, ())) - sum(c.lane == lane.name for c in taken)
            for lane in self.cut.lanes
        }
        return Chosen(
            cards=taken,
            cautions=tuple(self._cautions(taken, descended)),
            beyond=MappingProxyType({name: count for name, count in beyond.items() if count}),
            aside=len(self.aside),
        )

    def _turns(self, cards: Mapping[str, list[RoleCard]], most: int) -> tuple[RoleCard, ...]:
        return in_turns([(lane.share, cards.get(lane.name, [])) for lane in self.cut.lanes], most)

    def _lane(self, record: Record) -> Lane | None:
        return lane_of(self.cut, record, is_stale=is_stale(self.picture, record))

    def _descended(self) -> Descended:
        """Returns memories, and summaries in place of those that they can stand for."""
        return descend(
            self.picture.view,
            self.picture.summaries if self.cut.has_summaries else (),
            self.picture.stale,
            edges=self.picture.edges,
            chosen=self.kept.keys(),
            now=self.picture.view.now,
        )

    def _in_lanes(self, told: Iterable[Told]) -> dict[str, list[RoleCard]]:
        """Returns cards by lane; a summary stands in that of the first memory that it covers."""
        found: dict[str, list[tuple[_Order, RoleCard]]] = {}
        for card in told:
            covered = [self.kept[name] for name in card.covers]
            of = min(covered, key=self._order) if covered else card.record
            lane = self._lane(of)
            if lane is not None:
                sort = Sort.SUMMARY if card.is_summary else Sort.MEMORY
                made = self._card(lane, sort, card.record)
                found.setdefault(lane.name, []).append((self._order(of), made))
        return {
            name: [card for _, card in sorted(items, key=lambda item: item[0])]
            for name, items in found.items()
        }

    def _order(self, record: Record) -> _Order:
        """Sorts what is owed before what presses or matters most; ties by id."""
        theme = self.themes[role_of(record)][theme_key(record)]
        is_owed = lifecycle_of(record) is Lifecycle.OBLIGATED
        return (not is_owed, -priority_of(record, self.picture.view.now, theme), record.id)

    def _card(self, lane: Lane, sort: Sort, record: Record) -> RoleCard:
        return RoleCard(
            lane=lane.name,
            sort=sort,
            record=record,
            is_stale=is_stale(self.picture, record),
            against=self.against.get(record.id, ()),
            seams=tuple(self._seams(record)) if sort is Sort.MEMORY else (),
            readiness=self._readiness(record),
        )

    def _readiness(self, record: Record) -> str:
        if profile_of(record) is not Profile.CANDIDATE_INTERVENTION:
            return ""
        decided = self.readiness.get(record.id)
        if decided is None:
            # It is over; nothing else of it is looked at.
            decided = decide_readiness(record, (), {}, self.picture.view.now)
        return f"{decided.verdict} (row {decided.row})"

    def _seams(self, record: Record) -> Iterator[str]:
        """Yields what a claim on a project can be checked by, once each."""
        if not is_of_project(record):
            return
        found: dict[str, None] = {}
        for item in (record, *self.tests.get(record.id, ())):
            is_test = item.id != record.id
            for anchor in anchors_of(item).evidence:
                if anchor.startswith("test:") or (is_test and anchor.startswith("file:")):
                    found[anchor] = None
        # A file that is named as a test already is not named again.
        named = {anchor.removeprefix("test:").partition("::")[0] for anchor in found}
        yield from (item for item in found if item.removeprefix("file:") not in named)

    def _links(self, shown: set[str]) -> dict[str, list[RoleCard]]:
        """Returns the edges that touch what is shown, or are stale where that is asked for.

        Those between two that are shown come first.
        """
        found: list[tuple[int, float, str, RoleCard]] = []
        for edge in self.picture.edges:
            lane = self._lane(edge)
            ends = {ends_of_edge(edge)[0], ends_of_edge(edge)[2]}
            if lane is None or (ends.isdisjoint(shown) and not lane.is_stale):
                continue
            if not self.is_all and (is_put_aside(edge) or self._has_end_aside(ends)):
                self.aside.add(edge.id)
                continue
            card = self._card(lane, Sort.EDGE, edge)
            found.append((-len(ends & shown), -(edge.confidence or 0.0), edge.id, card))
        lanes: dict[str, list[RoleCard]] = {}
        for *_, card in sorted(found, key=lambda item: item[:3]):
            lanes.setdefault(card.lane, []).append(card)
        return lanes

    def _has_end_aside(self, ends: set[str]) -> bool:
        return any(
            name in self.aside or (name in self.memories and is_put_aside(self.memories[name]))
            for name in ends
        )

    def _receipts(self) -> dict[str, list[RoleCard]]:
        lane = next((lane for lane in self.cut.lanes if lane.sort is Sort.RECEIPT), None)
        if lane is None:
            return {}
        return {lane.name: [self._card(lane, Sort.RECEIPT, item) for item in self.picture.receipts]}

    def _cautions(self, cards: Iterable[RoleCard], descended: Descended) -> Iterator[Caution]:
        if self.cut.is_public:
            return
        shown = tuple(cards)
        yield from self._descents(shown, descended.warnings)
        told = (
            (CautionCode.CONTRADICTED, _AGAINST, [c for c in shown if c.against]),
            (CautionCode.PUT_ASIDE, _ASIDE, [c for c in shown if self._is_aside(c)]),
            (CautionCode.UNANCHORED, _UNANCHORED, [c for c in shown if _is_unanchored(c)]),
            (CautionCode.NOT_ACCEPTED, _PROPOSED, [c for c in shown if _is_proposed(c)]),
        )
        for code, message, found in told:
            if found:
                yield Caution(code=code, message=message, ids=tuple(c.record.id for c in found))
        unlooked = self.picture.freshness.unlooked
        if unlooked:
            ids = tuple(
                c.record.id for c in shown if not unlooked.isdisjoint(sources_of([c.record]))
            )
            yield Caution(
                code=CautionCode.NOT_LOOKED_AT, message=not_looked_at(len(unlooked)), ids=ids
            )
        if self.aside:
            message = f"{len(self.aside)} that were put aside or contradict others are left out"
            yield Caution(code=CautionCode.LEFT_OUT, message=message)

    def _descents(self, shown: Iterable[RoleCard], warnings: Iterable[Warned]) -> Iterator[Caution]:
        """Yields the warnings about what is shown, and about summaries in whose place it is."""
        names = {card.record.id for card in shown}
        covering = {
            item.id
            for item in self.picture.summaries
            if not names.isdisjoint(texts_field(item, "covers_nodes"))
        }
        found: dict[tuple[Descent, str], list[str]] = {}
        for item in warnings:
            if item.id in names or item.id in covering:
                found.setdefault((item.caution, item.words), []).append(item.id)
        for (code, words), ids in found.items():
            yield Caution(code=code, message=words, ids=tuple(ids))

    def _is_aside(self, card: RoleCard) -> bool:
        return card.sort in (Sort.MEMORY, Sort.EDGE) and is_put_aside(card.record)


_AGAINST: Final = "other memories say otherwise"
_ASIDE: Final = "they were put aside, or contradict others, and are shown because that was asked"
_UNANCHORED: Final = "they rest on nothing that is named"
_PROPOSED: Final = "nobody has accepted them"


def _is_unanchored(card: RoleCard) -> bool:
    return card.sort is Sort.MEMORY and anchors_of(card.record).is_missing


def _is_proposed(card: RoleCard) -> bool:
    waiting = (Lifecycle.PROPOSED, Lifecycle.OBSERVED)
    return card.sort is Sort.MEMORY and lifecycle_of(card.record) in waiting
