"""``run exec``: a command is run, and what came of it is recorded, whatever memory says to that.

The store is open before the command begins and after it has ended, and not in between: a command
may run for days. Memory is never in its way. Where there is no store, or memory is off, or the
disk is full, the command runs all the same, and its exit code is the answer.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memfs.app.actors import agent_marker
from memfs.app.environment import (
    AGENT,
    PARENT_RUN_ID,
    RUN_ID,
    SESSION_ID,
    lineage_from,
    lineage_variables,
    plain_name,
)
from memfs.app.run_answers import ended_result
from memfs.app.running import RunOptions, wanted_place
from memfs.domains.runs.child import ChildEnd, run_child
from memfs.domains.runs.dispatch import Dispatches, DispatchNote
from memfs.domains.runs.distilling import Distil
from memfs.domains.runs.finishing import RunEnd, bury_lost, end
from memfs.domains.runs.starting import dispatch, prepare
from memfs.errors import MemfsError, UsageError
from memfs.model.evidence import Observation
from memfs.model.frozen import frozen
from memfs.model.lineage import Lineage
from memfs.model.result import Result
from memfs.model.run import RunState
from memfs.services.packet_text import prepended
from memfs.services.ports import Workspace
from memfs.services.work_words import kept_line

if TYPE_CHECKING:
    from memfs.app.memory import Memory


_UNNAMED: Final = "command"


class WrapFaultError(MemfsError):
    """Memory failed beside a command, by a fault of its own."""

    code = "memfs.bug"


@frozen
class Wrapped:
    """How a wrapped command ended, and what became of its record.

    Attributes:
        exit_code: That of the command.
        result: What was recorded; ``None`` where nothing was.
        troubles: What kept memory from it, each once; empty where memory is switched off.
    """

    exit_code: int
    result: Result | None = None
    troubles: tuple[MemfsError, ...] = ()


@frozen
class Wrap:
    """What is to be run.

    Attributes:
        command: Program and arguments.
        task: What it is asked to do; by default the command as typed.
        options: What is said of the run.
        is_prompt: The command gets its task on standard input, after what memory says to it.
        distil: Reads the run once more, where a model is configured.
    """

    command: tuple[str, ...]
    task: str
    options: RunOptions
    is_prompt: bool = False
    distil: Distil | None = None

    @property
    def asked(self) -> str:
        """What the run is asked to do, in words."""
        return self.task or shlex.join(self.command)


def run_wrapped(wrap: Wrap, open_store: Callable[[], Memory], env: Mapping[str, str]) -> Wrapped:
    """Runs a command to its end and records it as a run.

    Args:
        wrap: The command and what is said of it.
        open_store: Opens the store; asked twice.
        env: The environment, which the command gets with its own place among runs.

    Raises:
        UsageError: An id is none of a run, or there is nothing to give as a prompt.
    """
    if wrap.is_prompt and not wrap.task.strip():
        raise UsageError("expected a task to give to the command, got none")
    wanted_place(wrap.options)
    troubles: list[MemfsError] = []
    with ExitStack() as stack:
        note, said = _dispatched(wrap, open_store, stack, troubles)
        prompt = prepended(said, wrap.task) if wrap.is_prompt else None
        feed = prompt.encode("utf-8", "surrogateescape") if prompt is not None else None
        child = run_child(wrap.command, _environment(wrap, env, note), feed=feed)
        result = _recorded(wrap, note, child, open_store, troubles) if note is not None else None
    return Wrapped(exit_code=child.exit_code, result=result, troubles=tuple(troubles))


def _dispatched(
    wrap: Wrap, open_store: Callable[[], Memory], stack: ExitStack, troubles: list[MemfsError]
) -> tuple[DispatchNote | None, str]:
    """Dispatches the run and holds its note; returns also what memory says before the task."""
    note, said = None, ""
    try:
        with open_store() as memory:
            workspace, actor = memory.workspace, memory.actor
            if workspace.is_switched_off:
                return None, ""
            said = memory.context(task=wrap.task).text if wrap.is_prompt else ""
            prepared = prepare(
                workspace,
                actor,
                task=wrap.asked,
                workflow=wrap.options.get("workflow", ""),
                wanted=wanted_place(wrap.options),
                is_watched=True,
            )
            _hold(workspace, prepared, stack)
            note = prepared
            bury_lost(workspace, actor)
    except UsageError:
        raise
    except Exception as error:  # noqa: BLE001  memory is never in the way of a command
        troubles.append(_trouble(error))
    return note, said


def _hold(workspace: Workspace, note: DispatchNote, stack: ExitStack) -> None:
    """Holds a note and then writes it, so that nobody finds one that nobody holds.

    Raises:
        UsageError: The run is known.
    """
    dispatches = Dispatches(workspace)
    is_known = dispatches.find(note.run) is not None
    if not is_known:
        stack.enter_context(dispatches.watching(note.run))
        is_known = not dispatch(workspace, note).is_new
    if is_known:
        raise UsageError(f"expected the id of a new run, got {note.run}")


def _environment(wrap: Wrap, env: Mapping[str, str], note: DispatchNote | None) -> dict[str, str]:
    """Returns the environment of the command: its own run, and who started that (C8).

    Whatever speaks in a run is no person, also where it has a terminal: a command that sets no
    marker of an agent is one by its own name.
    """
    if note is None:
        return dict(env)
    names = {RUN_ID, PARENT_RUN_ID, SESSION_ID, AGENT}
    kept = {name: value for name, value in env.items() if name not in names}
    called = note.agent or lineage_from(env).agent
    if not called and not agent_marker(env):
        called = plain_name(Path(wrap.command[0]).name) or _UNNAMED
    place = Lineage(run=note.run, parent=note.parent, session=note.session, agent=called)
    return kept | lineage_variables(place)


def _recorded(
    wrap: Wrap,
    note: DispatchNote,
    child: ChildEnd,
    open_store: Callable[[], Memory],
    troubles: list[MemfsError],
) -> Result | None:
    result = None
    try:
        with open_store() as memory:
            ending = RunEnd(
                state=_state_of(child),
                run=note.run,
                output=child.output,
                seen=Observation(command=_command_of(wrap), exit_code=child.exit_code),
                duration_s=child.duration_s,
                is_watcher=True,
            )
            ended = end(memory.workspace, ending, memory.actor, distil=wrap.distil)
            result = ended_result(memory.workspace, ended)
    except Exception as error:  # noqa: BLE001  the command has ended; its exit code counts
        # The note stays, and whoever comes next records the run.
        troubles.append(_trouble(error))
    return result


def _trouble(error: Exception) -> MemfsError:
    """Returns an error as one that can be told; a bug keeps what it was for its report."""
    if isinstance(error, MemfsError):
        return error
    fault = WrapFaultError(f"{type(error).__name__} where none was expected")
    fault.__cause__ = error
    return fault


def _state_of(child: ChildEnd) -> str:
    if child.is_stopped:
        return RunState.CANCELLED
    return RunState.ERROR if child.exit_code else RunState.DONE


def _command_of(wrap: Wrap) -> str:
    """Returns the command for its digest; one that holds a secret is not even digested."""
    command = shlex.join(wrap.command)
    return command if not kept_line(command, is_person=False).left_out else ""
