"""The deletion guard: what was forgotten, kept outside of the store, so that no copy has it back.

A restored backup, an old clone or a branch that was forced back does not know what was forgotten
since. The guard does: beside the user's other data it keeps a copy of every tombstone of each
store, append-only and content-free. A store that opens without one of them gets it applied before
anything is served; where that cannot be done, nothing is served at all (A62). What was retracted
is kept as well, by id alone (see ``guard_retracted``).

What is compared at each opening is one tree id, so that it costs a small read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from memfs.errors import MemfsError, StoreError
from memfs.model.frozen import frozen
from memfs.model.ids import CommitId
from memfs.services.ports import Workspace
from memfs.store.layout import TOMBSTONE_FOLDER, tombstone_path
from memfs.store.snapshot import Snapshot

if TYPE_CHECKING:
    from memfs.model.tombstone import Tombstone
    from memfs.services.door import Decided

FOLDER: Final = "guard"
RETRACTED_SUFFIX: Final = ".retracted.jsonl"
"""The name, behind the id of a store, of the list of what was retracted in any copy of it."""
_TREES: Final = 8
"""How many states of a store's tombstones are known to be complete: one a clone, as a rule."""


class BehindGuardError(StoreError):
    """The store lacks tombstones and they cannot be applied; nothing of it is served."""

    code = "store.behind-guard"
    exit_status = 13


@frozen(kw_only=False)
class _Head:
    """How far the guard has got, and which trees of tombstones hold all that it knows."""

    epoch: int = 0
    trees: tuple[str, ...] = ()


def bring_up(workspace: Workspace) -> int:
    """Applies what a store has lost of tombstones and retractions, before anything is served.

    Returns:
        The number that was applied; 0 as a rule, at the cost of one small read.

    Raises:
        BehindGuardError: Some are missing and cannot be applied.
    """
    if workspace.store.ledger_head() is None:
        return 0
    return _bring_up_forgotten(workspace) + _bring_up_retracted(workspace)


def _bring_up_retracted(workspace: Workspace) -> int:
    if not os.path.lexists(_folder(workspace) / f"{workspace.store_id}{RETRACTED_SUFFIX}"):
        return 0
    from memfs.services.guard_retracted import retract_again

    try:
        return retract_again(workspace)
    except (MemfsError, OSError) as error:
        raise BehindGuardError(
            "things were retracted that this copy of the store still serves, and it cannot be "
            f"brought up ({getattr(error, 'code', 'io')}); nothing of it is served",
            hint="make the store writable and run: memfs status",
        ) from error


def _bring_up_forgotten(workspace: Workspace) -> int:
    snapshot = workspace.store.snapshot()
    tree = snapshot.folder_id(TOMBSTONE_FOLDER)
    head = _read_head(workspace)
    if tree in head.trees or (not tree and not head.epoch):
        return 0
    known = dict(_read_names(workspace))
    missing = {path: text for path, text in known.items() if not _stands(snapshot, path)}
    if missing:
        _apply(workspace, missing)
    note(workspace)
    return len(missing)


def _stands(snapshot: Snapshot, path: str) -> bool:
    """Whether a tombstone is there, at its place or where another layout has it."""
    name = PurePosixPath(path)
    places = (path, tombstone_path(name.stem), f"{TOMBSTONE_FOLDER}/{name.name}")
    return any(snapshot.raw_entry(place) is not None for place in places)


def note(workspace: Workspace) -> bool:
    """Takes over the tombstones that the ledger has and the guard has not.

    Returns:
        Whether the guard knows all of them now; ``False`` where it cannot be written.
    """
    snapshot = workspace.store.snapshot()
    head = _read_head(workspace)
    known = dict(_read_names(workspace))
    new = {
        entry.path: snapshot.read_blob(entry.blob).decode("utf-8", "replace")
        for entry in snapshot.raw_entries(f"{TOMBSTONE_FOLDER}/")
        if entry.path not in known
    }
    trees = () if new else head.trees
    tree = snapshot.folder_id(TOMBSTONE_FOLDER)
    return _written(workspace, new, _Head(head.epoch + bool(new), _with(trees, tree)))


def note_forgotten(
    workspace: Workspace, identifiers: Iterable[str], *, commit: str, before: str
) -> bool:
    """Like :func:`note` for tombstones that were just set: costs what they are, not the store.

    Args:
        workspace: The store.
        identifiers: Ids of what was forgotten.
        commit: The commit that set the tombstones.
        before: The commit before it; empty for none.
    """
    snapshot = workspace.store.snapshot(CommitId(commit))
    head = _read_head(workspace)
    new: dict[str, str] = {}
    for identifier in identifiers:
        path = tombstone_path(identifier)
        content = snapshot.read(path)
        if content is not None:
            new[path] = content.decode("utf-8", "replace")
    earlier = workspace.store.snapshot(CommitId(before)).folder_id(TOMBSTONE_FOLDER)
    # What was complete and gained these is complete; anything else is compared when it is opened.
    is_complete = earlier in head.trees or (not earlier and not head.epoch)
    trees = (snapshot.folder_id(TOMBSTONE_FOLDER),) if is_complete else ()
    return _written(workspace, new, _Head(head.epoch + 1, trees))


