"""``memfs memory-apply-operation``: hand in a typed operation on what a role remembers."""

from __future__ import annotations

import sys
from typing import BinaryIO

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.respond import respond, respond_all
from memfs.cli.roles.options import key_option, role_option


@click.command(
    "memory-apply-operation",
    cls=ExampleCommand,
    short_help="Apply a typed operation to what a role remembers.",
    examples=(
        "memfs memory-apply-operation --role builder operation.json",
        "cat operation.json | memfs memory-apply-operation --as agent:builder",
    ),
)
@click.argument("files", metavar="[FILE]…", nargs=-1, type=click.File("rb"))
@role_option
@key_option
@shared_options
def command(invocation: Invocation, *, files: tuple[BinaryIO, ...], role: str, key: str) -> int:
    """Apply a typed operation, as JSON from FILE or from standard input, or refuse it.

    Several files are applied in their order and together: where one is refused, none is applied.
    Nothing but these operations changes what a role remembers. An agent changes its own memory,
    a person that of any role.
    """
    sources: tuple[BinaryIO, ...] = files or (sys.stdin.buffer,)
    operations = [source.read() for source in sources]
    with invocation.open() as memory:
        if len(operations) == 1:
            return respond(invocation, memory.apply_operation(role, operations[0], key=key))
        told = memory.apply_operations(role, operations, key=key)
    return respond_all(invocation, [item.result for item in told], nothing="nothing was applied")
