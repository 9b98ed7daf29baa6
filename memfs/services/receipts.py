"""Receipts: a content-free account of an operation with consequences, as a record of its own."""

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
from memfs.services.door import Decided, commit_decided
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, new_file, plan_from
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

    def decide_on(snapshot: Snapshot) -> Decided[Draft]:
        draft = receipt_draft(
            workspace,
            snapshot,
            operation=operation,
            transaction=transaction,
            targets=targets,
            details=details,
        )
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=SYSTEM_ACTOR,
            drafts=(draft,),
            subject=f"receipt of {operation}",
            key=content_digest("receipt", f"{operation}\0{transaction}".encode()),
        )
        return Decided(draft, plan)

    committed = commit_decided(workspace, decide_on)
    names = committed.commit.records if committed.commit is not None else ()
    identifier = names[0].partition("@")[0] if names else committed.outcome.record.id
    return Receipt(
        id=identifier,
        operation=operation,
        transaction=transaction,
        targets=tuple(targets),
        details=details,
    )


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
    if workspace.settings.mode is Mode.SHADOW:
        return Receipt(id="", operation=operation, transaction="", targets=(), details=details)

    def decide_on(snapshot: Snapshot) -> Decided[Draft]:
        transaction = workspace.ids.new_id(TRANSACTION_PREFIX)
        draft = receipt_draft(
            workspace,
            snapshot,
            operation=operation,
            transaction=transaction,
            targets=(),
            details=details,
        )
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=SYSTEM_ACTOR,
            drafts=(draft,),
            subject=f"receipt of {operation}",
            key=content_digest("receipt", f"{operation}\0{key}".encode()),
        )
        return Decided(draft, replace(plan, transaction=transaction))

    committed = commit_decided(workspace, decide_on)
    names = committed.commit.records if committed.commit is not None else ()
    identifier = names[0].partition("@")[0] if names else committed.outcome.record.id
    transaction = committed.commit.transaction if committed.commit is not None else ""
    return Receipt(
        id=identifier, operation=operation, transaction=transaction, targets=(), details=details
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
    """Lays out the file of a receipt, for an operation that carries its own.

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
