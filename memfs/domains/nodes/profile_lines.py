"""Reads the profile: a few lines about the user that are always there, a record each (M20, M21).

A line is an active record of the kind ``profile``. Lines stand in the order in which they were
first said. More lines than the cap are not deleted: the oldest are not shown. What holds
everywhere comes from the global store; what the project says of the same key comes first. Lines
are read by their place and never searched for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from memfs.model.authority import Sink
from memfs.model.frozen import frozen
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.model.scope import GLOBAL_SCOPE
from memfs.model.text import normalise_text
from memfs.policy.access import AccessRequest, may_serve
from memfs.policy.masking import visible_stored
from memfs.policy.namespaces import actor_beside
from memfs.services.beside import Beside
from memfs.services.gate import access_request
from memfs.services.links import with_open_links
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.served_records import read_paths
from memfs.services.standing_sections import ProfileLine, profile_line
from memfs.store.layout import is_record_path
from memfs.store.snapshot import Snapshot

PROFILE_KIND: Final = "profile"
_FOLDER: Final = "records/profile/"
_MOST_FILES: Final = 1_000


@frozen
class KeptLine:
    """One line of the profile with the record behind it."""

    line: ProfileLine
    stored: StoredRecord

    @property
    def key(self) -> str:
        """What two spellings of one key have in common."""
        return profile_key(self.line.key)


@frozen
class Profile:
    """The lines as one reader may see them.

    Attributes:
        lines: In order, at most as many as the cap.
        cap: The settings' number of lines.
        dropped: Older lines that are beyond the cap, oldest first.
    """

    lines: tuple[KeptLine, ...]
    cap: int
    dropped: tuple[KeptLine, ...] = ()

    @property
    def text(self) -> str:
        """The block, a line each."""
        return "".join(f"{kept.line}\n" for kept in self.lines)


def profile_key(key: str) -> str:
    """Returns what two spellings of one key have in common."""
    return "-".join(re.split(r"[\s_-]+", normalise_text(key))).strip("-")


def read_profile(
    workspace: Workspace, beside: Beside, actor: Actor, *, sink: Sink | None = None
) -> Profile:
    """Returns the profile as ``actor`` may see it, what holds everywhere included."""
    own = lines_of(workspace, access_request(workspace, actor, sink=sink))
    shared = beside.ask(lambda other: _lines_beside(other, actor, sink)) or ()
    keys = {kept.key for kept in own if kept.key}
    every = (*(kept for kept in shared if kept.key not in keys), *own)
    cap = workspace.settings.nodes.profile_lines
    beyond = max(0, len(every) - cap)
    return Profile(lines=every[beyond:], cap=cap, dropped=every[:beyond])


def lines_of(workspace: Workspace, request: AccessRequest) -> tuple[KeptLine, ...]:
    """Returns the lines of one store, in the order in which they were first said."""
    if not workspace.store.ledger_head():
        return ()
    snapshot = workspace.store.snapshot()
    paths = (entry.path for entry in snapshot.entries(_FOLDER) if is_record_path(entry.path))
    found = _served(workspace, snapshot, islice(paths, _MOST_FILES), request)
    seen = sorted(found, key=lambda stored: stored.record.id)
    return tuple(
        KeptLine(line=line, stored=stored)
        for stored in seen
        if (line := profile_line(stored.record)).value
    )


def _served(
    workspace: Workspace, snapshot: Snapshot, paths: Iterable[str], request: AccessRequest
) -> Iterator[StoredRecord]:
    """Yields what may be seen of the records at some paths; no database is opened for it."""
    for stored in read_paths(workspace, snapshot, paths):
        seen = visible_stored(stored, request)
        if seen and not rests_on_off_source(workspace, snapshot, stored.record, request):
            yield with_open_links(workspace, snapshot, seen, request)


def _lines_beside(other: Workspace, actor: Actor, sink: Sink | None) -> tuple[KeptLine, ...]:
    """Returns the lines of the global store, put to its gate and to that of its one scope."""
    asker = actor_beside(actor, other.settings.trust)
    if not may_serve(other.settings.mode, asker):
        return ()
    request = access_request(other, asker, sink=sink, scopes=(GLOBAL_SCOPE,))
    found = lines_of(other, request)
    return tuple(
        replace(kept, stored=seen)
        for kept in found
        if kept.stored.record.scope == GLOBAL_SCOPE
        and (seen := visible_stored(kept.stored, request)) is not None
    )


def line_value(kept: KeptLine) -> dict[str, str]:
    """Returns a line as plain data."""
    record = kept.stored.record
    return {
        "key": kept.line.key,
        "value": kept.line.value,
        "id": record.id,
        "reference": record.reference,
        "scope": str(record.scope or ""),
    }
