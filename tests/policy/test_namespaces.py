"""Which store owns which scope, and who somebody is in another store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memfs.model.origin import Channel
from memfs.model.scope import GLOBAL_SCOPE, Scope, ScopeKind
from memfs.model.settings import TrustSettings
from memfs.policy.namespaces import UNNAMED, actor_beside, is_owner
from tests.support.policy import AGENT, ANA, HOOK, PROJECT, TOOL

OTHER = Scope(ScopeKind.PROJECT, "other")
SCRIPT = replace(ANA, channel=Channel.SCRIPTED)


@pytest.mark.parametrize("kind", ScopeKind)
def test_every_namespace_has_one_owner(kind: ScopeKind) -> None:
    scope = GLOBAL_SCOPE if kind is ScopeKind.GLOBAL else Scope(kind, "demo")
    owners = [store for store in (GLOBAL_SCOPE, PROJECT, OTHER) if is_owner(store, scope)]
    match kind:
        case ScopeKind.GLOBAL:
            assert owners == [GLOBAL_SCOPE]
        case ScopeKind.PROJECT:
            assert owners == [PROJECT]
        case _:
            # The store that it was written in: nothing leads from one to another.
            assert owners == [GLOBAL_SCOPE, PROJECT, OTHER]


@pytest.mark.parametrize("actor", [ANA, AGENT, TOOL, HOOK])
def test_whoever_acts_for_themselves_is_the_same_everywhere(actor: object) -> None:
    assert actor_beside(actor, TrustSettings()) == actor  # type: ignore[arg-type]


def test_a_script_acts_for_a_person_only_where_that_store_says_so() -> None:
    assert actor_beside(SCRIPT, TrustSettings()) == UNNAMED
    assert actor_beside(SCRIPT, TrustSettings(scripted=("user:ben",))) == UNNAMED
    assert actor_beside(SCRIPT, TrustSettings(scripted=("user:ana",))) == SCRIPT
    assert not UNNAMED.is_person


def test_an_answer_in_a_form_counts_only_where_that_store_takes_forms() -> None:
    person = replace(ANA, channel=Channel.FORM)

    assert actor_beside(person, TrustSettings()) == person
    assert actor_beside(person, TrustSettings(forms=False)) == UNNAMED
