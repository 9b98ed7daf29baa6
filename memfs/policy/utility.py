"""What a record has proved to be good for: from people and objective checks alone (A41).

Being recalled, cited or repeated says nothing of a record's worth, and neither does what a
program says of it. What counts is a person's word, and what the host observed or a check found
*after* the record said what it says. One observation counts once, a person's newest word
counts, and a new wording starts with nothing. Utility orders answers; it admits nothing and
raises no authority.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from memfs.model.decision import Reason
from memfs.model.evidence import EVIDENCE_KIND, Outcome
from memfs.model.frozen import frozen
from memfs.model.kinds import KindSpec
from memfs.model.origin import Origin, OriginClass, Principal
from memfs.model.outcome import UseOutcome, UseResult, Utility, outcome_from
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.status import Status
from memfs.policy.authority import is_person_origin
from memfs.policy.reasons import reason
from memfs.policy.verification import Verification, is_mentioned

_SEEN: Final = {
    str(Outcome.PASSED): UseResult.SUCCESS,
    str(Outcome.FAILED): UseResult.FAILURE,
}


@frozen
class OutcomeCase:
    """One outcome that asks to be recorded.

    Attributes:
        record: The record that was used, as served.
        kind: Its kind.
        result: How using it is said to have turned out.
        origin: Who says so, as the channel has it.
        evidence: The envelopes that are cited.
        missing: Ids that are cited and may not be read, or are not there.
        verifications: What was looked up for it.
        known: Outcomes of this version that stand already.
        project: Scope of records that name none.
        is_harmful: Whether the use did harm.
        is_use: Whether it is of a use that an episode tells of: what was observed of it counts
            as that, whoever names it.
        round: The round that a procedure is in: in a new one a person says it anew.
    """

    record: Record
    kind: KindSpec | None
    result: UseResult
    origin: Origin
    project: Scope
    evidence: tuple[Record, ...] = ()
    missing: tuple[str, ...] = ()
    verifications: tuple[Verification, ...] = ()
    known: tuple[UseOutcome, ...] = ()
    is_harmful: bool = False
    is_use: bool = False
    round: int = 0

    @property
    def is_of_person(self) -> bool:
        """Whether a person says so, on a channel where people decide."""
        return is_person_origin(self.origin)

    @property
    def is_word(self) -> bool:
        """Whether it is recorded as a person's word, and not as what was observed."""
        is_seen = self.is_use and any(True for _ in observed_results(self))
        return self.is_of_person and not is_seen


def check_outcome(case: OutcomeCase) -> tuple[Reason, ...]:
    """Returns why an outcome is not recorded; empty where it is."""
    if case.record.status is not Status.ACTIVE:
        return (reason("record.not-active"),)
    if case.kind is None or not case.kind.is_claim:
        return (reason("outcome.not-a-claim"),)
    if case.missing:
        return tuple(reason("evidence.missing", name) for name in case.missing)
    strange = [item.name for item in case.verifications if not _is_of(item, case.record)]
    if strange:
        return tuple(reason("outcome.not-mentioned", name) for name in strange)
    seen = set(observed_results(case))
    if seen - {case.result}:
        return (reason("outcome.seen-otherwise"),)
    if case.is_of_person or seen:
        return ()
    if case.result is UseResult.PARTIAL:
        return (reason("outcome.needs-person"),)
    if any(is_observation(item) and not _is_after(item, case.record) for item in case.evidence):
        return (reason("outcome.seen-before"),)
    return (reason("outcome.not-verified"),)


def is_known(case: OutcomeCase, grounds: frozenset[str]) -> bool:
    """Tells whether an outcome was counted already: the same ground, or the same person's word."""
    if case.is_word:
        own = [
            item
            for item in case.known
            if (item.origin.principal, item.round) == (case.origin.principal, case.round)
        ]
        newest = max(own, key=_age, default=None)
        said = (case.result, case.is_harmful)
        return newest is not None and (newest.result, newest.is_harmful) == said
    # That it did harm is news about what was counted as a mere failure.
    told = (item for item in case.known if item.is_harmful or not case.is_harmful)
    return any(item.grounds & grounds for item in told)


def observed_results(case: OutcomeCase) -> Iterator[UseResult]:
    """Yields how the use ended by what was observed and looked up, whoever names it."""
    for item in case.evidence:
        seen = _SEEN.get(str(item.fields.get("outcome")))
        if seen is not None and counts_as_observation(case, item):
            yield seen
    for check in case.verifications:
        if check.is_proof and not check.evidence_id:
            yield UseResult.SUCCESS if check.holds else UseResult.FAILURE


def counts_as_observation(case: OutcomeCase, evidence: Record) -> bool:
    """Tells whether a host saw it, in the scope of the record and since that says what it says."""
    project, record = case.project, case.record
    is_near = (evidence.scope or project) == (record.scope or project)
    return is_observation(evidence) and is_near and _is_after(evidence, record)


def standing_outcomes(records: Iterable[Record]) -> tuple[UseOutcome, ...]:
    """Returns the outcomes that count, each ground once and of each person the newest word."""
    found = [
        outcome
        for record in records
        if record.status is Status.ACTIVE
        and (outcome := outcome_from(record)) is not None
        and _is_objective(outcome)
    ]
    words: dict[Principal, UseOutcome] = {}
    kept: list[UseOutcome] = []
    taken: set[str] = set()
    for item in sorted(found, key=_age):
        if is_person_origin(item.origin):
            words[item.origin.principal] = item
        elif not item.grounds & taken:
            taken |= item.grounds
            kept.append(item)
    return tuple(sorted((*kept, *words.values()), key=_age))


def utility_of(outcomes: Sequence[UseOutcome], reference: str) -> Utility:
    """Returns what the version ``reference`` has proved to be good for."""
    counted = Counter(item.result for item in outcomes if item.about == reference)
    return Utility(
        success=counted[UseResult.SUCCESS],
        partial=counted[UseResult.PARTIAL],
        failure=counted[UseResult.FAILURE],
    )


def _is_of(check: Verification, record: Record) -> bool:
    """Tells whether what was looked up is something that the record speaks of."""
    return bool(check.evidence_id) or is_mentioned(check, f"{record.title}\n{record.body}")


def is_observation(evidence: Record) -> bool:
    """Tells whether it is what a host saw, and stands."""
    return (
        evidence.kind == EVIDENCE_KIND
        and evidence.status is Status.ACTIVE
        and evidence.origin is not None
        and evidence.origin.origin_class is OriginClass.HOST_OBSERVED
    )


def _is_after(evidence: Record, record: Record) -> bool:
    seen, said = evidence.observed, record.observed
    return seen is not None and said is not None and seen >= said


def _is_objective(outcome: UseOutcome) -> bool:
    """Tells whether a person says so, or memfs looked it up; a program's word never counts."""
    if is_person_origin(outcome.origin):
        return True
    return outcome.origin.origin_class is OriginClass.SYSTEM and bool(outcome.grounds)


def _age(outcome: UseOutcome) -> tuple[str, str]:
    return (outcome.observed.isoformat() if outcome.observed else "", outcome.id)
