"""``memfs strip``: takes memfs packets out of text."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import write_json


@click.command("strip", short_help="Take memfs packets out of text.")
@click.argument(
    "path", required=False, type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@shared_options
def command(invocation: Invocation, path: Path | None) -> int:
    """Print the text of PATH (or stdin) without the packets that recall put into it.

    What memory said is never evidence for what memory should say.
    """
    from memfs.services.packet_text import strip_packets

    text = path.read_text(encoding="utf-8") if path else sys.stdin.read()
    stripped = strip_packets(text)
    if invocation.is_json:
        write_json({"text": stripped, "is_changed": stripped != text})
    else:
        click.echo(stripped, nl=False)
    return 0
