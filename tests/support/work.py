"""Runs and issues as records, for tests of what is made of them; nothing is dispatched here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from memfs.model.instants import format_instant
from memfs.model.origin import Channel, Origin, OriginClass, Principal
from memfs.model.record import Record
from memfs.model.values import JsonValue
from tests.support.memory import workspace_of
from tests.support.recall_stores import OWN, SAID, commit, record_id

WORKER = Principal.parse("agent:builder")
BY_AGENT = Origin(
    origin_class=OriginClass.AGENT_STATED, principal=WORKER, channel=Channel.AGENT, source=""
)


def run_id(number: int) -> str:
    """Returns the id of the ``number``-th run of a test."""
    return record_id(number).replace("mem_", "run_")


def issue_id(number: int) -> str:
    """Returns the id of the ``number``-th issue of a test."""
    return record_id(number).replace("mem_", "iss_")


def run_of(
    number: int,
    summary: str,
    *,
    task: str = "",
    state: str = "done",
    at: datetime | None = None,
    done: Sequence[str] = (),
    next_steps: Sequence[str] = (),
    opened: Sequence[tuple[str, str]] = (),
    fields: dict[str, JsonValue] | None = None,
    **changes: Any,
) -> Record:
    """Returns the record of a run that ended ``number`` minutes after the beginning.

    Args:
        number: Which run it is.
        summary: What it says of itself.
        task: What it was asked.
        state: How it ended.
        at: When it ended.
        done: What it accomplished.
        next_steps: What it leaves to be done.
        opened: Id and title of the issues that it opened.
        fields: Lineage and other fields.
        changes: Fields of every record.
    """
    ended = at or SAID + timedelta(minutes=number)
    lines = [
        summary,
        "",
        *(f"ACCOMPLISHED: {line}" for line in done),
        *(f"ISSUE: {name} opened: {title}" for name, title in opened),
        *(f"NEXT: {line}" for line in next_steps),
    ]
    values: dict[str, JsonValue] = {
        "task": task or f"Do piece {number}",
        "state": state,
        "started": format_instant(ended - timedelta(seconds=30)),
        "finished": format_instant(ended),
        "root": run_id(number),
        **({"accomplished": list(done)} if done else {}),
        **({"issues": [name for name, _ in opened]} if opened else {}),
        **({"next": list(next_steps)} if next_steps else {}),
        **(fields or {}),
    }
    given: dict[str, Any] = {
        "kind": "run",
        "id": run_id(number),
        "title": (task or f"Do piece {number}")[:200],
        "body": "\n".join(lines).rstrip("\n") + "\n",
        "scope": OWN,
        "observed": ended,
        "origin": BY_AGENT,
        "fields": values,
    }
    return Record(**{**given, **changes})


def issue_of(
    number: int,
    title: str,
    *,
    events: Sequence[str] = ("opened",),
    by: str = "",
    at: datetime | None = None,
    **changes: Any,
) -> Record:
    """Returns an issue with one event an hour."""
    began = at or SAID + timedelta(minutes=number)
    lines = [
        f"- {format_instant(began + timedelta(hours=place))} {event} by {by or run_id(1)}: "
        f"{title} ({record_id(number * 100 + place).replace('mem_', 'evt_')})"
        for place, event in enumerate(events)
    ]
    given: dict[str, Any] = {
        "kind": "issue",
        "id": issue_id(number),
        "title": title,
        "body": "\n".join(lines) + "\n",
        "scope": OWN,
        "subject": title.lower(),
        "observed": began,
        "origin": BY_AGENT,
        "fields": {"key": title.lower()},
    }
    return Record(**{**given, **changes})


def recorded(project: Path, *records: Record) -> None:
    """Puts records of work into the ledger of a project, as if they had been admitted."""
    with workspace_of(project) as workspace:
        filed = [replace(item, scope=item.scope and workspace.scope) for item in records]
        commit(workspace.store, *filed)
