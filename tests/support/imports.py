"""Sources to import: the fixtures of the repository, and the real ones where they are."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfs.interop.pipeline import read_items
from memfs.interop.port import ImportItem
from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.record import Record
from memfs.model.values import JsonValue

REPOSITORY = Path(__file__).resolve().parents[2]
FIXTURES = REPOSITORY / "fixtures" / "imports"
REAL = REPOSITORY.parent / "shared" / "data" / "imports"
ANA = Actor(Principal(PrincipalKind.USER, "ana"), Channel.TERMINAL)
NOW = datetime(2026, 11, 29, 10, 12, tzinfo=UTC)


def real_source(name: str) -> Path:
    """Returns a real memory of another system, or skips the test when it is not here."""
    path = REAL / name
    if not path.exists():
        pytest.skip(f"../shared/data/imports/{name} is not on this machine")
    return path


def items_of(path: Path, format_name: str = "auto") -> tuple[ImportItem, ...]:
    """Returns everything that an import of ``path`` finds."""
    return tuple(read_items(path, format_name))


def drafts_of(items: Iterable[ImportItem]) -> tuple[Record, ...]:
    """Returns the claims among the items."""
    return tuple(item.draft for item in items if item.draft is not None)


def codes_of(items: Iterable[ImportItem]) -> list[str]:
    """Returns the codes of all problems, in order."""
    return [problem.code for item in items for problem in item.problems]


def foreign(record: Record, key: str) -> JsonValue:
    """Returns what the source said in ``key``."""
    kept = record.unknown["foreign_fields"]
    assert isinstance(kept, dict)
    return kept.get(key)
