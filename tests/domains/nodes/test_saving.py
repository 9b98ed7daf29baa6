"""Saving nodes: what is told before anything is stored, what is linked, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.errors import UsageError
from memfs.model.graph import EdgeSort
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.services.catalogue import open_catalogue
from tests.support.memory import AGENT, memory_of, new_project, record_files

BACKUP = "The orders database is backed up every night to the second disk"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one node and one rule."""
    project = new_project(tmp_path_factory.mktemp("saving"))
    with memory_of(project) as memory:
        memory.save_node(BACKUP, content="Run at two.\n", tags=["ops"])
        memory.save_node("Always track incidents of the payment gateway")
    return project


@pytest.fixture
def memory(project: Path) -> Iterator[Memory]:
    """The memory of that store, as a person."""
    with memory_of(project) as opened:
        yield opened


def codes(result: Result) -> list[str]:
    return [reason.code for reason in result.reasons]


def links_of(memory: Memory, identifier: str) -> set[str]:
    catalogue = open_catalogue(memory.workspace, memory.workspace.store.snapshot())
    try:
        links = catalogue.links_of((identifier,), sorts=(EdgeSort.ASSERTED,))
    finally:
        catalogue.close()
    return {link.other_end(identifier) for link in links}


def test_a_node_keeps_its_three_layers_its_importance_and_its_tags(memory: Memory) -> None:
    result = memory.save_node(
        "The importer resumes at the last whole row",
        abstract="It writes its offset after every block.",
        content="## Why\n\nPower cuts.",
        importance=12,
        tags=["importer", "importer", " "],
        session="ses-1",
        session_name="Power cuts",
    )
    record = memory.show(result.target).record

    assert result.status is ResultStatus.DONE
    assert record.kind == "note"
    assert record.summary == "The importer resumes at the last whole row"
    assert record.abstract == "It writes its offset after every block."
    assert record.body == "## Why\n\nPower cuts.\n"
    assert record.importance == 10
    assert record.tags == ("importer",)
    assert record.fields == {"session": "ses-1", "session_name": "Power cuts"}


@pytest.mark.parametrize("summary", ["", " \n\t", "\u2028"])
def test_a_node_without_a_summary_is_refused(memory: Memory, summary: str) -> None:
    with pytest.raises(UsageError, match="summary"):
        memory.save_node(summary, content="something")


def test_what_is_there_already_is_answered_and_nothing_is_written(memory: Memory) -> None:
    before = memory.ledger
    result = memory.save_node(BACKUP.upper(), content="Something else entirely")

    assert result.status is ResultStatus.DUPLICATE
    assert codes(result) == ["node.alike"]
    assert result.data["options"] == ["update", "append", "force"]
    assert result.data["similar"] == [{"id": result.target, "similarity": 1.0, "preview": BACKUP}]
    assert memory.ledger == before
    assert memory.candidates() == ()


def test_the_opposite_is_told_before_what_is_alike(memory: Memory) -> None:
    before = memory.ledger
    result = memory.save_node("The orders database is not backed up every night to the second disk")

    assert result.status is ResultStatus.NEEDS_ANSWER
    assert codes(result)[0] == "node.opposed"
    assert memory.show(result.target).record.summary == BACKUP
    assert memory.ledger == before


def test_a_number_that_differs_is_no_duplicate(memory: Memory) -> None:
    first = memory.save_node("The staging cluster of the shop runs Postgres 15 on three machines")
    second = memory.save_node("The staging cluster of the shop runs Postgres 16 on three machines")

    assert first.status is ResultStatus.DONE
    assert second.status is ResultStatus.NEEDS_ANSWER
    assert (codes(second)[0], second.target) == ("node.opposed", first.target)


def test_who_forces_saves_in_spite_of_it_and_the_node_says_so(memory: Memory) -> None:
    alike = memory.save_node(BACKUP, content="Another place").target
    result = memory.save_node(BACKUP, content="Another place", is_forced=True)
    record = memory.show(result.target).record

    assert result.status is ResultStatus.DONE
    assert result.target != alike
    assert record.fields["forced"] == [alike]
    assert alike in links_of(memory, result.target)


