"""A queue under any order of events: no job is lost, doubled or in two states at once."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memfs.services.leases import LAST_PAUSE_S, LEASE_S, Lease, recover, take
from memfs.services.ports import Workspace
from memfs.services.queue import JobState, Queued, cancel, enqueue, jobs, retry

STORE = "store_01kb8x3v6yq4m9t2r7w5z1c0de"
KINDS = frozenset({"count"})
ABOUTS = st.sampled_from("abcd")
PICKS = st.integers(0, 3)


class Clock:
    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 29, tzinfo=UTC)
        self.boot = 1000.0

    def now(self) -> datetime:
        return self.moment

    def ticks(self) -> float:
        return self.boot


class QueueMachine(RuleBasedStateMachine):
    """Hooks put off, workers take, end, fail and hang, a person cancels, clocks go wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = Clock()
        home = Path(self.folder.name)
        made = SimpleNamespace(home_dir=home, store_id=STORE, clock=self.clock)
        self.workspace = cast("Workspace", made)
        self.leases: list[Lease] = []
        self.wanted: set[str] = set()
        """Jobs that must still be somewhere: put off, and neither ended nor cancelled."""

    def teardown(self) -> None:
        self.folder.cleanup()

    @rule(about=ABOUTS)
    def put_off(self, about: str) -> None:
        # Counted, not named: one that a worker lost may wait beside one of the same work.
        before = self._count()
        queued = enqueue(self.workspace, "count", about, {"session": about})
        new = {job.id for job in jobs(self.workspace)} - self.wanted
        assert queued is (Queued.QUEUED if self._count() > before else Queued.KNOWN)
        self.wanted |= new

    def _count(self) -> int:
        return sum(job.state is JobState.WAITING for job in jobs(self.workspace))

    @rule()
    def begin(self) -> None:
        lease = take(self.workspace, KINDS, self.clock.ticks)
        if lease is not None:
            self.leases.append(lease)

    @rule(pick=PICKS)
    def end(self, pick: int) -> None:
        if pick < len(self.leases):
            lease = self.leases.pop(pick)
            if lease.end() and not any(job.id == lease.job.id for job in jobs(self.workspace)):
                self.wanted.discard(lease.job.id)

    @rule(pick=PICKS, is_final=st.booleans())
    def fail(self, pick: int, is_final: bool) -> None:
        if pick < len(self.leases):
            self.leases.pop(pick).fail("store.locked", is_final=is_final)

    @rule(pick=PICKS)
    def hang(self, pick: int) -> None:
        if pick < len(self.leases):
            self.clock.boot += LEASE_S + 1
            recover(self.workspace, self.clock.ticks)

    @rule(pick=PICKS)
    def cancel_one(self, pick: int) -> None:
        found = jobs(self.workspace)
        if pick < len(found):
            assert cancel(self.workspace, found[pick])
            if not any(job.id == found[pick].id for job in jobs(self.workspace)):
                self.wanted.discard(found[pick].id)

    @rule(pick=PICKS)
    def retry_one(self, pick: int) -> None:
        found = jobs(self.workspace)
        if pick < len(found):
            retry(self.workspace, found[pick])

    @rule(seconds=st.integers(-2 * LAST_PAUSE_S, 2 * LAST_PAUSE_S))
    def let_time_pass(self, seconds: int) -> None:
        self.clock.moment += timedelta(seconds=seconds)
        self.clock.boot += max(0, min(seconds, 60))

    @invariant()
    def nothing_is_lost(self) -> None:
        assert {job.id for job in jobs(self.workspace)} == self.wanted

    @invariant()
    def no_job_runs_twice(self) -> None:
        running = [job.id for job in jobs(self.workspace) if job.state is JobState.RUNNING]
        assert len(running) == len(set(running))

    @invariant()
    def every_file_is_a_job(self) -> None:
        assert all(job.is_known for job in jobs(self.workspace))


QueueMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
TestQueue = QueueMachine.TestCase
