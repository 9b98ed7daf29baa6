"""The lifecycle of role memory: which states a profile has, and which moves it allows (E2).

The table is data: one row for several profiles that live alike. A pair or a move that stands in no
row is refused, and the refusal names the row. Nothing leads out of a state without moves: what
was put aside stays readable and does not come back by itself. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.record import Record
from memfs.model.role import ROLE_KIND, Lifecycle, Profile, lifecycle_of, profile_of
from memfs.policy.reasons import reason

L = Lifecycle


@frozen
class LifecycleRow:
    """One row of the table.

    Attributes:
        name: What refusals call it.
        profiles: The profiles that live so.
        moves: Every state with those that it may move to; its keys are the states.
        starts: States in which a memory begins.
        over: States in which a memory takes no further part.
    """

    name: str
    profiles: frozenset[Profile]
    moves: Mapping[Lifecycle, frozenset[Lifecycle]]
    starts: frozenset[Lifecycle]
    over: frozenset[Lifecycle]

    @property
    def states(self) -> tuple[Lifecycle, ...]:
        """The states of the row, in the order of the table."""
        return tuple(self.moves)


def _row(
    name: str,
    profiles: tuple[Profile, ...],
    moves: Mapping[Lifecycle, tuple[Lifecycle, ...]],
    *,
    starts: tuple[Lifecycle, ...],
    over: tuple[Lifecycle, ...],
) -> LifecycleRow:
    return LifecycleRow(
        name=name,
        profiles=frozenset(profiles),
        moves=MappingProxyType({state: frozenset(to) for state, to in moves.items()}),
        starts=frozenset(starts),
        over=frozenset(over),
    )


TABLE: Final[tuple[LifecycleRow, ...]] = (
    _row(
        "repo",
        (Profile.REPO_ARCHITECTURE, Profile.REPO_DATAFLOW),
        {
            L.OBSERVED: (L.PROPOSED, L.STALE, L.RETIRED),
            L.PROPOSED: (L.ACCEPTED, L.STALE, L.RETIRED),
            L.ACCEPTED: (L.STALE, L.RETIRED),
            # What is stale was read off something else: it is looked at again first.
            L.STALE: (L.OBSERVED, L.RETIRED),
            L.RETIRED: (),
        },
        starts=(L.OBSERVED, L.PROPOSED),
        over=(L.RETIRED,),
    ),
    _row(
        "durable",
        (Profile.ROLE_SELF, Profile.IDENTITY),
        {
            L.PROPOSED: (L.ACCEPTED, L.RETIRED),
            L.ACCEPTED: (L.RETIRED, L.CRYSTALLIZED),
            L.REVISED: (L.ACCEPTED, L.RETIRED, L.CRYSTALLIZED),
            L.RETIRED: (),
            L.CRYSTALLIZED: (L.RETIRED,),
        },
        starts=(L.PROPOSED, L.ACCEPTED, L.REVISED),
        over=(L.RETIRED,),
    ),
    _row(
        "short_term",
        (Profile.CONVERSATION,),
        {
            L.ACTIVE: (L.CLUSTERED, L.DISTILLED, L.INCUBATED, L.PRUNED),
            L.CLUSTERED: (L.DISTILLED, L.INCUBATED, L.PRUNED),
            L.DISTILLED: (),
            L.INCUBATED: (),
            L.PRUNED: (),
        },
        starts=(L.ACTIVE,),
        over=(L.DISTILLED, L.INCUBATED, L.PRUNED),
    ),
    _row(
        "incubation",
        (Profile.INCUBATION,),
        {
            L.ACTIVE: (L.DEEPENING, L.COOLING, L.PROMOTED, L.RETIRED),
            L.DEEPENING: (L.COOLING, L.PROMOTED, L.RETIRED),
            L.COOLING: (L.DEEPENING, L.RETIRED),
            L.PROMOTED: (L.RETIRED,),
            L.RETIRED: (),
        },
        starts=(L.ACTIVE,),
        over=(L.PROMOTED, L.RETIRED),
    ),
    _row(
        "agency_pressure",
        (Profile.AGENCY_PRESSURE,),
        {
            L.ACTIVE: (L.OBLIGATED, L.COOLING, L.ANSWERED, L.RETIRED),
            L.OBLIGATED: (L.COOLING, L.ANSWERED, L.RETIRED),
            L.COOLING: (L.ACTIVE, L.OBLIGATED, L.ANSWERED, L.RETIRED),
            L.ANSWERED: (L.RETIRED,),
            L.RETIRED: (),
        },
        starts=(L.ACTIVE, L.OBLIGATED),
        over=(L.ANSWERED, L.RETIRED),
    ),
    _row(
        "candidate_intervention",
        (Profile.CANDIDATE_INTERVENTION,),
        {
            L.QUEUED: (L.DEFERRED, L.SPOKEN, L.APPLIED, L.RETIRED),
            L.DEFERRED: (L.QUEUED, L.SPOKEN, L.APPLIED, L.RETIRED),
            L.SPOKEN: (L.RETIRED,),
            L.APPLIED: (L.RETIRED,),
            L.RETIRED: (),
        },
        starts=(L.QUEUED,),
        over=(L.SPOKEN, L.APPLIED, L.RETIRED),
    ),
    _row(
        "evidence",
        (Profile.EVIDENCE,),
        {
            L.OBSERVED: (L.REVIEWED, L.CONTRADICTED, L.SUPERSEDED, L.RETIRED),
            L.REVIEWED: (L.ACCEPTED, L.CONTRADICTED, L.SUPERSEDED, L.RETIRED),
            L.ACCEPTED: (L.CONTRADICTED, L.SUPERSEDED, L.RETIRED),
            L.CONTRADICTED: (L.REVIEWED, L.SUPERSEDED, L.RETIRED),
            L.SUPERSEDED: (L.RETIRED,),
            L.RETIRED: (),
        },
        starts=(L.OBSERVED,),
        over=(L.SUPERSEDED, L.RETIRED),
    ),
)
"""The table; every profile stands in exactly one row."""

ROW_OF: Final[Mapping[Profile, LifecycleRow]] = MappingProxyType(
    {profile: row for row in TABLE for profile in row.profiles}
)


def check_pair(profile: Profile, state: Lifecycle) -> Reason | None:
    """Returns why a memory of a profile cannot be in a state, or ``None``."""
    row = ROW_OF[profile]
    if state in row.moves:
        return None
    return reason("role.lifecycle", f"row {row.name}: {', '.join(row.states)}")


def check_start(profile: Profile, state: Lifecycle) -> Reason | None:
    """Returns why a memory of a profile cannot begin in a state, or ``None``."""
    row = ROW_OF[profile]
    if state in row.starts:
        return None
    return check_pair(profile, state) or reason(
        "role.start", f"row {row.name} starts as {', '.join(sorted(row.starts))}"
    )


def check_step(profile: Profile, before: Lifecycle, after: Lifecycle) -> Reason | None:
    """Returns why a memory cannot move from one state to another, or ``None``."""
    refused = check_pair(profile, before) or check_pair(profile, after)
    if refused is not None:
        return refused
    row = ROW_OF[profile]
    if after in row.moves[before]:
        return None
    allowed = ", ".join(sorted(row.moves[before])) or "nothing"
    return reason("role.move", f"row {row.name}: {before} leads to {allowed}")


def is_open(record: Record) -> bool:
    """Tells whether a memory still takes part: its state is one of its row, and none that is over.

    A pair that the table does not have takes no part: no operation could move it.
    """
    profile, state = profile_of(record), lifecycle_of(record)
    if profile is None or state is None:
        return False
    row = ROW_OF[profile]
    return state in row.moves and state not in row.over


_STANDING: Final = frozenset(
    (
        "lifecycle", "salience", "saturation", "repeats", "touched", "reason", "because", "support",
        "maturity", "intensity", "cooling_until", "spoken_receipt", "threads",
    )
)  # fmt: skip
"""Fields that say how a memory stands, and nothing of what it says."""
_GROWING: Final = ("anchors", "source_hashes")


def is_lived_on(old: Record, new: Record) -> bool:
    """Tells whether a memory only moved on or took more in: nothing that it said is taken back.

    Its state and its worth to the role change; what it says stands, with more behind it.
    """
    if old.kind != ROLE_KIND or new.kind != ROLE_KIND:
        return False
    if is_of_project(old) and is_of_project(new):
        return _is_seen_again(old, new)
    said_before = {k: v for k, v in old.fields.items() if k not in (*_STANDING, *_GROWING)}
    said_after = {k: v for k, v in new.fields.items() if k not in (*_STANDING, *_GROWING)}
    return (
        (old.title, old.subject, said_before, dict(old.unknown))
        == (new.title, new.subject, said_after, dict(new.unknown))
        and new.body.startswith(old.body)
        and set(old.tags) <= set(new.tags)
        and all(_is_grown(old, new, name) for name in _GROWING)
    )


def is_of_project(record: Record) -> bool:
    """Tells whether a memory is a claim about how a project is built, or what flows in it."""
    return record.kind == ROLE_KIND and profile_of(record) in _OF_PROJECT


_OF_PROJECT: Final = frozenset({Profile.REPO_ARCHITECTURE, Profile.REPO_DATAFLOW})


def _is_seen_again(old: Record, new: Record) -> bool:
    """Tells whether a claim about a project was read off it anew and came out the same.

    The digests of what it was read off take the place of the earlier ones, and so do its anchors.
    """
    said = ("profile", "target", "topic", "implication")
    return (
        (old.title, old.subject, old.body, dict(old.unknown))
        == (new.title, new.subject, new.body, dict(new.unknown))
    ) and all(old.fields.get(name) == new.fields.get(name) for name in said)


def _is_grown(old: Record, new: Record, name: str) -> bool:
    before, after = old.fields.get(name) or (), new.fields.get(name) or ()
    if not isinstance(before, list | tuple) or not isinstance(after, list | tuple):
        return before == after
    # Once there is an anchor, the mark that there was none goes.
    return {item for item in before if item != "anchor:missing"} <= set(after)


def is_same_part(draft: Record, record: Record) -> bool:
    """Tells whether two memories that say the same play the same part: profile, and still open.

    What was distilled says what it was distilled from, and is another memory; of what is over the
    same may be remembered again. Any other two records do.
    """
    if draft.kind != ROLE_KIND or record.kind != ROLE_KIND:
        return True
    return profile_of(draft) is profile_of(record) and is_open(record)
