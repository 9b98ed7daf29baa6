"""Commits in the project what an agent changed in a turn: only where a person wants that (O35).

Off by default. What was in the tree before the agent acted is the person's: where it was not
clean then, nothing is committed and the files are left alone. The author of such a commit says
that an agent made it. A change that holds what looks like a secret is left to the person.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from memfs.policy.screening import scan_secrets
from memfs.services.ports import Workspace
from memfs.store.private_notes import PrivateNotes
from memfs.store.project_history import NoProjectHistoryError
from memfs.store.project_tree import ProjectTree

_FOLDER: Final = "turns"
_LOOKED_AT: Final = 4 * 1024 * 1024
_EMAIL: Final = "agent@memfs.invalid"


class TurnEnd(StrEnum):
    """What became of a turn's changes."""

    NOTHING = "nothing"
    COMMITTED = "committed"
    WAS_NOT_CLEAN = "project.was-not-clean"
    """The tree held changes before the agent acted."""
    MOVED = "project.moved"
    """Another branch is checked out, or a merge or rebase is under way."""
    SECRET = "project.secret"
    """What changed may hold a secret, or is too much to be looked through."""


@dataclass(frozen=True, slots=True)
class TurnCommit:
    """What became of a turn's changes, and the commit, if any."""

    end: TurnEnd
    commit: str = ""
    files: int = 0

    @property
    def warning(self) -> str:
        """The code to be told; empty where there is nothing to tell."""
        is_quiet = self.end in (TurnEnd.NOTHING, TurnEnd.COMMITTED)
        return "" if is_quiet else str(self.end)


def begin_turn(workspace: Workspace, session: str) -> None:
    """Notes how the tree stands before an agent acts.

    Raises:
        GitFailedError: Git cannot tell.
        WriteFailedError: It cannot be noted.
    """
    tree = _tree(workspace)
    if tree is None:
        return
    state = tree.state()
    note = {"clean": state.is_clean, "branch": state.branch}
    notes, name, content = _notes(workspace), _name(session), json.dumps(note).encode()
    if not notes.create(name, content):
        notes.replace(name, content)


def end_turn(workspace: Workspace, session: str, client: str) -> TurnCommit:
    """Commits what changed since the turn began, or says why not; nothing is ever discarded.

    Args:
        workspace: The store of the project.
        session: The host's id of the conversation.
        client: Name of the coding agent.

    Raises:
        GitFailedError: Git refuses.
    """
    tree = _tree(workspace)
    notes, name = _notes(workspace), _name(session)
    before = _read(notes.read(name)) if tree is not None else None
    if tree is None or before is None:
        return TurnCommit(TurnEnd.NOTHING)
    notes.remove(name)
    state = tree.state()
    if not state.changed:
        return TurnCommit(TurnEnd.NOTHING)
    if not before.get("clean"):
        return TurnCommit(TurnEnd.WAS_NOT_CLEAN, files=len(state.changed))
    if state.is_unfinished or not state.branch or state.branch != before.get("branch"):
        return TurnCommit(TurnEnd.MOVED, files=len(state.changed))
    change = tree.stage(state.changed, limit_bytes=_LOOKED_AT)
    if change is None or scan_secrets(change.decode("utf-8", "replace")):
        tree.unstage()
        return TurnCommit(TurnEnd.SECRET, files=len(state.changed))
    count = len(state.changed)
    files = f"{count} {'file' if count == 1 else 'files'}"
    message = f"{client}: change {files}\n\nMemfs-Session: {session}\n"
    commit = tree.commit(message, author=f"{client} (agent) <{_EMAIL}>")
    return TurnCommit(TurnEnd.COMMITTED, commit=commit, files=count)


def _tree(workspace: Workspace) -> ProjectTree | None:
    if not workspace.settings.runs.commit_turns:
        return None
    try:
        return ProjectTree.of(workspace.project_dir, hidden=(workspace.store.root,))
    except NoProjectHistoryError:
        return None


def _notes(workspace: Workspace) -> PrivateNotes:
    return PrivateNotes(workspace.store.git_dir, _FOLDER)


def _name(session: str) -> str:
    return hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:32]


def _read(content: bytes | None) -> dict[str, object] | None:
    try:
        value = json.loads(content or b"")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
