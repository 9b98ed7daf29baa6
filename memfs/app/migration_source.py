"""What is to be migrated: recognised, given its digest, and read; never written."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from memfs.app.importing import check_import, import_batch, require_no_store
from memfs.app.publishing import OpenStore
from memfs.errors import UsageError
from memfs.interop.detect import AUTO, FORMATS
from memfs.interop.memfs_store import StoreSource
from memfs.interop.pipeline import ImportBatch, read_items
from memfs.interop.source_digest import source_digest
from memfs.model.digests import content_digest
from memfs.model.migration import MigrationSource, SourceSort
from memfs.model.origin import Actor
from memfs.model.result import Result
from memfs.model.scope import GLOBAL_SCOPE
from memfs.services.modes import require_serving
from memfs.services.old_layout import old_places
from memfs.services.ports import Workspace
from memfs.store.discovery import is_store
from memfs.store.layout import STORE_FOLDER

_DOMAIN: Final = "migration-source"


def find_source(
    workspace: Workspace, path: Path | None, format_name: str, open_other: OpenStore | None
) -> MigrationSource:
    """Tells what stands at ``path``; without one, the store's own older layout is meant.

    Raises:
        UsageError: It is this store, files of some store, there is no such format, or nothing
            is there.
        StoreError: It is a store that cannot be opened.
    """
    if format_name not in FORMATS:
        raise UsageError(f"expected a format of {', '.join(FORMATS)}, got {format_name!r}")
    if path is None:
        places = "\0".join(old for old, _ in old_places(workspace.store.snapshot()))
        digest = content_digest(_DOMAIN, places.encode("ascii", "replace")) if places else ""
        return MigrationSource(sort=SourceSort.LAYOUT, digest=digest)
    place = path.expanduser().absolute()
    store = _store_at(workspace, place) if format_name == AUTO else None
    if store is None:
        require_no_store(place)
        digest = ""
        # Where nothing can be read, the importer says why.
        with suppress(OSError):
            digest = source_digest(place) if place.exists() else ""
        return MigrationSource(
            sort=SourceSort.FILES, path=str(place), format=format_name, digest=digest
        )
    with _opened(workspace, store, open_other) as other:
        told = f"{other.store_id}\0{other.store.ledger_head()}"
    digest = content_digest(_DOMAIN, told.encode("ascii"))
    return MigrationSource(sort=SourceSort.STORE, path=str(store), digest=digest)


def take_in_source(
    workspace: Workspace,
    source: MigrationSource,
    actor: Actor,
    open_other: OpenStore | None,
    *,
    accept: bool,
    name: str = "",
    dry_run: bool = False,
    known: Container[str] = (),
) -> Result:
    """Imports what the source says, or tells what would be imported.

    Raises what :func:`memfs.app.importing.import_path` raises.
    """
    check_import(workspace, actor, accept=accept, dry_run=dry_run)
    path = Path(source.path)

    def taken(batch: ImportBatch) -> Result:
        return import_batch(
            workspace, batch, actor, accept=accept, dry_run=dry_run, name=name, known=known
        )

    if source.sort is SourceSort.FILES:
        return taken(read_items(path, source.format))
    with _opened(workspace, path, open_other) as other:
        require_serving(other, actor)
        reader = StoreSource(other, actor)
        result = taken(reader.batch(path))
    return replace(result, data={**result.data, "left": reader.left})


def digests_in(
    workspace: Workspace, source: MigrationSource, actor: Actor, open_other: OpenStore | None
) -> frozenset[str]:
    """Returns the digests of all that the source says, by which what came of it is known."""
    path = Path(source.path)
    if source.sort is SourceSort.FILES:
        return frozenset(item.digest for item in read_items(path, source.format) if item.digest)
    with _opened(workspace, path, open_other) as other:
        return frozenset(item.digest for item in StoreSource(other, actor).batch(path))


def _store_at(workspace: Workspace, place: Path) -> Path | None:
    """Returns the other store that is meant by a path, itself or the project around it."""
    for folder in (place, place / STORE_FOLDER):
        if is_store(folder):
            if folder.resolve() == workspace.store.root.resolve():
                raise UsageError(
                    "expected another store, got this one",
                    hint="memfs migrate without SOURCE moves its own layout",
                )
            return folder.resolve()
    return None


@contextmanager
def _opened(workspace: Workspace, place: Path, open_other: OpenStore | None) -> Iterator[Workspace]:
    if open_other is None:
        raise UsageError("expected files, got a store that nothing here can open")
    other = open_other(place)
    try:
        if other.store_id == workspace.store_id:
            raise UsageError(
                "expected another store, got a copy of this one",
                hint="merge a clone with Git: git pull in the store, then memfs review",
            )
        if workspace.scope == GLOBAL_SCOPE != other.scope:
            raise UsageError(
                "expected a store whose words are for everybody, got one of a project",
                hint="memfs publish REF --to global offers what is for everybody",
            )
        yield other
    finally:
        other.store.close()
