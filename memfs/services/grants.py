"""Grants: a person opens part of the store to someone, sees what is open, and closes it.

A grant is a record like any other: it carries a decision, stands in history, and counts from
the commit that makes it to the one that takes it back. It holds no secret.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from memfs.errors import ConflictError
from memfs.formats.record_codec import update_record
from memfs.model.authority import Sensitivity, Sink
from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.grant import GRANT_SINKS, Grant, GrantOperation
from memfs.model.instants import format_instant
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.model.values import JsonValue
from memfs.policy.administration import decide_operation
from memfs.policy.authority import capture_origin
from memfs.policy.grants import GRANT_KIND, check_grant, check_revocation, grant_from
from memfs.services.answers import done, refused
from memfs.services.door import Decided, commit_decided
from memfs.services.gate import GRANT_FOLDER, access_request
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, new_file, plan_from, require_free
from memfs.services.reading import UnknownRecordError, find_record
from memfs.services.served_records import read_records
from memfs.store.snapshot import Snapshot

DEFAULT_DAYS: Final = 30
"""How long a grant lasts when nothing is said."""


class UnknownGrantError(ConflictError):
    """No grant has this id."""

    code = "conflict.unknown-grant"


class GrantState(StrEnum):
    """Whether a grant counts now."""

    IN_FORCE = "in force"
    NOT_YET = "not yet"
    ENDED = "ended"
    TAKEN_BACK = "taken back"


@frozen(kw_only=False)
class StandingGrant:
    """A grant of the ledger and how it stands."""

    grant: Grant
    state: GrantState


def default_end(now: datetime) -> datetime:
    """Returns when a grant ends that is issued now and says nothing of it."""
    return now + timedelta(days=DEFAULT_DAYS)


def issue_grant(workspace: Workspace, wanted: Grant, actor: Actor) -> Result:
    """Issues ``wanted``, whose id and issuer do not matter; only a person does.

    Returns:
        Done with the id of the grant, or refused with reasons.
    """
    decision = decide_operation("grant.issue", actor, workspace.settings)
    faults = check_grant(wanted, project=workspace.scope, now=workspace.clock.now())
    reasons = decision.reasons if not decision.is_admitted else faults
    if reasons:
        return refused(workspace, "grant", str(wanted.grantee), reasons)

    def decide_on(snapshot: Snapshot) -> Decided[str]:
        draft = new_file(workspace, snapshot, _record_of(workspace, wanted, actor), decision)
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.GRANT,
            actor=actor,
            drafts=(draft,),
            subject=f"{wanted.grantee} until {format_instant(wanted.expires)}",
        )
        return Decided(draft.record.id, plan)

    committed = commit_decided(workspace, decide_on)
    message = f"{wanted.grantee} may {words_of(wanted)}"
    return done(workspace, "grant", committed.outcome, message, committed.commit)


def revoke_grant(workspace: Workspace, reference: str, actor: Actor) -> Result:
    """Takes a grant back; it opens nothing at the next question of anybody.

    Raises:
        UnknownGrantError: No grant has this id.
        AmbiguousRecordError: More than one does; the message lists them.
    """
    decision = decide_operation("grant.revoke", actor, workspace.settings)
    if not decision.is_admitted:
        return refused(workspace, "revoke", reference, decision.reasons)

    def decide_on(snapshot: Snapshot) -> Decided[tuple[Grant, Reason | None]]:
        request = access_request(workspace, actor, is_history=True, sees_polluted=True)
        try:
            stored = find_record(workspace, snapshot, reference, request)
        except UnknownRecordError:
            raise _unknown(reference) from None
        grant = grant_from(stored.record)
        if grant is None:
            raise _unknown(reference)
        denial = check_revocation(grant, workspace.clock.now())
        if denial is not None:
            return Decided((grant, denial))
        require_free(snapshot, stored)
        closed = replace(stored.record, status=Status.RETRACTED)
        before = snapshot.read_blob(stored.blob)
        draft = Draft(
            record=closed,
            path=stored.path,
            content=update_record(before, closed, path=stored.path, registry=workspace.registry),
            expected=stored.blob,
            decision=decision,
        )
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.REVOKE,
            actor=actor,
            drafts=(draft,),
            subject=f"{grant.grantee} {grant.id}",
        )
        return Decided((grant, None), plan)

    committed = commit_decided(workspace, decide_on)
    grant, denial = committed.outcome
    if denial is not None:
        return Result(
            action="revoke",
            target=grant.id,
            status=ResultStatus.NOTHING,
            message=denial.message,
            store=str(workspace.store.root),
            reasons=(denial,),
        )
    message = f"taken back; {grant.grantee} reads nothing by it from now on"
    return done(workspace, "revoke", grant.id, message, committed.commit)


def standing_grants(workspace: Workspace, actor: Actor) -> tuple[StandingGrant, ...]:
    """Returns the grants of the ledger, newest first; others than a person see their own."""
    snapshot, now = workspace.store.snapshot(), workspace.clock.now()
    places = ((entry.path, entry.blob) for entry in snapshot.entries(GRANT_FOLDER))
    read = (grant_from(item.record) for item in read_records(workspace, snapshot, places))
    seen = (
        grant
        for grant in read
        if grant is not None and (actor.is_person or grant.grantee == actor.principal)
    )
    newest = sorted(seen, key=lambda grant: grant.id, reverse=True)
    return tuple(StandingGrant(grant, state_of(grant, now)) for grant in newest)


def state_of(grant: Grant, now: datetime) -> GrantState:
    """Tells whether a grant counts at ``now``, and why not."""
    if grant.is_revoked:
        return GrantState.TAKEN_BACK
    if grant.expires <= now:
        return GrantState.ENDED
    if grant.not_before is not None and grant.not_before > now:
        return GrantState.NOT_YET
    return GrantState.IN_FORCE


def words_of(grant: Grant) -> str:
    """Returns what a grant opens, in words."""
    parts = [f"{', '.join(sorted(grant.operations))} {', '.join(map(str, grant.scopes))}"]
    for name, values in (
        ("class", grant.record_classes),
        ("kind", grant.kinds),
        ("only the fields", grant.shown_fields),
        ("for", grant.purposes),
    ):
        if values:
            parts.append(f"{name} {', '.join(values)}")
    if grant.sinks != GRANT_SINKS:
        parts.append(f"to {', '.join(sorted(grant.sinks))}")
    if grant.clearance is not Sensitivity.NORMAL:
        parts.append(f"up to {grant.clearance.label}")
    if grant.not_before is not None:
        parts.append(f"from {format_instant(grant.not_before)}")
    return f"{'; '.join(parts)}; until {format_instant(grant.expires)}"


def grant_value(grant: Grant) -> dict[str, JsonValue]:
    """Returns the fields of a grant as its file has them; what is not said is left out."""
    values: dict[str, JsonValue] = {
        "grantee": str(grant.grantee),
        "opens_scopes": [str(scope) for scope in grant.scopes],
    }
    if grant.operations != frozenset({GrantOperation.READ}):
        values["operations"] = [str(item) for item in sorted(grant.operations)]
    for name, words in (
        ("record_classes", grant.record_classes),
        ("kinds", grant.kinds),
        ("purposes", grant.purposes),
        ("shown_fields", grant.shown_fields),
    ):
        if words:
            values[name] = list(words)
    if grant.sinks != GRANT_SINKS:
        values["goes_to"] = [str(sink) for sink in Sink if sink in grant.sinks]
    if grant.clearance is not Sensitivity.NORMAL:
        values["clearance"] = grant.clearance.label
    if grant.not_before is not None:
        values["not_before"] = format_instant(grant.not_before)
    return values


def _record_of(workspace: Workspace, grant: Grant, actor: Actor) -> Record:
    return Record(
        kind=GRANT_KIND,
        scope=workspace.scope,
        observed=workspace.clock.now(),
        expires=grant.expires,
        origin=capture_origin(actor, words_of(grant)),
        fields=grant_value(grant),
    )


def _unknown(reference: str) -> UnknownGrantError:
    return UnknownGrantError(f"no grant matches {reference!r}", hint="see: memfs grants")