def test_a_new_node_is_linked_to_at_most_three_that_are_alike(memory: Memory) -> None:
    words = "The nightly report of the warehouse team goes to"
    for place in ("Lisbon", "Porto", "Braga", "Faro"):
        memory.save_node(f"{words} {place}", is_forced=True)
    result = memory.save_node(f"{words} Evora")
    links = result.data["links"]

    assert result.status is ResultStatus.DONE
    assert isinstance(links, list)
    assert len(links) == 3
    assert links_of(memory, result.target) == {item["id"] for item in links}
    assert all(0.62 <= item["similarity"] < 0.87 for item in links)
    assert memory.link_node(result.target).status is ResultStatus.DONE
    assert len(links_of(memory, result.target)) == 4
    assert memory.link_node(result.target).status is ResultStatus.NOTHING


def test_a_link_says_by_what_it_was_found_and_that_memfs_saw_it(memory: Memory) -> None:
    memory.save_node("Parcels for the north leave the depot at nine every weekday morning")
    made = memory.save_node("Parcels for the south leave the depot at nine every weekday evening")
    (edge,) = (
        stored.record
        for stored in memory.list_records(kinds=["edge"])
        if stored.record.fields["from"] == made.target
    )

    assert edge.transform == "likeness:lexical"
    assert edge.confidence is not None
    assert 0.62 <= edge.confidence < 0.87
    assert edge.origin is not None
    assert str(edge.origin.principal) == "tool:likeness"


def test_what_scores_too_little_is_not_stored_and_says_why(memory: Memory) -> None:
    before = memory.ledger
    result = memory.save_node("Lunch was late", importance=4)

    assert result.status is ResultStatus.REFUSED
    assert codes(result) == ["node.below-score"]
    assert result.exit_status == 1
    assert result.data["score"] == {"importance": 4, "boost": 0, "total": 4, "rules": []}
    assert memory.ledger == before
    assert memory.save_node("Dinner was early", importance=5).status is ResultStatus.DONE


def test_a_rule_raises_what_fits_it_and_is_named(memory: Memory) -> None:
    (rule,) = memory.list_nodes(tags=["scoring-rule"])
    result = memory.save_node("An incident of the payment gateway took an hour", importance=3)

    assert result.status is ResultStatus.DONE
    assert result.data["score"] == {
        "importance": 3,
        "boost": 3,
        "total": 6,
        "rules": [rule.record.id],
    }
    assert memory.show(result.target).record.importance == 6


def test_a_phrase_makes_a_rule_and_is_answered_in_one_sentence(memory: Memory) -> None:
    result = memory.save_node("Pay attention to complaints about slow searches", importance=1)
    record = memory.show(result.target).record

    assert (record.importance, record.tags) == (10, ("scoring-rule",))
    assert result.message.count(". ") == 0
    memory.retract(result.target)


def test_what_an_agent_saves_waits_and_raises_nothing_by_a_rule_of_its_own(project: Path) -> None:
    with memory_of(project, AGENT) as agent:
        rule = agent.save_node("Always track weather reports of the coast")
        saved = agent.save_node("A weather report of the coast was late", importance=5)

        assert (rule.status, saved.status) == (ResultStatus.WAITING, ResultStatus.WAITING)
        assert saved.data["score"]["boost"] == 0  # type: ignore[index, call-overload]
        assert "links" not in saved.data


