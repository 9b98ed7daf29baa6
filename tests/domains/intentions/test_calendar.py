"""Intentions in a calendar: every time as it is, and nothing that may not leave."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memfs.app.memory import Memory
from memfs.domains.intentions.views import list_intentions
from memfs.model.intention import TimeTrigger
from memfs.model.result import ResultStatus
from memfs.policy.recurrence import occurrences_of
from tests.support.memory import AGENT, ANA, CountedIds, SteppedClock, new_project, workspace_of

icalendar = pytest.importorskip("icalendar", reason="memfs-ledger[calendar] is not there")
RULES = (
    "",
    "FREQ=DAILY;COUNT=5",
    "FREQ=DAILY;INTERVAL=2;UNTIL=20270331",
    "FREQ=WEEKLY;BYDAY=SA,SU;COUNT=6",
    "FREQ=MONTHLY;BYDAY=-1SA;UNTIL=20270731T013000",
)


def test_a_calendar_holds_every_time_and_nothing_that_may_not_leave(tmp_path: Path) -> None:
    from dateutil.rrule import rrulestr

    clock = SteppedClock()
    with workspace_of(new_project(tmp_path), clock=clock, ids=CountedIds()) as workspace:
        memory = Memory(workspace, ANA)
        assert memory.export("ical").lines == ()
        for number, rule in enumerate(RULES):
            memory.add_intention(
                f"Say; this, {number}\\ BEGIN:VTODO",
                at="2027-03-27T01:30",
                zone="Europe/Amsterdam",
                rrule=rule,
                window="2h",
            )
        memory.add_intention("At an instant\n\nWith a second\nline", at="2027-05-01T09:00+05:30")
        cut = memory.add_intention(
            "Cut short", at="2027-01-01T09:00", zone="UTC", rrule="FREQ=DAILY;COUNT=9", ends="36d"
        )
        memory.add_intention("When it happens", on="run")
        memory.add_intention("Replaced", at="2027-01-01T09:00Z", replaces=memory.add_intention(
            "Older", at="2027-01-01T09:00Z").target)  # fmt: skip
        cancelled = memory.add_intention("Cancelled", at="2027-01-01T09:00Z").target
        memory.cancel_intention(cancelled)
        hidden = memory.add_intention("Heron ledger", at="2027-01-01T09:00Z", sensitivity="secret")
        assert memory.accept([hidden.target])[0].status is ResultStatus.DONE
        views = list_intentions(workspace, ANA, is_all=True)
        exported = memory.export("ical")
        read = "".join(f"{line}\n" for line in exported.lines)
        programs = "".join(Memory(workspace, AGENT).export("ical").lines)

    assert exported.left_out == 1
    assert "Heron" not in read + programs
    assert read.count("\n") == read.count("\r\n")
    assert max(len(line.encode()) for line in read.split("\r\n")) <= 75
    calendar = icalendar.Calendar.from_ical(read)
    assert calendar.to_ical().decode() == read
    todos = {str(todo["uid"]).partition("@")[0]: todo for todo in calendar.walk("VTODO")}
    times = {
        view.id: view
        for view in views
        if view.intention is not None
        and isinstance(view.intention.trigger, TimeTrigger)
        and view.state != "superseded"
    }
    assert todos.keys() == times.keys() - {
        view.id for view in views if view.title == "Heron ledger"
    }
    assert len(exported.lines) == len(todos) == 9
    for name, todo in todos.items():
        intention = times[name].intention
        assert intention is not None
        assert isinstance(intention.trigger, TimeTrigger)
        start = todo.decoded("dtstart")
        found = [start]
        if "rrule" in todo:
            rule = todo["rrule"].to_ical().decode()
            found = list(rrulestr(rule, dtstart=start))
        wanted = [item.at for item in occurrences_of(intention.trigger)]
        if name == cut.target:
            wanted = [at for at in wanted if at < datetime(2027, 1, 4, 10, tzinfo=UTC)]
        # Compared on the clock: what it jumps over it shows nowhere.
        assert [at.astimezone(UTC) for at in found] == wanted
        assert str(todo["status"]) == ("CANCELLED" if name == cancelled else "NEEDS-ACTION")
        if intention.window is not None:
            assert todo.decoded("duration") == timedelta(hours=2)
    assert {str(todo["summary"]) for todo in todos.values()} >= {
        "Say; this, 3\\ BEGIN:VTODO",
        "At an instant",
    }
