"""One pass over a transcript: what is new becomes commits, in batches that a kill cannot halve."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from typing import Final, Self

from memfs.domains.sessions.assembly import ROOT, Assembly, Opening, Turn
from memfs.domains.sessions.commit_text import TurnFacts
from memfs.domains.sessions.kept_log import KeptLog, read_log
from memfs.domains.sessions.library import read_session
from memfs.domains.sessions.metadata import (
    TITLE_CHARS,
    Metadata,
    ResumedFrom,
    encode_metadata,
    plain_host_id,
    session_id,
)
from memfs.domains.sessions.nodes import Node, decode_node
from memfs.domains.sessions.raw_words import kept_title
from memfs.domains.sessions.recovered import first_line, recovered
from memfs.domains.sessions.shared import SharedTurns, shared_turns
from memfs.domains.sessions.turn_files import Ground, write_turn
from memfs.domains.sessions.turns import Head, Message, Role, Transcript
from memfs.model.decision import Reason
from memfs.services.ports import Workspace
from memfs.store.session_folders import SessionFolders
from memfs.store.session_repository import (
    MAIN,
    SessionCommit,
    SessionRepository,
    SessionWriter,
)

_BATCH: Final = 32
_EMPTY: Final = KeptLog(turns=(), heads={}, branch=MAIN)


class Pass:
    """Reads one transcript and writes what is new. The caller holds the session's lock."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        folders: SessionFolders,
        head: Head,
        metadata: Metadata,
        admit: Callable[[Metadata], Reason | None],
        most: int = 0,
    ) -> None:
        self.metadata = metadata
        self.denial: Reason | None = None
        self.turns = 0
        self.branches = 0
        self.unfinished = 0
        self.is_cut = False
        self._most = most
        self._workspace = workspace
        self._folders = folders
        self._head = head
        self._admit = admit
        self._stack = ExitStack()
        self._repository: SessionRepository | None = None
        self._writer: SessionWriter | None = None
        self._commits: list[SessionCommit] = []
        self._facts: list[TurnFacts] = []
        self._heads: dict[str, int] = {}
        self._taken: set[str] = set()
        self._moved: dict[str, str] = {}
        self._branch = MAIN

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.discard()
        self._stack.close()

    def read(self, transcript: Transcript, *, is_ended: bool, settled_before: datetime) -> None:
        """Reads what is behind the mark, and keeps it.

        Raises:
            MarkMismatchError: The transcript is another one than the mark is of.
            UnknownParentError: It has to be read from its beginning.
        """
        log = self._opened()
        shared = self._shared()
        mark = self.metadata.mark
        assembly = Assembly(
            placed=log.placed(),
            nodes=log.nodes(),
            cursor=log.newest,
            elsewhere=shared.nodes if shared else {},
            is_resumed=mark.offset > 0,
        )
        for entry in transcript.entries(mark, self.metadata.links):
            is_first = isinstance(entry, Message) and not assembly.placed
            if shared is None and self._head.has_unique_ids and is_first:
                assert isinstance(entry, Message)
                shared = shared_turns(self._workspace, self._folders, self.metadata, entry.id)
                assembly.share(shared.nodes if shared else {})
            self._write_all(assembly.feed(entry), assembly, shared)
            if self.denial is not None:
                return
            if self._most and self.turns >= self._most and assembly.pending is not None:
                self.is_cut = True
                break
        if not self.is_cut:
            self._write_all(
                assembly.finish(is_ended=is_ended, settled_before=settled_before), assembly, shared
            )
        self._publish()
        self.unfinished = assembly.unfinished()
        self._end(transcript, assembly)

    def _opened(self) -> KeptLog:
        """Opens the repository where there is one, and reads what it has."""
        path = self._folders.path(self.metadata.id)
        if not (path / ".git" / "HEAD").is_file() or path.is_symlink():
            return _EMPTY
        self._open_writer()
        assert self._repository is not None
        log = read_log(self._repository)
        self._commits = [turn.commit for turn in log.turns]
        self._facts = [turn.facts for turn in log.turns]
        self._heads = dict(log.heads)
        self._taken = set(self._repository.heads())
        self._branch = log.branch
        if log.turns and not self.metadata.origin:
            found = recovered(self._workspace, self._repository, log, self.metadata)
            self.metadata = found
        return log

    def _open_writer(self) -> SessionWriter:
        if self._writer is None:
            path = self._folders.make(self.metadata.id)
            self._repository = self._stack.enter_context(SessionRepository(path))
            self._writer = self._repository.writer()
        return self._writer

    def _shared(self) -> SharedTurns | None:
        """Returns what another session keeps of this one, as an earlier import found it."""
        source = self.metadata.resumed_from
        if source is not None:
            return shared_turns(self._workspace, self._folders, self.metadata, "")
        named = plain_host_id(self._head.resumed_from)
        if not named or self._commits:
            return None
        other = read_session(self._workspace, session_id(self.metadata.client, named))
        if other is None:
            return None
        self.metadata = replace(self.metadata, resumed_from=ResumedFrom(other.id, named, 0))
        return shared_turns(self._workspace, self._folders, self.metadata, "")

    def _write_all(
        self, turns: Iterable[Turn], assembly: Assembly, shared: SharedTurns | None
    ) -> None:
        for turn in turns:
            if not self._commits and not self.turns:
                self._name(turn, assembly, shared)
                self.denial = self._admit(self.metadata)
                if self.denial is not None:
                    return
            self._write(turn)
            if len(self._moved) and self.turns % _BATCH == 0:
                self._publish()

    def _name(self, turn: Turn, assembly: Assembly, shared: SharedTurns | None) -> None:
        """Notes what is known of a session once its first turn is there."""
        metadata = replace(self.metadata, started=self.metadata.started or turn.at)
        if shared is not None and assembly.shared_with:
            source = ResumedFrom(shared.session, shared.host_id, assembly.shared_with)
            metadata = replace(metadata, resumed_from=source, origin=shared.origin)
        elif metadata.resumed_from is not None and not assembly.shared_with:
            named = metadata.resumed_from
            metadata = replace(metadata, resumed_from=ResumedFrom(named.session, named.host_id, 0))
        if not metadata.origin:
            metadata = replace(metadata, origin=turn.messages[0].id)
        self.metadata = metadata

    def _write(self, turn: Turn) -> None:
        writer = self._open_writer()
        base = self._commits[turn.base] if turn.base != ROOT else None
        commit, facts, nodes = write_turn(
            writer,
            turn,
            self._ground(turn, base),
            session=self.metadata.id,
            client=self.metadata.client,
            asked=self._asked(turn),
            about=self._facts[turn.base].prompt if turn.opening is Opening.CONTINUED else "",
            now=self._workspace.clock.now(),
        )
        assert turn.index == len(self._commits)
        self._commits.append(commit)
        self._facts.append(facts)
        branch = self._branch_for(turn, nodes)
        self._heads[branch] = turn.index
        self._moved[branch] = commit.id
        self._branch = branch
        self.turns += 1
        self._note(turn, nodes)

    def _ground(self, turn: Turn, base: SessionCommit | None) -> Ground:
        assert self._repository is not None
        prompt = None
        if turn.opening is Opening.RETRY:
            name = self._facts[turn.shared].prompt
            prompt = self._repository.files(self._commits[turn.shared].tree).get(name)
        if base is None:
            return Ground(files={}, prompt=prompt)
        files = self._repository.files(base.tree)
        return Ground(parent=base.id, tree=base.tree, files=files, prompt=prompt)

    def _asked(self, turn: Turn) -> str:
        """Returns what a turn without a prompt of its own is about."""
        if turn.opening is Opening.PROMPT or not self._moved_is_published():
            return ""
        index = turn.shared if turn.opening is Opening.RETRY else turn.base
        facts, commit = self._facts[index], self._commits[index]
        assert self._repository is not None
        item = self._repository.files(commit.tree).get(facts.prompt)
        node = decode_node(facts.prompt, self._repository.blob(item.oid)) if item else None
        return node.words if node is not None else ""

    def _moved_is_published(self) -> bool:
        """Publishes what was put aside, so that it can be read."""
        self._publish()
        return True

    def _branch_for(self, turn: Turn, nodes: tuple[Node, ...]) -> str:
        if turn.base != ROOT:
            fitting = [name for name, index in self._heads.items() if index == turn.base]
            if fitting:
                return self._branch if self._branch in fitting else fitting[0]
        if not self._heads and MAIN not in self._taken:
            return MAIN
        self.branches += 1
        answer = next((node.id for node in nodes if node.role is Role.ASSISTANT), nodes[0].id)
        return f"retry/{answer}"

    def _note(self, turn: Turn, nodes: tuple[Node, ...]) -> None:
        metadata = self.metadata
        moments = [moment for moment in (metadata.updated, turn.at) if moment is not None]
        title = metadata.title or first_line(nodes[0])
        self.metadata = replace(
            metadata,
            title=title,
            updated=max(moments, default=self._workspace.clock.now()),
        )

    def _publish(self) -> None:
        if self._moved and self._writer is not None:
            self._writer.publish(self._moved, self._branch)
            self._taken.update(self._moved)
            self._moved = {}

    def _end(self, transcript: Transcript, assembly: Assembly) -> None:
        """Notes how far it was read, and lays out the files of where the conversation is."""
        report = transcript.report()
        metadata = replace(
            self.metadata,
            mark=assembly.pending or report.end,
            links=report.links,
            turns=self._facts[assembly.cursor].number if self._facts else 0,
        )
        title = assembly.title
        if title is not None and title.rank >= metadata.title_rank:
            text = kept_title(title.text, TITLE_CHARS)
            if text:
                metadata = replace(metadata, title=text, title_rank=title.rank)
        self.metadata = metadata
        if self._writer is None or not self._commits:
            return
        content = encode_metadata(metadata)
        assert self._repository is not None
        if self._repository.metadata() != content:
            self._writer.write_metadata(content)
        # A kill may have come between a branch and the pointer to it.
        here = [name for name, index in self._heads.items() if index == assembly.cursor]
        if here and self._branch not in here:
            self._writer.publish({}, here[0])
        self._writer.check_out()
        self._writer.pack()
