"""Runs and their chains as text, as JSON and as a chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memfs.cli.terminal import columns, faint, is_terminal, printable, strong
from memfs.cli.text import record_page
from memfs.cli.values import record_value
from memfs.model.ids import short_id
from memfs.model.instants import format_instant
from memfs.model.record import StoredRecord
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from rich.tree import Tree

    from memfs.domains.runs.chain import ChainNode, RunChain
    from memfs.domains.runs.views import RunView

_UNSEEN = "(not in this store)"
_IN_PROSE = frozenset(
    ("state", "exit_code", "duration_s", "accomplished", "issues", "next", "workers", "verdict")
)


def run_lines(views: Sequence[RunView]) -> str:
    """Returns one line a run: end of the id, state, when, and what came of it."""
    return columns(
        (short_id(view.run), str(view.state), _minute(view), _line(view)) for view in views
    )


def run_page(view: RunView) -> str:
    """Returns a run as a page; one that goes on is told as far as it is known."""
    head = "".join(
        f"{strong('replaced')}: {older} says otherwise and was replaced by this run\n"
        for older in view.replaces
    )
    if view.stored is not None:
        return head + record_page(_short(view.stored))
    facts = [
        ("state", str(view.state)),
        ("started", format_instant(view.started) if view.started else ""),
        ("workflow", view.workflow),
        ("parent", view.parent),
        ("previous", view.previous),
        ("root", view.root),
        ("session", view.session),
    ]
    rows = columns([(name, printable(value)) for name, value in facts if value], indent="  ")
    said = f"\n\n{printable(view.summary)}" if view.summary else ""
    return f"{faint(view.run)}\n{strong(printable(view.task))}\n\n{rows}{said}\n"


def _short(stored: StoredRecord) -> StoredRecord:
    """Returns a run without the fields that its prose says already."""
    fields = {
        name: ", ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in stored.record.fields.items()
        if name not in _IN_PROSE
    }
    return replace(stored, record=replace(stored.record, fields=fields))


def run_value(view: RunView, *, is_whole: bool = False) -> dict[str, JsonValue]:
    """Returns a run as plain data; with its whole record where that is asked for."""
    value: dict[str, JsonValue] = {
        "run": view.run,
        "state": str(view.state),
        "task": view.task,
        "summary": view.summary,
        "started": format_instant(view.started) if view.started else "",
        "finished": format_instant(view.finished) if view.finished else "",
        "workflow": view.workflow,
        "parent": view.parent,
        "previous": view.previous,
        "root": view.root,
        "session": view.session,
        "issues": list(view.issues),
        "next": list(view.next),
        "replaces": list(view.replaces),
    }
    if is_whole and view.stored is not None:
        value["record"] = record_value(view.stored)
    return value


def chain_text(chain: RunChain) -> str:
    """Returns the tree of a chain, and what came before and after the run in the project."""
    tree = "\n".join(_branch(chain.tree, chain.run))
    return f"{tree}\n\n{_beside(chain)}"


def chain_tree(chain: RunChain) -> Tree:
    """Returns the same tree for a terminal to draw."""
    from rich.text import Text  # nobody else needs it
    from rich.tree import Tree

    drawn = Tree(Text.from_ansi(_label(chain.tree, chain.run)))
    waiting = [(drawn, chain.tree)]
    while waiting:
        branch, node = waiting.pop()
        for child in node.children:
            waiting.append((branch.add(Text.from_ansi(_label(child, chain.run))), child))
    return drawn


def chain_beside(chain: RunChain) -> str:
    """Returns what came before and after a run, a line each."""
    return _beside(chain)


def chain_mermaid(chain: RunChain) -> str:
    """Returns a chain as a Mermaid flowchart: parents in full lines, previous runs in dotted."""
    nodes = list(_nodes(chain.tree))
    names = {node.run: f"r{number}" for number, node in enumerate(nodes)}
    lines = ["flowchart TD"]
    for node in nodes:
        label = f"{short_id(node.run)} {_state(node)}<br/>{_charted(_task(node))}"
        lines.append(f'    {names[node.run]}["{label}"]')
    for node in nodes:
        lines += [f"    {names[node.run]} --> {names[child.run]}" for child in node.children]
    for node in nodes:
        lines += [
            f"    {names[node.run]} -. next .-> {names[after]}"
            for after in node.following
            if after in names
        ]
    lines.append(f"    style {names[chain.run]} stroke-width:3px")
    return "\n".join(lines) + "\n"


def chain_value(chain: RunChain) -> dict[str, JsonValue]:
    """Returns a chain as plain data."""
    return {
        "run": chain.run,
        "root": chain.root,
        "ancestors": list(chain.ancestors),
        "descendants": list(chain.descendants),
        "previous": chain.previous,
        "next": list(chain.following),
        "runs": [
            {
                **(run_value(node.view) if node.view is not None else {"run": node.run}),
                "children": [child.run for child in node.children],
                "following": list(node.following),
            }
            for node in _nodes(chain.tree)
        ],
    }


def _beside(chain: RunChain) -> str:
    rows = [("run", chain.run), ("root", chain.root)]
    rows += [("parent", name) for name in chain.ancestors[:1]]
    rows += [("previous", chain.previous)] if chain.previous else []
    rows += [("next", name) for name in chain.following]
    return columns(rows)


def _nodes(tree: ChainNode) -> Iterator[ChainNode]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def _branch(tree: ChainNode, asked: str) -> Iterator[str]:
    """Yields the lines of a tree, deep ones too, without recursion."""
    waiting: list[tuple[ChainNode, str, str]] = [(tree, "", "")]
    while waiting:
        node, lead, below = waiting.pop()
        yield lead + _label(node, asked)
        last = len(node.children) - 1
        drawn = [
            (
                child,
                below + ("└── " if at == last else "├── "),
                below + ("    " if at == last else "│   "),
            )
            for at, child in enumerate(node.children)
        ]
        waiting.extend(reversed(drawn))


def _label(node: ChainNode, asked: str) -> str:
    mark = "  ←" if node.run == asked else ""
    words = f"{short_id(node.run)}  {_state(node)}  {printable(_task(node))}{mark}"
    return strong(words) if node.run == asked and is_terminal() else words


def _state(node: ChainNode) -> str:
    return str(node.view.state) if node.view is not None else "?"


def _task(node: ChainNode) -> str:
    return node.view.task if node.view is not None else _UNSEEN


def _charted(text: str) -> str:
    """Returns words that can stand in the label of a node and say nothing to the chart."""
    plain = printable(text).replace("&", "&amp;").replace("#", "#35;").replace('"', "#quot;")
    return plain.replace("<", "#lt;").replace(">", "#gt;").replace("`", "'")


def _minute(view: RunView) -> str:
    return format_instant(view.started)[:16].replace("T", " ") if view.started else "-"


def _line(view: RunView) -> str:
    return printable(view.summary or view.task)
