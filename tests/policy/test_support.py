"""Support counts principals and origins once each, and never an echo (C29, A11)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.status import Status
from memfs.policy.support import (
    adds_support,
    confidence_from,
    independent_support,
    is_corroborated,
    is_echo,
)
from tests.support.policy import AGENT, HOST, NOW, TOOL, as_hook, evidence, origin_of

ANA, BEN = as_hook("user:ana"), as_hook("user:ben")
MAIL = Actor(Principal.parse("tool:mail"), Channel.TOOL)


def said(number: int, actor: Actor, text: str = "x", source: str = "") -> Record:
    return evidence(number, text, origin=origin_of(actor, text, source or f"turn:{number}"))


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([], 0),
        ([said(1, ANA), said(2, ANA, "y")], 1),
        ([said(1, ANA), said(2, BEN)], 2),
        ([said(1, ANA, source="s#1"), said(2, BEN, source="s#1")], 1),
        ([said(1, TOOL, "page"), said(2, MAIL, "page")], 1),
        ([said(1, TOOL, "page"), said(2, MAIL, "other")], 2),
        ([said(1, ANA), said(2, BEN), said(3, TOOL)], 2),
        ([said(1, ANA), said(2, BEN, "y"), evidence(3, "z", status=Status.RETRACTED)], 2),
    ],
    ids=["none", "one twice", "two people", "one turn", "one text", "two texts", "a copy", "gone"],
)
def test_support_counts_distinct_principals_with_distinct_origins(
    pieces: list[Record], expected: int
) -> None:
    assert independent_support(pieces) == expected


def test_a_principal_takes_another_origin_where_that_makes_room() -> None:
    shared, own = said(1, ANA, source="s#1"), said(2, ANA, source="s#2")
    assert independent_support([shared, own, said(3, BEN, source="s#1")]) == 2


PIECES = st.lists(
    st.tuples(
        st.sampled_from([ANA, BEN, TOOL, MAIL, AGENT, HOST]),
        st.sampled_from(["x", "y", "z"]),
        st.sampled_from(["a#1", "b#1", "c#1"]),
    ),
    max_size=7,
)


@given(pieces=PIECES)
def test_order_and_repeats_make_no_difference_and_more_is_never_less(
    pieces: list[tuple[Actor, str, str]],
) -> None:
    found = [said(number, *piece) for number, piece in enumerate(pieces)]
    support = independent_support(found)
    assert independent_support([*found, *found]) == support
    assert independent_support(found[::-1]) == support
    assert independent_support(found[:-1]) <= support + 1
    assert support <= len({piece[0] for piece in pieces})


def test_what_a_program_brings_in_after_a_claim_is_served_may_be_its_echo() -> None:
    early = evidence(1, "y", TOOL, observed=NOW - timedelta(days=1))
    late = evidence(2, "x", MAIL, observed=NOW + timedelta(days=1))
    person = evidence(3, "x", BEN, observed=NOW + timedelta(days=1))
    assert [is_echo(item, NOW) for item in (early, late, person)] == [False, True, False]
    standing = [said(9, ANA)]
    assert adds_support(standing, [late, early, person], served_since=NOW) == (early, person)
    assert adds_support(standing, [said(9, ANA)], served_since=NOW) == ()


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([said(1, ANA), said(2, BEN)], True),
        ([said(1, ANA), said(2, HOST, "y")], True),
        ([said(1, ANA), said(2, TOOL, "y"), said(3, MAIL, "z")], False),
        ([said(1, HOST), said(2, Actor(Principal.parse("tool:ci"), Channel.HOST), "y")], False),
        ([said(1, ANA), said(2, AGENT, "y")], False),
    ],
)
def test_a_person_is_among_those_who_carry_a_claim(pieces: list[Record], expected: bool) -> None:
    assert is_corroborated(pieces) is expected


def test_confidence_grows_with_support_and_stays_below_certainty() -> None:
    values = [confidence_from(number) for number in range(9)]
    assert values == sorted(values)
    assert max(values) < 1
