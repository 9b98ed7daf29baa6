"""Changes a node in its place: its id and its edges stay, its earlier words stay readable.

A change is a new version of the same record, decided on like any other: a person changes their
own at once, what a program asks for waits (M5, M6).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from memfs.domains.nodes.node import NODE_KIND, content_of, flags_of, one_line, summary_of
from memfs.domains.nodes.scoring import clamped
from memfs.errors import ConflictError, UsageError
from memfs.model.frozen import frozen
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result
from memfs.policy.authority import capture_origin
from memfs.services.correct import revise, target_of
from memfs.services.judgement import StaleBaseError
from memfs.services.ports import Workspace
from memfs.services.proposals import title_from
from memfs.services.sealing import opened

_ATTEMPTS: Final = 8
"""So often is added to a node that somebody else changes at the same moment."""


class NotANodeError(ConflictError):
    """The record is of another kind."""

    code = "conflict.not-a-node"


@frozen
class NodeChange:
    """What is to be another way; ``None`` leaves a part as it is.

    ``importance`` may be anything from 1 to 10 and is taken as it is, whatever rules say: who
    changes it has looked at the node. ``tags`` takes the place of all; ``add_tags`` and
    ``drop_tags`` change some.
    """

    summary: str | None = None
    abstract: str | None = None
    content: str | None = None
    importance: int | None = None
    tags: tuple[str, ...] | None = None
    add_tags: tuple[str, ...] = ()
    drop_tags: tuple[str, ...] = ()


def node_named(workspace: Workspace, reference: str, actor: Actor) -> StoredRecord:
    """Returns the node that a reference names, whole.

    Raises:
        UnknownRecordError: None matches, or none that may be seen.
        AmbiguousRecordError: More than one does.
        NotANodeError: It is a record of another kind.
        SeenInPartError: The actor sees a part of it.
    """
    stored = target_of(workspace, reference, actor)
    require_node(stored.record)
    return stored


def require_node(record: Record) -> None:
    """Lets nothing but a node be treated as one.

    Raises:
        NotANodeError: It is a record of another kind.
    """
    if record.kind != NODE_KIND:
        raise NotANodeError(
            f"expected a node, got {record.id}, a record of the kind {record.kind}",
            hint=f"see it with: memfs show {record.id}",
        )


def update_node(workspace: Workspace, reference: str, change: NodeChange, actor: Actor) -> Result:
    """Changes fields of a node in place.

    Raises:
        UsageError: Nothing is to be changed, or the summary would be empty.
        NotANodeError: It is a record of another kind.
        StaleBaseError: It changed meanwhile.
    """
    if change == NodeChange():
        raise UsageError("expected something to change, got nothing")
    if change.summary is not None and not one_line(change.summary):
        raise UsageError("expected a summary, got nothing")
    return _revised(workspace, reference, lambda record: _changed(record, change), actor, "update")


def append_node(workspace: Workspace, reference: str, text: str, actor: Actor) -> Result:
    """Adds to the content of a node; what it said before stays, word for word.

    Two who add at the same time both come in, one after the other.

    Raises:
        UsageError: There is nothing to add.
        NotANodeError: It is a record of another kind.
        StaleBaseError: It is changed at every attempt.
    """
    if not text.strip():
        raise UsageError("expected something to add, got nothing")
    for _ in range(_ATTEMPTS - 1):
        try:
            return _revised(
                workspace, reference, lambda record: _longer(record, text), actor, "append"
            )
        except StaleBaseError:
            continue
    return _revised(workspace, reference, lambda record: _longer(record, text), actor, "append")


def _revised(
    workspace: Workspace,
    reference: str,
    revised: Callable[[Record], Record],
    actor: Actor,
    verb: str,
) -> Result:
    stored = node_named(workspace, reference, actor)
    record = revised(opened(workspace, stored.record))
    origin = capture_origin(actor, f"{record.summary}\n{record.body}")
    result = revise(workspace, stored, record, actor, origin)
    flags = flags_of(record)
    data = {**result.data, **({"flags": list(flags)} if flags else {})}
    return replace(result, action=f"node {verb}", data=data)


def _changed(record: Record, change: NodeChange) -> Record:
    tags = record.tags if change.tags is None else change.tags
    tags = tuple(tag for tag in (*tags, *change.add_tags) if tag not in change.drop_tags)
    importance = record.importance if change.importance is None else clamped(change.importance)
    abstract = record.abstract if change.abstract is None else change.abstract.strip()
    changed = replace(
        record,
        tags=tuple(dict.fromkeys(tag for tag in tags if tag.strip())),
        importance=importance,
        abstract=abstract,
    )
    if change.summary is None and change.content is None:
        return changed
    summary = summary_of(record) if change.summary is None else one_line(change.summary)
    content = content_of(record) if change.content is None else change.content
    return _worded(changed, summary, content)


def _longer(record: Record, text: str) -> Record:
    before = content_of(record)
    if before and not before.endswith("\n"):
        before = f"{before}\n"
    return _worded(record, summary_of(record), f"{before}{text}")


def _worded(record: Record, summary: str, content: str) -> Record:
    """Returns a node with other words; a title that was made of the summary follows it."""
    is_derived = record.title in (title_from(summary_of(record)), title_from(record.body))
    if content.strip() and not content.endswith("\n"):
        content = f"{content}\n"
    has_content = bool(content.strip())
    return replace(
        record,
        title=title_from(summary) if is_derived else record.title,
        body=content if has_content else f"{summary}\n",
        summary=summary if has_content else "",
    )
