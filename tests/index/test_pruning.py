from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.index import pruning
from memfs.index.pruning import Pruning, TermList, sum_all

DOCUMENTS = 300


@st.composite
def term_lists(draw: st.DrawFn) -> list[TermList]:
    lists = []
    for _ in range(draw(st.integers(2, 7))):
        found = sorted(draw(st.sets(st.integers(0, DOCUMENTS - 1), min_size=1, max_size=120)))
        counts = draw(st.lists(st.integers(1, 5), min_size=len(found), max_size=len(found)))
        is_whole = draw(st.booleans())
        weights = bytes(counts) if is_whole else array("f", (count / 2 for count in counts))
        lists.append(TermList(array("I", found), weights, draw(st.floats(0.5, 20.0))))
    return sorted(lists, key=lambda item: len(item.documents))


@pytest.fixture(autouse=True)
def _prune_small_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("_WORTHWHILE", 1), ("_LOOKUP", 0), ("_FEW", 1)):
        monkeypatch.setattr(pruning, name, value)


@given(
    term_lists(),
    st.lists(st.floats(0.3, 4.0), min_size=DOCUMENTS, max_size=DOCUMENTS),
    st.integers(1, 8),
    st.sampled_from([1.0, 1.3, 2.6]),
)
def test_the_best_have_the_sums_that_adding_everything_up_gives(
    lists: list[TermList], norms: list[float], limit: int, spread: float
) -> None:
    everything = sum_all(lists, norms)

    found = Pruning(lists, norms, min(norms), limit=limit, spread=spread).sums(kept=())

    assert found.items() <= everything.items()
    floor = sorted(everything.values(), reverse=True)[:limit][-1] / spread
    assert {d for d, total in everything.items() if total > floor * (1 + 1e-6)} <= found.keys()
    if spread == 1.0:
        assert {d for d, total in everything.items() if total >= floor} <= found.keys()


def test_common_terms_leave_out_who_cannot_win() -> None:
    rare = TermList(array("I", range(5)), bytes([1]) * 5, 30.0)
    common = TermList(array("I", range(DOCUMENTS)), bytes([1]) * DOCUMENTS, 1.0)
    norms = [1.0] * DOCUMENTS

    found = Pruning([rare, common], norms, 1.0, limit=3, spread=1.0).sums(kept=(200,))

    assert found == {**dict.fromkeys(range(5), 15.0 + 0.5), 200: 0.5}
