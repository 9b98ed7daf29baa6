"""Which of the surfaces a reader is asked on, so that an answer is no echo of the question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from memfs.app.container import Memory
from memfs.model.origin import Actor, Channel, Principal
from tests.contract.surfaces import SURFACES, UNTYPED, Target
from tests.support.memory import AGENT, ANA, memory_of, store_root

TOOL: Final = Actor(Principal.parse("tool:web"), Channel.TOOL)
GUEST: Final = Actor(Principal.parse("user:guest"), Channel.TOOL)
PROGRAMS: Final = (AGENT, TOOL, GUEST)
"""Readers who decide nothing."""
_ACCOUNTS: Final = frozenset(
    (
        "show", "show by end of id", "show a version", "opened node", "history", "diff", "explain",
        "audit", "reach of a withdrawal", "doctor", "check", "log", "ledger in words", "inbox",
        "candidate",
    )
)  # fmt: skip
"""Where a person looks at what was, or what waits, by its name; nobody is served it there."""


def answers(memory: Memory, targets: Sequence[Target]) -> Iterator[tuple[str, str]]:
    """Yields each surface with what it answers the one who works with ``memory``.

    A program is asked about each target on all of them; a person on those that serve.
    """
    is_person = memory.actor.is_person
    for name, ask in SURFACES.items():
        is_change = "refused" in name or name.startswith("protocol")
        if is_person and (is_change or name in _ACCOUNTS):
            continue
        for target in targets[:1] if name in UNTYPED else targets:
            text = ask(memory, target)
            if name not in UNTYPED:
                for typed in (target.path, target.reference):
                    text = text.replace(typed, "") if typed else text
            yield name, text


def served(project: Path, targets: Sequence[Target], *actors: Actor) -> Mapping[str, str]:
    """Returns by surface all that the actors, or a reader of the views, are told."""
    told: dict[str, str] = {}
    for actor in actors or (AGENT, ANA):
        with memory_of(project, actor) as memory:
            for name, text in answers(memory, targets):
                where = f"{actor.principal}: {name}"
                told[where] = f"{told.get(where, '')}\n{text}"
    return told | dict(views_of(project))


def views_of(project: Path) -> Iterator[tuple[str, str]]:
    """Yields each file that is made from records for any program to open."""
    root = store_root(project)
    for path in (root / "MEMORY.md", root / "core.md", *sorted((root / "views").rglob("*"))):
        if path.is_file():
            yield str(path.relative_to(root)), path.read_text("utf-8", "replace")


def is_served(word: str, told: Mapping[str, str]) -> bool:
    """Whether anything told has the word."""
    return any(word in text for text in told.values())


def targets_of(references: Sequence[str], question: str) -> tuple[Target, ...]:
    """Returns targets without words of their own; the trial knows the words."""
    return tuple(
        Target(reference=reference, path="", words=(), question=question)
        for reference in references
    )
