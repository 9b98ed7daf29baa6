"""Execution state: tasks, the steps taken in them, and the context to go on with.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from memfs.app.opened import Opened
from memfs.errors import UsageError
from memfs.model.execution import Compress, Finish, Grow, Maintain, Revise, TaskState, TurnSaid
from memfs.model.result import Result, ResultStatus
from memfs.services.modes import require_serving, require_taking
from memfs.services.ports import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memfs.domains.execution.moving import Moved
    from memfs.domains.execution.reading import TaskView
    from memfs.model.execution import Task, Wish
    from memfs.model.packet import Packet

MOST_TURNS = 64
"""So many turns one wish adds at most."""
MOST_CHECKS = 8


class Stepping(Opened):
    """Execution state: tasks, the steps taken in them, and the context to go on with."""

    @abstractmethod
    def forget(self, references: Sequence[str], *, why: str = "") -> Result:
        """Removes records for good."""

    def start_task(
        self,
        goal: str,
        *,
        detail: str = "",
        constraints: Sequence[str] = (),
        scope: str = "",
        key: str = "",
    ) -> Result:
        """Starts a task.

        Args:
            goal: One line.
            detail: Further words.
            constraints: Words, or the id of a record that says what has to hold.
            scope: Whose it is, as ``task:NAME``; the store's by default.
            key: The same key starts one task once.

        Raises:
            UsageError: There is no goal, or the scope is none.
        """
        from memfs.app.drafts import scope_from
        from memfs.domains.execution.starting import TaskWish, start_task

        require_taking(self.workspace)
        self._take_in()
        wish = TaskWish(
            goal=goal,
            detail=detail,
            constraints=tuple(constraints),
            scope=scope_from(scope),
            key=key,
        )
        return _result(self.workspace, "start", start_task(self.workspace, wish, self.actor))

    def grow_task(
        self, reference: str, turns: Sequence[TurnSaid], *, head: str, key: str = ""
    ) -> Result:
        """Adds turns behind the head, all of them or none.

        Args:
            reference: The task.
            turns: In their order.
            head: The head that the caller saw; ``none`` before the first step.
            key: Makes a repetition harmless, also after a crash in between.

        Raises:
            HeadMovedError: The task stands elsewhere by now.
            UsageError: There are no turns, or too many.
        """
        if not 1 <= len(turns) <= MOST_TURNS:
            raise UsageError(f"expected 1 to {MOST_TURNS} turns, got {len(turns)}")
        if not all(turn.text.strip() for turn in turns):
            raise UsageError("expected words in every turn, got nothing")
        return self._move("grow", reference, Grow(turns=tuple(turns)), head, key)

    def compress_task(
        self,
        reference: str,
        *,
        first: str,
        last: str,
        objective: str,
        result: str,
        questions: Sequence[str] = (),
        head: str,
        key: str = "",
    ) -> Result:
        """Puts a summary in the place of a range of turns; the turns stay as they are.

        Raises:
            HeadMovedError: The task stands elsewhere by now.
            UsageError: The summary says nothing.
        """
        if not objective.strip() or not result.strip():
            raise UsageError("expected an objective and a result, got nothing")
        wish = Compress(
            first=first,
            last=last,
            objective=objective,
            result=result,
            questions=tuple(questions),
        )
        return self._move("compress", reference, wish, head, key)

    def maintain_task(
        self,
        reference: str,
        name: str,
        value: str,
        *,
        checks: Sequence[str] = (),
        evidence: Sequence[str] = (),
        head: str,
        key: str = "",
    ) -> Result:
        """Says what a field is; it is verified where a verifier finds just that, and no other way.

        Args:
            reference: The task.
            name: The field.
            value: Its value.
            checks: What can be looked up, such as ``path=src/app.py``.
            evidence: Observations that it cites.
            head: The head that the caller saw.
            key: Makes a repetition harmless.

        Raises:
            HeadMovedError: The task stands elsewhere by now.
            UsageError: Something is missing, or there is no such kind of check.
        """
        from memfs.domains.execution.records import check_from

        if not name.strip() or not value.strip():
            raise UsageError("expected a field and its value, got nothing")
        if len(checks) > MOST_CHECKS:
            raise UsageError(f"expected at most {MOST_CHECKS} checks, got {len(checks)}")
        wish = Maintain(
            name=name,
            value=value,
            checks=tuple(map(check_from, checks)),
            evidence=tuple(evidence),
        )
        return self._move("maintain", reference, wish, head, key)

    def revise_task(
        self, reference: str, *, to: str, why: str, label: str = "", head: str, key: str = ""
    ) -> Result:
        """Goes back to an earlier step; what came after it is kept as a labelled failure.

        Args:
            reference: The task.
            to: The step to go back to; ``none`` for before the first.
            why: Why the branch failed.
            label: What it is called; by default the first line of ``why``.
            head: The head that the caller saw.
            key: Makes a repetition harmless.

        Raises:
            HeadMovedError: The task stands elsewhere by now.
            UsageError: It is not said why, or where to.
        """
        if not why.strip() or not to.strip():
            raise UsageError("expected a step to go back to and why, got nothing")
        return self._move("revise", reference, Revise(to=to, reason=why, label=label), head, key)

    def finish_task(self, reference: str, *, is_abandoned: bool = False, head: str) -> Result:
        """Closes a task as done, or as abandoned; nothing can be added to it afterwards.

        Raises:
            HeadMovedError: The task stands elsewhere by now.
        """
        state = TaskState.ABANDONED if is_abandoned else TaskState.DONE
        return self._move("finish", reference, Finish(state=state), head, "")

    def _move(self, verb: str, reference: str, wish: Wish, head: str, key: str) -> Result:
        from memfs.domains.execution.moving import move_task

        require_taking(self.workspace)
        self._take_in()
        moved = move_task(self.workspace, reference, head, wish, self.actor, key=key)
        return _result(self.workspace, verb, moved)

    def forget_task(self, reference: str, *, why: str = "") -> Result:
        """Removes a task for good, and with it every step; its effects stay what they are."""
        found = self.show_task(reference).tree
        result = self.forget([found.task.id, *found.lineage], why=why)
        return replace(result, action="exec forget", target=found.task.id)

    def list_tasks(self, *, is_all: bool = False) -> tuple[Task, ...]:
        """Lists tasks, newest first: those that are open, or all of them."""
        from memfs.domains.execution.reading import list_tasks

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        return list_tasks(self.workspace, self.actor, is_all=is_all)

    def show_task(self, reference: str) -> TaskView:
        """Returns a task with its tree, as far as the actor may see it."""
        from memfs.domains.execution.viewing import view_task
        from memfs.services.gate import access_request

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        return view_task(self.workspace, reference, access_request(self.workspace, self.actor))

    def task_context(
        self, reference: str, *, budget: int | None = None, style: str = "markdown"
    ) -> Packet:
        """Returns what one needs to go on with a task, within a hard budget.

        Args:
            reference: The task.
            budget: Tokens of four bytes; the settings' by default.
            style: ``markdown``, ``json`` or ``text``.

        Raises:
            UnknownRecordError: There is no such task, or none that may be seen.
            UsageError: There is no such style.
        """
        from memfs.app.drafts import QuestionOptions, query_from
        from memfs.domains.execution.context import pack_task
        from memfs.domains.execution.sections import context_sections
        from memfs.services.compile_context import PacketFormat
        from memfs.services.federation import recall
        from memfs.services.retrieval_log import log_context
        from memfs.services.session_caps import within_session

        if style not in tuple(PacketFormat):
            raise UsageError(f"expected a style of {', '.join(PacketFormat)}, got {style!r}")
        view = self.show_task(reference)
        task = view.tree.task
        words = " ".join((task.goal, task.detail))
        query = query_from(self.workspace, self.actor, words, QuestionOptions(), budget=budget)
        outcome = recall(self.workspace, self.beside, query)
        sections = context_sections(view)
        cap = self.workspace.settings.recall.session_bytes
        packet = within_session(
            self.workspace,
            lambda given: pack_task(
                self.workspace,
                sections,
                outcome,
                min(query.budget_tokens, max(0, cap - given.size_bytes) // 4),
                format=PacketFormat(style),
            ),
        )
        log_context(self.workspace, query, outcome, packet)
        return packet


def _result(workspace: Workspace, verb: str, moved: Moved) -> Result:
    task = moved.task
    return Result(
        action=f"exec {verb}",
        target=task.id,
        status=moved.status,
        message=_message(verb, moved),
        operation=moved.transaction,
        store=str(workspace.store.root),
        reasons=moved.reasons,
        data={
            "task": task.id,
            "state": str(task.state),
            "head": task.head,
            "steps": [step.id for step in moved.steps],
            "standing": str(moved.field.standing) if moved.field is not None else "",
            "notes": list(moved.notes),
        },
    )


def _message(verb: str, moved: Moved) -> str:
    task = moved.task
    if moved.status is ResultStatus.REFUSED:
        return moved.reasons[0].message if moved.reasons else f"{verb} was refused"
    if moved.status is ResultStatus.NOTHING:
        return f"{task.id}: this key was used before; nothing new was written"
    left_out = f" (left out: {'; '.join(moved.notes)})" if moved.notes else ""
    match verb:
        case "start":
            return f"started {task.id}: {task.goal}{left_out}"
        case "finish":
            return f"{task.id} is {task.state}"
        case "maintain" if moved.field is not None:
            return f"{moved.steps[0].title} ({moved.field.standing}); head {task.head}{left_out}"
        case _:
            return f"head {task.head}{left_out}"
