"""Logs: records whose body only ever grows, so that more of it takes nothing back (C15).

An issue is one. What is added to it, at the end or, by a merge, in between, changes neither its
version nor what it said before; everything else that changes in it is a new version like any
other's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memfs.model.record import Record
from memfs.model.values import JsonValue
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
    return _added(before, after) is not None


def is_grown(old: Record, new: Record) -> bool:
    """Tells whether every line of a log still stands, in order; what else changed is not asked."""
    return _added(_lines(old.body), _lines(new.body)) is not None


def new_in(old: Record, new: Record) -> Record:
    """Returns a log with nothing in it but the words that ``old`` does not say.

    Where a line of ``old`` is missing, all of it counts as new.
    """
    added = _added(_lines(old.body), _lines(new.body))
    if added is None or not is_log(new.kind) or old.kind != new.kind:
        return new
    return replace(
        new,
        body="".join(f"{line}\n" for line in added),
        title="" if new.title == old.title else new.title,
        subject="" if new.subject == old.subject else new.subject,
        tags=tuple(tag for tag in new.tags if tag not in old.tags),
        entities=tuple(name for name in new.entities if name not in old.entities),
        relations=tuple(link for link in new.relations if link not in old.relations),
        summary="" if new.summary == old.summary else new.summary,
        abstract="" if new.abstract == old.abstract else new.abstract,
        fields=_other(old.fields, new.fields),
        unknown=_other(old.unknown, new.unknown),
    )


def _other(old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    return {name: value for name, value in new.items() if old.get(name) != value}


def _added(few: list[str], many: list[str]) -> list[str] | None:
    """Returns the lines of ``many`` beyond those of ``few``; ``None`` where one is missing."""
    added: list[str] = []
    at = 0
    for line in many:
        if at < len(few) and line == few[at]:
            at += 1
        else:
            added.append(line)
    return added if at == len(few) else None


def _bare(record: Record, title: str) -> Record:
    return replace(record, title=title, body="")


def _lines(body: str) -> list[str]:
    return [line for line in body.replace("\r\n", "\n").split("\n") if line.strip()]
