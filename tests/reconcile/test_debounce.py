"""A storm of hints becomes one burst: after a quiet moment, or at the latest after a while."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memfs.reconcile.debounce import (
    LATEST_S,
    MAX_PATHS,
    QUIET_S,
    Burst,
    extend_burst,
    is_due,
    overflow_burst,
)

GAPS = st.lists(st.floats(0.0, 0.3, allow_nan=False), min_size=1, max_size=30)


def test_a_burst_is_due_after_a_quiet_moment() -> None:
    burst = extend_burst(None, ["a.md"], at=10.0)
    assert not is_due(burst, at=10.0 + QUIET_S - 0.001)
    assert is_due(burst, at=10.0 + QUIET_S)


def test_another_hint_waits_for_another_quiet_moment() -> None:
    burst = extend_burst(extend_burst(None, ["a.md"], at=10.0), ["b.md"], at=10.09)
    assert burst.paths == {"a.md", "b.md"}
    assert burst.due_at == 10.09 + QUIET_S


def test_hints_without_a_pause_are_handed_on_after_a_second() -> None:
    burst = extend_burst(None, ["a.md"], at=0.0)
    for step in range(1, 100):
        burst = extend_burst(burst, [f"{step}.md"], at=step * 0.05)
    assert burst.due_at == LATEST_S


def test_too_many_paths_ask_for_a_full_pass() -> None:
    burst = extend_burst(None, map(str, range(MAX_PATHS)), at=0.0)
    assert not burst.is_full
    burst = extend_burst(burst, ["one too many"], at=0.0)
    assert (burst.is_full, burst.paths) == (True, frozenset())
    assert extend_burst(burst, ["late.md"], at=0.05).paths == frozenset()


def test_lost_hints_ask_for_a_full_pass_and_keep_the_deadline() -> None:
    burst = overflow_burst(extend_burst(None, ["a.md"], at=1.0), at=1.9)
    assert burst == Burst(paths=frozenset(), is_full=True, first_at=1.0, last_at=1.9)
    assert burst.due_at == 1.0 + LATEST_S
    assert overflow_burst(None, at=3.0).due_at == 3.0 + QUIET_S


@given(GAPS)
def test_no_hint_waits_longer_than_the_limit_and_none_is_lost(gaps: list[float]) -> None:
    now, burst, handed_on = 0.0, None, []
    for number, gap in enumerate(gaps):
        now += gap
        if burst is not None and is_due(burst, at=now):
            handed_on.append(burst)
            burst = None
        burst = extend_burst(burst, [str(number)], at=now)
    assert burst is not None
    handed_on.append(burst)
    assert all(each.due_at - each.first_at <= LATEST_S + 1e-9 for each in handed_on)
    assert all(each.due_at >= each.first_at + min(QUIET_S, LATEST_S) - 1e-9 for each in handed_on)
    found = set[str]().union(*(each.paths for each in handed_on))
    assert found == set(map(str, range(len(gaps))))
