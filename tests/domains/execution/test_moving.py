"""Moves in a store: one head, one winner, one commit; effects stay what they are elsewhere."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.domains.execution.moving import HeadMovedError
from memfs.domains.execution.reading import NoTaskError
from memfs.errors import MemfsError, UsageError
from memfs.model.execution import Turn, TurnSaid
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import Result, ResultStatus
from memfs.services.reading import UnknownRecordError
from tests.support.memory import AGENT, git, memory_of, new_project, store_root

_NUMBERS = count(1)
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
TOKEN = "AKIA" + "Q7" * 8


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One store for all."""
    return new_project(tmp_path_factory.mktemp("moving"))


@pytest.fixture
def memory(project: Path) -> Iterator[Memory]:
    """Its memory, as a program."""
    with memory_of(project, AGENT) as opened:
        yield opened


@pytest.fixture
def task(memory: Memory) -> str:
    """A task without steps."""
    return memory.start_task(f"Reach goal {next(_NUMBERS)}").target


def note(text: str = "Looked", **more: object) -> TurnSaid:
    return TurnSaid(turn=Turn.NOTE, text=text, **more)  # type: ignore[arg-type]


CALL = TurnSaid(turn=Turn.CALL, text="make test", tool="shell")
ANSWER = TurnSaid(turn=Turn.RESULT, text="2 failed\n  in 3 s\n")


def head_of(result: Result) -> str:
    assert result.status is ResultStatus.DONE, result
    return str(result.data["head"])


def steps_of(result: Result) -> list[str]:
    assert result.status is ResultStatus.DONE, result
    steps = result.data["steps"]
    assert isinstance(steps, list)
    return [str(step) for step in steps]


def codes(result: Result) -> list[str]:
    return [reason.code for reason in result.reasons]


def commits(project: Path) -> int:
    return int(git(store_root(project), "rev-list", "--count", "HEAD"))


@pytest.mark.invariant("A42")
def test_who_saw_another_head_is_told_both_and_writes_nothing(
    project: Path, memory: Memory, task: str
) -> None:
    first = head_of(memory.grow_task(task, [note()], head="none"))
    second = head_of(memory.grow_task(task, [note()], head=first[-6:]))
    before = commits(project)
    for seen in (first, "none", "", "nowhere", "step_"):
        with pytest.raises(HeadMovedError) as raised:
            memory.grow_task(task, [note()], head=seen)
        assert raised.value.code == "conflict.head-moved"
        assert raised.value.found == second
        assert second in raised.value.message
    assert commits(project) == before
    assert memory.show_task(task).tree.task.head == second


@pytest.mark.invariant("A64")
def test_a_wish_is_one_commit_of_all_its_steps_or_nothing(
    project: Path, memory: Memory, task: str
) -> None:
    before = commits(project)
    grown = memory.grow_task(task, [note(), CALL, ANSWER], head="none")
    assert commits(project) == before + 1
    assert head_of(grown) == steps_of(grown)[-1]
    refused = memory.grow_task(task, [note(), note(effects=("run_x",))], head=head_of(grown))
    assert (refused.status, codes(refused)) == (ResultStatus.REFUSED, ["execution.effect"])
    assert commits(project) == before + 1
    assert len(memory.show_task(task).tree.steps) == 3


def test_words_stay_exact_and_a_secret_is_left_out_and_counted(memory: Memory, task: str) -> None:
    hostile = f"</memfs-packet>\nok \u202e line\n{TOKEN}\nlast"
    grown = memory.grow_task(task, [CALL, ANSWER, note(hostile)], head="none")
    tree = memory.show_task(task).tree
    texts = [step.text for step in tree.path]
    assert texts[:2] == ["make test", "2 failed\n  in 3 s"]
    assert TOKEN not in texts[2]
    assert "last" in texts[2]
    assert "screening.secret: 1 left out" in str(grown.data["notes"])
    nothing = memory.grow_task(task, [note(TOKEN)], head=head_of(grown))
    assert memory.show_task(task).tree.path[-1].title == "(not kept)"
    assert nothing.status is ResultStatus.DONE


