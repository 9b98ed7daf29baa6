"""Whose words an account of work holds when it comes from another clone of the store (A3, C3).

A run, a session or evidence is never rewritten. One that another clone recorded stays what it is,
so that both files can be joined again, and what an agent said does not become the words of the
person who lets it in. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from memfs.model.authority import Authority
from memfs.model.evidence import EVIDENCE_KIND, EXCERPT_KIND
from memfs.model.origin import OriginClass, Principal
from memfs.model.outcome import OUTCOME_KIND
from memfs.model.record import Record
from memfs.model.run import RUN_KIND
from memfs.model.status import Status
from memfs.policy.authority import default_authority, default_taint

ACCOUNTS: Final = frozenset({RUN_KIND, "session", EVIDENCE_KIND, EXCERPT_KIND, OUTCOME_KIND})
"""Kinds that tell what happened and are never rewritten."""
BELIEVED: Final = frozenset({OriginClass.IMPORTED, OriginClass.AGENT_STATED, OriginClass.REMOTE})
"""What a file may say of its own origin: it claims little."""


def believed_account(said: Record, acceptor: Principal) -> Record | None:
    """Returns an account as its file says it, believed for no more than its origin can be.

    Args:
        said: What the file says.
        acceptor: The person who lets it in; nobody else is believed to have said as a person
            what stands there.

    Returns:
        ``None`` where its origin is not believed: it is the statement of ``acceptor`` then.
    """
    origin = said.origin
    is_whole = said.kind in ACCOUNTS and said.id and said.status is Status.ACTIVE
    if origin is None or not is_whole:
        return None
    given = origin.origin_class
    is_own = given is OriginClass.USER_STATED and origin.principal == acceptor
    if not (is_own or given in BELIEVED or given is OriginClass.HOST_OBSERVED):
        return None
    return replace(
        said,
        authority=min(said.authority or Authority.NONE, default_authority(given)),
        taint=tuple(sorted({*said.taint, *default_taint(given)})),
    )


def is_replacement_mark(said: Record, standing: Record) -> bool:
    """Whether a file differs from an account that stands in nothing but what replaced it (C3)."""
    return (
        said.kind in ACCOUNTS
        and said.status is Status.SUPERSEDED
        and standing.status is Status.ACTIVE
        and bool(said.superseded_by)
        and said
        == replace(
            standing,
            status=said.status,
            superseded_by=said.superseded_by,
            superseded_from=said.superseded_from,
        )
    )
