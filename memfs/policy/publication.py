"""Publication: what may be offered to another namespace, and what is offered (A71, A87).

A scope never changes in place. What is offered is a draft of its own with every restriction of
the record that it was made from, and a pointer to it; the destination decides on it like on
anything else, and may believe it for no more than its source was believed for. References to
other records stay behind: they mean nothing in another store, and a copy must not lean on them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final

from memfs.model.authority import Authority, Sensitivity
from memfs.model.decision import Reason
from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.instants import format_instant
from memfs.model.kinds import KindSpec
from memfs.model.origin import Origin
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.model.values import JsonValue
from memfs.policy.access import AccessRequest, may_read
from memfs.policy.authority import authority_of, derive_authority
from memfs.policy.namespaces import is_owner
from memfs.policy.reasons import reason

PUBLICATION_KIND: Final = "publication"
_SOURCE: Final = "publication:"


@frozen
class Offer:
    """What the outbox says of one publication.

    Attributes:
        id: ``pub_…``.
        record: Reference of what is offered, ``mem_…@2``.
        destination: Namespace that it is offered to.
        destination_store: Id of the store that owns the namespace.
        digest: Digest of what is offered, keyed by where it comes from.
        is_open: It was not withdrawn before the destination had it.
        received_as: What it became at the destination; empty until it is delivered.
    """

    id: str
    record: str
    destination: Scope
    destination_store: str
    digest: str
    is_open: bool = True
    received_as: str = ""

    @property
    def is_pending(self) -> bool:
        """Whether the destination may not have it yet."""
        return self.is_open and not self.received_as


def source_pointer(store_id: str, reference: str) -> str:
    """Returns where a published copy says that it comes from."""
    return f"{_SOURCE}{store_id}/{reference}"


def is_published(origin: Origin) -> bool:
    """Tells whether a claim was offered by another namespace."""
    return origin.source.startswith(_SOURCE)


def published_reference(origin: Origin | None) -> str:
    """Returns the record that a claim was published from; empty for any other claim."""
    if origin is None or not is_published(origin):
        return ""
    return origin.source.partition("/")[2]


def without_reference(origin: Origin) -> Origin:
    """Returns the origin of a published claim for who may not know from which record it came."""
    return replace(origin, source=origin.source.partition("/")[0], digest="")


def offer_digest(store_id: str, record: Record) -> str:
    """Returns the digest of what is offered; it confirms no guess without the pointer."""
    said = f"{source_pointer(store_id, record.reference)}\0{record.title}\0{record.body}"
    return content_digest("publication", said.encode("utf-8", "surrogatepass"))


def check_publication(
    record: Record,
    kind: KindSpec | None,
    request: AccessRequest,
    *,
    destination: Scope,
    destination_owner: Scope,
    polluted_there: frozenset[Scope] = frozenset(),
) -> tuple[Reason, ...]:
    """Returns why a record may not be offered to a namespace; nothing when it may.

    Args:
        record: As the ledger has it.
        kind: Its kind.
        request: The publishing person's, for the namespaces that are polluted here.
        destination: Where it is to go.
        destination_owner: Scope of the store that would take it.
        polluted_there: Namespaces that are polluted in that store.
    """
    scope = record.scope or request.project
    plain = replace(request, is_history=False, sees_polluted=True)
    faults = {
        "publication.not-active": not may_read(record, plain).allowed,
        "publication.not-a-claim": kind is None or not kind.is_claim,
        "publication.sealed": record.sensitivity >= Sensitivity.SEALED,
        "publication.polluted": scope in request.polluted or destination in polluted_there,
        "publication.same-scope": destination == scope and destination_owner == request.project,
        "scope.other-store": not is_owner(destination_owner, destination),
    }
    return tuple(reason(code) for code, is_so in faults.items() if is_so)


def offered_draft(record: Record, destination: Scope, store_id: str) -> Record:
    """Returns what is offered: the claim with its restrictions, and nothing that it leans on."""
    origin = record.origin
    return replace(
        record,
        id="",
        version=1,
        scope=destination,
        origin=origin
        and replace(
            origin,
            source=source_pointer(store_id, record.reference),
            digest=offer_digest(store_id, record),
        ),
        authority=authority_of(record),
        evidence=(),
        derived_from=(),
        transform="",
        supersedes=(),
        superseded_by="",
        conflicts=(),
        relations=(),
        review_after=None,
        branch="",
    )


def believed(result: Authority, draft: Record, origin: Origin) -> Authority:
    """Returns what a claim may be believed for; a published one never more than its source.

    A copy that does not say what its source was believed for is believed for little.
    """
    if not is_published(origin):
        return result
    given = Authority.UNVERIFIED if draft.authority is None else draft.authority
    return derive_authority((result, given))


def offer_from(record: Record) -> Offer | None:
    """Reads an offer out of its record; ``None`` where it is none."""
    if record.kind != PUBLICATION_KIND:
        return None
    fields = record.fields
    try:
        destination = Scope.parse(_word(fields, "destination"))
    except ValueError:
        return None
    return Offer(
        id=record.id,
        record=_word(fields, "record"),
        destination=destination,
        destination_store=_word(fields, "destination_store"),
        digest=_word(fields, "content_digest"),
        is_open=record.status is Status.ACTIVE,
        received_as=_word(fields, "received_as"),
    )


def offer_record(offer: Offer, source: Record, origin: Origin) -> Record:
    """Returns the outbox record of an offer; it says nothing of what the claim says."""
    return Record(
        kind=PUBLICATION_KIND,
        scope=source.scope,
        sensitivity=source.sensitivity,
        origin=origin,
        fields={
            "record": offer.record,
            "destination": str(offer.destination),
            "destination_store": offer.destination_store,
            "content_digest": offer.digest,
        },
    )


def delivered(record: Record, received_as: str, now: datetime) -> Record:
    """Returns the next version of an outbox record, whose destination has it now."""
    fields = {**record.fields, "delivered": format_instant(now), "received_as": received_as}
    return replace(record, version=record.version + 1, fields=fields)


def withdrawn(record: Record) -> Record:
    """Returns an outbox record that the destination is not to have any more."""
    return replace(record, status=Status.RETRACTED)


def _word(fields: Mapping[str, JsonValue], name: str) -> str:
    value = fields.get(name, "")
    return value if isinstance(value, str) else ""
