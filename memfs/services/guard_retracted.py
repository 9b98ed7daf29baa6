"""What was retracted, kept outside of the store, so that no older copy of it serves it again.

A tombstone stands in the store itself and the deletion guard has a copy. A retraction only stands
in the record, and in a backup of the day before it does not stand at all. So the ids of what was
retracted are kept beside the guard, without a word, until a person restores them. A store is known
to have all of them when its head, or a commit a little before it, was found to have them: history
only ever moves on, unless somebody put back an older copy. Then each is looked up (A26, A79).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memfs.errors import MemfsError
from memfs.model.ids import CommitId, is_id
from memfs.services.guard import FOLDER, RETRACTED_SUFFIX
from memfs.services.ports import Workspace
from memfs.store.snapshot import Snapshot

if TYPE_CHECKING:
    from memfs.model.record import StoredRecord
    from memfs.services.door import Decided

_HEADS: Final = 8
"""How many heads are known to be complete: one a clone, as a rule."""
_NEAR: Final = 64
"""So many commits back a known head is looked for before every record is."""
_RETRACTED: Final = "retracted"
_RESTORED: Final = "restored"


def has_retracted(workspace: Workspace) -> bool:
    """Tells whether anything was ever retracted in any copy of this store; costs one look."""
    return os.path.lexists(_ids_path(workspace))


def note_retracted(workspace: Workspace, identifiers: Iterable[str], *, commit: str) -> None:
    """Takes over what ``commit`` retracted; the first time, whatever else is retracted too."""
    names = set(identifiers)
    if not has_retracted(workspace):
        names |= _standing_retractions(workspace)
    if _appended(workspace, names, _RETRACTED):
        # Other copies do not have this one, whatever they had before.
        _write_heads(workspace, (commit,))


def note_restored(workspace: Workspace, identifiers: Iterable[str]) -> None:
    """Lets go of what stands again; said once more, also where a process died before saying it."""
    if has_retracted(workspace):
        _appended(workspace, _retracted_ids(workspace).intersection(identifiers), _RESTORED)


def retract_again(workspace: Workspace) -> int:
    """Retracts what this copy of the store serves although it was retracted in another.

    Returns:
        The number of records; 0 as a rule.

    Raises:
        MemfsError: It cannot be done.
        OSError: It cannot be done.
    """
    head = workspace.store.ledger_head()
    if head is None or _is_known(workspace, head):
        return 0
    wanted = _retracted_ids(workspace)
    count = 0
    if wanted:
        from memfs.services.door import commit_decided

        done = commit_decided(workspace, lambda snapshot: _decided(workspace, snapshot, wanted))
        count = done.outcome
    _note_head(workspace, workspace.store.ledger_head() or head)
    return count


def _decided(workspace: Workspace, snapshot: Snapshot, identifiers: frozenset[str]) -> Decided[int]:
    from memfs.model.operation import OperationKind
    from memfs.model.origin import SYSTEM_ACTOR
    from memfs.model.status import Status
    from memfs.policy.administration import decide_retract_again
    from memfs.services.barrier import barred_change, descendants_of
    from memfs.services.door import Decided
    from memfs.services.proposals import is_held, plan_from
    from memfs.services.withdraw import moved_to

    served = _served(workspace, snapshot, identifiers)
    if not served:
        return Decided(0)
    held = tuple(stored for stored in served if is_held(snapshot, stored))
    barred = {stored.path: stored for stored in held}
    for stored in descendants_of(workspace, snapshot, held) if held else ():
        if stored not in served:
            barred[stored.path] = stored
    drafts = tuple(
        moved_to(
            workspace,
            snapshot,
            stored,
            Status.RETRACTED,
            decide_retract_again(stored.record, workspace.settings),
        )
        for stored in served
        if stored not in held
    )
    plan = plan_from(
        workspace,
        snapshot,
        operation=OperationKind.RETRACT,
        actor=SYSTEM_ACTOR,
        drafts=drafts,
        subject=f"{len(served)} records that this copy still served",
        extra=tuple(barred_change(workspace, snapshot, stored) for stored in barred.values()),
    )
    return Decided(len(served), plan)


def _served(
    workspace: Workspace, snapshot: Snapshot, identifiers: frozenset[str]
) -> list[StoredRecord]:
    from memfs.policy.withdrawal import is_withdrawn
    from memfs.services.catalogue import open_catalogue, read_entries

    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = [row for name in sorted(identifiers) for row in catalogue.by_id(name)]
    found = read_entries(workspace, snapshot, rows)
    return [stored for stored in found if not is_withdrawn(stored.record)]


def _standing_retractions(workspace: Workspace) -> set[str]:
    from memfs.policy.withdrawal import RETRACTED_STATUS
    from memfs.services.catalogue import open_catalogue

    with closing(open_catalogue(workspace, workspace.store.snapshot())) as catalogue:
        return {row.id for row in catalogue.with_status(str(RETRACTED_STATUS))}


# Which heads are known -----------------------------------------------------------------------


def _is_known(workspace: Workspace, head: str) -> bool:
    """Tells whether a head goes back to one that had everything, a few commits before."""
    known = _read_heads(workspace)
    if head in known:
        return True
    commit = head
    for _ in range(_NEAR if known else 0):
        try:
            parents = workspace.store.commit_info(CommitId(commit)).parents
        except MemfsError:
            return False
        if not parents:
            return False
        commit = parents[0]
        if commit in known:
            _note_head(workspace, head)
            return True
    return False


def _note_head(workspace: Workspace, head: str) -> None:
    heads = (*(item for item in _read_heads(workspace) if item != head), head)
    _write_heads(workspace, heads[-_HEADS:])


def _write_heads(workspace: Workspace, heads: tuple[str, ...]) -> None:
    path = _heads_path(workspace)
    passing = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        passing.write_text(json.dumps(heads), encoding="utf-8")
        passing.chmod(0o600)
        passing.replace(path)
    except OSError:
        # Not noted: the next opening looks again.
        with suppress(OSError):
            passing.unlink(missing_ok=True)


def _read_heads(workspace: Workspace) -> tuple[str, ...]:
    try:
        value = json.loads(_heads_path(workspace).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    return tuple(str(item) for item in value) if isinstance(value, list) else ()


# The list of ids ------------------------------------------------------------------------------


def _ids_path(workspace: Workspace) -> Path:
    return workspace.home_dir / FOLDER / f"{workspace.store_id}{RETRACTED_SUFFIX}"


def _heads_path(workspace: Workspace) -> Path:
    return workspace.home_dir / FOLDER / f"{workspace.store_id}.heads.json"


def _retracted_ids(workspace: Workspace) -> frozenset[str]:
    """Returns what was retracted last and not restored since; a torn line is passed."""
    try:
        lines = _ids_path(workspace).read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    states: dict[str, str] = {}
    for line in lines:
        try:
            value: Mapping[str, object] = json.loads(line)
            states[str(value["id"])] = str(value["state"])
        except (ValueError, KeyError, TypeError):
            continue
    return frozenset(name for name, state in states.items() if state == _RETRACTED and is_id(name))


def _appended(workspace: Workspace, identifiers: Iterable[str], state: str) -> bool:
    """Notes a state of records on disk; ``False`` where that cannot be done."""
    lines = "".join(f"{json.dumps({'id': name, 'state': state})}\n" for name in sorted(identifiers))
    if workspace.home_dir == Path() or not lines:
        return False
    path = _ids_path(workspace)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, lines.encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return True
