"""Switched-off sources: whose words, and what came through which channel, is not relied on.

A switch names a principal (``agent:x``), a channel (``channel:tool``), a class of origin
(``class:remote``) or the source of an import (``import:claude-memory``). Admission and the
read gate ask the same question, so that nothing enters or leaves by one of them alone.
"""

from __future__ import annotations

from memfs.model.origin import Origin


def source_names(origin: Origin) -> frozenset[str]:
    """Returns every name under which a switch may speak of an origin."""
    family = origin.imported_from
    names = (str(origin.principal), f"channel:{origin.channel}", f"class:{origin.origin_class}")
    return frozenset((*names, family) if family else names)


def is_switched_off(origin: Origin | None, switches: frozenset[str]) -> bool:
    """Tells whether one of the switches names where this came from.

    What has no origin came from nowhere that could be trusted, and is off once any switch is.
    """
    if not switches:
        return False
    return origin is None or not switches.isdisjoint(source_names(origin))
