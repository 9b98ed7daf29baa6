"""Put-off work: leased, retried within bounds, cancellable, and never done twice (A44).

A hook must not wait, so it leaves a job: a kind and the few plain values that its handler
needs. A pointer is left where a text could hold a secret, or words that were screened. Whoever
has time (``memfs jobs run``, the watcher, a person's next command) takes the jobs that are due.

A job is *waiting*, *running* or *dead*; its name in that folder holds the rest, so that each
step is one rename. A lease names a process and a deadline on a clock that nobody can set: a job
whose process is gone is due again, one that failed too often waits for a person. What a handler
commits carries the job's key, so that a job which is done again changes nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from memfs.errors import ConflictError
from memfs.model.instants import format_instant
from memfs.model.origin import Actor
from memfs.policy.access import is_trusted
from memfs.services.ports import Workspace
from memfs.store.job_files import MOST_BYTES, JobFiles

MOST_WAITING: Final = 1000
REFRESH_VECTORS: Final = "refresh-vectors"
"""Kind of the job that services put off themselves: vectors are behind the ledger."""
_KEY_BYTES: Final = 12
_KEY: Final = rf"[0-9a-f]{{{_KEY_BYTES * 2}}}"
WAITING_NAME: Final = re.compile(rf"(?P<due>\d{{10}})\.(?P<attempt>\d+)\.(?P<key>{_KEY})\.json\Z")
RUNNING_NAME: Final = re.compile(
    rf"(?P<key>{_KEY})\.(?P<attempt>\d+)\.(?P<worker>[0-9a-z]+-\d+-\d+)\.(?P<until>\d+)\.json\Z"
)
DEAD_NAME: Final = re.compile(
    rf"(?P<key>{_KEY})\.(?P<attempt>\d+)\.(?P<code>[a-z][a-z.-]*)\.json\Z"
)

Arguments = Mapping[str, str | int]


class JobState(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DEAD = "dead"


class UnknownJobError(ConflictError):
    """No job, or more than one, has that id."""

    code = "conflict.unknown-job"


class Queued(StrEnum):
    """What became of work that was to be put off."""

    QUEUED = "queued"
    KNOWN = "known"
    """The same work waits already; once is enough."""
    FULL = "full"
    """Too much waits; nothing was added."""
    REFUSED = "refused"
    """It is too large to be put off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of put-off work.

    Attributes:
        id: Made of its kind and what it is about; the same work has the same id.
        kind: Which handler does it.
        state: Where it stands.
        arguments: What the handler needs.
        at: When it was put off, RFC 3339; empty for a file that cannot be read.
        attempt: How often it was begun.
        due: Seconds since the epoch from which on it may be begun; 0 where that is no matter.
        code: Why it is dead; empty otherwise.
        is_known: Its file could be read.
        file: Name of its file in the folder of its state.
    """

    id: str
    kind: str
    state: JobState
    arguments: Arguments
    at: str = ""
    attempt: int = 0
    due: int = 0
    code: str = ""
    is_known: bool = True
    file: str = ""


def enqueue(workspace: Workspace, kind: str, about: str, arguments: Arguments) -> Queued:
    """Puts work off; imports nothing slow and waits for no lock.

    Args:
        workspace: The store that it is for.
        kind: Which handler does it.
        about: What makes it the same work as another job of its kind.
        arguments: Plain values; a pointer, or words that were screened.

    Raises:
        QueueFolderError: There is nowhere to put it.
    """
    files = job_files(workspace)
    key = job_key(workspace.store_id, kind, about)
    names = files.names(JobState.WAITING)
    if any(name.endswith(f".{key}.json") for name in names):
        return Queued.KNOWN
    if len(names) >= MOST_WAITING:
        return Queued.FULL
    now = workspace.clock.now()
    value = {"v": 1, "kind": kind, "at": format_instant(now), "arguments": dict(arguments)}
    content = json.dumps(value, separators=(",", ":")).encode("ascii")
    if len(content) > MOST_BYTES:
        return Queued.REFUSED
    name = waiting_name(epoch(now), 0, key)
    is_new = files.add(JobState.WAITING, name, content)
    return Queued.QUEUED if is_new else Queued.KNOWN


def job_key(store_id: str, kind: str, about: str) -> str:
    """Returns the id of a job: the same for the same work on the same store."""
    data = f"{store_id}\0{kind}\0{about}".encode("utf-8", "replace")
    return hashlib.blake2b(data, digest_size=_KEY_BYTES, person=b"memfs-job").hexdigest()


# Looking ---------------------------------------------------------------------------------


def jobs(workspace: Workspace) -> tuple[Job, ...]:
    """Returns every job: running ones, then waiting ones as they are due, then dead ones."""
    files = job_files(workspace)
    return tuple(
        read_job(files, state, match)
        for state, pattern in (
            (JobState.RUNNING, RUNNING_NAME),
            (JobState.WAITING, WAITING_NAME),
            (JobState.DEAD, DEAD_NAME),
        )
        for match in matches(files, state, pattern)
    )


def counts(workspace: Workspace) -> dict[str, int]:
    """Counts the jobs by state, at the cost of three listings."""
    files = job_files(workspace)
    return {str(state): len(files.names(state)) for state in JobState}


def waiting_s(workspace: Workspace) -> int:
    """Returns for how many seconds the job that waits longest has been due; 0 for none."""
    files = job_files(workspace)
    first = next(matches(files, JobState.WAITING, WAITING_NAME), None)
    return max(0, epoch(workspace.clock.now()) - int(first["due"])) if first else 0


def has_work(workspace: Workspace) -> bool:
    """Tells, at the cost of two listings, whether anything could be done now."""
    files = job_files(workspace)
    return bool(files.names(JobState.WAITING) or files.names(JobState.RUNNING))


def find_jobs(workspace: Workspace, reference: str) -> tuple[Job, ...]:
    """Returns the job whose id begins so; with it one of the same work that waits already.

    Raises:
        UnknownJobError: None has, or several.
    """
    wanted = reference.strip().lower()
    found = [job for job in jobs(workspace) if wanted and job.id.startswith(wanted)]
    names = sorted({job.id for job in found})
    if len(names) != 1:
        got = ", ".join(names[:8]) or "none"
        raise UnknownJobError(
            f"expected the id of one job, got {reference!r}: {got}", hint="see: memfs jobs list"
        )
    return tuple(found)


def shown_to(job: Job, actor: Actor) -> Job:
    """Returns a job as one may see it: never the words that it carries, and to a program neither
    a place on this machine nor the name of a conversation, which it may have no right to.
    """
    names = ("client", "session", "turn", "transcript") if is_trusted(actor) else ("client",)
    shown = {name: value for name, value in job.arguments.items() if name in names}
    return replace(job, arguments=shown, file="")


def matches(files: JobFiles, state: JobState, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yields the names in a state that are the name of a job; anything else is left alone."""
    return filter(None, (pattern.match(name) for name in files.names(state)))


