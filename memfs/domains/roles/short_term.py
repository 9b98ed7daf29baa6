"""Operations on what a role took from conversations: record, cluster, prune (E21 to E24)."""

from __future__ import annotations

from memfs.domains.roles.inheriting import heard_as, resting_on
from memfs.domains.roles.shaping import (
    MOST_WORDINGS,
    Planner,
    RefusedError,
    ids_in,
    is_saying_more,
    wordings_of,
    words_of,
)
from memfs.domains.roles.view import Planned
from memfs.model.record import Record
from memfs.model.record_fields import text_field
from memfs.model.role import Because, Lifecycle, MemoryRelation, Profile, lifecycle_of
from memfs.model.role_operation import Anatomy, ClusterShortTerm, PruneShortTerm, RecordShortTerm
from memfs.model.text import normalise_text
from memfs.policy.paraphrase import is_paraphrase
from memfs.policy.reasons import reason
from memfs.policy.role_lifecycle import is_open


def record(operation: RecordShortTerm, planner: Planner) -> Planned:
    """Plans a new memory, or deepens the one of the same target and topic.

    Words that say the same and bring nothing add nothing: not a record, not a commit (E23).
    """
    anatomy = operation.anatomy
    standing = _met_again(anatomy, planner)
    if standing is None:
        made = planner.made(Profile.CONVERSATION, anatomy, state=Lifecycle.ACTIVE)
        return Planned(made=(made,), edges=planner.linked(made, anatomy))
    if not anatomy.links and not is_saying_more(standing, anatomy):
        return Planned(reasons=(reason("role.unchanged", standing.id),), is_nothing=True)
    planner.check_pointed(ids_in(anatomy.anchors))
    grown = _clustered(standing, planner, anatomy)
    return Planned(
        changed=(grown,),
        edges=planner.linked(grown, anatomy),
        words=words_of(anatomy),
        heard=heard_as(standing, anatomy),
    )


def _met_again(anatomy: Anatomy, planner: Planner) -> Record | None:
    """Finds what is deepened: of one topic anything, without a topic only what says the same."""
    found = planner.view.open_ones(Profile.CONVERSATION, anatomy.target, anatomy.topic)
    alike = [item for item in found if anatomy.topic or is_paraphrase(item.title, anatomy.claim)]
    same = [item for item in alike if not is_saying_more(item, anatomy)]
    roomy = [item for item in alike if len(wordings_of(item)) < MOST_WORDINGS]
    return next(iter(same or roomy), None)


def _clustered(standing: Record, planner: Planner, *parts: Anatomy | Record) -> Record:
    grown = planner.deepened(standing, *parts)
    if lifecycle_of(standing) is Lifecycle.CLUSTERED:
        return grown
    return planner.moved(grown, Lifecycle.CLUSTERED)


def cluster(operation: ClusterShortTerm, planner: Planner) -> Planned:
    """Plans that the first of several memories takes the others in.

    What gives way is pruned, as clustered, and an edge says into what; no word of it is lost.

    Raises:
        RefusedError: One is no memory of a conversation, or they have several targets.
    """
    first, *others = (planner.meant(name, Profile.CONVERSATION) for name in operation.memories)
    if not is_open(first):
        # The row says what a memory that is over leads to: nothing.
        planner.moved(first, Lifecycle.CLUSTERED)
    target = normalise_text(text_field(first, "target"))
    if any(normalise_text(text_field(item, "target")) != target for item in others):
        raise RefusedError(reason("role.profile", "one target"))
    gone = tuple(
        planner.moved(item, Lifecycle.PRUNED, because=Because.CLUSTERED) for item in others
    )
    grown = _clustered(first, planner, *others)
    grown = resting_on(grown, others)
    edges = tuple(planner.edge(MemoryRelation.CLUSTERS_WITH, item, grown) for item in gone)
    return Planned(changed=(grown, *gone), edges=edges, because=str(Because.CLUSTERED))


def prune(operation: PruneShortTerm, planner: Planner) -> Planned:
    """Plans that memories are let go, with the reason on each of them."""
    gone = tuple(
        planner.moved(
            planner.meant(name, Profile.CONVERSATION),
            Lifecycle.PRUNED,
            why=operation.reason,
            because=operation.because,
        )
        for name in operation.memories
    )
    return Planned(changed=gone, because=str(operation.because), words=(operation.reason,))
