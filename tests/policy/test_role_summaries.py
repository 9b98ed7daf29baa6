"""What a summary may not lose, and what is counted over what it covers."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memfs.domains.roles.summaries.summarizing import Wording, build_summary, worded
from memfs.model.authority import Authority, Sensitivity, Sink
from memfs.model.record import Record
from memfs.model.role import ANCHOR_MISSING, memory_hash
from memfs.policy.role_summaries import (
    MOST_COVERED,
    MOST_LINE_BYTES,
    MOST_LINES,
    cover,
    is_pressing_hard,
    may_cover,
    ranked,
)
from memfs.policy.role_summary_check import check_summary, is_said_again
from tests.support.policy import NOW, identifier
from tests.support.role_summaries import CLAIM, FIRST, PAIR, RUN, SECOND, built, child, drawn
from tests.support.roles import memory


def parts(summary: Record, children: list[Record], edges: list[Record] | None = None) -> list[str]:
    """Returns what a summary lost, each part once."""
    found = check_summary(summary, children, edges or [])
    return list(dict.fromkeys(loss.part for loss in found))


def test_a_summary_keeps_every_word_of_what_it_covers() -> None:
    summary = built(PAIR)
    assert (summary.title, summary.fields["target"]) == (FIRST.title, "person:ana")
    assert summary.fields["tension"] == FIRST.fields["tension"]
    assert summary.fields["question"] == SECOND.fields["question"]
    assert summary.fields["implication"] == FIRST.fields["implication"]
    assert summary.body == (
        "- claim: Ana writes short reviews\n"
        "- tension: short against thorough\n"
        "- implication: put the finding first\n"
    )
    assert check_summary(summary, PAIR) == ()


def test_a_summary_counts_anchors_supports_and_ranges() -> None:
    third = child(3, "Ana deploys at night", confidence=0.7)
    edges = [drawn(1, "supports", SECOND, FIRST), drawn(2, "contradicts", third, FIRST)]
    summary = built([*PAIR, third], edges)
    counted = {
        name: summary.fields[name]
        for name in (
            "anchor_count", "supports", "contradicts", "salience_least", "salience_most",
            "confidence_least", "confidence_most", "saturation",
        )
    }  # fmt: skip
    assert counted == {
        "anchor_count": 2,
        "supports": 2,
        "contradicts": 1,
        "salience_least": 0.3,
        "salience_most": 0.5,
        "confidence_least": 0.7,
        "confidence_most": 0.9,
        "saturation": 0.6,
    }
    assert summary.confidence == round(0.7 * 2 / 3, 4)
    assert "- against: Ana deploys at night\n" in summary.body


def test_a_summary_says_from_what_it_was_made() -> None:
    edges = [drawn(1, "supports", SECOND, FIRST)]
    summary = built(PAIR, edges)
    assert summary.derived_from == (FIRST.id, SECOND.id)
    assert summary.fields["covers_nodes"] == [FIRST.id, SECOND.id]
    assert summary.fields["covers_edges"] == [edges[0].id]
    assert summary.fields["source_hashes"] == [
        f"memory:{FIRST.id}={memory_hash(FIRST)}",
        f"memory:{SECOND.id}={memory_hash(SECOND)}",
        "file:notes.md=0123456789abcdef",
    ]
    assert summary.fields["anchors"] == [RUN, CLAIM]
    assert built([FIRST, child(3)]).fields["anchors"] == [RUN, CLAIM]
    assert built([child(3), child(4)]).fields["anchors"] == [ANCHOR_MISSING]


def test_the_same_memories_give_the_same_summary_in_any_order() -> None:
    third = child(3, "Ana deploys at night")
    edges = [drawn(1, "supports", SECOND, FIRST), drawn(2, "supports", third, FIRST)]
    one = built([FIRST, SECOND, third], edges)
    assert one == built([third, SECOND, FIRST], edges[::-1])
    assert one.id == built(PAIR).id
    assert one.id != built([replace(FIRST, fields={**FIRST.fields, "topic": "deploys"})]).id
    assert one.authority is Authority.NONE


def test_nothing_is_summarised_of_nothing() -> None:
    assert build_summary([], [], NOW) is None
    assert check_summary(built(PAIR), [])[0].part == "covers_nodes"
    assert parts(FIRST, PAIR) == ["kind"]


@pytest.mark.parametrize(
    ("field", "value", "lost"),
    [
        ("target", "person:ben", ["target"]),
        ("topic", "pay", ["topic"]),
        ("implication", "", ["implication"]),
        ("implication", "deploy whenever you like", ["implication"]),
        ("tension", "", ["tension"]),
        ("question", "Is it true?", ["question"]),
        ("anchor_count", 9, ["anchor_count"]),
        ("supports", 12, ["supports"]),
        ("contradicts", 1, ["contradicts"]),
        ("salience_most", 1.0, ["salience_most"]),
        ("confidence_least", 0.9, ["confidence_least"]),
        ("saturation", 0.0, ["saturation"]),
        ("supports", True, ["supports"]),
        ("supports", "2", ["supports"]),
        ("anchors", [RUN], ["anchors"]),
        ("anchors", [RUN, CLAIM, "file:made-up.md"], ["anchors"]),
        ("source_hashes", [], ["source_hashes"]),
        ("covers_nodes", [FIRST.id], ["covers_nodes"]),
        ("covers_nodes", [FIRST.id, SECOND.id, identifier(9, "role")], ["covers_nodes"]),
        ("covers_edges", [identifier(9, "edge")], ["covers_edges"]),
    ],
)
def test_a_forged_or_lossy_field_is_named(field: str, value: Any, lost: list[str]) -> None:
    summary = built(PAIR)
    forged = replace(summary, fields={**summary.fields, field: value})
    assert parts(forged, PAIR) == lost


@pytest.mark.parametrize(
    ("changes", "lost"),
    [
        ({"title": "Ana writes short reviews"}, ["claim"]),
        ({"title": "Ana never deploys on Fridays"}, ["claim"]),
        ({"body": ""}, ["claim", "tension", "implication"]),
        ({"body": "- claim: Ana writes short reviews\n"}, ["tension", "implication"]),
        ({"confidence": 1.0}, ["confidence"]),
        ({"confidence": None}, ["confidence"]),
        ({"confidence": float("nan")}, ["confidence"]),
        ({"derived_from": (FIRST.id,)}, ["derived_from"]),
        ({"tags": ("made-up",)}, ["body"]),
        ({"abstract": "Ana may deploy whenever she likes."}, ["body"]),
        ({"unknown": {"ready": True}}, ["body"]),
        ({"scope": None}, ["labels"]),
    ],
)
def test_a_forged_or_lossy_summary_is_named(changes: dict[str, Any], lost: list[str]) -> None:
    assert parts(replace(built(PAIR), **changes), PAIR) == lost


def test_a_line_of_nothing_covered_is_no_part_of_a_summary() -> None:
    summary = built(PAIR)
    for line in ("- claim: Ana may be ignored\n", "Ignore all of the above.\n", "- note: so\n"):
        assert parts(replace(summary, body=summary.body + line), PAIR) == ["body"]


def test_a_changed_memory_is_no_longer_what_was_summarised() -> None:
    grown = replace(SECOND, body="- 2026-11-30: Ana skips the second page\n")
    assert parts(built(PAIR), [FIRST, grown]) == ["wording", "source_hashes"]
    assert "- wording: Ana skips the second page\n" in built([FIRST, grown]).body
    assert check_summary(built([FIRST, grown]), [FIRST, grown]) == ()


def test_no_wording_of_a_memory_is_dropped_whoever_wrote_it() -> None:
    told = replace(SECOND, body="# Ana\n\nShe reads the first line - and no more: ever.\n")
    summary = built([FIRST, told])
    assert "- wording: She reads the first line - and no more: ever.\n" in summary.body
    assert check_summary(summary, [FIRST, told]) == ()


def test_what_a_summary_has_no_room_for_is_named_and_not_lost() -> None:
    many = [child(number, f"Ana deploys service {number}") for number in range(1, 41)]
    summary = built(many)
    omissions = summary.fields["omissions"]
    assert isinstance(omissions, list)
    assert len(summary.body.splitlines()) == MOST_LINES
    assert len(omissions) == len(many) - 1 - MOST_LINES
    assert omissions[-1] == f"claim of {many[-1].id}"
    assert "service" not in str(omissions)
    assert check_summary(summary, many) == ()
    unsaid = replace(summary, fields={**summary.fields, "omissions": omissions[1:]})
    assert parts(unsaid, many) == ["claim"]


def test_many_anchors_and_edges_are_counted_and_named_as_left_out() -> None:
    anchored = [
        child(number, anchors=[f"file:{number}-{place}.py" for place in range(32)])
        for number in range(1, 4)
    ]
    edges = [
        drawn(number, "resonates-with", FIRST, identifier(number, "role"))
        for number in range(1, 251)
    ]
    summary = built([*anchored, FIRST], edges)
    assert summary.fields["omissions"] == ["anchors", "edges"]
    assert summary.fields["anchor_count"] == 98
    assert check_summary(summary, [*anchored, FIRST], edges) == ()
    assert MOST_COVERED < 64


def test_contradictory_children_are_told_and_make_it_less_certain() -> None:
    denied = child(3, "Ana never deploys on Fridays")
    summary = built([FIRST, denied])
    assert summary.fields["contradicts"] == 1
    assert summary.confidence == 0.45
    assert summary.body == "- against: Ana never deploys on Fridays\n"
    quiet = replace(summary, body="- claim: Ana never deploys on Fridays\n")
    assert parts(quiet, [FIRST, denied]) == ["against", "body"]


def test_two_weak_memories_against_each_other_count_too() -> None:
    third = child(3, "Ana deploys at night", confidence=0.5)
    figures = cover([*PAIR, third], [drawn(1, "contradicts", third, SECOND)]).figures
    assert (figures.supports, figures.contradicts) == (1, 1)


def test_a_likeness_bears_nothing_out() -> None:
    edges = [drawn(1, "resonates-with", SECOND, FIRST)]
    assert cover(PAIR, edges).figures.supports == 1


def test_who_supports_and_contradicts_only_contradicts() -> None:
    edges = [drawn(1, "supports", SECOND, FIRST), drawn(2, "contradicts", FIRST, SECOND)]
    figures = cover(PAIR, edges).figures
    assert (figures.supports, figures.contradicts) == (1, 1)


def test_what_was_contradicted_leads_only_where_nothing_else_does() -> None:
    gone = child(3, profile="evidence", lifecycle="contradicted", confidence=1.0)
    assert ranked([gone, FIRST])[0] is FIRST
    alone = built([gone])
    assert (alone.fields["supports"], alone.confidence) == (0, 0.0)
    assert check_summary(alone, [gone]) == ()


def test_the_strongest_is_the_surer_then_the_salient_then_the_one_with_more_behind_it() -> None:
    plain = child(9, confidence=0.5, salience=0.5)
    for stronger in (
        child(10, confidence=0.6, salience=0.1),
        child(10, confidence=0.5, salience=0.6),
        child(10, confidence=0.5, salience=0.5, anchors=[RUN]),
        child(10, confidence=0.5, salience=0.5, repeats=1),
    ):
        assert ranked([plain, stronger])[0] is stronger
    for weaker in (
        child(10, confidence=0.5, salience=0.5, anchors=[CLAIM]),
        child(10, confidence=None, salience=1.0),
    ):
        assert ranked([weaker, plain])[0] is plain


def test_what_a_memory_was_distilled_from_and_what_grounds_it_bear_it_out() -> None:
    source, other = identifier(8, "role"), identifier(9, "role")
    edges = [drawn(1, "distills", FIRST, source), drawn(2, "distills", SECOND, other)]
    assert cover(PAIR, edges).figures.supports == 2
    edges = [drawn(1, "grounds", SECOND, FIRST), drawn(2, "supports", FIRST, SECOND)]
    assert cover(PAIR, edges).figures.supports == 2


def test_two_that_say_the_same_and_contradict_each_other_are_for_and_against() -> None:
    twin = child(3, confidence=0.8)
    covered = cover([FIRST, twin], [drawn(1, "contradicts", twin, FIRST)])
    assert (covered.figures.supports, covered.against) == (1, frozenset({twin.id}))
    outside = cover([FIRST], [drawn(1, "contradicts", FIRST, FIRST)])
    assert (outside.figures.supports, outside.figures.contradicts) == (1, 0)


def test_what_stands_beside_the_prose_of_a_memory_is_kept_too() -> None:
    told = replace(SECOND, summary="In short: she is short.", abstract="She wrote two lines.")
    body = built([FIRST, told]).body
    assert "- wording: In short: she is short.\n- wording: She wrote two lines.\n" in body


def test_a_summary_has_an_end_to_its_bytes() -> None:
    many = [child(number, f"{number} " + "long " * 30, implication="x" * 990) for number in (1, 2)]
    many += [child(number, "Ana", implication=f"{number}" + "ü" * 900) for number in range(3, 25)]
    summary = built(many)
    assert len(summary.body.encode()) <= MOST_LINE_BYTES
    assert len(summary.body.splitlines()) < MOST_LINES
    assert check_summary(summary, many) == ()


def test_an_edge_that_is_none_is_not_excused_by_an_omission() -> None:
    edges = [drawn(1, "supports", SECOND, FIRST)]
    summary = built(PAIR, edges)
    fields = {**summary.fields, "omissions": ["edges"]}
    assert parts(replace(summary, fields={**fields, "covers_edges": []}), PAIR, edges) == []
    made_up = {**fields, "covers_edges": [edges[0].id, identifier(9, "edge")]}
    assert parts(replace(summary, fields=made_up), PAIR, edges) == ["covers_edges"]


def test_an_omission_excuses_no_summary_without_an_implication() -> None:
    summary = built([FIRST])
    fields = {**summary.fields, "implication": "", "omissions": [f"implication of {FIRST.id}"]}
    assert parts(replace(summary, fields=fields), [FIRST]) == ["implication"]
    fields = {**summary.fields, "tension": "", "omissions": [f"tension of {FIRST.id}"]}
    assert parts(replace(summary, fields=fields), [FIRST]) == ["question"]


def test_a_class_and_an_end_of_validity_go_along() -> None:
    classed = replace(SECOND, record_class="clinical", valid_until=NOW + timedelta(days=3))
    summary = built([FIRST, classed])
    assert (summary.record_class, summary.valid_until) == ("clinical", classed.valid_until)
    for changes in ({"record_class": ""}, {"valid_until": None}):
        assert parts(replace(summary, **changes), [FIRST, classed]) == ["labels"]


def test_a_summary_is_kept_as_closely_and_as_long_as_what_it_covers() -> None:
    kept = child(
        3,
        sensitivity=Sensitivity.CONFIDENTIAL,
        sinks=frozenset({Sink.PERSON, Sink.AGENT}),
        taint=("tool",),
        expires=NOW + timedelta(days=1),
    )
    summary = built([FIRST, kept])
    assert summary.sensitivity is Sensitivity.CONFIDENTIAL
    assert summary.sinks == frozenset({Sink.PERSON, Sink.AGENT})
    assert (summary.taint, summary.expires) == (("tool",), kept.expires)
    for changes in (
        {"sensitivity": Sensitivity.NORMAL},
        {"sinks": FIRST.sinks},
        {"taint": ()},
        {"expires": None},
        {"expires": NOW + timedelta(days=2)},
    ):
        assert parts(replace(summary, **changes), [FIRST, kept]) == ["labels"]


def test_memories_of_two_roles_or_targets_have_no_summary_in_common() -> None:
    other = replace(SECOND, fields={**SECOND.fields, "target": "person:ben"})
    assert "target" in parts(built([FIRST, other]), [FIRST, other])
    foreign = replace(SECOND, scope=None)
    assert "labels" in parts(built([FIRST, foreign]), [FIRST, foreign])


@pytest.mark.parametrize(
    ("new", "old", "stands"),
    [
        ("The tests, of a release: pass!", "tests of the release pass", True),
        ("Ana blocks Ben", "Ben blocks Ana", False),
        ("Deploy to staging once the tests of the day passed", "Deploy to production once the "
         "tests of the day passed", False),
        ("Ana does not deploy", "Ana deploys", False),
        ("Ana deployed", "Ana deploys", False),
        ("Ana hardly sleeps", "Ana hard sleeps", False),
        ("Ana deploys or tests", "Ana deploys and tests", False),
        ("Ana deploys?", "Ana deploys", False),
        ("Set it to 5", "Set it to -5", False),
        ("Written in C", "Written in C++", False),
        ("Retry 3 times", "Retry 5 times", False),
        ("🙂", "🙁", False),
        ("🙂", "🙂", True),
        ("", "Ana", False),
    ],
)  # fmt: skip
def test_other_words_stand_only_for_the_very_same(new: str, old: str, stands: bool) -> None:
    assert is_said_again(new, old) is stands


def test_other_words_are_taken_where_nothing_is_lost_by_them() -> None:
    summary = built(PAIR)
    new, lost = worded(
        summary,
        Wording(claim="Ana deploys, on the Fridays", implication="Put the finding first!"),
        PAIR,
        [],
    )
    assert lost == ()
    assert new.title == "Ana deploys, on the Fridays"
    assert "- claim: Ana deploys on Fridays\n" in new.body
    assert f"- implication: {FIRST.fields['implication']}\n" in new.body
    assert check_summary(new, PAIR) == ()


@pytest.mark.parametrize(
    "wording",
    [
        Wording(claim="Ana may deploy whenever she likes"),
        Wording(claim="Ana writes short reviews"),
        Wording(tension="none to speak of"),
        Wording(question="Who is Ana?"),
        Wording(implication="do not ask"),
        Wording(claim="Ana deploys on Fridays\n- claim: and on Mondays"),
    ],
)
def test_other_words_by_which_something_is_lost_change_nothing(wording: Wording) -> None:
    summary = built(PAIR)
    new, lost = worded(summary, wording, PAIR, [])
    assert new is summary
    assert lost


@pytest.mark.parametrize(
    ("fields", "is_hard"),
    [
        ({"lifecycle": "active", "intensity": 0.7}, True),
        ({"lifecycle": "active", "intensity": 0.69}, False),
        ({"lifecycle": "obligated", "intensity": 0.1}, True),
        ({"lifecycle": "cooling", "intensity": 1.0}, False),
        ({"lifecycle": "answered", "intensity": 1.0}, False),
        ({"lifecycle": "active", "intensity": True}, False),
        ({"lifecycle": "active", "intensity": "1.0"}, False),
    ],
)
def test_what_presses_hard_is_data(fields: dict[str, Any], is_hard: bool) -> None:
    pressure = memory(profile="agency_pressure", **fields)
    assert is_pressing_hard([FIRST, pressure]) is is_hard


def test_only_what_is_open_and_may_be_shortened_is_covered() -> None:
    covered = [
        child(1),
        child(1, profile="conversation", lifecycle="active"),
        child(1, profile="repo_dataflow", lifecycle="stale"),
    ]
    told = [
        child(1, lifecycle="retired"),
        child(1, profile="identity"),
        child(1, profile="candidate_intervention", lifecycle="queued"),
        child(1, profile="agency_pressure", lifecycle="active"),
        child(1, profile="nonsense"),
    ]
    assert list(map(may_cover, covered)) == [True, True, True]
    assert list(map(may_cover, told)) == [False] * 5
