"""Grants: who may read what of which scope, for what, until when (A31).

A grant names a reader; it is no secret, and holding a copy of it gives nobody anything. It
opens reading and proposing in the store that carries it and never an action outside it (A2).
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final

from memfs.model.authority import Sensitivity, Sink
from memfs.model.frozen import frozen
from memfs.model.origin import Principal
from memfs.model.scope import Scope


class GrantOperation(StrEnum):
    """What a grant lets its grantee do."""

    READ = "read"
    PROPOSE = "propose"
    PUBLISH = "publish"


GRANT_SINKS: Final = frozenset({Sink.PERSON, Sink.AGENT})
"""Where granted text may go unless the grant says otherwise."""


@frozen
class Grant:
    """One grant, as the ledger has it.

    Attributes:
        id: ``grant_…``.
        grantee: Who may.
        issuer: The person who allowed it.
        scopes: Namespaces that it opens; never empty.
        expires: It ends then, aware, UTC; every grant ends.
        not_before: It begins then; ``None`` for at once.
        operations: What it allows.
        record_classes: Classes that it opens; empty for records without one, and for records of
            any class where it names their kind.
        kinds: Kinds that it opens; empty for every kind of claim.
        purposes: Purposes that it is for; empty for any.
        sinks: Where the text may go.
        clearance: The most sensitive that it opens.
        shown_fields: The only fields whose content is shown; empty for all of them.
        is_revoked: It was taken back.
    """

    id: str
    grantee: Principal
    issuer: Principal
    scopes: tuple[Scope, ...]
    expires: datetime
    not_before: datetime | None = None
    operations: frozenset[GrantOperation] = frozenset({GrantOperation.READ})
    record_classes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    purposes: tuple[str, ...] = ()
    sinks: frozenset[Sink] = GRANT_SINKS
    clearance: Sensitivity = Sensitivity.NORMAL
    shown_fields: tuple[str, ...] = ()
    is_revoked: bool = False
