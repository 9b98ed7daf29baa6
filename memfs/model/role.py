"""Role memory: what a role remembers of its own, in nine profiles over the one record.

A memory has an anatomy: a target, a claim, a question or a tension, what follows for acting,
and anchors. Anchors point at evidence, or at what is only remembered; the two are never mixed
up. Nothing here decides: the tables are ``memfs.policy.role_lifecycle`` and
``memfs.policy.role_operations``.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.graph import EDGE_KIND
from memfs.model.ids import is_id
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.scope import Scope, ScopeKind
from memfs.model.values import JsonValue

ROLE_KIND: Final = "role_memory"
SUMMARY_KIND: Final = "role_summary"
ROLE_PREFIX: Final = "role"
SUMMARY_PREFIX: Final = "rsum"
ROLE_KINDS: Final = frozenset({ROLE_KIND, SUMMARY_KIND})
ROLES_FOLDER: Final = "roles"
ANCHOR_MISSING: Final = "anchor:missing"
"""The only anchor of a memory that has none, said so on purpose."""


class Profile(StrEnum):
    """What a memory is to its role."""

    ROLE_SELF = "role_self"
    """What it has learned for good."""
    CONVERSATION = "conversation"
    """What it took from a conversation a short while ago."""
    INCUBATION = "incubation"
    """What ripens: a thread that gathers support."""
    AGENCY_PRESSURE = "agency_pressure"
    """What presses it to act; never what it would say."""
    CANDIDATE_INTERVENTION = "candidate_intervention"
    """What it might say, note, change of itself or have reviewed; no permission to."""
    IDENTITY = "identity"
    """What it is; a person decides."""
    EVIDENCE = "evidence"
    """What was observed, as the role holds it."""
    REPO_ARCHITECTURE = "repo_architecture"
    """How a project is built, with the digests of what that was read off."""
    REPO_DATAFLOW = "repo_dataflow"
    """What flows where in a project, with the digests of what that was read off."""


PROFILE_FOLDERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        Profile.ROLE_SELF: "durable",
        Profile.CONVERSATION: "short_term",
        Profile.INCUBATION: "incubation",
        Profile.AGENCY_PRESSURE: "pressure",
        Profile.CANDIDATE_INTERVENTION: "interventions",
        Profile.IDENTITY: "identity",
        Profile.EVIDENCE: "evidence",
        Profile.REPO_ARCHITECTURE: "repo",
        Profile.REPO_DATAFLOW: "repo",
    }
)
"""Profile to the folder below that of the role."""
SUMMARY_FOLDER: Final = "summaries"


class Lifecycle(StrEnum):
    """Every state of a memory; which of them a profile has is said by the lifecycle table."""

    OBSERVED = "observed"
    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    STALE = "stale"
    RETIRED = "retired"
    REVISED = "revised"
    CRYSTALLIZED = "crystallized"
    ACTIVE = "active"
    CLUSTERED = "clustered"
    DISTILLED = "distilled"
    INCUBATED = "incubated"
    PRUNED = "pruned"
    DEEPENING = "deepening"
    COOLING = "cooling"
    PROMOTED = "promoted"
    OBLIGATED = "obligated"
    ANSWERED = "answered"
    QUEUED = "queued"
    DEFERRED = "deferred"
    SPOKEN = "spoken"
    APPLIED = "applied"
    REVIEWED = "reviewed"
    CONTRADICTED = "contradicted"
    SUPERSEDED = "superseded"


class MemoryRelation(StrEnum):
    """The eleven ways in which one memory bears on another, or on what stands elsewhere."""

    DISTILLS = "distills"
    REVISES = "revises"
    RETIRES = "retires"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    GROUNDS = "grounds"
    TRIGGERED = "triggered"
    SPOKEN_AS = "spoken-as"
    COOLS = "cools"
    CLUSTERS_WITH = "clusters-with"
    RESONATES_WITH = "resonates-with"


class RepoRelation(StrEnum):
    """How one part of a project bears on another."""

    CONTAINS = "contains"
    IMPORTS = "imports"
    CALLS = "calls"
    READS = "reads"
    WRITES = "writes"
    FLOWS_TO = "flows-to"
    CONFIGURES = "configures"
    TESTS = "tests"
    DOCUMENTS = "documents"


RELATIONS: Final = frozenset((*MemoryRelation, *RepoRelation))
"""The relations of edges of role memory; any other is refused."""


class Because(StrEnum):
    """Why something was put aside, as its receipt says it; the words stand in the memory."""

    STATED = "stated"
    ANSWERED = "answered"
    CLUSTERED = "clustered"
    CONTRADICTED = "contradicted"
    DUPLICATE = "duplicate"
    EXPIRED = "expired"
    LOW_VALUE = "low-value"
    OFF_TOPIC = "off-topic"
    REVISED = "revised"
    SPOKEN = "spoken"
    WRONG = "wrong"


class Intent(StrEnum):
    """What a candidate intervention would be, if somebody who may lets it."""

    SPEECH = "speech"
    NOTE = "note"
    SELF_PATCH = "selfPatch"
    REVIEW = "review"


EVIDENCE_ANCHORS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "evidence": ("ev", "ex"),
        "run": ("run",),
        "session": ("ses",),
        "event": ("event",),
        "issue": ("iss",),
        "outcome": ("out",),
        "commit": (),
        "file": (),
        "test": (),
    }
)
"""Sorts of anchors that point at something that can be looked at, with the ids that they name."""
REMEMBERED_ANCHORS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"memory": (ROLE_PREFIX,), "claim": ("mem",), "summary": (SUMMARY_PREFIX,)}
)
"""Sorts of anchors that point at what is only remembered."""


@frozen(kw_only=False)
class Anchors:
    """The anchors of a memory, evidence apart from what is only remembered (E44)."""

    evidence: tuple[str, ...] = ()
    remembered: tuple[str, ...] = ()
    is_missing: bool = False


def is_anchor(text: str) -> bool:
    """Tells whether ``text`` is an anchor: a sort, a colon, and an id or a place of that sort."""
    sort, colon, place = text.partition(":")
    if text == ANCHOR_MISSING:
        return True
    prefixes = EVIDENCE_ANCHORS.get(sort, REMEMBERED_ANCHORS.get(sort))
    if prefixes is None or not colon or not place.strip() or place != place.strip():
        return False
    return not prefixes or any(is_id(place, prefix) for prefix in prefixes)


def anchors_of(record: Record) -> Anchors:
    """Returns the anchors of a memory or an edge, sorted out by what they point at."""
    listed = texts_field(record, "anchors")
    sorts = [(anchor.partition(":")[0], anchor) for anchor in listed]
    return Anchors(
        tuple(anchor for sort, anchor in sorts if sort in EVIDENCE_ANCHORS),
        tuple(anchor for sort, anchor in sorts if sort in REMEMBERED_ANCHORS),
        ANCHOR_MISSING in listed,
    )


_PLAIN_ANCHOR: Final = re.compile(r"[A-Za-z0-9._:@/+#=-]+")


def plain_anchor(anchor: str) -> str:
    """Returns an anchor as it is told: one with any odd character in quotation marks, escaped.

    A place may hold any character; in quotation marks it can be nothing but one place.
    """
    is_plain = _PLAIN_ANCHOR.fullmatch(anchor)
    return anchor if is_plain else json.dumps(" ".join(anchor.split()), ensure_ascii=False)


def told_fields(record: Record) -> Mapping[str, JsonValue]:
    """Returns the fields of a record as they are told: evidence apart from what is remembered.

    Of what is no part of role memory the fields are returned as they are (E44).
    """
    if not (record.kind in ROLE_KINDS or is_role_edge(record)):
        return record.fields
    anchors = anchors_of(record)
    told: dict[str, JsonValue] = {}
    for name, value in record.fields.items():
        if name != "anchors":
            told[name] = value
            continue
        told["evidence"] = [plain_anchor(item) for item in anchors.evidence]
        told["remembered"] = [plain_anchor(item) for item in anchors.remembered]
        told["anchors"] = "missing" if anchors.is_missing else ""
    return {name: value for name, value in told.items() if value not in ([], "")}


def told_text(record: Record) -> str:
    """Returns what the fields of a record say as they are told, a line each; see told_fields."""
    fields = told_fields(record)
    return (record if fields is record.fields else replace(record, fields=fields)).field_text


def role_scope(role: str) -> Scope:
    """Returns the private namespace of a role.

    Raises:
        ValueError: It is no plain name.
    """
    return Scope.parse(f"{ScopeKind.AGENT}:{role}")


def role_actor(role: str) -> Actor:
    """Returns who a role acts as: itself, through no more than its own word."""
    return Actor(Principal(PrincipalKind.AGENT, role), Channel.AGENT)


def role_of(record: Record) -> str:
    """Returns the role that a record is private to; empty for none."""
    scope = record.scope
    return scope.name if scope is not None and scope.kind is ScopeKind.AGENT else ""


def profile_of(record: Record) -> Profile | None:
    """Returns the profile of a memory, or of an edge of role memory; ``None`` for anything else."""
    try:
        return Profile(str(record.fields.get("profile", "")))
    except ValueError:
        return None


def lifecycle_of(record: Record) -> Lifecycle | None:
    """Returns the state of a memory; ``None`` where it says none that exists."""
    try:
        return Lifecycle(str(record.fields.get("lifecycle", "")))
    except ValueError:
        return None


def is_role_edge(record: Record) -> bool:
    """Tells whether an edge belongs to role memory: it says which profile it is of."""
    return record.kind == EDGE_KIND and bool(record.fields.get("profile"))


def number_of(record: Record, name: str, default: float = 0.0) -> float:
    """Returns a field that is a number; ``default`` where it is missing or something else."""
    value = record.fields.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return default
    try:
        return float(value)
    except OverflowError:
        return math.inf


def subject_of(target: str, topic: str) -> str:
    """Returns what memories of one target and topic have in common."""
    return f"{target} | {topic}" if topic else target


_SAID: Final = ("question", "tension", "implication", "words")


def memory_hash(record: Record) -> str:
    """Returns the digest of what a memory says: what its vector, or a summary, was made from.

    State, worth and times are left out: they change what is done with it, not what it says.
    """
    said: dict[str, JsonValue] = {
        "claim": record.title,
        "body": record.body,
        **{name: text_field(record, name) for name in ("profile", "target", "topic", *_SAID)},
        "anchors": sorted(texts_field(record, "anchors")),
    }
    text = json.dumps(said, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(f"memfs role memory\0{text}".encode()).hexdigest()[:32]
