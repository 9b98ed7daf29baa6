"""Sessions and commits of the project as plain data: what ``--json`` prints. The keys are API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memfs.model.instants import format_instant
from memfs.model.values import JsonValue

if TYPE_CHECKING:
    from memfs.domains.sessions.nodes import Node
    from memfs.domains.sessions.reading import OpenedTurns, SessionView, TurnHit
    from memfs.model.project import ProjectChange, ProjectCommit


def session_value(view: SessionView) -> dict[str, JsonValue]:
    """Returns a session; without turns and branches in a list."""
    value: dict[str, JsonValue] = {"state": str(view.state), "id": view.id, "turns": view.count}
    metadata = view.metadata
    if metadata is not None:
        value |= {
            "client": metadata.client,
            "host_id": metadata.host_id,
            "title": metadata.title,
        }
        for name, moment in (("started", metadata.started), ("updated", metadata.updated)):
            if moment is not None:
                value[name] = format_instant(moment)
        if metadata.resumed_from is not None:
            value["resumed_from"] = {
                "session": metadata.resumed_from.session,
                "turn": metadata.resumed_from.turn,
            }
    if view.turns:
        value["branch"] = view.branch
        value["branches"] = dict(view.branches)
        value["lines"] = [
            {"turn": turn.number, "subject": turn.subject, "messages": turn.nodes}
            for turn in view.turns
        ]
    return value


def opened_value(opened: OpenedTurns) -> dict[str, JsonValue]:
    """Returns messages of a session."""
    return {
        "state": str(opened.state),
        "session": opened.session,
        "branch": opened.branch,
        "turns": list(opened.turns),
        "messages": [_node_value(node) for node in opened.nodes],
        "omitted": opened.omitted,
        "text": opened.text,
    }


def hit_value(hit: TurnHit) -> dict[str, JsonValue]:
    """Returns a message that was found."""
    return {
        "session": hit.session,
        "turn": hit.turn,
        "speaker": str(hit.role),
        "at": format_instant(hit.at) if hit.at is not None else None,
        "line": hit.line,
    }


def commit_value(commit: ProjectCommit) -> dict[str, JsonValue]:
    """Returns a commit of the project."""
    return {
        "commit": commit.id,
        "at": format_instant(commit.at),
        "author": commit.author,
        "subject": commit.subject,
        "body": commit.body,
    }


def change_value(change: ProjectChange) -> dict[str, JsonValue]:
    """Returns what a commit of the project changed."""
    return {
        **commit_value(change.commit),
        "files": [{"status": status, "path": path} for status, path in change.files],
        "diff": change.diff,
        "cut": change.is_cut,
    }


def _node_value(node: Node) -> JsonValue:
    return {
        "turn": node.turn,
        "id": node.id,
        "speaker": str(node.role),
        "at": format_instant(node.at) if node.at is not None else None,
        "parts": [
            {
                "kind": str(part.kind),
                "text": part.text,
                "name": part.name,
                "call": part.call,
                "error": part.is_error,
            }
            for part in node.parts
        ],
        "left_out": dict(node.left_out),
    }
