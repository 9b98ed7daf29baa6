"""The entry of memfs's protocol server in a JSON configuration.

An entry of that name that runs memfs is memfs's own, and what somebody added to it (variables,
a project, a timeout) stays. An entry of that name that runs anything else is not touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from memfs.agents.install.calls import SERVER, Call, Kinship, call_from, kinship
from memfs.agents.install.json_edit import Json, with_member, with_value, without
from memfs.agents.install.json_hooks import EMPTY
from memfs.agents.install.json_spans import Document, Element, Shape, parse, texts, words
from memfs.agents.install.refusals import NameTakenError, NotReadableAsError, position
from memfs.agents.install.texts import Edited, Found, Part

NAME: Final = "memfs"
_COMPAT: Final = "--compat"


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonServer:
    """An editor of the server of one client.

    Attributes:
        program: What runs memfs.
        base: Key of the object that holds the servers by name.
        more: Members of an entry besides its command.
        is_list: Program and arguments are one list, as in OpenCode.
        is_strict: The client reads neither comments nor trailing commas.
    """

    program: str
    base: str
    more: Mapping[str, Json]
    is_list: bool = False
    is_strict: bool = False

    @property
    def part(self) -> Part:
        """What it is about."""
        return Part.SERVER

    def install(self, text: str | None, *, force: bool) -> Edited:
        """Returns the text with the one entry of memfs."""
        text = EMPTY if text is None or not text.strip() else text
        document = self._read(text)
        own = document.element((self.base, NAME))
        beside = [name for name, call in self._calls(document) if name != NAME and _is_same(call)]
        if own is None and beside:
            return Edited(text=text, notes=(f"the server {beside[0]!r} runs memfs already; kept",))
        if own is None:
            if document.at((self.base,)) is None:
                return Edited(text=with_member(text, (), self.base, {NAME: self._entry()}))
            return Edited(text=with_member(text, (self.base,), NAME, self._entry()))
        call = self._call(own)
        if call is None:
            line, column = position(text, own.start)
            raise NameTakenError(
                f"expected no server named {NAME!r} that runs something else, got one",
                hint="rename it, or leave memfs's server out with --without server",
                line=line,
                column=column,
            )
        notes = tuple(f"the server {name!r} runs memfs as well" for name in beside)
        if self._kinship(own) is Kinship.OTHER and call.program != self.program:
            text = self._renewed(text, own)
        return Edited(text=text, notes=notes)

    def uninstall(self, text: str) -> Edited:
        """Returns the text without the entry of memfs."""
        document = self._read(text)
        own = document.element((self.base, NAME))
        if own is None or self._call(own) is None:
            return Edited(text=text)
        text = without(text, (self.base, NAME))
        servers = self._read(text).at((self.base,))
        if servers is not None and not servers.elements:
            text = without(text, (self.base,))
        return Edited(text=text)

    def find(self, text: str) -> tuple[Found, ...]:
        """Returns every server that runs memfs."""
        document = self._read(text)
        return tuple(
            Found(
                part=Part.SERVER,
                name=name,
                kinship=self._kinship(element) if name == NAME else Kinship.WRAPPED,
                command=call.words,
                line=position(text, element.start)[0],
                is_edited=name != NAME or call.is_wrapped,
            )
            for name, call in self._calls(document)
            for element in (document.element((self.base, name)),)
            if element is not None
        )

    def is_blank(self, text: str) -> bool:
        """Tells whether nothing stands in the file."""
        return not self._read(text).root.elements

    def _read(self, text: str) -> Document:
        document = parse(text if text.strip() else EMPTY)
        if document.root.shape is not Shape.OBJECT:
            raise NotReadableAsError(f"expected an object, got {document.root.shape}", line=1)
        if self.is_strict and not document.is_strict:
            at = document.comments[0][0] if document.comments else 0
            raise NotReadableAsError(
                "expected JSON without comments and trailing commas, got some",
                hint="the client drops such a file as a whole",
                line=position(text, at)[0],
            )
        servers = document.at((self.base,))
        if servers is not None and servers.shape is not Shape.OBJECT:
            line, column = position(text, servers.start)
            message = f"expected an object at {self.base}, got {servers.shape}"
            raise NotReadableAsError(message, line=line, column=column)
        return document

    def _calls(self, document: Document) -> Iterator[tuple[str, Call]]:
        servers = document.at((self.base,))
        for element in servers.elements if servers is not None else ():
            call = self._call(element)
            if call is not None:
                yield element.key, call

    def _call(self, element: Element) -> Call | None:
        """Returns the call of memfs's server that an entry makes."""
        call = call_from(self._words(element))
        return call if call is not None and call.arguments[0] == SERVER else None

    def _words(self, element: Element) -> tuple[str, ...]:
        members = {member.key: member.node for member in element.node.elements}
        command = members.get("command")
        if self.is_list:
            return texts(command) or ()
        return (words(command), *(texts(members.get("args")) or ()))

    def _kinship(self, element: Element) -> Kinship:
        spoken = self._words(element)
        return kinship(self._call(element), " ".join(spoken), (self.program, SERVER))

    def _renewed(self, text: str, own: Element) -> str:
        """Returns the text with another program in our entry; its arguments stay."""
        path = (self.base, NAME, "command")
        call = self._call(own)
        assert call is not None
        if self.is_list:
            return with_value(text, path, [self.program, *call.arguments])
        text = with_value(text, path, self.program)
        spoken = self._words(own)
        if spoken[1:] != call.arguments:
            text = with_value(text, (self.base, NAME, "args"), list(call.arguments))
        return text

    def _entry(self) -> dict[str, Json]:
        if self.is_list:
            command: dict[str, Json] = {"command": [self.program, SERVER]}
        else:
            command = {"command": self.program, "args": [SERVER]}
        head = {"type": self.more["type"]} if "type" in self.more else {}
        rest = {name: value for name, value in self.more.items() if name != "type"}
        return {**head, **command, **rest}


def _is_same(call: Call) -> bool:
    """Whether a server offers what ours would; one that stands in for another's does not."""
    return not any(_is_compat(word) for word in call.arguments)


def _is_compat(word: str) -> bool:
    return word == _COMPAT or word.startswith(_COMPAT + "=")
