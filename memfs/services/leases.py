"""Takes jobs, gives them back and buries them: the worker's side of the queue (A44).

A claim is a rename that puts the lease into the name: a process, and a deadline on a clock that
nobody can set. What a worker left that is gone, or that hangs past its deadline, is due again
after a pause, and dead when it was begun too often: it may be what kills its workers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from memfs.errors import ConflictError
from memfs.services.ports import Workspace
from memfs.services.queue import (
    RUNNING_NAME,
    WAITING_NAME,
    Job,
    JobState,
    epoch,
    job_files,
    matches,
    read_job,
    waiting_name,
)
from memfs.store.job_files import JobFiles, is_worker_alive, own_worker, ticks_s

MOST_DEAD: Final = 200
MOST_ATTEMPTS: Final = 5
LEASE_S: Final = 300
FIRST_PAUSE_S: Final = 60
LAST_PAUSE_S: Final = 3600
EXPIRES_S: Final = 30 * 86_400
"""A job that no handler took for so long is dead: such as one of a kind that this build lacks."""
DIED: Final = "job.worker-died"
UNREADABLE: Final = "job.unreadable"
EXPIRED: Final = "job.expired"

Ticks = Callable[[], float]


class LeaseLostError(ConflictError):
    """The job is not this worker's any more: it was cancelled, or taken over as hung."""

    code = "conflict.lease-lost"


class Lease:
    """The right of one worker to do one job, for a time that it can extend.

    Args:
        workspace: The store that the job is for.
        job: The job, in its new state.
        ticks: Seconds of a clock that nobody can set.

    Attributes:
        is_brief: Somebody waits for the worker: a handler does a small part and puts the rest
            off again.
    """

    def __init__(self, workspace: Workspace, job: Job, ticks: Ticks) -> None:
        self.is_brief = False
        self.job = job
        self._workspace = workspace
        self._files = job_files(workspace)
        self._ticks = ticks

    def keep(self) -> None:
        """Extends the lease; a handler calls it between its steps.

        Raises:
            LeaseLostError: The job was cancelled, or another worker took it over.
        """
        name = _running_name(self.job, self._ticks)
        if not self._files.move(JobState.RUNNING, self.job.file, JobState.RUNNING, name):
            raise LeaseLostError("the job was cancelled or taken over")
        self.job = replace(self.job, file=name)

    def end(self) -> bool:
        """Takes the job away: it is done. Tells whether it still was this worker's."""
        return self._files.remove(JobState.RUNNING, self.job.file)

    def fail(self, code: str, *, is_final: bool = False) -> bool:
        """Puts a job back that failed: due again after a pause, or dead."""
        attempt = MOST_ATTEMPTS if is_final else self.job.attempt
        return _put_back(self._workspace, replace(self.job, attempt=attempt), code)

    def postpone(self) -> bool:
        """Puts a job back that could not be begun for no fault of its own; it loses no attempt."""
        due = epoch(self._workspace.clock.now()) + FIRST_PAUSE_S
        name = waiting_name(due, max(0, self.job.attempt - 1), self.job.id)
        return self._files.move(JobState.RUNNING, self.job.file, JobState.WAITING, name)


def take(workspace: Workspace, kinds: frozenset[str], ticks: Ticks = ticks_s) -> Lease | None:
    """Takes the job that is due longest and whose kind is among ``kinds``; ``None`` for none.

    Of several workers that try at once, one gets it. A job whose twin runs is left waiting.
    """
    files = job_files(workspace)
    now = epoch(workspace.clock.now())
    busy = {match["key"] for match in matches(files, JobState.RUNNING, RUNNING_NAME)}
    for match in matches(files, JobState.WAITING, WAITING_NAME):
        # A pause that is longer than any was set by a clock that went wrong.
        if match["key"] in busy or now < int(match["due"]) <= now + LAST_PAUSE_S:
            continue
        job = read_job(files, JobState.WAITING, match)
        if not job.is_known or job.kind not in kinds:
            _bury_strange(files, job, now)
            continue
        begun = replace(job, state=JobState.RUNNING, attempt=job.attempt + 1)
        name = _running_name(begun, ticks)
        if files.move(JobState.WAITING, job.file, JobState.RUNNING, name):
            return Lease(workspace, replace(begun, file=name), ticks)
    return None


def recover(workspace: Workspace, ticks: Ticks = ticks_s) -> int:
    """Makes jobs due again whose worker is gone or hangs; returns how many."""
    files = job_files(workspace)
    recovered = 0
    for match in matches(files, JobState.RUNNING, RUNNING_NAME):
        is_hung = int(match["until"]) < ticks()
        if is_hung or not is_worker_alive(match["worker"]):
            job = read_job(files, JobState.RUNNING, match)
            recovered += _put_back(workspace, job, DIED)
    return recovered


def sweep(workspace: Workspace) -> None:
    """Removes torn files, and the oldest dead jobs beyond their number."""
    files = job_files(workspace)
    files.sweep(JobState.WAITING)
    dead = files.names(JobState.DEAD)
    if len(dead) > MOST_DEAD:
        now = workspace.clock.now().timestamp()
        oldest = sorted(dead, key=lambda name: -files.age_s(JobState.DEAD, name, now))
        for name in oldest[: len(dead) - MOST_DEAD]:
            files.remove(JobState.DEAD, name)


def _put_back(workspace: Workspace, job: Job, code: str) -> bool:
    files = job_files(workspace)
    if job.attempt >= MOST_ATTEMPTS:
        return files.move(JobState.RUNNING, job.file, JobState.DEAD, _dead_name(job, code))
    pause = min(FIRST_PAUSE_S * 2 ** max(0, job.attempt - 1), LAST_PAUSE_S)
    due = epoch(workspace.clock.now()) + pause
    name = waiting_name(due, job.attempt, job.id)
    return files.move(JobState.RUNNING, job.file, JobState.WAITING, name)


def _bury_strange(files: JobFiles, job: Job, now: int) -> None:
    """Puts aside what no worker of this build can do; a kind of a newer one may wait a while."""
    if not job.is_known:
        files.move(JobState.WAITING, job.file, JobState.DEAD, _dead_name(job, UNREADABLE))
    elif now - job.due > EXPIRES_S:
        files.move(JobState.WAITING, job.file, JobState.DEAD, _dead_name(job, EXPIRED))


def _running_name(job: Job, ticks: Ticks) -> str:
    return f"{job.id}.{job.attempt}.{own_worker()}.{int(ticks()) + LEASE_S}.json"


def _dead_name(job: Job, code: str) -> str:
    plain = re.sub(r"[^a-z.-]", "-", code.lower()).strip(".-")[:80]
    return f"{job.id}.{job.attempt}.{plain or 'job.failed'}.json"
