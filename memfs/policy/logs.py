"""Logs: records whose body only ever grows, so that more of it takes nothing back (C15).

An issue is one. What is added to it, at the end or, by a merge, in between, changes neither its
version nor what it said before; everything else that changes in it is a new version like any
other's.
"""

from __future__ import annotations

from dataclasses import replace

from memfs.model.record import Record
from memfs.policy.content import statement_parts
from memfs.policy.log_text import is_log


def is_continued(old: Record, new: Record) -> bool:
    """Tells whether ``new`` is the same log with nothing in it changed and perhaps more in it.

    Every line of ``old`` stands in ``new``, in the same order, and all else that they state is
    the same; only what the log is called may differ where it has grown, since a merge takes the
    spelling of the one who opened it first.
    """
    if not is_log(old.kind) or old.kind != new.kind:
        return False
    before, after = _lines(old.body), _lines(new.body)
    title = old.title if len(after) > len(before) else new.title
    if statement_parts(_bare(old, old.title)) != statement_parts(_bare(new, title)):
        return False
    return _is_within(before, after)


def added_to(old: Record, new: Record) -> str:
    """Returns the lines that ``new`` has and ``old`` has not.

    Empty where there are none, and where a line of ``old`` is missing: all of ``new`` is new then.
    """
    if not is_log(old.kind) or old.kind != new.kind:
        return ""
    before, added = _lines(old.body), list[str]()
    at = 0
    for line in _lines(new.body):
        if at < len(before) and line == before[at]:
            at += 1
        else:
            added.append(line)
    return "".join(f"{line}\n" for line in added) if at == len(before) else ""


def _bare(record: Record, title: str) -> Record:
    return replace(record, title=title, body="")


def _is_within(few: list[str], many: list[str]) -> bool:
    rest = iter(many)
    return all(line in rest for line in few)


def _lines(body: str) -> list[str]:
    return [line for line in body.replace("\r\n", "\n").split("\n") if line.strip()]
