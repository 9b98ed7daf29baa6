"""The graph as files: the same bytes brought up or made anew, and nothing hidden in them."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memfs.domains.graph.graph_views import refresh_graph_views
from memfs.domains.graph.view_stamp import EDGES_VIEW, ENTITIES_VIEW, is_current
from memfs.model.authority import Sensitivity
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.services.ports import Workspace
from tests.support.graphs import claim, edge, entity, named
from tests.support.recall_stores import SAID, commit, workspace_with

VIEWS = (ENTITIES_VIEW, EDGES_VIEW)


def views(workspace: Workspace) -> list[str]:
    paths = [workspace.store.root / path for path in VIEWS]
    return [path.read_text(encoding="utf-8") if path.exists() else "" for path in paths]


def made_anew(workspace: Workspace) -> list[str]:
    refresh_graph_views(workspace, is_anew=True)
    return views(workspace)


def test_both_files_are_lines_of_the_interchange_ordered_by_id(tmp_path: Path) -> None:
    records = (
        entity("Heron", aliases=["Reiher"], entity_type="bird"),
        entity("Sluice"),
        edge("Heron", "Sluice", "rests on", valid_from=SAID, confidence=0.5),
    )
    with workspace_with(tmp_path, *records) as workspace:
        assert refresh_graph_views(workspace) == 3
        assert refresh_graph_views(workspace) is None
        entities, edges = (
            [json.loads(it) for it in text.splitlines()] for text in views(workspace)
        )

    assert [line["id"] for line in entities] == sorted((named("Heron"), named("Sluice")))
    heron = next(line for line in entities if line["name"] == "Heron")
    assert heron == {
        "id": named("Heron"),
        "type": "bird",
        "name": "Heron",
        "aliases": ["Reiher"],
        "text": "What is known of Heron.",
        "scope": "project:demo",
        "ingestion_time": "2026-11-20T09:00:00Z",
        "importance": 5,
    }
    assert edges == [
        {
            "id": named("Heron rests on Sluice", "edge"),
            "from": named("Heron"),
            "to": named("Sluice"),
            "relation": "rests on",
            "valid_from": "2026-11-20T09:00:00Z",
            "scope": "project:demo",
            "ingestion_time": "2026-11-20T09:00:00Z",
            "importance": 5,
            "confidence": 0.5,
            "provenance": {
                "class": "user_stated",
                "principal": "user:ana",
                "channel": "terminal",
            },
        }
    ]


def changed(record: Record, rng: random.Random) -> Record:
    """Returns a record in another state than it was."""
    state = rng.choice(("said", "retracted", "replaced", "secret", "back", "passing"))
    match state:
        case "retracted":
            return replace(record, status=Status.RETRACTED)
        case "replaced":
            return replace(record, status=Status.SUPERSEDED, superseded_by=named("x", "mem"))
        case "secret":
            return replace(record, sensitivity=Sensitivity.CONFIDENTIAL)
        case "passing":
            return replace(record, expires=SAID + timedelta(days=400))
        case "back":
            return replace(record, status=Status.ACTIVE, sensitivity=Sensitivity.NORMAL)
        case _:
            return replace(record, importance=rng.randint(1, 10), version=record.version + 1)


@pytest.mark.parametrize("seed", [1, 2])
def test_brought_up_is_the_same_as_made_anew(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    names = [f"thing {number}" for number in range(8)]
    nodes = [entity(name) if at % 2 else claim(name) for at, name in enumerate(names)]
    ids = [record.id for record in nodes]
    ends = [rng.sample(ids, 2) for _ in range(14)]
    edges = [edge(start, end, f"r{number}") for number, (start, end) in enumerate(ends)]
    state = {record.id: record for record in (*nodes, *edges)}
    with workspace_with(tmp_path, *state.values()) as workspace:
        refresh_graph_views(workspace)
        for _ in range(12):
            name = rng.choice(sorted(state))
            state[name] = changed(state[name], rng)
            if rng.random() < 0.1:
                commit(workspace.store, gone=[state[name]])
            else:
                commit(workspace.store, state[name])
            refresh_graph_views(workspace)
            brought_up = views(workspace)
            assert brought_up == made_anew(workspace)
            text = "".join(brought_up)
            for record in state.values():
                if record.sensitivity.is_opaque or record.status is Status.RETRACTED:
                    assert record.id not in text


def test_what_somebody_wrote_into_a_view_is_gone_and_a_lost_one_comes_back(
    tmp_path: Path,
) -> None:
    records = (entity("Heron"), entity("Sluice"), edge("Heron", "Sluice"))
    with workspace_with(tmp_path, *records) as workspace:
        before = made_anew(workspace)
        (workspace.store.root / ENTITIES_VIEW).write_text('{"id":"evil"}\n', encoding="utf-8")
        commit(workspace.store, entity("Gate"))
        refresh_graph_views(workspace)
        assert "evil" not in views(workspace)[0]
        (workspace.store.root / EDGES_VIEW).unlink()
        assert refresh_graph_views(workspace) == 4
        assert views(workspace)[1] == before[1]


def test_what_expires_is_gone_with_the_next_look(tmp_path: Path) -> None:
    soon = SAID + timedelta(days=30)
    records = (entity("Heron", expires=soon), entity("Sluice"), edge("Heron", "Sluice"))
    with workspace_with(tmp_path, *records) as workspace:
        assert refresh_graph_views(workspace) == 3
        assert is_current(workspace, workspace.store.snapshot())
        workspace.clock.advance(timedelta(days=60))  # type: ignore[attr-defined]
        assert refresh_graph_views(workspace) == 1
        assert named("Heron") not in "".join(views(workspace))


def test_a_store_without_a_graph_has_no_view_of_one(tmp_path: Path) -> None:
    with workspace_with(tmp_path, claim("alone")) as workspace:
        assert refresh_graph_views(workspace) is None
        assert views(workspace) == ["", ""]
        commit(workspace.store, entity("Heron"))
        assert refresh_graph_views(workspace) == 1
        commit(workspace.store, gone=[entity("Heron")])
        assert refresh_graph_views(workspace) == 0
        assert views(workspace) == ["", ""]
