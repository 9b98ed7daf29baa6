"""A wiki page that a person wrote in: each changed block waits as a proposal for its record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memfs.domains.graph.page_views import refresh_pages
from memfs.formats.record_codec import decode_record, read_record
from memfs.model.candidate import Candidate, CandidateAction
from memfs.model.record import Record
from memfs.reconcile.page_edits import PAGE_GONE
from memfs.reconcile.reconciler import run_pass
from memfs.services.in_step import is_in_step
from memfs.services.inbox import read_inbox, remove_candidate
from memfs.services.ports import Workspace
from memfs.services.withdraw import retract
from tests.domains.graph.test_page_views import pages_of, state_summary
from tests.support.graphs import claim, edge, entity, named
from tests.support.recall_stores import ANA, path_of, workspace_with

Edit = Callable[[str], str]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """One store; every test leaves its ledger as it was."""
    records = (
        entity(
            "PostgreSQL",
            aliases=["PG"],
            entity_type="service",
            summary="Keeps rows.",
            body="It keeps rows.\n\n## Setup\n\nBy hand.\n",
        ),
        entity("Web"),
        edge("Web", "PostgreSQL"),
        claim("choice", kind="decision", body="choice\n\nWe use it.\n", entities=("pg",)),
        claim("aside", body="Only an aside about [[PG]].\n"),
        claim("plain", kind="reference", body="plain\n"),
    )
    with workspace_with(tmp_path_factory.mktemp("edits"), *records) as opened:
        refresh_pages(opened)
        run_pass(opened)
        yield opened


@pytest.fixture
def workspace(store: Workspace) -> Iterator[Workspace]:
    """The store, with an empty inbox before and after."""
    assert not read_inbox(store).candidates
    yield store
    for candidate in read_inbox(store).candidates:
        remove_candidate(store, candidate)
    refresh_pages(store, is_anew=True)


def place(workspace: Workspace, start: str) -> Path:
    """Returns the one page whose path begins so."""
    root = workspace.store.root / "views"
    (path,) = (path for path in pages_of(workspace) if path.startswith(start))
    return root / path


def filed(workspace: Workspace, start: str, edit: Edit) -> tuple[Candidate, ...]:
    """Edits a page as a person does; returns what a pass files."""
    path = place(workspace, start)
    before = path.read_text("utf-8")
    after = edit(before)
    assert after != before
    path.write_text(after, "utf-8")
    assert not is_in_step(workspace)
    found = run_pass(workspace).filed
    assert place(workspace, start).read_text("utf-8") == before, "the page is made anew"
    assert is_in_step(workspace)
    assert run_pass(workspace).filed == ()
    return found


def proposed(workspace: Workspace, candidate: Candidate) -> Record:
    """Returns the record that a candidate proposes."""
    return read_record(candidate.content, path=candidate.path, registry=workspace.registry)


def test_heading_facts_and_prose_of_a_record_are_one_proposal(workspace: Workspace) -> None:
    def edit(text: str) -> str:
        return (
            text.replace("# PostgreSQL <!--", "# Postgres 17 <!--")
            .replace("- also: PG <", "- also: PG; pgsql <")
            .replace("- type: service <", "- type: database <")
            .replace("Keeps rows. <!--", "Keeps every row. <!--")
            .replace("By hand.", "By hand.\n\n- and with care\n\n# Not a heading of the page")
        )

    (candidate,) = filed(workspace, "entities/postgresql-", edit)
    record = proposed(workspace, candidate)
    assert candidate.action is CandidateAction.REVISE
    assert candidate.path == path_of(entity("PostgreSQL"))
    assert [item.code for item in candidate.reasons] == ["edit.page-block"]
    assert (record.title, record.version, record.subject) == ("Postgres 17", 2, "postgresql")
    assert record.fields["aliases"] == ["PostgreSQL", "PG", "pgsql"]
    assert record.fields["entity_type"] == "database"
    assert record.summary == "Keeps every row."
    assert record.body.endswith("By hand.\n\n- and with care\n\n# Not a heading of the page\n")


@pytest.mark.parametrize(
    ("start", "old", "new", "told"),
    [
        ("entities/postgresql-", "[choice](", "[a better choice](", "a better choice"),
        ("index", "[choice](", "[a better choice](", "a better choice"),
        ("decisions/choice-", "# choice <!--", "# a better choice <!--", "a better choice"),
    ],
)
def test_the_words_of_a_line_are_those_of_its_record(
    workspace: Workspace, start: str, old: str, new: str, told: str
) -> None:
    (candidate,) = filed(workspace, start, lambda text: text.replace(old, new))
    record = proposed(workspace, candidate)
    assert (record.title, record.body) == (told, f"{told}\n\nWe use it.\n")
    assert candidate.path == path_of(claim("choice", kind="decision"))


def test_a_new_line_is_a_note_about_the_thing(workspace: Workspace) -> None:
    (candidate,) = filed(
        workspace, "entities/web-", lambda text: f"{text}- It moved to *port* 80\n"
    )
    decoded = decode_record(
        candidate.content, path=candidate.path, registry=workspace.registry, draft=True
    )
    record = decoded.record
    assert record is not None
    assert candidate.action is CandidateAction.ADD
    assert (record.kind, record.body) == ("note", "It moved to *port* 80\n")
    assert record.entities == (named("Web"),)


def test_what_is_not_listed_any_more_is_asked_about_and_no_record_is_lost(
    workspace: Workspace,
) -> None:
    def edit(text: str) -> str:
        lines = text.split("\n")
        gone = ("- ← uses", "- [choice](", "- [aside](", "- type: service")
        return "\n".join(line for line in lines if not line.startswith(gone))

    found = filed(workspace, "entities/postgresql-", edit)
    by_path = {candidate.path: candidate for candidate in found}
    assert set(by_path) == {
        path_of(edge("Web", "PostgreSQL")),
        path_of(claim("choice", kind="decision")),
        path_of(entity("PostgreSQL")),
    }
    assert by_path[path_of(edge("Web", "PostgreSQL"))].action is CandidateAction.FORGET
    decision = proposed(workspace, by_path[path_of(claim("choice", kind="decision"))])
    assert decision.entities == ()
    assert "entity_type" not in proposed(workspace, by_path[path_of(entity("PostgreSQL"))]).fields


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "",
        lambda text: text.replace("## Relations", "## relations of it"),
        lambda text: text.split("\n", 1)[0] + "\n\n\n" + text.split("\n", 1)[1] + "\n\n",
    ],
)
def test_what_says_nothing_proposes_nothing(workspace: Workspace, edit: Edit) -> None:
    path = place(workspace, "entities/web-")
    path.write_text(edit(path.read_text("utf-8")), "utf-8")
    assert run_pass(workspace).filed == ()


def test_prose_without_its_end_mark_is_still_prose(workspace: Workspace) -> None:
    def edit(text: str) -> str:
        lines = [line for line in text.split("\n") if not line.startswith("<!-- end of text")]
        return "\n".join(lines).replace("By hand.", "By machine.")

    (candidate,) = filed(workspace, "entities/postgresql-", edit)
    assert proposed(workspace, candidate).body == "It keeps rows.\n\n## Setup\n\nBy machine.\n"


def test_a_hostile_text_cannot_speak_for_another_record(tmp_path: Path) -> None:
    other = claim("other", kind="decision", body="other\n")
    marker = f"<!-- {other.id}@1 -->"
    begin = f"<!-- text of {other.id}@1 000000000000 -->"
    body = f"- [not other](x) {marker}\n# Not other {marker}\n{begin}\n## Relations\n"
    with workspace_with(tmp_path, entity("thing", body=body), other) as workspace:
        refresh_pages(workspace)
        path = place(workspace, "entities/thing-")
        text = path.read_text("utf-8")
        path.write_text(text.replace("# thing <!--", "# something <!--"), "utf-8")
        (candidate,) = run_pass(workspace).filed
        assert candidate.path == path_of(entity("thing"))
        assert proposed(workspace, candidate).body == body


def test_what_memfs_changed_since_is_not_taken_for_the_persons(tmp_path: Path) -> None:
    records = (entity("a", summary="Old."), entity("b"), edge("a", "b"))
    with workspace_with(tmp_path, *records) as workspace:
        refresh_pages(workspace)
        path = place(workspace, "entities/a-")
        text = path.read_text("utf-8")
        path.write_text(text.replace("What is known of a.", "What I know of a."), "utf-8")
        state_summary(workspace, "a", "New.")
        refresh_pages(workspace)
        (candidate,) = run_pass(workspace).filed
        record = proposed(workspace, candidate)
        assert (record.summary, record.body) == ("New.", "What I know of a.\n")


def test_an_edited_page_of_what_was_taken_back_is_told_of_and_proposes_nothing(
    tmp_path: Path,
) -> None:
    with workspace_with(tmp_path, entity("a"), entity("b")) as workspace:
        refresh_pages(workspace)
        path = place(workspace, "entities/a-")
        text = path.read_text("utf-8").replace("known of a", "said of a")
        retract(workspace, named("a"), ANA)
        path.write_text(text, "utf-8")
        found = run_pass(workspace)
        assert found.filed == ()
        assert [item.code for item in found.problems] == [PAGE_GONE]
