"""What time and repetition do to memories by themselves, and how a thread is promoted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memfs.domains.roles.rest.settling import MOVES, settle
from memfs.domains.roles.view import Planned
from memfs.model.authority import Authority
from memfs.model.instants import format_instant
from memfs.model.record import Record
from memfs.policy.role_ripening import QUIET_DAYS, priority_of, theme_key, themes_of
from tests.support.policy import NOW, identifier
from tests.support.roles import REASON, RUN, Mind, proposal, whole


def codes(planned: Planned) -> list[str]:
    """Returns why an operation was not planned."""
    return [why.code for why in planned.reasons]


def state(mind: Mind, record: Record) -> str:
    """Returns how a memory stands now."""
    return str(mind.now(record).fields["lifecycle"])


def wait(mind: Mind, **span: float) -> None:
    """Lets time pass."""
    mind.view = replace(mind.view, now=mind.view.now + timedelta(**span))


def settled(mind: Mind) -> dict[str, Any]:
    """Settles, and returns what moved: the name of each move with the ids."""
    planned = settle(mind.view)
    assert planned.is_nothing is not bool(planned.changed)
    assert (planned.made, planned.edges, planned.reasons, planned.words) == ((), (), (), ())
    mind.view = mind.view.after(planned)
    assert settle(mind.view).is_nothing
    assert planned.details.keys() <= MOVES.keys()
    return dict(planned.details)


def taken(mind: Mind, number: int) -> str:
    """Returns the id of a short-term memory of its own topic."""
    made = mind.made(
        "RecordShortTermMemory", topic=f"t{number}", claim=f"Sign {number}", saturation=None
    )
    return made.id


def thread_of(mind: Mind, first: int = 0) -> Record:
    """Begins a thread."""
    return mind.made(
        "MergeIncubationSupport", sources=[taken(mind, first)], claim="Ana may leave", topic="plans"
    )


def supported(mind: Mind, thread: Record, *numbers: int) -> None:
    """Adds supports to a thread."""
    for number in numbers:
        text = proposal(
            "MergeIncubationSupport", thread=thread.id, sources=[taken(mind, number)], tags=["s"]
        )
        assert codes(mind.apply(text)) == []


def promote(mind: Mind, thread: Record) -> Planned:
    """Proposes to make a thread a durable memory."""
    return mind.apply(whole("ApplyMemoryDistillation", sources=[thread.id], claim="Ana will leave"))


# Threads -------------------------------------------------------------------------------------


def test_a_thread_deepens_is_refused_while_unripe_and_is_promoted_once_ripe() -> None:
    mind = Mind()
    thread = thread_of(mind)
    for number in (1, 2):
        before = mind.view.memories
        refused = promote(mind, thread)
        assert codes(refused) == ["role.unripe"]
        assert f"row support: {number} of 3" in refused.reasons[0].message
        assert mind.view.memories == before
        wait(mind, days=1)
        supported(mind, thread, number)
        assert state(mind, thread) == "deepening"
    planned = promote(mind, thread)
    (durable,) = planned.made
    assert codes(planned) == []
    assert (state(mind, thread), durable.fields["profile"]) == ("promoted", "role_self")
    assert durable.derived_from == (thread.id,)
    edge = planned.edges[0].fields
    assert (edge["from"], edge["relation"], edge["to"]) == (durable.id, "distills", thread.id)
    assert codes(promote(mind, thread)) == ["role.move"]
    assert settled(mind) == {}


def test_a_thread_and_memories_are_distilled_together_or_not_at_all() -> None:
    mind = Mind()
    thread, other = thread_of(mind), mind.made("RecordShortTermMemory")
    both = whole("ApplyMemoryDistillation", sources=[other.id, thread.id], claim="Ana will leave")
    assert codes(mind.apply(both)) == ["role.unripe"]
    assert state(mind, other) == "active"
    for number in (1, 2):
        wait(mind, days=1)
        supported(mind, thread, number)
    assert codes(mind.apply(both)) == []
    assert [state(mind, item) for item in (other, thread)] == ["distilled", "promoted"]


def test_a_promoted_thread_deepens_what_is_remembered_in_these_words() -> None:
    mind = Mind()
    source = mind.made("RecordShortTermMemory")
    durable = mind.made("ApplyMemoryDistillation", sources=[source.id], claim="Ana will leave")
    thread = thread_of(mind)
    for number in (1, 2):
        wait(mind, days=1)
        supported(mind, thread, number)
    assert promote(mind, thread).made == ()
    assert mind.now(durable).derived_from == (source.id, thread.id)
    assert state(mind, thread) == "promoted"


def test_support_that_is_gone_counts_no_more_and_what_a_thread_says_of_it_is_corrected() -> None:
    mind = Mind()
    thread = thread_of(mind)
    for number in (1, 2):
        wait(mind, days=1)
        supported(mind, thread, number)
    kept = {
        name: item
        for name, item in mind.view.memories.items()
        if name != mind.now(thread).derived_from[0]
    }
    mind.view = replace(mind.view, memories=kept)
    assert codes(promote(mind, thread)) == ["role.unripe"]
    assert mind.now(thread).fields["support"] == 3
    wait(mind, days=1)
    supported(mind, thread, 3)
    assert mind.now(thread).fields["support"] == 3
    assert codes(promote(mind, thread)) == []


def test_a_thread_that_nothing_supports_cools_and_deepens_again_when_something_does() -> None:
    mind = Mind()
    thread = thread_of(mind)
    wait(mind, days=QUIET_DAYS, seconds=-1)
    assert settled(mind) == {}
    wait(mind, seconds=1)
    assert settled(mind) == {"thread-quiet": [thread.id]}
    assert state(mind, thread) == "cooling"
    assert "cooling_until" not in mind.now(thread).fields
    refused = promote(mind, thread)
    assert codes(refused) == ["role.move"]
    assert "row incubation: cooling leads to deepening, retired" in refused.reasons[0].message
    supported(mind, thread, 1)
    assert (state(mind, thread), settled(mind)) == ("deepening", {})


def test_a_thread_whose_theme_was_said_enough_cools_for_a_time() -> None:
    mind = Mind()
    thread = thread_of(mind)
    mind.made("UpsertAgencyPressure", topic="plans", intensity=0.4)
    for number in range(6):
        mind.apply(whole("UpsertAgencyPressure", topic="plans", intensity=0.4, tags=[f"p{number}"]))
    assert settled(mind) == {"thread-resting": [thread.id]}
    cools = mind.now(thread)
    assert str(cools.fields["cooling_until"]) > format_instant(NOW)
    supported(mind, thread, 1)
    assert "cooling_until" not in mind.now(thread).fields
    assert settled(mind) == {"thread-resting": [thread.id]}
    wait(mind, days=2)
    supported(mind, thread, 2)
    assert (state(mind, thread), settled(mind)) == ("deepening", {})


def test_what_is_ripe_is_not_put_to_rest_by_its_own_support() -> None:
    mind = Mind()
    thread = thread_of(mind)
    supported(mind, thread, *range(1, 9))
    assert themes_of(mind.view.memories.values(), NOW)[theme_key(thread)].is_resting
    assert priority_of(mind.now(thread), NOW) < 0.1
    assert settled(mind) == {}
    assert codes(promote(mind, thread)) == []


# Pressures -----------------------------------------------------------------------------------


def test_a_pressure_that_cooled_presses_again_once_its_time_is_over() -> None:
    mind = Mind()
    made = mind.made("UpsertAgencyPressure", intensity=0.7)
    said = mind.made(
        "QueueCandidateIntervention", intent="speech", words="Wait?", answers=[made.id], topic="w"
    )
    text = proposal(
        "MarkCandidateInterventionSpoken", candidate=said.id, receipt=RUN, refractory_minutes=90
    )
    assert codes(mind.apply(text)) == []
    wait(mind, minutes=90, seconds=-1)
    assert settled(mind) == {}
    wait(mind, seconds=1)
    assert settled(mind) == {"pressure-woken": [made.id]}
    woken = mind.now(made)
    assert (woken.fields["lifecycle"], woken.fields["intensity"]) == ("active", 0.7)
    assert "cooling_until" not in woken.fields
    assert mind.apply(whole("UpsertAgencyPressure", intensity=0.7)).is_nothing


# Candidates ----------------------------------------------------------------------------------


def test_a_candidate_is_put_off_while_it_is_held_and_up_again_when_it_may_be_drafted() -> None:
    mind = Mind()
    pressure = mind.made("UpsertAgencyPressure", intensity=0.9)
    first, second = (
        mind.made(
            "QueueCandidateIntervention",
            intent="speech",
            words="Wait?",
            claim=claim,
            topic=claim,
            confidence=0.9,
            answers=[pressure.id],
        )
        for claim in ("one", "two")
    )
    assert settled(mind) == {}
    mind.apply(proposal("MarkCandidateInterventionSpoken", candidate=first.id, receipt=RUN))
    assert settled(mind) == {"candidate-put-off": [second.id]}
    assert state(mind, second) == "deferred"
    wait(mind, hours=1)
    assert settled(mind) == {"pressure-woken": [pressure.id], "candidate-put-up": [second.id]}
    assert state(mind, second) == "queued"
    mind.apply(
        proposal("RetireAgencyPressure", pressure=pressure.id, reason="over", because="answered")
    )
    assert settled(mind) == {"candidate-put-off": [second.id]}
    assert mind.now(second).authority is Authority.NONE


@pytest.mark.parametrize(
    ("intent", "more"),
    [
        ("note", {"words": "Ana likes short lines."}),
        ("selfPatch", {"patch": {"add": ["I ask first"]}}),
        ("review", {}),
    ],
)
def test_what_is_no_speech_is_applied_by_the_record_of_it(
    intent: str, more: dict[str, object]
) -> None:
    mind = Mind()
    pressure = mind.made("UpsertAgencyPressure", intensity=0.7)
    made = mind.made("QueueCandidateIntervention", intent=intent, answers=[pressure.id], **more)
    unknown = identifier(8, "rcp")
    nowhere = proposal("MarkCandidateInterventionSpoken", candidate=made.id, receipt=unknown)
    assert codes(mind.apply(nowhere)) == ["role.unknown-end"]
    text = proposal("MarkCandidateInterventionSpoken", candidate=made.id, receipt=RUN)
    planned = mind.apply(text)
    applied = mind.now(made)
    assert (applied.fields["lifecycle"], applied.fields["spoken_receipt"]) == ("applied", RUN)
    assert planned.because == applied.fields["because"] == "stated"
    assert state(mind, pressure) == "cooling"
    assert [(edge.fields["relation"], edge.fields["to"]) for edge in planned.edges] == [
        ("grounds", made.id),
        ("cools", pressure.id),
    ]
    assert codes(mind.apply(text)) == ["role.move"]
    assert (
        codes(mind.apply(proposal("RetireCandidateIntervention", candidate=made.id, **REASON)))
        == []
    )


# All of it -----------------------------------------------------------------------------------


def test_saturation_goes_back_with_time_and_grows_from_where_it_is() -> None:
    mind = Mind()
    first = mind.made("RecordShortTermMemory")
    for number in range(5):
        mind.apply(whole("RecordShortTermMemory", claim=f"Ana deployed {number} times"))
    often = mind.now(first).fields["saturation"]
    assert often == 0.6723
    wait(mind, days=30)
    mind.apply(whole("RecordShortTermMemory", claim="Ana deployed 9 times"))
    assert mind.now(first).fields["saturation"] == 0.2006


def test_settling_leaves_every_word_worth_and_life_that_is_over_as_it_was() -> None:
    mind = Mind()
    thread = thread_of(mind)
    made = mind.made("UpsertAgencyPressure", intensity=0.7)
    mind.made("QueueCandidateIntervention", intent="speech", words="Wait?", answers=[made.id])
    wait(mind, days=40)
    before = mind.view.memories
    assert settled(mind).keys() == {"thread-quiet", "candidate-put-off"}
    standing = {"lifecycle", "touched", "saturation"}
    for name, record in mind.view.memories.items():
        old = before[name]
        same = {key: value for key, value in old.fields.items() if key not in standing}
        assert {key: v for key, v in record.fields.items() if key not in standing} == same
        assert replace(record, fields={}) == replace(old, fields={})
    assert state(mind, thread) == "cooling"


def test_a_state_that_is_none_is_left_alone() -> None:
    mind = Mind()
    thread = thread_of(mind)
    for odd in ("pruned", "asleep", "", None, 7):
        record = mind.now(thread)
        broken = replace(record, fields={**record.fields, "lifecycle": odd})
        view = replace(mind.view, memories={**mind.view.memories, record.id: broken})
        assert settle(replace(view, now=NOW + timedelta(days=400))).is_nothing


def test_what_a_hand_made_commit_waits_on_is_left_alone_and_keeps_nothing_else() -> None:
    mind = Mind()
    held, free = (
        mind.made(
            "MergeIncubationSupport", sources=[taken(mind, number)], claim="Ana leaves", topic=topic
        )
        for number, topic in enumerate(("one", "two"))
    )
    mind.view = replace(mind.view, held=frozenset({held.id}))
    wait(mind, days=QUIET_DAYS)
    assert settled(mind) == {"thread-quiet": [free.id]}
    assert state(mind, held) == "active"
    more = proposal("MergeIncubationSupport", thread=held.id, sources=[taken(mind, 5)])
    assert codes(mind.apply(more)) == ["role.held"]
