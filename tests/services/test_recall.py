from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memfs.errors import StoreError
from memfs.model.authority import Sensitivity, Sink
from memfs.model.origin import Actor
from memfs.model.packet import MemoryState
from memfs.model.scope import GLOBAL_SCOPE, Scope
from memfs.model.settings import Mode, RankSettings, RecallSettings, Settings
from memfs.model.status import Status
from memfs.services.recall import RecallOutcome, recall, search
from memfs.services.reindex import ensure_fresh, open_index
from tests.support.memory import START
from tests.support.recall_stores import ANA, BOT, commit, note, question, turn, workspace_with

SETTINGS = Settings(store_id="store_01kb8x3v6yq4m9t2r7w5000000", project="demo")


def found(outcome: RecallOutcome) -> list[str]:
    return [hit.stored.record.body.strip() for hit in outcome.hits]


def test_recall_finds_the_record_that_answers(tmp_path: Path) -> None:
    records = [note(1, "The staging database is wiped every Sunday"), note(2, "Lunch is at noon")]
    with workspace_with(tmp_path, *records) as workspace:
        outcome = recall(workspace, question("when is the staging database wiped?"))

        assert found(outcome) == ["The staging database is wiped every Sunday"]
        assert (outcome.state, outcome.reason) == (MemoryState.OK, "")
        assert outcome.ledger == workspace.store.ledger_head()
        assert outcome.hits[0].components["keyword"] == 1.0


@pytest.mark.parametrize("text", ["What is the capital of France?", "", "   ", "the of and", "?!"])
def test_recall_has_nothing_to_say_to_a_question_that_memory_does_not_know(
    tmp_path: Path, text: str
) -> None:
    with workspace_with(tmp_path, note(1, "The staging database is wiped weekly")) as workspace:
        outcome = recall(workspace, question(text))

        assert (found(outcome), outcome.state) == ([], MemoryState.EMPTY)
        assert outcome.reason in ("recall.no-match", "recall.nothing-close")


def test_one_word_in_common_is_no_answer_but_search_still_shows_it(tmp_path: Path) -> None:
    settings = replace(SETTINGS, recall=RecallSettings(rank=RankSettings(floor=0.4)))
    with workspace_with(tmp_path, note(1, "database of staging"), settings=settings) as workspace:
        asked = question("which colour does the favourite umbrella of the database have")

        assert recall(workspace, asked).reason == "recall.nothing-close"
        assert found(search(workspace, asked)) == ["database of staging"]


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.ACTIVE])
def test_only_active_records_are_served(tmp_path: Path, status: Status) -> None:
    with workspace_with(tmp_path, note(1, "alpha", status=status), note(2, "alpha two")) as w:
        assert found(recall(w, question("alpha"))) == ["alpha two"]
        assert found(search(w, question("alpha", BOT))) == ["alpha two"]


def test_a_project_never_sees_another_ones_records(tmp_path: Path) -> None:
    other = Scope.parse("project:other")
    with workspace_with(tmp_path, note(1, "alpha own"), note(2, "alpha", scope=other)) as w:
        assert found(recall(w, question("alpha"))) == ["alpha own"]
        assert found(recall(w, question("alpha", BOT, scopes=(other,)))) == []
        assert recall(w, question("alpha", BOT)).left_out == ()


def test_private_records_are_for_their_owner(tmp_path: Path) -> None:
    records = [
        note(1, "alpha mine", scope=Scope.parse("agent:bot")),
        note(2, "alpha theirs", scope=Scope.parse("agent:eve")),
        note(3, "alpha ours", scope=GLOBAL_SCOPE),
        note(4, "alpha session", scope=Scope.parse("session:s1")),
    ]
    with workspace_with(tmp_path, *records) as workspace:
        outcome = recall(workspace, question("alpha", BOT))

        assert sorted(found(outcome)) == ["alpha mine", "alpha ours"]
        assert outcome.left_out == ()


def test_what_is_too_sensitive_or_bound_elsewhere_does_not_reach_an_agent(tmp_path: Path) -> None:
    records = [
        note(1, "alpha kept", sensitivity=Sensitivity.CONFIDENTIAL),
        note(2, "alpha for people", sinks=frozenset({Sink.PERSON})),
        note(3, "alpha open"),
    ]
    with workspace_with(tmp_path, *records) as workspace:
        assert found(recall(workspace, question("alpha", BOT, sink=Sink.AGENT))) == ["alpha open"]
        assert len(found(recall(workspace, question("alpha", ANA)))) == 3


