"""How a role's memory stands: counted when it is asked for, believed from nowhere (E12, E54).

Counts are of what the reader may see; a role of which they may see nothing looks like one that
was never there. No heartbeat, no index of vectors and no running process is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Final

from memfs.domains.roles.packets.packet_cuts import is_stale
from memfs.domains.roles.packets.packets import Gate, Named, waiting_gates
from memfs.domains.roles.packets.picture import Looking, Picture
from memfs.domains.roles.rest.schedule import schedule_for, schedule_of
from memfs.domains.roles.summaries.descent import cut
from memfs.model.frozen import frozen
from memfs.model.instants import format_instant
from memfs.model.record import Record
from memfs.model.record_fields import text_field
from memfs.model.role import (
    Lifecycle,
    Profile,
    anchors_of,
    lifecycle_of,
    number_of,
    profile_of,
)
from memfs.model.values import JsonValue
from memfs.policy.role_cuts import MOST_NAMED, contradictions
from memfs.policy.role_lifecycle import is_open
from memfs.policy.role_readiness import Readiness, decide_every
from memfs.policy.role_ripening import ripeness_of
from memfs.policy.role_schedule import Schedule, short_term_pressure
from memfs.policy.role_summaries import is_pressing_hard


@frozen
class RoleStatus:
    """How a role's memory stands.

    Attributes:
        role: Its name.
        counts: Profile to state to how many.
        open_short_term: Short-term memories that a sleep has to account for.
        pressure: How much these press it to rest, 0 to 1.
        schedule: How it is between awake and asleep, and when it rests next.
        is_pressed: Something presses hard: exact memories are told in place of summaries.
        obligations: Pressures that are owed.
        ripe: Threads that are ripe, as counted now.
        readiness: Verdict to how many candidates, as decided now.
        stale: What was read off something that changed or is gone.
        unlooked: Files that were not looked at for that, since there are too many.
        contradicted: What open memories speak against.
        unanchored: Open memories that rest on nothing that is named.
        summaries: How many there are, and how many of them stand for what they cover now.
        edges: Edges of its memory.
        differences: Where a file says otherwise of itself than is found now.
        last_receipt: When something was done to it last; ``None`` where the reader may not know.
        gates: What waits for a person, within a bound.
        waiting: How much waits.
    """

    role: str
    counts: Mapping[str, Mapping[str, int]]
    open_short_term: int
    pressure: float
    schedule: Schedule
    is_pressed: bool
    obligations: Named
    ripe: Named
    readiness: Mapping[str, int]
    stale: Named
    unlooked: int
    contradicted: Named
    unanchored: int
    summaries: tuple[int, int]
    edges: int
    differences: tuple[str, ...]
    last_receipt: datetime | None
    gates: tuple[Gate, ...]
    waiting: int


def status_of(looking: Looking, picture: Picture) -> RoleStatus:
    """Counts how a role's memory stands."""
    memories = picture.view.memories
    opened = [record for record in memories.values() if is_open(record)]
    counts: dict[str, Counter[str]] = {}
    for record in memories.values():
        states = counts.setdefault(text_field(record, "profile"), Counter())
        states[text_field(record, "lifecycle")] += 1
    against = contradictions(memories, picture.edges)
    gates = tuple(waiting_gates(looking, picture.role))
    return RoleStatus(
        role=picture.role,
        counts=MappingProxyType(
            {name: dict(sorted(c.items())) for name, c in sorted(counts.items())}
        ),
        open_short_term=sum(profile_of(record) is Profile.CONVERSATION for record in opened),
        pressure=short_term_pressure(opened),
        schedule=_schedule(looking, picture),
        is_pressed=is_pressing_hard(opened),
        obligations=Named.of(r.id for r in opened if lifecycle_of(r) is Lifecycle.OBLIGATED),
        ripe=Named.of(r.id for r in opened if _is_ripe(r, picture)),
        readiness=dict(sorted(Counter(str(r.verdict) for _, r in candidates(picture)).items())),
        stale=Named.of(
            item.id
            for item in (*opened, *picture.edges, *picture.summaries)
            if is_stale(picture, item)
        ),
        unlooked=len(picture.freshness.unlooked),
        contradicted=Named.of(sorted(against)),
        unanchored=sum(anchors_of(record).is_missing for record in opened),
        summaries=(len(picture.summaries), _standing(picture)),
        edges=len(picture.edges),
        differences=tuple(differences(picture))[:MOST_NAMED],
        last_receipt=picture.receipts[0].observed if picture.receipts else None,
        gates=gates[:MOST_NAMED],
        waiting=len(gates),
    )


