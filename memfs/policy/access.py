"""The servable predicate: the one place that says whether a record may be read (A7, A89).

Search, list, show, history, diff, projections, packets, export and background jobs ask
:func:`may_read`; nothing else in the code base filters by status. Deny is the default:
an unknown scope, an unnamed project or a missing origin is never a reason to serve.
A person who decides here sees the whole store; a program has default rights (global, the
project, its own scopes; nothing confidential, no class of records) and what grants add to
them; a person behind a program has grants alone. The function is pure; the caller re-reads
the record from the ledger first.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final, assert_never

from memfs.model.authority import Sensitivity, Sink
from memfs.model.conflict import CONFLICT_KIND
from memfs.model.decision import Reason
from memfs.model.event import EVENT_KIND
from memfs.model.frozen import frozen
from memfs.model.grant import Grant
from memfs.model.origin import Actor, Channel, PrincipalKind
from memfs.model.record import Record
from memfs.model.scope import Scope, ScopeKind
from memfs.model.settings import Mode
from memfs.model.status import Status
from memfs.policy.grants import ACCOUNT_KINDS, RECEIPT_KIND, in_force, is_covering, shown_by
from memfs.policy.reasons import reason
from memfs.policy.sources import is_switched_off

SERVED_STATUS: Final = Status.ACTIVE
"""The one status that is served; lookups may narrow by it, :func:`may_read` still decides."""

_HISTORY: Final = frozenset({Status.ACTIVE, Status.SUPERSEDED, Status.RETRACTED, Status.EXPIRED})
"""What a person may look at in a history; never a tombstone, never what awaits repair."""


@frozen
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
        valid_at: What was true then, and had happened by then; ``None`` for now.
        is_as_of: ``valid_at`` is only the moment whose ledger is asked: what was planned then
            was known then.
        clearance: The most sensitive that a program may be given without a grant.
        is_history: A person looks at earlier versions and replaced records.
        sees_replaced: A person looks at what was replaced too, beside what took its place, and
            at what holds at another time; not at what was taken back or has expired.
        purpose: What it is for, matched by grants; set by the entry point.
        grants: Grants in the ledger that name the reader, whether or not they are in force.
        polluted: Namespaces that are not to be relied on until they are repaired.
        sources_off: Principals, channels and sources that the settings switch off.
        sees_polluted: A person gives account of what happened, or takes something back:
            polluted or not, and in every mode.
        mode: What memory does at all.
    """

    actor: Actor
    sink: Sink
    now: datetime
    project: Scope
    scopes: tuple[Scope, ...] = ()
    memberships: frozenset[Scope] = frozenset()
    valid_at: datetime | None = None
    is_as_of: bool = False
    clearance: Sensitivity = Sensitivity.NORMAL
    is_history: bool = False
    sees_replaced: bool = False
    purpose: str = ""
    grants: tuple[Grant, ...] = ()
    polluted: frozenset[Scope] = frozenset()
    sources_off: frozenset[str] = frozenset()
    sees_polluted: bool = False
    mode: Mode = Mode.ENFORCED

    @property
    def is_trusted_reader(self) -> bool:
        """Whether a person reads, or memfs itself on a person's behalf."""
        return is_trusted(self.actor)


