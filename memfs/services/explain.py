"""Explanations: how a record came to be what it is, who is served it, and what recall made of it.

A person gets the whole account: each operation with the rule that allowed it, what the record
rests on and what rests on it, who may read it now, and its part in the last answer. A program
gets what its own read gate shows it and its own questions, nothing else (A84, A7).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from typing import Final

from memfs.errors import ConflictError
from memfs.model.frozen import frozen
from memfs.model.ids import split_version
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.outcome import NO_UTILITY, Utility
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest, is_trusted, may_read
from memfs.policy.administration import RULES
from memfs.policy.promotion import ROWS
from memfs.policy.reasons import SENTENCES
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.compile_context import required_verification
from memfs.services.gate import access_request
from memfs.services.grants import GrantState, standing_grants
from memfs.services.modes import require_serving
from memfs.services.ports import Workspace
from memfs.services.reading import UnknownRecordError, find_record
from memfs.services.retrieval_log import LoggedItem, LoggedRecall, read_log
from memfs.services.utility import utilities
from memfs.services.withdraw import targets_named
from memfs.store.snapshot import Snapshot

_ANY_PROGRAM: Final = Actor(Principal(PrincipalKind.AGENT, "any-program"), Channel.AGENT)
_FAR: Final = 200


class NothingRecalledError(ConflictError):
    """There is no answer to explain."""

    code = "conflict.nothing-recalled"


@frozen
class Step:
    """One operation on a record: what allowed it, in a code and in words."""

    transaction: str
    operation: str
    actor: str
    at: datetime
    rule: str
    why: str
    reference: str


@frozen
class Service:
    """Whether a record is served to someone now, and the code and words of why not."""

    reader: str
    is_served: bool
    code: str = ""
    why: str = ""


@frozen
class Recalled:
    """What the last answer that considered a record made of it."""

    answer: LoggedRecall
    item: LoggedItem | None
    left_out: str


@frozen
class Link:
    """A record that another one rests on or leads to; empty status for one that is not there."""

    id: str
    relation: str
    kind: str = ""
    status: str = ""


@frozen
class Explanation:
    """The account of one record.

    Attributes:
        stored: As the reader may see it.
        steps: Operations on it, newest first; for a person.
        links: What it rests on, what rests on it, what it replaces and what says otherwise.
        services: To whom it is served now.
        age_days: Since memfs learned it; ``None`` when that is unknown.
        verification: What should be verified before it is relied on; empty for nothing.
        recalled: The last answer that considered it; ``None`` for none.
        utility: What this version has proved to be good for.
    """

    stored: StoredRecord
    steps: tuple[Step, ...]
    links: tuple[Link, ...]
    services: tuple[Service, ...]
    age_days: int | None
    verification: str
    recalled: Recalled | None
    utility: Utility = NO_UTILITY


def explain(workspace: Workspace, reference: str, actor: Actor) -> Explanation:
    """Explains one record.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: Several match.
        MemoryModeError: The reader is a program and nothing is served to it.
    """
    snapshot = workspace.store.snapshot()
    if is_trusted(actor):
        stored = targets_named(workspace, snapshot, (reference,), actor)[0]
        request = access_request(workspace, actor, is_history=True, sees_polluted=True)
    else:
        require_serving(workspace, actor)
        request = access_request(workspace, actor)
        stored = find_record(workspace, snapshot, reference, request)
    record, now = stored.record, workspace.clock.now()
    age = None if record.observed is None else max(0, (now - record.observed).days)
    return Explanation(
        stored=stored,
        steps=tuple(_steps(workspace, stored)) if is_trusted(actor) else (),
        links=tuple(_links(workspace, snapshot, record, request)),
        services=tuple(_services(workspace, record, actor)),
        age_days=age,
        verification=required_verification(record, now),
        recalled=_recalled(workspace, record.id, actor),
        utility=utilities(workspace, snapshot, (record,)).get(record.reference, NO_UTILITY),
    )


def last_recall(workspace: Workspace, actor: Actor) -> LoggedRecall:
    """Returns the last answer; for a program its own last one, without what it may not see now.

    Raises:
        NothingRecalledError: The log has none.
    """
    for entry in read_log(workspace):
        if is_trusted(actor):
            return entry
        if entry.actor == str(actor):
            return _still_visible(workspace, entry, actor)
    raise NothingRecalledError(
        "no answer is in the log yet", hint="ask something first: memfs recall TEXT"
    )


def rule_words(rule: str) -> str:
    """Returns what a rule of a decision says, in words."""
    if rule in ROWS:
        return ROWS[rule].summary
    if rule in RULES:
        return f"{RULES[rule].who}: an operation of its own"
    return SENTENCES.get(rule, "")


def _steps(workspace: Workspace, stored: StoredRecord) -> Iterator[Step]:
    if not stored.path:
        return
    identifier = stored.record.id
    for item in workspace.store.file_versions(stored.path, limit=_FAR):
        commit = item.commit
        if not commit.is_operation:
            continue
        rule = commit.decision.partition(" ")[2]
        named = (name for name in commit.records if split_version(name)[0] == identifier)
        yield Step(
            transaction=commit.transaction,
            operation=commit.operation,
            actor=commit.author,
            at=commit.at,
            rule=rule,
            why=rule_words(rule),
            reference=next(named, ""),
        )


def _links(
    workspace: Workspace, snapshot: Snapshot, record: Record, request: AccessRequest
) -> Iterator[Link]:
    """Yields the neighbours of a record that the reader has a right to, nearest first."""
    said = [
        *((name, "evidence") for name in record.evidence),
        *((name, "derived from") for name in record.derived_from),
        *((name, "replaces") for name in record.supersedes),
        *(((record.superseded_by, "replaced by"),) if record.superseded_by else ()),
        *((name, "says otherwise") for name in record.conflicts),
    ]
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        for name, relation in said:
            identifier = split_version(name)[0]
            found = read_entries(workspace, snapshot, catalogue.by_id(identifier))
            yield from (
                _seen(found, relation, request) if found else _gone(identifier, relation, request)
            )
        if record.id:
            rows = catalogue.dependents([record.id])
            yield from _seen(read_entries(workspace, snapshot, rows), "rests on it", request)


def _seen(found: Iterable[StoredRecord], relation: str, request: AccessRequest) -> Iterator[Link]:
    for stored in found:
        record = stored.record
        if request.is_trusted_reader or may_read(record, request).allowed:
            yield Link(
                id=record.reference, relation=relation, kind=record.kind, status=str(record.status)
            )


def _gone(identifier: str, relation: str, request: AccessRequest) -> Iterator[Link]:
    if request.is_trusted_reader:
        yield Link(id=identifier, relation=relation)


def _services(workspace: Workspace, record: Record, actor: Actor) -> Iterator[Service]:
    """Yields whether the record is served to the reader and, for a person, to programs too."""
    yield _service(str(actor), record, access_request(workspace, actor))
    if not is_trusted(actor):
        return
    yield _service("any program", record, access_request(workspace, _ANY_PROGRAM))
    grantees = {
        item.grant.grantee
        for item in standing_grants(workspace, actor)
        if item.state is GrantState.IN_FORCE
    }
    for grantee in sorted(grantees, key=str):
        reader = Actor(grantee, Channel.AGENT)
        yield _service(str(grantee), record, access_request(workspace, reader))


def _service(reader: str, record: Record, request: AccessRequest) -> Service:
    decision = may_read(record, request)
    if decision.allowed:
        part = "" if decision.is_whole else "in part"
        return Service(reader=reader, is_served=True, why=part)
    denial = decision.reason
    code, why = (denial.code, denial.message) if denial is not None else ("", "")
    return Service(reader=reader, is_served=False, code=code, why=why)


def _recalled(workspace: Workspace, identifier: str, actor: Actor) -> Recalled | None:
    for entry in read_log(workspace):
        if not is_trusted(actor) and entry.actor != str(actor):
            continue
        items = (item for item in entry.items if split_version(item.reference)[0] == identifier)
        item = next(items, None)
        left_out = next((code for name, code in entry.left_out if name == identifier), "")
        if item is not None or left_out:
            return Recalled(answer=entry, item=item, left_out=left_out)
    return None


def _still_visible(workspace: Workspace, entry: LoggedRecall, actor: Actor) -> LoggedRecall:
    """Leaves out what was shown then and may not be seen any more; of another store, all."""
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)

    def is_visible(name: str) -> bool:
        try:
            find_record(workspace, snapshot, split_version(name)[0], request)
        except (UnknownRecordError, ConflictError):
            return False
        return True

    items = tuple(item for item in entry.items if not item.store and is_visible(item.reference))
    left_out = tuple(pair for pair in entry.left_out if is_visible(pair[0]))
    return replace(entry, items=items, left_out=left_out, considered=len(items) + len(left_out))
