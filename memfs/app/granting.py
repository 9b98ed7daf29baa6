"""What a person types for a grant, turned into its terms; refused with the choices listed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final, TypedDict

from memfs.app.drafts import known_kinds
from memfs.errors import UsageError
from memfs.formats.when import parse_when
from memfs.model.authority import Sensitivity, Sink
from memfs.model.grant import GRANT_SINKS, Grant, GrantOperation
from memfs.model.origin import Actor, Principal
from memfs.model.scope import Scope
from memfs.services.grants import default_end
from memfs.services.ports import Workspace

MOST_DAYS: Final = 3650


class GrantOptions(TypedDict, total=False):
    """The terms of a grant besides who it is for; what is left out has the narrow default.

    ``until`` is typed as ``memfs.formats.when`` reads instants; ``days`` counts from now.
    """

    scopes: Sequence[str]
    record_classes: Sequence[str]
    kinds: Sequence[str]
    shown_fields: Sequence[str]
    purposes: Sequence[str]
    sinks: Sequence[str]
    operations: Sequence[str]
    clearance: str
    begins: str
    until: str
    days: int | None


def grant_wanted(workspace: Workspace, actor: Actor, grantee: str, options: GrantOptions) -> Grant:
    """Makes the terms of a grant.

    Raises:
        UsageError: A principal, scope, kind, sink, level or instant does not exist.
    """
    now = workspace.clock.now()
    until, days, begins = options.get("until", ""), options.get("days"), options.get("begins", "")
    if until and days is not None:
        raise UsageError("expected --until or --days, got both")
    if days is not None and not 0 < days <= MOST_DAYS:
        raise UsageError(f"expected 1 to {MOST_DAYS} days, got {days}")
    expires = now + timedelta(days=days) if days is not None else default_end(now)
    try:
        return Grant(
            id="",
            grantee=Principal.parse(grantee),
            issuer=actor.principal,
            scopes=tuple(dict.fromkeys(map(Scope.parse, options.get("scopes", ())))),
            expires=parse_when(until, now) if until else expires,
            not_before=parse_when(begins, now) if begins else None,
            operations=frozenset(map(GrantOperation, options.get("operations", ())))
            or frozenset({GrantOperation.READ}),
            record_classes=_distinct(options.get("record_classes", ())),
            kinds=known_kinds(workspace, options.get("kinds", ())),
            purposes=_distinct(options.get("purposes", ())),
            sinks=frozenset(map(_sink, options.get("sinks", ()))) or GRANT_SINKS,
            clearance=Sensitivity.from_label(options.get("clearance") or "normal"),
            shown_fields=_distinct(options.get("shown_fields", ())),
        )
    except ValueError as error:
        raise UsageError(str(error)) from error


def _distinct(words: Sequence[str]) -> tuple[str, ...]:
    kept = tuple(dict.fromkeys(word.strip() for word in words))
    if not all(kept):
        raise ValueError("expected a name, got nothing")
    return kept


def _sink(text: str) -> Sink:
    try:
        return Sink(text)
    except ValueError:
        raise ValueError(f"expected a place of {', '.join(Sink)}, got {text!r}") from None
