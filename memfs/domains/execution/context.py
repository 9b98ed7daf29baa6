"""Packs the context of a task into one fenced text within a hard budget (A65).

The order is fixed; what goes first when there is too little room is not the order. The task
always stands; then come the newest effects in up to half of the room, fields, the newest turns,
the newest summaries, older effects, hints, older turns, and memory cards with what is left. An
effect that an agent does not know of it may repeat: its line goes before what is told at length.
Turns are taken from the end without a gap, and a call goes with its result or not at all. What was
left out is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from memfs.domains.execution.sections import (
    EFFECTS,
    HINTS,
    STATE,
    SUMMARIES,
    TAIL,
    TASK,
)
from memfs.model.packet import Card, LeftOut, MemoryState, Packet, Section
from memfs.services.compile_context import BUDGET, PacketFormat, PacketWriter, tokens_of
from memfs.services.ports import Workspace
from memfs.services.recall import RecallOutcome

_CARDS_SHARE: Final = 5
"""One part in so many is kept for memory cards, where there are any."""


def pack_task(
    workspace: Workspace,
    sections: Sequence[Section],
    outcome: RecallOutcome,
    budget: int,
    *,
    format: PacketFormat = PacketFormat.MARKDOWN,  # noqa: A002
) -> Packet:
    """Returns the context of a task; its text never exceeds ``budget``.

    Args:
        workspace: The store.
        sections: All there is to say, in the fixed order.
        outcome: What memory has to say to it.
        budget: Tokens of four bytes.
        format: How it is written.
    """
    if outcome.state is MemoryState.EMPTY:
        # Memory has nothing to say to it; the task itself does.
        outcome = replace(outcome, state=MemoryState.OK, reason="")
    writer = PacketWriter(workspace, outcome, format)
    chosen = _Chosen(writer, sections, budget)
    if not chosen.takes_all(TASK):
        return _packet(workspace, outcome, (), (), "", reason="packet.nothing-fits")
    room = budget - (budget // _CARDS_SHARE if outcome.hits else 0)
    chosen.take_from_end(EFFECTS, limit=chosen.size + (room - chosen.size) // 2)
    chosen.take(STATE, limit=room)
    chosen.take_from_end(TAIL, limit=chosen.size + (room - chosen.size) // 2)
    for name in (SUMMARIES, EFFECTS, HINTS, TAIL):
        chosen.take_from_end(name, limit=room)
    chosen.tell_rest()
    cards, left_out = _cards(writer, outcome, chosen, workspace.settings.recall.item_bytes)
    text = writer.text(cards, [], chosen.sections)
    return _packet(workspace, outcome, cards, left_out, text, sections=chosen.sections)


class _Chosen:
    """The entries of some sections that are in; whole entries only, in their order."""

    def __init__(self, writer: PacketWriter, sections: Sequence[Section], budget: int) -> None:
        self._writer = writer
        self._offered = {section.name: section for section in sections}
        self._taken: dict[str, frozenset[int]] = dict.fromkeys(self._offered, frozenset())
        self._budget = budget
        self._told = frozenset(self._offered)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections with what was taken of them, and how much was not."""
        found = []
        for name, section in self._offered.items():
            taken = sorted(self._taken[name])
            beyond = len(section.entries) - len(taken)
            if taken or name in self._told:
                entries = tuple(section.entries[number] for number in taken)
                found.append(replace(section, entries=entries, beyond=beyond))
        return tuple(found)

    @property
    def size(self) -> int:
        """Tokens of the text as it is now."""
        return tokens_of(self._writer.text([], [], self.sections))

    def takes_all(self, name: str) -> bool:
        """Takes a section whole, if it fits; what of others is left out is told if it can be."""
        self._taken[name] = frozenset(range(len(self._offered[name].entries)))
        if self.size <= self._budget:
            return True
        self._told = frozenset()
        return self.size <= self._budget

    def tell_rest(self) -> None:
        """Tells of the sections of which nothing is in that they are there, if that fits."""
        before, self._told = self._told, frozenset(self._offered)
        if self.size > self._budget:
            self._told = before

    def take(self, name: str, *, limit: int) -> None:
        """Takes each entry of a section with which the text is within ``limit``."""
        for number in range(self._count(name)):
            self._try(name, number, limit)

    def take_from_end(self, name: str, *, limit: int) -> None:
        """Takes the last entries of a section without a gap, as far as ``limit`` goes."""
        rest = self._count(name) - len(self._taken.get(name, ()))
        for number in reversed(range(rest)):
            if not self._try(name, number, limit):
                return

    def _try(self, name: str, number: int, limit: int) -> bool:
        before = self._taken[name]
        self._taken[name] = before | {number}
        if self.size <= min(limit, self._budget):
            return True
        self._taken[name] = before
        return False

    def _count(self, name: str) -> int:
        return len(self._offered[name].entries) if name in self._offered else 0

    def fits(self, cards: Iterable[Card]) -> bool:
        """Whether these cards fit beside what was chosen."""
        text = self._writer.text(list(cards), [], self.sections)
        return tokens_of(text) <= self._budget


def _cards(
    writer: PacketWriter, outcome: RecallOutcome, chosen: _Chosen, item_bytes: int
) -> tuple[list[Card], list[LeftOut]]:
    """Returns the cards that fit, whole, and why the others do not."""
    cards: list[Card] = []
    left_out = list(outcome.left_out)
    for hit in outcome.hits:
        text = writer.card(hit, len(cards) + 1)
        card = Card(hit=hit, text=text, tokens=tokens_of(text))
        identifier = hit.stored.record.id
        if len(text.encode("utf-8", "surrogatepass")) > item_bytes:
            message = f"read it with: memfs show {identifier}"
            left_out.append(LeftOut(id=identifier, code="packet.item-size", message=message))
        elif chosen.fits([*cards, card]):
            cards.append(card)
        else:
            message = f"{card.tokens} tokens more than the budget allows"
            left_out.append(LeftOut(id=identifier, code=BUDGET, message=message))
    return cards, left_out


def _packet(
    workspace: Workspace,
    outcome: RecallOutcome,
    cards: Sequence[Card],
    left_out: Sequence[LeftOut],
    text: str,
    *,
    sections: Sequence[Section] = (),
    reason: str = "",
) -> Packet:
    return Packet(
        cards=tuple(cards),
        left_out=tuple(left_out),
        state=outcome.state,
        reason=reason or outcome.reason,
        ledger=outcome.ledger or workspace.store.ledger_head() or "",
        store=workspace.store_id,
        tokens=tokens_of(text),
        text=text,
        sections=tuple(sections),
    )
