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

    What memory said is never evidence for what memory should say. The rest stays byte for
    byte as it was.
    """
    from memfs.services.packet_text import strip_packets

    content = path.read_bytes() if path else sys.stdin.buffer.read()
    text = content.decode("utf-8", "surrogateescape")
    stripped = strip_packets(text)
    if invocation.is_json:
        shown = stripped.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        write_json({"text": shown, "is_changed": stripped != text})
    else:
        click.echo(stripped.encode("utf-8", "surrogateescape"), nl=False)
    return 0
