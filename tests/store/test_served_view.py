"""The served view against its definition, on trees and holds of every combination."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.formats.hold_codec import encode_hold
from memfs.model.digests import blob_id
from memfs.model.hold import Hold
from memfs.store.catfile import CatFile
from memfs.store.layout import hold_path
from memfs.store.snapshot import Snapshot, TreeChange
from tests.support.repositories import Repository

PATHS = (
    "memfs.yaml",
    "records/a/2026-01/x-aaaaaa.md",
    "records/a/2026-01/y-bbbbbb.md",
    "records/a/2026-02/x-aaaaaa.md",
    "records/b/ü 文-cccccc.md",
)
CONTENTS = (b"one", b"two", b"three")
trees = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(CONTENTS))
# What a held path is served as: admitted content, nothing, or unreadable.
holds = st.dictionaries(st.sampled_from(PATHS), st.sampled_from([*CONTENTS, b"", None]))
states = st.tuples(trees, holds)

State = tuple[dict[str, bytes], dict[str, bytes | None]]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    root: Path = tmp_path_factory.mktemp("served")
    (root / ".git" / "objects").mkdir(parents=True)
    return Repository(root)


def snapshot_of(repository: Repository, objects: CatFile, state: State) -> Snapshot:
    files, held = state
    stored = dict(files)
    for path, admitted in held.items():
        if admitted is None:
            stored[hold_path(path)] = b"damaged"
            continue
        for content in CONTENTS:
            repository.put("blob", content)
        stored[hold_path(path)] = encode_hold(
            Hold(
                path=path,
                admitted=blob_id(admitted) if admitted else "",
                found=blob_id(files[path]) if path in files else "",
                candidate=f"cand_{0:026d}",
            )
        )
    return Snapshot(objects, repository.put_files(stored))


def served_of(state: State) -> Mapping[str, str]:
    """The definition: a hold decides; without one, the tree."""
    files, held = state
    merged: dict[str, bytes | None] = {**files, **held}
    return {path: blob_id(content) for path, content in merged.items() if content}


def without_holds(changes: list[TreeChange]) -> set[TreeChange]:
    return {change for change in changes if not change.path.startswith("holds/")}


@settings(max_examples=60)
@given(states)
def test_what_is_served_is_what_was_admitted(repository: Repository, state: State) -> None:
    with CatFile(repository.git_dir) as objects:
        snapshot = snapshot_of(repository, objects, state)
        expected = served_of(state)
        entries = [entry for entry in snapshot.entries() if not entry.path.startswith("holds/")]
        assert {entry.path: entry.blob for entry in entries} == expected
        assert [entry.path for entry in entries] == sorted(expected)
        for path in PATHS:
            entry = snapshot.entry(path)
            assert (entry.blob if entry is not None else None) == expected.get(path)
            content = snapshot.read(path)
            assert (None if content is None else blob_id(content)) == expected.get(path)
            named = snapshot.find_suffix(path.rpartition("-")[2].partition(".")[0])
            assert (path in {found.path for found in named}) == (
                path in expected and path.startswith("records/")
            )


@settings(max_examples=60)
@given(states, states)
def test_the_change_between_two_snapshots_is_that_of_what_they_serve(
    repository: Repository, before: State, after: State
) -> None:
    with CatFile(repository.git_dir) as objects:
        older = snapshot_of(repository, objects, before)
        newer = snapshot_of(repository, objects, after)
        found = list(newer.changes_since(older))
        old, new = served_of(before), served_of(after)
        assert without_holds(found) == {
            TreeChange(path, old.get(path), new.get(path))
            for path in {*old, *new}
            if old.get(path) != new.get(path)
        }
        assert len({change.path for change in found}) == len(found)
        raw = without_holds(list(newer.raw_changes_since(older)))
        assert {change.path for change in raw} == {
            path for path in PATHS if before[0].get(path) != after[0].get(path)
        }
