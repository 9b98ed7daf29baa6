"""Tasks as people read them: a list, and the tree with its failed branches beside the trunk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from memfs.cli.terminal import columns, faint, printable, strong
from memfs.model.execution import Move, Step, Task, Turn
from memfs.model.execution_tree import FailedBranch, Tree
from memfs.model.ids import short_id
from memfs.model.instants import format_instant
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.domains.execution.reading import TaskView

_CURRENT: Final = "●"
_COVERED: Final = "·"
_LEFT: Final = "○"
_WORDS: Final = 72


def task_lines(tasks: Sequence[Task]) -> str:
    """Returns one line a task: end of the id, state, head, goal."""
    return columns(
        (
            short_id(task.id),
            str(task.state),
            short_id(task.head) if task.head else "none",
            printable(task.goal),
        )
        for task in tasks
    )


def task_page(view: TaskView) -> str:
    """Returns a task with its tree, its fields and its effects."""
    task = view.tree.task
    parts = [
        f"{faint(task.id)}\n{strong(printable(task.goal))} ({task.state})",
        *(f"has to hold: {printable(rule)}" for rule in view.rules),
    ]
    if task.detail:
        parts.append(printable(task.detail, keep_lines=True))
    parts.append("\n".join(tree_lines(view.tree)) or "no step was taken yet")
    fields = view.tree.fields(view.holds)
    if fields:
        rows = (
            (printable(name), printable(state.step.value), str(state.standing))
            for name, state in fields.items()
        )
        parts.append(f"{strong('fields')}\n{columns(rows, indent='  ')}")
    if view.effects:
        effects = columns(sorted(view.effects.items()), indent="  ")
        parts.append(f"{strong('effects')}\n{effects}")
    parts.append(f"head: {task.head or 'none'}")
    return "\n\n".join(parts)


def tree_lines(tree: Tree) -> Iterator[str]:
    """Yields the tree: the way to the head, and what failed where it was left."""
    branches: dict[str, list[FailedBranch]] = {}
    for branch in tree.failed:
        start = branch.revision.before[0] if branch.revision.before else ""
        branches.setdefault(start, []).append(branch)
    drawn: set[str] = set()
    waiting: list[tuple[str, Step | FailedBranch]] = []

    def put(prefix: str, steps: Sequence[Step], start: str | None = None) -> None:
        rows: list[tuple[str, Step | FailedBranch]] = []
        if start is not None:
            rows += [(prefix, branch) for branch in branches.get(start, ())]
        for step in steps:
            rows.append((prefix, step))
            rows += [(prefix, branch) for branch in branches.get(step.id, ())]
        waiting.extend(reversed(rows))

    put("", tree.path, "")
    while waiting:
        prefix, item = waiting.pop()
        if isinstance(item, Step):
            drawn.add(item.id)
            yield f"{prefix}{_line(tree, item)}"
            continue
        label = printable(item.revision.label)
        yield f"{prefix}├─✗ failed: {label} {faint(short_id(item.revision.id))}"
        rest = [step for step in item.steps if step.id not in drawn]
        drawn.update(step.id for step in rest)
        put(f"{prefix}│   ", rest)
    apart = [step for step in tree.apart if step.id not in drawn]
    if apart:
        yield "├─? apart: not current, and nobody said why"
        yield from (f"│   {_line(tree, step)}" for step in apart)


def _line(tree: Tree, step: Step) -> str:
    is_current = step.id in tree.current
    mark = _CURRENT if is_current else _LEFT
    if is_current and step.id in tree.covered:
        mark = _COVERED
    head = f" {strong('◀ head')}" if step.id == tree.task.head else ""
    return f"{mark} {faint(short_id(step.id))} {_sort(step)} {_words(step)}{head}"


def _sort(step: Step) -> str:
    match step.move:
        case Move.GROW:
            return f"{step.turn or Turn.NOTE!s:<7}"
        case Move.COMPRESS:
            return "summary"
        case Move.MAINTAIN:
            return "field  "
        case _:
            return "revised"


def _words(step: Step) -> str:
    words = printable(step.title)
    if step.move is Move.COMPRESS:
        words = f"{words} ({short_id(step.first)} to {short_id(step.last)})"
    return words if len(words) <= _WORDS else f"{words[: _WORDS - 1]}…"


def task_value(task: Task) -> dict[str, JsonValue]:
    """Returns a task as plain data."""
    return {
        "id": task.id,
        "goal": task.goal,
        "detail": task.detail,
        "constraints": list(task.constraints),
        "state": str(task.state),
        "head": task.head,
    }


def view_value(view: TaskView) -> dict[str, JsonValue]:
    """Returns a task with its tree as plain data."""
    tree = view.tree
    current = [_step_value(step, view.effects) for step in tree.path]
    failed: list[JsonValue] = [
        {
            "label": branch.revision.label,
            "reason": branch.revision.text,
            "revision": branch.revision.id,
            "steps": [_step_value(step, view.effects) for step in branch.steps],
        }
        for branch in tree.failed
    ]
    fields: dict[str, JsonValue] = {
        name: {
            "value": state.step.value,
            "standing": str(state.standing),
            "step": state.step.id,
            "against": state.against.id if state.against is not None else "",
        }
        for name, state in tree.fields(view.holds).items()
    }
    return {
        **task_value(tree.task),
        "rules": list(view.rules),
        "current": list(current),
        "failed": failed,
        "fields": fields,
        "effects": dict(view.effects),
        "open_calls": [step.id for step in tree.open_calls],
        "commit": view.commit,
    }


def _step_value(step: Step, effects: Mapping[str, str]) -> JsonValue:
    said: dict[str, JsonValue] = {
        "id": step.id,
        "move": str(step.move),
        "title": step.title,
        "text": step.text,
        "turn": str(step.turn or ""),
        "tool": step.tool,
        "answers": step.answers,
        "effects": [name for name in step.effects if name in effects],
        "compensates": step.compensates if step.compensates in effects else "",
        "sources": list(step.sources),
        "questions": list(step.questions),
        "name": step.name,
        "value": step.value,
        "label": step.label,
        "by": step.by,
        "at": format_instant(step.at) if step.at is not None else "",
        "commit": step.commit,
    }
    return {name: value for name, value in said.items() if value not in ("", [])}
