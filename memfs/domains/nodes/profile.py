"""Writes lines of the profile, and reads those that another system kept in a file (M19, M22).

The subject of a line is its key, so that one key has one value and two people who say otherwise
are both heard. A new value changes its line where it stands. A line beyond the cap is not
deleted, and the answer says which it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from memfs.domains.nodes.node import one_line
from memfs.domains.nodes.places import paths_in
from memfs.domains.nodes.profile_lines import (
    PROFILE_KIND,
    Profile,
    line_value,
    profile_key,
    read_profile,
)
from memfs.domains.nodes.routing import DOMAINS
from memfs.errors import UsageError
from memfs.model.candidate import Submission
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.model.scope import GLOBAL_SCOPE, Scope
from memfs.model.values import JsonValue
from memfs.policy.authority import capture_origin
from memfs.policy.keeping import check_profile_line
from memfs.services.beside import Beside
from memfs.services.correct import revise
from memfs.services.judgement import StaleBaseError
from memfs.services.owners import submit
from memfs.services.ports import Workspace
from memfs.services.proposals import title_from
from memfs.services.served_records import read_path
from memfs.services.standing_sections import ProfileLine, profile_line

_MOST_BYTES: Final = 65_536
_ATTEMPTS: Final = 8
_KEY_CHARS: Final = 60
_VALUE_CHARS: Final = 500
_BEGINS: Final = re.compile(
    r"(?:<!--\s*|\[|<|#\s*|-{2,}\s*)?(?:(?:begin|start)[\s:_-]*profile|"
    r"profile[\s:_-]*(?:begin|start)|profile)\s*(?:-->|\]|>|-{2,})",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(
    r"(?:<!--\s*|\[|<|#\s*|-{2,}\s*)?(?:/\s*profile|end[\s:_-]*(?:of[\s:_-]*)?profile|"
    r"profile[\s:_-]*end)\s*(?:-->|\]|>|-{2,})",
    re.IGNORECASE,
)
_ENTRY: Final = re.compile(
    r"\s*(?:[-*+]\s+)?(?P<key>[^\s:#<>\[\]][^:\n]{0,59}?)\s*:\s+(?P<value>\S.*)"
)


def set_line(
    workspace: Workspace,
    beside: Beside,
    key: str,
    value: str,
    actor: Actor,
    *,
    scope: Scope | None = None,
) -> Result:
    """Gives a key of the profile its value; a key that is there keeps its place.

    Raises:
        UsageError: The key or the value is empty, too long, or no single line.
    """
    line = _checked(key, value)
    key = profile_key(line.key)
    against = check_profile_line(
        is_domain=key in DOMAINS, is_place=bool(paths_in(value)) and scope != GLOBAL_SCOPE
    )
    if against is not None:
        return Result(
            action="profile set",
            target="",
            status=ResultStatus.REFUSED,
            message=f"{against.message}; save it with: memfs node save",
            store=str(workspace.store.root),
            reasons=(against,),
        )
    known, result = _set(workspace, beside, line, key, actor, scope)
    result = replace(result, action="profile set")
    if result.status is not ResultStatus.DONE:
        return result
    return _with_drops(result, known, read_profile(workspace, beside, actor))


def _set(
    workspace: Workspace,
    beside: Beside,
    line: ProfileLine,
    key: str,
    actor: Actor,
    scope: Scope | None,
) -> tuple[Profile, Result]:
    """Sets a line, again where somebody else has set it meanwhile: the last one stands."""
    for attempt in range(_ATTEMPTS):
        known = read_profile(workspace, beside, actor)
        before = None if scope == GLOBAL_SCOPE else _own_line(workspace, known, key)
        try:
            if before is None:
                return known, _added(workspace, beside, line, key, actor, scope)
            return known, _revised(workspace, before, line, actor)
        except StaleBaseError:
            if attempt == _ATTEMPTS - 1:
                raise
    raise AssertionError("unreachable")


def parsed_profile(text: str) -> tuple[ProfileLine, ...]:
    """Reads the lines of a profile file of another system, in order; the last of a key counts.

    Where the file marks its block (``<!-- PROFILE START -->``, ``[PROFILE] … [/PROFILE]``,
    ``<profile> … </profile>``), only what stands between the marks is read.
    """
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if _BEGINS.fullmatch(line.strip())]
    if starts:
        rest = lines[starts[0] + 1 :]
        ends = [number for number, line in enumerate(rest) if _ENDS.fullmatch(line.strip())]
        lines = rest[: ends[0]] if ends else rest
    found: dict[str, ProfileLine] = {}
    for line in lines:
        match = _ENTRY.fullmatch(line)
        if match is not None and profile_key(match["key"]):
            found[profile_key(match["key"])] = ProfileLine(
                key=one_line(match["key"].strip("*_` ")), value=one_line(match["value"])
            )
    return tuple(found.values())


def lines_from(path: Path) -> tuple[ProfileLine, ...]:
    """Reads the lines of a profile file; the file is only read.

    Raises:
        UsageError: It cannot be read, or has no line of a profile.
    """
    try:
        with path.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"expected a profile in UTF-8, got {path}: {error}") from error
    found = parsed_profile(text) if len(content) <= _MOST_BYTES else ()
    if not found:
        raise UsageError(f"expected lines such as 'editor: vim', got none in {path}")
    return found


def _checked(key: str, value: str) -> ProfileLine:
    key, value = key.strip(), value.strip()
    if not profile_key(key) or ":" in key or "\n" in key:
        raise UsageError(f"expected a key such as editor, got {key!r}")
    if not value or "\n" in value:
        raise UsageError("expected a value on one line", hint="what is longer belongs in a node")
    if len(key) > _KEY_CHARS or len(value) > _VALUE_CHARS:
        raise UsageError(
            f"expected at most {_KEY_CHARS} characters of key and {_VALUE_CHARS} of value",
            hint="what is longer belongs in a node: memfs node save",
        )
    return ProfileLine(key=one_line(key), value=one_line(value))


def _own_line(workspace: Workspace, profile: Profile, key: str) -> StoredRecord | None:
    """Returns the record behind a line of the store's own that is shown, whole.

    A line that is beyond the cap is none: said again it is a new line, and the last one.
    """
    found = [
        kept
        for kept in profile.lines
        if kept.key == key and kept.stored.path and kept.stored.store == workspace.store_id
        if (kept.stored.record.scope or workspace.scope) == workspace.scope
    ]
    if not found:
        return None
    return read_path(workspace, workspace.store.snapshot(), found[-1].stored.path)


def _added(
    workspace: Workspace,
    beside: Beside,
    line: ProfileLine,
    key: str,
    actor: Actor,
    scope: Scope | None,
) -> Result:
    draft = Record(
        kind=PROFILE_KIND,
        title=title_from(str(line)),
        body=f"{line}\n",
        subject=key,
        scope=scope,
    )
    submission = Submission(draft=draft, origin=capture_origin(actor, str(line)))
    return submit(workspace, beside, submission, actor, action="profile set")


def _revised(workspace: Workspace, stored: StoredRecord, line: ProfileLine, actor: Actor) -> Result:
    before = profile_line(stored.record)
    written = ProfileLine(key=before.key or line.key, value=line.value)
    record = replace(stored.record, title=title_from(str(written)), body=f"{written}\n")
    return revise(workspace, stored, record, actor, capture_origin(actor, str(written)))


def _with_drops(result: Result, before: Profile, after: Profile) -> Result:
    """Tells which lines a new line has put beyond the cap, the oldest first."""
    known = {kept.stored.record.id for kept in before.dropped}
    dropped = [kept for kept in after.dropped if kept.stored.record.id not in known]
    data: dict[str, JsonValue] = {**result.data, "cap": after.cap, "lines": len(after.lines)}
    if not dropped:
        return replace(result, data=data)
    names = ", ".join(kept.line.key or kept.stored.record.id for kept in dropped)
    return replace(
        result,
        message=f"{result.message}; the profile shows {after.cap} lines, no longer: {names}",
        data={**data, "dropped": [dict(line_value(kept)) for kept in dropped]},
    )
