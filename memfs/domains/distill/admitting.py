"""The fourth stage: every product asks to enter, each for itself, through the one door.

What memfs saw goes in as one operation; what somebody said is proposed piece by piece, quoted
where what they typed is kept as evidence. What waits, was rejected or was taken back under its
key is known, and is not proposed again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing
from dataclasses import replace

from memfs.domains.distill.commit_rules import SORTS
from memfs.domains.distill.drafts import OBSERVER, submission_of
from memfs.domains.distill.linking import Known
from memfs.domains.distill.products import (
    ClaimFound,
    EdgeFound,
    EntityFound,
    EventFound,
    Product,
    Trust,
)
from memfs.domains.distill.seams import Admitted, Seams
from memfs.domains.distill.turn_rules import USER
from memfs.errors import UsageError
from memfs.model.candidate import Submission
from memfs.model.decision import Verdict
from memfs.model.evidence import EVIDENCE_KIND
from memfs.model.naming import entity_id
from memfs.model.origin import Actor
from memfs.model.result import Result, ResultStatus
from memfs.policy.access import may_read
from memfs.policy.authority import capture_origin
from memfs.policy.sources import is_switched_off
from memfs.policy.verification import is_stated_by_person
from memfs.services.batches import admit_batch
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.gate import access_request
from memfs.services.inbox import read_inbox, waiting_of
from memfs.services.ports import Workspace
from memfs.services.propose import own_key, submit

BATCH = "distill"
_QUOTA = "bounds.quota"
_WAITS = (ResultStatus.WAITING, ResultStatus.NEEDS_ANSWER)


def known_of(workspace: Workspace, keys: Sequence[str], ids: Sequence[str]) -> Known:
    """Looks up which names an entity has, and which ids the ledger has in whatever state."""
    snapshot = workspace.store.snapshot()
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        entities = {
            key: catalogue.resolve_merged(rows[0].id)
            for key in sorted(set(keys))
            if (rows := catalogue.entities_named(key))
        }
        records = frozenset(row.id for row in catalogue.by_ids(sorted(set(ids))))
        things = catalogue.by_ids(sorted(set(entities.values())))
        request = access_request(workspace, OBSERVER)
        sorts = {
            stored.record.id: stored.record.fields.get("entity_type")
            for stored in read_entries(workspace, snapshot, things)
            if may_read(stored.record, request).is_whole
        }
    return Known(
        entities={key: name if name in sorts else "" for key, name in entities.items()},
        records=records,
        others=frozenset(name for name, sort in sorts.items() if sort not in SORTS),
    )


def has_room(workspace: Workspace) -> bool:
    """Tells whether what memfs saw can be handed in at all now.

    A switch may stand against it, or the settings let it wait and as much waits as may.
    """
    origin = capture_origin(OBSERVER, BATCH)
    if is_switched_off(origin, workspace.settings.sources_off):
        return False
    waiting = waiting_of(read_inbox(workspace), OBSERVER.principal)
    return waiting < workspace.settings.inbox.quota


def admitted(workspace: Workspace, products: Sequence[Product], seams: Seams) -> Admitted:
    """Hands a linked round in; handed in again, it is known.

    Args:
        workspace: The store.
        products: With their names resolved, ends before edges.
        seams: How claims are proposed.
    """
    waiting = {item.key for item in read_inbox(workspace).candidates if item.key}
    tally = _Tally()
    entities = [item for item in products if isinstance(item, EntityFound)]
    others = [item for item in products if not isinstance(item, EntityFound)]
    _hand_in(workspace, entities, seams, waiting, tally)
    _hand_in(workspace, _without_absent(workspace, others, entities), seams, waiting, tally)
    return tally.told()


def _without_absent(
    workspace: Workspace, products: Sequence[Product], entities: Sequence[EntityFound]
) -> list[Product]:
    """Returns products that rest on no entity which waits or was refused.

    What is held of a name would hold whatever bears it: the event goes without it.
    """
    ids = frozenset(entity_id(workspace.scope, item.name) for item in entities)
    absent = ids - known_of(workspace, (), tuple(sorted(ids))).records
    kept: list[Product] = []
    for item in products:
        if isinstance(item, EventFound) and absent.intersection(item.names):
            kept.append(replace(item, names=tuple(it for it in item.names if it not in absent)))
        elif not (isinstance(item, EdgeFound) and absent.intersection((item.start, item.end))):
            kept.append(item)
    return kept


def _hand_in(
    workspace: Workspace,
    products: Sequence[Product],
    seams: Seams,
    waiting: AbstractSet[str],
    tally: _Tally,
) -> None:
    """Hands products in: what was seen as one operation, what was said piece by piece."""
    seen: list[Submission] = []
    for product in products:
        if isinstance(product, ClaimFound):
            tally.take(seams.propose_claim(product), product.key)
            continue
        evidence = ""
        if isinstance(product, EventFound) and product.trust is Trust.SAID and product.quote:
            evidence = _evidence_of(workspace, product) if product.speaker == USER else ""
            if product.needs_quote and not evidence:
                continue
        try:
            submission, actor = submission_of(
                product, workspace.scope, workspace.settings.project, evidence=evidence
            )
        except UsageError:
            # A name that is none, such as one of a path that is too long to be one.
            tally.refused["name.unfit"] += 1
            continue
        if own_key(actor, submission.key) in waiting:
            tally.known += 1
        elif actor == OBSERVER:
            seen.append(replace(submission, key=own_key(actor, submission.key)))
        else:
            tally.take(_proposed(workspace, submission, actor), product.key)
    if seen:
        report = admit_batch(workspace, seen, OBSERVER, batch=BATCH)
        tally.activated.extend(report.activated)
        tally.waiting.extend(report.waiting)
        tally.known += report.known
        tally.refused.update(code for _, code, _ in report.refused)
        tally.transactions.append(report.transaction)


def _evidence_of(workspace: Workspace, event: EventFound) -> str:
    """Returns the envelope of what a person typed that the quoted words stand in.

    The host keeps a prompt as evidence when it is typed, and a transcript later has the same
    text: the two meet by their digest alone, and only where not a word differs.
    """
    snapshot = workspace.store.snapshot()
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = [
            row for row in catalogue.by_source_digest(event.message) if row.kind == EVIDENCE_KIND
        ]
        for stored in read_entries(workspace, snapshot, rows):
            if is_stated_by_person(stored.record.origin):
                return stored.record.id
    return ""


def _proposed(workspace: Workspace, submission: Submission, actor: Actor) -> Result:
    return submit(workspace, submission, actor, action="propose")


class _Tally:
    """Counts what became of a round."""

    def __init__(self) -> None:
        self.activated: list[str] = []
        self.waiting: list[str] = []
        self.known = 0
        self.refused: Counter[str] = Counter()
        self.transactions: list[str] = []
        self.results: list[Result] = []
        self.full: set[str] = set()

    def take(self, result: Result, key: str) -> None:
        """Counts the answer to one proposal."""
        self.results.append(result)
        if result.status in _WAITS:
            self.waiting.append(result.target)
        elif result.status is ResultStatus.DONE:
            self.activated.append(str(result.data.get("reference") or result.target))
            self.transactions.append(result.operation)
        elif result.status is ResultStatus.REFUSED:
            codes = [item.code for item in result.reasons]
            self.refused[next(iter(codes), str(Verdict.REJECT))] += 1
            if _QUOTA in codes:
                self.full.add(key)
        else:
            self.known += 1

    def told(self) -> Admitted:
        """Returns the count."""
        return Admitted(
            activated=tuple(self.activated),
            waiting=tuple(self.waiting),
            known=self.known,
            refused=dict(sorted(self.refused.items())),
            transactions=tuple(item for item in self.transactions if item),
            results=tuple(self.results),
            full=frozenset(self.full),
        )


def counts_of(found: Admitted) -> Iterator[tuple[str, int]]:
    """Yields the counts of what became of a round, by name."""
    yield "activated", len(found.activated)
    yield "waiting", len(found.waiting)
    yield "known", found.known
    yield "refused", sum(found.refused.values())
