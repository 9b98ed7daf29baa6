"""The third stage: names become ids, and what is known already is left out.

A name that an entity has, by its title, an alias or an older id, is that entity: exactly, after
folding. What no entity has stays a name. Every edge has two ends that exist, or is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from memfs.domains.distill.products import (
    ClaimFound,
    EdgeFound,
    EntityFound,
    EventFound,
    Product,
    Trust,
    is_key,
)
from memfs.model.ids import EDGE_PREFIX, TIMELINE_PREFIX, derived_id, is_id
from memfs.model.naming import entity_id, entity_key
from memfs.model.scope import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What the ledger has of what a round names.

    Attributes:
        entities: Key of a name to the id of the entity that has it; empty for one that is kept
            from programs: it is not made again, and what names it names it in words.
        records: Ids among those of the round that the ledger has, in whatever state.
        others: Ids of those entities that are no file, issue or pull request: whoever commits
            chooses what a file is called, and by that says nothing of them.
    """

    entities: Mapping[str, str]
    records: frozenset[str]
    others: frozenset[str] = frozenset()


KnownOf = Callable[[Iterable[str], Iterable[str]], Known]
"""Looks up keys of names, and ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A round with its names resolved.

    Attributes:
        products: What is new, entities first, edges last.
        known: Number of products that the ledger has.
        loose: Number of edges that had an end which does not exist.
    """

    products: tuple[Product, ...]
    known: int = 0
    loose: int = 0


def event_id(scope: Scope, key: str) -> str:
    """Returns the id of an event: the same wherever it is distilled."""
    return derived_id(TIMELINE_PREFIX, str(scope), key)


def edge_id(scope: Scope, key: str) -> str:
    """Returns the id of an edge: the same wherever it is distilled."""
    return derived_id(EDGE_PREFIX, str(scope), key)


def linked(scope: Scope, products: Sequence[Product], known_of: KnownOf) -> Linked:
    """Resolves the names of a round; a round that was linked already stays as it is.

    Args:
        scope: The scope that the records will have.
        products: What was found, in any order.
        known_of: Looks up what the ledger has.
    """
    unique = list({item.key: item for item in products}.values())
    events = {
        item.key: event_id(scope, item.key) for item in unique if isinstance(item, EventFound)
    }
    far = {end: event_id(scope, end) for end in _far_ends(unique)}
    earlier = {key: event_id(scope, key) for key in _earlier_keys(unique)}
    edges = [edge_id(scope, item.key) for item in unique if isinstance(item, EdgeFound)]
    ids = [*events.values(), *far.values(), *earlier.values(), *edges]
    known = known_of(_names(unique), ids)
    told = _told_before(unique, events, earlier, known.records)
    found = {
        entity_key(item.name): entity_id(scope, item.name)
        for item in unique
        if isinstance(item, EntityFound)
    }
    entities = {**found, **known.entities}
    ends = {**far, **events, **told}
    standing = {*events.values(), *known.records}
    kept: list[Product] = []
    counts = {"known": 0, "loose": 0}
    for item in unique:
        match item:
            case EntityFound():
                is_known = entity_key(item.name) in known.entities
                new: Product | None = None if is_known else item
            case EventFound():
                is_known = item.key in told or events[item.key] in known.records
                new = None if is_known else _named(item, entities)
            case EdgeFound():
                is_known = edge_id(scope, item.key) in known.records
                new = None if is_known else _ended(item, entities, ends, standing)
                if new is not None and new.trust is Trust.SEEN and _is_other(new, known.others):
                    new = None
                counts["loose"] += new is None and not is_known
            case ClaimFound():
                is_known, new = False, item
            case _:
                assert_never(item)
        counts["known"] += is_known
        if new is not None:
            kept.append(new)
    kept.sort(key=_order)
    return Linked(products=tuple(kept), known=counts["known"], loose=counts["loose"])


def _is_other(edge: EdgeFound, others: frozenset[str]) -> bool:
    return not others.isdisjoint((edge.start, edge.end))


def _earlier_keys(products: Iterable[Product]) -> set[str]:
    return {key for item in products if isinstance(item, EventFound) for key in item.also}


def _told_before(
    products: Iterable[Product],
    events: Mapping[str, str],
    earlier: Mapping[str, str],
    records: frozenset[str],
) -> dict[str, str]:
    """Returns the keys of events that were told under another key, with the id of that event."""
    told: dict[str, str] = {}
    for item in products:
        if not isinstance(item, EventFound):
            continue
        for key in item.also:
            if key in events or earlier[key] in records:
                told[item.key] = told.get(key, events.get(key, earlier[key]))
                break
    return told


def _order(product: Product) -> int:
    return (EntityFound, EventFound, ClaimFound, EdgeFound).index(type(product))


def _names(products: Iterable[Product]) -> set[str]:
    names: set[str] = set()
    for item in products:
        match item:
            case EntityFound():
                names.add(item.name)
            case EventFound():
                names.update(item.names)
            case EdgeFound():
                names.update((item.start, item.end))
            case ClaimFound():
                pass
    keys = {entity_key(name) for name in names if not (is_id(name) or is_key(name))}
    return {key for key in keys if key}


def _far_ends(products: Iterable[Product]) -> set[str]:
    """Returns the ends of edges that are keys: of events of this round, or of an earlier one."""
    ends = (
        end for item in products if isinstance(item, EdgeFound) for end in (item.start, item.end)
    )
    return {end for end in ends if is_key(end)}


def _named(event: EventFound, entities: Mapping[str, str]) -> EventFound:
    names = (entities.get(entity_key(name)) or name for name in event.names)
    return replace(event, names=tuple(dict.fromkeys(names)))


def _ended(
    edge: EdgeFound,
    entities: Mapping[str, str],
    events: Mapping[str, str],
    standing: set[str],
) -> EdgeFound | None:
    """Returns an edge between ids; ``None`` where an end does not exist, or both are one."""
    ends: list[str] = []
    for end in (edge.start, edge.end):
        if is_id(end):
            ends.append(end)
        elif end in events:
            ends.append(events[end] if events[end] in standing else "")
        else:
            ends.append(entities.get(entity_key(end), ""))
    start, end = ends
    if not start or not end or start == end:
        return None
    return replace(edge, start=start, end=end)
