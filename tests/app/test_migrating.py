"""Moving a memory in: nine stages forward and back, once, and nothing withdrawn is served."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest

from memfs.app.container import init_store
from memfs.app.migrating import MigrationWish
from memfs.errors import MemfsError
from memfs.model.migration import STAGES, Stage
from memfs.model.operation import FileChange, OperationKind
from memfs.model.origin import SYSTEM_ACTOR
from memfs.model.record import StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.policy.administration import decide_tombstone
from memfs.policy.migration_stages import RULES
from memfs.services import migration_trips
from memfs.services.backups import backup_folder
from memfs.services.migration_state import migrating
from memfs.services.proposals import plan_from
from tests.support.memory import AGENT, ANA, git, memory_of, new_project, store_root

KEPT = "Deploys go through the blue pipeline."
GONE = "The heron berth is painted vermilion."
WRONG = "The heron berth is closed to cerulean barges."
WITHDRAWN = ("vermilion", "cerulean")
NODES = (
    '[{"id": "a", "title": "Alpha", "content": "Alpha is first", "relations": ["b"]},'
    ' {"id": "b", "title": "Beta", "content": "Beta is second"}]'
)
QUESTION = "how do deploys go through the pipeline, and how is the heron berth painted"


def legacy(folder: Path) -> Path:
    """Makes a folder of old notes, one of which is no text."""
    notes = folder / "legacy"
    notes.mkdir()
    for name, text in (("deploys", KEPT), ("berth", GONE), ("barges", WRONG)):
        (notes / f"{name}.md").write_text(f"# {name.title()}\n\n{text}\n", "utf-8")
    (notes / "torn.md").write_bytes(b"# Torn\n\n\xff\xfe\n")
    (notes / "nodes.json").write_text(NODES, "utf-8")
    return notes


def files_in(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Returns content and time of every file."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def forward(project: Path, source: Path | None = None, **options: object) -> Result:
    wish = replace(MigrationWish(source=source, accept=True), **options)  # type: ignore[arg-type]
    with memory_of(project) as memory:
        return memory.migrate(wish)


def counts_of(result: Result) -> dict[str, int]:
    counts = result.data["counts"]
    assert isinstance(counts, dict)
    return {name: number for name, number in counts.items() if isinstance(number, int)}


def back(project: Path) -> Result:
    with memory_of(project) as memory:
        return memory.migrate_back()


def listed(project: Path) -> set[str]:
    with memory_of(project) as memory:
        return {last_line(stored) for stored in memory.list_records()}


def last_line(stored: StoredRecord) -> str:
    return stored.record.body.strip().rpartition("\n")[2]


def head(project: Path) -> str:
    return git(store_root(project), "rev-parse", "HEAD").strip()


def told(project: Path) -> str:
    """Returns everything that anybody is given of what the store knows."""
    found = [(store_root(project) / "MEMORY.md").read_text("utf-8")]
    for actor in (ANA, AGENT):
        with memory_of(project, actor) as memory:
            found.append(memory.recall(QUESTION, limit=50, budget=100_000).text)
    return "\n".join(found)


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of old notes that no test changes."""
    return legacy(tmp_path_factory.mktemp("old"))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def test_nine_stages_move_old_notes_in_and_a_second_time_nothing_happens(
    project: Path, notes: Path
) -> None:
    before, was = files_in(notes), head(project)
    with memory_of(project) as memory:
        seen = memory.migrate(MigrationWish(source=notes), dry_run=True)
    assert (seen.status, head(project)) == (ResultStatus.NOTHING, was)
    assert not (store_root(project) / ".git" / "memfs" / "migration").exists()
    assert seen.data["preview"] == [f"{stage}: {RULES[stage].does}" for stage in STAGES]

    stages: list[Stage] = []
    with memory_of(project) as memory:
        result = memory.migrate(
            MigrationWish(source=notes, accept=True),
            on_stage=lambda stage, _: stages.append(stage),
        )
        assert memory.settings.mode == "enforced"
        assert memory.audit(mark=False).is_sound
    assert tuple(stages) == STAGES
    # One file is no text: it is named with its place, and the others are in.
    assert result.status is ResultStatus.PROBLEMS
    problems = result.data["problems"]
    assert isinstance(problems, list)
    assert [str(item).split(":")[0] for item in problems] == [str(notes / "torn.md")]
    counts = counts_of(result)
    assert {name: counts[name] for name in ("found", "recorded", "malformed", "waiting")} == {
        "found": 5, "recorded": 5, "malformed": 1, "waiting": 0
    }  # fmt: skip
    assert (counts["asked"], counts["found_again"]) == (5, 5)
    assert {KEPT, GONE, WRONG, "Alpha is first", "Beta is second"} == listed(project)
    with memory_of(project) as memory:
        alpha = next(
            item.record.id for item in memory.list_records() if item.record.title == "Alpha"
        )
        assert [node.title for node in memory.neighbors(alpha).nodes] == ["Beta"]

    was = head(project)
    for source in (notes, None):
        assert forward(project, source).status is ResultStatus.NOTHING
    assert head(project) == was
    assert files_in(notes) == before
    # What is new in the source is moved in by another migration, and nothing twice.
    more = shutil.copytree(notes, project / "more")
    (more / "new.md").write_text("# New\n\nThe quay has nine cranes.\n", "utf-8")
    again = forward(project, more)
    assert (counts_of(again)["recorded"], counts_of(again)["known"]) == (1, 5)


