"""Moving a memory in: nine stages, where a migration stands, and what it moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType

from memfs.model.frozen import frozen
from memfs.model.settings import Mode


class Stage(StrEnum):
    """The stages of a migration, in their order."""

    PREFLIGHT = "preflight"
    QUIESCE = "quiesce"
    BACKUP = "backup"
    IMPORT = "import"
    RECONCILE = "reconcile"
    PROJECT = "project"
    SHADOW = "shadow"
    ENFORCE = "enforce"
    FINALISE = "finalise"


STAGES: tuple[Stage, ...] = tuple(Stage)


class SourceSort(StrEnum):
    """What a migration moves."""

    FILES = "files"
    """Files that an importer knows: notes, another program's memory, exports."""
    STORE = "store"
    """Another store of memfs."""
    LAYOUT = "layout"
    """Nothing from elsewhere: this store's own older layout."""


@frozen
class MigrationSource:
    """What is moved, as it is found now.

    Attributes:
        sort: What it is.
        path: Where it stands, absolute; empty for the store's own layout.
        format: Name of an importer, or ``auto``.
        digest: Of all that is read there; changes when anything of it does.
    """

    sort: SourceSort
    path: str = ""
    format: str = "auto"
    digest: str = ""


@frozen
class Migration:
    """How far one migration has come. Content-free but for the place of the source.

    Attributes:
        name: Of the migration, unique in the store; also the name of the batch that it imports.
        source: What it moves, as preflight found it.
        is_accepting: What is imported is taken in one commit; otherwise it waits for review.
        mode: The mode that was in force before, and is again after the last step back.
        started: When preflight passed.
        done: The newest stage that is done.
        undoing: The stage that is being stepped back from; ``None`` while nothing is.
        trips: How often the import was stepped back from.
        base: The ledger head before anything was imported; empty until then.
        backup: Name of the backup; empty until there is one.
        counts: What came of the stages, in numbers.
    """

    name: str
    source: MigrationSource
    is_accepting: bool
    mode: Mode
    started: datetime
    done: Stage
    undoing: Stage | None = None
    trips: int = 0
    base: str = ""
    backup: str = ""
    counts: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def is_over(self) -> bool:
        """Whether every stage is done and none is being undone."""
        return self.done is STAGES[-1] and self.undoing is None
