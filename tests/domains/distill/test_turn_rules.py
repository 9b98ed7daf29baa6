"""What a turn tells: claims, what was learned and what happened, each with its turn."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memfs.app.sift_seams import facts_in
from memfs.domains.distill.material import Called, Said, TurnSeen
from memfs.domains.distill.products import ClaimFound, EventFound, Product, Trust
from memfs.domains.distill.turn_rules import products_of_turn
from memfs.domains.sessions.key_facts import plain_sentences
from memfs.model.event import EventSort


def turn(*said: tuple[str, str], calls: tuple[Called, ...] = ()) -> TurnSeen:
    return TurnSeen(
        session="ses_00000000000000000000000000",
        host_id="talk-1",
        client="claude",
        number=3,
        nodes=("n1",),
        at=datetime(2026, 3, 4, 9, tzinfo=UTC),
        said=tuple(Said(*item) for item in said),
        calls=calls,
    )


def products(*said: tuple[str, str], calls: tuple[Called, ...] = ()) -> list[Product]:
    return list(products_of_turn(turn(*said, calls=calls), facts_in, plain_sentences))


def events(*said: tuple[str, str], calls: tuple[Called, ...] = ()) -> list[EventFound]:
    return [it for it in products(*said, calls=calls) if isinstance(it, EventFound)]


@pytest.mark.parametrize(
    ("speaker", "sentence", "sort"),
    [
        ("user", "We deployed the new gateway to Frankfurt.", EventSort.EVENT),
        ("user", "Yesterday we rolled back the release to 2.3.", EventSort.EVENT),
        ("user", "We decided to drop support for Python 3.9.", EventSort.DECISION),
        ("assistant", "It turned out that the cache kept a closed file.", EventSort.LEARNING),
        ("assistant", "The root cause is a race between two writers.", EventSort.LEARNING),
        ("user", "The problem was the clock of the test machine.", EventSort.LEARNING),
    ],
)
def test_a_sentence_tells_what_happened(speaker: str, sentence: str, sort: EventSort) -> None:
    (event,) = events((speaker, f"Hello there. {sentence} Now go on."))
    assert (event.sort, event.title, event.quote) == (sort, sentence, sentence)
    assert (event.source, event.turns, event.trust) == ("session:talk-1#3", ("3",), Trust.SAID)
    assert event.speaker == speaker


@pytest.mark.parametrize(
    ("speaker", "text"),
    [
        ("assistant", "We decided to drop support for Python 3.9."),
        ("assistant", "We deployed the new gateway to Frankfurt."),
        ("tool", "The root cause is a race between two writers."),
        ("user", "If the root cause is a race, what then?"),
        ("user", "Maybe it turned out that the cache kept a closed file."),
        ("user", "> The root cause is a race between two writers."),
        ("user", "```\nThe root cause is a race between two writers.\n```"),
        ("user", "Please deploy the new gateway to Frankfurt."),
    ],
)
def test_an_agent_decides_nothing_and_a_guess_or_quotation_tells_nothing(
    speaker: str, text: str
) -> None:
    assert events((speaker, text)) == []


def test_a_decision_that_is_a_claim_as_well_needs_the_persons_own_words() -> None:
    found = products(("user", "We decided to drop support for Python 3.9."))
    assert [type(item) for item in found] == [ClaimFound, EventFound]
    assert isinstance(found[1], EventFound)
    assert found[1].needs_quote


def test_what_mended_a_command_that_failed_is_learned() -> None:
    calls = (
        Called("Bash", "make test", "", True),
        Called("Read", "", "src/other.py", False),
        Called("Edit", "", "src/chart.py", False),
        Called("Bash", "make test", "", False),
    )
    (event,) = events(("assistant", "Done."), calls=calls)
    assert event.title == "`make test` failed, and passed after a change of src/chart.py"
    assert (event.sort, event.names) == (EventSort.LEARNING, ("src/chart.py",))
    assert events(("assistant", "Done."), calls=calls[:3]) == []
    assert events(("assistant", "Done."), calls=(calls[0], calls[1], calls[3])) == []


def test_a_turn_is_told_the_same_whenever_it_is_read() -> None:
    said = ("user", "We deployed the new gateway to Frankfurt.")
    assert len(events(said)) == 1
    assert events(said, said) == events(said)
