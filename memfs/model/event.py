"""An event: something that happened once, at a time that is known."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

EVENT_KIND: Final = "event"
TIMELINE_FOLDER: Final = "timeline"


class EventSort(StrEnum):
    """What sort of event it is (O2)."""

    WORK = "work"
    DECISION = "decision"
    LEARNING = "learning"
    EVENT = "event"
