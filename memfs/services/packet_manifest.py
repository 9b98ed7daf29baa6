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
from collections.abc import Iterator, Mapping
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
        "entries": [entry for section in packet.sections for entry in _entries(workspace, section)],
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


def _entries(workspace: Workspace, section: Section) -> Iterator[dict[str, JsonValue]]:
    for entry in section.entries:
        beside = entry.store not in ("", workspace.store_id)
        yield {
            "id": entry.reference,
            "section": section.name,
            "place": entry.place,
            **({"store": entry.store} if beside else {}),
        }


def _left(item: LeftOut) -> tuple[str, str]:
    """A file's name is made of its title: what is named by it stands there as a file."""
    return (item.id if is_id(item.id) else "file", item.code)
