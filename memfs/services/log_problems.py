"""What is odd in the log of an issue, with its line: what ``check`` tells of it.

None of it keeps the issue from being served: a line that is no event says nothing of the state.
"""

from __future__ import annotations

from collections.abc import Iterator

from memfs.formats.issue_log import parse_log
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record
from memfs.policy.log_text import is_log

_HINT = "an event is: - TIME opened by WHO: TITLE (evt_…); its detail is indented by two blanks"


def log_problems(path: str, content: bytes, record: Record | None) -> tuple[Problem, ...]:
    """Returns what is odd in the log of a record; empty where it is no log.

    Args:
        path: Names the file.
        content: Its bytes.
        record: What they say; ``None`` when they cannot be read.
    """
    if record is None or not is_log(record.kind):
        return ()
    return tuple(_problems(path, content, record))


def _problems(path: str, content: bytes, record: Record) -> Iterator[Problem]:
    log = parse_log(record.body)
    body = record.body.encode("utf-8")
    above = content[: len(content) - len(body)].count(b"\n")
    for fault in log.faults:
        yield _problem(path, above + fault.line, fault.code, fault.message)
    if not log.events:
        yield _problem(path, 0, "issue.no-event", "expected at least one event, got none")
    orders = [event.order for event in log.events]
    if orders != sorted(orders):
        message = "expected events oldest first; the state is that of the newest"
        yield _problem(path, 0, "issue.order", message)


def _problem(path: str, line: int, code: str, message: str) -> Problem:
    return Problem(path, line, 0, code, message, _HINT, Severity.WARNING)
