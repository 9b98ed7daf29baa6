"""Reads a proposed operation strictly: JSON in, a typed value or every reason why not out.

Nothing is guessed, cut or filled in beyond the defaults of the types. What a proposer wrote never
stands in a reason: a reason names the member, what is expected of it, and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final, NoReturn

from memfs.domains.roles.members import (
    ENTRY_MEMBERS,
    LINK_MEMBERS,
    OddError,
    is_shallow,
    read_members,
)
from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.role import Because, Intent
from memfs.model.role_operation import (
    Anatomy,
    ApplyDistillation,
    ClusterShortTerm,
    Crystallize,
    MarkSpoken,
    MergeIncubation,
    OperationName,
    PruneShortTerm,
    QueueCandidate,
    RecordShortTerm,
    RefreshManifest,
    RetireCandidate,
    RetireDurable,
    RetirePressure,
    ReviseDurable,
    RoleOperation,
    UpsertPressure,
)
from memfs.model.values import JsonValue
from memfs.policy.reasons import reason
from memfs.policy.role_operations import (
    PATCH_MEMBERS,
    ROWS,
    check_member,
    check_pressing,
    check_target,
    members_in,
)

MOST_BYTES: Final = 65_536
_OPERATION: Final = "operation"
_ROLE: Final = "role"


@frozen
class Decoded:
    """What a proposal says: an operation, or the reasons why it is none.

    Attributes:
        name: Which operation it says that it is; empty where that is none.
        operation: The value; ``None`` where there are reasons.
        reasons: Why not.
    """

    name: str = ""
    operation: RoleOperation | None = None
    reasons: tuple[Reason, ...] = ()


def decode_operation(text: bytes | str, *, role: str) -> Decoded:
    """Decodes one operation as it was written.

    Args:
        text: UTF-8 JSON.
        role: The role that it is for; one that is named in it has to be the same.
    """
    try:
        content = text.decode("utf-8") if isinstance(text, bytes) else text
        if len(content.encode("utf-8")) > MOST_BYTES:
            return Decoded(reasons=(reason("role.unreadable", f"at most {MOST_BYTES} bytes"),))
    except ValueError:
        return Decoded(reasons=(reason("role.unreadable"),))
    value = read_object(content)
    return decode_value(value, role=role)


def read_object(text: bytes | str) -> Mapping[str, JsonValue] | None:
    """Returns one JSON object in which every member stands once; ``None`` for anything else."""
    try:
        content = text.decode("utf-8") if isinstance(text, bytes) else text
        value = json.loads(content, object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Mapping) else None


def decode_value(value: JsonValue, *, role: str) -> Decoded:
    """Decodes one operation that was read already; see :func:`decode_operation`."""
    if not isinstance(value, Mapping) or not is_shallow(value):
        return Decoded(reasons=(reason("role.unreadable"),))
    try:
        name = OperationName(str(value.get(_OPERATION, "")))
    except ValueError:
        known = ", ".join(OperationName)
        return Decoded(reasons=(reason("role.unknown-operation", known),))
    named = value.get(_ROLE, role)
    if named != role:
        return Decoded(name=name, reasons=(reason("role.other-role"),))
    given = {key: item for key, item in value.items() if key not in (_OPERATION, _ROLE)}
    refused = _refused_members(given, name)
    if refused:
        return Decoded(name=name, reasons=refused)
    values, reasons = read_members(ROWS[name].members, given, str(name))
    if reasons:
        return Decoded(name=name, reasons=reasons)
    try:
        operation = _BUILDERS[name](values)
    except OddError as error:
        return Decoded(name=name, reasons=(error.why,))
    return Decoded(name=name, operation=operation)


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member stands twice")
    return found


def _no_constant(_: str) -> NoReturn:
    raise ValueError("no number")


def _refused_members(given: Mapping[str, JsonValue], name: OperationName) -> tuple[Reason, ...]:
    """Returns why members are refused by what they are called, at any depth."""
    found = (check_member(key, name) for key in members_in(dict(given)) if not _is_inner(key))
    return tuple(dict.fromkeys(why for why in found if why is not None))


def _is_inner(name: str) -> bool:
    return any(name == m.name for m in (*PATCH_MEMBERS, *LINK_MEMBERS, *ENTRY_MEMBERS))


# From values to a typed operation -----------------------------------------------------------

_Values = dict[str, object]
_PARTS: Final = frozenset(
    (
        "target", "topic", "claim", "question", "tension", "implication", "anchors",
        "source_hashes", "tags", "salience", "confidence", "saturation", "links",
    )
)  # fmt: skip


def _anatomy(values: _Values, *, is_whole: bool) -> Anatomy:
    parts = {name: values.pop(name) for name in list(values) if name in _PARTS}
    anatomy = Anatomy(**parts)  # type: ignore[arg-type]
    refused = check_target(anatomy.target)
    if refused is not None:
        raise OddError(refused)
    if is_whole and not (anatomy.question or anatomy.tension):
        raise OddError(reason("role.anatomy", "question or tension"))
    return anatomy


def _reasoned(values: _Values) -> _Values:
    if "because" in values:
        values["because"] = Because(str(values["because"]))
    return values


def _queued(values: _Values) -> QueueCandidate:
    anatomy = _anatomy(values, is_whole=True)
    intent = Intent(str(values.pop("intent")))
    match intent:
        case Intent.SPEECH | Intent.NOTE:
            needed, other = "words", "patch"
        case Intent.SELF_PATCH:
            needed, other = "patch", "words"
        case Intent.REVIEW:
            needed, other = "claim", "patch"
    if needed != "claim" and not values.get(needed):
        raise OddError(reason("role.missing-field", needed))
    if values.get(other):
        raise OddError(reason("role.bad-field", f"{other} does not belong to {intent}"))
    return QueueCandidate(intent=intent, anatomy=anatomy, **values)  # type: ignore[arg-type]


def _pressed(values: _Values) -> UpsertPressure:
    anatomy = _anatomy(values, is_whole=True)
    said = (anatomy.claim, anatomy.question, anatomy.tension, anatomy.implication)
    refused = check_pressing(iter(said))
    if refused is not None:
        raise OddError(refused)
    is_obligated = bool(values.pop("obligated", False))
    return UpsertPressure(anatomy=anatomy, is_obligated=is_obligated, **values)  # type: ignore[arg-type]


def _incubated(values: _Values) -> MergeIncubation:
    is_begun = not values.get("thread")
    anatomy = _anatomy(values, is_whole=is_begun)
    lacking = [
        name
        for name in ("target", "claim", "implication", "anchors")
        if is_begun and not getattr(anatomy, name)
    ]
    if lacking:
        raise OddError(reason("role.missing-field", ", ".join(lacking)))
    return MergeIncubation(anatomy=anatomy, **values)  # type: ignore[arg-type]


def _revised(values: _Values) -> ReviseDurable:
    anatomy = _anatomy(values, is_whole=False)
    if anatomy == Anatomy():
        raise OddError(reason("role.missing-field", "claim"))
    return ReviseDurable(anatomy=anatomy, **_reasoned(values))  # type: ignore[arg-type]


_BUILDERS: Final[Mapping[OperationName, Callable[[_Values], RoleOperation]]] = {
    OperationName.RECORD: lambda v: RecordShortTerm(anatomy=_anatomy(v, is_whole=True)),
    OperationName.CLUSTER: lambda v: ClusterShortTerm(**v),  # type: ignore[arg-type]
    OperationName.PRUNE: lambda v: PruneShortTerm(**_reasoned(v)),  # type: ignore[arg-type]
    OperationName.DISTILL: lambda v: ApplyDistillation(
        anatomy=_anatomy(v, is_whole=True),
        **v,  # type: ignore[arg-type]
    ),
    OperationName.INCUBATE: _incubated,
    OperationName.REVISE: _revised,
    OperationName.RETIRE: lambda v: RetireDurable(**_reasoned(v)),  # type: ignore[arg-type]
    OperationName.CRYSTALLIZE: lambda v: Crystallize(
        anatomy=_anatomy(v, is_whole=True),
        **v,  # type: ignore[arg-type]
    ),
    OperationName.QUEUE: _queued,
    OperationName.RETIRE_CANDIDATE: lambda v: RetireCandidate(**_reasoned(v)),  # type: ignore[arg-type]
    OperationName.MARK_SPOKEN: lambda v: MarkSpoken(**v),  # type: ignore[arg-type]
    OperationName.PRESS: _pressed,
    OperationName.RETIRE_PRESSURE: lambda v: RetirePressure(**_reasoned(v)),  # type: ignore[arg-type]
    OperationName.REFRESH: lambda v: RefreshManifest(**v),  # type: ignore[arg-type]
}
