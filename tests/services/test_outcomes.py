"""How using a record turned out is recorded from people and objective checks, and ranks (A41)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.errors import ConflictError, UsageError
from memfs.model.evidence import Observation
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import Result, ResultStatus
from tests.support.memory import (
    AGENT,
    git,
    memory_of,
    new_project,
    replaced_settings,
    store_root,
)

HOST = Actor(Principal.parse("tool:host"), Channel.HOST)
FIRST = "Retry the upload with a backoff of two seconds"
SECOND = "Retry the upload with a backoff of nine seconds"
QUESTION = "how to retry the upload with a backoff"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        for text in (FIRST, SECOND):
            assert memory.remember(text, kind="note").status is ResultStatus.DONE
    return project


def id_of(project: Path, text: str) -> str:
    with memory_of(project) as memory:
        return next(
            item.record.id for item in memory.list_records() if item.record.body == f"{text}\n"
        )


def observed(project: Path, exit_code: int, command: str = "make upload") -> str:
    with memory_of(project, HOST) as memory:
        return memory.observe(Observation(command=command, exit_code=exit_code)).target


def outcome(
    project: Path, reference: str, result: str, actor: Actor | None = None, **said: list[str]
) -> Result:
    with memory_of(project) as memory:
        memory.actor = actor or memory.actor
        return memory.outcome(reference, result, **said)


def order(project: Path) -> list[str]:
    with memory_of(project) as memory:
        return [item.stored.record.body.strip() for item in memory.search(QUESTION)]


def head(project: Path) -> str:
    return git(store_root(project), "rev-parse", "HEAD")


def test_what_worked_ranks_before_what_did_not_and_the_log_says_why(project: Path) -> None:
    assert set(order(project)) == {FIRST, SECOND}
    assert outcome(project, id_of(project, SECOND), "success").status is ResultStatus.DONE
    assert order(project) == [SECOND, FIRST]
    assert outcome(project, id_of(project, SECOND), "failure").status is ResultStatus.DONE
    assert order(project) == [FIRST, SECOND]
    with memory_of(project) as memory:
        found = memory.search(QUESTION)
        assert [item.components["outcome"] for item in found] == [0.0, -0.05]
        assert str(memory.explain(id_of(project, SECOND)).utility) == (
            "0 success, 0 partial, 1 failure; worth -0.50 of 1"
        )


def test_being_recalled_shown_and_cited_says_nothing_of_worth(project: Path) -> None:
    reference = id_of(project, SECOND)
    before = order(project)
    with memory_of(project, AGENT) as memory:
        for _ in range(5):
            memory.recall(QUESTION)
            memory.show(reference)
        memory.propose("The upload is retried", kind="fact", cites=[reference])
        memory.propose("Upload again", kind="note", derived_from=[reference])
    assert order(project) == before
    with memory_of(project) as memory:
        assert memory.explain(reference).utility.count == 0


def test_a_program_is_heard_where_the_host_saw_it_and_once(project: Path) -> None:
    reference = id_of(project, FIRST)
    before = head(project)
    told = outcome(project, reference, "success", AGENT)
    assert (told.status, told.reasons[0].code) == (ResultStatus.REFUSED, "outcome.not-verified")
    assert head(project) == before
    seen = observed(project, 0)
    done = outcome(project, reference, "success", AGENT, evidence=[seen])
    assert (done.status, done.data["success"]) == (ResultStatus.DONE, 1)
    again = outcome(project, reference, "success", AGENT, evidence=[seen])
    assert (again.status, again.data["success"]) == (ResultStatus.DUPLICATE, 1)
    wrong = outcome(project, reference, "success", AGENT, evidence=[observed(project, 2)])
    assert wrong.reasons[0].code == "outcome.seen-otherwise"


def test_an_outcome_is_kept_by_its_record_and_holds_no_word(project: Path) -> None:
    reference = id_of(project, FIRST)
    seen = observed(project, 1)
    done = outcome(project, reference, "failure", AGENT, evidence=[seen])
    (path,) = sorted((store_root(project) / "outcomes").rglob("*.json"))
    assert path.parent.name == reference[-2:]
    assert path.name.startswith(f"{reference}-")
    text = path.read_text("utf-8")
    assert f'"about": "{reference}@1"' in text
    assert '"principal": "system:memfs"' in text
    assert "upload" not in text.lower()
    assert str(done.data["outcome"]) in text
    with memory_of(project) as memory:
        assert memory.check() == ()
        assert memory.audit().is_sound


def test_what_the_record_speaks_of_can_be_looked_up(project: Path) -> None:
    (project / "upload.py").write_text("RETRIES = 3\n", "utf-8")
    with memory_of(project) as memory:
        reference = memory.remember("The retries stand in upload.py", kind="fact").target
    done = outcome(project, reference, "success", AGENT, verifiers=["path=upload.py"])
    assert done.status is ResultStatus.DONE
    again = outcome(project, reference, "success", AGENT, verifiers=["path=upload.py"])
    assert again.status is ResultStatus.DUPLICATE
    strange = outcome(project, reference, "success", AGENT, verifiers=["path=.gitignore"])
    assert strange.reasons[0].code == "outcome.not-mentioned"
    (project / "upload.py").unlink()
    gone = outcome(project, reference, "success", AGENT, verifiers=["path=upload.py"])
    assert gone.reasons[0].code == "outcome.seen-otherwise"


def test_a_new_wording_starts_with_nothing(project: Path) -> None:
    reference = id_of(project, FIRST)
    outcome(project, reference, "success")
    with memory_of(project) as memory:
        memory.correct(reference, "Retry the upload at once")
        assert memory.explain(reference).utility.count == 0


def test_an_outcome_goes_with_the_observation_that_it_rests_on(project: Path) -> None:
    reference = id_of(project, FIRST)
    seen = observed(project, 0)
    outcome(project, reference, "success", AGENT, evidence=[seen])
    with memory_of(project) as memory:
        memory.retract(seen)
        assert memory.explain(reference).utility.count == 0
        assert memory.show(reference).record.id == reference


def test_an_outcome_can_be_taken_back_by_a_person(project: Path) -> None:
    reference = id_of(project, FIRST)
    told = outcome(project, reference, "failure")
    with memory_of(project) as memory:
        memory.retract(str(told.data["outcome"]))
        assert memory.explain(reference).utility.count == 0
    assert outcome(project, reference, "failure").status is ResultStatus.DONE


@pytest.mark.parametrize("is_committed", [False, True])
def test_a_file_that_somebody_put_there_is_no_outcome(project: Path, is_committed: bool) -> None:
    """Whatever its origin says: it waits, and accepted it is the word of who accepts it."""
    reference, root = id_of(project, FIRST), store_root(project)
    outcome(project, reference, "failure", AGENT, evidence=[observed(project, 1)])
    (path,) = sorted((root / "outcomes").rglob("*.json"))
    text = path.read_text("utf-8").replace("failure", "success")
    for number, name in enumerate(("a1b2c3", "d4e5f6")):
        forged = text.replace(path.stem[-6:], name)
        path.with_name(f"{reference}-{name}.json").write_text(forged, "utf-8")
        if is_committed:
            git(root, "add", "outcomes")
            git(root, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", f"forged {number}")
    with memory_of(project) as memory:
        memory.reconcile()
        assert str(memory.explain(reference).utility).startswith("0 success, 0 partial, 1 failure")
        memory.accept(None)
        assert memory.explain(reference).utility.success <= 1


@pytest.mark.parametrize("mode", ["read-only", "off"])
def test_nothing_is_recorded_where_nothing_is_admitted(project: Path, mode: str) -> None:
    reference = id_of(project, FIRST)
    replaced_settings(project, "mode: enforced", f"mode: {mode}")
    assert outcome(project, reference, "success").reasons[0].code == f"mode.{mode}"


def test_a_source_that_is_off_and_a_polluted_namespace_are_not_heard(project: Path) -> None:
    reference, seen = id_of(project, FIRST), observed(project, 0)
    replaced_settings(project, "off: []", "off: [agent:builder]")
    said = outcome(project, reference, "success", AGENT, evidence=[seen])
    assert said.reasons[0].code == "source.off"


def test_a_record_that_may_not_be_seen_cannot_be_judged(project: Path) -> None:
    with memory_of(project) as memory:
        secret = memory.remember("The vault is in room nine", kind="note", sensitivity="secret")
    with pytest.raises(ConflictError):
        outcome(project, secret.target, "success", AGENT)
    with pytest.raises(UsageError):
        outcome(project, secret.target, "great")
    with pytest.raises(UsageError):
        outcome(project, secret.target, "success", verifiers=["weather=sunny"])
