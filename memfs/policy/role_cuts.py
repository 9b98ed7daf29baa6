"""The cuts of role memory: which part of the one graph a packet of each kind shows (E14 to E16).

A cut is a row of a table: lanes, each of which takes some profiles, and how many cards of a lane
come before those of the next. The same graph gives four packets, and nothing is kept for any of
them. What is over, or speaks against something that stands, is in no cut unless it is asked for.

The shares are our own choice, and so are the bounds of the lists beside the cards; the budget of
12 cards and its bounds of 1 and 64 are those of the requirement. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeVar

from memfs.model.authority import Sensitivity, Sink
from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.record_fields import text_field
from memfs.model.role import (
    ROLE_KIND,
    Intent,
    Lifecycle,
    MemoryRelation,
    Profile,
    RepoRelation,
    lifecycle_of,
    profile_of,
)
from memfs.model.scope import ScopeKind
from memfs.policy.relations import ends_of_edge
from memfs.policy.role_lifecycle import is_open

DEFAULT_CARDS: Final = 12
LEAST_CARDS: Final = 1
MOST_CARDS: Final = 64
MOST_NAMED: Final = 16
"""So many ids, anchors, receipts or gates are named beside the cards; the rest is counted."""


class PacketKind(StrEnum):
    """Who the packet is for."""

    REPO = "repo"
    """Work on a project: how it is built, what flows where, what a claim is checked by."""
    ROLE = "role"
    """The role at work: what it is, what is fresh, what ripens, what presses."""
    PUBLIC = "public"
    """Whoever speaks to the public for the role: what might be said, and nothing behind it."""
    COORDINATOR = "coordinator"
    """Whoever looks after roles: what presses, what is stale, what is owed, what was done."""


class Sort(StrEnum):
    """What a card shows."""

    MEMORY = "memory"
    SUMMARY = "summary"
    EDGE = "edge"
    RECEIPT = "receipt"


@frozen
class Lane:
    """A line of a cut.

    Attributes:
        name: How the packet calls it.
        share: How many of its cards come in one turn.
        sort: What its cards show; a summary takes the lane of what it covers.
        profiles: Profiles of the memories that it takes.
        states: Their states; empty for every state that takes part.
        relations: Relations of the edges that it takes.
        is_stale: It takes what is stale, of whatever profile.
    """

    name: str
    share: int
    sort: Sort = Sort.MEMORY
    profiles: frozenset[Profile] = frozenset()
    states: frozenset[Lifecycle] = frozenset()
    relations: frozenset[str] = frozenset()
    is_stale: bool = False


@frozen
class Cut:
    """A row of the table.

    Attributes:
        kind: Whose packet it is.
        lanes: In their order; something stands in the first lane that takes it.
        has_summaries: A summary that keeps the meaning may stand for what it covers.
        is_public: A card is what would be said, and nothing of why; see :func:`is_sayable`.
    """

    kind: PacketKind
    lanes: tuple[Lane, ...]
    has_summaries: bool = True
    is_public: bool = False


P, L = Profile, Lifecycle


def _lane(name: str, share: int, *profiles: Profile, states: Iterable[Lifecycle] = ()) -> Lane:
    return Lane(name=name, share=share, profiles=frozenset(profiles), states=frozenset(states))


def _edges(name: str, share: int, relations: Iterable[str]) -> Lane:
    return Lane(name=name, share=share, sort=Sort.EDGE, relations=frozenset(map(str, relations)))


CUTS: Final[Mapping[PacketKind, Cut]] = MappingProxyType(
    {
        PacketKind.REPO: Cut(
            kind=PacketKind.REPO,
            lanes=(
                _lane("architecture", 4, P.REPO_ARCHITECTURE),
                _lane("dataflow", 2, P.REPO_DATAFLOW),
                _edges("links", 2, RepoRelation),
                _lane("evidence", 1, P.EVIDENCE),
                _lane("learned", 1, P.ROLE_SELF),
            ),
        ),
        PacketKind.ROLE: Cut(
            kind=PacketKind.ROLE,
            lanes=(
                _lane("identity", 1, P.IDENTITY),
                _lane("self", 2, P.ROLE_SELF),
                _lane("short-term", 2, P.CONVERSATION),
                _lane("incubation", 1, P.INCUBATION),
                _lane("agency", 2, P.AGENCY_PRESSURE),
                _lane("interventions", 1, P.CANDIDATE_INTERVENTION),
                _lane("evidence", 1, P.EVIDENCE),
                _edges("links", 1, MemoryRelation),
            ),
        ),
        PacketKind.PUBLIC: Cut(
            kind=PacketKind.PUBLIC,
            lanes=(_lane("to say", 1, P.CANDIDATE_INTERVENTION, states=(L.QUEUED, L.DEFERRED)),),
            has_summaries=False,
            is_public=True,
        ),
        PacketKind.COORDINATOR: Cut(
            kind=PacketKind.COORDINATOR,
            lanes=(
                _lane("obligations", 3, P.AGENCY_PRESSURE, states=(L.OBLIGATED,)),
                _lane("pressure", 2, P.AGENCY_PRESSURE),
                Lane(name="stale", share=2, is_stale=True),
                Lane(name="receipts", share=1, sort=Sort.RECEIPT),
            ),
            has_summaries=False,
        ),
    }
)
"""The table; every kind of packet has one row."""


def cards_from(asked: int | None) -> int:
    """Returns how many cards a packet has at most: what was asked for, within the bounds."""
    if asked is None:
        return DEFAULT_CARDS
    return max(LEAST_CARDS, min(MOST_CARDS, asked))


_AGAINST: Final = frozenset({str(MemoryRelation.CONTRADICTS), str(MemoryRelation.RETIRES)})


def is_put_aside(record: Record) -> bool:
    """Tells whether a memory is over or was contradicted, or an edge tells of one that was."""
    if record.kind == ROLE_KIND:
        return not is_open(record) or lifecycle_of(record) is Lifecycle.CONTRADICTED
    return ends_of_edge(record)[1] in _AGAINST


def contradictions(
    memories: Mapping[str, Record], edges: Iterable[Record]
) -> Mapping[str, tuple[str, ...]]:
    """Returns what is spoken against, with the open memories that do so.

    Only what takes part counts, at both ends: what was put aside speaks against nothing.
    """
    found: dict[str, list[str]] = {}
    for edge in edges:
        start, relation, end = ends_of_edge(edge)
        if relation != MemoryRelation.CONTRADICTS or start == end:
            continue
        if all(name in memories and is_open(memories[name]) for name in (start, end)):
            found.setdefault(end, []).append(start)
    return {name: tuple(sorted(set(against))) for name, against in found.items()}


def lane_of(cut: Cut, record: Record, *, is_stale: bool) -> Lane | None:
    """Returns the lane of a cut that takes a memory or an edge; ``None`` where none does."""
    profile, state = profile_of(record), lifecycle_of(record)
    is_memory = record.kind == ROLE_KIND
    for lane in cut.lanes:
        if lane.is_stale and is_stale:
            return lane
        if not is_memory and ends_of_edge(record)[1] in lane.relations:
            return lane
        is_state = not lane.states or state in lane.states
        if is_memory and profile in lane.profiles and is_state:
            return lane
    return None


T = TypeVar("T")


def in_turns(lanes: Sequence[tuple[int, Sequence[T]]], most: int) -> tuple[T, ...]:
    """Returns at most so many items: of every lane its share, again and again, in lane order.

    The first lane's first item is the first; what one lane does not need, the next ones get.
    """
    rest = [(share, list(items)) for share, items in lanes]
    chosen: list[list[T]] = [[] for _ in rest]
    left = most
    while left > 0 and any(items for _, items in rest):
        for (share, items), taken in zip(rest, chosen, strict=True):
            count = min(share, left, len(items))
            taken += items[:count]
            del items[:count]
            left -= count
    return tuple(item for taken in chosen for item in taken)


def is_sayable(record: Record) -> bool:
    """Tells whether a memory is words that may yet be said; whether they are ripe is not asked."""
    return (
        record.kind == ROLE_KIND
        and profile_of(record) is Profile.CANDIDATE_INTERVENTION
        and is_open(record)
        and record.fields.get("intent") == Intent.SPEECH
        and bool(text_field(record, "words").strip())
    )


class Withheld(StrEnum):
    """Why words do not go before the public, as a packet counts it."""

    UNSEEN = "unseen"
    """They rest on something that is gone, or that the reader may not see."""
    SENSITIVE = "sensitive"
    """They rest on something confidential, or of a class of its own."""
    PRIVATE = "private"
    """They rest on what belongs to a person, a team, a conversation, a task or another role."""
    SINK = "sink"
    """They rest on something that may not leave the store."""
    NOT_READY = "not-ready"
    """The table of readiness holds them, or leaves them unsaid."""


def check_public(record: Record, role: str) -> Withheld | None:
    """Returns why a record may be nothing that words before the public rest on, or ``None``.

    What a role remembers is its own to speak of; what that rests on is looked at as well.
    """
    if record.sensitivity > Sensitivity.NORMAL or record.record_class:
        return Withheld.SENSITIVE
    scope = record.scope
    is_own = scope is not None and scope.kind is ScopeKind.AGENT and scope.name == role
    if scope is not None and scope.kind is not ScopeKind.PROJECT and not is_own:
        return Withheld.PRIVATE
    return None if record.sinks >= _LEAVING else Withheld.SINK


_LEAVING: Final = frozenset({Sink.EXPORT, Sink.REMOTE})
