"""``memfs export``: what may leave the store, in a format that others read."""

from __future__ import annotations

from pathlib import Path

import click

from memfs.app.exporting import FORMATS
from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import counted, say, write, write_json
from memfs.errors import UsageError


@click.command(
    "export",
    cls=ExampleCommand,
    short_help="Write what may leave the store in a format that others read.",
    examples=(
        "memfs export --format tracker --output issues.jsonl",
        "memfs export --format timeline --output timeline.jsonl",
    ),
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice(tuple(FORMATS)),
    required=True,
    help="; ".join(f"{name}: {format_.help}" for name, format_ in FORMATS.items()) + ".",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to FILE instead of stdout; one that is there is not overwritten without --force.",
)
@click.option("--force", is_flag=True, help="Overwrite the file.")
@shared_options
def command(invocation: Invocation, format_name: str, output: Path | None, force: bool) -> int:
    """Export records; what may not leave the store is left out.

    What a program may not read, what is kept from export, and what is secret is not written.
    """
    with invocation.open() as memory:
        exported = memory.export(format_name)
    item = FORMATS[format_name].item
    text = "".join(f"{line}\n" for line in exported.lines)
    if output is not None:
        _write_file(output, text, force=force)
    if invocation.is_json:
        write_json(
            {
                "format": exported.format,
                "count": len(exported.lines),
                "left_out": exported.left_out,
                **({"file": str(output)} if output is not None else {"text": text}),
            }
        )
    elif output is not None:
        say(f"{counted(len(exported.lines), item)} written to {output}")
    elif exported.lines:
        write(text.rstrip("\n"))
    if not invocation.is_json and exported.left_out:
        say(f"{counted(exported.left_out, item)} may not leave the store")
    return 0


def _write_file(output: Path, text: str, *, force: bool) -> None:
    """Writes a private file that was not there, or one that may be overwritten."""
    if output.exists() and not force:
        raise UsageError(f"expected a new file, got {output}", hint="overwrite it with --force")
    aside = output.with_name(f".{output.name}.memfs")
    try:
        aside.touch(mode=0o600)
        aside.write_text(text, encoding="utf-8")
        aside.replace(output)
    except OSError as error:
        raise UsageError(f"expected a file to write, got {output}: {error.strerror}") from error
    finally:
        aside.unlink(missing_ok=True)
