"""Which claims about a project are put up for review, and how they wait for a person.

A claim waits as a change of its memory to accepted: its reason is ``role.repo-review``. What waits
already is not put up again; what a person rejected stays aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from memfs.model.candidate import CandidateAction, CandidateState, Submission
from memfs.model.decision import Verdict
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.record_fields import text_field
from memfs.model.role import Lifecycle, lifecycle_of
from memfs.policy.authority import capture_origin
from memfs.policy.role_lifecycle import is_of_project
from memfs.policy.role_survey import REVIEWED_SORTS
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.inbox import read_inbox
from memfs.services.judgement import judge_with
from memfs.services.ports import Workspace
from memfs.services.propose import waiting_candidate

_KEY: Final = "repo-review:"


def chosen(
    memories: Mapping[str, Record], weights: Mapping[str, int], *, again: Iterable[str], most: int
) -> tuple[str, ...]:
    """Returns the ids of what is put up: what was up before and changed, then what carries most.

    Args:
        memories: What the role remembers of the project, by id, as it will stand.
        weights: How much leans on each.
        again: Ids of what was put up or accepted and says otherwise now.
        most: How many may wait in all.
    """
    up = [name for name in dict.fromkeys(again) if name in memories]
    states = {name: lifecycle_of(item) for name, item in memories.items()}
    room = most - sum(state is Lifecycle.PROPOSED for state in states.values()) - len(up)
    open_ones = [
        name
        for name, item in memories.items()
        if states[name] is Lifecycle.OBSERVED and name not in up and is_reviewed(item)
    ]
    ranked = sorted(open_ones, key=lambda name: (-weights.get(name, 0), name))
    return tuple(sorted((*up, *ranked[: max(0, room)])))


def is_reviewed(record: Record) -> bool:
    """Tells whether a claim is of a sort that a person is asked about."""
    sort, _, name = text_field(record, "target").partition(":")
    return is_of_project(record) and sort in REVIEWED_SORTS and bool(name)


def rejected_ids(workspace: Workspace) -> frozenset[str]:
    """Returns the ids of memories that a person rejected in review."""
    return frozenset(
        item.record_id
        for item in read_inbox(workspace).candidates
        if item.key.startswith(_KEY) and item.state is CandidateState.REJECTED
    )


def put_up(workspace: Workspace, ids: Iterable[str], actor: Actor) -> tuple[str, ...]:
    """Files what is proposed in the inbox, each once; returns the ids of the candidates."""
    snapshot = workspace.store.snapshot()
    found: list[str] = []
    catalogue = open_catalogue(workspace, snapshot)
    try:
        for stored in read_entries(workspace, snapshot, catalogue.by_ids(ids)):
            record = stored.record
            if lifecycle_of(record) is not Lifecycle.PROPOSED:
                continue
            fields = {**record.fields, "lifecycle": str(Lifecycle.ACCEPTED)}
            submission = Submission(
                draft=replace(record, fields=fields),
                origin=capture_origin(actor, f"{record.title}\n{record.said}"),
                action=CandidateAction.REVISE,
                target=record.id,
                key=f"{_KEY}{record.id}",
                is_typed=True,
            )
            judgement = judge_with(workspace, snapshot, catalogue, submission)
            if judgement.decision.verdict is not Verdict.QUARANTINE:
                continue
            candidate = waiting_candidate(workspace, judgement)
            if candidate is not None:
                found.append(candidate.id)
    finally:
        catalogue.close()
    return tuple(found)