def test_what_an_agent_proposes_again_in_other_words_is_known(project: Path) -> None:
    with memory_of(project, AGENT) as agent:
        first = agent.save_node("The harbour office closes at noon on every second Friday")
        again = agent.save_node("On every second Friday the harbour office closes at noon")
        waiting = [candidate.id for candidate in agent.candidates()]

        assert first.status is ResultStatus.WAITING
        assert (again.status, again.target) == (ResultStatus.DUPLICATE, first.target)
        assert waiting.count(first.target) == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Ana's passport number: X1234567 is in the safe", "summary"),
        ("Ana's passport number: X1234567 is in the safe", "profile"),
        ("Ana's social security number: 123-45-6789", "content"),
        ("The health insurance number is 9434765919", "abstract"),
        ("The health insurance number is 9434765919", "summary"),
        ("The card is " + "4111 1111 1111 1111", "content"),
        ("The card is " + "4111 1111 1111 1111", "profile"),
        ("admin password = " + "hunter2" * 2 + "Q!", "abstract"),
        ("admin password = " + "hunter2" * 2 + "Q!", "profile"),
    ],
)
def test_personal_numbers_and_passwords_are_refused_wherever_they_stand(
    memory: Memory, project: Path, text: str, place: str
) -> None:
    match place:
        case "summary":
            result = memory.save_node(text)
        case "content":
            result = memory.save_node(
                "Something about Ana and the safe of the office", content=text
            )
        case "abstract":
            result = memory.save_node("Some words about the safe of an office", abstract=text)
        case _:
            result = memory.set_profile("safe", text)

    assert result.status is ResultStatus.REFUSED
    assert all(text not in file.read_text(encoding="utf-8") for file in record_files(project))


def test_a_bare_name_is_kept_and_flagged(memory: Memory) -> None:
    result = memory.save_node("Zanzibar")

    assert result.status is ResultStatus.DONE
    assert result.data["flags"] == ["bare-name"]


def test_a_node_is_a_readable_file_and_the_store_has_no_database(
    memory: Memory, project: Path
) -> None:
    result = memory.save_node("Readable files outlive programs", content="Even this one.\n")
    path = project / ".memfs" / memory.show(result.target).path
    text = path.read_text(encoding="utf-8")
    kept = [file for file in (project / ".memfs").rglob("*") if ".git" not in file.parts]

    assert text.startswith("---\n")
    assert "summary: Readable files outlive programs\n" in text
    assert text.endswith("\nEven this one.\n")
    assert {file.suffix for file in kept if file.is_file()} <= {
        ".md",
        ".json",
        ".yaml",
        ".jsonl",
        "",
    }


def test_the_same_key_saves_once(memory: Memory) -> None:
    first = memory.save_node("Keys make a repetition harmless", key="k1")
    again = memory.save_node("Keys make a repetition harmless", key="k1", is_forced=True)

    assert first.status is ResultStatus.DONE
    assert again.status in (ResultStatus.NOTHING, ResultStatus.DUPLICATE)
    assert memory.show(first.target).record.status is Status.ACTIVE


def test_another_scope_is_no_duplicate(memory: Memory) -> None:
    memory.save_node("Tabs are four columns wide in this team")
    result = memory.save_node("Tabs are four columns wide in this team", scope="task:layout")

    assert result.status is ResultStatus.DONE


def test_a_node_that_is_kept_closely_is_linked_to_nothing(memory: Memory) -> None:
    memory.save_node("Ana's salary talk is on the third Tuesday of every month in room four")
    waits = memory.save_node(
        "Ben's salary talk is on the third Tuesday of every month in room nine",
        sensitivity="confidential",
    )
    (done,) = memory.accept([waits.target])

    assert "links" not in waits.data
    assert memory.link_node(done.target).status is ResultStatus.NOTHING
    assert links_of(memory, done.target) == set()


def test_what_belongs_to_the_profile_or_to_a_domain_is_told(memory: Memory) -> None:
    everywhere = memory.save_node("I prefer answers without introductions")
    domain = memory.save_node("I prefer FastAPI over anything else for backends")
    plain = memory.save_node("The coffee machine is on the second floor")

    assert [result.data.get("route") for result in (everywhere, domain, plain)] == [
        "profile",
        "domain",
        None,
    ]
