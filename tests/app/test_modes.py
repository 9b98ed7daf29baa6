"""Modes and switches: what each verb does in each mode (A73, A75, A80, O54)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memfs.app.container import Memory, open_memory
from memfs.app.switches import is_switched_off
from memfs.errors import MemfsError, StoreError
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.packet import MemoryState
from memfs.model.result import Result, ResultStatus
from memfs.model.settings import Mode
from tests.support.memory import (
    AGENT,
    ANA,
    git,
    memory_of,
    new_project,
    replaced_settings,
    store_root,
)

CLAIM = "FastAPI for every Python backend, never Flask"
OTHER = "Deploys go out on Tuesdays from the release branch"
MODES = [str(mode) for mode in Mode]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        for text in (CLAIM, OTHER):
            assert memory.remember(text, kind="preference").status is ResultStatus.DONE
    with memory_of(project, AGENT) as memory:
        waiting = memory.propose("Builds run on Node 20", kind="fact")
        assert waiting.status is ResultStatus.WAITING
    return project


def in_mode(project: Path, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if mode == "MEMFS=off":
        monkeypatch.setenv("MEMFS", "off")
    elif mode != "enforced":
        replaced_settings_alone(project, mode)


def replaced_settings_alone(project: Path, mode: str) -> None:
    path = store_root(project) / "memfs.yaml"
    path.write_text(path.read_text("utf-8").replace("mode: enforced", f"mode: {mode}"), "utf-8")
    with memory_of(project) as memory:
        (change,) = [item for item in memory.candidates() if item.path == "memfs.yaml"]
        memory.accept([change.id])


def said(call: Callable[[], object]) -> str:
    """Returns what came of a verb: its status, the code of a refusal, or how much it gave."""
    try:
        answer = call()
    except MemfsError as error:
        return error.code
    if isinstance(answer, tuple) and len(answer) == 1 and isinstance(answer[0], Result):
        answer = answer[0]
    if isinstance(answer, Result):
        codes = [item.code for item in answer.reasons if item.code.startswith("mode.")]
        return codes[0] if codes else str(answer.status)
    return "served" if answer else "nothing"


def first_id(project: Path) -> str:
    path = sorted((store_root(project) / "records").rglob("*.md"))[0]
    return next(
        line.split(": ")[1] for line in path.read_text("utf-8").split("\n") if line[:4] == "id: "
    )


def waiting_id(project: Path) -> str:
    with memory_of(project) as memory:
        return next(item.id for item in memory.candidates() if item.kind == "fact")


def verbs(memory: Memory, reference: str, candidate: str, folder: Path) -> dict[str, object]:
    """Everything that one can ask of a memory, from what changes nothing to what does."""
    source = folder / "notes.md"
    source.write_text("# Notes\n\nTabs are four wide.\n", "utf-8")
    return {
        "recall": lambda: memory.recall("which Python backend").cards,
        "search": lambda: memory.search("which Python backend"),
        "show": lambda: memory.show(reference),
        "list": memory.list_records,
        "history": lambda: memory.history(reference),
        "diff": lambda: memory.diff(reference, 0, 1),
        "remember": lambda: memory.remember("Ruff formats the code", kind="preference"),
        "propose": lambda: memory.propose("Ruff lints the code", kind="fact"),
        "correct": lambda: memory.correct(reference, "Django for every backend"),
        "import": lambda: memory.import_path(source),
        "accept": lambda: memory.accept([candidate]),
        "reject": lambda: memory.reject([candidate]),
        "rebuild": memory.rebuild,
    }


READS = ("recall", "search", "show", "list", "history", "diff")
LOOKS = ("show", "list", "history", "diff")
WRITES = ("remember", "propose", "correct", "import", "accept", "reject")
A_PERSON: dict[str, dict[str, str]] = {
    "enforced": {
        **dict.fromkeys(READS, "served"),
        **dict.fromkeys(("remember", "correct", "accept", "import", "rebuild"), "done"),
        "propose": "waiting",
    },
    "read-only": {
        **dict.fromkeys(READS, "served"),
        **dict.fromkeys(WRITES, "mode.read-only"),
        "rebuild": "done",
    },
    "shadow": {
        **dict.fromkeys(("recall", "search"), "nothing"),
        **dict.fromkeys(LOOKS, "served"),
        **dict.fromkeys(("remember", "correct"), "mode.shadow"),
        **dict.fromkeys(("accept", "rebuild"), "done"),
    },
    "off": {
        **dict.fromkeys(("recall", "search"), "nothing"),
        **dict.fromkeys((*LOOKS, *WRITES, "rebuild"), "mode.off"),
    },
}
A_PERSON["MEMFS=off"] = A_PERSON["off"]
A_PROGRAM: dict[str, dict[str, str]] = {
    "enforced": dict.fromkeys(("recall", "search", "show", "list"), "served")
    | {"propose": "waiting"},
    "read-only": dict.fromkeys(("recall", "search", "show", "list"), "served")
    | dict.fromkeys(("remember", "propose", "import"), "mode.read-only"),
    "shadow": dict.fromkeys(("recall", "search"), "nothing")
    | dict.fromkeys(LOOKS, "mode.shadow")
    | {"propose": "waiting"},
    "off": dict.fromkeys(("recall", "search"), "nothing")
    | dict.fromkeys((*LOOKS, "remember", "propose", "correct", "import", "rebuild"), "mode.off"),
}
A_PROGRAM["MEMFS=off"] = A_PROGRAM["off"]


@pytest.mark.parametrize("who", ["person", "program"])
@pytest.mark.parametrize("mode", [*MODES, "MEMFS=off"])
def test_each_verb_does_in_each_mode_what_the_table_says(
    project: Path, tmp_path: Path, mode: str, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = (A_PERSON if who == "person" else A_PROGRAM)[mode]
    reference, candidate = first_id(project), waiting_id(project)
    in_mode(project, mode, monkeypatch)
    found = {}
    with memory_of(project, ANA if who == "person" else AGENT) as memory:
        for name, verb in verbs(memory, reference, candidate, tmp_path).items():
            if name in expected:
                assert callable(verb)
                found[name] = said(verb)
    assert found == expected


@pytest.mark.parametrize("mode", ["off", "MEMFS=off", "shadow"])
def test_a_memory_that_serves_nothing_says_so_in_each_answer(
    project: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_mode(project, mode, monkeypatch)
    state = MemoryState.SHADOW if mode == "shadow" else MemoryState.OFF
    for actor in (ANA, AGENT):
        with memory_of(project, actor) as memory:
            packet = memory.recall("which Python backend")
        assert (packet.state, packet.reason, packet.cards) == (state, f"mode.{state}", ())
        assert "FastAPI" not in packet.text


@pytest.mark.parametrize("mode", [*MODES, "MEMFS=off"])
def test_taking_back_works_in_every_mode_and_holds_in_every_other(
    project: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = first_id(project)
    in_mode(project, mode, monkeypatch)
    with memory_of(project) as memory:
        assert memory.forget([reference]).status is ResultStatus.DONE
    monkeypatch.delenv("MEMFS", raising=False)
    if mode in MODES and mode != "enforced":
        replaced_settings(project, f"mode: {mode}", "mode: enforced")
    with memory_of(project) as memory:
        assert reference not in [item.record.id for item in memory.list_records()]
        with pytest.raises(MemfsError):
            memory.show(reference)


def test_a_retraction_works_where_memory_is_switched_off(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = first_id(project)
    monkeypatch.setenv("MEMFS", "off")
    with memory_of(project) as memory:
        assert memory.retract(reference).status is ResultStatus.DONE
    monkeypatch.delenv("MEMFS")
    with memory_of(project, AGENT) as memory, pytest.raises(MemfsError):
        memory.show(reference)


def test_a_disabled_memory_refuses_every_command_and_writes_nothing(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference, candidate = first_id(project), waiting_id(project)
    with memory_of(project) as memory:
        memory.recall("which Python backend")
    edited = sorted((store_root(project) / "records").rglob("*.md"))[0]
    edited.write_text(edited.read_text("utf-8") + "By hand.\n", "utf-8")
    before = everything_in(project)
    monkeypatch.setenv("MEMFS", "off")
    for actor in (ANA, AGENT):
        with memory_of(project, actor) as memory:
            for verb in verbs(memory, reference, candidate, tmp_path).values():
                assert callable(verb)
                assert said(verb) in ("nothing", "mode.off", "access.review-needs-person")
            memory.status()
            memory.doctor()
    assert everything_in(project) == before


def everything_in(project: Path) -> dict[str, bytes]:
    """Returns every file that memfs could write, with its bytes."""
    places = (store_root(project), Path(os.environ["XDG_CACHE_HOME"]))
    found = (path for place in places for path in place.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in found}


def test_a_mode_is_left_by_the_same_way_as_it_is_entered(project: Path) -> None:
    for mode in ("off", "read-only", "shadow"):
        replaced_settings_alone(project, mode)
        with memory_of(project) as memory:
            assert memory.settings.mode == mode
        replaced_settings(project, f"mode: {mode}", "mode: enforced")
        with memory_of(project) as memory:
            assert memory.settings.mode is Mode.ENFORCED


def test_the_index_for_people_is_empty_while_the_settings_say_off(project: Path) -> None:
    index = store_root(project) / "MEMORY.md"
    with memory_of(project):
        pass
    assert "FastAPI" in index.read_text("utf-8")
    replaced_settings_alone(project, "off")
    assert "FastAPI" not in index.read_text("utf-8")


@pytest.mark.parametrize(
    ("value", "is_off"),
    [("off", True), ("OFF ", True), ("0", True), ("false", True), ("on", False), ("", False)],
)
def test_the_switch_in_the_environment_only_ever_turns_off(value: str, is_off: bool) -> None:
    assert is_switched_off({"MEMFS": value}) is is_off
    assert is_switched_off({}) is False


def test_the_switch_leaves_the_digest_of_the_policy_as_it_was_admitted(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with memory_of(project) as memory:
        admitted = memory.settings.digest
    monkeypatch.setenv("MEMFS", "off")
    with memory_of(project) as memory:
        assert (memory.settings.mode, memory.settings.digest) == (Mode.OFF, admitted)


@pytest.mark.parametrize("switch", ["agent:builder", "channel:agent", "class:agent_stated"])
def test_a_source_that_is_off_brings_nothing_and_is_not_served_to_programs(
    project: Path, switch: str
) -> None:
    accepted = waiting_id(project)
    with memory_of(project) as memory:
        memory.accept([accepted])
    with memory_of(project, AGENT) as memory:
        assert "Node 20" in memory.recall("which Node do builds run on").text
    replaced_settings(project, "off: []", f"off: [{switch}]")
    with memory_of(project, AGENT) as memory:
        assert "Node 20" not in memory.recall("which Node do builds run on").text
        assert not [item for item in memory.list_records() if "Node" in item.record.body]
        refused = memory.propose("Builds take ten minutes", kind="fact")
    assert (refused.status, refused.reasons[0].code) == (ResultStatus.REFUSED, "source.off")
    with memory_of(project) as memory:
        assert [item for item in memory.list_records() if "Node" in item.record.body]


def test_what_rests_on_a_source_that_is_off_is_withheld_from_programs(project: Path) -> None:
    scout = Actor(Principal.parse("agent:scout"), Channel.AGENT)
    with memory_of(project, scout) as memory:
        evidence = memory.capture("The build cluster has nine nodes.").target
    with memory_of(project, AGENT) as memory:
        waiting = memory.propose("The build cluster has nine nodes", kind="fact", cites=[evidence])
    with memory_of(project) as memory:
        memory.accept([waiting.target])
    question = "how many nodes has the build cluster"
    with memory_of(project, AGENT) as memory:
        assert "nine" in memory.recall(question).text
    replaced_settings(project, "off: []", "off: [agent:scout]")
    with memory_of(project, AGENT) as memory:
        assert "nine" not in memory.recall(question).text
        assert "nine" not in str(memory.search(question))
        assert "nine" not in str(memory.list_records())
        assert "FastAPI" in memory.recall("which Python backend").text
    with memory_of(project) as memory:
        assert "nine" in str(memory.list_records())


def test_a_store_in_a_newer_format_is_refused_by_every_command_and_left_alone(
    project: Path,
) -> None:
    root = store_root(project)
    settings = root / "memfs.yaml"
    settings.write_text(settings.read_text("utf-8").replace("format: 1", "format: 2"), "utf-8")
    git(root, "add", "memfs.yaml")
    git(root, "-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "newer")
    git(root, "update-ref", "refs/memfs/ledger", "HEAD")
    before = everything_in(project)
    for actor in (None, "agent:builder"):
        with pytest.raises(StoreError) as caught:
            open_memory(start=project, env=dict(os.environ), as_principal=actor)
        assert caught.value.code == "store.newer-format"
        assert "upgrade memfs" in caught.value.hint
    assert everything_in(project) == before
