"""The graph as JSON lines, for whoever may have it outside of the store."""

from __future__ import annotations

import json

from memfs.domains.graph.lines import FORMAT, line_of
from memfs.domains.graph.view_stamp import GRAPH_FOLDER
from memfs.model.graph import EDGE_KIND, ENTITY_KIND
from memfs.model.origin import Actor
from memfs.services.exported import Exported, Leaving
from memfs.services.links import with_open_links
from memfs.services.ports import Workspace


def export_graph(workspace: Workspace, actor: Actor) -> Exported:
    """Returns every entity and every edge that ``actor`` may take out of the store, by id.

    Entities come before the edges between them. A person also takes out what was replaced, with
    the mark of what took its place.
    """
    leaving = Leaving(workspace, actor, sees_replaced=True)
    found = [
        with_open_links(workspace, leaving.snapshot, stored, leaving.request).record
        for stored in leaving.records(GRAPH_FOLDER, (ENTITY_KIND, EDGE_KIND))
    ]
    found.sort(key=lambda record: (record.kind != ENTITY_KIND, record.id))
    return leaving.exported(
        FORMAT,
        (json.dumps(line_of(it), ensure_ascii=False, separators=(",", ":")) for it in found),
    )
