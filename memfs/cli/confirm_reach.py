"""Shows a person exactly what a withdrawal would reach, and asks before it is done."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import click

from memfs.cli.invocation import Invocation
from memfs.cli.terminal import counted, printable, say

if TYPE_CHECKING:
    from memfs.app.container import Memory
    from memfs.model.record import StoredRecord

SHOWN: Final = 10


def is_confirmed(
    invocation: Invocation, memory: Memory, references: Sequence[str], verb: str
) -> bool:
    """Tells whether to go on: ``--yes`` was given, or the person at the terminal says so.

    Without a terminal nobody is asked: who may do it is decided all the same.
    """
    if invocation.yes or not sys.stdin.isatty():
        return True
    reach = memory.reach(references)
    say(f"this would {verb} {counted(len(reach.targets), 'record')}:")
    _say_lines(reach.targets)
    if reach.descendants:
        say(f"and withhold {counted(len(reach.descendants), 'record')} that rest on it until")
        say("what is still supported without it has been served again:")
        _say_lines(reach.descendants)
    if reach.is_source:
        say("a source is deleted, with the words that were kept of it")
    if click.confirm("go on?", err=True):
        return True
    say("nothing was changed")
    return False


def _say_lines(records: Sequence[StoredRecord]) -> None:
    for stored in records[:SHOWN]:
        record = stored.record
        title = f"({record.sensitivity.label})" if record.sensitivity.is_opaque else record.title
        say(f"  {record.reference}  {record.kind}  {printable(title)}")
    if len(records) > SHOWN:
        say(f"  and {len(records) - SHOWN} more")
