"""``memfs exec``: how far a task has come, and what is needed to go on with it."""

from __future__ import annotations

import sys

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.terminal import say, write, write_json
from memfs.errors import UsageError
from memfs.model.execution import Turn, TurnSaid
from memfs.model.packet import MemoryState

_head = click.option(
    "--head",
    required=True,
    metavar="STEP",
    help="The head that you saw: an id, the end of one, or none.",
)
_key = click.option("--key", default="", metavar="KEY", help="The same key is carried out once.")


@click.group("exec", short_help="Keep how far a task has come, and go on with it.")
def command() -> None:
    """Start tasks and take steps in them; each task has one head.

    TASK and STEP are ids, or the ends of ids. Whoever adds a step names the head that they saw;
    where the task stands elsewhere by now, nothing is written.
    """


@command.command(
    "start",
    cls=ExampleCommand,
    examples=('memfs exec start "Let the export resume" --constraint "keep the file format"',),
)
@click.argument("goal")
@click.option("--detail", default="", metavar="TEXT", help="Further words; - reads stdin.")
@click.option(
    "--constraint",
    "constraints",
    multiple=True,
    metavar="TEXT",
    help="What has to hold: words, or the id of a record. May be repeated.",
)
@click.option("--scope", default="", metavar="SCOPE", help="Whose it is, such as task:NAME.")
@_key
@shared_options
def start_command(
    invocation: Invocation,
    goal: str,
    detail: str,
    constraints: tuple[str, ...],
    scope: str,
    key: str,
) -> int:
    """Start a task."""
    with invocation.open() as memory:
        result = memory.start_task(
            goal, detail=_said(detail), constraints=constraints, scope=scope, key=key
        )
    return respond(invocation, result)


@command.command("list")
@click.option("--all", "is_all", is_flag=True, help="Closed tasks too.")
@shared_options
def list_command(invocation: Invocation, is_all: bool) -> int:
    """List tasks that are open, newest first."""
    from memfs.cli.exec_text import task_lines, task_value

    with invocation.open() as memory:
        tasks = memory.list_tasks(is_all=is_all)
    if invocation.is_json:
        write_json([task_value(task) for task in tasks])
    elif tasks:
        write(task_lines(tasks))
    else:
        say("there is no task" if is_all else "no task is open")
    return 0


@command.command(
    "grow",
    cls=ExampleCommand,
    examples=(
        'memfs exec grow x4m2kd --head none --note "The queue is read twice"',
        'memfs exec grow x4m2kd --head 7hncv1 --tool shell --call "make test" --result "2 failed"',
        "make test 2>&1 | memfs exec grow x4m2kd --head 7hncv1 --result - --effect ev_…",
    ),
)
@click.argument("task")
@_head
@click.option("--note", metavar="TEXT", help="A turn that calls nothing.")
@click.option("--call", metavar="TEXT", help="What was called, exactly.")
@click.option("--tool", default="", metavar="NAME", help="Which tool the call is of.")
@click.option("--result", metavar="TEXT", help="What came back, exactly; - reads stdin.")
@click.option("--answers", default="", metavar="STEP", help="The call that the result is of.")
@click.option(
    "--effect",
    "effects",
    multiple=True,
    metavar="ID",
    help="A run, an issue or an observation that tells what was done. May be repeated.",
)
@click.option("--compensates", default="", metavar="ID", help="The effect that these make up for.")
@_key
@shared_options
def grow_command(
    invocation: Invocation,
    task: str,
    head: str,
    note: str | None,
    call: str | None,
    tool: str,
    result: str | None,
    answers: str,
    effects: tuple[str, ...],
    compensates: str,
    key: str,
) -> int:
    """Add a note, a call, a result, or a call with its result."""
    said = ((Turn.NOTE, note), (Turn.CALL, call), (Turn.RESULT, result))
    given = [(turn, _said(text)) for turn, text in said if text is not None]
    if not given:
        raise UsageError("expected --note, --call or --result, got none of them")
    last = len(given) - 1
    turns = [
        TurnSaid(
            turn=turn,
            text=text,
            tool=tool if turn is Turn.CALL else "",
            answers=answers if turn is Turn.RESULT else "",
            effects=effects if number == last else (),
            compensates=compensates if number == last else "",
        )
        for number, (turn, text) in enumerate(given)
    ]
    with invocation.open() as memory:
        done = memory.grow_task(task, turns, head=head, key=key)
    return respond(invocation, done)


@command.command("compress")
@click.argument("task")
@click.argument("first")
@click.argument("last")
@_head
@click.option("--objective", required=True, metavar="LINE", help="What they were to reach.")
@click.option("--result", required=True, metavar="TEXT", help="What came of them; - reads stdin.")
@click.option("--question", "questions", multiple=True, metavar="LINE", help="What they left open.")
@_key
@shared_options
def compress_command(
    invocation: Invocation,
    task: str,
    first: str,
    last: str,
    head: str,
    objective: str,
    result: str,
    questions: tuple[str, ...],
    key: str,
) -> int:
    """Put a summary in the place of the turns FIRST to LAST; they stay where they are.

    A call is never parted from its result, and one without a result is not summed up. The effects
    of the turns are linked from the summary, whatever it says.
    """
    with invocation.open() as memory:
        done = memory.compress_task(
            task,
            first=first,
            last=last,
            objective=objective,
            result=_said(result),
            questions=questions,
            head=head,
            key=key,
        )
    return respond(invocation, done)


