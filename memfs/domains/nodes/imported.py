"""What nodes of another system related to, and the edges that this becomes (decision 11).

An imported node keeps its relations as its source wrote them. They become edges once both ends
are in the ledger: at once where a person accepts the whole import, else when the node is linked.
Targets are resolved among the nodes of the same file; what resolves to nothing stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from memfs.domains.nodes.node import NODE_KIND
from memfs.errors import UsageError
from memfs.formats.foreign_line import FOREIGN
from memfs.model.candidate import Submission
from memfs.model.frozen import frozen
from memfs.model.graph import RELATED
from memfs.model.ids import is_id, split_version
from memfs.model.origin import Actor, Channel
from memfs.model.record import Record
from memfs.model.values import JsonValue
from memfs.policy.authority import capture_origin
from memfs.services.batches import BatchReport, admit_batch
from memfs.services.graph_drafts import edge_draft
from memfs.services.ports import Workspace
from memfs.services.served_records import read_records, served_places

NODE_JSON: Final = "node-json"
"""Name of the format of nodes as a JSON array."""
_FOLDER: Final = "records/note/"
_TARGETS: Final = ("target", "to", "id", "node")
_LABELS: Final = ("type", "relation", "label", "relationType")
_BATCH: Final = "relations"


@frozen(kw_only=False)
class SaidRelation:
    """One relation as its source wrote it.

    Attributes:
        target: Id of the other node, as the source names it.
        label: How they relate.
        raw: The value as it stood there.
    """

    target: str
    label: str
    raw: JsonValue


def said_of(record: Record) -> Mapping[str, JsonValue]:
    """Returns what the source of an imported node said that no field of ours holds."""
    kept = record.unknown.get(FOREIGN)
    is_ours = isinstance(kept, Mapping) and kept.get("format") == NODE_JSON
    return kept if is_ours and isinstance(kept, Mapping) else {}


def relations_said(record: Record) -> tuple[SaidRelation, ...]:
    """Returns the relations of an imported node; what is no relation is left out."""
    value = said_of(record).get("relations")
    items = list(value) if isinstance(value, list | tuple) else []
    return tuple(found for item in items if (found := _relation(item)) is not None)


def _relation(value: JsonValue) -> SaidRelation | None:
    if isinstance(value, str) and value.strip():
        return SaidRelation(value, RELATED, value)
    if not isinstance(value, Mapping):
        return None
    target = next((value[name] for name in _TARGETS if isinstance(value.get(name), str)), "")
    label = next((value[name] for name in _LABELS if isinstance(value.get(name), str)), "")
    if not isinstance(target, str) or not target.strip():
        return None
    return SaidRelation(target, str(label).strip() or RELATED, value)


class Names:
    """Which record a node of another system became, by its id and the file that it stood in."""

    def __init__(self, records: Iterable[Record]) -> None:
        self._ids: dict[tuple[str, str], str] = {}
        self._anywhere: dict[str, set[str]] = {}
        for record in records:
            said = said_of(record).get("id")
            if isinstance(said, str):
                self._ids.setdefault((_file_of(record), said), record.id)
                self._anywhere.setdefault(said, set()).add(record.id)

    def resolved(self, record: Record, target: str) -> str:
        """Returns the id of what a relation of ``record`` leads to; empty where nothing is it.

        A node that was changed since does not say its file any more: then its foreign id is
        enough where only one node bears it.
        """
        found = self._ids.get((_file_of(record), target), "")
        if not found and len(self._anywhere.get(target, ())) == 1:
            (found,) = self._anywhere[target]
        return found or (target if is_id(target) else "")


def _file_of(record: Record) -> str:
    return record.origin.source.rpartition("#")[0] if record.origin is not None else ""


def relate_imported(
    workspace: Workspace, references: Sequence[str], actor: Actor, *, is_confirmed: bool
) -> BatchReport | None:
    """Makes edges of the relations of imported nodes; ``None`` where they have none.

    Args:
        workspace: The store.
        references: The nodes that came in.
        actor: Who imported them.
        is_confirmed: A person takes them as they are.
    """
    wanted = {split_version(reference)[0] for reference in references}
    if not wanted:
        return None
    snapshot = workspace.store.snapshot()
    places = (place for place in served_places(snapshot) if place[0].startswith(_FOLDER))
    every = [
        stored.record
        for stored in read_records(workspace, snapshot, places)
        if said_of(stored.record)
    ]
    names = Names(every)
    submissions = [
        submission
        for record in every
        if record.id in wanted and record.kind == NODE_KIND
        for relation in relations_said(record)
        if (submission := _edge(workspace, record, relation, names, actor, is_confirmed))
    ]
    if not submissions:
        return None
    return admit_batch(workspace, submissions, actor, batch=_BATCH)


def _edge(
    workspace: Workspace,
    record: Record,
    relation: SaidRelation,
    names: Names,
    actor: Actor,
    is_confirmed: bool,
) -> Submission | None:
    end = names.resolved(record, relation.target)
    if not end or end == record.id:
        return None
    try:
        draft = edge_draft(record.scope or workspace.scope, record.id, end, relation.label)
    except UsageError:
        return None
    importing = replace(actor, channel=Channel.IMPORT)
    source = record.origin.source if record.origin is not None else ""
    origin = capture_origin(
        importing, f"{source} {relation.label} {relation.target}", source=source
    )
    return Submission(draft=draft, origin=origin, is_confirmed=is_confirmed)
