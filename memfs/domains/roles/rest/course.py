"""The course of one rest at a desk: proposals in rounds, moves of time behind them, an account.

Each proposal is decoded and decided on by itself: one that is refused changes nothing and is told
in the account by its code. What a mind leaves over is put to it again; what is over then is the
residue.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, assert_never

from memfs.domains.roles.decoding import decode_operation
from memfs.domains.roles.desk import Applied, Desk, Outcome
from memfs.domains.roles.rest.mind import Mind, Proposal
from memfs.domains.roles.shaping import Planner
from memfs.domains.roles.view import Planned
from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.role_operation import RoleOperation
from memfs.model.role_sleep import Account, Rejected, Rest, Tally
from memfs.policy.reasons import reason
from memfs.policy.role_sleep import (
    MOST_PROPOSALS,
    MOST_TOLD,
    account_for,
    check_rest,
    open_short_term,
)
from memfs.services.judgement import Judgement

_ROUNDS: Final = 3
"""So often a mind is asked what is to become of what it left over."""

Maintenance = Callable[[Planner], Planned]
"""Moves that no operation makes, planned over what the operations leave."""


@frozen
class Asked:
    """What a mind proposed, and what was open when it did."""

    proposals: Sequence[Proposal]
    opened: frozenset[str]


@frozen
class Ended:
    """What a course came to.

    Attributes:
        tally: What became of the proposals.
        account: What became of each short-term memory.
        moved: What time moved, ids by the name of the move.
        why: Why proposals were not applied, each reason once.
        fault: Why nothing of it may be written; ``None`` where it may.
        waiting: What waits for a person.
        later: How many memories came while a slow mind thought.
        held: How many are left alone, since a commit made by hand waits on them.
    """

    tally: Tally
    account: Account
    moved: Mapping[str, tuple[str, ...]]
    why: tuple[Reason, ...]
    fault: Reason | None
    waiting: tuple[Judgement, ...]
    later: int
    held: int


NOTHING_ENDED: Final = Ended(
    tally=Tally(), account=Account(), moved={}, why=(), fault=None, waiting=(), later=0, held=0
)
"""Of a rest that did not take place, since it had before."""


@dataclass(slots=True, kw_only=True)
class Course:
    """One rest at a desk.

    Attributes:
        desk: Where it is decided.
        rest: Which rest it is.
        mind: What proposes.
        role: Whose memory.
        now: When it began.
        asked: What the mind proposed, and what was open then.
        point_at: Returns which of some ids may be pointed at.
        maintenance: Moves behind the operations, in order.
    """

    desk: Desk
    rest: Rest
    mind: Mind
    role: str
    now: datetime
    asked: Asked
    point_at: Callable[[Iterable[RoleOperation]], frozenset[str]]
    maintenance: tuple[Maintenance, ...] = ()
    _counts: Counter[Outcome] = field(default_factory=Counter)
    _proposed: int = 0
    _rejected: list[Rejected] = field(default_factory=list)
    _why: dict[Reason, None] = field(default_factory=dict)
    _waiting: list[Judgement] = field(default_factory=list)
    _moved: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def run(self) -> Ended:
        """Goes the whole way; nothing is written by it."""
        before = frozenset(self.desk.view.short_term())
        known = frozenset(self.desk.view.memories)
        later = before - self.asked.opened
        self._take(self.asked.proposals)
        for turn in range(1, _ROUNDS + 1 if self.rest is Rest.SLEEP else 1):
            left = frozenset(self.desk.view.short_term()) - later
            more = self.mind.reconsider(self.desk.view, self.now, left, turn) if left else ()
            if not more:
                break
            self._take(more)
        for move in self.maintenance:
            self._move(move)
        return self._ended(before, known, later)

    def _take(self, proposals: Sequence[Proposal]) -> None:
        room = max(0, MOST_PROPOSALS - self._proposed)
        self._proposed += len(proposals)
        for _ in proposals[room:]:
            self._reject("", (reason("role.proposals", str(MOST_PROPOSALS)),))
        decoded = [decode_operation(text, role=self.role) for text in proposals[:room]]
        self.desk.point_at(
            self.point_at(item.operation for item in decoded if item.operation is not None)
        )
        for item in decoded:
            if item.operation is None:
                self._reject(item.name, item.reasons)
            else:
                self._note(self.desk.apply(item.operation))

    def _note(self, step: Applied) -> None:
        match step.outcome:
            case Outcome.REFUSED:
                self._reject(step.name, step.reasons)
            case Outcome.WAITING:
                self._waiting += step.waiting
                self._counts[step.outcome] += 1
            case Outcome.APPLIED | Outcome.NOTHING:
                self._counts[step.outcome] += 1
            case _:
                assert_never(step.outcome)

    def _reject(self, name: str, reasons: tuple[Reason, ...]) -> None:
        codes = tuple(dict.fromkeys(why.code for why in reasons))
        self._rejected.append(Rejected(operation=str(name), codes=codes))
        if len(self._why) < MOST_TOLD:
            self._why |= dict.fromkeys(reasons)

    def _move(self, move: Maintenance) -> None:
        planned = self.desk.maintain(move)
        for why in planned.reasons:
            self._why[why] = None
        if planned.reasons or planned.is_nothing:
            return
        for name, ids in planned.details.items():
            self._moved[name] = tuple(map(str, ids if isinstance(ids, list | tuple) else ()))

    def _ended(self, before: frozenset[str], known: frozenset[str], later: frozenset[str]) -> Ended:
        view = self.desk.view
        made = frozenset(view.short_term()) - known
        account = account_for((before - later) | made, view.memories, self.rest)
        tally = Tally(
            proposed=self._proposed,
            applied=self._counts[Outcome.APPLIED],
            unchanged=self._counts[Outcome.NOTHING],
            waiting=self._counts[Outcome.WAITING],
            rejected=tuple(self._rejected),
        )
        fault = check_rest(self.rest, account, tally)
        if fault is None and tally.rejected and not tally.accepted and not self._moved:
            fault = next(iter(self._why))
        return Ended(
            tally=tally,
            account=account,
            moved=self._moved,
            why=tuple(self._why),
            fault=fault,
            waiting=tuple(self._waiting),
            later=len(later),
            held=len(open_short_term(view.memories.values())) - len(view.short_term()),
        )
