"""Intentions as one reader may see them, through the read gate."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memfs.model.instants import format_instant
from memfs.model.intention import (
    INTENTION_FOLDER,
    INTENTION_KIND,
    EventTrigger,
    Intention,
    IntentionState,
    StateTrigger,
    TimeTrigger,
    Trigger,
)
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.values import JsonValue
from memfs.policy.access import AccessRequest
from memfs.policy.intention_triggers import intention_from, trigger_value
from memfs.policy.recurrence import TriggerError, occurrences_of
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.reading import UnknownRecordError, find_record, served_at
from memfs.services.served_records import served_places
from memfs.store.snapshot import Snapshot

_ORDER: Final = {state: place for place, state in enumerate(("due", "blocked", "pending"))}


class UnknownIntentionError(UnknownRecordError):
    """No intention matches, or none that this actor may see: the two are not told apart."""

    code = "conflict.unknown-intention"


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentionView:
    """An intention as one reader may see it.

    Attributes:
        stored: The record, with hidden fields emptied.
        intention: What it says; ``None`` where that is hidden, or cannot be read here.
        next: Its next time that is not over, as an instant; empty for none, or no time.
    """

    stored: StoredRecord
    intention: Intention | None = None
    next: str = ""

    @property
    def id(self) -> str:
        """``intent_…``."""
        return self.stored.record.id

    @property
    def title(self) -> str:
        """What it asks; empty where that is hidden."""
        return self.stored.record.title

    @property
    def state(self) -> str:
        """How it stands; ``unreadable`` where it does not say so."""
        return str(self.intention.state) if self.intention is not None else "unreadable"


def list_intentions(
    workspace: Workspace,
    actor: Actor,
    *,
    states: frozenset[IntentionState] = frozenset(),
    is_all: bool = False,
) -> tuple[IntentionView, ...]:
    """Returns the intentions that ``actor`` may see: due ones first, then by when they ask.

    Args:
        workspace: The store.
        actor: Who reads.
        states: Only these; empty for those that are open.
        is_all: Those that are over too.
    """
    snapshot = workspace.store.snapshot()
    is_over_too = actor.is_person and (is_all or IntentionState.SUPERSEDED in states)
    request = access_request(workspace, actor, sees_replaced=is_over_too)
    views = seen_intentions(workspace, snapshot, request)
    wanted = (
        view for view in views if (view.state in states if states else is_all or _is_open(view))
    )
    return tuple(sorted(wanted, key=_order))


def seen_intentions(
    workspace: Workspace, snapshot: Snapshot, request: AccessRequest
) -> tuple[IntentionView, ...]:
    """Returns what ``request`` may see of every intention, in no fixed order."""
    paths = (path for path, _ in served_places(snapshot, INTENTION_FOLDER))
    return tuple(
        view_of(stored)
        for stored in served_at(workspace, snapshot, paths, request)
        if stored.record.kind == INTENTION_KIND
    )


def show_intention(workspace: Workspace, reference: str, actor: Actor) -> IntentionView:
    """Returns the intention that a reference names: an id, the end of one, or a file.

    Raises:
        UnknownIntentionError: None matches, or none that may be seen.
        AmbiguousRecordError: Several ids end so.
    """
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor, sees_replaced=actor.is_person)
    return view_of(found_intention(workspace, snapshot, reference, request))


def found_intention(
    workspace: Workspace, snapshot: Snapshot, reference: str, request: AccessRequest
) -> StoredRecord:
    """Returns the record of an intention that ``request`` may see.

    Raises:
        UnknownIntentionError: None matches, or none that may be seen.
        AmbiguousRecordError: Several ids end so.
    """
    hint = "see: memfs intention list"
    try:
        stored = find_record(workspace, snapshot, reference, request)
    except UnknownRecordError:
        raise UnknownIntentionError(f"no intention matches {reference!r}", hint=hint) from None
    if stored.record.kind != INTENTION_KIND:
        raise UnknownIntentionError(f"no intention matches {reference!r}", hint=hint)
    return stored


def view_of(stored: StoredRecord) -> IntentionView:
    """Returns the view of an intention that may be seen so."""
    with suppress(TriggerError):
        intention = intention_from(stored.record)
        return IntentionView(stored=stored, intention=intention, next=_next(intention))
    return IntentionView(stored=stored)


def intention_value(view: IntentionView) -> dict[str, JsonValue]:
    """Returns an intention as plain data; what is not said is left out."""
    record, intention = view.stored.record, view.intention
    value: dict[str, JsonValue] = {
        "id": record.id,
        "title": record.title,
        "detail": record.body.strip(),
        "state": view.state,
        "scope": str(record.scope or ""),
        "by": str(record.origin.principal) if record.origin is not None else "",
        "path": view.stored.path,
        "superseded_by": record.superseded_by,
    }
    if intention is not None:
        value |= {
            "trigger": trigger_value(intention.trigger),
            "when": trigger_text(intention.trigger),
            "next": view.next,
            "due_at": _written(intention.due_at),
            "occurrence": intention.occurrence,
            "snoozed_until": _written(intention.snoozed_until),
            "window_s": int(intention.window.total_seconds()) if intention.window else 0,
            "ends": _written(intention.ends),
            "after": list(intention.after),
            "asked": intention.asked,
            "missed": intention.missed,
        }
    return {name: part for name, part in value.items() if part not in (None, "", [], 0)}


def trigger_text(trigger: Trigger) -> str:
    """Returns a trigger in words, on one line."""
    match trigger:
        case TimeTrigger(at=at) if at is not None:
            return f"at {format_instant(at)}"
        case TimeTrigger(local=local, zone=zone, rrule=rrule):
            shown = local.isoformat(sep=" ", timespec="minutes") if local is not None else ""
            return f"at {shown} {zone}{f', {rrule}' if rrule else ''}"
        case EventTrigger(of=of, match=fields, most=most):
            named = " ".join(f"{name}={wanted}" for name, wanted in fields)
            often = f", {most} times" if most > 1 else ""
            return f"on {of}{f' {named}' if named else ''}{often}"
        case StateTrigger(of=of_state, what=what, holds=holds):
            return f"once {of_state} {what} is {'on ' if of_state == 'commit' else ''}{holds}"


def _next(intention: Intention) -> str:
    if not intention.state.is_open or not isinstance(intention.trigger, TimeTrigger):
        return _written(intention.snoozed_until) if intention.state.is_open else ""
    times = occurrences_of(intention.trigger)
    coming = next((item.at for item in times if item.key > intention.last), None)
    known = [moment for moment in (coming, intention.snoozed_until) if moment is not None]
    return _written(min(known)) if known else ""


def _is_open(view: IntentionView) -> bool:
    return view.intention is None or view.intention.state.is_open


def _order(view: IntentionView) -> tuple[int, str, str]:
    return _ORDER.get(view.state, len(_ORDER)), view.next or "~", view.id


def _written(moment: datetime | None) -> str:
    return format_instant(moment) if moment is not None else ""
