"""Everything memfs can do with one opened store, for one who works with it.

:class:`Memory` is the public interface for tool authors. Every method answers with a value;
a *no* is a value too. What could not be carried out raises a :class:`memfs.errors.MemfsError`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from memfs.app.asking import Asking
from memfs.app.briefing import Briefing
from memfs.app.conversing import Conversing
from memfs.app.deciding import Deciding, EditText
from memfs.app.drafts import ClaimOptions, checks_from, draft_from, times_from
from memfs.app.dreaming import Dreaming
from memfs.app.exporting import Exporting
from memfs.app.governing import Governing
from memfs.app.intending import Intending
from memfs.app.migrating import Migrating
from memfs.app.minding import Minding
from memfs.app.noting import Noting
from memfs.app.opening import admitted_settings
from memfs.app.overseeing import Overseeing
from memfs.app.picturing import Picturing
from memfs.app.proving import Proving
from memfs.app.publishing import OpenStore, Publishing
from memfs.app.queueing import Queueing
from memfs.app.recounting import Recounting
from memfs.app.relating import Relating
from memfs.app.reshaping import Reshaping
from memfs.app.resting import Resting
from memfs.app.running import Running
from memfs.app.sifting import Sifting
from memfs.app.stepping import Stepping
from memfs.app.summarizing import Summarizing
from memfs.app.surveying import Surveying
from memfs.app.switches import settings_in_force
from memfs.app.tracking import Tracking
from memfs.app.walking import Walking
from memfs.errors import MemfsError
from memfs.model.authority import Sensitivity
from memfs.model.origin import SYSTEM_ACTOR, Actor, Channel
from memfs.model.result import Result
from memfs.model.settings import Settings
from memfs.policy.authority import capture_origin
from memfs.services.beside import Beside, nothing_beside
from memfs.services.core_note import is_core_current
from memfs.services.in_step import is_in_step, is_index_current
from memfs.services.modes import mode_error, require_serving, require_taking
from memfs.services.ports import Workspace

if TYPE_CHECKING:
    from memfs.model.problem import Problem
    from memfs.reconcile.reconciler import Pass


class Memory(
    Asking,
    Overseeing,
    Governing,
    Publishing,
    Running,
    Tracking,
    Conversing,
    Briefing,
    Queueing,
    Deciding,
    Exporting,
    Migrating,
    Recounting,
    Relating,
    Walking,
    Reshaping,
    Noting,
    Minding,
    Picturing,
    Resting,
    Surveying,
    Summarizing,
    Sifting,
    Dreaming,
    Intending,
    Proving,
    Stepping,
):
    """One opened store and the one who works with it. Use it as a context manager."""

    def __init__(
        self,
        workspace: Workspace,
        actor: Actor,
        beside: Beside | None = None,
        open_other: OpenStore | None = None,
    ) -> None:
        self.workspace = workspace
        self.actor = actor
        self.beside = nothing_beside() if beside is None else beside
        self.open_other = open_other
        self._has_looked = False
        self._began_at = workspace.store.ledger_head()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Brings the projections up to the ledger, keeps the repository up, and closes it.

        Upkeep is a person's to wait for, once in some hundred operations; an agent's question
        never does. Where the environment switches memory off, nothing is touched (O54).
        """
        try:
            if self.workspace.is_switched_off:
                return
            if not is_index_current(self.workspace):
                from memfs.reconcile.projecting import refresh_projections

                refresh_projections(self.workspace)
            if not is_core_current(self.workspace):
                from memfs.reconcile.projecting import refresh_core

                refresh_core(self.workspace)
            if self.actor.is_person or self.workspace.store.ledger_head() != self._began_at:
                self.work_off_some()
                self._refresh_views()
                self._refresh_issue_view()
                self._refresh_timeline_views()
                self._refresh_graph_views()
                self._refresh_pages(is_brief=True)
            if self.actor.is_person:
                from memfs.services.upkeep import keep_up

                keep_up(self.workspace)
        finally:
            self.beside.close()
            self.workspace.store.close()

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self.workspace.settings

    def _take_in(self) -> None:
        """Looks once, before anything else, at what changed outside memfs."""
        is_due = not self._has_looked and not self.workspace.is_switched_off
        if is_due and not is_in_step(self.workspace):
            self._pass()
        self._has_looked = True

    def _pass(self) -> Pass:
        from memfs.reconcile.reconciler import run_pass

        return run_pass(self.workspace)

    def _take_in_before_reading(self) -> str:
        """Looks, and lets a question be answered from the ledger even when looking fails.

        An agent's question does not look at all: it is answered from the ledger whatever the
        working tree says, and waits for nothing that grows with the store. The next command
        of a person, or the watcher, looks.

        Returns:
            The code of what was in the way; empty when nothing was.
        """
        return self._take_in_if_possible() if self.actor.is_person else ""

    def _take_in_if_possible(self) -> str:
        """Looks, and where that fails leaves the ledger to be read: ``status`` tells why.

        Returns:
            The code of what was in the way; empty when nothing was.
        """
        try:
            self._take_in()
        except MemfsError as error:
            return error.code
        return ""

    # What enters -------------------------------------------------------------------

    def remember(self, text: str, **options: Unpack[ClaimOptions]) -> Result:
        """Records what the actor states; an agent's statement waits like any proposal."""
        from memfs.model.candidate import Submission
        from memfs.services.owners import submit

        self._take_in()
        submission = Submission(
            draft=draft_from(self.workspace, text, options),
            origin=capture_origin(self.actor, text),
            checks=checks_from(options),
            key=options.get("key", ""),
        )
        result = submit(self.workspace, self.beside, submission, self.actor, action="remember")
        if submission.draft.sensitivity is Sensitivity.SEALED:
            from memfs.services.sealing import told

            return told(result)
        return result

    def propose(
        self, text: str, *, quote: str = "", evidence: str = "", **options: Unpack[ClaimOptions]
    ) -> Result:
        """Proposes a claim; it is served to nobody until it is admitted.

        Args:
            text: The claim.
            quote: Words that are said to stand in the evidence.
            evidence: Id of the evidence record.
            options: What else is said of the claim.
        """
        from memfs.model.candidate import Submission
        from memfs.model.evidence import Quote
        from memfs.services.owners import submit

        self._take_in()
        submission = Submission(
            draft=draft_from(self.workspace, text, options),
            origin=capture_origin(self.actor, text),
            quotes=(Quote(evidence_id=evidence, text=quote),) if evidence else (),
            checks=checks_from(options),
            key=options.get("key", ""),
            wants_review=self.actor.is_person,
        )
        return submit(self.workspace, self.beside, submission, self.actor, action="propose")

    def correct(self, reference: str, text: str, **options: Unpack[ClaimOptions]) -> Result:
        """Replaces what a record says, and the times that are given; its history stays."""
        from memfs.services.correct import correct

        require_taking(self.workspace)
        self._take_in()
        origin = capture_origin(self.actor, text)
        times = times_from(self.workspace, options)
        return correct(self.workspace, reference, text, self.actor, origin, **times)

    def edit(self, reference: str, edit_text: EditText) -> Result:
        """Opens a record in the person's editor and submits what they saved."""
        require_taking(self.workspace)
        from memfs.services.correct import edited, target_of
        from memfs.services.sealing import check_editable

        self._take_in()
        stored = target_of(self.workspace, reference, self.actor)
        check_editable(stored.record)
        before = self.workspace.store.read_blob(stored.blob)
        saved = edit_text(before, Path(stored.path).suffix)
        if saved == before:
            return self._nothing("edit", stored.record.id)
        editor = replace(self.actor, channel=self._editing_channel())
        origin = capture_origin(editor, saved.decode("utf-8", "replace"))
        return edited(self.workspace, stored, saved, self.actor, origin)

    def _editing_channel(self) -> Channel:
        return Channel.EDITOR if self.actor.channel is Channel.TERMINAL else self.actor.channel

    def _nothing(self, action: str, target: str) -> Result:
        from memfs.model.result import ResultStatus

        return Result(
            action=action,
            target=target,
            status=ResultStatus.NOTHING,
            message="nothing was changed",
            store=str(self.workspace.store.root),
        )

    # How it stands -----------------------------------------------------------------

    def check(self, paths: Sequence[Path] = ()) -> tuple[Problem, ...]:
        """Checks files, or everything."""
        from memfs.services.check import check

        return check(self.workspace, [self._inside(path) for path in paths])

    def check_staged(self) -> tuple[Problem, ...]:
        """Checks what Git is about to commit in the store."""
        from memfs.services.check import check_staged

        return check_staged(self.workspace)

    def _inside(self, path: Path) -> str:
        from memfs.errors import UsageError

        root = self.workspace.store.root
        for base in (Path.cwd(), root):
            place = base / path
            if place.is_relative_to(root) and (base == root or place.exists()):
                return place.relative_to(root).as_posix()
        raise UsageError(f"expected a file of the store {root}, got {path}")

    def status(self) -> Result:
        """Tells how the store stands."""
        from memfs.model.problem import problem_from
        from memfs.services.health import status

        try:
            is_left = self.workspace.is_switched_off or is_in_step(self.workspace)
            problems = () if is_left else self._pass().problems
        except MemfsError as error:
            # Such as a store that may only be read: it can still be told how it stands.
            problems = (problem_from(error, str(self.workspace.store.root)),)
        return status(self.workspace, problems, self.actor)

    def doctor(self, *, fix: bool = False) -> tuple[Problem, ...]:
        """Examines the store and mends what can be mended without losing anything."""
        from memfs.services.health import examine

        found = examine(self.workspace, fix=fix)
        return (*found, *self._lost_runs(is_ended=fix))

    def rebuild(self) -> Result:
        """Rebuilds every index and projection from the ledger."""
        from memfs.services.health import rebuild_caches

        require_serving(self.workspace, self.actor)
        rebuilt = self._with_views(rebuild_caches(self.workspace))
        self._refresh_issue_view(is_anew=True)
        self._refresh_timeline_views(is_anew=True)
        self._refresh_graph_views(is_anew=True)
        self._refresh_pages(is_anew=True)
        return rebuilt

    def reconcile(self) -> Result:
        """Looks at what changed outside memfs and files it."""
        from memfs.reconcile.reconciler import pass_result

        self._require_switched_on()
        return pass_result(self.workspace, self._pass(), is_named=self.actor.is_person)

    def watch(self, *, once: bool = False) -> Iterator[Result]:
        """Watches the store and yields a result for each pass that found something."""
        from memfs.reconcile.daemon import watch

        self._require_switched_on()
        return watch(self._current, self._work_between, self.ask_if_due, once=once)

    def _work_between(self) -> None:
        """Does what was put off, and what is due; nobody waits for a process that watches."""
        from memfs.app.due_rests import rest_roles_now_and_then

        self.sleep_if_due()
        rest_roles_now_and_then(self.workspace, SYSTEM_ACTOR)
        self.work_off_some()

    def _require_switched_on(self) -> None:
        if self.workspace.is_switched_off:
            raise mode_error(self.workspace)

    def _current(self) -> Workspace:
        """Returns the workspace with the settings that are admitted now."""
        admitted = admitted_settings(self.workspace.store)
        settings = settings_in_force(admitted, is_off=self.workspace.is_switched_off)
        self.workspace = replace(self.workspace, settings=settings)
        return self.workspace
