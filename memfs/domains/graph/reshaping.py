"""Merges and splits as operations: one commit each, with a receipt by which it is taken back.

A merge moves what hangs on the one record to the other and leaves the one where it is, replaced
and resolving to the other. Nothing of it is decided by likeness: a person names the two. What a
program asks for waits (see ``memfs.app.reshaping``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from memfs.domains.graph.merging import check_merge, check_result, merged, words_of_edge
from memfs.domains.graph.redrawing import MOST_EDGES, Redrawn, drawn_by, redrawn
from memfs.domains.graph.reshaped import MERGE, Account, Desk, desk_of, find_meant
from memfs.model.decision import Reason
from memfs.model.digests import blob_id
from memfs.model.frozen import frozen
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.policy.reasons import reason
from memfs.policy.screening import screen
from memfs.policy.withdrawal import is_standing
from memfs.services.answers import refused
from memfs.services.door import Decided, commit_decided
from memfs.services.ports import Workspace
from memfs.store.snapshot import Snapshot

_RULE: Final = "record.merge"


@frozen
class _Outcome:
    """What became of one merge; empty counts where it was refused."""

    kept: str
    absorbed: str
    reasons: tuple[Reason, ...] = ()
    moved: int = 0
    folded: int = 0
    inner: int = 0
    path: str = ""
    receipt: str = ""


def merge(workspace: Workspace, first: str, second: str, actor: Actor, *, why: str = "") -> Result:
    """Makes two records one: ``second`` gives way to ``first``, with all that it says.

    Its edges move once, none leads to itself and none is drawn twice; its names, words and id
    lead to the record that stays. It is taken back with ``memfs.domains.graph.undoing``.

    Args:
        workspace: The store.
        first: The record that stays: id, end of an id, file or name.
        second: The record that gives way.
        actor: Who says that they are one.
        why: A word of theirs, kept in the commit.

    Raises:
        UnknownRecordError: One of them is none, or may not be seen.
        AmbiguousRecordError: A reference means several.
        HeldRecordError: A commit made by hand waits on one of the files.
    """

    def decide_on(snapshot: Snapshot) -> Decided[_Outcome]:
        with desk_of(workspace, snapshot, actor, _RULE) as desk:
            kept, absorbed = find_meant(desk, first), find_meant(desk, second)
            outcome = _Outcome(kept=kept.record.id, absorbed=absorbed.record.id)
            faults = desk.decision.reasons or screen(why, is_person=actor.is_person).rejects
            if faults or kept.record.id == absorbed.record.id:
                return Decided(replace(outcome, reasons=faults))
            faults = check_merge(kept.record, absorbed.record)
            if faults:
                return Decided(replace(outcome, reasons=faults))
            return _planned(desk, kept, absorbed, why)

    committed = commit_decided(workspace, decide_on)
    return _answer(workspace, committed.outcome, committed.commit)


def _planned(desk: Desk, kept: StoredRecord, absorbed: StoredRecord, why: str) -> Decided[_Outcome]:
    names = (kept.record.id, absorbed.record.id)
    edges = desk.edges_at(names)
    anew = redrawn(
        {name: stored.record for name, stored in edges.items()},
        [name for stored in edges.values() for name in drawn_by(stored.record)],
        resolve=desk.resolver({absorbed.record.id: kept.record.id}),
        heir=kept.record.id,
        new_id=desk.new_edge_id,
    )
    record = merged(kept.record, absorbed.record, _wordy(anew, edges))
    record = replace(record, version=kept.record.version + 1)
    outcome = _counted(kept.record.id, absorbed.record.id, anew, edges)
    faults = check_result(record, desk.workspace.registry)
    if len(anew.heirs) > MOST_EDGES:
        faults = (*faults, reason("merge.edges", str(len(anew.heirs))))
    if faults:
        return Decided(replace(outcome, reasons=faults))
    whole = desk.edited(kept, record)
    account = Account(
        operation=MERGE,
        kept=kept.record.id,
        other=absorbed.record.id,
        before=kept.blob,
        after=blob_id(whole.content),
        made=tuple(edge.id for edge in anew.made),
        inner=anew.inner,
    )
    receipt = desk.account(account, (record, absorbed.record))
    drafts = (
        whole,
        desk.replaced(absorbed, kept.record.id),
        *desk.redrawn_files(anew, edges),
        receipt,
    )
    subject = f"{absorbed.record.id} into {kept.record.id}"
    plan = desk.plan(OperationKind.MERGE, drafts, subject, why)
    return Decided(replace(outcome, path=kept.path, receipt=receipt.record.id), plan)


def _wordy(anew: Redrawn, edges: Mapping[str, StoredRecord]) -> tuple[Record, ...]:
    """Returns the edges that are not drawn any more and say more than what stands for them."""
    heirs = {name: stored.record for name, stored in edges.items()}
    heirs |= {edge.id: edge for edge in anew.made}
    found = []
    for name, by in sorted(anew.heirs.items()):
        edge = edges[name].record
        words = words_of_edge(edge)
        if words and (by not in heirs or words not in words_of_edge(heirs[by])):
            found.append(edge)
    return tuple(found)


def _counted(
    kept: str, absorbed: str, anew: Redrawn, edges: Mapping[str, StoredRecord]
) -> _Outcome:
    """Counts by what is drawn: an edge that stood for others before counts once."""
    active = [name for name in anew.heirs if is_standing(edges[name].record)]
    inner = sum(anew.heirs[name] == kept for name in active)
    moved = len(anew.made)
    return _Outcome(
        kept=kept,
        absorbed=absorbed,
        moved=moved,
        folded=max(0, len(active) - inner - moved),
        inner=inner,
    )


def _answer(workspace: Workspace, outcome: _Outcome, commit: Commit | None) -> Result:
    if outcome.reasons:
        return refused(workspace, "merge", outcome.absorbed, outcome.reasons)
    answer = Result(
        action="merge",
        target=outcome.kept,
        status=ResultStatus.NOTHING,
        message=f"{outcome.kept} is one record already; nothing was changed",
        store=str(workspace.store.root),
    )
    if commit is None:
        return answer
    parts = (
        _told(outcome.moved, "edge moved", "edges moved"),
        _told(outcome.folded, "was there already", "were there already"),
        _told(outcome.inner, "led from one to the other", "led from one to the other"),
    )
    edges = ", ".join(part for part in parts if part)
    kept_files = "".join(f"; the edited {path} was left" for path in commit.kept_working)
    return replace(
        answer,
        status=ResultStatus.DONE,
        message=f"{outcome.absorbed} is {outcome.kept} now"
        + (f": {edges}" if edges else "")
        + kept_files,
        operation=commit.transaction,
        data={
            "kept": outcome.kept,
            "absorbed": outcome.absorbed,
            "moved": outcome.moved,
            "folded": outcome.folded,
            "inner": outcome.inner,
            "path": outcome.path,
            "receipt": outcome.receipt,
        },
    )


def _told(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}" if number else ""
