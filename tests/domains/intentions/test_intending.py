"""Intentions in a real store: stated by a person who is there, asked about once, never acted on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memfs.app.memory import Memory
from memfs.domains.intentions import marking, sighting, views
from memfs.domains.intentions.views import UnknownIntentionError
from memfs.errors import MemfsError, UsageError
from memfs.model.intention import Occurrence, TimeTrigger
from memfs.model.origin import Actor, Channel
from memfs.model.result import Result, ResultStatus
from memfs.model.settings import Mode
from memfs.policy.recurrence import TriggerError, occurrences_of
from memfs.services import door
from memfs.services.proposals import plan_from
from memfs.services.read_back import read_back
from tests.support.memory import (
    AGENT,
    ANA,
    CountedIds,
    SteppedClock,
    as_actor,
    git,
    new_project,
    store_root,
    workspace_of,
)

if TYPE_CHECKING:
    from memfs.app.intending import IntentionOptions

ZONE = "Europe/Amsterdam"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@dataclass
class Room:
    """A project with its store, whose clock goes on from test to test."""

    project: Path
    clock: SteppedClock
    ids: CountedIds

    @contextmanager
    def memory(self, actor: Actor = ANA) -> Iterator[Memory]:
        """Opens the memory as a new process does."""
        with workspace_of(self.project, clock=self.clock, ids=self.ids) as workspace:
            yield Memory(workspace, actor)

    def at(self, step: timedelta) -> str:
        """Returns a time to come, as it is typed."""
        return (self.clock.now() + step).isoformat()

    def add(self, text: str, **options: object) -> str:
        """States an intention; returns its id."""
        with self.memory() as memory:
            chosen: IntentionOptions = {"at": self.at(HOUR), **options}  # type: ignore[typeddict-item]
            if set(options) & {"on", "once"}:
                del chosen["at"]
            result = memory.add_intention(text, **chosen)
        assert result.status is ResultStatus.DONE, result.message
        return result.target

    def due(self) -> tuple[str, ...]:
        """Returns what became due now."""
        with self.memory() as memory:
            return memory.intentions_due().new

    def state(self, identifier: str) -> str:
        """Returns how an intention stands."""
        with self.memory() as memory:
            return memory.show_intention(identifier).state


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Room:
    project = new_project(tmp_path_factory.mktemp("intending"))
    (project / "plan.md").write_text("x\n")
    git(project, "add", "plan.md")
    git(project, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "plan")
    return Room(project, SteppedClock(), CountedIds())


def head(room: Room) -> str:
    return git(store_root(room.project), "rev-parse", "HEAD").strip()


def test_a_time_is_asked_about_once_across_processes_and_listed_until_it_is_answered(
    room: Room,
) -> None:
    name = room.add("Renew the certificate\n\nTwo days before it ends.", window="2d")
    assert room.due() == ()
    room.clock.advance(2 * HOUR)
    assert room.due() == (name,)
    before = head(room)
    assert [room.due() for _ in range(2)] == [(), ()]
    assert head(room) == before
    with room.memory() as memory:
        (view,) = [item for item in memory.intentions_due().due if item.id == name]
        assert view.stored.record.body == "Two days before it ends.\n"
        assert memory.intention_done(name).status is ResultStatus.DONE
        refused = memory.intention_done(name)
    assert (refused.status, refused.reasons[0].code) == (
        ResultStatus.REFUSED,
        "intention.illegal-move",
    )
    assert room.state(name) == "completed"


@pytest.mark.parametrize(
    "actor",
    [AGENT, as_actor(ANA, Channel.SCRIPTED), as_actor(ANA, Channel.PROMPT_HOOK)],
    ids=str,
)
def test_what_nobody_states_while_they_are_there_waits(room: Room, actor: Actor) -> None:
    with room.memory(actor) as memory:
        result = memory.add_intention(f"Deploy as {actor}", at=room.at(HOUR))
        assert result.status is ResultStatus.WAITING
        assert result.reasons[-1].code == "intention.review"
    room.clock.advance(2 * HOUR)
    assert room.due() == ()
    with room.memory(as_actor(ANA, Channel.SCRIPTED)) as memory:
        (scripted,) = memory.accept([result.target])
    assert (scripted.status, scripted.reasons[0].code) == (
        ResultStatus.REFUSED,
        "intention.live-person",
    )
    with room.memory() as memory:
        memory.reject([result.target])


def test_a_proposal_that_a_person_accepts_is_asked_about(room: Room) -> None:
    with room.memory(AGENT) as memory:
        proposed = memory.add_intention("Look at the queue", at=room.at(2 * HOUR))
    with room.memory() as memory:
        (accepted,) = memory.accept([proposed.target])
    assert accepted.status is ResultStatus.DONE
    room.clock.advance(3 * HOUR)
    assert room.due() == (accepted.target,)


def test_only_a_person_answers_and_a_program_marks_nothing(room: Room) -> None:
    name = room.add("Empty the bin")
    room.clock.advance(2 * HOUR)
    with room.memory(AGENT) as memory:
        assert (memory.intentions_due().new, memory.ask_if_due()) == ((), ())
        for answer in (
            memory.intention_done(name),
            memory.cancel_intention(name),
            memory.snooze_intention(name, "2h"),
            memory.add_intention("Other", at=room.at(HOUR), replaces=name),
        ):
            assert answer.status is ResultStatus.REFUSED
    assert room.state(name) == "pending"
    assert room.due() == (name,)


def test_nothing_that_merely_reads_like_one_is_an_intention(room: Room) -> None:
    with room.memory(AGENT) as memory:
        memory.remember("Remind me tomorrow to rotate the key. TODO: deploy at 09:00.", kind="note")
        memory.capture("memfs intention add 'Deploy' --at 2026-11-29T10:00Z")
    with room.memory() as memory:
        memory.open_issue("Ask Ana every Monday about the audit")
        known = {view.id for view in memory.list_intentions(is_all=True)}
    room.clock.advance(9 * DAY)
    assert not set(room.due()) - known
    with room.memory() as memory:
        assert {view.id for view in memory.list_intentions(is_all=True)} == known


def test_one_takes_the_place_of_another_in_one_commit(room: Room) -> None:
    old = room.add("Read the log", at=room.at(HOUR))
    before = head(room)
    new = room.add("Read the log", at=room.at(9 * HOUR), replaces=old)
    assert git(store_root(room.project), "rev-list", "--count", f"{before}..HEAD").strip() == "1"
    assert room.state(old) == "superseded"
    room.clock.advance(2 * HOUR)
    assert room.due() == ()
    room.clock.advance(9 * HOUR)
    assert room.due() == (new,)
    with room.memory() as memory:
        again = memory.add_intention("Read", at=room.at(HOUR), replaces=old)
    assert again.status is ResultStatus.REFUSED


def test_what_comes_after_another_is_asked_about_when_that_is_completed(room: Room) -> None:
    first = room.add("Write the notes", at=room.at(90 * DAY))
    second = room.add("Send the notes", after=[first], at=room.at(HOUR))
    room.clock.advance(2 * HOUR)
    assert room.due() == ()
    assert room.state(second) == "blocked"
    with room.memory() as memory:
        memory.intention_done(first)
    assert room.due() == (second,)
    third = room.add("Gone", after=[first], at=room.at(HOUR), ends="3h")
    with room.memory() as memory:
        memory.forget([first])
    room.clock.advance(2 * HOUR)
    assert (room.due(), room.state(third)) == ((), "blocked")
    room.clock.advance(2 * HOUR)
    assert (room.due(), room.state(third)) == ((), "expired")


def test_a_question_that_is_put_off_comes_again(room: Room) -> None:
    name = room.add("Call the bank", at=room.at(HOUR))
    room.clock.advance(2 * HOUR)
    assert room.due() == (name,)
    with room.memory() as memory:
        assert memory.snooze_intention(name, "3h").status is ResultStatus.DONE
    assert (room.due(), room.state(name)) == ((), "pending")
    room.clock.advance(4 * HOUR)
    assert room.due() == (name,)
    with room.memory() as memory:
        memory.cancel_intention(name)
    assert room.state(name) == "cancelled"


def test_an_event_sets_off_what_waits_for_it_and_nothing_like_it_does(room: Room) -> None:
    with room.memory() as memory:
        issue = memory.open_issue("The export stalls").target
        other = memory.open_issue("The import stalls").target
        memory.resolve_issue(issue)
        memory.reopen_issue(issue)
        memory.record_event("Moved to Uvicorn", kind="decision", entities=["Uvicorn"])
    named = room.add("Close the ticket", on="issue", match=["event=resolved", f"issue={issue}"])
    told = room.add("Tell the team", on="timeline", match=["event_kind=decision", "entity=uvicorn"])
    assert room.due() == ()
    with room.memory() as memory:
        memory.resolve_issue(other)
        memory.note_issue(issue, "still there")
        memory.record_event("Moved to Uvicorn again", kind="work", entities=["Uvicorn"])
        memory.record_event("Told late", kind="decision", at="2026-11-01", entities=["Uvicorn"])
        memory.record_event("Left Redis", kind="decision", entities=["Redis"])
    with room.memory(AGENT) as memory:
        memory.record_event("An agent says so", kind="decision", entities=["Uvicorn"])
    assert room.due() == ()
    with room.memory() as memory:
        memory.resolve_issue(issue)
        memory.record_event("Tuned it", kind="decision", entities=["uvicorn"])
    assert set(room.due()) == {named, told}
    with room.memory() as memory:
        memory.reopen_issue(issue)
        memory.resolve_issue(issue)
    assert room.due() == ()


def test_a_thing_is_meant_by_each_of_its_names(room: Room) -> None:
    with room.memory() as memory:
        memory.add_entity("Heron", aliases=["The Quay"])
    name = room.add("Look at Heron", on="timeline", match=["entity=the quay"])
    with room.memory() as memory:
        memory.record_event("It moved to the harbour", entities=["Heron"])
    assert room.due() == (name,)


def test_a_run_sets_off_what_waits_for_it_as_often_as_was_said(room: Room) -> None:
    name = room.add("Look at it", on="run", match=["workflow=release", "state=done"], most=2)

    def ran(workflow: str, state: str) -> None:
        with room.memory() as memory:
            started = memory.start_run("Do it", workflow=workflow)
            memory.finish_run(state, run=started.target)

    ran("review", "done")
    ran("release", "error")
    assert room.due() == ()
    ran("release", "done")
    assert room.due() == (name,)
    with room.memory() as memory:
        assert memory.intention_done(name).data["state"] == "pending"
    ran("release", "done")
    assert room.due() == (name,)
    ran("release", "done")
    assert room.due() == ()
    with room.memory() as memory:
        assert memory.intention_done(name).data["state"] == "completed"


def test_a_state_is_asked_about_when_it_holds(room: Room) -> None:
    with room.memory() as memory:
        issue = memory.open_issue("The disk fills").target
    commit = git(room.project, "rev-parse", "HEAD").strip()
    git(room.project, "branch", "-f", "stable", "HEAD")
    (room.project / "link").symlink_to(room.project.parent)
    there = room.add("It is there", once="path=docs/done.md")
    gone = room.add("It is gone", once="no-path=plan.md")
    closed = room.add("It is closed", once=f"issue={issue}:wontfix")
    linked = room.add("Behind a link", once="no-path=link/nothing")
    nowhere = room.add("No such branch", once=f"commit={commit}@release")
    on_branch = room.add("It is on stable", once=f"commit={commit[:9]}@stable")
    assert room.due() == (on_branch,)
    (room.project / "docs").mkdir()
    (room.project / "docs/done.md").touch()
    (room.project / "plan.md").unlink()
    with room.memory() as memory:
        memory.wontfix_issue(issue)
    assert set(room.due()) == {there, gone, closed}
    (room.project / "docs/done.md").unlink()
    (room.project / "docs/done.md").touch()
    assert room.due() == ()
    assert room.state(linked) == room.state(nowhere) == "pending"


def test_what_its_owner_may_not_see_sets_nothing_off(room: Room) -> None:
    with room.memory(AGENT) as memory:
        proposed = memory.add_intention(
            "Look at decisions", on="timeline", match=["event_kind=decision"], most=9
        )
    with room.memory() as memory:
        (accepted,) = memory.accept([proposed.target])
        memory.record_event("Closed", kind="decision", sensitivity="confidential")
        assert room.due() == ()
        memory.record_event("Open to all", kind="decision")
    assert room.due() == (accepted.target,)


def test_a_process_that_dies_at_the_mark_loses_nothing_and_asks_nothing_twice(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = room.add("Survive", at=room.at(HOUR))
    room.clock.advance(2 * HOUR)

    def dying(call: Callable[..., object]) -> Callable[..., object]:
        def died(*args: object, **named: object) -> object:
            call(*args, **named)
            raise KeyboardInterrupt

        return died

    with monkeypatch.context() as patch:
        patch.setattr(door, "read_back", dying(read_back))
        with pytest.raises(KeyboardInterrupt):
            room.due()
    before = head(room)
    with room.memory() as memory:
        answer = memory.intentions_due()
    assert (name in {view.id for view in answer.due}, answer.new) == (True, ())
    assert head(room) == before


def test_of_two_that_look_at_once_one_marks(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    name = room.add("Only one", at=room.at(HOUR))
    room.clock.advance(2 * HOUR)
    inner: list[tuple[str, ...]] = []

    def meanwhile(*args: object, **named: object) -> object:
        plan = plan_from(*args, **named)  # type: ignore[arg-type]
        if not inner:
            inner.append(())
            inner[0] = room.due()
        return plan

    monkeypatch.setattr(marking, "plan_from", meanwhile)
    assert (room.due(), inner) == ((), [(name,)])


def test_a_watcher_asks_once_and_begins_with_what_nobody_was_told(room: Room) -> None:
    told = room.add("Told before", at=room.at(HOUR))
    room.clock.advance(2 * HOUR)
    assert room.due() == (told,)
    later = room.add("Comes later", at=room.at(2 * HOUR))
    with room.memory() as memory:
        first = {result.target for result in memory.ask_if_due()}
        assert told in first
        assert memory.ask_if_due() == ()
        room.clock.advance(3 * HOUR)
        (question,) = memory.ask_if_due()
        assert (question.target, question.action) == (later, "intention due")
        assert "nothing was done" in question.message
        assert memory.ask_if_due() == ()
        results: list[Result] = list(memory.watch(once=True))
    assert [result.action for result in results] == ["reconcile"]


def test_a_clock_that_runs_back_asks_nothing_twice(room: Room) -> None:
    name = room.add(
        "Daily",
        at=(room.clock.now() + HOUR).strftime("%Y-%m-%dT%H:%M"),
        zone="UTC",
        rrule="FREQ=DAILY;COUNT=3",
    )
    room.clock.advance(DAY + 2 * HOUR)
    assert room.due() == (name,)
    with room.memory() as memory:
        memory.intention_done(name)
    room.clock.advance(-2 * DAY)
    assert room.due() == ()
    room.clock.advance(2 * DAY)
    assert room.due() == ()
    room.clock.advance(DAY)
    assert room.due() == (name,)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"at": "2026-12-30T09:00Z", "on": "run"},
        {"at": "2026-12-30T09:00"},
        {"at": "2026-12-30", "zone": ZONE},
        {"at": "2026-12-30"},
        {"at": "tomorrow"},
        {"at": "2020-01-01T09:00Z"},
        {"at": "2020-01-01T09:00", "zone": ZONE},
        {"at": "2099-12-30T09:00", "zone": "Mars/Olympus"},
        {"at": "2099-12-30T09:00+01:00", "zone": ZONE},
        {"at": "2099-12-30T09:00Z", "rrule": "FREQ=DAILY;COUNT=2"},
        {"at": "2099-12-30T09:00", "zone": ZONE, "rrule": "FREQ=DAILY"},
        {"at": "2099-12-30T09:00Z", "window": "soon"},
        {"at": "2099-12-30T09:00Z", "window": "9999w"},
        {"at": "2099-12-30T09:00Z", "ends": "2098-12-30"},
        {"at": "2099-12-30T09:00Z", "match": ["a=b"]},
        {"on": "run", "zone": ZONE},
        {"on": "run", "match": ["state"]},
        {"on": "mail"},
        {"once": "weather=fine"},
        {"once": "path=../x"},
        {"at": "2099-12-30T09:00Z", "after": ["nothing-like-it"]},
        {"at": "2099-12-30T09:00Z", "replaces": "nothing-like-it"},
    ],
    ids=str,
)
def test_what_is_typed_wrongly_is_refused_and_nothing_is_written(
    room: Room, options: IntentionOptions
) -> None:
    before = head(room)
    with room.memory() as memory, pytest.raises(MemfsError) as refused:
        memory.add_intention("Something", **options)
    assert isinstance(refused.value, UsageError) or "no " in str(refused.value)
    assert head(room) == before


def test_words_are_kept_as_they_are_and_what_memory_never_holds_is_not(room: Room) -> None:
    odd = room.add("Prüfe „das“ Protokoll 🗒 # not: [yaml]\n- {a: b}\n---\nmore", at=room.at(DAY))
    with room.memory() as memory:
        record = memory.show_intention(odd[-6:]).stored.record
        assert (record.title, record.body) == (
            "Prüfe „das“ Protokoll 🗒 # not: [yaml]",
            "- {a: b}\n---\nmore\n",
        )
        for text in ("Clean up with rm -rf / afterwards.", "password=" + "hunter2" + "Xy9!"):
            result = memory.add_intention(text, at=room.at(DAY))
            assert result.status is ResultStatus.REFUSED
        for text in (" ", "x" * 201):
            with pytest.raises(UsageError):
                memory.add_intention(text, at=room.at(DAY))
        with pytest.raises(UnknownIntentionError):
            memory.show_intention("nothing")
        with pytest.raises(UnknownIntentionError):
            memory.intention_done(memory.remember("A note", kind="note").target)


def test_what_a_person_says_anew_keeps_how_it_stands_and_a_hand_edit_waits(room: Room) -> None:
    name = room.add("Ask Ben", at=room.at(HOUR))
    room.clock.advance(2 * HOUR)
    assert room.due() == (name,)
    with room.memory() as memory:
        assert memory.correct(name, "Ask Ben or Eva").status is ResultStatus.DONE
        view = memory.show_intention(name)
    assert (view.state, view.stored.record.version) == ("due", 2)
    file = store_root(room.project) / view.stored.path
    file.write_text(file.read_text().replace("state: due", "state: completed"))
    with room.memory() as memory:
        memory.reconcile()
        assert memory.show_intention(name).state == "due"
        (edited,) = [item for item in memory.candidates() if item.record_id == name]
        memory.reject([edited.id])
    file.write_text(file.read_text().replace("type: time", "type: command"))
    with room.memory() as memory:
        memory.reconcile()
        (edited,) = [item for item in memory.candidates() if item.record_id == name]
        (refused,) = memory.accept([edited.id])
        assert refused.reasons[0].code == "intention.unreadable"
        memory.reject([edited.id])
    assert room.state(name) == "due"


def test_one_that_cannot_be_read_here_is_told_of_keeps_none_waiting_and_can_be_ended(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = room.add("Lost", at="2099-01-01T09:00", zone="Pacific/Apia")
    found = room.add("Found", at=room.at(HOUR))
    room.clock.advance(2 * HOUR)

    def unknown(trigger: TimeTrigger) -> tuple[Occurrence, ...]:
        if trigger.zone == "Pacific/Apia":
            raise TriggerError("expected a zone")
        return occurrences_of(trigger)

    for place in (sighting, views):
        monkeypatch.setattr(place, "occurrences_of", unknown)
    with room.memory() as memory:
        answer = memory.intentions_due()
        assert (answer.new, answer.unreadable) == ((found,), (lost,))
        assert memory.show_intention(lost).state == "unreadable"
        assert lost in {view.id for view in memory.list_intentions()}
        assert memory.cancel_intention(lost).status is ResultStatus.DONE
    assert room.due() == ()


def test_no_question_and_no_packet_gives_an_intention_to_an_agent(room: Room) -> None:
    room.add("Deploy the zebra release", at=room.at(900 * DAY))
    with room.memory(AGENT) as memory:
        assert "zebra" not in str(memory.recall("deploy the zebra release"))
        assert "zebra" not in str(memory.search("deploy the zebra release"))
        assert "zebra" not in str(memory.context(task="deploy the release"))
        assert "zebra" not in str(memory.context(is_session_start=True))
        sealed = memory.add_intention("x", at=room.at(HOUR), sensitivity="sealed")
    assert sealed.status is ResultStatus.REFUSED


def test_what_is_taken_back_or_read_only_is_not_asked_about(room: Room) -> None:
    name = room.add("Taken back", at=room.at(HOUR))
    with room.memory() as memory:
        memory.retract(name)
    room.clock.advance(2 * HOUR)
    assert room.due() == ()
    with room.memory() as memory:
        settings = memory.workspace.settings
        memory.workspace = replace(
            memory.workspace, settings=replace(settings, mode=Mode.READ_ONLY)
        )
        assert memory.intentions_due().new == ()
    with room.memory() as memory:
        memory.restore(name)
    assert room.due() == (name,)


def test_the_ledger_of_all_that_is_whole(room: Room) -> None:
    with room.memory() as memory:
        assert not memory.audit().problems
        assert memory.check() == ()


def test_a_watcher_that_goes_on_asks_between_what_is_saved(room: Room) -> None:
    name = room.add("Between", at=room.at(HOUR))
    with room.memory() as memory:
        results = memory.watch()
        assert next(results).action == "reconcile"
        room.clock.advance(2 * HOUR)
        asked = next(result for result in results if result.target == name)
        results.close()  # type: ignore[attr-defined]
    assert asked.action == "intention due"
    assert room.due() == ()
