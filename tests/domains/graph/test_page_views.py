"""Wiki pages beside the ledger: brought up change by change they are as if made anew."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memfs.domains.graph.dividing import split
from memfs.domains.graph.entities import Changes, change_entity
from memfs.domains.graph.page_views import refresh_pages
from memfs.domains.graph.relating import Tie, relate, unrelate
from memfs.domains.graph.reshaped import MERGE
from memfs.domains.graph.reshaping import merge
from memfs.domains.graph.splitting import Part
from memfs.domains.graph.undoing import undo
from memfs.errors import MemfsError
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.graph import EdgeSort
from memfs.model.record import Record
from memfs.policy.authority import capture_origin
from memfs.services.catalogue import open_catalogue
from memfs.services.check import check
from memfs.services.correct import revise, target_of
from memfs.services.ports import Workspace
from memfs.services.propose import submit
from memfs.services.withdraw import forget, retract
from tests.support.graphs import claim, edge, entity, named
from tests.support.recall_stores import ANA, OWN, SAID, workspace_with


def pages_of(workspace: Workspace) -> dict[str, str]:
    """Returns every page by its path below ``views/``."""
    root = workspace.store.root / "views"
    found = sorted(root.rglob("*.md"))
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in found}


def page(workspace: Workspace, start: str) -> str:
    """Returns the one page whose path begins so."""
    (text,) = (text for path, text in pages_of(workspace).items() if path.startswith(start))
    return text


def state(workspace: Workspace, draft: Record) -> str:
    """States a record as Ana does; returns its id."""
    origin = capture_origin(ANA, draft.title)
    return submit(workspace, Submission(draft=draft, origin=origin), ANA).target


def event(name: str, **changes: Any) -> Record:
    """Returns a draft of something that happened."""
    fields = {"event_kind": "work"}
    return Record(kind="event", title=name, scope=OWN, event_time=SAID, fields=fields, **changes)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A small store with something of everything that has a page."""
    records = (
        entity("PostgreSQL", aliases=["PG"], entity_type="service", body="It keeps [[Web]].\n"),
        entity("Web", entity_type="service", tags=("front",)),
        entity("Billing", summary="Sends invoices."),
        edge("Web", "PostgreSQL"),
        edge("Billing", "PostgreSQL", "asks"),
        claim("choice", kind="decision", body="We use PG.\n", entities=("pg",), tags=("db",)),
        claim("manual", kind="reference", body="See [[PG]].\n", id=named("manual", "mem")),
        claim("aside", body="Only an aside about [[Billing]].\n"),
        entity("Secret thing", sensitivity=Sensitivity.CONFIDENTIAL),
        edge("Web", "Secret thing", "hides"),
    )
    with workspace_with(tmp_path, *records) as opened:
        refresh_pages(opened)
        yield opened


def test_every_type_has_its_page_with_links_both_ways(workspace: Workspace) -> None:
    state(workspace, event("Moved", entities=("Web",), tags=("db",)))
    refresh_pages(workspace)
    paths = pages_of(workspace)
    assert sorted({path.partition("/")[0] for path in paths}) == [
        "decisions",
        "entities",
        "index.md",
        "months",
        "projects",
        "sources",
        "topics",
    ]
    database, web = page(workspace, "entities/postgresql-"), page(workspace, "entities/web-")
    assert "- also: PG <!-- " in database
    assert "It keeps [[Web]].\n<!-- end of text" in database
    assert "- ← asks [Billing](billing-" in database
    assert "): Sends invoices. <!-- edge_" in database
    assert "## Links\n\n- [Web](web-" in database
    assert "- [choice](../decisions/choice-" in database
    assert "- [manual](../sources/manual-" in database
    assert "- uses → [PostgreSQL](postgresql-" in web
    assert "## Linked from\n\n- [PostgreSQL](postgresql-" in web
    assert "work [Moved](../../timeline/2026-11/" in web
    assert "- [PostgreSQL](../entities/postgresql-" in page(workspace, "decisions/choice-")
    assert "[Moved](../../timeline" in page(workspace, "months/2026-11")
    topic = page(workspace, "topics/db")
    assert "[choice](../decisions/" in topic
    assert "[Moved](../../timeline" in topic
    index = page(workspace, "index")
    for target in ("projects/", "months/2026-11.md", "topics/front.md", "sources/manual-"):
        assert f"]({target}" in index


def test_every_link_leads_to_a_file_and_nothing_hidden_is_told(workspace: Workspace) -> None:
    root = workspace.store.root / "views"
    for path, text in pages_of(workspace).items():
        assert "Secret" not in text
        assert named("Secret thing")[-6:] not in text
        for line in text.split("\n"):
            _, found, rest = line.rpartition("](")
            if found:
                target = (root / path).parent / rest.partition(")")[0]
                assert target.resolve().is_file(), (path, line)


