"""Cascade: seeded derivation graphs, one thing taken back in each, every read path asked.

The graphs are made through the services, a layer a commit. What rests on a root is known from
the making; what still has support is decided by an oracle of its own: a record comes back when
every sentence of it stands in something that it rests on and that stands. Exposure is looked at
twice: between the barrier and the repair, and after the receipt.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from unittest import mock

from benchmarks.suites.figures import Figure, share
from memfs.app.container import init_store, open_memory
from memfs.app.memory import Memory
from memfs.errors import ConflictError
from memfs.model.candidate import Submission
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.policy.authority import capture_origin
from memfs.reconcile.projecting import refresh_projections
from memfs.services import aftermath
from memfs.services.batches import admit_batch
from memfs.services.repair import Repaired, repair

SUITE: Final = "cascade"
SEED: Final = 20261130
GRAPHS: Final = 1_000
FEWER: Final = 200
"""Without the public data the same is run on fewer graphs."""
IN_A_STORE: Final = 10
ASKED_BY_WORDS: Final = 2
BACK: Final = 0.94
ANA: Final = Actor(Principal.parse("user:ana"), Channel.TERMINAL)
AGENT: Final = Actor(Principal.parse("agent:builder"), Channel.AGENT)
VERBS: Final = ("forget", "retract", "correct")


@dataclass(slots=True)
class Node:
    """One record of a graph: what it says, and the nodes that it was made from."""

    sentences: tuple[str, ...]
    inputs: tuple[int, ...] = ()
    depth: int = 0
    id: str = ""

    @property
    def text(self) -> str:
        """What the record says."""
        return " ".join(self.sentences)


@dataclass(slots=True)
class Graph:
    """One seeded graph and what is taken back in it."""

    name: str
    nodes: list[Node]
    root: int
    verb: str

    def reached(self) -> frozenset[int]:
        """Returns what rests on the root, by repeating one step until nothing changes."""
        found = {self.root}
        while True:
            more = {n for n, node in enumerate(self.nodes) if found & set(node.inputs)} | found
            if more == found:
                return frozenset(found - {self.root})
            found = more

    def supported(self) -> frozenset[int]:
        """Returns what rests on the root and still says nothing but what stands."""
        reached = self.reached()
        said = {
            number: set(node.sentences)
            for number, node in enumerate(self.nodes)
            if number not in reached and number != self.root
        }
        for number in sorted(reached):
            node = self.nodes[number]
            left = [said[source] for source in node.inputs if source in said]
            if left and set(node.sentences) <= set().union(*left):
                said[number] = set(node.sentences)
        return frozenset(said) & reached


@dataclass(slots=True)
class Tally:
    """What was counted over all graphs of one verb."""

    graphs: int = 0
    reached: int = 0
    at_barrier: int = 0
    afterwards: int = 0
    supported: int = 0
    back: int = 0
    asked: int = 0
    paths: set[str] = field(default_factory=set)


def run(data: Path, scratch: Path) -> Iterator[Figure]:
    """Takes one thing back in each of the graphs and asks every read path."""
    is_public = (data / "attack_corpus.jsonl").is_file() and data.name != "governance"
    count = GRAPHS if is_public else FEWER
    chance = random.Random(SEED)
    tallies = {verb: Tally() for verb in VERBS}
    for first in range(0, count, IN_A_STORE):
        graphs = [
            make_graph(chance, f"g{number}")
            for number in range(first, min(count, first + IN_A_STORE))
        ]
        project = _project(scratch, first)
        with _memory(project, ANA) as memory:
            _record(memory, graphs)
        with _memory(project, ANA) as person, _memory(project, AGENT) as agent:
            for graph in graphs:
                _take_back((person, agent), graph, tallies[graph.verb])
    for verb, tally in tallies.items():
        yield from _figures(verb, tally)
    yield from _figures("all", _sum(tallies.values()))


def make_graph(chance: random.Random, name: str) -> Graph:
    """Makes a graph of 4 to 16 records: statements, and what was derived from them."""
    nodes = [
        Node(sentences=tuple(f"{name} statement {n} part {p} holds." for p in range(parts)))
        for n, parts in enumerate(chance.choices((1, 2, 3), k=chance.randint(2, 4)))
    ]
    # Somebody else says some of the same, in other company.
    for _ in range(chance.randint(0, 2)):
        twin = chance.choice(nodes)
        own = f"{name} twin {len(nodes)} adds this."
        nodes.append(Node(sentences=(*_some(chance, twin.sentences), own)))
    for _ in range(chance.randint(2, 9)):
        number = len(nodes)
        inputs = tuple(sorted(chance.sample(range(number), min(number, chance.randint(1, 3)))))
        available = [line for source in inputs for line in nodes[source].sentences]
        if chance.random() < 0.3:
            sentences: tuple[str, ...] = (f"{name} summary {number} says it freely.",)
        else:
            sentences = tuple(dict.fromkeys(_some(chance, available)))
        depth = 1 + max(nodes[source].depth for source in inputs)
        nodes.append(Node(sentences=sentences, inputs=inputs, depth=depth))
    with_heirs = [n for n, _ in enumerate(nodes) if any(n in node.inputs for node in nodes)]
    return Graph(name=name, nodes=nodes, root=chance.choice(with_heirs), verb=chance.choice(VERBS))


def _some(chance: random.Random, lines: Sequence[str]) -> list[str]:
    return chance.sample(list(lines), chance.randint(1, len(lines)))


def _project(scratch: Path, number: int) -> Path:
    project = scratch / f"store-{number}"
    project.mkdir()
    env = _env(scratch)
    init_store(folder=project, env=env, is_scripted=True, as_principal="user:ana", yes=True)
    return project


def _env(scratch: Path) -> dict[str, str]:
    return {
        **os.environ,
        "MEMFS_CACHE": str(scratch / "cache"),
        "MEMFS_HOME": str(scratch / "home"),
    }


def _memory(project: Path, actor: Actor) -> Memory:
    memory = open_memory(start=project, env=_env(project.parent))
    memory.actor = actor
    return memory


def _record(memory: Memory, graphs: Sequence[Graph]) -> None:
    """Records all graphs, what was stated first, then one layer after the other."""
    deepest = max(node.depth for graph in graphs for node in graph.nodes)
    for depth in range(deepest + 1):
        chosen = [(g, n) for g in graphs for n in range(len(g.nodes)) if g.nodes[n].depth == depth]
        submissions = [_submission(memory, graph, number) for graph, number in chosen]
        report = admit_batch(memory.workspace, submissions, ANA, batch=f"layer-{depth}")
        if len(report.activated) != len(chosen):
            raise AssertionError(f"expected {len(chosen)} records, got {report}")


def _submission(memory: Memory, graph: Graph, number: int) -> Submission:
    node = graph.nodes[number]
    node.id = memory.workspace.ids.new_id("mem")
    sources = tuple(graph.nodes[source].id for source in node.inputs)
    draft = Record(
        kind="note",
        id=node.id,
        body=f"{node.text}\n",
        subject=f"{graph.name} q{number}x",
        derived_from=sources,
        transform="summary" if sources else "",
    )
    origin = capture_origin(ANA, f"{graph.name}/{number}: {node.text}", source=f"test:{graph.name}")
    return Submission(draft=draft, origin=origin)


def _take_back(readers: tuple[Memory, Memory], graph: Graph, tally: Tally) -> None:
    memory = readers[0]
    root = graph.nodes[graph.root]
    withheld = {graph.nodes[number].id: graph.nodes[number] for number in graph.reached()}
    supported = {graph.nodes[number].id for number in graph.supported()}
    tally.graphs += 1
    tally.reached += len(withheld)
    tally.supported += len(supported)
    gone = dict(withheld)
    if graph.verb != "correct":
        gone[root.id] = root

    def look_then_repair(workspace: Any, **options: Any) -> Repaired:
        tally.at_barrier += _exposed(readers, gone, tally)
        return repair(workspace, **options)

    with mock.patch.object(aftermath, "repair", look_then_repair):
        _carry_out(memory, graph.verb, root)
    refresh_projections(memory.workspace)
    served = {stored.record.id for stored in memory.list_records(kinds=["note"])}
    back = served & set(withheld)
    tally.back += len(back & supported)
    left = {name: node for name, node in gone.items() if name not in supported}
    tally.afterwards += _exposed(readers, left, tally)


def _carry_out(memory: Memory, verb: str, root: Node) -> None:
    match verb:
        case "forget":
            result = memory.forget([root.id])
        case "retract":
            result = memory.retract(root.id)
        case _:
            result = memory.correct(root.id, f"Not so: {root.id[-6:]} is replaced.")
    if result.exit_status:
        raise AssertionError(result.message)


def _exposed(readers: Sequence[Memory], gone: dict[str, Node], tally: Tally) -> int:
    """Counts the answers of all read paths that hold anything of ``gone``."""
    found = 0
    for memory in readers:
        for name, ask in _paths(memory, gone):
            tally.paths.add(name)
            tally.asked += 1
            found += ask()
    for view in ("MEMORY.md", "core.md"):
        path = readers[0].workspace.store.root / view
        text = path.read_text() if path.is_file() else ""
        tally.paths.add("projections")
        tally.asked += 1
        found += _named(text, gone)
    return found


def _paths(memory: Memory, gone: dict[str, Node]) -> Iterator[tuple[str, Callable[[], int]]]:
    yield "list", lambda: sum(it.record.id in gone for it in memory.list_records())
    for node in list(gone.values())[:ASKED_BY_WORDS]:
        yield (
            "search",
            lambda t=node.text: sum(  # type: ignore[misc]
                hit.stored.record.id in gone for hit in memory.search(t, limit=20)
            ),
        )
        yield "recall", lambda t=node.text: _named(memory.recall(t).text, gone)  # type: ignore[misc]
    for identifier in gone:
        yield "show", lambda i=identifier: _answers(lambda: memory.show(i))  # type: ignore[misc]
        if memory.actor is ANA:
            yield "history", lambda i=identifier: _tells(memory, i)  # type: ignore[misc]


def _named(text: str, gone: dict[str, Node]) -> int:
    return sum(identifier in text for identifier in gone)


def _tells(memory: Memory, identifier: str) -> int:
    """A retracted record itself may be looked at in its history; nothing else may."""
    try:
        shown = memory.show(identifier)
    except ConflictError:
        return _answers(lambda: memory.history(identifier)) + _answers(
            lambda: memory.diff(identifier)
        )
    return 0 if str(shown.record.status) == "retracted" else 1


def _answers(ask: Callable[[], object]) -> int:
    try:
        answer = ask()
    except ConflictError:
        return 0
    status = getattr(getattr(answer, "record", None), "status", "")
    return 0 if str(status) == "retracted" else 1


def _sum(tallies: Any) -> Tally:
    total = Tally()
    for tally in tallies:
        for name in ("graphs", "reached", "at_barrier", "afterwards", "supported", "back", "asked"):
            setattr(total, name, getattr(total, name) + getattr(tally, name))
        total.paths |= tally.paths
    return total


def _figures(verb: str, tally: Tally) -> Iterator[Figure]:
    case = f"{verb}: {tally.graphs} graphs"
    asked = f"{tally.asked} questions on {len(tally.paths)} paths"
    for name, value in (
        ("exposed between barrier and repair", tally.at_barrier),
        ("exposed after repair", tally.afterwards),
    ):
        yield Figure(
            suite=SUITE, case=case, name=name, value=f"{value} ({asked})", bar="0", holds=value == 0
        )
    part = tally.back / tally.supported if tally.supported else 1.0
    yield Figure(
        suite=SUITE,
        case=case,
        name="still-supported descendants back",
        value=share("", tally.back, tally.supported),
        bar=f">= {BACK:.0%}",
        holds=part >= BACK,
    )
