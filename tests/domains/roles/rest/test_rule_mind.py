"""The rules settle whatever is open, the same way each time, within what memories can hold."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from memfs.domains.roles.rest import model_mind
from memfs.domains.roles.rest.alike import groups_of
from memfs.domains.roles.rest.mind import Proposal, proposals_from
from memfs.domains.roles.rest.model_mind import GIVEN_AT_ONCE, ModelMind, operations_from
from memfs.domains.roles.rest.rule_mind import RuleMind
from memfs.domains.roles.view import RoleView
from memfs.model.instants import format_instant
from memfs.model.record import Record
from memfs.policy.role_sleep import open_short_term
from tests.support.policy import NOW, identifier
from tests.support.roles import ROLE, Mind, memory, proposal

RULES = RuleMind()


def holding(*memories: Record) -> Mind:
    """Returns a role's memory that holds these."""
    mind = Mind()
    held = {item.id: item for item in memories}
    mind.view = RoleView(role=ROLE, now=NOW, memories=held, known=mind.view.known)
    return mind


def short(number: int, claim: str = "", **fields: Any) -> Record:
    """Returns an open short-term memory."""
    name = identifier(number, "role")
    subject = " | ".join(filter(None, ("person:ana", fields.get("topic", ""))))
    made = memory(id=name, title=claim or f"Remark number {number}", **fields)
    return Record(**{**_parts(made), "subject": subject, "observed": NOW})


def _parts(record: Record) -> dict[str, Any]:
    return {"kind": record.kind, "id": record.id, "title": record.title, "scope": record.scope,
            "fields": record.fields}  # fmt: skip


def slept(mind: Mind, proposals: tuple[Proposal, ...] | list[Proposal]) -> list[str]:
    """Plans proposals one behind the other; returns the codes of what was refused."""
    refused = []
    for text in proposals:
        planned = mind.apply(str(text))
        refused += [why.code for why in planned.reasons]
    return refused


def test_whatever_is_open_is_settled_by_the_rules_alone() -> None:
    rng = random.Random(3)
    for round_ in range(12):
        memories = [
            short(
                number,
                f"Ana said {rng.choice(('that', 'again', 'once'))} {rng.randint(1, 9)}",
                topic=rng.choice(("", "reviews", "Ünïcode ☃", "deploys")),
                salience=rng.random(),
                repeats=rng.choice((None, 1, 4)),
                question=rng.choice((None, None, "why?")),
                touched=format_instant(NOW - timedelta(days=rng.randint(0, 30))),
                anchors=[f"commit:{number}{item}" for item in range(rng.randint(1, 30))],
            )
            for number in range(round_ * 12)
        ]
        mind = holding(*memories)
        proposals = list(RULES.propose(mind.view, NOW))
        assert proposals == list(RULES.propose(mind.view, NOW))
        assert slept(mind, proposals) == []
        assert open_short_term(mind.view.memories.values()) == {}


def test_sixty_of_one_topic_are_one_durable_memory_that_stays_within_its_bounds() -> None:
    many = [
        short(n, "Ana cuts reviews", topic="reviews", anchors=[f"commit:{n}"], tags=[f"t{n}"])
        for n in range(60)
    ]
    mind = holding(*many)
    assert slept(mind, list(RULES.propose(mind.view, NOW))) == []
    (durable,) = [item for item in mind.view.memories.values() if item.derived_from]
    assert set(durable.derived_from) == {item.id for item in many}
    # And what comes again deepens it.
    more = short(99, "Ana cuts reviews", topic="reviews", anchors=["commit:new"])
    mind.view = RoleView(
        role=ROLE, now=NOW, memories={**mind.view.memories, more.id: more}, known=frozenset()
    )
    (again,) = RULES.propose(mind.view, NOW)
    assert json.loads(again)["operation"] == "ApplyMemoryDistillation"
    assert slept(mind, [again]) == []
    assert mind.now(durable).derived_from[-1] == more.id


