"""The sections of a task's context, in their fixed order (A65).

Task and live constraints, summaries of the way, fields, the exact last turns, failed attempts as
labelled hints; memory cards follow. A call and its result are one entry. Pure: nothing that was
left behind is in any section but the hints, and there only its label and why it failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from memfs.domains.execution.reading import TaskView
from memfs.model.execution import Standing, Step, Turn
from memfs.model.execution_tree import FailedBranch, FieldState, Unit
from memfs.model.ids import short_id
from memfs.model.packet import Entry, Section
from memfs.services.packet_text import escaped_line, quoted

TASK: Final = "task"
SUMMARIES: Final = "summaries"
STATE: Final = "state"
TAIL: Final = "tail"
HINTS: Final = "hints"
ORDER: Final = (TASK, SUMMARIES, STATE, TAIL, HINTS)
"""The fixed order; memory cards come last."""
_HEADINGS: Final[Mapping[str, str]] = {
    TASK: "Task",
    SUMMARIES: "Earlier steps, summed up by who took them; not verified",
    STATE: "Fields, as found now",
    TAIL: "Last steps, exact",
    HINTS: "Failed attempts: hints only, none of it is current",
}
UNKNOWN_OUTCOME: Final = "no result is recorded: the outcome is unknown, look before repeating"


def context_sections(view: TaskView) -> tuple[Section, ...]:
    """Returns every section that has something to say, in the fixed order."""
    entries = {
        TASK: tuple(_task(view)),
        SUMMARIES: tuple(_summary(view, step) for step in view.tree.summaries),
        STATE: tuple(_field(state) for state in view.tree.fields(view.holds).values()),
        TAIL: tuple(_unit(view, unit) for unit in view.tree.tail),
        HINTS: tuple(_hint(branch) for branch in view.tree.failed),
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
    lines += _effects(view, step)
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
    yield from _effects(view, step)


def _hint(branch: FailedBranch) -> Entry:
    step, count = branch.revision, len(branch.steps)
    left = f"{count} step{'' if count == 1 else 's'} left behind"
    lines = [f"- failed: {escaped_line(step.label)} ({left}, {short_id(step.id)})"]
    if step.text and step.text != step.label:
        lines.append(quoted(step.text))
    return _entry(step, lines)


def _effects(view: TaskView, step: Step) -> list[str]:
    """Tells how the effects of a step stand, as their own records say at this moment."""
    lines = [
        f"  effect: {name} ({escaped_line(view.effects[name])})"
        for name in step.effects
        if name in view.effects
    ]
    if lines and step.compensates in view.effects:
        lines.append(f"  makes up for: {step.compensates} ({view.effects[step.compensates]})")
    return lines


def _by(step: Step) -> str:
    return f", {escaped_line(step.by)}" if step.by else ""


def _entry(step: Step, lines: list[str]) -> Entry:
    return Entry(reference=f"{step.id}@1", text="\n".join(lines))
