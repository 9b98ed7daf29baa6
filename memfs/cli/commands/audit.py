"""``memfs audit``: whether everything that is served was admitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from memfs.cli.examples import ExampleCommand
from memfs.cli.invocation import Invocation, shared_options
from memfs.cli.terminal import columns, counted, printable, problem_lines, say, write, write_json
from memfs.cli.values import problem_value
from memfs.model.problem import Severity
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.services.audit import AuditReport


@click.command(
    "audit",
    cls=ExampleCommand,
    short_help="Check that everything that is served was admitted.",
    examples=("memfs audit", "memfs audit --no-mark --json"),
)
@click.option("--no-mark", "is_report", is_flag=True, help="Only report; withhold nothing.")
@shared_options
def command(invocation: Invocation, is_report: bool) -> int:
    """Replay the ledger from the trailers of its commits, and compare it with what is served.

    Ends with 1 when something is served that nobody admitted, a commit does not do what it
    says, the ledger was moved by hand, or something forgotten is back.
    """
    with invocation.open() as memory:
        report = memory.audit(mark=not is_report)
    if invocation.is_json:
        write_json(report_value(report))
    else:
        _write(report)
    return 0 if report.is_sound else 1


def report_value(report: AuditReport) -> JsonValue:
    """Returns a report: whether it is sound, its facts, its problems and what was marked."""
    return {
        "sound": report.is_sound,
        **report.facts,
        "problems": [problem_value(item) for item in report.problems],
        "marked": [str(scope) for scope in report.marked],
    }


def _write(report: AuditReport) -> None:
    rows = [
        (name.replace("_", " "), printable(_words(value)))
        for name, value in report.facts.items()
        if name != "policies" and value not in (0, {}, [])
    ]
    policies = report.facts.get("policies")
    for item in policies if isinstance(policies, list) else []:
        if isinstance(item, Mapping):
            said = f"{item['policy']} accepted by {item['accepted_by']} at {item['at']}"
            rows.append(("policy", printable(said)))
    write(columns(rows))
    for problem in report.problems:
        write(problem_lines(problem))
    for scope in report.marked:
        say(f"{scope} is withheld until you have looked at it: memfs clear {scope}")
    errors = sum(item.severity is Severity.ERROR for item in report.problems)
    say(counted(errors, "problem") if errors else "everything that is served was admitted")


def _words(value: JsonValue) -> str:
    match value:
        case Mapping():
            return ", ".join(f"{name} {number}" for name, number in value.items())
        case list():
            return ", ".join(map(str, value))
        case _:
            return str(value)
