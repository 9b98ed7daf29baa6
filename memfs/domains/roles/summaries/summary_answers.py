"""Makes the summaries of a role on request, in one commit with a receipt, and tells how they stand.

Decided as the role itself, whoever asked: what is private from it is in no summary of it. What is
told of each summary is worked out from what it covers, as a reader of a packet would have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

from memfs.domains.roles.loading import load_role
from memfs.domains.roles.summaries.descent import Caution, Warned, cut
from memfs.domains.roles.summaries.freshness import Freshness, freshness_of
from memfs.domains.roles.summaries.summarizing import Wording
from memfs.domains.roles.summaries.summary_upkeep import Kept, keep_summaries
from memfs.domains.roles.view import RoleView
from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.ids import TRANSACTION_PREFIX
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.result import Result, ResultStatus
from memfs.model.role import Lifecycle, anchors_of, lifecycle_of, role_actor, role_scope
from memfs.model.values import JsonValue
from memfs.policy.administration import decide_role_operation
from memfs.policy.role_freshness import not_looked_at
from memfs.policy.role_summaries import COUNTED
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.ports import Workspace
from memfs.services.proposals import plan_from
from memfs.services.propose import own_key
from memfs.services.receipts import placed_receipts, receipt_records
from memfs.store.snapshot import Snapshot

ACTION: Final = "summarize"
RECEIPT: Final = "role summaries"


@frozen
class Summarized:
    """What became of the summaries of a role.

    Attributes:
        kept: What was decided.
        view: What the role remembers.
        fresh: What of it is stale.
        receipt: Id of the receipt; empty where nothing was to be written.
        fault: Why nothing was decided on; empty where it was.
        commit: The one commit.
    """

    kept: Kept
    view: RoleView
    fresh: Freshness = Freshness()
    receipt: str = ""
    fault: tuple[Reason, ...] = ()
    commit: Commit | None = None


def summarize(
    workspace: Workspace,
    role: str,
    asker: Actor,
    *,
    wordings: Mapping[str, Wording] | None = None,
    key: str = "",
) -> Result:
    """Brings the summaries of a role up to what it remembers now, as one commit, and tells them.

    Args:
        workspace: The store.
        role: Whose memory.
        asker: Who asked; the receipt says so.
        wordings: Other words by id of a summary, as somebody proposes them.
        key: Makes a repetition harmless.
    """
    decision = decide_role_operation(asker, role, workspace.settings)
    if not decision.is_admitted:
        return unread(workspace, role, decision.reasons)
    keeping = _Keeping(
        workspace=workspace, role=role, asker=asker, wordings=wordings or {}, key=key
    )
    committed = commit_decided(workspace, keeping.decided)
    return _result(workspace, replace(committed.outcome, commit=committed.commit))


def unread(workspace: Workspace, role: str, faults: tuple[Reason, ...]) -> Result:
    """Returns the answer to whoever proposed words that cannot be read: nothing was decided on."""
    nothing = RoleView(role=role, now=workspace.clock.now(), memories={})
    return _result(workspace, Summarized(kept=Kept(), view=nothing, fault=faults))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keeping:
    """One request."""

    workspace: Workspace
    role: str
    asker: Actor
    wordings: Mapping[str, Wording]
    key: str

    def decided(self, snapshot: Snapshot) -> Decided[Summarized]:
        """Decides on a snapshot; nothing is written by it."""
        actor = role_actor(self.role)
        view = load_role(self.workspace, snapshot, self.role, actor).view
        with closing(open_catalogue(self.workspace, snapshot)) as catalogue:
            kept = keep_summaries(
                self.workspace, snapshot, catalogue, view, actor, wordings=self.wordings
            )
        every = (*view.memories.values(), *kept.edges, *kept.standing.values())
        fresh = freshness_of(self.workspace, snapshot, every, actor)
        found = Summarized(kept=kept, view=view, fresh=fresh, fault=kept.fault)
        return self._planned(snapshot, found) if kept.drafts else Decided(found)

    def _planned(self, snapshot: Snapshot, found: Summarized) -> Decided[Summarized]:
        workspace, kept = self.workspace, found.kept
        transaction = workspace.ids.new_id(TRANSACTION_PREFIX)
        records = receipt_records(
            workspace,
            operation=RECEIPT,
            transaction=transaction,
            targets=(*kept.made, *kept.changed, *kept.retired),
            details={"role": self.role, "asked_by": str(self.asker.principal), **kept.counts},
            subject=RECEIPT,
        )
        own = [replace(record, scope=role_scope(self.role)) for record in records]
        receipts = placed_receipts(workspace, snapshot, own)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=role_actor(self.role),
            drafts=(*kept.drafts, *receipts),
            subject=f"role memory: {RECEIPT}",
            key=own_key(self.asker, self.key),
        )
        told = replace(found, receipt=receipts[0].record.id)
        return Decided(told, replace(plan, transaction=transaction))


# Answers --------------------------------------------------------------------------------------


def _result(workspace: Workspace, found: Summarized) -> Result:
    kept, commit = found.kept, found.commit
    is_replay = commit is not None and commit.is_replay
    warned = _warnings(found)
    every = kept.standing.values()
    standing = [item for item in every if lifecycle_of(item) is not Lifecycle.RETIRED]
    if found.fault:
        status, words = ResultStatus.REFUSED, f"summaries refused: {found.fault[0].message}"
    elif is_replay:
        status, words = ResultStatus.NOTHING, "this key was used before; nothing new was written"
    elif commit is not None:
        counts = ", ".join(f"{count} {_SAID[name]}" for name, count in kept.counts.items())
        status, words = ResultStatus.DONE, f"summaries: {counts}; receipt {found.receipt}"
    elif kept.refused:
        status, words = ResultStatus.REFUSED, "nothing was taken"
    elif standing:
        status, words = ResultStatus.NOTHING, "the summaries say what is remembered"
    else:
        status, words = ResultStatus.NOTHING, "nothing is remembered that needs a summary"
    if standing and not found.fault:
        giving_way = sum(item.id in warned for item in standing)
        words += f"; {len(standing)} stand, {giving_way} of them give way to their memories"
    unlooked = len(found.fresh.unlooked)
    if unlooked:
        words += f"; {not_looked_at(unlooked)}"
    data: dict[str, JsonValue] = {
        "role": found.view.role,
        "summaries": [summary_value(item, warned.get(item.id, ())) for item in standing],
        "made": list(kept.made),
        "changed": list(kept.changed),
        "retired": list(kept.retired),
        "unlooked": unlooked,
        "receipt": found.receipt if commit is not None and not is_replay else "",
        "refused": [
            {"source": name, "code": why.code, "message": why.message}
            for name, reasons in kept.refused
            for why in reasons
        ],
    }
    return Result(
        action=ACTION,
        target=found.view.role,
        status=status,
        message=words,
        operation=commit.transaction if commit is not None else "",
        store=str(workspace.store.root),
        reasons=found.fault,
        data=data,
    )


_SAID: Final[Mapping[str, str]] = {
    "made": "made",
    "changed": "made again",
    "retired": "put aside",
    "refused": "refused",
}


def _warnings(found: Summarized) -> Mapping[str, tuple[Warned, ...]]:
    """Returns why summaries give way, as whoever reads a packet is told, by id."""
    told = cut(
        found.view,
        found.kept.standing.values(),
        found.fresh.stale,
        edges=found.kept.edges,
        now=found.view.now,
    )
    warned: dict[str, tuple[Warned, ...]] = {}
    for warning in told.warnings:
        if warning.id in found.kept.standing:
            warned[warning.id] = (*warned.get(warning.id, ()), warning)
    return warned


def summary_value(record: Record, warned: tuple[Warned, ...] = ()) -> dict[str, JsonValue]:
    """Returns a summary as an answer tells it: counts and ids, evidence apart from remembered."""
    anchors = anchors_of(record)
    return {
        "id": record.id,
        "version": record.version,
        "target": text_field(record, "target"),
        "topic": text_field(record, "topic"),
        "covers": list(texts_field(record, "covers_nodes")),
        **{name: record.fields.get(name) for name in COUNTED},
        "confidence": record.confidence,
        "omissions": list(texts_field(record, "omissions")),
        "evidence": list(anchors.evidence),
        "remembered": list(anchors.remembered),
        "anchor_missing": anchors.is_missing,
        "fresh": not any(item.caution is Caution.STALE for item in warned),
        "stands": not warned,
        "cautions": [{"code": str(item.caution), "message": item.words} for item in warned],
    }
