"""The model of this process as runs take it: none unless one is configured (C12)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memfs.app.environment import model_from
from memfs.app.switches import is_switched_off

if TYPE_CHECKING:
    from memfs.domains.runs.distilling import Distil


def distil_from(env: Mapping[str, str]) -> Distil | None:
    """Returns what asks the configured model; ``None`` where there is none, or memory is off."""
    settings = model_from(env)
    if not settings.is_set or is_switched_off(env):
        return None
    from memfs.domains.runs.model import ModelClient, ModelEndpoint

    return ModelClient(ModelEndpoint(name=settings.name, url=settings.url, key=settings.key))
