"""The outbox: what was offered to other namespaces, and what became of it (A87).

An offer is a record of the ledger that says nothing of what the claim says. The same version is
offered to the same namespace once; an offer that was not delivered yet is found here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from memfs.formats.record_codec import update_record
from memfs.model.decision import Decision, Reason
from memfs.model.frozen import frozen
from memfs.model.ids import CANDIDATE_PREFIX, PUBLICATION_PREFIX, is_id, split_version
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope
from memfs.policy.administration import decide_operation
from memfs.policy.authority import capture_origin
from memfs.policy.publication import (
    Offer,
    check_publication,
    delivered,
    offer_digest,
    offer_from,
    offer_record,
    offered_draft,
    source_pointer,
    withdrawn,
)
from memfs.policy.reasons import reason
from memfs.services.door import Decided, commit_decided
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, new_file, plan_from, require_free
from memfs.services.reading import UnknownRecordError, find_record
from memfs.services.served_records import read_records
from memfs.store.snapshot import Snapshot

FOLDER = "publications/"
PUBLISHING = "publication.offer"


@frozen
class Offered:
    """What the outbox has of a publication, or why it takes none.

    Attributes:
        offer: The offer; ``None`` when there is none.
        reasons: Why there is none.
        transaction: The commit that made the offer; empty when it stood before.
    """

    offer: Offer | None = None
    reasons: tuple[Reason, ...] = ()
    transaction: str = ""


def pending(source: Workspace, destination: Workspace) -> tuple[Offer, ...]:
    """Returns the offers that the destination may not have yet, in the order of their ids."""
    found = (item for _, item in _offers(source, source.store.snapshot()))
    waiting = [
        item for item in found if item.is_pending and item.destination_store == destination.store_id
    ]
    return tuple(sorted(waiting, key=lambda item: item.id))


def offered_elsewhere(
    workspace: Workspace, snapshot: Snapshot, identifiers: Iterable[str]
) -> tuple[str, ...]:
    """Names where copies of records were offered: out of reach of whatever withdraws them here."""
    wanted = set(identifiers)
    return tuple(
        sorted(
            f"{item.id} offered to {item.destination} ({item.destination_store})"
            for _, item in _offers(workspace, snapshot)
            if split_version(item.record)[0] in wanted and (item.is_open or item.received_as)
        )
    )


def offer(
    source: Workspace, destination: Workspace, reference: str, to: Scope, actor: Actor
) -> Offered:
    """Commits the offer of a record, or finds the one that stands; the first step."""

    def decide(snapshot: Snapshot) -> Decided[Offered]:
        decision = decide_operation(PUBLISHING, actor, source.settings)
        if not decision.is_admitted:
            return Decided(Offered(reasons=decision.reasons))
        if is_id(reference, CANDIDATE_PREFIX):
            return Decided(Offered(reasons=(reason("publication.waiting"),)))
        stored = _named(source, snapshot, reference, actor)
        reasons = _denials(source, destination, stored, to, actor)
        _, version = split_version(reference.strip())
        if version not in (None, stored.record.version):
            reasons = (reason("publication.not-newest"), *reasons)
        if reasons:
            return Decided(Offered(reasons=reasons))
        require_free(snapshot, stored)
        made = _new_offer(source, destination, stored.record, to)
        standing = _standing(source, snapshot, made)
        if standing is not None:
            return Decided(Offered(offer=standing))
        return _offering(source, snapshot, made, stored.record, actor, decision)

    committed = commit_decided(source, decide)
    return replace(committed.outcome, transaction=_transaction(committed.commit))


def _transaction(commit: Commit | None) -> str:
    return commit.transaction if commit else ""


def _named(workspace: Workspace, snapshot: Snapshot, reference: str, actor: Actor) -> StoredRecord:
    """Finds the record, whatever became of it: a person is told why it is not published."""
    request = access_request(workspace, actor, is_history=True, sees_polluted=True)
    return find_record(workspace, snapshot, reference, request)


def _denials(
    source: Workspace, destination: Workspace, stored: StoredRecord, to: Scope, actor: Actor
) -> tuple[Reason, ...]:
    return check_publication(
        stored.record,
        source.registry.get(stored.record.kind),
        access_request(source, actor),
        destination=to,
        destination_owner=destination.scope,
        polluted_there=access_request(destination, actor).polluted,
    )


def _new_offer(source: Workspace, destination: Workspace, record: Record, to: Scope) -> Offer:
    return Offer(
        id=source.ids.new_id(PUBLICATION_PREFIX),
        record=record.reference,
        destination=to,
        destination_store=destination.store_id,
        digest=offer_digest(source.store_id, record),
    )


def _offers(workspace: Workspace, snapshot: Snapshot) -> Iterator[tuple[StoredRecord, Offer]]:
    places = ((entry.path, entry.blob) for entry in snapshot.entries(FOLDER))
    for stored in read_records(workspace, snapshot, places):
        item = offer_from(stored.record)
        if item is not None:
            yield stored, item


def _standing(workspace: Workspace, snapshot: Snapshot, made: Offer) -> Offer | None:
    """Returns the open offer of the same version to the same namespace, if there is one."""
    same = [
        item
        for _, item in _offers(workspace, snapshot)
        if item.is_open and _target(item) == _target(made)
    ]
    return min(same, key=lambda item: item.id, default=None)


def _target(item: Offer) -> tuple[str, Scope, str]:
    return (item.record, item.destination, item.destination_store)


def _offering(
    workspace: Workspace,
    snapshot: Snapshot,
    made: Offer,
    record: Record,
    actor: Actor,
    decision: Decision,
) -> Decided[Offered]:
    origin = capture_origin(
        actor, made.record, source=source_pointer(workspace.store_id, made.record)
    )
    outbox = replace(offer_record(made, record, origin), id=made.id, observed=workspace.clock.now())
    draft = new_file(workspace, snapshot, outbox, decision)
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.PUBLISH,
        actor=actor,
        drafts=(draft,),
        subject=f"{record.id} to {made.destination}",
        key=made.id,
    )
    return Decided(Offered(offer=made), plan)


def current_draft(
    source: Workspace, destination: Workspace, item: Offer, actor: Actor
) -> Record | None:
    """Returns what is offered, unless the record may no longer be published as it was."""
    snapshot = source.store.snapshot()
    identifier, version = split_version(item.record)
    try:
        stored = _named(source, snapshot, identifier, actor)
    except UnknownRecordError:
        return None
    is_same = stored.record.version == version
    is_same = is_same and offer_digest(source.store_id, stored.record) == item.digest
    if not is_same or _denials(source, destination, stored, item.destination, actor):
        return None
    return offered_draft(stored.record, item.destination, source.store_id)


def note(source: Workspace, item: Offer, received_as: str, actor: Actor) -> str:
    """Notes in the outbox what became of an offer; the third step.

    Args:
        source: The store with the outbox.
        item: The offer.
        received_as: What the destination has; empty where it is not to have it any more.
        actor: Who publishes.

    Returns:
        The transaction; empty when it was noted before.
    """

    def decide(snapshot: Snapshot) -> Decided[None]:
        decision = decide_operation(PUBLISHING, actor, source.settings)
        found = [pair for pair in _offers(source, snapshot) if pair[1].id == item.id]
        if not decision.is_admitted or not found or not found[0][1].is_pending:
            return Decided(None)
        stored = found[0][0]
        if received_as:
            record = delivered(stored.record, received_as, source.clock.now())
        else:
            record = withdrawn(stored.record)
        plan = plan_from(
            source,
            snapshot,
            operation=OperationKind.PUBLISH,
            actor=actor,
            drafts=(_rewritten(source, snapshot, stored, record, decision),),
            subject=f"{item.id} to {item.destination}",
            key=f"{item.id}:noted",
        )
        return Decided(None, plan)

    return _transaction(commit_decided(source, decide).commit)


def _rewritten(
    workspace: Workspace,
    snapshot: Snapshot,
    stored: StoredRecord,
    record: Record,
    decision: Decision,
) -> Draft:
    before = snapshot.read_blob(stored.blob)
    return Draft(
        record=record,
        path=stored.path,
        content=update_record(before, record, path=stored.path, registry=workspace.registry),
        expected=stored.blob,
        decision=decision,
    )
