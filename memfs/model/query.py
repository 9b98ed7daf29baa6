"""A request to read: immutable, typed, and never built from strings (C23)."""

from __future__ import annotations

from datetime import datetime

from memfs.model.authority import Sink
from memfs.model.frozen import frozen
from memfs.model.origin import Actor
from memfs.model.scope import Scope

DEFAULT_BUDGET_TOKENS = 1500
DEFAULT_LIMIT = 5


@frozen
class Query:
    """What is asked and by whom.

    Attributes:
        text: Free words; control text in it changes nothing but the words looked for (A53).
        actor: Who asks.
        sink: Where the answer goes.
        purpose: Free label of the purpose, matched by grants; empty for plain recall.
        scopes: Scopes asked for; empty means all that the actor may see.
        kinds: Kinds asked for; empty means all claims.
        tags: All of these must be present.
        subject: Exact subject key.
        since: Event or observation time at or after this instant.
        until: … and before this one.
        valid_at: What was true then.
        as_of: What memory knew then.
        branch: Only what was learned on this branch of the project, or on none.
        limit: At most this many records, 1 to 1,000.
        budget_tokens: Hard size of a packet.
        is_opening: Nothing is asked yet: the most important records, whatever their words.
    """

    text: str
    actor: Actor
    sink: Sink = Sink.PERSON
    purpose: str = ""
    scopes: tuple[Scope, ...] = ()
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    subject: str = ""
    since: datetime | None = None
    until: datetime | None = None
    valid_at: datetime | None = None
    as_of: datetime | None = None
    branch: str = ""
    limit: int = DEFAULT_LIMIT
    budget_tokens: int = DEFAULT_BUDGET_TOKENS
    is_opening: bool = False
