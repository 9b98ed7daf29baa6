"""``MEMORY.md`` is made from records, and what a person changes in it is found again."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memfs.app.registry import REGISTRY
from memfs.model.authority import Sensitivity
from memfs.model.record import Record, StoredRecord
from memfs.reconcile.projections import (
    LINE_CHARS,
    EditKind,
    ProjectionEdit,
    is_pristine,
    read_edits,
    render_index,
    revised_record,
)


def stored(number: int, title: str, *, kind: str = "fact", version: int = 1) -> StoredRecord:
    identifier = f"mem_01kb8x3v6yq4m9t2r7w5{number:06}"
    return StoredRecord(
        record=Record(kind=kind, id=identifier, title=title, version=version, body=f"{title}\n"),
        path=f"records/{kind}/2026-11/a-{number:06}.md",
        blob="b" * 40,
    )


FASTAPI = stored(1, "FastAPI for every Python backend, never Flask", kind="preference", version=2)
BATCH = stored(2, "Batches are 500 rows")
LAG = stored(3, "The sync pauses at 30 seconds of lag")
RECORDS = (FASTAPI, BATCH, LAG)


def render(*records: StoredRecord) -> str:
    return render_index(records, registry=REGISTRY, title="Memory of datasync")


def edits(text: str, *records: StoredRecord) -> tuple[ProjectionEdit, ...]:
    return read_edits(text, records, registry=REGISTRY)


def test_records_are_grouped_by_kind_one_line_each_with_id_and_version() -> None:
    assert render(*RECORDS).splitlines()[1:] == [
        "# Memory of datasync",
        "",
        "## preference",
        "",
        "- [FastAPI for every Python backend, never Flask](records/preference/2026-11/a-000001.md)"
        " <!-- mem_01kb8x3v6yq4m9t2r7w5000001@2 -->",
        "",
        "## fact",
        "",
        "- [Batches are 500 rows](records/fact/2026-11/a-000002.md)"
        " <!-- mem_01kb8x3v6yq4m9t2r7w5000002@1 -->",
        "- [The sync pauses at 30 seconds of lag](records/fact/2026-11/a-000003.md)"
        " <!-- mem_01kb8x3v6yq4m9t2r7w5000003@1 -->",
    ]


def test_the_same_records_in_any_order_give_the_same_bytes() -> None:
    assert render(*RECORDS) == render(*reversed(RECORDS))


def test_more_important_records_come_first() -> None:
    heavy = replace(LAG, record=replace(LAG.record, importance=9))
    lines = render(BATCH, heavy).splitlines()
    assert [line[3:10] for line in lines if line.startswith("- ")] == ["The syn", "Batches"]


def test_records_that_are_no_claims_are_not_listed() -> None:
    receipt = replace(BATCH, record=replace(BATCH.record, kind="receipt"))
    assert "Nothing is remembered yet." in render(receipt)


def test_the_title_of_a_confidential_record_is_not_told() -> None:
    hidden = replace(BATCH, record=replace(BATCH.record, sensitivity=Sensitivity.CONFIDENTIAL))
    assert "rows" not in render(hidden)
    assert "(confidential)" in render(hidden)
    assert edits(render(hidden), hidden) == ()


def test_an_untouched_index_proposes_nothing_however_old_it_is() -> None:
    text = render(*RECORDS)
    newer = replace(BATCH, record=replace(BATCH.record, title="Batches are 900 rows", version=2))
    assert is_pristine(text)
    assert edits(text, FASTAPI, newer) == ()


def test_a_changed_line_is_a_proposal_for_the_record_behind_it() -> None:
    text = render(*RECORDS).replace("500 rows", "400 rows")
    assert not is_pristine(text)
    assert edits(text, *RECORDS) == (
        ProjectionEdit(
            kind=EditKind.REVISE,
            line=10,
            record_id=BATCH.record.id,
            version=1,
            text="Batches are 400 rows",
        ),
    )


def test_a_line_without_its_link_is_still_the_record_behind_its_marker() -> None:
    text = render(BATCH).replace(f"[{BATCH.record.title}]({BATCH.path})", "400 rows a batch")
    assert [(edit.record_id, edit.text) for edit in edits(text, BATCH)] == [
        (BATCH.record.id, "400 rows a batch")
    ]


def test_a_removed_line_is_a_proposal_to_forget() -> None:
    text = "\n".join(line for line in render(*RECORDS).split("\n") if "500 rows" not in line)
    assert [(edit.kind, edit.record_id) for edit in edits(text, *RECORDS)] == [
        (EditKind.REMOVE, BATCH.record.id)
    ]


def test_a_record_added_since_the_index_was_made_does_not_look_removed() -> None:
    text = render(FASTAPI, BATCH).replace("500 rows", "400 rows")
    assert [edit.kind for edit in edits(text, *RECORDS)] == [EditKind.REVISE]


def test_removals_are_not_guessed_when_the_ledger_lost_records_meanwhile() -> None:
    text = "\n".join(line for line in render(*RECORDS).split("\n") if "500 rows" not in line)
    assert edits(text, BATCH, LAG) == ()


def test_a_new_line_is_a_proposal_of_the_kind_above_it() -> None:
    text = render(*RECORDS) + "- Tenant ids are text\n"
    assert edits(text, *RECORDS) == (
        ProjectionEdit(kind=EditKind.ADD, line=12, text="Tenant ids are text", record_kind="fact"),
    )


def test_remarks_outside_the_lists_belong_to_no_record() -> None:
    text = render(*RECORDS).replace("## fact\n", "## fact\n\nThese are measured.\n")
    assert edits(text, *RECORDS) == ()


def test_an_edit_of_a_line_whose_record_moved_on_is_marked_stale() -> None:
    text = render(BATCH).replace("500 rows", "400 rows")
    newer = replace(BATCH, record=replace(BATCH.record, title="Batches are 900 rows", version=2))
    (edit,) = edits(text, newer)
    assert (edit.version, edit.is_stale) == (1, True)


def test_an_emptied_index_was_deleted_and_proposes_nothing() -> None:
    for text in ("", "\n", "my own file\n- with a list\n"):
        assert edits(text, *RECORDS) == ()


def test_a_line_of_a_record_that_is_gone_proposes_nothing() -> None:
    text = render(BATCH, LAG).replace("500 rows", "400 rows")
    assert edits(text, LAG) == ()


def test_line_ends_of_another_system_change_no_line() -> None:
    assert edits(render(*RECORDS).replace("\n", "\r\n"), *RECORDS) == ()


def test_a_long_title_is_shortened_and_an_edit_keeps_what_was_cut() -> None:
    record = stored(7, "word " * 38 + "end")
    text = render(record)
    shown = text[text.index("- [") : text.index("](")] + "]"
    assert len(shown) <= LINE_CHARS
    assert edits(text, record) == ()
    (edit,) = edits(text.replace("[word word", "[Changed word"), record)
    revised = revised_record(record.record, edit)
    assert revised.title == "Changed " + "word " * 37 + "end"
    assert revised.body == f"{revised.title}\n"
    assert revised.version == 2


def test_a_heading_that_repeats_the_title_follows_it() -> None:
    record = replace(BATCH.record, body=f"# {BATCH.record.title}\n\nMeasured in January.\n")
    edit = ProjectionEdit(
        kind=EditKind.REVISE, line=3, record_id=record.id, version=1, text="Batches are 400 rows"
    )
    assert revised_record(record, edit).body == "# Batches are 400 rows\n\nMeasured in January.\n"


@given(st.lists(st.text(min_size=1, max_size=200), min_size=1, max_size=6))
def test_no_title_can_break_out_of_its_line(titles: list[str]) -> None:
    records = [stored(number, title) for number, title in enumerate(titles, 1)]
    text = render(*records)
    assert is_pristine(text)
    assert text.count("\n") == len(records) + 5
    touched = text + "\nA remark.\n"
    assert edits(touched, *records) == ()


@given(st.text(max_size=300))
def test_any_text_at_all_can_be_read(text: str) -> None:
    for damaged in (text, render(*RECORDS)[: len(text)] + text, text + render(*RECORDS)):
        assert isinstance(edits(damaged, *RECORDS), tuple)
