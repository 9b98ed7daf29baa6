"""One name is one thing, whoever meets it, and every name of a thing leads to it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.domains.graph.entities import Changes, Thing, add_entity, change_entity
from memfs.domains.graph.entity_views import EntityView, list_entities, show_entity
from memfs.domains.graph.relating import Tie, relate
from memfs.errors import UsageError
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.limits import LIST_ITEMS
from memfs.model.moment import Moment
from memfs.model.naming import entity_id
from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.policy.authority import capture_origin
from memfs.services.batches import admit_batch
from memfs.services.check import check
from memfs.services.correct import target_of
from memfs.services.graph_drafts import between, edge_draft, entity_draft
from memfs.services.ports import Workspace
from memfs.services.propose import submit
from memfs.services.reading import AmbiguousRecordError, UnknownRecordError, show
from memfs.services.review import accept, waiting
from memfs.services.withdraw import forget
from tests.support.memory import (
    AGENT,
    ANA,
    CountedIds,
    SteppedClock,
    memory_of,
    new_project,
    store_root,
    workspace_of,
)

NOW = Moment()
_IDS = CountedIds()
_CLOCK = SteppedClock()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("entities"))


@pytest.fixture
def workspace(project: Path) -> Iterator[Workspace]:
    with workspace_of(project, clock=_CLOCK, ids=_IDS) as opened:
        yield opened


def added(workspace: Workspace, name: str, actor: Actor = ANA, **more: object) -> Result:
    return add_entity(workspace, Thing(name=name, **more), actor)  # type: ignore[arg-type]


def changed(workspace: Workspace, ref: str, actor: Actor = ANA, /, **changes: object) -> Result:
    wanted = Changes(**changes)  # type: ignore[arg-type]
    return change_entity(workspace, ref, wanted, actor, action="set entity")


def page(workspace: Workspace, name: str, actor: Actor = ANA) -> EntityView:
    return show_entity(workspace, name, actor, moment=NOW)


def test_a_thing_has_an_id_a_type_names_attributes_and_a_scope(workspace: Workspace) -> None:
    done = added(
        workspace,
        "Harbour Service",
        entity_type="service",
        aliases=("HS", "hs", "harbour-service", "the harbour"),
        attributes={"team": "tide", "port": 80},
        about="Opens the locks.",
    )
    assert done.status is ResultStatus.DONE
    record = page(workspace, "hs").stored.record
    assert record.id == done.target == entity_id(workspace.scope, "harbour service")
    assert record.fields == {
        "entity_type": "service",
        "aliases": ["HS", "the harbour"],
        "attributes": {"team": "tide", "port": 80},
    }
    assert (record.scope, record.subject) == (workspace.scope, "harbour service")
    # Whatever branch of the project is checked out, a thing is there.
    assert (workspace.project_branch, record.branch) == ("main", "")
    assert record.body == "Opens the locks.\n"


def test_an_id_that_is_taken_is_refused_whoever_offers_it(workspace: Workspace) -> None:
    first = added(workspace, "Lock Gate")
    head = workspace.store.ledger_head()
    again = added(workspace, "lock_gate", entity_type="other")
    assert (again.status, again.target) == (ResultStatus.DUPLICATE, first.target)
    raw = entity_draft(workspace.scope, "LOCK GATE", body="Something else.")
    for actor in (ANA, AGENT):
        offered = Submission(draft=raw, origin=capture_origin(actor, "x"))
        told = submit(workspace, offered, actor)
        assert (told.status, told.target) == (ResultStatus.DUPLICATE, first.target)
    assert workspace.store.ledger_head() == head


@pytest.mark.parametrize("name", ["Sluice", "  sluice ", "SLUICE", "The Sluice", "weir No. 3"])
def test_three_names_for_one_thing_lead_to_it(workspace: Workspace, name: str) -> None:
    added(workspace, "Sluice", aliases=("the sluice", "Weir No 3"))
    view = page(workspace, name)
    assert view.stored.record.title == "Sluice"
    assert view.names == ("Sluice", "the sluice", "Weir No 3")
    assert page(workspace, view.stored.record.id).stored == view.stored
    assert page(workspace, name, AGENT).stored.record == view.stored.record


def test_a_thing_that_is_called_otherwise_keeps_its_id_and_its_old_name(
    workspace: Workspace,
) -> None:
    before = added(workspace, "Old Quay").target
    relate(workspace, Tie(start="old quay", end=added(workspace, "Mole").target), ANA)
    assert changed(workspace, "old quay", name="New Quay").status is ResultStatus.DONE
    for name in ("new quay", "OLD-QUAY"):
        view = page(workspace, name)
        assert view.stored.record.id == before
        assert view.names == ("New Quay", "Old Quay")
    (edge,) = page(workspace, "mole").edges
    assert edge.other.record.title == "New Quay"
    with pytest.raises(UsageError):
        changed(workspace, "new quay", dropped=("old quay",))
    assert added(workspace, "Old Quay").status is ResultStatus.DUPLICATE


def test_names_come_and_go_and_no_two_things_share_one(workspace: Workspace) -> None:
    added(workspace, "Ferry", aliases=("boat",))
    added(workspace, "Tender")
    taken = changed(workspace, "tender", aliases=("Boat",))
    assert [item.code for item in taken.reasons] == ["entity.name-taken"]
    assert added(workspace, "Skiff", aliases=("boat",)).status is ResultStatus.REFUSED
    assert changed(workspace, "ferry", dropped=("BOAT",)).status is ResultStatus.DONE
    with pytest.raises(UnknownRecordError):
        page(workspace, "boat")
    assert changed(workspace, "tender", aliases=("Boat",)).status is ResultStatus.DONE
    assert changed(workspace, "boat", aliases=("boat",)).status is ResultStatus.NOTHING
    for bad in ({"dropped": ("raft",)}, {"dropped": ("tender",)}, {"unset": ("x",)}, {"name": " "}):
        with pytest.raises(UsageError):
            changed(workspace, "tender", **bad)


def test_what_is_known_is_added_to_and_taken_away_by_name(workspace: Workspace) -> None:
    added(workspace, "Beacon", attributes={"height": "12", "colour": "red"})
    changed(workspace, "beacon", attributes={"colour": "green", "lit": "yes"}, unset=("height",))
    changed(workspace, "beacon", entity_type="light", about="It blinks.")
    record = page(workspace, "beacon").stored.record
    assert record.fields == {
        "attributes": {"colour": "green", "lit": "yes"},
        "entity_type": "light",
    }
    assert (record.body, record.version) == ("It blinks.\n", 3)
    changed(workspace, "beacon", unset=("colour", "lit"), entity_type="", about="")
    record = page(workspace, "beacon").stored.record
    assert (record.fields, record.body) == ({}, "")


def test_what_an_agent_says_of_a_thing_waits(workspace: Workspace) -> None:
    added(workspace, "Winch")
    told = changed(workspace, "winch", AGENT, aliases=("hoist",))
    made = added(workspace, "Pulley", AGENT)
    assert told.status is made.status is ResultStatus.WAITING
    with pytest.raises(UnknownRecordError):
        page(workspace, "hoist")
    added(workspace, "Pulley")
    (late,) = (item for item in waiting(workspace, ANA) if item.id == made.target)
    from memfs.services.acceptance import CandidateUnreadableError

    with pytest.raises(CandidateUnreadableError, match="id of its own"):
        accept(workspace, late.id, ANA)
    accept(workspace, told.target, ANA)
    assert page(workspace, "hoist").stored.record.title == "Winch"


def test_two_who_name_a_thing_at_once_are_both_heard(project: Path, workspace: Workspace) -> None:
    added(workspace, "Capstan")

    def name(number: int) -> ResultStatus:
        with memory_of(project) as memory:
            return memory.alias("capstan", [f"capstan name {number}"]).status

    def add(_: int) -> ResultStatus:
        with memory_of(project) as memory:
            return memory.add_entity("Windlass").status

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(name, range(4))) == {ResultStatus.DONE}
        made = sorted(map(str, pool.map(add, range(4))))
    assert len(page(workspace, "capstan").names) == 5
    assert made == ["done", "duplicate", "duplicate", "duplicate"]


def test_a_page_that_is_edited_by_hand_is_reviewed_like_any_record(
    project: Path, workspace: Workspace
) -> None:
    added(workspace, "Bollard", aliases=("post",))
    path = store_root(project) / page(workspace, "bollard").stored.path
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("post", "post, stump"), encoding="utf-8")
    with memory_of(project) as memory:
        memory.reconcile()
        with pytest.raises(UnknownRecordError):
            memory.entity("stump")
        memory.accept(None)
        assert memory.entity("stump").names == ("Bollard", "post", "stump")


def test_no_door_lets_two_things_share_a_name(workspace: Workspace) -> None:
    """Whoever proposes, imports or accepts: what bears the name already is told."""
    waits = changed(workspace, "mole", AGENT, aliases=("Backbone",))
    assert waits.status is ResultStatus.WAITING
    keel = added(workspace, "Keel", aliases=("backbone",)).target
    assert accept(workspace, waits.target, ANA).status is ResultStatus.REFUSED
    raw = entity_draft(workspace.scope, "Backbone")
    for actor, is_confirmed in ((ANA, False), (AGENT, False), (AGENT, True)):
        origin = capture_origin(actor, "backbone")
        offered = Submission(draft=raw, origin=origin, is_confirmed=is_confirmed)
        told = submit(workspace, offered, actor)
        assert (told.status, told.target) == (ResultStatus.DUPLICATE, keel)
    assert page(workspace, "backbone").stored.record.title == "Keel"


def test_a_page_that_is_written_by_hand_is_a_thing_like_any(
    project: Path, workspace: Workspace
) -> None:
    added(workspace, "Berth Nine")
    path = store_root(project) / "graph" / "entities" / "my-own-db.md"
    path.write_text("---\nkind: entity\ntitle: Depot\naliases: [dp]\n---\nWords.\n", "utf-8")
    with memory_of(project) as memory:
        memory.accept(None)
        drawn = memory.relate("berth nine", "dp", "leads to")
    view = page(workspace, "depot")
    assert view.stored.record.id == entity_id(workspace.scope, "Depot")
    assert view.stored.path == "graph/entities/my-own-db.md"
    assert [edge.other.record.title for edge in view.edges] == ["Berth Nine"]
    assert show(workspace, drawn.target, AGENT).record.id == drawn.target


@pytest.mark.parametrize(
    "name",
    ["../../etc/passwd", "a" * 200, "人工知能", "-rf", "con", "🏴 flag", "a: b", "'q'", "#1"],
)
def test_any_name_is_a_name(workspace: Workspace, name: str) -> None:
    done = added(workspace, name)
    assert done.status is ResultStatus.DONE, done
    view = page(workspace, name)
    assert view.stored.record.title == name
    assert view.stored.path.startswith("graph/entities/")
    assert ".." not in view.stored.path


def test_what_is_kept_closely_is_in_no_cache_and_nothing_is_sealed(
    workspace: Workspace,
) -> None:
    for name in ("Wolfram Depot", "wolfram-depot"):
        told = added(workspace, name, sensitivity=Sensitivity.CONFIDENTIAL, aliases=("Tusk",))
        if told.status is ResultStatus.WAITING:
            accept(workspace, told.target, ANA)
    assert told.status is ResultStatus.DUPLICATE
    assert page(workspace, "tusk").stored.record.title == "Wolfram Depot"
    with pytest.raises(UnknownRecordError):
        page(workspace, "tusk", AGENT)
    words = b"".join(file.read_bytes() for file in workspace.cache_dir.glob("catalogue*"))
    assert b"wolfram" not in words.lower()
    sealed = added(workspace, "Seal", sensitivity=Sensitivity.SEALED)
    assert [item.code for item in sealed.reasons] == ["graph.sealed"]


def test_a_thing_has_so_many_names_and_no_more(workspace: Workspace) -> None:
    with pytest.raises(UsageError, match="at most 100 names"):
        added(workspace, "Hydra", aliases=[f"head {number}" for number in range(101)])
    raw = replace(
        entity_draft(workspace.scope, "Hydra"), fields={"aliases": ["x"] * (LIST_ITEMS + 1)}
    )
    told = submit(workspace, Submission(draft=raw, origin=capture_origin(ANA, "x")), ANA)
    assert [item.code for item in told.reasons] == ["bounds.items"]


@pytest.mark.parametrize("name", ["", "   ", "a" * 201, "\u200b", "\u202e"])
def test_what_is_no_name_is_refused(workspace: Workspace, name: str) -> None:
    with pytest.raises(UsageError):
        added(workspace, name)


def test_what_is_forgotten_goes_with_its_edges_and_does_not_come_back(
    project: Path, workspace: Workspace
) -> None:
    added(workspace, "Zephyrine Quartermain")
    edge = relate(workspace, Tie(start="zephyrine quartermain", end="mole"), ANA)
    forget(workspace, [page(workspace, "Zephyrine Quartermain").stored.record.id], ANA)
    with pytest.raises(UnknownRecordError):
        page(workspace, "zephyrine quartermain")
    assert [item.other.record.title for item in page(workspace, "mole").edges] == ["New Quay"]
    gone = store_root(project) / str(edge.data["path"])
    assert not gone.exists()
    back = added(workspace, "Zephyrine Quartermain")
    assert back.status is ResultStatus.REFUSED
    assert check(workspace, []) == ()


def test_things_are_listed_by_type_as_they_were_at_a_moment(workspace: Workspace) -> None:
    added(workspace, "Tug One", entity_type="Tug-Boat")
    between = workspace.clock.now()
    added(workspace, "Tug Two", entity_type="tug boat")
    now = [item.record.title for item in list_entities(
        workspace, ANA, entity_type="tug boat", moment=NOW
    )]  # fmt: skip
    past = Moment(as_of=between)
    then = list_entities(workspace, ANA, entity_type="TUG BOAT", moment=past)
    assert now == ["Tug Two", "Tug One"]
    assert [item.record.title for item in then] == ["Tug One"]
    with pytest.raises(UnknownRecordError):
        show_entity(workspace, "tug two", ANA, moment=past)
    assert len(list_entities(workspace, ANA, moment=NOW, limit=2)) == 2


def test_two_graphs_that_meet_make_one_valid_graph(workspace: Workspace, tmp_path: Path) -> None:
    """What another store knows of the same things falls together with what is known here."""
    other_project = new_project(tmp_path, "elsewhere")
    here = (added(workspace, "Locker"), added(workspace, "Rope"))
    relate(workspace, Tie(start="locker", end="rope", relation="holds"), ANA)
    with workspace_of(other_project) as other:
        for name in ("locker", "ROPE", "Anchor"):
            added(other, name)
        relate(other, Tie(start="locker", end="rope", relation="Holds"), ANA)
        relate(other, Tie(start="anchor", end="rope", relation="hangs on"), ANA)
        things = [item.record for item in list_entities(other, ANA, moment=NOW)]
        edges = [edge.stored.record for edge in show_entity(other, "rope", ANA, moment=NOW).edges]
    moved = {
        item.id: entity_draft(workspace.scope, item.title, entity_type="thing") for item in things
    }
    drafts = [
        *moved.values(),
        *(
            replace(
                between(edge, *(moved[str(edge.fields[end])].id for end in ("from", "to"))),
                scope=workspace.scope,
            )
            for edge in edges
        ),
    ]
    dangling = edge_draft(workspace.scope, here[0].target, entity_id(workspace.scope, "no such"))
    submissions = [
        Submission(draft=draft, origin=capture_origin(ANA, f"{draft.title} {draft.id}"))
        for draft in (*drafts, dangling)
    ]
    report = admit_batch(workspace, submissions, ANA, batch="meeting")
    # The anchor and its edge are new; the rest was known, and what leads nowhere is refused.
    assert len(report.activated) == 2
    assert report.known == 3
    assert [code for _, code, _ in report.refused] == ["edge.unknown-end"]
    edges_now = page(workspace, "rope").edges
    assert [(edge.link.relation, edge.other.record.title) for edge in edges_now] == [
        ("hangs on", "Anchor"),
        ("holds", "Locker"),
    ]
    assert target_of(workspace, here[0].target, ANA).record.fields == {}
    assert check(workspace, []) == ()


def test_a_thing_that_became_another_is_found_as_that(workspace: Workspace) -> None:
    """As a merge leaves it; who merges, and how it comes apart, is tested there."""
    from memfs.model.decision import Decision, Verdict
    from memfs.model.operation import OperationKind
    from memfs.services.door import Decided, commit_decided
    from memfs.services.proposals import plan_from, superseded
    from memfs.store.snapshot import Snapshot

    old, kept = added(workspace, "Buoy").target, added(workspace, "Marker").target
    relate(workspace, Tie(start="buoy", end="mole", relation="floats near"), ANA)

    def merge(snapshot: Snapshot) -> Decided[None]:
        decision = Decision(verdict=Verdict.ACTIVATE, rule="record.supersede", policy="x")
        survivor = target_of(workspace, kept, ANA).record
        draft = superseded(workspace, snapshot, target_of(workspace, old, ANA), survivor, decision)
        assert draft.record.status is Status.SUPERSEDED
        plan = plan_from(
            workspace, snapshot, operation=OperationKind.SUPERSEDE, actor=ANA, drafts=(draft,)
        )
        return Decided(None, plan)

    commit_decided(workspace, merge)
    for name in ("buoy", old, old[-8:], "marker"):
        view = page(workspace, name)
        assert view.stored.record.id == kept
        assert [edge.link.relation for edge in view.edges] == ["floats near"]
    assert added(workspace, "Buoy").target == kept
    with pytest.raises((UnknownRecordError, AmbiguousRecordError)):
        page(workspace, old[-4:-1])
