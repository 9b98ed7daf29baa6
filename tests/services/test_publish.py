"""Publication: what is offered, what the destination makes of it, and what is never published."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.errors import MemfsError, UsageError
from memfs.model.authority import Authority, Sensitivity, Sink
from memfs.model.candidate import Candidate
from memfs.model.origin import Actor, Channel, OriginClass
from memfs.model.record import StoredRecord
from memfs.model.result import ResultStatus
from memfs.services.beside import NoGlobalStoreError
from memfs.services.inbox import read_inbox
from memfs.services.outbox import offered_elsewhere
from memfs.services.reading import UnknownRecordError
from tests.support.memory import (
    AGENT,
    ANA,
    git,
    memory_of,
    new_project,
    replaced_settings,
    store_root,
)
from tests.support.namespaces import (
    PROGRAMS,
    SCRIPT,
    accepted,
    at_store,
    new_global,
    stated,
    tree_of,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


@pytest.fixture
def claim(project: Path) -> str:
    """A fact of the project, stated by its owner."""
    return stated(store_root(project), "Deploys go out on Tuesdays", subject="deploys")


def waiting_in(root: Path) -> tuple[Candidate, ...]:
    with at_store(root) as memory:
        return memory.candidates()


def records_of(root: Path) -> list[StoredRecord]:
    with at_store(root) as memory:
        return list(memory.list_records())


def outbox_of(project: Path) -> list[dict[str, object]]:
    folder = store_root(project) / "publications"
    return [json.loads(path.read_text()) for path in sorted(folder.rglob("*.json"))]


def publish(project: Path, reference: str) -> None:
    with memory_of(project) as memory:
        memory.publish(reference, "global")


def test_a_published_record_is_a_candidate_there_with_a_pointer_back(
    project: Path, claim: str
) -> None:
    root = new_global()
    with memory_of(project) as memory:
        result = memory.publish(claim, "global")
        source = memory.workspace.store_id
    assert result.status is ResultStatus.WAITING
    assert result.reasons[0].code == "publication.review"
    (candidate,) = waiting_in(root)
    assert candidate.id == result.data["received_as"]
    assert candidate.origin.source == f"publication:{source}/{claim}@1"
    text = candidate.content.decode()
    assert "scope: global\n" in text
    assert claim not in text.replace(candidate.origin.source, "")
    assert records_of(root) == []
    (kept,) = records_of(store_root(project))
    assert (kept.record.id, str(kept.record.scope)) == (claim, "project:datasync")


def test_the_outbox_says_where_to_and_nothing_of_what(project: Path, claim: str) -> None:
    new_global()
    publish(project, claim)
    (offer,) = outbox_of(project)
    assert offer["record"] == f"{claim}@1"
    assert offer["destination"] == "global"
    assert str(offer["received_as"]).startswith("cand_")
    assert "Tuesdays" not in json.dumps(offer)
    log = git(store_root(project), "log", "-2", "--format=%B")
    assert log.count("Memfs-Operation: publish\n") == 2
    assert log.count("Memfs-Decision: allow publication.offer\n") == 2
    assert "Tuesdays" not in log


def test_accepting_there_keeps_the_pointer_and_raises_nothing(project: Path) -> None:
    root = new_global()
    with memory_of(project, AGENT) as memory:
        memory.propose("The build takes nine minutes", kind="fact")
    (done,) = accepted(store_root(project))
    lowered(project, done.target, authority="unverified", taint="[agent, web]", sinks="[person]")
    publish(project, done.target)
    (accepted_there,) = accepted(root)
    assert accepted_there.status is ResultStatus.DONE
    (stored,) = records_of(root)
    record = stored.record
    assert record.authority is Authority.UNVERIFIED
    assert set(record.taint) >= {"agent", "web"}
    assert record.sinks == frozenset({Sink.PERSON})
    assert record.origin is not None
    assert record.origin.source.startswith("publication:store_")
    assert record.origin.origin_class is OriginClass.AGENT_STATED
    assert (record.derived_from, record.branch) == ((), "")
    with memory_of(project) as memory:
        assert set(record.evidence).isdisjoint(memory.show(done.target).record.evidence)


def lowered(project: Path, identifier: str, **fields: str) -> None:
    """Puts labels into a record's file past every command and accepts that as it is."""
    root = store_root(project)
    (path,) = root.glob(f"records/*/*/*{identifier[-6:]}.md")
    lines = path.read_text().split("\n")
    kept = [line for line in lines if line.partition(":")[0] not in fields]
    kept[1:1] = [f"{name}: {value}" for name, value in fields.items()]
    past_every_command(root, path.relative_to(root).as_posix(), "\n".join(kept))


