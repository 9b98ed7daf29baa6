"""Asks an embedder for the vector of a question, within bounds, and lets it rest when it is away.

A question waits for no embedder: one that did not answer is not asked again for a minute, by any
process, and the order is that of the words until then (A72). A question that holds a secret is
sent to no other machine.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Protocol, runtime_checkable

from memfs.errors import IndexUnavailableError
from memfs.services.ports import Embedder, Workspace

AWAY_FILE: Final = "embedder-away"
UNREACHABLE: Final = "vectors.unreachable"
REST_S: Final = 60
"""So long an embedder that did not answer is left alone."""


@runtime_checkable
class QuestionEmbedder(Protocol):
    """An embedder that takes questions otherwise than records: sooner, or with another prefix."""

    def embed_question(self, text: str) -> Sequence[float]:
        """Returns the vector of a question.

        Raises:
            IndexUnavailableError: It cannot be asked, or not in time.
        """
        ...


def question_vector(workspace: Workspace, embedder: Embedder, text: str) -> Sequence[float]:
    """Returns the vector of a question.

    Raises:
        IndexUnavailableError: It cannot be asked now, or may not be asked this.
    """
    if is_away(workspace):
        raise IndexUnavailableError("the embedder did not answer", code="embedder.away")
    if embedder.is_remote:
        _check_may_leave(text)
    try:
        if isinstance(embedder, QuestionEmbedder):
            return embedder.embed_question(text)
        (vector,) = embedder.embed((text,))
    except IndexUnavailableError:
        note_away(workspace)
        raise
    except ValueError as error:
        raise IndexUnavailableError("expected one vector", code="embedder.bad-answer") from error
    return vector


def is_away(workspace: Workspace) -> bool:
    """Tells whether the embedder did not answer within the last minute."""
    try:
        since = (workspace.cache_dir / AWAY_FILE).stat().st_mtime
    except OSError:
        return False
    return 0 <= workspace.clock.now().timestamp() - since < REST_S


def note_away(workspace: Workspace) -> None:
    """Notes for every process that the embedder does not answer now."""
    now = workspace.clock.now().timestamp()
    path = workspace.cache_dir / AWAY_FILE
    with suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        os.utime(path, (now, now))


def note_trouble(workspace: Workspace, error: IndexUnavailableError) -> None:
    """Lets a server of vectors rest that did not answer, as an embedder is let."""
    if error.code == UNREACHABLE:
        note_away(workspace)


def _check_may_leave(text: str) -> None:
    """Lets no question with a secret in it leave this machine."""
    from memfs.policy.screening import screen  # hardly any embedder is elsewhere

    if screen(text, is_person=False).rejects:
        raise IndexUnavailableError(
            "the question holds what may not leave this machine", code="embedder.not-asked"
        )
