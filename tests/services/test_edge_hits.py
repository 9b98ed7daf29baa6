"""What is asserted of a thing joins the answer that names the thing, and shows nothing hidden."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from memfs.domains.graph.entities import Thing, add_entity
from memfs.domains.graph.relating import Tie, relate, unrelate
from memfs.domains.graph.reshaping import merge
from memfs.domains.runs.replay import replay
from memfs.model.authority import Sensitivity, Sink
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.packet import MemoryState, Packet, ScoredRecord
from memfs.model.query import Query
from memfs.model.result import ResultStatus
from memfs.model.scope import Scope
from memfs.services.beside import nothing_beside
from memfs.services.federation import Instant, recall
from memfs.services.hand_out import hand_out
from memfs.services.ports import Workspace
from memfs.services.restore import restore
from memfs.services.review import accept
from memfs.services.withdraw import retract
from tests.support.memory import (
    AGENT,
    ANA,
    CountedIds,
    SteppedClock,
    memory_of,
    new_project,
    workspace_of,
)

BEN = Actor(Principal.parse("user:ben"), Channel.TERMINAL)
MARCH, JUNE = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 6))
APRIL = datetime(2026, 4, 1, tzinfo=UTC)
_NUMBERS = count(1)
_IDS = CountedIds()
_WORDS = ("alder", "birch", "cedar", "elder", "hazel", "larch", "maple", "rowan", "aspen", "thuja",
          "beech", "holly", "yucca", "acacia", "juniper", "willow", "poplar", "linden", "laurel",
          "cypress", "sequoia", "hickory")  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("edges"))


@pytest.fixture(scope="module")
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def workspace(project: Path, clock: SteppedClock) -> Iterator[Workspace]:
    with workspace_of(project, clock=clock, ids=_IDS) as opened:
        yield opened


@pytest.fixture
def thing(workspace: Workspace) -> str:
    """A thing with a name that no other test speaks of."""
    return added(workspace, f"{_WORDS[next(_NUMBERS) - 1]} importer")


def added(workspace: Workspace, name: str, **more: object) -> str:
    done = add_entity(workspace, Thing(name=name, **more), ANA)  # type: ignore[arg-type]
    if done.status is ResultStatus.WAITING:
        accept(workspace, done.target, ANA)
    return name


def drawn(workspace: Workspace, start: str, end: str, relation: str, **more: object) -> str:
    actor = more.pop("actor", ANA)
    assert isinstance(actor, Actor)
    tie = Tie(start=start, end=end, relation=relation, **more)  # type: ignore[arg-type]
    done = relate(workspace, tie, actor)
    assert done.status is ResultStatus.DONE
    return done.target


def question(text: str, actor: Actor = ANA, **more: object) -> Query:
    sink = Sink.PERSON if actor.is_person else Sink.AGENT
    values: dict[str, object] = {"limit": 5, "budget_tokens": 1500, **more}
    return Query(text=text, actor=actor, sink=sink, **values)  # type: ignore[arg-type]


def hits(
    workspace: Workspace, text: str, actor: Actor = ANA, **more: object
) -> tuple[ScoredRecord, ...]:
    return recall(workspace, nothing_beside(), question(text, actor, **more)).hits


def edges(workspace: Workspace, text: str, actor: Actor = ANA, **more: object) -> list[str]:
    """Returns what the edges in an answer say, in its order."""
    found = hits(workspace, text, actor, **more)
    return [hit.stored.record.title for hit in found if hit.stored.record.kind == "edge"]


def test_an_edge_joins_behind_the_thing_by_the_words_of_its_relation(
    workspace: Workspace, thing: str
) -> None:
    pier = added(workspace, f"quay of {thing}")
    edge = drawn(workspace, thing, pier, "runs on")
    for actor in (ANA, AGENT):
        first, second, *_ = hits(workspace, f"what does the {thing} run on", actor)
        assert first.stored.record.title in (thing, pier)
        assert second.stored.record.reference == f"{edge}@1"
        assert second.stored.record.title == f"{thing} runs on {pier}"
        assert second.rank == 2
        assert set(second.components) == {"graph"}
        assert 0 < second.components["graph"] == second.score <= first.score
    # The words that name the thing ask nothing of it, and what is not related stays away.
    assert edges(workspace, thing) == []
    assert edges(workspace, f"when was the {thing} painted") == []
    far = recall(workspace, nothing_beside(), question("how does the moon run on cheese"))
    assert (far.state, far.hits) == (MemoryState.EMPTY, ())


def test_an_edge_joins_by_any_name_of_its_other_end(workspace: Workspace, thing: str) -> None:
    added(workspace, "Tessera", aliases=("mosaic store",))
    drawn(workspace, thing, "Tessera", "feeds")
    said = [f"{thing} feeds Tessera"]
    assert edges(workspace, f"what has the {thing} got to do with mosaic") == said
    assert edges(workspace, f"what has {thing} got to do with tessera") == said
    assert edges(workspace, "what feeds the mosaic store") == said


def test_what_is_named_less_fully_than_another_brings_nothing(
    workspace: Workspace, thing: str
) -> None:
    first, second = added(workspace, f"{thing} 7"), added(workspace, f"{thing} 8")
    crane = added(workspace, f"crane {thing}")
    drawn(workspace, first, crane, "anchors")
    drawn(workspace, second, crane, "anchors")
    assert edges(workspace, f"what does {first} anchor") == [f"{first} anchors {crane}"]
    assert len(edges(workspace, f"what do {first} and {second} anchor")) == 2


def test_at_most_three_join_and_none_beyond_the_limit(workspace: Workspace, thing: str) -> None:
    for place in ("north", "south", "east", "west"):
        drawn(workspace, thing, added(workspace, f"{place} gate of {thing}"), "guards")
    text = f"what does {thing} guard"
    assert len(edges(workspace, text, limit=9)) == 3
    assert len(hits(workspace, text, limit=3)) == 3
    assert len(edges(workspace, text, limit=2)) == 1
    assert edges(workspace, text, limit=1) == []
    # The better fit is first, wherever else the thing leads.
    assert (
        edges(workspace, f"{text} in the south", limit=9)[0]
        == f"{thing} guards south gate of {thing}"
    )


def test_what_may_not_be_seen_shows_through_no_edge(workspace: Workspace, thing: str) -> None:
    vault = added(workspace, f"vault of {thing}", sensitivity=Sensitivity.CONFIDENTIAL)
    edge = drawn(workspace, thing, vault, "opens")
    text = f"what does {thing} open"
    assert edges(workspace, text) == [f"{thing} opens {vault}"]
    for asked in (text, f"{thing} vault"):
        outcome = recall(workspace, nothing_beside(), question(asked, AGENT))
        assert edge not in {hit.stored.record.id for hit in outcome.hits}
        assert edge not in {item.id for item in outcome.left_out}
    plain = added(workspace, f"shed of {thing}")
    second = drawn(workspace, thing, plain, "opens")
    assert edges(workspace, text, AGENT) == [f"{thing} opens {plain}"]
    end = hits(workspace, plain)[0].stored.record.id
    retract(workspace, end, ANA)
    assert edges(workspace, text, AGENT) == []
    restore(workspace, end, ANA)
    assert edges(workspace, text, AGENT) == [f"{thing} opens {plain}"]
    unrelate(workspace, second, "", ANA)
    assert edges(workspace, text, AGENT) == []


def test_a_name_that_is_closed_is_not_told_and_not_matched(
    project: Path, workspace: Workspace, thing: str
) -> None:
    bot = Actor(Principal.parse("agent:bot"), Channel.AGENT)
    ward = added(workspace, "Lantern ward", entity_type="room", scope=Scope.parse("team:ward"))
    opened = {"scopes": ["team:ward"], "kinds": ["entity"], "shown_fields": ["entity_type"]}
    with memory_of(project) as memory:
        assert memory.grant("agent:bot", **opened).status is ResultStatus.DONE  # type: ignore[arg-type]
    edge = drawn(workspace, thing, ward, "visits")
    text = f"what does {thing} visit"
    assert edges(workspace, text) == [f"{thing} visits Lantern ward"]
    # It is there, as the room that it may see of it, and nothing says or confirms its name.
    (said,) = edges(workspace, text, bot)
    assert said.startswith(f"{thing} visits ")
    assert "antern" not in said
    for asked in (f"{thing} lantern", f"is {thing} about the lantern ward"):
        assert edge not in {hit.stored.record.id for hit in hits(workspace, asked, bot)}
    # Who asks for one namespace is told of no other.
    assert edges(workspace, text, bot, scopes=(Scope.parse("project:datasync"),)) == []


def test_an_edge_answers_for_its_time(workspace: Workspace, thing: str) -> None:
    old, new = added(workspace, f"old host {thing}"), added(workspace, f"new host {thing}")
    drawn(workspace, thing, old, "hosted on", valid_from=MARCH)
    known_then = workspace.clock.now()
    drawn(workspace, thing, new, "hosted on", valid_from=JUNE)
    text = f"where is {thing} hosted"
    assert edges(workspace, text) == [f"{thing} hosted on {new}"]
    assert edges(workspace, text, valid_at=APRIL) == [f"{thing} hosted on {old}"]
    assert edges(workspace, text, as_of=known_then) == [f"{thing} hosted on {old}"]


def test_an_edge_is_never_served_as_if_nobody_contradicted_it(
    workspace: Workspace, thing: str
) -> None:
    one, two = added(workspace, f"first team {thing}"), added(workspace, f"second team {thing}")
    drawn(workspace, thing, one, "owned by")
    drawn(workspace, thing, two, "owned by", actor=BEN, valid_from=MARCH)
    found = hits(workspace, f"who owns the {thing}, owned by whom", limit=2)
    said = {hit.stored.record.title: set(hit.components) for hit in found[1:]}
    assert said.keys() == {f"{thing} owned by {one}", f"{thing} owned by {two}"}
    assert sorted(map(sorted, said.values())) == [["conflict"], ["graph"]]


def test_what_became_another_thing_is_asked_by_that(workspace: Workspace, thing: str) -> None:
    twin, crane = added(workspace, f"{thing} twin"), added(workspace, f"crane {thing}")
    drawn(workspace, twin, crane, "lifts")
    merge(workspace, thing, twin, ANA)
    assert edges(workspace, f"what does {thing} lift") == [f"{thing} lifts {crane}"]


def test_filters_hold_for_edges_and_a_likeness_is_marked(workspace: Workspace, thing: str) -> None:
    other = added(workspace, f"copy {thing}")
    drawn(workspace, thing, other, "similar to")
    assert edges(workspace, f"what is similar to {thing}") == [
        f"{thing} similar to {other} (likeness, no proof)"
    ]
    assert edges(workspace, f"is there a copy of {thing}") == []
    drawn(workspace, thing, other, "mirrors", event_time=MARCH)
    text = f"what does {thing} mirror"
    assert len(edges(workspace, text)) == 1
    assert edges(workspace, text, kinds=("entity",)) == []
    assert len(edges(workspace, text, kinds=("entity", "edge"))) == 1
    assert edges(workspace, text, since=APRIL) == []
    assert edges(workspace, text, tags=("none",)) == []


def test_a_note_brings_its_edges_and_a_weight_of_nothing_keeps_all_away(
    project: Path, workspace: Workspace, thing: str
) -> None:
    with memory_of(project) as memory:
        note = memory.remember(f"Handbook of {thing}", kind="note").target
    drawn(workspace, note, added(workspace, f"binder {thing}"), "printed in")
    text = f"where is the handbook of {thing} printed"
    assert edges(workspace, text) == [f"Handbook of {thing} printed in binder {thing}"]
    settings = workspace.settings
    rank = replace(settings.recall.rank, graph=0.0)
    off = replace(workspace, settings=replace(settings, recall=replace(settings.recall, rank=rank)))
    assert edges(off, text) == []


def packed(workspace: Workspace, text: str) -> Packet:
    here = replace(workspace, clock=Instant(workspace.clock.now()))
    query = question(text, AGENT)
    outcome = recall(here, nothing_beside(), query)
    return hand_out(here, nothing_beside(), query, outcome, occasion="task")


def test_a_packet_tells_an_edge_by_names_and_is_made_again_from_its_manifest(
    workspace: Workspace, thing: str
) -> None:
    tug = added(workspace, f"tug {thing}")
    edge = drawn(workspace, thing, tug, "pulled by")
    packet = packed(workspace, f"what is the {thing} pulled by")
    assert f"> {thing} pulled by {tug}\n" in packet.text
    assert "from:" not in packet.text
    again = replay(workspace, nothing_beside(), packet.id, AGENT)
    assert (again.is_identical, again.text) == (True, packet.text)
    end = hits(workspace, tug)[0].stored.record.id
    retract(workspace, end, ANA)
    later = replay(workspace, nothing_beside(), packet.id, ANA)
    assert not later.is_identical
    assert edge in {item.id for item in later.missing}
    assert tug not in later.text
