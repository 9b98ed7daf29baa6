"""What a difference between a file and the ledger means: the table of DESIGN §3, as a function.

Pure. The caller says what stands in the working tree and what the ledger serves; the answer
names one finding a path. A finding is a proposal for review or a report, never a change:
nothing here moves anything, and digests decide, not events and not times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from enum import StrEnum
from types import MappingProxyType

from memfs.model.frozen import frozen
from memfs.model.problem import Problem, Severity
from memfs.reconcile.projections import ProjectionEdit


class FileRole(StrEnum):
    """What stands at a path of the store."""

    RECORD = "record"
    SETTINGS = "settings"
    PROTECTED = "protected"
    """Written by memfs alone: holds, tombstones, what steers Git."""
    OTHER = "other"
    """Not memory: a readme, a picture."""


class DriftKind(StrEnum):
    """The rows of the table."""

    REVISE = "revise"
    ADD = "add"
    FORGET = "forget"
    RENAMED = "renamed"
    MALFORMED = "malformed"
    IRREGULAR = "irregular"
    CONFLICT = "conflict"
    PROJECTION = "projection"
    PROTECTED = "protected"
    WITHDRAWN = "withdrawn"

    @property
    def is_proposal(self) -> bool:
        """Whether someone has to decide; the others are reported or need nothing."""
        return self in _PROPOSALS


_PROPOSALS = frozenset(
    {
        DriftKind.REVISE,
        DriftKind.ADD,
        DriftKind.FORGET,
        DriftKind.CONFLICT,
        DriftKind.PROJECTION,
    }
)


@frozen
class WorkingFile:
    """One path whose working file is not what the branch says.

    Attributes:
        path: Store-relative path.
        role: What stands there.
        digest: Blob id of the working file; empty when it is gone.
        served: Blob id that readers are served; empty when nothing is.
        served_id: Id of the record that is served from here; empty for none.
        served_version: Its version; 0 for none.
        record_id: Id that the working text names; empty for none or unreadable.
        version: Version that the working text names; 0 for none.
        started_from: Ledger blob of that version, where the caller looked it up.
        problems: What is wrong with the working text.
        is_irregular: A link, a special file, or a name that cannot be a record.
    """

    path: str
    role: FileRole = FileRole.RECORD
    digest: str = ""
    served: str = ""
    served_id: str = ""
    served_version: int = 0
    record_id: str = ""
    version: int = 0
    started_from: str = ""
    problems: tuple[Problem, ...] = ()
    is_irregular: bool = False


@frozen
class WaitingEdit:
    """A candidate in the inbox that stands for the working file at a path.

    Attributes:
        candidate: ``cand_…``.
        base: Ledger blob that it started from; empty for a new file.
    """

    candidate: str
    base: str


@frozen
class Drift:
    """One finding.

    Attributes:
        kind: Which row of the table.
        path: Path of the working file; for a projection that of the projection.
        previous: Where the record stands in the ledger, when the file was moved.
        record_id: Record concerned; empty when unknown.
        base: Ledger blob that the edit started from; empty for a new file or when unknown.
        digest: Blob id of the working file; empty when it is gone.
        theirs: For a conflict: blob id of the ledger version that changed as well; empty when
            the ledger has removed the record meanwhile.
        problems: For what is malformed or irregular.
        candidate: For ``withdrawn``: the candidate that has become pointless.
        edit: For ``projection``: the changed line.
    """

    kind: DriftKind
    path: str
    previous: str = ""
    record_id: str = ""
    base: str = ""
    digest: str = ""
    theirs: str = ""
    problems: tuple[Problem, ...] = ()
    candidate: str = ""
    edit: ProjectionEdit | None = None


@frozen
class Surroundings:
    """What else has to be known to classify.

    Attributes:
        waiting: Candidates that stand for working files, by path.
        served_at: Path that each served record stands at, by id; only needed for the ids
            that new files name.
        edits: Changed lines of each projection, by its path.
    """

    waiting: Mapping[str, WaitingEdit] = field(default_factory=lambda: MappingProxyType({}))
    served_at: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    edits: Mapping[str, tuple[ProjectionEdit, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )


def classify(files: Iterable[WorkingFile], around: Surroundings) -> tuple[Drift, ...]:
    """Returns one finding for each difference that means something, sorted by path.

    ``files`` are all paths that differ. A waiting candidate whose path is not among them
    has become pointless: the file says again what the ledger says.
    """
    differing = tuple(files)
    moves = _moves(differing)
    moved_from = {old.path for old in moves.values()}
    findings = [_withdrawn(path, around) for path in _back_in_step(differing, around)]
    for file in differing:
        if file.path in moved_from:
            continue
        previous = moves.get(file.path)
        if previous is not None:
            findings.append(_of_move(file, previous))
        elif (finding := _of_file(file, around)) is not None:
            findings.append(finding)
    for path, edits in around.edits.items():
        findings += [_of_projection(path, edit) for edit in edits]
    return tuple(sorted(findings, key=lambda drift: (drift.path, _line_of(drift))))


def _moves(files: tuple[WorkingFile, ...]) -> Mapping[str, WorkingFile]:
    """Pairs the path of each new file with the missing one it came from, by id or by content.

    A pair has to be unmistakable: one missing file and one new one.
    """
    gone = [f for f in files if f.role is FileRole.RECORD and not f.digest and f.served]
    gone = [f for f in gone if not f.is_irregular]
    come = [f for f in files if f.role is FileRole.RECORD and f.digest and not f.served]
    pairs: dict[str, WorkingFile] = {}
    for mark_of_old, mark_of_new in ((_served_id, _named_id), (_served_blob, _own_blob)):
        paired = {old.path for old in pairs.values()}
        old_by_mark = _group_by(mark_of_old, (f for f in gone if f.path not in paired))
        new_by_mark = _group_by(mark_of_new, (f for f in come if f.path not in pairs))
        for mark, old in old_by_mark.items():
            new = new_by_mark.get(mark, [])
            if mark and len(old) == len(new) == 1:
                pairs[new[0].path] = old[0]
    return pairs


def _group_by(
    mark_of: Callable[[WorkingFile], str], files: Iterable[WorkingFile]
) -> Mapping[str, list[WorkingFile]]:
    groups: defaultdict[str, list[WorkingFile]] = defaultdict(list)
    for file in files:
        groups[mark_of(file)].append(file)
    return groups


def _served_id(file: WorkingFile) -> str:
    return file.served_id


def _named_id(file: WorkingFile) -> str:
    return file.record_id


def _served_blob(file: WorkingFile) -> str:
    return file.served


def _own_blob(file: WorkingFile) -> str:
    return file.digest


def _of_move(file: WorkingFile, previous: WorkingFile) -> Drift:
    """A moved file is the same record: untouched it means nothing, edited it is a revision."""
    moved = replace(
        file,
        served=previous.served,
        served_id=previous.served_id,
        served_version=previous.served_version,
    )
    if file.digest == previous.served:
        kind = DriftKind.RENAMED
    elif _errors(file):
        kind = DriftKind.MALFORMED
    else:
        kind = DriftKind.CONFLICT if _is_outdated(moved) else DriftKind.REVISE
    finding = _finding(kind, moved)
    if kind is DriftKind.CONFLICT:
        finding = replace(finding, base=file.started_from, theirs=previous.served)
    return replace(finding, previous=previous.path)


def _of_file(file: WorkingFile, around: Surroundings) -> Drift | None:
    if file.role is FileRole.OTHER:
        return None
    if file.role is FileRole.PROTECTED:
        return _finding(DriftKind.PROTECTED, file)
    if file.is_irregular:
        return _finding(DriftKind.IRREGULAR, file)
    if file.digest == file.served:
        # A held file that was put back, or a new one that is gone again: nothing is asked.
        return _withdrawn(file.path, around) if file.path in around.waiting else None
    if _errors(file):
        return _finding(DriftKind.MALFORMED, file)
    if not file.served and (elsewhere := around.served_at.get(file.record_id)) is not None:
        return _copied(file, elsewhere)
    if file.served_id and file.record_id not in ("", file.served_id):
        return _of_other_id(file)
    return _of_change(file, around.waiting.get(file.path))


def _of_change(file: WorkingFile, waiting: WaitingEdit | None) -> Drift:
    if waiting is not None and waiting.base != file.served:
        finding = _finding(DriftKind.CONFLICT, file)
        return replace(finding, base=waiting.base, theirs=file.served)
    if _is_outdated(file):
        finding = _finding(DriftKind.CONFLICT, file)
        return replace(finding, base=file.started_from, theirs=file.served)
    if not file.digest:
        return _finding(DriftKind.FORGET, file)
    return _finding(DriftKind.REVISE if file.served else DriftKind.ADD, file)


def _is_outdated(file: WorkingFile) -> bool:
    """Whether the text was written from an earlier version than the one that is served."""
    return bool(file.digest) and 0 < file.version < file.served_version


def _errors(file: WorkingFile) -> bool:
    return any(problem.severity is Severity.ERROR for problem in file.problems)


def _finding(kind: DriftKind, file: WorkingFile) -> Drift:
    return Drift(
        kind=kind,
        path=file.path,
        record_id=file.served_id or file.record_id,
        base=file.served,
        digest=file.digest,
        problems=file.problems,
    )


def _copied(file: WorkingFile, elsewhere: str) -> Drift:
    """A copy names a record that stands elsewhere: two files cannot be one record."""
    message = f"expected an id of its own, got that of {elsewhere}"
    hint = "remove the line 'id' to make it a record of its own"
    problem = Problem(file.path, 0, 0, "record.duplicate-id", message, hint)
    return replace(
        _finding(DriftKind.MALFORMED, file), problems=(*file.problems, problem), previous=elsewhere
    )


def _of_other_id(file: WorkingFile) -> Drift:
    """A file that names another record than the one that is served from it, as after a swap."""
    message = f"expected the id {file.served_id}, got {file.record_id}"
    hint = "an id never changes; write another claim into a file of its own"
    problem = Problem(file.path, 0, 0, "record.id-changed", message, hint)
    return replace(_finding(DriftKind.MALFORMED, file), problems=(*file.problems, problem))


def _back_in_step(files: tuple[WorkingFile, ...], around: Surroundings) -> tuple[str, ...]:
    differing = {file.path for file in files}
    return tuple(path for path in around.waiting if path not in differing)


def _withdrawn(path: str, around: Surroundings) -> Drift:
    waiting = around.waiting[path]
    return Drift(kind=DriftKind.WITHDRAWN, path=path, candidate=waiting.candidate)


def _of_projection(path: str, edit: ProjectionEdit) -> Drift:
    return Drift(kind=DriftKind.PROJECTION, path=path, record_id=edit.record_id, edit=edit)


def _line_of(drift: Drift) -> int:
    return drift.edit.line if drift.edit is not None else 0
