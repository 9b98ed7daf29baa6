"""The words of a role's packet: inside the fence of every packet, evidence apart from memory.

Whatever a memory says is quoted line by line; whatever stands outside a quotation is of this
build, an id, or one escaped line. Cards are whole: one that is too large is named, not cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from memfs.domains.roles.answers import memory_value
from memfs.domains.roles.packets.packet_cuts import Caution, RoleCard
from memfs.domains.roles.packets.packets import Gate, Named, RolePacket
from memfs.model.graph import EDGE_KIND
from memfs.model.instants import format_instant
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import (
    SUMMARY_KIND,
    Profile,
    anchors_of,
    number_of,
    plain_anchor,
    profile_of,
    role_of,
)
from memfs.model.settings import RecallSettings
from memfs.model.values import JsonValue
from memfs.policy.relations import ends_of_edge, is_pressure
from memfs.policy.role_cuts import CUTS, Sort
from memfs.services.compile_context import SESSION_CAP, tokens_of
from memfs.services.packet_text import CLOSING, PREAMBLE, escaped, escaped_line, opening, quoted

_VERSION: Final = "1"
MOST_SAID: Final = 3
"""Ids of what waits for one reason, and of receipts, that a text names; the value names more."""
_SAID: Final = (
    ("question", "question"),
    ("tension", "tension"),
    ("implication", "follows"),
    ("words", "would say"),
)
LIKENESS: Final = "likeness, no proof"


def with_text(packet: RolePacket, caps: RecallSettings, spent_bytes: int) -> RolePacket:
    """Returns a packet with its text, within the bytes that a session has left.

    Cards that are too large for any packet, or for what is left, are dropped from the end, whole.
    """
    most = max(0, caps.session_bytes - spent_bytes)
    fitting = tuple(card for card in packet.cards if _is_small(card, packet, caps))
    packet = _without(packet, fitting)
    while True:
        text = _text(packet)
        if len(text.encode("utf-8", "surrogatepass")) <= most:
            return replace(packet, text=text, tokens=tokens_of(text))
        packet = replace(packet, reason=SESSION_CAP)
        if not packet.cards:
            return packet
        packet = _without(packet, packet.cards[:-1])


def _is_small(card: RoleCard, packet: RolePacket, caps: RecallSettings) -> bool:
    text = "\n".join(_card(card, packet))
    size = len(text.encode("utf-8", "surrogatepass"))
    return size <= caps.item_bytes and text.count("\n") < caps.item_lines


def _without(packet: RolePacket, kept: tuple[RoleCard, ...]) -> RolePacket:
    """Returns a packet with fewer cards; those that went are counted as beyond it."""
    if len(kept) == len(packet.cards):
        return packet
    beyond = dict(packet.beyond)
    for card in packet.cards:
        if card not in kept:
            beyond[card.lane] = beyond.get(card.lane, 0) + 1
    return replace(packet, cards=kept, beyond=beyond)


def _text(packet: RolePacket) -> str:
    lines = [*_beside(packet), *_cards(packet)]
    if not lines:
        return ""
    head = opening(
        version=_VERSION,
        store=packet.store,
        ledger=packet.ledger[:12],
        state="ok",
        role=packet.role or "all",
        kind=packet.kind,
    )
    rest = [f"- {count} more: {lane}" for lane, count in packet.beyond.items()]
    return "\n".join([head, PREAMBLE, *lines, *rest, CLOSING]) + "\n"


def _beside(packet: RolePacket) -> Iterator[str]:
    for caution in packet.cautions:
        yield f"- warning ({caution.code}): {_told(caution)}"
    named = (
        ("owed", packet.obligations),
        ("leads to nothing that may be seen", packet.missing),
        ("done to it", _first(packet.receipts.ids, packet.receipts.beyond)),
    )
    for words, listed in named:
        if listed.ids:
            yield f"- {words}: {_listed(listed)}"
    yield from _waiting(packet.gates)
    if packet.gates_beyond:
        yield f"- {packet.gates_beyond} more wait"
    for code, count in packet.withheld.items():
        yield f"- held back ({code}): {count}"


def _waiting(gates: Iterable[Gate]) -> Iterator[str]:
    """Yields a line for each reason to wait: a reader wants to know that, and where to look."""
    alike: dict[tuple[str, str], list[str]] = {}
    for gate in gates:
        alike.setdefault((gate.code, gate.message), []).append(gate.id)
    for (code, message), ids in alike.items():
        yield f"- waits ({escaped_line(code)}): {message}: {_listed(_first(ids))}"


def _first(ids: Sequence[str], beyond: int = 0) -> Named:
    return Named(ids=tuple(ids[:MOST_SAID]), beyond=beyond + max(0, len(ids) - MOST_SAID))


def _told(caution: Caution) -> str:
    if not caution.ids:
        return caution.message
    return f"{caution.message}: {_listed(Named.of(caution.ids))}"


def _listed(named: Named) -> str:
    more = (f"{named.beyond} more",) if named.beyond else ()
    return ", ".join((*map(plain, named.ids), *more))


def plain(text: str) -> str:
    """Returns an id or an anchor as it is, and anything else escaped and in quotation marks."""
    return plain_anchor(escaped_line(text))


def _cards(packet: RolePacket) -> Iterator[str]:
    lane = ""
    for number, card in enumerate(packet.cards, start=1):
        if card.lane != lane:
            lane = card.lane
            yield f"\n{lane}"
        head, *rest = _card(card, packet)
        yield from (f"{number}. {head}", *rest)


def entries(packet: RolePacket) -> list[str]:
    """Returns a packet as entries of a list, without a fence: what goes beside it, then cards."""
    beside = "\n".join(_beside(packet))
    cards = ["\n".join(_card(card, packet)) for card in packet.cards]
    return [beside, *cards] if beside else cards


def _card(card: RoleCard, packet: RolePacket) -> Iterator[str]:
    record = card.record
    if CUTS[packet.kind].is_public:
        yield f"{record.reference} · to say; nobody has said it"
        yield quoted(text_field(record, "words"))
        return
    whose = () if packet.role else (escaped_line(role_of(record)),)
    yield " · ".join((*_head(card), *whose))
    if card.sort is Sort.RECEIPT:
        targets = Named.of(texts_field(record, "targets"))
        if targets.ids:
            yield f"   of: {_listed(targets)}"
        return
    yield from (f"   {line}" for line in anchor_lines(record))
    if card.against:
        yield f"   contradicted by: {_listed(Named.of(card.against))}"
    if card.seams:
        yield f"   check by: {_listed(Named.of(card.seams))}"
    if card.sort is Sort.SUMMARY:
        yield from _counts(record)
    yield quoted("\n".join(_content(record)))


def _head(card: RoleCard) -> Iterator[str]:
    record = card.record
    yield record.reference
    is_memory = card.sort is Sort.MEMORY
    yield escaped_line(text_field(record, "profile")) if is_memory else str(card.sort)
    match card.sort:
        case Sort.RECEIPT:
            yield escaped_line(text_field(record, "operation"))
            if record.observed is not None:
                yield format_instant(record.observed)
            return
        case Sort.EDGE:
            start, relation, end = ends_of_edge(record)
            yield f"{plain(start)} {escaped_line(relation)} {plain(end)}"
            if is_pressure(record):
                yield LIKENESS
        case Sort.MEMORY:
            yield escaped_line(text_field(record, "lifecycle"))
            yield f"salience {number_of(record, 'salience'):.2f}"
            if profile_of(record) is Profile.AGENCY_PRESSURE:
                yield f"intensity {number_of(record, 'intensity'):.2f}"
            if card.readiness:
                yield f"{escaped_line(text_field(record, 'intent'))}: {card.readiness}"
    yield f"confidence {record.confidence or 0.0:.2f}"
    if card.is_stale:
        yield "stale"


def anchor_lines(record: Record) -> Iterator[str]:
    """Yields what a memory rests on: evidence, and apart from it what is only remembered (E44)."""
    anchors = anchors_of(record)
    if anchors.evidence:
        yield f"evidence: {_listed(Named.of(anchors.evidence))}"
    if anchors.remembered:
        yield f"remembered: {_listed(Named.of(anchors.remembered))}"
    if anchors.is_missing:
        yield "no anchor"


def _counts(record: Record) -> Iterator[str]:
    numbers = (f"{name} {number_of(record, name):g}" for name in _COUNTED)
    yield f"   counts: {', '.join(numbers)}"
    omissions = texts_field(record, "omissions")
    if omissions:
        yield f"   left out: {_listed(Named.of(omissions))}"


_COUNTED: Final = ("anchor_count", "supports", "contradicts")


def _content(record: Record) -> Iterator[str]:
    """Yields what a memory, a summary or an edge says, a part a line."""
    if record.kind == EDGE_KIND:
        yield escaped(text_field(record, "claim"))
        return
    yield record.title
    topic = text_field(record, "topic")
    about = f"{text_field(record, 'target')}, {topic}" if topic else text_field(record, "target")
    yield f"about: {about}"
    for name, called in _SAID:
        if text_field(record, name):
            yield f"{called}: {text_field(record, name)}"
    if record.body.strip():
        yield record.body.strip("\n")


# As data -------------------------------------------------------------------------------------


def packet_value(packet: RolePacket) -> dict[str, JsonValue]:
    """Returns a packet as plain data: what ``--json`` prints, and its text."""
    is_public = CUTS[packet.kind].is_public
    anchors = [anchors_of(card.record) for card in packet.cards if not is_public]
    evidence = dict.fromkeys(item for part in anchors for item in part.evidence)
    remembered = dict.fromkeys(item for part in anchors for item in part.remembered)
    return {
        "role": packet.role,
        "kind": str(packet.kind),
        "budget": packet.budget,
        "store": packet.store,
        "ledger": packet.ledger,
        "cards": [_card_value(card, is_public=is_public) for card in packet.cards],
        "anchors": {"evidence": list(evidence), "remembered": list(remembered)},
        "warnings": [
            {"code": str(item.code), "message": item.message, **_named_value(Named.of(item.ids))}
            for item in packet.cautions
        ],
        "missing": _named_value(packet.missing),
        "obligations": _named_value(packet.obligations),
        "receipts": _named_value(packet.receipts),
        "gates": [
            {"id": gate.id, "code": gate.code, "message": gate.message} for gate in packet.gates
        ],
        "gates_beyond": packet.gates_beyond,
        "beyond": dict(packet.beyond),
        "withheld": dict(packet.withheld),
        "reason": packet.reason,
        "tokens": packet.tokens,
        "text": packet.text,
    }


def receipt_value(record: Record) -> dict[str, JsonValue]:
    """Returns a receipt as plain data: what was done, to what, when."""
    return {
        "id": record.id,
        "operation": text_field(record, "operation"),
        "targets": list(texts_field(record, "targets")),
        "at": format_instant(record.observed) if record.observed else "",
    }


def _named_value(named: Named) -> dict[str, JsonValue]:
    return {"ids": list(named.ids), "beyond": named.beyond}


def _card_value(card: RoleCard, *, is_public: bool) -> JsonValue:
    record = card.record
    head: dict[str, JsonValue] = {
        "lane": card.lane,
        "sort": str(card.sort),
        "role": role_of(record),
    }
    if is_public:
        return {
            **head,
            "id": record.id,
            "version": record.version,
            "words": text_field(record, "words"),
        }
    if card.sort is Sort.RECEIPT:
        return {**head, **receipt_value(record)}
    value: dict[str, JsonValue] = {**head, **memory_value(record), "is_stale": card.is_stale}
    value["confidence"] = record.confidence
    if card.sort is Sort.EDGE:
        start, relation, end = ends_of_edge(record)
        return {
            **value,
            "from": start,
            "relation": relation,
            "to": end,
            "claim": text_field(record, "claim"),
            "is_proof": not is_pressure(record),
        }
    value |= {"claim": record.title, "salience": number_of(record, "salience")}
    for name in ("target", "topic", "question", "tension", "implication"):
        value[name] = text_field(record, name)
    if record.kind == SUMMARY_KIND:
        value |= {name: number_of(record, name) for name in _RANGES}
        value |= {name: list(texts_field(record, name)) for name in ("covers_nodes", "omissions")}
        return value
    if card.readiness:
        value |= {name: text_field(record, name) for name in ("intent", "words")}
        value["readiness"] = card.readiness
    return {**value, "against": list(card.against), "seams": list(card.seams)}


_RANGES: Final = (
    *_COUNTED,
    "salience_least",
    "salience_most",
    "confidence_least",
    "confidence_most",
    "saturation",
)
