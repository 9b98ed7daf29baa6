"""What of role memory is stale: whatever was read off something that is otherwise now (E11).

A memory, an edge and a summary name the digests of their sources. Where one of those changed or
is gone, they are stale; so is an edge with a stale end, and a summary that covers anything stale.
Nothing is marked here and nothing is believed that says of itself how fresh it is. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memfs.model.record import Record
from memfs.model.record_fields import texts_field
from memfs.model.role import SUMMARY_KIND, is_role_edge
from memfs.policy.relations import ends_of_edge


def changed_sources(record: Record, current: Mapping[str, str | None]) -> tuple[str, ...]:
    """Returns the anchors of what a record was read off and that is otherwise now, each once.

    Args:
        record: A memory, an edge or a summary.
        current: Digest of each source by its anchor, ``None`` for one that is gone; a source that
            is not among them was not looked at, and counts as it was.
    """
    named = (item.rpartition("=") for item in texts_field(record, "source_hashes"))
    changed = (anchor for anchor, _, digest in named if current.get(anchor, digest) != digest)
    return tuple(dict.fromkeys(changed))


def not_looked_at(files: int) -> str:
    """Words that files were not looked at, so that nobody takes that for their being as ever."""
    number = f"{files} files were" if files != 1 else "1 file was"
    return f"{number} not looked at, there are too many; what was read off them counts as it was"


def is_source_changed(record: Record, current: Mapping[str, str | None]) -> bool:
    """Tells whether a record was read off something that changed; see ``changed_sources``."""
    return bool(changed_sources(record, current))


def stale_ids(records: Iterable[Record], current: Mapping[str, str | None]) -> frozenset[str]:
    """Returns the ids of what is stale among memories, edges and summaries; see the module."""
    every = tuple(records)
    stale = {record.id for record in every if is_source_changed(record, current)}
    for record in every:
        start, _, end = ends_of_edge(record)
        if is_role_edge(record) and not stale.isdisjoint((start, end)):
            stale.add(record.id)
    for record in every:
        covered = (*texts_field(record, "covers_nodes"), *texts_field(record, "covers_edges"))
        if record.kind == SUMMARY_KIND and not stale.isdisjoint(covered):
            stale.add(record.id)
    return frozenset(stale)
