"""What of ``core.md`` is told, and to whom: each line is put to the read gate of whoever asks.

The file itself holds what any program of the project is served without a right of its own.
Imports nothing that a session start does not need.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from memfs.errors import DataError, GitError, StoreError
from memfs.model.authority import Authority, Sink
from memfs.model.event import EVENT_KIND
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.packet import Entry, Section
from memfs.model.query import Query
from memfs.model.record import Record, StoredRecord
from memfs.policy.access import AccessRequest
from memfs.policy.lasting import is_for_core
from memfs.policy.masking import visible_stored
from memfs.services.core_note import Place, read_core_note
from memfs.services.gate import access_request
from memfs.services.marked_lines import visible_words
from memfs.services.off_sources import rests_on_off_source
from memfs.services.packet_text import escaped_line
from memfs.services.ports import Workspace
from memfs.services.served_records import read_paths, read_records
from memfs.store.snapshot import Snapshot

CORE: Final = "core"
LINE_CHARS: Final = 120
"""Most characters of a line that are words; marker and link come on top."""
_READER: Final = Actor(Principal(PrincipalKind.TOOL, "core"), Channel.TOOL)
"""Any program of this project, without any right of its own."""


def core_reader(workspace: Workspace) -> AccessRequest:
    """Returns the question that the read gate answers for core memory: any program, no grants."""
    request = access_request(workspace, _READER, sink=Sink.AGENT)
    return replace(request, grants=(), memberships=frozenset(), purpose="")


def read_places(
    workspace: Workspace, snapshot: Snapshot, places: Sequence[Place], request: AccessRequest
) -> Iterator[StoredRecord]:
    """Yields the chosen records that are still served, whole and undisputed, in their order."""
    wanted = {place.path: place.id for place in places}
    for stored in read_paths(workspace, snapshot, wanted):
        seen = visible_stored(stored, request)
        if seen is None or not seen.path or seen.record.id != wanted[stored.path]:
            continue
        if seen.record.conflicts or not is_for_core(seen.record):
            continue
        if not rests_on_off_source(workspace, snapshot, stored.record, request):
            yield seen


def told_in_core(
    workspace: Workspace, names: Iterable[str], *, commit: str
) -> Mapping[str, StoredRecord]:
    """Returns records as they stood, by id, as far as any program may be served them now.

    Args:
        workspace: The store.
        names: Ids.
        commit: The ledger that they are read from; the present one where it is not known.
    """
    snapshot = workspace.store.snapshot_or_none(commit) if commit else None
    snapshot = snapshot or workspace.store.snapshot()
    wanted, request = frozenset(names), core_reader(workspace)
    entries = (entry for name in sorted(wanted) for entry in snapshot.find_suffix(name))
    read = read_records(workspace, snapshot, ((entry.path, entry.blob) for entry in entries))
    return {
        stored.record.id: stored
        for stored in read
        if stored.record.id in wanted and visible_stored(stored, request) == stored
    }


def core_words(record: Record) -> str:
    """Returns the words of a record's line, on one line; an event begins with its day."""
    words = visible_words(record, LINE_CHARS)
    happened = record.event_time or record.observed
    if record.kind != EVENT_KIND or happened is None:
        return words
    return f"{happened:%Y-%m-%d} {words}"


def core_section(
    workspace: Workspace, question: Query, *, told: Iterable[Section] = ()
) -> Section | None:
    """Returns core memory as whoever asks may see it; ``None`` where there is none to tell.

    Nothing here is in the way of an answer: what cannot be read is left out.

    Args:
        workspace: The store.
        question: Who asks, for where, and on which branch.
        told: What is told already, and is not told twice.
    """
    known = {entry.reference for section in told for entry in section.entries}
    note = read_core_note(workspace)
    if note is None or not note.places:
        return None
    request = access_request(
        workspace,
        question.actor,
        sink=question.sink,
        scopes=question.scopes,
        purpose=question.purpose,
    )
    try:
        snapshot = workspace.store.snapshot()
        found = [
            stored.record
            for stored in read_places(workspace, snapshot, note.places, request)
            if stored.record.reference not in known
            and (not question.branch or stored.record.branch in ("", question.branch))
        ]
    except (StoreError, GitError, DataError, OSError):
        return None
    return section_of(found, beyond=note.left) if found else None


def section_of(records: Iterable[Record], *, beyond: int) -> Section:
    """Returns records as the section of core memory, in the order that is given."""
    return Section(
        name=CORE,
        heading="Core memory:",
        entries=tuple(
            Entry(reference=record.reference, text=_entry_text(record)) for record in records
        ),
        beyond=beyond,
        more="memfs core",
    )


def _entry_text(record: Record) -> str:
    is_confirmed = record.authority is not None and record.authority >= Authority.WORKSPACE
    doubt = "" if is_confirmed else ", nobody has confirmed it"
    return f"> - {escaped_line(core_words(record))} ({record.reference}{doubt})"
