"""Finds a prompt again in the transcript of its host, by a salted digest of its words.

Whatever shape the lines have: every text of every line is compared, from the place on at which
the transcript ended when the prompt was submitted. What is found is what the hook was given,
character by character; nothing else of the transcript is kept or looked at.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from memfs.app.hook_jobs import salted_digest, typed_words
from memfs.errors import DataError

MOST_BYTES: Final = 16 * 1024 * 1024
_BEFORE: Final = 1024 * 1024
"""A host may have written the prompt before it asked its hooks."""
_DEPTH: Final = 32


class PromptNotFoundError(DataError):
    """The transcript does not have the prompt, or not yet."""

    code = "session.prompt-not-found"


def find_prompt(transcript: str, *, begin: int, salt: str, digest: str) -> str:
    """Returns the words whose digest is given.

    Raises:
        PromptNotFoundError: They are not there.
    """
    for line in read_from(transcript, max(0, begin - _BEFORE), MOST_BYTES).splitlines():
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            continue
        for text in _texts(value, _DEPTH):
            words = typed_words(text.encode("utf-8", "replace").decode("utf-8"))
            if words and salted_digest(salt, words) == digest:
                return words
    raise PromptNotFoundError("the transcript does not have the prompt", path=transcript)


def read_from(path: str, begin: int, most: int) -> bytes:
    """Returns what a file of this account holds from a place on; follows no link, never waits.

    Raises:
        PromptNotFoundError: It is not there, or is no plain file of this account.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as error:
        raise PromptNotFoundError("the transcript cannot be read", path=path) from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            raise PromptNotFoundError("expected a file of this account", path=path)
        os.lseek(descriptor, begin, os.SEEK_SET)
        pieces: list[bytes] = []
        while most > 0 and (piece := os.read(descriptor, min(most, 1 << 18))):
            pieces.append(piece)
            most -= len(piece)
    finally:
        os.close(descriptor)
    return b"".join(pieces)


def read_tail(path: str, most: int) -> bytes:
    """Returns the end of a file of this account; empty where there is none to read."""
    try:
        size = Path(path).stat().st_size
        return read_from(path, max(0, size - most), most)
    except (OSError, ValueError, DataError):
        return b""


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from _texts(item, depth - 1)
    elif depth and isinstance(value, list):
        for item in value:
            yield from _texts(item, depth - 1)
