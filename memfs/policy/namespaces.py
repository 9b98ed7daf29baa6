"""Namespaces: which store owns which scope, and who somebody is in a store beside their own.

Each scope has exactly one owner (A30). The global store owns ``global`` and a project's store
its project; a private or team scope belongs to the store that it was written in. What somebody
may do in one store gives them no right in another: whom a script acts for is each store's own
setting (A71).
"""

from __future__ import annotations

from typing import Final, assert_never

from memfs.model.origin import Actor, Channel, Principal, PrincipalKind
from memfs.model.scope import Scope, ScopeKind
from memfs.model.settings import TrustSettings

UNNAMED: Final = Actor(Principal(PrincipalKind.AGENT, "unnamed"), Channel.AGENT)
"""Who anybody is where nothing is known of them."""


def is_owner(store_scope: Scope, scope: Scope) -> bool:
    """Tells whether the store of ``store_scope`` may hold records of ``scope``."""
    match scope.kind:
        case ScopeKind.GLOBAL | ScopeKind.PROJECT:
            return scope == store_scope
        case (
            ScopeKind.AGENT | ScopeKind.TASK | ScopeKind.SESSION | ScopeKind.THREAD | ScopeKind.TEAM
        ):
            return True
        case _:
            assert_never(scope.kind)


def actor_beside(actor: Actor, trust: TrustSettings) -> Actor:
    """Returns who ``actor`` of one store is in another with the settings ``trust``.

    A person at a terminal is a person everywhere. A script acts for a person only where the
    settings name that person, and an answer in a form counts only where they take forms;
    elsewhere it is a program like any other.
    """
    match actor.channel:
        case Channel.SCRIPTED:
            return actor if str(actor.principal) in trust.scripted else UNNAMED
        case Channel.FORM:
            return actor if trust.forms else UNNAMED
        case _:
            return actor
