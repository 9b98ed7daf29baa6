from __future__ import annotations

from pathlib import Path

import pytest

from memfs.app.registry import REGISTRY
from memfs.formats.record_codec import (
    RecordError,
    decode_record,
    encode_record,
    read_record,
    update_record,
)
from memfs.model.problem import Severity

RECORDS = Path(__file__).parents[2] / "fixtures" / "records"
VALID = sorted((RECORDS / "valid").iterdir())
INVALID = sorted(path for path in (RECORDS / "invalid").iterdir() if path.suffix != ".txt")
HAND_WRITTEN = ("by-hand.md", "crlf.md")


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.name)
def test_a_valid_file_decodes_without_problems_and_both_readers_agree(file: Path) -> None:
    data = file.read_bytes()
    decoded = decode_record(data, path=file.name, registry=REGISTRY)
    assert decoded.problems == ()
    assert decoded.record == read_record(data, path=file.name, registry=REGISTRY)


@pytest.mark.parametrize("file", VALID, ids=lambda file: file.name)
def test_an_update_that_says_nothing_new_changes_no_byte(file: Path) -> None:
    data = file.read_bytes()
    record = read_record(data, path=file.name, registry=REGISTRY)
    assert update_record(data, record, path=file.name, registry=REGISTRY) == data


@pytest.mark.parametrize(
    "file", [file for file in VALID if file.name not in HAND_WRITTEN], ids=lambda file: file.name
)
def test_the_canonical_form_of_a_canonical_file_is_the_file(file: Path) -> None:
    record = read_record(file.read_bytes(), path=file.name, registry=REGISTRY)
    assert encode_record(record, REGISTRY) == file.read_bytes()


def test_there_is_a_valid_file_of_every_kind() -> None:
    kinds = {
        read_record(file.read_bytes(), path=file.name, registry=REGISTRY).kind for file in VALID
    }
    assert kinds == set(REGISTRY.names)


def test_invalid_files_are_reported_whole_with_line_and_column() -> None:
    found: list[str] = []
    for file in INVALID:
        decoded = decode_record(file.read_bytes(), path=file.name, registry=REGISTRY)
        assert decoded.record is None
        for problem in decoded.problems:
            found.append(f"{problem}")
            if problem.hint:
                found.append(f"    hint: {problem.hint}")
    assert "\n".join(found) + "\n" == (RECORDS / "invalid" / "expected.txt").read_text("utf-8")


@pytest.mark.parametrize("file", INVALID, ids=lambda file: file.name)
def test_the_lean_reader_refuses_what_the_decoder_refuses(file: Path) -> None:
    with pytest.raises(RecordError):
        read_record(file.read_bytes(), path=file.name, registry=REGISTRY)


def test_a_huge_file_is_refused_by_size_before_it_is_read() -> None:
    data = b"---\nkind: note\n---\n" + b"x" * 300_000
    (problem,) = decode_record(data, path="a.md", registry=REGISTRY).problems
    assert (problem.code, problem.severity) == ("text.size", Severity.ERROR)
