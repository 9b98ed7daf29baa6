"""Chains: the tree of runs that one run started, and what came before and after each (C36, C7).

A chain is read from the raw files: lineage stands in lines of its own in each, so that a scan of
bytes finds the runs of a chain among ten thousand and only those are decoded. A run that was
replaced and the one in its place are one node.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from memfs.domains.runs.views import RunView, going_on, seen_run, show_run
from memfs.model.origin import Actor
from memfs.model.record import StoredRecord
from memfs.services.gate import access_request
from memfs.services.ports import Workspace
from memfs.services.served_records import record_from
from memfs.store.snapshot import Snapshot

_LINE: Final = re.compile(
    rb"^(?P<name>parent|previous|root|superseded_by): [\"']?(?P<run>run_[0-9a-z]{26})[\"']?\s*$",
    re.MULTILINE,
)
_FOLDER: Final = "runs/"
MOST: Final = 2_000
"""So many runs one chain shows at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainNode:
    """One run in its chain.

    Attributes:
        run: ``run_…``.
        view: The run; ``None`` where this store has none of that id that may be seen.
        following: Runs that name it as the one before them, oldest first.
        children: Runs that it started, oldest first.
    """

    run: str
    view: RunView | None
    following: tuple[str, ...] = ()
    children: tuple[ChainNode, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChain:
    """The chain of one run.

    Attributes:
        run: The run that was asked for, or the one in its place.
        root: The first run of the chain.
        ancestors: From the run's parent up to the root.
        descendants: All that it started, and they, in no order but that of the tree.
        tree: The whole chain from its root.
        previous: What came before the run in the project; empty for nothing.
        following: What came after it.
    """

    run: str
    root: str
    ancestors: tuple[str, ...]
    descendants: tuple[str, ...]
    tree: ChainNode
    previous: str = ""
    following: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Link:
    """The lineage that one file states."""

    path: str
    blob: str
    run: str
    lines: Mapping[str, str]


def run_chain(workspace: Workspace, reference: str, actor: Actor) -> RunChain:
    """Returns the chain that a run is in.

    Raises:
        UnknownRecordError: There is no such run, or none that may be seen.
        AmbiguousRecordError: Several are meant.
    """
    asked = show_run(workspace, reference, actor)
    snapshot = workspace.store.snapshot()
    request = access_request(workspace, actor)
    links = _links(snapshot)
    place = _places(links)
    notes = {view.run: view for view in going_on(workspace, request)}
    run = place.get(asked.run, asked.run)
    root = place.get(asked.root, asked.root) or run
    views: dict[str, RunView | None] = dict(notes)
    for stored in _chain_records(workspace, snapshot, links, place, root):
        view = seen_run(stored, request)
        if view is not None:
            views[place.get(view.run, view.run)] = view
    views.setdefault(run, asked)
    members = {name: view for name, view in views.items() if view is not None}
    parents = {
        name: place.get(view.parent, view.parent)
        for name, view in members.items()
        if name in (root, run) or place.get(view.root, view.root) == root
    }
    for parent in set(parents.values()) - {"", root, *members}:
        # Not here, or not to be seen: what it started stands below it all the same.
        parents[parent] = root
    after = _following(links, notes.values(), place)
    known = {link.run: link for link in links}

    def may_see(name: str) -> bool:
        if name in members or name in notes:
            return True
        stored = _decoded(workspace, snapshot, known.get(name))
        return stored is not None and seen_run(stored, request) is not None

    before = place.get(asked.previous, asked.previous)
    after = {
        name: tuple(item for item in after.get(name, ()) if may_see(item))
        for name in {*members, run, root}
    }
    tree = _node(root, members, _children(parents, members), after, {root})
    ancestors = _ancestors(run, parents)
    return RunChain(
        run=run,
        root=root,
        ancestors=ancestors,
        descendants=_descendants(_found(tree, run)),
        tree=tree,
        previous=before if may_see(before) else "",
        following=after.get(run, ()),
    )


def _links(snapshot: Snapshot) -> tuple[_Link, ...]:
    places = {entry.path: entry.blob for entry in snapshot.entries(_FOLDER)}
    content = dict(snapshot.read_blobs(list(dict.fromkeys(places.values()))))
    return tuple(
        _Link(path, blob, path.rpartition("/")[2].partition(".")[0], _stated(content[blob]))
        for path, blob in places.items()
        if blob in content
    )


def _stated(content: bytes) -> dict[str, str]:
    end = content.find(b"\n---", 3)
    head = content[: end if end > 0 else len(content)]
    return {
        match["name"].decode("ascii"): match["run"].decode("ascii")
        for match in _LINE.finditer(head)
    }


def _places(links: Iterable[_Link]) -> dict[str, str]:
    """Returns for each run that was replaced the one that stands in its place in the end."""
    successors = {
        link.run: link.lines["superseded_by"] for link in links if "superseded_by" in link.lines
    }
    found = {}
    for run in successors:
        last, passed = run, {run}
        while last in successors and successors[last] not in passed:
            last = successors[last]
            passed.add(last)
        found[run] = last
    return found


def _chain_records(
    workspace: Workspace,
    snapshot: Snapshot,
    links: Iterable[_Link],
    place: Mapping[str, str],
    root: str,
) -> list[StoredRecord]:
    """Decodes the files of one chain, those of runs that stand."""
    wanted = [
        link
        for link in links
        if link.run not in place
        and (
            link.run == root
            or place.get(link.lines.get("root", ""), link.lines.get("root", "")) == root
        )
    ]
    chosen = sorted(wanted, key=lambda link: link.run)[:MOST]
    records = (_decoded(workspace, snapshot, link) for link in chosen)
    return [stored for stored in records if stored is not None]


def _decoded(workspace: Workspace, snapshot: Snapshot, link: _Link | None) -> StoredRecord | None:
    if link is None:
        return None
    return record_from(workspace, link.path, link.blob, snapshot.read_blob(link.blob))


def _following(
    links: Iterable[_Link], notes: Iterable[RunView], place: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Returns for each run those that name it as the one before them."""
    found: dict[str, set[str]] = defaultdict(set)
    for link in links:
        if "previous" in link.lines and link.run not in place:
            before = link.lines["previous"]
            found[place.get(before, before)].add(link.run)
    for view in notes:
        if view.previous:
            found[place.get(view.previous, view.previous)].add(view.run)
    return {run: tuple(sorted(after)) for run, after in found.items()}


def _children(parents: Mapping[str, str], members: Mapping[str, RunView]) -> dict[str, list[str]]:
    children: dict[str, list[str]] = defaultdict(list)
    for run, parent in parents.items():
        if parent and parent != run:
            children[parent].append(run)
    for found in children.values():
        found.sort(key=lambda run: (_moment(members.get(run)), run))
    return children


def _node(
    run: str,
    members: Mapping[str, RunView],
    children: Mapping[str, list[str]],
    after: Mapping[str, tuple[str, ...]],
    passed: set[str],
) -> ChainNode:
    """Builds the tree below a run without recursion deeper than the chain; a cycle ends."""
    order: list[str] = []
    waiting = [run]
    while waiting:
        name = waiting.pop()
        order.append(name)
        new = [child for child in children.get(name, ()) if child not in passed]
        passed.update(new)
        waiting.extend(new)
    built: dict[str, ChainNode] = {}
    for name in reversed(order):
        built[name] = ChainNode(
            run=name,
            view=members.get(name),
            following=after.get(name, ()),
            children=tuple(built.pop(child) for child in children.get(name, ()) if child in built),
        )
    return built[run]


def _ancestors(run: str, parents: Mapping[str, str]) -> tuple[str, ...]:
    found: list[str] = []
    while (parent := parents.get(run, "")) and parent not in found:
        found.append(parent)
        run = parent
    return tuple(found)


def _found(tree: ChainNode, run: str) -> ChainNode | None:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node.run == run:
            return node
        waiting.extend(node.children)
    return None


def _descendants(node: ChainNode | None) -> tuple[str, ...]:
    found: list[str] = []
    waiting = list(reversed(node.children)) if node is not None else []
    while waiting:
        child = waiting.pop()
        found.append(child.run)
        waiting.extend(reversed(child.children))
    return tuple(found)


def _moment(view: RunView | None) -> float:
    return view.started.timestamp() if view is not None and view.started is not None else 0.0
