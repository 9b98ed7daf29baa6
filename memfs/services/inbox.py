"""The inbox: candidates as untracked Markdown files, one each.

Nothing here enters history. A candidate that repeats an earlier one (same key) replaces
it under the same id and file; one that has lapsed is swept at the next look. A file in
the inbox that is no candidate is reported, never deleted.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from memfs.errors import ConflictError, DataError
from memfs.formats.candidate_codec import decode_candidate, encode_candidate
from memfs.model.candidate import Candidate, CandidateState
from memfs.model.frozen import frozen
from memfs.model.ids import CANDIDATE_PREFIX, is_id, short_id
from memfs.model.origin import Actor, Principal
from memfs.model.problem import Problem
from memfs.policy.retention import is_candidate_expired
from memfs.services.in_step import EDIT_CANDIDATES
from memfs.services.ports import Workspace
from memfs.store.layout import slugify

FOLDER: Final = "inbox"
EDIT_PREFIX: Final = EDIT_CANDIDATES.removeprefix(f"{FOLDER}/")
"""Begins the file name of a candidate that stands for an edited working file."""
SUFFIX_LENGTH: Final = 4
"""How much of the end of an id has to be given."""
WAITING_STATES: Final = frozenset({CandidateState.PROPOSED, CandidateState.QUARANTINED})


class UnknownCandidateError(ConflictError):
    """No candidate has this id."""

    code = "conflict.unknown-candidate"


class AmbiguousCandidateError(ConflictError):
    """Several candidates match."""

    code = "conflict.ambiguous-candidate"


@frozen
class Inbox:
    """What the inbox holds: candidates by age, and files that are none."""

    candidates: tuple[Candidate, ...]
    problems: tuple[Problem, ...]

    @property
    def waiting(self) -> tuple[Candidate, ...]:
        """Candidates that wait for a decision."""
        return tuple(item for item in self.candidates if item.state in WAITING_STATES)


def candidate_path(candidate: Candidate) -> str:
    """Returns the file of a candidate, named after its title and its id."""
    slug = slugify(candidate.title) if candidate.title else "candidate"
    prefix = EDIT_PREFIX if candidate.is_working_file else ""
    return f"{FOLDER}/{prefix}{slug}-{short_id(candidate.id)}.md"


def read_inbox(workspace: Workspace, *, only_edits: bool = False) -> Inbox:
    """Reads every candidate, oldest first; lapsed ones are removed on the way.

    Args:
        workspace: The store.
        only_edits: Read only those that may stand for working files, as every command does.
    """
    now = workspace.clock.now()
    found: dict[str, tuple[Candidate, str]] = {}
    problems: list[Problem] = []
    for path in workspace.store.list_untracked(FOLDER):
        if not path.endswith(".md"):
            continue
        if only_edits and not path.startswith(f"{FOLDER}/{EDIT_PREFIX}"):
            continue
        candidate, problem = _read_file(workspace, path)
        if problem is not None:
            problems.append(problem)
        if candidate is None:
            continue
        if is_candidate_expired(candidate, now):
            workspace.store.remove_untracked(path)
            continue
        earlier = found.setdefault(candidate.id, (candidate, path))
        if earlier[1] != path:
            problems.append(_copied(path, earlier[1]))
    candidates = sorted(
        (candidate for candidate, _ in found.values()), key=lambda item: (item.created, item.id)
    )
    return Inbox(candidates=tuple(candidates), problems=tuple(problems))


def _copied(path: str, earlier: str) -> Problem:
    return Problem(
        path,
        0,
        0,
        "candidate.duplicate-id",
        f"expected an id of its own, got that of {earlier}",
        "delete one of the two files",
    )


def is_visible(candidate: Candidate, actor: Actor) -> bool:
    """Whether ``actor`` may see what is proposed: a person everything, an agent its own (A33)."""
    return actor.is_person or candidate.origin.principal == actor.principal


def _read_file(workspace: Workspace, path: str) -> tuple[Candidate | None, Problem | None]:
    try:
        content = workspace.store.read_working(path)
        if content is None:
            return None, None
        return decode_candidate(content, path=path), None
    except DataError as error:
        problem = Problem(
            path=error.path or path,
            line=error.line or 0,
            column=error.column or 0,
            code=error.code,
            message=error.message,
            hint=error.hint or "mend the file or delete it; nothing of it is in the ledger",
        )
        return None, problem


def find_candidate(workspace: Workspace, reference: str, actor: Actor) -> Candidate:
    """Finds one candidate by id, by the last characters of its id, or by its file.

    Raises:
        UnknownCandidateError: None matches, or none that may be seen.
        AmbiguousCandidateError: More than one does; the message lists them.
    """
    name = _named(workspace, reference)
    matches = [
        item
        for item in read_inbox(workspace).candidates
        if is_visible(item, actor) and _is_match(item, name)
    ]
    if not matches:
        raise UnknownCandidateError(
            f"no candidate matches {reference!r}", hint="see: memfs review list"
        )
    if len(matches) > 1:
        names = ", ".join(item.id for item in matches)
        raise AmbiguousCandidateError(
            f"{reference!r} matches several candidates: {names}", hint="give more of the id"
        )
    return matches[0]


def _named(workspace: Workspace, reference: str) -> str:
    """Returns the id that the file ``reference`` holds, or ``reference`` when it is no file."""
    name = reference.removeprefix(f"{FOLDER}/")
    if not name.endswith(".md") or "/" in name:
        return reference
    candidate, _ = _read_file(workspace, f"{FOLDER}/{name}")
    return candidate.id if candidate is not None else reference


def _is_match(candidate: Candidate, reference: str) -> bool:
    if is_id(reference, CANDIDATE_PREFIX):
        return candidate.id == reference
    return len(reference) >= SUFFIX_LENGTH and candidate.id.endswith(reference.lower())


def put_candidate(workspace: Workspace, candidate: Candidate) -> Candidate:
    """Writes one candidate; see :func:`put_candidates`."""
    return put_candidates(workspace, (candidate,))[0]


def put_candidates(workspace: Workspace, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Writes candidates; one with the key of an earlier one takes its id and its place.

    A candidate that says exactly what the earlier one says changes nothing, so that what a
    person rejected is not brought back by the next look at the same file.

    Returns:
        The candidates as they stand in the inbox, in the order given.

    Raises:
        LockTimeoutError: Another writer kept the store's lock.
    """
    # Two watchers that see the same save must not file it twice.
    with workspace.store.exclusive():
        return _placed(workspace, candidates)


