"""What merges and splits share: whom a reference means, how files are laid out, and the account.

The account of a merge or a split is a receipt in the same commit: ids and digests, never words. By
it, and by nothing else, the change is taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Final

from memfs.domains.graph.redrawing import Redrawn, drawn_by
from memfs.index.catalogue import Catalogue, CatalogueEntry
from memfs.model.decision import Decision
from memfs.model.frozen import frozen
from memfs.model.graph import EDGE_KIND, EdgeSort
from memfs.model.ids import EDGE_PREFIX, TRANSACTION_PREFIX, is_id, split_version
from memfs.model.naming import entity_key
from memfs.model.operation import OperationKind, Plan
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.status import Status
from memfs.model.values import JsonValue
from memfs.policy.access import may_read, read_right
from memfs.policy.administration import decide_operation
from memfs.policy.authority import authority_of
from memfs.policy.withdrawal import has_given_way, holds_somewhere, is_standing
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.edge_ends import has_hidden_end
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.proposals import (
    Draft,
    edited_file,
    kind_of,
    place_new,
    plan_from,
    require_free,
)
from memfs.services.reading import AmbiguousRecordError, UnknownRecordError, named_entries
from memfs.services.receipts import KIND as RECEIPT_KIND
from memfs.services.receipts import receipt_draft
from memfs.store.layout import is_record_path
from memfs.store.snapshot import Snapshot

MERGE: Final = "merge"
SPLIT: Final = "split"
_MOST_REASON: Final = 60


@frozen
class Account:
    """What a merge or a split did, as its receipt keeps it.

    Attributes:
        operation: ``merge`` or ``split``.
        kept: Id of the record that stayed.
        other: Id of the one that gave way, or that was made.
        before: Blob of the kept record before.
        after: Blob of the kept record after.
        other_blob: Blob of a record that was made.
        made: Ids of edges that were made.
        gone: Of a split: id of each edge that moved, and of the one in its place.
        inner: Of a merge: ids of edges that would lead to themselves since.
    """

    operation: str
    kept: str
    other: str
    before: str = ""
    after: str = ""
    other_blob: str = ""
    made: tuple[str, ...] = ()
    gone: tuple[tuple[str, str], ...] = ()
    inner: tuple[str, ...] = ()


def account_of(
    workspace: Workspace, snapshot: Snapshot, catalogue: Catalogue, other: str
) -> Account | None:
    """Returns the newest account of a merge or split by the record that gave way or was made."""
    rows = [
        row for row in catalogue.by_subject(other, str(workspace.scope)) if row.kind == RECEIPT_KIND
    ]
    found = [
        account
        for stored in read_entries(workspace, snapshot, rows)
        if (account := _account_from(stored.record)) is not None
    ]
    return found[-1] if found else None


def _account_from(record: Record) -> Account | None:
    operation, details = record.fields.get("operation"), record.fields.get("details")
    if operation not in (MERGE, SPLIT) or not isinstance(details, dict):
        return None
    gone = (str(item).partition(" ") for item in _listed(details.get("gone")))
    return Account(
        operation=str(operation),
        kept=str(details.get("kept", "")),
        other=str(details.get("other", "")),
        before=str(details.get("before", "")),
        after=str(details.get("after", "")),
        other_blob=str(details.get("other_blob", "")),
        made=tuple(map(str, _listed(details.get("made")))),
        gone=tuple((edge, heir) for edge, _, heir in gone),
        inner=tuple(map(str, _listed(details.get("inner")))),
    )


def _listed(value: JsonValue) -> list[JsonValue]:
    return list(value) if isinstance(value, list | tuple) else []


# Whom a reference means ---------------------------------------------------------------------


def find_meant(desk: Desk, reference: str) -> StoredRecord:
    """Finds the record that is meant: by id, the end of one, file or name; merged ones as one.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: Several do.
    """
    catalogue = desk.catalogue
    named = _seen(desk, _rows_meant(catalogue, reference))
    names = dict.fromkeys(catalogue.resolve_merged(stored.record.id) for stored in named)
    return one_of(reference, _seen(desk, catalogue.by_ids(names)))


def find_any(desk: Desk, reference: str) -> tuple[StoredRecord, ...]:
    """Returns every record that a reference names, merged ones as they are themselves."""
    return _seen(desk, _rows_meant(desk.catalogue, reference))


def one_of(reference: str, found: tuple[StoredRecord, ...]) -> StoredRecord:
    """Returns the only one of ``found``.

    Raises:
        UnknownRecordError: There is none.
        AmbiguousRecordError: There are several; the message lists them.
    """
    if not found:
        raise UnknownRecordError(
            f"no record matches {reference!r}", hint="see: memfs entity list, memfs search"
        )
    if len(found) > 1:
        names = ", ".join(stored.record.id for stored in found)
        raise AmbiguousRecordError(
            f"{reference!r} matches several records: {names}", hint="give more of the id"
        )
    return found[0]


def _rows_meant(catalogue: Catalogue, reference: str) -> tuple[CatalogueEntry, ...]:
    """Returns the rows of what a reference may mean; a name that is an end of an id means both."""
    name, _ = split_version(reference.strip())
    rows = named_entries(catalogue, name)
    if is_id(name) or is_record_path(name.removeprefix(".memfs/")):
        return rows
    named = catalogue.entities_named(entity_key(reference))
    return (*rows, *(row for row in named if row not in rows))


def _seen(desk: Desk, rows: Iterable[CatalogueEntry]) -> tuple[StoredRecord, ...]:
    """Reads what one who reshapes sees whole: nobody changes what they see in part.

    A person may name what stands no longer, and is told so; a program what it is served, and what
    gave way to it.
    """
    request = access_request(desk.workspace, desk.actor, is_history=desk.actor.is_person)

    def is_seen(record: Record) -> bool:
        is_open = request.is_trusted_reader or has_given_way(record)
        return (read_right if is_open else may_read)(record, request).is_whole

    found = read_entries(desk.workspace, desk.snapshot, rows)
    seen = (stored for stored in found if is_seen(stored.record))
    if request.is_trusted_reader:
        return tuple(seen)
    # What a program may not see at the end of an edge hides the edge.
    return tuple(
        it for it in seen if not has_hidden_end(desk.workspace, desk.snapshot, it.record, request)
    )


# How files are laid out ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One merge, split or undoing on one snapshot: what is read, and how files are laid out."""

    workspace: Workspace
    snapshot: Snapshot
    catalogue: Catalogue
    actor: Actor
    decision: Decision
    transaction: str

    def new_edge_id(self) -> str:
        """Returns the id of an edge that is about to be made."""
        return self.workspace.ids.new_id(EDGE_PREFIX)

    def read(self, identifiers: Iterable[str]) -> dict[str, StoredRecord]:
        """Returns records by id, in any state, those that are there."""
        rows = self.catalogue.by_ids(dict.fromkeys(identifiers))
        found = read_entries(self.workspace, self.snapshot, rows)
        return {stored.record.id: stored for stored in found}

    def edges_at(self, identifiers: Iterable[str]) -> dict[str, StoredRecord]:
        """Returns the active edges at some records, and all edges that they stand for, by id."""
        links = self.catalogue.links_of(tuple(identifiers), sorts=[EdgeSort.ASSERTED])
        paths = dict.fromkeys(link.path for link in links)
        rows = [row for path in paths if (row := self.catalogue.by_path(path)) is not None]
        edges = {
            stored.record.id: stored
            for stored in read_entries(self.workspace, self.snapshot, rows)
            if stored.record.kind == EDGE_KIND and is_standing(stored.record)
        }
        names = {name for item in edges.values() for name in drawn_by(item.record)}
        behind = self.read(names - edges.keys())
        return {n: item for n, item in behind.items() if holds_somewhere(item.record)} | edges

    def resolver(self, became: Mapping[str, str]) -> Callable[[str], str]:
        """Returns what tells what an id is, now that some became others."""
        known: dict[str, str] = {}

        def resolve(name: str) -> str:
            if name not in known:
                known[name] = self.catalogue.resolve_merged(name)
            return became.get(known[name], known[name])

        return resolve

    def redrawn_files(
        self, redrawn: Redrawn, edges: Mapping[str, StoredRecord]
    ) -> tuple[Draft, ...]:
        """Lays out what becomes of edges."""
        return (
            *self.made(redrawn.made),
            *(self.replaced(edges[name], heir) for name, heir in sorted(redrawn.heirs.items())),
            *(self.standing_again(edges[name]) for name in sorted(redrawn.again)),
        )

    def edited(self, stored: StoredRecord, record: Record) -> Draft:
        """Lays out ``record`` in the file of ``stored``; only what differs is written.

        Raises:
            HeldRecordError: A commit made by hand waits on it.
        """
        require_free(self.snapshot, stored)
        before = self.snapshot.read_blob(stored.blob)
        return edited_file(self.workspace, stored, before, record, self._worth(record))

    def replaced(self, stored: StoredRecord, heir: str) -> Draft:
        """Lays out a record that gave way to another for all time; what it says stays."""
        gone = replace(
            stored.record, status=Status.SUPERSEDED, superseded_by=heir, superseded_from=None
        )
        return self.edited(stored, gone)

    def standing_again(self, stored: StoredRecord) -> Draft:
        """Lays out a record that had given way and stands for itself again."""
        again = replace(stored.record, status=Status.ACTIVE, superseded_by="", superseded_from=None)
        return self.edited(stored, again)

    def made(self, records: Iterable[Record]) -> tuple[Draft, ...]:
        """Lays out new records, each worth what it says that it is worth."""
        shards: dict[str, dict[str, int]] = {}
        drafts = []
        for record in records:
            folder = kind_of(self.workspace, record).folder
            counts = shards.setdefault(folder, dict(self.snapshot.shard_sizes(folder)))
            drafts.append(place_new(self.workspace, record, self._worth(record), shards=counts))
        return tuple(drafts)

    def account(self, account: Account, targets: Iterable[Record]) -> Draft:
        """Lays out the receipt of the change; it is found by the record that gave way."""
        details: dict[str, JsonValue] = {
            "kept": account.kept,
            "other": account.other,
            "before": account.before,
            "after": account.after,
            "other_blob": account.other_blob,
            "made": list(account.made),
            "gone": [" ".join(pair) for pair in account.gone],
            "inner": list(account.inner),
        }
        return receipt_draft(
            self.workspace,
            self.snapshot,
            operation=account.operation,
            transaction=self.transaction,
            targets=tuple(record.reference for record in targets),
            details={name: value for name, value in details.items() if value},
            subject=account.other,
        )

    def plan(
        self, operation: OperationKind, drafts: tuple[Draft, ...], subject: str, why: str = ""
    ) -> Plan:
        """Returns the one operation; its subject names ids and no word of a record."""
        words = " ".join(why.split())[:_MOST_REASON]
        plan = plan_from(
            self.workspace,
            self.snapshot,
            operation=operation,
            actor=self.actor,
            drafts=drafts,
            subject=f"{subject}: {words}" if words else subject,
        )
        return replace(plan, transaction=self.transaction)

    def _worth(self, record: Record) -> Decision:
        """Returns the decision about one record: what it is worth, and whose place it takes."""
        return replace(self.decision, authority=authority_of(record), supersedes=record.supersedes)


@contextmanager
def desk_of(workspace: Workspace, snapshot: Snapshot, actor: Actor, rule: str) -> Iterator[Desk]:
    """Opens the catalogue for one decision; the desk carries what policy says of the operation."""
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        yield Desk(
            workspace=workspace,
            snapshot=snapshot,
            catalogue=catalogue,
            actor=actor,
            decision=decide_operation(rule, actor, workspace.settings),
            transaction=workspace.ids.new_id(TRANSACTION_PREFIX),
        )
