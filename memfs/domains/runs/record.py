"""Run records: one file for each run, whatever its end, in one commit with what belongs to it.

With the record go the envelope of what the host saw and the issues whose state the run changed
(C1, C15). The same run is never recorded twice: its id is the key. A record is always made, with
fewer words where policy would not admit all of them; what the host saw is evidence, and nothing
that a run says is more than the words of whoever said it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memfs.domains.runs.dispatch import DispatchNote, workers_value
from memfs.domains.runs.issues import (
    IssueChange,
    IssuePlan,
    file_waiting,
)
from memfs.domains.runs.lineage import record_of
from memfs.domains.runs.run_body import run_body
from memfs.domains.runs.run_evidence import seen_envelope
from memfs.domains.runs.run_issues import changed_meanwhile, is_told, planned_issues
from memfs.errors import AccessError
from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Submission
from memfs.model.decision import Decision, Reason, Verdict
from memfs.model.digests import content_digest
from memfs.model.evidence import Observation
from memfs.model.instants import format_instant
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import ResultStatus
from memfs.model.run import NO_OUTCOME, RUN_KIND, RunOutcome, RunState
from memfs.model.values import JsonValue
from memfs.policy.administration import decide_run_correction
from memfs.policy.authority import capture_origin
from memfs.policy.reasons import reason
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.inbox import put_candidate, put_within_quota
from memfs.services.judgement import Judgement, judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft, new_file, plan_from, superseded, title_from
from memfs.services.propose import candidate_from
from memfs.services.word_screen import NOT_KEPT
from memfs.store.snapshot import Snapshot

_ROW: Final = "work.recorded"
_FEWER: Final = "admission: words left out"
_NO_ISSUES: Final = IssuePlan()
_SEEN: Final = ("finished", "exit_code", "duration_s", "commit", "issues")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRun:
    """A run that has ended, its words screened, ready to be recorded.

    Attributes:
        note: What was fixed at dispatch.
        state: How it ended.
        finished: When.
        outcome: What came of it.
        speaker: Whose words these are, and through which channel they came.
        duration_s: How long it took, as memfs measured; ``None`` where it did not.
        seen: What the host saw; ``None`` where it saw nothing.
        commit: Commit of the project that was checked out at the end; empty when unknown.
        transform: What made the words, such as the name of a model; empty for nothing.
        suggested: Titles of issues that a model alone has named.
        corrects: The recorded run that this one stands in the place of.
    """

    note: DispatchNote
    state: RunState
    finished: datetime
    outcome: RunOutcome
    speaker: Actor
    duration_s: float | None = None
    seen: Observation | None = None
    commit: str = ""
    transform: str = ""
    suggested: frozenset[str] = frozenset()
    corrects: StoredRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What became of a run.

    Attributes:
        run: ``run_…``.
        status: Done, nothing where it is recorded already, waiting or refused.
        record: As it was laid out; ``None`` where nothing was.
        path: Its file.
        issues: What became of the issues that it reports.
        reasons: Why it waits or was refused.
        rule: What decided.
        candidate: What waits in the inbox instead; empty for nothing.
        transaction: The commit; empty for none.
    """

    run: str
    status: ResultStatus
    record: Record | None = None
    path: str = ""
    issues: tuple[IssueChange, ...] = ()
    reasons: tuple[Reason, ...] = ()
    rule: str = ""
    candidate: str = ""
    transaction: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Laid:
    """What one decision came to."""

    recorded: Recorded
    issues: IssuePlan = _NO_ISSUES
    waiting: Judgement | None = None


