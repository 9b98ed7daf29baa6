"""Where a statement belongs: the profile, the node of a domain, or the graph (M29).

What a person wants everywhere is a line of the profile; what they want of one kind of work is
kept in the one node of that domain; everything else about the project is a node like any other.
The domains are a fixed list, told apart by words that are telling in any project. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.domains.nodes.places import paths_in

PREFERENCE_TAG: Final = "preference"
DOMAIN_TAG: Final = "domain-pref"

_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "html": r"html5?|css|web ?pages?|web ?sites?|landing pages?|frontend|front-end|"
        r"stylesheets?|tailwind|javascript|typescript|react (?:apps?|components?)|vue|svelte",
        "server": r"servers?|backends?|back-end|apis?|endpoints?|graphql|fastapi|flask|"
        r"django|express\.?js|webhooks?|microservices?|nginx",
        "python": r"python3?|pip|pytest|pypi|poetry|numpy|pyproject|virtualenvs?|\w+\.py",
        "exe": r"exe|executables?|installers?|desktop apps?|windows apps?|pyinstaller|nuitka|"
        r"msi|electron|binary|binaries",
        "data": r"data ?sets?|data ?frames?|csv|parquet|pandas|polars|sql|databases?|etl|"
        r"spreadsheets?|analytics|data analysis",
        "cli": r"cli|command[ -]lines?|terminals?|shell scripts?|argparse|click commands?|bash|"
        r"flags and options",
        "notebook": r"notebooks?|jupyter|ipynb|colab|\w+\.ipynb",
        "mobile": r"mobile|android|ios|iphone|ipad|swiftui|kotlin|flutter|react native",
    }
)
DOMAINS: Final = tuple(_WORDS)
_PATTERNS: Final = MappingProxyType(
    {
        name: re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
        for name, words in _WORDS.items()
    }
)
_WISHES: Final = re.compile(
    r"\b(?:i|we)\s+(?:always\s+|never\s+|usually\s+|would\s+|do(?:n't| not)\s+)*"
    r"(?:prefer|like|want|love|hate|dislike|use|avoid|need)\b|"
    r"\b(?:prefers?|preference|favou?rite|rather than|instead of|always use|never use|"
    r"my (?:name|role|editor|language|timezone|time zone|style|pronouns))\b",
    re.IGNORECASE,
)


class Route(StrEnum):
    """Where a statement belongs."""

    PROFILE = "profile"
    DOMAIN = "domain"
    GRAPH = "graph"


def domains_in(text: str) -> tuple[str, ...]:
    """Returns every domain that a text is about, in the order of :data:`DOMAINS`."""
    return tuple(name for name, pattern in _PATTERNS.items() if pattern.search(text))


def route_of(text: str) -> Route:
    """Returns where a statement belongs.

    A preference that speaks of a domain belongs to it, one that names a place of a project to
    the graph, any other to the profile; what is no preference is the graph's.
    """
    if _WISHES.search(text) is None or paths_in(text):
        return Route.GRAPH
    return Route.DOMAIN if domains_in(text) else Route.PROFILE


def domain_subject(domain: str) -> str:
    """Returns the subject of the one node of a domain."""
    return f"{DOMAIN_TAG}:{domain}"


def domain_tags(domain: str) -> tuple[str, str, str]:
    """Returns the tags of the node of a domain."""
    return (PREFERENCE_TAG, DOMAIN_TAG, domain)