def test_expired_and_not_yet_valid_records_are_not_served(tmp_path: Path) -> None:
    past, future = START - timedelta(days=1), START + timedelta(days=1)
    records = [
        note(1, "alpha expired", expires=past),
        note(2, "alpha over", valid_until=past),
        note(3, "alpha to come", valid_from=future),
        note(4, "alpha now", valid_from=past, valid_until=future),
    ]
    with workspace_with(tmp_path, *records) as workspace:
        assert found(recall(workspace, question("alpha"))) == ["alpha now"]
        later = question("alpha", valid_at=future + timedelta(hours=1))
        assert found(recall(workspace, later)) == ["alpha to come"]


def test_evidence_and_receipts_are_not_recalled_as_claims(tmp_path: Path) -> None:
    envelope = {
        "id": "ev_01kb8x3v6yq4m9t2r7w5000001",
        "kind": "evidence",
        "fields": {"relation": "supports", "path": "alpha"},
    }
    evidence = replace(note(1, "alpha", **envelope), body="")
    with workspace_with(tmp_path, evidence, note(2, "alpha claim")) as workspace:
        assert found(recall(workspace, question("alpha"))) == ["alpha claim"]


def test_filters_narrow_and_words_cannot_widen_them(tmp_path: Path) -> None:
    records = [
        note(1, "alpha fact", kind="fact", subject="s", tags=("x",)),
        note(2, "alpha note", tags=("x", "y")),
        note(3, "alpha old", event_time=datetime(2020, 1, 1, tzinfo=UTC)),
    ]
    with workspace_with(tmp_path, *records) as w:
        assert found(recall(w, question("alpha kind:note", kinds=("fact",)))) == ["alpha fact"]
        assert found(recall(w, question("alpha", tags=("x", "y")))) == ["alpha note"]
        assert found(recall(w, question("alpha", subject="s"))) == ["alpha fact"]
        until = datetime(2021, 1, 1, tzinfo=UTC)
        assert found(recall(w, question("alpha", until=until))) == ["alpha old"]
        assert len(found(recall(w, question("alpha", since=until)))) == 2


def test_what_was_learned_on_another_branch_is_left_out(tmp_path: Path) -> None:
    records = [note(1, "alpha main", branch="main"), note(2, "alpha topic", branch="topic")]
    with workspace_with(tmp_path, *records, note(3, "alpha any")) as workspace:
        here = found(recall(workspace, question("alpha", branch="topic")))

        assert sorted(here) == ["alpha any", "alpha topic"]
        assert here[0] == "alpha topic"


