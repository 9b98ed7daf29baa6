"""Keeps a transcript: its turns in the session's repository, one record in the ledger.

Streams, and goes on where the last import ended as long as the transcript is the same up to
there; otherwise it is read from its beginning, and every message that is kept already is
passed over. So a transcript that is imported twice, by two at once, or again after a kill is
one import. The ledger gets one record without a word of the conversation (O33, O42, O52).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Final

from memfs.domains.sessions.assembly import UnknownParentError
from memfs.domains.sessions.library import folders_of
from memfs.domains.sessions.metadata import Metadata, decode_metadata, plain_host_id, session_id
from memfs.domains.sessions.record import admit_record
from memfs.domains.sessions.transcript_pass import Pass
from memfs.domains.sessions.turns import (
    START,
    Head,
    Mark,
    MarkMismatchError,
    ReadReport,
    Transcript,
)
from memfs.model.decision import Reason
from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.model.values import JsonValue
from memfs.policy.authority import capture_origin
from memfs.policy.conversations import Conversation, check_conversation
from memfs.services.modes import require_taking
from memfs.services.ports import Workspace
from memfs.store.discovery import find_git_project
from memfs.store.layout import tombstone_path
from memfs.store.session_folders import SessionFolders

_SETTLED: Final = timedelta(minutes=5)
"""A turn in which nobody said anything for so long is over, whatever the host says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptImport:
    """What an import did.

    Attributes:
        session: The session; empty where the transcript names none.
        refusal: Why nothing was kept; ``None`` where it may be.
        turns: Commits that were added.
        branches: Branches that are new.
        report: What reading came upon.
        unfinished: Messages of the last turn, which is not over yet and not kept.
        is_cut: There is more; import it again.
        record: Operation that put the record into the ledger; empty when it was there.
    """

    session: str = ""
    refusal: Reason | None = None
    turns: int = 0
    branches: int = 0
    report: ReadReport | None = None
    unfinished: int = 0
    is_cut: bool = False
    record: str = ""


def keep_session(
    workspace: Workspace,
    transcript: Transcript,
    actor: Actor,
    *,
    is_ended: bool = False,
    is_here: bool = False,
    most: int = 0,
) -> KeptImport:
    """Keeps what a transcript has and the session has not.

    Args:
        workspace: The store.
        transcript: What the host keeps.
        actor: Who hands it in.
        is_ended: The host says that the last turn is over.
        is_here: A person says that it belongs to this project whatever it says itself.
        most: About so many turns and no more; 0 for all.

    Raises:
        MemoryModeError: The store takes nothing in.
        SourceError: The transcript cannot be read.
        LockTimeoutError: Somebody else kept the session's lock.
    """
    require_taking(workspace)
    head = transcript.head()
    host_id = plain_host_id(head.host_id)
    session = session_id(head.client, host_id) if host_id else ""
    folders = folders_of(workspace)
    refusal = _refusal(workspace, folders, head, session, actor, is_here=is_here)
    if refusal is not None:
        return KeptImport(session=session, refusal=refusal)
    with folders.locked(session):
        standing = decode_metadata(folders.metadata(session), session)
        if standing is not None and standing.store != str(workspace.store_id):
            origin = capture_origin(actor, session)
            other = Conversation(origin=origin, is_elsewhere=True)
            return KeptImport(session=session, refusal=check_conversation(other, frozenset()))
        metadata = standing or Metadata(
            id=session,
            client=head.client,
            host_id=host_id,
            store=str(workspace.store_id),
            started=head.started,
        )
        return _kept(
            workspace, folders, transcript, head, metadata, actor, is_ended=is_ended, most=most
        )