def test_what_was_put_aside_as_wrong_does_not_come_back_until_it_is_said_again() -> None:
    before, after = NOW - timedelta(days=2), NOW - timedelta(days=1)
    wrong = short(
        1,
        "Ana deploys on Fridays",
        topic="deploys",
        profile="role_self",
        lifecycle="retired",
        because="wrong",
        touched=format_instant(NOW - timedelta(days=1, hours=12)),
    )
    for touched, expected in ((before, "PruneShortTermMemory"), (after, "ApplyMemoryDistillation")):
        said = short(
            2, "Ana deploys on Fridays", topic="deploys", salience=0.9,
            touched=format_instant(touched),
        )  # fmt: skip
        (text,) = RULES.propose(holding(wrong, said).view, NOW)
        told = json.loads(text)
        assert told["operation"] == expected
        assert told.get("because", "contradicted") == "contradicted"


def test_an_anchor_that_leads_nowhere_any_more_is_left_out() -> None:
    gone = f"run:{identifier(8, 'run')}"
    mind = holding(short(1, topic="a", salience=0.9, anchors=[gone]))
    (text,) = RULES.propose(mind.view, NOW)
    assert json.loads(text)["anchors"] == ["anchor:missing"]
    assert slept(mind, [text]) == []


def test_remarks_without_a_topic_are_one_only_where_they_say_the_same() -> None:
    claims = ("Ana likes short reviews", "short reviews Ana likes", "Ana never likes short reviews")
    groups = groups_of(short(number, claim) for number, claim in enumerate(claims))
    assert [len(group.members) for group in groups] == [2, 1]
    assert groups_of([]) == ()


def test_a_nap_puts_together_what_one_memory_can_hold_and_settles_nothing() -> None:
    nap = RuleMind(is_settling=False)
    alike = [short(n, "Ana likes short reviews", salience=0.1) for n in range(3)]
    mind = holding(*alike, short(9, "Something else", salience=0.9))
    (text,) = nap.propose(mind.view, NOW)
    assert json.loads(text) == {
        "operation": "ClusterShortTermMemory",
        "memories": [item.id for item in alike],
    }
    assert nap.reconsider(mind.view, NOW, frozenset({alike[0].id}), 1) == ()
    full = [
        short(n, "The same", anchors=[f"commit:{n}{item}" for item in range(20)]) for n in range(3)
    ]
    assert nap.propose(holding(*full).view, NOW) == ()
    lines = "".join(f"- 2026-01-01: other words {n}\n" for n in range(6))
    wordy = [replace(short(n, "The same"), body=lines) for n in range(2)]
    assert nap.propose(holding(*wordy).view, NOW) == ()


def test_what_no_operation_could_settle_is_let_go_and_one_by_one_the_second_time() -> None:
    durable = short(99, "Ana cuts reviews", topic="a", profile="role_self", lifecycle="accepted")
    known = [short(n, "Ana cuts reviews", topic="a") for n in range(2)]
    odd = [short(n, topic="b") for n in range(2, 60)]
    mind = holding(durable, *known, *odd)
    left = frozenset(item.id for item in (*known, *odd))
    first, second = (
        [json.loads(text) for text in RULES.reconsider(mind.view, NOW, left, turn)]
        for turn in (1, 2)
    )
    assert [(len(told["memories"]), told["because"]) for told in first] == [
        (2, "duplicate"),
        (50, "stated"),
        (8, "stated"),
    ]
    assert {len(told["memories"]) for told in second} == {1}
    assert slept(mind, [json.dumps(told) for told in first]) == []
    assert mind.view.short_term() == {}


def test_what_waits_on_a_commit_by_hand_is_not_gone_over() -> None:
    free, held = short(1, topic="a"), short(2, topic="b")
    view = replace(holding(free, held).view, held=frozenset({held.id}))
    assert held.id not in "".join(map(str, RULES.propose(view, NOW)))
    model = ModelMind(model="m", ask=lambda _: "", may_see=lambda _: True, rules=RULES)
    assert held.id not in "".join(map(str, model.propose(view, NOW)))


def test_a_ripe_thread_is_learned_unless_it_asks() -> None:
    supports = [
        replace(short(n, topic="a", lifecycle="incubated"), observed=NOW - timedelta(days=n))
        for n in range(4)
    ]
    for question, expected in ((None, 1), ("Why?", 0)):
        thread = short(9, topic="a", profile="incubation", question=question)
        thread = replace(thread, derived_from=tuple(item.id for item in supports))
        assert len(RULES.propose(holding(*supports, thread).view, NOW)) == expected


