"""The brief through the door of tool authors: switches, sessions, stores beside, counts."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memfs.app.container import Memory, open_memory
from memfs.errors import AccessError, ConflictError, UsageError
from memfs.model.lineage import Lineage
from memfs.model.packet import MemoryState
from memfs.model.record import Record
from memfs.model.result import ResultStatus
from memfs.services.packet_text import prepended, strip_packets
from memfs.services.retrieval_log import read_log
from memfs.services.runs_view import OLDER_VIEW, RUNS_VIEW
from memfs.services.session_caps import spent_bytes
from memfs.services.vectors import read_vectors
from tests.support.memory import AGENT, ANA, memory_of, new_project, replaced_settings, store_root
from tests.support.namespaces import new_global, stated
from tests.support.work import issue_id, issue_of, recorded, run_id, run_of

NOW = datetime.now(UTC).replace(microsecond=0)


def work() -> tuple[Record, ...]:
    return (
        run_of(
            1,
            "The importer streams now.",
            task="Make the importer stream",
            next_steps=("measure the large file",),
            opened=((issue_id(2), "Importer drops the last line"),),
            at=NOW,
        ),
        issue_of(2, "Importer drops the last line", at=NOW),
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a preference, a run and an open issue."""
    project = new_project(tmp_path)
    with memory_of(project) as memory:
        memory.remember("FastAPI for every backend", kind="preference", importance=9)
        memory.remember("The importer keeps its offset in a file", kind="fact")
    recorded(project, *work())
    with memory_of(project):
        pass
    return project


def agent_in(project: Path, session: str = "") -> Memory:
    memory = memory_of(project, AGENT)
    memory.workspace = replace(memory.workspace, lineage=Lineage(session=session))
    return memory


def test_a_task_and_a_session_start_are_given_the_same_work(project: Path) -> None:
    with agent_in(project) as memory:
        preamble = memory.context(task="let the importer resume")
        start = memory.context(is_session_start=True)

    assert preamble.sections == start.sections
    assert [section.name for section in start.sections] == [
        "last_run",
        "next_steps",
        "open_issues",
    ]
    assert "> The importer streams now." in start.text
    assert "> - measure the large file" in start.text
    assert "> Importer drops the last line" in start.text
    assert "The importer keeps its offset" in preamble.text
    assert "FastAPI for every backend" in start.text
    assert preamble.tokens <= memory.settings.runs.preamble_tokens


@pytest.mark.parametrize("words", [{}, {"task": " \n"}, {"task": "x", "is_session_start": True}])
def test_either_a_task_or_a_session_start(words: dict[str, object], project: Path) -> None:
    with agent_in(project) as memory, pytest.raises(UsageError):
        memory.context(**words)  # type: ignore[arg-type]


def test_a_packet_in_a_task_asks_nothing(project: Path) -> None:
    with agent_in(project) as memory:
        packet = memory.context(task="let the importer resume")
        nested = f"<memfs-packet>{packet.text}</memfs-packet>\nlet the importer resume"
        assert memory.context(task=nested).text == packet.text
        assert memory.context(task=prepended(packet.text, "let the importer resume")).text == (
            packet.text
        )


def test_a_prompt_keeps_every_byte_behind_its_packet(project: Path) -> None:
    with agent_in(project) as memory:
        packet = memory.context(task="let the importer resume")
        for prompt in ("x", "\n\nx\r\n", "a <memfs-packet> torn", f"see: {packet.text}"):
            whole = prepended(packet.text, prompt)
            assert whole.removeprefix(packet.text) == prompt
            assert prepended(packet.text, whole) == whole
            assert prepended("", prompt) == prompt
        assert strip_packets(prepended(packet.text, "the task\n")) == "the task\n"


