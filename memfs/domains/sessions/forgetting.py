"""Forgetting a session: its turns go at once and nothing brings them back.

What was learned from it is another thing and stays; its pointers say from now on that the
source is gone (O32, A63). Only an empty file with the session's id is kept, which bars it.
"""

from __future__ import annotations

from memfs.domains.sessions.library import folders_of, resolve
from memfs.domains.sessions.metadata import decode_metadata
from memfs.domains.sessions.record import record_path_of
from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.policy.administration import decide_operation
from memfs.services.ports import Workspace
from memfs.services.reading import UnknownRecordError


def forget_turns(workspace: Workspace, reference: str, actor: Actor) -> Result:
    """Removes the repository of a session and bars it.

    Returns:
        Done, with whether the ledger has a record of it that is to be forgotten as well;
        nothing where it is gone or another store's; refused where the actor is no person.

    Raises:
        UnknownRecordError: Nothing is called that.
        AmbiguousSessionError: More than one could be meant.
        LockTimeoutError: Somebody else kept the session's lock.
    """
    answer = Result(
        action="forget",
        target=reference,
        status=ResultStatus.NOTHING,
        message="there is no such session",
        store=str(workspace.store.root),
    )
    decision = decide_operation("record.forget", actor, workspace.settings)
    if not decision.is_admitted:
        return Result(
            action="forget",
            target=reference,
            status=ResultStatus.REFUSED,
            message=decision.reasons[0].message,
            store=answer.store,
            reasons=decision.reasons,
        )
    session = resolve(workspace, reference, actor)
    if not session:
        raise UnknownRecordError(
            f"no session matches {reference!r}", hint="see: memfs session list"
        )
    has_record = workspace.store.snapshot().raw_entry(record_path_of(session)) is not None
    folders = folders_of(workspace)
    is_there = folders.path(session).exists()
    other = decode_metadata(folders.metadata(session), session) if is_there else None
    is_others = other is not None and other.store != str(workspace.store_id)
    if is_others or not (has_record or is_there):
        return answer
    with folders.locked(session):
        folders.bar(session)
        removed = folders.remove(session)
    return Result(
        action="forget",
        target=session,
        status=ResultStatus.DONE,
        message="its turns are gone; what was learned from it stays, and its source is gone"
        if removed
        else "its turns were gone already",
        store=answer.store,
        data={"session": session, "removed": removed, "has_record": has_record},
    )