@frozen(kw_only=False)
class AccessDecision:
    """Whether a record may be read, how much of it, and why not.

    Attributes:
        allowed: Whether anything of it may be read.
        reason: Why not; ``None`` when it may.
        shown: The only fields that may be shown; ``None`` for all of them.
        grants: Ids of the grants that opened it; empty where the reader needs none.
    """

    allowed: bool
    reason: Reason | None = None
    shown: frozenset[str] | None = None
    grants: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the record may be read with every field."""
        return self.allowed and self.shown is None


ALLOWED: Final = AccessDecision(True)


def may_read(record: Record, request: AccessRequest) -> AccessDecision:
    """Decides whether ``record`` may be served to ``request``, whole or in part.

    What the reader has a right to is settled before anything that the record says of its
    state: who may not see a record does not learn that it has expired (A9).
    """
    right = read_right(record, request)
    if not right.allowed:
        return right
    denial = _check_status(record, request) or _check_time(record, request, right.shown)
    return right if denial is None else _denied(denial)


def read_right(record: Record, request: AccessRequest) -> AccessDecision:
    """Decides whether the reader has a right to ``record``, whatever its state and time."""
    denial = (
        _check_mode(request)
        or _check_asked(record, request)
        or _check_polluted(record, request)
        or _check_source(record, request)
        or _check_sink(record, request)
    )
    if denial is not None:
        return _denied(denial)
    denial = _default_denial(record, request)
    if denial is None:
        return ALLOWED
    opening = _opening_grants(record, request)
    if not opening:
        return _denied(denial)
    return AccessDecision(
        True, shown=shown_by(opening), grants=tuple(grant.id for grant in opening)
    )


def is_trusted(actor: Actor) -> bool:
    """Whether a person reads, or memfs itself on a person's behalf."""
    principal = actor.principal
    is_system = principal.kind is PrincipalKind.SYSTEM and actor.channel is Channel.SYSTEM
    return actor.is_person or is_system


def may_serve(mode: Mode, actor: Actor) -> bool:
    """Tells whether anything at all is served to ``actor`` in ``mode`` (A73).

    In shadow mode a person still looks at what memory holds, to judge it.
    """
    match mode:
        case Mode.OFF:
            return False
        case Mode.SHADOW:
            return is_trusted(actor)
        case Mode.READ_ONLY | Mode.ENFORCED:
            return True
        case _:
            assert_never(mode)


def _denied(code: str) -> AccessDecision:
    return AccessDecision(False, reason(code))


def _default_denial(record: Record, request: AccessRequest) -> str | None:
    """Returns what stands in the way of a reader without any grant."""
    if request.is_trusted_reader:
        return _check_scope(record, request) or _check_sensitivity(record, request)
    if request.actor.principal.kind not in (PrincipalKind.AGENT, PrincipalKind.TOOL):
        return "access.no-rights"
    return (
        _check_account(record, request)
        or _check_scope(record, request)
        or _check_class(record)
        or _check_sensitivity(record, request)
        or _check_sides(record)
    )


def _opening_grants(record: Record, request: AccessRequest) -> tuple[Grant, ...]:
    scope = record.scope or request.project
    places = _places(request)
    return tuple(
        grant
        for grant in request.grants
        if in_force(
            grant,
            reader=request.actor.principal,
            sinks=places,
            purpose=request.purpose,
            now=request.now,
        )
        and is_covering(grant, record, scope)
        and record.sensitivity <= _most_sensitive(request.sink)
    )


def _check_mode(request: AccessRequest) -> str | None:
    if request.sees_polluted and request.is_trusted_reader:
        return None
    return None if may_serve(request.mode, request.actor) else f"mode.{request.mode}"


def _check_asked(record: Record, request: AccessRequest) -> str | None:
    scope = record.scope or request.project
    return "access.not-asked" if request.scopes and scope not in request.scopes else None


def _check_polluted(record: Record, request: AccessRequest) -> str | None:
    if request.sees_polluted and request.is_trusted_reader:
        return None
    scope = record.scope or request.project
    return "access.polluted" if scope in request.polluted else None


def _check_source(record: Record, request: AccessRequest) -> str | None:
    """A person still sees what a switched-off source brought, to decide about it."""
    if request.is_trusted_reader:
        return None
    return "access.source-off" if is_switched_off(record.origin, request.sources_off) else None


def _check_account(record: Record, request: AccessRequest) -> str | None:
    """Keeps accounts for people; a role reads those of what it did to its own memory itself."""
    if record.kind not in ACCOUNT_KINDS or _is_own_account(record, request.actor):
        return None
    return "access.account"


def _is_own_account(record: Record, actor: Actor) -> bool:
    details = record.fields.get("details")
    principal = actor.principal
    return (
        record.kind == RECEIPT_KIND
        and principal.kind is PrincipalKind.AGENT
        and record.scope == Scope(ScopeKind.AGENT, principal.name)
        and isinstance(details, Mapping)
        and details.get("by") == str(principal)
    )


