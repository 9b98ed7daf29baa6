"""The tree of a task: which steps count, which were compressed, which failed (A66).

Pure: the same task and steps give the same tree, in whatever order they were read. Only what
leads to the head is current. A step that cannot be read does not break the way past it, since
each step names several before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from memfs.model.execution import KNOWN_BEFORE, Move, Standing, Step, Task, Turn
from memfs.model.frozen import frozen

Unit = tuple[Step, ...]
"""A note by itself, or a call with its result: what is shown whole or not at all."""


@frozen(kw_only=False)
class FailedBranch:
    """A branch that was left behind.

    Attributes:
        revision: The step that left it, with label and reason.
        steps: What belongs to it, oldest first.
    """

    revision: Step
    steps: tuple[Step, ...]


@frozen(kw_only=False)
class FieldState:
    """One field of the current state.

    Attributes:
        step: The step that said so last.
        standing: How far that can be relied on.
        against: The step that says otherwise, where one does.
    """

    step: Step
    standing: Standing
    against: Step | None = None


@dataclass(frozen=True, kw_only=True)
class Tree:
    """A task with its steps.

    Attributes:
        task: The task.
        steps: What its reader may see of it, by id.
        lineage: Id to the ids before it, for every step whose file is there.
    """

    task: Task
    steps: Mapping[str, Step]
    lineage: Mapping[str, tuple[str, ...]]

    @cached_property
    def way(self) -> tuple[str, ...]:
        """Ids of what leads to the head, oldest first, the head last."""
        if not self.task.head:
            return ()
        return way_to(self.task.head, self.task.before, self.lineage)

    @cached_property
    def path(self) -> tuple[Step, ...]:
        """The current steps, oldest first."""
        return tuple(self.steps[name] for name in self.way if name in self.steps)

    @cached_property
    def current(self) -> frozenset[str]:
        """Ids of the current steps."""
        return frozenset(self.way)

    @cached_property
    def turns(self) -> tuple[Step, ...]:
        """The current turns, oldest first."""
        return tuple(step for step in self.path if step.move is Move.GROW)

    @cached_property
    def results(self) -> Mapping[str, Step]:
        """The current results by the call that they belong to."""
        return {step.answers: step for step in self.turns if step.turn is Turn.RESULT}

    @cached_property
    def open_calls(self) -> tuple[Step, ...]:
        """Current calls whose result is not known."""
        return tuple(
            step for step in self.turns if step.turn is Turn.CALL and step.id not in self.results
        )

    @cached_property
    def summaries(self) -> tuple[Step, ...]:
        """The current summaries that no other one covers, in the order of what they cover."""
        shown: list[Step] = []
        for step in self.path:
            if step.move is not Move.COMPRESS:
                continue
            covered = set(step.sources)
            # A later summary of the same steps, or of more, takes the place of an earlier one.
            shown = [item for item in shown if not set(item.sources) <= covered]
            shown.append(step)
        place = {name: number for number, name in enumerate(self.way)}
        return tuple(sorted(shown, key=lambda item: place.get(item.first, len(place))))

    @cached_property
    def covered(self) -> frozenset[str]:
        """Ids of the turns for which a summary stands."""
        return frozenset(name for step in self.summaries for name in step.sources)

    @cached_property
    def tail(self) -> tuple[Unit, ...]:
        """The current turns for which no summary stands, oldest first; no call without its result.

        A result whose call cannot be shown is not shown either.
        """
        units: list[Unit] = []
        for step in self.turns:
            if step.id in self.covered or step.turn is Turn.RESULT:
                continue
            answer = self.results.get(step.id) if step.turn is Turn.CALL else None
            units.append((step,) if answer is None else (step, answer))
        return tuple(units)

    @cached_property
    def failed(self) -> tuple[FailedBranch, ...]:
        """Every branch that was left behind, in the order in which that happened."""
        revisions = [step for step in self.steps.values() if step.move is Move.REVISE]
        return tuple(
            FailedBranch(step, tuple(self._branch(step)))
            for step in sorted(revisions, key=_order)
            if step.failed
        )

    def _branch(self, revision: Step) -> Iterator[Step]:
        start = revision.before[0] if revision.before else ""
        way = way_to(revision.failed, self.lineage.get(revision.failed, ()), self.lineage)
        is_left = not start or start not in way
        for name in way:
            if is_left and name in self.steps and name not in self.current:
                yield self.steps[name]
            is_left = is_left or name == start

    @property
    def left_behind(self) -> tuple[Step, ...]:
        """All steps that are not current, in the order in which they were taken."""
        return tuple(
            sorted(
                (step for step in self.steps.values() if step.id not in self.current), key=_order
            )
        )

    @property
    def apart(self) -> tuple[Step, ...]:
        """Steps that are not current and that nobody left behind with a word.

        Two clones that moved one head apart have such steps when they meet.
        """
        labelled = {step.id for branch in self.failed for step in branch.steps}
        return tuple(step for step in self.left_behind if step.id not in labelled)

    def fields(self, holds: Mapping[str, bool]) -> Mapping[str, FieldState]:
        """Returns the current fields by name, in the order in which they were first said.

        Args:
            holds: Of each step that names something to be looked up, whether it is found now.
        """
        said: dict[str, list[Step]] = {}
        for step in self.path:
            if step.move is Move.MAINTAIN:
                said.setdefault(step.name, []).append(step)
        return {name: field_state(steps, holds) for name, steps in said.items()}


def way_to(
    head: str, before: tuple[str, ...], lineage: Mapping[str, tuple[str, ...]]
) -> tuple[str, ...]:
    """Returns the ids that lead to ``head``, oldest first, ``head`` last.

    Args:
        head: Where the way ends.
        before: What is known to be before it, nearest first.
        lineage: Id to the ids before it, where the step is there.
    """
    found, rest = [head], list(lineage.get(head, before))
    seen = {head}
    while rest:
        name = rest.pop(0)
        if name in seen:
            # No step comes before itself; a file that says so ends the way.
            break
        seen.add(name)
        found.append(name)
        if name in lineage:
            rest = list(lineage[name])
    return tuple(reversed(found))


def known_before(head: str, before: Iterable[str]) -> tuple[str, ...]:
    """Returns what the next step names as being before it."""
    return (head, *before)[:KNOWN_BEFORE] if head else ()


def field_state(steps: list[Step], holds: Mapping[str, bool]) -> FieldState:
    """Returns how a field stands, from all that was said of it, oldest first.

    What was said last counts. It is in conflict where it is found otherwise, and where it says
    otherwise than an earlier value that is still found to be so.
    """
    last = steps[-1]
    if last.checks:
        if holds.get(last.id, False):
            return FieldState(last, Standing.VERIFIED)
        return FieldState(last, Standing.CONFLICTING)
    for earlier in reversed(steps[:-1]):
        if earlier.checks and holds.get(earlier.id, False):
            is_same = earlier.value == last.value
            if is_same:
                return FieldState(last, Standing.VERIFIED)
            return FieldState(last, Standing.CONFLICTING, earlier)
    return FieldState(last, Standing.UNVERIFIED)


def _order(step: Step) -> tuple[str, str]:
    return (step.at.isoformat() if step.at is not None else "", step.id)
