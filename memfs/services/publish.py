"""Publication between namespaces: an outbox here, a candidate there, and a note that it arrived.

Three steps, each whole or not at all: the offer is committed, the destination takes it into its
inbox, the offer is marked as delivered. Whatever stops in between is found at the next attempt
and finished: the offer is known by what it offers, and the destination recognises what it has
by the offer, so that nothing is delivered twice (A87). The destination decides alone; a
publication brings its restrictions along and no rights (A71).
"""

from __future__ import annotations

from contextlib import closing

from memfs.model.candidate import Submission
from memfs.model.decision import Reason, Verdict
from memfs.model.frozen import frozen
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.model.scope import Scope
from memfs.model.values import JsonValue
from memfs.policy.administration import decide_operation
from memfs.policy.publication import Offer
from memfs.policy.reasons import reason
from memfs.services.catalogue import open_catalogue
from memfs.services.inbox import put_candidate, read_inbox
from memfs.services.judgement import judge
from memfs.services.outbox import PUBLISHING, Offered, current_draft, note, offer, pending
from memfs.services.ports import Workspace
from memfs.services.propose import candidate_from


@frozen
class Delivery:
    """What the destination made of an offer.

    Attributes:
        received_as: The candidate, or the record that says the same; empty when refused.
        is_known: The destination said the same already.
        reasons: Why it waits there, or why the destination takes none of it.
    """

    received_as: str = ""
    is_known: bool = False
    reasons: tuple[Reason, ...] = ()


def publish(
    source: Workspace, destination: Workspace, reference: str, to: Scope, actor: Actor
) -> Result:
    """Offers a record to another namespace, whose store decides on it like on anything else.

    Args:
        source: The store that has the record.
        destination: The store that owns ``to``; may be the same.
        reference: Names the record.
        to: The namespace.
        actor: Who publishes; only a person does.

    Raises:
        UnknownRecordError: No record matches.
        AmbiguousRecordError: More than one does.
        HeldRecordError: A commit made by hand on the record has to be decided first.
    """
    finished = finish(source, destination, actor)
    offered = offer(source, destination, reference, to, actor)
    if offered.offer is None:
        return _refused(source, reference, offered.reasons)
    if offered.offer.received_as:
        return _done_before(source, offered.offer, is_now=offered.offer.id in finished)
    delivery = _carry_out(source, destination, offered.offer, actor)
    if not delivery.received_as:
        return _refused(source, offered.offer.record, delivery.reasons)
    return _result(source, destination, offered, delivery)


def finish(source: Workspace, destination: Workspace, actor: Actor) -> tuple[str, ...]:
    """Delivers what the outbox has for ``destination`` and what was stopped on its way.

    An offer whose record was withdrawn meanwhile is taken back instead.

    Returns:
        The ids of the offers that the destination has now.
    """
    if not decide_operation(PUBLISHING, actor, source.settings).is_admitted:
        return ()
    arrived = []
    for item in pending(source, destination):
        if _carry_out(source, destination, item, actor).received_as:
            arrived.append(item.id)
    return tuple(arrived)


def _carry_out(source: Workspace, destination: Workspace, item: Offer, actor: Actor) -> Delivery:
    """Delivers an offer and notes what became of it; the second and the third step."""
    draft = current_draft(source, destination, item, actor)
    arrived = _arrived(destination, item)
    if arrived:
        delivery = Delivery(received_as=arrived)
    elif draft is None:
        delivery = Delivery(reasons=(reason("publication.not-active"),))
    else:
        delivery = deliver(destination, item, draft)
    note(source, item, delivery.received_as, actor)
    return delivery


def deliver(destination: Workspace, item: Offer, draft: Record) -> Delivery:
    """Puts an offer into the inbox of its destination, once; the second step.

    It waits there for a person even where the same words of the same speaker would not.

    Raises:
        LockTimeoutError: Another writer kept the destination's lock.
    """
    # Two that finish the same offer must not deliver it twice.
    with destination.store.exclusive():
        return _taken_in(destination, item, draft)


def _taken_in(destination: Workspace, item: Offer, draft: Record) -> Delivery:
    arrived = _arrived(destination, item)
    if arrived:
        return Delivery(received_as=arrived)
    if draft.origin is None:
        return Delivery(reasons=(reason("origin.incomplete"),))
    submission = Submission(draft=draft, origin=draft.origin, key=_inbox_key(item))
    judgement = judge(destination, destination.store.snapshot(), submission)
    decision = judgement.decision
    match decision.verdict:
        case Verdict.REJECT:
            return Delivery(reasons=decision.reasons)
        case Verdict.DUPLICATE:
            return Delivery(
                received_as=decision.duplicate_of, is_known=True, reasons=decision.reasons
            )
        case Verdict.ACTIVATE | Verdict.QUARANTINE | Verdict.NEEDS_ANSWER:
            candidate = put_candidate(destination, candidate_from(destination, judgement))
            return Delivery(received_as=candidate.id, reasons=decision.reasons)


def _inbox_key(item: Offer) -> str:
    return f"publication:{item.id}"


def _arrived(destination: Workspace, item: Offer) -> str:
    """Returns what the destination made of the offer before; empty when it never had it."""
    key = _inbox_key(item)
    for candidate in read_inbox(destination).candidates:
        if candidate.key == key:
            return candidate.id
    with closing(open_catalogue(destination, destination.store.snapshot())) as catalogue:
        taken = catalogue.by_source_digest(item.digest)
    for entry in taken:
        kind = destination.registry.get(entry.kind)
        if kind is not None and kind.is_claim and entry.scope == str(item.destination):
            return entry.id
    return ""


def _refused(source: Workspace, target: str, reasons: tuple[Reason, ...]) -> Result:
    return Result(
        action="publish",
        target=target,
        status=ResultStatus.REFUSED,
        message=reasons[0].message if reasons else "nothing was offered",
        store=str(source.store.root),
        reasons=reasons,
    )


def _done_before(source: Workspace, item: Offer, *, is_now: bool) -> Result:
    words = "what was stopped on its way has arrived" if is_now else "it was offered before"
    return Result(
        action="publish",
        target=item.record.split("@")[0],
        status=ResultStatus.DONE if is_now else ResultStatus.NOTHING,
        message=f"{words}: {item.id}, there as {item.received_as}",
        store=str(source.store.root),
        data=_data(item, item.received_as),
    )


def _result(
    source: Workspace, destination: Workspace, offered: Offered, delivery: Delivery
) -> Result:
    item = offered.offer
    assert item is not None
    status = ResultStatus.DUPLICATE if delivery.is_known else ResultStatus.WAITING
    if delivery.is_known:
        words = f"{item.destination} says so already as {delivery.received_as}"
    else:
        words = (
            f"offered to {item.destination} as {item.id}; it waits there as "
            f"{delivery.received_as}: memfs review --store {destination.store.root}"
        )
    return Result(
        action="publish",
        target=item.record.split("@")[0],
        status=status,
        message=words,
        operation=offered.transaction,
        store=str(source.store.root),
        reasons=delivery.reasons,
        data=_data(item, delivery.received_as),
    )


def _data(item: Offer, received_as: str) -> dict[str, JsonValue]:
    return {
        "publication": item.id,
        "record": item.record,
        "destination": str(item.destination),
        "destination_store": item.destination_store,
        "received_as": received_as,
    }
