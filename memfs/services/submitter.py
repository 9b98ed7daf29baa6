"""What the one who submits a claim may learn of the ledger by submitting it.

A program that proposes a guess must not be told that a record which it may not read says so.
What it may not read is left out of the comparison that it gets an answer from; the comparison
that decides whether something becomes active sees everything.
"""

from __future__ import annotations

from dataclasses import replace

from memfs.model.candidate import Submission
from memfs.model.decision import Decision, Verdict
from memfs.model.origin import Actor, Channel, PrincipalKind
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import read_right
from memfs.policy.admission import AdmissionView
from memfs.policy.promotion import ROWS
from memfs.services.edge_ends import has_hidden_end
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.store.snapshot import Snapshot


def known_to_submitter(
    workspace: Workspace, snapshot: Snapshot, submission: Submission, view: AdmissionView
) -> AdmissionView:
    """Returns ``view`` without the records that the submitter has no right to read.

    A person who decides, what a person has confirmed, and memfs' own bookkeeping of what a
    person typed or edited are compared with everything.
    """
    origin = submission.origin
    is_program = origin.principal.kind in (PrincipalKind.AGENT, PrincipalKind.TOOL)
    if submission.is_confirmed or not (
        is_program or origin.channel in (Channel.AGENT, Channel.TOOL)
    ):
        return view
    request = access_request(workspace, Actor(origin.principal, origin.channel))

    def may_know(record: Record) -> bool:
        is_whole = read_right(record, request).is_whole
        return is_whole and not has_hidden_end(workspace, snapshot, record, request)

    def known(records: tuple[StoredRecord, ...]) -> tuple[StoredRecord, ...]:
        return tuple(item for item in records if may_know(item.record))

    target = view.target
    # What memfs saw itself is no guess of anybody: it bears the labels of all that it rests on.
    is_guess = origin.channel is not Channel.HOST
    told = replace(
        view,
        same_subject=known(view.same_subject),
        same_content=known(view.same_content),
        bearers=tuple(item for item in view.bearers if may_know(item)),
        ends={name: item for name, item in view.ends.items() if may_know(item)},
        evidence={
            name: item for name, item in view.evidence.items() if not is_guess or may_know(item)
        },
        target=target if target is not None and may_know(target.record) else None,
    )
    # Where nothing is hidden it is the same view, and is decided on once.
    return view if told == view else told


def held_quietly(decision: Decision) -> Decision:
    """Returns a decision that lets a claim wait, and says no more than that."""
    row = ROWS["claim.review"]
    return replace(
        decision,
        verdict=Verdict.QUARANTINE,
        rule=row.code,
        reasons=(row.reason,),
        supersedes=(),
        conflicts=(),
    )
