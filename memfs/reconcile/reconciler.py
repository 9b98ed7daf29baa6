"""One pass over what changed outside memfs: settle, look, classify, file.

Digests decide. A missed event is found by the next pass, an event without a change is
nothing, and a storm of a thousand is one pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from memfs.model.candidate import Candidate
from memfs.model.frozen import frozen
from memfs.model.problem import Problem
from memfs.model.result import Result, ResultStatus
from memfs.model.settings import HandEdits
from memfs.policy.reasons import reason
from memfs.reconcile.core_edits import edits_of_core, file_core_edits
from memfs.reconcile.drift import (
    Drift,
    DriftKind,
    FileRole,
    Surroundings,
    WaitingEdit,
    WorkingFile,
    classify,
)
from memfs.reconcile.index_edits import edits_of_index, file_index_edits
from memfs.reconcile.page_edits import edits_of_pages, file_page_edits
from memfs.reconcile.projecting import refresh_core, refresh_projections
from memfs.services.intake import (
    Observation,
    ObservedFile,
    OutsideEdit,
    file_edits,
    follow_rename,
    observe,
    withdraw,
)
from memfs.services.ports import Workspace
from memfs.services.settle import Settlement, refile_holds, settle

_REASONS: Final[Mapping[DriftKind, str]] = MappingProxyType(
    {
        DriftKind.REVISE: "edit.changed",
        DriftKind.ADD: "edit.added",
        DriftKind.FORGET: "edit.deleted",
        DriftKind.CONFLICT: "edit.conflict",
    }
)


@frozen
class Pass:
    """What one pass found and did.

    Attributes:
        settlement: What commits made by hand came to.
        filed: Candidates that stand for edits found now, new or known.
        adopted: References of edits that counted at once (``trust.hand_edits: adopt``).
        withdrawn: Ids of candidates whose file is back in step.
        followed: New paths of files that were moved without a change.
        problems: Files that are no valid record, or that only memfs may change.
    """

    settlement: Settlement
    filed: tuple[Candidate, ...] = ()
    adopted: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    followed: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def run_pass(workspace: Workspace) -> Pass:
    """Settles commits made by hand and files what changed in the working tree."""
    settlement = settle(workspace)
    if not _is_on_main(workspace):
        # Another commit is checked out: its files are not edits, and the ledger is served.
        return Pass(settlement=settlement)
    seen = observe(workspace)
    edits, core = edits_of_index(workspace), edits_of_core(workspace)
    pages = edits_of_pages(workspace)
    is_written_in = core.is_edited or core.problems or pages.paths or pages.problems
    if not (seen.files or seen.waiting or edits.edits or is_written_in):
        return Pass(settlement=settlement, filed=refile_holds(workspace))
    findings = classify(map(_working_file, seen.files), _surroundings(seen))
    followed = tuple(
        drift.path
        for drift in findings
        if drift.kind is DriftKind.RENAMED and follow_rename(workspace, drift.previous, drift.path)
    )
    edited = (_followed(workspace, item) for item in findings if item.kind in _REASONS)
    filed = file_edits(workspace, tuple(_edit(item) for item in edited))
    withdrawn = tuple(
        seen.waiting[item.path] for item in findings if item.kind is DriftKind.WITHDRAWN
    )
    withdraw(workspace, withdrawn)
    filed += refile_holds(workspace)
    if edits.edits:
        filed += file_index_edits(workspace, edits)
        refresh_projections(workspace, is_filed=True)
    if core.is_edited:
        filed += file_core_edits(workspace, core)
        refresh_core(workspace, is_filed=True)
    if pages.paths:
        filed += file_page_edits(workspace, pages)
    adopted: tuple[str, ...] = ()
    if workspace.settings.trust.hand_edits is HandEdits.ADOPT:
        from memfs.services.adopt import adopt

        filed, adopted = adopt(workspace, filed)
    return Pass(
        settlement=settlement,
        filed=filed,
        adopted=adopted,
        withdrawn=tuple(item.id for item in withdrawn),
        followed=followed,
        problems=(
            *(item for drift in findings for item in _problems(drift)),
            *core.problems,
            *pages.problems,
        ),
    )


def _is_on_main(workspace: Workspace) -> bool:
    return workspace.store.head_branch() == "main"


def _working_file(file: ObservedFile) -> WorkingFile:
    return WorkingFile(
        path=file.path,
        role=_role(file),
        digest=file.digest,
        served=file.served,
        served_id=file.served_id,
        served_version=file.served_version,
        record_id=file.record_id,
        version=file.version,
        problems=file.problems,
        is_irregular=file.is_irregular,
    )


def _role(file: ObservedFile) -> FileRole:
    if file.is_reserved:
        return FileRole.PROTECTED
    if file.is_settings:
        return FileRole.SETTINGS
    return FileRole.RECORD if file.is_memory else FileRole.OTHER


def _surroundings(seen: Observation) -> Surroundings:
    waiting = {
        path: WaitingEdit(candidate=item.id, base=item.base) for path, item in seen.waiting.items()
    }
    return Surroundings(waiting=waiting, served_at=seen.places)


def _followed(workspace: Workspace, drift: Drift) -> Drift:
    """Follows a file that was moved and edited first; its edit is then one like any other."""
    if drift.previous and follow_rename(workspace, drift.previous, drift.path):
        return replace(drift, previous="")
    return drift


def _edit(drift: Drift) -> OutsideEdit:
    return OutsideEdit(
        path=drift.previous or drift.path,
        source=drift.path,
        base=drift.base,
        digest=drift.digest,
        theirs=drift.theirs,
        reason=reason(_REASONS[drift.kind]),
    )


def _problems(drift: Drift) -> tuple[Problem, ...]:
    if drift.kind is DriftKind.PROTECTED:
        return (
            Problem(
                drift.path,
                0,
                0,
                "file.protected",
                "expected a file that memfs alone writes, got a change by hand",
                "put it back with: git checkout -- PATH (in the store)",
            ),
        )
    if drift.kind in (DriftKind.MALFORMED, DriftKind.IRREGULAR):
        return drift.problems
    return ()


def pass_result(workspace: Workspace, found: Pass, *, is_named: bool = True) -> Result:
    """Words what a pass found.

    Names of files are made of titles, and whose edits wait is no program's business: without
    ``is_named`` nothing is named.
    """
    settlement = found.settlement
    parts = [
        f"{len(found.filed)} edits wait for review" if found.filed else "",
        f"{len(found.adopted)} adopted" if found.adopted else "",
        f"{len(settlement.held)} held" if settlement.held else "",
        f"{len(settlement.repaired)} put back" if settlement.repaired else "",
        f"{len(found.withdrawn)} withdrawn" if found.withdrawn else "",
        f"{len(found.followed)} moves followed" if found.followed else "",
        f"{len(found.problems)} problems" if found.problems else "",
    ]
    words = ", ".join(part for part in parts if part)
    result = Result(
        action="reconcile",
        target=workspace.settings.project,
        status=ResultStatus.DONE if words else ResultStatus.NOTHING,
        message=words or "nothing changed outside memfs",
        store=str(workspace.store.root),
        data={
            "waiting": [item.id for item in found.filed],
            "paths": [item.path for item in found.filed],
            "adopted": list(found.adopted),
            "held": list(settlement.held),
            "repaired": list(settlement.repaired),
            "withdrawn": list(found.withdrawn),
            "followed": list(found.followed),
            "problems": [str(problem) for problem in found.problems],
        },
    )
    if not is_named:
        result = replace(result, data={})
    return replace(result, status=ResultStatus.PROBLEMS) if found.problems else result
