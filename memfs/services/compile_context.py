"""Packs what was recalled into one fenced text within a hard budget (A17, A94).

Records are packed whole or not at all, in rank order; what does not fit is named with the
reason. The budget is checked on the final text, in tokens of four UTF-8 bytes, fence and
preamble included. Nothing in a packet permits anything, and every card says where it comes
from, how old it is and what should be verified.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

from memfs.model.authority import Authority
from memfs.model.frozen import frozen
from memfs.model.graph import EDGE_KIND
from memfs.model.ids import PACKET_PREFIX
from memfs.model.instants import format_instant
from memfs.model.packet import Card, LeftOut, MemoryState, Packet, ScoredRecord, Section
from memfs.model.query import Query
from memfs.model.record import Record
from memfs.model.role import told_text
from memfs.model.settings import RecallSettings
from memfs.model.values import JsonValue
from memfs.policy.conflicts import is_newer, is_observation
from memfs.services.card_words import standing, worth
from memfs.services.packet_sections import Chosen, section_lines, section_values
from memfs.services.packet_text import CLOSING, PREAMBLE, escaped, escaped_line, opening, quoted
from memfs.services.ports import Workspace
from memfs.services.recall import RecallOutcome

BYTES_A_TOKEN: Final = 4
STALE_AFTER_S: Final = 86_400
NAMED_LEFT_OUT: Final = 5
_VERSION: Final = "1"
BUDGET: Final = "packet.budget"
SESSION_CAP: Final = "packet.session-cap"
Identify: TypeAlias = Callable[[Packet], str]
"""Names a packet by what it is made of."""
UNNAMED: Final = f"{PACKET_PREFIX}_{'0' * 26}"
"""As long as any name, for measuring."""


class PacketFormat(StrEnum):
    """How a packet is written."""

    MARKDOWN = "markdown"
    JSON = "json"
    TEXT = "text"


def compile_packet(
    workspace: Workspace,
    outcome: RecallOutcome,
    query: Query,
    *,
    format: PacketFormat | str = PacketFormat.MARKDOWN,  # noqa: A002
    sections: Sequence[Section] = (),
    spent_bytes: int = 0,
    identify: Identify | None = None,
) -> Packet:
    """Returns the packet of an outcome; its text never exceeds the budget of the query.

    Args:
        workspace: The store that answered.
        outcome: What was found.
        query: The question, for its budget.
        format: ``markdown``, ``json`` or ``text``.
        sections: How work stands; it goes first and gets at most half of the budget, and what
            the cards leave.
        spent_bytes: What this session was given before.
        identify: Names the packet by what it is made of; the name stands in its fence.
    """
    writer = PacketWriter(workspace, outcome, PacketFormat(format))
    writer.identifier = UNNAMED if identify else ""
    budget = _budget(workspace, query, spent_bytes)
    chosen = Chosen(sections)
    chosen.fill(lambda: tokens_of(writer.text([], [], chosen.sections)) <= budget.tokens // 2)
    cards, left_out = _fitting_cards(writer, outcome, chosen, budget, workspace.settings.recall)
    chosen.fill(lambda: tokens_of(writer.text(cards, [], chosen.sections)) <= budget.tokens)
    left_out += [budget.left(name, "") for name in chosen.left]
    told = _fitting(writer, cards, left_out, chosen.sections, budget.tokens)
    is_empty = not cards and not chosen.sections and bool(outcome.hits or sections)
    packet = Packet(
        cards=tuple(cards),
        left_out=tuple(left_out),
        state=outcome.state,
        reason=outcome.reason or (budget.nothing if is_empty else ""),
        ledger=outcome.ledger,
        store=workspace.store_id,
        tokens=0,
        text="",
        sections=chosen.sections,
        told=tuple(told or ()),
    )
    if told is None:
        return packet
    if identify is not None:
        writer.identifier = identify(packet)
    text = writer.text(cards, told, chosen.sections)
    name = writer.identifier if text else ""
    return replace(packet, text=text, tokens=tokens_of(text), id=name)


@frozen(kw_only=False)
class _Budget:
    """How large a packet may be, and the code of what makes it no larger."""

    tokens: int
    code: str

    def left(self, name: str, how_much: str) -> LeftOut:
        """Returns why something is not in the packet."""
        message = f"{how_much}more than the budget of {self.tokens} allows"
        return LeftOut(id=name, code=self.code, message=message)

    @property
    def nothing(self) -> str:
        """The code of a packet in which nothing fits."""
        return "packet.nothing-fits" if self.code == BUDGET else self.code


def _budget(workspace: Workspace, query: Query, spent_bytes: int) -> _Budget:
    rest = max(0, workspace.settings.recall.session_bytes - spent_bytes) // BYTES_A_TOKEN
    is_own = query.budget_tokens <= rest
    return _Budget(query.budget_tokens if is_own else rest, BUDGET if is_own else SESSION_CAP)


def _fitting_cards(
    writer: PacketWriter,
    outcome: RecallOutcome,
    chosen: Chosen,
    budget: _Budget,
    caps: RecallSettings,
) -> tuple[list[Card], list[LeftOut]]:
    """Returns the cards that fit beside what was chosen, and why the others do not."""
    cards: list[Card] = []
    left_out = list(outcome.left_out)
    for hit in outcome.hits:
        text = writer.card(hit, len(cards) + 1)
        card = Card(hit=hit, text=text, tokens=tokens_of(text))
        reason = _too_large(hit.stored.record, text, caps)
        whole = writer.text([*cards, card], [], chosen.sections)
        if reason is None and tokens_of(whole) > budget.tokens:
            reason = budget.left(hit.stored.record.id, f"{card.tokens} tokens ")
        if reason is None:
            cards.append(card)
        else:
            left_out.append(reason)
    return cards, left_out


def tokens_of(text: str) -> int:
    """Returns the estimated size: four UTF-8 bytes a token, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_A_TOKEN)


