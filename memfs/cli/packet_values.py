"""A packet that was made again, with its manifest, as plain data: what ``--json`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.domains.runs.replay import Replay
    from memfs.services.kept_packets import Manifest, PackedItem


def replay_value(found: Replay) -> JsonValue:
    """Returns a packet that was made again."""
    return {
        "id": found.manifest.id,
        "text": found.text,
        "is_identical": found.is_identical,
        "missing": [{"id": item.id, "code": item.code} for item in found.missing],
        "manifest": manifest_value(found.manifest),
    }


def manifest_value(manifest: Manifest) -> JsonValue:
    """Returns what a packet was made of."""
    return {
        "id": manifest.id,
        "at": manifest.at,
        "actor": manifest.actor,
        "occasion": manifest.occasion,
        "state": manifest.state,
        "reason": manifest.reason,
        "store": manifest.store,
        "ledgers": dict(manifest.ledgers),
        "budget": manifest.budget,
        "tokens": manifest.tokens,
        "records": [_item(item) for item in manifest.cards],
        "entries": [
            {"id": item.reference, "section": item.section, "place": item.place}
            for item in manifest.entries
        ],
        "beyond": dict(manifest.beyond),
        "left_out": _pairs(manifest.left_out),
    }


def _item(item: PackedItem) -> JsonValue:
    return {
        "id": item.reference,
        "rank": item.rank,
        "score": item.score,
        "parts": dict(item.parts),
        "store": item.store,
    }


def _pairs(pairs: Sequence[tuple[str, str]]) -> list[JsonValue]:
    return [{"id": name, "code": code} for name, code in pairs]
