"""An import asks for admission of imported, unverified claims, once each, and writes nothing."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.app.registry import REGISTRY
from memfs.formats.record_codec import decode_record, encode_record, read_record
from memfs.interop.json_items import MAX_ITEM_BYTES
from memfs.interop.pipeline import read_items, submissions_from
from memfs.interop.port import ImportItem
from memfs.interop.sources import MAX_FILE_BYTES
from memfs.model.authority import Authority
from memfs.model.candidate import CandidateAction, Submission
from memfs.model.limits import BODY_BYTES
from memfs.model.origin import Channel, OriginClass
from memfs.model.scope import Scope
from tests.support.imports import ANA, FIXTURES, NOW, REAL, codes_of, drafts_of, items_of

PREFIXES = {kind.name: kind.id_prefix for kind in REGISTRY}
FOLDERS = {kind.name: kind.folder for kind in REGISTRY}
EXTENSIONS = {kind.name: kind.extension for kind in REGISTRY}
BRINGING_IDS = frozenset({"event", "entity", "edge"})
"""Kinds whose interchange keeps the id and the time that it was learned."""


def submit(path: Path) -> list[Submission | ImportItem]:
    return list(submissions_from(read_items(path), actor=ANA, now=NOW))


def submissions(path: Path) -> list[Submission]:
    return [entry for entry in submit(path) if isinstance(entry, Submission)]


def test_an_imported_claim_names_path_digest_and_times_and_claims_no_worth() -> None:
    for entry in submissions(FIXTURES):
        assert entry.action is CandidateAction.ADD
        assert entry.draft.origin == entry.origin
        assert entry.origin.origin_class is OriginClass.IMPORTED
        assert entry.origin.channel is Channel.IMPORT
        assert entry.origin.principal == ANA.principal
        assert entry.origin.digest == entry.key != ""
        assert (entry.draft.authority, entry.is_confirmed) == (None, False)
        if entry.draft.kind in BRINGING_IDS:
            assert entry.draft.observed is not None
            assert entry.draft.observed <= NOW
            continue
        assert (entry.draft.id, entry.draft.observed) == ("", NOW)
        if entry.draft.kind == "issue":
            # Every field of it stands under "tracker" and in its log.
            assert "#" in entry.origin.source
            continue
        said = entry.draft.unknown["foreign_fields"]
        assert isinstance(said, dict)
        assert "import:" in entry.origin.source or "import:" in str(said["source"])
        assert entry.draft.event_time or "modified" in said or "#" in entry.origin.source


def test_a_second_import_of_the_same_source_has_the_same_keys(tmp_path: Path) -> None:
    first = [entry.key for entry in submissions(FIXTURES)]
    assert [entry.key for entry in submissions(FIXTURES)] == first
    copy = tmp_path / "elsewhere.jsonl"
    copy.write_bytes((FIXTURES / "knowledge-graph" / "memory.jsonl").read_bytes())
    assert {entry.key for entry in submissions(copy)} <= set(first)


def test_the_same_content_twice_in_one_import_is_asked_for_once(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The same words.\n")
    (tmp_path / "b.md").write_text("The same words.\n")
    entries = submit(tmp_path)
    assert [type(entry) for entry in entries] == [Submission, ImportItem]
    assert isinstance(entries[1], ImportItem)
    assert codes_of([entries[1]]) == ["import.repeated"]
    assert not entries[1].is_malformed


def test_a_warning_about_a_claim_follows_it() -> None:
    entries = submit(FIXTURES / "agent-memory")
    warned = next(entry for entry in entries if isinstance(entry, ImportItem))
    before = entries[entries.index(warned) - 1]
    assert isinstance(before, Submission)
    assert before.origin.source == warned.source
    assert codes_of([warned]) == ["import.dangling-link"]


@pytest.mark.parametrize("source", [FIXTURES, REAL / "claude-memory", REAL / "server-memory"])
def test_every_draft_is_a_valid_record_and_reads_back_the_same(source: Path) -> None:
    if not source.exists():
        pytest.skip(f"../shared/data/imports/{source.name} is not on this machine")
    for entry in submissions(source):
        record = replace(
            entry.draft,
            id=f"{PREFIXES[entry.draft.kind]}_01kb8x3v6yq4m9t2r7w5z1c0de",
            scope=Scope.parse("project:datasync"),
            authority=Authority.UNVERIFIED,
        )
        data = encode_record(record, REGISTRY)
        path = f"{FOLDERS[record.kind]}/2026-11/a-1c0de1{EXTENSIONS[record.kind]}"
        decoded = decode_record(data, path=path, registry=REGISTRY)
        assert (decoded.record, decoded.problems) == (record, ())
        assert read_record(data, path=path, registry=REGISTRY) == record


def test_an_import_changes_neither_bytes_nor_times_of_its_source(tmp_path: Path) -> None:
    for path in sorted(FIXTURES.rglob("*")):
        if path.is_file():
            copy = tmp_path / path.relative_to(FIXTURES)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
            os.utime(copy, ns=(1_700_000_000_000_000_000, 1_700_000_000_000_000_001))
    before = _state(tmp_path)
    assert submit(tmp_path)
    assert _state(tmp_path) == before


def _state(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_hostile_files_are_named_and_kept_and_the_others_are_read() -> None:
    folder = FIXTURES / "hostile" / "notes"
    items = items_of(folder)
    found = {item.source.rpartition("/")[2]: item for item in items}
    problems = {name: [(p.code, p.line) for p in item.problems] for name, item in found.items()}
    assert problems == {
        "crlf-and-bom.md": [],
        "duplicate-key.md": [("yaml.duplicate-key", 4)],
        "empty.md": [("import.empty", 0)],
        "latin-1.md": [("text.encoding", 1)],
        "nul.md": [("text.nul", 2)],
        "only-frontmatter.md": [("import.empty", 0)],
        "plain-scalars.md": [],
        "tab.md": [("yaml.tab", 4)],
        "truncated.md": [("frontmatter.unclosed", 1)],
    }
    for name, item in found.items():
        assert item.draft is not None or item.raw == (folder / name).read_bytes()


def test_links_special_files_and_unreadable_names_are_problems(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("Not meant to be read.\n")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "good.md").write_text("Words.\n")
    (folder / "link.md").symlink_to(secret)
    (folder / "away").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.md")
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")).write_text("Odd name.\n")
    items = items_of(folder)
    assert sorted(codes_of(items)) == [
        "import.not-regular",
        "import.symlink",
        "import.symlink",
    ]
    assert sorted(draft.title for draft in drafts_of(items)) == ["caf\\xe9", "good"]


def test_huge_inputs_are_problems_and_cost_no_memory(tmp_path: Path) -> None:
    with (tmp_path / "huge.md").open("wb") as stream:
        stream.truncate(4 * 1024**3)
    (tmp_path / "large.md").write_text("x" * (MAX_FILE_BYTES + 1))
    (tmp_path / "long.md").write_text("x" * (BODY_BYTES + 1))
    line = '{"speaker": "a", "text": "' + "x" * (MAX_ITEM_BYTES + 1) + '"}\n'
    (tmp_path / "talk.jsonl").write_text('{"speaker": "a", "text": "short"}\n' + line)
    items = items_of(tmp_path)
    assert codes_of(items) == ["import.too-large"] * 4
    assert [draft.body for draft in drafts_of(items)] == ["short\n"]


def test_a_claim_larger_than_a_record_may_be_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text('{"speaker": "a", "text": "' + "é" * BODY_BYTES + '"}\n')
    items = items_of(path)
    assert [(p.code, p.line) for item in items for p in item.problems] == [("import.too-large", 1)]
    assert drafts_of(items) == ()


def test_items_are_read_while_they_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text('{"speaker": "a", "text": "one"}\n' * 3)
    batch = read_items(path)
    assert next(batch.items).draft is not None
    path.write_text("")
    assert len(list(batch.items)) == 2
