"""Text of memfs's that people read: a block between two marks, and files that are all its own.

Both carry the digest of what memfs wrote, so that an edit by hand is noticed: it is kept until
somebody says otherwise. Marks that do not pair up are refused with their line; nothing is ever
guessed about where a block would have ended.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from memfs.agents.install.calls import Kinship
from memfs.agents.install.refusals import BlockDamagedError, NameTakenError, position
from memfs.agents.install.texts import Edited, Found, Part, ending_of

_BEGIN: Final = re.compile(r"^<!-- memfs:begin(?: ([0-9a-f]{8}))? -->[ \t]*\r?$", re.M)
_END: Final = re.compile(r"^<!-- memfs:end -->[ \t]*\r?$", re.M)
_FILE: Final = re.compile(r"^(?:<!--|//|#) memfs:file(?: ([0-9a-f]{8}))?(?: -->)?[ \t]*\r?$", re.M)
_KEPT: Final = "edited by hand, so it is kept as it is; --force replaces it"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """One block of memfs's.

    Attributes:
        start: Offset of its first mark.
        end: Offset after its last mark, and the end of that line.
        inner: What stands between the marks.
        digest: What the first mark says; empty for nothing.
    """

    start: int
    end: int
    inner: str
    digest: str

    @property
    def is_edited(self) -> bool:
        """Whether somebody changed it."""
        return digest_of(self.inner) != self.digest


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownBlock:
    """An editor of memfs's block in a Markdown file of a person's.

    Attributes:
        body: What stands between the marks; ends with a line feed.
    """

    body: str

    @property
    def part(self) -> Part:
        """What it is about."""
        return Part.INSTRUCTIONS

    def install(self, text: str | None, *, force: bool) -> Edited:
        """Returns the text with the block in it, once, at its end where it is new."""
        text = text or ""
        newline = ending_of(text)
        spans = _spans(text)
        notes: list[str] = []
        for span in reversed(spans[1:]):
            if span.is_edited and not force:
                line = position(text, span.start)[0]
                raise BlockDamagedError(
                    "expected one block of memfs's, got another that was edited by hand",
                    hint="take out the one that you do not want",
                    line=line,
                )
            text = _cut(text, span)
            notes.append("the block stood there more than once; it stands there once now")
        block = self._block(newline)
        if not spans:
            gap = "" if not text else newline if text.endswith("\n") else newline * 2
            return Edited(text=text + gap + block)
        first = spans[0]
        if first.is_edited and not force:
            return Edited(text=text, notes=(*notes, f"the block was {_KEPT}"))
        ending = newline if text[first.start : first.end].endswith("\n") else ""
        new = block.removesuffix(newline) + ending
        return Edited(text=text[: first.start] + new + text[first.end :], notes=tuple(notes))

    def uninstall(self, text: str) -> Edited:
        """Returns the text without any block of memfs's."""
        notes = []
        for span in reversed(_spans(text)):
            if span.is_edited:
                notes.append("the block was edited by hand; a copy of the file is kept")
            text = _cut(text, span)
        return Edited(text=text, notes=tuple(notes))

    def find(self, text: str) -> tuple[Found, ...]:
        """Returns every block of memfs's."""
        wanted = digest_of(self.body)
        return tuple(
            Found(
                part=Part.INSTRUCTIONS,
                name="block",
                kinship=Kinship.CURRENT if span.digest == wanted else Kinship.OTHER,
                line=position(text, span.start)[0],
                is_edited=span.is_edited,
            )
            for span in _spans(text)
        )

    def is_blank(self, text: str) -> bool:
        """Tells whether nothing stands in the file."""
        return not text.strip()

    def _block(self, newline: str) -> str:
        inner = self.body.replace("\n", newline)
        return (
            f"<!-- memfs:begin {digest_of(self.body)} -->{newline}{inner}"
            f"<!-- memfs:end -->{newline}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile:
    """An editor of a file that is all memfs's own, such as a skill.

    Attributes:
        body: The file without its mark; ends with a line feed.
        comment: Makes a comment of a text, in the language of the file.
        what: Which part of the installation it is.
        call: Finds in the file which command it runs; ``None`` where it runs none.
    """

    body: str
    comment: Callable[[str], str]
    what: Part
    call: Callable[[str], tuple[str, ...]] | None = None

    @property
    def part(self) -> Part:
        """What it is about."""
        return self.what

    def install(self, text: str | None, *, force: bool) -> Edited:
        """Returns the file; one that was edited by hand stays."""
        whole = self.body + self.comment(f"memfs:file {digest_of(self.body)}") + "\n"
        if text is None or not text.strip():
            return Edited(text=whole)
        found = self._found(text)
        if found is None:
            raise NameTakenError(
                "expected no file here, or one that memfs wrote, got another",
                hint="move it away first",
            )
        if found.is_edited and not force:
            return Edited(text=text, notes=(f"the file was {_KEPT}",))
        # The same text with other line ends, as a checkout may make them, is the same.
        is_same = text.replace("\r\n", "\n") == whole
        return Edited(text=text if is_same else whole)

    def uninstall(self, text: str) -> Edited:
        """Returns no file, where it is memfs's."""
        found = self._found(text)
        if found is None:
            return Edited(text=text)
        notes = ("it was edited by hand; a copy is kept",) if found.is_edited else ()
        return Edited(text=None, notes=notes)

    def find(self, text: str) -> tuple[Found, ...]:
        """Returns the file, where it is memfs's."""
        found = self._found(text)
        return () if found is None else (found,)

    def is_blank(self, text: str) -> bool:
        """Tells whether nothing stands in the file."""
        return not text.strip()

    def _found(self, text: str) -> Found | None:
        marks = list(_FILE.finditer(text))
        if not marks:
            return None
        mark = marks[-1]
        rest = text[: mark.start()] + text[mark.end() :].removeprefix("\n")
        said = mark[1] or ""
        return Found(
            part=self.what,
            name="file",
            kinship=Kinship.CURRENT if said == digest_of(self.body) else Kinship.OTHER,
            command=self.call(text) if self.call is not None else (),
            line=1,
            is_edited=digest_of(rest) != said,
        )


def digest_of(text: str) -> str:
    """Returns eight digits for a text; the same whatever ends its lines."""
    return hashlib.sha256(text.replace("\r\n", "\n").encode()).hexdigest()[:8]


def _spans(text: str) -> list[_Span]:
    """Returns the blocks in a text.

    Raises:
        BlockDamagedError: The marks do not pair up.
    """
    marks = sorted(
        [(found.start(), found, True) for found in _BEGIN.finditer(text)]
        + [(found.start(), found, False) for found in _END.finditer(text)],
        key=lambda mark: mark[0],
    )
    spans: list[_Span] = []
    begun: re.Match[str] | None = None
    for at, found, is_begin in marks:
        if is_begin is (begun is not None):
            raise _damaged(text, at, "begin" if is_begin else "end")
        if begun is None:
            begun = found
            continue
        end = found.end() + (1 if text.startswith("\n", found.end()) else 0)
        inner = text[begun.end() : at].removeprefix("\n")
        spans.append(_Span(start=begun.start(), end=end, inner=inner, digest=begun[1] or ""))
        begun = None
    if begun is not None:
        raise _damaged(text, begun.start(), "begin")
    return spans


def _damaged(text: str, at: int, mark: str) -> BlockDamagedError:
    return BlockDamagedError(
        f"expected a mark 'memfs:begin' and then one 'memfs:end', got memfs:{mark} out of turn",
        hint="put the missing mark back, or take out what is left of the block",
        line=position(text, at)[0],
    )


def _cut(text: str, span: _Span) -> str:
    """Returns the text without a block and the blank line that came with it."""
    before = text[: span.start]
    for newline in ("\r\n", "\n"):
        if before.endswith(newline * 2):
            before = before.removesuffix(newline)
            break
    return before + text[span.end :]
