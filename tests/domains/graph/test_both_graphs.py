"""What holds everywhere is a part of every project's graph, and no other store is (O13)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memfs.domains.graph.both_graphs import opened_graph
from memfs.domains.graph.surroundings import ReadersGraph, expand, neighbors, path_between
from memfs.errors import ConflictError, StoreError
from memfs.model.moment import NOW
from memfs.model.origin import Actor
from memfs.model.scope import GLOBAL_SCOPE, Scope
from memfs.model.settings import Mode, Settings
from memfs.services.beside import Beside
from memfs.services.ports import Workspace
from tests.support.graphs import claim, edge, entity, named
from tests.support.recall_stores import ANA, BOT, OWN, workspace_with

GLOBAL = Settings(store_id="store_01kb8x3v6yq4m9t2r7w5999999", project="global")
HERE = (
    entity("Heron"),
    entity("Gate"),
    edge("Heron", "Python", "written in"),
    edge("Heron", "Gate", "feeds"),
)
EVERYWHERE = (
    entity("Python", scope=GLOBAL_SCOPE, body="Everywhere.\n"),
    entity("Ruff", scope=GLOBAL_SCOPE),
    entity("Secret", scope=Scope.parse("project:another")),
    claim("Lint all", scope=GLOBAL_SCOPE, entities=("ruff",)),
    edge("Ruff", "Python", "checks", scope=GLOBAL_SCOPE),
    edge("Python", "Secret", "knows", scope=GLOBAL_SCOPE),
    edge("Python", "Heron", "used in", scope=GLOBAL_SCOPE),
)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Workspace, Workspace]]:
    folder = tmp_path_factory.mktemp("both")
    with (
        workspace_with(folder / "a", *HERE) as own,
        workspace_with(folder / "b", *EVERYWHERE, settings=GLOBAL) as other,
    ):
        yield own, other


@contextmanager
def opened(
    stores: tuple[Workspace, Workspace], actor: Actor, **options: tuple[Scope, ...]
) -> Iterator[ReadersGraph]:
    own, other = stores
    beside = Beside(lambda: lambda: other)
    with opened_graph(own, beside, actor, moment=NOW, **options) as graph:
        yield graph


@pytest.mark.parametrize("actor", [ANA, BOT], ids=["person", "program"])
def test_a_walk_goes_on_in_what_holds_everywhere(
    stores: tuple[Workspace, Workspace], actor: Actor
) -> None:
    with opened(stores, actor) as graph:
        found = neighbors(graph, "Heron", hops=3, most=50)
        way = path_between(graph, "gate", "ruff")
        whole = expand(graph, "Heron", hops=2, most=50)

    assert {(node.title, node.hops) for node in found.nodes} == {
        ("Gate", 1),
        ("Python", 1),
        ("Ruff", 2),
        ("Lint all", 3),
    }
    relations = {link.relation for link in found.links}
    assert relations == {"written in", "used in", "feeds", "checks", "mentions"}
    assert [node.title for node in way.nodes] == ["Gate", "Heron", "Python", "Ruff"]
    assert "Everywhere.\n" in {stored.record.body for stored in whole.inner}


def test_a_walk_begins_in_what_holds_everywhere(stores: tuple[Workspace, Workspace]) -> None:
    with opened(stores, BOT) as graph:
        assert graph.find("ruff").record.id == named("Ruff")
        for name in ("Secret", named("Secret"), "nobody"):
            with pytest.raises(ConflictError):
                graph.find(name)
        around = neighbors(graph, "ruff", hops=1, most=50)
    assert {node.title for node in around.nodes} == {"Python", "Lint all"}


def test_only_the_scopes_that_are_asked_for(stores: tuple[Workspace, Workspace]) -> None:
    with opened(stores, ANA, scopes=(OWN,)) as graph:
        around = neighbors(graph, "Heron", hops=3, most=50)
    assert {node.title for node in around.nodes} == {"Gate"}


@pytest.mark.parametrize("fault", ["absent", "broken", "off"])
def test_without_the_other_store_the_first_stands_alone(
    stores: tuple[Workspace, Workspace], fault: str, tmp_path: Path
) -> None:
    own, _ = stores

    def broken() -> Workspace:
        raise StoreError("it does not open")

    switched_off = Settings(store_id=GLOBAL.store_id, project="global", mode=Mode.OFF)
    with workspace_with(tmp_path, *EVERYWHERE, settings=switched_off) as silent:
        beside = {
            "absent": Beside(lambda: None),
            "broken": Beside(lambda: broken),
            "off": Beside(lambda: lambda: silent),
        }[fault]
        with opened_graph(own, beside, BOT, moment=NOW) as graph:
            around = neighbors(graph, "Heron", hops=3, most=50)
    assert {node.title for node in around.nodes} == {"Gate"}
    assert bool(beside.trouble) == (fault == "broken")
