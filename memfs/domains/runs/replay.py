"""Makes a packet again from its manifest, as far as it may still be read (A40).

Each record is read as it was in the ledger of the packet and put to the read gate of today, with
the rights of whoever was given the packet: what was withdrawn, closed or erased since does not
come back, and the packet then says what is missing. A program makes its own packets again and
nobody else's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memfs.domains.runs.work_sections import (
    OPEN_ISSUES,
    OWN_NEXT_STEPS,
    OWN_RUN,
    issue_section,
    run_sections,
)
from memfs.errors import ConflictError
from memfs.model.graph import EDGE_KIND
from memfs.model.ids import is_id, split_version
from memfs.model.instants import parse_instant
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.packet import Card, LeftOut, MemoryState, ScoredRecord, Section
from memfs.model.record import StoredRecord
from memfs.model.scope import GLOBAL_SCOPE, Scope
from memfs.policy.access import is_trusted
from memfs.policy.masking import visible_stored
from memfs.policy.namespaces import actor_beside
from memfs.services.beside import Beside
from memfs.services.compile_context import PacketFormat, PacketWriter
from memfs.services.core_view import CORE, section_of
from memfs.services.edge_ends import Sight, has_hidden_end
from memfs.services.federation import Instant
from memfs.services.gate import access_request
from memfs.services.kept_packets import Manifest, PackedItem, read_manifests
from memfs.services.links import still_open, with_open_links
from memfs.services.modes import require_serving
from memfs.services.off_sources import rests_on_off_source
from memfs.services.ports import Workspace
from memfs.services.recall import RecallOutcome
from memfs.services.retrieval_log import keyed_digest
from memfs.services.served_records import read_path, record_from
from memfs.services.standing_sections import STANDING
from memfs.store.snapshot import Snapshot

GONE = "replay.not-served"
OTHER_VERSION = "replay.other-version"


class UnknownPacketError(ConflictError):
    """No such packet is kept, or it was somebody else's: the two are not told apart."""

    code = "conflict.unknown-packet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A packet that was made again.

    Attributes:
        manifest: What it was made of.
        text: The packet; without what may not be read any more.
        is_identical: Whether the text is the one that was given, byte for byte.
        missing: What is not in it any more, and why; told to a person alone.
    """

    manifest: Manifest
    text: str
    is_identical: bool
    missing: tuple[LeftOut, ...] = ()


def replay(workspace: Workspace, beside: Beside, identifier: str, actor: Actor) -> Replay:
    """Makes the packet of that name again; an empty name stands for the last one.

    Raises:
        UnknownPacketError: None is kept, or none that this actor was given.
        MemoryModeError: Nothing is served to this actor.
    """
    require_serving(workspace, actor)
    manifest = _find(workspace, identifier, actor)
    reader = _reader_of(manifest, actor)
    moment = replace(workspace, clock=Instant(parse_instant(manifest.at)))
    found = _Records(workspace, beside, manifest, reader)
    cards = [(item, found.record(item)) for item in manifest.cards]
    hits = [
        ScoredRecord(stored=stored, score=item.score, components=item.parts, rank=item.rank)
        for item, stored in cards
        if stored is not None
    ]
    outcome = RecallOutcome(
        hits=tuple(hits),
        left_out=(),
        state=MemoryState(manifest.state),
        reason=manifest.reason,
        ledger=manifest.ledgers.get(manifest.store, ""),
    )
    caps = replace(
        workspace.settings.recall, item_bytes=manifest.caps[0], item_lines=manifest.caps[1]
    )
    settled = replace(moment, settings=replace(workspace.settings, recall=caps))
    writer = PacketWriter(settled, outcome, PacketFormat(manifest.style))
    writer.identifier = manifest.id if manifest.is_named else ""
    told = [
        LeftOut(id=name, code=code, message="")
        for name, code in manifest.told
        if is_trusted(actor) or found.may_be_named(name)
    ]
    rendered = [writer.card(hit, number) for number, hit in enumerate(hits, start=1)]
    text = writer.text(
        [Card(hit=hit, text=body, tokens=0) for hit, body in zip(hits, rendered, strict=True)],
        told,
        _sections(manifest, found),
    )
    same = bool(manifest.text) and keyed_digest(workspace, text) == manifest.text
    if not is_trusted(actor):
        return Replay(manifest=found.narrowed(told), text=text, is_identical=same)
    return Replay(
        manifest=manifest, text=text, is_identical=same, missing=tuple(found.missing.values())
    )


def _find(workspace: Workspace, identifier: str, actor: Actor) -> Manifest:
    for manifest in read_manifests(workspace):
        is_own = manifest.actor == str(actor)
        if (is_own or is_trusted(actor)) and identifier in ("", manifest.id):
            return manifest
    raise UnknownPacketError(
        f"no packet {identifier!r} is kept" if identifier else "no packet is kept yet",
        hint="packets are made by: memfs context --task TEXT",
    )


def _reader_of(manifest: Manifest, actor: Actor) -> Actor:
    """Returns with whose rights a packet is read: those of whoever was given it.

    A program is given its own packets alone, so that a manifest can lend it nothing.
    """
    if not is_trusted(actor):
        return actor
    name, _, channel = manifest.actor.rstrip(")").partition(" (")
    try:
        return Actor(Principal.parse(name), Channel(channel))
    except ValueError as error:
        raise UnknownPacketError("the packet names nobody who was given it") from error


class _Records:
    """The records of one packet, as they were, as far as they may be read today."""

    def __init__(
        self, workspace: Workspace, beside: Beside, manifest: Manifest, reader: Actor
    ) -> None:
        self.missing: dict[str, LeftOut] = {}
        self._workspace = workspace
        self._beside = beside
        self._manifest = manifest
        self._reader = reader

    def record(self, item: PackedItem) -> StoredRecord | None:
        """Returns the record of an item; ``None``, and a reason, where it may not be read."""
        if item.store and item.store != self._manifest.store:
            commit = self._manifest.ledgers.get(item.store, "")
            found = self._beside.ask(lambda other: self._beside_record(other, item, commit))
        else:
            commit = self._manifest.ledgers.get(self._manifest.store, "")
            found = _as_it_was(self._workspace, item, commit, self._reader, scopes=())
        if found is None or isinstance(found, str):
            self._miss(item, found or GONE)
            return None
        return found

    def may_be_named(self, identifier: str) -> bool:
        """Tells whether the reader may know of a record today; of a store beside, never."""
        head = self._workspace.store.snapshot()
        request = access_request(self._workspace, self._reader)
        return any(
            stored is not None
            and stored.record.id == identifier
            and visible_stored(stored, request) is not None
            for entry in head.find_suffix(identifier)
            if is_id(identifier)
            for stored in (read_path(self._workspace, head, entry.path),)
        )

    def narrowed(self, told: Sequence[LeftOut]) -> Manifest:
        """Returns the manifest without the names of what may not be read any more."""

        def kept(items: tuple[PackedItem, ...]) -> tuple[PackedItem, ...]:
            names = (split_version(item.reference)[0] for item in items)
            pairs = zip(items, names, strict=True)
            return tuple(item for item, name in pairs if name not in self.missing)

        return replace(
            self._manifest,
            cards=kept(self._manifest.cards),
            entries=kept(self._manifest.entries),
            told=tuple((item.id, item.code) for item in told),
            left_out=tuple(pair for pair in self._manifest.left_out if self.may_be_named(pair[0])),
        )

    def _beside_record(self, other: Workspace, item: PackedItem, commit: str) -> StoredRecord | str:
        if str(other.store_id) != item.store:
            return GONE
        asker = actor_beside(self._reader, other.settings.trust)
        return _as_it_was(other, item, commit, asker, scopes=(GLOBAL_SCOPE,))

    def _miss(self, item: PackedItem, code: str) -> None:
        identifier = split_version(item.reference)[0]
        words = {
            GONE: "it is not served any more",
            OTHER_VERSION: "the ledger of that moment is gone, and the record says otherwise now",
        }
        self.missing[identifier] = LeftOut(id=identifier, code=code, message=words[code])


def _as_it_was(
    workspace: Workspace,
    item: PackedItem,
    commit: str,
    reader: Actor,
    *,
    scopes: tuple[Scope, ...],
) -> StoredRecord | str:
    """Returns a record of an earlier ledger as it may be seen now, or the code of why not.

    ``scopes`` are those of the ends that an edge may be called by; empty for all.
    """
    head = workspace.store.snapshot()
    then = workspace.store.snapshot_or_none(commit) if commit else None
    snapshot = then or head
    stored = _at(workspace, snapshot, item.reference)
    if stored is None:
        return GONE if then is not None else OTHER_VERSION
    request = access_request(workspace, reader)
    seen = visible_stored(stored, request)
    if seen is None or rests_on_off_source(workspace, snapshot, stored.record, request):
        return GONE
    allowed = still_open(workspace, head, stored, seen, request)
    if allowed is None:
        return GONE
    linked = with_open_links(workspace, snapshot, allowed, request, head=head)
    if linked.record.kind != EDGE_KIND:
        return linked
    is_past = snapshot.commit != head.commit
    if has_hidden_end(workspace, head, linked.record, request, is_past=is_past):
        return GONE
    sight = Sight(
        workspace=workspace,
        snapshot=snapshot,
        request=replace(request, scopes=scopes),
        head=head if is_past else None,
    )
    return sight.in_words(linked) or GONE


def _at(workspace: Workspace, snapshot: Snapshot, reference: str) -> StoredRecord | None:
    identifier, _ = split_version(reference)
    for entry in snapshot.find_suffix(identifier):
        stored = record_from(workspace, entry.path, entry.blob, snapshot.read_blob(entry.blob))
        if stored is not None and stored.record.reference == reference:
            return stored
    return None


def _sections(manifest: Manifest, found: _Records) -> list[Section]:
    """Returns the sections of a packet with the entries that may still be read."""
    by_section: dict[str, list[PackedItem]] = {}
    for entry in manifest.entries:
        by_section.setdefault(entry.section, []).append(entry)
    read: dict[str, StoredRecord | None] = {}
    for entry in manifest.entries:
        if entry.reference not in read:
            read[entry.reference] = found.record(entry)
    sections = []
    for name, items in by_section.items():
        records = {
            item.reference: stored for item in items if (stored := read[item.reference]) is not None
        }
        section = _section(name, items, records, manifest.beyond)
        if section is not None:
            sections.append(section)
    return sections


def _section(
    name: str,
    items: Iterable[PackedItem],
    found: Mapping[str, StoredRecord],
    beyond: Mapping[str, int],
) -> Section | None:
    wanted = [(item.reference, item.place) for item in items if item.reference in found]
    if not wanted:
        return None
    more = beyond.get(name, 0)
    if name in STANDING:
        return STANDING[name]([found[reference] for reference, _ in wanted], beyond=more)
    records = {reference: stored.record for reference, stored in found.items()}
    if name == CORE:
        return section_of([records[reference] for reference, _ in wanted], beyond=more)
    if name == OPEN_ISSUES:
        return issue_section([records[reference] for reference, _ in wanted], beyond=more)
    is_own = name in (OWN_RUN, OWN_NEXT_STEPS)
    for section in run_sections(records[wanted[0][0]], is_own=is_own):
        if section.name == name:
            entries = (item for item in section.entries if (item.reference, item.place) in wanted)
            return replace(section, entries=tuple(entries), beyond=more)
    return None
