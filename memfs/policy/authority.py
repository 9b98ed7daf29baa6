"""Origin classes, and the labels of anything that is derived.

Invariants: the class follows from the channel and the principal alone, never from a text
or from what the caller says of itself (A3, A46). Authority of a derived claim is the
minimum over its inputs, sensitivity the maximum, sinks the intersection, taint the union
(A4, A6). Repeating, summarising or merging can keep or lower authority, never raise it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from types import MappingProxyType
from typing import Final

from memfs.model.authority import DEFAULT_SINKS, Authority, Sensitivity, Sink
from memfs.model.digests import content_digest
from memfs.model.origin import Actor, Channel, Origin, OriginClass, PrincipalKind
from memfs.model.record import Record

PERSON_CHANNELS: Final = frozenset(
    {Channel.TERMINAL, Channel.EDITOR, Channel.PAGE, Channel.FORM, Channel.SCRIPTED}
)
"""Channels on which a person decides, directly or through a store set up for scripts."""
LIVE_CHANNELS: Final = PERSON_CHANNELS - {Channel.SCRIPTED}
"""Where a person is there while it is said; a script that acts for one is not."""

_CLASS_OF_CHANNEL: Final[Mapping[Channel, OriginClass]] = MappingProxyType(
    {
        Channel.TERMINAL: OriginClass.USER_STATED,
        Channel.EDITOR: OriginClass.USER_STATED,
        Channel.PAGE: OriginClass.USER_STATED,
        Channel.FORM: OriginClass.USER_STATED,
        Channel.SCRIPTED: OriginClass.USER_STATED,
        Channel.PROMPT_HOOK: OriginClass.USER_STATED,
        Channel.HOST: OriginClass.HOST_OBSERVED,
        Channel.WORKSPACE: OriginClass.WORKSPACE,
        Channel.TOOL: OriginClass.REMOTE,
        Channel.AGENT: OriginClass.AGENT_STATED,
        Channel.IMPORT: OriginClass.IMPORTED,
        Channel.SYSTEM: OriginClass.SYSTEM,
    }
)

_AUTHORITY_OF_CLASS: Final[Mapping[OriginClass, Authority]] = MappingProxyType(
    {
        OriginClass.USER_STATED: Authority.USER,
        OriginClass.HOST_OBSERVED: Authority.OBSERVED,
        OriginClass.WORKSPACE: Authority.WORKSPACE,
        OriginClass.REMOTE: Authority.REMOTE,
        OriginClass.AGENT_STATED: Authority.NONE,
        OriginClass.IMPORTED: Authority.UNVERIFIED,
        OriginClass.SYSTEM: Authority.OBSERVED,
    }
)

_TAINT_OF_CLASS: Final[Mapping[OriginClass, tuple[str, ...]]] = MappingProxyType(
    {
        OriginClass.REMOTE: ("remote",),
        OriginClass.AGENT_STATED: ("agent",),
        OriginClass.IMPORTED: ("imported",),
    }
)

_REMOTE_SINKS: Final = frozenset({Sink.PERSON, Sink.AGENT})


def origin_class(channel: Channel) -> OriginClass:
    """Returns the class that a channel gives."""
    return _CLASS_OF_CHANNEL[channel]


def class_of_actor(actor: Actor) -> OriginClass:
    """Returns the class of what ``actor`` says on its channel.

    A channel of people gives ``user_stated`` to people alone: whatever else speaks there is
    ``agent_stated``. Only memfs itself speaks on the system channel.
    """
    given = origin_class(actor.channel)
    if given is OriginClass.USER_STATED and not actor.principal.is_person:
        return OriginClass.AGENT_STATED
    if given is OriginClass.SYSTEM and actor.principal.kind is not PrincipalKind.SYSTEM:
        return OriginClass.AGENT_STATED
    return given


def capture_origin(actor: Actor, text: str, *, source: str = "", speaker: str = "") -> Origin:
    """Makes the origin of ``text`` at the moment it arrives, before anything interprets it.

    Args:
        actor: Who acts, and through which channel the text came.
        text: The text as it arrived; only its digest is kept.
        source: Pointer into the source; by default the channel and the principal.
        speaker: Who said it according to the transport (O51).
    """
    return Origin(
        origin_class=class_of_actor(actor),
        principal=actor.principal,
        channel=actor.channel,
        source=source or f"{actor.channel}:{actor.principal}",
        digest=content_digest("source", text.encode("utf-8", "surrogatepass")),
        speaker=speaker,
    )


def is_person_origin(origin: Origin) -> bool:
    """Tells whether a person stated it on a channel where people decide."""
    return (
        origin.origin_class is OriginClass.USER_STATED
        and origin.principal.is_person
        and origin.channel in PERSON_CHANNELS
    )


def hand_edit_source(path: str) -> str:
    """Returns the source pointer of a hand edit found in the working tree at ``path``."""
    return f"working:{path}"


def foreign_commit_source(commit: str, path: str) -> str:
    """Returns the source pointer of a change that a commit not made by memfs brought."""
    return f"commit:{commit}:{path}"


def is_hand_edit(origin: Origin) -> bool:
    """Tells whether the reconciler found it in the working tree (never a foreign commit)."""
    return origin.channel is Channel.WORKSPACE and origin.source.startswith("working:")


def default_authority(given: OriginClass) -> Authority:
    """Returns what a claim of that class may be believed for on its own.

    ``agent_stated`` has none: it gets the minimum over the evidence that it cites.
    """
    return _AUTHORITY_OF_CLASS[given]


def default_sinks(given: OriginClass) -> frozenset[Sink]:
    """Returns where text of that class may go; remote text never leaves the machine again."""
    return _REMOTE_SINKS if given is OriginClass.REMOTE else DEFAULT_SINKS


def default_taint(given: OriginClass) -> tuple[str, ...]:
    """Returns the labels that text of that class carries from the start, sorted."""
    return _TAINT_OF_CLASS.get(given, ())


def derive_authority(inputs: Iterable[Authority]) -> Authority:
    """Returns the minimum of ``inputs``; ``NONE`` when there are none (A4)."""
    return min(inputs, default=Authority.NONE)


def derive_sensitivity(inputs: Iterable[Sensitivity]) -> Sensitivity:
    """Returns the most restrictive of ``inputs``; ``NORMAL`` when there are none."""
    return max(inputs, default=Sensitivity.NORMAL)


def derive_sinks(inputs: Iterable[frozenset[Sink]]) -> frozenset[Sink]:
    """Returns the sinks that every one of ``inputs`` allows; all when there are none."""
    return reduce(frozenset.intersection, inputs, DEFAULT_SINKS)


def derive_taint(inputs: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Returns every label of ``inputs``, sorted and unique (A6)."""
    return tuple(sorted({label for labels in inputs for label in labels}))