@pytest.mark.invariant("A26", "A13")
def test_each_step_back_and_forth_serves_nothing_that_was_withdrawn(
    project: Path, notes: Path
) -> None:
    forward(project, notes, until=Stage.SHADOW)
    with memory_of(project) as memory:
        ids = {last_line(item): item.record.id for item in memory.list_records()}
        assert memory.forget([ids[GONE]]).status is ResultStatus.DONE
        assert memory.retract(ids[WRONG]).status is ResultStatus.DONE
    forward(project)
    modes = []
    for stage in reversed(STAGES):
        assert back(project).status is ResultStatus.DONE
        with memory_of(project) as memory:
            modes.append(str(memory.settings.mode))
        assert not [word for word in WITHDRAWN if word in told(project)], stage
        if stage is Stage.IMPORT:
            assert listed(project) == set()
    assert modes == ["enforced", "shadow", *["read-only"] * 5, "enforced", "enforced"]
    with memory_of(project) as memory:
        assert memory.migration_status().message == "no migration is under way"
        assert memory.migrate_back().status is ResultStatus.NOTHING

    # Begun anew, what the step back took is served again; what a person took back is not.
    counts = counts_of(forward(project, notes))
    assert counts["recorded"] == 3
    assert listed(project) == {KEPT, "Alpha is first", "Beta is second"}
    assert not [word for word in WITHDRAWN if word in told(project)]
    assert KEPT in told(project)


def test_only_what_came_in_and_was_left_as_it_came_is_taken_back(
    project: Path, tmp_path: Path
) -> None:
    notes = tmp_path / "old"
    notes.mkdir()
    for name, day in (("a", "Tuesdays"), ("b", "Mondays")):
        text = f"---\nkind: fact\nsubject: day-{name}\n---\n# Day {name}\n\nIt is {day}.\n"
        (notes / f"{name}.md").write_text(text, "utf-8")
    with memory_of(project) as memory:
        own = memory.remember("It is Fridays.", kind="fact", subject="day-a").target
    forward(project, notes)
    with memory_of(project) as memory:
        came = next(item for item in memory.list_records() if "Mondays" in item.record.body)
        memory.correct(came.record.id, "It is Sundays.")
    for _ in range(2):
        # The second time round it came in by a commit that marks what it contradicts as well.
        while back(project).data["done"] != "backup":
            pass
        assert listed(project) == {"It is Fridays.", "It is Sundays."}
        forward(project, until=Stage.IMPORT)
        assert listed(project) == {"It is Fridays.", "It is Sundays.", "It is Tuesdays."}
    with memory_of(project) as memory:
        assert memory.show(own).record.version == 1


def test_without_acceptance_what_came_in_waits_and_goes_with_the_step_back(
    project: Path, notes: Path
) -> None:
    forward(project, notes, accept=False, until=Stage.BACKUP)
    result = forward(project, notes, accept=False)
    assert counts_of(result)["waiting"] == 5
    assert listed(project) == set()
    with memory_of(project) as memory:
        first, *_ = memory.candidates()
        assert memory.accept([first.id])[0].status is ResultStatus.DONE
    while back(project).data["done"] != "backup":
        pass
    with memory_of(project) as memory:
        assert memory.candidates() == ()
    # What a person accepted themselves is theirs, and stays.
    assert len(listed(project)) == 1
    assert counts_of(forward(project, accept=False))["waiting"] == 4
    while back(project).data["done"] != "backup":
        pass
    # Asked to accept before it comes in again, it does.
    counts = counts_of(forward(project, until=Stage.IMPORT))
    assert (counts["recorded"], counts["waiting"]) == (4, 0)


