"""Events laid out in bulk: one commit, whatever their number."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from memfs.model.event import EventSort
from memfs.model.values import JsonValue

Line = dict[str, JsonValue]
NAMES = ("Harbour", "Depot Nord", "night run", "queue", "Uvicorn")


def written(path: Path, lines: Iterable[Mapping[str, JsonValue]]) -> Path:
    """Writes lines of JSON."""
    text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def read(lines: Iterable[str]) -> list[Line]:
    """Reads lines of JSON."""
    return [json.loads(line) for line in lines if line.strip()]


def many(count: int, *, seed: int = 7) -> list[Line]:
    """Returns events around the borders of months and years, in many zones."""
    chosen = random.Random(seed)
    lines: list[Line] = []
    for number in range(count):
        zone = timezone(timedelta(minutes=chosen.choice((-720, -210, 0, 0, 60, 345, 840))))
        border = datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=30.4375 * chosen.randrange(24))
        month = border.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        step = chosen.choice((0, 1, -1, 500_000, -500_000, chosen.randrange(-(10**12), 10**12)))
        moment = month + timedelta(microseconds=step)
        learned = moment + timedelta(hours=chosen.randrange(1, 2000))
        lines.append(
            {
                "id": f"e{number}",
                "kind": str(chosen.choice(tuple(EventSort))),
                "title": f"Step {number} of the move",
                "event_time": moment.astimezone(zone).isoformat(),
                "ingestion_time": min(learned, datetime(2026, 11, 1, tzinfo=UTC)).isoformat(),
                "entities": sorted(chosen.sample(NAMES, chosen.randrange(3))),
                "session": f"s{chosen.randrange(4)}",
            }
        )
    return lines
