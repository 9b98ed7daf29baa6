"""What may leave a store, in the formats that others read.

:class:`memfs.app.memory.Memory` inherits it. One row of :data:`FORMATS` a format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from memfs.app.opened import Opened
from memfs.errors import UsageError
from memfs.model.origin import Actor
from memfs.services.modes import require_serving
from memfs.services.ports import Workspace

if TYPE_CHECKING:
    from memfs.services.exported import Exported

    Export = Callable[[Workspace, Actor], Exported]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """One format.

    Attributes:
        place: ``module:function`` of what makes it, imported when it is asked for.
        item: What one line of it is, in the singular.
        help: What it is, for the help of the command.
    """

    place: str
    item: str
    help: str

    def made(self, workspace: Workspace, actor: Actor) -> Exported:
        """Returns what ``actor`` may take out of a store in this format."""
        module, _, name = self.place.partition(":")
        export = cast("Export", getattr(import_module(module), name))
        return export(workspace, actor)


FORMATS: Final[Mapping[str, ExportFormat]] = MappingProxyType(
    {
        "tracker": ExportFormat(
            place="memfs.domains.runs.tracker_export:export_tracker",
            item="issue",
            help="issues as JSON lines, every field as it was imported",
        ),
        "timeline": ExportFormat(
            place="memfs.domains.timeline.exporting:export_timeline",
            item="event",
            help="events as JSON lines, the earliest first",
        ),
        "node-json": ExportFormat(
            place="memfs.interop.node_export:export_nodes",
            item="node",
            help="nodes as one JSON array",
        ),
        "graph": ExportFormat(
            place="memfs.domains.graph.exporting:export_graph",
            item="line",
            help="entities and edges as JSON lines, by id",
        ),
        "ical": ExportFormat(
            place="memfs.domains.intentions.calendar:export_calendar",
            item="intention",
            help="intentions that have a time as the to-dos of an iCalendar",
        ),
    }
)
"""Every format by name."""


class Exporting(Opened):
    """What may leave a store, in the formats that others read."""

    workspace: Workspace
    actor: Actor

    def export(self, format_name: str) -> Exported:
        """Returns what may leave the store in a format, such as ``tracker`` or ``timeline``.

        Raises:
            UsageError: There is no such format.
        """
        chosen = FORMATS.get(format_name)
        if chosen is None:
            raise UsageError(f"expected a format of {', '.join(FORMATS)}, got {format_name!r}")
        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        return chosen.made(self.workspace, self.actor)
