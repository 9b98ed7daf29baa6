"""The record of a session in the ledger: that it was, of which client, and nothing it said."""

from __future__ import annotations

from memfs.domains.sessions.metadata import Metadata
from memfs.model.candidate import Submission
from memfs.model.decision import Reason
from memfs.model.instants import format_instant
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import ResultStatus
from memfs.model.values import JsonValue
from memfs.policy.access import may_read
from memfs.policy.authority import capture_origin
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.propose import submit
from memfs.services.served_records import read_path

KIND = "session"


def record_path_of(session: str) -> str:
    """Returns where the record of a session stands in the ledger."""
    return f"sessions/{session[-2:]}/{session}.json"


def admit_record(
    workspace: Workspace, metadata: Metadata, actor: Actor
) -> tuple[str, Reason | None]:
    """Puts the record of a session into the ledger where it is not there yet.

    Returns:
        The operation, empty when it was there; and why it was not admitted.
    """
    if workspace.store.snapshot().raw_entry(record_path_of(metadata.id)) is not None:
        return "", None
    fields: dict[str, JsonValue] = {"client": metadata.client, "host_id": metadata.host_id}
    if metadata.started is not None:
        fields["started"] = format_instant(metadata.started)
    if metadata.resumed_from is not None:
        fields["resumed_from"] = metadata.resumed_from.host_id
    draft = Record(kind=KIND, id=metadata.id, fields=fields)
    source = f"session:{metadata.host_id}"
    submission = Submission(
        draft=draft, origin=capture_origin(actor, metadata.id, source=source), key=metadata.id
    )
    result = submit(workspace, submission, actor, action="session")
    is_kept = result.status in (ResultStatus.DONE, ResultStatus.NOTHING, ResultStatus.WAITING)
    if is_kept or result.status is ResultStatus.DUPLICATE:
        return result.operation, None
    return "", result.reasons[0] if result.reasons else None


def stored_record(workspace: Workspace, session: str) -> StoredRecord | None:
    """Returns the record of a session as the ledger has it; ``None`` for none."""
    return read_path(workspace, workspace.store.snapshot(), record_path_of(session))


def is_open_to(workspace: Workspace, metadata: Metadata, actor: Actor) -> bool:
    """Whether ``actor`` may read a session: what the gate says of its record holds for its turns.

    A session that has no record yet is one of the store's own scope.
    """
    stored = stored_record(workspace, metadata.id)
    record = stored.record if stored is not None else _stand_in(workspace, metadata)
    return may_read(record, access_request(workspace, actor)).is_whole


def _stand_in(workspace: Workspace, metadata: Metadata) -> Record:
    client = metadata.client
    origin = capture_origin(_agent(client), metadata.id, source=f"session:{metadata.host_id}")
    return Record(kind=KIND, id=metadata.id, scope=workspace.scope, origin=origin)


def _agent(client: str) -> Actor:
    from memfs.model.origin import Channel, Principal, PrincipalKind

    return Actor(Principal(PrincipalKind.AGENT, client), Channel.AGENT)
