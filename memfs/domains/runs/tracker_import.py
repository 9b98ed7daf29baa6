"""Imported rows meet the issues that are there: new, known, older, or to be brought up (A77).

Nothing is decided here: each row becomes a submission like any other, for a new issue or for a
new version of the one that an earlier import made.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field, replace

from memfs.domains.runs.issue_key import tracker_key
from memfs.domains.runs.issue_lookup import place_of_key
from memfs.domains.runs.issue_requests import SPOKEN_BY_ALL
from memfs.domains.runs.tracker_rows import parts_of_row, row_of_issue
from memfs.errors import MemfsError
from memfs.formats.issue_log import encode_events, parse_log
from memfs.index.catalogue import Catalogue
from memfs.model.authority import Authority
from memfs.model.candidate import CandidateAction, Submission
from memfs.model.ids import ISSUE_PREFIX, is_id
from memfs.model.issue import ISSUE_KIND
from memfs.model.origin import Actor
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record, StoredRecord
from memfs.model.values import JsonValue
from memfs.policy.access import read_right
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.store.layout import tombstone_path
from memfs.store.snapshot import Snapshot


@dataclass(slots=True)
class Placed:
    """What is to be submitted, and what is not.

    Attributes:
        submissions: In the order in which they came.
        problems: Warnings about rows that are left as they are here.
        known: Rows that say nothing new.
    """

    submissions: list[Submission] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    known: int = 0


def placed_issues(workspace: Workspace, submissions: Iterable[Submission], actor: Actor) -> Placed:
    """Returns the submissions with every issue at its place; other kinds pass through."""
    placed = Placed()
    chosen = list(submissions)
    if not any(item.draft.kind == ISSUE_KIND for item in chosen):
        placed.submissions = chosen
        return placed
    snapshot = workspace.store.snapshot()
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        for item in chosen:
            if item.draft.kind != ISSUE_KIND:
                placed.submissions.append(item)
                continue
            try:
                _place(workspace, snapshot, catalogue, item, actor, placed)
            except MemfsError as error:
                _remark(placed, item, error.code, error.message, Severity.ERROR)
    return placed


def _place(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    item: Submission,
    actor: Actor,
    placed: Placed,
) -> None:
    draft = item.draft
    if _is_own(workspace, snapshot, catalogue, draft, actor):
        message = "it was exported from here; what a tracker says of it since is not taken over"
        _remark(placed, item, "import.own-issue", message, Severity.WARNING)
        return
    place = place_of_key(workspace, snapshot, catalogue, draft.subject, actor)
    # As every issue: worth no more than the least that will ever speak in it.
    draft = replace(draft, id=place.id, authority=Authority.NONE, taint=SPOKEN_BY_ALL)
    named = replace(item, draft=draft, key=f"issue:{place.id}")
    if place.stored is None:
        placed.submissions.append(named)
        return
    revised = _revised(place.stored, draft)
    if revised is None:
        placed.known += 1
    elif _is_another(draft, place.stored.record):
        message = "an issue with this id came from elsewhere: it was made at another time"
        _remark(placed, item, "import.other-issue", message, Severity.ERROR)
    elif _is_older(draft, place.stored.record):
        message = "the issue here is from a later state of the tracker"
        _remark(placed, item, "import.older", message, Severity.WARNING)
    else:
        placed.submissions.append(
            replace(
                named,
                draft=revised,
                action=CandidateAction.REVISE,
                target=place.id,
                base=place.stored.blob,
            )
        )


def _is_own(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    draft: Record,
    actor: Actor,
) -> bool:
    """Tells whether a row is an issue of this store, exported and come back.

    One that was taken back or forgotten since counts: a file brings nothing of it back (A26).
    """
    identifier = draft.subject.removeprefix(tracker_key(""))
    if not is_id(identifier, ISSUE_PREFIX):
        return False
    if snapshot.raw_entry(tombstone_path(identifier)) is not None:
        return True
    request = access_request(workspace, actor)
    found = read_entries(workspace, snapshot, catalogue.by_id(identifier))
    return any(read_right(stored.record, request).is_whole for stored in found)


def _revised(stored: StoredRecord, draft: Record) -> Record | None:
    """Returns the next version of an issue as its row has it now; ``None`` for no difference."""
    known = stored.record
    row = row_of_issue(draft)
    if row == row_of_issue(known):
        return None
    parts = parts_of_row(row, known.subject, known=parse_log(known.body).events)
    fields = {**known.fields, "tracker": dict(parts.tracker)}
    title = parts.title
    revised = replace(
        known,
        title=title,
        body=encode_events(parts.events),
        tags=draft.tags,
        importance=draft.importance,
        fields=fields,
        observed=draft.observed,
    )
    is_same = (
        parse_log(known.body).events == parts.events
        and _tracker(known) == _tracker(revised)
        and (known.title, known.tags) == (title, draft.tags)
    )
    return None if is_same else revised


def _is_another(draft: Record, known: Record) -> bool:
    """Tells whether two trackers gave one id to two issues: when one was made never changes."""
    said, before = _tracker(draft).get("created_at"), _tracker(known).get("created_at")
    return said is not None and before is not None and said != before


def _is_older(draft: Record, known: Record) -> bool:
    said, before = _tracker(draft).get("updated_at"), _tracker(known).get("updated_at")
    return isinstance(said, str) and isinstance(before, str) and said < before


def _tracker(record: Record) -> dict[str, JsonValue]:
    value = record.fields.get("tracker")
    return dict(value) if isinstance(value, dict) else {}


def _remark(placed: Placed, item: Submission, code: str, message: str, severity: Severity) -> None:
    source, _, line = item.origin.source.partition("/")[2].rpartition("#")
    number = int(line) if line.isdigit() else 0
    placed.problems.append(Problem(source, number, 0, code, message, severity=severity))
