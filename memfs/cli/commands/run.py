"""``memfs run``: what agents were asked to do, and what came of it."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.terminal import (
    is_terminal,
    json_text,
    printable,
    say,
    say_error,
    write,
    write_json,
)
from memfs.cli.values import result_value
from memfs.errors import UsageError
from memfs.model.result import ResultStatus
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.app.running import EndOptions
    from memfs.app.wrapping import Wrapped
    from memfs.domains.runs.distilling import Distil

_ENDS = ("done", "error", "cancelled")
_STATES = (*_ENDS, "running", "lost")
_NOT_RECORDED: Final = "this run is not recorded"
_BESIDE: Final = "this run is recorded, and something else went wrong"
_INPUT_BYTES: Final = 4_194_304

_parent_option = click.option(
    "--parent", default="", metavar="RUN", help="The run that starts it; by default MEMFS_RUN_ID."
)
_session_option = click.option(
    "--session", default="", metavar="ID", help="Its session; by default MEMFS_SESSION_ID."
)
_workflow_option = click.option(
    "--workflow", default="", metavar="NAME", help="The kind of work, such as review or release."
)
_id_option = click.option(
    "--id", "run", default="", metavar="RUN", help="An id of your own; makes a repetition harmless."
)


@click.group("run", short_help="Record runs of agents: what was done, and what is left open.")
def command() -> None:
    """Record what agents were asked to do, how it ended, and what it left open.

    A run is dispatched by start and recorded by finish, or both by exec. RUN is an id, or
    the end of one.
    """


@command.command(
    "start",
    cls=ExampleCommand,
    examples=(
        'eval "$(memfs run start --task "Make the upload resume" --export)"',
        "memfs run start --task - < prompt.txt --json",
    ),
)
@click.option("--task", required=True, metavar="TEXT", help="What is to be done; - for stdin.")
@_workflow_option
@_parent_option
@_session_option
@_id_option
@click.option("--export", "is_export", is_flag=True, help="Print the variables for a shell.")
@shared_options
def start_command(
    invocation: Invocation,
    task: str,
    workflow: str,
    parent: str,
    session: str,
    run: str,
    is_export: bool,
) -> int:
    """Dispatch a run, and print its id.

    What came before it is fixed now. Whoever does the work gets the variables that
    --export prints, and so do the processes that it starts.
    """
    with invocation.open() as memory:
        result = memory.start_run(
            _said(task), workflow=workflow, parent=parent, session=session, run=run
        )
    if invocation.is_json or result.exit_status:
        return respond(invocation, result)
    variables = result.data.get("variables")
    if is_export and isinstance(variables, dict):
        for name, value in variables.items():
            write(f"export {name}={shlex.quote(str(value))}")
    else:
        write(result.target)
    if result.status is not ResultStatus.DONE:
        say(printable(result.message))
    return 0


@command.command(
    "finish",
    cls=ExampleCommand,
    short_help="Record how a run ended.",
    examples=(
        'memfs run finish --summary "The upload resumes." --next "Measure it on a slow line"',
        "memfs run finish 7k2m9q --state error --output agent.log",
    ),
)
@click.argument("run", default="", metavar="[RUN]")
@click.option("--state", type=click.Choice(_ENDS), default="done", show_default=True)
@click.option("--task", default="", metavar="TEXT", help="Its task, where nobody started it.")
@_workflow_option
@_parent_option
@_session_option
@click.option("--summary", default="", metavar="TEXT", help="What came of it, 2 to 4 sentences.")
@click.option("--accomplished", multiple=True, metavar="TEXT", help="What was done; repeatable.")
@click.option("--issue", "issues", multiple=True, metavar="TITLE", help="What is open; repeatable.")
@click.option(
    "--resolved", multiple=True, metavar="ISSUE", help="What is open no more; repeatable."
)
@click.option(
    "--next", "following", multiple=True, metavar="TEXT", help="What is next; repeatable."
)
@click.option("--verdict", default="", metavar="TEXT", help="What a check or a reviewer said.")
@click.option(
    "--worker", "workers", multiple=True, metavar="NAME[=STATE[:LINE]]", help="Who worked in it."
)
@click.option(
    "--output",
    default="",
    metavar="FILE",
    help="What it printed, to read what is not said here from; - for stdin.",
)
@click.option("--corrects", default="", metavar="RUN", help="A recorded run that this replaces.")
@shared_options
def finish_command(
    invocation: Invocation,
    run: str,
    state: str,
    output: str,
    following: tuple[str, ...],
    workers: tuple[str, ...],
    **said: object,
) -> int:
    """Record how a run ended; by default the run that this process works in.

    What is not said is read from the output: lines that begin with ACCOMPLISHED:, ISSUES:,
    RESOLVED: and NEXT:. Whatever its end, a run is one record, and finishing it twice is once.
    """
    options: EndOptions = {
        "run": run,
        "output": _printed(output),
        "next": following,
        "workers": [_worker(text) for text in workers],
        "distil": _distil(),
        **said,  # type: ignore[typeddict-item]
    }
    with invocation.open() as memory:
        result = memory.finish_run(state, **options)
    return respond(invocation, result)


@command.command(
    "exec",
    cls=ExampleCommand,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    examples=(
        'memfs run exec --task "Fix the flaky test" -- agent --print "Fix the flaky test"',
        'memfs run exec --task "Fix the flaky test" --prompt -- agent --print',
    ),
)
@click.option(
    "--task", default="", metavar="TEXT", help="What is to be done; by default the command."
)
@_workflow_option
@_parent_option
@_session_option
@_id_option
@click.option(
    "--prompt",
    "is_prompt",
    is_flag=True,
    help="Give the command its task on standard input, after what memory says to it.",
)
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND…")
@shared_options
def exec_command(
    invocation: Invocation,
    task: str,
    workflow: str,
    parent: str,
    session: str,
    run: str,
    is_prompt: bool,
    words: tuple[str, ...],
) -> int:
    """Run COMMAND as a run, and record how it ends.

    Its output goes through unchanged, signals reach it, and its exit code is the answer.
    Where there is no store, or memory is off, it runs all the same.
    """
    from memfs.app.wrapping import Wrap, run_wrapped

    wrap = Wrap(
        command=words,
        task=task,
        options={"workflow": workflow, "parent": parent, "session": session, "run": run},
        is_prompt=is_prompt,
        distil=_distil(),
    )
    wrapped = run_wrapped(wrap, invocation.open, os.environ)
    _tell(invocation, wrapped)
    return wrapped.exit_code


def _tell(invocation: Invocation, wrapped: Wrapped) -> None:
    """Tells on stderr what became of the record: to a person, as JSON, or where it failed."""
    from memfs.cli.bug_report import write_report

    result = wrapped.result
    if invocation.is_json:
        value: dict[str, JsonValue] = {"exit_code": wrapped.exit_code}
        value["result"] = result_value(result) if result is not None else None
        value["troubles"] = [
            {"code": error.code, "message": error.message} for error in wrapped.troubles
        ]
        say(json_text(value))
        return
    for error in wrapped.troubles:
        if error.code != "mode.off":
            say(f"memfs: {_BESIDE if result is not None else _NOT_RECORDED}")
            say_error(error, is_json=False)
            if isinstance(error.__cause__, Exception) and error.code == "memfs.bug":
                write_report(error.__cause__)
    if result is not None and (sys.stderr.isatty() or result.exit_status):
        say(f"memfs: {printable(result.message)}")


@command.command("show", short_help="Show one run.")
@click.argument("reference", required=False, metavar="[RUN]")
@shared_options
def show_command(invocation: Invocation, reference: str | None) -> int:
    """Show a run, by default the newest; of one that was replaced, the one in its place."""
    from memfs.cli.run_text import run_page, run_value

    with invocation.open() as memory:
        view = memory.show_run(reference)
    if invocation.is_json:
        write_json(run_value(view, is_whole=True))
    else:
        write(run_page(view))
    return 0


@command.command("list")
@click.option("--limit", type=click.IntRange(0), default=20, show_default=True, help="0 for all.")
@click.option("--session", default="", metavar="ID", help="Only what this session dispatched.")
@click.option(
    "--state", "states", multiple=True, type=click.Choice(_STATES), help="May be repeated."
)
@shared_options
def list_command(invocation: Invocation, limit: int, session: str, states: tuple[str, ...]) -> int:
    """List runs, the newest first, with those that go on."""
    from memfs.cli.run_text import run_lines, run_value

    with invocation.open() as memory:
        found = memory.list_runs(limit=limit + 1 if limit else 0, session=session, states=states)
    views = found[:limit] if limit else found
    if invocation.is_json:
        write_json([run_value(view) for view in views])
    elif views:
        write(run_lines(views))
    else:
        say("no run is like that" if session or states else "no run was recorded here")
    if len(views) < len(found):
        say(f"the newest {limit} are shown; --limit 0 lists all")
    return 0


@command.command("chain", short_help="Show what started a run, and what it started.")
@click.argument("reference", required=False, metavar="[RUN]")
@click.option("--mermaid", "is_mermaid", is_flag=True, help="Print a Mermaid chart.")
@shared_options
def chain_command(invocation: Invocation, reference: str | None, is_mermaid: bool) -> int:
    """Show the chain of a run, by default of the newest.

    That is who started it, what it started, and what came before and after.
    """
    from memfs.cli import run_text

    with invocation.open() as memory:
        chain = memory.run_chain(reference)
    if invocation.is_json:
        write_json(run_text.chain_value(chain))
    elif is_mermaid:
        write(run_text.chain_mermaid(chain))
    elif is_terminal():
        from rich.console import Console

        Console(highlight=False).print(run_text.chain_tree(chain))
        write(f"\n{run_text.chain_beside(chain)}")
    else:
        write(run_text.chain_text(chain))
    return 0


def _distil() -> Distil | None:
    """Returns what reads a run once more: nothing, unless a model is configured (C12)."""
    from memfs.app.distilling import distil_from

    return distil_from(os.environ)


def _said(text: str) -> str:
    return sys.stdin.read(_INPUT_BYTES) if text == "-" else text


def _printed(name: str) -> str:
    """Returns what was printed, as it stands in a file or comes through a pipe."""
    if name in ("", "-"):
        return _said(name)
    try:
        with Path(name).open("rb") as stream:
            content = stream.read(_INPUT_BYTES)
    except OSError as error:
        raise UsageError(f"expected a file of what was printed: {error.strerror}") from error
    return content.decode("utf-8", "replace")


def _worker(text: str) -> tuple[str, str, str]:
    name, _, rest = text.partition("=")
    state, _, line = rest.partition(":")
    if not name.strip():
        raise UsageError(f"expected a worker as NAME=STATE:LINE, got {text!r}")
    return name.strip(), state.strip(), line.strip()