def authority_of(record: Record) -> Authority:
    """Returns the authority of a record; one that names none has its class's, or none."""
    if record.authority is not None:
        return record.authority
    if record.origin is None:
        return Authority.NONE
    return default_authority(record.origin.origin_class)


def is_own_statement(evidence: Record, identifier: str) -> bool:
    """Tells whether an envelope is that of the very statement that a record is."""
    made_with = evidence.fields.get("statement_of")
    return bool(identifier) and str(made_with or "").partition("@")[0] == identifier


def labelled(draft: Record, origin: Origin, inputs: Sequence[Record]) -> Record:
    """Returns ``draft`` with the labels that its origin and its inputs force on it.

    Sensitivity, sinks and taint only ever become stricter than the draft asks; authority
    is not touched, it comes from the decision.

    Args:
        draft: The record as proposed.
        origin: Its origin as captured.
        inputs: Records that it cites as evidence or was derived from.
    """
    sensitivity = derive_sensitivity((draft.sensitivity, *(item.sensitivity for item in inputs)))
    sinks = derive_sinks(
        (draft.sinks, default_sinks(origin.origin_class), *(item.sinks for item in inputs))
    )
    taint = derive_taint(
        (draft.taint, default_taint(origin.origin_class), *(item.taint for item in inputs))
    )
    labels = (origin, sensitivity, sinks, taint)
    if labels == (draft.origin, draft.sensitivity, draft.sinks, draft.taint):
        return draft
    return replace(draft, origin=origin, sensitivity=sensitivity, sinks=sinks, taint=taint)
