"""What an intention waits for, as it is seen now: times, events of the ledger, states (A70).

Only what came after the intention was stated counts, both when it happened and when memory
learned of it: what is told late of something earlier sets nothing off. Everything is read through
the gate for the owner of the intention. Nothing here writes, and nothing of a project is run.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, assert_never

from memfs.errors import MemfsError
from memfs.formats.issue_log import parse_log
from memfs.model.event import EVENT_KIND, TIMELINE_FOLDER
from memfs.model.ids import ISSUE_PREFIX, is_id
from memfs.model.instants import month_of, parse_instant
from memfs.model.intention import (
    INTENTION_KIND,
    EventSource,
    EventTrigger,
    Intention,
    IntentionState,
    Occurrence,
    StateSource,
    StateTrigger,
    TimeTrigger,
)
from memfs.model.issue import ISSUE_KIND, IssueState
from memfs.model.issue_fold import fold
from memfs.model.record import Record, StoredRecord
from memfs.model.run import RUN_KIND
from memfs.policy.access import AccessRequest, may_read
from memfs.policy.recurrence import occurrences_of
from memfs.services.about import about
from memfs.services.catalogue import open_catalogue
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.served_records import read_path, read_records
from memfs.store.snapshot import Snapshot

_FOLDERS: Final = {
    EventSource.RUN: "runs",
    EventSource.ISSUE: "issues",
    EventSource.TIMELINE: TIMELINE_FOLDER,
}
_KINDS: Final = {
    EventSource.RUN: RUN_KIND,
    EventSource.ISSUE: ISSUE_KIND,
    EventSource.TIMELINE: EVENT_KIND,
}
_ENTITY: Final = "entity"
_SUCCESSORS: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Happened:
    """Something that happened: its record and id, when, when memory learned of it, its fields."""

    record: Record
    id: str
    at: datetime
    learned: datetime
    fields: dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look at what an intention waits for.

    Attributes:
        workspace: The store and the project around it.
        snapshot: The records that count.
        request: What the owner of the intention may see.
        now: The present.
    """

    workspace: Workspace
    snapshot: Snapshot
    request: AccessRequest
    now: datetime

    def sighted(self, intention: Intention) -> tuple[Occurrence, ...]:
        """Returns every occurrence of a time, or the events and the state that were seen.

        Raises:
            TriggerError: Its time cannot be read here, such as a zone that is not known.
        """
        match intention.trigger:
            case TimeTrigger() as time:
                return occurrences_of(time)
            case EventTrigger() as event:
                return tuple(self._events(intention, event))
            case StateTrigger() as state:
                name = f"{state.of}:{state.what}:{state.holds}"
                return (Occurrence(key=name, at=self.now),) if self._holds(state) else ()
            case _:
                assert_never(intention.trigger)

    def is_free(self, intention: Intention) -> bool:
        """Tells whether everything that it comes after is completed, or closed."""
        return all(map(self._is_over, intention.after))

    # What happened -------------------------------------------------------------------

    def _events(self, intention: Intention, trigger: EventTrigger) -> Iterator[Occurrence]:
        wanted = dict(trigger.match)
        # A thing is meant by all of its names, as far as the owner may see who bears them.
        named = (
            about(self.workspace, self.snapshot, wanted[_ENTITY], self.request)
            if _ENTITY in wanted
            else None
        )
        for item in self._happened(intention, trigger):
            is_later = min(item.at, item.learned) > intention.created or (
                # Within one second the ids tell which came first.
                min(item.at, item.learned) == intention.created
                and item.id.partition("_")[2] > intention.id.partition("_")[2]
            )
            is_meant = all(
                said in item.fields.get(name, ()) for name, said in trigger.match if name != _ENTITY
            )
            if is_later and is_meant and (named is None or named.is_named_in(item.record)):
                yield Occurrence(key=item.id, at=max(item.at, item.learned))

    def _happened(self, intention: Intention, trigger: EventTrigger) -> Iterator[_Happened]:
        issue = dict(trigger.match).get("issue", "")
        if issue:
            stored = self._by_id(issue)
            found: Iterable[StoredRecord] = (stored,) if stored is not None else ()
        else:
            found = self._since(intention.created, trigger.of)
        for item in found:
            if item.record.kind != _KINDS[trigger.of]:
                continue
            match trigger.of:
                case EventSource.RUN:
                    yield from _run(item.record)
                case EventSource.ISSUE:
                    yield from _issue(item.record)
                case EventSource.TIMELINE:
                    yield from _event(item.record)
                case _:
                    assert_never(trigger.of)

    def _since(self, since: datetime, source: EventSource) -> Iterator[StoredRecord]:
        """Yields what the owner may see of the records of a source since about an instant."""
        first = month_of(since)
        places = (
            (entry.path, entry.blob)
            for entry in self.snapshot.entries(f"{_FOLDERS[source]}/")
            # An issue is not filed by its month, and is written in for as long as it lasts.
            if source is EventSource.ISSUE or entry.path.split("/")[1][:7] >= first
        )
        for stored in read_records(self.workspace, self.snapshot, places):
            if self._is_seen(stored.record):
                yield stored

    # What holds ------------------------------------------------------------------------

    def _holds(self, trigger: StateTrigger) -> bool:
        match trigger.of:
            case StateSource.PATH:
                project = self.workspace.project_dir
                if project is None:
                    return False
                return _stands(project, trigger.what.split("/")) is (trigger.holds == "present")
            case StateSource.ISSUE:
                stored = self._by_id(trigger.what)
                return stored is not None and str(_issue_state(stored.record)) == trigger.holds
            case StateSource.COMMIT:
                return _is_on_branch(self.workspace.project_dir, trigger.what, trigger.holds)
            case _:
                assert_never(trigger.of)

    def _is_over(self, identifier: str) -> bool:
        stored = self._by_id(identifier)
        for _ in range(_SUCCESSORS):
            if stored is None or not stored.record.superseded_by:
                break
            # What took its place is what has to be completed.
            stored = self._by_id(stored.record.superseded_by)
        if stored is None:
            return False
        if is_id(identifier, ISSUE_PREFIX):
            return stored.record.kind == ISSUE_KIND and _issue_state(stored.record).is_closed
        state = stored.record.fields.get("state")
        return stored.record.kind == INTENTION_KIND and state == IntentionState.COMPLETED

    def _by_id(self, identifier: str) -> StoredRecord | None:
        with closing(open_catalogue(self.workspace, self.snapshot)) as catalogue:
            paths = [entry.path for entry in catalogue.by_id(identifier)]
        for path in paths:
            stored = read_path(self.workspace, self.snapshot, path)
            if stored is not None and self._is_seen(stored.record):
                return stored
        return None

    def _is_seen(self, record: Record) -> bool:
        return may_read(record, self.request).is_whole and not rests_on_off_source(
            self.workspace, self.snapshot, record, self.request
        )


