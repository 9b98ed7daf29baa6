"""Put-off work: leased, retried within bounds, cancellable, recovered, and never done twice."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.services.leases import (
    EXPIRES_S,
    FIRST_PAUSE_S,
    LEASE_S,
    MOST_ATTEMPTS,
    MOST_DEAD,
    Lease,
    LeaseLostError,
    recover,
    sweep,
    take,
)
from memfs.services.ports import Workspace
from memfs.services.queue import (
    MOST_WAITING,
    Job,
    JobState,
    Queued,
    UnknownJobError,
    cancel,
    counts,
    enqueue,
    find_jobs,
    has_work,
    job_files,
    jobs,
    retry,
)
from memfs.store.job_files import own_worker
from tests.support.memory import SteppedClock, new_project, workspace_of

KINDS = frozenset({"count"})


class Ticks:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("queue"))


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def workspace(project: Path, clock: SteppedClock) -> Iterator[Workspace]:
    with workspace_of(project, clock=clock) as opened:
        yield opened


def put(workspace: Workspace, about: str = "one", kind: str = "count") -> Queued:
    return enqueue(workspace, kind, about, {"session": about, "number": 1})


def taken(workspace: Workspace, ticks: Ticks | None = None) -> Lease:
    lease = take(workspace, KINDS, ticks or Ticks())
    assert lease is not None
    return lease


def states(workspace: Workspace) -> list[tuple[str, str, int, str]]:
    return [(job.kind, str(job.state), job.attempt, job.code) for job in jobs(workspace)]


def test_work_is_put_off_once_and_done_once(workspace: Workspace) -> None:
    assert put(workspace) is Queued.QUEUED
    assert put(workspace) is Queued.KNOWN
    assert has_work(workspace)
    lease = taken(workspace)
    assert (lease.job.kind, lease.job.attempt) == ("count", 1)
    assert dict(lease.job.arguments) == {"session": "one", "number": 1}
    assert take(workspace, KINDS, Ticks()) is None
    assert lease.end()
    assert jobs(workspace) == ()
    assert not has_work(workspace)


def test_what_is_put_off_while_its_twin_runs_is_done_after_it(workspace: Workspace) -> None:
    put(workspace)
    first = taken(workspace)
    assert put(workspace) is Queued.QUEUED
    assert take(workspace, KINDS, Ticks()) is None, "two of the same work never run at once"
    assert first.end()
    assert taken(workspace).end()


def test_jobs_are_done_in_the_order_in_which_they_were_put_off(workspace: Workspace) -> None:
    for about in "abc":
        put(workspace, about)
    done = []
    while (lease := take(workspace, KINDS, Ticks())) is not None:
        done.append(lease.job.arguments["session"])
        lease.end()
    assert done == ["a", "b", "c"]


def test_a_failed_job_pauses_longer_each_time_and_is_dead_in_the_end(
    workspace: Workspace, clock: SteppedClock
) -> None:
    put(workspace)
    for attempt in range(1, MOST_ATTEMPTS + 1):
        lease = taken(workspace)
        assert lease.job.attempt == attempt
        lease.fail("store.locked")
        assert take(workspace, KINDS, Ticks()) is None
        clock.advance(timedelta(seconds=FIRST_PAUSE_S * 2 ** (attempt - 1) + 5))
    assert states(workspace) == [("count", "dead", MOST_ATTEMPTS, "store.locked")]
    assert take(workspace, KINDS, Ticks()) is None


def test_what_cannot_ever_succeed_is_dead_at_once_and_can_be_retried(workspace: Workspace) -> None:
    put(workspace)
    taken(workspace).fail("usage", is_final=True)
    (dead,) = jobs(workspace)
    assert (dead.state, dead.code) == (JobState.DEAD, "usage")
    assert counts(workspace) == {"waiting": 0, "running": 0, "dead": 1}
    assert retry(workspace, dead)
    assert not retry(workspace, dead)
    assert taken(workspace).job.attempt == 1


def test_the_job_of_a_killed_worker_is_due_again_after_a_pause(
    workspace: Workspace, clock: SteppedClock
) -> None:
    put(workspace)
    left_by_a_dead_process(workspace, attempt=1)
    assert recover(workspace, Ticks()) == 1
    assert states(workspace) == [("count", "waiting", 1, "")]
    clock.advance(timedelta(seconds=FIRST_PAUSE_S + 5))
    assert taken(workspace).job.attempt == 2


def test_a_job_that_kills_its_workers_does_not_kill_them_for_ever(workspace: Workspace) -> None:
    put(workspace)
    left_by_a_dead_process(workspace, attempt=MOST_ATTEMPTS)
    assert recover(workspace, Ticks()) == 1
    assert states(workspace) == [("count", "dead", MOST_ATTEMPTS, "job.worker-died")]


def left_by_a_dead_process(workspace: Workspace, *, attempt: int) -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    child.wait()
    boot = own_worker().partition("-")[0]
    (job,) = jobs(workspace)
    name = f"{job.id}.{attempt}.{boot}-{child.pid}-1.99999999.json"
    assert job_files(workspace).move("waiting", job.file, "running", name)


def test_a_live_worker_keeps_its_job_until_its_lease_ends(workspace: Workspace) -> None:
    ticks = Ticks()
    put(workspace)
    lease = taken(workspace, ticks)
    ticks.now += LEASE_S - 1
    assert recover(workspace, ticks) == 0
    lease.keep()
    ticks.now += LEASE_S - 1
    assert recover(workspace, ticks) == 0
    ticks.now += 2
    assert recover(workspace, ticks) == 1
    with pytest.raises(LeaseLostError):
        lease.keep()
    assert not lease.end()
    assert not lease.fail("late")
    assert states(workspace) == [("count", "waiting", 1, "")]


def test_setting_the_clock_neither_ends_a_lease_nor_starves_a_job(
    workspace: Workspace, clock: SteppedClock
) -> None:
    put(workspace)
    lease = taken(workspace)
    clock.advance(timedelta(days=400))
    assert recover(workspace, Ticks()) == 0
    lease.fail("store.locked")
    clock.advance(timedelta(days=-800))
    assert taken(workspace).end(), "a pause beyond any that is made was set by a wrong clock"


@pytest.mark.parametrize("state", ["waiting", "running", "dead"])
def test_a_job_is_cancelled_in_every_state(workspace: Workspace, state: str) -> None:
    put(workspace)
    lease = taken(workspace) if state != "waiting" else None
    if lease and state == "dead":
        lease.fail("usage", is_final=True)
    (job,) = find_jobs(workspace, jobs(workspace)[0].id[:8].upper())
    assert job.state == state
    assert cancel(workspace, job)
    assert not cancel(workspace, job)
    assert jobs(workspace) == ()
    if lease and state == "running":
        with pytest.raises(LeaseLostError):
            lease.keep()


def test_a_job_is_cancelled_whose_lease_was_extended_meanwhile(workspace: Workspace) -> None:
    ticks = Ticks()
    put(workspace)
    lease = taken(workspace, ticks)
    (seen,) = jobs(workspace)
    ticks.now += 5
    lease.keep()
    assert cancel(workspace, seen)
    with pytest.raises(LeaseLostError):
        lease.keep()


def test_a_job_that_runs_is_not_begun_again_by_asking(workspace: Workspace) -> None:
    put(workspace)
    lease = taken(workspace)
    (seen,) = jobs(workspace)
    assert not retry(workspace, seen)
    assert lease.end()


def test_a_job_that_could_not_be_begun_loses_no_attempt(
    workspace: Workspace, clock: SteppedClock
) -> None:
    put(workspace)
    assert taken(workspace).postpone()
    clock.advance(timedelta(seconds=FIRST_PAUSE_S + 5))
    assert taken(workspace).job.attempt == 1


def test_a_file_that_is_no_job_is_put_aside_and_others_go_on(workspace: Workspace) -> None:
    files = job_files(workspace)
    for number, content in enumerate(
        (b"", b"{", b"[1]", b'{"v":2,"kind":"count","at":"","arguments":{}}', b"\xff\x00",
         b'{"v":1,"kind":"count","at":"","arguments":{"deep":[]}}', b"[" * 60_000)
    ):  # fmt: skip
        files.add("waiting", f"000000000{number}.0.{number:024x}.json", content)
    files.add("waiting", "notes.txt", b"not a job's name at all")
    put(workspace)
    assert taken(workspace).end()
    assert {code for *_, code in states(workspace)} == {"job.unreadable"}
    assert len(jobs(workspace)) == 7
    assert "notes.txt" in files.names("waiting")


def test_a_kind_of_a_newer_build_waits_and_ends_some_day(
    workspace: Workspace, clock: SteppedClock
) -> None:
    put(workspace, kind="dream")
    assert take(workspace, KINDS, Ticks()) is None
    assert states(workspace) == [("dream", "waiting", 0, "")]
    clock.advance(timedelta(seconds=EXPIRES_S + 10))
    assert take(workspace, KINDS, Ticks()) is None
    assert states(workspace) == [("dream", "dead", 0, "job.expired")]


def test_no_more_waits_than_is_bounded_and_nothing_large(workspace: Workspace) -> None:
    files = job_files(workspace)
    assert enqueue(workspace, "count", "large", {"words": "x" * 70_000}) is Queued.REFUSED
    folder = files.folder / "waiting"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(MOST_WAITING):
        (folder / f"1000000000.0.{number:024x}.json").touch()
    assert put(workspace) is Queued.FULL


def test_dead_jobs_are_kept_within_their_number(workspace: Workspace) -> None:
    folder = job_files(workspace).folder / "dead"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(MOST_DEAD + 3):
        (folder / f"{number:024x}.5.store.locked.json").touch()
    sweep(workspace)
    assert counts(workspace)["dead"] == MOST_DEAD


def test_an_id_that_means_no_job_or_several_is_refused(workspace: Workspace) -> None:
    for reference in ("", "f00"):
        with pytest.raises(UnknownJobError):
            find_jobs(workspace, reference)
    files = job_files(workspace)
    for number in (1, 2):
        files.add("waiting", f"1000000000.0.{number:024x}.json", b"{}")
    with pytest.raises(UnknownJobError, match="0000"):
        find_jobs(workspace, "000")


def test_a_job_file_holds_what_it_was_given_in_ascii(workspace: Workspace) -> None:
    enqueue(workspace, "count", "one", {"words": "Größe 4 kB"})
    files = job_files(workspace)
    (name,) = files.names("waiting")
    content = files.read("waiting", name) or b""
    assert json.loads(content)["arguments"] == {"words": "Größe 4 kB"}
    assert content.isascii()


@pytest.fixture(autouse=True)
def empty_queue(project: Path, home: Path) -> None:
    """Each test has a home of its own, and with it a queue of its own."""
    assert not (home / "memfs-home" / "queue").exists()


_RACER = """
import sys
from pathlib import Path
from memfs.services.leases import take
from tests.support.memory import workspace_of
with workspace_of(Path(sys.argv[1])) as workspace:
    while (lease := take(workspace, frozenset({"count"}))) is not None:
        print(lease.job.id, flush=True)
        assert lease.end()
"""


def test_of_two_workers_each_job_is_done_by_one(workspace: Workspace, project: Path) -> None:
    for number in range(40):
        put(workspace, f"number {number}")
    wanted = sorted(job.id for job in jobs(workspace))
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", _RACER, str(project)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    done = [line for worker in workers for line in worker.communicate(timeout=60)[0].split()]
    assert sorted(done) == wanted
    assert not any(worker.returncode for worker in workers)
    assert jobs(workspace) == ()


def test_a_job_is_shown_as_a_value(workspace: Workspace) -> None:
    put(workspace)
    (job,) = jobs(workspace)
    assert job == Job(
        id=job.id,
        kind="count",
        state=JobState.WAITING,
        arguments={"session": "one", "number": 1},
        at=job.at,
        due=job.due,
        file=job.file,
    )
