"""Grants: which of them are in force for a question, and what they open of a record (A31).

A grant opens what it names and nothing else; whatever it does not say stays closed. It is no
secret: the ledger has it, a person issued it, and it counts for its grantee alone. Several
grants add up, and never to more than each of them opens.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from memfs.model.authority import Sensitivity, Sink
from memfs.model.decision import Reason
from memfs.model.grant import GRANT_SINKS, Grant, GrantOperation
from memfs.model.instants import parse_instant
from memfs.model.origin import OriginClass, Principal, PrincipalKind
from memfs.model.record import Record
from memfs.model.scope import Scope, ScopeKind
from memfs.model.status import Status
from memfs.model.values import JsonValue
from memfs.policy.reasons import reason

GRANT_KIND: Final = "grant"
RECEIPT_KIND: Final = "receipt"
ACCOUNT_KINDS: Final = frozenset({"grant", "pollution", "publication", RECEIPT_KIND})
"""What governs others: a person reads it, and no grant opens it to a program."""
NAMED_ONLY_KINDS: Final = frozenset({"evidence", "excerpt", "conflict"})
"""No claims: a grant that names no kinds does not mean them."""


def grant_from(record: Record) -> Grant | None:
    """Reads a grant out of its record; ``None`` where it is none, or says too little to count.

    Only what a person stated as such is a grant, and only one that ends.
    """
    origin, expires = record.origin, record.expires
    if record.kind != GRANT_KIND or origin is None or expires is None:
        return None
    if not origin.principal.is_person or origin.origin_class is not OriginClass.USER_STATED:
        return None
    try:
        scopes = tuple(map(Scope.parse, _words(record, "opens_scopes")))
        grant = Grant(
            id=record.id,
            grantee=Principal.parse(_word(record, "grantee")),
            issuer=origin.principal,
            scopes=scopes,
            expires=expires,
            not_before=_instant(record, "not_before"),
            operations=frozenset(map(GrantOperation, _words(record, "operations")))
            or frozenset({GrantOperation.READ}),
            record_classes=_words(record, "record_classes"),
            kinds=_words(record, "kinds"),
            purposes=_words(record, "purposes"),
            sinks=frozenset(map(Sink, _words(record, "goes_to"))) or GRANT_SINKS,
            clearance=Sensitivity.from_label(_word(record, "clearance") or "normal"),
            shown_fields=_words(record, "shown_fields"),
            is_revoked=record.status is not Status.ACTIVE,
        )
    except ValueError:
        return None
    return grant if scopes else None


def is_current(grant: Grant, now: datetime) -> bool:
    """Tells whether a grant counts at all at this moment."""
    has_begun = grant.not_before is None or grant.not_before <= now
    return has_begun and now < grant.expires and not grant.is_revoked


def in_force(
    grant: Grant,
    *,
    reader: Principal,
    sinks: frozenset[Sink],
    purpose: str,
    now: datetime,
    operation: GrantOperation = GrantOperation.READ,
) -> bool:
    """Tells whether a grant counts for this reader, purpose and place now.

    Args:
        grant: The grant.
        reader: Who asks; a grant counts for its grantee alone.
        sinks: Every place where the text would go.
        purpose: What it is for; a grant for certain purposes counts for no other.
        now: The present, aware, UTC.
        operation: What is to be done.
    """
    return (
        grant.grantee == reader
        and operation in grant.operations
        and (not grant.purposes or purpose in grant.purposes)
        and sinks <= grant.sinks
        and is_current(grant, now)
    )


def is_covering(grant: Grant, record: Record, scope: Scope) -> bool:
    """Tells whether a grant opens a record, whole or in part.

    Args:
        grant: One that is in force.
        record: The record.
        scope: Its namespace, that of the store where it names none.
    """
    return (
        scope in grant.scopes
        and record.sensitivity <= min(grant.clearance, Sensitivity.SECRET)
        and _is_of_kind(grant, record.kind)
        and _is_of_class(grant, record)
    )


def _is_of_kind(grant: Grant, kind: str) -> bool:
    if kind in ACCOUNT_KINDS:
        return False
    return kind in grant.kinds if grant.kinds else kind not in NAMED_ONLY_KINDS


def _is_of_class(grant: Grant, record: Record) -> bool:
    """A class is opened by its name, or by a grant that names the kind and no class at all."""
    if grant.record_classes:
        return record.record_class in grant.record_classes
    return not record.record_class or record.kind in grant.kinds


def shown_by(grants: Iterable[Grant]) -> frozenset[str] | None:
    """Returns the fields that several grants show together; ``None`` for all of them."""
    shown: set[str] = set()
    for grant in grants:
        if not grant.shown_fields:
            return None
        shown.update(grant.shown_fields)
    return frozenset(shown)


def check_grant(grant: Grant, *, project: Scope, now: datetime) -> tuple[Reason, ...]:
    """Returns why a grant may not be issued in the store of ``project``; nothing when it may."""
    other = [
        scope for scope in grant.scopes if scope.kind is ScopeKind.PROJECT and scope != project
    ]
    begins = grant.not_before or now
    faults = {
        "grant.no-scope": not grant.scopes,
        "grant.other-project": bool(other),
        "grant.never-ends": grant.expires <= max(now, begins),
        "grant.no-grantee": grant.grantee.kind is PrincipalKind.SYSTEM,
        "grant.too-high": grant.clearance >= Sensitivity.SEALED,
        "grant.account": not ACCOUNT_KINDS.isdisjoint(grant.kinds),
    }
    return tuple(reason(code) for code, is_so in faults.items() if is_so)


def check_revocation(grant: Grant, now: datetime) -> Reason | None:
    """Returns why there is nothing to take back; ``None`` when there is."""
    is_over = grant.is_revoked or grant.expires <= now
    return reason("grant.over") if is_over else None


def _words(record: Record, name: str) -> tuple[str, ...]:
    value = record.fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{name}: expected a list of words")
    return tuple(str(item) for item in value)


def _word(record: Record, name: str) -> str:
    value: JsonValue = record.fields.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name}: expected a word")
    return value


def _instant(record: Record, name: str) -> datetime | None:
    text = _word(record, name)
    return parse_instant(text) if text else None
