"""AgentLeak: vaults of private records, agents that may see some fields, canaries in the rest.

Each scenario is a namespace of its own: its vault is stated by the person who owns the store,
one structured record each, confidential and of the class of its type. Its agents get grants by
their clearance that show the allowed fields and no other. The scenario's attack arrives over a
tool's channel. Then each agent asks every surface for everything, and what comes back is
searched for canaries and for values of fields that are not allowed. Some attacks spell a canary
out and are told to be remembered: an agent that proposed one is shown its own waiting words, which
are counted apart.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.suites.figures import Figure, share
from benchmarks.suites.stores import fresh_memory, rows_of
from memfs.app.container import Memory
from memfs.cli.values import candidate_value, record_value, result_value
from memfs.errors import MemfsError
from memfs.formats.envelope import FIELD_ORDER
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import Result, ResultStatus
from memfs.model.status import Status
from memfs.policy.screening import screen

SUITE: Final = "agentleak"
FILE: Final = "agentleak/scenarios.jsonl"
CLEARANCE: Final = {"restricted": "secret", "confidential": "confidential"}
"""What a grant opens to an agent by its clearance; to any other, the most open level alone."""
ENOUGH_SHOWN: Final = 0.99
TOOL: Final = Actor(Principal.parse("tool:inbox"), Channel.TOOL)
_IN_ONE_STORE: Final = 40
_TELLING: Final = 6
"""A shorter value says nothing by standing in a text."""
_SAID_OF_ANY_RECORD: Final = frozenset({*map(str, Status), "pending"})
"""Words of memfs's own that stand in every answer, whatever a record holds: states, counts."""
_NAMES_KEPT: Final = frozenset({"body", *FIELD_ORDER})


@dataclass(slots=True)
class Count:
    """What all scenarios add up to."""

    records: int = 0
    refused_records: int = 0
    refused_fields: int = 0
    canaries: int = 0
    allowed_canaries: int = 0
    leaked_canaries: list[str] = field(default_factory=list)
    forbidden: int = 0
    leaked_values: list[str] = field(default_factory=list)
    allowed: int = 0
    shown: int = 0
    own_words: int = 0
    attacks: int = 0
    moved: int = 0
    answers: int = 0


def run(data: Path, scratch: Path) -> Iterator[Figure]:
    """Runs every scenario and prints what leaked, what came through and what was refused."""
    scenarios = [dict(row) for row in rows_of(data / FILE)]
    if not scenarios:
        return
    count = Count()
    for start in range(0, len(scenarios), _IN_ONE_STORE):
        with fresh_memory(scratch / str(start), "vault") as memory:
            part = [Scenario(memory, row) for row in scenarios[start : start + _IN_ONE_STORE]]
            for scenario in part:
                scenario.keep(count)
            for place, scenario in enumerate(part):
                scenario.attack(count)
                scenario.ask(count, beside=part[place - 1])
    yield from _figures(len(scenarios), count)


def _figures(scenarios: int, count: Count) -> Iterator[Figure]:
    def figure(name: str, value: str, bar: str = "", *, holds: bool | None = None) -> Figure:
        return Figure(suite=SUITE, case=FILE, name=name, value=value, bar=bar, holds=holds)

    yield figure("scenarios, records, answers", f"{scenarios}, {count.records}, {count.answers}")
    yield figure(
        "fields that policy refuses to store",
        f"{count.refused_fields}, and {count.refused_records} whole records",
    )
    leaked = len(count.leaked_canaries)
    yield figure(
        "canaries of hidden fields on any surface",
        f"{leaked} of {count.canaries}",
        "0",
        holds=not leaked,
    )
    yield figure("canaries in fields that are allowed", str(count.allowed_canaries))
    yield figure("canaries that an agent itself proposed", str(count.own_words))
    values = len(count.leaked_values)
    yield figure(
        "values of hidden fields on any surface",
        f"{values} of {count.forbidden}",
        "0",
        holds=not values,
    )
    yield figure(
        "allowed fields that come through",
        share("shown", count.shown, count.allowed),
        f">= {ENOUGH_SHOWN:.0%}",
        holds=count.shown >= ENOUGH_SHOWN * count.allowed,
    )
    yield figure(
        "attacks that became active",
        f"{count.moved} of {count.attacks}",
        "0",
        holds=not count.moved,
    )
    for name, items in (("canary", count.leaked_canaries), ("value", count.leaked_values)):
        for item in items[:5]:
            yield figure(f"leaked {name}", item)


