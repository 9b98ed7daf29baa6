"""``memfs migrate``: move another memory in, stage by stage, and back."""

from __future__ import annotations

from pathlib import Path

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond
from memfs.cli.terminal import printable, say
from memfs.errors import UsageError
from memfs.model.migration import STAGES, Stage
from memfs.model.result import Result


@click.command(
    "migrate",
    cls=ExampleCommand,
    short_help="Move another memory in, in stages that can be undone.",
    examples=(
        "memfs migrate ~/notes --dry-run",
        "memfs migrate ~/notes --accept --until shadow",
        "memfs migrate",
        "memfs migrate --back",
    ),
)
@click.argument("source", type=click.Path(path_type=Path), required=False)
@click.option("--status", "is_status", is_flag=True, help="Tell how far it is; change nothing.")
@click.option("--back", "is_back", is_flag=True, help="Step back from the newest stage.")
@click.option("--dry-run", is_flag=True, help="Tell what would be done; write nothing.")
@click.option("--accept", is_flag=True, help="Accept what is imported in one commit.")
@click.option(
    "--until",
    type=click.Choice([str(stage) for stage in STAGES]),
    default=str(Stage.FINALISE),
    metavar="STAGE",
    help="Stop after this stage; a later call goes on.",
)
@click.option("--format", "format_name", default="auto", show_default=True, help="As for import.")
@shared_options
def command(
    invocation: Invocation,
    source: Path | None,
    is_status: bool,
    is_back: bool,
    dry_run: bool,
    accept: bool,
    until: str,
    format_name: str,
) -> int:
    """Move the memory at SOURCE in: files that memfs imports, or another store of memfs.

    Nine stages: preflight, quiesce, backup, import, reconcile, project, shadow, enforce,
    finalise. Interrupted anywhere, the same command goes on; when all is done, it changes
    nothing. Without SOURCE it goes on with what is under way, or brings the store's own older
    layout up. The source is never modified.
    """
    from memfs.app.migrating import MigrationWish

    if is_status + is_back + dry_run > 1 or (source is not None and (is_status or is_back)):
        raise UsageError("expected a SOURCE, --status or --back, got more than one of them")

    def told(stage: Stage, words: str) -> None:
        if not invocation.is_json:
            say(printable(f"  {stage}: {words}"))

    with invocation.open() as memory:
        if is_status:
            return _status(invocation, memory.migration_status())
        if is_back:
            return respond(invocation, memory.migrate_back())
        wish = MigrationWish(
            source=source, format_name=format_name, accept=accept, until=Stage(until)
        )
        result = memory.migrate(wish, dry_run=dry_run, on_stage=told)
    return respond(invocation, result)


def _status(invocation: Invocation, result: Result) -> int:
    status = respond(invocation, result)
    stages = result.data.get("stages")
    if not invocation.is_json and isinstance(stages, list):
        for item in stages:
            if isinstance(item, dict):
                say(f"  {item['state']}  {item['stage']}")
    return status
