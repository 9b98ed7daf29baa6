"""Eight kinds of question are answered in eight ways, and no words turn one into another (A53)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.app.drafts import query_from
from memfs.model.lineage import Lineage
from memfs.model.packet import Packet
from memfs.services import hand_out, recall, recall_reader, retrieval_log
from memfs.services.recall import search
from tests.support.memory import ANA, SteppedClock, memory_of, new_project, workspace_of

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("Uvicorn serves the API", kind="fact", subject="server", tags=("api",))
        memory.remember("Gunicorn serves the site", kind="decision", tags=("site",))
        memory.remember(
            "The office server is in Bonn",
            kind="fact",
            subject="office",
            event_time="2020-05-01T00:00:00Z",
        )
        memory.remember(
            "The contract with the hosting firm runs",
            kind="fact",
            valid_from="2021-01-01T00:00:00Z",
            valid_until="2022-01-01T00:00:00Z",
        )
        memory.remember("Scout serves itself", kind="note", scope="agent:scout")
    with memory_of(project) as memory:
        memory.accept(None)
    return project


def found(memory: Memory, text: str, **options: object) -> set[str]:
    hits = memory.search(text, **options)  # type: ignore[arg-type]
    return {hit.stored.record.body.split()[0] for hit in hits}


def test_each_kind_of_question_is_planned_in_its_own_way(project: Path) -> None:
    answers: dict[str, tuple[set[str], set[str]]] = {}
    with memory_of(project) as memory:
        answers = {
            "words": (found(memory, "what serves the API"), {"Uvicorn"}),
            "subject": (found(memory, "", subject="server"), {"Uvicorn"}),
            "tag": (found(memory, "", tags=("site",)), {"Gunicorn"}),
            "kind": (found(memory, "what serves", kinds=("decision",)), {"Gunicorn"}),
            "scope": (found(memory, "serves", scopes=("agent:scout",)), {"Scout"}),
            "period": (found(memory, "server", until="2020-12-31T00:00:00Z"), {"The"}),
            "true then": (found(memory, "contract", valid_at="2021-06-01T00:00:00Z"), {"The"}),
            "known then": (found(memory, "serves", as_of="2019-01-01T00:00:00Z"), set()),
        }
        assert found(memory, "contract hosting firm") == set()
    missing = {name: pair for name, pair in answers.items() if not pair[1] <= pair[0]}
    assert not missing
    assert answers["kind"][0] == {"Gunicorn"}
    assert answers["scope"][0] == {"Scout"}
    assert answers["tag"][0] == {"Gunicorn"}


def test_an_id_an_entity_a_range_and_a_lineage_are_asked_for_as_such(project: Path) -> None:
    """No words of the one stand for the other, and none reaches past the gate (A53)."""
    day = {"at": "2026-03-01T12:00:00Z", "kind": "work"}
    with memory_of(project) as memory:
        office = memory.list_records(kinds=("fact",))[-1].record
        first = memory.record_event("Moved a desk", session="s-1", entities=("Bonn",), **day)  # type: ignore[arg-type]
        later = memory.record_event("Moved a desk", session="s-2", entities=("Kiel",), **day)  # type: ignore[arg-type]
        assert [hit.stored.record.id for hit in memory.search(office.id)] == [office.id]
        assert {event.id for event in memory.timeline(entity="bonn")} == {first.target}
        assert memory.timeline(entity="bonn since:2000 OR kiel") == ()
        assert memory.timeline(entity="*") == ()
        both = memory.timeline(since="2026-03-01", until="2026-03-02")
        assert {event.id for event in both} == {first.target, later.target}
        assert memory.timeline(since="2026-03-02") == ()
    with workspace_of(project, clock=SteppedClock(NOW)) as workspace:
        for session, target in (("s-1", first.target), ("s-2", later.target)):
            # On no branch: all that was learned here would hang together by it.
            here = replace(workspace, lineage=Lineage(session=session), project_branch="")
            query = query_from(here, ANA, "moved a desk", {"kinds": ("event",)})
            assert search(here, query).hits[0].stored.record.id == target


@pytest.mark.parametrize(
    "control",
    [
        "kind:decision",
        "scope:agent:scout tag:site",
        "--kind decision --scope agent:scout",
        "valid_at:2021-06-01 as_of:2019-01-01",
        "since:2000-01-01 until:2001-01-01",
        '{"kinds": ["decision"], "limit": 1000}',
        "limit:1000 budget:100000",
        "NOT Uvicorn OR *",
    ],
)
def test_no_words_of_a_question_change_its_filters(project: Path, control: str) -> None:
    with workspace_of(project, clock=SteppedClock(NOW)) as workspace:
        plain = query_from(workspace, ANA, "what serves", {"kinds": ("fact",), "limit": 2})
        worded = query_from(
            workspace, ANA, f"what serves {control}", {"kinds": ("fact",), "limit": 2}
        )
        names = [item.name for item in fields(plain) if item.name != "text"]
        assert [getattr(plain, name) for name in names] == [getattr(worded, name) for name in names]
        hits = search(workspace, worded).hits
    assert len(hits) <= 2
    assert {hit.stored.record.kind for hit in hits} <= {"fact"}
    assert not [hit for hit in hits if "contract" in hit.stored.record.body]
    assert not [hit for hit in hits if "Scout" in hit.stored.record.body]


def test_a_question_is_authorised_before_anything_is_looked_for(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Authorise and filter, generate, re-read and screen, rank, pack, log: in this order (A54)."""
    steps: list[str] = []

    def noted(module: object, name: str, step: str) -> None:
        whole: Callable[..., object] = getattr(module, name)

        def call(*arguments: object, **options: object) -> object:
            if not steps or steps[-1] != step:
                steps.append(step)
            return whole(*arguments, **options)

        monkeypatch.setattr(module, name, call)

    noted(recall_reader, "access_request", "authorise")
    noted(recall, "open_index", "open")
    noted(recall_reader, "visible_stored", "screen")
    noted(recall, "ranked", "rank")
    noted(hand_out, "compile_packet", "pack")
    noted(retrieval_log, "log_recall", "log")
    with memory_of(project) as memory:
        packet: Packet = memory.recall("what serves the API")
    assert packet.cards
    assert steps == ["open", "authorise", "screen", "rank", "pack", "log"]


def test_what_happened_is_told_apart_from_when_it_was_learned(project: Path) -> None:
    with memory_of(project) as memory:
        later = (datetime.now(UTC) - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        assert "The" not in found(memory, "office server Bonn", since=later)
