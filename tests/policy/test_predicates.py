"""The named predicates of policy: each takes a typed context, allows and denies (A45)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from memfs.model.authority import Sensitivity, Sink
from memfs.model.grant import Grant
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.scope import Scope
from memfs.model.settings import Settings
from memfs.model.status import Status
from memfs.policy.access import AccessRequest, may_read
from memfs.policy.action_gate import may_act
from memfs.policy.administration import (
    decide_accept,
    decide_erase,
    decide_forget,
    decide_operation,
    decide_restore,
    decide_settings_change,
)
from memfs.policy.authority import capture_origin
from memfs.policy.grants import check_grant, is_covering
from memfs.policy.screening import screen
from tests.support.memory import AGENT, ANA, START

PROJECT = Scope.parse("project:datasync")
SETTINGS = Settings(store_id="store_01kb8x3v6yq4m9t2r7w5z1c0de", project="datasync")
RECORD = Record(
    kind="note",
    id="mem_01kb8x3v6yq4m9t2r7w5z1c0de",
    body="Tabs\n",
    scope=PROJECT,
    origin=capture_origin(ANA, "Tabs"),
)
GONE = replace(RECORD, status=Status.DELETED)
TAKEN_BACK = replace(RECORD, status=Status.RETRACTED)
GRANT = Grant(
    id="grant_01kb8x3v6yq4m9t2r7w5z1c0de",
    grantee=Principal.parse("agent:builder"),
    issuer=ANA.principal,
    scopes=(PROJECT,),
    expires=START + timedelta(days=1),
)


def reads(record: Record, sink: Sink) -> bool:
    request = AccessRequest(actor=AGENT, sink=sink, now=START, project=PROJECT)
    return may_read(record, request).allowed


def grants(grant: Grant) -> bool:
    return not check_grant(grant, project=PROJECT, now=START)


PREDICATES: Mapping[str, tuple[Callable[[], bool], Callable[[], bool]]] = {
    "read": (
        lambda: reads(RECORD, Sink.AGENT),
        lambda: reads(replace(RECORD, sensitivity=Sensitivity.SECRET), Sink.AGENT),
    ),
    "send": (
        lambda: reads(RECORD, Sink.EXPORT),
        lambda: reads(replace(RECORD, sinks=frozenset({Sink.AGENT})), Sink.EXPORT),
    ),
    "store": (
        lambda: not screen("Ana uses tabs", is_person=True).rejects,
        lambda: not screen("pass" + "word: hunter2-Xy9!", is_person=True).rejects,
    ),
    "accept": (
        lambda: decide_accept(ANA, SETTINGS).is_admitted,
        lambda: decide_accept(AGENT, SETTINGS).is_admitted,
    ),
    "grant": (lambda: grants(GRANT), lambda: grants(replace(GRANT, expires=START))),
    "open by a grant": (
        lambda: is_covering(GRANT, RECORD, PROJECT),
        lambda: is_covering(GRANT, RECORD, Scope.parse("task:audit")),
    ),
    "publish": (
        lambda: decide_operation("publication.offer", ANA, SETTINGS).is_admitted,
        lambda: decide_operation("publication.offer", AGENT, SETTINGS).is_admitted,
    ),
    "forget": (
        lambda: decide_forget(ANA, RECORD, SETTINGS).is_admitted,
        lambda: decide_forget(AGENT, RECORD, SETTINGS).is_admitted,
    ),
    "restore": (
        lambda: decide_restore(ANA, TAKEN_BACK, SETTINGS).is_admitted,
        lambda: decide_restore(ANA, GONE, SETTINGS).is_admitted,
    ),
    "erase": (
        lambda: decide_erase(ANA, SETTINGS).is_admitted,
        lambda: decide_erase(AGENT, SETTINGS).is_admitted,
    ),
    "change the policy": (
        lambda: decide_settings_change(ANA, SETTINGS).is_admitted,
        lambda: decide_settings_change(AGENT, SETTINGS).is_admitted,
    ),
}


@pytest.mark.parametrize("name", PREDICATES)
def test_each_predicate_allows_and_denies(name: str) -> None:
    allows, denies = PREDICATES[name]
    assert allows()
    assert not denies()


def test_acting_on_memory_is_denied_whatever_it_says() -> None:
    assert not may_act([RECORD], "deploy", approval=None, now=START).allowed
    assert Actor(ANA.principal, Channel.TOOL).is_person is False
