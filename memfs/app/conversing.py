"""Sessions of coding agents, their turns, and the commits of the project.

:class:`memfs.app.memory.Memory` inherits it: one method a verb, each answered by a value.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memfs.app.drafts import when_from
from memfs.app.opened import Opened
from memfs.errors import AccessError
from memfs.model.result import Result
from memfs.services.modes import mode_error, require_serving, require_taking

if TYPE_CHECKING:
    from memfs.app.memory import Memory
    from memfs.domains.runs.views import RunView
    from memfs.domains.sessions.metadata import Metadata
    from memfs.domains.sessions.reading import OpenedTurns, SessionView, TurnHit
    from memfs.domains.sessions.sources import SaidIn
    from memfs.model.project import ProjectChange, ProjectCommit
    from memfs.model.record import StoredRecord

SHOWN_BYTES = 20_000


class Conversing(Opened):
    """Sessions of coding agents, their turns, and the commits of the project."""

    @abstractmethod
    def forget(self, references: Sequence[str], *, why: str = "") -> Result:
        """Removes records for good."""

    @abstractmethod
    def list_runs(
        self, *, limit: int = 0, session: str = "", states: Sequence[str] = ()
    ) -> tuple[RunView, ...]:
        """Lists runs."""

    # What comes in ------------------------------------------------------------------

    def import_session(
        self,
        path: Path,
        *,
        client: str = "auto",
        is_ended: bool = False,
        is_here: bool = False,
    ) -> Result:
        """Keeps the turns of a transcript that are not kept yet; the file is only read.

        Args:
            path: The transcript.
            client: ``claude``, ``codex``, or ``auto`` to recognise it.
            is_ended: The last turn is over.
            is_here: A person says that the session belongs to this project, wherever it was.

        Raises:
            MemoryModeError: The store takes nothing in.
            UnknownTranscriptError: It is no transcript.
            SourceError: It cannot be read.
        """
        return self._kept(path, client, is_ended=is_ended, is_here=is_here)

    def flush_session(self, path: Path, *, client: str = "auto") -> Result:
        """Keeps all of a transcript and proposes its key facts, before a host drops messages.

        A turn that is not over is kept as far as it has come; the rest of it follows later.
        """
        result = self._kept(path, client, is_ended=True)
        if result.reasons or not result.target:
            return replace(result, action="flush")
        told = cast("Memory", self).sift_session(result.target, action="flush")
        data = {**result.data, **told.data}
        return replace(told, message=f"{result.message}; {told.message}", data=data)

    def keep_summary(self, summary: str, *, client: str, session: str) -> tuple[Result, ...]:
        """Proposes the key facts of a host's own summary; it is an agent's text."""
        from memfs.domains.sessions.distil import propose_summary
        from memfs.domains.sessions.metadata import plain_host_id

        self._take_in()
        return propose_summary(self.workspace, client, plain_host_id(session) or "unnamed", summary)

    def distil_session(self, reference: str) -> Result:
        """Proposes the key facts of the turns that were not looked at before."""
        from memfs.domains.sessions.reading import session_named

        require_taking(self.workspace)
        self._take_in()
        session = session_named(self.workspace, reference, self.actor)
        return cast("Memory", self).sift_session(session, action="distil")

    def idle_sessions(self, now: datetime | None = None) -> tuple[Metadata, ...]:
        """Returns the sessions that are idle and have turns that were not looked at."""
        from memfs.domains.sessions.distil import idle_sessions
        from memfs.domains.sessions.record import is_open_to

        require_serving(self.workspace, self.actor)
        found = idle_sessions(self.workspace, now or self.workspace.clock.now())
        return tuple(item for item in found if is_open_to(self.workspace, item, self.actor))

    def _kept(self, path: Path, client: str, *, is_ended: bool, is_here: bool = False) -> Result:
        from memfs.domains.sessions.keep import import_result, keep_session
        from memfs.interop.transcripts.port import open_transcript

        require_taking(self.workspace)
        if is_here and not self.actor.is_person:
            raise AccessError("expected a person to say where a session belongs, got a program")
        self._take_in()
        transcript = open_transcript(path, client)
        kept = keep_session(
            self.workspace, transcript, self.actor, is_ended=is_ended, is_here=is_here
        )
        return import_result(self.workspace, kept, action="import")

    # What is there ------------------------------------------------------------------

    def sessions(self, *, limit: int = 0) -> tuple[SessionView, ...]:
        """Lists the sessions of the project, the newest first."""
        from memfs.domains.sessions.reading import list_sessions

        require_serving(self.workspace, self.actor)
        return list_sessions(self.workspace, self.actor, limit=limit)

    def session(self, reference: str, *, branch: str = "") -> SessionView:
        """Returns a session with its turns and branches; one that was deleted says so."""
        from memfs.domains.sessions.reading import view_session

        require_serving(self.workspace, self.actor)
        return view_session(self.workspace, reference, self.actor, branch=branch)

    def said_in(self, stored: StoredRecord) -> SaidIn | None:
        """Returns the conversation that a record comes from; ``None`` where it is from none."""
        from memfs.domains.sessions.sources import said_in

        require_serving(self.workspace, self.actor)
        if stored.store not in ("", self.workspace.store_id):
            return None
        return said_in(self.workspace, stored.record, self.actor)

    def session_runs(self, reference: str) -> tuple[RunView, ...]:
        """Lists the runs that a session dispatched, and those of the sessions it resumes."""
        from memfs.domains.sessions.reading import host_ids

        require_serving(self.workspace, self.actor)
        names = host_ids(self.workspace, reference, self.actor)
        return tuple(run for name in names for run in self.list_runs(session=name))

    def open_session(
        self,
        reference: str,
        *,
        turns: Sequence[int] = (),
        branch: str = "",
        speaker: str = "",
        limit_bytes: int = SHOWN_BYTES,
    ) -> OpenedTurns:
        """Returns what was said in a session, or in some of its turns, up to a size.

        Args:
            reference: Id, end of an id, the host's id, or a pointer such as ``session:abc#12``,
                which names its turn itself.
            turns: Numbers of turns; empty for all.
            branch: A branch; the newest by default.
            speaker: ``user``, ``assistant`` or ``tool``; empty for all.
            limit_bytes: Size of all that is shown.
        """
        from memfs.domains.sessions.library import split_pointer
        from memfs.domains.sessions.reading import open_session

        require_serving(self.workspace, self.actor)
        _, turn = split_pointer(reference)
        return open_session(
            self.workspace,
            reference,
            self.actor,
            turns=turns or ((turn,) if turn is not None else ()),
            branch=branch,
            speaker=speaker,
            limit_bytes=limit_bytes,
        )

    def search_sessions(
        self, words: str, *, speaker: str = "", limit: int = 20
    ) -> tuple[TurnHit, ...]:
        """Finds messages that hold all words, of the newest sessions first."""
        from memfs.domains.sessions.reading import search_sessions

        require_serving(self.workspace, self.actor)
        return search_sessions(self.workspace, words, self.actor, speaker=speaker, limit=limit)

    def forget_session(self, reference: str, *, why: str = "") -> Result:
        """Deletes what was said in a session for good, and bars it from coming back.

        What was learned from it stays; forget that by its own id.
        """
        from memfs.domains.sessions.forgetting import forget_turns
        from memfs.services.note_words import drop_rounds

        if self.workspace.is_switched_off:
            raise mode_error(self.workspace)
        self._take_in()
        result = forget_turns(self.workspace, reference, self.actor)
        drop_rounds(self.workspace)
        if not result.data.get("has_record"):
            return result
        told = self.forget([result.target], why=why)
        return replace(result, operation=told.operation, reasons=told.reasons)

    # The project --------------------------------------------------------------------

    def project_log(
        self, *, since: str = "", until: str = "", path: str = "", limit: int = 50
    ) -> tuple[ProjectCommit, ...]:
        """Lists commits of the project, the newest first.

        Raises:
            NoProjectHistoryError: The project has no Git repository.
            UsageError: An instant cannot be read.
        """
        from memfs.services.project_log import project_log

        now = self.workspace.clock.now()
        return project_log(
            self.workspace,
            self.actor,
            since=when_from(since, now),
            until=when_from(until, now),
            path=path,
            limit=limit,
        )

    def project_change(
        self, commit: str, *, path: str = "", limit_bytes: int = SHOWN_BYTES
    ) -> ProjectChange:
        """Returns what one commit of the project changed, up to a size.

        Raises:
            NoProjectHistoryError: The project has no Git repository.
            UnknownCommitError: It has no such commit.
        """
        from memfs.services.project_log import project_change

        return project_change(
            self.workspace, commit, self.actor, path=path, limit_bytes=limit_bytes
        )
