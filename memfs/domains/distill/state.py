"""How far distillation has come, and what it is about to hand in: two private notes of a store.

``state`` holds a mark for each source: everything before it was looked at. ``work`` holds one
round on its way through the stages. Each is written whole, and the marks move only after what
the round found is in the ledger or in the inbox: a process that is killed at any instant is gone
on from, repeats nothing and loses nothing (O25). A note that does not read is moved aside, never
deleted (O62), and the round is collected again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from memfs.domains.distill.products import (
    BadProductError,
    Product,
    decode_product,
    encode_product,
)
from memfs.errors import ConflictError
from memfs.model.digests import content_digest
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace
from memfs.services.ties import DISTILLED, ROUND
from memfs.store.private_notes import NOTE_BYTES, NoteHeldError, PrivateNotes

FORMAT: Final = 1
_STATE: Final = "state"
_PASS: Final = "pass"
_DIGITS: Final = 16
ROOM_BYTES: Final = NOTE_BYTES - 16_384
"""Size of a round's note; a larger round is collected again, and smaller."""

Marks = Mapping[str, JsonValue]


class PassRunningError(ConflictError):
    """Another process distils; one at a time is enough."""

    code = "distill.running"


class Stage(StrEnum):
    """The five stages, in order."""

    COLLECT = "collect"
    EXTRACT = "extract"
    LINK = "link"
    RECONCILE = "reconcile"
    PROJECT = "project"


STAGES: Final = tuple(Stage)


@dataclass(frozen=True, slots=True)
class Part:
    """What one source gives to a round: pointers, and the mark that holds once they are done."""

    items: tuple[str, ...]
    mark: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One round.

    Attributes:
        done: The last stage that is done.
        parts: What each source gave, by its name.
        products: What was found, from ``extract`` on.
        report: Counts by stage.
    """

    done: Stage
    parts: Mapping[str, Part]
    products: tuple[Product, ...] = ()
    report: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """What makes it the same round as another: what it was collected from."""
        names = (f"{name}\0{item}" for name, part in self.parts.items() for item in part.items)
        return content_digest("round", "\n".join(sorted(names)).encode("utf-8", "replace"))

    def after(
        self, stage: Stage, products: Sequence[Product], told: Mapping[str, JsonValue]
    ) -> Work:
        """Returns the round with a stage done."""
        report = {**self.report, str(stage): dict(told)}
        return replace(self, done=stage, products=tuple(products), report=report)


class DistillNotes:
    """The notes of one store; whoever changes them holds the pass."""

    def __init__(self, workspace: Workspace) -> None:
        self._notes = PrivateNotes(workspace.store.git_dir, DISTILLED)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Lets one process at a time distil.

        Raises:
            PassRunningError: Another one does.
            WriteFailedError: The store's private folder cannot be written.
        """
        with contextlib.ExitStack() as stack:
            try:
                stack.enter_context(self._notes.held(_PASS))
            except NoteHeldError as error:
                raise PassRunningError(
                    "expected nobody to distil, got another process that does",
                    hint="wait for it, or see: memfs jobs",
                ) from error
            yield

    def marks(self) -> Marks:
        """Returns the mark of each source; a source without one was never looked at."""
        value = self._read(_STATE)
        found = value.get("marks") if value is not None else None
        return found if isinstance(found, dict) else {}

    def write_marks(self, marks: Marks) -> None:
        """Notes how far every source was looked at."""
        self._write(_STATE, {"format": FORMAT, "marks": dict(marks)})

    def work(self) -> Work | None:
        """Returns the round that is under way; ``None`` where there is none that reads."""
        value = self._read(ROUND)
        if value is None:
            return None
        try:
            return _decoded(value)
        except (BadProductError, ValueError, KeyError, TypeError, AttributeError):
            self._put_aside(ROUND)
            return None

    def write_work(self, work: Work) -> bool:
        """Writes a round; ``False`` where it is too large for a note, and nothing is written."""
        content = _encoded(work)
        if len(content) > ROOM_BYTES:
            return False
        self._notes.replace(ROUND, content)
        return True

    def end_work(self) -> None:
        """Takes the round away: it is done, or is to be collected again."""
        self._notes.remove(ROUND)

    def _read(self, name: str) -> dict[str, JsonValue] | None:
        content = self._notes.read(name)
        if content is None:
            return None
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(content)
            if isinstance(value, dict) and value.get("format") == FORMAT:
                return value
        self._put_aside(name)
        return None

    def _put_aside(self, name: str) -> None:
        """Keeps a note of another layout under another name (O62)."""
        content = self._notes.read(name)
        if content is not None:
            digest = hashlib.sha256(content).hexdigest()[:_DIGITS]
            # The same bytes are kept once; a note that could not be kept stays where it is.
            self._notes.create(f"old_{name}_{digest}", content)
        self._notes.remove(name)

    def _write(self, name: str, value: Mapping[str, JsonValue]) -> None:
        self._notes.replace(name, _bytes(value))


def _encoded(work: Work) -> bytes:
    return _bytes(
        {
            "format": FORMAT,
            "done": str(work.done),
            "parts": {
                name: {"items": list(part.items), "mark": part.mark}
                for name, part in work.parts.items()
            },
            "products": [encode_product(item) for item in work.products],
            "report": dict(work.report),
        }
    )


def _decoded(value: Mapping[str, JsonValue]) -> Work:
    parts, products, report = value["parts"], value["products"], value["report"]
    if not (isinstance(parts, dict) and isinstance(products, list) and isinstance(report, dict)):
        raise BadProductError("expected parts, products and a report")
    return Work(
        done=Stage(str(value["done"])),
        parts={name: _part(part) for name, part in parts.items()},
        products=tuple(decode_product(item) for item in products),
        report=report,
    )


def _part(value: JsonValue) -> Part:
    if not isinstance(value, dict) or not isinstance(value["items"], list):
        raise BadProductError("expected the items of a source")
    return Part(tuple(str(item) for item in value["items"]), value["mark"])


def _bytes(value: Mapping[str, JsonValue]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "backslashreplace"
    )
