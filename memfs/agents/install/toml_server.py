"""The entry of memfs's protocol server in Codex's ``config.toml``.

The file is a person's, with comments that a library which writes TOML might move; so the entry
is put in and taken out as text, one table with a comment before it. Codex itself rewrites the
file now and then and may put tables anywhere, which is why no end is marked: the table ends
where the next one begins. Each change is read back with the standard library's reader and must
have changed exactly this one entry, or it is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from memfs.agents.install.calls import (
    HOOK,
    SERVER,
    Call,
    Kinship,
    call_from,
    call_in_line,
    kinship,
)
from memfs.agents.install.refusals import NameTakenError, NotReadableAsError
from memfs.agents.install.texts import Edited, Found, Part, ending_of

SERVERS: Final = "mcp_servers"
NAME: Final = "memfs"
MARK: Final = "# Written by memfs install; memfs uninstall takes it out again."

_HEADER: Final = re.compile(
    r"^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*(?:memfs|\"memfs\"|'memfs')[ \t]*\][^\n]*\n?", re.M
)
_ANY_HEADER: Final = re.compile(r"^[ \t]*\[", re.M)
_COMMAND: Final = re.compile(r"^([ \t]*command[ \t]*=[ \t]*)(\"[^\"\n]*\"|'[^'\n]*')", re.M)
_PLACE: Final = re.compile(r"\(at line (\d+), column (\d+)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class TomlServer:
    """An editor of the one entry.

    Attributes:
        program: What runs memfs.
    """

    program: str

    @property
    def part(self) -> Part:
        """What it is about."""
        return Part.SERVER

    def install(self, text: str | None, *, force: bool) -> Edited:
        """Returns the text with the one entry of memfs."""
        text = text or ""
        data = _read(text)
        notes = _notes(data)
        entry = _entry(data)
        if entry is None:
            return Edited(text=self._added(text, data), notes=notes)
        call = _call(entry)
        if call is None:
            raise NameTakenError(
                f"expected no server named {NAME!r} that runs something else, got one",
                hint="rename it, or leave memfs's server out with --without server",
                line=_line(text),
            )
        if not call.is_wrapped and call.program != self.program:
            text = self._renewed(text, data)
        return Edited(text=text, notes=notes)

    def uninstall(self, text: str) -> Edited:
        """Returns the text without the entry of memfs."""
        data = _read(text)
        entry = _entry(data)
        if entry is None or _call(entry) is None:
            return Edited(text=text)
        wanted = _less(data)
        for start, end in _tables(text):
            result = text[: _with_mark(text, start)] + text[end:]
            if _reads_as(result, wanted):
                return Edited(text=result)
        raise NotReadableAsError(
            f"expected the table [{SERVERS}.{NAME}], got the entry written in another way",
            hint="take it out by hand",
            line=_line(text),
        )

    def find(self, text: str) -> tuple[Found, ...]:
        """Returns the entry, and hooks that stand in this file, which memfs never puts there."""
        data = _read(text)
        return (*self._servers(text, data), *_hooks(data))

    def is_blank(self, text: str) -> bool:
        """Tells whether nothing stands in the file."""
        return not text.strip()

    def _servers(self, text: str, data: Mapping[str, object]) -> Iterator[Found]:
        entry = _entry(data)
        call = _call(entry) if entry is not None else None
        if entry is None or call is None:
            return
        kin = kinship(call, "", (self.program, SERVER))
        yield Found(
            part=Part.SERVER,
            name=NAME,
            kinship=kin,
            command=call.words,
            line=_line(text) or 0,
            is_edited=call.is_wrapped,
        )

    def _added(self, text: str, data: Mapping[str, object]) -> str:
        newline = ending_of(text)
        lines = (MARK, f"[{SERVERS}.{NAME}]", f"command = {_quoted(self.program)}")
        table = newline.join((*lines, f"args = [{_quoted(SERVER)}]", ""))
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        result = text + gap + table
        if not _reads_as(result, _more(data, {"command": self.program, "args": [SERVER]})):
            raise NotReadableAsError(
                f"expected {SERVERS} as tables, got it written in one line",
                hint=f"write it as [{SERVERS}.NAME] tables first",
                line=_line(text),
            )
        return result

    def _renewed(self, text: str, data: Mapping[str, object]) -> str:
        entry = dict(_entry(data) or {})
        call = _call(entry)
        assert call is not None
        if list(call.arguments) != entry.get("args"):
            raise NotReadableAsError(
                "expected memfs as the command, got it among the arguments",
                hint="take the entry out by hand and run install again",
                line=_line(text),
            )
        wanted = _more(data, {**entry, "command": self.program})
        for start, end in _tables(text):
            table = _COMMAND.sub(
                lambda found: found[1] + _quoted(self.program), text[start:end], count=1
            )
            result = text[:start] + table + text[end:]
            if _reads_as(result, wanted):
                return result
        raise NotReadableAsError(
            f"expected the command of [{SERVERS}.{NAME}] on a line of its own",
            hint="change it by hand",
            line=_line(text),
        )


def _read(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place else (None, None)
        message = _PLACE.sub("", str(error)).strip()
        raise NotReadableAsError(
            f"expected TOML, got {message}", line=line, column=column
        ) from error


def _entry(data: Mapping[str, object]) -> Mapping[str, object] | None:
    servers = data.get(SERVERS)
    entry = servers.get(NAME) if isinstance(servers, Mapping) else None
    return entry if isinstance(entry, Mapping) else None


def _call(entry: Mapping[str, object]) -> Call | None:
    command, arguments = entry.get("command"), entry.get("args", [])
    if not isinstance(command, str) or not isinstance(arguments, list):
        return None
    call = call_from((command, *(word for word in arguments if isinstance(word, str))))
    return call if call is not None and call.arguments[0] == SERVER else None


def _hooks(data: Mapping[str, object]) -> Iterator[Found]:
    """Yields hooks of a person's in this file that run memfs."""
    events = data.get("hooks")
    for event, groups in events.items() if isinstance(events, Mapping) else ():
        for group in groups if isinstance(groups, list) else ():
            handlers = group.get("hooks") if isinstance(group, Mapping) else None
            for handler in handlers if isinstance(handlers, list) else ():
                line = handler.get("command") if isinstance(handler, Mapping) else None
                call = call_in_line(line) if isinstance(line, str) else None
                if call is not None and call.arguments[0] == HOOK:
                    yield Found(
                        part=Part.HOOKS,
                        name=str(event),
                        kinship=Kinship.WRAPPED,
                        command=call.words,
                        is_edited=True,
                    )