def _check_sides(record: Record) -> str | None:
    """A conflict names sides that its reader may not see; what may be seen is told apart."""
    return "access.account" if record.kind == CONFLICT_KIND else None


def _check_class(record: Record) -> str | None:
    return "access.class" if record.record_class else None


def _check_scope(record: Record, request: AccessRequest) -> str | None:
    scope = record.scope or request.project
    match scope.kind:
        case ScopeKind.GLOBAL:
            return None
        case ScopeKind.PROJECT:
            return None if _is_reachable(scope, request) else "access.other-project"
        case ScopeKind.TEAM:
            return None if _is_within(scope, request) else "access.shared"
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
    """Tells whether a private or shared scope is the reader's own (A8)."""
    if request.is_trusted_reader or scope in request.memberships:
        return True
    principal = request.actor.principal
    if scope.kind is ScopeKind.AGENT:
        return principal.kind is PrincipalKind.AGENT and scope.name == principal.name
    return False


def _check_status(record: Record, request: AccessRequest) -> str | None:
    if record.status is Status.ACTIVE or _is_replaced_later(record, request):
        return None
    if request.is_history and request.is_trusted_reader and record.status in _HISTORY:
        return None
    if request.sees_replaced and request.is_trusted_reader and record.status is Status.SUPERSEDED:
        return None
    return "access.status"


def _is_replaced_later(record: Record, request: AccessRequest) -> bool:
    """Tells whether the successor of a replaced record begins after the time that is asked about.

    What was replaced stays true for the time before: it answers for that, and for no other.
    """
    if record.status is not Status.SUPERSEDED or record.superseded_from is None:
        return False
    return (request.valid_at or request.now) < record.superseded_from


def _check_time(record: Record, request: AccessRequest, shown: frozenset[str] | None) -> str | None:
    if request.is_history and request.is_trusted_reader:
        return None
    if record.expires is not None and record.expires <= request.now:
        return "access.expired"
    if request.sees_replaced and request.is_trusted_reader and request.valid_at is None:
        return None
    moment = request.valid_at or request.now
    start = record.valid_from or _happened(record, request, shown)
    if start is not None and moment < start:
        return "access.not-valid"
    if record.valid_until is not None and moment >= record.valid_until:
        return "access.not-valid"
    return None


def _happened(
    record: Record, request: AccessRequest, shown: frozenset[str] | None
) -> datetime | None:
    """Returns from when on an event answers who asks what was true at another moment.

    Who may not see when it happened does not find it out by asking for one moment after another.
    What is planned is told as long as nobody asks about a time before it.
    """
    is_asked = record.kind == EVENT_KIND and request.valid_at is not None and not request.is_as_of
    is_told = shown is None or "event_time" in shown
    return record.event_time if is_asked and is_told else None


def _check_sensitivity(record: Record, request: AccessRequest) -> str | None:
    limit = Sensitivity.SEALED if request.is_trusted_reader else request.clearance
    match request.sink:
        case Sink.PERSON | Sink.EXPORT:
            limit = min(limit, _most_sensitive(request.sink))
        case Sink.AGENT | Sink.REMOTE:
            limit = min(limit, request.clearance)
        case _:
            assert_never(request.sink)
    return "access.sensitivity" if record.sensitivity > limit else None


def _most_sensitive(sink: Sink) -> Sensitivity:
    """Returns the most sensitive that may ever go to a place, by whatever right."""
    return Sensitivity.CONFIDENTIAL if sink is Sink.EXPORT else Sensitivity.SEALED


def _check_sink(record: Record, request: AccessRequest) -> str | None:
    return None if _places(request) <= record.sinks else "access.sink"


def _places(request: AccessRequest) -> frozenset[Sink]:
    """Returns where the text would go: what a program reads anywhere, the program has (A20)."""
    if request.is_trusted_reader:
        return frozenset({request.sink})
    return frozenset({request.sink, Sink.AGENT})