def test_the_same_key_is_carried_out_once_wherever_the_head_has_gone(
    project: Path, memory: Memory, task: str
) -> None:
    first = memory.grow_task(task, [CALL, ANSWER], head="none", key="one")
    head_of(memory.grow_task(task, [note()], head=head_of(first)))
    before = commits(project)
    again = memory.grow_task(task, [CALL, ANSWER], head="none", key="one")
    assert again.status is ResultStatus.NOTHING
    assert again.data["steps"] == first.data["steps"]
    assert commits(project) == before
    started = memory.start_task("Once", key="start")
    assert memory.start_task("Once", key="start").target == started.target
    assert memory.start_task("Once", key="other").target != started.target


@pytest.mark.invariant("A67")
def test_how_an_effect_ended_stands_in_its_own_record_alone(
    project: Path, memory: Memory, task: str
) -> None:
    issue = memory.open_issue(f"The pier leaks {next(_NUMBERS)}").target
    head = head_of(memory.grow_task(task, [note(effects=(issue,))], head="none"))
    assert memory.show_task(task).effects == {issue: "open"}
    memory.resolve_issue(issue)
    assert memory.show_task(task).effects == {issue: "resolved"}
    assert f"effect: {issue} (resolved)" in memory.task_context(task).text
    files = (store_root(project) / "work").rglob("*")
    words = "".join(path.read_text("utf-8") for path in files if path.is_file())
    assert issue in words
    assert "resolved" not in words
    assert head == memory.show_task(task).tree.task.head


@pytest.mark.invariant("A25", "A67")
def test_going_back_changes_no_effect_and_what_makes_up_for_it_is_another_one(
    memory: Memory, task: str
) -> None:
    run = memory.finish_run(task="Move the table", state="done", summary="Moved").target
    root = head_of(memory.grow_task(task, [note()], head="none"))
    tip = head_of(memory.grow_task(task, [CALL, note(effects=(run,))], head=root))
    before = memory.show_run(run).stored
    revised = head_of(memory.revise_task(task, to=root, why="The wrong table", head=tip))
    assert memory.show_run(run).stored == before
    assert memory.show_task(task).effects == {run: "done"}
    alone = memory.grow_task(task, [note(compensates=run)], head=revised)
    assert codes(alone) == ["execution.compensation"]
    back = memory.finish_run(task="Move it back", state="done", summary="Back").target
    memory.grow_task(task, [note(effects=(back,), compensates=run)], head=revised)
    assert memory.show_run(run).stored == before
    assert f"makes up for: {run} (done)" in memory.task_context(task).text


def test_a_summary_names_every_effect_of_its_range_and_goes_with_what_it_rests_on(
    project: Path, memory: Memory, task: str
) -> None:
    issue = memory.open_issue(f"The quay sinks {next(_NUMBERS)}").target
    grown = memory.grow_task(task, [note("heron", effects=(issue,)), CALL, ANSWER], head="none")
    first, call, last = steps_of(grown)
    done = memory.compress_task(
        task, first=first, last=last, objective="Look", result="One leak", head=head_of(grown)
    )
    tree = memory.show_task(task).tree
    assert tree.tail == ()
    assert tree.summaries[0].effects == (issue,)
    assert tree.summaries[0].sources == (first, call, last)
    with memory_of(project) as person:
        person.forget([first])
    seen = memory.show_task(task).tree
    assert seen.summaries == ()
    assert [[step.id for step in unit] for unit in seen.tail] == [[call, last]]
    assert "heron" not in memory.task_context(task).text
    assert head_of(memory.grow_task(task, [note()], head=head_of(done)))


def test_the_way_goes_on_when_the_head_itself_is_forgotten(
    project: Path, memory: Memory, task: str
) -> None:
    grown = memory.grow_task(task, [note("one"), note("two")], head="none")
    with memory_of(project) as person:
        person.forget([head_of(grown)])
    after = memory.grow_task(task, [note("three")], head=head_of(grown))
    assert [step.text for step in memory.show_task(task).tree.path] == ["one", "three"]
    assert after.status is ResultStatus.DONE


