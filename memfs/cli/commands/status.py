"""``memfs status``: what the store holds and what waits."""

from __future__ import annotations

from collections.abc import Mapping

import click

from memfs.cli.health import index_words, switch_rows, vector_words, writer_words
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import columns, printable, strong, write, write_json
from memfs.cli.values import result_value
from memfs.model.result import Result
from memfs.model.values import JsonValue


@click.command("status", short_help="Tell what the store holds and what waits.")
@shared_options
def command(invocation: Invocation) -> int:
    """Tell where the store is, what it holds, what waits, and whether all is well."""
    with invocation.open() as memory:
        result = memory.status()
    if invocation.is_json:
        write_json(result_value(result))
    else:
        write(_page(result))
    return result.exit_status


def _page(result: Result) -> str:
    data = result.data
    rows = [
        ("store", result.store),
        ("records", _counted(data.get("records"))),
        ("waiting", _number(data.get("waiting"), "for review; memfs review lists them")),
        ("held", _number(data.get("held"), "changed by commits of your own")),
        ("ledger", f"{str(data.get('ledger', ''))[:8]} on {data.get('branch') or 'no branch'}"),
        ("index", index_words(data.get("index"))),
        *([("vectors", vector_words(data.get("vectors")))] if data.get("vectors") else []),
        ("mode", str(data.get("mode", ""))),
        ("writer", writer_words(data.get("writer"))),
        *switch_rows(data),
    ]
    scripted = data.get("scripted")
    if isinstance(scripted, list) and scripted:
        rows.append(("scripts", f"may act for {', '.join(map(str, scripted))}"))
    lines = [
        strong(printable(result.target)),
        columns([(name, printable(text)) for name, text in rows], indent="  "),
    ]
    problems = data.get("problems")
    if isinstance(problems, list) and problems:
        lines += ["", *(printable(str(problem)) for problem in problems)]
    return "\n".join(lines)


def _counted(counts: JsonValue) -> str:
    if not isinstance(counts, Mapping):
        return "0"
    numbers = [number for number in counts.values() if isinstance(number, int)]
    parts = ", ".join(f"{kind} {number}" for kind, number in counts.items())
    return f"{sum(numbers)}  ({parts})" if parts else "0"


def _number(number: JsonValue, what: str) -> str:
    return f"{number}  {what}" if number else "0"
