"""Conflict sets: who is marked, what ends a set, and who may see which side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memfs.errors import MemfsError
from memfs.model.conflict import Conflict, Resolution, conflict_from
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.policy.verification import Verification
from memfs.services.conflicts import resolve_by_verifier
from memfs.services.served_records import read_records, served_places
from tests.support.memory import AGENT, ANA, git, memory_of, new_project, record_files, store_root

BEN = Actor(Principal.parse("user:ben"), Channel.TERMINAL)
CY = Actor(Principal.parse("user:cy"), Channel.TERMINAL)
HOST = Actor(Principal.parse("tool:host"), Channel.HOST)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def say(project: Path, actor: Actor, text: str, **options: str) -> Result:
    with memory_of(project, actor) as memory:
        return memory.remember(text, **{"kind": "fact", "subject": "port", **options})  # type: ignore[arg-type]


def ledger(project: Path) -> dict[str, Record]:
    """Returns every record of the ledger, by id."""
    with memory_of(project) as memory:
        snapshot = memory.workspace.store.snapshot()
        found = read_records(memory.workspace, snapshot, served_places(snapshot))
        return {stored.record.id: stored.record for stored in found}


def sets(project: Path) -> list[Conflict]:
    """Returns every conflict set, open or not, oldest first."""
    read = (conflict_from(record) for record in ledger(project).values())
    return sorted((item for item in read if item is not None), key=lambda item: item.id)


def marks(project: Path) -> dict[str, set[str]]:
    """Returns which bodies each body is marked to contradict."""
    records = ledger(project)
    return {
        record.body.strip(): {records[name].body.strip() for name in record.conflicts}
        for record in records.values()
        if record.conflicts
    }


def commits(project: Path) -> int:
    return int(git(store_root(project), "rev-list", "--count", "main"))


def test_two_persons_who_disagree_are_both_served_with_a_mark(project: Path) -> None:
    one = say(project, ANA, "It listens on 80")
    other = say(project, BEN, "It listens on 81")
    assert (one.status, other.status) == (ResultStatus.DONE, ResultStatus.DONE)
    assert "memfs conflicts" in other.message
    (conflict,) = sets(project)
    assert conflict.member_ids == (one.target, other.target)
    assert (conflict.subject, conflict.about_kind, conflict.is_open) == ("port", "fact", True)
    with memory_of(project, AGENT) as memory:
        packet = memory.recall("on which port does it listen", limit=1)
    assert {card.hit.stored.record.id for card in packet.cards} == {one.target, other.target}
    assert packet.text.count("CONFLICT") == 2
    assert "user:ana" in packet.text
    assert "user:ben" in packet.text


def test_a_third_and_a_fourth_side_join_the_same_set_in_one_commit_each(project: Path) -> None:
    say(project, ANA, "On 80")
    say(project, BEN, "On 81")
    before = commits(project)
    say(project, CY, "On 82")
    assert commits(project) == before + 1
    (conflict,) = sets(project)
    assert len(conflict.members) == 3
    assert marks(project)["On 82"] == {"On 80", "On 81"}


def test_a_newer_statement_of_the_same_person_takes_their_side(project: Path) -> None:
    say(project, ANA, "On 80")
    say(project, BEN, "On 81")
    newer = say(project, ANA, "On 8080")
    (conflict,) = sets(project)
    assert newer.target in conflict.member_ids
    assert len(conflict.members) == 2
    assert marks(project) == {"On 8080": {"On 81"}, "On 81": {"On 8080"}}


def test_whoever_agrees_in_the_end_closes_the_set(project: Path) -> None:
    kept = say(project, ANA, "On 80").target
    say(project, BEN, "On 81")
    say(project, BEN, "On 80")
    (conflict,) = sets(project)
    assert conflict.resolution is Resolution.NEWER_STATEMENT
    assert (conflict.kept, conflict.subject) == ((kept,), "")
    assert marks(project) == {}


@pytest.mark.parametrize("verb", ["retract", "forget"])
def test_a_side_that_is_taken_back_leaves_its_set_in_the_same_commit(
    project: Path, verb: str
) -> None:
    say(project, ANA, "On 80")
    say(project, BEN, "On 81")
    gone = say(project, CY, "On 82").target
    with memory_of(project) as memory:
        _take_back(memory, verb, gone)
        assert all(gone not in found.conflict.member_ids for found in memory.conflicts())
    (conflict,) = sets(project)
    assert (conflict.is_open, len(conflict.members)) == (True, 2)
    with memory_of(project) as memory:
        _take_back(memory, verb, conflict.member_ids[0])
    (conflict,) = sets(project)
    assert (conflict.resolution, conflict.kept) == (
        Resolution.WITHDRAWN,
        (conflict.member_ids[1],),
    )
    assert marks(project) == {}


def _take_back(memory: object, verb: str, identifier: str) -> None:
    method = getattr(memory, verb)
    method((identifier,) if verb == "forget" else identifier)


def test_a_correction_to_another_time_ends_the_conflict(project: Path) -> None:
    say(project, ANA, "On 80", valid_from="2026-06-01")
    old = say(project, BEN, "On 81").target
    assert len(sets(project)) == 1
    with memory_of(project, BEN) as memory:
        memory.correct(old, "On 81", valid_until="2026-06-01")
    assert not sets(project)[0].is_open
    assert marks(project) == {}


def test_a_program_that_contradicts_waits_and_joins_when_a_person_accepts(project: Path) -> None:
    say(project, BEN, "On 81")
    waiting = say(project, AGENT, "On 80")
    assert waiting.status is ResultStatus.WAITING
    assert sets(project) == []
    before = commits(project)
    with memory_of(project) as memory:
        memory.accept([waiting.target])
    assert commits(project) == before + 1
    assert marks(project) == {"On 80": {"On 81"}, "On 81": {"On 80"}}


def test_a_person_keeps_one_side_and_the_others_give_way(project: Path) -> None:
    kept = say(project, ANA, "On 80").target
    others = [say(project, BEN, "On 81").target, say(project, CY, "On 82").target]
    with memory_of(project) as memory:
        (found,) = memory.conflicts()
        result = memory.resolve(found.conflict.id, [kept[-6:]], note="looked it up")
    assert (result.status, result.data["gone"]) == (ResultStatus.DONE, others)
    records = ledger(project)
    assert [records[name].superseded_by for name in others] == [kept, kept]
    assert records[kept].supersedes == tuple(others)
    (conflict,) = sets(project)
    assert (conflict.resolution, conflict.kept) == (Resolution.PERSON, (kept,))
    assert conflict.note == "looked it up"
    with memory_of(project) as memory:
        assert memory.check() == ()
        again = memory.resolve(conflict.id, [kept])
    assert (again.status, again.reasons[0].code) == (ResultStatus.REFUSED, "conflict.over")


def test_the_others_can_be_taken_back_as_wrong(project: Path) -> None:
    kept, wrong = say(project, ANA, "On 80").target, say(project, BEN, "On 81").target
    with memory_of(project) as memory:
        (found,) = memory.conflicts()
        memory.resolve(found.conflict.id, [kept], is_retracted=True)
    assert ledger(project)[wrong].status is Status.RETRACTED


def test_sides_that_were_kept_and_still_disagree_stay_marked(project: Path) -> None:
    names = [say(project, actor, f"On {port}").target for port, actor in enumerate((ANA, BEN, CY))]
    with memory_of(project) as memory:
        (found,) = memory.conflicts()
        result = memory.resolve(found.conflict.id, names[:2])
    assert result.data["is_open"] is True
    (conflict,) = sets(project)
    assert (conflict.is_open, conflict.member_ids) == (True, tuple(names[:2]))


@pytest.mark.parametrize(
    ("keep", "code"),
    [([], "conflict.nothing-kept"), (["zzzzzz"], "conflict.not-a-side")],
)
def test_a_resolution_names_sides_and_not_all_of_them(
    project: Path, keep: list[str], code: str
) -> None:
    names = [say(project, ANA, "On 80").target, say(project, BEN, "On 81").target]
    with memory_of(project) as memory:
        (found,) = memory.conflicts()
        refused = memory.resolve(found.conflict.id, keep)
        everything = memory.resolve(found.conflict.id, names)
    assert (refused.status, refused.reasons[0].code) == (ResultStatus.REFUSED, code)
    assert everything.reasons[0].code == "conflict.nothing-decided"


def test_a_program_resolves_nothing_and_an_unknown_conflict_is_an_error(project: Path) -> None:
    kept = say(project, ANA, "On 80").target
    say(project, BEN, "On 81")
    conflict = sets(project)[0].id
    with memory_of(project, AGENT) as memory:
        refused = memory.resolve(conflict, [kept])
    assert (refused.status, refused.reasons[0].code) == (
        ResultStatus.REFUSED,
        "actor.not-a-person",
    )
    assert sets(project)[0].is_open
    with memory_of(project) as memory, pytest.raises(MemfsError) as caught:
        memory.resolve(kept, [kept])
    assert caught.value.code == "conflict.unknown-conflict"


def test_a_note_holds_no_secret(project: Path) -> None:
    kept = say(project, ANA, "On 80").target
    say(project, BEN, "On 81")
    with memory_of(project) as memory:
        (found,) = memory.conflicts()
        result = memory.resolve(found.conflict.id, [kept], note="token " + "AKIA" + "Q7" * 8)
    assert result.status is ResultStatus.REFUSED
    assert sets(project)[0].is_open


def test_a_check_that_holds_for_one_side_alone_resolves(project: Path) -> None:
    kept = say(project, ANA, "On 80").target
    say(project, BEN, "On 81")
    conflict = sets(project)[0].id

    def verdict(*holding: str) -> ResultStatus:
        with memory_of(project) as memory:
            return resolve_by_verifier(
                memory.workspace,
                conflict,
                lambda record: Verification("port", record.body.strip()[-2:] in holding),
            ).status

    assert verdict() is ResultStatus.REFUSED
    assert verdict("80", "81") is ResultStatus.REFUSED
    assert verdict("80") is ResultStatus.DONE
    (found,) = sets(project)
    assert (found.resolution, found.kept) == (Resolution.VERIFIER, (kept,))


def test_what_a_check_cannot_look_at_is_not_refuted(project: Path) -> None:
    say(project, ANA, "On 80")
    say(project, BEN, "On 81")
    with memory_of(project) as memory:
        result = resolve_by_verifier(
            memory.workspace,
            sets(project)[0].id,
            lambda record: Verification("port", True) if "80" in record.body else None,
        )
    assert result.reasons[0].code == "conflict.not-verified"


def test_a_newer_observation_leads_and_the_card_says_so(project: Path) -> None:
    claimed = say(project, ANA, "It listens on port 80").target
    seen = say(project, HOST, "It listens on port 81")
    assert seen.status is ResultStatus.DONE
    with memory_of(project, AGENT) as memory:
        packet = memory.recall("which port does it listen on")
    first, second = (card.hit.stored.record for card in packet.cards)
    assert (first.id, second.id) == (seen.target, claimed)
    assert "verify: a newer observation disagrees" in packet.cards[1].text
    assert "newer observation" not in packet.cards[0].text


def test_a_side_that_may_not_be_read_is_told_by_nothing(project: Path) -> None:
    open_side = say(project, ANA, "It listens on port 80").target
    hidden = say(project, BEN, "It listens on port zanzibar", record_class="network").target
    assert marks(project)
    with memory_of(project, AGENT) as memory:
        texts = [
            memory.recall("which port does it listen on").text,
            repr(memory.search("port")),
            repr(memory.list_records()),
            repr(memory.show(open_side)),
            repr(memory.conflicts()),
            repr(memory.sides_against(memory.show(open_side))),
        ]
    assert all(hidden not in text and "zanzibar" not in text for text in texts)
    assert "CONFLICT" not in texts[0]


def test_a_program_reads_no_conflict_record_itself(project: Path) -> None:
    say(project, ANA, "On 80")
    say(project, BEN, "On 81")
    conflict = sets(project)[0].id
    with memory_of(project, AGENT) as memory, pytest.raises(MemfsError) as caught:
        memory.show(conflict)
    assert caught.value.code == "conflict.unknown-record"


def test_a_tag_that_was_asked_for_is_asked_of_the_other_side(project: Path) -> None:
    with memory_of(project) as memory:
        memory.remember("It listens on 80", kind="fact", subject="port", tags=("net",))
    say(project, BEN, "It listens on 81")
    with memory_of(project) as memory:
        hits = memory.search("listens", tags=("net",))
    assert [hit.stored.record.body for hit in hits] == ["It listens on 80\n"]
    assert len(hits[0].stored.record.conflicts) == 1


def test_a_subject_is_one_however_it_is_written_and_a_predicate_tells_apart(project: Path) -> None:
    say(project, ANA, "Postgres 15", subject="postgres#version")
    say(project, BEN, "Port 5432", subject="postgres#port")
    assert sets(project) == []
    say(project, BEN, "Postgres 16", subject="Postgres#Version")
    assert marks(project) == {"Postgres 15": {"Postgres 16"}, "Postgres 16": {"Postgres 15"}}


def test_only_the_neighbourhood_of_a_subject_is_rewritten(project: Path) -> None:
    say(project, ANA, "On 80")
    say(project, ANA, "Ana", subject="owner")
    say(project, BEN, "Ben", subject="owner")
    untouched = {path: path.read_bytes() for path in record_files(project)}
    say(project, BEN, "On 81")
    changed = [path for path, content in untouched.items() if path.read_bytes() != content]
    assert [path.name.startswith("on-80") for path in changed] == [True]


def test_a_set_is_kept_as_closely_as_its_closest_side(project: Path) -> None:
    say(project, ANA, "On 80")
    with memory_of(project, BEN) as memory:
        waiting = memory.remember(
            "On 81", kind="fact", subject="port", sensitivity="confidential"
        ).target
    with memory_of(project, BEN) as memory:
        memory.accept([waiting])
    (file,) = (store_root(project) / "conflicts").rglob("*.json")
    assert json.loads(file.read_text("utf-8"))["sensitivity"] == "confidential"
