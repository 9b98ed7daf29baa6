"""The timeline as JSON lines, for whoever may have it outside of the store."""

from __future__ import annotations

import json

from memfs.domains.timeline.events import happened
from memfs.domains.timeline.lines import FORMAT, line_of
from memfs.model.event import EVENT_KIND, TIMELINE_FOLDER
from memfs.model.origin import Actor
from memfs.services.exported import Exported, Leaving
from memfs.services.links import with_open_links
from memfs.services.ports import Workspace


def export_timeline(workspace: Workspace, actor: Actor) -> Exported:
    """Returns every event that ``actor`` may take out of the store, the earliest first.

    A person also takes out what was told anew since, with the mark of what took its place.
    """
    leaving = Leaving(workspace, actor, sees_replaced=True)
    found = [
        with_open_links(workspace, leaving.snapshot, stored, leaving.request).record
        for stored in leaving.records(TIMELINE_FOLDER, (EVENT_KIND,))
    ]
    found.sort(key=lambda record: (happened(record), record.id))
    return leaving.exported(
        FORMAT,
        (json.dumps(line_of(it), ensure_ascii=False, separators=(",", ":")) for it in found),
    )
