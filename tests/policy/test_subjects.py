"""A program says who or what its claim is about (C17)."""

from __future__ import annotations

import pytest

from memfs.policy.subjects import check_subject
from tests.support.policy import AGENT, ANA, IMPORT, claim, codes, submit

VAGUE = (
    "Has a PhD in physics.",
    "is allergic to nuts",
    "She prefers tea.",
    "They moved to Lyon last year.",
    "It's deployed on Fridays.",
    "This is the one to use.",
    "- Likes tabs",
    "Also works from home.",
)
PLAIN = (
    "Bob has a PhD in physics.",
    "Use tabs, never spaces.",
    "This project uses uv.",
    "The build runs on Fridays.",
    "Itertools is imported lazily.",
    "Is the port free?",
    "has_key: a method of the old dict",
    "Héloïse préfère le thé.",
    "使用空格。",
)


@pytest.mark.parametrize("text", VAGUE)
def test_what_begins_with_nobody_is_asked_about(text: str) -> None:
    assert check_subject(claim(text)) is not None
    assert codes(submit(text, AGENT)) == ["claim.no-subject"]


@pytest.mark.parametrize("text", PLAIN)
def test_what_names_its_subject_is_not(text: str) -> None:
    assert check_subject(claim(text)) is None


@pytest.mark.parametrize("text", VAGUE)
def test_a_key_a_title_a_person_and_an_import_answer_it(text: str) -> None:
    assert check_subject(claim(text, subject="bob")) is None
    assert check_subject(claim(text, title="Bob, the baker")) is None
    assert "claim.no-subject" not in codes(submit(text, ANA))
    assert "claim.no-subject" not in codes(submit(text, IMPORT))