def _run(record: Record) -> Iterator[_Happened]:
    finished = _instant(record.fields.get("finished"))
    if finished is not None and record.observed is not None:
        yield _Happened(
            record=record,
            id=record.id,
            at=finished,
            learned=record.observed,
            fields={
                "state": _one(record.fields.get("state")),
                "workflow": _one(record.fields.get("workflow")),
            },
        )


def _issue(record: Record) -> Iterator[_Happened]:
    for event in parse_log(record.body).events:
        yield _Happened(
            record=record,
            id=event.id,
            at=event.at,
            learned=event.at,
            fields={"event": frozenset((str(event.kind),)), "issue": frozenset((record.id,))},
        )


def _event(record: Record) -> Iterator[_Happened]:
    if record.superseded_by or record.event_time is None or record.observed is None:
        return
    yield _Happened(
        record=record,
        id=record.id,
        at=record.event_time,
        learned=record.observed,
        fields={
            "event_kind": _one(record.fields.get("event_kind")),
            "project": _one(record.fields.get("project")),
        },
    )


def _issue_state(record: Record) -> IssueState:
    return fold(parse_log(record.body).events).state


def _one(value: object) -> frozenset[str]:
    return frozenset((value,)) if isinstance(value, str) else frozenset()


def _instant(value: object) -> datetime | None:
    try:
        return parse_instant(value) if isinstance(value, str) else None
    except ValueError:
        return None


def _stands(project: Path, parts: list[str]) -> bool | None:
    """Tells whether something stands at a path of a project; ``None`` where it cannot be told.

    Links on the way are not followed out of the project: behind one nothing can be told.
    """
    here = project
    try:
        for number, part in enumerate(parts, start=1):
            here = here / part
            mode = here.lstat().st_mode
            if number < len(parts) and not stat.S_ISDIR(mode):
                return None if stat.S_ISLNK(mode) else False
    except (FileNotFoundError, NotADirectoryError):
        # Nothing is absent from a project that is not there itself, such as a drive taken out.
        return False if project.is_dir() else None
    except (OSError, ValueError):
        return None
    return True


def _is_on_branch(project: Path | None, commit: str, branch: str) -> bool:
    """Tells whether a branch of the project has a commit; where Git cannot say, it has not."""
    if project is None:
        return False
    from memfs.model.ids import CommitId
    from memfs.store.discovery import find_git_project
    from memfs.store.git import run_git
    from memfs.store.history import is_ancestor

    try:
        found = find_git_project(project)
        if found is None:
            return False
        named = (f"{commit}^{{commit}}", f"refs/heads/{branch}^{{commit}}")
        old, head = (
            run_git(
                found.git_dir, None, "rev-parse", "--verify", "--quiet", "--end-of-options", name
            )
            for name in named
        )
        ids = (CommitId(item.decode("ascii", "replace").strip()) for item in (old, head))
        return is_ancestor(found.git_dir, *ids)
    except MemfsError:
        return False
