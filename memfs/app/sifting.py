"""From what was said and done to what is worth knowing: distillation in five stages.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final, cast

from memfs.app.opened import Opened
from memfs.errors import AccessError, MemfsError, UsageError
from memfs.model.result import Result, ResultStatus
from memfs.policy.access import is_trusted
from memfs.services.modes import require_taking

if TYPE_CHECKING:
    from memfs.app.memory import Memory
    from memfs.domains.distill.seams import Extractor
    from memfs.domains.distill.stages import PassReport
    from memfs.domains.distill.state import Stage

SOURCES: Final = ("commits", "runs", "sessions")
NIGHTLY_ROUNDS: Final = 50
"""A night takes so much of what is new; what is left is for the next."""


class Sifting(Opened):
    """From what was said and done to what is worth knowing: distillation in five stages."""

    def distill(
        self,
        stage: str = "",
        *,
        since: str = "",
        session: str = "",
        sources: Sequence[str] = (),
        is_backfill: bool = False,
        most_rounds: int = 0,
        extractor: Extractor | None = None,
        with_model: bool = False,
    ) -> Result:
        """Distils what is new in sessions, commits and runs; policy decides on all of it.

        Args:
            stage: One stage alone, of the round under way: ``collect``, ``extract``, ``link``,
                ``reconcile`` or ``project``; all, until nothing is new, by default.
            since: Only commits made then or later.
            session: Only this session, idle or not.
            sources: Only these of ``commits``, ``runs`` and ``sessions``; empty for all.
            is_backfill: Also what lies before the marks, once.
            most_rounds: At most so many rounds; 0 for all.
            extractor: What finds products; the rules by default.
            with_model: Let the model that is configured for this process read the conversations;
                what it finds waits for review.

        Raises:
            MemoryModeError: The store takes nothing in.
            UsageError: There is no such stage, source, session or instant, or no model.
            AccessError: A program asks for a model.
        """
        from memfs.app.sift_seams import Chosen, seams_of
        from memfs.domains.distill.stages import run_pass
        from memfs.domains.distill.state import PassRunningError

        require_taking(self.workspace)
        self._take_in()
        only = _stage(stage)
        named = self._session_meant(session)
        chosen = Chosen(
            sources=("sessions",) if named else _sources(sources),
            session=named,
            since_s=self._seconds(since),
            is_backfill=is_backfill,
        )
        reader = self._model() if with_model and extractor is None else extractor
        seams = seams_of(self.workspace, chosen, self._project_distilled, extractor=reader)
        try:
            report = run_pass(self.workspace, seams, only=only, most_rounds=most_rounds)
        except PassRunningError as error:
            return self._running("distill", str(only or ""), error)
        return self._distilled(report, only)

    def _session_meant(self, reference: str) -> str:
        from memfs.domains.sessions.reading import session_named

        named = session_named(self.workspace, reference, self.actor) if reference else ""
        if reference and not named:
            raise UsageError(
                f"expected a session, got {reference!r}", hint="see: memfs session list"
            )
        return named

    def _seconds(self, since: str) -> int:
        from memfs.app.drafts import when_from

        moment = when_from(since, self.workspace.clock.now())
        return int(moment.timestamp()) if moment is not None else 0

    def _model(self) -> Extractor:
        from memfs.app.sift_seams import model_extractor

        if not is_trusted(self.actor):
            raise AccessError("expected a person to let a model read along, got a program")
        found = model_extractor(os.environ)
        if found is None:
            raise UsageError("expected a configured model, got none", hint="set MEMFS_MODEL")
        return found

    def _project_distilled(self) -> Sequence[str]:
        """Brings up everything that is derived from the ledger; returns what was looked after."""
        from memfs.reconcile.projecting import refresh_core, refresh_projections

        memory = cast("Memory", self)
        steps: dict[str, Callable[[], object]] = {
            "MEMORY.md": lambda: refresh_projections(self.workspace),
            "core.md": lambda: refresh_core(self.workspace),
            "runs": memory._refresh_views,
            "issues": memory._refresh_issue_view,
            "timeline": memory._refresh_timeline_views,
            "graph": memory._refresh_graph_views,
            "pages": memory._refresh_pages,
        }
        for refresh in steps.values():
            refresh()
        return tuple(steps)

    def distil_before_sleep(self, *, most_rounds: int = NIGHTLY_ROUNDS) -> Result | None:
        """Distils what is new before memory is gone over at night.

        What goes wrong is the next night's matter, and is never raised.
        """
        with suppress(MemfsError, OSError):
            return self.distill(most_rounds=most_rounds)
        return None

    def sift_session(
        self, session: str, *, action: str, checkpoint: Callable[[], None] | None = None
    ) -> Result:
        """Distils one session that its caller may read; every turn that was not looked at.

        Args:
            session: Its id.
            action: What the answer is called.
            checkpoint: Of a job, called after every stage; one that cannot go on tries later.

        Raises:
            MemoryModeError: The store takes nothing in.
            PassRunningError: Another process distils, and this is a job.
        """
        from memfs.app.sift_seams import Chosen, seams_of, told_of_session
        from memfs.domains.distill.stages import run_pass
        from memfs.domains.distill.state import PassRunningError

        chosen = Chosen(sources=("sessions",), session=session)
        seams = seams_of(self.workspace, chosen, self._project_distilled)
        try:
            report = run_pass(self.workspace, seams, checkpoint=checkpoint or (lambda: None))
        except PassRunningError as error:
            if checkpoint is not None:
                raise
            return self._running(action, session, error)
        return told_of_session(self.workspace, session, report, action=action)

    def _running(self, action: str, target: str, error: MemfsError) -> Result:
        return Result(
            action=action,
            target=target,
            status=ResultStatus.NOTHING,
            message="already running: another process distils",
            store=str(self.workspace.store.root),
            data={"code": error.code},
        )

    def _distilled(self, report: PassReport, only: Stage | None) -> Result:
        from memfs.app.sift_seams import report_value

        found = report.admitted
        count = len(found.activated)
        parts = [
            f"{count} {'record' if count == 1 else 'records'} kept" if count else "",
            f"{len(found.waiting)} wait for review" if found.waiting else "",
            f"{found.known} known already" if found.known else "",
            f"{sum(found.refused.values())} refused" if found.refused else "",
            "the inbox has no room for more" if found.full else "",
            f"next: {report.left}" if report.left is not None else "",
        ]
        message = ", ".join(part for part in parts if part) or "nothing new"
        if not is_trusted(self.actor):
            # How much there is, and of what, is not for every program to know.
            message = "distilled"
        is_done = bool(count or found.waiting or (only is not None and report.stages))
        return Result(
            action="distill",
            target=str(only or ""),
            status=ResultStatus.DONE if is_done else ResultStatus.NOTHING,
            message=message,
            operation=found.transactions[-1] if found.transactions else "",
            store=str(self.workspace.store.root),
            data=report_value(report) if is_trusted(self.actor) else {"more": report.is_cut},
        )


def _stage(text: str) -> Stage | None:
    from memfs.domains.distill.state import Stage

    if not text:
        return None
    try:
        return Stage(text)
    except ValueError:
        raise UsageError(f"expected a stage of {', '.join(Stage)}, got {text!r}") from None


def _sources(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in SOURCES:
            raise UsageError(f"expected a source of {', '.join(SOURCES)}, got {name!r}")
    return tuple(name for name in SOURCES if not names or name in names)