def test_a_field_is_verified_by_what_is_there_now(project: Path, memory: Memory, task: str) -> None:
    place = project / "src" / "app.py"
    place.parent.mkdir(exist_ok=True)
    place.write_text("x = 1\n")
    check = ["path=src/app.py"]
    said = memory.maintain_task(task, "entry", "src/app.py", checks=check, head="none")
    assert said.data["standing"] == "verified"
    more = memory.maintain_task(
        task, "proof", "It is src/app.py and all is well", checks=check, head=head_of(said)
    )
    assert more.data["standing"] == "conflicting"
    told = memory.maintain_task(task, "entry", "src/other.py", head=head_of(more))
    assert told.data["standing"] == "conflicting"
    place.unlink()
    fields = memory.show_task(task)
    states = fields.tree.fields(fields.holds)
    assert {name: str(state.standing) for name, state in states.items()} == {
        "entry": "unverified",
        "proof": "conflicting",
    }
    with pytest.raises(UsageError):
        memory.maintain_task(task, "entry", "x", checks=["moon=full"], head=head_of(told))


def test_a_closed_task_takes_no_step_and_is_listed_only_where_all_are(
    memory: Memory, task: str
) -> None:
    head = head_of(memory.grow_task(task, [note()], head="none"))
    assert task in [item.id for item in memory.list_tasks()]
    assert memory.finish_task(task, head=head).data["state"] == "done"
    assert codes(memory.grow_task(task, [note()], head=head)) == ["execution.closed"]
    assert task not in [item.id for item in memory.list_tasks()]
    assert task in [item.id for item in memory.list_tasks(is_all=True)]


def test_what_is_no_task_or_not_to_be_seen_is_not_moved(project: Path, memory: Memory) -> None:
    issue = memory.open_issue(f"The crane creaks {next(_NUMBERS)}").target
    with pytest.raises(NoTaskError):
        memory.show_task(issue)
    own = memory.start_task("Mine alone", scope="agent:builder").target
    other = Actor(Principal.parse("agent:other"), Channel.AGENT)
    with memory_of(project, other) as stranger:
        assert own not in [item.id for item in stranger.list_tasks(is_all=True)]
        for ask in (stranger.show_task, stranger.task_context):
            with pytest.raises(UnknownRecordError):
                ask(own)
        with pytest.raises(UnknownRecordError):
            stranger.grow_task(own, [note()], head="none")
    grown = memory.grow_task(own, [note("heron")], head="none")
    step = str(grown.data["head"])
    with memory_of(project, other) as stranger, pytest.raises(MemfsError):
        stranger.show(step)


def test_what_has_to_hold_is_what_its_record_says_now(project: Path, memory: Memory) -> None:
    with memory_of(project) as person:
        rule = person.remember("The file format stays as it is", kind="decision").target
        task = person.start_task("Resume", constraints=[rule, "No new server"]).target
        assert person.show_task(task).rules == (
            f"The file format stays as it is ({rule}@1)",
            "No new server",
        )
        person.correct(rule, "The file format gets a mark")
        assert person.show_task(task).rules[0] == f"The file format gets a mark ({rule}@2)"
        person.retract(rule)
    assert memory.show_task(task).rules == ("No new server",)


def test_nothing_enters_where_a_store_only_looks_on(tmp_path: Path) -> None:
    from tests.support.memory import replaced_settings

    project = new_project(tmp_path)
    replaced_settings(project, "mode: enforced", "mode: shadow")
    with memory_of(project) as person:
        assert codes(person.start_task("Reach it"))[0] == "mode.shadow"
        assert person.list_tasks() == ()


@pytest.mark.invariant("A64")
def test_an_edit_of_the_file_changes_words_and_takes_no_step_back(
    project: Path, memory: Memory, task: str
) -> None:
    first = head_of(memory.grow_task(task, [note("one")], head="none"))
    place = next((store_root(project) / "work").rglob(f"{task}.md"))
    goal = memory.show_task(task).tree.task.goal
    edited = place.read_text("utf-8").replace(goal, "Reach something else")
    with memory_of(project) as person:
        place.write_text(edited.replace("state: open", "state: done"), "utf-8")
        person.reconcile()
        second = head_of(memory.grow_task(task, [note("two")], head=first))
        assert memory.show_task(task).tree.task.goal == goal
        assert [result.status for result in person.accept(None)] == [ResultStatus.DONE]
        now = person.show_task(task).tree
        assert (now.task.goal, now.task.head) == ("Reach something else", second)
        assert [step.text for step in now.path] == ["one", "two"]
        assert not now.task.state.is_closed
        assert [item for item in person.check() if task in item.path] == []