def test_a_change_rewrites_its_neighbourhood_and_nothing_else(workspace: Workspace) -> None:
    changes = Changes(about="It sends invoices by post.")
    change_entity(workspace, "Billing", changes, ANA, action="set")
    done = refresh_pages(workspace)
    assert done is not None
    assert len(pages_of(workspace)) > len(done.written) + 3
    # Its own page, and the lists whose lines name its version.
    assert [path.rpartition("-")[0] or path for path in done.written] == [
        "views/entities/billing",
        "views/index.md",
        "views/projects/project-demo",
    ]
    assert refresh_pages(workspace) is None


def test_a_new_summary_is_the_preview_of_every_neighbour(workspace: Workspace) -> None:
    long = "Sends every invoice twice, once by post and once by pigeon, and counts all of them."
    state_summary(workspace, "Billing", long)
    refresh_pages(workspace)
    assert f"{long[:79].rstrip()}… <!-- edge_" in page(workspace, "entities/postgresql-")


def state_summary(workspace: Workspace, name: str, summary: str) -> None:
    """Gives an entity another summary, as a person does in a file."""
    stored = target_of(workspace, named(name), ANA)
    record = replace(stored.record, summary=summary)
    revise(workspace, stored, record, ANA, capture_origin(ANA, summary))


def test_a_new_name_renames_the_page_and_every_link_to_it(workspace: Workspace) -> None:
    before = pages_of(workspace)
    change_entity(workspace, "PG", Changes(name="Postgres 17"), ANA, action="set")
    refresh_pages(workspace)
    after = pages_of(workspace)
    assert any(path.startswith("entities/postgresql-") for path in before)
    assert not any("postgresql-" in path for path in after)
    assert not any("](postgresql-" in text for text in after.values())
    assert "- uses → [Postgres 17](postgres-17-" in page(workspace, "entities/web-")
    assert "- [Postgres 17](../entities/postgres-17-" in page(workspace, "decisions/choice-")
    assert "- also: PostgreSQL; PG <!--" in page(workspace, "entities/postgres-17-")


def test_what_is_forgotten_or_taken_back_is_on_no_page(workspace: Workspace) -> None:
    forget(workspace, [named("Billing")], ANA)
    refresh_pages(workspace)
    for path, text in pages_of(workspace).items():
        assert "billing" not in path
        assert named("Billing")[-6:] not in text
        assert "invoices" not in text
    retract(workspace, named("Web"), ANA)
    refresh_pages(workspace)
    assert "Relations" not in page(workspace, "entities/postgresql-")
    everything = pages_of(workspace)
    assert refresh_pages(workspace, is_anew=True) is not None
    assert pages_of(workspace) == everything


def test_a_file_of_a_person_stays_and_an_edited_page_is_not_written_over(
    workspace: Workspace,
) -> None:
    root = workspace.store.root / "views" / "entities"
    (root / "mine.md").write_text("My own words.\n")
    (edited,) = root.glob("web-*.md")
    edited.write_text(edited.read_text().replace("# Web", "# Website"))
    relate(workspace, Tie(start="Web", end="Billing", relation="shows"), ANA)
    refresh_pages(workspace)
    refresh_pages(workspace, is_anew=True)
    assert (root / "mine.md").read_text() == "My own words.\n"
    assert "# Website" in edited.read_text()
    refresh_pages(workspace, filed=(f"views/entities/{edited.name}",))
    assert "# Web <!--" in edited.read_text()
    assert "shows → [Billing]" in edited.read_text()


