"""What the write path works with: one repository, its readers, and the seam for effects."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from pathlib import Path

from memfs.model.frozen import frozen
from memfs.model.settings import StoreSettings
from memfs.store.catfile import CatFile
from memfs.store.effects import REAL_EFFECTS, Effects
from memfs.store.indexkeeper import IndexKeeper
from memfs.store.journal import Journal
from memfs.store.keylog import KeyLog
from memfs.store.lock import FileLock, WriteLock
from memfs.store.message import tree_of
from memfs.store.refs import LEDGER_REF, MAIN_REF, read_ref
from memfs.store.staging import Staging
from memfs.store.tree import TreeCache


@frozen
class WriteContext:
    """One repository as a writer sees it; see :func:`make_context`.

    Attributes:
        root: The store's folder.
        git_dir: Its repository.
        settings: How to write.
        effects: Every change goes through it.
        objects: Reads Git objects.
        trees: Parsed trees, kept between transactions.
        index: Git's index.
        journal: Intent and marker.
        keys: Idempotency keys on the ledger.
        is_locked: The write lock is held around several writes; see ``Store.exclusive``.
    """

    root: Path
    git_dir: str
    settings: StoreSettings
    objects: CatFile
    trees: TreeCache
    index: IndexKeeper
    journal: Journal
    keys: KeyLog
    effects: Effects = field(default=REAL_EFFECTS)
    is_locked: bool = False

    @property
    def temporary_folder(self) -> str:
        """Where files wait for their names."""
        return f"{self.git_dir}/memfs/tmp"

    def read_main(self) -> str:
        """Returns the branch tip, empty when there is none."""
        return read_ref(self.git_dir, MAIN_REF)

    def read_ledger(self) -> str:
        """Returns the ledger head, empty when there is none."""
        return read_ref(self.git_dir, LEDGER_REF)

    def read_tree_of(self, commit: str) -> str:
        """Returns the tree id of a commit; empty for the empty id."""
        return tree_of(self.objects.read_kind(commit, "commit")) if commit else ""

    def new_staging(self) -> Staging:
        """Returns an empty set of temporary files."""
        return Staging(self.temporary_folder, self.effects, self.settings.durability)

    def writing(self) -> AbstractContextManager[object]:
        """Returns a context in which the write lock is held, taken here or further out."""
        return nullcontext() if self.is_locked else self.write_lock()

    def write_lock(self) -> WriteLock:
        """Returns the store's write lock, not yet taken."""
        return WriteLock(f"{self.git_dir}/memfs/write.lock", self.settings.lock_timeout_s)

    def index_lock(self, staging: Staging) -> FileLock:
        """Returns Git's lock on the index, not yet taken."""
        return FileLock(f"{self.git_dir}/index.lock", staging.put_empty(), staging, self.effects)


def make_context(
    root: Path, git_dir: Path, settings: StoreSettings, objects: CatFile, effects: Effects
) -> WriteContext:
    """Returns the context of the store at ``root``."""
    return WriteContext(
        root=root,
        git_dir=str(git_dir),
        settings=settings,
        effects=effects,
        objects=objects,
        trees=TreeCache(objects.read_tree),
        index=IndexKeeper(root, git_dir, effects),
        journal=Journal(f"{git_dir}/memfs", effects),
        keys=KeyLog(git_dir, objects, effects),
    )
