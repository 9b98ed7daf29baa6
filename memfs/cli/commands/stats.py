"""``memfs stats``: how much there is and how it was used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from memfs.cli.health import writer_words
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import columns, printable, strong, write, write_json
from memfs.cli.values import result_value
from memfs.model.values import JsonValue


@click.command("stats", short_help="Count what there is and how it was used.")
@shared_options
def command(invocation: Invocation) -> int:
    """Count records, what waits, answers and background work; never their content.

    A program counts what it may read and its own questions.
    """
    with invocation.open() as memory:
        result = memory.stats()
    if invocation.is_json:
        write_json(result_value(result))
    else:
        rows = [(name, printable(text)) for name, text in _rows(result.data)]
        write("\n".join([strong(printable(result.target)), columns(rows, indent="  ")]))
    return result.exit_status


def _rows(data: Mapping[str, JsonValue], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in data.items():
        title = f"{prefix}{name.replace('_', ' ')}"
        match value:
            case _ if title == "writer":
                yield title, writer_words(value)
            case Mapping() if any(isinstance(part, Mapping) for part in value.values()):
                yield from _rows(value, f"{title} ")
            case Mapping():
                said = ", ".join(f"{key} {part}" for key, part in value.items() if part != "")
                yield title, said or "none"
            case _:
                yield title, str(value)
