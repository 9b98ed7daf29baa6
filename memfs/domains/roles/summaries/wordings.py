"""Reads other words for summaries as somebody proposes them, a model included: strictly, as data.

What is proposed has effected nothing, and names what it is for by target and topic. Whether the
words are taken is decided where the summary is made: see ``summarizing.worded``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memfs.domains.roles.decoding import read_object
from memfs.domains.roles.members import read_members
from memfs.domains.roles.summaries.summarizing import Wording, summary_id
from memfs.model.decision import Reason
from memfs.policy.reasons import reason
from memfs.policy.role_operations import MOST_CLAIM, MOST_WORDS, Member, Shape

MOST_PROPOSED: Final = 500
MOST_PROPOSED_BYTES: Final = 1_048_576
MEMBERS: Final = (
    Member(name="target", shape=Shape.LINE, is_required=True, most=MOST_CLAIM),
    Member(name="topic", shape=Shape.LINE, most=100),
    Member(name="claim", shape=Shape.LINE, most=MOST_CLAIM),
    Member(name="question", shape=Shape.LINE, most=MOST_WORDS),
    Member(name="tension", shape=Shape.LINE, most=MOST_WORDS),
    Member(name="implication", shape=Shape.LINE, most=MOST_WORDS),
)
"""What a proposed wording says; what is left out stays as it is."""


def read_wordings(content: bytes, role: str) -> tuple[Mapping[str, Wording], tuple[Reason, ...]]:
    """Reads wordings, one JSON object a line; returns them by id of the summary, or why not.

    Args:
        content: UTF-8.
        role: Whose memory.
    """
    lines = [line for line in content.splitlines() if line.strip()]
    if len(content) > MOST_PROPOSED_BYTES or len(lines) > MOST_PROPOSED:
        bounds = f"at most {MOST_PROPOSED} lines and {MOST_PROPOSED_BYTES} bytes"
        return {}, (reason("role.unreadable", bounds),)
    found: dict[str, Wording] = {}
    reasons: list[Reason] = []
    for line in lines:
        value = read_object(line)
        if value is None:
            reasons.append(reason("role.unreadable"))
            continue
        values, faults = read_members(MEMBERS, value, "a wording")
        reasons += faults
        if not faults:
            target, topic = str(values.pop("target")), str(values.pop("topic", ""))
            given = {name: str(text) for name, text in values.items()}
            found[summary_id(role, target, topic)] = Wording(**given)
    return ({}, tuple(dict.fromkeys(reasons))) if reasons else (found, ())
