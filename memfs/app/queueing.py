"""Work that was put off: jobs that a hook left and somebody else does.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from memfs.app.idle_look import put_off_idle
from memfs.app.nightly_look import put_off_nightly
from memfs.app.opened import Opened
from memfs.errors import MemfsError
from memfs.model.result import Result, ResultStatus
from memfs.services.ports import Workspace

if TYPE_CHECKING:
    from memfs.app.memory import Memory
    from memfs.services.queue import Job

AT_ONCE: Final = 5
WITHIN_S: Final = 0.5
"""What a person's command does of the jobs that wait, at its end: so many, begun within so long."""


class Queueing(Opened):
    """Work that was put off: jobs that a hook left and somebody else does."""

    def jobs(self) -> tuple[Job, ...]:
        """Returns every job, running ones first; a program sees neither words nor places."""
        from memfs.services.queue import jobs, shown_to

        return tuple(shown_to(job, self.actor) for job in jobs(self.workspace))

    def run_jobs(self, *, most: int = 0, within_s: float = 0.0) -> tuple[Result, ...]:
        """Does the jobs that are due, oldest first, and answers for each.

        Args:
            most: At most so many; 0 for all.
            within_s: Begins none after so many seconds; 0 for no such bound.

        Raises:
            MemoryModeError: The store takes nothing in; the jobs stay.
            QueueFolderError: The queue cannot be written.
        """
        from memfs.services.modes import require_taking

        require_taking(self.workspace)
        self._take_in()
        put_off_idle(self.workspace)
        put_off_nightly(self.workspace)
        return self._work_off(most=most, within_s=within_s)

    def cancel_job(self, reference: str) -> Result:
        """Takes a job away; one that runs stops at its next step, what it did stays.

        Raises:
            UnknownJobError: No job, or more than one, has an id that begins so.
        """
        from memfs.services.queue import cancel

        return self._decided_job("job.cancel", reference, "cancelled", cancel)

    def retry_job(self, reference: str) -> Result:
        """Makes a job due at once that failed or pauses.

        Raises:
            UnknownJobError: No job, or more than one, has an id that begins so.
        """
        from memfs.services.queue import retry

        return self._decided_job("job.retry", reference, "due at once", retry)

    def _decided_job(
        self, code: str, reference: str, done: str, act: Callable[[Workspace, Job], bool]
    ) -> Result:
        from memfs.policy.administration import decide_operation
        from memfs.services.queue import find_jobs

        found = find_jobs(self.workspace, reference)
        answer = Result(
            action=code.partition(".")[2],
            target=found[0].id,
            status=ResultStatus.DONE,
            message=f"{found[0].kind}: {done}",
            store=str(self.workspace.store.root),
        )
        decision = decide_operation(code, self.actor, self.workspace.settings)
        if not decision.is_admitted:
            return replace(
                answer,
                status=ResultStatus.REFUSED,
                message=decision.reasons[0].message,
                reasons=decision.reasons,
            )
        if not sum(act(self.workspace, job) for job in found):
            message = f"{found[0].kind}: it is gone, or runs"
            return replace(answer, status=ResultStatus.NOTHING, message=message)
        return answer

    def _work_off(self, *, most: int, within_s: float) -> tuple[Result, ...]:
        from memfs.app.background import work_off
        from memfs.app.job_handlers import HANDLERS

        return work_off(cast("Memory", self), HANDLERS, most=most, within_s=within_s)

    def work_off_some(self) -> None:
        """Does a few of the jobs that wait; costs two listings when none does.

        For a command at its end, and for a process that lasts and has time between calls. What
        goes wrong is the job's matter, or the next worker's, and is never raised.
        """
        with suppress(MemfsError, OSError):
            from memfs.services.queue import has_work

            put_off_idle(self.workspace)
            put_off_nightly(self.workspace)
            if has_work(self.workspace):
                self._work_off(most=AT_ONCE, within_s=WITHIN_S)
