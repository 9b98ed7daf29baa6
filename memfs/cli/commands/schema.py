"""``memfs schema``: the JSON Schema of a kind, as an editor takes it."""

from __future__ import annotations

from importlib.resources import files

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import write
from memfs.errors import UsageError


@click.command(
    "schema",
    cls=ExampleCommand,
    short_help="Print the JSON Schema of a kind.",
    examples=("memfs schema preference > .vscode/preference.schema.json",),
)
@click.argument("kind", default="record")
@shared_options
def command(invocation: Invocation, kind: str) -> int:
    """Print the JSON Schema of KIND, or the union of all kinds."""
    folder = files("memfs.formats") / "schemas"
    suffix = ".schema.json"
    names = sorted(
        item.name.removesuffix(suffix) for item in folder.iterdir() if item.name.endswith(suffix)
    )
    if kind not in names:
        raise UsageError(f"expected one of {', '.join(names)}, got {kind!r}")
    write((folder / f"{kind}{suffix}").read_text(encoding="utf-8"))
    return 0
