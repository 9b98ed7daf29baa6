"""Candidates as those who wait for them may see them.

A proposal for a new version of a record carries that record's text. A program sees it while it
may read the whole record, and only its own lines of an account otherwise.
"""

from __future__ import annotations

from dataclasses import replace

from memfs.model.candidate import Candidate
from memfs.model.origin import Actor
from memfs.policy.access import may_read
from memfs.services.gate import access_request
from memfs.services.inbox import difference
from memfs.services.ports import Workspace
from memfs.services.served_records import read_path


def seen_candidate(workspace: Workspace, candidate: Candidate, actor: Actor) -> Candidate:
    """Returns ``candidate`` with the text of a record that ``actor`` may not read left out."""
    if _may_see_text(workspace, candidate, actor):
        return candidate
    return replace(
        candidate, path="", content=b"", base="", theirs="", title="", reasons=(), quotes=()
    )


def seen_difference(workspace: Workspace, candidate: Candidate, actor: Actor) -> str:
    """Returns what the candidate would change; nothing where ``actor`` may not read it."""
    if not _may_see_text(workspace, candidate, actor):
        return ""
    return difference(workspace, candidate)


def _may_see_text(workspace: Workspace, candidate: Candidate, actor: Actor) -> bool:
    if actor.is_person or not (candidate.base or candidate.theirs):
        return True
    stored = read_path(workspace, workspace.store.snapshot(), candidate.path)
    request = access_request(workspace, actor)
    return stored is not None and may_read(stored.record, request).is_whole
