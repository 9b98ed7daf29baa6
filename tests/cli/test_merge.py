"""``memfs merge`` and ``split`` as a script and an agent call them, and the pages beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.memory import AGENT, memory_of, new_project, store_root
from tests.support.processes import Ended, run_memfs

PERSON = ("--as", "user:ana", "--yes")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = new_project(tmp_path_factory.mktemp("merges"))
    with memory_of(project) as memory:
        for name in ("PostgreSQL", "Postgres DB", "Billing"):
            memory.add_entity(name)
        memory.relate("Billing", "Postgres DB", "uses")
    return project


def memfs(project: Path, *words: str) -> Ended:
    return run_memfs(*words, *PERSON, cwd=project)


def entities(project: Path) -> list[str]:
    """Returns the first words of every entity page."""
    pages = (store_root(project) / "views" / "entities").glob("*.md")
    return sorted(path.read_text("utf-8").split("\n")[1].partition(" <")[0] for path in pages)


def test_a_merge_and_its_undoing_answer_with_ids_and_counts(project: Path) -> None:
    done = memfs(project, "merge", "PostgreSQL", "Postgres DB", "--json")
    answer = json.loads(done.output)
    assert (done.status, answer["status"]) == (0, "done")
    assert (answer["data"]["moved"], answer["data"]["folded"], answer["data"]["inner"]) == (1, 0, 0)
    assert answer["data"]["receipt"].startswith("rcp_")
    assert entities(project) == ["# Billing", "# PostgreSQL"]
    again = memfs(project, "merge", "PostgreSQL", "Postgres DB")
    assert (again.status, again.output) == (
        0,
        f"{answer['target']} is one record already; nothing was changed\n",
    )
    undone = memfs(project, "merge", "--undo", "Postgres DB")
    assert undone.output.endswith("stands for itself again; 1 edge returned\n")
    assert entities(project) == ["# Billing", "# PostgreSQL", "# Postgres DB"]
    assert memfs(project, "audit").status == 0
    assert memfs(project, "check").status == 0


def test_a_split_makes_a_page_and_its_undoing_takes_it_away(project: Path) -> None:
    done = memfs(project, "split", "Billing", "--into", "Invoices", "--json")
    answer = json.loads(done.output)
    assert (answer["data"]["copied"], answer["data"]["moved"]) == (1, 0)
    assert "# Invoices" in entities(project)
    assert memfs(project, "split", "Billing", "--into", "Invoices").status == 1
    assert memfs(project, "split", "--undo", "Invoices").status == 0
    assert "# Invoices" not in entities(project)


@pytest.mark.parametrize(
    "words",
    [
        ("merge", "PostgreSQL"),
        ("merge", "--undo", "PostgreSQL", "Billing"),
        ("split", "Billing"),
        ("split", "Billing", "--into", "X", "--undo"),
    ],
)
def test_wrong_usage_is_told(project: Path, words: tuple[str, ...]) -> None:
    assert memfs(project, *words).status == 2


def test_an_agent_proposes_and_a_person_merges(project: Path) -> None:
    with memory_of(project, AGENT) as memory:
        waits = memory.merge("Billing", "Postgres DB")
        assert str(waits.status) == "waiting"
        assert str(memory.split("Billing", "Other").status) == "refused"
        assert str(memory.unmerge("Billing").status) == "refused"
        assert str(memory.unsplit("Billing").status) == "refused"
    with memory_of(project) as memory:
        candidates = memory.candidates()
        assert [item.kind for item in candidates] == ["edge"]
        memory.reject([candidates[0].id])


def test_what_is_written_on_a_page_waits_for_review(project: Path) -> None:
    (page,) = (store_root(project) / "views" / "entities").glob("billing-*.md")
    text = page.read_text("utf-8")
    page.write_text(text.replace("# Billing <!--", "# Invoicing <!--"), "utf-8")
    with memory_of(project, AGENT) as memory:
        # A program's question neither looks at it nor writes over it.
        memory.search("billing")
    assert "# Invoicing" in page.read_text("utf-8")
    assert "edit.page-block" in memfs(project, "review").output
    assert memfs(project, "review", "accept", "--all").status == 0
    assert "# Invoicing" in entities(project)
    assert not page.exists()
    shown = run_memfs("entity", "show", "Billing", cwd=project).output
    assert shown.splitlines()[1:3] == ["Invoicing", "also: Billing"]
