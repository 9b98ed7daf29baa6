"""Builders for role memory: memories, views, operations as anybody would propose them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memfs.domains.roles.decoding import Decoded, decode_operation
from memfs.domains.roles.planning import plan_operation
from memfs.domains.roles.summaries.summarizing import lossy
from memfs.domains.roles.view import Planned, RoleView
from memfs.model.decision import Reason
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.role import role_scope
from memfs.model.role_sleep import Rest, Tally
from memfs.policy.role_sleep import account_for, check_rest
from memfs.policy.role_summary_check import Loss
from tests.support.memory import CountedIds
from tests.support.policy import AGENT, NOW, identifier, stored, submit, view

ROLE = "claude"
NOWHERE = identifier(7, "run")
"""Of nothing."""
OTHER = Actor(Principal.parse("agent:other"), Channel.AGENT)
RUN = identifier(1, "run")
WHOLE: dict[str, Any] = {
    "target": "person:ana",
    "topic": "deploys",
    "claim": "Ana deploys on Fridays",
    "tension": "speed against a quiet weekend",
    "implication": "ask before a Friday deploy",
    "anchors": [f"run:{RUN}"],
    "tags": ["deploy"],
    "salience": 0.6,
    "confidence": 0.5,
}
"""The members that every memory needs."""
REASON = {"reason": "nobody asks for it any more", "because": "low-value"}


def proposal(name: str, **members: Any) -> str:
    """Returns an operation as it is written; a member that is ``None`` is left out."""
    given = {key: value for key, value in members.items() if value is not None}
    return json.dumps({"operation": name, **given})


def whole(name: str, **members: Any) -> str:
    """Returns an operation with a whole memory in it."""
    return proposal(name, **{**WHOLE, **members})


def decoded(text: str) -> Decoded:
    """Decodes a proposal for the role."""
    return decode_operation(text, role=ROLE)


class Mind:
    """A role's memory without a store: operations are planned over a view, one after another."""

    def __init__(self, known: tuple[str, ...] = (RUN,)) -> None:
        self.ids = CountedIds()
        self.view = RoleView(role=ROLE, now=NOW, memories={}, known=frozenset(known))
        self.edges: list[Record] = []

    def apply(self, text: str) -> Planned:
        """Plans one proposal, and moves the view on where it is admitted."""
        read = decoded(text)
        if read.operation is None:
            return Planned(reasons=read.reasons)
        planned = plan_operation(read.operation, self.view, self.ids.new_id)
        self.view = self.view.after(planned)
        self.edges += planned.edges
        return planned

    def made(self, name: str, **members: Any) -> Record:
        """Applies an operation that makes one memory, and returns it."""
        planned = self.apply(whole(name, **members))
        assert planned.reasons == (), planned.reasons
        (record,) = planned.made
        return record

    def now(self, record: Record) -> Record:
        """Returns a memory as it stands now."""
        return self.view.memories[record.id]


def memory(**fields: Any) -> Record:
    """Returns a memory of the role without origin; fields of the kind can be given by name."""
    envelope: dict[str, Any] = {}
    for key in ("scope", "title", "id"):
        if key in fields:
            envelope[key] = fields.pop(key)
    said: dict[str, Any] = {
        "profile": "conversation",
        "lifecycle": "active",
        "target": "person:ana",
        "tension": "speed against a quiet weekend",
        "implication": "ask first",
        "anchors": ["anchor:missing"],
        **fields,
    }
    parts: dict[str, Any] = {
        "title": "Ana deploys on Fridays",
        "scope": role_scope(ROLE),
        "fields": {name: value for name, value in said.items() if value is not None},
        **envelope,
    }
    return Record(kind="role_memory", **parts)


def edge(**fields: Any) -> Record:
    """Returns an edge of role memory between two records."""
    said: dict[str, Any] = {
        "from": identifier(1, "role"),
        "to": identifier(2, "role"),
        "relation": "supports",
        "profile": "conversation",
        "lifecycle": "active",
        "claim": "the one bears the other out",
        **fields,
    }
    return Record(kind="edge", scope=role_scope(ROLE), fields=said)


def role_faults() -> Iterator[Reason]:
    """Yields a reason or more for each code of role memory."""
    for draft in (
        memory(scope=None),
        memory(tension=None),
        memory(anchors=["nowhere"]),
        memory(lifecycle="queued"),
        memory(lifecycle="clustered"),
        edge(relation="likes"),
        edge(claim=""),
    ):
        yield from submit(draft, AGENT, is_typed=True).reasons
    yield from submit(memory(), AGENT).reasons
    known = replace(stored(1, AGENT, kind="role_memory"), record=memory(id=identifier(1)))
    for draft in (memory(lifecycle="pruned"), memory(profile="identity", lifecycle="accepted")):
        yield from submit(
            draft,
            AGENT,
            is_typed=True,
            action="revise",
            target=identifier(1),
            ledger=view(target=replace(known, record=replace(draft, id=identifier(1)))),
        ).reasons
    for text in (
        "[]",
        proposal("Remember"),
        whole("RecordShortTermMemory", colour="red"),
        whole("RecordShortTermMemory", claim=None),
        whole("RecordShortTermMemory", salience=2),
        whole("RecordShortTermMemory", branch="main"),
        whole("RecordShortTermMemory", traits=["calm"]),
        whole("RecordShortTermMemory", role="other"),
        whole("UpsertAgencyPressure", intensity=1, say="Wait!"),
    ):
        yield from decoded(text).reasons
    mind = Mind()
    first = mind.made("RecordShortTermMemory")
    yield from mind.apply(whole("RecordShortTermMemory")).reasons
    yield from mind.apply(
        whole("RecordShortTermMemory", tags=[f"tag{number}" for number in range(16)])
    ).reasons
    for text in (
        proposal("PruneShortTermMemory", memories=[identifier(9, "role")], **REASON),
        proposal("RetireDurableMemory", memory=first.id, **REASON),
        whole("ApplyMemoryDistillation", sources=[first.id], anchors=[f"run:{NOWHERE}"]),
    ):
        yield from mind.apply(text).reasons
    mind.apply(proposal("PruneShortTermMemory", memories=[first.id], **REASON))
    yield from mind.apply(proposal("PruneShortTermMemory", memories=[first.id], **REASON)).reasons
    seen = mind.made("RecordShortTermMemory")
    mind.view = replace(mind.view, held=frozenset({seen.id}))
    yield from mind.apply(whole("MergeIncubationSupport", sources=[seen.id])).reasons
    mind.view = replace(mind.view, held=frozenset())
    thread = mind.made("MergeIncubationSupport", sources=[seen.id])
    yield from mind.apply(whole("ApplyMemoryDistillation", sources=[thread.id])).reasons
    yield from sleep_faults()
    yield lossy([Loss("claim", f"expected the claim of {first.id}")])


def sleep_faults() -> Iterator[Reason]:
    """Yields why a sleep fails: it did nothing, or left something over."""
    kept = {identifier(1, "role"): memory(id=identifier(1, "role"))}
    account = account_for(kept, kept, Rest.SLEEP)
    for tally in (Tally(), Tally(proposed=1, applied=1)):
        why = check_rest(Rest.SLEEP, account, tally)
        assert why is not None
        yield why
