"""Every invariant has a test that shows it; a new surface or operation cannot go unnoticed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.contract.invariants import INVARIANTS

HERE = Path(__file__).parent
_MARK = re.compile(r"mark\.invariant\(([^)]*)\)")


@pytest.mark.invariant("A7")
def test_every_invariant_has_a_test() -> None:
    shown = {
        name
        for file in HERE.glob("test_*.py")
        for marks in _MARK.findall(file.read_text(encoding="utf-8"))
        for name in re.findall(r"A\d+", marks)
    }
    assert shown == set(INVARIANTS)
