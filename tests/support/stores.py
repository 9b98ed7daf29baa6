"""Real stores, plans for them, and what must hold of a store after anything has happened to it."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from memfs.model.decision import Decision, Verdict
from memfs.model.digests import blob_id
from memfs.model.operation import Commit, FileChange, OperationKind, Plan
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.settings import Durability, IndexMode, StoreSettings
from memfs.store.refs import LEDGER_REF
from memfs.store.scaffold import prepare_store
from memfs.store.staging import find_leftovers
from memfs.store.store import Store

ADMITTED = Decision(verdict=Verdict.ACTIVATE, rule="test.admitted", policy="0badcafe")
ANA = Actor(Principal.parse("user:ana"), Channel.TERMINAL)
NOON = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)
QUICK = StoreSettings(durability=Durability.PROCESS)
SPLIT = StoreSettings(durability=Durability.PROCESS, index=IndexMode.SPLIT)


def new_store(root: Path, files: Mapping[str, bytes] | None = None) -> Path:
    """Makes a store whose first commit holds ``files``; returns its root."""
    template = Path(_template(tuple(sorted((files or {}).items()))).name) / "store"
    shutil.copytree(template, root, symlinks=True)
    return root


@functools.cache
def _template(files: tuple[tuple[str, bytes], ...]) -> tempfile.TemporaryDirectory[str]:
    """Makes a store to copy: setting one up takes a dozen processes."""
    folder = tempfile.TemporaryDirectory(prefix="memfs-template-")
    root = Path(folder.name) / "store"
    prepare_store(root)
    content = {".gitignore": b"/inbox/\n/MEMORY.md\n/core.md\n/views/\n", **dict(files)}
    with Store.open(root, settings=QUICK) as store:
        store.commit(plan_for(store, dict(content), operation=OperationKind.INIT))
    return folder


def create_store(root: Path, plan: Plan, *, project_root: Path | None = None) -> Commit | None:
    """Makes or completes a store and commits its first files, unless it has operations."""
    prepare_store(root, project_root=project_root)
    with Store.open(root) as store:
        return store.commit(plan) if store.ledger_head() is None else None


def plan_for(
    store: Store,
    files: Mapping[str, bytes | None],
    *,
    key: str = "",
    operation: OperationKind = OperationKind.RECORD,
    subject: str = "something",
    settles: str = "",
    replaces: frozenset[str] = frozenset(),
) -> Plan:
    """Returns a plan on the present heads that sets or removes ``files``."""
    tip = store.snapshot(store.main_head()) if store.main_head() else None
    return Plan(
        transaction="tx_01kb8x3v7a0000000000000000",
        operation=operation,
        subject=subject,
        actor=ANA,
        at=NOON,
        changes=tuple(
            FileChange(
                path=path,
                content=content,
                expected=_blob_at(tip, path) if tip is not None else None,
                decision=ADMITTED,
                replaces_working=replaces,
            )
            for path, content in files.items()
        ),
        base=store.ledger_head() or "",
        key=key,
        settles=settles,
    )


def _blob_at(tip: object, path: str) -> str | None:
    from memfs.store.snapshot import Snapshot

    assert isinstance(tip, Snapshot)
    entry = tip.raw_entry(path)
    return entry.blob if entry is not None else None


def git(root: Path, *args: str, check: bool = True) -> str:
    """Runs Git in the store as a person would, hooks switched off; returns what it printed."""
    command = ["git", "-C", str(root), "-c", "core.hooksPath=/dev/null", *args]
    done = subprocess.run(command, capture_output=True, text=True)
    assert not check or done.returncode == 0, f"git {args}: {done.stdout}{done.stderr}"
    return done.stdout


def ledger_files(root: Path) -> dict[str, str]:
    """Returns blob id by path at the ledger head, as Git sees it."""
    if not git(root, "for-each-ref", LEDGER_REF):
        return {}
    listing = git(root, "ls-tree", "-r", "-z", LEDGER_REF)
    lines = [line.partition("\t") for line in listing.split("\0") if line]
    return {path: head.split(" ")[2] for head, _, path in lines}


def assert_sound(root: Path) -> None:
    """Asserts that nothing of a fault is left after the store has been opened again."""
    with Store.open(root) as store:
        assert store.main_head() == store.ledger_head()
    assert git(root, "status", "--porcelain") == ""
    # Unreachable objects are what a write that did not happen leaves; they are no damage.
    assert git(root, "fsck", "--full", "--strict", "--no-dangling") == ""
    git_dir = root / ".git"
    assert [path.name for path in git_dir.rglob("*.lock") if path.name != "write.lock"] == [
        name for name in ("maintenance.lock",) if (git_dir / "memfs" / name).exists()
    ]
    assert find_leftovers(str(git_dir / "memfs" / "tmp")) == ()


def digest(content: bytes) -> str:
    """Returns the blob id of some content."""
    return blob_id(content)
