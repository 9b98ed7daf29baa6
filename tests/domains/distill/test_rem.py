"""What a model's answer is worth: decoded strictly, cited, or nothing."""

from __future__ import annotations

import json

import pytest

from memfs.domains.distill.rem import MOST_CHARACTERS, MOST_REFLECTIONS, claims_from_answer

ONE = "mem_01kb8x3v6yq4m9t2r7w5z1c0de"


def answer(*items: object) -> str:
    return json.dumps({"reflections": list(items)})


def test_a_sound_answer_is_claims_with_their_sources() -> None:
    text = answer({"text": " Exports \n run at night ", "sources": [f"{ONE}@2", ONE]})

    (claim,) = claims_from_answer(text)

    assert (claim.text, claim.sources) == ("Exports run at night", (ONE,))
    assert claims_from_answer(answer()) == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "not json",
        "[" * 100_000,
        json.dumps({"reflections": [], "delete": ["mem"]}),
        json.dumps({"reflections": {}}),
        answer("words"),
        answer({"text": "Words"}),
        answer({"text": 7, "sources": []}),
        answer({"text": "Words", "sources": "mem"}),
        answer({"text": "Words", "sources": [1]}),
        answer({"text": "Words", "sources": [], "status": "active"}),
        answer({"text": " ", "sources": []}),
        answer({"text": "x" * (MOST_CHARACTERS + 1), "sources": []}),
        answer(*[{"text": f"Words {n}", "sources": []} for n in range(MOST_REFLECTIONS + 1)]),
    ],
)
def test_any_other_answer_counts_for_nothing(text: str) -> None:
    with pytest.raises(ValueError):
        claims_from_answer(text)
