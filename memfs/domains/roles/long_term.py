"""Operations on what lasts: distil, incubate, revise, retire, crystallize (E25 to E29)."""

from __future__ import annotations

from dataclasses import replace

from memfs.domains.roles.inheriting import heard_as, resting_on
from memfs.domains.roles.shaping import (
    Planner,
    RefusedError,
    anatomy_of,
    ids_in,
    is_saying_more,
    without_cooling,
    words_of,
)
from memfs.domains.roles.view import Planned
from memfs.model.record import Record
from memfs.model.role import (
    Lifecycle,
    MemoryRelation,
    Profile,
    lifecycle_of,
    profile_of,
)
from memfs.model.role_operation import (
    Anatomy,
    ApplyDistillation,
    Crystallize,
    MergeIncubation,
    RetireDurable,
    ReviseDurable,
)
from memfs.policy.reasons import reason
from memfs.policy.role_lifecycle import is_open
from memfs.policy.role_ripening import check_ripe, maturity_of, supports_of

_DURABLE = (Profile.ROLE_SELF, Profile.IDENTITY)
_WORDED = ("target", "topic", "claim", "question", "tension", "implication")


def distill(operation: ApplyDistillation, planner: Planner) -> Planned:
    """Plans a durable memory of short-term ones, which are marked as distilled.

    A thread among the sources is promoted by it. What is remembered for good in these words
    already is deepened by them instead.

    Raises:
        RefusedError: A thread is not ripe (``policy.role_ripening``), or cools.
    """
    sources = tuple(
        planner.meant(name, Profile.CONVERSATION, Profile.INCUBATION) for name in operation.sources
    )
    gone = tuple(_given_up(item, planner) for item in sources)
    standing = planner.standing(Profile.ROLE_SELF, operation.anatomy)
    if standing is not None:
        grown = _taking_in(standing, operation.anatomy, sources, planner)
        edges = tuple(planner.edge(MemoryRelation.DISTILLS, grown, item) for item in gone)
        links = planner.linked(grown, operation.anatomy)
        return Planned(
            changed=(grown, *gone),
            edges=(*edges, *links),
            words=words_of(operation.anatomy),
            heard=heard_as(standing, operation.anatomy),
        )
    made = planner.made(
        Profile.ROLE_SELF,
        operation.anatomy,
        state=Lifecycle.ACCEPTED,
        derived_from=operation.sources,
    )
    edges = tuple(planner.edge(MemoryRelation.DISTILLS, made, item) for item in gone)
    return Planned(
        made=(made,), changed=gone, edges=(*edges, *planner.linked(made, operation.anatomy))
    )


def _given_up(source: Record, planner: Planner) -> Record:
    """Returns a source of a durable memory: distilled, or, where it is a ripe thread, promoted."""
    if profile_of(source) is not Profile.INCUBATION:
        return planner.moved(source, Lifecycle.DISTILLED)
    promoted = planner.moved(source, Lifecycle.PROMOTED)
    unripe = check_ripe(source, planner.view.memories)
    if unripe is not None:
        raise RefusedError(unripe)
    return promoted


def incubate(operation: MergeIncubation, planner: Planner) -> Planned:
    """Plans that short-term memories support a thread that ripens, or begin one."""
    sources = _sources(operation.sources, planner, Profile.CONVERSATION)
    gone = tuple(planner.moved(item, Lifecycle.INCUBATED) for item in sources)
    anatomy = operation.anatomy
    thread = (
        planner.meant(operation.thread, Profile.INCUBATION)
        if operation.thread
        else next(planner.view.open_ones(Profile.INCUBATION, anatomy.target, anatomy.topic), None)
    )
    if thread is None:
        made = planner.made(
            Profile.INCUBATION,
            anatomy,
            state=Lifecycle.ACTIVE,
            derived_from=operation.sources,
            support=len(sources),
            maturity=maturity_of(sources),
        )
        edges = tuple(planner.edge(MemoryRelation.SUPPORTS, item, made) for item in gone)
        return Planned(made=(made,), changed=gone, edges=(*edges, *planner.linked(made, anatomy)))
    if lifecycle_of(thread) is not Lifecycle.DEEPENING:
        thread = planner.moved(without_cooling(thread), Lifecycle.DEEPENING)
    grown = _taking_in(thread, anatomy, sources, planner)
    # What it said of its support is not counted on: what stands behind it is.
    taken = {item.id: item for item in gone}
    behind = (taken.get(name) or planner.view.get(name) for name in grown.derived_from)
    supports = supports_of(grown, {item.id: item for item in behind if item is not None})
    grown = planner.changed(grown, support=len(supports), maturity=maturity_of(supports))
    edges = tuple(planner.edge(MemoryRelation.SUPPORTS, item, grown) for item in gone)
    return Planned(
        changed=(grown, *gone),
        edges=(*edges, *planner.linked(grown, anatomy)),
        words=words_of(anatomy),
        heard=heard_as(thread, anatomy),
    )


