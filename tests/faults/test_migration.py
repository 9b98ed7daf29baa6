"""``kill -9`` at any effect of a migration, there or back: whoever comes next ends it the same."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch

import pytest

from memfs.app.migrating import MigrationWish
from memfs.model.migration import Stage
from memfs.services import backups
from memfs.store import private_notes
from memfs.store.effects import Effects
from memfs.store.store import Store
from tests.support.faults import KillingEffects, RecordingEffects, is_full_run, run_in_child
from tests.support.memory import memory_of, new_project, store_root
from tests.support.review import is_clean

pytestmark = [pytest.mark.fault, pytest.mark.timeout(1800)]

EVERY = 1 if is_full_run() else 307
"""How many effects lie between two kills; the first comes half as far from the beginning."""
NODES = (
    '[{"id": "a", "title": "Alpha", "content": "Alpha is first", "relations": ["b"]},'
    ' {"id": "b", "title": "Beta", "content": "Beta is second"}]'
)


@contextmanager
def under(effects: Effects) -> Iterator[None]:
    """Lets every write of a migration go through ``effects``: ledger, notes and backup."""
    opened = Store.open

    def open_store(root: Path, **options: object) -> Store:
        return opened(root, effects=effects)

    with ExitStack() as stack:
        stack.enter_context(patch.object(Store, "open", open_store))
        for module, name in (
            (private_notes, "atomic_write"), (backups, "_write"), (backups, "_drop"),
            (backups, "run_git"), (backups, "_synced"),
        ):  # fmt: skip
            real = getattr(module, name)

            def counted(
                *args: object, real: object = real, name: str = name, **more: object
            ) -> object:
                effects.before(name, "")
                return real(*args, **more)  # type: ignore[operator]

            stack.enter_context(patch.object(module, name, counted))
        yield


def there_and_back(project: Path, effects: Effects) -> None:
    """Moves in as far as shadow, back to before the import, and then in whole."""
    with under(effects):
        with memory_of(project) as memory:
            if not memory.migration_status().data["done"]:
                memory.migrate(
                    MigrationWish(source=project.parent / "old", accept=True, until=Stage.SHADOW)
                )
        for _ in range(4):
            with memory_of(project) as memory:
                memory.migrate_back()
        with memory_of(project) as memory:
            memory.migrate(MigrationWish())


def ended(project: Path) -> tuple[str, ...]:
    """Ends what was begun, and returns what there is then."""
    with memory_of(project) as memory:
        memory.migrate(MigrationWish(source=project.parent / "old", accept=True))
        assert memory.migrate(MigrationWish()).message == "everything was done before"
    with memory_of(project) as memory:
        assert memory.audit(mark=False).problems == ()
        assert [item for item in memory.check() if str(item.severity) == "error"] == []
        found = sorted(item.record.title for item in memory.list_records())
        alpha = next(
            item.record.id for item in memory.list_records() if item.record.title == "Alpha"
        )
        links = len(memory.neighbors(alpha).nodes)
        waiting = len(memory.candidates())
        return (*found, f"links {links}", f"waiting {waiting}", f"mode {memory.settings.mode}")


def test_a_migration_that_was_killed_anywhere_ends_as_one_that_was_not(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "deploys.md").write_text("# Deploys\n\nDeploys go through the blue pipeline.\n", "utf-8")
    (old / "nodes.json").write_text(NODES, "utf-8")
    fresh = new_project(tmp_path, "fresh")
    for number in range(256):
        # Digests differ from run to run: a folder that only some runs make would make the
        # effects of two runs differ in number.
        (store_root(fresh) / ".git" / "objects" / f"{number:02x}").mkdir(exist_ok=True)

    counted, whole = RecordingEffects(), tmp_path / "datasync"
    shutil.copytree(fresh, whole, symlinks=True)
    there_and_back(whole, counted)
    wanted = ended(whole)
    assert wanted == ("Alpha", "Beta", "Deploys", "links 1", "waiting 0", "mode enforced")
    assert len(counted.effects) > 200
    shutil.rmtree(whole)

    for at in range((EVERY + 1) // 2, len(counted.effects) + 1, EVERY):
        shutil.copytree(fresh, whole, symlinks=True)
        work = lambda at=at: there_and_back(whole, KillingEffects(at=at))  # noqa: E731
        assert run_in_child(work) in (0, -signal.SIGKILL), at
        assert ended(whole) == wanted, (at, counted.effects[at - 1])
        assert is_clean(whole), at
        shutil.rmtree(whole)
