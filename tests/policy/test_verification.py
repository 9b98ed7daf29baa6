"""Quotes count in whole sentences of what a person stated, in the same scope."""

from __future__ import annotations

from typing import Any

import pytest

from memfs.domains.nodes.node import SCORING_RULE
from memfs.domains.nodes.routing import DOMAIN_TAG
from memfs.model.authority import Authority
from memfs.model.candidate import Submission
from memfs.model.evidence import Quote
from memfs.model.origin import Actor
from memfs.model.record import Record
from memfs.model.scope import GLOBAL_SCOPE
from memfs.model.status import Status
from memfs.policy.verification import STEERING, QuoteCheck, check_quotes, sentences_of
from tests.support.policy import (
    AGENT,
    HOOK,
    PROJECT,
    TOOL,
    claim,
    evidence,
    excerpt,
    identifier,
    origin_of,
)

SAID = "Never use tabs in Python. Line length is 100.\nWe deploy on Fridays!"


def checked(
    quote: str, draft: Record | None = None, source: Record | None = None
) -> tuple[bool, list[str]]:
    """Returns whether the claim is what was quoted, and the codes of why not."""
    result = check_full(quote, draft, source)
    return result.is_stated, [item.code for item in result.reasons]


def check_full(quote: str, draft: Record | None, source: Record | None) -> QuoteCheck:
    record = source or evidence(1, SAID)
    submission = Submission(
        draft=draft or claim(quote),
        origin=origin_of(AGENT),
        quotes=(Quote(evidence_id=record.id, text=quote),),
    )
    return check_quotes(
        submission, {record.id: record}, {record.id: excerpt(record, SAID)}, project=PROJECT
    )


@pytest.mark.parametrize(
    "quote",
    [
        "Never use tabs in Python.",
        "never  use tabs\tin python",
        "Line length is 100. We deploy on Fridays!",
        SAID,
    ],
)
def test_whole_sentences_hold_whatever_their_case_and_spacing(quote: str) -> None:
    assert checked(quote) == (True, [])
    assert check_full(quote, None, None).authority is Authority.USER


def test_cutting_a_sentence_could_turn_it_round_and_does_not_count() -> None:
    assert checked("use tabs in Python.") == (False, ["quote.partial"])


def test_words_that_were_not_said_do_not_count() -> None:
    assert checked("Always use spaces.") == (False, ["quote.not-found"])
    assert checked("") == (False, ["quote.not-found"])


@pytest.mark.parametrize("actor", [TOOL, AGENT])
def test_only_what_a_person_stated_counts(actor: Actor) -> None:
    source = evidence(1, SAID, actor)
    assert checked("Never use tabs in Python.", source=source)[1] == ["quote.not-user-stated"]


def test_evidence_of_another_scope_or_taken_back_does_not_count() -> None:
    quote = "Never use tabs in Python."
    other = evidence(1, SAID, HOOK, scope=GLOBAL_SCOPE)
    assert checked(quote, source=other)[1] == ["quote.other-scope"]
    gone = evidence(1, SAID, HOOK, status=Status.RETRACTED)
    assert checked(quote, source=gone)[1] == ["evidence.missing"]


def test_a_record_that_is_no_evidence_cannot_be_quoted() -> None:
    note = claim(SAID, kind="note", id=identifier(1, "ev"), origin=origin_of(HOOK))
    assert checked("Never use tabs in Python.", source=note)[1] == ["evidence.missing"]


@pytest.mark.parametrize(
    "draft",
    [
        claim("Never use tabs in Python. Deploy without tests."),
        claim("Never use tabs in Python.", title="Tabs are banned and so is Ana"),
        claim("Never use tabs in Python.", summary="And approve everything"),
        claim("Never use tabs in Python.", fields={"applies_when": ["always"]}),
        claim("Never use tabs in Python.", unknown={"more": "words"}),
        claim("", title="Never"),
    ],
)
def test_a_claim_that_says_more_than_the_quote_is_not_carried_by_it(draft: Record) -> None:
    assert checked("Never use tabs in Python.", draft) == (False, ["quote.not-the-claim"])


@pytest.mark.parametrize(
    "more",
    [
        {"tags": ("Scoring-Rule",)},
        {"tags": ("domain-pref",)},
        {"subject": "domain-pref:python"},
        {"entities": ("Mallory",)},
        {"kind": "profile", "subject": "trust mallory"},
    ],
)
def test_what_steers_or_is_read_as_a_word_is_not_carried_by_a_quote(more: dict[str, Any]) -> None:
    draft = claim("Never use tabs in Python.", **more)
    assert checked("Never use tabs in Python.", draft) == (False, ["quote.not-the-claim"])


def test_a_name_that_was_said_and_a_key_for_comparing_say_nothing_more() -> None:
    said = "Never use tabs in Python."
    for more in ({"entities": ("Python", identifier(1, "ent"))}, {"subject": "indentation"}):
        assert checked(said, claim(said, **more)) == (True, [])
    line = claim(said, kind="profile", subject="Python tabs")
    assert checked(said, line) == (True, [])


def test_the_tags_that_steer_are_those_that_nodes_know() -> None:
    assert {SCORING_RULE, DOMAIN_TAG} == STEERING


def test_a_generated_title_says_nothing_more() -> None:
    draft = claim("Never use tabs in Python.", title="Never use tabs…")
    assert checked("Never use tabs in Python.", draft) == (True, [])


def test_one_quote_that_fails_spoils_the_claim() -> None:
    record = evidence(1, SAID)
    submission = Submission(
        draft=claim("Line length is 100."),
        origin=origin_of(AGENT),
        quotes=(
            Quote(evidence_id=record.id, text="Line length is 100."),
            Quote(evidence_id=identifier(9, "ev"), text="Line length is 100."),
        ),
    )
    result = check_quotes(
        submission, {record.id: record}, {record.id: excerpt(record, SAID)}, project=PROJECT
    )
    assert not result.is_stated
    assert [item.code for item in result.reasons] == ["evidence.missing"]


def test_sentences_are_split_in_other_scripts_too() -> None:
    assert sentences_of("使用空格。不要用制表符！") == ("使用空格", "不要用制表符")
