"""No method and no command without a place on the list of surfaces (A7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.cli.catalogue import COMMANDS
from tests.contract.surfaces import CHANGES, COMMANDS_OF, NOTHING, READS, UNBUILT
from tests.contract.test_reading import CLOSED, READERS, WORDS, hidden_record, stored_target
from tests.support.memory import new_project
from tests.support.processes import run_memfs


@pytest.mark.invariant("A7")
def test_every_method_is_a_surface_a_change_or_says_nothing() -> None:
    methods = {name for name in dir(Memory) if not name.startswith("_")}
    assert methods - set(READS) - CHANGES - NOTHING == set()


@pytest.mark.invariant("A7")
def test_every_command_stands_for_a_method() -> None:
    assert set(COMMANDS) - set(COMMANDS_OF) == set()
    assert not set(COMMANDS) & UNBUILT
    known = set(READS) | CHANGES | NOTHING
    assert set(COMMANDS_OF.values()) <= known


ASKED = (
    ("recall", "heron quarterly ledger"),
    ("search", "heron quarterly ledger"),
    ("search", "heron quarterly ledger", "--json"),
    ("list",),
    ("list", "--json"),
    ("status",),
    ("review",),
    ("check",),
    ("doctor",),
    ("grants",),
    ("conflicts",),
    ("config",),
    ("stats",),
    ("jobs",),
    ("audit",),
    ("explain", "last"),
)


@pytest.mark.invariant("A7", "A20")
def test_no_command_prints_what_is_closed_to_a_program(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    target = stored_target(project, hidden_record(**CLOSED["a class"]))
    found = []
    asked = [*ASKED, *((verb, target.reference) for verb in ("show", "history", "diff", "explain"))]
    for actor in READERS[:1]:
        for words in asked:
            if words[0] not in COMMANDS:
                continue
            ended = run_memfs(*words, "--as", str(actor.principal), cwd=project)
            printed = ended.output + ended.errors
            found += [f"{' '.join(words)}: {word}" for word in WORDS if word in printed]
            assert "Traceback" not in printed
    assert found == []
