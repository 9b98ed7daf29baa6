"""Reading by reference: what is found, what an agent is told, and what each version said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.app.memory import Memory
from memfs.errors import MemfsError
from memfs.model.candidate import Submission
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.policy.authority import capture_origin
from memfs.services.correct import correct
from memfs.services.propose import submit
from tests.support.memory import (
    AGENT,
    ANA,
    CountedIds,
    SteppedClock,
    memory_of,
    new_project,
    record_files,
    store_root,
    workspace_of,
)
from tests.support.review import edit, is_clean, said

OTHER = Actor(Principal.parse("agent:other"), Channel.AGENT)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an empty memory."""
    return new_project(tmp_path)


def remember(project: Path, text: str, **options: str) -> str:
    with memory_of(project) as memory:
        return memory.remember(text, **{"kind": "fact", **options}).target  # type: ignore[arg-type]


def test_a_record_is_found_by_id_end_of_id_and_file(project: Path) -> None:
    name = remember(project, "CI needs Node 20")
    path = record_files(project)[0].relative_to(store_root(project)).as_posix()
    references = (
        name,
        f"{name}@1",
        name[-6:],
        name[-6:].upper(),
        path,
        f".memfs/{path}",
        name[-4:],
    )
    for actor in (ANA, AGENT):
        with memory_of(project, actor) as memory:
            assert {memory.show(item).record.id for item in references} == {name}


@pytest.mark.parametrize(
    "reference", ["", "x", "abc", "zzzz", "mem_00000000000000000000000000", "records/fact/no.md"]
)
def test_an_unknown_reference_is_an_error_never_a_guess(project: Path, reference: str) -> None:
    remember(project, "CI needs Node 20")
    with memory_of(project) as memory, pytest.raises(MemfsError) as caught:
        memory.show(reference)
    assert (caught.value.code, caught.value.exit_status) == ("conflict.unknown-record", 40)


class SameEnding(CountedIds):
    """Ids that all end in the same four characters."""

    def new_id(self, prefix: str) -> str:
        return f"{super().new_id(prefix)[:-4]}aaaa"


def test_several_matches_are_listed(project: Path) -> None:
    with workspace_of(project, ids=SameEnding()) as workspace:
        names = [
            submit(
                workspace,
                Submission(
                    draft=Record(kind="fact", body=f"{text}\n"), origin=capture_origin(ANA, text)
                ),
                ANA,
            ).target
            for text in ("CI needs Node 20", "The build takes nine minutes")
        ]
    with memory_of(project) as memory, pytest.raises(MemfsError) as caught:
        memory.show("aaaa")
    assert caught.value.code == "conflict.ambiguous-record"
    assert all(name in caught.value.message for name in names)


def test_each_version_is_shown_as_it_was(project: Path) -> None:
    name = remember(project, "The port is 8000")
    with memory_of(project) as memory:
        memory.correct(name, "The port is 8001")
        memory.correct(name, "The port is 8002")
        said_then = [memory.show(f"{name}@{number}").record.body for number in (1, 2, 3)]
        assert [commit.subject for commit in memory.history(name)][-1] == (
            "remember: The port is 8000"
        )
        assert "-The port is 8000\n" in memory.diff(name, 1, 3)
        assert "+The port is 8002\n" in memory.diff(name)
        with pytest.raises(MemfsError) as caught:
            memory.show(f"{name}@4")
    assert said_then == ["The port is 8000\n", "The port is 8001\n", "The port is 8002\n"]
    assert caught.value.code == "conflict.unknown-version"


def test_versions_are_found_under_earlier_names_of_the_file(project: Path) -> None:
    name = remember(project, "The port is 8000")
    with memory_of(project) as memory:
        memory.correct(name, "The port is 8001")
    file = record_files(project)[0]
    file.rename(file.with_name("moved.md"))
    with memory_of(project) as memory:
        memory.correct(name, "The port is 8002")
        said_then = [memory.show(f"{name}@{number}").record.body for number in (1, 2, 3)]
        assert len(memory.history(name)) == 4
    assert said_then == ["The port is 8000\n", "The port is 8001\n", "The port is 8002\n"]
    assert is_clean(project)


def test_a_replaced_record_leads_to_what_replaced_it(project: Path) -> None:
    names = [remember(project, text, subject="port") for text in ("8000", "8001", "8002")]
    with memory_of(project) as memory:
        assert memory.show(names[0]).record.id == names[2]
        assert memory.show(f"{names[0]}@1").record.superseded_by == names[1]
    with memory_of(project, AGENT) as memory, pytest.raises(MemfsError) as caught:
        memory.show(names[0])
    assert caught.value.code == "conflict.unknown-record"


def _history(memory: Memory, name: str) -> object:
    return memory.history(name)


def _diff(memory: Memory, name: str) -> object:
    return memory.diff(name)


def _older(memory: Memory, name: str) -> object:
    return memory.show(f"{name}@1")


