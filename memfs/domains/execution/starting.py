"""Starts a task: what is to be reached, and what has to hold meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

from memfs.domains.execution.moving import Moved
from memfs.domains.execution.records import task_fields, task_from
from memfs.domains.execution.steps import Words
from memfs.errors import UsageError
from memfs.model.candidate import Submission
from memfs.model.execution import TASK_KIND, TASK_PREFIX, Task
from memfs.model.ids import derived_id, is_id
from memfs.model.limits import LINE_CHARS, TITLE_CHARS
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.result import ResultStatus
from memfs.model.scope import Scope
from memfs.policy.authority import capture_origin, is_person_origin
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.gate import access_request
from memfs.services.judgement import judge_with
from memfs.services.ports import Workspace
from memfs.services.proposals import place_new, plan_from
from memfs.services.propose import own_key
from memfs.services.reading import find_record
from memfs.services.served_records import read_path
from memfs.services.word_screen import NOT_KEPT
from memfs.services.work_words import merged
from memfs.store.snapshot import Snapshot

MOST_CONSTRAINTS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskWish:
    """A task that somebody wants to start.

    Attributes:
        goal: One line.
        detail: Further words.
        constraints: Words, or the id of a record that says what has to hold.
        scope: Whose it is; ``None`` for the store's.
        key: Makes a repetition harmless.
    """

    goal: str
    detail: str = ""
    constraints: Sequence[str] = ()
    scope: Scope | None = None
    key: str = ""


def start_task(workspace: Workspace, wish: TaskWish, actor: Actor) -> Moved:
    """Starts a task in one commit; the same key starts one once.

    Raises:
        UsageError: There is no goal, or more constraints than anybody can keep in mind.
        UnknownRecordError: A constraint names a record that cannot be read.
    """
    if not wish.goal.strip():
        raise UsageError("expected a goal, got nothing")
    if len(wish.constraints) > MOST_CONSTRAINTS:
        raise UsageError(
            f"expected at most {MOST_CONSTRAINTS} constraints, got {len(wish.constraints)}"
        )
    words = Words(is_person_origin(capture_origin(actor, "")))
    record = _record(workspace, wish, words, actor)
    if not record.title:
        task = Task(id="", goal=NOT_KEPT)
        return Moved(task=task, status=ResultStatus.REFUSED, reasons=merged(words.left_out))
    _check_named(workspace, wish, actor)

    def decide_on(snapshot: Snapshot) -> Decided[Moved]:
        with closing(open_catalogue(workspace, snapshot)) as catalogue:
            for entry in catalogue.by_id(record.id):
                known = read_path(workspace, snapshot, entry.path)
                if known is not None:
                    task = task_from(known.record)
                    return Decided(Moved(task=task, status=ResultStatus.NOTHING))
            submission = Submission(draft=record, origin=capture_origin(actor, record.title))
            judged = judge_with(workspace, snapshot, catalogue, submission)
        task = task_from(record)
        if not judged.decision.is_admitted:
            reasons = judged.decision.reasons
            return Decided(Moved(task=task, status=ResultStatus.REFUSED, reasons=reasons))
        draft = place_new(workspace, judged.submission.draft, judged.decision, shards={})
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=actor,
            drafts=(draft,),
            subject=f"start {draft.record.id}: {draft.record.title}",
            key=own_key(actor, f"task\0{wish.key}" if wish.key else ""),
        )
        done = Moved(task=task, status=ResultStatus.DONE, notes=words.notes)
        return Decided(done, plan)

    committed = commit_decided(workspace, decide_on)
    commit = committed.commit
    if commit is None:
        return committed.outcome
    status = ResultStatus.NOTHING if commit.is_replay else committed.outcome.status
    return replace(committed.outcome, status=status, transaction=commit.transaction)


def _record(workspace: Workspace, wish: TaskWish, words: Words, actor: Actor) -> Record:
    scope = wish.scope or workspace.scope
    parts = (str(scope), str(actor.principal), wish.key)
    identifier = derived_id(TASK_PREFIX, *parts) if wish.key else workspace.ids.new_id(TASK_PREFIX)
    constraints = [
        text.strip() if is_id(text.strip()) else words.line(text, LINE_CHARS)
        for text in wish.constraints
    ]
    goal = words.line(wish.goal, TITLE_CHARS)
    detail = words.text(wish.detail) if wish.detail.strip() else ""
    task = Task(id=identifier, goal=goal, constraints=tuple(filter(None, constraints)))
    notes = {"notes": list(words.notes)} if words.notes else {}
    return Record(
        kind=TASK_KIND,
        id=identifier,
        title=goal,
        body=f"{detail}\n" if detail else "",
        scope=scope,
        observed=workspace.clock.now(),
        fields=task_fields(task, notes),
    )


def _check_named(workspace: Workspace, wish: TaskWish, actor: Actor) -> None:
    """Lets no task begin with a rule that its starter cannot read.

    Raises:
        UnknownRecordError: A record that is named is not there, or may not be seen.
    """
    named = [text.strip() for text in wish.constraints if is_id(text.strip())]
    if named:
        snapshot, request = workspace.store.snapshot(), access_request(workspace, actor)
        for name in named:
            find_record(workspace, snapshot, name, request)