def _notes(data: Mapping[str, object]) -> tuple[str, ...]:
    features = data.get("features")
    is_off = isinstance(features, Mapping) and (
        features.get("hooks") is False or features.get("codex_hooks") is False
    )
    notes = ("hooks are switched off here: features.hooks is false",) if is_off else ()
    events = data.get("hooks")
    # Codex keeps there, too, which hooks are trusted.
    if isinstance(events, Mapping) and set(events) - {"state"}:
        return (*notes, "hooks stand in this file too; Codex runs those and hooks.json alike")
    return notes


def _tables(text: str) -> Iterator[tuple[int, int]]:
    """Yields where the table of memfs may stand: from its header to where another begins.

    What looks like a header may be part of a text or a list, so that several are offered. A
    comment or blank line before the next header belongs to what follows it.
    """
    for header in _HEADER.finditer(text):
        ends = [found.start() for found in _ANY_HEADER.finditer(text, header.end())]
        for end in (*ends, len(text)):
            yield header.start(), _without_tail(text, header.end(), end)


def _without_tail(text: str, start: int, end: int) -> int:
    """Returns where the last line before ``end`` ends that says something."""
    lines = text[start:end].splitlines(keepends=True)
    while lines and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
        end -= len(lines.pop())
    return end


def _with_mark(text: str, start: int) -> int:
    """Returns where the comment before a table begins, and the blank line before that."""
    before = text[:start]
    for newline in ("\r\n", "\n"):
        if before.endswith(MARK + newline):
            before = before.removesuffix(MARK + newline)
            break
    else:
        return start
    for newline in ("\r\n", "\n"):
        if before.endswith(newline * 2):
            return len(before) - len(newline)
    return len(before)


def _more(data: Mapping[str, object], entry: Mapping[str, object]) -> dict[str, object]:
    servers = data.get(SERVERS)
    return {**data, SERVERS: {**(servers if isinstance(servers, Mapping) else {}), NAME: entry}}


def _less(data: Mapping[str, object]) -> dict[str, object]:
    servers = data.get(SERVERS)
    assert isinstance(servers, Mapping)
    left = {name: entry for name, entry in servers.items() if name != NAME}
    return {**data, SERVERS: left}


def _reads_as(text: str, wanted: Mapping[str, object]) -> bool:
    """Whether a text holds exactly this; no servers and an empty table of them are the same."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return {SERVERS: {}, **found} == {SERVERS: {}, **wanted}


def _quoted(text: str) -> str:
    """Returns a basic string of TOML, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=True)


def _line(text: str) -> int | None:
    found = _HEADER.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else None
