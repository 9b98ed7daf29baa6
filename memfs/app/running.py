"""What was done: runs, their outcome and their lineage.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

from memfs.app.opened import Opened
from memfs.errors import UsageError
from memfs.model.result import Result
from memfs.services.modes import require_serving
from memfs.services.ports import Workspace

if TYPE_CHECKING:
    from memfs.domains.runs.chain import RunChain
    from memfs.domains.runs.distilling import Distil
    from memfs.domains.runs.finishing import RunEnd
    from memfs.domains.runs.lineage import Wanted
    from memfs.domains.runs.views import RunView
    from memfs.model.problem import Problem
    from memfs.model.run import RunState

_MOST: Final = 1_000_000


class RunOptions(TypedDict, total=False):
    """What may be said of a run when it is dispatched; empty for what the environment says.

    ``run`` is an id of the caller's own making and makes a repetition harmless, ``parent`` the
    run that starts it, ``session`` the session of the host, ``workflow`` the kind of work.
    """

    run: str
    parent: str
    session: str
    workflow: str


class EndOptions(TypedDict, total=False):
    """What may be said of a run when it ends; what is not said is extracted from ``output``.

    ``task``, ``workflow``, ``parent`` and ``session`` count where nobody dispatched the run.
    ``issues`` are titles of what is open, ``resolved`` ids or titles of what no longer is;
    ``workers`` are names with a state and a line each; ``corrects`` names a recorded run that
    this account takes the place of; ``distil`` reads the run once more with a model.
    """

    run: str
    task: str
    workflow: str
    parent: str
    session: str
    summary: str
    accomplished: Sequence[str]
    issues: Sequence[str]
    resolved: Sequence[str]
    next: Sequence[str]
    verdict: str
    workers: Sequence[tuple[str, str, str]]
    output: str
    corrects: str
    distil: Distil | None


class Running(Opened):
    """What was done: runs, their outcome and their lineage."""

    def start_run(self, task: str, **options: Unpack[RunOptions]) -> Result:
        """Dispatches a run: fixes its place among others; the same id twice is one run."""
        from memfs.app.run_answers import started_result
        from memfs.domains.runs.finishing import bury_lost
        from memfs.domains.runs.starting import dispatch, prepare
        from memfs.services.modes import require_taking

        require_taking(self.workspace)
        self._take_in()
        note = prepare(
            self.workspace,
            self.actor,
            task=task,
            workflow=options.get("workflow", ""),
            wanted=wanted_place(options),
        )
        started = dispatch(self.workspace, note)
        bury_lost(self.workspace, self.actor)
        return started_result(self.workspace, started)

    def finish_run(self, state: str = "done", **options: Unpack[EndOptions]) -> Result:
        """Records how a run ended, once; by default the run that this process works in."""
        from memfs.app.run_answers import ended_result
        from memfs.domains.runs.finishing import bury_lost, end
        from memfs.services.modes import require_taking

        require_taking(self.workspace)
        self._take_in()
        ending = ending_from(self.workspace, state, options)
        ended = end(self.workspace, ending, self.actor, distil=options.get("distil"))
        bury_lost(self.workspace, self.actor)
        return ended_result(self.workspace, ended)

    def list_runs(
        self, *, limit: int = 0, session: str = "", states: Sequence[str] = ()
    ) -> tuple[RunView, ...]:
        """Lists runs, the newest first, those that go on among them.

        Raises:
            UsageError: There is no such state.
        """
        from memfs.domains.runs.views import list_runs

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        wanted = frozenset(map(_state, states))
        return list_runs(self.workspace, self.actor, limit=limit, session=session, states=wanted)

    def show_run(self, reference: str | None = None) -> RunView:
        """Returns a run, by default the newest; of one that was replaced, the one in its place."""
        from memfs.domains.runs.views import newest_run, show_run

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        meant = newest_run(self.workspace, self.actor) if reference is None else reference
        return show_run(self.workspace, meant, self.actor)

    def run_chain(self, reference: str | None = None) -> RunChain:
        """Returns the chain that a run is in, by default the newest: from its first run on."""
        from memfs.domains.runs.chain import run_chain
        from memfs.domains.runs.views import newest_run

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        meant = newest_run(self.workspace, self.actor) if reference is None else reference
        return run_chain(self.workspace, meant, self.actor)

    def _lost_runs(self, *, is_ended: bool) -> tuple[Problem, ...]:
        """Returns the runs that nobody will end; where they are to be ended, what is left."""
        from memfs.domains.runs.finishing import bury_lost, run_problems

        if is_ended:
            bury_lost(self.workspace, self.actor, most=_MOST)
        return run_problems(self.workspace)


def wanted_place(options: RunOptions | EndOptions) -> Wanted:
    """Returns what a caller says of the place of a run.

    Raises:
        UsageError: An id is no id of a run, or a session no plain name.
    """
    from memfs.app.environment import plain_name
    from memfs.domains.runs.lineage import Wanted

    session = options.get("session", "")
    if session and not plain_name(session):
        raise UsageError("expected a session as a plain name, got something else")
    return Wanted(
        run=_run_id(options.get("run", "")),
        parent=_run_id(options.get("parent", "")),
        session=plain_name(session),
    )


def ending_from(workspace: Workspace, state: str, options: EndOptions) -> RunEnd:
    """Returns the end of a run as a caller says it.

    Raises:
        UsageError: An id is no id of a run, or names none.
    """
    from dataclasses import replace

    from memfs.domains.runs.finishing import RunEnd
    from memfs.model.run import RunOutcome, Worker

    run = _meant(workspace, options.get("run", ""))
    return RunEnd(
        state=state,
        run=run,
        task=options.get("task", ""),
        workflow=options.get("workflow", ""),
        said=RunOutcome(
            summary=options.get("summary", ""),
            accomplished=tuple(options.get("accomplished", ())),
            issues=tuple(options.get("issues", ())),
            resolved=tuple(options.get("resolved", ())),
            next=tuple(options.get("next", ())),
            verdict=options.get("verdict", ""),
            workers=tuple(Worker(*worker) for worker in options.get("workers", ())),
        ),
        output=options.get("output", ""),
        wanted=replace(
            wanted_place(
                {"parent": options.get("parent", ""), "session": options.get("session", "")}
            ),
            run=run,
        ),
        corrects=options.get("corrects", ""),
    )


def _meant(workspace: Workspace, reference: str) -> str:
    """Returns the id of a run: a whole one, or the end of the id of one that goes on."""
    from memfs.domains.runs.dispatch import Dispatches
    from memfs.model.ids import RUN_PREFIX, is_id

    name = reference.strip().lower()
    if not name or is_id(name, RUN_PREFIX):
        return name
    found = [note.run for note in Dispatches(workspace) if note.run.endswith(name)]
    if len(name) < 4 or len(found) != 1:
        raise UsageError(
            f"expected the id of a run that goes on, got {reference!r}", hint="see: memfs run list"
        )
    return found[0]


def _run_id(text: str) -> str:
    from memfs.model.ids import RUN_PREFIX, is_id

    name = text.strip()
    if name and not is_id(name, RUN_PREFIX):
        raise UsageError(f"expected the id of a run, such as run_01kb…, got {text!r}")
    return name


def _state(text: str) -> RunState:
    from memfs.model.run import RunState

    try:
        return RunState(text)
    except ValueError:
        choices = ", ".join(RunState)
        raise UsageError(f"expected a state of {choices}, got {text!r}") from None