def record_run(workspace: Workspace, ended: EndedRun, actor: Actor) -> Recorded:
    """Records a run in one commit, once.

    Args:
        workspace: The store.
        ended: The run.
        actor: Who carries it out.
    """

    def decide_on(snapshot: Snapshot) -> Decided[_Laid]:
        with closing(open_catalogue(workspace, snapshot)) as catalogue:
            return _decided(workspace, snapshot, catalogue, ended, actor)

    committed = commit_decided(workspace, decide_on)
    laid, commit = committed.outcome, committed.commit
    recorded = laid.recorded
    if laid.waiting is not None:
        candidate = candidate_from(workspace, laid.waiting)
        put = put_candidate if actor.is_person else put_within_quota
        filed = put(workspace, candidate)
        if filed is None:
            full = reason("bounds.quota")
            reasons = (full, *recorded.reasons)
            return replace(recorded, status=ResultStatus.REFUSED, reasons=reasons)
        return replace(recorded, candidate=filed.id)
    if commit is None:
        return recorded
    if commit.is_replay:
        return replace(recorded, status=ResultStatus.NOTHING, transaction=commit.transaction)
    issues = file_waiting(workspace, laid.issues)
    return replace(recorded, issues=issues, transaction=commit.transaction)


def _decided(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, ended: EndedRun, actor: Actor
) -> Decided[_Laid]:
    run = ended.note.run
    if record_of(workspace, snapshot, catalogue, run) is not None:
        return Decided(_Laid(recorded=Recorded(run=run, status=ResultStatus.NOTHING)))
    issues, told = _issues(workspace, snapshot, catalogue, ended, actor)
    judgement, record = _admitted(workspace, snapshot, catalogue, ended, told)
    decision = judgement.decision
    recorded = Recorded(
        run=run,
        status=ResultStatus.REFUSED,
        record=record,
        reasons=decision.reasons,
        rule=decision.rule,
    )
    if decision.verdict is Verdict.QUARANTINE:
        waits = replace(recorded, status=ResultStatus.WAITING)
        return Decided(_Laid(recorded=waits, waiting=judgement))
    if not decision.is_admitted:
        return Decided(_Laid(recorded=recorded))
    envelope = seen_envelope(
        workspace, snapshot, catalogue, ended.seen, ended.speaker.principal, record
    )
    if envelope is not None:
        record = replace(record, evidence=(*record.evidence, envelope.record.id))
    draft = new_file(workspace, snapshot, record, decision)
    older = _replaced(workspace, snapshot, ended, draft.record, actor)
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.SUPERSEDE if older else OperationKind.RECORD,
        actor=actor,
        drafts=(draft, *older, *((envelope,) if envelope else ()), *issues.drafts),
        subject=f"run {ended.state}: {record.title}",
        key=key_of(run),
    )
    done = replace(
        recorded, status=ResultStatus.DONE, record=draft.record, path=draft.path, reasons=()
    )
    return Decided(_Laid(recorded=done, issues=issues), plan)


def _issues(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, ended: EndedRun, actor: Actor
) -> tuple[IssuePlan, tuple[IssueChange, ...]]:
    """Lays out what a run says of issues; returns also all that it did to them.

    What happened to issues happened once: a correction tells of the run, not of them.
    """
    if ended.corrects is not None:
        return _NO_ISSUES, ()
    speaker = ended.speaker if ended.speaker.principal == actor.principal else actor
    planned = planned_issues(
        workspace,
        snapshot,
        catalogue,
        ended.note.run,
        ended.outcome,
        speaker,
        suggested=ended.suggested,
    )
    closed = {it.record.id for it in planned.drafts if not is_told(workspace, it.record)}
    told = (change for change in planned.changes if change.id not in closed)
    return planned, (*changed_meanwhile(workspace, snapshot, ended.note), *told)


def key_of(run: str) -> str:
    """Returns the idempotency key of recording a run."""
    return content_digest("key", f"run\0{run}".encode())