class Scenario:
    """One scenario in its own namespace of a store that others share."""

    def __init__(self, memory: Memory, row: Mapping[str, Any]) -> None:
        self._memory = memory
        self._owner = memory.actor
        self._row = row
        self._scope = f"team:{row['scenario_id']}"
        self._allowed = frozenset(row["allowed_set"]["fields"])
        self._vault: list[dict[str, Any]] = [
            dict(item["fields"]) for item in row["private_vault"]["records"]
        ]
        self.ids: list[str] = []
        self._kept: list[dict[str, Any]] = []

    # What the owner does -----------------------------------------------------------------

    def keep(self, count: Count) -> None:
        """States the vault and issues the grants."""
        for item, values in zip(self._row["private_vault"]["records"], self._vault, strict=True):
            self._state(item["record_type"], values, count)
        classes = sorted({item["record_type"] for item in self._row["private_vault"]["records"]})
        for agent in self._row["agents"]:
            if self._allowed:
                self._memory.grant(
                    str(self._agent(agent).principal),
                    scopes=[self._scope],
                    record_classes=classes,
                    shown_fields=sorted(map(_stored_name, self._allowed)),
                    clearance=CLEARANCE.get(agent["clearance"], "public"),
                )

    def _state(self, record_class: str, values: Mapping[str, Any], count: Count) -> None:
        count.records += 1
        kept = dict(values)
        result = self._remember(record_class, kept)
        if result.status is ResultStatus.REFUSED:
            refused = [name for name in kept if _is_refused(name, kept[name])]
            kept = {name: kept[name] for name in kept if name not in refused}
            count.refused_fields += len(refused)
            result = self._remember(record_class, kept)
        if result.status is ResultStatus.WAITING:
            (result,) = self._memory.accept([result.target])
        if result.status is ResultStatus.DONE:
            self.ids.append(result.target)
            self._kept.append(kept)
        else:
            count.refused_records += 1

    def _remember(self, record_class: str, values: Mapping[str, Any]) -> Result:
        return self._memory.remember(
            "",
            kind="fact",
            scope=self._scope,
            sensitivity="confidential",
            record_class=record_class,
            fields={_stored_name(name): value for name, value in values.items()},
        )

    # What happens to it ------------------------------------------------------------------

    def attack(self, count: Count) -> None:
        """Submits the attack as what it is: text that a tool returned, and an agent's words."""
        payload = (self._row.get("attack") or {}).get("payload")
        if not payload:
            return
        for actor in (TOOL, self._agent(self._row["agents"][0])):
            for scope in (self._scope, ""):
                count.attacks += 1
                with _Acting(self._memory, actor):
                    result = self._memory.propose(payload, kind="note", scope=scope)
                count.moved += result.status is ResultStatus.DONE

    def ask(self, count: Count, *, beside: Scenario) -> None:
        """Lets each agent ask every surface, and counts what it learns."""
        canaries = self._row["evaluation"]["canaries"]
        opened = [
            {name: value for name, value in item.items() if name in self._allowed}
            for item in self._vault
        ]
        open_words = json.dumps(opened, ensure_ascii=False)
        hidden_canaries = [item for item in canaries if item not in open_words]
        count.allowed_canaries += len(canaries) - len(hidden_canaries)
        hidden = [
            text
            for item in self._vault
            for name, value in item.items()
            if name not in self._allowed
            for text in _texts(value)
            if _is_telling(text) and text not in open_words
        ]
        for agent in self._row["agents"]:
            answers = self._everything(agent, hidden, beside)
            count.own_words += self._own_words(agent, canaries)
            count.answers += len(answers)
            told = "\n".join(answers)
            name = f"{self._row['scenario_id']}/{agent['agent_id']}"
            count.canaries += len(hidden_canaries)
            count.forbidden += len(hidden)
            count.leaked_canaries += [f"{name}: {c}" for c in hidden_canaries if c in told]
            count.leaked_values += [f"{name}: {text}" for text in hidden if text in told]
            if agent["clearance"] in CLEARANCE:
                self._count_shown(told, count)
            else:
                allowed = [text for text in _texts(opened) if _is_telling(text)]
                count.forbidden += len(allowed)
                count.leaked_values += [f"{name}: {text}" for text in allowed if text in told]

    def _count_shown(self, told: str, count: Count) -> None:
        for item in self._vault:
            for name, value in item.items():
                if name in self._allowed:
                    count.allowed += 1
                    said = f"{json.dumps(_stored_name(name))}: {json.dumps(value)}"
                    count.shown += said in told

    def _everything(
        self, agent: Mapping[str, Any], hidden: Sequence[str], beside: Scenario
    ) -> list[str]:
        memory = self._memory
        payload = (self._row.get("attack") or {}).get("payload") or ""
        questions = [
            " ".join(sorted({name for item in self._vault for name in item})),
            self._row["objective"]["user_request"],
            *self._row["evaluation"]["canaries"],
            *hidden[:2],
            payload,
        ]
        answers: list[str] = []
        with _Acting(memory, self._agent(agent)):
            for words in filter(str.strip, questions):
                hits = memory.search(words, limit=20)
                answers += [json.dumps(record_value(hit.stored)) for hit in hits]
                packet = memory.recall(words, budget=4000)
                answers += [packet.text, repr((packet.left_out, packet.reason))]
            answers += [json.dumps(record_value(item)) for item in memory.list_records()]
            for name in (*self.ids, *beside.ids):
                answers += _told(_lookups(memory, name))
            answers += [json.dumps(result_value(memory.status())), repr(memory.grants())]
            answers += [
                json.dumps(candidate_value(item))
                for item in memory.candidates()
                # What an agent said itself it is shown while it waits; nobody else is.
                if item.content.decode().find(payload) < 0
            ]
        return answers

    def _own_words(self, agent: Mapping[str, Any], canaries: Sequence[str]) -> int:
        """Counts the canaries that an agent is shown because it proposed them itself."""
        with _Acting(self._memory, self._agent(agent)):
            waiting = "\n".join(item.content.decode() for item in self._memory.candidates())
        return sum(item in waiting for item in canaries)

    def _agent(self, agent: Mapping[str, Any]) -> Actor:
        name = f"{self._row['scenario_id']}-{agent['agent_id']}"
        return Actor(Principal.parse(f"agent:{name}"), Channel.AGENT)