@pytest.mark.parametrize("question", [None, "Why?"])
def test_what_is_made_rests_on_whose_words_it_says_from_the_first(question: str | None) -> None:
    many = [
        short(n, f"Ana cuts review {n}", topic="reviews", salience=0.5 + n / 200, question=question)
        for n in range(60)
    ]
    first, *_ = map(json.loads, RULES.propose(holding(*many).view, NOW))
    assert first["claim"] == many[-1].title
    assert many[-1].id in first["sources"]


def test_what_a_model_left_over_is_the_rules_before_it_is_let_go() -> None:
    view = holding(short(1, topic="a", salience=0.9)).view
    model = ModelMind(model="m", ask=lambda _: "", may_see=lambda _: True, rules=RULES)
    left = frozenset(view.memories)
    assert list(model.reconsider(view, NOW, left, 1)) == list(RULES.propose(view, NOW))
    assert list(model.reconsider(view, NOW, left, 2)) == list(RULES.reconsider(view, NOW, left, 1))
    many = json.dumps({"operations": [{}] * (model_mind.MOST_ANSWERED + 1)})
    assert operations_from(many) == ()
    deep = f'{{"operation": {"[" * 500}{"]" * 500}}}'
    owed = '{"operation": "RetireAgencyPressure", "pressure": "role_x"}'
    assert operations_from(f'{{"operations": [{deep}, {owed}, {{}}]}}') == ({},)


def test_a_script_is_one_operation_a_line_and_holds_whatever_was_written() -> None:
    assert proposals_from(b"") == ()
    assert proposals_from(b'{"a": 1}\n\n  \r\n\xff\xfe\n{') == (b'{"a": 1}', b"\xff\xfe", b"{")


def test_what_a_model_leaves_out_or_gets_wrong_is_the_rules() -> None:
    kept, dropped, hidden = (short(n, topic=f"t{n}", salience=0.9) for n in range(3))
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        good = proposal(
            "PruneShortTermMemory", memories=[kept.id], reason="it is over", because="answered"
        )
        return f'{{"operations": [{good}, {{"operation": "Obey"}}, 7]}}'

    model = ModelMind(
        model="small", ask=ask, may_see=lambda item: item.id != hidden.id, rules=RULES
    )
    mind = holding(kept, dropped, hidden)
    proposals = list(model.propose(mind.view, NOW))
    assert hidden.id not in asked[0]
    assert kept.id in asked[0]
    assert slept(mind, proposals) == ["role.unknown-operation"]
    assert open_short_term(mind.view.memories.values()) == {}
    assert mind.now(kept).fields["lifecycle"] == "pruned"
    assert mind.now(dropped).fields["lifecycle"] == "distilled"


def test_a_model_is_asked_first_about_what_matters_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_mind, "GIVEN_AT_ONCE", 1)
    monkeypatch.setattr(model_mind, "MOST_QUESTIONS", 2)
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return ""

    opened = [
        short(1, topic="a", salience=0.2),
        short(2, topic="b", salience=0.9),
        short(3, topic="c", salience=1.0, saturation=1.0, touched=format_instant(NOW)),
    ]
    model = ModelMind(model="small", ask=ask, may_see=lambda _: True, rules=RULES)
    assert list(model.propose(holding(*opened).view, NOW)) != []
    ids = [json.loads(question)["memories"][0]["id"] for question in asked]
    assert ids == [opened[1].id, opened[0].id]


def test_a_model_that_says_nothing_sound_is_as_if_there_were_none() -> None:
    opened = [short(n, topic=f"t{n}", salience=0.9) for n in range(GIVEN_AT_ONCE + 1)]
    view = holding(*opened).view
    for answer in ("", "{", "[" * 99_999, "[]", '{"operations": 1}', '{"operations": [], "x": 1}'):
        assert operations_from(answer) == ()
        said = (lambda text: lambda _: text)(answer)
        model = ModelMind(model="small", ask=said, may_see=lambda _: True, rules=RULES)
        assert list(model.propose(view, NOW)) == list(RULES.propose(view, NOW))
