"""``memfs profile``: the few lines about the user that every session is given."""

from __future__ import annotations

from pathlib import Path

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond, respond_all
from memfs.cli.terminal import printable, say, write, write_json
from memfs.errors import UsageError


@click.group("profile", short_help="Keep the few lines that every session is given.")
def command() -> None:
    """Read and set the profile: KEY: VALUE lines about the user, always in sight.

    Each line is a record of its own; what holds everywhere comes from the global store.
    """


@command.command("get")
@shared_options
def get_command(invocation: Invocation) -> int:
    """Print the lines of the profile, in their order."""
    from memfs.cli.node_text import profile_value

    with invocation.open() as memory:
        profile = memory.profile()
    if invocation.is_json:
        write_json(profile_value(profile))
        return 0
    if profile.lines:
        write(printable(profile.text, keep_lines=True))
    say(f"{len(profile.lines)} of {profile.cap} lines")
    for kept in profile.dropped:
        say(f"beyond the cap: {printable(str(kept.line))}")
    return 0


@command.command(
    "set",
    cls=ExampleCommand,
    examples=("memfs profile set editor vim", "memfs profile set --from old-profile.md"),
)
@click.argument("key", required=False)
@click.argument("value", required=False)
@click.option("--global", "is_global", is_flag=True, help="It holds in every project.")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Set every line of a profile that another system kept.",
)
@shared_options
def set_command(
    invocation: Invocation,
    key: str | None,
    value: str | None,
    is_global: bool,
    source: Path | None,
) -> int:
    """Give KEY its VALUE; a key that is there keeps its place.

    Beyond the cap the oldest line is no longer shown, and the answer says which.
    """
    if source is not None:
        if key is not None or is_global:
            raise UsageError("expected a line or --from, got both")
        with invocation.open() as memory:
            results = memory.import_profile(source)
        return respond_all(invocation, results, nothing="there is nothing to set")
    if key is None or value is None:
        raise UsageError("expected KEY and VALUE", hint="such as: memfs profile set editor vim")
    with invocation.open() as memory:
        result = memory.set_profile(key, value, is_global=is_global)
    return respond(invocation, result)
