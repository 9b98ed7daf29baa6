"""What happened, through the protocol: by time, by kind, by what it is about, page by page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.events import many, written
from tests.support.memory import memory_of, new_project
from tests.support.protocol_client import Said, call, server_for

SECRET = "Met the bank of the harbour"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("timeline")
    made = new_project(folder)
    with memory_of(made) as memory:
        memory.import_path(written(folder / "in.jsonl", many(24)), accept=True)
        memory.record_event("Chose Valkey", kind="decision", at="2026-10-02", entities=("queue",))
        memory.accept([memory.record_event(SECRET, sensitivity="confidential").target])
    return made


def ids_in(said: Said) -> list[str]:
    return re.findall(r"\b(event_[0-9a-z]{26}) ·", str(said.facts["text"]))


def test_an_agent_lists_what_happened_by_time_by_kind_and_by_what_it_is_about(
    project: Path,
) -> None:
    server = server_for(project)
    with memory_of(project) as memory:
        every = [event.id for event in memory.timeline() if event.title != SECRET]
        named = [event.id for event in memory.timeline(entity="queue")]
    first = call(server, "memory_search", where="timeline", limit=15)
    rest = call(
        server, "memory_search", where="timeline", limit=15, cursor=first.facts["next_cursor"]
    )
    assert [*ids_in(first), *ids_in(rest)] == every
    assert SECRET not in f"{first.facts}{rest.facts}"
    about = call(server, "memory_search", where="timeline", query="QUEUE")
    assert ids_in(about) == named
    newest = call(server, "memory_search", where="timeline", since="2026-10-01", kinds=["decision"])
    assert "Chose Valkey" in str(newest.facts["text"])
    assert len(ids_in(newest)) == 1
    worded = call(server, "memory_search", where="timeline", query="what about Valkey then")
    assert "Chose Valkey" in str(worded.facts["text"])
    assert "nothing matches" in str(
        call(server, "memory_search", where="timeline", until="2001-01-01").facts["text"]
    )
