"""Opens a store: finds it, recovers it, reads its admitted settings, finds its cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from memfs.app.environment import (
    RUN_ID,
    SESSION_ID,
    embedder_from,
    lineage_from,
    model_from,
    vectors_from,
)
from memfs.app.registry import REGISTRY
from memfs.app.switches import is_switched_off, settings_in_force
from memfs.app.system import SystemClock, SystemIds, cache_root
from memfs.errors import StoreError
from memfs.formats.settings import decode_settings
from memfs.index.vector_port import VectorPlace
from memfs.model.kinds import KindRegistry
from memfs.model.scope import GLOBAL_SCOPE, Scope, ScopeKind
from memfs.model.settings import Settings
from memfs.services.beside import Beside
from memfs.services.guard import bring_up
from memfs.services.ports import Clock, Embedder, IdSource, Workspace
from memfs.store.discovery import (
    StoreLocation,
    discover,
    find_home_store,
    global_store_root,
    home_folder,
    read_branch,
)
from memfs.store.layout import SETTINGS_PATH
from memfs.store.store import Store

MEMBERSHIPS: Final[Mapping[str, ScopeKind]] = MappingProxyType(
    {
        SESSION_ID: ScopeKind.SESSION,
        "MEMFS_THREAD_ID": ScopeKind.THREAD,
        "MEMFS_TASK_ID": ScopeKind.TASK,
        RUN_ID: ScopeKind.TASK,
    }
)
"""Variables by which a host says which private scopes the process that it starts is in."""
PURPOSE: Final = "MEMFS_PURPOSE"
"""The variable by which a host says what the process that it starts reads for."""


class StoreUnfinishedError(StoreError):
    """The store has no ledger or no admitted settings yet."""

    code = "store.unfinished"


def open_workspace(
    *,
    start: Path,
    env: Mapping[str, str],
    explicit: Path | None = None,
    registry: KindRegistry = REGISTRY,
    clock: Clock | None = None,
    ids: IdSource | None = None,
) -> Workspace:
    """Opens the store that is meant from ``start``.

    Args:
        start: Folder to look from.
        env: The environment, for ``MEMFS_HOME`` and the cache folder.
        explicit: The store or project as named by the caller.
        registry: Kinds of this build.
        clock: Time; the system's by default.
        ids: Ids; random by default.

    Raises:
        StoreError: None, several, an unfinished one, or one in a newer format.
        SettingsError: The admitted settings cannot be read.
    """
    return _opened(
        discover(start, env, explicit),
        env,
        registry=registry,
        clock=clock or SystemClock(),
        ids=ids or SystemIds(),
    )


def _opened(
    location: StoreLocation,
    env: Mapping[str, str],
    *,
    registry: KindRegistry,
    clock: Clock,
    ids: IdSource,
) -> Workspace:
    store = Store.open(location.root)
    try:
        settings = admitted_settings(store)
        store.configure(settings.store)
    except BaseException:
        store.close()
        raise
    cache_dir = cache_dir_for(location.root, settings.store_id, env)
    embedder = _embedder(env)
    workspace = Workspace(
        store=store,
        settings=settings_in_force(settings, is_off=is_switched_off(env)),
        registry=registry,
        clock=clock,
        ids=ids,
        cache_dir=cache_dir,
        project_dir=location.project_root,
        project_branch=_branch(location),
        memberships=memberships_from(env),
        purpose=env.get(PURPOSE, ""),
        home_dir=home_folder(env),
        is_switched_off=is_switched_off(env),
        lineage=lineage_from(env),
        embedder=embedder,
        vectors=_vectors(env, embedder, cache_dir, settings.store_id),
    )
    try:
        # Before anything is read: a restored backup must not bring back what was forgotten.
        bring_up(workspace)
    except BaseException:
        store.close()
        raise
    return workspace


def _embedder(env: Mapping[str, str]) -> Embedder | None:
    """Returns the embedder that is configured; none by default (C25)."""
    name = embedder_from(env)
    if not name:
        return None
    from memfs.services.embedders import embedder_named

    endpoint = model_from(env)
    return embedder_named(name, url=endpoint.url, key=endpoint.key)


def _vectors(
    env: Mapping[str, str], embedder: Embedder | None, cache_dir: Path, store_id: str
) -> VectorPlace | None:
    """Returns the server that holds vectors; ``None`` for files, as is usual."""
    url, key = vectors_from(env)
    if not url or embedder is None:
        return None
    from memfs.services.qdrant_vectors import qdrant_place

    return qdrant_place(cache_dir, store_id=store_id, model=embedder.name, url=url, key=key)


def beside(workspace: Workspace, env: Mapping[str, str]) -> Beside:
    """Returns where the global store answers beside ``workspace``, which is not opened yet.

    Nothing answers beside the global store itself.
    """

    def find() -> Callable[[], Workspace] | None:
        if workspace.scope == GLOBAL_SCOPE or not os.path.lexists(global_store_root(env)):
            return None
        return lambda: _global_workspace(workspace, env)

    return Beside(find)


def opener(workspace: Workspace, env: Mapping[str, str]) -> Callable[[Path], Workspace]:
    """Returns what opens another store that is named by its place."""
    return lambda place: open_workspace(
        start=place,
        env=env,
        explicit=place,
        registry=workspace.registry,
        clock=workspace.clock,
        ids=workspace.ids,
    )


def _global_workspace(workspace: Workspace, env: Mapping[str, str]) -> Workspace:
    location = find_home_store(env)
    if location is None:
        raise StoreUnfinishedError(
            f"expected the global store at {global_store_root(env)}, got a folder that is none",
            hint="finish it with: memfs init --home",
        )
    return _opened(
        location,
        env,
        registry=workspace.registry,
        clock=workspace.clock,
        ids=workspace.ids,
    )


def home_of(env: Mapping[str, str]) -> Path:
    """Returns the user's data folder of memfs, for what is kept outside of every store."""
    return home_folder(env)


def memberships_from(env: Mapping[str, str]) -> frozenset[Scope]:
    """Returns the private scopes that the environment names; a name that is none is left out."""
    found = set()
    for variable, kind in MEMBERSHIPS.items():
        try:
            found.add(Scope.parse(f"{kind}:{env.get(variable, '')}"))
        except ValueError:
            continue
    return frozenset(found)


def admitted_settings(store: Store) -> Settings:
    """Reads ``memfs.yaml`` as the ledger has it; a hand edit of it is not in force.

    Raises:
        StoreUnfinishedError: There is no ledger or it has no settings.
        SettingsError: They cannot be read.
    """
    if store.ledger_head() is None:
        raise StoreUnfinishedError(
            f"expected a finished store at {store.root}, got one without a ledger",
            hint="finish it with: memfs init",
        )
    content = store.snapshot().read(SETTINGS_PATH)
    if content is None:
        raise StoreUnfinishedError(
            f"expected {SETTINGS_PATH} in the ledger of {store.root}, got none",
            hint="finish it with: memfs init",
        )
    return decode_settings(content, path=SETTINGS_PATH)


def cache_dir_for(root: Path, store_id: str, env: Mapping[str, str]) -> Path:
    """Returns the private cache folder of one store at one place.

    Keyed by identity and path, so that a copy of a store never shares an index with it.
    """
    place = hashlib.sha256(str(root).encode()).hexdigest()[:12]
    return cache_root(env) / "stores" / f"{store_id}-{place}"


def _branch(location: StoreLocation) -> str:
    return read_branch(location.project_root) if location.project_root is not None else ""
