"""Whatever is written where and by whom, nobody sees what is not theirs to see (A8, O13).

The oracle is the table of rights, written out once more and as simply as it can be said. It is
compared with every way of reading, from a project and from the global store, after random
sequences of statements, proposals, decisions and publications.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from memfs.app.container import Memory
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.result import ResultStatus
from memfs.model.scope import Scope
from memfs.policy.authority import capture_origin
from memfs.services.owners import submit
from memfs.services.reading import UnknownRecordError
from tests.support.faults import is_full_run
from tests.support.memory import AGENT, ANA, new_project, store_root
from tests.support.namespaces import TOOL, at_store, new_global

pytestmark = pytest.mark.timeout(900)

EXAMPLES = 30 if is_full_run() else 8
STEPS = 25 if is_full_run() else 14

PROJECT, GLOBAL = "project:datasync", "global"
SCOPES = (
    *(PROJECT, GLOBAL, "task:t1", "task:t2", "session:s1", "thread:c1", "team:core"),
    *("agent:builder", "agent:other"),
)
OTHER = Actor(Principal.parse("agent:other"), Channel.AGENT)
LINDA_BEHIND = Actor(Principal.parse("user:linda"), Channel.TOOL)
WRITERS = (ANA, AGENT, OTHER, TOOL)
READERS = (ANA, AGENT, OTHER, TOOL, LINDA_BEHIND)
MEMBERSHIPS = (frozenset[str](), frozenset({"task:t1"}), frozenset({"session:s1", "team:core"}))


@dataclass(frozen=True)
class Said:
    """One claim as the model knows it; ``at`` is the store that holds it."""

    text: str
    scope: str
    at: str
    is_confidential: bool = False
    has_class: bool = False


def may_see(said: Said, reader: Actor, memberships: frozenset[str], asked_at: str) -> bool:
    """The table: who sees what, from which store."""
    if said.at != asked_at and not (said.at == GLOBAL and said.scope == GLOBAL):
        return False
    if reader == ANA:
        return True
    if reader == LINDA_BEHIND or said.is_confidential or said.has_class:
        return False
    own = {GLOBAL, *memberships}
    if asked_at == PROJECT:
        own.add(PROJECT)
    if reader.principal.kind == "agent":
        own.add(str(reader.principal))
    return said.scope in own


class Namespaces(RuleBasedStateMachine):
    """People and programs who write into namespaces of two stores and read from both."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="namespaces-"))
        self.served: dict[str, Said] = {}
        self.waiting: dict[str, Said] = {}
        self.count = 0

    @initialize()
    def found(self) -> None:
        root = store_root(new_project(self.folder))
        self.roots = {PROJECT: root, GLOBAL: new_global()}

    def teardown(self) -> None:
        try:
            if hasattr(self, "roots"):
                self.check_everybody()
        finally:
            if hasattr(self, "roots"):
                shutil.rmtree(self.roots[GLOBAL])
            shutil.rmtree(self.folder)

    @contextmanager
    def opened(
        self, at: str, actor: Actor, memberships: frozenset[str] = frozenset()
    ) -> Iterator[Memory]:
        with at_store(self.roots[at], actor) as memory:
            scopes = frozenset(map(Scope.parse, memberships))
            memory.workspace = replace(memory.workspace, memberships=scopes)
            yield memory

    # What is written -------------------------------------------------------------------

    @rule(
        writer=st.sampled_from(WRITERS),
        scope=st.sampled_from(SCOPES),
        at=st.sampled_from([PROJECT, GLOBAL]),
        is_confidential=st.booleans(),
        has_class=st.booleans(),
    )
    def say(
        self, writer: Actor, scope: str, at: str, is_confidential: bool, has_class: bool
    ) -> None:
        if (at, scope) == (GLOBAL, PROJECT):
            return
        self.count += 1
        text = f"Finding number {self.count} of the survey"
        draft = Record(
            kind="note",
            body=f"{text}\n",
            scope=Scope.parse(scope),
            sensitivity=Sensitivity.CONFIDENTIAL if is_confidential else Sensitivity.NORMAL,
            record_class="clinical" if has_class else "",
        )
        with self.opened(at, writer) as memory:
            submission = Submission(draft=draft, origin=capture_origin(writer, text))
            result = submit(memory.workspace, memory.beside, submission, writer)
        said = Said(
            text=text,
            scope=scope,
            at=GLOBAL if scope == GLOBAL else at,
            is_confidential=is_confidential,
            has_class=has_class,
        )
        if result.status is ResultStatus.DONE:
            assert writer == ANA
            self.served[result.target] = said
        else:
            assert result.status is ResultStatus.WAITING, result
            self.waiting[result.target] = said

    @rule(pick=st.integers(min_value=0, max_value=99), to=st.sampled_from(SCOPES))
    def publish(self, pick: int, to: str) -> None:
        own = sorted(key for key, said in self.served.items() if said.at == PROJECT)
        if not own:
            return
        reference = own[pick % len(own)]
        with self.opened(PROJECT, ANA) as memory:
            result = memory.publish(reference, to)
        if result.status is not ResultStatus.WAITING:
            return
        source = self.served[reference]
        at = GLOBAL if to == GLOBAL else PROJECT
        self.waiting[str(result.data["received_as"])] = replace(source, scope=to, at=at)

    @rule(at=st.sampled_from([PROJECT, GLOBAL]), program=st.sampled_from(READERS[1:]))
    def decide(self, at: str, program: Actor) -> None:
        with self.opened(at, ANA) as memory:
            candidates = memory.candidates()
            for candidate in candidates:
                result = memory.accept([candidate.id])[0]
                said = self.waiting.pop(candidate.id)
                assert said.at == at
                if result.status is ResultStatus.DONE:
                    self.served[result.target] = said
                else:
                    assert result.status is ResultStatus.DUPLICATE, result

    # What is read ----------------------------------------------------------------------

    @rule(
        reader=st.sampled_from(READERS),
        memberships=st.sampled_from(MEMBERSHIPS),
        at=st.sampled_from([PROJECT, GLOBAL]),
    )
    def look(self, reader: Actor, memberships: frozenset[str], at: str) -> None:
        expected = {
            key for key, said in self.served.items() if may_see(said, reader, memberships, at)
        }
        words = {self.served[key].text for key in expected}
        with self.opened(at, reader, memberships) as memory:
            listed = {stored.record.id for stored in memory.list_records()}
            assert listed == expected
            found = memory.search("finding of the survey", limit=1000)
            assert {hit.stored.record.title for hit in found} == words
            assert {hit.stored.record.id for hit in found} <= expected
            packet = memory.recall("finding of the survey", budget=100_000, limit=1000)
            assert {card.hit.stored.record.id for card in packet.cards} <= expected
            for left in packet.left_out:
                assert left.id in expected
            for key, said in self.served.items():
                assert (key in packet.text) <= (key in expected)
                assert (said.text in packet.text) <= (said.text in words)
                try:
                    assert memory.show(key).record.id == key
                except UnknownRecordError:
                    assert key not in expected
                else:
                    assert key in expected

    def check_everybody(self) -> None:
        for reader in READERS:
            for memberships in MEMBERSHIPS:
                for at in (PROJECT, GLOBAL):
                    self.look(reader, memberships, at)


NamespacesTest = Namespaces.TestCase
NamespacesTest.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=STEPS,
    deadline=None,
    database=None,
    derandomize=not is_full_run(),
    phases=tuple(Phase) if is_full_run() else (Phase.explicit, Phase.generate),
)
