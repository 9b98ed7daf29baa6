"""The switch in the environment: ``MEMFS=off`` turns memory off for one process and its children.

It needs no network, no store that works and nobody's consent, and it beats every setting. It
can only take away: no value of it serves or admits anything that the settings do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from memfs.model.settings import Mode, Settings

SWITCH: Final = "MEMFS"
"""The variable by which a host, or a person, turns memory off."""
_OFF: Final = frozenset({"off", "0", "no", "false", "none", "disabled"})


def is_switched_off(env: Mapping[str, str]) -> bool:
    """Whether the environment turns memory off."""
    return env.get(SWITCH, "").strip().lower() in _OFF


def settings_in_force(settings: Settings, *, is_off: bool) -> Settings:
    """Returns the settings as they are in force; the digest still names the admitted ones."""
    return replace(settings, mode=Mode.OFF) if is_off else settings