def test_switched_off_nothing_is_given_and_nothing_is_touched(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMFS", "off")
    with open_memory(start=project, env=dict(os.environ), as_principal="agent:builder") as memory:
        before = {path: path.stat().st_mtime_ns for path in memory.workspace.cache_dir.rglob("*")}
        for packet in (memory.context(task="x"), memory.context(is_session_start=True)):
            assert (packet.text, packet.state) == ("", MemoryState.OFF)
            assert prepended(packet.text, "do it") == "do it"
        with pytest.raises(AccessError):
            memory.replay_context()
        after = {path: path.stat().st_mtime_ns for path in memory.workspace.cache_dir.rglob("*")}
    assert before == after


def test_the_mode_of_the_store_switches_it_off_too(project: Path) -> None:
    replaced_settings(project, "mode: enforced", "mode: off")
    with agent_in(project) as memory:
        assert memory.context(is_session_start=True).text == ""


def test_the_global_store_has_a_part_and_it_is_made_again(project: Path) -> None:
    stated(new_global(), "Tabs are never used anywhere", kind="preference")
    with agent_in(project) as memory:
        packet = memory.context(is_session_start=True, items=5)
        found = memory.replay_context(packet.id)

    assert "Tabs are never used anywhere" in packet.text
    assert len(found.manifest.ledgers) == 2
    assert found.text == packet.text
    assert found.is_identical


def test_a_broken_global_store_is_told_and_costs_the_work_nothing(project: Path) -> None:
    root = new_global()
    shutil.rmtree(root / ".git" / "objects")
    with agent_in(project) as memory:
        packet = memory.context(is_session_start=True)

    assert packet.state is MemoryState.DEGRADED
    assert packet.reason.startswith("global:")
    assert "> Importer drops the last line" in packet.text


def test_answers_and_briefs_count_for_one_session(project: Path) -> None:
    replaced_settings(project, "session_bytes: 61440", "session_bytes: 2500")
    texts: list[str] = []
    with agent_in(project, "chat-1") as memory:
        for _ in range(4):
            texts += [memory.context(is_session_start=True).text, memory.recall("importer").text]
        last = memory.context(is_session_start=True)
        spent = spent_bytes(memory.workspace)
    with agent_in(project, "chat-1") as memory:
        assert memory.recall("importer").text == ""
        again = memory.context(is_session_start=True, is_new_window=True)
    with agent_in(project, "chat-2") as memory:
        other = memory.context(is_session_start=True)

    assert 1500 < sum(len(text.encode()) for text in texts) == spent <= 2500
    assert (last.text, last.reason) == ("", "packet.session-cap")
    assert again.text == other.text != ""


def test_a_trivial_opening_makes_one_call_and_one_with_a_task_two(project: Path) -> None:
    def calls(session: str) -> list[str]:
        with agent_in(project, session) as memory:
            count = sum(1 for _ in read_log(memory.workspace))
            memory.context(is_session_start=True)
            if session == "asks":
                memory.recall("let the importer resume")
            entries = list(read_log(memory.workspace))
            return [entry.verb for entry in entries[: len(entries) - count]]

    assert calls("greets") == ["context"]
    assert calls("asks") == ["recall", "context"]


MESSAGES = (
    ("user", "Please look why the importer drops umbrellas on a Tuesday"),
    ("assistant", "I read the importer: the umbrellas are counted before they are opened"),
    ("user", "Good, then open the umbrellas first and tell nobody"),
    ("assistant", "The importer opens the umbrellas first now, as you said"),
)


def transcript_of(folder: Path, project: Path) -> Path:
    """Writes a conversation as a coding agent keeps it."""
    lines = [
        {
            "type": role,
            "uuid": f"m-{number}",
            "parentUuid": f"m-{number - 1}" if number else None,
            "sessionId": "5f0c2f9e-0000-4000-8000-000000000001",
            "timestamp": f"2026-11-30T08:0{number}:00.000Z",
            "cwd": str(project),
            "message": {"role": role, "content": text},
        }
        for number, (role, text) in enumerate(MESSAGES)
    ]
    place = folder / "5f0c2f9e-0000-4000-8000-000000000001.jsonl"
    place.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    return place


def test_no_message_of_a_conversation_is_in_anything_that_is_given(
    project: Path, tmp_path: Path
) -> None:
    with memory_of(project) as memory:
        kept = memory.import_session(transcript_of(tmp_path, project), is_ended=True)
        assert kept.status is ResultStatus.DONE, kept
        assert MESSAGES[0][1] in str(memory.open_session(kept.target))
    with memory_of(project, AGENT) as memory:
        memory.capture(MESSAGES[2][1], source="session:chat-9#1")
    recorded(project, run_of(8, "The importer opens umbrellas.", task="Umbrellas", at=NOW))
    given: list[str] = []
    for actor in (AGENT, ANA):
        with memory_of(project, actor) as memory:
            given += [
                memory.context(task="why does the importer drop umbrellas", items=64).text,
                memory.context(is_session_start=True, items=64).text,
                memory.recall("umbrellas first importer", limit=64).text,
            ]
    assert all(given)
    for text in given:
        assert not [said for _, said in MESSAGES if said in text or said[:40] in text]


def test_a_packet_of_before_does_not_bring_back_what_was_forgotten(project: Path) -> None:
    with agent_in(project) as memory:
        packet = memory.context(task="where does the importer keep its offset")
        assert "offset in a file" in packet.text
    with memory_of(project) as memory:
        (target,) = [
            card.hit.stored.record.id
            for card in packet.cards
            if "offset" in card.hit.stored.record.body
        ]
        memory.forget([target])
        found = memory.replay_context(packet.id)
        assert "offset" not in found.text
        assert not found.is_identical
        with pytest.raises(ConflictError):
            memory.replay_context("pkt_00000000000000000000000000")


def test_the_list_of_runs_is_kept_up_and_withdrawn_with_its_runs(project: Path) -> None:
    view = store_root(project) / RUNS_VIEW
    assert run_id(1) in view.read_text()
    with memory_of(project) as memory:
        memory.forget([run_id(1)])
    assert not view.exists() or run_id(1) not in view.read_text()

    recorded(project, run_of(5, "Something new.", at=NOW))
    with agent_in(project) as memory:
        memory.recall("something new")
    assert not view.exists()
    with memory_of(project):
        pass
    assert run_id(5) in view.read_text()


def test_what_is_opened_in_part_is_told_in_part(project: Path) -> None:
    hidden = run_of(
        7, "The patient coughs.", task="Look at the patient", at=NOW, record_class="clinical"
    )
    recorded(project, hidden, issue_of(8, "The patient waits", at=NOW, record_class="clinical"))
    with memory_of(project) as memory:
        scope = str(memory.workspace.scope)
        granted = memory.grant(
            "agent:builder", scopes=[scope], record_classes=["clinical"], shown_fields=["title"]
        )
        assert granted.exit_status == 0, granted
    with agent_in(project) as memory:
        packet = memory.context(task="look at the patient", items=9)
        found = memory.replay_context(packet.id)

    assert "Look at the patient" in packet.text
    assert "coughs" not in packet.text
    assert run_id(7) not in {
        entry.reference.partition("@")[0] for part in packet.sections for entry in part.entries
    }
    assert found.text == packet.text


def test_no_run_of_a_polluted_namespace_stands_in_the_list(project: Path) -> None:
    view = store_root(project) / RUNS_VIEW
    with memory_of(project) as memory:
        memory.pollute(str(memory.workspace.scope), cause="a test")
    assert "importer" not in view.read_text()
    with memory_of(project) as memory:
        memory.clear(str(memory.workspace.scope))
    assert run_id(1) in view.read_text()


class Lengths:
    """An embedder that tells texts apart by their length."""

    name = "lengths"
    is_remote = False

    def embed(self, texts: Sequence[str]) -> tuple[tuple[float, ...], ...]:
        """Returns the length of each text."""
        return tuple((float(len(text)), 1.0) for text in texts)


def test_a_rebuild_embeds_records_and_a_withdrawal_drops_their_vectors(project: Path) -> None:
    with memory_of(project) as memory:
        memory.workspace = replace(memory.workspace, embedder=Lengths())
        result = memory.rebuild()
        found = read_vectors(memory.workspace)
        assert run_id(1) in found
        assert (result.data["vectors"], result.data["embedded"]) == (len(found), len(found))
        assert memory.rebuild().data["embedded"] == 0
        memory.forget([run_id(1)])
        assert set(read_vectors(memory.workspace)) == set(found) - {run_id(1)}


def test_rebuild_makes_the_list_anew_and_counts_it(project: Path) -> None:
    before = (store_root(project) / RUNS_VIEW).read_text()
    (store_root(project) / RUNS_VIEW).write_text("nonsense\n")
    (store_root(project) / OLDER_VIEW).unlink()
    with memory_of(project) as memory:
        result = memory.rebuild()

    counted = {name: result.data[name] for name in ("runs", "runs_listed", "issues_open")}
    assert counted == {"runs": 1, "runs_listed": 1, "issues_open": 1}
    assert "vectors" not in result.data
    assert result.message.endswith(", 1 runs, 1 open issues")
    assert (store_root(project) / RUNS_VIEW).read_text() == before
    with agent_in(project) as memory:
        assert "runs" not in memory.rebuild().data
