"""Moves: one wish, one commit of all its steps and of the head, or nothing at all (A42, A64).

The caller names the head that it saw. The task's file is replaced only where it still is the one
that was decided on, so that of two who move the same head exactly one does; the other is told
both heads and has written nothing. A step is judged like any record of work; a wish of which one
step is not admitted is refused whole.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

from memfs.domains.execution.effects import effects_now
from memfs.domains.execution.kinds import STEP
from memfs.domains.execution.reading import find_task, found_now, read_tree
from memfs.domains.execution.records import step_record, task_fields, task_from
from memfs.domains.execution.steps import NewStep, Setting, steps_for, without_words
from memfs.errors import ConflictError
from memfs.formats.record_codec import update_record
from memfs.index.catalogue import Catalogue
from memfs.model.candidate import Submission
from memfs.model.decision import Reason
from memfs.model.execution import (
    STEP_PREFIX,
    Compress,
    Finish,
    Grow,
    Maintain,
    Revise,
    Step,
    Task,
    Wish,
    move_of,
)
from memfs.model.execution_tree import FieldState, Tree
from memfs.model.ids import derived_id, short_id
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import ResultStatus
from memfs.policy.access import AccessRequest
from memfs.policy.administration import decide_operation
from memfs.policy.authority import capture_origin, is_person_origin
from memfs.policy.execution_moves import MoveCase, is_about_head_alone, refusal
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.gate import access_request
from memfs.services.judgement import judge_with
from memfs.services.ports import Workspace
from memfs.services.project_head import project_commit
from memfs.services.proposals import Draft, place_new, plan_from, require_free
from memfs.services.propose import own_key
from memfs.services.reading import SUFFIX_LENGTH
from memfs.services.served_records import read_path
from memfs.store.layout import subject_prefix
from memfs.store.snapshot import Snapshot

_FORGOTTEN: Final = "tombstone.matches"
NO_HEAD: Final = "none"
"""How the head of a task without steps is named."""


class HeadMovedError(ConflictError):
    """The task does not stand where the caller saw it.

    Attributes:
        expected: The head that the caller named; empty for none.
        found: The present head; empty for none.
    """

    code = "conflict.head-moved"

    def __init__(self, task: str, expected: str, found: str) -> None:
        super().__init__(
            f"expected {task} at {expected or NO_HEAD}, got {found or NO_HEAD}; "
            "nothing was written",
            hint=f"look where it stands: memfs exec show {task}",
        )
        self.expected = expected
        self.found = found


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What became of a wish.

    Attributes:
        task: The task afterwards.
        status: Done, nothing where it was done before under its key, or refused.
        steps: What was added, in order.
        reasons: Why it was refused.
        notes: What was left out of the words, by code and number.
        field: How the field stands that was maintained.
        transaction: The commit; empty for none.
    """

    task: Task
    status: ResultStatus
    steps: tuple[Step, ...] = ()
    reasons: tuple[Reason, ...] = ()
    notes: tuple[str, ...] = ()
    field: FieldState | None = None
    transaction: str = ""


def move_task(
    workspace: Workspace, reference: str, seen: str, wish: Wish, actor: Actor, *, key: str = ""
) -> Moved:
    """Carries a wish out, where the task still stands at the head that the caller saw.

    Args:
        workspace: The store.
        reference: The task.
        seen: The head that the caller saw: an id, the end of one, or ``none``.
        wish: What is asked.
        actor: Who asks.
        key: Makes a repetition harmless, also after a crash in between.

    Raises:
        HeadMovedError: The head is another one.
        UnknownRecordError: There is no such task, or none that may be seen.
        HeldRecordError: A commit made by hand waits for a decision on the task.
    """
    commit = project_commit(workspace)

    def decide_on(snapshot: Snapshot) -> Decided[Moved]:
        with closing(open_catalogue(workspace, snapshot)) as catalogue:
            mover = _Mover(workspace, snapshot, catalogue, actor, commit=commit, key=key)
            return mover.decided(reference, seen, wish)

    committed = commit_decided(workspace, decide_on)
    moved, done = committed.outcome, committed.commit
    if done is None:
        return moved
    status = ResultStatus.NOTHING if done.is_replay else moved.status
    return replace(moved, status=status, transaction=done.transaction)


