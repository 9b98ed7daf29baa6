"""The metadata file of a session: what it is, and how far its transcript was read.

A folder is a session only when this file is there and reads (O34). It holds no word of the
conversation but a title that was screened, and everything in it but the identity can be lost:
the next import finds it anew.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from memfs.domains.sessions.turns import NO_LINKS, START, Mark
from memfs.model.ids import SESSION_PREFIX, derived_id, is_id
from memfs.model.instants import format_instant, parse_instant
from memfs.model.values import JsonValue
from memfs.policy.screening import scan_secrets

FORMAT: Final = 1
TITLE_CHARS: Final = 80
PROPOSED: Final = 1_000
"""Key facts that are remembered as proposed, newest last."""
_HOST_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+/-]{0,127}\Z")
_OID: Final = re.compile(r"[0-9a-f]{40}\Z")


def session_id(client: str, host_id: str) -> str:
    """Returns the id of a session: the same wherever and whenever it is imported."""
    return derived_id(SESSION_PREFIX, client, host_id)


def plain_host_id(foreign: str) -> str:
    """Returns a host's id where it can stand in files; empty for anything that could be words."""
    is_plain = _HOST_ID.match(foreign) is not None
    return foreign if is_plain and not scan_secrets(foreign) else ""


@dataclass(frozen=True, slots=True)
class ResumedFrom:
    """Which session a session goes on from, and behind which of its turns."""

    session: str
    host_id: str
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What the metadata file says.

    Attributes:
        id: ``ses_…``.
        client: The coding agent.
        host_id: Its id as that client names it.
        store: Id of the store that it belongs to.
        title: A name for lists, screened.
        title_rank: 2 for the person's own, 1 for the host's, 0 for a summary, -1 for the first
            line of what was asked.
        started: When it began.
        updated: When the newest turn ended.
        turns: Number of the newest turn.
        origin: Id of the first message of the whole conversation, also of a fork.
        resumed_from: Where it forks from another session.
        mark: How far the transcript was read.
        links: What the reader has to know of lines before the mark.
        distilled: Commits whose turns, with all before them, were looked at for key facts.
        proposed: Digests of the key facts that were proposed, oldest first.
    """

    id: str
    client: str
    host_id: str
    store: str
    title: str = ""
    title_rank: int = -1
    started: datetime | None = None
    updated: datetime | None = None
    turns: int = 0
    origin: str = ""
    resumed_from: ResumedFrom | None = None
    mark: Mark = START
    links: Mapping[str, str | None] = field(default_factory=lambda: NO_LINKS)
    distilled: tuple[str, ...] = ()
    proposed: tuple[str, ...] = ()


def encode_metadata(metadata: Metadata) -> bytes:
    """Returns the bytes of a metadata file."""
    value: dict[str, JsonValue] = {
        "format": FORMAT,
        "id": metadata.id,
        "client": metadata.client,
        "host_id": metadata.host_id,
        "store": metadata.store,
        "title": metadata.title,
        "title_rank": metadata.title_rank,
        "turns": metadata.turns,
        "origin": metadata.origin,
    }
    for name, moment in (("started", metadata.started), ("updated", metadata.updated)):
        if moment is not None:
            value[name] = format_instant(moment)
    source = metadata.resumed_from
    if source is not None:
        value["resumed_from"] = {
            "session": source.session,
            "host_id": source.host_id,
            "turn": source.turn,
        }
    value["mark"] = {"offset": metadata.mark.offset, "digest": metadata.mark.digest}
    value["links"] = dict(metadata.links)
    value["distilled"] = list(metadata.distilled)
    value["proposed"] = list(metadata.proposed[-PROPOSED:])
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def decode_metadata(content: bytes | None, session: str) -> Metadata | None:
    """Returns what a metadata file says; ``None`` where it is that of no such session."""
    try:
        value = json.loads(content or b"")
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or value.get("id") != session or value.get("format") != FORMAT:
        return None
    words = {name: _word(value, name) for name in ("client", "host_id", "store")}
    if not all(words.values()) or session_id(words["client"], words["host_id"]) != session:
        return None
    return Metadata(
        id=session,
        **words,
        title=_word(value, "title"),
        title_rank=_count(value, "title_rank", least=-1),
        started=_instant(value, "started"),
        updated=_instant(value, "updated"),
        turns=_count(value, "turns"),
        origin=_word(value, "origin"),
        resumed_from=_resumed(value.get("resumed_from")),
        mark=_mark(value.get("mark")),
        links=_links(value.get("links")),
        distilled=tuple(item for item in _words(value, "distilled") if _OID.match(item)),
        proposed=_words(value, "proposed"),
    )


def _word(value: Mapping[str, JsonValue], name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""


def _words(value: Mapping[str, JsonValue], name: str) -> tuple[str, ...]:
    found = value.get(name)
    return tuple(item for item in found if isinstance(item, str)) if isinstance(found, list) else ()


def _count(value: Mapping[str, JsonValue], name: str, *, least: int = 0) -> int:
    found = value.get(name)
    return max(found, least) if isinstance(found, int) else least


def _instant(value: Mapping[str, JsonValue], name: str) -> datetime | None:
    try:
        return parse_instant(_word(value, name))
    except ValueError:
        return None


def _resumed(value: JsonValue) -> ResumedFrom | None:
    if not isinstance(value, dict) or not is_id(_word(value, "session"), SESSION_PREFIX):
        return None
    return ResumedFrom(_word(value, "session"), _word(value, "host_id"), _count(value, "turn"))


def _mark(value: JsonValue) -> Mark:
    if not isinstance(value, dict):
        return START
    return Mark(_count(value, "offset"), _word(value, "digest"))


def _links(value: JsonValue) -> Mapping[str, str | None]:
    if not isinstance(value, dict):
        return NO_LINKS
    return {
        name: parent if isinstance(parent, str) else None for name, parent in value.items() if name
    }
