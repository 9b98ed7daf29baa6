"""What distillation finds: events, entities, edges and claims, each with a key of its own.

A product names where it was found and what it says, and its key follows from both alone: found
again, on this machine or another, it is the same product. Nothing here decides what is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Final, TypeAlias

from memfs.model.digests import content_digest
from memfs.model.event import EventSort
from memfs.model.ids import is_id
from memfs.model.instants import format_instant, parse_instant
from memfs.model.text import normalise_text
from memfs.model.values import JsonValue

SUMMARY_CHARS: Final = 300
MOST_NAMES: Final = 20
"""Names that one event bears at most: what touches more is about none of them."""


class Trust(StrEnum):
    """Who vouches for a product."""

    SEEN = "seen"
    """memfs saw it happen: a commit is there, a run has ended."""
    SAID = "said"
    """A conversation, a program or a model says so; it waits unless a person said it."""


_DOMAIN: Final = "distilled"


def is_key(text: str) -> bool:
    """Tells whether a text is the key of a product: no name and no id looks so."""
    return text.startswith(f"sha256:{_DOMAIN}:")


def is_plain_name(text: str) -> bool:
    """Tells whether a text names a thing: an id names a record, a key another product.

    What somebody calls a file is theirs to choose: by it they join and mention no record.
    """
    return not (is_key(text) or is_id(text.lower()))


def product_key(source: str, *words: str) -> str:
    """Returns what two sightings of one product have in common.

    Args:
        source: The pointer that stays the same wherever it is found.
        words: What it says; folded.
    """
    said = "\x1f".join(normalise_text(item) for item in words)
    return content_digest(_DOMAIN, f"{source}\x1f{said}".encode("utf-8", "replace"))


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFound:
    """Something that happened once.

    Attributes:
        key: What it is recognised by.
        replaces: Keys of events that it takes the place of.
        also: Keys under which the same thing may have been told before.
        source: Pointer to where it stands, such as ``commit:…`` or ``session:…#3``.
        trust: Who vouches for it.
        title: One line.
        sort: What sort of event it is.
        at: When it happened.
        summary: A little more; empty for nothing.
        names: Entities that it is about, as they are written, or their ids.
        commit: Commit of the project; empty for none.
        run: ``run_…``; empty for none.
        session: ``ses_…``; empty for none.
        turns: Numbers or nodes of the session's turns.
        client: The coding agent that it was said with; empty for none.
        speaker: Who said it, as the host tells; empty for nobody.
        quote: Words that stand in the source, to be quoted; empty for none.
        message: Digest of the whole message that they stand in, as evidence of it has it.
        derived_from: Ids of records that it was made of.
        importance: 1 to 10.
        confidence: 0 to 1.
        transform: What made the words, such as the name of a model; empty for rules.
        needs_quote: It is told only where what a person typed is kept as evidence of it: without
            that it would say once more what a claim says already.
    """

    key: str
    source: str
    trust: Trust
    title: str
    sort: EventSort
    at: datetime
    summary: str = ""
    names: tuple[str, ...] = ()
    commit: str = ""
    run: str = ""
    session: str = ""
    turns: tuple[str, ...] = ()
    client: str = ""
    speaker: str = ""
    quote: str = ""
    message: str = ""
    derived_from: tuple[str, ...] = ()
    importance: int = 4
    confidence: float = 1.0
    transform: str = ""
    needs_quote: bool = False
    also: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityFound:
    """A thing that is spoken of.

    Attributes:
        key: What it is recognised by.
        source: Pointer to where it was met first.
        trust: Who vouches for it.
        name: Its name, as it is written.
        sort: What sort of thing it is, such as ``file`` or ``issue``.
        at: When it was met.
    """

    key: str
    source: str
    trust: Trust
    name: str
    sort: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeFound:
    """How one thing bears on another.

    Attributes:
        key: What it is recognised by.
        source: Pointer to where it stands.
        trust: Who vouches for it.
        start: Name of an entity, key of an event of the same pass, or an id.
        relation: How the one bears on the other.
        end: As ``start``.
        at: When it became so.
        is_lasting: It holds from then on; otherwise it happened then.
        confidence: 0 to 1.
        client: The coding agent or model that says so; empty for none.
    """

    key: str
    source: str
    trust: Trust
    start: str
    relation: str
    end: str
    at: datetime
    is_lasting: bool = False
    confidence: float = 1.0
    client: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimFound:
    """A sentence that somebody may want remembered.

    Attributes:
        key: What it is recognised by, in its session.
        source: Pointer to the turn.
        kind: Kind of claim that it would be.
        text: The sentence as it was said.
        client: The coding agent.
        speaker: Who said it.
        session: ``ses_…``.
    """

    key: str
    source: str
    kind: str
    text: str
    client: str
    speaker: str
    session: str


Product: TypeAlias = EventFound | EntityFound | EdgeFound | ClaimFound
_SORTS: Final[Mapping[str, type[Product]]] = {
    "event": EventFound,
    "entity": EntityFound,
    "edge": EdgeFound,
    "claim": ClaimFound,
}
_NAMES: Final = {found: name for name, found in _SORTS.items()}


class BadProductError(ValueError):
    """A value is no product; the note that it stands in is of no use."""


def sort_of(product: Product) -> str:
    """Returns ``event``, ``entity``, ``edge`` or ``claim``."""
    return _NAMES[type(product)]


def session_of(product: Product) -> str:
    """Returns the session that a product was found in; empty for none."""
    return product.session if isinstance(product, EventFound | ClaimFound) else ""


def counted(products: Iterable[Product]) -> dict[str, int]:
    """Counts products by sort; sorts of which there are none are left out."""
    found: dict[str, int] = {}
    for product in products:
        name = f"{sort_of(product)}s" if sort_of(product) != "entity" else "entities"
        found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items()))


def encode_product(product: Product) -> dict[str, JsonValue]:
    """Returns a product as plain values; what is empty is left out."""
    value: dict[str, JsonValue] = {"sort_of": sort_of(product)}
    for item in fields(product):
        part = getattr(product, item.name)
        if part in ("", ()) or part == item.default:
            continue
        match part:
            case datetime():
                value[item.name] = format_instant(part)
            case tuple():
                value[item.name] = list(part)
            case StrEnum():
                value[item.name] = str(part)
            case _:
                value[item.name] = part
    return value


def decode_product(value: JsonValue) -> Product:
    """Returns the product that plain values stand for.

    Raises:
        BadProductError: They stand for none.
    """
    if not isinstance(value, dict):
        raise BadProductError("expected an object")
    made = _SORTS.get(str(value.get("sort_of")))
    if made is None:
        raise BadProductError("expected a sort of product")
    known = {item.name: str(item.type) for item in fields(made)}
    given = {name: part for name, part in value.items() if name != "sort_of"}
    if not given.keys() <= known.keys():
        raise BadProductError("expected known fields")
    try:
        parts = {name: _part(known[name], part) for name, part in given.items()}
        make: Callable[..., Product] = made
        return make(**parts)
    except (ValueError, TypeError, KeyError) as error:
        raise BadProductError("expected every field in its form") from error


def _part(shape: str, part: JsonValue) -> object:
    match shape:
        case "str" if isinstance(part, str):
            return part
        case "datetime" if isinstance(part, str):
            return parse_instant(part)
        case "tuple[str, ...]" if isinstance(part, list):
            return tuple(str(item) for item in part)
        case "int" if isinstance(part, int):
            return part
        case "float" if isinstance(part, int | float):
            return float(part)
        case "bool" if isinstance(part, bool):
            return part
        case "Trust":
            return Trust(str(part))
        case "EventSort":
            return EventSort(str(part))
        case _:
            raise BadProductError("expected every field in its form")
