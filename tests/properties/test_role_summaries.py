"""Whatever a role remembers, a summary by rule loses nothing of it, and none hides anything."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from memfs.domains.roles.summaries.descent import Cut, cut
from memfs.domains.roles.summaries.summarizing import (
    Joins,
    build_summary,
    clusters_of,
    summaries_for,
)
from memfs.domains.roles.view import RoleView
from memfs.model.record import Record
from memfs.model.text import normalise_text
from memfs.policy.role_freshness import stale_ids
from memfs.policy.role_summaries import cover, may_cover
from memfs.policy.role_summary_check import check_summary
from tests.support.policy import NOW, identifier
from tests.support.role_summaries import child, drawn
from tests.support.roles import ROLE

WORDS = (
    "ana", "Ben", "deploys", "never", "on", "Fridays", "3", "- claim:", "größe", "🙂", "لا",
    "\u200b", "C++", "a", "not", "tension:", "  ", "x" * 60,
)  # fmt: skip
RELATIONS = ("supports", "contradicts", "distills", "grounds", "resonates-with", "clusters-with")
SEEDS = range(12)


def words(rng: random.Random) -> str:
    """Returns a line of odd words that says something."""
    return "x" + " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 6)))


def remembered(rng: random.Random) -> tuple[dict[str, Record], list[Record]]:
    """Returns memories of a few targets, and edges between them and others."""
    memories = {}
    for number in range(1, rng.randint(2, 70)):
        profile, state = rng.choice(
            (("role_self", "accepted"), ("conversation", "active"), ("evidence", "contradicted"),
             ("role_self", "retired"), ("identity", "accepted"), ("incubation", "deepening"))
        )  # fmt: skip
        made = child(
            number,
            words(rng),
            profile=profile,
            lifecycle=state,
            target=rng.choice(("person:ana", "Person:Ana", "thing")),
            tension=rng.choice((words(rng), None)),
            question=words(rng),
            implication=words(rng),
            anchors=[f"file:{rng.randint(0, 99)}.py" for _ in range(rng.randint(1, 32))],
            source_hashes=[f"file:{number}.py=0123456789abcdef"] * rng.randint(0, 1),
            salience=rng.random(),
            confidence=rng.choice((None, 1.0, rng.random())),
            body="".join(f"- 2026-11-{n + 1:02}: {words(rng)}\n" for n in range(rng.randint(0, 3))),
        )
        memories[made.id] = made
    ends = [*memories, identifier(999, "role")]
    edges = [
        drawn(number, rng.choice(RELATIONS), memories[rng.choice(list(memories))], rng.choice(ends))
        for number in range(1, rng.randint(1, 40))
    ]
    return memories, edges


def cut_of(memories: dict[str, Record], summaries: list[Record], edges: list[Record]) -> Cut:
    """Cuts what is remembered, all but the pressure."""
    view = RoleView(role=ROLE, now=NOW, memories=memories)
    return cut(view, summaries, frozenset(), edges=edges, now=NOW)


def told(found: Cut) -> list[str]:
    """Returns the ids of the memories that a cut tells, by themselves or within a summary."""
    return sorted(name for card in found.cards for name in card.covers or (card.record.id,))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_summary_made_by_rule_loses_nothing(seed: int) -> None:
    rng = random.Random(seed)
    memories, edges = remembered(rng)
    joins = Joins(edges)
    for cluster in clusters_of(memories.values()):
        summary = build_summary(cluster, edges, NOW)
        assert summary is not None
        touching = joins.of(item.id for item in cluster)
        assert check_summary(summary, cluster, touching) == ()
        shuffled = rng.sample(cluster, len(cluster))
        assert build_summary(shuffled, edges[::-1], NOW) == summary
        omissions: Any = summary.fields.get("omissions", [])
        lines = [summary.title, *map(str, summary.fields.values()), *summary.body.splitlines()]
        kept = {normalise_text(line.partition(": ")[2]) for line in lines}
        kept |= {normalise_text(line) for line in lines}
        for part in cover(cluster, touching).parts:
            assert part.key[1] in kept or part.omission in omissions


@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_is_forged_every_memory_is_told_once(seed: int) -> None:
    rng = random.Random(seed)
    memories, edges = remembered(rng)
    view = RoleView(role=ROLE, now=NOW, memories=memories)
    made = list(summaries_for(view, edges, {}).made)
    open_ones = sorted(
        name
        for name, item in memories.items()
        if may_cover(item) or (item.fields["profile"], item.fields["lifecycle"])
        == ("identity", "accepted")
    )  # fmt: skip
    assert told(cut_of(memories, made, edges)) == open_ones
    forged = [_forged(rng, rng.choice(made), memories) for _ in range(5) if made]
    assert told(cut_of(memories, [*made, *forged], edges)) == open_ones
    for summary in forged:
        found = cut_of(memories, [summary], edges)
        assert told(found) == open_ones
        if any(card.is_summary for card in found.cards):
            covers: Any = summary.fields["covers_nodes"]
            children = [memories[name] for name in covers]
            assert check_summary(summary, children, Joins(edges).of(covers)) == ()


def _forged(rng: random.Random, summary: Record, memories: dict[str, Record]) -> Record:
    value: Any = rng.choice(
        ([], "", 1.0, 99, True, None, rng.sample(list(memories), min(3, len(memories))), "ready")
    )
    name = rng.choice(list(summary.fields))
    changes: dict[str, Any] = rng.choice(
        (
            {"fields": {**summary.fields, name: value}},
            {"title": words(rng)},
            {"body": summary.body + words(rng)},
            {"confidence": rng.choice((None, 0.0, 1.0, float("inf"), float("nan")))},
            {"derived_from": ()},
            {"id": identifier(rng.randint(1, 9), "rsum")},
        )
    )
    return replace(summary, **changes)


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_a_changed_source_is_never_behind_a_summary(seed: int) -> None:
    rng = random.Random(seed)
    memories, edges = remembered(rng)
    view = RoleView(role=ROLE, now=NOW, memories=memories)
    made = summaries_for(view, edges, {}).made
    place = rng.randint(1, 70)
    every = [*memories.values(), *edges, *made]
    stale = stale_ids(every, {f"file:{place}.py": rng.choice((None, "fedcba9876543210"))})
    found = cut(view, made, stale, edges=edges, now=NOW)
    for card in found.cards:
        assert stale.isdisjoint(card.covers)
        assert (card.record.id in stale) == ("stale" in card.cautions)
