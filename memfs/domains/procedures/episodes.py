"""Episodes: what was tried once, under which conditions, how it ended and what bears it out (A69).

A person tells of one in their own words. Of what a program tells, only what the host observed is
kept, in memfs's own words, with the conditions as single words; the rest it may propose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memfs.errors import ConflictError, UsageError
from memfs.model.candidate import Submission
from memfs.model.decision import Reason
from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.ids import split_version
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.outcome import UseResult
from memfs.model.procedure import EPISODE_KIND, PROCEDURE_KIND
from memfs.model.record import Record, StoredRecord
from memfs.model.record_fields import text_field
from memfs.policy.authority import capture_origin
from memfs.policy.procedure_uses import check_episode, result_of
from memfs.policy.reasons import reason
from memfs.policy.sources import is_switched_off
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.procedure_offers import circumstances_here
from memfs.services.reading import find_record
from memfs.store.snapshot import Snapshot

OBSERVER: Final = Actor(Principal(PrincipalKind.TOOL, "episodes"), Channel.HOST)
"""Who found that the host observed how an attempt ended."""
MOST_CONDITIONS: Final = 16
MOST_EVIDENCE: Final = 8


@frozen
class Attempt:
    """What is said of one attempt.

    Attributes:
        text: What was tried, in a person's words.
        result: How it ended; ``None`` for what was observed.
        conditions: ``name=value``, or a person's words.
        evidence: Ids of what the host observed, or of runs that it observed.
        procedure: The procedure that was followed; empty for an attempt without memory.
    """

    text: str = ""
    result: UseResult | None = None
    conditions: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    procedure: str = ""


@frozen
class Told:
    """An attempt made ready to be decided on, or why it is not kept."""

    submission: Submission | None = None
    actor: Actor | None = None
    reasons: tuple[Reason, ...] = ()


def told(workspace: Workspace, attempt: Attempt, actor: Actor, *, key: str = "") -> Told:
    """Makes the submission of an episode: a person's own, or what the host observed of it.

    Raises:
        UsageError: There is neither a result nor an observation, or too much is said.
        UnknownRecordError: The procedure is not there, or not seen.
    """
    if len(attempt.conditions) > MOST_CONDITIONS or len(attempt.evidence) > MOST_EVIDENCE:
        raise UsageError(f"expected at most {MOST_CONDITIONS} conditions, {MOST_EVIDENCE} grounds")
    if is_switched_off(capture_origin(actor, "x"), workspace.settings.sources_off):
        return Told(reasons=(reason("source.off"),))
    snapshot = workspace.store.snapshot()
    evidence, missing = _evidence(workspace, snapshot, attempt.evidence, actor)
    result = attempt.result or _observed(evidence)
    if result is None:
        raise UsageError(
            "expected how it ended, got neither a result nor an observation",
            hint="--result success, partial or failure, or --evidence, or --run",
        )
    conditions = _with_here(workspace, attempt.conditions)
    faults = check_episode(result, conditions, evidence, missing=missing, is_person=actor.is_person)
    if faults:
        return Told(reasons=faults)
    procedure = _procedure(workspace, snapshot, attempt.procedure, actor)
    teller = actor if actor.is_person else OBSERVER
    draft = _draft(attempt.text if actor.is_person else "", result, conditions, evidence, procedure)
    submission = Submission(
        draft=draft,
        origin=capture_origin(teller, f"{draft.title}\n{draft.body}", source=_source(evidence)),
        key=key if actor.is_person else _one_telling(evidence, procedure),
    )
    return Told(submission=submission, actor=teller)


def attempts_of(reference: str, episodes: Sequence[StoredRecord]) -> tuple[StoredRecord, ...]:
    """Returns those of the episodes in which one procedure was followed, in any version."""
    identifier = split_version(reference)[0]
    return tuple(
        item
        for item in episodes
        if split_version(text_field(item.record, "procedure"))[0] == identifier
    )


def required_episodes(
    workspace: Workspace, names: Sequence[str], actor: Actor
) -> tuple[StoredRecord, ...]:
    """Returns the scored episodes that a procedure is said to be made from.

    Raises:
        UsageError: One of them is no episode, or does not say how it ended.
        UnknownRecordError: One of them is not there, or not seen.
    """
    snapshot, request = workspace.store.snapshot(), access_request(workspace, actor)
    found = tuple(find_record(workspace, snapshot, name, request) for name in names)
    for stored in found:
        if result_of(stored.record) is None:
            raise UsageError(
                f"expected an episode that says how it ended, got {stored.record.id}",
                hint="see: memfs procedure episode",
            )
    return found


def _draft(
    text: str,
    result: UseResult,
    conditions: tuple[str, ...],
    evidence: tuple[Record, ...],
    procedure: str,
) -> Record:
    """Lays an episode out; two that differ in what bears them out are two."""
    what = f"a use of {procedure}" if procedure else "an attempt without memory"
    lines = [text.strip() or f"{str(result).capitalize()} of {what}."]
    lines += ["", f"Ended: {result}.", f"Followed: {procedure or 'no memory'}."]
    if conditions:
        lines.append(f"Conditions: {', '.join(conditions)}.")
    if evidence:
        lines.append(f"Observed: {', '.join(item.id for item in evidence)}.")
    return Record(
        kind=EPISODE_KIND,
        body="\n".join(lines) + "\n",
        evidence=tuple(item.id for item in evidence),
        fields={
            "outcome": str(result),
            "conditions": list(conditions),
            **({"procedure": procedure} if procedure else {}),
        },
    )


def _one_telling(evidence: tuple[Record, ...], procedure: str) -> str:
    """Returns the key by which what was observed is told of once, whatever else is said of it."""
    names = "\0".join((procedure, *sorted(item.id for item in evidence)))
    return content_digest("episode", names.encode())


def _with_here(workspace: Workspace, said: Sequence[str]) -> tuple[str, ...]:
    """Adds the platform and the repository where nothing is said of them."""
    kept = tuple(dict.fromkeys(" ".join(item.split()) for item in said if item.strip()))
    names = {item.partition("=")[0].strip() for item in kept}
    added = (item for item in circumstances_here(workspace) if item.partition("=")[0] not in names)
    return tuple(sorted((*kept, *added)))


def _procedure(workspace: Workspace, snapshot: Snapshot, name: str, actor: Actor) -> str:
    if not name:
        return ""
    record = find_record(workspace, snapshot, name, access_request(workspace, actor)).record
    if record.kind != PROCEDURE_KIND:
        raise UsageError(f"expected a procedure, got the {record.kind} {record.id}")
    return record.reference


def _evidence(
    workspace: Workspace, snapshot: Snapshot, names: Sequence[str], actor: Actor
) -> tuple[tuple[Record, ...], tuple[str, ...]]:
    """Returns what is cited, of a run what was observed of it, and what is not there."""
    request = access_request(workspace, actor)
    found: dict[str, Record] = {}
    missing: list[str] = []
    for name in names:
        try:
            record = find_record(workspace, snapshot, name, request).record
            cited = (name,) if record.kind != "run" else record.evidence
            for item in cited:
                seen = find_record(workspace, snapshot, item, request).record
                found[seen.id] = seen
        except ConflictError:
            missing.append(name)
        else:
            if not cited:
                missing.append(name)
    return tuple(found.values()), tuple(missing)


def _observed(evidence: Sequence[Record]) -> UseResult | None:
    """Returns how an attempt ended by all that was observed of it; ``None`` where that is split."""
    ends = {str(item.fields.get("outcome")) for item in evidence}
    if ends == {"passed"}:
        return UseResult.SUCCESS
    return UseResult.FAILURE if ends == {"failed"} else None


def _source(evidence: Sequence[Record]) -> str:
    return f"evidence:{evidence[0].id}" if evidence else ""
