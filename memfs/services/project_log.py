"""Commits of the project for those who ask memory what happened: read only and bounded (O30, O31).

Programs do not get the lines that hold a secret: what an agent reads can end in a transcript.
Changes of the store itself are not shown here, since memory has a read gate and Git has none.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime
from typing import Final

from memfs.model.origin import Actor
from memfs.model.project import ProjectChange, ProjectCommit
from memfs.policy.screening import scan_personal, scan_secrets
from memfs.services.modes import require_serving
from memfs.services.ports import Workspace
from memfs.services.work_words import without_keys
from memfs.store.project_history import ProjectHistory

DEFAULT_COMMITS: Final = 50
DEFAULT_BYTES: Final = 20_000
MOST_BYTES: Final = 1_000_000
_LEFT_OUT: Final = "[left out: a secret]"


def project_log(
    workspace: Workspace,
    actor: Actor,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    path: str = "",
    limit: int = DEFAULT_COMMITS,
) -> tuple[ProjectCommit, ...]:
    """Returns commits of the project, the newest first.

    Raises:
        NoProjectHistoryError: The project has no Git repository.
        MemoryModeError: Memory serves nothing.
    """
    require_serving(workspace, actor)
    found = _history(workspace).commits(since=since, until=until, path=path, limit=limit)
    return tuple(_told(commit, actor) for commit in found)


def project_commit(workspace: Workspace, name: str) -> tuple[str, datetime]:
    """Returns the whole id of a commit of the project and when it was made; no word of it.

    Raises:
        NoProjectHistoryError: The project has no Git repository.
        UnknownCommitError: It has no such commit.
    """
    found = _history(workspace).commit(name)
    return found.id, found.at


def project_change(
    workspace: Workspace,
    commit: str,
    actor: Actor,
    *,
    path: str = "",
    limit_bytes: int = DEFAULT_BYTES,
) -> ProjectChange:
    """Returns what one commit of the project changed.

    Raises:
        NoProjectHistoryError: The project has no Git repository.
        UnknownCommitError: It has no such commit.
        MemoryModeError: Memory serves nothing.
    """
    require_serving(workspace, actor)
    size = max(1, min(limit_bytes, MOST_BYTES))
    found = _history(workspace).change(commit, path=path, limit_bytes=size)
    return replace(
        found,
        commit=_told(found.commit, actor),
        files=tuple((status, _screened(name, actor)) for status, name in found.files),
        diff=_screened(found.diff, actor),
    )


def _history(workspace: Workspace) -> ProjectHistory:
    return ProjectHistory.of(workspace.project_dir, hidden=(workspace.store.root,))


def _told(commit: ProjectCommit, actor: Actor) -> ProjectCommit:
    return replace(
        commit,
        author=_screened(commit.author, actor),
        subject=_screened(commit.subject, actor),
        body=_screened(commit.body, actor),
    )


def _screened(text: str, actor: Actor) -> str:
    """Returns a text as ``actor`` gets it: a program without the lines that hold a secret."""
    if actor.is_person:
        return text
    lines = without_keys(text.split("\n"), Counter())
    text = "\n".join(lines)
    spans = [(item.start, item.end) for item in scan_secrets(text)]
    spans += [(item.start, item.end) for item in scan_personal(text)]
    kept: list[str] = []
    start = 0
    for line in lines:
        end = start + len(line)
        is_found = any(left < end and right > start for left, right in spans)
        kept.append(_LEFT_OUT if is_found else line)
        start = end + 1
    return "\n".join(kept)
