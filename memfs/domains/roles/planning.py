"""Plans one typed operation over a read-only view: what it would make, change and draw, or why not.

Pure but for the ids, which the caller makes; nothing is written here. The same view and the same
operation give the same plan, and a plan holds all of an operation or none of it (E20).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, assert_never

from memfs.domains.roles import interventions, long_term, short_term
from memfs.domains.roles.shaping import Planner, RefusedError
from memfs.domains.roles.view import Planned, RoleView
from memfs.model.role import memory_hash
from memfs.model.role_operation import (
    ApplyDistillation,
    ClusterShortTerm,
    Crystallize,
    MarkSpoken,
    MergeIncubation,
    OperationName,
    PruneShortTerm,
    QueueCandidate,
    RecordShortTerm,
    RefreshManifest,
    RetireCandidate,
    RetireDurable,
    RetirePressure,
    ReviseDurable,
    RoleOperation,
    UpsertPressure,
)
from memfs.policy.role_lifecycle import is_open


def plan_operation(
    operation: RoleOperation, view: RoleView, new_id: Callable[[str], str]
) -> Planned:
    """Plans one operation.

    Args:
        operation: Decoded.
        view: What the role remembers; what the operation names has to be loaded.
        new_id: Makes an id of a prefix.
    """
    planner = Planner(view=view, new_id=new_id)
    try:
        return _planned(operation, planner)
    except RefusedError as error:
        return Planned(reasons=error.reasons)


def _planned(operation: RoleOperation, planner: Planner) -> Planned:
    match operation:
        case RecordShortTerm():
            return short_term.record(operation, planner)
        case ClusterShortTerm():
            return short_term.cluster(operation, planner)
        case PruneShortTerm():
            return short_term.prune(operation, planner)
        case ApplyDistillation():
            return long_term.distill(operation, planner)
        case MergeIncubation():
            return long_term.incubate(operation, planner)
        case ReviseDurable():
            return long_term.revise(operation, planner)
        case RetireDurable():
            return long_term.retire(operation, planner)
        case Crystallize():
            return long_term.crystallize(operation, planner)
        case QueueCandidate():
            return interventions.queue(operation, planner)
        case RetireCandidate():
            return interventions.retire(operation, planner)
        case MarkSpoken():
            return interventions.mark_spoken(operation, planner)
        case UpsertPressure():
            return interventions.press(operation, planner)
        case RetirePressure():
            return interventions.retire_pressure(operation, planner)
        case RefreshManifest():
            return _refreshed(operation, planner)
        case _:
            assert_never(operation)


def _refreshed(operation: RefreshManifest, planner: Planner) -> Planned:
    """Accounts for vectors: which are of what is remembered now, which are stale, which of nothing.

    An index never says what is remembered: it is only compared with that (E35, E46, E47).
    """
    held = {entry.id: entry.hash for entry in operation.entries}
    open_ones = {name: item for name, item in planner.view.memories.items() if is_open(item)}
    hashes = {name: memory_hash(record) for name, record in open_ones.items()}
    current = sorted(name for name, value in held.items() if hashes.get(name) == value)
    stale = sorted(name for name in held.keys() & hashes.keys() if hashes[name] != held[name])
    return Planned(
        # What a model is called stands in a receipt, and is a word of the proposer.
        words=(operation.model,),
        details={
            "model": operation.model,
            "dimensions": operation.dimensions,
            "indexed": [f"{name}={held[name]}" for name in current],
            "stale": list(stale),
            "missing": len(hashes.keys() - held.keys()),
            "of_nothing": len(held.keys() - hashes.keys()),
        },
    )


NAMES: Final[Mapping[type, OperationName]] = MappingProxyType(
    {
        RecordShortTerm: OperationName.RECORD,
        ClusterShortTerm: OperationName.CLUSTER,
        PruneShortTerm: OperationName.PRUNE,
        ApplyDistillation: OperationName.DISTILL,
        MergeIncubation: OperationName.INCUBATE,
        ReviseDurable: OperationName.REVISE,
        RetireDurable: OperationName.RETIRE,
        Crystallize: OperationName.CRYSTALLIZE,
        QueueCandidate: OperationName.QUEUE,
        RetireCandidate: OperationName.RETIRE_CANDIDATE,
        MarkSpoken: OperationName.MARK_SPOKEN,
        UpsertPressure: OperationName.PRESS,
        RetirePressure: OperationName.RETIRE_PRESSURE,
        RefreshManifest: OperationName.REFRESH,
    }
)


def name_of(operation: RoleOperation) -> OperationName:
    """Returns which of the fourteen an operation is."""
    return NAMES[type(operation)]
