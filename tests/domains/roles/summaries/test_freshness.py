"""What the sources of role memory are named, and which of them changed."""

from __future__ import annotations

from memfs.domains.roles.summaries.freshness import record_digest, sources_of
from memfs.model.record import Record
from memfs.model.role import memory_hash
from memfs.policy.role_freshness import changed_sources
from tests.support.role_summaries import FIRST, SECOND, child


def test_a_digest_is_of_what_a_record_says_and_not_of_how_it_stands() -> None:
    assert record_digest(FIRST) == memory_hash(FIRST)
    note = Record(kind="fact", title="Port", body="5432", subject="db-port")
    moved = Record(
        kind="fact", title="Port", body="5432", subject="db-port", version=4, tags=("x",)
    )
    other = Record(kind="fact", title="Port", body="5433", subject="db-port")
    assert record_digest(note) == record_digest(moved) != record_digest(other)
    assert len(record_digest(note)) == 32


def test_sources_are_named_once_and_a_path_may_hold_an_equals_sign() -> None:
    read = child(3, source_hashes=["file:a=b.py=0123456789abcdef", "file:a=b.py=fedcba9876543210"])
    assert sources_of([read, SECOND]) == ("file:a=b.py", "file:notes.md")


def test_a_changed_or_gone_source_is_named_and_one_not_looked_at_is_not() -> None:
    read = child(3, source_hashes=["file:a.py=0123456789abcdef", "file:b.py=fedcba9876543210"])
    assert changed_sources(read, {}) == ()
    assert changed_sources(read, {"file:a.py": "0123456789abcdef"}) == ()
    assert changed_sources(read, {"file:a.py": "0123", "file:b.py": None}) == (
        "file:a.py",
        "file:b.py",
    )
