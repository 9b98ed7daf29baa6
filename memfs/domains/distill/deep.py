"""The deep pass: what proved its worth is put forward as lasting; policy decides (O37).

A record of what happened, a decision or something learned, that was recalled often enough and
for different questions, is proposed as a claim of its own. All three conditions are needed, and
passing them admits nothing: the proposal is one like any other, an agent's, with the record it
comes from and its evidence, and is decided by the promotion table. What was put forward once is
not put forward again, whatever became of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from memfs.domains.distill.light import Group, leads_of
from memfs.index.catalogue import Catalogue, CatalogueFilter
from memfs.model.authority import Authority, Sink
from memfs.model.candidate import Submission
from memfs.model.digests import content_digest
from memfs.model.event import EVENT_KIND, EventSort
from memfs.model.evidence import Quote
from memfs.model.origin import SYSTEM_ACTOR, Actor, Channel, Principal, PrincipalKind
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.policy.access import SERVED_STATUS
from memfs.policy.authority import capture_origin
from memfs.policy.lasting import UNUSED, Use, gate_faults, score_of
from memfs.services.catalogue import open_catalogue
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.propose import submit
from memfs.services.reading import served_from
from memfs.store.snapshot import Snapshot

SLEEPER: Final = Actor(Principal(PrincipalKind.AGENT, "sleep"), Channel.AGENT)
"""What memfs proposes by itself is an agent's proposal: it can decide nothing."""
TRANSFORM: Final = "promoted@1"
MOST_AT_ONCE: Final = 20
"""So many are put forward in one night: a person reads them."""
_LASTING_AS: Final = {
    str(EventSort.DECISION): "decision",
    str(EventSort.LEARNING): "fact",
}
"""What sort of event becomes which kind of claim; work and other events only happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A record that could be put forward, and what speaks for it."""

    stored: StoredRecord
    use: Use
    score: float
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """What the deep pass put forward.

    Attributes:
        weighed: How many records could have been.
        best: Those for which most speaks, whether they passed or not.
        results: What became of each that was, the best first.
        names: Ids of those records.
        is_cut: More passed than are put forward in one night.
    """

    weighed: int = 0
    best: tuple[Weighed, ...] = ()
    results: tuple[Result, ...] = ()
    names: tuple[str, ...] = ()
    is_cut: bool = False

    @property
    def admitted(self) -> tuple[str, ...]:
        """Ids of the claims that policy admitted."""
        return tuple(it.target for it in self.results if it.status is ResultStatus.DONE)

    @property
    def waiting(self) -> tuple[str, ...]:
        """Ids of the candidates that wait for a person."""
        waits = (ResultStatus.WAITING, ResultStatus.NEEDS_ANSWER)
        return tuple(it.target for it in self.results if it.status in waits)


NOTHING_PROMOTED: Final = Promotion()


def promote(
    workspace: Workspace,
    snapshot: Snapshot,
    uses: Mapping[str, Use],
    groups: Iterable[Group],
    known: frozenset[str],
    now: datetime,
) -> Promotion:
    """Puts forward what passes the gate and was not put forward before.

    Args:
        workspace: The store.
        snapshot: The ledger that is looked at.
        uses: How records were used.
        groups: What says the same: the uses of a group count for the one that leads it.
        known: Ids of what was put forward before.
        now: The present.
    """
    weighed = weigh(workspace, snapshot, uses, groups, now)
    passing = [it for it in weighed if not it.faults and it.stored.record.id not in known]
    chosen = passing[:MOST_AT_ONCE]
    return Promotion(
        weighed=len(weighed),
        best=weighed[:MOST_AT_ONCE],
        results=tuple(_put_forward(workspace, it.stored.record) for it in chosen),
        names=tuple(it.stored.record.id for it in chosen),
        is_cut=len(passing) > len(chosen),
    )


def weigh(
    workspace: Workspace,
    snapshot: Snapshot,
    uses: Mapping[str, Use],
    groups: Iterable[Group],
    now: datetime,
) -> tuple[Weighed, ...]:
    """Returns every record that could be put forward, the best first, ties by id.

    Without those of which a claim was made already, and those that somebody else in their
    group stands for.
    """
    leads = leads_of(groups)
    together = _together(uses, leads)
    settings = workspace.settings.sleep
    found = []
    for stored in _events(workspace, snapshot):
        record = stored.record
        if record.id in leads:
            continue
        use = together.get(record.id, UNUSED)
        score = score_of(use, record.importance, now)
        faults = gate_faults(use, score, settings)
        found.append(Weighed(stored=stored, use=use, score=score, faults=faults))
    found.sort(key=lambda it: (-it.score, it.stored.record.id))
    return tuple(found)


def _together(uses: Mapping[str, Use], leads: Mapping[str, str]) -> dict[str, Use]:
    """Adds the uses of each group up; of their questions nobody can tell which are the same."""
    found = dict(uses)
    for name, lead in leads.items():
        one, other = found.get(lead, UNUSED), uses.get(name)
        if other is not None:
            found[lead] = Use(
                recalls=one.recalls + other.recalls,
                queries=max(one.queries, other.queries),
                nearness=one.nearness + other.nearness,
                last=max(filter(None, (one.last, other.last)), default=None),
            )
    return found


def _events(workspace: Workspace, snapshot: Snapshot) -> Iterator[StoredRecord]:
    if EVENT_KIND not in workspace.registry:
        return
    request = access_request(workspace, SYSTEM_ACTOR, sink=Sink.PERSON)
    wanted = CatalogueFilter(kinds=(EVENT_KIND,), status=str(SERVED_STATUS))
    with closing(open_catalogue(workspace, snapshot)) as catalogue:
        rows = catalogue.listing(wanted)
        for stored in served_from(workspace, snapshot, rows, request):
            record = stored.record
            is_lasting = str(record.fields.get("event_kind")) in _LASTING_AS
            if is_lasting and not record.conflicts and not _is_claimed(catalogue, record):
                yield stored


def _is_claimed(catalogue: Catalogue, record: Record) -> bool:
    """Whether a claim rests on a record already."""
    return any(row.kind in _LASTING_AS.values() for row in catalogue.dependents([record.id]))


def _put_forward(workspace: Workspace, record: Record) -> Result:
    words = record.summary or record.title
    draft = Record(
        kind=_LASTING_AS[str(record.fields.get("event_kind"))],
        title=record.title,
        body=f"{words}\n",
        subject=record.subject,
        scope=record.scope,
        record_class=record.record_class,
        event_time=record.event_time,
        confidence=record.confidence,
        importance=record.importance,
        sensitivity=record.sensitivity,
        sinks=record.sinks,
        taint=record.taint,
        evidence=record.evidence,
        derived_from=(record.reference,),
        transform=TRANSFORM,
        tags=record.tags,
        entities=record.entities,
        branch=record.branch,
    )
    # Only what a person said can be quoted as that; anything else stands on its source alone.
    is_said = record.authority is not None and record.authority >= Authority.USER
    quotes = tuple(Quote(evidence_id=name, text=words) for name in record.evidence[:1])
    submission = Submission(
        draft=draft,
        origin=capture_origin(SLEEPER, words, source=f"record:{record.reference}"),
        quotes=quotes if is_said else (),
        key=content_digest("promotion", record.id.encode("ascii")),
    )
    return submit(workspace, submission, SLEEPER, action="promote")