def _fitting(
    writer: PacketWriter,
    cards: Sequence[Card],
    left_out: Sequence[LeftOut],
    sections: Sequence[Section],
    budget: int,
) -> Sequence[LeftOut] | None:
    """Returns what is told of what was left out; ``None`` where not even the rest fits."""
    for candidate in (left_out, ()):
        if tokens_of(writer.text(cards, candidate, sections)) <= budget:
            return candidate
    return None


def _too_large(record: Record, text: str, caps: RecallSettings) -> LeftOut | None:
    size, lines = len(text.encode("utf-8", "surrogatepass")), text.count("\n") + 1
    if size <= caps.item_bytes and lines <= caps.item_lines:
        return None
    return LeftOut(
        id=record.id,
        code="packet.item-size",
        message=f"{size} bytes and {lines} lines; read it with: memfs show {record.id}",
    )


class PacketWriter:
    """Writes cards and whole packets in one format."""

    def __init__(self, workspace: Workspace, outcome: RecallOutcome, style: PacketFormat) -> None:
        self.identifier = ""
        self._outcome = outcome
        self._style = style
        self._now = workspace.clock.now()
        self._store = str(workspace.store_id)
        self._caps = workspace.settings.recall
        hits = (hit.stored.record for hit in outcome.hits)
        self._observations = tuple(record for record in hits if is_observation(record))

    def card(self, hit: ScoredRecord, number: int) -> str:
        """Returns one record, whole."""
        if self._style is PacketFormat.JSON:
            return _json(self._values(hit))
        record = hit.stored.record
        notes = [
            f"{number}. {' · '.join(self._identity(hit))}",
            f"   {' · '.join(self._provenance(record))}",
            *(f"   {note}" for note in self._notes(record)),
        ]
        return "\n".join([*notes, quoted(self._content(record))])

    def text(
        self,
        cards: Sequence[Card],
        left_out: Sequence[LeftOut],
        sections: Sequence[Section] = (),
    ) -> str:
        """Returns the packet; empty when there is nothing to say."""
        state = self._outcome.state
        degraded = state not in (MemoryState.OK, MemoryState.EMPTY)
        if not cards and not sections and not degraded:
            return ""
        named = {"packet": self.identifier} if self.identifier else {}
        head = opening(
            version=_VERSION,
            store=self._store,
            ledger=self._outcome.ledger[:12],
            state=self._outcome.state,
            **named,
        )
        if self._style is PacketFormat.JSON:
            return f"{head}\n{self._json_packet(cards, left_out, sections)}\n{CLOSING}\n"
        parts = [head]
        if cards or sections:
            parts.append(PREAMBLE)
        if degraded:
            parts.append(f"memory state: {self._outcome.state} ({self._outcome.reason})")
        parts.extend(section_lines(sections))
        parts.extend(f"\n{card.text}" for card in cards)
        if left_out:
            parts.append(f"\n{_left_out_line(left_out)}")
        return "\n".join([*parts, CLOSING]) + "\n"

    def _content(self, record: Record) -> str:
        """Returns title and body, or title and summary for a record over the size of an item."""
        # What an edge says is its title: its fields name its ends by id.
        fields = "" if record.kind == EDGE_KIND else told_text(record)
        said = (record.summary, fields) if record.field_text else ()
        body = record.body.strip("\n") or "\n".join(filter(None, said))
        is_long = (
            len(body.encode("utf-8", "surrogatepass")) > self._caps.item_bytes
            or body.count("\n") >= self._caps.item_lines
        )
        if record.summary and (is_long or not body):
            body = f"{record.summary}\n(summary; the whole: memfs show {record.id})"
        title = record.title
        if not title or body.lstrip("# ").startswith(title.rstrip("…")):
            return body or title
        return f"{title}\n\n{body}" if body else title

    def _identity(self, hit: ScoredRecord) -> list[str]:
        """Names a record, and its store where that is not the one that the packet names."""
        record, store = hit.stored.record, hit.stored.store or self._store
        named = [record.reference, record.kind, *filter(None, (standing(record),)), _scope(record)]
        return named if store == self._store else [*named, escaped_line(store)]

    def _provenance(self, record: Record) -> list[str]:
        return [*worth(record), *(f"{name} {value}" for name, value in _times(record).items())]

    def _notes(self, record: Record) -> list[str]:
        notes = []
        if record.conflicts:
            notes.append(f"CONFLICT: other records say otherwise: {', '.join(record.conflicts)}")
        verification = self._verification(record)
        if verification:
            notes.append(f"verify: {verification}")
        if record.origin and record.origin.source:
            notes.append(f"source: {escaped_line(record.origin.source)}")
        return notes

    def _verification(self, record: Record) -> str:
        """Returns what should be verified; first, that a host saw something else since (A16)."""
        told = required_verification(record, self._now)
        is_outdated = any(
            other.id in record.conflicts
            and not is_newer(record, other.event_time or other.observed)
            for other in self._observations
        )
        if not is_outdated:
            return told
        return f"a newer observation disagrees; {told}" if told else "a newer observation disagrees"

    def _values(self, hit: ScoredRecord) -> dict[str, JsonValue]:
        record = hit.stored.record
        origin = record.origin
        return {
            "id": record.id,
            "version": record.version,
            "kind": record.kind,
            "state": standing(record),
            "scope": _scope(record),
            "store": escaped_line(hit.stored.store or self._store),
            "title": escaped(record.title),
            "content": escaped(self._content(record)),
            "origin": str(origin.origin_class) if origin else "",
            "principal": str(origin.principal) if origin else "",
            "source": escaped(origin.source) if origin else "",
            "speaker": escaped(origin.speaker) if origin else "",
            "authority": record.authority.label if record.authority is not None else "",
            "confidence": record.confidence,
            "times": dict(_times(record)),
            "conflicts": list(record.conflicts),
            "verify": self._verification(record),
            "more": f"memfs show {record.id}",
        }

    def _json_packet(
        self,
        cards: Sequence[Card],
        left_out: Sequence[LeftOut],
        sections: Sequence[Section] = (),
    ) -> str:
        head: dict[str, JsonValue] = {
            "note": " ".join(PREAMBLE.split()),
            "state": str(self._outcome.state),
            "reason": self._outcome.reason,
            "store": self._store,
            "ledger": self._outcome.ledger,
        }
        rest = {"left_out": [{"id": item.id, "code": item.code} for item in left_out]}
        if sections:
            head["work"] = section_values(sections)
        records = ",\n".join(card.text for card in cards)
        return f'{_json(head)[:-1]},"records":[{records}],{_json(rest)[1:]}'


