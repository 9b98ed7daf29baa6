"""The comparison of the working tree against its definition, after edits of every kind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.model.digests import blob_id
from memfs.store.store import Store
from memfs.store.worktree import WorkingKind
from tests.support.ledgers import open_new_store, plan_for

PATHS = (
    "records/a/2026-01/x-aaaaaa.md",
    "records/a/2026-01/y-bbbbbb.md",
    "records/b/2026-01/z-cccccc.md",
    "records/b/new.md",
)
CONTENTS = ("one\n", "ONE\n", "two two\n")
steps = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(CONTENTS)),
        st.tuples(st.just("remove"), st.sampled_from(PATHS), st.just("")),
        st.tuples(st.just("rename"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
        st.tuples(st.just("touch"), st.sampled_from(PATHS), st.just("")),
        st.tuples(st.just("old"), st.sampled_from(PATHS), st.just("")),
        st.tuples(st.just("look"), st.just(""), st.just("")),
        st.tuples(st.just("commit"), st.sampled_from(PATHS[:3]), st.sampled_from(CONTENTS)),
    ),
    max_size=12,
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_new_store(tmp_path_factory.mktemp("working") / ".memfs") as store:
        store.commit(plan_for(store, dict.fromkeys(PATHS[:3], "one\n"), seconds=1))
        yield store


def take(store: Store, step: tuple[str, str, str]) -> None:
    action, path, detail = step
    file = store.root / path
    match action:
        case "write":
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(detail)
        case "remove":
            file.unlink(missing_ok=True)
        case "rename" if file.exists():
            (store.root / detail).parent.mkdir(parents=True, exist_ok=True)
            file.rename(store.root / detail)
        case "touch" if file.exists():
            file.touch()
        case "old" if file.exists():
            os.utime(file, ns=(10**18, 10**18))
        case "look":
            store.working_changes()
        case "commit":
            store.commit(plan_for(store, {path: detail}, seconds=2))


def differing(store: Store) -> set[tuple[str, str | None, str | None]]:
    """The definition: every path whose bytes are not those of the branch."""
    tip = {entry.path: entry.blob for entry in store.snapshot(store.main_head()).raw_entries()}
    working: dict[str, str] = {}
    for folder, names, files in os.walk(store.root):
        if ".git" in names:
            names.remove(".git")
        for name in files:
            path = Path(folder, name)
            working[path.relative_to(store.root).as_posix()] = blob_id(path.read_bytes())
    return {
        (path, working.get(path), tip.get(path))
        for path in {*tip, *working}
        if tip.get(path) != working.get(path)
    }


@settings(max_examples=40)
@given(steps)
def test_every_path_that_differs_is_found_and_no_other(
    store: Store, taken: list[tuple[str, str, str]]
) -> None:
    for step in taken:
        take(store, step)
    for _ in range(2):
        found: set[tuple[str, str | None, str | None]] = set()
        for change in store.working_changes().changes:
            if change.state is WorkingKind.RENAMED:
                found.add((change.path, change.digest, None))
                found.add((change.renamed_from, None, change.base))
            else:
                found.add((change.path, change.digest, change.base))
        assert found == differing(store)
