"""The things, values and sentences that made-up histories are told in; all are invented."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

THINGS: Final = tuple(
    "harbor grain quarry lantern meadow anvil cobalt ferry orchard pillar sparrow tundra velvet "
    "walnut zephyr basalt cinder dynamo ember falcon garnet hollow indigo jasper kettle lagoon "
    "mortar nimbus oxbow plover ripple saffron thistle umber vessel willow yarrow bramble".split()
)
HOSTS: Final = tuple(
    f"{name}-node" for name in "kestrel osprey merlin harrier buzzard kite".split()
)


@dataclass(frozen=True, slots=True)
class Trait:
    """Something that a thing has one of: how it is said, asked, named and shaped."""

    name: str
    said: tuple[str, str]
    asked: str
    wordings: tuple[str, ...]
    shape: str
    value: Callable[[int], str]


TRAITS: Final = (
    Trait(
        "port",
        ("The {t} service listens on port {v}.", "{t} can be reached on port {v}."),
        "Which port does {t} use?",
        ("port",),
        r"\b\d{4}\b",
        lambda n: str(4000 + n),
    ),
    Trait(
        "owner",
        ("Team {v} looks after {t}.", "{t} belongs to team {v}."),
        "Which team is responsible for {t}?",
        ("team",),
        r"\bt-[a-z]{3}\d+\b",
        lambda n: f"t-{'abcdefgh'[n % 8]}or{n}",
    ),
    Trait(
        "region",
        ("We host {t} in region {v}.", "{t} is deployed to region {v}."),
        "In which region does {t} run?",
        ("region",),
        r"\br-[a-z]{2}\d+\b",
        lambda n: f"r-{'klmnopqr'[n % 8]}e{n}",
    ),
    Trait(
        "timeout",
        ("Calls to {t} time out after {v} ms.", "The timeout of {t} is {v} ms."),
        "What is the timeout for calls to {t}?",
        ("time out", "timeout"),
        r"\b\d{5}\b",
        lambda n: str(10000 + n),
    ),
    Trait(
        "database",
        ("{t} keeps its rows in database {v}.", "The database behind {t} is {v}."),
        "Which database does {t} store its data in?",
        ("database",),
        r"\bdb-\d+\b",
        lambda n: f"db-{n}",
    ),
)
TALK: Final = (
    "Looked at the logs of {t} with {w}; nothing odd in the evening batch of week {n}.",
    "{w} asked whether the dashboard of {t} could show percentiles; see ticket T{n}.",
    "The review of {t} took {n} minutes, mostly about naming in the parser.",
    "Paired on {t} in the morning; the flaky test in module m{n} did not come up again.",
    "Read the design note on {t}, page {n}; the drawings are out of proportion.",
    "Lunch talk about {t}: {w} would rewrite the loader, nobody else in room {n} would.",
)

ELSEWHERE: Final = (
    "Which wine region of Portugal has the steepest vineyards, and the {n} oldest cellars?",
    "Write a limerick of {n} words about a team of penguins who miss their boat",
    "How many of the {n} pages of a paperback does somebody read in a week of holidays?",
    "Explain to somebody aged {n} why a museum keeps its butterflies in a dark room",
    "What should be in a review of a restaurant that serves {n} sorts of cheese after the evening?",
    "Translate a note for {n} guests into Latin: lunch is served in the morning",
)