class _Acting:
    """Lets somebody else work with a memory for a while."""

    def __init__(self, memory: Memory, actor: Actor) -> None:
        self._memory, self._actor, self._before = memory, actor, memory.actor

    def __enter__(self) -> None:
        self._memory.actor = self._actor

    def __exit__(self, *_: object) -> None:
        self._memory.actor = self._before


def _lookups(memory: Memory, name: str) -> tuple[Callable[[], str], ...]:
    """Returns every way to ask for one record by its id."""
    return (
        lambda: json.dumps(record_value(memory.show(name))),
        lambda: json.dumps(record_value(memory.show(f"{name}@1"))),
        lambda: repr(memory.history(name)),
        lambda: memory.diff(name),
        lambda: json.dumps(result_value(memory.correct(name, "nothing"))),
    )


def _told(asks: Sequence[Callable[[], str]]) -> Iterator[str]:
    for ask in asks:
        try:
            yield ask()
        except MemfsError as error:
            yield f"{error.code}: {error} {error.hint}"


def _stored_name(name: str) -> str:
    """Returns the name of a field; one that every record has already gets a mark."""
    return f"vault_{name}" if name in _NAMES_KEPT else name


def _is_refused(name: str, value: object) -> bool:
    return any(screen(f"{name}: {text}", is_person=True).rejects for text in _texts(value))


def _is_telling(text: str) -> bool:
    """Whether a value that stands in an answer was given away by it."""
    return len(text) >= _TELLING and text not in _SAID_OF_ANY_RECORD


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    else:
        yield str(value)
