"""The servable predicate: the one place that says whether a record may be read (A7, A89).

Search, list, show, history, diff, projections, packets, export and background jobs ask
:func:`may_read`; nothing else in the code base filters by status. Deny is the default:
an unknown scope, an unnamed project or a missing origin is never a reason to serve.
The function is pure; the caller re-reads the record from the ledger first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, assert_never

from memfs.model.authority import Sensitivity, Sink
from memfs.model.decision import Reason
from memfs.model.grant import Grant
from memfs.model.origin import Actor, Channel, PrincipalKind
from memfs.model.record import Record
from memfs.model.scope import Scope, ScopeKind
from memfs.model.status import Status
from memfs.policy.reasons import reason

SERVED_STATUS: Final = Status.ACTIVE
"""The one status that is served; lookups may narrow by it, :func:`may_read` still decides."""

_HISTORY: Final = frozenset({Status.ACTIVE, Status.SUPERSEDED, Status.RETRACTED, Status.EXPIRED})
"""What a person may look at in a history; never a tombstone, never what awaits repair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRequest:
    """Who wants to read, for where, and as of when.

    Attributes:
        actor: Who asks; set by the entry point.
        sink: Where the text goes.
        now: The present, aware, UTC; expiry is always measured against it.
        project: Scope of the store; records without a scope belong to it.
        scopes: Scopes that were asked for; empty for all that the actor may see.
        memberships: Private and shared scopes that the actor is in right now: its task,
            session, thread, teams. Set by the entry point, never by the request's text.
        valid_at: What was true then; ``None`` for now.
        clearance: The most sensitive an agent may be given; raised by a grant only.
        is_history: A person looks at earlier versions and replaced records.
        purpose: What it is for, matched by grants; set by the entry point.
        grants: Grants in the ledger that name the reader, whether or not they are in force.
        polluted: Namespaces that are not to be relied on until they are repaired.
        sources_off: Principals, channels and sources that the settings switch off.
    """

    actor: Actor
    sink: Sink
    now: datetime
    project: Scope
    scopes: tuple[Scope, ...] = ()
    memberships: frozenset[Scope] = frozenset()
    valid_at: datetime | None = None
    clearance: Sensitivity = Sensitivity.NORMAL
    is_history: bool = False
    purpose: str = ""
    grants: tuple[Grant, ...] = ()
    polluted: frozenset[Scope] = frozenset()
    sources_off: frozenset[str] = frozenset()

    @property
    def is_trusted_reader(self) -> bool:
        """Whether a person reads, or memfs itself on a person's behalf."""
        principal = self.actor.principal
        return self.actor.is_person or (
            principal.kind is PrincipalKind.SYSTEM and self.actor.channel is Channel.SYSTEM
        )


@dataclass(frozen=True, slots=True)
class AccessDecision:
    """Whether a record may be read, and why not; the reason is ``None`` when it may."""

    allowed: bool
    reason: Reason | None = None


ALLOWED: Final = AccessDecision(True)


def may_read(record: Record, request: AccessRequest) -> AccessDecision:
    """Decides whether ``record`` may be served to ``request``.

    Scope is checked before anything that depends on content (A9).
    """
    denial = (
        _check_scope(record, request)
        or _check_status(record, request)
        or _check_time(record, request)
        or _check_sensitivity(record, request)
        or _check_sink(record, request)
    )
    return ALLOWED if denial is None else AccessDecision(False, reason(denial))


def _check_scope(record: Record, request: AccessRequest) -> str | None:
    scope = record.scope or request.project
    if request.scopes and scope not in request.scopes:
        return "access.not-asked"
    match scope.kind:
        case ScopeKind.GLOBAL:
            return None
        case ScopeKind.PROJECT:
            return None if _is_reachable(scope, request) else "access.other-project"
        case ScopeKind.TEAM:
            return None if scope in request.memberships else "access.shared"
        case ScopeKind.AGENT | ScopeKind.TASK | ScopeKind.SESSION | ScopeKind.THREAD:
            return None if _is_within(scope, request) else "access.private"
        case _:
            assert_never(scope.kind)


def _is_reachable(scope: Scope, request: AccessRequest) -> bool:
    """Tells whether a project's claims may be seen: this project, or one a person names (C9)."""
    if scope == request.project:
        return True
    return request.is_trusted_reader and scope in request.scopes


def _is_within(scope: Scope, request: AccessRequest) -> bool:
    """Tells whether a private scope is the reader's own (A8)."""
    if request.is_trusted_reader or scope in request.memberships:
        return True
    principal = request.actor.principal
    if scope.kind is ScopeKind.AGENT:
        return principal.kind is PrincipalKind.AGENT and scope.name == principal.name
    return False


def _check_status(record: Record, request: AccessRequest) -> str | None:
    if record.status is Status.ACTIVE:
        return None
    if request.is_history and request.is_trusted_reader and record.status in _HISTORY:
        return None
    return "access.status"


def _check_time(record: Record, request: AccessRequest) -> str | None:
    if request.is_history and request.is_trusted_reader:
        return None
    if record.expires is not None and record.expires <= request.now:
        return "access.expired"
    moment = request.valid_at or request.now
    if record.valid_from is not None and moment < record.valid_from:
        return "access.not-valid"
    if record.valid_until is not None and moment >= record.valid_until:
        return "access.not-valid"
    return None


def _check_sensitivity(record: Record, request: AccessRequest) -> str | None:
    limit = Sensitivity.SEALED if request.is_trusted_reader else request.clearance
    match request.sink:
        case Sink.PERSON:
            pass
        case Sink.EXPORT:
            limit = min(limit, Sensitivity.CONFIDENTIAL)
        case Sink.AGENT | Sink.REMOTE:
            limit = min(limit, request.clearance)
        case _:
            assert_never(request.sink)
    return "access.sensitivity" if record.sensitivity > limit else None


def _check_sink(record: Record, request: AccessRequest) -> str | None:
    """An agent that reads on a person's surface still is an agent (A20)."""
    needed = {request.sink}
    if not request.is_trusted_reader:
        needed.add(Sink.AGENT)
    return None if needed <= record.sinks else "access.sink"
