"""The table of what a difference between a file and the ledger becomes, row by row."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from memfs.model.problem import Problem, Severity
from memfs.reconcile.drift import (
    Drift,
    DriftKind,
    FileRole,
    Surroundings,
    WaitingEdit,
    WorkingFile,
    classify,
)
from memfs.reconcile.projections import EditKind, ProjectionEdit

PATH = "records/fact/2026-11/batch-size-c0de01.md"
OTHER = "records/fact/2026-11/moved-c0de01.md"
ID = "mem_01kb8x3v6yq4m9t2r7w5c0de01"
BASE, OURS, THEIRS = "b" * 40, "0" * 40, "7" * 40
ALONE = Surroundings()
BROKEN = Problem(PATH, 3, 1, "yaml.duplicate-key", "the key 'title' stands here twice")


def edited(digest: str = OURS, path: str = PATH, version: int = 1) -> WorkingFile:
    """A served record whose working file says ``digest``; empty for a deleted file."""
    return WorkingFile(
        path=path,
        digest=digest,
        served=BASE,
        served_id=ID,
        served_version=1,
        record_id=ID if digest else "",
        version=version if digest else 0,
    )


def added(digest: str = OURS, path: str = OTHER, record_id: str = "") -> WorkingFile:
    """A file that the ledger does not know."""
    return WorkingFile(path=path, digest=digest, record_id=record_id)


def test_a_changed_record_is_a_proposal_to_revise_it() -> None:
    assert classify([edited()], ALONE) == (
        Drift(kind=DriftKind.REVISE, path=PATH, record_id=ID, base=BASE, digest=OURS),
    )


def test_a_new_file_is_a_proposal_to_add_it() -> None:
    assert classify([added()], ALONE) == (Drift(kind=DriftKind.ADD, path=OTHER, digest=OURS),)


def test_a_deleted_file_is_a_proposal_to_forget_it() -> None:
    assert classify([edited("")], ALONE) == (
        Drift(kind=DriftKind.FORGET, path=PATH, record_id=ID, base=BASE),
    )


def test_a_moved_file_with_the_same_content_asks_for_nothing() -> None:
    found = classify([edited(""), added(BASE, record_id=ID)], ALONE)
    assert found == (
        Drift(
            kind=DriftKind.RENAMED,
            path=OTHER,
            previous=PATH,
            record_id=ID,
            base=BASE,
            digest=BASE,
        ),
    )
    assert not found[0].kind.is_proposal


def test_a_moved_and_edited_file_is_one_revision_of_the_same_record() -> None:
    assert classify([edited(""), added(record_id=ID)], ALONE) == (
        Drift(
            kind=DriftKind.REVISE,
            path=OTHER,
            previous=PATH,
            record_id=ID,
            base=BASE,
            digest=OURS,
        ),
    )


def test_a_moved_file_with_another_id_is_another_record() -> None:
    other_id = ID.replace("01kb", "01kc")
    found = classify([edited(""), added(record_id=other_id)], ALONE)
    assert [(drift.kind, drift.path) for drift in found] == [
        (DriftKind.FORGET, PATH),
        (DriftKind.ADD, OTHER),
    ]


def test_an_ambiguous_move_is_not_guessed() -> None:
    files = [edited(""), added(BASE, OTHER), added(BASE, OTHER.replace("moved", "twice"))]
    assert [drift.kind for drift in classify(files, ALONE)] == [
        DriftKind.FORGET,
        DriftKind.ADD,
        DriftKind.ADD,
    ]


def test_a_copy_of_a_record_cannot_be_the_same_record() -> None:
    around = Surroundings(served_at={ID: PATH})
    (found,) = classify([added(record_id=ID)], around)
    assert found.kind is DriftKind.MALFORMED
    assert found.problems[0].code == "record.duplicate-id"
    assert PATH in found.problems[0].message


def test_two_files_that_were_swapped_do_not_revise_each_other() -> None:
    first = replace(edited(), record_id="mem_other")
    second = replace(edited(path=OTHER), served_id="mem_other")
    found = classify([first, second], ALONE)
    assert [drift.kind for drift in found] == [DriftKind.MALFORMED] * 2
    assert {drift.problems[0].code for drift in found} == {"record.id-changed"}


@pytest.mark.parametrize("file", [edited(), added(path=PATH)])
def test_a_malformed_file_is_reported_with_its_place_and_proposes_nothing(
    file: WorkingFile,
) -> None:
    broken = WorkingFile(path=file.path, digest=file.digest, served=file.served, problems=(BROKEN,))
    (found,) = classify([broken], ALONE)
    assert (found.kind, found.problems) == (DriftKind.MALFORMED, (BROKEN,))
    assert not found.kind.is_proposal


def test_a_warning_does_not_make_a_file_malformed() -> None:
    hint = Problem(PATH, 3, 1, "record.unknown-field", "kept", severity=Severity.WARNING)
    file = WorkingFile(path=PATH, digest=OURS, served=BASE, problems=(hint,))
    assert [drift.kind for drift in classify([file], ALONE)] == [DriftKind.REVISE]


@pytest.mark.parametrize("digest", ["", OURS])
def test_a_link_or_special_file_in_place_of_a_record_is_never_a_removal(digest: str) -> None:
    file = WorkingFile(path=PATH, digest=digest, served=BASE, is_irregular=True)
    assert [drift.kind for drift in classify([file], ALONE)] == [DriftKind.IRREGULAR]


def test_a_projection_edit_is_a_proposal_for_the_record_behind_the_line() -> None:
    edit = ProjectionEdit(kind=EditKind.REVISE, line=5, record_id=ID, version=1, text="New words")
    assert classify([], Surroundings(edits={"MEMORY.md": (edit,)})) == (
        Drift(kind=DriftKind.PROJECTION, path="MEMORY.md", record_id=ID, edit=edit),
    )


@pytest.mark.parametrize("digest", [OURS, ""])
def test_a_ledger_that_moved_under_a_waiting_edit_makes_a_conflict(digest: str) -> None:
    file = WorkingFile(path=PATH, digest=digest, served=THEIRS, served_id=ID)
    around = Surroundings(waiting={PATH: WaitingEdit(candidate="cand_1", base=BASE)})
    assert classify([file], around) == (
        Drift(
            kind=DriftKind.CONFLICT,
            path=PATH,
            record_id=ID,
            base=BASE,
            digest=digest,
            theirs=THEIRS,
        ),
    )


def test_a_text_of_an_earlier_version_is_a_conflict_even_when_nobody_was_watching() -> None:
    file = WorkingFile(
        path=PATH,
        digest=OURS,
        served=THEIRS,
        served_id=ID,
        served_version=3,
        record_id=ID,
        version=2,
        started_from=BASE,
    )
    (found,) = classify([file], ALONE)
    assert (found.kind, found.base, found.theirs) == (DriftKind.CONFLICT, BASE, THEIRS)


def test_both_sides_adding_the_same_path_is_a_conflict_without_a_base() -> None:
    file = WorkingFile(path=PATH, digest=OURS, served=THEIRS)
    around = Surroundings(waiting={PATH: WaitingEdit(candidate="cand_1", base="")})
    (found,) = classify([file], around)
    assert (found.kind, found.base, found.theirs) == (DriftKind.CONFLICT, "", THEIRS)


def test_an_edit_of_what_was_forgotten_meanwhile_is_a_conflict_and_no_new_record() -> None:
    file = WorkingFile(path=PATH, digest=OURS, record_id=ID)
    around = Surroundings(waiting={PATH: WaitingEdit(candidate="cand_1", base=BASE)})
    (found,) = classify([file], around)
    assert (found.kind, found.base, found.theirs) == (DriftKind.CONFLICT, BASE, "")


def test_a_conflict_is_found_again_and_unchanged_by_the_next_pass() -> None:
    file = WorkingFile(path=PATH, digest=OURS, served=THEIRS, served_id=ID)
    around = Surroundings(waiting={PATH: WaitingEdit(candidate="cand_1", base=BASE)})
    assert classify([file], around) == classify([file], around)
    assert classify([file], around)[0].base == BASE


def test_a_file_that_was_put_back_withdraws_what_waits() -> None:
    around = Surroundings(waiting={PATH: WaitingEdit(candidate="cand_1", base=BASE)})
    withdrawn = Drift(kind=DriftKind.WITHDRAWN, path=PATH, candidate="cand_1")
    assert classify([], around) == (withdrawn,)
    assert classify([edited(BASE)], around) == (withdrawn,)


def test_a_held_file_that_says_what_is_served_asks_for_nothing() -> None:
    assert classify([edited(BASE)], ALONE) == ()


def test_a_new_file_that_is_gone_again_asks_for_nothing() -> None:
    assert classify([WorkingFile(path=PATH)], ALONE) == ()


def test_an_edit_of_the_settings_is_a_proposal_like_any_other() -> None:
    file = WorkingFile(path="memfs.yaml", role=FileRole.SETTINGS, digest=OURS, served=BASE)
    assert [drift.kind for drift in classify([file], ALONE)] == [DriftKind.REVISE]


def test_what_memfs_alone_writes_is_reported_and_never_proposed() -> None:
    file = WorkingFile(path="holds/ab.json", role=FileRole.PROTECTED, digest=OURS, served=BASE)
    (found,) = classify([file], ALONE)
    assert found.kind is DriftKind.PROTECTED
    assert not found.kind.is_proposal


def test_a_file_that_is_no_memory_is_left_alone() -> None:
    file = WorkingFile(path="README.md", role=FileRole.OTHER, digest=OURS, served=BASE)
    assert classify([file], ALONE) == ()


def test_the_order_of_the_input_does_not_matter() -> None:
    files = [
        edited(""),
        added(BASE),
        edited(OURS, "records/fact/2026-11/z.md"),
        added(THEIRS, "records/note/2026-11/a.md"),
    ]
    outcomes = {classify(order, ALONE) for order in permutations(files)}
    assert len(outcomes) == 1
    assert [drift.path for drift in outcomes.pop()] == [
        OTHER,
        "records/fact/2026-11/z.md",
        "records/note/2026-11/a.md",
    ]


def test_a_thousand_moves_are_paired_in_one_pass() -> None:
    files = [
        file
        for number in range(1000)
        for file in (
            WorkingFile(
                path=f"records/fact/2026-11/{number}.md",
                served=f"{number:040x}",
                served_id=f"mem_{number:026}",
            ),
            WorkingFile(
                path=f"records/fact/2026-12/{number}.md",
                digest=f"{number:040x}",
                record_id=f"mem_{number:026}" if number % 2 else "",
            ),
        )
    ]
    kinds = {drift.kind for drift in classify(files, ALONE)}
    assert kinds == {DriftKind.RENAMED}
