"""Takes a merge or a split back, by its receipt: what moved returns, what was said since stays."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from memfs.domains.graph.parting import taken_apart
from memfs.domains.graph.redrawing import REDRAWN, drawn_by, redrawn
from memfs.domains.graph.reshaped import (
    MERGE,
    Account,
    Desk,
    account_of,
    desk_of,
    find_any,
    one_of,
)
from memfs.errors import DataError, StoreError
from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.graph import EDGE_KIND
from memfs.model.ids import EDGE_PREFIX, is_id
from memfs.model.operation import Commit, OperationKind
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.model.values import JsonValue
from memfs.policy.reasons import reason
from memfs.policy.relations import ends_of_edge
from memfs.policy.withdrawal import has_given_way, holds_somewhere, is_standing
from memfs.services.answers import refused
from memfs.services.barrier import NOTHING_FOLLOWED, Aftermath
from memfs.services.door import Decided, commit_decided
from memfs.services.ports import Workspace
from memfs.services.proposals import Draft
from memfs.services.served_records import record_from
from memfs.store.snapshot import Snapshot

_RULE: Final = "record.part"


@frozen
class _Outcome:
    operation: str = ""
    kept: str = ""
    other: str = ""
    reasons: tuple[Reason, ...] = ()
    returned: int = 0
    is_clean: bool = True


def undo(workspace: Workspace, reference: str, actor: Actor, *, operation: str) -> Result:
    """Takes back the merge, or the split, that a record took part in last.

    Args:
        workspace: The store.
        reference: The record that gave way or was made; or the one that stayed, where that
            leaves no choice.
        actor: Who takes it back.
        operation: ``merge`` or ``split``.

    Raises:
        UnknownRecordError: Nothing matches, or nothing that may be seen.
        AmbiguousRecordError: Several did; the message lists them.
        HeldRecordError: A commit made by hand waits on one of the files.
    """

    def decide_on(snapshot: Snapshot) -> Decided[_Outcome]:
        with desk_of(workspace, snapshot, actor, _RULE) as desk:
            found = find_any(desk, reference)
            name = found[0].record.id if found else one_of(reference, found).record.id
            accounts = _standing(desk, found, operation)
            if desk.decision.reasons or not accounts:
                faults = desk.decision.reasons or (reason("part.not-standing"),)
                return Decided(_Outcome(operation=operation, other=name, reasons=faults))
            records = desk.read(account.other for account in accounts)
            one_of(reference, tuple(records.values()))
            (account,) = accounts
            return _planned(desk, account)

    committed = commit_decided(workspace, decide_on)
    return _answer(workspace, committed.outcome, committed.commit, committed.aftermath)


def _standing(desk: Desk, found: Iterable[StoredRecord], operation: str) -> tuple[Account, ...]:
    """Returns the accounts of what stands and is meant: by the other record, else by the kept."""
    accounts: dict[str, Account] = {}
    for stored in found:
        names = [stored.record.id]
        own = account_of(desk.workspace, desk.snapshot, desk.catalogue, stored.record.id)
        if own is None or not _is_standing(desk, own, operation):
            names = _others_of(desk, stored.record.id)
        for name in names:
            account = account_of(desk.workspace, desk.snapshot, desk.catalogue, name)
            if account is None or stored.record.id not in (account.kept, account.other):
                continue
            if _is_standing(desk, account, operation):
                accounts[account.other] = account
    return tuple(accounts.values())


def _others_of(desk: Desk, kept: str) -> list[str]:
    """Returns the ids of what was merged into a record, or split off it."""
    edges = desk.edges_at([kept])
    ends = (end for item in edges.values() for end in ends_of_edge(item.record)[::2])
    names = (*desk.catalogue.merged_into(kept), *ends)
    return [name for name in dict.fromkeys(names) if name != kept]


def _is_standing(desk: Desk, account: Account, operation: str) -> bool:
    if account.operation != operation:
        return False
    records = desk.read((account.kept, account.other))
    kept, other = records.get(account.kept), records.get(account.other)
    if kept is None or other is None or not is_standing(kept.record):
        return False
    if operation == MERGE:
        return has_given_way(other.record, account.kept)
    return is_standing(other.record)


def _planned(desk: Desk, account: Account) -> Decided[_Outcome]:
    records = desk.read((account.kept, account.other))
    kept, other = records[account.kept], records[account.other]
    outcome = _Outcome(operation=account.operation, kept=account.kept, other=account.other)
    is_merge = account.operation == MERGE
    if not is_merge and _is_changed(desk, account, other):
        return Decided(replace(outcome, reasons=(reason("part.changed-since"),)))
    record, is_clean = _apart(desk, account, kept)
    edges = _parted_edges(desk, account) if is_merge else _joined_edges(desk, account)
    whole = replace(record, version=kept.record.version + 1)
    drafts = (
        *((desk.edited(kept, whole),) if record != kept.record else ()),
        desk.standing_again(other) if is_merge else desk.replaced(other, account.kept),
        *edges,
    )
    returned = sum(is_standing(draft.record) for draft in edges)
    outcome = replace(outcome, returned=returned, is_clean=is_clean)
    kind = OperationKind.MERGE if is_merge else OperationKind.SPLIT
    subject = f"{account.other} of {account.kept} is taken back"
    return Decided(outcome, desk.plan(kind, drafts, subject))


def _apart(desk: Desk, account: Account, kept: StoredRecord) -> tuple[Record, bool]:
    """Returns the kept record without the change, as far as its bytes of then are there."""
    before, after = (_at(desk, kept, blob) for blob in (account.before, account.after))
    if before is None or after is None:
        return kept.record, False
    if account.operation == MERGE or kept.record.body == after.body:
        return taken_apart(kept.record, before, after)
    # A split took words away; whatever the body says since stays, and they are put behind it.
    record, _ = taken_apart(replace(kept.record, body=after.body), before, after)
    other = desk.read((account.other,))[account.other].record
    body = "\n\n".join(part.strip("\n") for part in (kept.record.body, other.body) if part.strip())
    return replace(record, body=f"{body}\n" if body else ""), True


def _at(desk: Desk, stored: StoredRecord, blob: str) -> Record | None:
    """Returns what a version of a record said; ``None`` where its bytes are gone."""
    try:
        content = desk.workspace.store.read_blob(blob)
    except (StoreError, DataError):
        return None
    found = record_from(desk.workspace, stored.path, blob, content)
    return found.record if found is not None and found.record.id == stored.record.id else None


def _is_changed(desk: Desk, account: Account, other: StoredRecord) -> bool:
    """Whether something was said of what was split off that would be lost with it."""
    if other.blob != account.other_blob:
        return True
    return not desk.edges_at([account.other]).keys() <= set(account.made)


def _parted_edges(desk: Desk, account: Account) -> tuple[Draft, ...]:
    """Draws the edges of a merge anew, as if it had not been."""
    own = {account.other, *desk.catalogue.merged_into(account.other)}
    now = desk.resolver({})

    def resolve(name: str) -> str:
        return account.other if name in own else now(name)

    edges = desk.edges_at([account.kept])
    drawn = {name for stored in edges.values() for name in drawn_by(stored.record)}
    inner = {
        name
        for merged in desk.catalogue.merged_into(account.kept)
        if (found := account_of(desk.workspace, desk.snapshot, desk.catalogue, merged))
        for name in found.inner
    }
    # What led to itself then and is drawn elsewhere since is no longer inner.
    folded = {
        name: stored
        for name, stored in desk.read(inner).items()
        if not is_id(stored.record.superseded_by, EDGE_PREFIX)
    }
    edges |= folded
    replaced = _replaced_since(desk, account, own)
    edges |= desk.read(replaced)
    records = {
        name: stored.record for name, stored in edges.items() if holds_somewhere(stored.record)
    }
    anew = redrawn(
        records,
        drawn | (folded.keys() & records.keys()) | (replaced & records.keys()),
        resolve=resolve,
        heir=account.kept,
        new_id=desk.new_edge_id,
    )
    return desk.redrawn_files(anew, edges)


def _replaced_since(desk: Desk, account: Account, own: set[str]) -> set[str]:
    """Returns the drawn edges of what returns whose edge at the kept one was replaced since.

    What was said of the one since says nothing of the other.
    """
    made = desk.read(account.made)
    passed = [item.record for item in made.values() if has_given_way(item.record)]
    heirs = desk.read(record.superseded_by for record in passed)
    found: set[str] = set()
    for record in passed:
        heir = heirs.get(record.superseded_by)
        if heir is None or heir.record.kind != EDGE_KIND or heir.record.transform == REDRAWN:
            continue
        if heir.record.id in drawn_by(record):
            continue
        for name, stored in desk.read(drawn_by(record)).items():
            if own & {*ends_of_edge(stored.record)}:
                found.add(name)
    return found


def _joined_edges(desk: Desk, account: Account) -> tuple[Draft, ...]:
    """Returns the edges of a split that move back, and those that are not drawn any more."""
    edges = desk.read((*account.made, *(name for name, _ in account.gone)))
    moved = {heir: name for name, heir in account.gone}
    drafts = []
    for name in account.made:
        stored = edges.get(name)
        if stored is None or not is_standing(stored.record):
            continue
        old = edges.get(moved.get(name, ""))
        is_back = old is not None and old.record.superseded_by == name
        drafts.append(desk.replaced(stored, moved[name] if is_back else account.kept))
        if old is not None and is_back:
            drafts.append(desk.standing_again(old))
    return tuple(drafts)


def _answer(
    workspace: Workspace, outcome: _Outcome, commit: Commit | None, aftermath: Aftermath
) -> Result:
    if outcome.reasons:
        return refused(workspace, outcome.operation, outcome.other, outcome.reasons)
    is_merge = outcome.operation == MERGE
    words = (
        f"{outcome.other} stands for itself again"
        if is_merge
        else f"{outcome.other} is part of {outcome.kept} again"
    )
    if not outcome.is_clean:
        words += f"; {outcome.kept} was edited since and keeps the words that it had taken over"
    kept = commit.kept_working if commit is not None else ()
    data: dict[str, JsonValue] = {
        "kept": outcome.kept,
        "other": outcome.other,
        "returned": outcome.returned,
    }
    if aftermath != NOTHING_FOLLOWED:
        data |= {"restored": list(aftermath.restored), "withheld": list(aftermath.withheld)}
    return Result(
        action=outcome.operation,
        target=outcome.other,
        status=ResultStatus.DONE,
        message=f"{words}; {_edges(outcome.returned)} returned{aftermath.words}"
        + "".join(f"; the edited {path} was left" for path in kept),
        operation=commit.transaction if commit is not None else "",
        store=str(workspace.store.root),
        data=data,
    )


def _edges(number: int) -> str:
    return f"{number} edge" if number == 1 else f"{number} edges"
