"""Changes one setting in the text of ``memfs.yaml`` and nothing else (ADR 0009).

The result is read again and must mean exactly what the text meant, with the new value; a text
that is laid out so that this fails is left to its owner.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from memfs.errors import DataError
from memfs.formats.settings import decode_settings
from memfs.model.settings import Mode

_MODE: Final = re.compile(rb"^(mode:[ \t]*)([^\s#]+)", re.M)


class SettingsLayoutError(DataError):
    """A setting cannot be changed in this text without touching anything else."""

    code = "settings.layout"


def with_mode(content: bytes, mode: Mode, *, path: str) -> bytes:
    """Returns the settings with another mode; every other byte stays as it is.

    Raises:
        SettingsError: They cannot be read.
        SettingsLayoutError: The line cannot be found or replaced.
    """
    before = decode_settings(content, path=path)
    if before.mode is mode:
        return content
    value = str(mode).encode("ascii")
    changed, count = _MODE.subn(lambda found: found[1] + value, content, count=1)
    if not count:
        changed = content.rstrip(b"\n") + b"\nmode: " + value + b"\n"
    try:
        after = decode_settings(changed, path=path)
    except DataError as error:
        raise _layout(path, mode) from error
    if replace(after, digest="") != replace(before, mode=mode, digest=""):
        raise _layout(path, mode)
    return changed


def _layout(path: str, mode: Mode) -> SettingsLayoutError:
    return SettingsLayoutError(
        "expected a line that begins with mode:, got another layout",
        path=path,
        hint=f"write mode: {mode} yourself, accept that with memfs review, and go on",
    )
