"""A copy of the store as it is: the ledger as a Git bundle and the inbox, beside the user's data.

A backup is whole or not there: it is made under a passing name and named last. It holds what the
store holds, so that erasing drops it. Put back, it is brought up by the deletion guard when it is
opened, like every older copy; nothing that was taken back since is served.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Final

from memfs.errors import StoreError
from memfs.model.frozen import frozen
from memfs.services.ports import Workspace
from memfs.store.git import run_git
from memfs.store.layout import INBOX_FOLDER

FOLDER: Final = "backups"
BUNDLE: Final = "ledger.bundle"
_MANIFEST: Final = "manifest.json"
_PASSING: Final = ".partial"
_REFS: Final = ("refs/heads/main", "refs/memfs/ledger")
_PIECE: Final = 1 << 20


class BackupFailedError(StoreError):
    """The copy could not be written; the store is as it was."""

    code = "store.backup-failed"


@frozen
class Backup:
    """A finished backup.

    Attributes:
        place: Its folder.
        ledger: The ledger head that it holds.
        files: How many files of the inbox are in it.
    """

    place: Path
    ledger: str
    files: int


def backup_folder(workspace: Workspace) -> Path:
    """Returns where the backups of a store are."""
    return workspace.home_dir / FOLDER / str(workspace.store_id)


def make_backup(workspace: Workspace, name: str) -> Backup:
    """Copies ledger and inbox; one of that name that is whole and still current is kept.

    Raises:
        BackupFailedError: It cannot be written.
        GitError: Git failed.
    """
    folder = backup_folder(workspace)
    if not folder.is_absolute():
        raise BackupFailedError("expected a folder for the user's data, got none")
    place, passing = folder / name, folder / f"{name}{_PASSING}"
    try:
        _drop(passing)
        standing = read_backup(workspace, name)
        if standing is not None and _is_current(workspace, place):
            return standing
        passing.mkdir(mode=0o700, parents=True)
        manifest = _copied(workspace, passing)
        _write(passing / _MANIFEST, json.dumps(manifest, sort_keys=True).encode("ascii"))
        _drop(place)
        passing.rename(place)
        _synced(folder)
    except OSError as error:
        raise BackupFailedError(f"the backup could not be written: {error.strerror}") from error
    found = read_backup(workspace, name)
    if found is None:
        raise BackupFailedError("the backup does not read back as it was written")
    return found


def read_backup(workspace: Workspace, name: str) -> Backup | None:
    """Returns a backup after comparing every file with its digest; ``None`` where one differs."""
    place = backup_folder(workspace) / name
    try:
        manifest = json.loads((place / _MANIFEST).read_bytes())
        files = {str(path): str(digest) for path, digest in manifest["files"].items()}
        ledger = str(manifest["ledger"])
        is_whole = all(_digest(place / path) == digest for path, digest in files.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if not is_whole or BUNDLE not in files:
        return None
    return Backup(place=place, ledger=ledger, files=len(files) - 1)


def drop_backups(workspace: Workspace) -> int:
    """Removes every backup of the store, begun ones too; returns how many there were."""
    folder = backup_folder(workspace)
    if not folder.is_absolute() or folder.is_symlink() or not folder.is_dir():
        return 0
    count = sum(1 for _ in folder.iterdir())
    shutil.rmtree(folder)
    return count


def _copied(workspace: Workspace, passing: Path) -> dict[str, object]:
    """Copies under the store's lock, so that ledger and inbox belong together."""
    store = workspace.store
    files: dict[str, str] = {}
    with store.exclusive():
        refs = [name for name in _REFS if _has(workspace, name)]
        run_git(store.git_dir, None, "bundle", "create", "--quiet", str(passing / BUNDLE), *refs)
        for path in store.list_untracked(INBOX_FOLDER):
            content = store.read_working(path)
            if content is not None:
                (passing / path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                _write(passing / path, content)
                files[path] = _digest(passing / path)
        ledger = store.ledger_head() or ""
    (passing / BUNDLE).chmod(0o600)
    files[BUNDLE] = _digest(passing / BUNDLE)
    return {"v": 1, "store": str(workspace.store_id), "ledger": ledger, "files": files}


def _has(workspace: Workspace, ref: str) -> bool:
    names = run_git(workspace.store.git_dir, None, "for-each-ref", "--format=%(refname)", ref)
    return ref in names.decode("ascii", "replace").split()


def _is_current(workspace: Workspace, place: Path) -> bool:
    """Whether the store has not moved since: the ledger, and what waits."""
    manifest = json.loads((place / _MANIFEST).read_bytes())
    store = workspace.store
    inbox = set(store.list_untracked(INBOX_FOLDER))
    kept = {path: digest for path, digest in manifest["files"].items() if path != BUNDLE}
    return (
        manifest["ledger"] == store.ledger_head()
        and inbox == set(kept)
        and all(
            hashlib.sha256(store.read_working(path) or b"").hexdigest() == digest
            for path, digest in kept.items()
        )
    )


def _write(path: Path, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(descriptor)


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(_PIECE):
            found.update(piece)
    return found.hexdigest()


def _drop(place: Path) -> None:
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)


def _synced(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