@pytest.mark.parametrize("read", [_history, _diff, _older])
def test_an_agent_reads_no_history(project: Path, read: Callable[[Memory, str], object]) -> None:
    name = remember(project, "The port is 8000")
    with memory_of(project) as memory:
        memory.correct(name, "The port is 8001")
    with memory_of(project, AGENT) as memory, pytest.raises(MemfsError) as caught:
        read(memory, name)
    assert (caught.value.code, caught.value.exit_status) == ("access.history-needs-person", 30)


def test_a_confidential_record_does_not_exist_for_an_agent(project: Path) -> None:
    with memory_of(project) as memory:
        memory.remember("Bob earns the most", kind="fact", sensitivity="confidential")
        (accepted,) = memory.accept(None)
    assert said(project) == ["Bob earns the most"]
    with memory_of(project, AGENT) as memory:
        assert memory.list_records() == ()
        assert memory.search("Bob earns") == ()
        assert "Bob" not in memory.recall("who earns the most").text
        for reference in (accepted.target, accepted.target[-6:]):
            with pytest.raises(MemfsError) as caught:
                memory.show(reference)
            assert caught.value.code == "conflict.unknown-record"
        with pytest.raises(MemfsError):
            memory.correct(accepted.target, "Bob earns nothing")


def test_an_agents_own_scope_is_its_own(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        memory.propose("I work on the parser", kind="note", scope="agent:builder")
    with memory_of(project) as memory:
        memory.accept(None)
    assert said(project, AGENT) == ["I work on the parser"]
    assert said(project, OTHER) == []
    assert said(project) == ["I work on the parser"]


def test_a_list_is_newest_first_and_bounded(project: Path) -> None:
    names = [remember(project, f"Build {number} passed") for number in range(3)]
    with memory_of(project) as memory:
        memory.remember("Tabs", kind="preference", tags=["style", "python"])
        assert [item.record.id for item in memory.list_records(kinds=["fact"])] == names[::-1]
        assert len(memory.list_records(limit=2)) == 2
        tagged = memory.list_records(tags=["python", "style"])
        assert [item.record.body for item in tagged] == ["Tabs\n"]
        assert memory.list_records(tags=["pyth"]) == ()


def test_a_question_about_the_past_is_answered_as_memory_stood_then(project: Path) -> None:
    clock = SteppedClock()
    with workspace_of(project, clock=clock) as workspace:
        first = submit(
            workspace,
            Submission(
                draft=Record(kind="fact", subject="port", body="The port is 8000\n"),
                origin=capture_origin(ANA, "x"),
            ),
            ANA,
        )
        then = clock.now()
        clock.advance(timedelta(hours=1))
        correct(workspace, first.target, "The port is 8001", ANA, capture_origin(ANA, "y"))
    stamp = then.strftime("%Y-%m-%dT%H:%M:%SZ")
    with memory_of(project) as memory:
        past = [hit.stored.record.body for hit in memory.search("port", as_of=stamp)]
        now = [hit.stored.record.body for hit in memory.search("port")]
        assert memory.search("port", as_of="2020-01-01") == ()
    assert (past, now) == (["The port is 8000\n"], ["The port is 8001\n"])


def test_validity_decides_what_was_true_then(project: Path) -> None:
    with workspace_of(project) as workspace:
        draft = Record(
            kind="fact",
            body="The office is in Hamburg\n",
            valid_from=workspace.clock.now().replace(year=2020),
            valid_until=workspace.clock.now().replace(year=2022),
        )
        submit(workspace, Submission(draft=draft, origin=capture_origin(ANA, "x")), ANA)
    assert said(project) == []
    with memory_of(project) as memory:
        assert memory.search("office Hamburg") == ()
        assert len(memory.search("office Hamburg", valid_at="2021-06-01")) == 1
        assert memory.search("office Hamburg", valid_at="2023-06-01") == ()


def test_a_record_that_expires_is_gone_without_anyone_doing_anything(project: Path) -> None:
    with workspace_of(project) as workspace:
        draft = Record(
            kind="fact",
            body="The freeze ends soon\n",
            expires=workspace.clock.now().replace(year=2025),
        )
        submit(workspace, Submission(draft=draft, origin=capture_origin(ANA, "x")), ANA)
    assert said(project) == []


def test_a_path_outside_the_records_is_no_record(project: Path) -> None:
    remember(project, "CI needs Node 20")
    for reference in ("memfs.yaml", "../.git/config", ".git/HEAD", "/etc/passwd", "inbox/x.md"):
        with memory_of(project) as memory, pytest.raises(MemfsError) as caught:
            memory.show(reference)
        assert caught.value.code == "conflict.unknown-record"


def test_a_record_with_a_broken_file_on_the_branch_hides_no_other(project: Path) -> None:
    remember(project, "CI needs Node 20")
    remember(project, "The build takes nine minutes")
    edit(record_files(project)[0], "kind: fact\n", "kind: fact\nkind: fact\n")
    assert said(project) == ["CI needs Node 20", "The build takes nine minutes"]


def test_reading_as_another_person_needs_no_more_than_being_one(project: Path) -> None:
    remember(project, "CI needs Node 20")
    eve = replace(ANA, principal=Principal.parse("user:eve"))
    assert said(project, eve) == ["CI needs Node 20"]