def _admitted(
    workspace: Workspace,
    snapshot: Snapshot,
    catalogue: Catalogue,
    ended: EndedRun,
    issues: Sequence[IssueChange],
) -> tuple[Judgement, Record]:
    """Returns the judgement of a run with as many of its words as policy admits (C1)."""
    changes = [change for change in issues if change.event is not None]
    first: tuple[Judgement, Record] | None = None
    for number, attempt in enumerate(_fewer_and_fewer(ended)):
        told = changes if number < _TELLING else []
        record = _record(workspace, attempt, told, is_fewer=number > 0)
        submission = Submission(
            draft=record,
            origin=capture_origin(
                attempt.speaker, f"{record.title}\n{record.body}", source=f"run:{record.id}"
            ),
            key=key_of(record.id),
        )
        judgement = judge_with(workspace, snapshot, catalogue, submission)
        judged = (judgement, judgement.submission.draft)
        if judgement.decision.is_admitted:
            return judged
        first = first or judged
        if not _is_about_words(judgement.decision):
            return first
    if first is None:
        raise AssertionError("a run without an attempt")
    return first


_TELLING: Final = 2
"""So many attempts name the issues by their titles."""


def _fewer_and_fewer(ended: EndedRun) -> Iterator[EndedRun]:
    """Yields a run with all its words, then with fewer, in the end with none."""
    yield ended
    outcome = ended.outcome
    yield replace(ended, outcome=replace(NO_OUTCOME, summary=outcome.summary))
    yield replace(ended, outcome=NO_OUTCOME)
    bare = replace(ended.note, task=NOT_KEPT, workflow="", session="", agent="")
    yield replace(ended, outcome=NO_OUTCOME, note=bare, transform="")


_NO_WORDS: Final = frozenset(
    (_ROW, "mode.off", "mode.read-only", "source.off", "namespace.polluted", "bounds.recorded")
)


def _is_about_words(decision: Decision) -> bool:
    """Tells whether fewer words could change a decision."""
    codes = {decision.rule, *(reason.code for reason in decision.reasons)}
    return not codes & _NO_WORDS


def _record(
    workspace: Workspace, ended: EndedRun, changes: Sequence[IssueChange], *, is_fewer: bool
) -> Record:
    note, outcome = ended.note, ended.outcome
    notes = (*note.notes, *((_FEWER,) if is_fewer else ()))
    said: dict[str, JsonValue] = {
        "task": note.task,
        "workflow": note.workflow,
        "state": str(ended.state),
        "started": format_instant(note.started),
        "finished": format_instant(ended.finished),
        "parent": note.parent,
        "previous": note.previous,
        "root": note.root or note.run,
        "session": note.session,
        "exit_code": ended.seen.exit_code if ended.seen is not None else None,
        "duration_s": ended.duration_s,
        "accomplished": list(outcome.accomplished),
        "issues": list(dict.fromkeys(change.id for change in changes)),
        "next": list(outcome.next),
        "workers": workers_value(outcome.workers),
        "verdict": outcome.verdict,
        "commit": ended.commit,
        "notes": list(dict.fromkeys(notes)),
    }
    older = ended.corrects.record if ended.corrects is not None else None
    if older is not None:
        # Another account of the same run: what was seen of it is what was seen.
        said |= {name: older.fields.get(name) for name in _SEEN}
    return Record(
        kind=RUN_KIND,
        id=note.run,
        title=title_from(note.task),
        body=run_body(note.run, said, outcome, changes),
        scope=workspace.scope,
        observed=ended.finished,
        event_time=note.started,
        transform=ended.transform,
        supersedes=(older.id,) if older is not None else (),
        evidence=older.evidence if older is not None else (),
        fields={name: value for name, value in said.items() if value not in ("", None, [])},
    )


def _replaced(
    workspace: Workspace, snapshot: Snapshot, ended: EndedRun, record: Record, actor: Actor
) -> tuple[Draft, ...]:
    """Marks the run that this one corrects; its content stays as it is (C4).

    Raises:
        RunCorrectionError: It is another's, or replaced already.
    """
    older = ended.corrects
    if older is None:
        return ()
    decision = decide_run_correction(actor, older.record, workspace.settings)
    if not decision.is_admitted:
        raise RunCorrectionError(
            decision.reasons[0].message, code=decision.reasons[0].code, path=older.path
        )
    return (superseded(workspace, snapshot, older, record, decision),)


class RunCorrectionError(AccessError):
    """The run is another's to correct, or was corrected already."""

    code = "access.run-correction"
