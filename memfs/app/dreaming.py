"""Going over memory at rest: light and deep passes, and the core that every session has.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from memfs.app.opened import Opened
from memfs.errors import MemfsError, UsageError
from memfs.model.authority import Sink
from memfs.model.query import Query
from memfs.model.result import Result, ResultStatus

if TYPE_CHECKING:
    from memfs.app.memory import Memory
    from memfs.domains.distill.sleep import SleepPass, Slept

ACTION: Final = "sleep"
NOT_DUE: Final = "sleep.not-due"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreLine:
    """One line of core memory: its words, and the record that it opens."""

    reference: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreAnswer:
    """Core memory as one reader may see it.

    Attributes:
        lines: In the order in which they matter.
        left: How many records are not in it; 0 for a program, which may not know of them.
        is_there: A sleep made one.
    """

    lines: tuple[CoreLine, ...] = ()
    left: int = 0
    is_there: bool = False


class Dreaming(Opened):
    """Going over memory at rest: light and deep passes, and the core that every session has."""

    def core(self) -> CoreAnswer:
        """Returns what every session starts with, as far as whoever asks may see it.

        Raises:
            MemoryModeError: Nothing is served to this actor.
        """
        from memfs.services.core_note import read_core_note
        from memfs.services.core_view import core_section
        from memfs.services.modes import require_serving

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        self._refresh_core()
        note = read_core_note(self.workspace)
        sink = Sink.PERSON if self.actor.is_person else Sink.AGENT
        section = core_section(self.workspace, Query(text="", actor=self.actor, sink=sink))
        entries = section.entries if section is not None else ()
        return CoreAnswer(
            lines=tuple(
                CoreLine(reference=entry.reference, text=entry.text.removeprefix("> - "))
                for entry in entries
            ),
            left=note.left if note is not None and self.actor.is_person else 0,
            is_there=note is not None,
        )

    def sleep(self, stage: str = "", *, is_due: bool = False) -> Result:
        """Goes over memory: groups what says the same, puts forward what proved its worth.

        One sleep at a time: a second one does nothing and says so. What is put forward is
        decided by policy like any proposal.

        Args:
            stage: ``light``, ``deep`` or ``rem``; empty for all of them.
            is_due: Only where the nightly pass is due: once a local day, caught up later.

        Raises:
            UsageError: There is no such stage.
            MemoryModeError: The store takes nothing in.
        """
        from memfs.domains.distill.sleep import ALL_PASSES, SleepPass
        from memfs.domains.distill.sleep_state import SleepRunningError
        from memfs.services.modes import require_taking

        names = [str(name) for name in SleepPass]
        if stage and stage not in names:
            raise UsageError(f"expected a stage of {', '.join(names)}, got {stage!r}")
        if stage and is_due:
            raise UsageError("expected a stage or the pass that is due, got both")
        require_taking(self.workspace)
        if is_due and not self._is_nightly_due():
            return self._not_slept("the nightly pass is not due", NOT_DUE)
        self._take_in()
        if not stage:
            # What is new is gone over as well: the night is when nobody waits for it.
            cast("Memory", self).distil_before_sleep()
        passes = (SleepPass(stage),) if stage else ALL_PASSES
        try:
            slept = self._slept(passes, is_due=is_due)
        except SleepRunningError as error:
            return self._not_slept(error.message, error.code)
        if slept is None:
            return self._not_slept("the nightly pass is not due any more", NOT_DUE)
        return self._told_of_sleep(slept)

    def sleep_if_due(self) -> Result | None:
        """Does the nightly pass where it is due; for a process that lasts, such as the watcher.

        Looks once a minute, however often it is called. What goes wrong is the next look's
        matter, and is never raised.
        """
        from memfs.app.nightly_look import due_slot, may_look

        with suppress(MemfsError, OSError):
            if may_look(self.workspace) and due_slot(self.workspace) is not None:
                return self.sleep(is_due=True)
        return None

    def _slept(self, passes: tuple[SleepPass, ...], *, is_due: bool) -> Slept | None:
        from memfs.app.reflecting import reflect_from
        from memfs.domains.distill.sleep import SleepPass, sleep

        reflect = reflect_from(os.environ) if SleepPass.REM in passes else None
        return sleep(
            self.workspace,
            passes,
            refresh_core=lambda: self._refresh_core(is_anew=True),
            reflect=reflect,
            # Asked again by whoever has the hold: another one may have slept meanwhile.
            is_wanted=self._is_nightly_due if is_due else None,
        )

    def _refresh_core(self, *, is_anew: bool = False) -> bool:
        from memfs.reconcile.projecting import refresh_core

        return refresh_core(self.workspace, is_anew=is_anew)

    def _is_nightly_due(self) -> bool:
        """Tells whether the nightly pass is due; where there never was one, it is."""
        from memfs.domains.distill.sleep_state import last_nightly
        from memfs.services.nightly import due_since

        last, now = last_nightly(self.workspace), self.workspace.clock.now()
        return due_since(last, now, self.workspace.settings.sleep.deep_at) is not None

    def _not_slept(self, message: str, code: str) -> Result:
        return Result(
            action=ACTION,
            target=self.workspace.settings.project,
            status=ResultStatus.NOTHING,
            message=message,
            store=str(self.workspace.store.root),
            data={"code": code},
        )

    def _told_of_sleep(self, slept: Slept) -> Result:
        from memfs.app.sleep_answers import sleep_result

        return sleep_result(self.workspace, slept, self.actor)
