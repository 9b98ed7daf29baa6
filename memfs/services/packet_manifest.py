"""The manifest of a packet: what it was made of, so that it can be made again (A40).

One line a packet in the private cache folder. It holds ids with versions, scores, codes, sizes
and the ledger, and no word of a question or a record. The name of a packet follows from what
decides its text, so that the same packet has the same name on every machine. A manifest opens
nothing: whoever makes a packet again reads every record through the read gate of today, and
what was withdrawn since stays withdrawn.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from memfs.model.ids import PACKET_PREFIX, is_id
from memfs.model.instants import format_instant
from memfs.model.packet import LeftOut, Packet, ScoredRecord, Section
from memfs.model.query import Query
from memfs.model.values import JsonValue
from memfs.services.compile_context import PacketFormat, required_verification
from memfs.services.ports import Workspace
from memfs.services.retrieval_log import LOG_FOLDER, MANIFEST_FILES, append_line, keyed_digest

MANIFEST_FILE, EARLIER_FILE = MANIFEST_FILES
RENDERING: Final = 1
"""Raised whenever the same records would be written otherwise: older packets are told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedItem:
    """One card of a packet, or one entry of a section.

    Attributes:
        reference: ``mem_…@2``.
        store: The store that it came from; empty for the one that answered.
        rank: Of a card: its place in the ranking.
        score: Of a card.
        parts: Of a card: the weighted components of its score.
        section: Of an entry: the name of its section.
        place: Of an entry: which of the things that the record says.
    """

    reference: str
    store: str = ""
    rank: int = 0
    score: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict)
    section: str = ""
    place: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What one packet was made of.

    Attributes:
        id: ``pkt_…``.
        at: When, as text: ages in the packet are measured from it.
        actor: Who asked.
        purpose: Keyed digest of the purpose; empty for none.
        occasion: ``task``, ``session-start`` or ``question``.
        is_named: The text of the packet says its name.
        state: Of the packet.
        reason: Code when that is not ``ok``.
        store: Id of the store that answered.
        ledgers: Commit by store id.
        style: Format of the text.
        rendering: Version of the writer.
        budget: Tokens allowed.
        tokens: Tokens given.
        caps: Largest bytes and lines of one item.
        cards: Best first.
        entries: In the order of the packet.
        beyond: Section name to how many more it names.
        told: Id and code of what the text says was left out.
        left_out: The same of everything that was.
        text: Keyed digest of the text.
    """

    id: str
    at: str
    actor: str
    occasion: str
    is_named: bool
    state: str
    reason: str
    store: str
    ledgers: Mapping[str, str]
    style: str
    rendering: int
    budget: int
    tokens: int
    caps: tuple[int, int]
    cards: tuple[PackedItem, ...] = ()
    entries: tuple[PackedItem, ...] = ()
    beyond: Mapping[str, int] = field(default_factory=dict)
    told: tuple[tuple[str, str], ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    purpose: str = ""
    text: str = ""


def packet_name(workspace: Workspace, query: Query, packet: Packet) -> str:
    """Returns the name of a packet; equal for equal texts, and no digest of any words."""
    now = workspace.clock.now()
    facts: JsonValue = {
        "rendering": RENDERING,
        "store": packet.store,
        "ledger": packet.ledger,
        "state": [str(packet.state), packet.reason],
        "reader": str(query.actor.principal),
        "cards": [
            [
                card.hit.stored.record.reference,
                card.hit.stored.store,
                bool(card.hit.stored.path),
                list(card.hit.stored.record.conflicts),
                required_verification(card.hit.stored.record, now),
            ]
            for card in packet.cards
        ],
        "sections": [
            [section.name, section.beyond, *([it.reference, it.place] for it in section.entries)]
            for section in packet.sections
        ],
        "told": [list(_left(item)) for item in packet.told],
    }
    content = json.dumps(facts, separators=(",", ":"), sort_keys=True).encode("ascii")
    return f"{PACKET_PREFIX}_0{hashlib.sha256(content).hexdigest()[:25]}"


def keep_manifest(
    workspace: Workspace,
    query: Query,
    packet: Packet,
    *,
    ledgers: Mapping[str, str],
    occasion: str,
    is_named: bool,
    style: PacketFormat = PacketFormat.MARKDOWN,
) -> None:
    """Appends the manifest of a packet; where that is not possible, it cannot be made again.

    Args:
        workspace: The store that answered, at the moment that ages are measured from.
        query: The question.
        packet: With its name.
        ledgers: Commit of each store that has a part in it.
        occasion: ``task``, ``session-start`` or ``question``.
        is_named: The text of the packet says its name.
        style: How the text is written.
    """
    caps = workspace.settings.recall
    values = {
        "v": 1,
        "id": packet.id,
        "at": format_instant(workspace.clock.now()),
        "actor": str(query.actor),
        "purpose": keyed_digest(workspace, query.purpose) if query.purpose else "",
        "occasion": occasion,
        "named": is_named,
        "state": str(packet.state),
        "reason": packet.reason,
        "store": packet.store,
        "ledgers": dict(ledgers),
        "style": str(style),
        "rendering": RENDERING,
        "budget": query.budget_tokens,
        "tokens": packet.tokens,
        "caps": [caps.item_bytes, caps.item_lines],
        "cards": [_card(workspace, card.hit) for card in packet.cards],
        "entries": [entry for section in packet.sections for entry in _entries(section)],
        "beyond": {section.name: section.beyond for section in packet.sections if section.beyond},
        "told": [list(_left(item)) for item in packet.told],
        "left_out": [list(_left(item)) for item in packet.left_out],
        "text": keyed_digest(workspace, packet.text),
    }
    line = json.dumps(values, separators=(",", ":")).encode("ascii") + b"\n"
    folder = workspace.cache_dir / LOG_FOLDER
    try:
        append_line(folder / MANIFEST_FILE, folder / EARLIER_FILE, line)
    except OSError:
        return


def read_manifests(workspace: Workspace) -> Iterator[Manifest]:
    """Yields the manifests that are kept, newest first; damaged ones are left out."""
    for name in (MANIFEST_FILE, EARLIER_FILE):
        try:
            lines = (workspace.cache_dir / LOG_FOLDER / name).read_bytes().splitlines()
        except OSError:
            continue
        for line in reversed(lines):
            manifest = _manifest_from(line)
            if manifest is not None:
                yield manifest


def _card(workspace: Workspace, hit: ScoredRecord) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {
        "id": hit.stored.record.reference,
        "rank": hit.rank,
        "score": round(hit.score, 4),
        "parts": {name: round(part, 4) for name, part in hit.components.items()},
    }
    if hit.stored.store not in ("", workspace.store_id):
        values["store"] = hit.stored.store
    return values


def _entries(section: Section) -> Iterator[dict[str, JsonValue]]:
    for entry in section.entries:
        yield {"id": entry.reference, "section": section.name, "place": entry.place}


def _left(item: LeftOut) -> tuple[str, str]:
    """A file's name is made of its title: what is named by it stands there as a file."""
    return (item.id if is_id(item.id) else "file", item.code)


