"""The sections of a task's context, in their fixed order (A65).

Task and live constraints, summaries of the way, fields and effects as found now, the exact last
turns, failed attempts as labelled hints; memory cards follow. A call and its result are one entry,
and each effect is a line of its own: it must not be repeated, whatever else there is room for.
Pure: nothing that was left behind is in any section but the hints, and there only its label, why
it failed, and the ids of what it did outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from memfs.domains.execution.reading import TaskView
from memfs.model.execution import Standing, Step, Turn
from memfs.model.execution_tree import FailedBranch, FieldState, Unit
from memfs.model.ids import EVIDENCE_PREFIX, ISSUE_PREFIX, RUN_PREFIX, prefix_of, short_id
from memfs.model.packet import Entry, Section
from memfs.services.packet_text import escaped_line, quoted

TASK: Final = "task"
SUMMARIES: Final = "summaries"
STATE: Final = "state"
EFFECTS: Final = "effects"
TAIL: Final = "tail"
HINTS: Final = "hints"
ORDER: Final = (TASK, SUMMARIES, STATE, EFFECTS, TAIL, HINTS)
"""The fixed order; memory cards come last."""
_HEADINGS: Final[Mapping[str, str]] = {
    TASK: "Task",
    SUMMARIES: "Earlier steps, summed up by who took them; not verified",
    STATE: "Fields, as found now",
    EFFECTS: "Effects, as found now: done, not to be repeated",
    TAIL: "Last steps, exact",
    HINTS: "Failed attempts: hints only, none of it is current",
}
_KINDS: Final[Mapping[str, str]] = {
    RUN_PREFIX: "run",
    ISSUE_PREFIX: "issue",
    EVIDENCE_PREFIX: "observation",
}
_MOST_STANDING: Final = 8
"""Effects of one failed branch that its hint names, the newest."""
UNKNOWN_OUTCOME: Final = "no result is recorded: the outcome is unknown, look before repeating"


def context_sections(view: TaskView) -> tuple[Section, ...]:
    """Returns every section that has something to say, in the fixed order."""
    entries = {
        TASK: tuple(_task(view)),
        SUMMARIES: tuple(_summary(view, step) for step in view.tree.summaries),
        STATE: tuple(_field(state) for state in view.tree.fields(view.holds).values()),
        EFFECTS: tuple(_effects(view)),
        TAIL: tuple(_unit(view, unit) for unit in view.tree.tail),
        HINTS: tuple(_hint(view, branch) for branch in view.tree.failed),
    }
    more = f"memfs exec show {view.tree.task.id}"
    return tuple(
        Section(name=name, heading=_HEADINGS[name], entries=entries[name], more=more)
        for name in ORDER
        if entries[name]
    )


def _task(view: TaskView) -> Iterator[Entry]:
    task = view.tree.task
    where = f"head {task.head or 'none'}"
    lines = [f"- {escaped_line(task.goal)} ({task.id}, {task.state}, {where})"]
    if task.detail:
        lines.append(quoted(task.detail))
    lines += [f"- has to hold: {escaped_line(rule)}" for rule in view.rules]
    last = next((step.commit for step in reversed(view.tree.path) if step.commit), "")
    if last and view.commit and last != view.commit:
        lines.append(
            f"- the project has moved: {last[:12]} at the last step, {view.commit[:12]} now"
        )
    yield Entry(reference=view.stored.record.reference, text="\n".join(lines))


def _summary(view: TaskView, step: Step) -> Entry:
    count = len(step.sources)
    lines = [
        f"- {escaped_line(step.objective or step.title)} "
        f"({short_id(step.first)} to {short_id(step.last)}, {count} steps{_by(step)})"
    ]
    if step.text:
        lines.append(quoted(step.text))
    lines += [f"  open: {escaped_line(question)}" for question in step.questions]
    lines += _links(view, step)
    return _entry(step, lines)


def _field(state: FieldState) -> Entry:
    step, standing = state.step, str(state.standing)
    looked_up = "; ".join(f"{check.kind} {check.value}" for check in step.checks)
    if state.against is not None:
        standing += f": {short_id(state.against.id)} says {state.against.value}, and it holds"
    elif state.standing is Standing.CONFLICTING:
        standing += f": {looked_up} is not found"
    elif looked_up:
        standing += f": {looked_up}"
    line = f"- {escaped_line(step.name)} = {escaped_line(step.value)} ({escaped_line(standing)})"
    return _entry(step, [line])


def _unit(view: TaskView, unit: Unit) -> Entry:
    lines: list[str] = []
    for step in unit:
        lines += _turn(view, step)
    if unit[0].turn is Turn.CALL and len(unit) == 1:
        lines.append(f"  {UNKNOWN_OUTCOME}")
    return _entry(unit[0], lines)


def _turn(view: TaskView, step: Step) -> Iterator[str]:
    tool = f" {escaped_line(step.tool)}" if step.tool else ""
    yield f"- {step.turn or 'note'}{tool} ({short_id(step.id)}{_by(step)})"
    if step.text:
        yield quoted(step.text)
    yield from _links(view, step)


def _hint(view: TaskView, branch: FailedBranch) -> Entry:
    step, count = branch.revision, len(branch.steps)
    left = f"{count} step{'' if count == 1 else 's'} left behind"
    lines = [f"- failed: {escaped_line(step.label)} ({left}, {short_id(step.id)})"]
    if step.text and step.text != step.label:
        lines.append(quoted(step.text))
    standing = _standing(view, branch)
    if standing:
        told = [f"{name} ({_stands(view, name)})" for name in standing[-_MOST_STANDING:]]
        more = len(standing) - len(told)
        lines.append(
            f"  done there, and not undone: {', '.join(told)}{f'; {more} more' if more else ''}"
        )
    return _entry(step, lines)


def _standing(view: TaskView, branch: FailedBranch) -> tuple[str, ...]:
    """Returns what was done outside on a branch that was left: going back took none of it back.

    What the current steps link themselves, or made up for, is told there.
    """
    here = {name for step in view.tree.path for name in (*step.effects, step.compensates)}
    linked = dict.fromkeys(name for step in branch.steps for name in step.effects)
    return tuple(name for name in linked if name in view.effects and name not in here)


def _effects(view: TaskView) -> Iterator[Entry]:
    """Yields a line for each effect of the current steps, in the order in which they were linked.

    How an effect stands is what its own record says at this moment.
    """
    linked: dict[str, list[Step]] = {}
    # A turn links what was done; a summary only repeats what the turns of its range link.
    for step in sorted(view.tree.path, key=lambda step: step.turn is None):
        for name in step.effects:
            if name in view.effects:
                linked.setdefault(name, []).append(step)
    for name, steps in linked.items():
        kind = _KINDS.get(prefix_of(name), "record")
        line = f"- effect: {name} ({_stands(view, name)}), {kind} of step {short_id(steps[0].id)}"
        others = dict.fromkeys(step.compensates for step in steps)
        made_up = [f"{it} ({_stands(view, it)})" for it in others if it in view.effects]
        if made_up:
            line += f"; makes up for: {', '.join(made_up)}"
        yield _entry(steps[0], [line])


def _links(view: TaskView, step: Step) -> Iterator[str]:
    """Yields which effects a step links, by the ends of their ids; each has a line elsewhere."""
    names = [short_id(name) for name in step.effects if name in view.effects]
    if names:
        yield f"  linked: {', '.join(names)}"


def _stands(view: TaskView, name: str) -> str:
    return escaped_line(view.effects[name])


def _by(step: Step) -> str:
    return f", {escaped_line(step.by)}" if step.by else ""


def _entry(step: Step, lines: list[str]) -> Entry:
    return Entry(reference=f"{step.id}@1", text="\n".join(lines))
