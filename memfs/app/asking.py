"""What one who works with a store can ask of it; a global store answers beside it.

:class:`memfs.app.memory.Memory` inherits it. Each question is asked of every store that
answers here, through the read gate of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Unpack

from memfs.app.drafts import QuestionOptions, known_kinds, query_from, when_from
from memfs.app.opened import Opened
from memfs.model.packet import MemoryState, Packet, ScoredRecord
from memfs.model.record import StoredRecord
from memfs.services.modes import require_serving

if TYPE_CHECKING:
    from memfs.model.moment import Moment
    from memfs.model.operation import Commit
    from memfs.services.ledger_log import LoggedOperation


class Asking(Opened):
    """The questions to one opened store and to the one beside it."""

    @property
    def ledger(self) -> str:
        """The commit that answers are computed from now; empty where there is none."""
        return self.workspace.store.ledger_head() or ""

    @property
    def root(self) -> str:
        """The folder of the store."""
        return str(self.workspace.store.root)

    @property
    def trouble_beside(self) -> str:
        """The code of why the global store did not answer the last question; empty otherwise."""
        return self.beside.trouble

    def recall(
        self,
        text: str,
        *,
        budget: int | None = None,
        is_new_only: bool = False,
        **options: Unpack[QuestionOptions],
    ) -> Packet:
        """Answers from memory with whole records within a token budget.

        Args:
            text: The question.
            budget: Hard size in tokens of four bytes; the settings' by default.
            is_new_only: What the session of this process was given before, and still has, is
                not given again: for an answer that nobody asked for.
            options: What else narrows the question.
        """
        from memfs.services.federation import Instant, recall
        from memfs.services.hand_out import hand_out
        from memfs.services.retrieval_log import log_recall

        trouble = self._take_in_before_reading()
        query = query_from(self.workspace, self.actor, text, options, budget=budget)
        outcome = recall(self.workspace, self.beside, query)
        if trouble and outcome.state in (MemoryState.OK, MemoryState.EMPTY):
            outcome = replace(outcome, state=MemoryState.DEGRADED, reason=trouble)
        here = replace(self.workspace, clock=Instant(self.workspace.clock.now()))
        packet = hand_out(here, self.beside, query, outcome, is_new_only=is_new_only)
        log_recall(here, query, outcome, packet)
        return packet

    def search(self, text: str, **options: Unpack[QuestionOptions]) -> tuple[ScoredRecord, ...]:
        """Searches; the same ranking as recall, without packing."""
        from memfs.services.federation import search
        from memfs.services.retrieval_log import log_search

        self._take_in_before_reading()
        query = query_from(self.workspace, self.actor, text, options)
        outcome = search(self.workspace, self.beside, query)
        log_search(self.workspace, query, outcome)
        return outcome.hits

    def show(self, reference: str, *, valid_at: str = "", as_of: str = "") -> StoredRecord:
        """Returns one record as the ledger has it; a sealed one opened for a person."""
        from memfs.services import sealing
        from memfs.services.federation import shown
        from memfs.services.past import show_at
        from memfs.services.reading import show

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        moment = self._moment(valid_at, as_of)
        return shown(
            self.workspace,
            self.beside,
            reference,
            self.actor,
            lambda workspace, actor: sealing.shown(
                workspace,
                show(workspace, reference, actor)
                if moment.is_now
                else show_at(workspace, reference, actor, moment=moment),
                actor,
            ),
            moment=moment,
        )

    def _moment(self, valid_at: str, as_of: str) -> Moment:
        from memfs.model.moment import Moment

        now = self.workspace.clock.now()
        return Moment(valid_at=when_from(valid_at, now), as_of=when_from(as_of, now))

    def list_records(
        self,
        *,
        kinds: Sequence[str] = (),
        tags: Sequence[str] = (),
        limit: int = 0,
        valid_at: str = "",
        as_of: str = "",
    ) -> tuple[StoredRecord, ...]:
        """Lists records, newest first; at another moment what held, or was known, then.

        Raises:
            UsageError: A kind does not exist.
        """
        from memfs.services.federation import listed
        from memfs.services.past import list_at
        from memfs.services.reading import list_records

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        wanted = known_kinds(self.workspace, kinds)
        moment = self._moment(valid_at, as_of)
        if moment.is_now:
            listing = partial(list_records, kinds=wanted, tags=tuple(tags), limit=limit)
        else:
            listing = partial(list_at, moment=moment, kinds=wanted, tags=tuple(tags), limit=limit)
        return listed(
            self.workspace,
            self.beside,
            self.actor,
            listing,
            limit=limit,
            moment=moment,
        )

    def history(self, reference: str) -> tuple[Commit, ...]:
        """Returns the commits that made or changed a record, newest first."""
        from memfs.services.reading import history

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        return history(self.workspace, reference, self.actor)

    def log(
        self, *, limit: int = 0, since: str = "", until: str = ""
    ) -> tuple[LoggedOperation, ...]:
        """Returns what was done to the store, by whom and when, newest first."""
        from memfs.services.ledger_log import ledger_log

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        now = self.workspace.clock.now()
        return ledger_log(
            self.workspace,
            self.actor,
            limit=limit,
            since=when_from(since, now),
            until=when_from(until, now),
        )

    def diff(self, reference: str, older: int | None = None, newer: int | None = None) -> str:
        """Returns a unified diff between two versions of a record."""
        from memfs.services.reading import diff

        require_serving(self.workspace, self.actor)
        self._take_in_if_possible()
        return diff(self.workspace, reference, self.actor, older, newer)
