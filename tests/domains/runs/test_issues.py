"""Issues are opened once, closed by name, appended to and never rewritten."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.domains.runs.issue_lookup import IssueUnwritableError, UnknownIssueError
from memfs.domains.runs.issue_plan import plan_issues
from memfs.domains.runs.issue_requests import IssueRequest
from memfs.domains.runs.issues import record_issues
from memfs.errors import MemfsError, UsageError
from memfs.formats.issue_log import parse_log
from memfs.model.authority import Authority
from memfs.model.candidate import CandidateAction, Submission
from memfs.model.issue import EventKind, IssueState
from memfs.model.limits import BODY_BYTES
from memfs.model.lineage import Lineage
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import ResultStatus
from memfs.policy.authority import capture_origin
from memfs.services.catalogue import open_catalogue
from memfs.services.correct import LogError
from memfs.services.propose import submit
from tests.support.issues import RUN
from tests.support.memory import (
    AGENT,
    ANA,
    CountedIds,
    SteppedClock,
    git,
    memory_of,
    new_project,
    replaced_settings,
    store_root,
    workspace_of,
)
from tests.support.withdrawal import derive, status_of

TOOL = Actor(Principal.parse("tool:scanner"), Channel.TOOL)
PERSONS_WORDS = "The allowlist is out of date"
"""What a person says of a program, and no program of itself."""
OTHER_RUN = "run_01kb8x3v6yq4m9t2r7w5z1c0df"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("issues"))


@pytest.fixture
def agent(project: Path) -> Iterator[Memory]:
    with memory_of(project, AGENT) as memory:
        yield memory


def in_run(memory: Memory, run: str) -> Memory:
    memory.workspace = replace(memory.workspace, lineage=Lineage(run=run))
    return memory


def file_of(project: Path, memory: Memory, reference: str) -> Path:
    return store_root(project) / memory.show_issue(reference).stored.path


def test_two_runs_that_report_the_same_issue_open_it_once(project: Path, agent: Memory) -> None:
    first = in_run(agent, RUN).open_issue("Upload stalls", detail="after a block")
    again = in_run(agent, OTHER_RUN).open_issue("`upload  STALLS`.", detail="after a block")

    assert (first.status, again.status) == (ResultStatus.DONE, ResultStatus.NOTHING)
    assert first.target == again.target
    view = agent.show_issue("upload stalls")
    assert [item.kind for item in view.events] == [EventKind.OPENED]
    assert sum(1 for item in agent.list_issues() if item.title == "Upload stalls") == 1


def test_every_change_names_the_run_that_caused_it(agent: Memory) -> None:
    in_run(agent, RUN).open_issue("Slow start")
    in_run(agent, OTHER_RUN).resolve_issue("Slow start", detail="cached")
    in_run(agent, RUN).reopen_issue("slow start")
    in_run(agent, OTHER_RUN).wontfix_issue("slow start")

    view = agent.show_issue("Slow start")
    assert [(item.kind, item.by) for item in view.events] == [
        (EventKind.OPENED, RUN),
        (EventKind.RESOLVED, OTHER_RUN),
        (EventKind.REOPENED, RUN),
        (EventKind.WONTFIX, OTHER_RUN),
    ]
    assert view.runs == (RUN, OTHER_RUN)
    assert view.state is IssueState.WONTFIX


def test_without_a_run_a_change_names_who_made_it(project: Path, agent: Memory) -> None:
    agent.open_issue("Nobody's run")
    with memory_of(project) as ana:
        ana.resolve_issue("nobody's run")

    events = agent.show_issue("Nobody's run").events
    assert [item.by for item in events] == ["agent:builder", "user:ana"]


def test_git_shows_additions_only_and_the_version_stays(project: Path, agent: Memory) -> None:
    result = agent.open_issue("Only added to", detail="first\nsecond")
    agent.note_issue("Only added to", "third")
    with memory_of(project) as ana:
        ana.resolve_issue("only added to", detail="by a person")
    path = str(result.data["path"])

    numbers = git(store_root(project), "log", "--numstat", "--format=", "--", path).split()

    assert numbers[1::3] == ["0", "0", "0"]
    record = agent.show_issue("Only added to").stored.record
    assert (record.version, record.authority) == (1, Authority.NONE)
    assert git(store_root(project), "status", "--porcelain") == ""


def test_the_ledger_is_sound_and_every_file_valid(project: Path, agent: Memory) -> None:
    agent.open_issue("Sound")
    agent.resolve_issue("Sound")
    with memory_of(project) as ana:
        assert ana.audit().is_sound
        assert ana.check() == ()


def test_what_is_reported_again_after_it_was_closed(agent: Memory) -> None:
    agent.open_issue("Comes back")
    agent.resolve_issue("comes back")
    agent.open_issue("Never mind")
    agent.wontfix_issue("never mind")

    back, declined = agent.open_issue("Comes back"), agent.open_issue("Never mind", detail="still")

    assert (back.data["event"], back.data["state"]) == ("reopened", "open")
    assert (declined.data["event"], declined.data["state"]) == ("noted", "wontfix")
    assert agent.open_issue("Never mind", detail="still").status is ResultStatus.NOTHING


def test_new_words_about_an_open_issue_are_noted(agent: Memory) -> None:
    agent.open_issue("More to say", detail="one")

    again = agent.open_issue("more to say", detail="two")

    assert again.data["event"] == "noted"
    assert [item.detail for item in agent.show_issue("more to say").events] == ["one", "two"]


def test_saying_what_is_so_already_adds_nothing(agent: Memory) -> None:
    agent.open_issue("Settled")
    assert agent.reopen_issue("Settled").status is ResultStatus.NOTHING
    agent.resolve_issue("Settled")
    assert agent.resolve_issue("Settled").status is ResultStatus.NOTHING
    assert agent.wontfix_issue("Settled").data["event"] == "wontfix"


def test_an_issue_is_found_by_id_end_file_and_title(agent: Memory) -> None:
    result = agent.open_issue("Found four ways")
    for reference in (
        result.target,
        result.target[-6:],
        str(result.data["path"]),
        "FOUND four ways!",
    ):
        assert agent.show_issue(reference).id == result.target


def test_what_names_no_issue_is_an_error(agent: Memory) -> None:
    with pytest.raises(UnknownIssueError):
        agent.resolve_issue("nothing of the kind")
    with pytest.raises(UsageError):
        agent.open_issue("  \n ")
    with pytest.raises(UsageError):
        agent.note_issue("nothing of the kind", " ")


def test_a_key_makes_a_repetition_harmless(agent: Memory) -> None:
    first = agent.open_issue("Keyed", detail="one", key="run-7")
    again = agent.open_issue("Keyed", detail="two", key="run-7")

    assert (first.status, again.status) == (ResultStatus.DONE, ResultStatus.NOTHING)
    assert len(agent.show_issue("Keyed").events) == 1


def test_words_that_memory_never_holds_are_left_out_and_the_issue_is_kept(
    project: Path, agent: Memory
) -> None:
    secret = "ghp_" + "Ab3" * 12
    result = agent.open_issue("The token expires", detail=f"It is {secret}\nOn the runner.")

    assert result.status is ResultStatus.DONE
    assert result.data["notes"] == ["screening.secret: 1 left out"]
    assert agent.show_issue(result.target).events[0].detail == "On the runner."
    path = str(result.data["path"])
    assert secret not in git(store_root(project), "log", "-p", "--", path)


def test_a_title_of_which_nothing_may_be_kept_opens_an_issue_without_one(agent: Memory) -> None:
    secret = "ghp_" + "Zq9" * 12
    result = agent.open_issue(f"password is {secret}")

    assert result.status is ResultStatus.DONE
    assert str(result.data["title"]).startswith("Untitled issue")
    assert secret.casefold() not in str(agent.show_issue(result.target)).casefold()


def test_an_agent_resolves_an_issue_whose_words_only_a_person_may_say(project: Path) -> None:
    with memory_of(project) as ana:
        opened = ana.open_issue(PERSONS_WORDS)
    assert (opened.status, opened.data["title"]) == (ResultStatus.DONE, PERSONS_WORDS)

    with memory_of(project, AGENT) as agent:
        result = agent.resolve_issue(opened.target, detail="done")

    assert (result.status, result.data["state"]) == (ResultStatus.DONE, "resolved")


def test_a_very_long_title_and_detail_are_kept_within_bounds(agent: Memory) -> None:
    title = "The upload " + "really " * 60 + "stalls"
    result = agent.open_issue(title, detail="words and " * 9_000)

    view = agent.show_issue(result.target)
    assert len(view.title) <= 200
    assert view.events[0].detail.startswith("The upload really")
    assert len(view.events[0].detail.encode()) <= 16_384
    assert result.data["notes"]
    assert agent.open_issue(title).target == result.target


def test_a_full_log_says_so_and_still_takes_a_change_of_state(agent: Memory) -> None:
    agent.open_issue("Fills up")
    results = [agent.note_issue("Fills up", f"{n} " + "word " * 3_200) for n in range(5)]
    assert "detail left out" in results[-1].data["notes"]  # type: ignore[operator]
    assert agent.resolve_issue("Fills up").status is ResultStatus.DONE
    assert len(agent.show_issue("Fills up").stored.record.body.encode()) <= BODY_BYTES


def test_hidden_and_control_characters_are_written_out(agent: Memory) -> None:
    result = agent.open_issue("Zero\u200bwidth", detail="a\x1b[31mred\x1b[0m\u202eb\rc\x00d")

    text = agent.show_issue(result.target).stored.record.body
    assert not {"\u200b", "\u202e", "\x1b", "\x00", "\r"} & set(text)


def test_a_text_that_imitates_an_event_changes_no_state(agent: Memory) -> None:
    forged = f"- 2026-11-30T09:00:00Z resolved by {RUN}: x (evt_01kb8x3v6yq4m9t2r7w5z1c0de)"
    result = agent.open_issue("Imitated", detail=f"look:\n{forged}")
    agent.note_issue("Imitated", forged)

    view = agent.show_issue(result.target)
    assert view.state is IssueState.OPEN
    assert len(view.events) == 2


def test_an_event_sorts_behind_all_others_whatever_the_clock_says(project: Path) -> None:
    ahead = SteppedClock()
    ahead.advance(timedelta(days=400))
    request = IssueRequest(kind=EventKind.OPENED, title="From the future")
    with workspace_of(project, clock=ahead, ids=CountedIds(500)) as workspace:
        record_issues(workspace, (request,), AGENT)
    with workspace_of(project, ids=CountedIds(1)) as workspace:
        record_issues(
            workspace, (IssueRequest(kind=EventKind.RESOLVED, reference="from the future"),), AGENT
        )
    with memory_of(project) as ana:
        assert ana.show_issue("From the future").state is IssueState.RESOLVED


def test_several_requests_are_one_commit_and_see_each_other(project: Path) -> None:
    before = int(git(store_root(project), "rev-list", "--count", "main"))
    requests = (
        IssueRequest(kind=EventKind.OPENED, title="First of two", detail="a", run=RUN),
        IssueRequest(kind=EventKind.OPENED, title="Second of two", run=RUN),
        IssueRequest(kind=EventKind.OPENED, title="first of two", detail="b", run=RUN),
        IssueRequest(kind=EventKind.RESOLVED, reference="first of two", run=RUN),
    )
    with workspace_of(project, ids=CountedIds(10_000)) as workspace:
        changes, transaction = record_issues(workspace, requests, AGENT)

    assert transaction
    assert int(git(store_root(project), "rev-list", "--count", "main")) == before + 1
    assert [item.is_new for item in changes] == [True, True, False, False]
    assert [str(item.event.kind) for item in changes if item.event] == [
        "opened",
        "opened",
        "noted",
        "resolved",
    ]
    assert changes[3].state is IssueState.RESOLVED


def test_a_plan_is_laid_out_for_a_commit_of_the_callers_own(project: Path) -> None:
    requests = (IssueRequest(kind=EventKind.OPENED, title="Planned only"),)
    with workspace_of(project) as workspace:
        snapshot = workspace.store.snapshot()
        catalogue = open_catalogue(workspace, snapshot)
        plan = plan_issues(workspace, snapshot, catalogue, requests, AGENT)
        catalogue.close()
    assert [draft.path for draft in plan.drafts] == [plan.changes[0].path]
    with memory_of(project) as ana, pytest.raises(UnknownIssueError):
        ana.show_issue("Planned only")


def test_what_a_tool_says_in_an_issue_goes_no_further_than_a_tool_may(project: Path) -> None:
    with memory_of(project) as ana:
        reference = ana.open_issue("Scanned").target
        assert ana.export("tracker").lines
        before = len(ana.export("tracker").lines)
    with memory_of(project, TOOL) as tool:
        assert tool.note_issue(reference, "the scanner says so").status is ResultStatus.DONE
    with memory_of(project) as ana:
        record = ana.show_issue(reference).stored.record
        assert {"remote", "agent"} <= set(record.taint)
        assert len(ana.export("tracker").lines) == before - 1


def test_what_rests_on_an_issue_stands_when_more_is_added(project: Path) -> None:
    with memory_of(project) as ana:
        issue = ana.open_issue("Rested on").target
        resting = derive(ana, "Uploads stall at times", issue)
        ana.note_issue(issue, "seen again")
        assert status_of(ana, resting) == "active"
        ana.retract(issue)
        assert status_of(ana, resting) != "active"


def test_a_retracted_issue_is_not_opened_again_and_comes_back_as_it_was(project: Path) -> None:
    with memory_of(project) as ana:
        issue = ana.open_issue("Taken back").target
        ana.retract(issue)
        assert all(item.id != issue for item in ana.list_issues(is_all=True))
        refused = ana.open_issue("taken back")
        assert (refused.status, refused.reasons[0].code) == (
            ResultStatus.REFUSED,
            "target.not-active",
        )
        ana.restore(issue)
        assert ana.show_issue(issue).state is IssueState.OPEN


def test_a_forgotten_issue_does_not_come_back(project: Path) -> None:
    with memory_of(project) as ana:
        ana.open_issue("Forgotten for good")
        ana.forget([ana.show_issue("forgotten for good").id])
        again = ana.open_issue("Forgotten for good")
    assert (again.status, again.reasons[0].code) == (ResultStatus.REFUSED, "tombstone.matches")


def test_the_default_list_shows_open_ones_and_what_was_closed_lately(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    clock = SteppedClock()
    with memory_of(project) as ana:
        ana.workspace = replace(ana.workspace, clock=clock)
        for title in ("Old", "Recent", "Standing", "Declined long ago"):
            ana.open_issue(title)
        ana.resolve_issue("Old")
        ana.wontfix_issue("Declined long ago")
        clock.advance(timedelta(days=60))
        ana.resolve_issue("Recent")
        clock.advance(timedelta(days=31))

        shown = [item.title for item in ana.list_issues()]
        everything = {item.title for item in ana.list_issues(is_all=True)}
        resolved = {item.title for item in ana.list_issues(states=("resolved",))}

    assert shown == ["Standing", "Recent"]
    assert everything == {"Old", "Recent", "Standing", "Declined long ago"}
    assert resolved == {"Old", "Recent"}


def test_an_unknown_state_is_refused(agent: Memory) -> None:
    with pytest.raises(UsageError, match="open, resolved"):
        agent.list_issues(states=("closed",))


def test_a_tightened_row_lets_events_wait_and_accepting_keeps_the_version(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project, AGENT) as agent:
        reference = agent.open_issue("Waits", detail="first").target
    replaced_settings(project, "tighten: {}", "tighten: {work.recorded: quarantine}")
    with memory_of(project, AGENT) as agent:
        opened = agent.open_issue("New and waiting", detail="words")
        closed = agent.resolve_issue("waits", detail="done")
        assert {opened.status, closed.status} == {ResultStatus.WAITING}
        assert agent.show_issue(reference).state is IssueState.OPEN
    with memory_of(project) as ana:
        ana.accept(None)
        assert ana.show_issue("new and waiting").state is IssueState.OPEN
        view = ana.show_issue(reference)
        assert (view.state, view.stored.record.version) == (IssueState.RESOLVED, 1)
        assert ana.audit().is_sound


def test_what_stands_in_a_log_already_keeps_nobody_from_adding_to_it(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        reference = ana.open_issue("Sandbox", detail=PERSONS_WORDS).target
    replaced_settings(project, "tighten: {}", "tighten: {work.recorded: quarantine}")
    with memory_of(project, AGENT) as agent:
        waiting = agent.resolve_issue(reference, detail="done")
        assert waiting.status is ResultStatus.WAITING
    with memory_of(project) as ana:
        (accepted,) = ana.accept(None)
        assert accepted.status is ResultStatus.DONE, accepted
        assert ana.show_issue(reference).state is IssueState.RESOLVED


def test_no_file_of_an_issue_claims_what_it_is_worth(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    path = store_root(project) / "issues" / "by-hand.md"
    path.parent.mkdir()
    line = f"- 2026-11-30T08:00:00Z opened by {RUN}: By hand (evt_01kb8x3v6yq4m9t2r7w5z1c0de)\n"
    path.write_text(f"---\nkind: issue\ntitle: By hand\nauthority: user\nkey: by hand\n---\n{line}")
    with memory_of(project) as ana:
        (accepted,) = ana.accept(None)
        assert accepted.status is ResultStatus.DONE, accepted
        view = ana.show_issue(accepted.target)
        assert (view.state, view.stored.record.authority) == (IssueState.OPEN, Authority.NONE)
        assert ana.audit().is_sound


def test_no_mode_that_takes_nothing_takes_an_issue(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    replaced_settings(project, "mode: enforced", "mode: read-only")
    with memory_of(project, AGENT) as agent, pytest.raises(MemfsError) as caught:
        agent.open_issue("Never")
    assert caught.value.code == "mode.read-only"


def test_a_hand_edit_and_an_appended_event_both_stay(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project, AGENT) as agent:
        reference = agent.open_issue("Edited meanwhile").target
        path = file_of(project, agent, reference)
    by_hand = "- 2026-11-30T09:13:00Z noted by user:ana: x (evt_01kb8x3v6yq4m9t2r7w5z1c0de)\n  hm\n"
    path.write_text(path.read_text() + by_hand)
    with memory_of(project, AGENT) as agent:
        agent.resolve_issue(reference, detail="done")
    with memory_of(project) as ana:
        ana.accept(None)
        view = ana.show_issue(reference)
        assert {item.detail for item in view.events} == {"", "hm", "done"}
        assert view.stored.record.version == 1
        assert ana.audit().is_sound
    assert parse_log(path.read_text().rpartition("---\n")[2]).faults == ()


def test_a_hand_edit_that_rewrites_an_event_is_a_new_version(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        reference = ana.open_issue("Rewritten", detail="tpyo").target
        path = file_of(project, ana, reference)
    path.write_text(path.read_text().replace("tpyo", "typo"))
    with memory_of(project) as ana:
        ana.accept(None)
        record = ana.show_issue(reference).stored.record
    assert (record.version, "typo" in record.body) == (2, True)


def test_a_line_that_is_no_event_is_named_with_its_line_and_hides_nothing(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        reference = ana.open_issue("Odd lines").target
        path = file_of(project, ana, reference)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + b"what is this\r\n")
    with memory_of(project) as ana:
        ana.accept(None)
        last = path.read_bytes().count(b"\n")
        assert [(item.line, item.code) for item in ana.check()] == [(last, "issue.line")]
        ana.resolve_issue(reference, detail="two\nlines")
        assert ana.show_issue(reference).state is IssueState.RESOLVED
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n")


def closed_to_agents(project: Path, title: str) -> str:
    """Opens an issue as a person and makes it confidential; returns its id."""
    with memory_of(project) as ana:
        reference = ana.open_issue(title, detail="vermilion detail").target
        path = file_of(project, ana, reference)
    path.write_text(
        path.read_text().replace("\nkind: issue\n", "\nkind: issue\nsensitivity: confidential\n")
    )
    with memory_of(project) as ana:
        ana.accept(None)
        assert ana.show_issue(reference).stored.record.sensitivity.is_opaque
    return reference


def test_an_issue_that_an_agent_may_not_see_leaves_no_trace(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    hidden = closed_to_agents(project, "Cobalt leak")
    with memory_of(project, AGENT) as agent:
        for reference in (hidden, hidden[-6:], "Cobalt leak"):
            with pytest.raises(UnknownIssueError):
                agent.show_issue(reference)
            with pytest.raises(UnknownIssueError):
                agent.resolve_issue(reference)
        assert agent.list_issues(is_all=True) == ()
        assert agent.export("tracker").lines == ()
        assert agent.export("tracker").left_out == 0
        mine = agent.open_issue("cobalt leak", detail="seen by me")
        assert (mine.status, mine.data["is_new"]) == (ResultStatus.DONE, True)
        assert mine.target != hidden
        assert "vermilion" not in str(agent.show_issue("cobalt leak"))
        assert agent.open_issue("cobalt leak").target == mine.target
    with memory_of(project) as ana:
        assert {item.id for item in ana.list_issues()} == {hidden, mine.target}
        assert "vermilion" not in (store_root(project) / "views" / "issues.jsonl").read_text()


def test_the_view_for_other_programs_is_the_same_made_anew(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    view = store_root(project) / "views" / "issues.jsonl"
    with memory_of(project) as ana:
        ana.open_issue("One", detail='"path":"a trap"')
        ana.open_issue("Two")
    with memory_of(project) as ana:
        ana.resolve_issue("one")
        ana.retract(ana.show_issue("two").id)
    kept = view.read_bytes()
    assert kept.count(b"\n") == 1
    view.write_text("scribbled over\n")
    with memory_of(project) as ana:
        ana.list_issues()
    assert view.read_bytes() == kept
    with memory_of(project) as ana:
        ana.rebuild()
    assert view.read_bytes() == kept


def test_people_are_the_only_ones_who_are_told_what_stays_behind(project: Path) -> None:
    with memory_of(project, ANA) as ana, pytest.raises(UsageError):
        ana.export("no-such-format")


@pytest.mark.parametrize(
    "title", ['" spaced  oddly "', '"#"', "'x (evt_01kb8x3v6yq4m9t2r7w5z1c0de)'"]
)
def test_an_issue_that_a_person_called_oddly_can_be_resolved(tmp_path: Path, title: str) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        reference = ana.open_issue("Renamed").target
        path = file_of(project, ana, reference)
    path.write_text(path.read_text().replace("title: Renamed", f"title: {title}"))
    with memory_of(project) as ana:
        ana.accept(None)
        assert ana.resolve_issue(reference).status is ResultStatus.DONE
        assert ana.show_issue(reference).state is IssueState.RESOLVED


def test_nothing_is_added_to_a_sealed_issue(tmp_path: Path) -> None:
    pytest.importorskip("pyrage", reason="memfs-ledger[sealed] is not there")
    project = new_project(tmp_path)
    with memory_of(project) as ana:
        reference = ana.open_issue("Sealed", detail="cobalt words").target
        path = file_of(project, ana, reference)
    path.write_text(path.read_text().replace("authority:", "sensitivity: sealed\nauthority:"))
    with memory_of(project) as ana:
        ana.accept(None)
        assert "cobalt words" not in path.read_text()
        with pytest.raises(IssueUnwritableError):
            ana.resolve_issue(reference)
        assert [item.state for item in ana.list_issues()] == [IssueState.UNKNOWN]
    with memory_of(project, AGENT) as agent:
        assert agent.list_issues() == ()
        assert agent.export("tracker").lines == ()


def test_eight_writers_at_once_open_one_issue_and_lose_no_word(tmp_path: Path) -> None:
    project = new_project(tmp_path)

    def work(number: int) -> None:
        with memory_of(project, AGENT) as agent:
            agent.open_issue("Contended", detail=f"from {number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))

    with memory_of(project) as ana:
        (view,) = ana.list_issues()
        assert [item.kind for item in view.events].count(EventKind.OPENED) == 1
        assert {item.detail for item in view.events} == {f"from {n}" for n in range(8)}
        assert ana.audit().is_sound


def test_nobody_says_a_log_anew(project: Path) -> None:
    with memory_of(project) as ana:
        reference = ana.open_issue("Said anew", detail="first").target
        with pytest.raises(LogError):
            ana.correct(reference, "Something else")
    with memory_of(project, AGENT) as agent, pytest.raises(LogError):
        agent.correct(reference, "Something else")


@pytest.mark.parametrize("words", ["", "Something else.\n"])
def test_no_program_takes_a_line_out_of_a_log(project: Path, words: str) -> None:
    with memory_of(project, AGENT) as agent:
        reference = agent.open_issue(f"Taken out {words}", detail="first").target
        stored = agent.show_issue(reference).stored
        draft = replace(stored.record, body=words)
        origin = capture_origin(AGENT, "x")
        submission = Submission(
            draft=draft, origin=origin, action=CandidateAction.REVISE, target=reference
        )
        result = submit(agent.workspace, submission, AGENT)
        assert (result.status, result.reasons[0].code) == (
            ResultStatus.REFUSED,
            "target.append-only",
        )


def test_a_person_adds_an_event_in_the_editor(project: Path) -> None:
    line = f"- 2026-12-30T08:00:00Z resolved by {RUN}: x (evt_01kb8x3v6yq4m9t2r7w5z1c0de)\n"
    with memory_of(project) as ana:
        reference = ana.open_issue("In the editor").target
        result = ana.edit(reference, lambda content, suffix: content + line.encode())
        assert result.status is ResultStatus.DONE, result
        view = ana.show_issue(reference)
        assert (view.state, view.stored.record.version) == (IssueState.RESOLVED, 1)
        assert ana.audit().is_sound


@pytest.mark.parametrize("actor", [ANA, AGENT], ids=["person", "program"])
def test_an_issue_that_was_taken_back_says_nothing_to_who_names_it(
    project: Path, agent: Memory, actor: Actor
) -> None:
    title = f"The vermilion gauge of the {actor.principal.name} sticks"
    issue = agent.open_issue(title, detail="It says cobalt.").target
    with memory_of(project) as ana:
        ana.retract(issue)

    with memory_of(project, actor) as reader:
        for reference in (issue, issue[-6:], title):
            with pytest.raises(UnknownIssueError):
                reader.show_issue(reference)
            with pytest.raises(UnknownIssueError):
                reader.note_issue(reference, "and it is hot")
