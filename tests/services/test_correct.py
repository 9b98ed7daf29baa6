"""A new version of the same claim in the same file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memfs.errors import MemfsError
from memfs.model.origin import Channel, Principal
from memfs.model.result import ResultStatus
from memfs.policy.authority import capture_origin
from memfs.services.correct import revise, target_of
from tests.support.memory import (
    AGENT,
    ANA,
    git,
    memory_of,
    new_project,
    record_files,
    store_root,
    workspace_of,
)
from tests.support.review import edit, is_clean, said, waiting

EVE = replace(ANA, principal=Principal.parse("user:eve"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one accepted fact."""
    made = new_project(tmp_path)
    with memory_of(made) as memory:
        memory.remember("The port is 8000", kind="fact", subject="port", tags=["net"])
    return made


def only_id(project: Path) -> str:
    with memory_of(project) as memory:
        return memory.list_records()[0].record.id


def test_a_correction_is_the_same_file_with_its_version_raised(project: Path) -> None:
    (file,) = record_files(project)
    name = only_id(project)
    with memory_of(project) as memory:
        result = memory.correct(name, "The port is 8001")
        record = memory.show(name).record
    assert (result.target, result.data["rule"]) == (name, "correction.own-claim")
    assert (record.version, record.title, record.tags) == (2, "The port is 8001", ("net",))
    assert record_files(project) == [file]
    blame = git(store_root(project), "blame", "--line-porcelain", str(file))
    assert blame.count("author user:ana\n") == len(file.read_text().splitlines())
    assert is_clean(project)


def test_a_title_of_its_own_stays(project: Path) -> None:
    with memory_of(project) as memory:
        name = memory.remember("nine minutes", kind="fact", title="How long a build takes").target
        memory.correct(name, "ten minutes")
        assert memory.show(name).record.title == "How long a build takes"


def test_a_correction_that_changes_nothing_is_known(project: Path) -> None:
    with memory_of(project) as memory:
        result = memory.correct(only_id(project), "The port is 8000")
    assert result.status is ResultStatus.DUPLICATE
    assert said(project) == ["The port is 8000"]


def test_a_correction_from_an_older_version_is_refused_with_both_named(project: Path) -> None:
    name = only_id(project)
    with workspace_of(project) as workspace:
        read = target_of(workspace, name, ANA)
        with memory_of(project) as memory:
            memory.correct(name, "The port is 8001")
            newer = memory.show(name)
        origin = capture_origin(ANA, "x")
        with pytest.raises(MemfsError) as caught:
            revise(workspace, read, replace(read.record, body="8002\n"), ANA, origin)
    assert (caught.value.code, caught.value.exit_status) == ("conflict.stale-base", 40)
    assert read.blob[:12] in caught.value.message
    assert newer.blob[:12] in caught.value.message
    assert said(project) == ["The port is 8001"]


def test_an_editor_gets_the_ledgers_text_and_what_it_saves_counts(project: Path) -> None:
    name = only_id(project)
    seen: list[tuple[bytes, str]] = []

    def save(content: bytes, suffix: str) -> bytes:
        seen.append((content, suffix))
        return content.replace(b"8000\n---", b"8000\n---").replace(b"is 8000\n", b"is 8001\r\n")

    (file,) = record_files(project)
    before = file.read_bytes()
    with memory_of(project) as memory:
        memory.edit(name, save)
        origin = memory.show(name).record.origin
    assert seen == [(before, ".md")]
    assert origin is not None
    assert origin.channel is Channel.EDITOR
    assert file.read_bytes().endswith(b"is 8001\r\n")
    assert is_clean(project)


def test_saving_nothing_new_in_the_editor_writes_nothing(project: Path) -> None:
    head = git(store_root(project), "rev-parse", "main")
    with memory_of(project) as memory:
        result = memory.edit(only_id(project), lambda content, _: content)
    assert result.status is ResultStatus.NOTHING
    assert git(store_root(project), "rev-parse", "main") == head


def test_a_broken_text_from_the_editor_changes_nothing(project: Path) -> None:
    (file,) = record_files(project)
    before = file.read_bytes()
    with memory_of(project) as memory, pytest.raises(MemfsError) as caught:
        memory.edit(only_id(project), lambda _, __: b"---\nkind: [\n---\nx\n")
    assert caught.value.code == "candidate.invalid"
    assert file.read_bytes() == before
    assert said(project) == ["The port is 8000"]


def test_a_kind_never_changes_in_place(project: Path) -> None:
    with memory_of(project) as memory:
        result = memory.edit(
            only_id(project), lambda text, _: text.replace(b"kind: fact", b"kind: note")
        )
    assert result.status is ResultStatus.REFUSED
    assert [reason.code for reason in result.reasons] == ["target.kind-changed"]


def test_what_another_person_stated_waits_for_review(project: Path) -> None:
    with memory_of(project, EVE) as memory:
        result = memory.correct(only_id(project), "The port is 9999")
    assert result.status is ResultStatus.WAITING
    assert "target.other-principal" in [reason.code for reason in result.reasons]
    assert said(project) == ["The port is 8000"]


def test_a_correction_by_an_agent_waits_with_a_small_diff(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        result = memory.correct(only_id(project), "The port is 8001")
    assert result.status is ResultStatus.WAITING
    with memory_of(project) as memory:
        candidate, diff = memory.candidate(result.target)
    assert candidate.base != ""
    assert "-The port is 8000\n" in diff
    assert "+The port is 8001\n" in diff
    assert "-subject" not in diff


def test_a_waiting_hand_edit_is_not_written_over(project: Path) -> None:
    (file,) = record_files(project)
    edited = edit(file, "is 8000\n", "is 8000, by hand\n")
    with memory_of(project) as memory:
        result = memory.correct(only_id(project), "The port is 8001")
    assert "was left as it is" in result.message
    assert file.read_bytes() == edited
    assert said(project) == ["The port is 8001"]
    assert len(waiting(project)) == 1


def test_a_correction_in_a_file_that_was_moved_stays_there(project: Path) -> None:
    (file,) = record_files(project)
    moved = file.with_name("port.md")
    file.rename(moved)
    with memory_of(project) as memory:
        memory.correct(only_id(project), "The port is 8001")
    assert record_files(project) == [moved]
    assert is_clean(project)


def test_an_own_comment_in_the_frontmatter_outlives_a_correction(project: Path) -> None:
    (file,) = record_files(project)
    edit(file, "---\nid:", "---\n# ask Bob\nx-team: net\nid:")
    with memory_of(project) as memory:
        memory.accept(None)
        memory.correct(only_id(project), "The port is 8001")
    assert file.read_text().startswith("---\n# ask Bob\nx-team: net\nid:")
    assert is_clean(project)


def test_a_persons_own_words_replace_what_only_an_agent_said(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project, AGENT) as memory:
        memory.propose("CI runs Node 20", kind="fact", subject="ci-node")
    with memory_of(project) as memory:
        memory.accept(None)
        result = memory.remember("CI runs Node 22", kind="fact", subject="ci-node")
        served = [stored.record.body for stored in memory.list_records()]
    assert [reason.code for reason in result.reasons] == ["correction.supersedes"]
    assert served == ["CI runs Node 22\n"]
