"""A packet is made again from its manifest, and what was taken back stays away (A40)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memfs.domains.runs.brief import brief
from memfs.domains.runs.replay import GONE, OTHER_VERSION, Replay, UnknownPacketError, replay
from memfs.errors import AccessError
from memfs.model.lineage import Lineage
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.packet import Packet
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.settings import Mode, RecallSettings
from memfs.model.status import Status
from memfs.services.beside import nothing_beside
from memfs.services.hand_out import hand_out
from memfs.services.kept_packets import read_manifests
from memfs.services.ports import Workspace
from memfs.services.recall import recall
from tests.domains.runs.test_brief import HISTORY, SETTINGS, opening, task
from tests.support.memory import START, SteppedClock
from tests.support.recall_stores import (
    ANA,
    BOT,
    SAID,
    commit,
    note,
    question,
    record_id,
    workspace_with,
)
from tests.support.work import issue_id, issue_of, run_id, run_of

OTHER_BOT = Actor(Principal.parse("agent:other"), Channel.AGENT)
LATER = START + timedelta(days=40)


@contextmanager
def briefed(tmp_path: Path, *records: Record, **changes: Any) -> Iterator[tuple[Workspace, Packet]]:
    """Opens a store in which a program was given a preamble; time has passed since."""
    with workspace_with(tmp_path, *(records or HISTORY), settings=SETTINGS) as workspace:
        here = replace(workspace, **changes)
        packet = brief(here, nothing_beside(), task())
        assert packet.cards
        yield replace(here, clock=SteppedClock(LATER)), packet


def again(workspace: Workspace, name: str = "", actor: Actor = BOT) -> Replay:
    return replay(workspace, nothing_beside(), name, actor)


def test_a_packet_is_made_again_to_the_last_byte(tmp_path: Path) -> None:
    with briefed(tmp_path) as (workspace, packet):
        found = again(workspace, packet.id)

    assert found.text == packet.text
    assert found.is_identical
    assert found.missing == ()
    assert [item.reference for item in found.manifest.cards] == [
        card.hit.stored.record.reference for card in packet.cards
    ]
    assert [item.score for item in found.manifest.cards] == [
        round(card.hit.score, 4) for card in packet.cards
    ]


@pytest.mark.parametrize("is_start", [True, False])
@pytest.mark.parametrize("budget", [60, 150, 260, 1500])
@pytest.mark.parametrize("lineage", [Lineage(), Lineage(run=run_id(9), parent=run_id(4))])
def test_packets_of_any_shape_are_made_again(
    is_start: bool, budget: int, lineage: Lineage, tmp_path: Path
) -> None:
    with workspace_with(tmp_path, *HISTORY, settings=SETTINGS) as workspace:
        here = replace(workspace, lineage=lineage)
        query = (opening if is_start else task)(budget_tokens=budget)
        packet = brief(here, nothing_beside(), query)
        if not packet.text:
            with pytest.raises(UnknownPacketError):
                again(here)
            return
        assert again(here).text == packet.text
        assert again(here).is_identical


def test_an_answer_to_a_question_can_be_made_again_too(tmp_path: Path) -> None:
    with workspace_with(tmp_path, *HISTORY, settings=SETTINGS) as workspace:
        query = question("the importer", BOT)
        packet = hand_out(workspace, nothing_beside(), query, recall(workspace, query))
        found = again(workspace)

    assert packet.id not in packet.text
    assert found.manifest.id == packet.id
    # The clock of the test stepped between ranking and packing; the words are the same.
    assert found.text == packet.text


def test_what_came_later_changes_no_packet_of_before(tmp_path: Path) -> None:
    with briefed(tmp_path) as (workspace, packet):
        commit(
            workspace.store,
            note(2, "The importer keeps its offset in a table", version=2),
            issue_of(6, "Importer drops the last line", events=("opened", "resolved")),
            run_of(9, "The importer resumes."),
        )
        capped = replace(workspace.settings, recall=RecallSettings(item_bytes=100, item_lines=1))
        found = again(replace(workspace, settings=capped), packet.id)

    assert found.text == packet.text
    assert found.is_identical


WITHDRAWN = [
    pytest.param(HISTORY[1], "keeps its offset", id="a record"),
    pytest.param(HISTORY[3], "Memory stays flat", id="a run that answers"),
    pytest.param(HISTORY[4], "name the new flags", id="the last run"),
    pytest.param(HISTORY[5], "> Importer drops the last line", id="an issue"),
]


@pytest.mark.parametrize("is_removed", [True, False], ids=["forgotten", "retracted"])
@pytest.mark.parametrize(("record", "words"), WITHDRAWN)
def test_what_was_taken_back_does_not_come_back(
    record: Record, words: str, is_removed: bool, tmp_path: Path
) -> None:
    with briefed(tmp_path) as (workspace, packet):
        assert words in packet.text
        if is_removed:
            commit(workspace.store, gone=(record,))
        else:
            commit(workspace.store, replace(record, status=Status.RETRACTED))
        by_person, by_program = again(workspace, packet.id, ANA), again(workspace, packet.id)

    for found in (by_person, by_program):
        assert words not in found.text
        assert not found.is_identical
        assert "> Flag names clash" in found.text
    assert [(item.id, item.code) for item in by_person.missing] == [(record.id, GONE)]
    assert by_program.missing == ()
    assert record.id not in str(by_program.manifest)


def test_what_was_left_out_is_named_only_to_who_may_know_of_it(tmp_path: Path) -> None:
    hidden = note(2, "The importer " + "keeps its offset " * 40)
    small = note(3, "The importer resumes")
    with workspace_with(tmp_path, hidden, small, settings=SETTINGS) as workspace:
        packet = brief(workspace, nothing_beside(), task("importer", budget_tokens=170))
        assert f"left out: {hidden.id} (packet.budget)" in packet.text
        assert again(workspace).is_identical
        commit(workspace.store, replace(hidden, scope=Scope.parse("agent:somebody-else")))

        assert hidden.id not in str(again(workspace))
        assert hidden.id in again(workspace, packet.id, ANA).text


def test_a_right_that_was_taken_away_is_gone_for_the_past_too(tmp_path: Path) -> None:
    with briefed(tmp_path) as (workspace, packet):
        commit(workspace.store, replace(HISTORY[1], scope=Scope.parse("agent:somebody-else")))
        for actor in (BOT, ANA):
            assert "keeps its offset" not in again(workspace, packet.id, actor).text


def test_a_program_makes_its_own_packets_again_and_nobody_elses(tmp_path: Path) -> None:
    with briefed(tmp_path) as (workspace, packet):
        for name in (packet.id, ""):
            with pytest.raises(UnknownPacketError):
                again(workspace, name, OTHER_BOT)
        assert again(workspace, packet.id, ANA).is_identical


def test_a_manifest_lends_nobody_the_rights_of_another(tmp_path: Path) -> None:
    private = note(2, "The importer of Ana's own", scope=Scope.parse("agent:other"))
    with briefed(tmp_path, *HISTORY[:1], private, *HISTORY[3:]) as (workspace, packet):
        place = workspace.cache_dir / "log" / "packets.jsonl"
        values = json.loads(place.read_bytes())
        values["cards"] = [{"id": f"{record_id(2)}@1", "rank": 1, "score": 1.0, "parts": {}}]
        place.write_text(json.dumps(values) + "\n")
        found = again(workspace, packet.id)
        assert "Ana's own" not in found.text
        assert record_id(2) not in found.text

        values["actor"] = str(OTHER_BOT)
        place.write_text(json.dumps(values) + "\n")
        with pytest.raises(UnknownPacketError):
            again(workspace, packet.id)


@pytest.mark.parametrize(
    "line",
    [b"", b"[]", b"{}", b"nothing", b'{"v":1,"id":"pkt_1"}', b"\xff\xfe", b"[" * 5000],
)
def test_a_damaged_manifest_is_none(line: bytes, tmp_path: Path) -> None:
    with briefed(tmp_path) as (workspace, packet):
        place = workspace.cache_dir / "log" / "packets.jsonl"
        place.write_bytes(line + b"\n" + place.read_bytes() + line)
        assert [manifest.id for manifest in read_manifests(workspace)] == [packet.id]
        assert again(workspace).is_identical

        place.unlink()
        with pytest.raises(UnknownPacketError):
            again(workspace)


def test_without_the_ledger_of_that_moment_only_equal_versions_come_back(tmp_path: Path) -> None:
    with briefed(tmp_path) as (workspace, packet):
        place = workspace.cache_dir / "log" / "packets.jsonl"
        values = json.loads(place.read_bytes())
        values["ledgers"] = dict.fromkeys(values["ledgers"], "0" * 40)
        place.write_text(json.dumps(values) + "\n")
        commit(workspace.store, note(2, "The importer keeps its offset in a table", version=2))
        found = again(workspace, packet.id, ANA)

    assert [(item.id, item.code) for item in found.missing] == [(record_id(2), OTHER_VERSION)]
    assert "offset" not in found.text
    assert "> The docs name the new flags." in found.text
    assert not found.is_identical


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.SHADOW])
def test_where_nothing_is_served_nothing_is_made_again(mode: Mode, tmp_path: Path) -> None:
    with briefed(tmp_path) as (workspace, packet):
        silent = replace(workspace, settings=replace(workspace.settings, mode=mode))
        with pytest.raises(AccessError):
            again(silent, packet.id)


def test_a_manifest_holds_no_word(tmp_path: Path) -> None:
    with briefed(tmp_path) as (workspace, _):
        content = (workspace.cache_dir / "log" / "packets.jsonl").read_text()

    for word in ("importer", "resume", "flags", "offset", "stream"):
        assert word not in content.casefold()
    assert issue_id(6) in content


def test_the_manifests_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memfs.services.retrieval_log.MOST_BYTES", 4000)
    with briefed(tmp_path) as (workspace, _):
        for number in range(12):
            commit(workspace.store, run_of(50 + number, "More.", at=SAID + timedelta(days=number)))
            brief(workspace, nothing_beside(), task())
        sizes = [
            path.stat().st_size for path in (workspace.cache_dir / "log").glob("packets*.jsonl")
        ]

    assert len(sizes) == 2
    assert sum(sizes) < 4000 * 2 + 3000