@command.command(
    "maintain",
    cls=ExampleCommand,
    examples=("memfs exec maintain x4m2kd entry src/app.py --head 7hncv1 --check path=src/app.py",),
)
@click.argument("task")
@click.argument("field")
@click.argument("value")
@_head
@click.option(
    "--check",
    "checks",
    multiple=True,
    metavar="KIND=VALUE",
    help="Look VALUE up: path, commit, outcome or date. May be repeated.",
)
@click.option("--evidence", multiple=True, metavar="ID", help="An observation that it rests on.")
@_key
@shared_options
def maintain_command(
    invocation: Invocation,
    task: str,
    field: str,
    value: str,
    head: str,
    checks: tuple[str, ...],
    evidence: tuple[str, ...],
    key: str,
) -> int:
    """Say what FIELD is; it is verified where a check finds just that, now and later."""
    with invocation.open() as memory:
        done = memory.maintain_task(
            task, field, value, checks=checks, evidence=evidence, head=head, key=key
        )
    return respond(invocation, done)


@command.command("revise")
@click.argument("task")
@click.option("--to", required=True, metavar="STEP", help="The step to go back to, or none.")
@click.option("--why", required=True, metavar="TEXT", help="Why the branch failed; - is stdin.")
@click.option("--label", default="", metavar="LINE", help="What the failed branch is called.")
@_head
@_key
@shared_options
def revise_command(
    invocation: Invocation, task: str, to: str, why: str, label: str, head: str, key: str
) -> int:
    """Go back to a step; what came after it is kept as a failure and is never current.

    Nothing that was done outside is undone: what makes up for it is another effect.
    """
    with invocation.open() as memory:
        done = memory.revise_task(task, to=to, why=_said(why), label=label, head=head, key=key)
    return respond(invocation, done)


@command.command("finish")
@click.argument("task")
@_head
@click.option("--abandoned", "is_abandoned", is_flag=True, help="It was given up.")
@shared_options
def finish_command(invocation: Invocation, task: str, head: str, is_abandoned: bool) -> int:
    """Close a task; nothing can be added to it afterwards."""
    with invocation.open() as memory:
        done = memory.finish_task(task, is_abandoned=is_abandoned, head=head)
    return respond(invocation, done)


@command.command("forget")
@click.argument("task")
@click.option("--why", default="", metavar="WORDS", help="Kept in the commit.")
@shared_options
def forget_command(invocation: Invocation, task: str, why: str) -> int:
    """Remove a task and its steps for good; what was done outside stays what it is."""
    with invocation.open() as memory:
        done = memory.forget_task(task, why=why)
    return respond(invocation, done)


@command.command("head")
@click.argument("task")
@shared_options
def head_command(invocation: Invocation, task: str) -> int:
    """Print the step that a task stands at, or none.

    Name with --head what you looked at before you thought, not what this prints afterwards.
    """
    with invocation.open() as memory:
        found = memory.show_task(task).tree.task
    if invocation.is_json:
        write_json({"id": found.id, "head": found.head, "state": str(found.state)})
    else:
        write(found.head or "none")
    return 0


@command.command("show")
@click.argument("task")
@shared_options
def show_command(invocation: Invocation, task: str) -> int:
    """Draw the tree of a task: the way to its head, and what failed beside it."""
    from memfs.cli.exec_text import task_page, view_value

    with invocation.open() as memory:
        view = memory.show_task(task)
    if invocation.is_json:
        write_json(view_value(view))
    else:
        write(task_page(view))
    return 0


@command.command(
    "context", cls=ExampleCommand, examples=("memfs exec context x4m2kd --budget 2000",)
)
@click.argument("task")
@click.option("--budget", type=click.IntRange(1), metavar="TOKENS", help="Hard size.")
@shared_options
def context_command(invocation: Invocation, task: str, budget: int | None) -> int:
    """Give what one needs to go on: after a crash, in another working tree, at another commit.

    In this order: the task and what has to hold, summaries, fields as found now, the last turns
    word for word, failed attempts as hints, memory.
    """
    with invocation.open() as memory:
        packet = memory.task_context(task, budget=budget)
    if invocation.is_json:
        from memfs.cli.values import packet_value

        write_json(packet_value(packet))
    elif packet.text:
        click.echo(packet.text, nl=False)
    if packet.state is MemoryState.DEGRADED or not packet.text:
        say(f"memory state: {packet.state} ({packet.reason})")
    return 0


def _said(text: str) -> str:
    """Returns words as given, or what stands on stdin."""
    return sys.stdin.read() if text == "-" else text
