"""``memfs review``: what waits, and the person's decision on it."""

from __future__ import annotations

import click

from memfs.cli.editor import edit_text
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond, respond_all
from memfs.cli.terminal import say, write, write_json
from memfs.cli.text import candidate_lines, candidate_page
from memfs.cli.values import candidate_value
from memfs.errors import UsageError

SHOWN_OF_A_GROUP = 10


@click.group(
    "review",
    invoke_without_command=True,
    short_help="See, accept, reject or edit what waits in the inbox.",
)
@shared_options
def command(invocation: Invocation) -> int:
    """See what waits in the inbox, and decide on it.

    Without a word of its own it lists. Only a person can accept.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return 0
    return _list(invocation)


def _list(invocation: Invocation, *, limit: int = SHOWN_OF_A_GROUP) -> int:
    with invocation.open() as memory:
        candidates = memory.candidates()
        actor = memory.actor
    if invocation.is_json:
        write_json([candidate_value(candidate) for candidate in candidates])
    elif not candidates and actor.is_person:
        say("nothing waits")
    elif not candidates:
        say(f"nothing waits that {actor.principal} may see; a person at a terminal sees all")
    else:
        write(candidate_lines(candidates, limit=limit))
        say("hint: memfs review show ID · accept ID · reject ID · edit ID · accept --all")
    return 0


@command.command("list", short_help="List what waits, with the reasons.")
@click.option("--full", is_flag=True, help="Leave nothing out, however much there is.")
@shared_options
def list_command(invocation: Invocation, full: bool) -> int:
    """List what waits, grouped by who said it and why it waits."""
    return _list(invocation, limit=0 if full else SHOWN_OF_A_GROUP)


@command.command("show", short_help="Show one candidate and its difference from the ledger.")
@click.argument("reference", metavar="ID")
@shared_options
def show_command(invocation: Invocation, reference: str) -> int:
    """Show one candidate: reasons, evidence and the difference from the ledger."""
    with invocation.open() as memory:
        candidate, difference = memory.candidate(reference)
    if invocation.is_json:
        value = candidate_value(candidate)
        value["diff"] = difference
        write_json(value)
    else:
        write(candidate_page(candidate, difference))
    return 0


def _chosen(references: tuple[str, ...], everything: bool) -> tuple[str, ...] | None:
    """Returns the ids that were named, or ``None`` for all."""
    if everything and references:
        raise UsageError("expected ids or --all, got both")
    if not everything and not references:
        raise UsageError("expected ids or --all, got neither", hint="memfs review lists the ids")
    return None if everything else references


@command.command("accept", short_help="Accept candidates as your own statement.")
@click.argument("references", metavar="[ID]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that waits.")
@shared_options
def accept_command(invocation: Invocation, references: tuple[str, ...], everything: bool) -> int:
    """Accept candidates: they become part of the ledger as your own statement."""
    chosen = _chosen(references, everything)
    with invocation.open() as memory:
        results = memory.accept(chosen)
    return respond_all(invocation, results, nothing="nothing waits")


@command.command("reject", short_help="Reject candidates.")
@click.argument("references", metavar="[ID]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that waits.")
@click.option("--restore", is_flag=True, help="Put the ledger's text back into the file.")
@shared_options
def reject_command(
    invocation: Invocation, references: tuple[str, ...], everything: bool, restore: bool
) -> int:
    """Reject candidates; the file stays as you left it unless --restore is given."""
    chosen = _chosen(references, everything)
    with invocation.open() as memory:
        results = memory.reject(chosen, restore=restore)
    return respond_all(invocation, results, nothing="nothing waits")


@command.command("edit", short_help="Edit what a candidate proposes.")
@click.argument("reference", metavar="ID")
@shared_options
def edit_command(invocation: Invocation, reference: str) -> int:
    """Edit what a candidate proposes; it waits on with your text."""
    with invocation.open() as memory:
        result = memory.edit_candidate(reference, edit_text)
    return respond(invocation, result)
