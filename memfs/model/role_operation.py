"""The fourteen typed operations on role memory, as values (E19).

Anybody may propose one: an agent, a model, a person. What each takes, and within which bounds,
is said by the table ``memfs.policy.role_operations``; whether it is applied is decided there and
by the plan. A value of these types was decoded strictly and has effected nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType

from memfs.model.frozen import frozen
from memfs.model.role import Because, Intent
from memfs.model.values import JsonValue


class OperationName(StrEnum):
    """The fourteen; there is no other."""

    RECORD = "RecordShortTermMemory"
    CLUSTER = "ClusterShortTermMemory"
    PRUNE = "PruneShortTermMemory"
    DISTILL = "ApplyMemoryDistillation"
    INCUBATE = "MergeIncubationSupport"
    REVISE = "ReviseDurableMemory"
    RETIRE = "RetireDurableMemory"
    CRYSTALLIZE = "CrystallizeMemoryIntoIdentity"
    QUEUE = "QueueCandidateIntervention"
    RETIRE_CANDIDATE = "RetireCandidateIntervention"
    MARK_SPOKEN = "MarkCandidateInterventionSpoken"
    PRESS = "UpsertAgencyPressure"
    RETIRE_PRESSURE = "RetireAgencyPressure"
    REFRESH = "RefreshMemoryEmbeddingManifest"


class Phase(StrEnum):
    """Who is at it: the role at work, or one of the two ways in which it goes over things."""

    LIVE = "live"
    RUMINATION = "rumination"
    SLEEP = "sleep"


@frozen
class Link:
    """One edge that starts at the memory which the operation makes or deepens.

    Attributes:
        relation: One of ``memfs.model.role.RELATIONS``.
        to: Id of what it leads to.
        claim: What it says.
        anchors: What it rests on.
        source_hashes: Digests of what it was read off.
        confidence: 0 to 1; ``None`` where nobody says.
    """

    relation: str
    to: str
    claim: str
    anchors: tuple[str, ...] = ()
    source_hashes: tuple[str, ...] = ()
    confidence: float | None = None


@frozen
class Anatomy:
    """What a memory says, and what it is worth; an operation may leave parts to what stands."""

    target: str = ""
    topic: str = ""
    claim: str = ""
    question: str = ""
    tension: str = ""
    implication: str = ""
    anchors: tuple[str, ...] = ()
    source_hashes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    salience: float | None = None
    confidence: float | None = None
    saturation: float | None = None
    links: tuple[Link, ...] = ()


@frozen
class RecordShortTerm:
    """Takes something from a conversation, or deepens what was taken before (E21, E22, E23)."""

    anatomy: Anatomy


@frozen
class ClusterShortTerm:
    """Makes several memories of one target one: the first deepens, the others give way (E22)."""

    memories: tuple[str, ...]


@frozen
class PruneShortTerm:
    """Lets short-term memories go, with a reason (E24)."""

    memories: tuple[str, ...]
    reason: str
    because: Because = Because.STATED


@frozen
class ApplyDistillation:
    """Makes one durable memory of short-term ones (E25)."""

    sources: tuple[str, ...]
    anatomy: Anatomy


@frozen
class MergeIncubation:
    """Adds short-term memories to a thread that ripens, or begins one (E26)."""

    sources: tuple[str, ...]
    thread: str = ""
    anatomy: Anatomy = field(default_factory=Anatomy)


@frozen
class ReviseDurable:
    """Puts another wording in the place of a durable memory (E27)."""

    memory: str
    reason: str
    anatomy: Anatomy
    because: Because = Because.REVISED


@frozen
class RetireDurable:
    """Puts a durable memory aside; it stays readable (E28)."""

    memory: str
    reason: str
    because: Because = Because.STATED
    by: str = ""


@frozen
class Crystallize:
    """Says what the role is, from durable memories; a person decides (E29)."""

    sources: tuple[str, ...]
    anatomy: Anatomy


@frozen
class QueueCandidate:
    """Puts up what the role might say, note, change of itself or have reviewed (E30)."""

    intent: Intent
    anatomy: Anatomy
    words: str = ""
    patch: Mapping[str, JsonValue] = field(default_factory=lambda: MappingProxyType({}))
    answers: tuple[str, ...] = ()


@frozen
class RetireCandidate:
    """Puts a candidate intervention aside (E31)."""

    candidate: str
    reason: str
    because: Because = Because.STATED


@frozen
class MarkSpoken:
    """Says that a candidate was said, and where that is recorded; then it cools (E32)."""

    candidate: str
    receipt: str
    refractory_minutes: int = 60


@frozen
class UpsertPressure:
    """Says what presses, or how hard what pressed before presses now (E33)."""

    anatomy: Anatomy
    intensity: float
    is_obligated: bool = False


@frozen
class RetirePressure:
    """Puts a pressure aside: answered, or retired (E34)."""

    pressure: str
    reason: str
    because: Because = Because.STATED


@frozen
class ManifestEntry:
    """One vector that an embedder holds: of which memory, and of which words of it."""

    id: str
    hash: str


@frozen
class RefreshManifest:
    """Accounts for the vectors of a role's memory: which are there, stale, or of nothing (E35)."""

    model: str
    dimensions: int
    entries: tuple[ManifestEntry, ...]


RoleOperation = (
    RecordShortTerm
    | ClusterShortTerm
    | PruneShortTerm
    | ApplyDistillation
    | MergeIncubation
    | ReviseDurable
    | RetireDurable
    | Crystallize
    | QueueCandidate
    | RetireCandidate
    | MarkSpoken
    | UpsertPressure
    | RetirePressure
    | RefreshManifest
)
