"""Products as drafts of records; who vouches for one follows from where it was found."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memfs.domains.distill.linking import edge_id, event_id
from memfs.domains.distill.products import EdgeFound, EntityFound, EventFound, Trust
from memfs.model.candidate import Submission
from memfs.model.event import EVENT_KIND
from memfs.model.evidence import Quote
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.values import JsonValue
from memfs.policy.authority import capture_origin
from memfs.services.graph_drafts import edge_draft, entity_draft

OBSERVER: Final = Actor(Principal(PrincipalKind.TOOL, "distill"), Channel.HOST)
"""memfs itself, looking at commits and runs that are there."""
_NO_CLIENT: Final = "distill"
_COMMIT: Final = "commit:"
_WRITTEN: Final = ("workspace",)
"""That a commit is there was seen; its words are those of whoever wrote it."""


def submission_of(
    product: EventFound | EntityFound | EdgeFound, scope: Scope, project: str, *, evidence: str = ""
) -> tuple[Submission, Actor]:
    """Returns a linked product as what asks to enter, and who asks.

    Args:
        product: With its names resolved.
        scope: The scope of the store.
        project: Name of the project.
        evidence: Id of what a person typed that holds an event's quote; empty for none.
    """
    match product:
        case EventFound():
            draft = event_draft(product, scope, project, evidence=evidence)
            client, speaker = product.client, product.speaker
            quotes = (Quote(evidence_id=evidence, text=product.quote),) if evidence else ()
        case EntityFound():
            draft = entity_draft(scope, product.name, entity_type=product.sort)
            client, speaker, quotes = "", "", ()
        case EdgeFound():
            draft, client, speaker, quotes = _edge(product, scope), product.client, "", ()
    actor = OBSERVER if product.trust is Trust.SEEN else _agent(client)
    # The digest is that of the key: found again it is the same source, whatever commit has it.
    origin = capture_origin(actor, product.key, source=product.source, speaker=speaker)
    return Submission(draft=draft, origin=origin, quotes=quotes, key=product.key), actor


def event_draft(found: EventFound, scope: Scope, project: str, *, evidence: str = "") -> Record:
    """Returns the draft of an event; quoted words stand in it alone, and nothing of ours."""
    said: dict[str, JsonValue] = {
        "event_kind": str(found.sort),
        "project": project,
        "session": found.session,
        "turns": list(found.turns),
        "commit": found.commit,
        "run": found.run,
    }
    summary = "" if evidence or not found.summary else f"{found.title}: {found.summary}"
    return Record(
        kind=EVENT_KIND,
        id=event_id(scope, found.key),
        title=found.title,
        summary=summary,
        scope=scope,
        event_time=found.at,
        entities=() if evidence else found.names,
        importance=found.importance,
        confidence=found.confidence,
        evidence=(evidence,) if evidence else (),
        derived_from=found.derived_from,
        transform=found.transform,
        taint=_WRITTEN if found.source.startswith(_COMMIT) else (),
        supersedes=tuple(event_id(scope, key) for key in found.replaces),
        fields={name: value for name, value in said.items() if value not in ("", [])},
    )


def _edge(found: EdgeFound, scope: Scope) -> Record:
    drawn = edge_draft(scope, found.start, found.end, found.relation)
    return replace(
        drawn,
        id=edge_id(scope, found.key),
        event_time=found.at,
        valid_from=found.at if found.is_lasting else None,
        confidence=found.confidence,
    )


def _agent(client: str) -> Actor:
    return Actor(Principal(PrincipalKind.AGENT, client or _NO_CLIENT), Channel.AGENT)
