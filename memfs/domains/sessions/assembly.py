"""From messages to turns: where one begins, what it follows, and what stands beside it.

Pure. A turn begins with what a person asks and holds everything up to the next prompt. A prompt
that follows an earlier turn than the last one, or an answer to a prompt that has one already,
begins a branch: nothing that was kept is ever changed, and what branches share is kept once
(O33, O52). Messages that are known are passed over, whatever order they come in again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from memfs.domains.sessions.turns import Entry, Mark, Message, Role, Rollback, Title, TurnEnd
from memfs.errors import ConflictError

ROOT: Final = -1
"""What the first turn follows."""
_LONGEST: Final = 2_000
"""Messages of one turn that are held in memory; what is more begins the turn's next commit."""


class UnknownParentError(ConflictError):
    """What a message follows is not known; the transcript has to be read from its beginning."""

    code = "session.unknown-parent"


class Opening(StrEnum):
    """How a turn comes about."""

    PROMPT = "prompt"
    CONTINUED = "continued"
    """More of a turn that is kept already."""
    RETRY = "retry"
    """Another answer to a prompt that is kept already."""


@dataclass(slots=True, kw_only=True)
class Placed:
    """A turn that is known: its number, its messages, and what it follows.

    Attributes:
        number: Place on the way from the beginning, from 1.
        parent: Index of the turn that it follows; ROOT for none.
        prompt: Id of the message that began it.
        groups: Answers that it has, as far as they were read in this pass.
        has_answer: Somebody answered.
    """

    number: int
    parent: int
    prompt: str
    groups: set[str] = field(default_factory=set)
    has_answer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn, or a part of one, that is to be kept.

    Attributes:
        index: Its index among all that are known.
        number: Place on the way from the beginning.
        opening: How it came about.
        base: Index of the turn whose files stand before it; ROOT for none.
        shared: Index of the turn that has the prompt; of a retry alone, else ROOT.
        messages: What is new, in order.
        mark: Where it begins in the transcript.
    """

    index: int
    number: int
    opening: Opening
    base: int
    shared: int
    messages: tuple[Message, ...]
    mark: Mark

    @property
    def at(self) -> datetime | None:
        """When the last of it was said."""
        moments = [message.at for message in self.messages if message.at is not None]
        return moments[-1] if moments else None


@dataclass(slots=True, kw_only=True)
class _Open:
    """The turn that messages are being added to."""

    index: int
    opening: Opening
    base: int
    shared: int
    messages: list[Message]
    mark: Mark
    is_ended: bool = False


class Assembly:
    """Takes what a transcript holds, in order, and gives the turns that are complete."""

    def __init__(
        self,
        *,
        placed: list[Placed],
        nodes: Mapping[str, int],
        cursor: int,
        elsewhere: Mapping[str, int],
        is_resumed: bool,
    ) -> None:
        """Begins behind what is kept.

        Args:
            placed: The turns that are kept.
            nodes: Id of each message that is kept to the index of its turn.
            cursor: Index of the newest turn; ROOT for none.
            elsewhere: Id of messages that another session keeps, to the number of their turn.
            is_resumed: The transcript is not read from its beginning.
        """
        self.placed = placed
        self.nodes = dict(nodes)
        self.title: Title | None = None
        self.shared_with = 0
        self.rolled_back: Mark | None = None
        self._elsewhere = elsewhere
        self.cursor = cursor
        self._before = 0
        self._is_resumed = is_resumed
        self._open: _Open | None = None

    @property
    def pending(self) -> Mark | None:
        """Where the turn begins that is not complete; ``None`` for none."""
        return self._open.mark if self._open is not None else self.rolled_back

    def feed(self, entry: Entry) -> Iterator[Turn]:
        """Takes one entry; yields the turns that it completes.

        Raises:
            UnknownParentError: It follows something that was before a resumed pass.
        """
        match entry:
            case Title():
                if entry.text.strip() and (self.title is None or entry.rank >= self.title.rank):
                    self.title = entry
            case TurnEnd():
                if self._open is not None:
                    self._open.is_ended = True
            case Rollback():
                yield from self._close()
                self._roll_back(entry)
            case Message():
                yield from self._take(entry)

    def finish(self, *, is_ended: bool, settled_before: datetime) -> Iterator[Turn]:
        """Yields the last turn where it is complete.

        Args:
            is_ended: The host says that nothing more comes.
            settled_before: A turn whose last message is older counts as complete.
        """
        last = self._open
        if last is None:
            return
        at = next((item.at for item in reversed(last.messages) if item.at is not None), None)
        if is_ended or last.is_ended or (at is not None and at < settled_before):
            yield from self._close()

    def share(self, elsewhere: Mapping[str, int]) -> None:
        """Names the messages that another session keeps, before the first one is taken."""
        self._elsewhere = elsewhere

    def unfinished(self) -> int:
        """Returns how many messages the turn has that is not complete."""
        return len(self._open.messages) if self._open is not None else 0

    def _take(self, message: Message) -> Iterator[Turn]:
        if message.id in self.nodes:
            index = self.nodes[message.id]
            if self._open is None or index != self._open.index:
                yield from self._close()
                self.cursor = index
            self._note_answer(message, index)
            return
        if message.id in self._elsewhere:
            yield from self._close()
            self.cursor = ROOT
            self._before = self.shared_with = self._elsewhere[message.id]
            return
        parent = self._index_of(message)
        if message.is_prompt:
            yield from self._close()
            self._begin(message, Opening.PROMPT, base=parent)
            return
        asked = self._asked_in(message)
        if asked is not None and self._is_retry(message, asked):
            yield from self._close()
            self._begin(message, Opening.RETRY, base=self.placed[asked].parent, shared=asked)
        elif asked is not None and (self._open is None or asked != self._open.index):
            yield from self._close()
            self._begin(message, Opening.CONTINUED, base=asked)
        elif self._open is None and parent != ROOT:
            self._begin(message, Opening.CONTINUED, base=parent)
        elif self._open is None:
            self._begin(message, Opening.PROMPT, base=ROOT)
        else:
            if len(self._open.messages) >= _LONGEST:
                index = self._open.index
                yield from self._close()
                self._begin(message, Opening.CONTINUED, base=index)
                return
            self._add(self._open, message)

    def _index_of(self, message: Message) -> int:
        """Returns the index of the turn that a message follows."""
        if message.parent is None:
            return self._open.index if self._open is not None else self.cursor
        if message.parent in self.nodes:
            return self.nodes[message.parent]
        if not message.parent:
            self._before = 0
            return ROOT
        if message.parent in self._elsewhere:
            self._before = self._elsewhere[message.parent]
            return ROOT
        if self._is_resumed:
            raise UnknownParentError("a message follows one that is not known")
        return self._open.index if self._open is not None else self.cursor

    def _asked_in(self, message: Message) -> int | None:
        """Returns the index of the turn whose very prompt a message answers; ``None`` for none."""
        if message.role is not Role.ASSISTANT or not message.parent:
            return None
        index = self.nodes.get(message.parent)
        is_prompt = index is not None and self.placed[index].prompt == message.parent
        return index if is_prompt else None

    def _is_retry(self, message: Message, asked: int) -> bool:
        """Whether the prompt has another answer already."""
        turn = self.placed[asked]
        return turn.has_answer and message.group not in turn.groups

    def _begin(self, message: Message, opening: Opening, *, base: int, shared: int = ROOT) -> None:
        if opening is Opening.CONTINUED:
            turn = self.placed[base]
            placed = Placed(
                number=turn.number, parent=base, prompt=turn.prompt, groups=turn.groups,
                has_answer=turn.has_answer,
            )  # fmt: skip
        elif opening is Opening.RETRY:
            turn = self.placed[shared]
            placed = Placed(number=turn.number, parent=base, prompt=turn.prompt)
        else:
            before = self.placed[base].number if base != ROOT else self._before
            placed = Placed(number=before + 1, parent=base, prompt=message.id)
        self.placed.append(placed)
        self._open = _Open(
            index=len(self.placed) - 1,
            opening=opening,
            base=base,
            shared=shared,
            messages=[],
            # Where turns were taken back, that has to be read again before this one.
            mark=self.rolled_back or message.mark,
        )
        self.rolled_back = None
        self._add(self._open, message)

    def _add(self, turn: _Open, message: Message) -> None:
        turn.messages.append(message)
        turn.is_ended = message.ends_turn
        self.nodes[message.id] = turn.index
        self._note_answer(message, turn.index)

    def _note_answer(self, message: Message, index: int) -> None:
        if message.role is not Role.ASSISTANT:
            return
        turn = self.placed[index]
        turn.has_answer = True
        turn.groups.add(message.group)
        before = self.placed[turn.parent] if turn.parent != ROOT else turn
        if before.prompt == turn.prompt and before.number == turn.number:
            before.has_answer = True  # it is continued here

    def _close(self) -> Iterator[Turn]:
        if self._open is None:
            return
        done, self._open = self._open, None
        self.cursor = done.index
        yield Turn(
            index=done.index,
            number=self.placed[done.index].number,
            opening=done.opening,
            base=done.base,
            shared=done.shared,
            messages=tuple(done.messages),
            mark=done.mark,
        )

    def _roll_back(self, entry: Rollback) -> None:
        self.rolled_back = self.rolled_back or entry.mark
        for _ in range(entry.turns):
            number = self.placed[self.cursor].number if self.cursor != ROOT else 0
            while self.cursor != ROOT and self.placed[self.cursor].number == number:
                self.cursor = self.placed[self.cursor].parent