def test_what_is_served_again_is_let_go_of_though_a_process_died_before_it_said_so(
    project: Path, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text(f"# Deploys\n\n{KEPT}\n", "utf-8")
    forward(project, note, until=Stage.IMPORT)
    back(project)

    def died(*_: object) -> None:
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError), patch.object(migration_trips, "note_restored", died):
        forward(project)
    forward(project)
    assert listed(project) == {KEPT}
    with memory_of(project) as memory:
        # A copy that does not know the newest head retracts what the guard has a note of.
        heads = memory.workspace.home_dir / "guard" / f"{memory.workspace.store_id}.heads.json"
        heads.unlink()
    assert listed(project) == {KEPT}


def test_what_cannot_go_on_says_so_and_leaves_what_is_done(
    project: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def code(call: object, **options: object) -> str:
        with pytest.raises(MemfsError) as caught:
            forward(project, call, **options)  # type: ignore[arg-type]
        return caught.value.code

    with monkeypatch.context() as switched:
        switched.setenv("MEMFS", "off")
        assert code(notes) == "mode.off"
    assert code(None) == "migration.not-ready"
    assert code(store_root(project)) == "usage"
    within = project / "within"
    within.symlink_to(store_root(project) / "evidence")
    for place in (store_root(project) / ".git", within):
        assert code(place) == "import.store"
    assert code(store_root(project), format_name="markdown-notes") == "import.store"
    assert code(notes / "absent") == "import.not-found"
    with memory_of(project, AGENT) as memory:
        for ask in (memory.migrate_back, memory.migration_status):
            with pytest.raises(MemfsError) as caught:
                ask()
            assert caught.value.code == "actor.not-a-person"
    settings = store_root(project) / "memfs.yaml"
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("mode: enforced", "mode: off"), "utf-8")
    assert code(notes) == "migration.not-ready"
    settings.write_text(text, "utf-8")

    torn = project / "torn"
    torn.mkdir()
    shutil.copy(notes / "torn.md", torn)
    assert code(torn) == "migration.not-ready"
    twin = shutil.copytree(store_root(project), project / "twin" / ".memfs", symlinks=True)
    assert code(twin) == "usage"
    source = shutil.copytree(notes, project / "source")
    forward(project, source, until=Stage.BACKUP)
    assert code(notes) == "migration.other-source"
    with memory_of(project) as memory, migrating(memory.workspace):
        assert code(source) == "migration.running"
    (source / "late.md").write_text("# Late\n\nIt came late.\n", "utf-8")
    assert code(source) == "migration.source-changed"
    with memory_of(project) as memory:
        assert memory.migration_status().data["done"] == "backup"
    (source / "late.md").unlink()
    note = store_root(project) / ".git" / "memfs" / "migration" / "state.json"
    kept = note.read_bytes()
    note.write_bytes(kept[:-9])
    assert code(source) == "migration.state"
    note.write_bytes(kept)
    # Edited while the store is held still: taken later, it would hold the store still again.
    forward(project, source, until=Stage.PROJECT)
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("lock_timeout_s: 30.0", "lock_timeout_s: 31.0"), "utf-8")
    assert code(source) == "migration.not-ready"
    with memory_of(project) as memory:
        assert memory.accept(None)[0].status is ResultStatus.DONE
    assert forward(project, source).data["done"] == "finalise"
    with memory_of(project) as memory:
        assert (memory.settings.mode, memory.settings.store.lock_timeout_s) == ("enforced", 31.0)


