"""Operations on what presses a role, and on what it might do about that (E30 to E34).

A candidate intervention is a record of what might be said, noted, changed or reviewed. It is said
by nobody, permits nothing, and its words stand in no pressure.
"""

from __future__ import annotations

from memfs.domains.roles.inheriting import heard_as
from memfs.domains.roles.shaping import Planner, is_saying_more, without_cooling, words_of
from memfs.domains.roles.view import Planned
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import (
    Because,
    Intent,
    Lifecycle,
    MemoryRelation,
    Profile,
    lifecycle_of,
    number_of,
)
from memfs.model.role_operation import (
    MarkSpoken,
    QueueCandidate,
    RetireCandidate,
    RetirePressure,
    UpsertPressure,
)
from memfs.policy.reasons import reason

_PRESSING = (Lifecycle.ACTIVE, Lifecycle.OBLIGATED)


def queue(operation: QueueCandidate, planner: Planner) -> Planned:
    """Plans a candidate, with an edge from each pressure that it would answer."""
    anatomy = operation.anatomy
    pressures = [planner.meant(name, Profile.AGENCY_PRESSURE) for name in operation.answers]
    for name in (*_named(operation, "retire"), *_named(operation, "revise")):
        planner.meant(name, Profile.ROLE_SELF, Profile.CONVERSATION, Profile.INCUBATION)
    standing = planner.standing(Profile.CANDIDATE_INTERVENTION, anatomy)
    if standing is not None and text_field(standing, "intent") == operation.intent:
        return Planned(reasons=(reason("role.unchanged", standing.id),), is_nothing=True)
    made = planner.made(
        Profile.CANDIDATE_INTERVENTION,
        anatomy,
        state=Lifecycle.QUEUED,
        intent=str(operation.intent),
        words=operation.words,
        patch=dict(operation.patch) or None,
        answers=list(operation.answers),
    )
    edges = tuple(planner.edge(MemoryRelation.TRIGGERED, item, made) for item in pressures)
    return Planned(made=(made,), edges=(*edges, *planner.linked(made, anatomy)))


def _named(operation: QueueCandidate, member: str) -> tuple[str, ...]:
    listed = operation.patch.get(member)
    return tuple(map(str, listed)) if isinstance(listed, list | tuple) else ()


def retire(operation: RetireCandidate, planner: Planner) -> Planned:
    """Plans that a candidate is put aside, with the reason."""
    gone = planner.moved(
        planner.meant(operation.candidate, Profile.CANDIDATE_INTERVENTION),
        Lifecycle.RETIRED,
        why=operation.reason,
        because=operation.because,
    )
    return Planned(changed=(gone,), because=str(operation.because), words=(operation.reason,))


def mark_spoken(operation: MarkSpoken, planner: Planner) -> Planned:
    """Plans that a candidate counts as said, by the record of it; what it answers cools.

    A note, a change of the role's own memory and a review are not said: they are applied, by the
    record of that.

    Raises:
        RefusedError: The record of it is not there, or the candidate is over.
    """
    candidate = planner.meant(operation.candidate, Profile.CANDIDATE_INTERVENTION)
    is_speech = text_field(candidate, "intent") == Intent.SPEECH
    planner.check_pointed((operation.receipt,))
    until = planner.until(operation.refractory_minutes)
    because = Because.SPOKEN if is_speech else Because.STATED
    spoken = planner.moved(
        candidate,
        Lifecycle.SPOKEN if is_speech else Lifecycle.APPLIED,
        because=because,
        spoken_receipt=operation.receipt,
        cooling_until=until,
    )
    cooled: list[Record] = []
    for name in texts_field(candidate, "answers"):
        pressure = planner.view.get(name)
        if pressure is not None and lifecycle_of(pressure) in _PRESSING:
            cooled.append(planner.moved(pressure, Lifecycle.COOLING, cooling_until=until))
    record = (
        planner.edge(MemoryRelation.SPOKEN_AS, spoken, operation.receipt)
        if is_speech
        else planner.edge(MemoryRelation.GROUNDS, operation.receipt, spoken)
    )
    edges = (
        record,
        *(planner.edge(MemoryRelation.COOLS, spoken, item) for item in cooled),
    )
    return Planned(changed=(spoken, *cooled), edges=edges, because=str(because))


def press(operation: UpsertPressure, planner: Planner) -> Planned:
    """Plans a pressure, or that the open one of the same target and topic presses so hard now."""
    anatomy = operation.anatomy
    state = Lifecycle.OBLIGATED if operation.is_obligated else Lifecycle.ACTIVE
    standing = next(
        planner.view.open_ones(Profile.AGENCY_PRESSURE, anatomy.target, anatomy.topic), None
    )
    if standing is None:
        made = planner.made(
            Profile.AGENCY_PRESSURE, anatomy, state=state, intensity=operation.intensity
        )
        return Planned(made=(made,), edges=planner.linked(made, anatomy))
    before = lifecycle_of(standing)
    is_pressing = before is state or (before is Lifecycle.OBLIGATED and state is Lifecycle.ACTIVE)
    is_same = number_of(standing, "intensity") == operation.intensity and is_pressing
    if is_same and not anatomy.links and not is_saying_more(standing, anatomy):
        return Planned(reasons=(reason("role.unchanged", standing.id),), is_nothing=True)
    grown = planner.deepened(standing, anatomy)
    if not is_pressing:
        grown = planner.moved(grown, state)
    grown = planner.changed(without_cooling(grown), intensity=operation.intensity)
    return Planned(
        changed=(grown,),
        edges=planner.linked(grown, anatomy),
        words=words_of(anatomy),
        heard=heard_as(standing, anatomy),
    )


def retire_pressure(operation: RetirePressure, planner: Planner) -> Planned:
    """Plans that a pressure is put aside, as answered where that is why."""
    is_answered = operation.because in (Because.ANSWERED, Because.SPOKEN)
    gone = planner.moved(
        planner.meant(operation.pressure, Profile.AGENCY_PRESSURE),
        Lifecycle.ANSWERED if is_answered else Lifecycle.RETIRED,
        why=operation.reason,
        because=operation.because,
    )
    return Planned(changed=(gone,), because=str(operation.because), words=(operation.reason,))
