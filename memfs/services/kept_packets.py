"""Reads the manifests of packets again; see ``memfs.services.packet_manifest``, which writes them.

A module of its own, since a question writes one and never reads any.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from memfs.model.frozen import frozen
from memfs.model.values import JsonValue
from memfs.services.packet_manifest import EARLIER_FILE, MANIFEST_FILE
from memfs.services.ports import Workspace
from memfs.services.retrieval_log import LOG_FOLDER


@frozen
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


@frozen
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
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
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
