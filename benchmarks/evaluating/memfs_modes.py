"""memfs as it is, and memfs with one thing less, on the same histories.

A history is played into a real store in a home of its own, through the public methods and by
those who act in it: people at a terminal, an agent, a tool, with the clock at the moment of each
deed. Then the agent asks by :meth:`Memory.recall` alone. What an ablation leaves out it leaves out
by a setting, or by what the host passes on; no code of memfs is replaced.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Final

from benchmarks.corpus import environment
from benchmarks.evaluating.histories import AGENT, PEOPLE, TOOL, Deed, History, Question, Rule, Verb
from benchmarks.evaluating.plain_modes import BUDGET_TOKENS, ITEMS
from benchmarks.evaluating.reader import Context, Passage, day_in
from memfs.app.container import Memory, init_store
from memfs.app.opening import open_workspace
from memfs.app.system import encode_ulid
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.packet import Card
from memfs.model.result import Result, ResultStatus
from memfs.model.settings import RankSettings

PROJECT: Final = "evaluation"
_ACTORS: Final[Mapping[str, Actor]] = MappingProxyType(
    {
        **{name: Actor(Principal.parse(f"user:{name}"), Channel.TERMINAL) for name in PEOPLE},
        AGENT: Actor(Principal.parse(f"agent:{AGENT}"), Channel.AGENT),
        TOOL: Actor(Principal.parse("tool:web"), Channel.TOOL),
    }
)
_SHOWN_DAY: Final = re.compile(r"(?:valid from|happened) (\d{4}-\d\d-\d\d)")
_DONE: Final = frozenset({ResultStatus.DONE, ResultStatus.NOTHING, ResultStatus.DUPLICATE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What the host that writes tells memfs; each can be left out.

    Attributes:
        has_origins: Who said it; without, all words are passed on as those of a person.
        has_subjects: What a claim is about.
        has_sources: What a note was made from.
        has_times: Since when something holds.
        has_scopes: Whose it is.
    """

    has_origins: bool = True
    has_subjects: bool = True
    has_sources: bool = True
    has_times: bool = True
    has_scopes: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way of running memfs.

    Attributes:
        host: What is told when it is written.
        rank: How an answer is ordered, and when there is none.
        has_start: What a session starts with stands before the answer.
    """

    host: Host = field(default_factory=Host)
    rank: RankSettings = field(default_factory=RankSettings)
    has_start: bool = False


VARIANTS: Final[Mapping[str, Variant]] = MappingProxyType(
    {
        "proposed": Variant(),
        "with-start": Variant(has_start=True),
        "no-graph": Variant(rank=RankSettings(graph=0.0)),
        "no-floor": Variant(rank=RankSettings(floor=0.0)),
        "no-outcomes": Variant(rank=RankSettings(outcome=0.0)),
        "words-alone": Variant(
            rank=RankSettings(recency=0.0, lineage=0.0, importance=0.0, outcome=0.0, graph=0.0)
        ),
        "no-origins": Variant(host=Host(has_origins=False)),
        "no-subjects": Variant(host=Host(has_subjects=False)),
        "no-sources": Variant(host=Host(has_sources=False)),
        "no-times": Variant(host=Host(has_times=False)),
        "no-scopes": Variant(host=Host(has_scopes=False)),
    }
)


class DeedClock:
    """Stands at the moment of each deed and goes on by a second with every look."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        """Returns the next second."""
        self._now += timedelta(seconds=1)
        return self._now

    def at(self, moment: datetime) -> None:
        """Goes to a moment; never back."""
        self._now = max(self._now, moment)


class DeedIds:
    """Ascending ids, the same for the same history."""

    def __init__(self, start: datetime) -> None:
        self._base = int(start.timestamp() * 1000) << 80
        self._count = 0

    def new_id(self, prefix: str) -> str:
        """Returns the next id."""
        self._count += 1
        return f"{prefix}_{encode_ulid(self._base + self._count * 7_919_003)}"


class Store:
    """A store in a home of its own that a history was played into."""

    def __init__(self, history: History, host: Host, scratch: Path) -> None:
        project = scratch / PROJECT
        project.mkdir(parents=True)
        env = environment(scratch) | {"MEMFS_HOME": str(scratch / "home")}
        init_store(
            folder=project,
            env=env,
            project=PROJECT,
            is_scripted=True,
            as_principal=f"user:{PEOPLE[0]}",
            yes=True,
        )
        start = history.deeds[0].at - timedelta(days=1)
        self.clock = DeedClock(start)
        workspace = open_workspace(start=project, env=env, clock=self.clock, ids=DeedIds(start))
        self.memory = Memory(workspace, _ACTORS[PEOPLE[0]])
        self._host = host
        self._made: dict[str, Result] = {}
        try:
            for deed in history.deeds:
                self._play(deed)
            self.clock.at(history.asked_at)
            self.memory.actor = _ACTORS[AGENT]
            self.memory.recall("bring the index up")
        except BaseException:
            workspace.store.close()
            raise

    def close(self) -> None:
        """Closes the store."""
        self.memory.workspace.store.close()

    def _play(self, deed: Deed) -> None:
        self.clock.at(deed.at)
        self.memory.actor = self._actor(deed)
        match deed.verb:
            case Verb.SAY | Verb.NOTE | Verb.PRINT:
                self._made[deed.name] = self._remember(deed)
            case Verb.CORRECT:
                (first,) = deed.of
                done = self.memory.correct(self._target(first), deed.text)
                self._made[deed.name] = _require(done)
            case Verb.FORGET:
                _require(self.memory.forget([self._target(name) for name in deed.of]))
            case Verb.ACCEPT:
                self._accept(deed)
            case Verb.RELATE:
                self._relate(deed)
            case Verb.TRY:
                (tried,) = deed.of
                _require(self.memory.outcome(self._target(tried), deed.result))

    def _actor(self, deed: Deed) -> Actor:
        return _ACTORS[deed.speaker if self._host.has_origins else PEOPLE[0]]

    def _target(self, name: str) -> str:
        return self._made[name].target

    def _remember(self, deed: Deed) -> Result:
        host = self._host
        is_private = bool(deed.scope) and host.has_scopes
        sources = [self._target(name) for name in deed.of] if host.has_sources else []
        return self.memory.remember(
            deed.text,
            kind=deed.kind,
            subject=deed.subject if host.has_subjects else "",
            scope=deed.scope if is_private else "",
            derived_from=sources,
            valid_from=str(deed.since) if deed.since and host.has_times else "",
        )

    def _accept(self, deed: Deed) -> None:
        """Accepts what waits; where nothing had to wait, it is accepted already."""
        for name in deed.of:
            if self._made[name].status is ResultStatus.WAITING:
                (done,) = self.memory.accept([self._target(name)])
                self._made[name] = _require(done)

    def _relate(self, deed: Deed) -> None:
        if deed.ends is None:
            raise ValueError(deed.name)
        start, relation, end = deed.ends
        for name in (start, end):
            _require(self.memory.add_entity(name))
        self._made[deed.name] = _require(self.memory.relate(start, end, relation))


class Recalling:
    """Asks a store as the agent, with the settings of a variant."""

    def __init__(self, store: Store, variant: Variant) -> None:
        settings = store.memory.workspace.settings
        recall = replace(settings.recall, rank=variant.rank)
        workspace = replace(store.memory.workspace, settings=replace(settings, recall=recall))
        self._memory = Memory(workspace, _ACTORS[AGENT])
        self._has_start = variant.has_start

    def ask(self, question: Question) -> Context:
        """Returns the packet that recall hands to the agent.

        Raises:
            AssertionError: To ask has changed the ledger.
        """
        before = self._memory.ledger
        valid_at = str(question.on) if question.rule is Rule.AT else ""
        start = time.process_time()
        packets = [self._memory.context(is_session_start=True)] if self._has_start else []
        found = self._memory.recall(
            question.text, budget=BUDGET_TOKENS, limit=ITEMS, valid_at=valid_at
        )
        seconds = time.process_time() - start
        packets.insert(0, found)
        if self._memory.ledger != before:
            raise AssertionError(f"asking {question.name} changed the ledger")
        return Context(
            text="".join(packet.text for packet in packets),
            passages=tuple(passage_of(card) for packet in packets for card in packet.cards),
            seconds=seconds,
        )

    def close(self) -> None:
        """Leaves the store to those who ask it next."""


def passage_of(card: Card) -> Passage:
    """Reads a card as the agent does, from its text alone."""
    lines = card.text.splitlines()
    head = "\n".join(line for line in lines if not line.startswith(">"))
    shown = _SHOWN_DAY.search(head)
    return Passage(
        words="\n".join(line[2:] for line in lines if line.startswith(">")),
        day=day_in(shown[0]) if shown else day_in(head),
        is_person="authority user" in head,
    )


def askers_of(variants: Mapping[str, Variant]) -> Mapping[Host, dict[str, Variant]]:
    """Groups variants by what is told when it is written: those can share a store."""
    groups: dict[Host, dict[str, Variant]] = {}
    for name, variant in variants.items():
        groups.setdefault(variant.host, {})[name] = variant
    return groups


def _require(result: Result) -> Result:
    if result.status not in _DONE:
        raise AssertionError(f"{result.action} {result.target}: {result.status} {result.message}")
    return result
