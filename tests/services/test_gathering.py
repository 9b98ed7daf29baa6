"""One pass over the ledger makes both the catalogue and the index."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memfs.services import served_records
from memfs.services.catalogue import open_catalogue
from memfs.services.gathering import Gathered
from memfs.services.health import rebuild_caches
from memfs.services.ports import Workspace
from memfs.services.recall import search
from memfs.services.reindex import IndexState, rebuild
from memfs.services.served_records import read_records, served_places
from tests.support.recall_stores import commit, note, question, workspace_with

NOTES = tuple(note(number, f"The heron stands at berth {number}") for number in range(5))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with workspace_with(tmp_path_factory.mktemp("gathering"), *NOTES) as opened:
        yield opened


def said(workspace: Workspace) -> list[str]:
    outcome = search(workspace, question("heron berth 3"))
    return [hit.stored.record.body for hit in outcome.hits]


def test_a_rebuild_decodes_every_record_once_and_finds_what_two_passes_find(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    decode = served_records.record_from

    def counted(workspace: Workspace, path: str, blob: str, content: bytes) -> object:
        read.append(path)
        return decode(workspace, path, blob, content)

    with monkeypatch.context() as patch:
        patch.setattr(served_records, "record_from", counted)
        result = rebuild_caches(workspace)
    assert sorted(read) == sorted(path for path, _ in served_places(workspace.store.snapshot()))
    assert (result.data["records"], result.data["searchable"]) == (5, 5)
    found = said(workspace)
    assert rebuild(workspace).state is IndexState.REBUILT
    assert said(workspace) == found
    assert found[0] == "The heron stands at berth 3\n"


def test_what_was_not_gathered_to_its_end_or_of_another_commit_is_read_again(
    workspace: Workspace,
) -> None:
    snapshot = workspace.store.snapshot()
    gathered = Gathered(workspace, snapshot)
    open_catalogue(workspace, snapshot, gathered.along).close()
    assert gathered.batch_of(snapshot) is None
    next(gathered.along(read_records(workspace, snapshot, served_places(snapshot))))
    assert gathered.batch_of(snapshot) is None
    records = list(gathered.along(read_records(workspace, snapshot, served_places(snapshot))))
    batch = gathered.batch_of(snapshot)
    assert batch is not None
    assert len(batch) == len(records)
    commit(workspace.store, note(9, "The crane is broken"))
    assert gathered.batch_of(workspace.store.snapshot()) is None
    assert rebuild(workspace, gathered).records == len(records) + 1
