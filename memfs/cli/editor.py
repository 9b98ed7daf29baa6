"""The person's editor, on a private copy of a text."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from memfs.errors import UsageError


def edit_text(content: bytes, suffix: str = ".md") -> bytes:
    """Lets the person edit ``content`` and returns what they saved, byte for byte.

    The copy lies in a folder that only its owner can read and is removed in any case.

    Raises:
        UsageError: No editor is set, or it could not be run, or it ended with an error.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not command:
        raise UsageError("no editor is set", hint="set VISUAL or EDITOR, for instance EDITOR=nano")
    with tempfile.TemporaryDirectory(prefix="memfs-edit-") as folder:
        copy = Path(folder) / f"record{suffix}"
        copy.write_bytes(content)
        try:
            status = subprocess.run([*shlex.split(command), str(copy)], check=False).returncode
        except OSError as error:
            raise UsageError(f"the editor {command!r} could not be run") from error
        if status != 0:
            raise UsageError(f"the editor ended with {status}; nothing was changed")
        return copy.read_bytes()