class _Mover:
    """Decides on one wish at one snapshot."""

    def __init__(
        self,
        workspace: Workspace,
        snapshot: Snapshot,
        catalogue: Catalogue,
        actor: Actor,
        *,
        commit: str,
        key: str,
    ) -> None:
        self._workspace = workspace
        self._snapshot = snapshot
        self._catalogue = catalogue
        self._actor = actor
        self._commit = commit
        self._key = key
        self._request: AccessRequest = access_request(workspace, actor)

    def decided(self, reference: str, seen: str, wish: Wish) -> Decided[Moved]:
        """Decides, and lays the commit out."""
        seen_task = find_task(self._workspace, self._snapshot, reference, self._request)
        stored = read_path(self._workspace, self._snapshot, seen_task.path)
        if stored is None:
            raise AssertionError("a task that is served and cannot be read")
        if self._is_done(stored.record.id):
            tree = read_tree(self._workspace, self._snapshot, stored, self._request)
            status = ResultStatus.NOTHING
            return Decided(Moved(task=tree.task, status=status, steps=self._of_key(tree)))
        if is_about_head_alone(wish):
            # Nothing that was said before bears on it: a long task grows as fast as a short one.
            tree = Tree(task=task_from(stored.record), steps={}, lineage={})
        else:
            tree = read_tree(self._workspace, self._snapshot, stored, self._request)
        require_free(self._snapshot, stored)
        if not _is_named(seen, tree.task.head):
            raise HeadMovedError(tree.task.id, "" if seen == NO_HEAD else seen, tree.task.head)
        wish = _resolved(tree, wish)
        denial = refusal(MoveCase(tree=tree, wish=wish, linkable=self._linkable(wish)))
        if denial is not None:
            refused = Moved(task=tree.task, status=ResultStatus.REFUSED, reasons=(denial,))
            return Decided(refused)
        return self._laid_out(stored, tree, wish)

    def _is_done(self, task: str) -> bool:
        """Tells whether the same key was carried out, wherever the head has gone since."""
        if not self._key:
            return False
        first = short_id(self._named(task)(0))
        return self._snapshot.raw_entry(f"{subject_prefix(STEP, task)}{first}.md") is not None

    def _of_key(self, tree: Tree) -> tuple[Step, ...]:
        name = self._named(tree.task.id)
        found: list[Step] = []
        for number in range(len(tree.lineage)):
            step = tree.steps.get(name(number))
            if step is None:
                break
            found.append(step)
        return tuple(found)

    def _named(self, task: str) -> Callable[[int], str]:
        """Returns what names the steps of this wish: the same key always gives the same ids."""
        principal = str(self._actor.principal)

        def derived(number: int) -> str:
            return derived_id(STEP_PREFIX, task, principal, self._key, str(number))

        def fresh(_: int) -> str:
            return self._workspace.ids.new_id(STEP_PREFIX)

        return derived if self._key else fresh

    def _linkable(self, wish: Wish) -> frozenset[str]:
        if not isinstance(wish, Grow):
            return frozenset()
        names = (name for turn in wish.turns for name in turn.effects)
        return frozenset(
            effects_now(self._workspace, self._snapshot, self._catalogue, names, self._request)
        )

    def _laid_out(self, stored: StoredRecord, tree: Tree, wish: Wish) -> Decided[Moved]:
        origin = capture_origin(self._actor, "")
        setting = Setting(
            at=self._workspace.clock.now(),
            commit=self._commit,
            run=self._workspace.lineage.run,
            is_person=is_person_origin(origin),
        )
        new = steps_for(tree, wish, setting, self._named(tree.task.id))
        task = _moved_task(tree.task, wish, new)
        head, reasons = self._head(stored, task)
        if head is None:
            refused = Moved(task=tree.task, status=ResultStatus.REFUSED, reasons=reasons)
            return Decided(refused)
        drafts: list[Draft] = []
        for item in new:
            draft, reasons = self._admitted(item, stored.record)
            if draft is None:
                refused = Moved(task=tree.task, status=ResultStatus.REFUSED, reasons=reasons)
                return Decided(refused)
            drafts.append(draft)
        plan = plan_from(
            self._workspace,
            self._snapshot,
            operation=OperationKind.RECORD,
            actor=self._actor,
            drafts=(head, *drafts),
            subject=f"{move_of(wish)} {tree.task.id}: {task.head or NO_HEAD}",
            key=own_key(self._actor, f"{tree.task.id}\0{self._key}" if self._key else ""),
        )
        steps = tuple(item.step for item in new)
        notes = tuple(dict.fromkeys(note for item in new for note in item.notes))
        done = Moved(
            task=task,
            status=ResultStatus.DONE,
            steps=steps,
            notes=notes,
            field=self._field(tree, task, steps) if isinstance(wish, Maintain) else None,
        )
        return Decided(done, plan)

    def _head(self, stored: StoredRecord, task: Task) -> tuple[Draft | None, tuple[Reason, ...]]:
        """Lays out the file of the task, which replaces only the one that was decided on."""
        decision = decide_operation("execution.move", self._actor, self._workspace.settings)
        if not decision.is_admitted:
            return None, decision.reasons
        record = replace(stored.record, fields=task_fields(task, stored.record.fields))
        before, registry = self._snapshot.read_blob(stored.blob), self._workspace.registry
        draft = Draft(
            record=record,
            path=stored.path,
            content=update_record(before, record, path=stored.path, registry=registry),
            expected=stored.blob,
            decision=decision,
        )
        return draft, ()

    def _admitted(self, new: NewStep, task: Record) -> tuple[Draft | None, tuple[Reason, ...]]:
        """Lays a step out; where its words were forgotten on demand it is there without them."""
        draft, reasons = self._judged(new, task)
        if draft is None and reasons[0].code == _FORGOTTEN:
            return self._judged(without_words(new, _FORGOTTEN), task)
        return draft, reasons

    def _judged(self, new: NewStep, task: Record) -> tuple[Draft | None, tuple[Reason, ...]]:
        record = replace(step_record(new.step, task.id, new.notes), scope=task.scope)
        submission = Submission(draft=record, origin=capture_origin(self._actor, record.body))
        judged = judge_with(self._workspace, self._snapshot, self._catalogue, submission)
        if not judged.decision.is_admitted:
            return None, judged.decision.reasons
        draft = judged.submission.draft
        return place_new(self._workspace, draft, judged.decision, shards={}), ()

    def _field(self, tree: Tree, task: Task, steps: tuple[Step, ...]) -> FieldState | None:
        after = Tree(
            task=task,
            steps={**tree.steps, **{step.id: step for step in steps}},
            lineage={**tree.lineage, **{step.id: step.before for step in steps}},
        )
        holds = found_now(
            self._workspace, self._snapshot, self._catalogue, after.path, self._request
        )
        return after.fields(holds).get(steps[0].name)


