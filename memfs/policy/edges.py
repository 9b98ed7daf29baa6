"""The graph at the door: two ends that are there, and one entity a name (E5, O8, M11).

A relation of something to nothing says nothing, so an edge is refused whose end is not in the
ledger, or not for whoever says it. What waits may wait for its ends: it is looked at again when
it is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from memfs.model.authority import Sensitivity
from memfs.model.candidate import CandidateAction
from memfs.model.decision import Reason, Verdict
from memfs.model.graph import EDGE_KIND, ENTITY_KIND
from memfs.model.ids import is_id
from memfs.model.naming import entity_key
from memfs.model.record import Record
from memfs.policy.graph_links import keys_of_entity, names_of_entity
from memfs.policy.pipeline import Context, Findings
from memfs.policy.promotion import Trait
from memfs.policy.reasons import reason
from memfs.policy.relations import ends_of_edge
from memfs.policy.withdrawal import is_withdrawn

_GRAPH: Final = frozenset({ENTITY_KIND, EDGE_KIND})


def check_ends(context: Context, findings: Findings) -> Findings:
    """Lets no edge in that joins nothing, or something with itself; and nothing that is sealed."""
    kind = context.draft.kind
    if kind in _GRAPH and context.draft.sensitivity >= Sensitivity.SEALED:
        return findings.ended(Verdict.REJECT, [reason("graph.sealed")])
    if kind != EDGE_KIND:
        return _check_names(context, findings)
    start, _, end = ends_of_edge(context.draft)
    if not (is_id(start) and is_id(end)):
        return findings.ended(Verdict.REJECT, [reason("edge.bad-end")])
    if start == end:
        return findings.ended(Verdict.REJECT, [reason("edge.self")])
    missing = tuple(_missing(context, (start, end)))
    is_decided = context.is_person or Trait.CONFIRMED in findings.traits
    return findings.ended(Verdict.REJECT, missing) if is_decided else findings.held(missing)


def _check_names(context: Context, findings: Findings) -> Findings:
    """Lets two things of one namespace share no name; who is only proposed may wait for that.

    An id is the name of a record and of nothing else.
    """
    bearers, own = context.view.bearers, entity_key(context.draft.title)
    is_entity = context.draft.kind == ENTITY_KIND
    # What is about one record has its id for a subject: a step, an outcome.
    if is_entity and any(is_id(name.lower()) for name in names_of_entity(context.draft)):
        return findings.ended(Verdict.REJECT, [reason("entity.name-is-id")])
    same = next((item for item in bearers if own in keys_of_entity(item)), None)
    if same is not None and context.submission.action is CandidateAction.ADD:
        ended = findings.ended(Verdict.DUPLICATE, [reason("duplicate.same-id", same.id)])
        return replace(ended, duplicate_of=same.id)
    taken = tuple(filter(None, (check_name(item.id) for item in bearers)))
    is_decided = context.is_person or Trait.CONFIRMED in findings.traits
    return findings.ended(Verdict.REJECT, taken) if is_decided else findings.held(taken)


def _missing(context: Context, ends: tuple[str, str]) -> Iterator[Reason]:
    for name in ends:
        record = context.view.ends.get(name)
        if record is None or is_withdrawn(record):
            yield reason("edge.unknown-end", name)


def check_name(bearer: str) -> Reason | None:
    """Returns why a name is not given to a thing: another one bears it. ``bearer`` is its id."""
    return reason("entity.name-taken", bearer) if bearer else None


def same_id(context: Context) -> Record | None:
    """Returns the record that is there already under the id of the draft, in any state.

    Ids of entities follow from their names: the same id is the same thing, never a second one.
    """
    own = context.draft.id
    if context.draft.kind != ENTITY_KIND or not own:
        return None
    found = (item.record for item in context.view.same_subject if item.record.id == own)
    return next(found, None)