def past_every_command(root: Path, path: str, text: str) -> None:
    """Puts a file into the ledger without asking anybody."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)
    git(root, "add", path)
    git(root, "-c", "core.hooksPath=/dev/null", "commit", "-qm", "past every command")
    git(root, "update-ref", "refs/memfs/ledger", "HEAD")


def test_the_authority_of_a_statement_is_kept_and_its_class_is_the_reviewer_s_own(
    project: Path, claim: str
) -> None:
    root = new_global()
    publish(project, claim)
    accepted(root)
    (stored,) = records_of(root)
    origin = stored.record.origin
    assert origin is not None
    assert (origin.origin_class, origin.principal) == (OriginClass.USER_STATED, ANA.principal)
    assert origin.source.startswith("publication:store_")
    assert stored.record.authority is Authority.USER


def test_a_copy_that_hides_what_it_was_believed_for_is_believed_for_little(
    project: Path, claim: str
) -> None:
    root = new_global()
    publish(project, claim)
    (path,) = (root / "inbox").glob("*.md")
    path.write_text(path.read_text().replace("authority: user\n", ""))
    accepted(root)
    (stored,) = records_of(root)
    assert stored.record.authority is Authority.UNVERIFIED


def test_publishing_again_offers_nothing_twice(project: Path, claim: str) -> None:
    root = new_global()
    publish(project, claim)
    with memory_of(project) as memory:
        again = memory.publish(claim, "global")
    assert again.status is ResultStatus.NOTHING
    assert again.operation == ""
    assert len(waiting_in(root)) == len(outbox_of(project)) == 1
    accepted(root)
    with memory_of(project) as memory:
        assert memory.publish(f"{claim}@1", "global").status is ResultStatus.NOTHING
    assert waiting_in(root) == ()
    assert len(records_of(root)) == 1


def test_a_new_version_is_an_offer_of_its_own(project: Path, claim: str) -> None:
    root = new_global()
    publish(project, claim)
    with memory_of(project) as memory:
        memory.correct(claim, "Deploys go out on Wednesdays")
        assert memory.publish(claim, "global").status is ResultStatus.WAITING
        old = memory.publish(f"{claim}@1", "global")
    assert [reason.code for reason in old.reasons] == ["publication.not-newest"]
    assert len(waiting_in(root)) == 2


def test_what_the_destination_says_already_is_not_offered_again(project: Path, claim: str) -> None:
    root = new_global()
    known = stated(root, "Deploys go out on Tuesdays", subject="deploys")
    with memory_of(project) as memory:
        result = memory.publish(claim, "global")
    assert (result.status, result.data["received_as"]) == (ResultStatus.DUPLICATE, known)
    assert waiting_in(root) == ()


@pytest.mark.parametrize("mode", ["read-only", "off"])
def test_the_destination_s_mode_decides_and_a_later_attempt_may_succeed(
    project: Path, claim: str, mode: str
) -> None:
    root = new_global()
    enforced = (root / "memfs.yaml").read_text()
    past_every_command(root, "memfs.yaml", enforced.replace("mode: enforced", f"mode: {mode}"))
    with memory_of(project) as memory:
        refused = memory.publish(claim, "global")
    assert refused.status is ResultStatus.REFUSED
    assert refused.reasons[0].code == f"mode.{mode}"
    past_every_command(root, "memfs.yaml", enforced)
    with memory_of(project) as memory:
        assert memory.publish(claim, "global").status is ResultStatus.WAITING
    statuses = [offer.get("status", "active") for offer in outbox_of(project)]
    assert sorted(map(str, statuses)) == ["active", "retracted"]


def test_without_a_global_store_the_error_says_how_to_make_one(project: Path, claim: str) -> None:
    attempts: tuple[Callable[[Memory], object], ...] = (
        lambda memory: memory.publish(claim, "global"),
        lambda memory: memory.remember("Use tabs", kind="preference", scope="global"),
        lambda memory: memory.propose("Use tabs", kind="preference", scope="global"),
    )
    for attempt in attempts:
        before = tree_of(store_root(project))
        with memory_of(project) as memory, pytest.raises(NoGlobalStoreError) as caught:
            attempt(memory)
        assert caught.value.hint == "make one with: memfs init --home"
        assert tree_of(store_root(project)) == before
    assert outbox_of(project) == []


# Between stores that are named, and within one ---------------------------------------


def test_a_record_goes_to_the_project_that_owns_the_namespace(
    project: Path, claim: str, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    other = new_project(tmp_path / "elsewhere", "website")
    with memory_of(project) as memory:
        wrong = memory.publish(claim, "project:blog", into=str(other))
        nowhere = memory.publish(claim, "project:website")
        result = memory.publish(claim, "project:website", into=str(other))
    for refused in (wrong, nowhere):
        assert [reason.code for reason in refused.reasons] == ["scope.other-store"]
    assert result.status is ResultStatus.WAITING
    accepted(store_root(other))
    (stored,) = records_of(store_root(other))
    assert str(stored.record.scope) == "project:website"


def test_a_task_s_own_note_becomes_the_project_s_by_the_same_way(project: Path) -> None:
    with memory_of(project) as memory:
        note = memory.remember("The cache was cold", kind="note", scope="task:t1").target
        result = memory.publish(note, "project:datasync")
        (candidate,) = memory.candidates()
        assert candidate.id == result.data["received_as"]
    with memory_of(project, AGENT) as memory:
        assert memory.list_records() == ()
    accepted(store_root(project))
    with memory_of(project, AGENT) as memory:
        (stored,) = memory.list_records()
        assert str(stored.record.scope) == "project:datasync"
        assert stored.record.id != note
    with memory_of(project) as memory:
        assert str(memory.show(note).record.scope) == "task:t1"
        same = memory.publish(note, "task:t1")
    assert [reason.code for reason in same.reasons] == ["publication.same-scope"]


def test_a_place_that_is_no_store_and_a_word_that_is_no_namespace_are_refused(
    project: Path, claim: str, tmp_path: Path
) -> None:
    with memory_of(project) as memory:
        with pytest.raises(UsageError):
            memory.publish(claim, "planet:earth")
        with pytest.raises(MemfsError):
            memory.publish(claim, "project:x", into=str(tmp_path / "nothing"))
        with pytest.raises(UnknownRecordError):
            memory.publish("mem_01kb8x3v6y0000000000000001", "project:datasync")
        unopened = Memory(memory.workspace, memory.actor)
        with pytest.raises(UsageError):
            unopened.publish(claim, "project:x", into=str(tmp_path))


# What is never published --------------------------------------------------------------


def denied(project: Path, reference: str) -> list[str]:
    root = store_root(project)
    before = tree_of(root)
    with memory_of(project) as memory:
        result = memory.publish(reference, "global")
    assert result.status is ResultStatus.REFUSED
    assert tree_of(root) == before
    return [reason.code for reason in result.reasons]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"status": "retracted"}, "publication.not-active"),
        ({"status": "expired"}, "publication.not-active"),
        ({"expires": "2026-01-01T00:00:00Z"}, "publication.not-active"),
        ({"sensitivity": "sealed"}, "publication.sealed"),
    ],
)
def test_what_was_withdrawn_or_sealed_stays(
    project: Path, claim: str, fields: dict[str, str], code: str
) -> None:
    root = new_global()
    lowered(project, claim, **fields)
    assert code in denied(project, claim)
    assert waiting_in(root) == ()
    assert outbox_of(project) == []


def test_what_awaits_repair_is_not_even_found(project: Path, claim: str) -> None:
    new_global()
    lowered(project, claim, status="repair_pending")
    with pytest.raises(UnknownRecordError):
        publish(project, claim)


def test_what_waits_for_a_decision_is_not_published(project: Path) -> None:
    new_global()
    with memory_of(project, AGENT) as memory:
        candidate = memory.propose("The build takes nine minutes", kind="fact").target
    assert denied(project, candidate) == ["publication.waiting"]


def test_an_account_is_not_a_claim(project: Path, claim: str) -> None:
    new_global()
    publish(project, claim)
    (offer,) = outbox_of(project)
    assert denied(project, str(offer["id"])) == ["publication.not-a-claim"]


@pytest.mark.parametrize("namespace", ["project:datasync", "global"])
def test_nothing_leaves_or_enters_a_polluted_namespace(
    project: Path, claim: str, namespace: str
) -> None:
    root = new_global()
    at = root if namespace == "global" else store_root(project)
    polluted(at, namespace)
    assert denied(project, claim) == ["publication.polluted"]
    assert waiting_in(root) == ()


def polluted(root: Path, namespace: str) -> None:
    values = {
        "id": "pol_01kb8x3v6y0000000000000001",
        "kind": "pollution",
        "scope": namespace,
        "observed": "2026-11-29T10:00:00Z",
        "origin": {"class": "user_stated", "principal": "user:ana", "channel": "terminal"},
        "namespace": namespace,
        "cause": "test",
    }
    past_every_command(root, f"pollution/2026-11/{values['id']}.json", json.dumps(values))


# Who publishes ------------------------------------------------------------------------


@pytest.mark.parametrize("actor", PROGRAMS)
def test_a_program_publishes_nothing_and_learns_nothing(
    project: Path, claim: str, actor: Actor
) -> None:
    root = new_global()
    before = tree_of(store_root(project)), tree_of(root)
    for reference in (claim, "mem_01kb8x3v6y0000000000000001"):
        with memory_of(project, actor) as memory:
            result = memory.publish(reference, "global")
        assert result.status is ResultStatus.REFUSED
        assert [reason.code for reason in result.reasons] == ["actor.not-a-person"]
    with memory_of(project, actor) as memory:
        assert memory.finish_publications(into="global").status is ResultStatus.NOTHING
    assert (tree_of(store_root(project)), tree_of(root)) == before


def test_the_right_of_a_script_in_one_store_is_none_in_another(project: Path, claim: str) -> None:
    root = new_global(is_scripted=False)
    with memory_of(project, SCRIPT) as memory:
        assert memory.publish(claim, "global").status is ResultStatus.WAITING
        said = memory.remember("Use tabs everywhere", kind="preference", scope="global")
    assert said.status is ResultStatus.WAITING
    published, offered = waiting_in(root)
    assert offered.origin.origin_class is OriginClass.AGENT_STATED
    assert str(offered.origin.principal) == "agent:unnamed"
    assert offered.origin.channel is Channel.AGENT
    assert published.origin.source.startswith("publication:")
    with memory_of(project, SCRIPT) as memory:
        assert [stored.record.id for stored in memory.list_records()] == [claim]
    assert records_of(root) == []


@pytest.mark.parametrize("actor", [ANA, AGENT])
def test_what_is_global_goes_to_the_global_store_and_waits(project: Path, actor: Actor) -> None:
    root = new_global()
    before = tree_of(store_root(project))
    with memory_of(project, actor) as memory:
        result = memory.remember("Use tabs everywhere", kind="preference", scope="global")
    assert result.status is ResultStatus.WAITING
    assert result.store == str(root)
    assert str(root) in result.message
    assert tree_of(store_root(project)) == before
    (candidate,) = waiting_in(root)
    assert candidate.origin.principal == actor.principal
    assert records_of(root) == []


def test_a_project_that_is_switched_off_sends_nothing_elsewhere(project: Path) -> None:
    root = new_global()
    replaced_settings(project, "mode: enforced", "mode: off")
    with memory_of(project) as memory:
        result = memory.remember("Use tabs everywhere", kind="preference", scope="global")
    assert result.status is ResultStatus.REFUSED
    assert result.reasons[0].code == "mode.off"
    assert waiting_in(root) == ()


# What was stopped on its way ----------------------------------------------------------


def stopped_after_offer(memory: Memory, claim: str) -> None:
    from memfs.model.scope import GLOBAL_SCOPE
    from memfs.services.outbox import offer

    offer(memory.workspace, memory.beside.workspace(), claim, GLOBAL_SCOPE, memory.actor)


def stopped_after_delivery(memory: Memory, claim: str) -> None:
    from memfs.model.scope import GLOBAL_SCOPE
    from memfs.services.outbox import current_draft, offer
    from memfs.services.publish import deliver

    there = memory.beside.workspace()
    made = offer(memory.workspace, there, claim, GLOBAL_SCOPE, memory.actor).offer
    assert made is not None
    draft = current_draft(memory.workspace, there, made, memory.actor)
    assert draft is not None
    deliver(there, made, draft)


STOPS = [stopped_after_offer, stopped_after_delivery]


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("is_decided", [False, True])
def test_what_was_stopped_is_finished_once_at_the_next_attempt(
    project: Path, claim: str, stop: Callable[[Memory, str], None], is_decided: bool
) -> None:
    root = new_global()
    with memory_of(project) as memory:
        stop(memory, claim)
    if is_decided:
        accepted(root)
    with memory_of(project) as memory:
        result = memory.publish(claim, "global")
        assert result.status is ResultStatus.DONE
        assert memory.publish(claim, "global").status is ResultStatus.NOTHING
    assert len(waiting_in(root)) + len(records_of(root)) == 1
    (offer,) = outbox_of(project)
    assert offer["received_as"]
    assert offer["version"] == 2


@pytest.mark.parametrize("stop", STOPS)
def test_what_was_stopped_is_finished_on_demand_and_with_any_other(
    project: Path, claim: str, stop: Callable[[Memory, str], None]
) -> None:
    root = new_global()
    other = stated(store_root(project), "The office closes at six")
    with memory_of(project) as memory:
        stop(memory, claim)
        assert memory.publish(other, "global").status is ResultStatus.WAITING
    assert len(waiting_in(root)) == 2
    with memory_of(project) as memory:
        assert memory.finish_publications(into="global").status is ResultStatus.NOTHING
        memory.correct(claim, "Deploys go out on Fridays")
        stop(memory, claim)
        finished = memory.finish_publications(into="global")
    assert finished.status is ResultStatus.DONE
    assert len(finished.data["publications"]) == 1  # type: ignore[arg-type]
    assert len(waiting_in(root)) == 3


def test_a_rejected_copy_is_not_brought_back_by_finishing(project: Path, claim: str) -> None:
    root = new_global()
    with memory_of(project) as memory:
        stopped_after_delivery(memory, claim)
    with at_store(root) as memory:
        memory.reject(None)
    with memory_of(project) as memory:
        memory.publish(claim, "global")
    assert waiting_in(root) == ()


def test_what_was_withdrawn_meanwhile_is_taken_back_instead(project: Path, claim: str) -> None:
    root = new_global()
    with memory_of(project) as memory:
        stopped_after_offer(memory, claim)
    lowered(project, claim, status="retracted")
    with memory_of(project) as memory:
        assert memory.publish(claim, "global").status is ResultStatus.REFUSED
    (offer,) = outbox_of(project)
    assert offer["status"] == "retracted"
    assert waiting_in(root) == ()


def test_what_was_offered_is_named_as_out_of_reach(project: Path, claim: str) -> None:
    root = new_global()
    with memory_of(project) as memory:
        snapshot = memory.workspace.store.snapshot()
        assert offered_elsewhere(memory.workspace, snapshot, [claim]) == ()
        offered = memory.publish(claim, "global").data["publication"]
        snapshot = memory.workspace.store.snapshot()
        with at_store(root) as there:
            named = f"{offered} offered to global ({there.workspace.store_id})"
        assert offered_elsewhere(memory.workspace, snapshot, [claim]) == (named,)
        assert offered_elsewhere(memory.workspace, snapshot, ["mem_x"]) == ()
        memory.forget([claim])
    receipts = (store_root(project) / "receipts").rglob("*.json")
    assert any(named in path.read_text() for path in receipts)


def test_confidential_things_stay_confidential_and_their_names_stay_out(
    project: Path, claim: str
) -> None:
    root = new_global()
    lowered(project, claim, sensitivity="confidential")
    publish(project, claim)
    (path,) = (root / "inbox").glob("*.md")
    assert "tuesdays" not in path.name.lower()
    accepted(root)
    (stored,) = records_of(root)
    assert stored.record.sensitivity is Sensitivity.CONFIDENTIAL
    with memory_of(project, AGENT) as memory:
        assert memory.list_records() == ()


def test_a_project_that_is_read_only_publishes_nothing(project: Path, claim: str) -> None:
    new_global()
    replaced_settings(project, "mode: enforced", "mode: read-only")
    assert denied(project, claim) == ["mode.read-only"]


def test_nothing_of_the_inbox_is_read_as_memory(project: Path, claim: str) -> None:
    root = new_global()
    publish(project, claim)
    with at_store(root, AGENT) as memory:
        assert memory.list_records() == ()
        assert memory.candidates() == ()
    with at_store(root) as memory:
        assert len(read_inbox(memory.workspace).waiting) == 1
