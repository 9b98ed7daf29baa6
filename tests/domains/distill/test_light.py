"""The light pass: what says the same or nearly is grouped, as comparing every pair would."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from memfs.domains.distill.light import Alike, Group, Member, Statement, grouped, leads_of
from memfs.index.analysis import Analyzer
from memfs.index.likeness import frequencies_of, likeness, term_counts

ANALYZER = Analyzer()


def said(
    name: str, words: str, *, scope: str = "p", score: float = 0.0, waits: bool = False
) -> Statement:
    return Statement(
        id=name,
        scope=scope,
        words=words.lower(),
        terms=term_counts(ANALYZER, words),
        score=score,
        is_waiting=waits,
    )


def ids(groups: tuple[Group, ...]) -> list[list[str]]:
    return [[member.id for member in group.members] for group in groups]


def test_the_same_words_are_one_group_led_by_the_one_that_most_speaks_for() -> None:
    groups = grouped(
        [
            said("mem_a", "The export runs at night", score=0.2),
            said("mem_b", "the export runs at night", score=0.6),
            said("mem_c", "The import runs by hand"),
        ],
        least=0.87,
    )

    assert groups == (
        Group(
            alike=Alike.EXACT,
            members=(Member(id="mem_b", score=0.6), Member(id="mem_a", score=0.2)),
        ),
    )
    assert leads_of(groups) == {"mem_a": "mem_b"}


def test_nearly_the_same_words_are_grouped_with_how_alike_they_are() -> None:
    (group,) = grouped(
        [
            said("mem_a", "The service listens on port 8080 of the gateway host"),
            said("mem_b", "The service listens on port 8080 of the gateway host now"),
            said("mem_c", "The gateway is written in Go"),
        ],
        least=0.8,
    )

    assert group.alike is Alike.NEAR
    assert [member.id for member in group.members] == ["mem_a", "mem_b"]
    assert 0.8 <= group.members[1].likeness <= 1


def test_what_is_served_leads_before_what_waits() -> None:
    words = "Deploy on Mondays only"
    groups = grouped(
        [said("cand_a", words, score=0.9, waits=True), said("mem_b", words, score=0.1)], least=0.87
    )

    assert ids(groups) == [["mem_b", "cand_a"]]


def test_the_same_words_in_another_scope_are_another_claim() -> None:
    words = "Deploy on Mondays only"
    assert grouped([said("mem_a", words), said("mem_b", words, scope="q")], least=0.1) == ()


def test_few_words_are_alike_by_chance_and_nothing_is_no_statement() -> None:
    few = [said("mem_a", "use tabs"), said("mem_b", "tabs use"), said("mem_c", "")]
    assert grouped([*few, said("mem_d", "")], least=0.5) == ()


def test_scripts_without_spaces_are_compared_too() -> None:
    groups = grouped(
        [said("mem_a", "数据库每天晚上三点备份一次"), said("mem_b", "数据库每天晚上三点备份两次")],
        least=0.5,
    )
    assert ids(groups) == [["mem_a", "mem_b"]]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("least", [0.3, 0.6, 0.87])
def test_no_pair_is_missed_and_the_order_does_not_matter(seed: int, least: float) -> None:
    chance = random.Random(seed)
    vocabulary = [f"word{number}" for number in range(40)]
    statements = [
        said(f"mem_{number:03}", " ".join(chance.choices(vocabulary, k=chance.randint(3, 9))))
        for number in range(60)
    ]
    rarity = frequencies_of(item.terms for item in statements)
    roots = {item.id: {item.id} for item in statements}
    for one, other in combinations(statements, 2):
        is_long = min(len(one.terms), len(other.terms)) >= 3
        alike = is_long and likeness(one.terms, other.terms, rarity) >= least
        if one.words == other.words or alike:
            joined = roots[one.id] | roots[other.id]
            for name in joined:
                roots[name] = joined
    expected = {frozenset(group) for group in roots.values() if len(group) > 1}

    found = grouped(statements, least=least)
    chance.shuffle(statements)

    assert {frozenset(member) for member in map(tuple, ids(found))} == expected
    assert grouped(statements, least=least) == found
