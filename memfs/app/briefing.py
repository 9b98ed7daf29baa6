"""What an agent is given before it starts: the preamble of a task, the brief of a session.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memfs.app.opened import Opened
from memfs.errors import UsageError
from memfs.model.authority import Sink
from memfs.model.packet import MemoryState, Packet, Section, silent_packet
from memfs.model.query import Query
from memfs.model.result import Result
from memfs.model.settings import Mode
from memfs.model.values import JsonValue
from memfs.services.runs_view import is_current

if TYPE_CHECKING:
    from memfs.domains.runs.replay import Replay


class Briefing(Opened):
    """What an agent is given before it starts: the preamble of a task, the brief of a session."""

    def context(
        self,
        *,
        task: str = "",
        is_session_start: bool = False,
        budget: int | None = None,
        items: int | None = None,
        purpose: str = "",
        is_new_window: bool = False,
        opening: str = "",
    ) -> Packet:
        """Returns what an agent is given before it starts: records, the last run, open issues.

        The profile comes first, and at the start of a session the rules of what is worth saving.
        The same store, question and moment give the same bytes. Where memory is off, the text is
        empty and nothing is touched. What was not given has its reason in ``left_out``.

        Args:
            task: What is to be done, in words; packets in it are no part of the question.
            is_session_start: Nothing is asked yet: the most important records.
            budget: Hard size in tokens; by default that of the settings.
            items: At most so many records; by default the number of the settings.
            purpose: What it is for, matched by grants.
            is_new_window: The host threw away what it was given before, after compacting for
                instance: the cap of the session counts anew.
            opening: What a session opens with: where that is trivial, nothing is looked up but
                the rules; else what is known of it, instead of the most important records.

        Raises:
            UsageError: There is neither a task nor a session start, or both; or an opening
                without a session start.
        """
        if is_session_start == bool(task.strip()) or (opening.strip() and not is_session_start):
            raise UsageError("expected either a task or a session start")
        if self.workspace.settings.mode is Mode.OFF:
            return silent_packet(MemoryState.OFF, self.workspace.store_id)
        from memfs.domains.runs.brief import brief
        from memfs.services.packet_text import strip_packets
        from memfs.services.session_caps import begin_window

        if is_new_window:
            begin_window(self.workspace)
        trouble = self._take_in_before_reading()
        words = strip_packets(task or opening).strip()
        query = self._opening(words, budget, items, purpose)
        told = self._told_first(query, is_session_start=is_session_start)
        if not opening.strip():
            return brief(self.workspace, self.beside, query, trouble=trouble, told_first=told)
        from memfs.domains.nodes.opening import TOPIC, Opening, opening_of

        return brief(
            self.workspace,
            self.beside,
            query if items is not None else replace(query, limit=TOPIC),
            trouble=trouble,
            told_first=told,
            is_session_start=True,
            is_trivial=opening_of(opening) is Opening.TRIVIAL,
        )

    def _told_first(self, query: Query, *, is_session_start: bool) -> tuple[Section, ...]:
        """Returns what is given whatever is asked, before how work stands."""
        from memfs.domains.nodes.standing import standing_sections

        first = standing_sections(self.workspace, self.beside, query, has_rules=is_session_start)
        if not is_session_start:
            return first
        from memfs.services.core_view import core_section

        core = core_section(self.workspace, query, told=first)
        return (*first, core) if core is not None else first

    def _opening(self, words: str, budget: int | None, items: int | None, purpose: str) -> Query:
        runs = self.workspace.settings.runs
        return Query(
            text=words,
            actor=self.actor,
            sink=Sink.PERSON if self.actor.is_person else Sink.AGENT,
            purpose=purpose,
            branch=self.workspace.project_branch,
            limit=runs.preamble_items if items is None else items,
            budget_tokens=runs.preamble_tokens if budget is None else budget,
            is_opening=not words,
        )

    def replay_context(self, packet: str = "") -> Replay:
        """Makes a packet again from its manifest; what was withdrawn since stays withdrawn.

        Args:
            packet: ``pkt_…``; empty for the last one. A program names its own packets alone.

        Raises:
            UnknownPacketError: No such packet is kept for this actor.
        """
        from memfs.domains.runs.replay import replay

        return replay(self.workspace, self.beside, packet, self.actor)

    def _refresh_views(self) -> None:
        """Brings the list of runs up to the ledger, where it is not."""
        if is_current(self.workspace):
            return
        from memfs.domains.runs.run_index import refresh_run_index

        refresh_run_index(self.workspace)

    def _with_views(self, result: Result) -> Result:
        """Makes the list of runs anew and adds to a result what it holds (C37)."""
        from memfs.domains.runs.issue_states import count_open
        from memfs.domains.runs.run_index import refresh_run_index
        from memfs.services.vectors import refresh_vectors

        found = refresh_run_index(self.workspace, is_anew=True)
        is_open = count_open(self.workspace)
        vectors = refresh_vectors(self.workspace, is_thorough=True)
        if not self.actor.is_person:
            # A count of what it may not see is nothing for a program.
            words, ledger = result.message.partition(":")[0], result.data["ledger"]
            return replace(result, message=words, data={"ledger": ledger})
        if found is None:
            return result
        data: dict[str, JsonValue] = {
            **result.data,
            "runs": found.listed + found.older,
            "runs_listed": found.listed,
            "issues_open": is_open,
        }
        told = [result.message, f"{data['runs']} runs", f"{is_open} open issues"]
        if self.workspace.embedder is not None:
            data["vectors"] = vectors.kept + vectors.embedded
            data["embedded"] = vectors.embedded
            data |= {"vectors_trouble": vectors.trouble} if vectors.trouble else {}
            why = f" ({vectors.trouble})" if vectors.trouble else ""
            told.append(f"{data['vectors']} vectors{why}")
        return replace(result, message=", ".join(told), data=data)
