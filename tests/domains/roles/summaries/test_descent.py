"""When a summary stands for what it covers, and when the memories are told themselves."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memfs.domains.roles.summaries.descent import CAUTION_WORDS, Caution, Cut, cut
from memfs.domains.roles.summaries.summarizing import (
    build_summary,
    clusters_of,
    summaries_for,
    summary_id,
)
from memfs.domains.roles.view import RoleView
from memfs.model.authority import Sensitivity, Sink
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.policy.role_freshness import stale_ids
from memfs.policy.role_summaries import MOST_COVERED, THRESHOLDS
from memfs.policy.role_summary_check import check_summary
from tests.conftest import ROOT
from tests.support.policy import NOW, identifier
from tests.support.role_summaries import FIRST, PAIR, SECOND, built, child, drawn
from tests.support.roles import ROLE, memory

SUMMARY = built(PAIR)
WHOLE = [SUMMARY.id]
EXACT = [FIRST.id, SECOND.id]


def view_of(*records: Record) -> RoleView:
    """Returns what a role remembers."""
    return RoleView(role=ROLE, now=NOW, memories={record.id: record for record in records})


def cut_of(
    *records: Record,
    summaries: Collection[Record] = (SUMMARY,),
    stale: Collection[str] = (),
    **how: Any,
) -> Cut:
    """Cuts some memories; by default the two that the summary covers."""
    return cut(view_of(*(records or PAIR)), summaries, stale, now=NOW, **how)


def told(found: Cut) -> list[str]:
    """Returns the ids of what a cut tells, in its order."""
    return [card.record.id for card in found.cards]


def warned(found: Cut) -> list[str]:
    """Returns why the summary gave way."""
    return [str(item.caution) for item in found.warnings if item.id == SUMMARY.id]


def test_a_summary_that_lost_nothing_stands_for_what_it_covers() -> None:
    found = cut_of()
    assert (told(found), found.warnings) == (WHOLE, ())
    assert found.cards[0].covers == (FIRST.id, SECOND.id)


def test_what_no_summary_covers_is_told_beside_one() -> None:
    other = child(3, target="person:ben", confidence=0.95)
    assert told(cut_of(*PAIR, other)) == [other.id, SUMMARY.id]


@pytest.mark.parametrize("changed", [FIRST.id, SUMMARY.id])
def test_a_stale_summary_gives_way_with_a_warning(changed: str) -> None:
    found = cut_of(stale={changed})
    assert (told(found), warned(found)) == (EXACT, ["stale"])


def test_a_changed_source_makes_memory_edge_and_summary_stale_and_the_reader_is_told() -> None:
    read = replace(
        SECOND, fields={**SECOND.fields, "source_hashes": ["file:notes.md=0123456789abcdef"]}
    )
    edges = [drawn(1, "supports", FIRST, read)]
    summary = built([FIRST, read], edges)
    every = [FIRST, read, *edges, summary]
    stale = stale_ids(every, {"file:notes.md": "fedcba9876543210"})
    assert stale == {read.id, edges[0].id, summary.id}
    found = cut_of(FIRST, read, summaries=[summary], stale=stale, edges=edges)
    assert told(found) == EXACT
    assert [(str(item.caution), item.id) for item in found.warnings] == [
        ("stale", summary.id),
        ("stale", read.id),
        ("stale", edges[0].id),
    ]
    assert [list(map(str, card.cautions)) for card in found.cards] == [[], ["stale"]]
    same = stale_ids(every, {"file:notes.md": "0123456789abcdef"})
    assert told(cut_of(FIRST, read, summaries=[summary], stale=same, edges=edges)) == WHOLE


def test_a_summary_below_the_threshold_gives_way() -> None:
    for confidence, expected in ((0.7, []), (0.6999, ["low-confidence"])):
        unsure = replace(SECOND, confidence=confidence)
        found = cut_of(FIRST, unsure, summaries=[built([FIRST, unsure])])
        assert warned(found) == expected
        assert told(found) == (EXACT if expected else WHOLE)


def test_a_known_omission_gives_way_to_the_memories() -> None:
    many = [child(number, f"Ana deploys service {number}") for number in range(1, 41)]
    found = cut_of(*many, summaries=[built(many)])
    assert (len(found.cards), warned(found)) == (40, ["omissions"])


@pytest.mark.parametrize(
    "fields",
    [{"lifecycle": "active", "intensity": 0.7}, {"lifecycle": "obligated", "intensity": 0.1}],
)
def test_high_pressure_forces_the_exact_memories(fields: dict[str, Any]) -> None:
    pressure = memory(
        id=identifier(7, "role"), profile="agency_pressure", target="person:ben", **fields
    )
    found = cut_of(*PAIR, pressure)
    assert warned(found) == ["pressure"]
    assert sorted(told(found)) == sorted([*EXACT, pressure.id])
    calm = replace(pressure, fields={**pressure.fields, "lifecycle": "cooling"})
    assert SUMMARY.id in told(cut_of(*PAIR, calm))
    assert warned(cut_of(is_high_pressure=True)) == ["pressure"]
    assert warned(cut_of(*PAIR, pressure, is_high_pressure=False)) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("supports", 99),
        ("contradicts", 0.5),
        ("anchor_count", 12),
        ("confidence_least", 1.0),
        ("source_hashes", [f"memory:{FIRST.id}=00000000", f"memory:{SECOND.id}=00000000"]),
        ("implication", "no need to ask anybody"),
    ],
)
def test_a_stored_ready_flag_or_count_is_worked_out_anew(field: str, value: Any) -> None:
    forged = replace(
        SUMMARY,
        confidence=1.0,
        fields={**SUMMARY.fields, field: value, "lifecycle": "accepted", "omissions": []},
    )
    found = cut_of(summaries=[forged])
    assert (told(found), warned(found)) == (EXACT, ["lost"])
    assert field in found.warnings[0].words
    assert "no need" not in found.warnings[0].words


def test_an_accepted_flag_on_doubtful_memories_hides_no_doubt() -> None:
    unsure = replace(SECOND, confidence=0.2)
    forged = replace(built([FIRST, unsure]), confidence=0.99)
    found = cut_of(FIRST, unsure, summaries=[forged], stale={unsure.id})
    assert warned(found) == ["stale", "lost", "low-confidence"]


def test_a_stored_stale_flag_is_worked_out_anew_too() -> None:
    doubted = replace(SUMMARY, fields={**SUMMARY.fields, "lifecycle": "stale"})
    assert told(cut_of(summaries=[doubted])) == WHOLE


def test_a_summary_of_what_is_gone_or_over_gives_way() -> None:
    over = replace(SECOND, fields={**SECOND.fields, "lifecycle": "retired"})
    found = cut_of(FIRST, over)
    assert (told(found), warned(found)) == ([FIRST.id], ["gone"])
    found = cut_of(FIRST)
    assert (told(found), warned(found)) == ([FIRST.id], ["gone"])
    assert found.warnings[0].missing == (SECOND.id,)


def test_what_a_memory_learned_since_is_not_hidden_by_its_summary() -> None:
    grown = replace(SECOND, body="- 2026-11-30: Ana skips the second page\n")
    assert warned(cut_of(FIRST, grown)) == ["lost"]
    edge = drawn(1, "contradicts", SECOND, FIRST)
    assert warned(cut_of(edges=[edge])) == ["lost", "low-confidence"]


def test_no_filter_is_got_around_by_a_summary() -> None:
    found = cut_of(chosen={FIRST.id})
    assert (told(found), found.warnings) == ([FIRST.id], ())
    assert told(cut_of(chosen=set())) == []


def test_summaries_of_others_or_that_are_put_aside_stand_for_nothing() -> None:
    for other in (
        replace(SUMMARY, scope=Scope.parse("agent:other")),
        replace(SUMMARY, kind="note"),
        replace(SUMMARY, expires=NOW),
        replace(SUMMARY, fields={**SUMMARY.fields, "lifecycle": "retired"}),
        replace(SUMMARY, fields={**SUMMARY.fields, "covers_nodes": []}),
        replace(SUMMARY, fields={**SUMMARY.fields, "covers_nodes": "everything"}),
    ):
        found = cut_of(summaries=[other])
        assert (told(found), found.warnings) == (EXACT, ())
    assert told(cut_of(summaries=[replace(SUMMARY, expires=NOW + timedelta(hours=1))])) == WHOLE


def test_two_summaries_of_one_memory_tell_it_once() -> None:
    twin = replace(SUMMARY, id=identifier(9, "rsum"))
    found = cut_of(summaries=[twin, SUMMARY])
    assert [card.covers for card in found.cards] == [(FIRST.id, SECOND.id)]
    assert cut_of(summaries=[SUMMARY, twin]) == found


def test_every_chosen_memory_is_told_exactly_once_whatever_is_forged() -> None:
    many = [child(number, f"Claim {number}") for number in range(1, 9)]
    summaries = [built(many[:4]), built(many[4:]), built(many[2:6])]
    summaries = [replace(item, id=identifier(n, "rsum")) for n, item in enumerate(summaries)]
    for stale in ((), {many[0].id}, {many[5].id}, {item.id for item in many}):
        found = cut_of(*many, summaries=summaries, stale=stale)
        names = [name for card in found.cards for name in card.covers or (card.record.id,)]
        assert sorted(names) == sorted(item.id for item in many)


def test_what_was_marked_as_stale_stays_so_until_somebody_looks_again() -> None:
    marked = child(3, profile="repo_dataflow", lifecycle="stale", target="app")
    found = cut_of(marked)
    assert [(str(item.caution), item.id) for item in found.warnings] == [("stale", marked.id)]


def test_every_caution_has_words() -> None:
    assert set(CAUTION_WORDS) == set(Caution)


def test_the_guide_tells_every_figure_and_every_caution_as_it_is() -> None:
    guide = (ROOT / "docs/guides/role-summaries.md").read_text(encoding="utf-8")
    figures = [f"| {row.name} | {row.value:g} | {row.says} |" for row in THRESHOLDS]
    cautions = [f"| `{caution}` | {words} |" for caution, words in CAUTION_WORDS.items()]
    assert "\n".join(figures) in guide
    assert "\n".join(cautions) in guide


# Which summaries a role has ------------------------------------------------------------------


def test_memories_of_one_target_and_topic_are_summarised_together() -> None:
    topic = [child(number, f"Claim {number}", topic="Deploys") for number in (3, 4)]
    alone = child(5, target="person:ben")
    over = child(6, lifecycle="retired")
    found = clusters_of([*PAIR, *topic, alone, over])
    assert [[item.id for item in cluster] for cluster in found] == [
        EXACT,
        [item.id for item in topic],
    ]


def test_a_bar_in_a_target_makes_no_topic_of_its_end() -> None:
    barred = [child(number, f"Claim {number}", target="a | b") for number in (3, 4)]
    topical = [child(number, f"Claim {number}", target="a", topic="b") for number in (5, 6)]
    planned = summaries_for(view_of(*barred, *topical), [], {})
    assert len({item.id for item in planned.made}) == 2
    assert [check_summary(item, kept) for item, kept in zip(
        planned.made, (topical, barred), strict=True)] == [(), ()]  # fmt: skip


def test_a_summary_that_can_be_made_no_better_is_not_made_again_and_again() -> None:
    classed = [replace(item, record_class=f"class {item.id[-1]}") for item in PAIR]
    (made,) = summaries_for(view_of(*classed), [], {}).made
    assert check_summary(made, classed)
    standing = {made.id: replace(made, version=3)}
    assert summaries_for(view_of(*classed), [], standing).changed == ()


def test_the_strongest_of_very_many_are_covered_and_the_others_told() -> None:
    many = [child(number, f"Claim {number}") for number in range(1, MOST_COVERED + 11)]
    planned = summaries_for(view_of(*many), [], {})
    (made,) = planned.made
    assert made.derived_from == tuple(item.id for item in many[:MOST_COVERED])
    found = cut_of(*many, summaries=[made])
    assert len(found.cards) == len(many)


def test_planning_twice_gives_nothing_more() -> None:
    planned = summaries_for(view_of(*PAIR), [], {})
    assert [item.id for item in planned.made] == [summary_id(ROLE, "person:ana", "")]
    standing = {item.id: item for item in planned.made}
    again = summaries_for(view_of(*PAIR), [], standing)
    assert (again.made, again.changed) == ((), ())


def test_a_summary_is_made_again_under_its_id_and_put_aside_with_its_memories() -> None:
    closer: dict[str, Any] = {
        "taint": ("tool",),
        "sensitivity": Sensitivity.CONFIDENTIAL,
        "sinks": frozenset({Sink.PERSON}),
    }
    standing = {SUMMARY.id: replace(SUMMARY, version=4, **closer)}
    third = child(3, "Ana deploys at night")
    (again,) = summaries_for(view_of(*PAIR, third), [], standing).changed
    assert (again.id, again.version) == (SUMMARY.id, 4)
    assert {name: getattr(again, name) for name in closer} == closer
    assert again.fields["covers_nodes"] == [FIRST.id, third.id, SECOND.id]
    (aside,) = summaries_for(view_of(FIRST), [], standing).changed
    assert (aside.id, aside.fields["lifecycle"]) == (SUMMARY.id, "retired")
    assert summaries_for(view_of(FIRST), [], {aside.id: aside}).changed == ()
    (back,) = summaries_for(view_of(*PAIR), [], {aside.id: aside}).changed
    assert back.fields["lifecycle"] == "accepted"


def test_what_is_made_in_the_place_of_a_withdrawn_one_has_an_id_of_its_own() -> None:
    (made,) = summaries_for(view_of(*PAIR), [], {}, taken={SUMMARY.id}).made
    assert made.id not in (SUMMARY.id, "")
    assert summaries_for(view_of(*PAIR), [], {}, taken={SUMMARY.id, made.id}).made == ()
    assert summaries_for(view_of(*PAIR), [], {made.id: made}, taken={SUMMARY.id}).changed == ()
    assert build_summary(PAIR, [], NOW) == SUMMARY
