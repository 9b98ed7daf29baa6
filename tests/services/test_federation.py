"""Answers from the project and the global store: what is seen, in which order, with what fault."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.model.authority import Sensitivity
from memfs.model.origin import Actor
from memfs.model.packet import MemoryState
from memfs.model.scope import GLOBAL_SCOPE, Scope
from memfs.model.settings import Mode, Settings
from memfs.model.status import Status
from memfs.policy.namespaces import UNNAMED
from memfs.services import federation
from memfs.services.beside import Beside
from memfs.services.ports import Workspace
from memfs.services.reading import (
    AmbiguousRecordError,
    UnknownRecordError,
    UnknownVersionError,
    list_records,
    show,
)
from tests.support.memory import AGENT, ANA, memory_of, new_project
from tests.support.namespaces import SCRIPT, accepted, at_store, new_global, stated
from tests.support.recall_stores import BOT, SAID, note, question, record_id, workspace_with

GLOBAL = Settings(store_id="store_01kb8x3v6yq4m9t2r7w5999999", project="global")
PRIVATE = [Scope.parse(text) for text in ("agent:bot", "task:t", "session:s", "team:core")]


def beside(workspace: Workspace, **options: float) -> Beside:
    return Beside(lambda: lambda: workspace, **options)


def titles(outcome: object) -> list[str]:
    return [hit.stored.record.title for hit in outcome.hits]  # type: ignore[attr-defined]


def test_both_stores_answer_and_each_record_names_its_own(tmp_path: Path) -> None:
    with (
        workspace_with(tmp_path / "a", note(1, "alpha here")) as own,
        workspace_with(
            tmp_path / "b", note(2, "alpha there", scope=GLOBAL_SCOPE), settings=GLOBAL
        ) as other,
    ):
        outcome = federation.recall(own, beside(other), question("alpha", BOT))
    assert {(hit.stored.record.id, hit.stored.store) for hit in outcome.hits} == {
        (record_id(1), own.store_id),
        (record_id(2), GLOBAL.store_id),
    }
    assert (outcome.state, outcome.reason) == (MemoryState.OK, "")
    assert [hit.rank for hit in outcome.hits] == [1, 2]


def test_equal_scores_are_ordered_by_id_whichever_store_they_are_of(tmp_path: Path) -> None:
    for left, right in ((1, 2), (2, 1)):
        folder = tmp_path / f"{left}"
        with (
            workspace_with(folder / "a", note(left, f"alpha {left}")) as own,
            workspace_with(
                folder / "b", note(right, f"alpha {right}", scope=GLOBAL_SCOPE), settings=GLOBAL
            ) as other,
        ):
            query = question("alpha")
            found = [
                [hit.stored.record.id for hit in ask(own, beside(other), query).hits]
                for ask in (federation.recall, federation.search)
            ]
        assert found == [[record_id(1), record_id(2)]] * 2


def test_a_weak_hit_of_a_small_store_does_not_pass_a_whole_answer(tmp_path: Path) -> None:
    weak = note(1, "the kettle is blue", scope=GLOBAL_SCOPE)
    with (
        workspace_with(tmp_path / "a", note(2, "the staging database is wiped weekly")) as own,
        workspace_with(tmp_path / "b", weak, settings=GLOBAL) as other,
    ):
        query = question("is the staging database wiped weekly")
        outcome = federation.search(own, beside(other), query)
    assert titles(outcome)[0] == "the staging database is wiped weekly"


def test_the_same_words_are_served_once_and_the_limit_holds(tmp_path: Path) -> None:
    notes = [note(number, f"alpha number {number}") for number in range(1, 4)]
    copy = replace(notes[0], id=record_id(9), scope=GLOBAL_SCOPE)
    more = [note(n, f"alpha number {n}", scope=GLOBAL_SCOPE) for n in range(10, 13)]
    with (
        workspace_with(tmp_path / "a", *notes) as own,
        workspace_with(tmp_path / "b", copy, *more, settings=GLOBAL) as other,
    ):
        outcome = federation.recall(own, beside(other), question("alpha number", limit=4))
    assert len(outcome.hits) == 4
    codes = {item.id: item.code for item in outcome.left_out}
    assert codes[record_id(9)] == "recall.same-words"
    assert sorted(codes.values()) == ["recall.limit", "recall.limit", "recall.same-words"]


@pytest.mark.parametrize("actor", [ANA, BOT])
@pytest.mark.parametrize("scope", [*PRIVATE, Scope.parse("project:other"), None])
def test_of_the_global_store_a_project_sees_the_global_scope_alone(
    tmp_path: Path, scope: Scope | None, actor: Actor
) -> None:
    hidden = note(2, "alpha hidden", scope=scope)
    hidden = replace(hidden, scope=scope or Scope.parse("agent:elsewhere"))
    with (
        workspace_with(tmp_path / "a", note(1, "alpha here")) as own,
        workspace_with(tmp_path / "b", hidden, settings=GLOBAL) as other,
    ):
        place = beside(other)
        assert titles(federation.search(own, place, question("alpha", actor))) == ["alpha here"]
        listed = federation.listed(own, place, actor, list_records)
        assert [stored.record.title for stored in listed] == ["alpha here"]
        with pytest.raises(UnknownRecordError):
            federation.shown(own, place, record_id(2), actor, lambda w, a: show(w, record_id(2), a))


@pytest.mark.parametrize(
    "changes",
    [
        {"sensitivity": Sensitivity.SECRET},
        {"status": Status.RETRACTED},
        {"record_class": "clinical"},
        {"expires": SAID},
    ],
)
def test_the_gate_of_the_other_store_decides(tmp_path: Path, changes: dict[str, object]) -> None:
    hidden = note(2, "alpha hidden", scope=GLOBAL_SCOPE, **changes)
    with (
        workspace_with(tmp_path / "a", note(1, "alpha here")) as own,
        workspace_with(tmp_path / "b", hidden, settings=GLOBAL) as other,
    ):
        outcome = federation.search(own, beside(other), question("alpha", BOT))
        listed = federation.listed(own, beside(other), BOT, list_records)
    assert titles(outcome) == ["alpha here"]
    assert [stored.record.id for stored in listed] == [record_id(1)]


def test_what_an_adapter_hands_out_is_put_to_the_gate_again(tmp_path: Path) -> None:
    secret = note(2, "alpha hidden", scope=GLOBAL_SCOPE, sensitivity=Sensitivity.SECRET)
    private = note(3, "alpha private", scope=Scope.parse("task:t"))
    plain = note(4, "alpha plain", scope=GLOBAL_SCOPE)
    with (
        workspace_with(tmp_path / "a", note(1, "alpha here")) as own,
        workspace_with(tmp_path / "b", secret, private, plain, settings=GLOBAL) as other,
    ):

        def careless(workspace: Workspace, actor: Actor) -> tuple[object, ...]:
            reader = ANA if workspace is other else actor
            return list_records(workspace, reader)

        listed = federation.listed(own, beside(other), BOT, careless)  # type: ignore[arg-type]
    assert sorted(stored.record.title for stored in listed) == ["alpha here", "alpha plain"]


def test_a_script_is_a_person_only_where_that_store_says_so(tmp_path: Path) -> None:
    secret = note(2, "alpha hidden", scope=GLOBAL_SCOPE, sensitivity=Sensitivity.SECRET)
    plain = note(3, "alpha plain", scope=GLOBAL_SCOPE)
    with (
        workspace_with(tmp_path / "a", note(1, "alpha here")) as own,
        workspace_with(tmp_path / "b", secret, plain, settings=GLOBAL) as other,
    ):
        place = beside(other)
        assert len(titles(federation.search(own, place, question("alpha", ANA)))) == 3
        assert len(titles(federation.search(own, place, question("alpha", SCRIPT)))) == 2
        trusting = replace(GLOBAL, trust=replace(GLOBAL.trust, scripted=(str(SCRIPT.principal),)))
        trusted = beside(replace(other, settings=trusting))
        assert len(titles(federation.search(own, trusted, question("alpha", SCRIPT)))) == 3
    assert not UNNAMED.is_person


def test_a_question_for_other_scopes_does_not_reach_the_global_store(tmp_path: Path) -> None:
    with workspace_with(tmp_path / "a", note(1, "alpha here")) as own:

        def never() -> None:
            raise AssertionError("the global store was looked for")

        query = question("alpha", scopes=(own.scope,))
        assert titles(federation.recall(own, Beside(never), query)) == ["alpha here"]
        off = replace(own, settings=replace(own.settings, mode=Mode.OFF))
        assert federation.recall(off, Beside(never), question("alpha")).state is MemoryState.OFF


def test_a_global_store_that_is_switched_off_says_nothing_and_disturbs_nothing(
    tmp_path: Path,
) -> None:
    with (
        workspace_with(tmp_path / "a", note(1, "alpha here")) as own,
        workspace_with(
            tmp_path / "b",
            note(2, "alpha there", scope=GLOBAL_SCOPE),
            settings=replace(GLOBAL, mode=Mode.OFF),
        ) as other,
    ):
        place = beside(other)
        outcome = federation.recall(own, place, question("alpha"))
        listed = federation.listed(own, place, BOT, list_records)
        with pytest.raises(UnknownRecordError):
            federation.shown(own, place, record_id(2), BOT, lambda w, a: show(w, record_id(2), a))
        assert place.trouble == ""
    assert titles(outcome) == ["alpha here"]
    assert outcome.state is MemoryState.OK
    assert [stored.record.title for stored in listed] == ["alpha here"]


def test_a_global_store_that_hangs_costs_nothing_but_a_word(tmp_path: Path) -> None:
    release = threading.Event()
    with (
        workspace_with(tmp_path / "a", note(1, "alpha here")) as own,
        workspace_with(tmp_path / "b", settings=GLOBAL) as other,
    ):

        def hang() -> Workspace:
            release.wait()
            return other

        place = Beside(lambda: hang, within_s=0.0)
        outcome = federation.recall(own, place, question("alpha"))
        listed = federation.listed(own, place, ANA, list_records)
        release.set()
    assert titles(outcome) == ["alpha here"]
    assert (outcome.state, outcome.reason) == (MemoryState.DEGRADED, "global:federation.timeout")
    assert [stored.record.id for stored in listed] == [record_id(1)]


def test_lists_are_merged_newest_first_and_cut(tmp_path: Path) -> None:
    def at(number: int, **changes: object) -> object:
        return note(number, f"n{number}", observed=SAID + timedelta(days=number), **changes)

    with (
        workspace_with(tmp_path / "a", at(1), at(3)) as own,  # type: ignore[arg-type]
        workspace_with(
            tmp_path / "b",
            at(2, scope=GLOBAL_SCOPE),  # type: ignore[arg-type]
            at(4, scope=GLOBAL_SCOPE),  # type: ignore[arg-type]
            settings=GLOBAL,
        ) as other,
    ):
        listed = federation.listed(own, beside(other), BOT, list_records, limit=3)
    assert [stored.record.title for stored in listed] == ["n4", "n3", "n2"]


def test_show_finds_a_record_of_either_store_and_guesses_nothing(tmp_path: Path) -> None:
    twin = "mem_01kb8x3v6yq4m9t2r7wz" + record_id(1)[-6:]
    with (
        workspace_with(tmp_path / "a", note(1, "here"), note(2, "mine")) as own,
        workspace_with(
            tmp_path / "b",
            note(3, "there", scope=GLOBAL_SCOPE),
            replace(note(4, "twin", scope=GLOBAL_SCOPE), id=twin),
            settings=GLOBAL,
        ) as other,
    ):
        place = beside(other)

        def shown(reference: str, actor: Actor = ANA) -> str:
            found = federation.shown(
                own, place, reference, actor, lambda w, a: show(w, reference, a)
            )
            return found.record.title

        assert shown(record_id(3)) == "there"
        assert shown(record_id(3)[-6:], BOT) == "there"
        assert shown(record_id(1)) == "here"
        assert shown(record_id(2)[-6:]) == "mine"
        with pytest.raises(AmbiguousRecordError):
            shown(record_id(1)[-6:])
        with pytest.raises(UnknownRecordError):
            shown(record_id(30))
        with pytest.raises(UnknownVersionError):
            shown(f"{record_id(3)}@7")
        with pytest.raises(UnknownRecordError):
            shown(f"{record_id(3)}@7", BOT)


# Through the public interface ---------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def recalled(memory: Memory, text: str) -> list[str]:
    return [card.hit.stored.record.title for card in memory.recall(text).cards]


def test_a_project_recalls_what_holds_everywhere_and_nothing_of_another_project(
    project: Path, tmp_path: Path
) -> None:
    root = new_global()
    stated(root, "Alpha releases are signed everywhere")
    (tmp_path / "elsewhere").mkdir()
    other = new_project(tmp_path / "elsewhere", "website")
    with memory_of(other) as memory:
        memory.remember("Alpha releases of the website are blue", kind="fact")
    with memory_of(project) as memory:
        memory.remember("Alpha releases of datasync are red", kind="fact")
    for actor in (ANA, AGENT):
        with memory_of(project, actor) as memory:
            assert sorted(recalled(memory, "alpha releases")) == [
                "Alpha releases are signed everywhere",
                "Alpha releases of datasync are red",
            ]
            packet = memory.recall("alpha releases")
            ids = {card.hit.stored.store for card in packet.cards}
            assert len(ids) == 2
            assert all(store in packet.text for store in ids)


def test_the_global_store_answers_for_itself_alone(project: Path) -> None:
    root = new_global()
    stated(root, "Alpha releases are signed everywhere")
    with memory_of(project) as memory:
        memory.remember("Alpha releases of datasync are red", kind="fact")
    with at_store(root) as memory:
        assert recalled(memory, "alpha releases") == ["Alpha releases are signed everywhere"]


@pytest.mark.parametrize("damage", ["refs", "objects", "settings", "git"])
def test_a_broken_global_store_never_blocks_a_project(project: Path, damage: str) -> None:
    root = new_global()
    with memory_of(project) as memory:
        target = memory.remember("Alpha releases of datasync are red", kind="fact").target
    match damage:
        case "refs":
            shutil.rmtree(root / ".git" / "refs")
            (root / ".git" / "packed-refs").unlink(missing_ok=True)
        case "objects":
            shutil.rmtree(root / ".git" / "objects")
        case "settings":
            for path in (root / ".git" / "objects").rglob("*"):
                if path.is_file():
                    path.chmod(0o600)
                    path.write_bytes(b"")
        case "git":
            shutil.rmtree(root / ".git")
    for actor in (ANA, AGENT):
        with memory_of(project, actor) as memory:
            packet = memory.recall("alpha releases")
            assert [card.hit.stored.record.id for card in packet.cards] == [target]
            assert packet.state is MemoryState.DEGRADED
            assert packet.reason.startswith("global:")
            assert packet.reason in packet.text
            assert [stored.record.id for stored in memory.list_records()] == [target]
            assert memory.trouble_beside
            assert memory.show(target).record.id == target
            assert [hit.stored.record.id for hit in memory.search("alpha")] == [target]


def test_accepted_copies_are_found_from_every_project(project: Path) -> None:
    root = new_global()
    with memory_of(project) as memory:
        memory.remember("Prefer long option names", kind="preference", scope="global")
        assert recalled(memory, "long option names") == []
    accepted(root)
    with memory_of(project, AGENT) as memory:
        assert recalled(memory, "long option names") == ["Prefer long option names"]