def required_verification(record: Record, now: datetime) -> str:
    """Returns what should be verified before the record is relied on; empty for nothing (A98)."""
    reasons = []
    if record.review_after is not None and record.review_after <= now:
        reasons.append(f"review was due {record.review_after:%Y-%m-%d}")
    if record.authority is None or record.authority < Authority.WORKSPACE:
        reasons.append("nobody has confirmed it")
    said = record.observed or record.event_time
    if said is not None:
        age = (now - said).total_seconds()
        if age > STALE_AFTER_S:
            days = int(age // STALE_AFTER_S)
            reasons.append(f"recorded {days} day{'s' if days > 1 else ''} ago, may have changed")
    return "; ".join(reasons)


def _scope(record: Record) -> str:
    return str(record.scope) if record.scope else "project"


def _times(record: Record) -> dict[str, str]:
    moments = {
        "observed": record.observed,
        "happened": record.event_time,
        "valid from": record.valid_from,
        "valid until": record.valid_until,
    }
    return {name: format_instant(moment) for name, moment in moments.items() if moment is not None}


def _left_out_line(left_out: Sequence[LeftOut]) -> str:
    """Names what was kept out by a reason of its own; what lay beyond the limit is counted."""
    telling = [item for item in left_out if item.code != "recall.limit"][:NAMED_LEFT_OUT]
    parts = [f"{escaped_line(item.id)} ({item.code})" for item in telling]
    more = len(left_out) - len(telling)
    if more:
        parts.append(f"{more} more that matched; memfs search shows them")
    return f"left out: {', '.join(parts)}"


def _json(values: object) -> str:
    """Returns compact JSON in ASCII in which no fence can be spelled."""
    text = json.dumps(values, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e")