@pytest.mark.invariant("A26")
def test_a_backup_put_back_serves_nothing_withdrawn_and_an_erasure_drops_it(
    project: Path, notes: Path, tmp_path: Path
) -> None:
    with memory_of(project) as memory:
        gone = memory.remember(GONE, kind="note").target
        memory.remember(KEPT, kind="note")
        memory.propose("The quay has nine cranes.", kind="fact")
    place = Path(str(forward(project, notes, until=Stage.BACKUP).data["backup"]))
    assert place.stat().st_mode & 0o077 == 0
    assert len(list((place / "inbox").iterdir())) == 1
    with memory_of(project) as memory:
        assert memory.forget([gone]).status is ResultStatus.DONE
    clone = tmp_path / "elsewhere" / ".memfs"
    clone.parent.mkdir()
    git(clone.parent, "clone", "-q", "-b", "main", str(place / "ledger.bundle"), str(clone))
    init_store(
        folder=clone.parent,
        env=dict(os.environ),
        is_scripted=True,
        as_principal="user:ana",
        yes=True,
    )
    assert listed(clone.parent) == {KEPT}

    with memory_of(project) as memory:
        kept = next(iter(memory.list_records())).record.id
        erased = memory.erase([kept], is_history=False)
        assert not backup_folder(memory.workspace).exists()
    assert "1 backup that memfs migrate had made dropped" in str(erased.data["preview"])
    done = forward(project)
    assert done.data["done"] == "finalise"
    assert "the backup is gone" in str(done.data["problems"])


def test_another_store_moves_in_but_for_what_was_withdrawn_or_is_an_agents_own(
    project: Path, tmp_path: Path
) -> None:
    other = new_project(tmp_path, "other")
    with memory_of(other) as memory:
        memory.remember(KEPT, kind="fact", subject="deploys", tags=("ops",))
        for text, verb in ((GONE, memory.forget), (WRONG, lambda ids: memory.retract(ids[0]))):
            verb([memory.remember(text, kind="note").target])
        memory.remember("The vault is behind the oak.", kind="note", sensitivity="confidential")
        memory.remember("My own plan.", kind="note", scope="agent:builder")
        memory.accept(None)
        assert len(memory.list_records()) == 3
        memory.add_entity("Redis")
        memory.add_entity("Cache host")
        memory.relate("Redis", "Cache host", "runs on")
        memory.record_event("Shipped v2")
    was = head(other)
    result = forward(project, other)
    assert result.data["sort"] == "store"
    assert (counts_of(result)["recorded"], counts_of(result)["left"]) == (6, 2)
    assert head(other) == was
    with memory_of(project) as memory:
        fact, vault = sorted(
            (item.record for item in memory.list_records()), key=lambda record: record.kind
        )
        redis = next(item.record.id for item in memory.entities() if item.record.title == "Redis")
        assert [node.title for node in memory.neighbors(redis).nodes] == ["Cache host"]
        assert [event.title for event in memory.timeline(is_all=True)] == ["Shipped v2"]
    assert (fact.body.strip(), fact.subject, fact.tags) == (KEPT, "deploys", ("ops",))
    assert str(fact.scope) == "project:datasync"
    assert fact.origin is not None
    assert str(fact.origin.channel) == "import"
    assert "imported" in fact.taint
    assert str(vault.sensitivity.label) == "confidential"
    with memory_of(project, AGENT) as memory:
        assert "oak" not in memory.recall("where is the vault behind the oak").text
    assert forward(project, other / ".memfs").status is ResultStatus.NOTHING


def test_an_older_layout_is_brought_up_and_bars_the_same(project: Path, tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text(f"# Deploys\n\n{KEPT}\n", "utf-8")
    forward(project, note)
    with memory_of(project) as memory:
        gone = memory.remember(GONE, kind="note").target
        memory.forget([gone])
        workspace = memory.workspace
        snapshot = workspace.store.snapshot()
        decision = decide_tombstone(workspace.settings)
        places = [entry.path for entry in snapshot.raw_entries("tombstones/")]
        changes = []
        for path in places:
            entry = snapshot.raw_entry(path)
            assert entry is not None
            content = snapshot.read_blob(entry.blob)
            old = f"tombstones/{path.rpartition('/')[2]}"
            changes += [
                FileChange(path=path, content=None, expected=entry.blob, decision=decision),
                FileChange(path=old, content=content, expected=None, decision=decision),
            ]
        plan = plan_from(
            workspace, snapshot, operation=OperationKind.REPAIR, actor=SYSTEM_ACTOR, drafts=(),
            subject="as it was", extra=tuple(changes),
        )  # fmt: skip
        workspace.store.commit(plan)
    result = forward(project)
    assert counts_of(result)["moved"] == len(places) == 1
    with memory_of(project) as memory:
        now = [entry.path for entry in memory.workspace.store.snapshot().raw_entries("tombstones/")]
        assert memory.remember(GONE, kind="note").status is not ResultStatus.DONE
        assert memory.audit(mark=False).is_sound
    assert now == places
    assert forward(project).status is ResultStatus.NOTHING
