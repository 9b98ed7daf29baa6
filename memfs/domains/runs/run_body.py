"""The body of a run's file: for people and for ``grep`` (C38). Pure.

First the summary on one line, then a line each for what was done, for the issues and for what is
next, in the end how it ended. Words of the run stand on lines that begin with a label of memfs,
so that none of them can pass for another line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memfs.domains.runs.issue_requests import IssueChange
from memfs.domains.runs.trailer import is_label
from memfs.model.run import RunOutcome
from memfs.model.values import JsonValue


def run_body(
    run: str,
    fields: Mapping[str, JsonValue],
    outcome: RunOutcome,
    changes: Sequence[IssueChange],
) -> str:
    """Returns the body of the file of a run.

    Args:
        run: Its id.
        fields: Its fields.
        outcome: What came of it.
        changes: What became of the issues that it reports.
    """
    lines = []
    if outcome.summary:
        is_odd = is_label(outcome.summary) or outcome.summary.startswith(_OWN)
        lines += [f"Summary: {outcome.summary}" if is_odd else outcome.summary, ""]
    lines += [f"ACCOMPLISHED: {item}" for item in outcome.accomplished]
    lines += [f"ISSUE: {change.id} {_verb(change)}: {change.title}" for change in changes]
    lines += [f"NEXT: {item}" for item in outcome.next]
    lines += [
        f"WORKER: {worker.name}{f' ({worker.state})' if worker.state else ''}"
        f"{f': {worker.line}' if worker.line else ''}"
        for worker in outcome.workers
    ]
    if outcome.verdict:
        lines.append(f"VERDICT: {outcome.verdict}")
    ended = [f"{fields['state']}"]
    if fields.get("exit_code") is not None:
        ended.append(f"exit code {fields['exit_code']}")
    if fields.get("duration_s") is not None:
        ended.append(f"{fields['duration_s']} s")
    lines.append(f"STATE: {', '.join(ended)} ({run})")
    return "\n".join(lines) + "\n"


_OWN = ("STATE:", "VERDICT:", "WORKER:", "ISSUE:")


def _verb(change: IssueChange) -> str:
    return str(change.event.kind) if change.event is not None else "named"
