"""Role memory at the door: a whole anatomy, a pair of the table, and a typed operation behind it.

What a person accepts in review is looked at in the same way: an edited file has to be a memory that
the table knows, and its state may only move as the table allows (E2, E3, E4, E19). Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from memfs.model.candidate import CandidateAction
from memfs.model.decision import Reason
from memfs.model.record import Record
from memfs.model.record_fields import text_field, texts_field
from memfs.model.role import (
    ANCHOR_MISSING,
    RELATIONS,
    ROLE_KIND,
    SUMMARY_KIND,
    Lifecycle,
    Profile,
    is_anchor,
    is_role_edge,
    lifecycle_of,
    profile_of,
    role_of,
)
from memfs.policy.authority import is_hand_edit
from memfs.policy.eligibility import check_eligibility
from memfs.policy.hidden import visible_text
from memfs.policy.pipeline import Context
from memfs.policy.reasons import reason
from memfs.policy.relations import ends_of_edge
from memfs.policy.role_lifecycle import check_pair, check_start, check_step, is_of_project
from memfs.policy.screening import screen

_TYPED: Final = frozenset({ROLE_KIND, SUMMARY_KIND})


def is_of_role(record: Record) -> bool:
    """Tells whether a record belongs to role memory: a memory, a summary, or an edge of it."""
    return record.kind in _TYPED or is_role_edge(record)


def is_identity(record: Record) -> bool:
    """Tells whether a record says what a role is: a person decides on it (E29)."""
    return record.kind == ROLE_KIND and profile_of(record) is Profile.IDENTITY


def is_accepted_of_project(record: Record) -> bool:
    """Tells whether a record is an accepted claim about a project: a person decides (E59)."""
    return is_of_project(record) and lifecycle_of(record) is Lifecycle.ACCEPTED


def check_role(context: Context) -> tuple[Reason, ...]:
    """Returns why a draft of role memory may not enter; nothing for any other draft."""
    draft, submission = context.draft, context.submission
    if not is_of_role(draft):
        return ()
    if not (submission.is_typed or submission.is_confirmed or is_hand_edit(submission.origin)):
        return (reason("role.typed-only"),)
    target = context.view.target
    before = target.record if submission.action is not CandidateAction.ADD and target else None
    return (*check_anatomy(draft), *check_state(draft, before))


def check_anatomy(record: Record) -> tuple[Reason, ...]:
    """Returns what a memory, a summary or an edge lacks of its anatomy, each code once (E3, E4)."""
    return tuple(dict.fromkeys(_missing(record)))


def _missing(record: Record) -> Iterator[Reason]:
    if not role_of(record):
        yield reason("role.scope")
    if is_role_edge(record):
        if ends_of_edge(record)[1] not in RELATIONS:
            yield reason("role.relation")
        if not text_field(record, "claim").strip():
            yield reason("role.edge-claim")
        return
    parts = {
        "claim": record.title,
        "target": text_field(record, "target"),
        "implication": text_field(record, "implication"),
        "question or tension": text_field(record, "question") or text_field(record, "tension"),
    }
    lacking = [name for name, words in parts.items() if not words.strip()]
    if lacking:
        yield reason("role.anatomy", ", ".join(lacking))
    anchors = texts_field(record, "anchors")
    is_marked = ANCHOR_MISSING in anchors
    if not anchors or not all(map(is_anchor, anchors)) or (is_marked and len(anchors) > 1):
        yield reason("role.anchor")


def check_state(record: Record, before: Record | None = None) -> tuple[Reason, ...]:
    """Returns why a memory may not stand as it does; ``before`` is what it was, if anything."""
    if record.kind == SUMMARY_KIND:
        return ()
    profile, state = profile_of(record), lifecycle_of(record)
    if profile is None or state is None:
        return (reason("role.lifecycle", "no profile, or no state, of the table"),)
    if is_role_edge(record):
        refused = check_pair(profile, state)
    elif before is None:
        refused = check_start(profile, state)
    elif profile_of(before) is not profile or role_of(before) != role_of(record):
        refused = reason("role.profile")
    else:
        was = lifecycle_of(before)
        refused = None if was is None or was is state else check_step(profile, was, state)
    return (refused,) if refused is not None else ()


def check_words(text: str, *, is_person: bool) -> tuple[Reason, ...]:
    """Returns why words are not taken into a memory that stands: what would wait is refused too."""
    draft = Record(kind=ROLE_KIND, body=text)
    screened = screen(text, is_person=is_person, body=text)
    return (
        *check_eligibility(draft, visible_text(text), is_person=is_person),
        *screened.rejects,
        *screened.holds,
    )