def put_within_quota(workspace: Workspace, candidate: Candidate) -> Candidate | None:
    """Writes one candidate of a program; ``None`` when it has too many waiting by now.

    Counted under the store's lock, so that writers who all saw room cannot fill it together
    beyond the quota (O56). A proposal made again takes the place of the earlier one.
    """
    with workspace.store.exclusive():
        inbox = read_inbox(workspace)
        is_new = all(item.key != candidate.key for item in inbox.candidates)
        count = waiting_of(inbox, candidate.origin.principal)
        if is_new and count >= workspace.settings.inbox.quota:
            return None
        return _placed(workspace, (candidate,))[0]


def waiting_of(inbox: Inbox, principal: Principal) -> int:
    """Returns how many candidates of a principal wait."""
    return sum(1 for item in inbox.waiting if item.origin.principal == principal)


def _placed(workspace: Workspace, candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    by_key = {item.key: item for item in read_inbox(workspace).candidates if item.key}
    placed: list[Candidate] = []
    for candidate in candidates:
        earlier = by_key.get(candidate.key) if candidate.key else None
        if earlier is not None and _is_repetition(earlier, candidate):
            placed.append(earlier)
            continue
        if earlier is not None:
            candidate = replace(candidate, id=earlier.id)
            write_candidate(workspace, candidate, replaces=earlier)
        else:
            _write(workspace, candidate)
        if candidate.key:
            by_key[candidate.key] = candidate
        placed.append(candidate)
    return tuple(placed)


def _is_repetition(earlier: Candidate, later: Candidate) -> bool:
    return _proposal(earlier) == _proposal(later)


def _proposal(candidate: Candidate) -> tuple[object, ...]:
    return (
        candidate.action,
        candidate.content,
        candidate.base,
        candidate.theirs,
        candidate.is_working_file,
    )


def write_candidate(workspace: Workspace, candidate: Candidate, *, replaces: Candidate) -> None:
    """Writes a candidate in the place of an earlier form of it, wherever that file stands."""
    before = _place_of(workspace, replaces)
    _write(workspace, candidate)
    if before != candidate_path(candidate):
        workspace.store.remove_untracked(before)


def _write(workspace: Workspace, candidate: Candidate) -> None:
    content = encode_candidate(candidate, difference(workspace, candidate))
    workspace.store.write_untracked(candidate_path(candidate), content)


def remove_key(workspace: Workspace, key: str) -> None:
    """Deletes what waits under a key, if anything does."""
    with workspace.store.exclusive():
        for candidate in read_inbox(workspace).waiting:
            if candidate.key == key:
                remove_candidate(workspace, candidate)


def remove_candidate(workspace: Workspace, candidate: Candidate) -> None:
    """Deletes the file of a candidate, wherever it stands in the inbox."""
    workspace.store.remove_untracked(_place_of(workspace, candidate))


def _place_of(workspace: Workspace, candidate: Candidate) -> str:
    """Returns the file of a candidate; a person may have renamed it, or changed its title."""
    usual = candidate_path(candidate)
    if workspace.store.read_working(usual) is not None:
        return usual
    for path in workspace.store.list_untracked(FOLDER):
        if path.endswith(".md"):
            standing, _ = _read_file(workspace, path)
            if standing is not None and standing.id == candidate.id:
                return path
    return usual


def difference(workspace: Workspace, candidate: Candidate) -> str:
    """Returns a unified diff from the ledger's version to the proposed one."""
    before = workspace.store.read_blob(candidate.base) if candidate.base else b""
    return unified_diff(before, candidate.content, candidate.path)


def unified_diff(before: bytes, after: bytes, path: str) -> str:
    """Returns a unified diff of two texts as people read it; undecodable bytes are replaced."""

    def lines(content: bytes) -> list[str]:
        return content.decode("utf-8", errors="replace").splitlines(keepends=True)

    return "".join(
        _ended(difflib.unified_diff(lines(before), lines(after), f"a/{path}", f"b/{path}"))
    )


def _ended(diff: Iterator[str]) -> Iterator[str]:
    for line in diff:
        if line.endswith("\n"):
            yield line
        else:
            yield f"{line}\n\\ No newline at end of file\n"
