"""What the modules of a project read and write, as parts of its dataflow, and what flows where.

Two modules are joined only where one writes and another reads what has the same name in both.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from memfs.domains.roles.survey.survey_flows import Medium
from memfs.domains.roles.survey.survey_python import Module
from memfs.model.role import Profile, RepoRelation
from memfs.model.survey import Bond, Part
from memfs.policy.role_survey import MOST_SOURCES, claim_line, listed

Key = tuple[str, str, str]
_SAYINGS: Final[Mapping[Medium, tuple[str, str]]] = {
    Medium.DISK: ("reads", "writes"),
    Medium.DATABASE: ("reads", "writes"),
    Medium.ENVIRONMENT: ("reads", "sets"),
    Medium.NETWORK: ("asks", "hands something to"),
    Medium.PROGRAM: ("starts", "starts"),
}
_UNNAMED: Final[Mapping[Medium, str]] = {
    Medium.DISK: "files whose names are not told there",
    Medium.DATABASE: "a database whose name is not told there",
    Medium.ENVIRONMENT: "variables of the environment that are not named there",
    Medium.NETWORK: "addresses that are not told there",
    Medium.PROGRAM: "programs that are not named there",
}
_NAMED: Final[Mapping[Medium, str]] = {
    Medium.DISK: "the file",
    Medium.DATABASE: "the database",
    Medium.ENVIRONMENT: "the environment variable",
    Medium.NETWORK: "the host",
    Medium.PROGRAM: "the program",
}
_MOST_FLOWS: Final = 400


def resources_of(
    modules: Mapping[str, Module], names: Mapping[str, str], keys: Mapping[str, Key]
) -> tuple[list[Part], list[Bond]]:
    """Returns the parts of a project's dataflow and the bonds of modules with them.

    Args:
        modules: What was read off each file.
        names: What each file is called as a module.
        keys: The key of each file's own part.
    """
    readers: dict[tuple[Medium, str, str], set[str]] = defaultdict(set)
    writers: dict[tuple[Medium, str, str], set[str]] = defaultdict(set)
    for path, module in sorted(modules.items()):
        for touch in module.touches:
            # What has no name there may be anything: it is one thing with no other module's.
            place = (touch.medium, touch.name, "" if touch.name else path)
            (writers if touch.is_write else readers)[place].add(path)
    parts: list[Part] = []
    bonds: list[Bond] = []
    for place in sorted(readers.keys() | writers.keys()):
        reading, writing = sorted(readers.get(place, ())), sorted(writers.get(place, ()))
        part = _part(place, reading, writing, names)
        parts.append(part)
        bonds += _touching(place, part, reading, writing, names, keys)
        bonds += _flows(place, reading, writing, names, keys)
    return parts, bonds


def _part(
    place: tuple[Medium, str, str], reading: list[str], writing: list[str], names: Mapping[str, str]
) -> Part:
    medium, name, path = place
    reads, writes = _SAYINGS[medium]
    told = f"{_NAMED[medium]} {name}" if name else _UNNAMED[medium]
    if path:
        verbs = [verb for verb, users in ((reads, reading), (writes, writing)) if users]
        claim = f"{names[path]} {' and '.join(dict.fromkeys(verbs))} {told}"
    else:
        who = [
            f"{listed(tuple(names[item] for item in users))} {verb} it"
            for verb, users in ((reads, reading), (writes, writing))
            if users
        ]
        claim = f"{told[0].upper()}{told[1:]}: {'; '.join(dict.fromkeys(who))}"
    sources = tuple(dict.fromkeys((*writing, *reading)))
    return Part(
        profile=Profile.REPO_DATAFLOW,
        path=path,
        symbol=f"{medium}:{name}" if name else f"{medium}:",
        claim=claim_line(claim),
        question="What else reads or writes it, from inside the project or from outside?",
        implication="Whoever changes its form or its name looks at all that read or write it",
        sources=sources[:MOST_SOURCES],
        tags=("dataflow", str(medium)),
        salience=0.5 if name else 0.3,
        confidence=0.8 if name else 0.5,
    )


def _touching(
    place: tuple[Medium, str, str],
    part: Part,
    reading: list[str],
    writing: list[str],
    names: Mapping[str, str],
    keys: Mapping[str, Key],
) -> Iterator[Bond]:
    medium = place[0]
    relations = (
        (RepoRelation.CALLS if medium is Medium.PROGRAM else RepoRelation.READS, reading),
        (RepoRelation.WRITES, writing),
    )
    for (relation, users), verb in zip(relations, _SAYINGS[medium], strict=True):
        for user in users:
            told = place[1] or _UNNAMED[medium]
            yield Bond(
                relation=relation,
                start=keys[user],
                end=part.key,
                claim=f"{names[user]} {verb} {told}",
                source=user,
                confidence=part.confidence,
            )


def _flows(
    place: tuple[Medium, str, str],
    reading: list[str],
    writing: list[str],
    names: Mapping[str, str],
    keys: Mapping[str, Key],
) -> Iterator[Bond]:
    medium, name, _ = place
    if not name or medium not in (Medium.DISK, Medium.DATABASE, Medium.ENVIRONMENT):
        return
    pairs = ((start, end) for start in writing for end in reading if start != end)
    for writer, reader in islice(pairs, _MOST_FLOWS):
        yield Bond(
            relation=RepoRelation.FLOWS_TO,
            start=keys[writer],
            end=keys[reader],
            claim=f"What {names[writer]} writes to {name} may reach {names[reader]}",
            source=writer,
            confidence=0.5,
        )
