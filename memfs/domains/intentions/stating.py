"""States an intention: the words and the trigger of a person who is there; others propose (A70)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from memfs.domains.intentions.replacing import ACTION, replace_intention
from memfs.errors import UsageError
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.intention import INTENTION_KIND, Intention, IntentionState, TimeTrigger, Trigger
from memfs.model.issue import ISSUE_KIND
from memfs.model.limits import TITLE_CHARS
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.result import Result
from memfs.model.scope import Scope
from memfs.policy.authority import capture_origin
from memfs.policy.intention_triggers import MOST_AFTER, intention_fields
from memfs.policy.recurrence import TriggerError, occurrences_of
from memfs.services.beside import Beside
from memfs.services.gate import access_request
from memfs.services.owners import submit
from memfs.services.ports import Workspace
from memfs.services.reading import find_record


@dataclass(frozen=True, slots=True, kw_only=True)
class Intended:
    """What is intended, as it was typed and read.

    Attributes:
        text: What to be asked; the first line is its title.
        trigger: When.
        window: How long it is worth asking; ``None`` for always.
        ends: When it ends; ``None`` for never.
        after: References of intentions and issues that come first.
        scope: Where it belongs; ``None`` for the store's own.
        sensitivity: How closely it is kept.
        replaces: Reference of the intention that it takes the place of; empty for none.
        key: Makes a repetition harmless.
    """

    text: str
    trigger: Trigger
    window: timedelta | None = None
    ends: datetime | None = None
    after: tuple[str, ...] = ()
    scope: Scope | None = None
    sensitivity: Sensitivity = Sensitivity.NORMAL
    replaces: str = ""
    key: str = ""


def state_intention(
    workspace: Workspace, beside: Beside, intended: Intended, actor: Actor
) -> Result:
    """States an intention, in one commit with what it takes the place of.

    Raises:
        UsageError: It says nothing, or its time is over.
        UnknownRecordError: What it comes after, or replaces, is not there or not seen.
    """
    draft = draft_of(workspace, intended, actor)
    submission = Submission(
        draft=draft, origin=capture_origin(actor, intended.text), key=intended.key
    )
    if intended.replaces:
        return replace_intention(workspace, intended.replaces, submission, actor)
    return submit(workspace, beside, submission, actor, action=ACTION)


def draft_of(workspace: Workspace, intended: Intended, actor: Actor) -> Record:
    """Makes the draft of an intention.

    Raises:
        UsageError: It says nothing, or its time is over.
        UnknownRecordError: What it comes after is not there or not seen.
    """
    text = intended.text.strip()
    if not text:
        raise UsageError("expected what to be asked about, got nothing")
    title, _, rest = text.partition("\n")
    if len(title.strip()) > TITLE_CHARS:
        raise UsageError(
            f"expected a first line of at most {TITLE_CHARS} characters, got {len(title)}",
            hint="say it shortly, and the rest on further lines",
        )
    now = workspace.clock.now()
    intention = Intention(
        id="",
        state=IntentionState.PENDING,
        trigger=intended.trigger,
        created=now,
        window=intended.window,
        ends=intended.ends,
        after=_conditions(workspace, intended.after, actor),
    )
    _check_time(intention, now)
    return Record(
        kind=INTENTION_KIND,
        title=title.strip(),
        body=f"{rest.strip()}\n" if rest.strip() else "",
        scope=intended.scope,
        sensitivity=intended.sensitivity,
        observed=now,
        fields=intention_fields(intention),
    )


def _check_time(intention: Intention, now: datetime) -> None:
    if not isinstance(intention.trigger, TimeTrigger):
        return
    try:
        times = occurrences_of(intention.trigger)
    except TriggerError as error:
        raise UsageError(str(error)) from error
    if times[0].at <= now:
        raise UsageError("expected a time to come, got one that is over")
    if intention.ends is not None and times[0].at >= intention.ends:
        raise UsageError("expected an end after the first time")


def _conditions(workspace: Workspace, references: tuple[str, ...], actor: Actor) -> tuple[str, ...]:
    if len(references) > MOST_AFTER:
        raise UsageError(f"expected at most {MOST_AFTER} that come first, got {len(references)}")
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    found = [find_record(workspace, snapshot, name, request).record for name in references]
    for record in found:
        if record.kind not in (INTENTION_KIND, ISSUE_KIND):
            raise UsageError(f"expected an intention or an issue to come first, got {record.kind}")
    return tuple(dict.fromkeys(record.id for record in found))