def _refusal(
    workspace: Workspace,
    folders: SessionFolders,
    head: Head,
    session: str,
    actor: Actor,
    *,
    is_here: bool,
) -> Reason | None:
    snapshot = workspace.store.snapshot()
    is_forgotten = bool(session) and (
        folders.is_barred(session) or snapshot.raw_entry(tombstone_path(session)) is not None
    )
    is_elsewhere = not (is_here and actor.is_person) and _is_elsewhere(workspace, head.folder)
    conversation = Conversation(
        origin=capture_origin(actor, session or "session"),
        is_named=bool(session),
        is_side=head.is_side,
        is_forgotten=is_forgotten,
        is_elsewhere=is_elsewhere,
    )
    return check_conversation(conversation, workspace.settings.sources_off)


def _is_elsewhere(workspace: Workspace, folder: str) -> bool:
    """Whether the agent worked outside of the project and of all its working trees."""
    project = workspace.project_dir
    if not folder or project is None or not Path(folder).is_absolute():
        return False
    try:
        there, here = Path(folder).resolve(), project.resolve()
    except (OSError, RuntimeError, ValueError):
        return True
    return not (there.is_relative_to(here) or _is_same(there, here))


def _is_same(there: Path, here: Path) -> bool:
    theirs, ours = find_git_project(there), find_git_project(here)
    return theirs is not None and ours is not None and theirs.common_dir == ours.common_dir


def _kept(
    workspace: Workspace,
    folders: SessionFolders,
    transcript: Transcript,
    head: Head,
    metadata: Metadata,
    actor: Actor,
    *,
    is_ended: bool,
    most: int,
) -> KeptImport:
    operation = ""

    def admit(found: Metadata) -> Reason | None:
        nonlocal operation
        operation, denial = admit_record(workspace, found, actor)
        return denial

    settled_before = workspace.clock.now() - _SETTLED
    for mark in _marks(metadata):
        attempt = Pass(
            workspace=workspace,
            folders=folders,
            head=head,
            metadata=replace(metadata, mark=mark),
            admit=admit,
            most=most,
        )
        try:
            with attempt:
                attempt.read(transcript, is_ended=is_ended, settled_before=settled_before)
        except (MarkMismatchError, UnknownParentError):
            # Another text than the one that was read, or it follows something before it.
            metadata = attempt.metadata
            continue
        return KeptImport(
            session=metadata.id,
            refusal=attempt.denial,
            turns=attempt.turns,
            branches=attempt.branches,
            report=transcript.report(),
            unfinished=attempt.unfinished,
            is_cut=attempt.is_cut,
            record=operation,
        )
    raise AssertionError("a pass from the beginning knows every parent")


def _marks(metadata: Metadata) -> Iterator[Mark]:
    if metadata.mark.offset:
        yield metadata.mark
    yield START


def import_result(workspace: Workspace, kept: KeptImport, *, action: str = "session") -> Result:
    """Words what an import did."""
    report = kept.report
    data: dict[str, JsonValue] = {
        "session": kept.session,
        "turns": kept.turns,
        "branches": kept.branches,
        "unfinished": kept.unfinished,
    }
    if report is not None:
        data |= {
            "lines": report.lines,
            "skipped": report.skipped,
            "broken": report.broken,
            "cut": report.is_cut,
        }
    answer = Result(
        action=action,
        target=kept.session,
        status=ResultStatus.NOTHING,
        message="nothing new",
        operation=kept.record,
        store=str(workspace.store.root),
        data=data,
    )
    if kept.refusal is not None:
        return replace(
            answer,
            status=ResultStatus.REFUSED,
            message=kept.refusal.message,
            reasons=(kept.refusal,),
        )
    parts = [
        f"kept {kept.turns} {'turn' if kept.turns == 1 else 'turns'}" if kept.turns else "",
        f"{kept.branches} on new branches" if kept.branches else "",
        "the last turn is not over yet" if kept.unfinished else "",
        f"{report.broken} broken lines" if report is not None and report.broken else "",
    ]
    message = ", ".join(part for part in parts if part) or "nothing new"
    status = ResultStatus.DONE if kept.turns else ResultStatus.NOTHING
    return replace(answer, status=status, message=message)
