"""What every service works with: one store, its settings, the kinds, a clock and ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from memfs.index.vector_port import VectorPlace
from memfs.model.frozen import frozen
from memfs.model.ids import StoreId
from memfs.model.kinds import KindRegistry
from memfs.model.lineage import NO_LINEAGE, Lineage
from memfs.model.scope import GLOBAL_SCOPE, Scope, ScopeKind
from memfs.model.settings import Settings
from memfs.store.store import Store


class Clock(Protocol):
    """Tells the time; the system clock, or a stepped one under test."""

    def now(self) -> datetime:
        """Returns an aware instant in UTC."""
        ...


class IdSource(Protocol):
    """Makes ids; random and monotonic, or seeded under test."""

    def new_id(self, prefix: str) -> str:
        """Returns ``<prefix>_<26 characters>``, later ids sorting after earlier ones."""
        ...


class Embedder(Protocol):
    """Makes vectors of texts; there is none unless one is configured (C25)."""

    @property
    def name(self) -> str:
        """Name of the model."""
        ...

    @property
    def is_remote(self) -> bool:
        """Whether texts leave this machine."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Returns a vector for each text, in order.

        Raises:
            IndexUnavailableError: It cannot be asked.
        """
        ...


@frozen
class Workspace:
    """One opened store and what services need around it.

    Attributes:
        store: The ledger and its working tree.
        settings: Decoded from ``memfs.yaml`` as admitted at the ledger head.
        registry: The kinds of this build.
        clock: Time.
        ids: Ids.
        cache_dir: Private folder of this store in the user's cache; disposable.
        home_dir: The user's data folder of memfs, for what is kept outside of every store and is
            not disposable: the keys of sealed records, the deletion guard.
        project_dir: Working tree of the project; ``None`` where the store belongs to none.
        project_branch: Branch of the project that is checked out; empty when unknown.
        memberships: Private scopes that this process runs in, as its host says: the session,
            thread and task.
        purpose: What this process reads for, as its host says; matched by grants.
        is_switched_off: The environment of this process turns memory off, whatever the
            settings admitted say (A75); ``settings.mode`` says so too.
        lineage: Which run and session this process works in, as its host says.
        embedder: Makes vectors of records; ``None`` unless one is configured.
        vectors: Server that holds them; ``None`` for files in the cache folder.
    """

    store: Store
    settings: Settings
    registry: KindRegistry
    clock: Clock
    ids: IdSource
    cache_dir: Path
    project_dir: Path | None = None
    project_branch: str = ""
    memberships: frozenset[Scope] = frozenset()
    purpose: str = ""
    home_dir: Path = field(default_factory=Path)
    is_switched_off: bool = False
    lineage: Lineage = NO_LINEAGE
    embedder: Embedder | None = None
    vectors: VectorPlace | None = None

    @property
    def store_id(self) -> StoreId:
        """Identity of the store."""
        return StoreId(self.settings.store_id)

    @property
    def scope(self) -> Scope:
        """The scope that records of this store have unless they say otherwise."""
        if self.settings.project == str(ScopeKind.GLOBAL):
            return GLOBAL_SCOPE
        return Scope(ScopeKind.PROJECT, self.settings.project)
