"""Claims that are made of others cite what they were made of."""

from __future__ import annotations

from memfs.domains.distill.citations import (
    MISSING,
    UNKNOWN,
    citation_fault,
    claim_of,
)

ONE = "mem_01kb8x3v6yq4m9t2r7w5z1c0de"
OTHER = "mem_01kb8x3v6yq4m9t2r7w5z1c0df"


def _code(*sources: str) -> str:
    fault = citation_fault(claim_of("Exports run at night", sources), {ONE, OTHER})
    return fault.code if fault is not None else ""


def test_every_claim_cites_at_least_one_source_that_exists() -> None:
    assert _code() == _code("", "  ", "not an id") == MISSING
    assert _code(f"{ONE}@3") == _code(ONE, ONE, OTHER) == ""
    assert _code(ONE, "mem_01kb8x3v6yq4m9t2r7w5z1c0dg") == UNKNOWN
