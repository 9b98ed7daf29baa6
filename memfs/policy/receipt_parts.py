"""An account that is too large for one receipt, in parts: each name is in exactly one of them.

A file has a size (see ``memfs.model.limits``), and what one operation reaches has none. A receipt
is written when the operation is done and cannot be taken back any more, so that it must fit
however much there is to tell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from memfs.model.frozen import frozen
from memfs.model.limits import LIST_ITEMS, MATTER_BYTES, TEXT_CHARS
from memfs.model.values import JsonValue

PART_BYTES: Final = MATTER_BYTES * 3 // 4
"""What targets and details of one receipt may take; the rest is for what stands around them."""
_INDENT: Final = 2
_DEPTH: Final = 3
"""How deep the members of an account stand in the file of a receipt."""

_Place = tuple[str, ...]


@frozen
class ReceiptPart:
    """What one receipt tells.

    Attributes:
        targets: Ids concerned.
        details: Counts, places and guarantees, in the shape of the whole account.
    """

    targets: tuple[str, ...]
    details: Mapping[str, JsonValue]


@frozen
class _Leaf:
    """A value of an account that is in no list, or one item of a list."""

    place: _Place
    value: JsonValue
    is_item: bool = False


def receipt_parts(
    targets: Sequence[str], details: Mapping[str, JsonValue]
) -> tuple[ReceiptPart, ...]:
    """Returns an account as one part where it fits, and else in as many as it takes.

    What is no list is told first, then the targets, then the lists, each in its order. Of what
    takes several parts, a sentence that is longer than any field may be is cut.
    """
    leaves = [_Leaf(place=("targets",), value=name, is_item=True) for name in targets]
    told = list(_leaves(details, ("details",)))
    ordered = (
        *(leaf for leaf in told if not leaf.is_item),
        *leaves,
        *(leaf for leaf in told if leaf.is_item),
    )
    parts = list(_packed(ordered))
    if len(parts) <= 1:
        return (ReceiptPart(targets=tuple(targets), details=dict(details)),)
    return tuple(_part(leaves) for leaves in parts)


def _leaves(value: JsonValue, place: _Place) -> Iterator[_Leaf]:
    if isinstance(value, Mapping) and (value or len(place) == 1):
        for name, item in value.items():
            yield from _leaves(item, (*place, name))
    elif isinstance(value, list | tuple) and value:
        for item in value:
            yield _Leaf(place=place, value=item, is_item=True)
    elif isinstance(value, str) and len(value) > TEXT_CHARS:
        yield _Leaf(place=place, value=f"{value[: TEXT_CHARS - 1]}…")
    else:
        yield _Leaf(place=place, value=value)


def _packed(leaves: Sequence[_Leaf]) -> Iterator[list[_Leaf]]:
    """Yields runs of leaves that fit into one part each."""
    run: list[_Leaf] = []
    size, counts = 0, dict[_Place, int]()
    for leaf in leaves:
        count = counts.get(leaf.place, 0)
        cost = _cost(leaf) + (0 if count else sum(_name_cost(name) for name in leaf.place))
        if run and (size + cost > PART_BYTES or count == LIST_ITEMS):
            yield run
            run, size, counts = [], 0, {}
            cost = _cost(leaf) + sum(_name_cost(name) for name in leaf.place)
        run.append(leaf)
        size += cost
        counts[leaf.place] = counts.get(leaf.place, 0) + 1
    if run:
        yield run


def _cost(leaf: _Leaf) -> int:
    """Returns at least how many bytes a leaf takes as JSON that is indented."""
    lines = json.dumps(leaf.value, indent=_INDENT, ensure_ascii=False).splitlines()
    lead = _INDENT * (_DEPTH + len(leaf.place))
    return sum(len(line.encode("utf-8", "replace")) + lead + 2 for line in lines)


def _name_cost(name: str) -> int:
    """Returns at least how many bytes a member takes beside its value."""
    return len(json.dumps(name, ensure_ascii=False).encode("utf-8", "replace")) + 64


def _part(leaves: Sequence[_Leaf]) -> ReceiptPart:
    whole: dict[str, JsonValue] = {"targets": [], "details": {}}
    for leaf in leaves:
        _put(whole, leaf)
    targets, details = whole["targets"], whole["details"]
    return ReceiptPart(
        targets=tuple(map(str, targets)) if isinstance(targets, list) else (),
        details=details if isinstance(details, dict) else {},
    )


def _put(whole: dict[str, JsonValue], leaf: _Leaf) -> None:
    *above, last = leaf.place
    inner = whole
    for name in above:
        found = inner.setdefault(name, {})
        if not isinstance(found, dict):
            raise TypeError("an account has lists and members in the same place")
        inner = found
    if not leaf.is_item:
        inner[last] = leaf.value
        return
    items = inner.setdefault(last, [])
    if isinstance(items, list):
        items.append(leaf.value)
