"""Does put-off work: the loop around the handlers, bounded, cancellable and accounted for.

Background work is held to what holds in the foreground: it runs through the same services,
under the mode and the kill switches of the store, within a number of jobs and a time, stops
when its job is cancelled, and stands in the log of background work (A23, A29). A handler that
breaks breaks its job and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from memfs.errors import MemfsError, UsageError
from memfs.model.result import Result, ResultStatus
from memfs.services.leases import Lease, LeaseLostError, Ticks, recover, sweep, take
from memfs.services.modes import MemoryModeError, is_taking
from memfs.services.usage import background
from memfs.store.job_files import ticks_s

if TYPE_CHECKING:
    from memfs.app.memory import Memory

Handler = Callable[["Memory", Lease], Result]
"""Does one job. Its answer may be a no; what it raises counts as an attempt."""

BROKEN: Final = "job.broken"


def work_off(
    memory: Memory,
    handlers: Mapping[str, Handler],
    *,
    most: int = 0,
    within_s: float = 0.0,
    ticks: Ticks = ticks_s,
) -> tuple[Result, ...]:
    """Does the jobs that are due, oldest first.

    Args:
        memory: The store that they are for.
        handlers: What does which kind; a job of no kind among them stays.
        most: At most so many; 0 for all.
        within_s: Begins none after so many seconds, and of a long one only a part; 0 for no such
            bound.
        ticks: Seconds of a clock that nobody can set.

    Returns:
        One result a job, in the order in which they were done; empty where the store takes
        nothing in.

    Raises:
        QueueFolderError: The queue cannot be written.
    """
    workspace = memory.workspace
    if not is_taking(workspace):
        return ()
    recover(workspace, ticks)
    sweep(workspace)
    until = time.monotonic() + within_s
    done: list[Result] = []
    while not (most and len(done) >= most) and not (within_s and time.monotonic() >= until):
        lease = take(workspace, frozenset(handlers), ticks)
        if lease is None:
            break
        lease.is_brief = within_s > 0
        done.append(_done(memory, handlers[lease.job.kind], lease))
    return tuple(done)


def _done(memory: Memory, handler: Handler, lease: Lease) -> Result:
    """Does one job and settles what becomes of it."""
    job = lease.job
    try:
        with background(memory.workspace, f"job {job.kind}"):
            result = handler(memory, lease)
    except LeaseLostError as error:
        return _told(memory, lease, ResultStatus.NOTHING, f"{error.message}; what it did stays")
    except MemoryModeError as error:
        lease.postpone()
        return _told(memory, lease, ResultStatus.REFUSED, error.message, code=error.code)
    except (MemfsError, OSError) as error:
        code = error.code if isinstance(error, MemfsError) else "system.refused"
        return _failed(memory, lease, code, is_final=isinstance(error, UsageError))
    except Exception as error:  # noqa: BLE001  one broken job must not end its worker
        code = f"{BROKEN}.{type(error).__name__.lower()}"
        return _failed(memory, lease, code, is_final=False)
    except BaseException:
        # Ctrl-C, or the end of the process: the job is as it was.
        with suppress(MemfsError):
            lease.postpone()
        raise
    if not lease.end():
        return _told(memory, lease, ResultStatus.NOTHING, "it was cancelled when it was done")
    return result


def _failed(memory: Memory, lease: Lease, code: str, *, is_final: bool) -> Result:
    lease.fail(code, is_final=is_final)
    return _told(memory, lease, ResultStatus.PROBLEMS, f"it failed: {code}", code=code)


def _told(
    memory: Memory, lease: Lease, status: ResultStatus, message: str, *, code: str = ""
) -> Result:
    job = lease.job
    return Result(
        action=job.kind,
        target=job.id,
        status=status,
        message=message,
        store=str(memory.workspace.store.root),
        data={"job": job.id, "attempt": job.attempt, "code": code},
    )
