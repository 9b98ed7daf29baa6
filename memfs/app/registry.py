"""The kinds of this build: one line a domain."""

from __future__ import annotations

from memfs.domains.claims.kinds import CLAIM_KINDS
from memfs.domains.execution.kinds import EXECUTION_KINDS
from memfs.domains.governance.kinds import GOVERNANCE_KINDS
from memfs.domains.graph.kinds import GRAPH_KINDS
from memfs.domains.intentions.kinds import INTENTION_KINDS
from memfs.domains.provenance.kinds import PROVENANCE_KINDS
from memfs.domains.roles.kinds import ROLE_KINDS
from memfs.domains.runs.kinds import RUN_KINDS
from memfs.domains.sessions.kinds import SESSION_KINDS
from memfs.domains.timeline.kinds import TIMELINE_KINDS
from memfs.model.kinds import KindRegistry

REGISTRY = KindRegistry(
    (
        *CLAIM_KINDS,
        *PROVENANCE_KINDS,
        *GOVERNANCE_KINDS,
        *RUN_KINDS,
        *SESSION_KINDS,
        *TIMELINE_KINDS,
        *GRAPH_KINDS,
        *ROLE_KINDS,
        *EXECUTION_KINDS,
        *INTENTION_KINDS,
    )
)