def _manifest_from(line: bytes) -> Manifest | None:
    try:
        values = json.loads(line)
        item_bytes, item_lines = values["caps"]
        return Manifest(
            id=str(values["id"]),
            at=str(values["at"]),
            actor=str(values["actor"]),
            purpose=str(values["purpose"]),
            occasion=str(values["occasion"]),
            is_named=bool(values["named"]),
            state=str(values["state"]),
            reason=str(values["reason"]),
            store=str(values["store"]),
            ledgers={str(store): str(commit) for store, commit in values["ledgers"].items()},
            style=str(values["style"]),
            rendering=int(values["rendering"]),
            budget=int(values["budget"]),
            tokens=int(values["tokens"]),
            caps=(int(item_bytes), int(item_lines)),
            cards=tuple(_item_from(item) for item in values["cards"]),
            entries=tuple(_item_from(item) for item in values["entries"]),
            beyond={str(name): int(number) for name, number in values["beyond"].items()},
            told=_pairs(values["told"]),
            left_out=_pairs(values["left_out"]),
            text=str(values["text"]),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _item_from(values: Mapping[str, JsonValue]) -> PackedItem:
    parts = values.get("parts", {})
    if not isinstance(parts, Mapping):
        raise TypeError("expected the parts of a score")
    return PackedItem(
        reference=str(values["id"]),
        store=str(values.get("store", "")),
        rank=int(str(values.get("rank", 0))),
        score=float(str(values.get("score", 0.0))),
        parts={str(name): float(str(part)) for name, part in parts.items()},
        section=str(values.get("section", "")),
        place=int(str(values.get("place", 0))),
    )


def _pairs(values: Sequence[Sequence[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((str(name), str(code)) for name, code in values)
