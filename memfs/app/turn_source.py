"""Turns of sessions as material for distillation: joins two domains that know nothing of either.

The marks of a session stand in its own metadata, so that they go with it. What memory itself had
said is taken out once more before anything is looked for in a message (C29).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from memfs.domains.distill.material import Called, Material, Said, TurnSeen
from memfs.domains.distill.products import ClaimFound, Product, session_of
from memfs.domains.distill.state import Part
from memfs.domains.sessions.distil import (
    idle_sessions,
    note_distilled,
    read_turns,
    unseen_turns,
)
from memfs.domains.sessions.library import all_sessions, read_session
from memfs.domains.sessions.metadata import Metadata
from memfs.domains.sessions.nodes import Node, NodePart
from memfs.domains.sessions.turns import PartKind
from memfs.model.values import JsonValue
from memfs.services.packet_text import strip_packets
from memfs.services.ports import Workspace

_PATH: Final = re.compile(
    r"^(?:file_path|notebook_path|path|filename|uri|url): (?P<path>\S.{0,400})$|"
    r"^\*\*\* (?:Update|Add|Delete) File: (?P<patched>\S.{0,400})$",
    re.MULTILINE,
)
_COMMAND: Final = re.compile(r"^(?:command|cmd): (?P<command>.{1,400})$", re.MULTILINE)
_SEEN: Final = "\0"


@dataclass(slots=True)
class TurnSource:
    """The sessions of one store.

    Attributes:
        workspace: The store.
        only: Id of the one session to look at, idle or not; empty for every idle one.
        is_backfill: Look at every session, and at every turn of it.
    """

    workspace: Workspace
    only: str = ""
    is_backfill: bool = False

    @property
    def is_seen(self) -> bool:
        """A transcript says what was said."""
        return False

    def collect(self, mark: JsonValue, limit: int) -> Part:
        """Returns the turns that are new, a session after the other."""
        counts = _counts(mark) if self.is_backfill else {}
        found: list[str] = []
        for metadata in self._sessions():
            unseen = unseen_turns(self.workspace, metadata.id, is_anew=self.is_backfill)
            commits = unseen.commits if unseen is not None else ()
            first = counts.get(metadata.id, 0)
            taken = commits[first : first + limit - len(found)]
            found += [f"{metadata.id}{_SEEN}{commit}" for commit in taken]
            counts[metadata.id] = first + len(taken)
            if len(found) >= limit:
                break
        reached: dict[str, JsonValue] = {**counts}
        return Part(tuple(found), reached if self.is_backfill else mark)

    def read(self, items: Sequence[str]) -> Iterator[Material]:
        """Yields the turns with what was said and called in them."""
        for session, commits in _by_session(items):
            for metadata, facts, nodes in read_turns(self.workspace, session, commits):
                if nodes:
                    yield self._seen(metadata, facts.number, nodes)

    def gone(self, part: Part) -> frozenset[str]:
        """Returns the sessions of a part that are there no more."""
        sessions = (session for session, _ in _by_session(part.items))
        return frozenset(name for name in sessions if read_session(self.workspace, name) is None)

    def settle(self, part: Part, products: Sequence[Product], full: AbstractSet[str]) -> None:
        """Notes in each session which turns were looked at, and what was proposed of it."""
        claims = [item for item in products if isinstance(item, ClaimFound)]
        left = {session_of(item) for item in products if item.key in full}
        for session, commits in _by_session(part.items):
            mine = [item.key for item in claims if item.session == session]
            proposed = [key for key in mine if key not in full]
            # Where something found no room, the turns are looked at again when there is.
            is_done = session not in left
            note_distilled(self.workspace, session, commits if is_done else (), proposed)

    def _sessions(self) -> tuple[Metadata, ...]:
        if not self.workspace.home_dir.is_absolute():
            return ()
        if self.only or self.is_backfill:
            every = all_sessions(self.workspace)
            return tuple(item for item in every if self.only in ("", item.id))
        return idle_sessions(self.workspace, self.workspace.clock.now())

    def _seen(self, metadata: Metadata, number: int, nodes: Sequence[Node]) -> TurnSeen:
        moments = [node.at for node in nodes if node.at is not None]
        said = (Said(str(node.role), strip_packets(node.words)) for node in nodes)
        return TurnSeen(
            session=metadata.id,
            host_id=metadata.host_id,
            client=metadata.client,
            number=number,
            nodes=tuple(node.id for node in nodes),
            at=max(moments, default=metadata.updated or self.workspace.clock.now()),
            said=tuple(item for item in said if item.words.strip()),
            calls=tuple(self._calls(nodes)),
            proposed=frozenset(metadata.proposed),
        )

    def _calls(self, nodes: Sequence[Node]) -> Iterator[Called]:
        parts = [part for node in nodes for part in node.parts]
        failed = {part.call for part in parts if part.kind is PartKind.RESULT and part.is_error}
        for part in parts:
            if part.kind is PartKind.CALL:
                command = _COMMAND.search(part.text)
                yield Called(
                    tool=part.name,
                    command=" ".join(command["command"].split()) if command else "",
                    path=self._path(part),
                    is_failed=part.call in failed,
                )

    def _path(self, part: NodePart) -> str:
        """Returns the file or page that a call is about; of a file its place in the project."""
        match = _PATH.search(part.text)
        if match is None:
            return ""
        path = (match["path"] or match["patched"]).strip().strip("\"'")
        if path.startswith(("https://", "http://")):
            return path.partition("?")[0]
        project = self.workspace.project_dir
        if not path.startswith("/"):
            return "" if path.startswith(("~", "..")) else path.removeprefix("./")
        root = f"{project}/" if project is not None else ""
        # A place outside of the project tells of this machine, and of nothing else.
        return path.removeprefix(root) if root and path.startswith(root) else ""


def _by_session(items: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    sessions: dict[str, list[str]] = {}
    for item in items:
        session, _, commit = item.partition(_SEEN)
        sessions.setdefault(session, []).append(commit)
    yield from sessions.items()


def _counts(mark: JsonValue) -> dict[str, int]:
    """Returns how many turns of which session a backfill has looked at."""
    value = mark if isinstance(mark, dict) else {}
    return {name: count for name, count in value.items() if isinstance(count, int)}
