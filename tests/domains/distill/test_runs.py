"""Runs on the timeline: derived from their records, withheld with them, told anew with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.domains.distill.test_passes import records
from tests.support.memory import AGENT, memory_of, new_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def test_a_run_is_an_event_that_goes_with_it(project: Path) -> None:
    with memory_of(project, AGENT) as agent:
        agent.finish_run(
            "done",
            task="Mend the importer",
            summary="It skips empty rows now.",
            issues=["Rows without a date"],
        )
    with memory_of(project) as memory:
        result = memory.distill()
        assert result.data["activated"] == 2
        (event,) = memory.timeline()
        run = memory.show_run()
        record = event.stored.record
        assert (event.title, str(event.sort), event.run) == ("Mend the importer", "work", run.run)
        assert record.derived_from == (f"{run.run}@1",)
        assert "It skips empty rows now." in event.text
        assert record.origin is not None
        assert record.authority is not None
        assert memory.distill().data["stages"] == {}
        memory.retract(run.run)
        assert memory.timeline() == ()
        assert memory.distill(is_backfill=True).data["activated"] == 0
        assert memory.timeline() == ()


def test_a_run_that_did_what_had_failed_is_something_learned(project: Path) -> None:
    with memory_of(project, AGENT) as agent:
        agent.finish_run("error", task="Send the report", summary="The server said no.")
        agent.finish_run("done", task="Send the  report", summary="A smaller file went through.")
        agent.finish_run("done", task="Something else", summary="Done.")
    with memory_of(project) as memory:
        memory.distill()
        events = {event.title: str(event.sort) for event in memory.timeline()}
        assert events == {
            "Send the report (failed)": "work",
            "Send the report": "learning",
            "Something else": "work",
        }
        edges = [it for it in records(memory) if it.kind == "edge"]
        assert [it.fields["relation"] for it in edges] == ["remedies"]


def test_the_event_of_a_corrected_run_is_withheld_and_another_stands_in_its_place(
    project: Path,
) -> None:
    with memory_of(project, AGENT) as agent:
        agent.finish_run("done", task="Count the gauges", summary="There are four.")
    with memory_of(project) as memory:
        memory.distill()
        (before,) = memory.timeline()
        memory.finish_run(
            "done",
            corrects=memory.show_run().run,
            task="Count the gauges",
            summary="There are five.",
        )
        memory.distill()
        (after,) = memory.timeline()
        assert after.id != before.id
        assert "five" in after.text
        kept = {record.id for record in records(memory)}
        assert {before.id, after.id} <= kept
