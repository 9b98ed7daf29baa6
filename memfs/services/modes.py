"""What the mode of a store lets a service do: take in, and serve (A73).

Policy decides every single operation by mode as well; here a verb that would have nothing to
decide on says so at once, with the same codes. What takes something back asks neither: it is
possible in every mode, and no mode serves past a tombstone (A75).
"""

from __future__ import annotations

from memfs.errors import AccessError
from memfs.model.origin import Actor
from memfs.model.settings import Mode
from memfs.policy.access import may_serve
from memfs.policy.reasons import SENTENCES
from memfs.services.ports import Workspace


class MemoryModeError(AccessError):
    """The mode of the store does not allow the operation; the code says which mode."""

    code = "access.mode"


def is_taking(workspace: Workspace) -> bool:
    """Whether the store takes anything in; in shadow mode it decides, and what it admits waits."""
    return workspace.settings.mode in (Mode.ENFORCED, Mode.SHADOW)


def require_taking(workspace: Workspace) -> None:
    """Lets nothing in where the store takes nothing.

    Raises:
        MemoryModeError: It is off or read-only.
    """
    if not is_taking(workspace):
        raise mode_error(workspace)


def require_serving(workspace: Workspace, actor: Actor) -> None:
    """Lets nobody look where nothing is served to them.

    Raises:
        MemoryModeError: It is off, or in shadow mode and the reader is a program.
    """
    if not may_serve(workspace.settings.mode, actor):
        raise mode_error(workspace)


def mode_error(workspace: Workspace) -> MemoryModeError:
    """Returns what is said of a verb that the present mode does not allow."""
    mode = workspace.settings.mode
    code = f"mode.{mode}"
    hint = "memory is switched off by MEMFS in the environment: unset it"
    if not workspace.is_switched_off:
        hint = "change mode: in memfs.yaml, and accept that with memfs review"
    return MemoryModeError(SENTENCES.get(code, f"memory is in mode {mode}"), code=code, hint=hint)