def test_a_hit_that_the_ledger_does_not_have_is_dropped_and_reported(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha"), note(2, "alpha two")) as workspace:
        ensure_fresh(workspace)
        stale = workspace.store.ledger_head() or ""
        commit(workspace.store, gone=[note(1, "alpha")])
        (manifest,) = workspace.cache_dir.rglob("manifest.json")
        head = workspace.store.ledger_head() or ""
        manifest.write_text(manifest.read_text().replace(stale, head))

        outcome = recall(workspace, question("alpha"))

        assert found(outcome) == ["alpha two"]
        assert [left.code for left in outcome.left_out] == ["recall.ghost"]


def test_an_edit_in_the_working_tree_is_not_served_before_review(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha admitted")) as workspace:
        (file,) = workspace.store.root.rglob("a-*.md")
        file.write_text(file.read_text().replace("admitted", "smuggled"))

        assert found(recall(workspace, question("alpha smuggled"))) == ["alpha admitted"]


def test_records_that_say_otherwise_come_along(tmp_path: Path) -> None:
    one = note(1, "The port is 8080", kind="fact")
    other = note(2, "It listens on 9090", kind="fact", conflicts=(one.id,))
    one = replace(one, conflicts=(other.id,))
    with workspace_with(tmp_path, one, other, note(3, "The port of Hamburg")) as workspace:
        outcome = recall(workspace, question("port 8080"))

        assert found(outcome)[:2] == ["The port is 8080", "It listens on 9090"]
        assert set(outcome.hits[1].components) == {"conflict"}


def test_what_lies_beyond_the_limit_is_named(tmp_path: Path) -> None:
    with workspace_with(tmp_path, *(note(n, f"alpha {n}") for n in range(8))) as workspace:
        outcome = recall(workspace, question("alpha", limit=3))

        assert len(outcome.hits) == 3
        assert [left.code for left in outcome.left_out] == ["recall.limit"] * 5


def test_the_same_question_gets_the_same_answer_to_the_last_byte(tmp_path: Path) -> None:
    records = [note(n, "alpha beta" + "!" * n) for n in range(30)]
    with workspace_with(tmp_path, *records) as workspace:
        first = recall(workspace, question("alpha", limit=10))
        (workspace.cache_dir / "index" / "current").unlink()
        second = recall(workspace, question("alpha", limit=10))

        assert [hit.stored.path for hit in first.hits] == [hit.stored.path for hit in second.hits]
        assert [hit.stored.path for hit in first.hits] == sorted(h.stored.path for h in first.hits)


def test_the_same_words_are_told_once(tmp_path: Path) -> None:
    records = [note(1, "Alpha  beta"), note(2, "alpha beta"), note(3, "alpha beta, nearly")]
    with workspace_with(tmp_path, *records) as workspace:
        outcome = recall(workspace, question("alpha beta"))

        assert sorted(found(outcome)) == ["Alpha  beta", "alpha beta, nearly"]
        assert [left.code for left in outcome.left_out] == ["recall.same-words"]


@pytest.mark.parametrize("actor", [ANA, BOT])
def test_the_past_is_told_as_memory_knew_it(tmp_path: Path, actor: Actor) -> None:
    with workspace_with(tmp_path, note(1, "alpha was red")) as workspace:
        head = workspace.store.ledger_head()
        assert head is not None
        first = workspace.store.commit_info(head).at
        newer = note(2, "alpha is blue")
        old = note(1, "alpha was red", status=Status.SUPERSEDED, superseded_by=newer.id)
        commit(workspace.store, newer, old, at=first + timedelta(hours=2))

        def told(as_of: datetime | None) -> list[str]:
            return found(recall(workspace, question("alpha", actor, as_of=as_of)))

        assert told(None) == ["alpha is blue"]
        assert told(first + timedelta(hours=1)) == ["alpha was red"]
        assert told(first + timedelta(hours=3)) == ["alpha is blue"]
        before = recall(workspace, question("alpha", actor, as_of=first - timedelta(days=1)))
        assert (before.state, before.reason) == (MemoryState.EMPTY, "recall.before-store")


@pytest.mark.parametrize("status", [Status.RETRACTED, Status.DELETED, Status.REPAIR_PENDING])
def test_a_barrier_set_later_holds_for_the_past_too(tmp_path: Path, status: Status) -> None:
    from memfs.services import recall as module
    from memfs.services.recall_reader import Reader

    with workspace_with(tmp_path, note(1, "alpha one"), note(2, "alpha two")) as workspace:
        before = workspace.store.snapshot()
        commit(workspace.store, note(1, "alpha one", status=status))
        reader = Reader(workspace, question("alpha", as_of=START), before)
        opened = open_index(workspace, before)

        assert found(module._found(reader, opened, may_abstain=True)) == ["alpha two"]


def test_a_damaged_posting_file_is_replaced_in_the_middle_of_a_question(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha")) as workspace:
        ensure_fresh(workspace)
        (postings,) = workspace.cache_dir.rglob("*.pst")
        postings.write_bytes(b"\0" * postings.stat().st_size)

        assert found(recall(workspace, question("alpha"))) == ["alpha"]


def test_an_answer_without_an_index_says_that_it_is_degraded(tmp_path: Path) -> None:
    with workspace_with(tmp_path, note(1, "alpha")) as workspace:
        workspace.cache_dir.write_text("not a folder")
        outcome = recall(workspace, question("alpha"))

        assert (found(outcome), outcome.state, outcome.reason) == (
            ["alpha"],
            MemoryState.DEGRADED,
            "index.read-only",
        )


def test_a_store_that_cannot_be_read_gives_no_answer_and_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with workspace_with(tmp_path, note(1, "alpha")) as workspace:

        def fail(*_: object) -> None:
            raise StoreError("gone", code="store.gone")

        monkeypatch.setattr(type(workspace.store), "snapshot", fail)

        assert recall(workspace, question("alpha")) == RecallOutcome(
            hits=(), left_out=(), state=MemoryState.DEGRADED, reason="store.gone", ledger=""
        )


def test_memory_that_is_switched_off_answers_nothing(tmp_path: Path) -> None:
    with workspace_with(
        tmp_path, note(1, "alpha"), settings=replace(SETTINGS, mode=Mode.OFF)
    ) as workspace:
        outcome = recall(workspace, question("alpha"))

        assert (outcome.state, outcome.reason, outcome.hits) == (MemoryState.OFF, "mode.off", ())
        assert not workspace.cache_dir.exists()


def test_what_i_said_is_found_by_my_own_words(tmp_path: Path) -> None:
    records = [
        turn(1, "a", 1, "bo", "I love my red bicycle, the bicycle is great"),
        turn(2, "b", 1, "ana", "My bicycle is green"),
    ]
    with workspace_with(tmp_path, *records) as workspace:
        assert found(recall(workspace, question("What colour is my bicycle?")))[0] == (
            "My bicycle is green"
        )
