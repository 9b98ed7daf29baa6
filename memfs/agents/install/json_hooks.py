"""Hooks in a JSON configuration: found, put in once, and taken out.

Three shapes are known. Claude Code, Codex and Gemini CLI have groups (``event`` -> groups with
a matcher -> handlers); Cursor has handlers only; Antigravity has handlers below the name of
who they belong to. What a person wrote stays: a handler of theirs, a timeout or matcher that
they changed on one of ours, and a command of theirs that runs memfs in its own way, beside
which none of ours is put, since memfs would then answer twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from memfs.agents.install.calls import Kinship, call_from, call_in_line, kinship, shell_line
from memfs.agents.install.json_edit import Json, with_item, with_member, with_value, without
from memfs.agents.install.json_spans import Document, Node, Shape, Step, parse, texts, words
from memfs.agents.install.refusals import NotReadableAsError, position
from memfs.agents.install.texts import Edited, Found, Part

EMPTY: Final = "{}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """One event that memfs listens to.

    Attributes:
        event: The client's own name of it.
        arguments: What memfs is told, from ``hook`` on.
        timeout: In the client's unit; 0 for the client's own.
    """

    event: str
    arguments: tuple[str, ...]
    timeout: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Handler:
    """One handler that stands in a file."""

    event: str
    path: tuple[Step, ...]
    node: Node
    kinship: Kinship
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonHooks:
    """An editor of the hooks of one client.

    Attributes:
        hooks: What memfs listens to.
        program: What runs memfs.
        base: Where the events stand.
        is_grouped: Handlers stand in groups with a matcher.
        is_split: Program and arguments are separate, so that no shell is in between.
        is_strict: The client reads neither comments nor trailing commas.
        head: Members that the file must have besides, such as a version.
        handler: Members of a handler besides its command.
        switches: Where a switch stands that turns all hooks off, with the value that does.
    """

    hooks: tuple[Hook, ...]
    program: str
    base: tuple[str, ...] = ("hooks",)
    is_grouped: bool = True
    is_split: bool = False
    is_strict: bool = False
    head: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}))
    handler: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}))
    switches: Mapping[tuple[str, ...], bool] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def part(self) -> Part:
        """What it is about."""
        return Part.HOOKS

    def install(self, text: str | None, *, force: bool) -> Edited:
        """Returns the text with one handler of memfs for each event."""
        text = EMPTY if text is None or not text.strip() else text
        self._read(text)
        notes: list[str] = []
        for name, value in self.head.items():
            if self._read(text).at((name,)) is None:
                text = with_member(text, (), name, value)
        for hook in self.hooks:
            text = self._with_hook(text, hook, notes)
        text = self._without_stale(text)
        return Edited(text=text, notes=(*notes, *self._switched_off(self._read(text))))

    def uninstall(self, text: str) -> Edited:
        """Returns the text without any handler that only runs memfs, and without what is empty."""
        notes = []
        for handler in self._handlers(self._read(text)):
            if handler.kinship is Kinship.MENTION:
                line = position(text, handler.node.start)[0]
                notes.append(f"left on line {line}: a command of your own in which memfs occurs")
        while True:
            handlers = list(self._handlers(self._read(text)))
            ours = [handler for handler in handlers if handler.kinship.is_removable]
            if not ours:
                break
            text = self._less(text, ours[-1])
        return Edited(text=text, notes=tuple(notes))

    def find(self, text: str) -> tuple[Found, ...]:
        """Returns every handler that runs memfs."""
        return tuple(
            Found(
                part=Part.HOOKS,
                name=handler.event,
                kinship=handler.kinship,
                command=handler.command,
                line=position(text, handler.node.start)[0],
                is_edited=handler.kinship in (Kinship.WRAPPED, Kinship.MENTION),
            )
            for handler in self._handlers(self._read(text))
            if handler.kinship.runs_memfs
        )

    def is_blank(self, text: str) -> bool:
        """Tells whether nothing stands in the file but what every such file has."""
        return {member.key for member in self._read(text).root.elements} <= set(self.head)

    # Reading ----------------------------------------------------------------------

    def _read(self, text: str) -> Document:
        document = parse(text if text.strip() else EMPTY)
        if document.root.shape is not Shape.OBJECT:
            raise self._refused(text, 0, f"expected an object, got {document.root.shape}")
        if self.is_strict and not document.is_strict:
            at = document.comments[0][0] if document.comments else 0
            raise self._refused(
                text, at, "expected JSON without comments and trailing commas, got some"
            )
        for name, value in self.head.items():
            found = document.at((name,))
            if found is not None and str(found.scalar) != str(value):
                message = f"expected {name} {value}, got {found.scalar}"
                raise self._refused(text, found.start, message)
        return document

    def _refused(self, text: str, offset: int, message: str) -> NotReadableAsError:
        line, column = position(text, offset)
        hint = "the client drops such a file as a whole" if self.is_strict else ""
        return NotReadableAsError(message, hint=hint, line=line, column=column)

    def _events(self, document: Document) -> Node | None:
        """Returns the object of the events."""
        for depth in range(1, len(self.base) + 1):
            node = document.at(self.base[:depth])
            if node is None:
                return None
            if node.shape is not Shape.OBJECT:
                named = "/".join(self.base[:depth])
                message = f"expected an object at {named}, got {node.shape}"
                raise self._refused(document.text, node.start, message)
        return document.at(self.base)

    def _handlers(self, document: Document) -> Iterator[_Handler]:
        """Yields every handler of every event, in the order of the file."""
        events = self._events(document)
        for event in events.elements if events is not None else ():
            if event.node.shape is not Shape.LIST:
                continue
            path = (*self.base, event.key)
            if not self.is_grouped:
                yield from self._in_list(event.key, path, event.node)
                continue
            for place, group in enumerate(event.node.elements):
                found = group.node.members("hooks") if group.node.shape is Shape.OBJECT else ()
                for member in found:
                    yield from self._in_list(event.key, (*path, place, "hooks"), member.node)

    def _in_list(self, event: str, path: tuple[Step, ...], node: Node) -> Iterator[_Handler]:
        for place, element in enumerate(node.elements if node.shape is Shape.LIST else ()):
            if element.node.shape is Shape.OBJECT:
                yield self._handler(event, (*path, place), element.node)

    def _handler(self, event: str, path: tuple[Step, ...], node: Node) -> _Handler:
        by_key = {member.key: member.node for member in node.elements}
        line, split = words(by_key.get("command")), texts(by_key.get("args"))
        call = call_in_line(line) if split is None else call_from((line, *split))
        if call is not None and call.arguments[0] != "hook":
            call = None
        expected = next((hook for hook in self.hooks if hook.event == event), None)
        wanted = (self.program, *expected.arguments) if expected is not None else ()
        whole = " ".join((line, *(split or ())))
        kin = kinship(call, whole, wanted)
        if kin is Kinship.CURRENT and (split is not None) != self.is_split:
            kin = Kinship.OTHER
        # Of a call, and never what stands in front of it: doctor runs these words.
        spoken = call.words if call is not None else ()
        return _Handler(event=event, path=path, node=node, kinship=kin, command=spoken)

    def _switched_off(self, document: Document) -> Iterator[str]:
        for path, value in self.switches.items():
            node = document.at(path)
            if node is not None and node.scalar is value:
                said = "true" if value else "false"
                yield f"hooks are switched off here: {'.'.join(path)} is {said}"

    # Writing ----------------------------------------------------------------------

    def _with_hook(self, text: str, hook: Hook, notes: list[str]) -> str:
        """Returns the text with exactly one handler for one event."""
        mine = [h for h in self._handlers(self._read(text)) if h.event == hook.event]
        theirs = [h for h in mine if h.kinship in (Kinship.WRAPPED, Kinship.MENTION)]
        ours = [h for h in mine if h.kinship.is_ours]
        if theirs:
            line = position(text, theirs[0].node.start)[0]
            notes.append(f"{hook.event}: a command of your own on line {line} runs memfs; kept")
            keep: _Handler | None = None
        else:
            current = [h for h in ours if h.kinship is Kinship.CURRENT]
            keep = next(iter(current or ours), None)
        # From the end, so that the places of what comes before stay right.
        for handler in reversed(ours):
            if handler is not keep:
                text = self._less(text, handler)
        if len(ours) > 1 or (theirs and ours):
            notes.append(f"{hook.event}: memfs was called more than once; it is called once now")
        if keep is not None and keep.kinship is Kinship.OTHER:
            return self._renewed(text, hook)
        return text if keep is not None or theirs else self._added(text, hook)

    def _renewed(self, text: str, hook: Hook) -> str:
        """Returns the text with the command of our one handler for an event replaced."""
        handler = next(
            h
            for h in self._handlers(self._read(text))
            if h.event == hook.event and h.kinship is Kinship.OTHER
        )
        has_list = any(member.key == "args" for member in handler.node.elements)
        command = self._command(hook)
        if has_list and "args" not in command:
            text = without(text, (*handler.path, "args"))
        for name, value in command.items():
            path = (*handler.path, name)
            if self._read(text).at(path) is None:
                text = with_member(text, handler.path, name, value)
            else:
                text = with_value(text, path, value)
        return text

    def _added(self, text: str, hook: Hook) -> str:
        for depth in range(len(self.base)):
            if self._read(text).at(self.base[: depth + 1]) is None:
                text = with_member(text, self.base[:depth], self.base[depth], {})
        item: Json = self._new_handler(hook)
        if self.is_grouped:
            item = {"hooks": [item]}
        path = (*self.base, hook.event)
        self._events(self._read(text))
        node = self._read(text).at(path)
        if node is None:
            return with_member(text, self.base, hook.event, [item])
        return with_item(text, path, item)

    def _new_handler(self, hook: Hook) -> dict[str, Json]:
        timeout: dict[str, Json] = {"timeout": hook.timeout} if hook.timeout else {}
        return {**self.handler, **self._command(hook), **timeout}

    def _command(self, hook: Hook) -> dict[str, Json]:
        if self.is_split:
            return {"command": self.program, "args": list(hook.arguments)}
        return {"command": shell_line(self.program, hook.arguments)}

    def _without_stale(self, text: str) -> str:
        """Returns the text without handlers of ours for events that memfs left alone since."""
        wanted = {hook.event for hook in self.hooks}
        stale = [
            handler
            for handler in self._handlers(self._read(text))
            if handler.kinship.is_ours and handler.event not in wanted
        ]
        for handler in reversed(stale):
            text = self._less(text, handler)
        return text

    def _less(self, text: str, handler: _Handler) -> str:
        """Returns the text without a handler and whatever holds nothing else then."""
        text = without(text, handler.path)
        path = handler.path[:-1]
        if self._holds(text, path):
            return text
        if self.is_grouped:
            group = self._read(text).at(path[:-1])
            others = {member.key for member in group.elements} if group is not None else set()
            if others - {"matcher", "hooks"}:
                return text
            text = without(text, path[:-1])
            path = path[:-2]
        while path and not self._holds(text, path):
            text = without(text, path)
            path = path[:-1]
        return text

    def _holds(self, text: str, path: tuple[Step, ...]) -> bool:
        """Whether anything is left in what stands at a path."""
        node = self._read(text).at(path)
        return node is not None and bool(node.elements)
