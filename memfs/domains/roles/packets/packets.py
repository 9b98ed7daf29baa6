"""A packet of what a role remembers: chosen by a cut, told with what to beware of, within a budget.

The budget counts cards: memories, summaries, edges and receipts together. Beside the cards a packet
names, within a bound, what is owed, what waits for a person, and what leads nowhere. Nothing is
kept of it, no vector has a part in it, and it permits nothing (E13, E14, E45, E57).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Final

from memfs.domains.roles.packets.packet_cuts import Caution, CautionCode, RoleCard, choose
from memfs.domains.roles.packets.picture import Looking, Picture
from memfs.domains.roles.shaping import ids_in
from memfs.model.frozen import frozen
from memfs.model.ids import split_version
from memfs.model.record import Record
from memfs.model.record_fields import texts_field
from memfs.model.role import Lifecycle, Profile, lifecycle_of, profile_of
from memfs.policy.closure import inputs_of
from memfs.policy.relations import ends_of_edge
from memfs.policy.role_cuts import (
    CUTS,
    MOST_NAMED,
    PacketKind,
    Sort,
    Withheld,
    cards_from,
    check_public,
    is_sayable,
)
from memfs.policy.role_readiness import ReadinessVerdict, decide_every
from memfs.services.inbox import is_visible, read_inbox
from memfs.store.layout import role_folder

_MOST_SOURCES: Final = 256
"""So much is looked at of what words rest on; what rests on more is not said in public."""


@frozen
class Gate:
    """Something that waits for a person, or for somebody who may decide.

    Attributes:
        id: The memory or the candidate of the inbox.
        code: Which gate.
        message: What has to be done, in words of this build.
    """

    id: str
    code: str
    message: str


@frozen
class Named:
    """Ids that are named beside the cards, within a bound, and how many more there are."""

    ids: tuple[str, ...] = ()
    beyond: int = 0

    @classmethod
    def of(cls, ids: Iterable[str]) -> Named:
        """Takes the first so many of some ids."""
        every = tuple(dict.fromkeys(ids))
        return cls(ids=every[:MOST_NAMED], beyond=max(0, len(every) - MOST_NAMED))


@frozen
class RolePacket:
    """What a reader is given of a role.

    Attributes:
        role: Its name; empty for all that the reader may see.
        kind: Whose cut it is.
        budget: Cards at most.
        cards: In the order of the lanes.
        cautions: What to know before relying on it.
        missing: What the cards name and that leads to nothing that the reader may see.
        obligations: Pressures that are owed, among the cards or not.
        receipts: What was done to the role, newest first; for a person.
        gates: What waits for somebody.
        gates_beyond: How many more wait.
        beyond: Lane to how many cards more it has.
        withheld: Why words are not before the public, with how many; of a public packet.
        reason: Why there are fewer cards than would fit the budget; empty for nothing.
        text: The packet, fenced; empty where there is nothing to say.
        tokens: Estimated size of that.
    """

    role: str
    kind: PacketKind
    budget: int
    store: str
    ledger: str
    cards: tuple[RoleCard, ...] = ()
    cautions: tuple[Caution, ...] = ()
    missing: Named = Named()
    obligations: Named = Named()
    receipts: Named = Named()
    gates: tuple[Gate, ...] = ()
    gates_beyond: int = 0
    beyond: Mapping[str, int] = field(default_factory=dict)
    withheld: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    text: str = ""
    tokens: int = 0


def gather(
    looking: Looking,
    picture: Picture,
    kind: PacketKind,
    budget: int | None,
    *,
    is_all: bool = False,
) -> RolePacket:
    """Gathers a packet, without its text.

    Args:
        looking: The reader.
        picture: All of the role that they may see.
        kind: Whose packet it is.
        budget: Cards at most; clamped, 12 where nobody says.
        is_all: What was put aside, and what contradicts, too.
    """
    most = cards_from(budget)
    base = RolePacket(
        role=picture.role,
        kind=kind,
        budget=most,
        store=str(looking.workspace.store_id),
        ledger=str(looking.snapshot.commit),
    )
    if CUTS[kind].is_public:
        allowed, withheld = _public(looking, picture)
        chosen = choose(picture, kind, most, allowed=allowed)
        held = sum(withheld.values())
        told = Caution(code=CautionCode.HELD_BACK, message=f"{held} to say are held back")
        cautions = (told,) if held else ()
        return replace(
            base, cards=chosen.cards, beyond=chosen.beyond, cautions=cautions, withheld=withheld
        )
    chosen = choose(picture, kind, most, is_all=is_all)
    gates = tuple(dict.fromkeys(_gates(looking, picture, chosen.cards)))
    return replace(
        base,
        cards=chosen.cards,
        beyond=chosen.beyond,
        cautions=chosen.cautions,
        missing=Named.of(_missing(looking, picture, chosen.cards)),
        obligations=Named.of(
            item.reference
            for item in picture.view.memories.values()
            if lifecycle_of(item) is Lifecycle.OBLIGATED
        ),
        receipts=Named.of(item.id for item in picture.receipts),
        gates=gates[:MOST_NAMED],
        gates_beyond=max(0, len(gates) - MOST_NAMED),
    )


# What leads nowhere --------------------------------------------------------------------------


def _missing(looking: Looking, picture: Picture, cards: Iterable[RoleCard]) -> Iterator[str]:
    """Yields ids that cards name and behind which the reader finds nothing.

    What is gone, what never was and what they may not see are not told apart. Whoever is neither
    the role nor a person is not told the ids that another role wrote down.
    """
    if not looking.knows_all_of(picture.role):
        return
    told = [card.record for card in cards]
    shown = {record.id for record in told}
    # A summary that gave way because something of it is gone says so by what it names.
    told += [s for s in picture.summaries if shown & set(texts_field(s, "covers_nodes"))]
    named = tuple(dict.fromkeys(name for record in told for name in _named_by(record)))
    known = picture.view.memories.keys() | {item.id for item in picture.summaries}
    asked = tuple(name for name in named if name not in known)
    found = looking.found(asked)
    yield from (name for name in asked if name not in found)


def _named_by(record: Record) -> Iterator[str]:
    yield from ids_in(texts_field(record, "anchors"))
    yield from inputs_of(record)
    yield from texts_field(record, "answers")
    yield from texts_field(record, "covers_nodes")


# What waits ----------------------------------------------------------------------------------

_GATES: Final = (
    (
        "accept",
        (Profile.ROLE_SELF, Profile.IDENTITY, Profile.EVIDENCE),
        (Lifecycle.PROPOSED,),
        "a person accepts it before it counts",
    ),
    (
        "repo-review",
        (Profile.REPO_ARCHITECTURE, Profile.REPO_DATAFLOW),
        (Lifecycle.PROPOSED,),
        "a person accepts it before it counts",
    ),
    (
        "look-again",
        (Profile.REPO_ARCHITECTURE, Profile.REPO_DATAFLOW),
        (Lifecycle.STALE,),
        "it is looked at again before it can be accepted",
    ),
    (
        "decide",
        (Profile.CANDIDATE_INTERVENTION,),
        (Lifecycle.QUEUED, Lifecycle.DEFERRED),
        "it is said or done by nobody until somebody who may decides",
    ),
)
"""Gate, the profiles and states that stand before it, and what opens it."""


def _gates(looking: Looking, picture: Picture, cards: Iterable[RoleCard]) -> Iterator[Gate]:
    for role in picture.roles:
        yield from waiting_gates(looking, role)
    for card in cards:
        if card.sort is not Sort.MEMORY:
            continue
        profile, state = profile_of(card.record), lifecycle_of(card.record)
        for code, profiles, states, message in _GATES:
            is_stale = card.is_stale and code == "look-again"
            if profile in profiles and (state in states or is_stale):
                yield Gate(id=card.record.id, code=code, message=message)


def waiting_gates(looking: Looking, role: str) -> Iterator[Gate]:
    """Yields what of a role waits in the inbox, as far as the reader may see it."""
    folder = f"roles/{role_folder(role)}/"
    for item in read_inbox(looking.workspace).waiting:
        if item.path.startswith(folder) and is_visible(item, looking.actor):
            why = item.reasons[0].code if item.reasons else "inbox"
            yield Gate(id=item.id, code=why, message="it waits for a person: memfs review")


# What is public ------------------------------------------------------------------------------


def _public(looking: Looking, picture: Picture) -> tuple[frozenset[str], Mapping[str, int]]:
    """Returns what may be said in public, and of the rest why not, counted."""
    memories = picture.view.memories
    decided = decide_every(memories, picture.view.now)
    grounds = _Grounds(looking, picture)
    allowed, withheld = set[str](), Counter[str]()
    for record in memories.values():
        if not is_sayable(record):
            continue
        readiness = decided.get(record.id)
        is_ready = readiness is not None and readiness.verdict is ReadinessVerdict.DRAFT
        why = grounds.withheld(record) if is_ready else Withheld.NOT_READY
        if why is None:
            allowed.add(record.id)
        else:
            withheld[str(why)] += 1
    return frozenset(allowed), MappingProxyType(dict(sorted(withheld.items())))


class _Grounds:
    """What words rest on, however far; what was looked up once is not looked up again."""

    def __init__(self, looking: Looking, picture: Picture) -> None:
        self._looking = looking
        self._role = picture.role
        self._known: dict[str, Record | None] = dict(picture.view.memories)
        self._known |= {item.id: item for item in (*picture.summaries, *picture.edges)}

    def withheld(self, record: Record) -> Withheld | None:
        """Returns why words may not go before the public; all that they rest on is looked at."""
        seen: set[str] = {record.id}
        waiting = [record]
        while waiting:
            for item in waiting:
                why = check_public(item, self._role)
                if why is not None:
                    return why
            asked = {split_version(name)[0] for item in waiting for name in _rests_on(item)} - seen
            found = self._found(asked)
            seen |= asked
            if len(found) < len(asked) or len(seen) > _MOST_SOURCES:
                return Withheld.UNSEEN
            waiting = found
        return None

    def _found(self, names: set[str]) -> list[Record]:
        new = sorted(names - self._known.keys())
        read = self._looking.found(new)
        self._known |= {name: read.get(name) for name in new}
        return [item for name in sorted(names) if (item := self._known[name]) is not None]


def _rests_on(record: Record) -> Iterator[str]:
    start, _, end = ends_of_edge(record)
    yield from (name for name in (start, end) if name)
    yield from _named_by(record)