def _moved_task(task: Task, wish: Wish, new: tuple[NewStep, ...]) -> Task:
    if isinstance(wish, Finish):
        return replace(task, state=wish.state)
    last = new[-1].step
    return replace(task, head=last.id, before=last.before)


def _is_named(seen: str, head: str) -> bool:
    """Tells whether the head is what a caller calls it: its id, the end of it, or ``none``."""
    if seen in ("", NO_HEAD):
        return not head
    return seen == head or (len(seen) >= SUFFIX_LENGTH and head.endswith(f"{seen}"))


def _resolved(tree: Tree, wish: Wish) -> Wish:
    """Returns a wish with whole ids where it names steps by their ends."""

    def named(text: str) -> str:
        if text in tree.steps or len(text) < SUFFIX_LENGTH:
            return "" if text == NO_HEAD else text
        if text == NO_HEAD:
            return ""
        found = [name for name in tree.steps if name.endswith(text)]
        return found[0] if len(found) == 1 else text

    match wish:
        case Grow(turns=turns):
            return Grow(turns=tuple(replace(turn, answers=named(turn.answers)) for turn in turns))
        case Compress():
            return replace(wish, first=named(wish.first), last=named(wish.last))
        case Revise():
            return replace(wish, to=named(wish.to))
        case Maintain() | Finish():
            return wish
