"""How work stands, as sections of a packet: the last run, its next steps, the open issues.

Each entry is one record, or one thing that it says, whole; its words are escaped and quoted, so
that no text of a run or an issue can look like anything but its words (A56, O57).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memfs.formats.issue_log import parse_log
from memfs.model.instants import format_instant
from memfs.model.issue_fold import fold
from memfs.model.packet import Entry, Section
from memfs.model.record import Record
from memfs.services.packet_text import escaped_line, quoted

LAST_RUN: Final = "last_run"
OWN_RUN: Final = "own_run"
NEXT_STEPS: Final = "next_steps"
OWN_NEXT_STEPS: Final = "own_next_steps"
OPEN_ISSUES: Final = "open_issues"

SUMMARY_BYTES: Final = 1_200
"""A longer summary is named and not shown: nothing is cut in the middle."""
STEP_BYTES: Final = 400
MOST_STEPS: Final = 7
_MARKED_LINE: Final = re.compile(
    r"^(?:ACCOMPLISHED|ISSUES?|NEXT|WORKER|VERDICT|STATE)\s*:", re.MULTILINE
)
_HEADINGS: Final = {
    LAST_RUN: "The last run of this project:",
    OWN_RUN: "The last run of this chain or session:",
    NEXT_STEPS: "Next, as that run says:",
    OWN_NEXT_STEPS: "Next, as that run says:",
}


def run_sections(record: Record, *, is_own: bool = False) -> tuple[Section, ...]:
    """Returns a run and what it leaves to be done, as two sections; without steps, as one."""
    name, steps = (OWN_RUN, OWN_NEXT_STEPS) if is_own else (LAST_RUN, NEXT_STEPS)
    told = Section(
        name=name,
        heading=_HEADINGS[name],
        entries=(Entry(reference=record.reference, text=_run_text(record)),),
    )
    entries, beyond = _step_entries(record)
    if not entries and not beyond:
        return (told,)
    return told, Section(
        name=steps,
        heading=_HEADINGS[steps],
        entries=entries,
        beyond=beyond,
        more=f"memfs run show {record.id}",
    )


def issue_section(records: Sequence[Record], *, beyond: int) -> Section:
    """Returns open issues as a section, in the order that is given.

    Args:
        records: The issues.
        beyond: How many more are open.
    """
    return Section(
        name=OPEN_ISSUES,
        heading="Open issues:",
        entries=tuple(
            Entry(reference=record.reference, text=_issue_text(record)) for record in records
        ),
        beyond=beyond,
        more="memfs issue list",
    )


def summary_of(record: Record) -> str:
    """Returns what a run says of itself in a few sentences."""
    if record.summary:
        return record.summary.strip()
    return _MARKED_LINE.split(record.body, maxsplit=1)[0].strip().removeprefix("Summary: ")


def _run_text(record: Record) -> str:
    state = record.fields.get("state")
    said = [record.reference, str(state) if state else "run"]
    code = record.fields.get("exit_code")
    if isinstance(code, int) and code and code is not True:
        said.append(f"exit code {code}")
    ended = record.event_time or record.observed
    if ended is not None:
        said.append(f"ended {format_instant(ended)}")
    if record.origin is not None:
        said.append(f"{record.origin.origin_class} by {record.origin.principal}")
    head = f"- {' · '.join(escaped_line(part) for part in said)}"
    summary = summary_of(record)
    for told in ("\n".join((summary, *_done(record))).strip(), summary):
        if not told:
            return head
        if len(told.encode("utf-8", "surrogatepass")) <= SUMMARY_BYTES:
            return f"{head}\n{quoted(told)}"
    return f"{head}\n(a long summary; read it with: memfs show {record.id})"


def _done(record: Record) -> list[str]:
    """Returns what a run says it did, a line each, as its file says it."""
    done = record.fields.get("accomplished")
    return [f"ACCOMPLISHED: {item}" for item in done] if isinstance(done, list | tuple) else []


def _step_entries(record: Record) -> tuple[tuple[Entry, ...], int]:
    steps = record.fields.get("next")
    if not isinstance(steps, list | tuple):
        return (), 0
    lines = [escaped_line(str(step)) for step in steps]
    entries = [
        Entry(reference=record.reference, text=f"> - {line}", place=place)
        for place, line in enumerate(lines, start=1)
        if line and len(line.encode("utf-8", "surrogatepass")) <= STEP_BYTES
    ][:MOST_STEPS]
    return tuple(entries), len([line for line in lines if line]) - len(entries)


def _issue_text(record: Record) -> str:
    folded = fold(parse_log(record.body).events)
    said = [record.reference]
    if folded.opened is not None:
        said.append(f"since {folded.opened:%Y-%m-%d}")
    if folded.changed is not None and folded.changed != folded.opened:
        said.append(f"reopened {folded.changed:%Y-%m-%d}")
    if folded.changed_by:
        said.append(f"by {escaped_line(folded.changed_by)}")
    return f"- {' · '.join(said)}\n> {escaped_line(record.title)}"
