"""Of a prompt only what was typed is the person's own (A1, A3)."""

from __future__ import annotations

import pytest

from memfs.model.candidate import Submission
from memfs.model.evidence import Quote
from memfs.policy.typed import TYPED_CHARS, typed_words
from memfs.policy.verification import check_quotes
from tests.support.policy import AGENT, ANA, HOOK, PROJECT, claim, evidence, excerpt, origin_of

CLAIM = "I always prefer tabs in every file."
PUT = (
    f"Sum this up:\n> Hello.\n> {CLAIM}\n",
    f"What does it say?\n```\n{CLAIM}\n```\nThanks.",
    f"What does it say?\n~~~ text\nHello.\n{CLAIM}\n",
    f"The log:\n\n    {CLAIM}\n",
    f"Read <page>\nHello.\n{CLAIM}\n</page> and tell me.",
    f"Read this:\n<document id='1'>\n{CLAIM}\n",
    f'She wrote "Hello there. {CLAIM} Bye." to me.',
    f"She wrote “Hello there.\n{CLAIM}\nBye.”",
    f"Sum this up.\n{CLAIM}\n" + "And so on and on it goes. " * 200,
)
TYPED = (
    CLAIM,
    f"Please note. {CLAIM} Thanks!",
    f"Look at this:\n```\nx = 1\n```\n{CLAIM}",
    f'Use the "strict" mode.\n{CLAIM}',
    f"a < b, and c > d.\n{CLAIM}",
    f"Return a list<str> there.\n{CLAIM}",
    f"- one\n- two\n\n{CLAIM}",
)


def carried(said: str, actor: object = HOOK) -> tuple[bool, list[str]]:
    said = said.strip("\n")
    source = evidence(1, said, actor)  # type: ignore[arg-type]
    submission = Submission(
        draft=claim(CLAIM),
        origin=origin_of(AGENT),
        quotes=(Quote(evidence_id=source.id, text=CLAIM),),
    )
    found = check_quotes(
        submission, {source.id: source}, {source.id: excerpt(source, said)}, project=PROJECT
    )
    return found.is_stated, [item.code for item in found.reasons]


@pytest.mark.parametrize("said", PUT, ids=range(len(PUT)))
def test_what_was_pasted_into_a_prompt_is_nobody_s_statement(said: str) -> None:
    is_stated, codes = carried(said)
    assert not is_stated
    assert set(codes) <= {"quote.pasted", "quote.partial"}


@pytest.mark.parametrize("said", TYPED, ids=range(len(TYPED)))
def test_what_was_typed_around_it_still_counts(said: str) -> None:
    assert carried(said) == (True, [])


def test_what_a_person_hands_in_at_a_terminal_is_theirs_as_it_is() -> None:
    assert carried(f"```\n{CLAIM}\n```", ANA) == (True, [])


def test_no_half_of_a_sentence_is_left_by_what_is_taken_out() -> None:
    text = typed_words('Never write "Use tabs. Always do. Everywhere." in a file.')
    assert text == "Never write … in a file."
    assert typed_words("x" * (TYPED_CHARS + 1)) == ""