def _apply(workspace: Workspace, missing: Mapping[str, str]) -> None:
    from memfs.formats.tombstone_codec import decode_tombstone
    from memfs.services.door import commit_decided

    tombstones = {path: decode_tombstone(text.encode(), path) for path, text in missing.items()}
    try:
        commit_decided(workspace, lambda snapshot: _applied(workspace, snapshot, tombstones))
    except (MemfsError, OSError) as error:
        raise BehindGuardError(
            f"{len(missing)} things were forgotten that this copy of the store still has, and it "
            f"cannot be brought up ({getattr(error, 'code', 'io')}); nothing of it is served",
            hint="make the store writable and run: memfs status",
        ) from error


def _applied(
    workspace: Workspace, snapshot: Snapshot, tombstones: Mapping[str, Tombstone]
) -> Decided[None]:
    from memfs.formats.tombstone_codec import encode_tombstone
    from memfs.model.operation import FileChange, OperationKind
    from memfs.model.origin import SYSTEM_ACTOR
    from memfs.policy.administration import decide_tombstone
    from memfs.services.accept import release_changes
    from memfs.services.catalogue import open_catalogue
    from memfs.services.door import Decided
    from memfs.services.forget import with_words
    from memfs.services.proposals import plan_from
    from memfs.services.tombstones import barred_records

    decision = decide_tombstone(workspace.settings)
    changes: dict[str, FileChange] = {}
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        for path, tombstone in tombstones.items():
            if snapshot.raw_entry(path) is None:
                content = encode_tombstone(tombstone)
                changes[path] = FileChange(
                    path=path, content=content, expected=None, decision=decision
                )
            barred = barred_records(workspace, snapshot, catalogue, tombstone)
            for stored in with_words(workspace, snapshot, catalogue, barred):
                tip = snapshot.raw_entry(stored.path)
                if tip is not None:
                    changes[stored.path] = FileChange(
                        path=stored.path, content=None, expected=tip.blob, decision=decision
                    )
                for lifted in release_changes(workspace, snapshot, (stored.path,), SYSTEM_ACTOR):
                    changes[lifted.path] = lifted
    if not changes:
        return Decided(None)
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.FORGET,
        actor=SYSTEM_ACTOR,
        drafts=(),
        subject=f"{len(tombstones)} tombstones that this copy did not have",
        extra=tuple(changes.values()),
    )
    return Decided(None, plan)


# The files of the guard ---------------------------------------------------------------------


def _folder(workspace: Workspace) -> Path:
    return workspace.home_dir / FOLDER


def _read_head(workspace: Workspace) -> _Head:
    try:
        text = (_folder(workspace) / f"{workspace.store_id}.json").read_text(encoding="utf-8")
        value = json.loads(text)
        return _Head(int(value["epoch"]), tuple(str(tree) for tree in value["trees"]))
    except FileNotFoundError:
        return _Head()
    except (OSError, ValueError, KeyError, TypeError):
        # Damaged: everything is compared anew.
        return _Head(epoch=1)


def _read_names(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Yields path and content of every tombstone that the guard knows; a torn line is passed."""
    try:
        lines = (_folder(workspace) / f"{workspace.store_id}.jsonl").read_text(encoding="utf-8")
    except OSError:
        return
    for line in lines.splitlines():
        try:
            value = json.loads(line)
            path, content = str(value["path"]), str(value["content"])
        except (ValueError, KeyError, TypeError):
            continue
        if path.startswith(f"{TOMBSTONE_FOLDER}/"):
            yield path, content


def _written(workspace: Workspace, new: Mapping[str, str], head: _Head) -> bool:
    folder = _folder(workspace)
    if workspace.home_dir == Path():
        return False
    lines = "".join(
        json.dumps({"path": path, "content": content}) + "\n" for path, content in new.items()
    )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if lines:
            _append(folder / f"{workspace.store_id}.jsonl", lines.encode())
        _replace(
            folder / f"{workspace.store_id}.json",
            json.dumps({"epoch": head.epoch, "trees": list(head.trees)}),
        )
    except OSError:
        return False
    return True


def _append(path: Path, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    descriptor = os.open(path, flags, 0o600)
    try:
        os.write(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _replace(path: Path, text: str) -> None:
    passing = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        passing.write_text(text, encoding="utf-8")
        passing.chmod(0o600)
        passing.replace(path)
    finally:
        with suppress(OSError):
            passing.unlink(missing_ok=True)


def _with(trees: tuple[str, ...], tree: str) -> tuple[str, ...]:
    kept = (*(item for item in trees if item != tree), tree) if tree else trees
    return kept[-_TREES:]
