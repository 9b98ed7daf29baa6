"""Deterministic verifiers: they look something up and never run anything (A50, DESIGN §2).

A path is looked for below the project's folder, a commit in its Git objects, a result among
the host observations that the claim cites, a date in the calendar. Whatever cannot be looked
up does not hold.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Final, assert_never

from memfs.errors import GitError
from memfs.model.candidate import Submission
from memfs.model.digests import content_digest
from memfs.model.evidence import Check, CheckKind
from memfs.model.origin import OriginClass
from memfs.model.record import Record
from memfs.policy.verification import Verification
from memfs.policy.withdrawal import is_standing
from memfs.services.ports import Workspace
from memfs.services.project_files import inner_parts, plain_mode

MOST_CHECKS: Final = 8
_READ_BYTES: Final = 1_048_576
_PATH: Final = re.compile(
    r"(?P<path>[^:#\0]{1,400})(?::(?P<line>\d{1,7})|#(?P<name>[\w.]{1,100}))?\Z"
)
_COMMIT: Final = re.compile(r"[0-9a-f]{7,40}\Z")
_YEARS: Final = range(1970, 2201)
_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "passed": ("passed", "passes", "pass", "succeeded", "succeeds", "succeed"),
    "failed": ("failed", "fails", "fail"),
}


def command_digest(command: str) -> str:
    """Returns what an observation keeps of a command, white space folded."""
    return content_digest("command", " ".join(command.split()).encode("utf-8", "replace"))


def verified(
    workspace: Workspace, submission: Submission, evidence: Mapping[str, Record]
) -> tuple[Verification, ...]:
    """Looks up what a submission names, in order; at most eight checks are made.

    Args:
        workspace: The store; without a project no path and no commit holds.
        submission: The claim.
        evidence: What it cites, by id.
    """
    checks = submission.checks[:MOST_CHECKS]
    return tuple(_verified(workspace, check, evidence) for check in checks)


def _verified(workspace: Workspace, check: Check, evidence: Mapping[str, Record]) -> Verification:
    match check.kind:
        case CheckKind.PATH:
            return _path(workspace.project_dir, check.value)
        case CheckKind.COMMIT:
            return _commit(workspace.project_dir, check.value)
        case CheckKind.OUTCOME:
            return _outcome(check.value, evidence)
        case CheckKind.DATE:
            return Verification("date", _is_date(check.value), (check.value,), is_proof=False)
        case _:
            assert_never(check.kind)


def _path(project: Path | None, value: str) -> Verification:
    match = _PATH.match(value)
    if match is None or project is None:
        return Verification("path", False)
    words = tuple(part for part in (match["path"], match["line"], match["name"]) if part)
    parts = inner_parts(match["path"])
    if not parts:
        return Verification("path", False, words)
    if not match["line"] and not match["name"]:
        return Verification("path", bool(plain_mode(project, parts)), words)
    text = _text(project, parts)
    if text is None:
        return Verification("path", False, words)
    if match["line"]:
        return Verification("path", 1 <= int(match["line"]) <= len(text.splitlines()), words)
    stands = re.search(rf"(?<!\w){re.escape(match['name'])}(?!\w)", text) is not None
    return Verification("path", stands, words)


def _text(project: Path, parts: tuple[str, ...]) -> str | None:
    if not plain_mode(project, parts):
        return None
    try:
        with project.joinpath(*parts).open("rb") as file:
            return file.read(_READ_BYTES).decode("utf-8", "replace")
    except OSError:
        return None


def _commit(project: Path | None, value: str) -> Verification:
    words = (value,)
    if project is None or _COMMIT.match(value) is None:
        return Verification("commit", False, words)
    from memfs.store.discovery import find_git_project  # only a claim about a commit needs Git
    from memfs.store.git import run_git

    found = find_git_project(project)
    if found is None:
        return Verification("commit", False, words)
    try:
        run_git(found.git_dir, None, "cat-file", "-e", f"{value}^{{commit}}")
    except GitError:
        return Verification("commit", False, words)
    return Verification("commit", True, words)


def _outcome(value: str, evidence: Mapping[str, Record]) -> Verification:
    command, _, result = value.rpartition("=")
    wanted = command_digest(command)
    words = (" ".join(command.split()), *_WORDS.get(result, (result,)))
    for item in evidence.values():
        if (
            result != "unknown"
            and _is_observation(item)
            and item.fields.get("command_digest") == wanted
        ):
            seen = {str(item.fields.get("outcome")), str(item.fields.get("exit_code"))}
            if result in seen:
                return Verification("outcome", True, words, evidence_id=item.id)
    return Verification("outcome", False, words)


def _is_observation(record: Record) -> bool:
    return (
        is_standing(record)
        and record.origin is not None
        and record.origin.origin_class is OriginClass.HOST_OBSERVED
    )


def _is_date(value: str) -> bool:
    try:
        return date.fromisoformat(value).year in _YEARS
    except ValueError:
        return False
