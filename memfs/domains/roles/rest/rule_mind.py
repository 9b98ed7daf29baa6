"""Goes over a role's memory by rules, without any model: the same for the same memory.

What says the same is looked at together. The first row of ``memfs.policy.role_sleep.FATES`` that
holds decides: it is learned for good, it ripens, or it is let go with the reason. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from memfs.domains.roles.rest.alike import Alike, groups_of
from memfs.domains.roles.rest.mind import Proposal
from memfs.domains.roles.shaping import DEFAULT_CONFIDENCE, MOST_WORDINGS, ids_in, wordings_of
from memfs.domains.roles.view import RoleView
from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import (
    ANCHOR_MISSING,
    Because,
    Lifecycle,
    Profile,
    lifecycle_of,
    number_of,
    profile_of,
)
from memfs.model.role_operation import OperationName
from memfs.model.text import normalise_text
from memfs.model.values import JsonValue
from memfs.policy.paraphrase import is_paraphrase
from memfs.policy.role_lifecycle import is_open
from memfs.policy.role_operations import MOST_ANCHORS, MOST_MEMORIES, MOST_TAGS
from memfs.policy.role_ripening import instant_of, ripeness_of
from memfs.policy.role_sleep import Fate, FateRow, Seen, fate_of

_REFUTED: Final = frozenset({Because.WRONG, Because.CONTRADICTED})
WORDS: Final[Mapping[Because, str]] = {
    Because.CONTRADICTED: "it was put aside as wrong, and nobody said it since",
    Because.EXPIRED: "nothing came of it for long",
    Because.LOW_VALUE: "it mattered little and did not come again",
    Because.DUPLICATE: "a durable memory says it and holds as many sources as it can",
    Because.STATED: "no other operation could settle it",
}
"""What the rules give for a reason; no word of a memory stands in one."""


@frozen
class RuleMind:
    """Settles short-term memory by the table of fates.

    Attributes:
        is_settling: Whether it settles; without, it makes one of what says the same and no more.
        name: What a receipt calls it.
        is_slow: It is not.
    """

    is_settling: bool = True
    name: str = "rules"
    is_slow: bool = False

    def propose(self, view: RoleView, now: datetime) -> Sequence[Proposal]:
        """Returns operations that settle everything that is open, or make one of what is alike."""
        groups = groups_of(view.short_term().values())
        if not self.is_settling:
            return tuple(_clustered(group) for group in groups if _may_cluster(group))
        return (*_promoted(view), *self._settled(view, groups, now))

    def reconsider(
        self, view: RoleView, now: datetime, left: frozenset[str], turn: int
    ) -> Sequence[Proposal]:
        """Returns that what is left over is let go: it stays readable, and it is settled."""
        if not self.is_settling:
            return ()
        # One that cannot be let go keeps the others of its operation, but only once.
        size = MOST_MEMORIES if turn == 1 else 1
        known: list[str] = []
        other: list[str] = []
        for name in sorted(left):
            record = view.get(name)
            if record is not None:
                (known if _known(view, record) is not None else other).append(name)
        return (
            *_pruned(known, Because.DUPLICATE, size),
            *_pruned(other, Because.STATED, size),
        )

    def _settled(
        self, view: RoleView, groups: Iterable[Alike], now: datetime
    ) -> Iterator[Proposal]:
        gone: dict[Because, list[str]] = {}
        ripening: dict[str, list[Alike]] = {}
        for group in groups:
            row = _row_for(view, group, now)
            match row.fate:
                case Fate.DISTIL:
                    yield from _distilled(view, group)
                case Fate.INCUBATE:
                    ripening.setdefault(normalise_text(group.lead.subject), []).append(group)
                case Fate.PRUNE:
                    gone.setdefault(row.because, []).extend(item.id for item in group.members)
        for together in ripening.values():
            yield from _incubated(view, together)
        for because in sorted(gone):
            yield from _pruned(gone[because], because, MOST_MEMORIES)


def _row_for(view: RoleView, group: Alike, now: datetime) -> FateRow:
    lead = group.lead
    touched = [_touched(item, now) for item in group.members]
    return fate_of(
        Seen(
            times=sum(1 + int(number_of(item, "repeats")) for item in group.members),
            salience=max(number_of(item, "salience") for item in group.members),
            confidence=max(_confidence(item) for item in group.members),
            days=max(timedelta(), now - max(touched)) / timedelta(days=1),
            is_asked=any(text_field(item, "question") for item in group.members),
            is_known=_known(view, lead) is not None,
            is_refuted=_is_refuted(view, lead, max(touched), now),
            has_thread=_thread(view, lead) is not None,
        )
    )


def _touched(record: Record, now: datetime) -> datetime:
    return instant_of(record, "touched") or record.observed or now


def _confidence(record: Record) -> float:
    return DEFAULT_CONFIDENCE if record.confidence is None else record.confidence


def _known(view: RoleView, record: Record) -> Record | None:
    """Returns the durable memory that says the same, where one stands."""
    return next(
        (item for item in _durable(view, record) if is_open(item) and _is_same(item, record)), None
    )


def _is_refuted(view: RoleView, record: Record, said: datetime, now: datetime) -> bool:
    """Tells whether the same was put aside as wrong, and was not said again since."""
    return any(
        lifecycle_of(item) is Lifecycle.RETIRED
        and text_field(item, "because") in _REFUTED
        and _touched(item, now) >= said
        and _is_same(item, record)
        for item in _durable(view, record)
    )


def _is_same(durable: Record, record: Record) -> bool:
    return is_paraphrase(durable.title, record.title)


def _durable(view: RoleView, record: Record) -> Iterator[Record]:
    for item in _of_subject(view, record):
        if profile_of(item) is Profile.ROLE_SELF:
            yield item


def _thread(view: RoleView, record: Record) -> Record | None:
    found = (item for item in _of_subject(view, record) if profile_of(item) is Profile.INCUBATION)
    return next((item for item in found if is_open(item)), None)


def _of_subject(view: RoleView, record: Record) -> Iterator[Record]:
    for name in sorted(view.named(record.subject)):
        yield view.memories[name]


# Operations ----------------------------------------------------------------------------------


def _clustered(group: Alike) -> Proposal:
    names = [item.id for item in group.members][:MOST_MEMORIES]
    return _written(OperationName.CLUSTER, {"memories": list(names)})


def _may_cluster(group: Alike) -> bool:
    """Tells whether one memory can take the others in: it holds so much and no more."""
    members = group.members[:MOST_MEMORIES]
    anchors = {anchor for item in members for anchor in texts_field(item, "anchors")}
    tags = {tag for item in members for tag in item.tags}
    wordings = sum(1 + len(wordings_of(item)) for item in members)
    return (
        len(members) > 1
        and len(anchors) <= MOST_ANCHORS
        and len(tags) <= MOST_TAGS
        and wordings <= MOST_WORDINGS
    )


def _distilled(view: RoleView, group: Alike) -> Iterator[Proposal]:
    standing = _known(view, group.lead)
    said = {**_words(_first_of(group), standing), **_ground(view, group, standing)}
    for names in _chunks([item.id for item in _in_order(group)]):
        yield _written(OperationName.DISTILL, {"sources": list(names), **said})


def _incubated(view: RoleView, groups: Sequence[Alike]) -> Iterator[Proposal]:
    """Yields that groups of one target and topic support the one thread of these.

    All of them rest it on the same, so that together they are no more than it can hold. It
    gathers their words as long as there is room.
    """
    thread = _thread(view, groups[0].lead)
    every = Alike(members=tuple(item for group in groups for item in group.members))
    ground = _ground(view, every, thread)
    words = _words(_first_of(groups[0]), thread)
    room = MOST_WORDINGS - (len(wordings_of(thread)) if thread is not None else 0)
    for place, group in enumerate(groups):
        said = {**(_words(_first_of(group), None) if place < room else words), **ground}
        for names in _chunks([item.id for item in _in_order(group)]):
            yield _written(OperationName.INCUBATE, {"sources": list(names), **said})


def _in_order(group: Alike) -> tuple[Record, ...]:
    """Returns the members with the one whose words are taken first.

    What is made of several operations rests on what it says from the first of them on, so that it
    goes with that whatever becomes of the others.
    """
    lead = group.lead
    return (lead, *(item for item in group.members if item.id != lead.id))


def _first_of(group: Alike) -> Alike:
    """Returns the members that the first operation names."""
    return Alike(members=_in_order(group)[:MOST_MEMORIES])


def _promoted(view: RoleView) -> Iterator[Proposal]:
    """Yields that ripe threads are learned for good; one that asks goes on asking."""
    for name in sorted(view.memories):
        thread = view.memories[name]
        if profile_of(thread) is not Profile.INCUBATION or not is_open(thread):
            continue
        may_move = lifecycle_of(thread) is not Lifecycle.COOLING
        is_asking = bool(text_field(thread, "question"))
        if may_move and not is_asking and ripeness_of(thread, view.memories).is_ripe:
            said = _anatomy(view, Alike(members=(thread,)), _known(view, thread))
            yield _written(OperationName.DISTILL, {"sources": [name], **said})


def _pruned(names: Sequence[str], because: Because, size: int) -> Iterator[Proposal]:
    for chunk in _chunks(names, size):
        said: dict[str, JsonValue] = {"memories": list(chunk), "reason": WORDS[because]}
        yield _written(OperationName.PRUNE, {**said, "because": str(because)})


def _anatomy(view: RoleView, group: Alike, standing: Record | None) -> dict[str, JsonValue]:
    """Returns what a group says together; where something stands it goes on saying what it says."""
    return {**_words(group, standing), **_ground(view, group, standing)}


def _words(group: Alike, standing: Record | None) -> dict[str, JsonValue]:
    lead = standing or group.lead
    asked = (text_field(item, "question") for item in (lead, *group.members))
    told: dict[str, JsonValue] = {
        "target": text_field(lead, "target"),
        "topic": text_field(lead, "topic"),
        "claim": lead.title,
        "question": next(filter(None, asked), ""),
        "tension": text_field(lead, "tension"),
        "implication": text_field(lead, "implication"),
    }
    return {name: value for name, value in told.items() if value}


def _ground(view: RoleView, group: Alike, standing: Record | None) -> dict[str, JsonValue]:
    """Returns what a group rests on and is worth, no more than one memory can hold."""
    every = (standing or group.lead, *group.members)
    anchors = [
        anchor
        for item in every
        for anchor in texts_field(item, "anchors")
        if anchor != ANCHOR_MISSING and all(view.has(name) for name in ids_in((anchor,)))
    ]
    told: dict[str, JsonValue] = {
        "anchors": list(_first(anchors, MOST_ANCHORS)) or [ANCHOR_MISSING],
        "source_hashes": list(
            _first((h for item in every for h in texts_field(item, "source_hashes")), MOST_ANCHORS)
        ),
        "tags": list(_first((tag for item in every for tag in item.tags), MOST_TAGS)),
        "salience": round(max(number_of(item, "salience") for item in group.members), 4),
        "confidence": round(max(_confidence(item) for item in group.members), 4),
    }
    return {name: value for name, value in told.items() if value != []}


def _first(items: Iterable[str], most: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))[:most]


def _chunks(names: Sequence[str], size: int = MOST_MEMORIES) -> Iterator[Sequence[str]]:
    for start in range(0, len(names), size):
        yield names[start : start + size]


def _written(name: OperationName, members: Mapping[str, JsonValue]) -> Proposal:
    return json.dumps({"operation": str(name), **members}, ensure_ascii=False)