def test_all_pages_of_many_things_are_left_to_who_has_time(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memfs.domains.graph.page_views.MOST_IN_PASSING", 2)
    relate(workspace, Tie(start="Web", end="Billing", relation="shows"), ANA)
    assert refresh_pages(workspace, is_brief=True) is not None, "a small change is followed"
    for path in pages_of(workspace):
        (workspace.store.root / "views" / path).unlink()
    assert refresh_pages(workspace, is_brief=True) is None
    assert pages_of(workspace) == {}
    assert refresh_pages(workspace) is not None


def test_pages_that_are_lost_come_back(workspace: Workspace) -> None:
    before = pages_of(workspace)
    for path in before:
        (workspace.store.root / "views" / path).unlink()
    refresh_pages(workspace)
    assert pages_of(workspace) == before


Step = Callable[[Workspace, random.Random], object]


def _relate(workspace: Workspace, rng: random.Random) -> object:
    start, end = rng.sample(THINGS, 2)
    return relate(workspace, Tie(start=start, end=end, relation=rng.choice(RELATIONS)), ANA)


def _unrelate(workspace: Workspace, rng: random.Random) -> object:
    first, second = rng.sample(THINGS, 2)
    return unrelate(workspace, first, second, ANA, relation=rng.choice(RELATIONS))


def _rename(workspace: Workspace, rng: random.Random) -> object:
    name = rng.choice(THINGS)
    changes = Changes(name=f"{name} {rng.randint(1, 9)}")
    return change_entity(workspace, name, changes, ANA, action="set")


def _alias(workspace: Workspace, rng: random.Random) -> object:
    names = [rng.choice(["loose", "PG", "choice"])]
    is_dropped = rng.random() < 0.5
    changes = Changes(dropped=names) if is_dropped else Changes(aliases=names)
    return change_entity(workspace, rng.choice(THINGS), changes, ANA, action="alias")


def _mention(workspace: Workspace, rng: random.Random) -> object:
    kind = rng.choice(["decision", "reference", "note"])
    name = rng.choice([*THINGS, "loose"])
    tags = (rng.choice(["db", "front", "new"]),)
    body = f"Word {rng.randint(1, 99)} of [[{name}]].\n"
    return state(workspace, claim("m", kind=kind, id="", title="", body=body, tags=tags))


def _happen(workspace: Workspace, rng: random.Random) -> object:
    number = rng.randint(1, 99)
    return state(workspace, event(f"Event {number}", entities=(rng.choice(THINGS),)))


def _merge(workspace: Workspace, rng: random.Random) -> object:
    first, second = rng.sample(THINGS, 2)
    return merge(workspace, first, second, ANA)


def _undo(workspace: Workspace, rng: random.Random) -> object:
    return undo(workspace, named(rng.choice(THINGS)), ANA, operation=MERGE)


def _split(workspace: Workspace, rng: random.Random) -> object:
    return split(workspace, rng.choice(THINGS), Part(title=f"part {rng.randint(1, 9)}"), ANA)


def _retract(workspace: Workspace, rng: random.Random) -> object:
    return retract(workspace, named(rng.choice(["choice", "manual"]), "mem"), ANA)


THINGS = ["PostgreSQL", "Web", "Billing"]
RELATIONS = ["uses", "asks"]
STEPS: tuple[Step, ...] = (
    _relate, _unrelate, _rename, _alias, _mention, _happen, _merge, _undo, _split, _retract,
)  # fmt: skip


@pytest.mark.parametrize("seed", [1, 2])
def test_pages_brought_up_are_the_pages_made_anew(workspace: Workspace, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(14):
        step = rng.choice(STEPS)
        try:
            step(workspace, rng)
        except MemfsError:
            continue
        refresh_pages(workspace)
        brought_up = pages_of(workspace)
        again = refresh_pages(workspace, is_anew=True)
        assert again is not None
        assert (again.written, again.removed) == ((), ()), step
        assert pages_of(workspace) == brought_up


def test_forgetting_leaves_no_edge_that_leads_nowhere(workspace: Workspace) -> None:
    forget(workspace, [named("Billing")], ANA)
    assert [item.code for item in check(workspace) if "edge" in item.code] == []
    snapshot = workspace.store.snapshot()
    texts = (snapshot.read_blob(entry.blob) for entry in snapshot.entries("graph/"))
    assert not any(named("Billing").encode() in text for text in texts)
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        assert catalogue.links_of([named("Billing")], sorts=[EdgeSort.ASSERTED]) == ()


def test_who_else_is_called_so_decides_where_a_link_leads_on_every_page(
    workspace: Workspace,
) -> None:
    told = "](../decisions/choice-"
    state(workspace, claim("m", kind="reference", id="", title="pointer", body="[[Choice]]\n"))
    refresh_pages(workspace)
    assert told in page(workspace, "sources/pointer-")
    assert "[pointer](../sources/pointer-" in page(workspace, "decisions/choice-")
    other = state(workspace, claim("m", kind="note", id="", title="choice", body="Else.\n"))
    refresh_pages(workspace)
    assert told not in page(workspace, "sources/pointer-")
    assert "pointer" not in page(workspace, "decisions/choice-")
    brought_up = pages_of(workspace)
    refresh_pages(workspace, is_anew=True)
    assert pages_of(workspace) == brought_up
    retract(workspace, other, ANA)
    refresh_pages(workspace)
    assert told in page(workspace, "sources/pointer-")
    assert "[pointer](../sources/pointer-" in page(workspace, "decisions/choice-")
    change_entity(workspace, "Billing", Changes(aliases=["choice"]), ANA, action="alias")
    refresh_pages(workspace)
    assert "pointer" not in page(workspace, "decisions/choice-")
    assert "[pointer](../sources/pointer-" in page(workspace, "entities/billing-")
    change_entity(workspace, "Billing", Changes(dropped=["choice"]), ANA, action="alias")
    refresh_pages(workspace)
    assert "[pointer](../sources/pointer-" in page(workspace, "decisions/choice-")
