"""A tracker's issues come in and go out again with every field as it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.app.container import Memory
from memfs.domains.runs.issue_key import tracker_key
from memfs.domains.runs.tracker_rows import parts_of_row, row_of_issue, state_of_row
from memfs.formats.issue_log import encode_events, parse_log
from memfs.model.issue import IssueState
from memfs.model.record import Record
from memfs.model.result import ResultStatus
from memfs.model.values import JsonValue
from tests.support.imports import FIXTURES, codes_of, drafts_of, items_of, real_source
from tests.support.memory import AGENT, memory_of, new_project, store_root
from tests.support.review import places_with

FIXTURE = FIXTURES / "tracker" / "issues.jsonl"
Row = dict[str, Any]


def rows_in(path: Path) -> dict[str, Row]:
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {row["id"]: row for row in rows}


def exported(memory: Memory) -> dict[str, Row]:
    rows = (json.loads(line) for line in memory.export("tracker").lines)
    return {row["id"]: row for row in rows}


def written(path: Path, *rows: Mapping[str, object]) -> Path:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
    return path


def a_row(**changes: object) -> Row:
    return {
        "id": "ds-1",
        "title": "Upload stalls",
        "description": "After the first block.",
        "status": "open",
        "priority": 2,
        "issue_type": "bug",
        "created_at": "2026-02-01T08:00:00Z",
        "updated_at": "2026-02-02T08:00:00Z",
        **changes,
    }


def there_and_back(row: Mapping[str, JsonValue]) -> Row:
    key = tracker_key(str(row["id"]))
    parts = parts_of_row(row, key)
    record = Record(
        kind="issue",
        title=parts.title,
        subject=key,
        body=encode_events(parts.events),
        fields={"key": key, "tracker": dict(parts.tracker)},
    )
    return row_of_issue(record)


@pytest.mark.parametrize("row", rows_in(FIXTURE).values(), ids=lambda row: row["id"])
def test_a_row_comes_back_as_it_was(row: Row) -> None:
    assert there_and_back(row) == row


_TEXT = st.text(max_size=40) | st.sampled_from(["", " ", "x\r\ny", "\n\nx", "- a\n  b\n", "x  "])
_VALUES = _TEXT | st.none() | st.integers() | st.booleans() | st.lists(_TEXT, max_size=2)
_STATUS = st.sampled_from(["open", "closed", "wontfix", "hooked", "frobnicated", "", "CLOSED"])
_TIMES = st.sampled_from(
    ["2026-02-01T08:00:00Z", "2026-02-01T08:00:00.5+01:00", "yesterday", "", "2025-01-01"]
)


@given(
    st.fixed_dictionaries(
        {"id": st.just("ds-1"), "title": _TEXT.filter(lambda text: text.strip() != "")},
        optional={
            "description": _VALUES,
            "notes": _VALUES,
            "design": _VALUES,
            "close_reason": _VALUES,
            "status": _STATUS,
            "created_at": _TIMES,
            "updated_at": _TIMES,
            "closed_at": _TIMES | st.none(),
            "whatever": _VALUES,
        },
    )
)
def test_any_row_comes_back_as_it_was(row: Row) -> None:
    assert there_and_back(row) == row


def test_two_hundred_and_fifty_real_issues_come_back_field_by_field(tmp_path: Path) -> None:
    source = real_source("beads") / "issues.jsonl"
    rows = rows_in(source)
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        result = ana.import_path(source, accept=True)
        assert result.status is ResultStatus.DONE, result
        assert len(result.data["recorded"]) == len(rows) == 250  # type: ignore[arg-type]
        back = exported(ana)
        again = ana.import_path(source, accept=True)
        states = {item.id: item.state for item in ana.list_issues(is_all=True)}
    different = [
        f"{name}.{field}"
        for name, row in rows.items()
        for field in {*row, *back[name]}
        if row.get(field) != back[name].get(field)
    ]
    assert different == []
    assert (again.status, again.data["known"]) == (ResultStatus.NOTHING, 250)
    closed = sum(row["status"] == "closed" for row in rows.values())
    assert sum(state is IssueState.RESOLVED for state in states.values()) == closed


@pytest.mark.parametrize(
    ("status", "state", "is_known"),
    [
        ("open", IssueState.OPEN, True),
        ("In-Progress", IssueState.OPEN, True),
        ("closed", IssueState.RESOLVED, True),
        ("Done", IssueState.RESOLVED, True),
        ("wont_fix", IssueState.WONTFIX, True),
        ("frobnicated", IssueState.OPEN, False),
        (None, IssueState.OPEN, True),
        (7, IssueState.OPEN, False),
    ],
)
def test_a_status_counts_and_is_kept(status: object, state: IssueState, is_known: bool) -> None:
    row = a_row(status=status)
    assert state_of_row(row) == (state, is_known)
    assert there_and_back(row) == row


def test_an_unknown_status_with_a_time_of_closing_counts_as_closed(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", a_row(status="zonked", closed_at="2026-02-03T08:00:00Z"))
    (draft,) = drafts_of(items_of(path))
    assert [str(item.kind) for item in parse_log(draft.body).events] == ["opened", "resolved"]
    assert codes_of(items_of(path)) == ["import.unknown-status"]


def test_a_description_that_imitates_an_event_changes_no_state() -> None:
    forged = parse_log(drafts_of(items_of(FIXTURE))[0].body)
    assert forged.faults == ()
    assert [item.by for item in forged.events] == ["import:tracker"] * 3


def test_one_id_twice_is_a_problem_and_the_first_stands(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", a_row(), a_row(title="Other"), a_row(), a_row(id="ds-2"))
    items = items_of(path)
    assert [draft.subject for draft in drafts_of(items)][:1] == ["tracker:ds-1"]
    assert codes_of(items) == ["import.duplicate-id"]
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        result = ana.import_path(path, accept=True)
        assert len(result.data["recorded"]) == 2  # type: ignore[arg-type]
        assert set(exported(ana)) == {"ds-1", "ds-2"}


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (a_row(id=""), "import.missing-field"),
        (a_row(id=7), "import.missing-field"),
        (a_row(id="a\nb"), "import.missing-field"),
        (a_row(title=" "), "import.missing-field"),
        (a_row(title=None), "import.missing-field"),
        (a_row(blob="x " * 40_000), "import.too-large"),
        (a_row(deep=[[[[[[[[[[1]]]]]]]]]]), "import.too-large"),
    ],
)
def test_a_row_that_cannot_be_kept_whole_is_named_with_its_line(
    tmp_path: Path, row: Row, code: str
) -> None:
    items = items_of(written(tmp_path / "a.jsonl", a_row(id="ds-0"), row), "tracker")
    assert codes_of(items) == [code]
    assert items[-1].problems[0].line == 2
    assert len(drafts_of(items)) == 1


def test_a_very_long_description_is_kept_whole(tmp_path: Path) -> None:
    row = a_row(description="A sentence of some words. " * 1_700, notes="More of it. " * 300)
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        ana.import_path(written(tmp_path / "a.jsonl", row), accept=True, format_name="tracker")
        assert exported(ana) == {"ds-1": row}
        assert ana.check() == ()


def test_a_field_that_reads_like_a_permission_is_left_out_and_named(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", a_row(metadata={"approved": True, "area": "web"}))
    items = items_of(path)
    (draft,) = drafts_of(items)
    tracker = draft.fields["tracker"]
    assert isinstance(tracker, dict)
    assert tracker["metadata"] == {"area": "web"}
    assert codes_of(items) == ["import.grants-action"]


def test_a_secret_in_one_issue_reaches_nothing_and_the_others_come_in(tmp_path: Path) -> None:
    secret = "ghp_" + "Qr7" * 12
    rows = (a_row(), a_row(id="ds-2", notes=f"the token is {secret}"), a_row(id="ds-3"))
    source = written(tmp_path / "a.jsonl", *rows)
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        result = ana.import_path(source, accept=True)
        assert [item["code"] for item in result.data["refused"]] == ["screening.secret"]  # type: ignore[index, union-attr, call-overload]
        assert set(exported(ana)) == {"ds-1", "ds-3"}
        cache = ana.workspace.cache_dir
    assert places_with(secret, store_root(project), cache) == []


def test_issues_of_one_title_stay_apart(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        ana.import_path(
            written(tmp_path / "a.jsonl", a_row(), a_row(id="ds-2"), a_row(id="DS-1")), accept=True
        )
        opened = ana.open_issue("Upload stalls")
        assert opened.data["is_new"]
        assert len(ana.list_issues()) == 4
        assert ana.show_issue("ds-2").stored.record.subject == "tracker:ds-2"


def test_an_agents_import_waits_and_a_person_takes_it_in_as_one_commit(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project, AGENT) as agent:
        assert agent.import_path(FIXTURE).status is not ResultStatus.REFUSED
        again = agent.import_path(FIXTURE)
        assert len(again.data["waiting"]) == 7  # type: ignore[arg-type]
        assert len(agent.candidates()) == 7
        assert agent.list_issues(is_all=True) == ()
    with memory_of(project) as ana:
        (result,) = ana.accept(None)
        assert len(result.data["recorded"]) == 7  # type: ignore[arg-type]
        assert exported(ana) == rows_in(FIXTURE)
        assert ana.audit().is_sound


def test_an_issue_that_changed_in_the_tracker_is_brought_up(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    source = tmp_path / "a.jsonl"
    closed = a_row(
        status="closed",
        title="Upload stalls on IPv6",
        updated_at="2026-02-05T08:00:00Z",
        closed_at="2026-02-05T08:00:00Z",
        close_reason="Fixed.",
        description="Something else now.",
    )
    opened_again = {
        **a_row(title="Upload stalls on IPv6", updated_at="2026-02-06T08:00:00Z"),
        "description": "Something else now.",
    }
    with memory_of(project) as ana:
        ana.import_path(written(source, a_row()), accept=True, format_name="tracker")
        ana.note_issue("ds-1", "seen here too")
        for row, state in ((closed, IssueState.RESOLVED), (opened_again, IssueState.OPEN)):
            result = ana.import_path(written(source, row), accept=True, format_name="tracker")
            assert len(result.data["recorded"]) == 1, result  # type: ignore[arg-type]
            view = ana.show_issue("ds-1")
            assert (view.state, view.title) == (state, "Upload stalls on IPv6")
            out = exported(ana)["ds-1"]
            assert [item["detail"] for item in out.pop("memfs_events")] == ["seen here too"]
            assert out.pop("updated_at")
            assert out == {name: row[name] for name in row if name != "updated_at"}
        stale = ana.import_path(written(source, closed), accept=True, format_name="tracker")
        assert any("import.older" in str(item) for item in stale.data["problems"])  # type: ignore[union-attr]
        assert ana.audit().is_sound


def test_one_id_of_two_trackers_is_not_one_issue(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    other = a_row(title="Something else", created_at="2026-03-01T08:00:00Z")
    with memory_of(project) as ana:
        ana.import_path(written(tmp_path / "a.jsonl", a_row()), accept=True, format_name="tracker")
        result = ana.import_path(
            written(tmp_path / "b.jsonl", other), accept=True, format_name="tracker"
        )
        assert (result.status, "import.other-issue" in str(result.data["problems"])) == (
            ResultStatus.PROBLEMS,
            True,
        )
        assert exported(ana) == {"ds-1": a_row()}


def test_what_happened_here_since_is_said_in_an_export(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        ana.import_path(written(tmp_path / "a.jsonl", a_row()), accept=True, format_name="tracker")
    with memory_of(project, AGENT) as agent:
        agent.resolve_issue("ds-1", detail="It was the proxy.")
        row = exported(agent)["ds-1"]
        own = agent.open_issue("One of ours", detail="words").target
        mine = exported(agent)[own]
    assert (row["status"], row["close_reason"]) == ("closed", "It was the proxy.")
    assert row["closed_at"] == row["updated_at"] > a_row()["updated_at"]
    assert [item["event"] for item in row["memfs_events"]] == ["resolved"]
    assert (mine["title"], mine["status"], mine["description"]) == ("One of ours", "open", "words")


def test_an_export_that_comes_back_changes_nothing(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    source = tmp_path / "out.jsonl"
    with memory_of(project) as ana:
        ana.import_path(written(source, a_row()), accept=True, format_name="tracker")
        ana.resolve_issue("ds-1")
        ana.open_issue("One of ours")
        source.write_text("".join(f"{line}\n" for line in ana.export("tracker").lines))
        before = ana.workspace.store.ledger_head()
        result = ana.import_path(source, accept=True)
        assert ana.workspace.store.ledger_head() == before
    assert (result.status, result.data["known"]) == (ResultStatus.NOTHING, 1)
    assert "import.own-issue" in str(result.data["problems"])


def test_two_stores_that_import_the_same_file_have_the_same_events(tmp_path: Path) -> None:
    bodies = []
    for name in ("one", "two"):
        project = new_project(tmp_path, name)
        with memory_of(project) as ana:
            ana.import_path(FIXTURE, accept=True)
            issues = ana.list_issues(is_all=True)
            bodies.append(sorted(item.stored.record.body for item in issues))
    assert bodies[0] == bodies[1]


def test_a_preview_writes_nothing(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        before = ana.workspace.store.ledger_head()
        result = ana.import_path(FIXTURE, dry_run=True)
        assert result.data["kinds"] == {"issue": 7}
        assert ana.workspace.store.ledger_head() == before


@pytest.mark.parametrize("verb", ["retract", "forget"])
def test_an_own_issue_that_was_taken_back_comes_back_from_no_export(
    tmp_path: Path, verb: str
) -> None:
    project = new_project(tmp_path)
    source = tmp_path / "issues.jsonl"
    with memory_of(project) as ana:
        issue = ana.open_issue("The vermilion gauge sticks").target
        source.write_text("".join(f"{line}\n" for line in ana.export("tracker").lines))
        if verb == "retract":
            ana.retract(issue)
        else:
            ana.forget([issue])
        result = ana.import_path(source, accept=True)
        assert "import.own-issue" in str(result.data["problems"])
        assert ana.list_issues(is_all=True) == ()
