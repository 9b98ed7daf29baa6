"""``memfs jobs``: work that hooks put off, and who does it when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond, respond_all
from memfs.cli.terminal import columns, printable, say, write, write_json
from memfs.model.instants import format_instant
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.services.queue import Job

SHOWN_DIGITS = 8


@click.group(
    "jobs",
    invoke_without_command=True,
    short_help="See and do the work that hooks put off.",
)
@shared_options
def command(invocation: Invocation) -> int:
    """See and do the work that hooks of coding agents put off.

    Without a word of its own it lists. The watcher does the jobs that are due, and a person's
    next command does some of them; nothing is lost when nobody does.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return 0
    return _list(invocation)


@command.command("list", short_help="List the jobs and how they stand.")
@shared_options
def list_command(invocation: Invocation) -> int:
    """List the jobs: running ones, waiting ones as they are due, and those that failed for good."""
    return _list(invocation)


def _list(invocation: Invocation) -> int:
    with invocation.open() as memory:
        found = memory.jobs()
    if invocation.is_json:
        write_json([_value(job) for job in found])
    elif found:
        write(columns(_row(job) for job in found))
    else:
        say("nothing was put off")
    return 0


@command.command("run", short_help="Do the jobs that are due.")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="At most so many.")
@click.option(
    "--within", type=click.IntRange(1), metavar="SECONDS", help="Begin none after so long."
)
@shared_options
def run_command(invocation: Invocation, limit: int | None, within: int | None) -> int:
    """Do the jobs that are due, oldest first. One that fails is tried again later, five times."""
    with invocation.open() as memory:
        results = memory.run_jobs(most=limit or 0, within_s=within or 0)
    return respond_all(invocation, results, nothing="nothing is due")


@command.command("cancel", short_help="Take a job away.")
@click.argument("reference", metavar="ID")
@shared_options
def cancel_command(invocation: Invocation, reference: str) -> int:
    """Take a job away. One that runs stops at its next step; what it did stays."""
    with invocation.open() as memory:
        result = memory.cancel_job(reference)
    return respond(invocation, result)


@command.command("retry", short_help="Make a job due at once.")
@click.argument("reference", metavar="ID")
@shared_options
def retry_command(invocation: Invocation, reference: str) -> int:
    """Make a job due at once that failed for good or that pauses after a failure."""
    with invocation.open() as memory:
        result = memory.retry_job(reference)
    return respond(invocation, result)


def _row(job: Job) -> tuple[str, ...]:
    about = job.arguments.get("session", "")
    return (
        job.id[:SHOWN_DIGITS],
        str(job.state),
        printable(job.kind or "unreadable"),
        printable(f"{job.arguments.get('client', '')} {about}".strip()),
        f"attempt {job.attempt}" if job.attempt else "",
        printable(job.code) or job.at,
    )


def _value(job: Job) -> JsonValue:
    due = datetime.fromtimestamp(job.due, UTC) if job.due else None
    return {
        "id": job.id,
        "state": str(job.state),
        "kind": job.kind,
        "at": job.at,
        "due": format_instant(due) if due else "",
        "attempt": job.attempt,
        "code": job.code,
        "arguments": dict(job.arguments),
    }
