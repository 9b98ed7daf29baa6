"""``memfs entity``, ``relate`` and ``unrelate`` as a script and an agent call them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory import new_project
from tests.support.processes import Ended, run_memfs

PERSON = ("--as", "user:ana", "--yes")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_project(tmp_path_factory.mktemp("entities"))


def _json(ended: Ended) -> Any:
    assert ended.status == 0, ended.errors
    return json.loads(ended.output)


def test_a_thing_and_its_edges_from_the_first_name_to_the_last_edge(project: Path) -> None:
    def memfs(*words: str) -> Ended:
        return run_memfs(*words, *PERSON, cwd=project)

    made = memfs("entity", "add", "Sync Service", "--type", "service", "--alias", "sync", "--attr",
                 "team=tide", "--about", "Moves \x1b[31mfiles.", "--json")  # fmt: skip
    assert made.status == 1, made.output
    made = memfs("entity", "add", "Sync Service", "--type", "service", "--alias", "sync", "--attr",
                 "team=tide", "--about", "Moves files.", "--json")  # fmt: skip
    service = _json(made)["target"]
    assert memfs("entity", "add", "harbour 2").status == 0
    drawn = memfs("relate", "sync", "harbour-2", "runs on", "--valid-from", "2026-03-01")
    assert drawn.output.startswith("Sync Service runs on harbour 2: recorded as edge_")

    page = run_memfs("entity", "show", "SYNC SERVICE", cwd=project)
    assert page.output.splitlines()[1:3] == ["Sync Service", "also: sync"]
    assert "→  runs on" in page.output
    assert "(since 2026-03-01)" in page.output
    assert "\x1b" not in page.output
    other = _json(run_memfs("entity", "show", "harbour 2", "--json", cwd=project))
    (edge,) = other["edges"]
    assert (edge["from"], edge["relation"], edge["to"]) == (service, "runs on", other["id"])
    assert edge["other"] == {"id": service, "kind": "entity", "title": "Sync Service"}
    assert edge["valid_from"] == "2026-03-01T00:00:00Z"

    assert memfs("entity", "set", "sync", "--name", "Sync 2", "--unset", "team").status == 0
    assert memfs("entity", "alias", "sync", "the mover").status == 0
    listed = _json(run_memfs("entity", "list", "--type", "SERVICE", "--json", cwd=project))
    assert [(item["name"], item["attributes"]) for item in listed] == [("Sync 2", {})]
    assert listed[0]["aliases"] == ["Sync Service", "sync", "the mover"]

    gone = memfs("unrelate", "the mover", "harbour 2")
    assert "undo with: memfs restore edge_" in gone.output
    again = memfs("unrelate", "the mover", "harbour 2")
    assert (again.status, "conflict.unknown-edge" in again.errors) == (40, True)


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("relate", "nobody", "nothing"), 40),
        (("entity", "add", " "), 2),
        (("entity", "add", "x", "--attr", "team"), 2),
        (("entity", "show", "nobody"), 40),
        (("unrelate", "nobody"), 40),
    ],
)
def test_what_is_not_there_is_an_error(project: Path, words: tuple[str, ...], status: int) -> None:
    assert run_memfs(*words, *PERSON, cwd=project).status == status
