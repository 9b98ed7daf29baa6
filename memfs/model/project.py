"""Commits of the project that a store belongs to, as those see them who ask what happened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectCommit:
    """One commit of the project; without the author's address."""

    id: str
    at: datetime
    author: str
    subject: str
    body: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectChange:
    """What one commit of the project changed.

    Attributes:
        commit: The commit.
        files: Status letter and path of each changed file, in path order.
        diff: The change as a unified diff.
        is_cut: The diff or the list is longer than what is shown.
    """

    commit: ProjectCommit
    files: tuple[tuple[str, str], ...]
    diff: str
    is_cut: bool = False
