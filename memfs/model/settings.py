"""Settings of a store as typed values; ``memfs.yaml`` decodes into this.

Defaults are the policy of DESIGN §2 and the defaults of the requirements. The file can
tighten any row of the promotion table and loosen only those marked loosenable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType

from memfs.model.frozen import frozen

STORE_FORMAT = 1


class IndexMode(StrEnum):
    """How Git's own index file is kept in step."""

    AUTO = "auto"
    FULL = "full"
    SPLIT = "split"


class Durability(StrEnum):
    """What survives: a killed process, or a power cut as well."""

    PROCESS = "process"
    BATCH = "batch"
    EACH = "each"


class HandEdits(StrEnum):
    """What the reconciler does with a valid hand edit."""

    REVIEW = "review"
    ADOPT = "adopt"


class Mode(StrEnum):
    """What memory does at all (A73)."""

    OFF = "off"
    READ_ONLY = "read-only"
    SHADOW = "shadow"
    ENFORCED = "enforced"


@frozen
class TrustSettings:
    """Who may act for a person, and what happens to hand edits.

    ``forms``: an answer in a form that a protocol client shows is that person's decision.
    """

    scripted: tuple[str, ...] = ()
    hand_edits: HandEdits = HandEdits.REVIEW
    agent_quotes: bool = True
    forms: bool = True


@frozen
class RankSettings:
    """Weights of the rank; 0 switches a signal off.

    ``graph`` weighs an edge beside the hit that brought it; 0 keeps edges out of answers.
    """

    keyword: float = 1.0
    recency: float = 0.1
    lineage: float = 0.2
    importance: float = 0.1
    vector: float = 0.0
    outcome: float = 0.1
    graph: float = 0.5
    half_life_days: float = 30.0
    floor: float = 0.25


@frozen
class RecallSettings:
    """Caps of a packet (A94); sizes are UTF-8 bytes."""

    budget_tokens: int = 1500
    items: int = 5
    item_bytes: int = 4096
    item_lines: int = 200
    session_bytes: int = 61440
    rank: RankSettings = field(default_factory=RankSettings)


@frozen
class InboxSettings:
    """Bounds of the inbox; the quota counts candidates of one principal."""

    expire_days: int = 30
    quota: int = 500
    item_bytes: int = 65536


@frozen
class RunSettings:
    """What an agent is given before it starts, and how long work stays in sight.

    Attributes:
        preamble_items: Records in the preamble of a dispatched run.
        preamble_tokens: Its hard size.
        index_entries: Runs that the index lists one by one; older ones are summed up.
        resolved_days: Days after which a resolved issue leaves the default list.
        idle_minutes: Minutes without a turn after which a session counts as ended.
        commit_turns: At the end of an agent's turn, commit what changed in the project, where
            its tree was clean before.
    """

    preamble_items: int = 3
    preamble_tokens: int = 1500
    index_entries: int = 500
    resolved_days: int = 90
    idle_minutes: int = 30
    commit_turns: bool = False


@frozen
class NodeSettings:
    """When two nodes are one, when they belong together, and what is worth a node at all.

    Similarities are 0 to 1, scores and importance 1 to 10.

    Attributes:
        duplicate: From here on a new node is answered with the one that is there.
        link: From here on a new node is linked to one that is there.
        links: At most so many such links.
        similar: From here on a node is shown as similar.
        save_score: What scores less is not saved.
        profile_lines: Lines of the profile, which every session is given.
    """

    duplicate: float = 0.87
    link: float = 0.62
    links: int = 3
    similar: float = 0.40
    save_score: int = 5
    profile_lines: int = 12


@frozen
class GraphSettings:
    """How far a walk over the graph goes, and how much it may find.

    Attributes:
        expand_hops: Hops of ``memfs expand`` where none are given.
        neighbor_hops: Hops of ``memfs neighbors`` where none are given.
        most: Nodes that one walk answers with at most.
    """

    expand_hops: int = 1
    neighbor_hops: int = 2
    most: int = 200


@frozen
class SleepSettings:
    """When memory is gone over, and what it takes to become lasting.

    Attributes:
        deep_at: Time of day of the nightly pass, ``HH:MM`` in the machine's zone.
        score: Least score of what is put forward as lasting.
        recalls: Least number of times that it was recalled.
        queries: Least number of different questions that it was recalled for.
        core_bytes: Size of ``core.md`` in UTF-8 bytes, 2,048 at most.
    """

    deep_at: str = "03:00"
    score: float = 0.7
    recalls: int = 3
    queries: int = 2
    core_bytes: int = 2048


@frozen
class StoreSettings:
    """How the store writes."""

    index: IndexMode = IndexMode.AUTO
    durability: Durability = Durability.BATCH
    lock_timeout_s: float = 30.0


@frozen
class Settings:
    """Everything ``memfs.yaml`` can say.

    Attributes:
        store_id: ``store_…``, the identity of the store.
        store_format: Version of the layout; newer than :data:`STORE_FORMAT` is refused.
        project: Name of the project; default scope is ``project:<name>``.
        sources_off: Kill switches (A75): principals (``agent:x``), ``channel:tool``,
            ``class:remote`` and imports (``import:claude-memory``) from which nothing is
            admitted and nothing is served to programs.
        tightened: Rule code to verdict, only ever stricter than the table.
        digest: Short digest of the decoded settings, the ``Memfs-Policy`` trailer.
    """

    store_id: str
    project: str
    store_format: int = STORE_FORMAT
    mode: Mode = Mode.ENFORCED
    sources_off: frozenset[str] = frozenset()
    trust: TrustSettings = field(default_factory=TrustSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    inbox: InboxSettings = field(default_factory=InboxSettings)
    runs: RunSettings = field(default_factory=RunSettings)
    nodes: NodeSettings = field(default_factory=NodeSettings)
    graph: GraphSettings = field(default_factory=GraphSettings)
    sleep: SleepSettings = field(default_factory=SleepSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    tightened: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    digest: str = ""
