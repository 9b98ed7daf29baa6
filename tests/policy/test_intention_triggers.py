"""When to ask, as it is kept: read strictly, bounded, and right whatever clocks do."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from random import Random

import pytest

from memfs.model.decision import Verdict
from memfs.model.intention import HORIZON, MOST_OCCURRENCES, TimeTrigger
from memfs.model.origin import Actor, Channel
from memfs.model.record import Record
from memfs.model.settings import HandEdits, TrustSettings
from memfs.model.values import JsonValue
from memfs.policy.authority import hand_edit_source
from memfs.policy.intention_triggers import (
    check_intention,
    check_trigger,
    intention_fields,
    intention_from,
    trigger_from,
    trigger_value,
)
from memfs.policy.recurrence import (
    DAYS,
    TriggerError,
    _dateutil_rule,
    _is_fitting,
    occurrences_of,
    rule_from,
)
from tests.support.policy import (
    AGENT,
    ANA,
    HOOK,
    HOST,
    IMPORT,
    NOW,
    SETTINGS,
    TOOL,
    WORKSPACE,
    origin_of,
    submit,
)

ISSUE = "iss_0t3g9w2c5m7q1z8x4v6b0n2k7r"
GOOD: tuple[dict[str, JsonValue], ...] = (
    {"type": "time", "at": "2027-03-01T09:00:00Z"},
    {"type": "time", "local": "2027-03-01T09:00:00", "zone": "Europe/Amsterdam"},
    {
        "type": "time",
        "local": "2027-03-01T09:00:00",
        "zone": "UTC",
        "rrule": "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1;COUNT=4",
    },
    {"type": "event", "of": "run", "match": {"state": "done", "workflow": "release"}, "most": 3},
    {"type": "event", "of": "issue", "match": {"event": "resolved", "issue": ISSUE}},
    {"type": "event", "of": "timeline", "match": {}},
    {"type": "state", "of": "path", "what": "docs/plan.md", "holds": "absent"},
    {"type": "state", "of": "issue", "what": ISSUE, "holds": "resolved"},
    {"type": "state", "of": "commit", "what": "0123abc", "holds": "release/2.0"},
)
BAD: tuple[JsonValue, ...] = (
    None,
    "tomorrow",
    {},
    {"type": "cron", "at": "2027-03-01T09:00:00Z"},
    {"type": ["time"]},
    {"type": "time"},
    {"type": "time", "at": "2027-03-01T09:00:00"},
    {"type": "time", "at": 5},
    {"type": "time", "at": "0001-01-01T00:00:00Z"},
    {"type": "time", "at": "9999-12-31T23:59:59Z"},
    {"type": "time", "at": "2027-03-01T09:00:00Z", "zone": "UTC"},
    {"type": "time", "at": "2027-03-01T09:00:00Z", "run": "rm"},
    {"type": "time", "local": "2027-03-01T09:00:00"},
    {"type": "time", "local": "2027-03-01T09:00:00+01:00", "zone": "UTC"},
    {"type": "time", "local": "2027-03-01T09:00:00", "zone": "../../etc/passwd"},
    {"type": "time", "local": "2027-03-01T09:00:00", "zone": "Europe/Atlantis"},
    {"type": "time", "local": "2027-03-01T09:00:00", "zone": "Europe/Amsterdam\n"},
    {"type": "event", "of": "mail"},
    {"type": "event", "of": "run", "match": {"task": "x"}},
    {"type": "event", "of": "run", "match": {"state": "fine"}},
    {"type": "event", "of": "run", "match": {"state": ["done"]}},
    {"type": "event", "of": "run", "most": 0},
    {"type": "event", "of": "run", "most": True},
    {"type": "event", "of": "run", "most": 1_001},
    {"type": "event", "of": "issue", "match": {"issue": "the export"}},
    {"type": "state", "of": "path", "what": "/etc/passwd", "holds": "present"},
    {"type": "state", "of": "path", "what": "../secret", "holds": "present"},
    {"type": "state", "of": "path", "what": "a//b", "holds": "present"},
    {"type": "state", "of": "path", "what": ".git/config", "holds": "present"},
    {"type": "state", "of": "path", "what": "a", "holds": "true"},
    {"type": "state", "of": "issue", "what": "x", "holds": "open"},
    {"type": "state", "of": "commit", "what": "--all", "holds": "main"},
    {"type": "state", "of": "commit", "what": "abcdef0", "holds": "--output=x"},
    {"type": "state", "of": "commit", "what": "abcdef0", "holds": "a..b"},
    {"type": "state", "of": "command", "what": "make", "holds": "0"},
)


@pytest.mark.parametrize("value", GOOD)
def test_a_trigger_reads_back_as_it_was_written(value: dict[str, JsonValue]) -> None:
    trigger = check_trigger(trigger_from(value))
    assert trigger_from(trigger_value(trigger)) == trigger
    assert {**value, "match": trigger_value(trigger).get("match")} == {
        "match": None,
        **trigger_value(trigger),
    }


@pytest.mark.parametrize("value", BAD)
def test_whatever_is_no_trigger_is_refused(value: JsonValue) -> None:
    with pytest.raises(TriggerError):
        check_trigger(trigger_from(value))
    fields: dict[str, JsonValue] = {"state": "pending", "trigger": value}
    now = datetime(2026, 11, 29, tzinfo=UTC)
    (found,) = check_intention(Record(kind="intention", observed=now, fields=fields))
    assert found.code == "intention.unreadable"


@pytest.mark.parametrize(
    "fields",
    [
        {"state": "soon"},
        {"window_s": 0},
        {"window_s": "2h"},
        {"window_s": 10**12},
        {"ends": "never"},
        {"ends": "2027-01-01T00:00:00"},
        {"after": "intent_x"},
        {"after": ["mem_01m8kbyj80000000000007hncv"]},
        {"after": [ISSUE] * 33},
        {"asked": -1},
        {"asked": 1.5},
        {"taken": ["x\ny"]},
        {"taken": ["x"] * 1_001},
        {"occurrence": 7},
        {"snoozed_until": "later"},
    ],
)
def test_whatever_is_no_intention_is_refused(fields: dict[str, JsonValue]) -> None:
    good: dict[str, JsonValue] = {"state": "pending", "trigger": GOOD[0]}
    now = datetime(2026, 11, 29, tzinfo=UTC)
    record = Record(kind="intention", observed=now, fields=good)
    assert check_intention(record) == ()
    assert intention_fields(intention_from(record)) == good
    assert check_intention(Record(kind="intention", fields=good)) != ()
    assert check_intention(Record(kind="intention", observed=now, fields={**good, **fields})) != ()


def test_no_setting_lets_a_file_an_import_or_a_quote_state_an_intention() -> None:
    fields: dict[str, JsonValue] = {"state": "pending", "trigger": GOOD[0]}
    draft = Record(kind="intention", title="x", observed=NOW, fields=fields)
    adopting = replace(SETTINGS, trust=TrustSettings(hand_edits=HandEdits.ADOPT, agent_quotes=True))
    edited = origin_of(WORKSPACE, "x", hand_edit_source("intentions/2026-11/x.md"))
    assert submit(draft).rule == "intention.user-stated"
    for decision in (
        submit(draft, origin=edited, settings=adopting),
        *(submit(draft, actor, settings=adopting) for actor in (AGENT, HOOK, HOST, IMPORT, TOOL)),
        submit(draft, Actor(ANA.principal, Channel.SCRIPTED), settings=adopting),
    ):
        assert (decision.verdict, decision.rule) == (Verdict.QUARANTINE, "intention.review")


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("FREQ=DAILY", "has to end"),
        ("FREQ=DAILY;COUNT=2;UNTIL=20271231", "has to end"),
        ("FREQ=DAILY;COUNT=1001", "COUNT of 1 to 1000"),
        ("FREQ=DAILY;UNTIL=20361231", "at most 1000 times"),
        ("FREQ=YEARLY;UNTIL=20991231", "within ten years"),
        ("FREQ=YEARLY;COUNT=20", "within ten years"),
        ("FREQ=DAILY;UNTIL=20200101", "after its own first time"),
        ("FREQ=HOURLY;COUNT=2", "expected FREQ"),
        ("FREQ=SECONDLY;COUNT=2", "expected FREQ"),
        ("FREQ=DAILY;INTERVAL=0;COUNT=2", "INTERVAL"),
        ("FREQ=DAILY;INTERVAL=-1;COUNT=2", "INTERVAL"),
        ("FREQ=DAILY;COUNT=٢", "COUNT"),
        ("FREQ=DAILY;COUNT=2;COUNT=3", "once"),
        ("FREQ=DAILY;COUNT=2;BYHOUR=1,2", "expected parts of"),
        ("FREQ=DAILY;BYDAY=1MO;COUNT=2", "numbered"),
        ("FREQ=MONTHLY;BYDAY=1MO,TU;COUNT=2", "numbered"),
        ("FREQ=WEEKLY;BYMONTHDAY=1;COUNT=2", "BYMONTHDAY"),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=2", "first time"),
        ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=2", "first time"),
        ("FREQ=WEEKLY;BYDAY=TU;COUNT=2", "first day that fits is 2027-03-02"),
        ("FREQ=DAILY;UNTIL=2027-12-31", "UNTIL"),
        ("FREQ=DAILY;UNTIL=20271331", "UNTIL"),
        ("FREQ=MONTHLY;BYSETPOS=1;COUNT=2", "BYSETPOS"),
        ("FREQ=DAILY;BYSETPOS=2;BYDAY=MO;COUNT=2", "BYSETPOS"),
        ("FREQ=DAILY;;COUNT=2", "expected parts of"),
        ("x" * 501, "characters"),
        ("", "expected"),
    ],
)
def test_a_rule_that_is_none_or_knows_no_end_is_refused_at_once(rule: str, said: str) -> None:
    began = time.process_time()
    trigger = TimeTrigger(local=datetime(2027, 3, 1, 9), zone="UTC", rrule=rule or ";")
    with pytest.raises(TriggerError, match=said):
        occurrences_of(trigger)
    assert time.process_time() - began < 1


def times(local: datetime, zone: str, rrule: str) -> list[str]:
    trigger = TimeTrigger(local=local, zone=zone, rrule=rrule)
    return [item.at.strftime("%m-%d %H:%M") for item in occurrences_of(trigger)]


def test_a_clock_that_is_put_forward_or_back_moves_the_instant_and_asks_once() -> None:
    at = datetime(2027, 3, 27, 2, 30)
    assert times(at, "Europe/Amsterdam", "FREQ=DAILY;COUNT=3") == [
        "03-27 01:30",
        "03-28 01:30",
        "03-29 00:30",
    ]
    back = datetime(2027, 10, 30, 2, 30)
    assert times(back, "Europe/Amsterdam", "FREQ=DAILY;COUNT=3") == [
        "10-30 00:30",
        "10-31 00:30",
        "11-01 01:30",
    ]
    apia = datetime(2011, 12, 29, 9)
    # A zone that left a day out has it all the same, at the hour at which it would have come.
    assert len(set(times(apia, "Pacific/Apia", "FREQ=DAILY;COUNT=3"))) >= 2


def test_an_end_is_of_the_clock_of_the_zone_unless_it_says_utc() -> None:
    at = datetime(2027, 3, 1, 9)
    for until, count in (("20270303", 3), ("20270303T085959", 2), ("20270303T080000Z", 3)):
        assert len(times(at, "Europe/Amsterdam", f"FREQ=DAILY;UNTIL={until}")) == count


def test_the_longest_rule_is_read_in_a_blink() -> None:
    began = time.process_time()
    trigger = TimeTrigger(
        local=datetime(2027, 3, 1, 9), zone="Europe/Amsterdam", rrule="FREQ=DAILY;COUNT=1000"
    )
    found = occurrences_of(trigger)
    assert len(found) == MOST_OCCURRENCES
    assert found[-1].at - found[0].at < HORIZON
    assert time.process_time() - began < 0.5


def test_whether_a_day_fits_a_rule_is_what_the_library_says() -> None:
    random = Random(3)
    asked = 0
    while asked < 150:
        freq = random.choice(("DAILY", "WEEKLY", "MONTHLY", "YEARLY"))
        parts = [f"FREQ={freq}", "COUNT=2"]
        if random.random() < 0.4:
            parts.append(f"BYMONTH={random.randint(1, 12)},{random.randint(1, 12)}")
        if random.random() < 0.4 and freq != "WEEKLY":
            parts.append(f"BYMONTHDAY={random.choice((1, 15, 28, 31, -1, -2))},3")
        if random.random() < 0.6:
            nth = random.choice(("", "1", "-1", "5")) if freq in ("MONTHLY", "YEARLY") else ""
            parts.append("BYDAY=" + ",".join(nth + day for day in random.sample(DAYS, 3)))
            if freq == "MONTHLY" and random.random() < 0.4:
                parts.append("BYSETPOS=-1")
        rule = rule_from(";".join(parts))
        start = datetime(2027, 1, 1, 9) + timedelta(days=random.randrange(900))
        is_fitting = _is_fitting(date(start.year, start.month, start.day), rule)
        if not is_fitting and asked % 10:
            continue
        asked += 1
        found = next(iter(_dateutil_rule(start, rule, start + timedelta(days=1))), None)
        assert (found == start) is is_fitting, (parts, start)
