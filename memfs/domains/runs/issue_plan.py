"""Lays out what is asked of issues: events at the end of their logs (C15, C17, C18).

Every event is judged by its own words and its own channel, whatever stands in the log already;
an issue is worth no more than the least that ever speaks in it, so its authority is none from
the start and nothing that is appended changes a byte that was there. Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final, assert_never

from memfs.domains.runs.issue_key import issue_key
from memfs.domains.runs.issue_lookup import (
    IssueUnwritableError,
    find_issue,
    issue_path,
    place_of_key,
)
from memfs.domains.runs.issue_requests import SPOKEN_BY_ALL, IssueChange, IssuePlan, IssueRequest
from memfs.domains.runs.issue_words import UNTITLED, EventWords, event_words
from memfs.errors import DataError, UsageError
from memfs.formats.issue_log import appended_body, encode_events, parse_log, plain_title
from memfs.formats.record_codec import update_record
from memfs.index.catalogue import Catalogue
from memfs.model.authority import Authority, Sensitivity
from memfs.model.candidate import CandidateAction, Submission
from memfs.model.decision import Decision, Reason, Verdict
from memfs.model.digests import content_digest
from memfs.model.ids import EVENT_PREFIX, RUN_PREFIX, is_id
from memfs.model.issue import ISSUE_KIND, EventKind, IssueEvent, IssueState
from memfs.model.issue_fold import fold
from memfs.model.limits import BODY_BYTES
from memfs.model.origin import Actor, Origin
from memfs.model.record import Record, StoredRecord
from memfs.model.result import ResultStatus
from memfs.model.text import normalise_text
from memfs.policy.authority import (
    capture_origin,
    default_sinks,
    default_taint,
    derive_sinks,
    derive_taint,
    is_person_origin,
)
from memfs.policy.reasons import reason
from memfs.policy.withdrawal import is_standing
from memfs.services.judgement import Judgement, judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, place_new, require_free
from memfs.store.snapshot import Snapshot

_TICK: Final = timedelta(seconds=1)


@dataclass(slots=True)
class _Open:
    """An issue that a plan works on: as it stands in the ledger, and as it will."""

    record: Record
    stored: StoredRecord | None
    events: list[IssueEvent]
    added: list[IssueEvent] = field(default_factory=list)
    decision: Decision | None = None
    content: bytes = b""


def plan_issues(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    requests: Sequence[IssueRequest],
    actor: Actor,
) -> IssuePlan:
    """Lays out what requests come to, for a plan of the caller's own.

    Args:
        workspace: The store.
        snapshot: What the plan is based on.
        catalogue: Open at ``snapshot``.
        requests: In the order in which they are carried out.
        actor: Who says so.

    Raises:
        UnknownIssueError: A request names no issue.
        HeldRecordError: A commit made by hand waits for a decision on one of them.
        IssueUnwritableError: Nothing can be added to one of them.
        UsageError: A request lacks its words.
    """
    planner = _Planner(workspace, snapshot, catalogue, actor)
    changes = tuple(planner.carry_out(request) for request in requests)
    return IssuePlan(drafts=planner.drafts(), changes=changes, waiting=tuple(planner.waiting))


class _Planner:
    """Carries requests out on one snapshot, the later ones on what the earlier ones made."""

    def __init__(
        self, workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, actor: Actor
    ) -> None:
        self._workspace = workspace
        self._snapshot = snapshot
        self._catalogue = catalogue
        self._actor = actor
        self._open: dict[str, _Open] = {}
        self._is_person = is_person_origin(capture_origin(actor, ""))
        self.waiting: list[Judgement] = []

    def carry_out(self, request: IssueRequest) -> IssueChange:
        """Carries one request out."""
        if request.kind is EventKind.OPENED:
            return self._opened(request)
        words = event_words("", request.detail, is_person=self._is_person)
        if request.kind is EventKind.NOTED and not request.detail.strip():
            raise UsageError("expected words to note, got nothing")
        issue = self._named(request.reference)
        if not is_standing(issue.record):
            return self._refused(issue, (reason("target.not-active"),))
        state = fold(issue.events).state
        kind = _following(request.kind, state)
        if kind is None or (kind is EventKind.NOTED and not words.detail):
            return self._unchanged(issue, state, words)
        return self._append(issue, kind, replace(words, title=_title_of(issue.record)), request)

    def drafts(self) -> tuple[Draft, ...]:
        """Returns one file for each issue that something was added to."""
        return tuple(self._laid_out(issue) for issue in self._open.values() if issue.added)

    def _opened(self, request: IssueRequest) -> IssueChange:
        if not request.title.strip():
            raise UsageError("expected a title, got nothing")
        words = event_words(request.title, request.detail, is_person=self._is_person)
        key = issue_key(words.full_title)
        if not key:
            # Nothing of the title may be kept: it is an issue of its own, told apart by chance.
            name = self._workspace.ids.new_id(EVENT_PREFIX)[-6:]
            words = replace(words, title=f"{UNTITLED} {name}", full_title="")
            key = issue_key(words.title)
        place = place_of_key(self._workspace, self._snapshot, self._catalogue, key, self._actor)
        known = self._open.get(place.id)
        if known is None and place.stored is not None:
            known = self._take_up(place.stored)
        if known is None:
            record = Record(
                kind=ISSUE_KIND,
                id=place.id,
                title=words.title,
                subject=key,
                scope=self._workspace.scope,
                authority=Authority.NONE,
                taint=SPOKEN_BY_ALL,
                fields={"key": key},
            )
            return self._append(
                _Open(record=record, stored=None, events=[]), EventKind.OPENED, words, request
            )
        if not is_standing(known.record):
            return self._refused(known, (reason("target.not-active"),))
        if request.is_suggested:
            return self._unchanged(known, fold(known.events).state, words)
        return self._again(known, words, request)

    def _again(self, issue: _Open, words: EventWords, request: IssueRequest) -> IssueChange:
        """Reports an issue that is there: it is opened again, or what is new of it is noted."""
        state = fold(issue.events).state
        words = replace(words, title=_title_of(issue.record))
        match state:
            case IssueState.RESOLVED:
                return self._append(issue, EventKind.REOPENED, words, request)
            case IssueState.UNKNOWN:
                return self._append(issue, EventKind.OPENED, words, request)
            case IssueState.OPEN | IssueState.WONTFIX:
                told = {normalise_text(event.detail) for event in issue.events}
                if normalise_text(words.detail) in {"", *told}:
                    return self._unchanged(issue, state, words)
                return self._append(issue, EventKind.NOTED, words, request)
            case _:
                assert_never(state)

    def _named(self, reference: str) -> _Open:
        key = issue_key(reference)
        for issue in self._open.values():
            if reference.strip() == issue.record.id or (key and key == issue.record.subject):
                return issue
        stored = find_issue(
            self._workspace, self._snapshot, self._catalogue, reference, self._actor
        )
        return self._open.get(stored.record.id) or self._take_up(stored)

    def _take_up(self, stored: StoredRecord) -> _Open:
        require_free(self._snapshot, stored)
        if stored.record.sensitivity is Sensitivity.SEALED:
            raise IssueUnwritableError(
                f"expected an issue in plain text, got {stored.record.id}, which is sealed",
                path=stored.path,
            )
        log = parse_log(stored.record.body)
        return _Open(record=stored.record, stored=stored, events=list(log.events))

    def _append(
        self, issue: _Open, kind: EventKind, words: EventWords, request: IssueRequest
    ) -> IssueChange:
        """Appends an event with as many of its words as are admitted."""
        held: tuple[Judgement, str] | None = None
        for attempt in _fewer_and_fewer(words, is_new=issue.stored is None and not issue.added):
            event = self._event(issue, kind, attempt, request)
            body = appended_body(issue.record.body, (event,))
            if len(body.encode("utf-8")) > BODY_BYTES:
                continue
            judgement = self._judged(issue, event, body)
            if judgement.decision.verdict is Verdict.ACTIVATE:
                self._add(issue, event, judgement, body)
                return self._changed(issue, event, attempt)
            held = held or (judgement, body)
        if held is None:
            return self._refused(issue, (reason("bounds.body"),))
        return self._held(issue, *held)

    def _event(
        self, issue: _Open, kind: EventKind, words: EventWords, request: IssueRequest
    ) -> IssueEvent:
        at, identifier = self._moment(issue)
        return IssueEvent(
            id=identifier,
            at=at,
            kind=kind,
            by=self._who(request),
            title=words.title,
            detail=words.detail,
        )

    def _moment(self, issue: _Open) -> tuple[datetime, str]:
        """Returns an instant and an id that sort behind all events, whatever the clock says."""
        now = self._workspace.clock.now()
        identifier = self._workspace.ids.new_id(EVENT_PREFIX)
        latest = max((event.order for event in issue.events), default=None)
        if latest is None or (now, identifier) > latest:
            return now, identifier
        return latest[0] + _TICK, identifier

    def _who(self, request: IssueRequest) -> str:
        run = request.run or self._workspace.lineage.run
        return run if is_id(run, RUN_PREFIX) else str(self._actor.principal)

    def _judged(self, issue: _Open, event: IssueEvent, body: str) -> Judgement:
        """Judges what an event brings in; policy asks of a longer log only what is new in it."""
        record, origin = issue.record, capture_origin(self._actor, encode_events((event,)))
        draft = replace(record, body=body, sensitivity=Sensitivity.NORMAL)
        submission = Submission(draft=draft, origin=origin)
        if issue.stored is not None:
            submission = replace(submission, action=CandidateAction.REVISE, target=record.id)
        elif not issue.added:
            submission = replace(submission, draft=replace(draft, observed=event.at))
        return judge_with(self._workspace, self._snapshot, self._catalogue, submission)

    def _add(self, issue: _Open, event: IssueEvent, judgement: Judgement, body: str) -> None:
        origin, record = judgement.submission.origin, issue.record
        if issue.stored is None and not issue.added:
            record = replace(record, origin=origin, observed=event.at)
        record = _labelled(replace(record, body=body), origin)
        if issue.stored is not None:
            issue.content = self._edited(issue.stored, record)
        issue.record = record
        issue.events.append(event)
        issue.added.append(event)
        issue.decision = judgement.decision
        self._open[record.id] = issue

    def _laid_out(self, issue: _Open) -> Draft:
        decision, stored, record = issue.decision, issue.stored, issue.record
        if decision is None:
            raise AssertionError("an event without a decision")
        if stored is None:
            return place_new(self._workspace, record, decision, shards={})
        return Draft(
            record=record,
            path=stored.path,
            content=issue.content,
            expected=stored.blob,
            decision=decision,
        )

    def _edited(self, stored: StoredRecord, record: Record) -> bytes:
        before = self._snapshot.read_blob(stored.blob)
        registry = self._workspace.registry
        try:
            return update_record(before, record, path=stored.path, registry=registry)
        except DataError as error:
            raise IssueUnwritableError(
                error.message, path=stored.path, hint="mend the file, and accept it with review"
            ) from error

    def _changed(self, issue: _Open, event: IssueEvent, words: EventWords) -> IssueChange:
        return IssueChange(
            id=issue.record.id,
            title=issue.record.title,
            event=event,
            state=fold(issue.events).state,
            is_new=issue.stored is None and len(issue.added) == 1,
            notes=words.notes,
            path=self._path(issue),
        )

    def _unchanged(self, issue: _Open, state: IssueState, words: EventWords) -> IssueChange:
        return IssueChange(
            id=issue.record.id,
            title=issue.record.title,
            state=state,
            status=ResultStatus.NOTHING,
            notes=words.notes,
            path=self._path(issue),
        )

    def _path(self, issue: _Open) -> str:
        if issue.stored is not None:
            return issue.stored.path
        return issue_path(self._workspace, issue.record.id, issue.record.subject)

    def _held(self, issue: _Open, judgement: Judgement, body: str) -> IssueChange:
        """Lets an event wait as the whole file that accepting it would make."""
        decision, submission = judgement.decision, judgement.submission
        if decision.verdict is Verdict.REJECT:
            return self._refused(issue, decision.reasons)
        whole = replace(issue.record, body=body, origin=submission.origin)
        if whole.observed is None:
            whole = replace(whole, observed=submission.draft.observed)
        told = submission.draft.body.partition(": ")[2].rpartition(" (")[0]
        key = content_digest("key", f"{whole.id}\0{submission.action}\0{told}".encode())
        submission = replace(submission, draft=whole, key=key)
        self.waiting.append(replace(judgement, submission=submission))
        return replace(self._refused(issue, decision.reasons), status=ResultStatus.WAITING)

    def _refused(self, issue: _Open, reasons: tuple[Reason, ...]) -> IssueChange:
        return IssueChange(
            id=issue.record.id if issue.stored is not None else "",
            title=issue.record.title,
            state=fold(issue.events).state,
            status=ResultStatus.REFUSED,
            reasons=reasons,
        )


def _following(kind: EventKind, state: IssueState) -> EventKind | None:
    """Returns what is appended where ``kind`` is asked for; ``None`` where it is so already."""
    match kind:
        case EventKind.NOTED | EventKind.OPENED:
            return kind
        case EventKind.RESOLVED:
            return None if state.is_closed else kind
        case EventKind.WONTFIX:
            return None if state is IssueState.WONTFIX else kind
        case EventKind.REOPENED:
            return kind if state.is_closed else None
        case _:
            assert_never(kind)


def _fewer_and_fewer(words: EventWords, *, is_new: bool) -> Iterator[EventWords]:
    """Yields words, then without detail, then without the title that somebody else gave."""
    yield words
    if words.detail:
        yield words.without_detail
    if not is_new and words.title != UNTITLED:
        yield replace(words.without_detail, title=UNTITLED)


def _labelled(record: Record, origin: Origin) -> Record:
    """Returns an issue with the marks of one more who spoke in it; mostly it has them already."""
    taint, sinks = default_taint(origin.origin_class), default_sinks(origin.origin_class)
    if set(taint) <= set(record.taint) and record.sinks <= sinks:
        return record
    return replace(
        record,
        taint=derive_taint((record.taint, taint)),
        sinks=derive_sinks((record.sinks, sinks)),
    )


def _title_of(record: Record) -> str:
    """Returns what an event calls the issue: its title, however a person wrote it."""
    return plain_title(record.title) or UNTITLED