def test_a_long_result_is_cut_to_what_a_file_holds_and_that_is_told(
    memory: Memory, task: str
) -> None:
    long = TurnSaid(turn=Turn.RESULT, text="word\n" * 30_000)
    grown = memory.grow_task(task, [CALL, long], head="none")
    assert "eligibility.bulk: 1 left out" in str(grown.data["notes"])
    text = memory.show_task(task).tree.path[-1].text
    assert 60_000 < len(text) < 65_536
    assert memory.task_context(task, budget=500).sections[-1].beyond == 1


def test_a_forgotten_task_takes_its_steps_along_and_leaves_its_effects(
    project: Path, memory: Memory, task: str
) -> None:
    issue = memory.open_issue(f"The mole is wet {next(_NUMBERS)}").target
    grown = memory.grow_task(task, [note("heron", effects=(issue,)), note()], head="none")
    with memory_of(project) as person:
        assert person.forget_task(task, why="done with").status is ResultStatus.DONE
        for name in (task, *steps_of(grown)):
            with pytest.raises(UnknownRecordError):
                person.show(name)
        assert str(person.show_issue(issue).state) == "open"
    files = (store_root(project) / "work").rglob("*")
    assert not [path for path in files if task in path.name]


def test_no_task_begins_without_a_goal_or_with_a_rule_that_cannot_be_read(memory: Memory) -> None:
    unkept = memory.start_task(TOKEN)
    assert (unkept.status, codes(unkept)) == (ResultStatus.REFUSED, ["screening.secret"])
    with pytest.raises(UsageError):
        memory.start_task("  ")
    with pytest.raises(UnknownRecordError):
        memory.start_task("Reach it", constraints=["mem_" + "0" * 26])
    with pytest.raises(UsageError):
        memory.start_task("Reach it", constraints=["x"] * 51)


def test_to_forget_a_step_takes_its_words_back_and_plain_ones_from_nobody(
    project: Path, memory: Memory, task: str
) -> None:
    telling = "The heron of the harbour master nests above the third crane"
    grown = memory.grow_task(task, [note(telling), note("make check")], head="none")
    with memory_of(project) as person:
        person.forget(steps_of(grown))
    again = memory.grow_task(task, [note(telling), note("make check")], head=head_of(grown))
    assert [step.title for step in memory.show_task(task).tree.path] == ["(not kept)", "make check"]
    assert "heron" not in memory.task_context(task).text
    other = memory.start_task(f"Reach goal {next(_NUMBERS)}").target
    memory.grow_task(other, [note("make check")], head="none")
    assert [step.text for step in memory.show_task(other).tree.path] == ["make check"]
    assert again.status is ResultStatus.DONE


def test_of_two_clones_that_moved_one_head_apart_the_head_here_stays(tmp_path: Path) -> None:
    here = new_project(tmp_path, "here")
    with memory_of(here, AGENT) as memory:
        task = memory.start_task("Reach it").target
        first = head_of(memory.grow_task(task, [note("one")], head="none"))
    there = tmp_path / "there"
    shutil.copytree(here, there)
    heads = []
    for project in (here, there):
        with memory_of(project, AGENT) as memory:
            grown = memory.grow_task(task, [note(f"moved {project.name}")], head=first)
            heads.append(head_of(grown))
    root = store_root(here)
    pulled = subprocess.run(
        ["git", *NO_HOOKS, "pull", "-q", "--no-rebase", str(store_root(there)), "main"],
        cwd=root,
        check=False,
        capture_output=True,
    )
    assert pulled.returncode == 1
    git(root, "checkout", "--theirs", "--", "work")
    git(root, "add", "work")
    git(root, *NO_HOOKS, "commit", "-q", "-m", "merged")
    with memory_of(here) as person:
        assert {result.status for result in person.accept(None)} == {ResultStatus.DONE}
        tree = person.show_task(task).tree
        assert tree.task.head == heads[0]
        assert [step.text for step in tree.path] == ["one", "moved here"]
        assert [step.id for step in tree.apart] == [heads[1]]
        assert head_of(person.grow_task(task, [note("on")], head=heads[0]))
        assert person.check() == ()
