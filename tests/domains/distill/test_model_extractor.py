"""A model in the place of the rules: it quotes or it counts for nothing, and only proposes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memfs.app.sift_seams import fact_digest, rules
from memfs.domains.distill.material import CommitSeen, Said
from memfs.domains.distill.model_extractor import ModelExtractor, question_from
from memfs.domains.distill.products import ClaimFound, EventFound, Trust
from memfs.errors import AccessError, UsageError
from memfs.model.origin import OriginClass
from tests.domains.distill.test_commit_rules import SEEN
from tests.domains.distill.test_turn_rules import turn
from tests.support.conversations import HOST_ID, ClaudeTalk
from tests.support.memory import AGENT, memory_of, new_project

TURN = turn(
    ("user", "The pump stood still again. Only on Mondays, as you know."),
    ("assistant", "The relay sticks after two days without current."),
    ("tool", "The relay is an RX-7 made in 1987 by nobody."),
)
ANSWER = {
    "events": [
        {
            "kind": "learning",
            "text": "The relay sticks when it was without current",
            "quote": "The relay sticks after  two days\nwithout current.",
        },
        {"kind": "learning", "text": "Made up", "quote": "The pump was never built at all."},
        {"kind": "work", "text": "No such kind", "quote": "The pump stood still again."},
        {"kind": "event", "text": "What a tool says", "quote": "The relay is an RX-7 made in 1987"},
    ],
    "claims": [
        {"kind": "fact", "quote": "Only on Mondays, as you know."},
        {"kind": "permission", "quote": "Only on Mondays, as you know."},
    ],
}


def extractor(answer: object) -> ModelExtractor:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return ModelExtractor("tiny", lambda question: text, rules(), fact_digest)


def test_what_a_model_finds_quotes_the_turn_or_counts_for_nothing() -> None:
    claim, event = extractor(ANSWER)(TURN)
    assert isinstance(claim, ClaimFound)
    assert (claim.kind, claim.text, claim.speaker) == (
        "fact",
        "Only on Mondays, as you know.",
        "user",
    )
    assert isinstance(event, EventFound)
    assert (event.title, event.quote) == (
        "The relay sticks when it was without current",
        "The relay sticks after two days without current.",
    )
    assert (event.trust, event.transform, event.speaker) == (Trust.SAID, "tiny", "assistant")


@pytest.mark.parametrize(
    "answer",
    ["", "I found nothing.", [], {"events": []}, {**ANSWER, "delete": ["mem_1"]},
     {"events": "x", "claims": []}, {"events": [{"kind": 1}], "claims": []}, "[" * 100_000],
)  # fmt: skip
def test_a_model_that_answers_anything_else_leaves_it_to_the_rules(answer: object) -> None:
    seen = replace(TURN, said=(Said("assistant", "The root cause was a relay that sticks."),))
    assert list(extractor(answer)(seen)) == list(rules()(seen))


def test_a_commit_is_never_put_to_a_model() -> None:
    seen: CommitSeen = replace(SEEN, subject="Add a queue for uploads")
    asking = ModelExtractor("tiny", pytest.fail, rules(), fact_digest)
    assert list(asking(seen)) == list(rules()(seen))


def test_a_question_holds_words_alone_and_is_bounded() -> None:
    long = turn(*(("assistant", f"{number} " + "word " * 1000) for number in range(20)))
    assert len(question_from(long)) <= 24_000
    assert set(json.loads(question_from(TURN))[0]) == {"speaker", "words"}


def test_what_a_model_finds_only_waits(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    talk = ClaudeTalk(tmp_path / f"{HOST_ID}.jsonl")
    talk.user("The pump stood still again. Only on Mondays, as you know.")
    talk.answer("The relay sticks after two days without current.")
    with memory_of(project) as memory:
        memory.import_session(talk.path, is_ended=True)
        result = memory.distill(session=HOST_ID, extractor=extractor(ANSWER))
        assert result.data["activated"] == 0
        found = memory.candidates()
        assert sorted(item.kind for item in found) == ["event", "fact"]
        assert {item.origin.origin_class for item in found} == {OriginClass.AGENT_STATED}
        assert memory.timeline() == ()
        with pytest.raises(UsageError):
            memory.distill(with_model=True)
        memory.actor = AGENT
        with pytest.raises(AccessError):
            memory.distill(with_model=True)
