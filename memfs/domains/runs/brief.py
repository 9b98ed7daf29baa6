"""The brief: what an agent is given before it starts, as one packet (C27, C30).

The preamble of a dispatched run and the block of a session start are the same thing: records,
how work stands and what is open, in one fence, within one budget. Where memory is off there is
no brief at all, byte for byte (C28); a fault makes it shorter and never stands in the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memfs.domains.runs.work import ISSUE, Work, standing_work
from memfs.model.graph import EDGE_KIND
from memfs.model.ids import split_version
from memfs.model.packet import LeftOut, MemoryState, Packet, Section, silent_packet
from memfs.model.query import Query
from memfs.model.settings import Mode
from memfs.services.beside import Beside
from memfs.services.federation import Instant, recall
from memfs.services.hand_out import hand_out
from memfs.services.ports import Workspace
from memfs.services.ranking import within_limit
from memfs.services.recall import RecallOutcome
from memfs.services.retrieval_log import log_context


def brief(
    workspace: Workspace,
    beside: Beside,
    query: Query,
    *,
    trouble: str = "",
    told_first: Sequence[Section] = (),
    is_session_start: bool = False,
    is_trivial: bool = False,
) -> Packet:
    """Returns the brief for ``query``; its text is empty where there is nothing to say.

    Args:
        workspace: The store of the project.
        beside: The global store, where there is one.
        query: The task in words, or an opening without words; who asks, and the budget.
        trouble: Code of what was in the way before; empty for nothing.
        told_first: What is given whatever is asked; before how work stands, and not told twice.
        is_session_start: A session begins, with the words of ``query`` or with none.
        is_trivial: What it begins with has nothing to do with memory: nothing is looked up.
    """
    if workspace.settings.mode is Mode.OFF:
        return silent_packet(MemoryState.OFF, workspace.store_id)
    # One moment for all of it: ages must not differ by what was asked later.
    here = replace(workspace, clock=Instant(workspace.clock.now()))
    asked = replace(query, kinds=query.kinds or _kinds(workspace, query))
    if workspace.settings.mode is Mode.SHADOW:
        # What would have been given is logged by its ids, and given to nobody.
        packet = silent_packet(MemoryState.SHADOW, workspace.store_id)
        log_context(here, asked, recall(here, beside, asked), packet)
        return packet
    standing = Work() if is_trivial else standing_work(here, asked)
    work = _with_first(standing, told_first)
    looked = replace(asked, limit=asked.limit + len(work.told))
    found = _nothing(here) if is_trivial else recall(here, beside, looked)
    outcome = _with_state(_without_told(found, work, asked.limit), work, trouble)
    packet = hand_out(
        here,
        beside,
        asked,
        outcome,
        occasion="session-start" if asked.is_opening or is_session_start else "task",
        sections=work.sections,
    )
    log_context(here, asked, outcome, packet)
    return packet


def _with_first(work: Work, first: Sequence[Section]) -> Work:
    """Puts what is given whatever is asked before how work stands."""
    if not first:
        return work
    entries = (entry for section in first for entry in section.entries)
    told = {split_version(entry.reference)[0] for entry in entries}
    return replace(work, sections=(*first, *work.sections), told=work.told | told)


def _nothing(workspace: Workspace) -> RecallOutcome:
    """Returns the outcome of a question that is not asked."""
    return RecallOutcome(
        hits=(),
        left_out=(),
        state=MemoryState.EMPTY,
        reason="recall.nothing-close",
        ledger=workspace.store.ledger_head() or "",
    )


def _kinds(workspace: Workspace, query: Query) -> tuple[str, ...]:
    """Returns the kinds of the records: open issues are told apart, and runs answer a task.

    Edges come along with what they bear on.
    """
    kinds = tuple(
        kind.name
        for kind in workspace.registry
        if (kind.is_claim if query.is_opening else kind.is_answer) and kind.name != ISSUE
    )
    return kinds if query.is_opening else (*kinds, EDGE_KIND)


def _without_told(outcome: RecallOutcome, work: Work, limit: int) -> RecallOutcome:
    """Leaves out the records that the sections tell of already."""
    rest = [hit for hit in outcome.hits if hit.stored.record.id not in work.told]
    kept, beyond = within_limit(rest, limit)
    hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(kept, start=1))
    left_out = (
        LeftOut(id=hit.stored.record.id, code="recall.limit", message="beyond the limit")
        for hit in beyond
    )
    return replace(outcome, hits=hits, left_out=(*outcome.left_out, *left_out))


def _with_state(outcome: RecallOutcome, work: Work, trouble: str) -> RecallOutcome:
    """Tells that something was in the way; open work is an answer where no record is."""
    code = work.trouble or trouble
    if outcome.state not in (MemoryState.OK, MemoryState.EMPTY):
        return outcome
    if code:
        return replace(outcome, state=MemoryState.DEGRADED, reason=code)
    if work.sections:
        return replace(outcome, state=MemoryState.OK, reason="")
    return outcome
