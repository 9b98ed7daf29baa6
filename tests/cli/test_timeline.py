"""``memfs timeline`` as a person looks at it and a script calls it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memfs.cli.timeline_text import chart_lines, event_lines
from memfs.domains.timeline.events import EventView
from memfs.model.event import EventSort
from memfs.model.record import Record, StoredRecord
from tests.support.memory import new_project
from tests.support.processes import Ended, run_memfs

PERSON = ("--as", "user:ana", "--yes")
AT = datetime(2026, 1, 31, 23, 59, tzinfo=UTC)
VIEW = EventView(
    id="event_01m8p4h87jd6sac6v0ntewgp38",
    sort=EventSort.DECISION,
    title="Moved the API",
    text="Moved the API",
    at=AT,
    learned=AT,
    stored=StoredRecord(record=Record(kind="event"), path="", blob=""),
)


def _json(ended: Ended) -> Any:
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def at(step: timedelta, sort: EventSort = EventSort.WORK) -> EventView:
    return replace(VIEW, at=AT + step, sort=sort)


def test_days_are_of_utc_and_no_title_moves_the_cursor(monkeypatch: Any) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    hostile = replace(at(timedelta(minutes=2)), title="\x1b[2Jgone", names=("Quay\n4",))
    assert event_lines([hostile, VIEW]).splitlines() == [
        "2026-02-01",
        "  00:01  ▪  work  ewgp38  \\u{1b}[2Jgone  [Quay\\u{a}4]",
        "2026-01-31",
        "  23:59  ◆  decision  ewgp38  Moved the API",
    ]
    told_anew = replace(VIEW, superseded_by="event_01m8p4h87jd6sac6v0ntffffff")
    assert "(told anew: ffffff)" in event_lines([told_anew])


def test_a_chart_has_a_bar_a_day_a_month_or_a_year_and_names_gaps(monkeypatch: Any) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    day = timedelta(days=1)
    days = chart_lines([VIEW, at(timedelta()), at(day), at(10 * day)]).splitlines()
    assert [line.split()[0] for line in days] == ["2026-01-31", "2026-02-01", "⋮", "2026-02-10"]
    assert days[0].split() == ["2026-01-31", "2", "█" * 40, "1", "work,", "1", "decision"]
    assert (days[1].count("█"), days[2].split()[1:]) == (20, ["8", "without"])
    months = chart_lines([at(90 * day), VIEW]).splitlines()
    assert [line.split()[0] for line in months] == [
        "2026-05",
        "2026-04",
        "2026-03",
        "2026-02",
        "2026-01",
    ]
    years = chart_lines([VIEW, at(3000 * day)]).splitlines()
    assert [line.split()[0] for line in years] == ["2026", "⋮", "2034"]
    assert chart_lines([]) == ""


def test_a_script_records_and_reads_what_happened(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    added = _json(
        run_memfs(
            "timeline", "add", "-", "--kind", "decision", "--at", "2026-01-31T23:30:00-02:00",
            "--entity", "Quay 4", "--json", *PERSON, cwd=project, stdin="We moved the quay.\n",
        )
    )  # fmt: skip
    assert (added["status"], added["data"]["event_time"]) == ("done", "2026-02-01T01:30:00Z")
    inside = ("--since", "2026-02", "--until", "2026-03-01")
    wrong = run_memfs("timeline", *inside, cwd=project)
    assert (wrong.status, "expected an instant" in wrong.errors) == (2, True)
    found = _json(run_memfs("timeline", "--since", "2026-02-01", "--json", cwd=project))
    assert [(line["id"], line["kind"], line["entities"]) for line in found] == [
        (added["target"], "decision", ["Quay 4"])
    ]
    assert run_memfs("timeline", "--kind", "party", cwd=project).status == 2
    nothing = run_memfs("timeline", "--entity", "Quay 5", cwd=project)
    assert (nothing.status, nothing.output) == (0, "")
    assert "nothing is known to have happened" in nothing.errors
