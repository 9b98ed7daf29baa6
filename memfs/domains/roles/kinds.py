"""The kinds of role memory: a memory of a role, and a summary that covers several.

Both are private to their role by their scope. A memory is what a role says to itself: it is judged
like any statement, answers no question of a project, and changes by typed operations alone.
"""

from __future__ import annotations

from memfs.model.kinds import FieldSpec, FieldType, Filing, KindSpec
from memfs.model.role import (
    ROLE_KIND,
    ROLE_PREFIX,
    ROLES_FOLDER,
    SUMMARY_KIND,
    SUMMARY_PREFIX,
    Because,
    Intent,
    Lifecycle,
    Profile,
)


def _text(name: str, description: str, *, is_required: bool = False) -> FieldSpec:
    return FieldSpec(
        name=name, field_type=FieldType.STRING, description=description, required=is_required
    )


def _list(name: str, description: str, *, is_required: bool = False) -> FieldSpec:
    return FieldSpec(
        name=name, field_type=FieldType.STRING_LIST, description=description, required=is_required
    )


def _number(name: str, description: str) -> FieldSpec:
    return FieldSpec(name=name, field_type=FieldType.NUMBER, description=description)


_ANATOMY = (
    _text("target", "Whom or what it is about.", is_required=True),
    _text("topic", "What of that; two of one target and topic are one that deepens."),
    _text("question", "What is open about it; a memory has this or a tension."),
    _text("tension", "What pulls against what; a memory has this or a question."),
    _text("implication", "What follows for acting.", is_required=True),
    _list("anchors", "What it rests on, such as run:run_…; or anchor:missing.", is_required=True),
    _list("source_hashes", "Digests of what it was read off, such as file:src/app.py=9f2c…."),
)

ROLE_MEMORY = KindSpec(
    name=ROLE_KIND,
    description="What a role remembers: a claim with its target, its tension and what follows.",
    folder=ROLES_FOLDER,
    id_prefix=ROLE_PREFIX,
    is_claim=False,
    is_stated=True,
    filing=Filing.BY_ROLE,
    fields=(
        FieldSpec(
            name="profile",
            field_type=FieldType.STRING,
            description="What it is to its role.",
            required=True,
            choices=tuple(Profile),
        ),
        FieldSpec(
            name="lifecycle",
            field_type=FieldType.STRING,
            description="How it stands; which values a profile has is said by the lifecycle table.",
            required=True,
            choices=tuple(Lifecycle),
        ),
        *_ANATOMY,
        _number("salience", "How much it matters to the role, 0 to 1."),
        _number("saturation", "How often it was said already, 0 to 1."),
        FieldSpec(
            name="repeats",
            field_type=FieldType.INTEGER,
            description="How often it was met again.",
        ),
        FieldSpec(
            name="touched",
            field_type=FieldType.INSTANT,
            description="When it was last deepened or moved.",
        ),
        FieldSpec(
            name="because",
            field_type=FieldType.STRING,
            description="Why it was put aside, as the receipt says it.",
            choices=tuple(Because),
        ),
        _text("reason", "Why it was put aside, in words."),
        FieldSpec(
            name="support",
            field_type=FieldType.INTEGER,
            description="How many memories support an incubated thread.",
        ),
        _number("maturity", "How ripe an incubated thread is, 0 to 1."),
        _number("intensity", "How hard a pressure presses, 0 to 1."),
        FieldSpec(
            name="cooling_until",
            field_type=FieldType.INSTANT,
            description="Until when it is not to come up again.",
        ),
        FieldSpec(
            name="intent",
            field_type=FieldType.STRING,
            description="What a candidate intervention would be.",
            choices=tuple(Intent),
        ),
        _text("words", "What a candidate intervention would say or note; nobody has said it."),
        FieldSpec(
            name="patch",
            field_type=FieldType.OBJECT,
            description="What a candidate intervention would change of the role's own memory.",
        ),
        _list("answers", "The pressures that a candidate intervention would answer."),
        _text("spoken_receipt", "The record of its having been said, or done."),
    ),
)
ROLE_SUMMARY = KindSpec(
    name=SUMMARY_KIND,
    description="What several memories of a role come to, without losing what they mean.",
    folder=ROLES_FOLDER,
    id_prefix=SUMMARY_PREFIX,
    is_claim=False,
    is_stated=True,
    filing=Filing.BY_ROLE,
    fields=(
        *_ANATOMY,
        _list("covers_nodes", "Ids of the memories that it covers."),
        _list("covers_edges", "Ids of the edges that it covers."),
        _list("omissions", "What is known to be left out."),
        FieldSpec(
            name="anchor_count",
            field_type=FieldType.INTEGER,
            description="How many anchors the covered memories have.",
        ),
        FieldSpec(
            name="supports",
            field_type=FieldType.INTEGER,
            description="How many memories bear the claim out, itself among them.",
        ),
        FieldSpec(
            name="contradicts",
            field_type=FieldType.INTEGER,
            description="How many memories speak against it, or against each other.",
        ),
        _number("salience_least", "Least salience of the covered, 0 to 1."),
        _number("salience_most", "Greatest salience of the covered, 0 to 1."),
        _number("confidence_least", "Least confidence of the covered, 0 to 1."),
        _number("confidence_most", "Greatest confidence of the covered, 0 to 1."),
        _number("saturation", "How often it was said already, 0 to 1."),
        FieldSpec(
            name="lifecycle",
            field_type=FieldType.STRING,
            description="Whether it was made from what the covered say now.",
            choices=(Lifecycle.ACCEPTED, Lifecycle.STALE, Lifecycle.RETIRED),
        ),
    ),
)
ROLE_KINDS = (ROLE_MEMORY, ROLE_SUMMARY)