def _schedule(looking: Looking, picture: Picture) -> Schedule:
    """Returns when a role rests next; when it rested is told to nobody but itself and a person."""
    if looking.knows_all_of(picture.role):
        return schedule_for(looking.workspace, picture.view)
    records, now = tuple(picture.view.memories.values()), picture.view.now
    return schedule_of(
        None,
        None,
        short_term_pressure(records),
        now,
        at=looking.workspace.settings.sleep.deep_at,
        began=min((item.observed for item in records if item.observed), default=now),
    )


def candidates(picture: Picture) -> Iterator[tuple[Record, Readiness]]:
    """Yields every open candidate with what is decided about it now."""
    memories = picture.view.memories
    for name, readiness in decide_every(memories, picture.view.now).items():
        yield memories[name], readiness


def differences(picture: Picture) -> Iterator[str]:
    """Yields where a memory says otherwise of itself than is counted; ids and numbers alone."""
    for record in picture.view.memories.values():
        if profile_of(record) is Profile.INCUBATION and is_open(record):
            ripeness = ripeness_of(record, picture.view.memories)
            counted = (("support", float(ripeness.support)), ("maturity", ripeness.maturity))
            for name, value in counted:
                stored = number_of(record, name)
                if not abs(stored - value) <= _ROUNDING:
                    yield f"{record.id}: {name} {value:g} counted, {stored:g} in the file"
        if record.id in picture.stale and lifecycle_of(record) in _FRESH:
            state = lifecycle_of(record)
            yield f"{record.id}: stale as found now, {state} in the file"


_FRESH: Final = frozenset({Lifecycle.ACCEPTED, Lifecycle.PROPOSED, Lifecycle.OBSERVED})
_ROUNDING: Final = 0.0001


def _is_ripe(record: Record, picture: Picture) -> bool:
    is_thread = profile_of(record) is Profile.INCUBATION
    return is_thread and ripeness_of(record, picture.view.memories).is_ripe


def _standing(picture: Picture) -> int:
    """Returns how many summaries stand for what they cover, as a reader would get them now."""
    found = cut(
        picture.view,
        picture.summaries,
        picture.stale,
        edges=picture.edges,
        is_high_pressure=False,
        now=picture.view.now,
    )
    return sum(card.is_summary for card in found.cards)


def status_value(status: RoleStatus) -> dict[str, JsonValue]:
    """Returns a status as plain data."""
    return {
        "role": status.role,
        "counts": {name: dict(states) for name, states in status.counts.items()},
        "open_short_term": status.open_short_term,
        "pressure": status.pressure,
        "schedule": _schedule_value(status.schedule),
        "is_pressed": status.is_pressed,
        "obligations": named_value(status.obligations),
        "ripe": named_value(status.ripe),
        "readiness": dict(status.readiness),
        "stale": named_value(status.stale),
        "unlooked": status.unlooked,
        "contradicted": named_value(status.contradicted),
        "unanchored": status.unanchored,
        "summaries": {"count": status.summaries[0], "standing": status.summaries[1]},
        "edges": status.edges,
        "differences": list(status.differences),
        "last_receipt": format_instant(status.last_receipt) if status.last_receipt else "",
        "gates": [{"id": g.id, "code": g.code, "message": g.message} for g in status.gates],
        "waiting": status.waiting,
    }


def _schedule_value(schedule: Schedule) -> dict[str, JsonValue]:
    nap = schedule.next_nap
    return {
        "cycle": str(schedule.cycle),
        "is_nap_due": schedule.is_nap_due,
        "next_nap": format_instant(nap) if nap is not None else "",
        "next_sleep": format_instant(schedule.next_sleep),
    }


def named_value(named: Named) -> JsonValue:
    """Returns ids that are named, and how many more there are, as plain data."""
    return {"ids": list(named.ids), "beyond": named.beyond}
