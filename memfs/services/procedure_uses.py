"""Looks up what a use of a procedure rests on: its episode, its control, what was observed."""

from __future__ import annotations

from collections.abc import Iterable

from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.origin import Actor
from memfs.model.outcome import UseResult
from memfs.model.procedure import conditions_digest, round_of, stage_of
from memfs.model.record import Record
from memfs.model.values import JsonValue
from memfs.policy.procedure_uses import ProcedureUse, result_of
from memfs.services.gate import access_request
from memfs.services.pins import drift_of
from memfs.services.ports import Workspace
from memfs.services.reading import find_record
from memfs.store.snapshot import Snapshot


@frozen
class UseWish:
    """What is said of a use: ids of the episode and its control, and whether it did harm."""

    episode: str = ""
    control: str = ""
    is_harmful: bool = False


def use_of(
    workspace: Workspace, snapshot: Snapshot, record: Record, wish: UseWish, actor: Actor
) -> ProcedureUse:
    """Reads what a use names, as its teller may see it.

    Raises:
        UnknownRecordError: The episode or the control is not there, or not seen.
        AmbiguousRecordError: More than one matches.
    """
    request = access_request(workspace, actor)

    def named(name: str) -> Record | None:
        return find_record(workspace, snapshot, name, request).record if name else None

    episode = named(wish.episode)
    ended = result_of(episode)
    is_word_of_harm = wish.is_harmful and actor.is_person
    return ProcedureUse(
        procedure=record,
        result=UseResult.FAILURE if is_word_of_harm or ended is None else ended,
        episode=episode,
        control=named(wish.control),
        is_harmful=wish.is_harmful,
        is_person=actor.is_person,
        drift=drift_of(workspace, record),
    )


def cited_by(use: ProcedureUse) -> tuple[str, ...]:
    """Returns what was observed of a use, where that is what the use is said to be."""
    if use.episode is None or result_of(use.episode) is not use.result:
        return ()
    return use.episode.evidence


def use_fields(use: ProcedureUse) -> dict[str, JsonValue]:
    """Returns what an outcome keeps of a use: ids and digests, no words."""
    fields: dict[str, JsonValue] = {}
    if use.episode is not None:
        fields["episode"] = use.episode.id
    mark = conditions_digest(use.conditions)
    if mark:
        fields["conditions"] = mark
    if use.did_harm:
        fields["harmful"] = True
    control = result_of(use.control)
    if control is not None:
        fields["control"] = str(control)
    return fields


def stage_fields(record: Record) -> dict[str, JsonValue]:
    """Returns where a procedure stands when an outcome of it is recorded."""
    return {"stage": str(stage_of(record)), "round": round_of(record)}


def same_runs(record: Record, evidence: Iterable[Record], use: ProcedureUse) -> tuple[str, ...]:
    """Returns digests that two observations of one command on one commit share.

    Running the same check on the same commit again shows nothing that it did not show before.
    """
    end = f"{record.reference}\0{round_of(record)}\0{use.result}\0{use.did_harm}"
    return tuple(
        content_digest("run", f"{command}\0{commit}\0{end}".encode())
        for item in evidence
        if (command := item.fields.get("command_digest")) and (commit := item.fields.get("commit"))
    )
