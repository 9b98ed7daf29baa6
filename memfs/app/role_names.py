"""Which role is meant: the one that is named, or the one who asks."""

from __future__ import annotations

from memfs.errors import UsageError
from memfs.model.origin import Actor, PrincipalKind


def role_named(role: str, actor: Actor) -> str:
    """Returns the role that is meant.

    Args:
        role: As named; empty for the actor's own, where the actor is an agent.
        actor: Who asks.

    Raises:
        UsageError: It is no plain name, or there is none.
    """
    from memfs.model.role import role_scope

    is_agent = actor.principal.kind is PrincipalKind.AGENT
    name = role or (actor.principal.name if is_agent else "")
    if not name:
        raise UsageError("expected a role, got none", hint="name it: --role NAME")
    try:
        role_scope(name)
    except ValueError as error:
        raise UsageError(f"expected the plain name of a role, got {name!r}") from error
    return name
