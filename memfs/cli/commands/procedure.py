"""``memfs procedure``: steps that worked, and what proves them."""

from __future__ import annotations

import click

from memfs.cli.claim_options import text_or_stdin
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond, respond_all
from memfs.cli.terminal import say, write, write_json


@click.group("procedure", short_help="Keep steps that worked, and prove them by outcomes.")
def command() -> None:
    """Propose procedures, try them, and record how each use ended.

    A procedure goes from candidate over trial, held_out and canary to active by several
    successes that a verifier or a person saw, or because a person says so. One harmful use takes
    everything back. It is text for an agent to read: never run, and never a permission.
    """


@command.command(
    "add",
    cls=ExampleCommand,
    examples=(
        'memfs procedure add "1. Tag. 2. Run the script." --title "Release" --script release.sh',
        'memfs procedure add "1. Tag." --applies-when platform=linux --from 1z5c0d',
    ),
)
@click.argument("text")
@click.option("--title", default="", help="One line; the first of the text by default.")
@click.option("--script", default="", metavar="PATH", help="File that holds the steps; never run.")
@click.option(
    "--tool",
    "tools",
    multiple=True,
    metavar="NAME",
    help="A file or program that the steps depend on; repeatable.",
)
@click.option(
    "--applies-when",
    multiple=True,
    metavar="CONDITION",
    help="Such as platform=linux or tool.make>=4; repeatable.",
)
@click.option(
    "--from",
    "episodes",
    multiple=True,
    metavar="EPISODE",
    help="An episode that it was made from; repeatable.",
)
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A label; repeatable.")
@click.option("--key", default="", metavar="KEY", help="Makes a repetition harmless.")
@shared_options
def add_command(
    invocation: Invocation,
    *,
    text: str,
    title: str,
    script: str,
    tools: tuple[str, ...],
    applies_when: tuple[str, ...],
    episodes: tuple[str, ...],
    tags: tuple[str, ...],
    key: str,
) -> int:
    """Propose steps; a person accepts them, and outcomes prove them. - reads them from stdin."""
    with invocation.open() as memory:
        result = memory.propose_procedure(
            text_or_stdin(text),
            title=title,
            script=script,
            tools=tools,
            applies_when=applies_when,
            episodes=episodes,
            tags=tags,
            key=key,
        )
    return respond(invocation, result)


@command.command(
    "episode",
    cls=ExampleCommand,
    examples=(
        'memfs procedure episode "Released 1.2 by hand" --result success --condition task=v1.2',
        "memfs procedure episode --run 1z5c0d --condition task=v1.3 --procedure 4t2r7w",
    ),
)
@click.argument("text", default="")
@click.option(
    "--result",
    default="",
    metavar="success|partial|failure",
    help="How it ended; what was observed by default.",
)
@click.option(
    "--condition",
    "conditions",
    multiple=True,
    metavar="NAME=VALUE",
    help="What it was tried under, such as tool.make=4.4; repeatable.",
)
@click.option("--evidence", multiple=True, metavar="EV", help="What the host observed; repeatable.")
@click.option(
    "--run", "runs", multiple=True, metavar="RUN", help="A run that the host observed; repeatable."
)
@click.option(
    "--procedure",
    default="",
    metavar="ID",
    help="What was followed; none for an attempt without memory.",
)
@click.option("--key", default="", metavar="KEY", help="Makes a repetition harmless.")
@shared_options
def episode_command(
    invocation: Invocation,
    *,
    text: str,
    result: str,
    conditions: tuple[str, ...],
    evidence: tuple[str, ...],
    runs: tuple[str, ...],
    procedure: str,
    key: str,
) -> int:
    """Tell how one attempt ended; of a program's account only what was observed is kept."""
    with invocation.open() as memory:
        answer = memory.record_episode(
            text_or_stdin(text) if text else "",
            result=result,
            conditions=conditions,
            evidence=(*evidence, *runs),
            procedure=procedure,
            key=key,
        )
    return respond(invocation, answer)


@command.command("list")
@click.option("--stage", default="", metavar="STAGE", help="Only those of this stage.")
@click.option(
    "--limit",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="At most so many; 0 for all.",
)
@shared_options
def list_command(invocation: Invocation, stage: str, limit: int) -> int:
    """List procedures with their stage and what they have shown."""
    from memfs.cli.procedure_text import procedure_rows, procedure_value

    with invocation.open() as memory:
        views = memory.procedures(stage=stage, limit=limit)
    if invocation.is_json:
        write_json([procedure_value(view) for view in views])
    elif views:
        write(procedure_rows(views))
    else:
        say("no procedure is there; put one forward with: memfs procedure add")
    return 0


@command.command("show")
@click.argument("reference", metavar="ID")
@shared_options
def show_command(invocation: Invocation, reference: str) -> int:
    """Show a procedure, what it has shown, and the episodes that followed it."""
    from memfs.cli.procedure_text import procedure_page, procedure_value

    with invocation.open() as memory:
        view = memory.procedure(reference)
    if invocation.is_json:
        write_json(procedure_value(view))
    else:
        write(procedure_page(view))
    return 0


@command.command("trial")
@click.argument("reference", metavar="ID")
@shared_options
def trial_command(invocation: Invocation, reference: str) -> int:
    """Let a procedure be tried; its script and tools are pinned as they are now."""
    return _moved(invocation, reference, "trial")


@command.command(
    "outcome",
    cls=ExampleCommand,
    examples=(
        "memfs procedure outcome 4t2r7w --episode 1z5c0d",
        "memfs procedure outcome 4t2r7w --episode 1z5c0d --control 9q2m4k",
        "memfs procedure outcome 4t2r7w --harmful",
    ),
)
@click.argument("reference", metavar="ID")
@click.option("--episode", default="", metavar="EPISODE", help="The attempt that followed it.")
@click.option(
    "--control",
    default="",
    metavar="EPISODE",
    help="An attempt without memory under the same conditions.",
)
@click.option("--harmful", "is_harmful", is_flag=True, help="The use did harm; a person says so.")
@shared_options
def outcome_command(
    invocation: Invocation, reference: str, episode: str, control: str, is_harmful: bool
) -> int:
    """Record how a use ended; the procedure moves by it in the same commit."""
    with invocation.open() as memory:
        result = memory.use_outcome(
            reference, episode=episode, control=control, is_harmful=is_harmful
        )
    return respond(invocation, result)


@command.command("promote")
@click.argument("reference", metavar="ID")
@shared_options
def promote_command(invocation: Invocation, reference: str) -> int:
    """Vouch for a procedure: from its trial to canary, from canary to active."""
    return _moved(invocation, reference, "promote")


@command.command("deprecate")
@click.argument("reference", metavar="ID")
@shared_options
def deprecate_command(invocation: Invocation, reference: str) -> int:
    """Set a procedure aside; it is found by a search and handed out no more."""
    return _moved(invocation, reference, "deprecate")


@command.command("check")
@shared_options
def check_command(invocation: Invocation) -> int:
    """Take their stage from procedures whose script, tools or grounds changed."""
    with invocation.open() as memory:
        results = memory.check_procedures()
    return respond_all(invocation, results, nothing="every procedure is what was tried")


def _moved(invocation: Invocation, reference: str, verb: str) -> int:
    with invocation.open() as memory:
        result = memory.move_procedure(reference, verb)
    return respond(invocation, result)
