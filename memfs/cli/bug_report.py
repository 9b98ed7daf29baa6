"""Bug reports: which code failed, and nothing that was stored or typed (A86)."""

from __future__ import annotations

import platform
import sys
import traceback
from pathlib import Path

from memfs import __version__


def write_report(error: Exception) -> Path | None:
    """Writes a report, readable by its owner only.

    The message of the exception is left out on purpose: it may quote a record. So are
    the arguments of the command line.

    Returns:
        The file, or ``None`` when it could not be written.
    """
    from platformdirs import user_state_path

    folder = user_state_path("memfs") / "reports"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        place = folder / f"{_name(error)}.txt"
        place.write_text(render(error), encoding="utf-8")
        place.chmod(0o600)
    except OSError:
        return None
    return place


def render(error: Exception) -> str:
    """Returns the report: versions, the chain of exception types, and their frames."""
    lines = [
        f"memfs {__version__}",
        f"python {platform.python_version()} on {sys.platform}",
    ]
    current: BaseException | None = error
    while current is not None:
        lines.append("")
        lines.append(type(current).__qualname__)
        lines.extend(
            f"  {frame.filename}:{frame.lineno} in {frame.name}"
            for frame in traceback.extract_tb(current.__traceback__)
        )
        current = current.__cause__ or current.__context__
    return "\n".join(lines) + "\n"


def _name(error: Exception) -> str:
    """Names a report by what failed, so that a repetition replaces it."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1] if frames else None
    where = f"{Path(last.filename).stem}-{last.lineno}" if last else "unknown"
    return f"{type(error).__name__}-{where}"
