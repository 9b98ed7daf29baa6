"""What each operation on role memory takes, within which bounds, in which phase (E19, E36, E42).

Two tables, both data. A member that stands in neither is refused; some are refused by name, since
they say what role memory must never hold: what is so about a project (E41), what a role is by
nature (E29), and, in a pressure, words to be said (E33). Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memfs.model.decision import Reason
from memfs.model.frozen import frozen
from memfs.model.ids import EVIDENCE_PREFIX, RECEIPT_PREFIX, RUN_PREFIX, SESSION_PREFIX
from memfs.model.ids import TIMELINE_PREFIX as EVENT_PREFIX
from memfs.model.role import ROLE_PREFIX, Because, Intent
from memfs.model.role_operation import OperationName, Phase
from memfs.model.values import JsonValue
from memfs.policy.reasons import reason


class Shape(StrEnum):
    """What the value of a member looks like."""

    LINE = "line"
    """Text without a line break."""
    TEXT = "text"
    UNIT = "unit"
    """A number from 0 to 1."""
    WHOLE = "whole"
    FLAG = "flag"
    CHOICE = "choice"
    ID = "id"
    IDS = "ids"
    LINES = "lines"
    """A list of lines, each once."""
    ANCHORS = "anchors"
    HASHES = "hashes"
    LINKS = "links"
    PATCH = "patch"
    ENTRIES = "entries"


@frozen
class Member:
    """One member of an operation.

    Attributes:
        name: As it is written.
        shape: What its value looks like.
        is_required: It has to stand there and say something.
        least: Fewest items, or the least number.
        most: Most characters of a text, most items of a list, or the greatest number.
        prefixes: Of ids, the prefixes that they may have.
        choices: Of a choice, what there is to choose.
    """

    name: str
    shape: Shape
    is_required: bool = False
    least: int = 0
    most: int = 0
    prefixes: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """What is expected of it, in words of this build."""
        match self.shape:
            case Shape.LINE | Shape.TEXT:
                return f"{self.name}: a {self.shape} of at most {self.most} characters"
            case Shape.UNIT:
                return f"{self.name}: a number from 0 to 1"
            case Shape.WHOLE:
                return f"{self.name}: a whole number from {self.least} to {self.most}"
            case Shape.CHOICE:
                return f"{self.name}: one of {', '.join(self.choices)}"
            case Shape.ID:
                begun = " or ".join(f"{prefix}_" for prefix in self.prefixes)
                return f"{self.name}: an id" + (f" that begins with {begun}" if begun else "")
            case Shape.FLAG:
                return f"{self.name}: true or false"
            case _:
                return f"{self.name}: {self.least} to {self.most} {self.shape}"


@frozen
class OperationRow:
    """One operation: what it takes, and in which phases it may be proposed."""

    name: OperationName
    members: tuple[Member, ...]
    phases: frozenset[Phase] = frozenset({Phase.LIVE, Phase.SLEEP})

    @property
    def by_name(self) -> Mapping[str, Member]:
        """The members by name."""
        return MappingProxyType({member.name: member for member in self.members})


MOST_CLAIM: Final = 200
MOST_WORDS: Final = 1_000
MOST_SPEECH: Final = 2_000
MOST_ANCHORS: Final = 32
MOST_TAGS: Final = 16
MOST_MEMORIES: Final = 50
MOST_LINKS: Final = 8
MOST_ENTRIES: Final = 500
MOST_PATCH: Final = 3
MOST_WEEK_MINUTES: Final = 7 * 24 * 60
SPEECH_PREFIXES: Final = (
    RECEIPT_PREFIX,
    RUN_PREFIX,
    SESSION_PREFIX,
    EVENT_PREFIX,
    EVIDENCE_PREFIX,
)
"""What can record that something was said."""


def _anatomy(*, is_whole: bool) -> tuple[Member, ...]:
    return (
        Member(name="target", shape=Shape.LINE, is_required=is_whole, most=MOST_CLAIM),
        Member(name="topic", shape=Shape.LINE, most=100),
        Member(name="claim", shape=Shape.LINE, is_required=is_whole, most=MOST_CLAIM),
        Member(name="question", shape=Shape.LINE, most=MOST_WORDS),
        Member(name="tension", shape=Shape.LINE, most=MOST_WORDS),
        Member(name="implication", shape=Shape.LINE, is_required=is_whole, most=MOST_WORDS),
        Member(
            name="anchors", shape=Shape.ANCHORS, is_required=is_whole, least=1, most=MOST_ANCHORS
        ),
        Member(name="source_hashes", shape=Shape.HASHES, most=MOST_ANCHORS),
        Member(name="tags", shape=Shape.LINES, most=MOST_TAGS),
        Member(name="salience", shape=Shape.UNIT),
        Member(name="confidence", shape=Shape.UNIT),
        Member(name="links", shape=Shape.LINKS, most=MOST_LINKS),
    )


def _memories(name: str, least: int = 1) -> Member:
    return Member(
        name=name,
        shape=Shape.IDS,
        is_required=True,
        least=least,
        most=MOST_MEMORIES,
        prefixes=(ROLE_PREFIX,),
    )


def _memory(name: str, *, is_required: bool = True) -> Member:
    return Member(name=name, shape=Shape.ID, is_required=is_required, prefixes=(ROLE_PREFIX,))


_REASON: Final = (
    Member(name="reason", shape=Shape.LINE, is_required=True, most=MOST_WORDS),
    Member(name="because", shape=Shape.CHOICE, choices=tuple(Because)),
)
_WHOLE: Final = _anatomy(is_whole=True)
_SATURATION: Final = Member(name="saturation", shape=Shape.UNIT)
_N = OperationName

TABLE: Final[tuple[OperationRow, ...]] = (
    OperationRow(name=_N.RECORD, members=(*_WHOLE, _SATURATION), phases=frozenset(Phase)),
    OperationRow(name=_N.CLUSTER, members=(_memories("memories", 2),), phases=frozenset(Phase)),
    OperationRow(name=_N.PRUNE, members=(_memories("memories"), *_REASON)),
    OperationRow(name=_N.DISTILL, members=(_memories("sources"), *_WHOLE)),
    OperationRow(
        name=_N.INCUBATE,
        members=(
            _memories("sources"),
            _memory("thread", is_required=False),
            *_anatomy(is_whole=False),
        ),
    ),
    OperationRow(name=_N.REVISE, members=(_memory("memory"), *_REASON, *_anatomy(is_whole=False))),
    OperationRow(
        name=_N.RETIRE, members=(_memory("memory"), *_REASON, _memory("by", is_required=False))
    ),
    OperationRow(name=_N.CRYSTALLIZE, members=(_memories("sources"), *_WHOLE)),
    OperationRow(
        name=_N.QUEUE,
        members=(
            Member(name="intent", shape=Shape.CHOICE, is_required=True, choices=tuple(Intent)),
            *_WHOLE,
            Member(name="words", shape=Shape.TEXT, most=MOST_SPEECH),
            Member(name="patch", shape=Shape.PATCH),
            Member(name="answers", shape=Shape.IDS, most=MOST_LINKS, prefixes=(ROLE_PREFIX,)),
        ),
    ),
    OperationRow(name=_N.RETIRE_CANDIDATE, members=(_memory("candidate"), *_REASON)),
    OperationRow(
        name=_N.MARK_SPOKEN,
        members=(
            _memory("candidate"),
            Member(name="receipt", shape=Shape.ID, is_required=True, prefixes=SPEECH_PREFIXES),
            Member(name="refractory_minutes", shape=Shape.WHOLE, most=MOST_WEEK_MINUTES),
        ),
    ),
    OperationRow(
        name=_N.PRESS,
        members=(
            *_WHOLE,
            Member(name="intensity", shape=Shape.UNIT, is_required=True),
            Member(name="obligated", shape=Shape.FLAG),
        ),
    ),
    OperationRow(name=_N.RETIRE_PRESSURE, members=(_memory("pressure"), *_REASON)),
    OperationRow(
        name=_N.REFRESH,
        members=(
            Member(name="model", shape=Shape.LINE, is_required=True, most=100),
            Member(name="dimensions", shape=Shape.WHOLE, is_required=True, least=1, most=65_536),
            Member(name="entries", shape=Shape.ENTRIES, is_required=True, most=MOST_ENTRIES),
        ),
    ),
)
"""The fourteen operations."""

ROWS: Final[Mapping[str, OperationRow]] = MappingProxyType({row.name: row for row in TABLE})

PATCH_MEMBERS: Final[tuple[Member, ...]] = (
    Member(name="add", shape=Shape.LINES, most=MOST_PATCH),
    Member(name="retire", shape=Shape.IDS, most=MOST_PATCH, prefixes=(ROLE_PREFIX,)),
    Member(name="revise", shape=Shape.IDS, most=MOST_PATCH, prefixes=(ROLE_PREFIX,)),
    Member(name="claim", shape=Shape.LINE, most=MOST_CLAIM),
    Member(name="salience", shape=Shape.UNIT),
    Member(name="confidence", shape=Shape.UNIT),
)
"""What a role may propose to change of its own memory; nothing of what it is by nature."""

PROJECT_TRUTH: Final = frozenset(
    (
        "branch", "build", "checkpoint", "checkpoints", "code", "codebase", "commit", "config",
        "configuration", "deployment", "diff", "env", "environment", "exit_code", "file",
        "file_contents", "files", "head", "issue", "issue_state", "issues", "job", "jobs",
        "milestone", "milestones", "patch_file", "pid", "plan", "planning", "plans", "process",
        "project", "project_state", "repo_state", "repository", "roadmap", "run", "run_state",
        "runs", "runtime", "runtime_state", "snapshot", "source_code", "sprint", "state",
        "status", "task", "tasks", "todo", "todos", "worktree",
    )
)  # fmt: skip
"""Members, and sorts of targets, of what is true of a project, a plan or something that runs."""
TRAITS: Final = frozenset(
    (
        "trait", "traits", "baseline", "baselines", "trait_baseline", "trait_baselines",
        "temperament", "personality_baseline",
    )
)  # fmt: skip
SPEECH: Final = frozenset(
    (
        "words", "speech", "speech_text", "say", "utterance", "message", "reply", "text", "draft",
        "script", "line",
    )
)  # fmt: skip
_QUOTED: Final = re.compile(r"[\"“”«»„]\s*(?:[^\s\"“”«»„]+\s+){2,}[^\s\"“”«»„]+\s*[\"“”«»„]")
_SAYING: Final = re.compile(
    r"(?:^|[.;:]\s*)(?:say|tell\s+(?:them|him|her|\w+)|reply|answer|write)\s*:", re.IGNORECASE
)


def check_member(name: str, operation: OperationName) -> Reason | None:
    """Returns why a member of that name is refused whatever it says, or ``None``."""
    key = name.strip().casefold().replace("-", "_").replace(" ", "_")
    if key in ROWS[operation].by_name:
        return None
    if key in TRAITS:
        return reason("role.trait-baseline")
    if operation is OperationName.PRESS and key in SPEECH:
        return reason(
            "role.speech-text", "the member is called one of " + ", ".join(sorted(SPEECH))
        )
    return reason("role.project-truth", key) if key in PROJECT_TRUTH else None


def check_target(target: str) -> Reason | None:
    """Returns why role memory is not about a target, or ``None``.

    A target is a name, or a sort and a name such as ``person:ana``; what sorts of things are true
    elsewhere is said by :data:`PROJECT_TRUTH`.
    """
    sort = target.partition(":")[0] if ":" in target else target
    key = sort.strip().casefold().replace("-", "_").replace(" ", "_")
    if key in PROJECT_TRUTH:
        return reason("role.project-truth", key)
    return reason("role.trait-baseline") if key in TRAITS else None


def check_pressing(texts: Iterator[str]) -> Reason | None:
    """Returns why a pressure holds words to be said, or ``None`` (E33)."""
    spoken = any(_QUOTED.search(text) or _SAYING.search(text) for text in texts)
    return reason("role.speech-text") if spoken else None


def members_in(value: JsonValue) -> Iterator[str]:
    """Yields the names of all members of a value, at any depth."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from members_in(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from members_in(item)
