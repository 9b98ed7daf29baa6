"""What a person wants to be asked about later: intentions, which ask and never act.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

from memfs.app.opened import Opened
from memfs.errors import MemfsError, UsageError
from memfs.model.frozen import frozen
from memfs.model.result import Result, ResultStatus
from memfs.services.modes import require_serving, require_taking

if TYPE_CHECKING:
    from memfs.domains.intentions.views import IntentionView
    from memfs.model.intention import IntentionState, Trigger
    from memfs.policy.intention_moves import Action

LOOK_EVERY: Final = timedelta(seconds=20)
"""A process that watches looks so often, and whenever the ledger has moved."""


class IntentionOptions(TypedDict, total=False):
    """When an intention asks, and what else is said of it; empty strings stand for nothing.

    One trigger is given. ``at`` is a time to come: with an offset, or on the clock of ``zone``,
    and then ``rrule`` (RFC 5545, with COUNT or UNTIL) says how it comes again. ``on`` is ``run``,
    ``issue`` or ``timeline``, ``match`` holds ``name=value`` and ``most`` how many of them count.
    ``once`` is a state: ``path=FILE``, ``no-path=FILE``, ``issue=ID:STATE``, ``commit=ID@BRANCH``.

    ``window`` is a duration, ``ends`` an instant or a duration from now; ``after`` names intentions
    and issues that come first, ``replaces`` one that it takes the place of. ``key`` makes a
    repetition harmless.
    """

    at: str
    zone: str
    rrule: str
    on: str
    match: Sequence[str]
    most: int
    once: str
    window: str
    ends: str
    after: Sequence[str]
    replaces: str
    scope: str
    sensitivity: str
    key: str


@frozen
class DueAnswer:
    """What is to be asked now.

    Attributes:
        due: Every intention that is due and may be seen, the newly due too.
        new: Ids of those that became due just now, and never will again for the same occurrence.
        unreadable: Ids of those that cannot be read here; only a person is told.
    """

    due: tuple[IntentionView, ...] = ()
    new: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


class Intending(Opened):
    """What a person wants to be asked about later: intentions, which ask and never act."""

    _looked: tuple[str, datetime] | None = None

    def add_intention(self, text: str, **options: Unpack[IntentionOptions]) -> Result:
        """Records what a person who is there wants to be asked about; others propose.

        Raises:
            UsageError: Nothing is said, or the trigger is none, or its time is over.
            UnknownRecordError: What it comes after or replaces is not there, or not seen.
        """
        from memfs.app.drafts import scope_from, sensitivity_from
        from memfs.domains.intentions.stating import Intended, state_intention
        from memfs.domains.intentions.typed import duration_from, moment_from

        require_taking(self.workspace)
        self._take_in()
        now = self.workspace.clock.now()
        intended = Intended(
            text=text,
            trigger=_trigger(options, now),
            window=duration_from(options.get("window", "")),
            ends=moment_from(options.get("ends", ""), now),
            after=tuple(options.get("after", ())),
            scope=scope_from(options.get("scope", "")),
            sensitivity=sensitivity_from(options.get("sensitivity", "")),
            replaces=options.get("replaces", ""),
            key=options.get("key", ""),
        )
        return state_intention(self.workspace, self.beside, intended, self.actor)

    def list_intentions(
        self, *, states: Sequence[str] = (), is_all: bool = False
    ) -> tuple[IntentionView, ...]:
        """Lists intentions: those that are open, due ones first; all with ``is_all``.

        Raises:
            UsageError: There is no such state.
        """
        from memfs.domains.intentions.views import list_intentions

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        wanted = frozenset(map(_state_from, states))
        return list_intentions(self.workspace, self.actor, states=wanted, is_all=is_all)

    def show_intention(self, reference: str) -> IntentionView:
        """Returns one intention.

        Raises:
            UnknownRecordError: None matches, or none that may be seen.
        """
        from memfs.domains.intentions.views import show_intention

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        return show_intention(self.workspace, reference, self.actor)

    def intention_done(self, reference: str, *, key: str = "") -> Result:
        """Says that what was asked about is done; one that repeats asks again."""
        from memfs.policy.intention_moves import Action

        return self._answer(reference, Action.DONE, key=key)

    def cancel_intention(self, reference: str, *, key: str = "") -> Result:
        """Ends an intention, with all that it would still ask."""
        from memfs.policy.intention_moves import Action

        return self._answer(reference, Action.CANCEL, key=key)

    def snooze_intention(self, reference: str, until: str, *, key: str = "") -> Result:
        """Puts a question off, until an instant or for a duration.

        Raises:
            UsageError: That is neither, or over.
        """
        from memfs.domains.intentions.typed import moment_from
        from memfs.policy.intention_moves import Action

        moment = moment_from(until, self.workspace.clock.now())
        if moment is None:
            raise UsageError("expected until when it is put off, got nothing")
        return self._answer(reference, Action.SNOOZE, until=moment, key=key)

    def intentions_due(self) -> DueAnswer:
        """Returns what is to be asked now, and marks what became due, once; nothing is done.

        A program marks nothing: what is due is a person's to be told.
        """
        from memfs.domains.intentions.marking import mark_due
        from memfs.domains.intentions.views import list_intentions
        from memfs.model.intention import IntentionState

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        is_marking = self.actor.is_person and not self.workspace.is_switched_off
        marks = mark_due(self.workspace) if is_marking else None
        due = list_intentions(self.workspace, self.actor, states=frozenset((IntentionState.DUE,)))
        seen = {view.id for view in due}
        return DueAnswer(
            due=due,
            new=tuple(name for name in marks.asked if name in seen) if marks is not None else (),
            unreadable=marks.unreadable if marks is not None else (),
        )

    def ask_if_due(self) -> tuple[Result, ...]:
        """Returns a question for each intention that became due; for a process that watches.

        The first look asks about everything that is due, whoever marked it: nobody may have been
        told. What goes wrong is the next look's matter, and is never raised.
        """
        if not self.actor.is_person or self.workspace.is_switched_off:
            return ()
        with suppress(MemfsError, OSError):
            return self._looked_again()
        return ()

    def _looked_again(self) -> tuple[Result, ...]:
        """Looks what is due, but not at the same ledger again within a moment."""
        now, head = self.workspace.clock.now(), str(self.workspace.store.ledger_head())
        looked = self._looked
        is_recent = looked is not None and timedelta() <= now - looked[1] < LOOK_EVERY
        if looked is not None and looked[0] == head and is_recent:
            return ()
        answer = self.intentions_due()
        self._looked = (str(self.workspace.store.ledger_head()), now)
        new = frozenset(answer.new)
        asked = (view for view in answer.due if looked is None or view.id in new)
        return tuple(self._question(view) for view in asked)

    def _question(self, view: IntentionView) -> Result:
        from memfs.domains.intentions.views import intention_value

        return Result(
            action="intention due",
            target=view.id,
            status=ResultStatus.DONE,
            message=f"due: {view.title or view.id}; nothing was done. Answer with: "
            f"memfs intention done {view.id[-6:]} (or snooze, cancel)",
            store=str(self.workspace.store.root),
            data={"intention": intention_value(view)},
        )

    def _answer(
        self, reference: str, action: Action, *, until: datetime | None = None, key: str = ""
    ) -> Result:
        from memfs.domains.intentions.answering import answer

        require_taking(self.workspace)
        self._take_in()
        return answer(self.workspace, reference, action, self.actor, until=until, key=key)


def _trigger(options: IntentionOptions, now: datetime) -> Trigger:
    from memfs.domains.intentions.typed import event_trigger, state_trigger, time_trigger

    at, on, once = options.get("at", ""), options.get("on", ""), options.get("once", "")
    zone, rrule = options.get("zone", ""), options.get("rrule", "")
    match, most = options.get("match", ()), options.get("most", 1)
    if sum(map(bool, (at, on, once))) != 1:
        raise UsageError("expected one of a time, an event and a state: --at, --on or --once")
    if (zone or rrule) and not at:
        raise UsageError("expected --zone and --rrule beside --at alone")
    if (match or most != 1) and not on:
        raise UsageError("expected --match and --most beside --on alone")
    if at:
        return time_trigger(at, zone, rrule, now)
    return event_trigger(on, match, most) if on else state_trigger(once)


def _state_from(text: str) -> IntentionState:
    from memfs.model.intention import IntentionState

    try:
        return IntentionState(text)
    except ValueError:
        choices = ", ".join(IntentionState)
        raise UsageError(f"expected a state of {choices}, got {text!r}") from None
