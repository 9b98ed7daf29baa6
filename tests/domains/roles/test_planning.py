"""What each of the fourteen operations plans: over a view, without a store."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memfs.domains.roles.shaping import MOST_WORDINGS
from memfs.domains.roles.view import Planned
from memfs.model.authority import Authority
from memfs.model.instants import format_instant
from memfs.model.record import Record
from memfs.model.role import memory_hash
from tests.support.policy import NOW, identifier
from tests.support.roles import NOWHERE, REASON, RUN, WHOLE, Mind, proposal, whole


def codes(planned: Planned) -> list[str]:
    """Returns why an operation was not planned."""
    return [why.code for why in planned.reasons]


def states(mind: Mind, *records: Record) -> list[str]:
    """Returns how memories stand now."""
    return [str(mind.now(record).fields["lifecycle"]) for record in records]


def drawn(mind: Mind) -> list[tuple[str, str, str]]:
    """Returns every edge: where it starts, its relation, where it leads."""
    return [
        (str(edge.fields["from"]), str(edge.fields["relation"]), str(edge.fields["to"]))
        for edge in mind.edges
    ]


def test_a_short_term_memory_keeps_all_that_was_said_of_it() -> None:
    made = Mind().made("RecordShortTermMemory", saturation=0.3, question="Why Fridays?")
    assert (made.title, made.subject, made.confidence) == (
        "Ana deploys on Fridays",
        "person:ana | deploys",
        0.5,
    )
    assert str(made.scope) == "agent:claude"
    assert (made.tags, made.observed) == (("deploy",), NOW)
    assert made.fields == {
        "profile": "conversation",
        "lifecycle": "active",
        "target": "person:ana",
        "topic": "deploys",
        "question": "Why Fridays?",
        "tension": "speed against a quiet weekend",
        "implication": "ask before a Friday deploy",
        "anchors": [f"run:{RUN}"],
        "salience": 0.6,
        "saturation": 0.3,
        "touched": format_instant(NOW),
    }


def test_what_is_met_again_deepens_one_memory_and_loses_no_word() -> None:
    mind = Mind(known=(RUN, identifier(2, "run")))
    first = mind.made("RecordShortTermMemory")
    planned = mind.apply(
        whole(
            "RecordShortTermMemory",
            claim="Ana deployed twice last Friday",
            anchors=[f"run:{identifier(2, 'run')}"],
            tags=["friday"],
            salience=0.8,
        )
    )
    assert (planned.made, [item.id for item in planned.changed]) == ((), [first.id])
    grown = mind.now(first)
    assert grown.fields["anchors"] == [f"run:{RUN}", f"run:{identifier(2, 'run')}"]
    assert grown.tags == ("deploy", "friday")
    assert (grown.fields["lifecycle"], grown.fields["repeats"]) == ("clustered", 1)
    assert (grown.fields["salience"], grown.fields["saturation"]) == (0.8, 0.2)
    assert "Ana deployed twice last Friday" in grown.body
    assert len(mind.view.memories) == 1


@pytest.mark.parametrize(
    "claim",
    [
        "Ana deploys on Fridays",
        "On Fridays Ana deploys.",
        "ana  DEPLOYS on fridays!",
        "Ana has deployed on Friday",
    ],
)
def test_an_unchanged_paraphrase_adds_nothing(claim: str) -> None:
    mind = Mind()
    mind.made("RecordShortTermMemory")
    before = mind.view
    planned = mind.apply(whole("RecordShortTermMemory", claim=claim))
    assert (codes(planned), planned.is_nothing) == (["role.unchanged"], True)
    assert mind.view.memories == before.memories


@pytest.mark.parametrize(
    "claim", ["Ana never deploys on Fridays", "Ana deploys 3 times on Fridays"]
)
def test_what_denies_or_counts_otherwise_is_no_paraphrase(claim: str) -> None:
    mind = Mind()
    mind.made("RecordShortTermMemory")
    assert codes(mind.apply(whole("RecordShortTermMemory", claim=claim))) == []


def test_a_paraphrase_met_thirty_times_is_one_memory_of_one_wording() -> None:
    mind = Mind()
    first = mind.made("RecordShortTermMemory")
    for number in range(30):
        claim = ("Ana deploys on Fridays", "On Fridays, Ana deploys")[number % 2]
        mind.apply(whole("RecordShortTermMemory", claim=claim))
    assert mind.now(first) == first


def test_without_a_topic_only_what_says_the_same_is_met_again() -> None:
    mind = Mind()
    mind.made("RecordShortTermMemory", topic=None)
    mind.made("RecordShortTermMemory", topic=None, claim="Ana likes short reviews")
    assert len(mind.view.memories) == 2


def test_a_memory_of_many_wordings_is_followed_by_another() -> None:
    mind = Mind()
    for number in range(MOST_WORDINGS + 2):
        mind.apply(whole("RecordShortTermMemory", claim=f"Ana deployed {number} times"))
    assert len(mind.view.memories) == 2


def test_memories_of_one_target_become_one_and_the_others_give_way() -> None:
    mind = Mind()
    first = mind.made("RecordShortTermMemory")
    second = mind.made("RecordShortTermMemory", topic="reviews", claim="Ana likes short reviews")
    third = mind.made("RecordShortTermMemory", topic="", target="person:ben")
    ids = [first.id, second.id]
    assert codes(mind.apply(proposal("ClusterShortTermMemory", memories=[*ids, third.id]))) == [
        "role.profile"
    ]
    assert codes(mind.apply(proposal("ClusterShortTermMemory", memories=ids))) == []
    assert states(mind, first, second, third) == ["clustered", "pruned", "active"]
    assert "Ana likes short reviews" in mind.now(first).body
    assert mind.now(second).fields["because"] == "clustered"
    assert drawn(mind) == [(second.id, "clusters-with", first.id)]
    assert mind.now(first).derived_from == (second.id,)


def test_pruning_marks_each_memory_with_the_reason() -> None:
    mind = Mind()
    first = mind.made("RecordShortTermMemory")
    planned = mind.apply(proposal("PruneShortTermMemory", memories=[first.id], **REASON))
    assert (planned.because, states(mind, first)) == ("low-value", ["pruned"])
    gone = mind.now(first)
    assert (gone.fields["reason"], gone.fields["because"]) == (REASON["reason"], "low-value")
    assert gone.title == first.title


def test_distilling_makes_one_durable_memory_and_marks_what_it_came_from() -> None:
    mind = Mind()
    first = mind.made("RecordShortTermMemory")
    second = mind.made("RecordShortTermMemory", topic="reviews")
    durable = mind.made(
        "ApplyMemoryDistillation", sources=[first.id, second.id], claim="Ana keeps weekends quiet"
    )
    assert (durable.fields["profile"], durable.fields["lifecycle"]) == ("role_self", "accepted")
    assert durable.derived_from == (first.id, second.id)
    assert states(mind, first, second) == ["distilled", "distilled"]
    assert drawn(mind) == [(durable.id, "distills", item.id) for item in (first, second)]
    again = mind.apply(whole("ApplyMemoryDistillation", sources=[first.id]))
    assert codes(again) == ["role.move"]


def test_what_is_distilled_in_the_same_words_deepens_the_durable_memory() -> None:
    mind = Mind()
    first = mind.made("RecordShortTermMemory")
    durable = mind.made("ApplyMemoryDistillation", sources=[first.id])
    second = mind.made("RecordShortTermMemory")
    planned = mind.apply(whole("ApplyMemoryDistillation", sources=[second.id], tags=["again"]))
    assert planned.made == ()
    grown = mind.now(durable)
    assert (grown.tags, grown.derived_from) == (("deploy", "again"), (first.id, second.id))
    assert states(mind, second) == ["distilled"]


def test_support_ripens_a_thread() -> None:
    mind = Mind()
    sources = [
        mind.made("RecordShortTermMemory", topic=f"t{number}", claim=f"Sign number {number}")
        for number in range(3)
    ]
    thread = mind.made(
        "MergeIncubationSupport", sources=[sources[0].id], claim="Ana may leave", topic="plans"
    )
    assert (thread.fields["profile"], thread.fields["lifecycle"]) == ("incubation", "active")
    merged = proposal(
        "MergeIncubationSupport", thread=thread.id, sources=[sources[1].id], tags=["sign"]
    )
    assert codes(mind.apply(merged)) == []
    grown = mind.now(thread)
    assert (grown.fields["lifecycle"], grown.fields["support"]) == ("deepening", 2)
    assert (thread.fields["maturity"], grown.fields["maturity"]) == (0.25, 0.3438)
    assert states(mind, *sources) == ["incubated", "incubated", "active"]
    assert drawn(mind) == [(item.id, "supports", thread.id) for item in sources[:2]]
    by_subject = whole("MergeIncubationSupport", sources=[sources[2].id], topic="plans")
    assert mind.apply(by_subject).made == ()
    assert mind.now(thread).fields["support"] == 3


def test_a_revision_retires_the_old_wording_with_the_reason() -> None:
    mind = Mind()
    old = _durable(mind)
    planned = mind.apply(
        proposal("ReviseDurableMemory", memory=old.id, claim="Ana deploys on Mondays", **REASON)
    )
    (new,) = planned.made
    assert (new.title, new.fields["lifecycle"]) == ("Ana deploys on Mondays", "revised")
    assert new.fields["implication"] == old.fields["implication"]
    gone = mind.now(old)
    assert (gone.fields["lifecycle"], gone.fields["reason"]) == ("retired", REASON["reason"])
    assert (new.id, "revises", old.id) in drawn(mind)
    assert codes(
        mind.apply(proposal("ReviseDurableMemory", memory=old.id, claim="x", **REASON))
    ) == ["role.move"]


def test_a_revision_without_other_words_adds_to_the_memory_or_does_nothing() -> None:
    mind = Mind()
    old = _durable(mind)
    more = proposal("ReviseDurableMemory", memory=old.id, tags=["again"], **REASON)
    assert mind.apply(more).made == ()
    assert mind.now(old).tags == ("deploy", "again")
    assert mind.apply(more).is_nothing
    assert states(mind, old) == ["accepted"]


def test_what_is_retired_stays_with_every_word() -> None:
    mind = Mind()
    old, by = _durable(mind), mind.made("RecordShortTermMemory", claim="Ana left")
    mind.apply(proposal("RetireDurableMemory", memory=old.id, by=by.id, **REASON))
    gone = mind.now(old)
    assert (gone.title, gone.body, gone.fields["lifecycle"]) == (old.title, old.body, "retired")
    assert (by.id, "retires", old.id) in drawn(mind)
    again = proposal("RetireDurableMemory", memory=old.id, **REASON)
    assert codes(mind.apply(again)) == ["role.move"]


def test_crystallizing_says_what_the_role_is_and_marks_what_that_rests_on() -> None:
    mind = Mind()
    durable = _durable(mind)
    others = dict(mind.view.memories)
    text = whole("CrystallizeMemoryIntoIdentity", sources=[durable.id], target="self")
    (identity,) = mind.apply(text).made
    assert (identity.fields["profile"], identity.fields["lifecycle"]) == ("identity", "accepted")
    assert states(mind, durable) == ["crystallized"]
    assert (durable.id, "grounds", identity.id) in drawn(mind)
    untouched = {name for name, item in others.items() if mind.view.memories[name] == item}
    assert untouched == others.keys() - {durable.id}


def test_an_identity_that_stands_is_only_linked() -> None:
    mind = Mind()
    first, second = _durable(mind), _durable(mind, topic="reviews")
    mind.apply(whole("CrystallizeMemoryIntoIdentity", sources=[first.id], target="self"))
    text = whole("CrystallizeMemoryIntoIdentity", sources=[second.id], target="self")
    planned = mind.apply(text)
    assert (planned.made, states(mind, second)) == ((), ["crystallized"])
    short = mind.made("RecordShortTermMemory", claim="Ana left")
    refused = whole("CrystallizeMemoryIntoIdentity", sources=[short.id], target="self")
    assert codes(mind.apply(refused)) == ["role.profile"]


@pytest.mark.parametrize(
    ("intent", "more"),
    [
        ("speech", {"words": "Shall we wait?"}),
        ("note", {"words": "Ana likes short lines."}),
        ("selfPatch", {"patch": {"add": ["I ask first"]}}),
        ("review", {}),
    ],
)
def test_a_candidate_waits_in_a_queue_and_is_worth_nothing(
    intent: str, more: dict[str, object]
) -> None:
    mind = Mind()
    pressure = mind.made("UpsertAgencyPressure", intensity=0.7)
    made = mind.made("QueueCandidateIntervention", intent=intent, answers=[pressure.id], **more)
    assert (made.fields["intent"], made.fields["lifecycle"]) == (intent, "queued")
    assert made.authority is Authority.NONE
    assert drawn(mind) == [(pressure.id, "triggered", made.id)]
    assert {name: made.fields[name] for name in more} == more
    queued = whole("QueueCandidateIntervention", intent=intent, answers=[pressure.id], **more)
    assert mind.apply(queued).is_nothing


def test_a_candidate_is_retired_with_a_reason() -> None:
    mind = Mind()
    made = mind.made("QueueCandidateIntervention", intent="review")
    mind.apply(proposal("RetireCandidateIntervention", candidate=made.id, **REASON))
    gone = mind.now(made)
    assert (gone.fields["lifecycle"], gone.fields["reason"]) == ("retired", REASON["reason"])


def test_a_candidate_that_was_said_names_the_record_of_it_and_cools_what_pressed() -> None:
    mind = Mind()
    pressure = mind.made("UpsertAgencyPressure", intensity=0.7)
    made = mind.made(
        "QueueCandidateIntervention", intent="speech", words="Wait?", answers=[pressure.id]
    )
    for receipt in (NOWHERE, identifier(8, "rcp")):
        unknown = proposal("MarkCandidateInterventionSpoken", candidate=made.id, receipt=receipt)
        assert codes(mind.apply(unknown)) == ["role.unknown-end"]
    said = proposal(
        "MarkCandidateInterventionSpoken", candidate=made.id, receipt=RUN, refractory_minutes=90
    )
    assert codes(mind.apply(said)) == []
    until = format_instant(NOW + timedelta(minutes=90))
    assert states(mind, made, pressure) == ["spoken", "cooling"]
    assert [mind.now(item).fields["cooling_until"] for item in (made, pressure)] == [until] * 2
    assert mind.now(made).fields["spoken_receipt"] == RUN
    assert drawn(mind)[1:] == [(made.id, "spoken-as", RUN), (made.id, "cools", pressure.id)]
    assert codes(mind.apply(said)) == ["role.move"]


def test_a_pressure_is_one_a_target_and_topic_and_is_raised_in_place() -> None:
    mind = Mind()
    made = mind.made("UpsertAgencyPressure", intensity=0.4)
    assert (made.fields["profile"], made.fields["lifecycle"]) == ("agency_pressure", "active")
    assert mind.apply(whole("UpsertAgencyPressure", intensity=0.4)).is_nothing
    mind.apply(whole("UpsertAgencyPressure", intensity=0.9, obligated=True))
    raised = mind.now(made)
    assert (raised.fields["intensity"], raised.fields["lifecycle"]) == (0.9, "obligated")
    mind.apply(whole("UpsertAgencyPressure", intensity=0.2))
    assert states(mind, made) == ["obligated"]
    assert len(mind.view.memories) == 1


@pytest.mark.parametrize(("because", "state"), [("answered", "answered"), ("wrong", "retired")])
def test_a_pressure_is_put_aside_with_a_reason(because: str, state: str) -> None:
    mind = Mind()
    made = mind.made("UpsertAgencyPressure", intensity=0.4)
    mind.apply(
        proposal("RetireAgencyPressure", pressure=made.id, reason="it is over", because=because)
    )
    gone = mind.now(made)
    assert (gone.fields["lifecycle"], gone.fields["reason"]) == (state, "it is over")
    assert mind.made("UpsertAgencyPressure", intensity=0.4).id != made.id


def test_a_manifest_is_compared_with_what_is_remembered_and_changes_none_of_it() -> None:
    mind = Mind()
    fresh = mind.made("RecordShortTermMemory")
    stale = mind.made("RecordShortTermMemory", topic="reviews")
    mind.made("RecordShortTermMemory", topic="tests")
    before = mind.view.memories
    planned = mind.apply(
        proposal(
            "RefreshMemoryEmbeddingManifest",
            model="small",
            dimensions=384,
            entries=[
                {"id": fresh.id, "hash": memory_hash(fresh)},
                {"id": stale.id, "hash": "0" * 32},
                {"id": identifier(9, "role"), "hash": "0" * 32},
            ],
        )
    )
    assert planned.details == {
        "model": "small",
        "dimensions": 384,
        "indexed": [f"{fresh.id}={memory_hash(fresh)}"],
        "stale": [stale.id],
        "missing": 1,
        "of_nothing": 1,
    }
    assert mind.view.memories == before


def test_a_link_leads_to_what_is_there_and_is_kept_with_its_claim() -> None:
    mind = Mind()
    first = mind.made("RecordShortTermMemory")
    link = {"relation": "contradicts", "to": first.id, "claim": "Mondays, she says"}
    second = mind.made("RecordShortTermMemory", topic="reviews", links=[link])
    (edge,) = mind.edges
    assert drawn(mind) == [(second.id, "contradicts", first.id)]
    assert (edge.fields["claim"], edge.fields["profile"]) == ("Mondays, she says", "conversation")
    gone = {**link, "to": NOWHERE}
    refused = whole("RecordShortTermMemory", topic="tests", links=[gone])
    assert codes(mind.apply(refused)) == ["role.unknown-end"]


def test_an_anchor_leads_to_what_is_there() -> None:
    refused = Mind().apply(whole("RecordShortTermMemory", anchors=[f"run:{NOWHERE}"]))
    assert codes(refused) == ["role.unknown-end"]


def test_the_mark_for_no_anchor_goes_with_the_first_anchor() -> None:
    mind = Mind()
    first = mind.made("RecordShortTermMemory", anchors=["anchor:missing"])
    mind.apply(whole("RecordShortTermMemory"))
    assert mind.now(first).fields["anchors"] == [f"run:{RUN}"]


def test_an_operation_plans_the_same_twice_and_changes_no_view() -> None:
    plans = []
    for _ in range(2):
        mind = Mind()
        first = mind.made("RecordShortTermMemory")
        view = mind.view
        plans.append(mind.apply(whole("ApplyMemoryDistillation", sources=[first.id])))
        assert view.memories[first.id] == first
    assert plans[0] == plans[1]


def _durable(mind: Mind, **members: str) -> Record:
    source = mind.made("RecordShortTermMemory", **members)
    return mind.made("ApplyMemoryDistillation", sources=[source.id], **members)


def test_the_whole_of_a_memory_is_asked_for() -> None:
    assert {"target", "claim", "implication", "anchors"} <= WHOLE.keys()


def test_what_a_model_is_called_is_screened_like_any_words() -> None:
    planned = Mind().apply(
        proposal("RefreshMemoryEmbeddingManifest", model="tiny", dimensions=3, entries=[])
    )
    assert planned.words == ("tiny",)
