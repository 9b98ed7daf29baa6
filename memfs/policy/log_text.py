"""The words of a log: what somebody said, without the marks that memfs sets around it.

An event begins with an instant and ends with an id. Read as prose, ``… on IPv6``, a line feed and
``- 2026-02-01`` are a number to call; so the marks are taken away before the words are judged.
Nothing that anybody can choose is taken away with them: titles, details and names stay.
"""

from __future__ import annotations

import re
from typing import Final

from memfs.model.issue import ISSUE_KIND, EventKind
from memfs.model.record import Record

_LOGS: Final = frozenset({ISSUE_KIND})
_HEAD: Final = re.compile(
    rf"^- \d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{{1,6}})?Z (?:{'|'.join(EventKind)}) by (\S+): "
    r"(.*) \(evt_[0-7][0-9abcdefghjkmnpqrstvwxyz]{25}\)\r?$",
    re.MULTILINE,
)


def is_log(kind: str) -> bool:
    """Tells whether the records of a kind are logs."""
    return kind in _LOGS


def prose_of(record: Record) -> str:
    """Returns the body of a record as words to judge: of a log what was said, line by line."""
    if not is_log(record.kind):
        return record.body
    return _HEAD.sub(r"\2\n\1", record.body)