def revise(operation: ReviseDurable, planner: Planner) -> Planned:
    """Plans another wording of a durable memory; the old one is retired, with the reason.

    Where no word changes, the memory itself takes in what is added to it.

    Raises:
        RefusedError: It is no durable memory, or another one says that already.
    """
    old = planner.meant(operation.memory, *_DURABLE)
    anatomy = _overlaid(anatomy_of(old), operation.anatomy)
    if all(getattr(anatomy, name) == getattr(anatomy_of(old), name) for name in _WORDED):
        return _added_to(old, operation.anatomy, planner)
    gone = planner.moved(old, Lifecycle.RETIRED, why=operation.reason, because=operation.because)
    profile = profile_of(old) or Profile.ROLE_SELF
    standing = planner.standing(profile, anatomy)
    if standing is not None and standing.id != old.id:
        raise RefusedError(reason("role.unchanged", standing.id))
    made = planner.made(
        profile,
        anatomy,
        state=Lifecycle.REVISED,
        derived_from=(old.id,),
        asked=operation.anatomy,
    )
    edge = planner.edge(MemoryRelation.REVISES, made, gone)
    return Planned(
        made=(made,),
        changed=(gone,),
        edges=(edge, *planner.linked(made, operation.anatomy)),
        because=str(operation.because),
        words=(operation.reason,),
    )


def _added_to(old: Record, anatomy: Anatomy, planner: Planner) -> Planned:
    planner.check_pointed(ids_in(anatomy.anchors))
    if not is_open(old):
        planner.moved(old, Lifecycle.RETIRED)
    if not anatomy.links and not is_saying_more(old, anatomy):
        return Planned(reasons=(reason("role.unchanged", old.id),), is_nothing=True)
    grown = planner.deepened(old, replace(anatomy, claim="", question="", tension=""))
    return Planned(
        changed=(grown,),
        edges=planner.linked(grown, anatomy),
        words=words_of(anatomy),
        heard=heard_as(old, anatomy),
    )


def _overlaid(old: Anatomy, new: Anatomy) -> Anatomy:
    """Returns what is said now: what the operation leaves out stays as it was."""
    told = {
        name: value
        for name in (*_WORDED, "anchors", "source_hashes", "tags", "salience", "confidence")
        if (value := getattr(new, name)) not in ("", (), None)
    }
    return replace(old, **told)


def retire(operation: RetireDurable, planner: Planner) -> Planned:
    """Plans that a durable memory, or a thread, is put aside; its file and its words stay.

    Raises:
        RefusedError: It is neither, or would take its own place.
    """
    old = planner.meant(operation.memory, *_DURABLE, Profile.INCUBATION)
    gone = planner.moved(old, Lifecycle.RETIRED, why=operation.reason, because=operation.because)
    edges: tuple[Record, ...] = ()
    if operation.by:
        by = planner.meant(operation.by, *Profile)
        if by.id == old.id:
            raise RefusedError(reason("edge.self"))
        edges = (planner.edge(MemoryRelation.RETIRES, by, gone),)
    return Planned(
        changed=(gone,), edges=edges, because=str(operation.because), words=(operation.reason,)
    )


def crystallize(operation: Crystallize, planner: Planner) -> Planned:
    """Plans what the role is, from durable memories, which are marked as crystallized.

    A person decides on the words (``role.identity-review``). Once they stand, the same operation
    marks what they rest on. What a role is by nature is no memory, and nothing here reaches it.
    """
    sources = _sources(operation.sources, planner, Profile.ROLE_SELF)
    gone = tuple(planner.moved(item, Lifecycle.CRYSTALLIZED) for item in sources)
    standing = planner.standing(Profile.IDENTITY, operation.anatomy)
    made: tuple[Record, ...] = ()
    if standing is None:
        standing = planner.made(
            Profile.IDENTITY,
            operation.anatomy,
            state=Lifecycle.ACCEPTED,
            derived_from=operation.sources,
        )
        made = (standing,)
    edges = tuple(planner.edge(MemoryRelation.GROUNDS, item, standing) for item in gone)
    return Planned(
        made=made,
        changed=gone,
        edges=(*edges, *(planner.linked(standing, operation.anatomy) if made else ())),
    )


def _sources(names: tuple[str, ...], planner: Planner, profile: Profile) -> tuple[Record, ...]:
    return tuple(planner.meant(name, profile) for name in names)


def _taking_in(
    record: Record, anatomy: Anatomy, sources: tuple[Record, ...], planner: Planner
) -> Record:
    """Returns a memory that took in what an operation says of it, and what it is from."""
    planner.check_pointed(ids_in(anatomy.anchors))
    return resting_on(planner.deepened(record, anatomy), sources)
