"""Relations: which labels are one relation, and of which a thing has one at a time (O11).

A label is kept as it was written; only its key is compared. What a thing can have one of at a
time is a fixed table of keys: a new edge then takes the place of the one before, or stands
against what somebody else says. Everything else may lead to as many ends as it likes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memfs.model.graph import EDGE_KIND, RELATED
from memfs.model.ids import is_id, short_id
from memfs.model.kinds import KindRegistry
from memfs.model.naming import entity_key
from memfs.model.record import Record

ONE_AT_A_TIME: Final = frozenset(
    (
        "runs on", "hosted on", "deployed on", "deployed to", "owned by", "belongs to",
        "maintained by", "managed by", "reports to", "led by", "located in", "located at",
        "lives in", "works at", "works for", "employed by", "status", "has status", "version",
        "has version", "replaced by", "renamed to", "moved to", "primary language",
        "default branch",
    )
)  # fmt: skip
"""Keys of relations of which one thing has one at a time."""
RESEMBLING: Final = frozenset(
    ("similar to", "similar", "resembles", "resonates with", "looks like", "like")
)
"""Keys of relations that say that two look alike."""
LIKENESS: Final = "likeness:"
"""How the transform of an edge begins that somebody drew because two texts measured alike."""
_JOIN: Final = " | "


def relation_key(relation: str) -> str:
    """Returns what every way to write one relation has in common: ``Runs_On`` is ``runs on``."""
    return entity_key(relation) or RELATED


def is_one_at_a_time(relation: str) -> bool:
    """Tells whether a thing has one such relation at a time."""
    return relation_key(relation) in ONE_AT_A_TIME


def is_pressure(edge: Record) -> bool:
    """Tells whether an edge only says that two look alike: a reason to look, never a proof.

    No edge bears anything out; of one of these that is said wherever it is shown (E49).
    """
    is_measured = edge.transform.startswith(LIKENESS)
    return is_measured or relation_key(ends_of_edge(edge)[1]) in RESEMBLING


def edge_subject(start: str, relation: str, end: str) -> str:
    """Returns what two edges that meet have in common.

    Of a relation that a thing has one of at a time that is where it starts; of any other where
    it leads to as well.
    """
    key = relation_key(relation)
    parts = (start, key) if key in ONE_AT_A_TIME else (start, key, end)
    return _JOIN.join(parts)


def subject_of_edge(record: Record) -> str:
    """Returns the subject that an edge has by what it says."""
    start, relation, end = ends_of_edge(record)
    return edge_subject(start, relation, end)


def ends_of_edge(record: Record) -> tuple[str, str, str]:
    """Returns where an edge starts, its relation as written, and where it leads."""
    start, relation, end = (str(record.fields.get(key, "")) for key in ("from", "relation", "to"))
    return start, relation, end


def phrase_of(edge: Record, names: Mapping[str, str]) -> str:
    """Returns an edge as a phrase, such as ``sync service runs on harbour 2``.

    Args:
        edge: The record.
        names: What its ends are called, by id; one without a name is called by the end of its id.
    """
    start, relation, end = ends_of_edge(edge)
    return f"{names.get(start, short_id(start))} {relation} {names.get(end, short_id(end))}"


def joined_by(record: Record) -> tuple[str, ...]:
    """Returns the ids that an edge joins, those that are ids; none for any other record."""
    if record.kind != EDGE_KIND:
        return ()
    start, _, end = ends_of_edge(record)
    return tuple(name for name in (start, end) if is_id(name))


def is_single_valued(record: Record, registry: KindRegistry) -> bool:
    """Tells whether two records of one subject cannot both hold: by kind, or by relation."""
    kind = registry.get(record.kind)
    if kind is None:
        return False
    if record.kind != EDGE_KIND:
        return kind.single_valued
    # A file that was edited by hand can name any subject; only what follows from its ends counts.
    return is_one_at_a_time(ends_of_edge(record)[1]) and entity_key(record.subject) == entity_key(
        subject_of_edge(record)
    )
