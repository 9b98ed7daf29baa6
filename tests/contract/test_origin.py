"""Where a claim came from decides what it is worth, and nothing that it says of itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memfs.errors import AccessError
from memfs.model.authority import Authority, Sink
from memfs.model.candidate import Submission
from memfs.model.origin import Actor, Channel, Origin, OriginClass, Principal
from memfs.model.record import Record
from memfs.model.result import ResultStatus
from memfs.policy.authority import capture_origin
from memfs.services.propose import submit
from tests.support.memory import AGENT, ANA, git, memory_of, new_project, store_root, workspace_of

TOOL = Actor(Principal.parse("tool:web"), Channel.TOOL)
BEN = Actor(Principal.parse("user:ben"), Channel.TERMINAL)


def _origin(**changes: object) -> Origin:
    return replace(capture_origin(ANA, "Use tabs"), **changes)  # type: ignore[arg-type]


@pytest.mark.invariant("A3")
@pytest.mark.parametrize(
    "origin",
    [
        _origin(source=""),
        _origin(digest=""),
        _origin(origin_class=OriginClass.HOST_OBSERVED),
        _origin(principal=Principal.parse("agent:builder")),
        _origin(channel=Channel.AGENT),
        _origin(channel=Channel.SYSTEM),
    ],
)
def test_an_origin_that_is_incomplete_or_not_its_channels_own_is_refused(
    tmp_path: Path, origin: Origin
) -> None:
    project = new_project(tmp_path)
    with workspace_of(project) as workspace:
        before = workspace.store.ledger_head()
        submission = Submission(draft=Record(kind="note", body="Use tabs\n"), origin=origin)
        result = submit(workspace, submission, ANA)
        assert result.status is ResultStatus.REFUSED
        assert result.reasons[0].code in ("origin.incomplete", "origin.class-mismatch")
        assert workspace.store.ledger_head() == before
        assert workspace.store.list_untracked("inbox") == ()


@pytest.mark.invariant("A3", "A4")
@pytest.mark.parametrize("actor", [AGENT, TOOL])
def test_what_a_draft_says_of_its_own_worth_counts_for_nothing(
    tmp_path: Path, actor: Actor
) -> None:
    project = new_project(tmp_path)
    text = "The build runs in the blue cluster\n"
    draft = Record(
        kind="fact",
        body=text,
        subject="build-cluster",
        authority=Authority.USER,
        confidence=1.0,
        importance=10,
        sinks=frozenset(Sink),
        origin=capture_origin(ANA, text),
    )
    with workspace_of(project) as workspace:
        result = submit(
            workspace, Submission(draft=draft, origin=capture_origin(actor, text)), actor
        )
        assert result.status in (ResultStatus.WAITING, ResultStatus.REFUSED)
    with memory_of(project) as memory:
        assert memory.list_records() == ()
        memory.accept(None)
        for stored in memory.list_records():
            assert stored.record.origin is not None
            assert stored.record.origin.principal == actor.principal


@pytest.mark.invariant("A5")
@pytest.mark.parametrize("confidence", [0.0, 0.5, 1.0])
def test_confidence_changes_no_decision(tmp_path: Path, confidence: float) -> None:
    project = new_project(tmp_path)
    text = "The build runs in the blue cluster\n"
    verdicts = []
    with workspace_of(project) as workspace:
        for actor in (AGENT, TOOL, BEN):
            draft = Record(kind="preference", body=text, confidence=confidence, subject="cluster")
            submission = Submission(draft=draft, origin=capture_origin(actor, text))
            verdicts.append(submit(workspace, submission, actor).status)
    assert verdicts == [ResultStatus.WAITING, ResultStatus.WAITING, ResultStatus.DONE]


@pytest.mark.invariant("A4")
def test_repetition_by_a_program_raises_nothing(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    for number in range(12):
        actor = (AGENT, TOOL)[number % 2]
        with memory_of(project, actor) as memory:
            result = memory.propose("Flask is the framework of this project", kind="fact")
            assert result.status is not ResultStatus.DONE
    with memory_of(project) as memory:
        assert memory.list_records() == ()


@pytest.mark.invariant("A11")
def test_a_correction_versions_its_record_alone(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        first = memory.remember("Ana uses tabs", kind="preference", subject="indent").target
        memory.remember("Ana writes Python", kind="preference", subject="language")
        before = {item.record.id: item.blob for item in memory.list_records()}
        memory.correct(first, "Ana uses spaces")
        after = {item.record.id: item for item in memory.list_records()}
    assert after[first].record.version == 2
    assert {name: item.blob for name, item in after.items() if name != first} == {
        name: blob for name, blob in before.items() if name != first
    }


@pytest.mark.invariant("A11")
def test_several_claims_in_one_proposal_wait(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    text = "- The database is Postgres\n- The cache is Redis\n- Deploys run on Mondays\n"
    with memory_of(project, AGENT) as memory:
        result = memory.propose(text, kind="fact", subject="stack")
    assert result.status in (ResultStatus.WAITING, ResultStatus.NEEDS_ANSWER)
    assert "claim.not-atomic" in {reason.code for reason in result.reasons}


@pytest.mark.invariant("A18")
def test_a_program_can_only_propose(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        kept = memory.remember("Ana uses tabs", kind="preference", subject="indent").target
        head = memory.workspace.store.ledger_head()
    for actor in (AGENT, TOOL):
        with memory_of(project, actor) as memory:
            memory.remember("Everybody uses spaces", kind="preference", subject="indent")
            memory.correct(kept, "Ana uses spaces")
            for decide in (memory.accept, memory.reject):
                with pytest.raises(AccessError):
                    decide(None)
            assert memory.workspace.store.ledger_head() == head
    with memory_of(project) as memory:
        assert memory.show(kept).record.version == 1


@pytest.mark.invariant("A22")
def test_a_repeated_key_changes_nothing(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        first = memory.remember("Ana uses tabs", kind="preference", key="import-1")
        head = memory.workspace.store.ledger_head()
        again = memory.remember("Ana uses spaces", kind="preference", key="import-1")
        assert memory.workspace.store.ledger_head() == head
    assert again.status in (ResultStatus.NOTHING, ResultStatus.DUPLICATE)
    assert again.target == first.target


@pytest.mark.invariant("A22")
def test_every_commit_names_actor_operation_decision_and_versions(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        target = memory.remember("Ana uses tabs", kind="preference", subject="indent").target
        memory.correct(target, "Ana uses spaces")
    log = git(store_root(project), "log", "--format=%an%n%b%x00")
    for message in filter(str.strip, log.split("\0")):
        for trailer in ("Memfs-Txn:", "Memfs-Operation:", "Memfs-Actor:", "Memfs-Decision:"):
            assert trailer in message
    assert f"Memfs-Record: {target}@2" in log


@pytest.mark.invariant("A23")
def test_every_path_into_the_ledger_gives_the_same_decision(tmp_path: Path) -> None:
    secret = "The key of the pay service is " + "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc"
    project = new_project(tmp_path)
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text(f"# Keys\n\n{secret}\n", encoding="utf-8")
    by_hand = store_root(project) / "records" / "note" / "2026-11" / "by-hand.md"
    by_hand.parent.mkdir(parents=True, exist_ok=True)
    by_hand.write_text(f"---\nkind: note\n---\n{secret}\n", encoding="utf-8")
    with memory_of(project) as memory:
        direct = memory.remember(secret)
        proposed = memory.propose(secret)
        kept = memory.remember("Ana uses tabs", kind="preference").target
        corrected = memory.correct(kept, secret)
        memory.import_path(notes, accept=True)
        memory.accept(None)
        texts = [item.record.body for item in memory.list_records()]
    assert {item.status for item in (direct, proposed, corrected)} == {ResultStatus.REFUSED}
    assert not any("4eC39Hq" in text for text in texts)
    assert "4eC39Hq" not in git(store_root(project), "log", "-p", "--all")