def read_job(files: JobFiles, state: JobState, match: re.Match[str]) -> Job:
    """Returns the job behind a name; one that cannot be read says so."""
    parts = match.groupdict()
    known = _decoded(files.read(state, match[0]))
    return Job(
        id=parts["key"],
        kind=known[0] if known else "",
        state=state,
        arguments=known[2] if known else {},
        at=known[1] if known else "",
        attempt=int(parts["attempt"]),
        due=int(parts.get("due") or 0),
        code=parts.get("code") or "",
        is_known=known is not None,
        file=match[0],
    )


def _decoded(content: bytes | None) -> tuple[str, str, Arguments] | None:
    """Returns kind, time and arguments; ``None`` for anything that this build did not write."""
    try:
        value = json.loads(content or b"")
        arguments = value["arguments"]
        if value["v"] != 1 or not isinstance(arguments, dict):
            return None
        if not all(isinstance(item, str | int) for item in arguments.values()):
            return None
        return str(value["kind"]), str(value["at"]), arguments
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


# Deciding --------------------------------------------------------------------------------


def cancel(workspace: Workspace, job: Job) -> bool:
    """Takes a job away in whatever state it is; a worker stops at its next step."""
    files = job_files(workspace)
    if files.remove(job.state, job.file):
        return True
    # Its worker may have extended the lease meanwhile, and with it the name.
    again = [name for name in files.names(job.state) if name.startswith(f"{job.id}.")]
    return any(files.remove(job.state, name) for name in again)


def retry(workspace: Workspace, job: Job) -> bool:
    """Makes a dead job due at once, or one that pauses; tells whether it did.

    One that runs is left to its worker.
    """
    if job.state is JobState.RUNNING:
        return False
    name = waiting_name(epoch(workspace.clock.now()), 0, job.id)
    return job_files(workspace).move(job.state, job.file, JobState.WAITING, name)


def drop_jobs(workspace: Workspace, carries: Callable[[bytes], bool]) -> int:
    """Takes away every job whose file carries something that is erased; returns how many."""
    files = job_files(workspace)
    dropped = 0
    for state in JobState:
        for name in files.names(state):
            if carries(files.read(state, name) or b""):
                dropped += files.remove(state, name)
    return dropped


def job_files(workspace: Workspace) -> JobFiles:
    """Returns where the jobs of a store are."""
    return JobFiles(workspace.home_dir, workspace.store_id)


def waiting_name(due: int, attempt: int, key: str) -> str:
    """Returns the name of a waiting job: sorted by when it is due."""
    return f"{due:010d}.{attempt}.{key}.json"


def epoch(moment: datetime) -> int:
    """Returns whole seconds since the epoch."""
    return max(0, int(moment.timestamp()))
