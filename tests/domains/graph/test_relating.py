"""Edges are drawn once, give way where a thing has one at a time, and go at both ends."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest

from memfs.domains.graph.entities import Thing, add_entity
from memfs.domains.graph.entity_views import list_entities, show_entity
from memfs.domains.graph.pictures import link_value
from memfs.domains.graph.relating import (
    AmbiguousEdgeError,
    Tie,
    UnknownEdgeError,
    relate,
    unrelate,
)
from memfs.domains.graph.seen_graph import SeenGraph
from memfs.errors import MemfsError, UsageError
from memfs.model.authority import Sensitivity, Sink
from memfs.model.candidate import Submission
from memfs.model.moment import Moment
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.query import Query
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.policy.authority import capture_origin
from memfs.policy.closure import dependents
from memfs.services.check import check
from memfs.services.conflicts import open_conflicts
from memfs.services.correct import target_of
from memfs.services.graph_drafts import edge_draft
from memfs.services.past import show_at
from memfs.services.ports import Workspace
from memfs.services.propose import submit
from memfs.services.reading import UnknownRecordError, show
from memfs.services.recall import search
from memfs.services.restore import restore
from memfs.services.review import accept, waiting
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
OTHER_AGENT = Actor(Principal.parse("agent:stranger"), Channel.AGENT)
NOW = Moment()
MARCH, JUNE = (datetime(2026, month, 1, tzinfo=UTC) for month in (3, 6))
_NUMBERS = count(1)
_IDS = CountedIds()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("relating"))


@pytest.fixture(scope="module")
def clock() -> SteppedClock:
    return SteppedClock()


@pytest.fixture
def workspace(project: Path, clock: SteppedClock) -> Iterator[Workspace]:
    with workspace_of(project, clock=clock, ids=_IDS) as opened:
        yield opened


@pytest.fixture
def things(workspace: Workspace) -> tuple[str, str, str]:
    """Three things that no other test speaks of."""
    number = next(_NUMBERS)
    names = (f"pier {number}", f"crane {number}", f"barge {number}")
    for name in names:
        assert add_entity(workspace, Thing(name=name), ANA).status is ResultStatus.DONE
    return names


def drawn(workspace: Workspace, start: str, end: str, relation: str, **more: object) -> Result:
    actor = more.pop("actor", ANA)
    assert isinstance(actor, Actor)
    return relate(workspace, Tie(start=start, end=end, relation=relation, **more), actor)  # type: ignore[arg-type]


def shown(
    workspace: Workspace, name: str, actor: Actor = ANA, moment: Moment = NOW
) -> list[tuple[str, str]]:
    """Returns how a thing relates to what, as its page says."""
    view = show_entity(workspace, name, actor, moment=moment)
    return [(edge.link.relation, edge.other.record.title) for edge in view.edges]


def stored(workspace: Workspace, identifier: str) -> Record:
    return show(workspace, f"{identifier}@1", ANA).record


def test_an_edge_shows_at_both_ends_with_all_that_was_said(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, _ = things
    before = workspace.clock.now()
    done = drawn(
        workspace, pier, crane, "Carries", confidence=0.8, event_time=MARCH, valid_until=JUNE,
        valid_from=MARCH,
    )  # fmt: skip
    assert done.status is ResultStatus.DONE
    record = stored(workspace, done.target)
    assert (record.event_time, record.valid_from, record.valid_until) == (MARCH, MARCH, JUNE)
    assert record.observed is not None
    assert record.observed > before
    assert record.confidence == 0.8
    assert record.fields["relation"] == "Carries"
    assert record.origin is not None
    assert record.origin.principal == ANA.principal
    assert record.superseded_by == ""
    assert pier not in record.title
    assert crane not in record.title
    at = Moment(valid_at=datetime(2026, 4, 1, tzinfo=UTC))
    assert shown(workspace, pier, moment=at) == [("Carries", crane)]
    assert shown(workspace, crane, moment=at) == [("Carries", pier)]
    assert shown(workspace, pier) == []


def test_the_same_edge_is_drawn_once_and_another_label_is_another_edge(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, _ = things
    first = drawn(workspace, pier, crane, "depends on")
    head = workspace.store.ledger_head()
    again = drawn(workspace, pier.upper(), crane.replace(" ", "-"), "Depends_On")
    assert (again.status, again.target) == (ResultStatus.DUPLICATE, first.target)
    assert "already known" in again.message
    assert workspace.store.ledger_head() == head
    assert drawn(workspace, pier, crane, "blocks").status is ResultStatus.DONE
    assert drawn(workspace, crane, pier, "depends on").status is ResultStatus.DONE
    assert shown(workspace, pier) == [
        ("blocks", crane),
        ("depends on", crane),
        ("depends on", crane),
    ]


def test_nothing_relates_to_itself_by_whatever_name(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier = things[0]
    head = workspace.store.ledger_head()
    own = show_entity(workspace, pier, ANA, moment=NOW).stored.record.id
    for other in (pier, pier.title(), own, own[-8:]):
        refused = drawn(workspace, pier, other, "uses")
        assert refused.status is ResultStatus.REFUSED
        assert [item.code for item in refused.reasons] == ["edge.self"]
    assert workspace.store.ledger_head() == head


def test_both_ends_have_to_be_there(workspace: Workspace, things: tuple[str, str, str]) -> None:
    head = workspace.store.ledger_head()
    nothing = "ent_01kb8x3v6y0000000000000001"
    for other in ("nobody at all", "", nothing, "..", "x" * 999):
        with pytest.raises(UnknownRecordError):
            drawn(workspace, things[0], other, "uses")
        with pytest.raises(UnknownRecordError):
            drawn(workspace, other, things[0], "uses")
    assert workspace.store.ledger_head() == head


def test_of_what_a_thing_has_one_at_a_time_the_newer_edge_takes_the_place(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, barge = things
    old = drawn(workspace, pier, crane, "runs on", valid_from=MARCH)
    known_then = workspace.clock.now()
    new = drawn(workspace, pier, barge, "runs on", valid_from=JUNE)
    assert new.status is ResultStatus.DONE
    assert "replaces" in new.message
    left = stored(workspace, old.target)
    assert (left.status, left.superseded_by) == (Status.SUPERSEDED, new.target)
    assert left.superseded_from == JUNE
    assert stored(workspace, new.target).supersedes == (old.target,)
    assert shown(workspace, pier) == [("runs on", barge)]
    assert shown(workspace, crane) == []
    april, july = (datetime(2026, month, 1, tzinfo=UTC) for month in (4, 7))
    assert shown(workspace, pier, moment=Moment(valid_at=april)) == [("runs on", crane)]
    assert shown(workspace, pier, moment=Moment(valid_at=july)) == [("runs on", barge)]
    assert shown(workspace, pier, moment=Moment(as_of=known_then)) == [("runs on", crane)]
    past = Moment(as_of=known_then, valid_at=july)
    assert shown(workspace, pier, moment=past) == [("runs on", crane)]
    assert check(workspace, []) == ()


def test_what_changes_without_a_date_changes_now(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, barge = things
    drawn(workspace, pier, crane, "owned by")
    between = workspace.clock.now()
    drawn(workspace, pier, barge, "owned by")
    assert shown(workspace, pier) == [("owned by", barge)]
    assert shown(workspace, pier, moment=Moment(valid_at=between)) == [("owned by", crane)]
    back = drawn(workspace, pier, crane, "owned by")
    assert back.status is ResultStatus.DONE
    assert shown(workspace, pier) == [("owned by", crane)]


def test_what_another_person_says_stands_beside_it_and_both_are_marked(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, barge = things
    mine = drawn(workspace, pier, crane, "located in")
    theirs = drawn(workspace, pier, barge, "located in", actor=BEN, valid_from=MARCH)
    assert theirs.status is ResultStatus.DONE
    assert sorted(shown(workspace, pier)) == [("located in", barge), ("located in", crane)]
    (standing,) = (
        item for item in open_conflicts(workspace, ANA) if mine.target in item.conflict.member_ids
    )
    assert standing.conflict.subject == f"{pier} located in"
    assert {side.record.id: side.record.title for side in standing.sides} == {
        mine.target: f"{pier} located in {crane}",
        theirs.target: f"{pier} located in {barge}",
    }
    assert stored(workspace, mine.target).conflicts == (theirs.target,)
    unrelate(workspace, pier, barge, ANA)
    assert stored(workspace, mine.target).conflicts == ()


def test_an_agent_draws_nothing_that_is_seen_before_review(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, barge = things
    drawn(workspace, pier, crane, "hosted on")
    proposed = drawn(workspace, pier, barge, "hosted on", actor=AGENT)
    assert proposed.status is ResultStatus.WAITING
    assert shown(workspace, pier) == shown(workspace, pier, AGENT) == [("hosted on", crane)]
    (candidate,) = (item for item in waiting(workspace, ANA) if item.id == proposed.target)
    assert "conflict.contradiction" in {item.code for item in candidate.reasons}
    assert candidate.title == f"{pier} hosted on {barge}"
    accept(workspace, candidate.id, ANA)
    assert shown(workspace, pier, AGENT) == [("hosted on", barge)]


def test_an_edge_goes_at_both_ends_and_the_things_stay(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, barge = things
    drawn(workspace, pier, crane, "uses")
    drawn(workspace, pier, barge, "uses")
    gone = unrelate(workspace, crane, pier, ANA)
    assert (gone.action, gone.status) == ("unrelate", ResultStatus.DONE)
    assert shown(workspace, pier) == [("uses", barge)]
    assert shown(workspace, crane) == []
    assert stored(workspace, gone.target).status is Status.RETRACTED
    with pytest.raises(UnknownEdgeError):
        unrelate(workspace, pier, crane, ANA)
    assert drawn(workspace, pier, crane, "uses").status is ResultStatus.DONE
    restore(workspace, gone.target, ANA)
    unrelate(workspace, pier, crane, ANA)
    assert shown(workspace, crane) == []


def test_one_of_several_edges_is_named_by_its_label_or_its_id(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, _ = things
    feeds = drawn(workspace, pier, crane, "feeds")
    drawn(workspace, pier, crane, "blocks")
    drawn(workspace, crane, pier, "calls")
    with pytest.raises(AmbiguousEdgeError, match="blocks, feeds"):
        unrelate(workspace, pier, crane, ANA)
    with pytest.raises(UnknownEdgeError, match="'eats'"):
        unrelate(workspace, pier, crane, ANA, relation="eats")
    with pytest.raises(UnknownEdgeError):
        unrelate(workspace, pier, "", ANA)
    assert unrelate(workspace, feeds.target, "", ANA).status is ResultStatus.DONE
    assert unrelate(workspace, pier, crane, ANA, relation="Blocks").status is ResultStatus.DONE
    assert shown(workspace, pier) == [("calls", crane)]


def test_only_a_person_takes_an_edge_away(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, _ = things
    drawn(workspace, pier, crane, "uses")
    assert unrelate(workspace, pier, crane, AGENT).status is ResultStatus.REFUSED
    assert shown(workspace, crane) == [("uses", pier)]


def test_an_edge_to_what_is_hidden_is_hidden_with_it(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier = things[0]
    hidden = add_entity(
        workspace, Thing(name=f"vault {pier}", sensitivity=Sensitivity.CONFIDENTIAL), ANA
    )
    accept(workspace, hidden.target, ANA)
    edge = drawn(workspace, pier, f"vault {pier}", "guards").target
    assert shown(workspace, pier) == [("guards", f"vault {pier}")]
    assert shown(workspace, pier, AGENT) == []
    with pytest.raises(UnknownRecordError):
        show(workspace, edge, AGENT)
    with pytest.raises(UnknownRecordError):
        show_at(workspace, edge, AGENT, moment=Moment(valid_at=workspace.clock.now()))
    for actor, sink in ((AGENT, Sink.AGENT), (ANA, Sink.PERSON)):
        # Nobody searches for an edge: it is walked along.
        query = Query(text="guards", actor=actor, sink=sink, kinds=("edge",))
        assert search(workspace, query).hits == ()
    for start, end in ((pier, f"vault {pier}"), (edge, "")):
        with pytest.raises(UnknownRecordError):
            unrelate(workspace, start, end, AGENT)
    with pytest.raises(UnknownRecordError):
        drawn(workspace, pier, f"vault {pier}", "guards", actor=AGENT)


def test_an_edge_goes_with_its_end_and_comes_back_with_it(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, _ = things
    edge = drawn(workspace, pier, crane, "uses").target
    second = drawn(workspace, pier, crane, "feeds").target
    known_then = workspace.clock.now()
    end = show_entity(workspace, crane, ANA, moment=NOW).stored.record.id
    retract(workspace, end, ANA)
    assert shown(workspace, pier) == []
    assert shown(workspace, pier, moment=Moment(as_of=known_then)) == []
    with pytest.raises(UnknownRecordError):
        show(workspace, edge, AGENT)
    # An edge whose end is away is still a person's to take away, by its own id.
    assert unrelate(workspace, second, "", ANA).status is ResultStatus.DONE
    again = add_entity(workspace, Thing(name=crane), ANA)
    assert [item.code for item in again.reasons] == ["duplicate.taken-back"]
    told = add_entity(workspace, Thing(name=crane), AGENT)
    assert told.status is ResultStatus.WAITING
    assert "taken" not in f"{told.message}{told.reasons}"
    restore(workspace, end, ANA)
    assert shown(workspace, pier) == [("uses", crane)]


def test_what_is_an_agents_own_is_seen_by_nobody_elses_agent(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier = things[0]
    name = f"notebook {pier}"
    scope = replace(workspace.scope, kind=type(workspace.scope.kind)("agent"), name="builder")
    proposed = add_entity(workspace, Thing(name=name, scope=scope), AGENT)
    accept(workspace, proposed.target, ANA)
    drawn(workspace, pier, name, "noted in")
    assert shown(workspace, pier, AGENT) == shown(workspace, pier) == [("noted in", name)]
    assert shown(workspace, pier, OTHER_AGENT) == []
    with pytest.raises(UnknownRecordError):
        show_entity(workspace, name, OTHER_AGENT, moment=NOW)
    for actor, is_seen in ((AGENT, True), (OTHER_AGENT, False), (ANA, True)):
        names = {item.record.title for item in list_entities(workspace, actor, moment=NOW)}
        assert (name in names, pier in names) == (is_seen, True)
    only = list_entities(workspace, ANA, scopes=(scope,), moment=NOW)
    assert [item.record.title for item in only] == [name]


def test_any_label_is_kept_as_it_is_written(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, _ = things
    labels = ("  ", "uses", "🚢 → ⚓", "بحر", "a" * 60, "x\ny")
    for label in labels:
        assert drawn(workspace, pier, crane, label).status is ResultStatus.DONE
    expected = {" ".join(label.split()) or "related" for label in labels}
    assert {relation for relation, _ in shown(workspace, crane)} == expected


def test_what_is_no_label_or_number_is_refused(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, _ = things
    with pytest.raises(UsageError):
        drawn(workspace, pier, crane, "a" * 61)
    for confidence in (1.5, -1):
        with pytest.raises(UsageError):
            drawn(workspace, pier, crane, "uses", confidence=confidence)
    hidden = drawn(workspace, pier, crane, "us\u202ees")
    assert hidden.status in (ResultStatus.WAITING, ResultStatus.REFUSED)


def test_two_who_draw_one_edge_at_once_draw_one(
    project: Path, workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, _ = things

    def draw(_: int) -> ResultStatus:
        with memory_of(project) as memory:
            return memory.relate(pier, crane, "meets").status

    with ThreadPoolExecutor(4) as pool:
        done = sorted(map(str, pool.map(draw, range(4))))
    assert done == ["done", "duplicate", "duplicate", "duplicate"]
    assert shown(workspace, pier) == [("meets", crane)]


def test_what_looks_alike_is_pressure_and_no_proof(
    workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, _ = things
    before = target_of(workspace, pier_id(workspace, pier), ANA).record
    edge = drawn(workspace, pier, crane, "similar to", confidence=0.9).target
    drawn(workspace, pier, crane, "uses")
    ends = [pier_id(workspace, name) for name in (pier, crane)]
    measured = replace(edge_draft(workspace.scope, *ends), transform="likeness:lexical")
    submit(workspace, Submission(draft=measured, origin=capture_origin(ANA, "alike")), ANA)
    view = show_entity(workspace, pier, ANA, moment=NOW)
    assert {item.link.relation: item.is_pressure for item in view.edges} == {
        "similar to": True,
        "uses": False,
        "related": True,
    }
    # Whoever walks there is told as well, in text and as a value.
    with SeenGraph(workspace, ANA) as graph:
        links = graph.links_of(ends[:1])[ends[0]]
    marks = {link.relation: link_value(link).get("pressure", False) for link in links}
    assert marks == {"similar to": True, "uses": False, "related": True}
    # It supports nothing: neither end believes more of itself, and nothing rests on it.
    assert target_of(workspace, before.id, ANA).record == before
    assert dependents([stored(workspace, edge), before]) == {}


def pier_id(workspace: Workspace, name: str) -> str:
    with SeenGraph(workspace, ANA) as graph:
        return graph.find(name).record.id


def test_edges_decide_nothing_about_who_may_read_and_what_is_said(
    project: Path, workspace: Workspace, things: tuple[str, str, str]
) -> None:
    pier, crane, _ = things
    with memory_of(project) as memory:
        claim = memory.remember(f"The {pier} closes at dusk", kind="fact").target
        memory.remember(f"The {crane} is hired", kind="fact", sensitivity="confidential")
        memory.accept(None)

    def answers() -> list[object]:
        found: list[object] = []
        for actor in (ANA, AGENT, OTHER_AGENT):
            with memory_of(project, actor) as memory:
                packet = memory.recall(f"when does the {pier} close, is the {crane} hired")
                found.append([card.hit.stored.record.id for card in packet.cards])
                found.append([item.record.id for item in memory.list_records()])
                found.append([item.record.id for item in memory.entities()])
        return found

    before = answers()
    # One store holds all of these tests' edges; here one ties what is open to what is not.
    edges = [drawn(workspace, claim, crane, "about"), drawn(workspace, crane, claim, "explains")]
    assert answers() == before
    for edge in edges:
        unrelate(workspace, edge.target, "", ANA)
    assert answers() == before


def test_nothing_that_was_done_here_is_a_problem(workspace: Workspace) -> None:
    assert check(workspace, []) == ()
    with pytest.raises(MemfsError):
        show_entity(workspace, "\x00", ANA, moment=NOW)
