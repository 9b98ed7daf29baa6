"""Takes in what changed in the working tree outside memfs: it only ever makes candidates.

The reconciler classifies; this module reads and files. It never moves ``HEAD``, never
writes a record file and never serves what it found. The one commit that it makes follows
a file that was moved without a change, so that the branch knows its new name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from memfs.errors import DataError
from memfs.formats.record_codec import decode_record, encode_record, update_record
from memfs.formats.settings import decode_settings
from memfs.model.candidate import Candidate
from memfs.model.decision import Reason
from memfs.model.digests import blob_id
from memfs.model.frozen import frozen
from memfs.model.instants import month_of
from memfs.model.operation import Commit, FileChange, OperationKind
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.problem import Problem, Severity, problem_from
from memfs.model.record import Record, StoredRecord
from memfs.policy.administration import decide_follow
from memfs.services.catalogue import open_catalogue
from memfs.services.door import Decided, commit_decided
from memfs.services.inbox import put_candidates, read_inbox, remove_candidate
from memfs.services.ports import Workspace
from memfs.services.proposals import plan_from, title_from
from memfs.services.secret_lines import secret_problems
from memfs.services.served_records import read_path
from memfs.services.settle import outside_candidate
from memfs.store.layout import (
    SETTINGS_PATH,
    is_record_path,
    is_reserved_path,
    record_path,
)
from memfs.store.snapshot import Snapshot
from memfs.store.worktree import WorkingChange, WorkingKind


@frozen
class ObservedFile:
    """One path whose working file is not what the branch says, and what can be told of it.

    Attributes:
        path: Store-relative path.
        digest: Blob id of the working file; empty when it is gone.
        served: Blob id that readers are served; empty when nothing is.
        served_id: Id of the record that is served from here; empty for none.
        served_version: Its version; 0 for none.
        record_id: Id that the working text names; empty for none or unreadable.
        version: Version that the working text names; 0 for none.
        problems: What is wrong with the working text.
        is_irregular: A symlink, a special file, or a name that cannot be a record.
        is_reserved: Written by memfs alone.
        is_settings: The settings file.
        is_memory: A record file; everything that is none of these is not memory.
    """

    path: str
    digest: str = ""
    served: str = ""
    served_id: str = ""
    served_version: int = 0
    record_id: str = ""
    version: int = 0
    problems: tuple[Problem, ...] = ()
    is_irregular: bool = False
    is_reserved: bool = False
    is_settings: bool = False
    is_memory: bool = False


@frozen
class Observation:
    """One look at the working tree.

    Attributes:
        files: Every path that differs, sorted.
        waiting: Working-file candidates in the inbox by path.
        places: Path of the served record of each id that a new file names.
    """

    files: tuple[ObservedFile, ...]
    waiting: Mapping[str, Candidate]
    places: Mapping[str, str]


@frozen
class OutsideEdit:
    """One change to file as a candidate.

    Attributes:
        path: Where accepting would write.
        source: Path of the working file that holds the text; differs for a moved file.
        base: Blob id in the ledger that the edit started from; empty for a new file.
        digest: Blob id of the working file; empty when it was deleted.
        theirs: Blob id of the ledger version that changed as well; empty otherwise.
        reason: Why it waits.
    """

    path: str
    source: str
    base: str
    digest: str
    theirs: str
    reason: Reason


@frozen
class ProposedText:
    """A proposal read out of something that is no record file, such as a generated index.

    Attributes:
        reason: Why it waits.
        stored: The record concerned; ``None`` for a new claim.
        record: Its next version; ``None`` with a stored record asks to forget it.
        text: Words of a new claim.
        kind: Kind of a new claim.
        entities: What a new claim is about, by id.
    """

    reason: Reason
    stored: StoredRecord | None = None
    record: Record | None = None
    text: str = ""
    kind: str = ""
    entities: tuple[str, ...] = ()


def file_texts(workspace: Workspace, proposals: tuple[ProposedText, ...]) -> tuple[Candidate, ...]:
    """Files proposals that do not stand in a record file of their own."""
    candidates = []
    for proposal in proposals:
        stored, record = proposal.stored, proposal.record
        if stored is None:
            candidates.append(_new_text(workspace, proposal))
            continue
        content = b""
        if record is not None:
            before = workspace.store.read_blob(stored.blob)
            content = update_record(before, record, path=stored.path, registry=workspace.registry)
        candidate = outside_candidate(
            workspace,
            path=stored.path,
            base=stored.blob,
            content=content,
            is_removed=record is None,
            why=proposal.reason,
        )
        # Not the key of the record's file: an edit of that may wait beside this one.
        candidates.append(replace(candidate, key=f"index:{stored.path}"))
    return put_candidates(workspace, candidates)


def _new_text(workspace: Workspace, proposal: ProposedText) -> Candidate:
    kind = workspace.registry.get(proposal.kind)
    if kind is None:
        raise KeyError(proposal.kind)
    record = Record(
        kind=kind.name,
        id=workspace.ids.new_id(kind.id_prefix),
        title=title_from(proposal.text),
        body=f"{proposal.text}\n",
        entities=proposal.entities,
    )
    path = record_path(kind, record, month_of(workspace.clock.now()), {})
    return outside_candidate(
        workspace,
        path=path,
        base="",
        content=encode_record(record, workspace.registry),
        is_removed=False,
        why=proposal.reason,
    )


def observe(workspace: Workspace) -> Observation:
    """Compares the working tree with the branch tip by digest; reads only what differs."""
    changes = workspace.store.working_changes().changes
    waiting = {
        item.path: item
        for item in read_inbox(workspace, only_edits=True).candidates
        if item.is_working_file
    }
    if not changes:
        return Observation(files=(), waiting=waiting, places={})
    snapshot = workspace.store.snapshot()
    files: list[ObservedFile] = []
    for change in changes:
        files.extend(_observed(workspace, snapshot, change, waiting))
    files.sort(key=lambda item: item.path)
    return Observation(
        files=tuple(files), waiting=waiting, places=_places(workspace, snapshot, files)
    )


def _observed(
    workspace: Workspace,
    snapshot: Snapshot,
    change: WorkingChange,
    waiting: Mapping[str, Candidate],
) -> tuple[ObservedFile, ...]:
    file = _file_at(workspace, snapshot, change, waiting)
    if change.state is not WorkingKind.RENAMED:
        return (file,)
    return (file, _served_at(workspace, snapshot, ObservedFile(path=change.renamed_from)))


def _file_at(
    workspace: Workspace,
    snapshot: Snapshot,
    change: WorkingChange,
    waiting: Mapping[str, Candidate],
) -> ObservedFile:
    file = ObservedFile(
        path=change.path,
        digest=change.digest or "",
        is_irregular=change.state is WorkingKind.IRREGULAR,
        is_reserved=is_reserved_path(change.path),
        is_settings=change.path == SETTINGS_PATH,
    )
    if file.is_irregular:
        problem = Problem(
            change.path, 0, 0, "file.irregular", f"expected a plain file, got {change.reason}"
        )
        return replace(file, problems=(problem,))
    file = _served_at(workspace, snapshot, file)
    earlier = waiting.get(change.path)
    if earlier is not None and _is_same_text(earlier, file.digest):
        return replace(file, record_id=earlier.record_id)
    return _read(workspace, file) if file.digest else file


def _served_at(workspace: Workspace, snapshot: Snapshot, file: ObservedFile) -> ObservedFile:
    if file.path == SETTINGS_PATH or is_record_path(file.path):
        entry = snapshot.entry(file.path)
        file = replace(
            file, served=entry.blob if entry else "", is_memory=is_record_path(file.path)
        )
    if not file.served or file.path == SETTINGS_PATH:
        return file
    stored = read_path(workspace, snapshot, file.path)
    if stored is None:
        return file
    return replace(file, served_id=stored.record.id, served_version=stored.record.version)


def _read(workspace: Workspace, file: ObservedFile) -> ObservedFile:
    """Decodes the working text: what it says of itself, and what is wrong with it."""
    if not file.is_memory and not file.is_settings:
        return file
    try:
        content = workspace.store.read_working(file.path) or b""
        if file.is_settings:
            decode_settings(content, path=file.path)
            return replace(file, problems=secret_problems(file.path, content))
    except DataError as error:
        return replace(file, problems=(problem_from(error, file.path),))
    decoded = decode_record(content, path=file.path, registry=workspace.registry, draft=True)
    record = decoded.record
    errors = tuple(item for item in decoded.problems if item.severity is Severity.ERROR)
    if record is None:
        return replace(file, problems=errors)
    named = f"\nversion: {record.version}".encode() in content or b'"version"' in content
    return replace(
        file,
        record_id=record.id,
        version=record.version if named else 0,
        problems=errors + secret_problems(file.path, content),
    )


def _places(
    workspace: Workspace, snapshot: Snapshot, files: list[ObservedFile]
) -> Mapping[str, str]:
    named = {item.record_id for item in files if item.record_id and not item.served}
    if not named:
        return {}
    catalogue = open_catalogue(workspace, snapshot)
    try:
        return {entry.id: entry.path for name in named for entry in catalogue.by_id(name)}
    finally:
        catalogue.close()


def _is_same_text(candidate: Candidate, digest: str) -> bool:
    return (blob_id(candidate.content) if candidate.content else "") == digest


def file_edits(workspace: Workspace, edits: tuple[OutsideEdit, ...]) -> tuple[Candidate, ...]:
    """Files edits as candidates; one that stands in the inbox already is left as it is."""
    candidates: list[Candidate] = []
    for edit in edits:
        content = workspace.store.read_working(edit.source) or b"" if edit.digest else b""
        if edit.digest and blob_id(content) != edit.digest:
            # Saved again between looking and reading: the next pass finds it.
            continue
        candidates.append(
            outside_candidate(
                workspace,
                path=edit.path,
                base=edit.base,
                content=content,
                is_removed=not edit.digest,
                why=edit.reason,
                theirs=edit.theirs,
                is_working_file=True,
            )
        )
    return put_candidates(workspace, candidates) if candidates else ()


def withdraw(workspace: Workspace, candidates: tuple[Candidate, ...]) -> None:
    """Removes candidates whose file says again what the ledger says."""
    for candidate in candidates:
        remove_candidate(workspace, candidate)


def follow_rename(workspace: Workspace, previous: str, path: str) -> Commit | None:
    """Commits that a record file was moved without a change; nothing of it is reviewed.

    Returns:
        The commit; ``None`` when the move cannot be followed, since another file is there, the
        record is held, or the new place is not one for records.
    """

    def decide_on(snapshot: Snapshot) -> Decided[None]:
        entry, raw = snapshot.entry(previous), snapshot.raw_entry(previous)
        is_free = snapshot.raw_entry(path) is None and is_record_path(path)
        if entry is None or raw is None or entry.blob != raw.blob or not is_free:
            return Decided(None)
        decision = decide_follow(workspace.settings)
        handed_in = frozenset({entry.blob})
        changes = (
            FileChange(path=previous, content=None, expected=entry.blob, decision=decision),
            FileChange(
                path=path,
                content=snapshot.read_blob(entry.blob),
                expected=None,
                decision=decision,
                replaces_working=handed_in,
            ),
        )
        plan = plan_from(
            workspace,
            snapshot,
            operation=OperationKind.RECORD,
            actor=SYSTEM_ACTOR,
            drafts=(),
            subject=f"a file was moved to {path}",
            extra=changes,
        )
        return Decided(None, plan)

    return commit_decided(workspace, decide_on).commit
