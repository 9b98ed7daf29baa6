"""Keyed contradiction and exact duplicate; nothing by likeness."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.app.registry import REGISTRY
from memfs.model.decision import Verdict
from memfs.model.record import Record
from memfs.model.scope import GLOBAL_SCOPE
from memfs.model.status import Status
from memfs.model.text import normalise_text
from memfs.policy.conflicts import compare, is_contradiction, is_overlapping, is_unchanged
from tests.support.policy import AGENT, BEN, NOW, PROJECT, claim, identifier, stored, submit, view

DAY = timedelta(days=1)
TIMES = st.one_of(st.none(), st.integers(0, 6).map(lambda days: NOW + days * DAY))


def contradicts(left: Record, right: Record) -> bool:
    return is_contradiction(left, right, registry=REGISTRY, project=PROJECT)


def test_two_values_of_one_subject_contradict() -> None:
    left, right = claim("Tabs.", subject="indent"), claim("Spaces.", subject=" Indent ")
    assert contradicts(left, right)
    assert contradicts(right, left)


@pytest.mark.parametrize(
    "other",
    [
        claim("Spaces.", subject="width"),
        claim("Spaces.", subject="indent", kind="fact"),
        claim("Spaces.", subject="indent", scope=GLOBAL_SCOPE),
        claim("TABS.", subject="indent"),
        claim("Spaces.", subject="indent", valid_until=NOW - DAY),
    ],
)
def test_another_key_the_same_words_or_another_time_do_not_contradict(other: Record) -> None:
    assert not contradicts(claim("Tabs.", subject="indent", valid_from=NOW), other)


def test_claims_without_a_subject_and_kinds_with_many_values_never_contradict() -> None:
    assert not contradicts(claim("Tabs."), claim("Spaces."))
    left = claim("docs/a.md", kind="reference", subject="docs")
    assert not contradicts(left, claim("docs/b.md", kind="reference", subject="docs"))


@given(TIMES, TIMES, TIMES, TIMES)
def test_overlap_is_symmetric_and_half_open(
    start: datetime | None,
    end: datetime | None,
    other_start: datetime | None,
    other_end: datetime | None,
) -> None:
    left = claim(valid_from=start, valid_until=end)
    right = claim(valid_from=other_start, valid_until=other_end)
    assert is_overlapping(left, right) == is_overlapping(right, left)


def test_validities_that_touch_do_not_overlap() -> None:
    before, after = claim(valid_until=NOW), claim(valid_from=NOW)
    assert not is_overlapping(before, after)
    assert is_overlapping(claim(valid_until=NOW + DAY), after)


def test_only_active_records_are_compared_each_once_by_id() -> None:
    first, second = stored(2, body="Use Flask.", subject="b"), stored(1, subject="b")
    gone = stored(3, body="Use Bottle.", subject="b", status=Status.RETRACTED)
    found = compare(
        claim(subject="b"),
        (first, second, first, gone),
        registry=REGISTRY,
        project=PROJECT,
    )
    assert [item.record.id for item in found.contradicted] == [identifier(2)]
    assert [item.record.id for item in found.repeated] == [identifier(1)]


def test_a_generated_title_does_not_make_another_claim() -> None:
    long = "Use FastAPI for every backend that we write in Python from now on"
    found = compare(
        claim(long),
        (stored(1, body=long, title="Use FastAPI for every backend…"),),
        registry=REGISTRY,
        project=PROJECT,
    )
    assert len(found.repeated) == 1


def test_near_likeness_is_neither_duplicate_nor_contradiction() -> None:
    found = compare(
        claim("Use FastAPI, never Flask!!"),
        (stored(1),),
        registry=REGISTRY,
        project=PROJECT,
    )
    assert found.repeated == ()
    assert found.contradicted == ()


@pytest.mark.parametrize(
    "change",
    [{"title": "T"}, {"tags": ("a",)}, {"importance": 9}, {"unknown": {"x": 1}}, {"expires": NOW}],
)
def test_any_change_of_words_labels_or_dates_is_a_change(change: dict[str, Any]) -> None:
    assert is_unchanged(claim(), claim(version=3, status=Status.SUPERSEDED))
    assert not is_unchanged(claim(**change), claim())


CORRECTIONS = [
    ("The deploy window is 14:00 to 15:00.", "The deploy window is 14:00 to 15:30."),
    ("The service listens on port 8080.", "The service listens on port 8081."),
    ("Use tabs for indentation.", "Do not use tabs for indentation."),
    ("Never squash before merging.", "Never, ever squash before merging."),
    ("The limit is 10 MB.", "The limit is 10 GB."),
    ("The limit is 10 MB.", "The limit is 1.0 MB."),
    ("The offset is 5.", "The offset is -5."),
    ("We write it in C.", "We write it in C++."),
    ("We write it in C++.", "We write it in C#."),
    ("Python 3.11 is the oldest we support.", "Python 3.12 is the oldest we support."),
    ("The host is db1.example.org.", "The host is db2.example.org."),
    ("The flag is --dry-run.", "The flag is --dry_run."),
    ("The key is 'alpha'.", "The key is `alpha`."),
    ("Reviews need one approval.", "Reviews need two approvals."),
    ("Anna leads the team.", "Anne leads the team."),
    ("The release is on Monday.", "The release is on Mondays."),
    ("Retry up to 3 times", "Retry up to 3 times, then stop"),
    ("Keep the cache for a day.", "Keep the cache for a day!"),
    ("Timeouts are in s.", "Timeouts are in ms."),
    ("Der Server heißt Grün.", "Der Server heißt Grun."),
    ("The path is src/app.py.", "The path is src/App/.py."),
    ("Latency must stay under 200 ms.", "Latency must stay over 200 ms."),
    ("Logs go to stdout.", "Logs go to stderr."),
    ("The API returns 404 for unknown ids.", "The API returns 410 for unknown ids."),
]
"""Pairs that differ in little and mean something else."""


@pytest.mark.parametrize(("before", "after"), CORRECTIONS)
def test_a_near_identical_correction_corrects_and_is_no_duplicate(before: str, after: str) -> None:
    for old_text, new_text in ((before, after), (after, before)):
        own = stored(1, subject="s", kind="fact", body=f"{old_text}\n")
        draft = claim(f"{new_text}\n", subject="s", kind="fact")
        known = view(same_subject=(own,), same_content=(own,))
        decision = submit(draft, ledger=known)
        assert (decision.verdict, decision.supersedes) == (Verdict.ACTIVATE, (own.record.id,))
        beside = submit(draft, BEN, ledger=known)
        assert (beside.verdict, beside.conflicts) == (Verdict.ACTIVATE, (own.record.id,))
        program = submit(draft, AGENT, ledger=known)
        assert (program.verdict, program.rule) == (Verdict.QUARANTINE, "conflict.review")


@pytest.mark.parametrize(("before", "after"), CORRECTIONS)
def test_the_same_words_in_other_spacing_are_a_repetition(before: str, after: str) -> None:
    for text in (before, after):
        own = stored(1, subject="s", kind="fact", body=f"{text}\n")
        draft = claim(f"  {text.upper().replace(' ', '  ')}", subject="s", kind="fact")
        decision = submit(draft, ledger=view(same_subject=(own,)))
        if normalise_text(text.upper()) == normalise_text(text):
            assert (decision.verdict, decision.duplicate_of) == (Verdict.DUPLICATE, own.record.id)


def test_the_same_words_for_a_time_that_is_not_covered_are_no_repetition() -> None:
    ended = stored(1, subject="s", valid_until=NOW)
    again = claim(subject="s", valid_from=NOW + DAY)
    assert submit(again, ledger=view(same_subject=(ended,))).verdict is Verdict.ACTIVATE
    within = claim(subject="s", valid_from=NOW - DAY, valid_until=NOW)
    assert submit(within, ledger=view(same_subject=(ended,))).verdict is Verdict.DUPLICATE


def test_whoever_takes_over_another_s_words_gives_up_their_own() -> None:
    own = stored(1, subject="s", body="Use Flask.")
    theirs = stored(2, BEN, subject="s")
    decision = submit(claim(subject="s"), ledger=view(same_subject=(own, theirs)))
    assert (decision.verdict, decision.supersedes) == (Verdict.ACTIVATE, (own.record.id,))
