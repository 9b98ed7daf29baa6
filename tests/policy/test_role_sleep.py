"""The account of a rest adds up, a sleep leaves nothing over, and the rules settle by one table."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from memfs.model.record import Record
from memfs.model.role import Because
from memfs.model.role_sleep import Rest, Tally
from memfs.policy.role_sleep import (
    DISTIL_CONFIDENCE,
    DISTIL_SALIENCE,
    DISTIL_TIMES,
    FATES,
    INCUBATE_SALIENCE,
    STALE_DAYS,
    THRESHOLDS,
    Fate,
    Seen,
    account_for,
    check_rest,
    fate_of,
    open_short_term,
)
from tests.conftest import ROOT
from tests.support.policy import identifier
from tests.support.roles import memory

STATES = ("active", "clustered", "distilled", "incubated", "pruned")
WHY = (*map(str, Because), None)


def some(count: int, seed: int) -> dict[str, Record]:
    """Returns short-term memories in any state, some let go for a reason and some for none."""
    rng = random.Random(seed)
    found = {}
    for number in range(count):
        name, state = identifier(number, "role"), rng.choice(STATES)
        because = rng.choice(WHY) if state == "pruned" else None
        found[name] = memory(id=name, lifecycle=state, because=because)
    return found


@pytest.mark.parametrize("rest", Rest)
def test_every_memory_stands_in_exactly_one_list_of_the_account(rest: Rest) -> None:
    for seed in range(40):
        after = some(seed, seed)
        gone = identifier(99, "role")
        account = account_for((*after, gone), after, rest)
        told = (
            *account.distilled,
            *account.incubated,
            *account.clustered,
            *account.pruned,
            *account.kept,
            *account.residue,
        )
        assert tuple(sorted(told)) == account.opened == tuple(sorted((*after, gone)))
        # What is there no more was settled by nobody, whatever rest it is.
        assert gone in account.residue
        assert sum(account.because.values()) == len(account.pruned)
        assert (account.kept == ()) is (rest is Rest.SLEEP) or not open_short_term(after.values())


def test_what_is_let_go_without_a_reason_is_not_accounted_for() -> None:
    name = identifier(1, "role")
    gone = memory(id=name, lifecycle="pruned")
    account = account_for((name,), {name: gone}, Rest.SLEEP)
    assert account.residue == (name,)
    told = memory(id=name, lifecycle="pruned", because="expired")
    assert account_for((name,), {name: told}, Rest.SLEEP).pruned == (name,)


def test_a_sleep_that_leaves_something_over_or_does_nothing_fails_and_a_nap_may_keep() -> None:
    names = [identifier(number, "role") for number in range(3)]
    after = {name: memory(id=name) for name in names}
    after[names[0]] = memory(id=names[0], lifecycle="distilled")
    account = account_for(names, after, Rest.SLEEP)
    worked = Tally(proposed=1, applied=1)
    for tally, code in ((worked, "role.sleep-residue"), (Tally(), "role.sleep-no-op")):
        why = check_rest(Rest.SLEEP, account, tally)
        assert why is not None
        assert why.code == code
    for rest in (Rest.NAP, Rest.RUMINATION):
        kept = account_for(names, after, rest)
        assert kept.kept == tuple(names[1:])
        assert check_rest(rest, kept, Tally()) is None
    assert check_rest(Rest.SLEEP, account_for((), {}, Rest.SLEEP), Tally()) is None


PLAIN = Seen(times=1, salience=0.5, confidence=0.5)


@pytest.mark.parametrize(
    ("seen", "row", "fate"),
    [
        (replace(PLAIN, times=DISTIL_TIMES), "repeated", Fate.DISTIL),
        (replace(PLAIN, times=DISTIL_TIMES - 1), "unsettled", Fate.INCUBATE),
        (replace(PLAIN, salience=DISTIL_SALIENCE), "salient", Fate.DISTIL),
        (replace(PLAIN, salience=DISTIL_SALIENCE, is_asked=True), "asked", Fate.INCUBATE),
        (
            replace(PLAIN, salience=0.9, confidence=DISTIL_CONFIDENCE - 0.01),
            "unsettled",
            Fate.INCUBATE,
        ),
        (replace(PLAIN, salience=INCUBATE_SALIENCE - 0.01), "low-value", Fate.PRUNE),
        (replace(PLAIN, salience=0.1, has_thread=True), "unsettled", Fate.INCUBATE),
        (replace(PLAIN, salience=0.1, is_asked=True), "low-value", Fate.PRUNE),
        (replace(PLAIN, salience=0.1, is_asked=True, times=2), "asked", Fate.INCUBATE),
        (replace(PLAIN, days=STALE_DAYS), "expired", Fate.PRUNE),
        (replace(PLAIN, days=STALE_DAYS, times=DISTIL_TIMES), "repeated", Fate.DISTIL),
        (replace(PLAIN, salience=0.1, is_known=True), "known", Fate.DISTIL),
        (replace(PLAIN, is_known=True, is_refuted=True), "refuted", Fate.PRUNE),
    ],
)
def test_the_first_row_that_holds_decides(seen: Seen, row: str, fate: Fate) -> None:
    decided = fate_of(seen)
    assert (decided.name, decided.fate) == (row, fate)


def test_some_row_always_holds_and_each_can_decide() -> None:
    rng = random.Random(5)
    met = set()
    for _ in range(3_000):
        seen = Seen(
            times=rng.randint(1, 5),
            salience=rng.random(),
            confidence=rng.random(),
            days=rng.random() * 40,
            is_asked=rng.random() < 0.3,
            is_known=rng.random() < 0.1,
            is_refuted=rng.random() < 0.1,
            has_thread=rng.random() < 0.3,
        )
        met.add(fate_of(seen).name)
    assert met == {row.name for row in FATES}
    assert all(row.because is not Because.STATED for row in FATES if row.fate is Fate.PRUNE)


def test_the_guide_tells_every_row_and_every_figure_as_it_is() -> None:
    guide = (ROOT / "docs/guides/role-sleep.md").read_text(encoding="utf-8")
    told = {Fate.DISTIL: "learned", Fate.INCUBATE: "ripens"}
    rows = [
        f"| {row.name} | {row.says} | {told.get(row.fate) or f'let go, `{row.because}`'} |"
        for row in FATES
    ]
    assert "\n".join(rows) in guide
    figures = [f"| {item.name} | {item.value:g} | {item.says} |" for item in THRESHOLDS]
    assert "\n".join(figures) in guide
