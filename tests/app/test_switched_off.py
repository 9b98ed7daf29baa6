"""Where memory is off, every verb refuses or answers empty, and nothing is written (O54).

The verbs are those on the lists of the contract, each called with arguments that its parameters
ask for: one that is added is asked as well, without being put on a list of this test.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from memfs.app.memory import Memory
from memfs.errors import MemfsError
from memfs.model.packet import MemoryState, Packet
from memfs.model.result import Result, ResultStatus
from tests.contract.surfaces import CHANGES, READS, shown
from tests.support.memory import AGENT, ANA, memory_of, new_project, store_root

WORDS: Final = "heron"
TAKING_BACK: Final = frozenset(
    ("forget", "retract", "erase", "revoke", "pollute", "take_back", "forget_session")
)
"""Possible in every mode: what takes something back must never depend on a switch (A75)."""
GIVES_ACCOUNT: Final = frozenset(
    ("status", "doctor", "check", "check_staged", "audit", "stats", "explain", "reach")
)
"""Tell how the store stands, to whoever wants to switch memory on again."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember(f"The {WORDS} ledger is kept by Ana", kind="note")
        memory.record_event(f"The {WORDS} was seen", kind="event")
        memory.sleep()
    return project


def verbs() -> Iterator[str]:
    return (name for name in sorted({*READS, *CHANGES}) if callable(getattr(Memory, name, None)))


def arguments(verb: Any, reference: str, folder: Path) -> tuple[list[Any], dict[str, Any]]:
    """Returns something for each parameter that has no default, by its annotation."""
    given: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in inspect.signature(verb).parameters.values():
        is_open = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        if is_open or parameter.default is not parameter.empty:
            continue
        value = _value(str(parameter.annotation), reference, folder)
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[parameter.name] = value
        else:
            given.append(value)
    return given, named


def _value(annotation: str, reference: str, folder: Path) -> Any:
    if "Path" in annotation and "Sequence" not in annotation:
        return folder
    if "Callable" in annotation or "EditText" in annotation:
        return lambda *_: b""
    if annotation.startswith(("Sequence", "Iterable", "tuple", "list")):
        return [reference]
    if annotation.startswith("int"):
        return 1
    return reference


def outcome(memory: Memory, name: str, reference: str, folder: Path) -> str:
    """Returns what came of a verb: the code of a refusal, ``nothing``, or what it gave."""
    verb = getattr(memory, name)
    given, named = arguments(verb, reference, folder)
    try:
        answer = verb(*given, **named)
        if isinstance(answer, Iterator):
            answer = tuple(answer)
    except MemfsError as error:
        return error.code
    except (AttributeError, TypeError):
        # An argument that no introspection can make: it was not taken.
        return "unasked"
    if isinstance(answer, Packet):
        is_no = answer.state is MemoryState.OFF and not answer.cards
    elif isinstance(answer, Result):
        is_no = answer.status in (ResultStatus.REFUSED, ResultStatus.NOTHING)
    else:
        is_no = not answer
    if name in GIVES_ACCOUNT:
        is_no = memory.actor.is_person or WORDS not in shown(answer)
    return "nothing" if is_no else f"gave {shown(answer)[:80]}"


def everything_in(project: Path) -> Mapping[str, bytes]:
    """Returns every file that memfs could write, with its bytes.

    Without the table that says of each working file when it was read last, which ``check`` keeps.
    """
    places = (store_root(project), Path(os.environ["HOME"]))
    found = (path for place in places for path in place.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found if path.name != "stamps"}


@pytest.mark.parametrize("actor", [ANA, AGENT], ids=["person", "program"])
def test_every_verb_refuses_and_writes_nothing_where_memory_is_off(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, actor: Any
) -> None:
    with memory_of(project) as memory:
        (stored,) = memory.list_records()
    folder = tmp_path / "somewhere"
    folder.mkdir()
    before = everything_in(project)
    monkeypatch.setenv("MEMFS", "off")
    found = {}
    for name in verbs():
        if name not in TAKING_BACK:
            with memory_of(project, actor) as memory:
                found[name] = outcome(memory, name, stored.record.id, folder)

    assert {name: what for name, what in found.items() if what.startswith("gave")} == {}
    assert sum(what == "mode.off" for what in found.values()) > len(found) // 2
    assert everything_in(project) == before
