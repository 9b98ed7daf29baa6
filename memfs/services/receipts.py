"""Receipts: a content-free account of an operation with consequences, as a record of its own.

An account that is too large for one file is told in several, in the same commit: the first says
how many there are, and each names the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memfs.model.digests import content_digest
from memfs.model.ids import TRANSACTION_PREFIX
from memfs.model.operation import OperationKind
from memfs.model.origin import SYSTEM_ACTOR, Origin, OriginClass
from memfs.model.receipt import Receipt
from memfs.model.record import Record
from memfs.model.settings import Mode
from memfs.model.values import JsonValue
from memfs.policy.administration import decide_receipt
from memfs.policy.receipt_parts import receipt_parts
from memfs.services.door import Decided, commit_decided
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, kind_of, new_file, place_new, plan_from
from memfs.store.snapshot import Snapshot

KIND = "receipt"


def write_receipt(
    workspace: Workspace,
    *,
    operation: str,
    transaction: str,
    targets: Sequence[str],
    details: Mapping[str, JsonValue],
) -> Receipt:
    """Commits the receipt of one operation; writing it twice gives the first one.

    Args:
        workspace: The store.
        operation: What was done.
        transaction: ``tx_…`` of the commit that did it.
        targets: Ids concerned.
        details: Counts, places and guarantees; never content.
    """
    receipt = Receipt(
        id="",
        operation=operation,
        transaction=transaction,
        targets=tuple(targets),
        details=details,
    )
    return _written(workspace, receipt, key=transaction)


def write_account(
    workspace: Workspace, *, operation: str, key: str, details: Mapping[str, JsonValue]
) -> Receipt:
    """Commits the account of work that is spread over several operations, once for its key.

    Such a receipt names the operation that brought it. In shadow mode the ledger stays as it is,
    and the receipt that is returned has no id.

    Args:
        workspace: The store.
        operation: What was done.
        key: What makes it the same work.
        details: Counts; never content.
    """
    receipt = Receipt(id="", operation=operation, transaction="", targets=(), details=details)
    if workspace.settings.mode is Mode.SHADOW:
        return receipt
    return _written(workspace, receipt, key=key)


def _written(workspace: Workspace, receipt: Receipt, *, key: str) -> Receipt:
    """Commits a receipt; one without a transaction is of the commit that brings it."""

    def decide_on(snapshot: Snapshot) -> Decided[Draft]:
        transaction = receipt.transaction or workspace.ids.new_id(TRANSACTION_PREFIX)
        records = receipt_records(
            workspace,
            operation=receipt.operation,
            transaction=transaction,
            targets=receipt.targets,
            details=receipt.details,
        )
        drafts = placed_receipts(workspace, snapshot, records)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=SYSTEM_ACTOR,
            drafts=drafts,
            subject=f"receipt of {receipt.operation}",
            key=content_digest("receipt", f"{receipt.operation}\0{key}".encode()),
        )
        if not receipt.transaction:
            plan = replace(plan, transaction=transaction)
        return Decided(drafts[0], plan)

    committed = commit_decided(workspace, decide_on)
    commit = committed.commit
    names = commit.records if commit is not None else ()
    return replace(
        receipt,
        id=names[0].partition("@")[0] if names else committed.outcome.record.id,
        transaction=receipt.transaction or (commit.transaction if commit is not None else ""),
    )


def receipt_draft(
    workspace: Workspace,
    snapshot: Snapshot,
    *,
    operation: str,
    transaction: str,
    targets: Sequence[str],
    details: Mapping[str, JsonValue],
    subject: str = "",
) -> Draft:
    """Lays out the file of a receipt, for an operation that carries its own and has a bound.

    Args:
        workspace: The store.
        snapshot: What the operation was decided on.
        operation: What was done.
        transaction: ``tx_…`` of the operation.
        targets: Ids concerned.
        details: Counts, places and guarantees; never content.
        subject: An id by which the receipt is found again; empty for none.
    """
    record = receipt_record(
        workspace,
        operation=operation,
        transaction=transaction,
        targets=targets,
        details=details,
        subject=subject,
    )
    return new_file(workspace, snapshot, record, decide_receipt(workspace.settings))


def receipt_record(
    workspace: Workspace,
    *,
    operation: str,
    transaction: str,
    targets: Sequence[str],
    details: Mapping[str, JsonValue],
    subject: str = "",
) -> Record:
    """Returns a receipt as a record without an id; see :func:`receipt_draft`."""
    return Record(
        kind=KIND,
        title=f"receipt of {operation}",
        subject=subject,
        scope=workspace.scope,
        observed=workspace.clock.now(),
        origin=Origin(
            origin_class=OriginClass.SYSTEM,
            principal=SYSTEM_ACTOR.principal,
            channel=SYSTEM_ACTOR.channel,
            source=transaction,
        ),
        fields={
            "operation": operation,
            "transaction": transaction,
            "targets": list(targets),
            "details": dict(details),
        },
    )


def receipt_records(
    workspace: Workspace,
    *,
    operation: str,
    transaction: str,
    targets: Sequence[str],
    details: Mapping[str, JsonValue],
    subject: str = "",
) -> tuple[Record, ...]:
    """Returns as many receipts as an account takes, the first first; each names the next.

    The first alone has the subject by which the account is found again. Those that another names
    have their ids already.
    """
    parts = receipt_parts(targets, details)
    records: list[Record] = []
    for number in range(len(parts), 0, -1):
        part, told = parts[number - 1], dict[str, JsonValue]()
        if len(parts) > 1:
            told = {"part": number, "parts": len(parts)}
        if records:
            told["next"] = records[-1].id
        record = receipt_record(
            workspace,
            operation=operation,
            transaction=transaction,
            targets=part.targets,
            details={**part.details, **told},
            subject=subject if number == 1 else "",
        )
        if number > 1:
            record = replace(record, id=workspace.ids.new_id(kind_of(workspace, record).id_prefix))
        records.append(record)
    return tuple(reversed(records))


def placed_receipts(
    workspace: Workspace, snapshot: Snapshot, records: Sequence[Record]
) -> tuple[Draft, ...]:
    """Lays out the files of one account, in its order."""
    decision = decide_receipt(workspace.settings)
    shards = dict(snapshot.shard_sizes(kind_of(workspace, records[0]).folder))
    return tuple(place_new(workspace, record, decision, shards=shards) for record in records)
