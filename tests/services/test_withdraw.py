"""Taking back: the barrier comes first, what is supported comes back, nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from memfs.model.result import ResultStatus
from tests.support.memory import AGENT, memory_of, new_project
from tests.support.review import is_clean, said, tree_of
from tests.support.withdrawal import derive, exposures, record_of, status_of

ROOT = "The staging host is kestrel"
SUMMARY = "Staging runs on a machine called kestrel"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


def test_a_free_summary_of_what_was_forgotten_is_withheld_everywhere(project: Path) -> None:
    with memory_of(project) as memory:
        root = memory.remember(ROOT, kind="note").target
        other = memory.remember("CI needs Node 20", kind="note").target
        child = derive(memory, SUMMARY, root)
        grandchild = derive(memory, "One machine is a bird", child)
    with memory_of(project) as memory:
        result = memory.forget([root])
    assert result.status is ResultStatus.DONE
    assert result.data["withheld"] == sorted([child, grandchild])
    for identifier, words in ((root, ROOT), (child, SUMMARY), (grandchild, "One machine")):
        assert exposures(project, identifier, words) == []
    with memory_of(project) as memory:
        assert status_of(memory, root) == "gone"
        assert status_of(memory, child) == "repair_pending"
        assert status_of(memory, other) == "active"
    assert said(project) == ["CI needs Node 20"]
    assert is_clean(project)


def test_what_says_only_what_still_stands_comes_back_as_a_new_version(project: Path) -> None:
    with memory_of(project) as memory:
        root = memory.remember(ROOT, kind="note").target
        twin = memory.remember("Node 20 is needed. Builds run at night.", kind="note").target
        child = derive(memory, "Builds run at night.", root, twin)
    with memory_of(project) as memory:
        result = memory.forget([root])
        stored = record_of(memory, child)
    assert result.data["restored"] == [f"{child}@2"]
    assert stored is not None
    assert stored.record.derived_from == (twin,)
    assert said(project) == ["Builds run at night.", "Node 20 is needed. Builds run at night."]


def test_a_correction_withholds_what_says_the_old_wording(project: Path) -> None:
    with memory_of(project) as memory:
        root = memory.remember(ROOT, kind="note").target
        child = derive(memory, SUMMARY, root)
        quote = derive(memory, "The staging host is kestrel", root, kind="fact")
    with memory_of(project) as memory:
        result = memory.correct(root, "The staging host is merlin")
    assert result.data["withheld"] == sorted([child, quote])
    assert said(project) == ["The staging host is merlin"]


def test_a_correction_on_which_nothing_rests_is_one_commit(project: Path) -> None:
    with memory_of(project) as memory:
        root = memory.remember(ROOT, kind="note").target
        before = len(memory.workspace.store.commits())
        memory.correct(root, "The staging host is merlin")
        assert len(memory.workspace.store.commits()) == before + 1
    assert tree_of(project, "receipts") == []


def test_a_retracted_record_and_what_rests_on_it_can_be_restored(project: Path) -> None:
    with memory_of(project) as memory:
        root = memory.remember(ROOT, kind="note").target
        child = derive(memory, ROOT, root, kind="fact")
        memory.retract(root, why="wrong")
    assert said(project) == []
    with memory_of(project) as memory:
        assert memory.show(root).record.body == f"{ROOT}\n"
        result = memory.restore(root)
        assert result.status is ResultStatus.DONE
        assert status_of(memory, child) == "active"
    assert said(project) == [ROOT, ROOT]


def test_an_agent_takes_nothing_back(project: Path) -> None:
    with memory_of(project) as memory:
        root = memory.remember(ROOT, kind="note").target
    with memory_of(project, AGENT) as memory:
        for result in (memory.forget([root]), memory.retract(root)):
            assert result.status is ResultStatus.REFUSED
            assert [item.code for item in result.reasons] == ["actor.not-a-person"]
    assert said(project) == [ROOT]


def test_no_word_of_what_was_forgotten_is_left_in_any_cache(project: Path) -> None:
    with memory_of(project) as memory:
        names = [
            memory.remember(f"The host number {n} is zebra{n}quagga", kind="note").target
            for n in range(12)
        ]
        memory.rebuild()
        cache = memory.workspace.cache_dir

        def places(word: str) -> list[str]:
            files = [path for path in cache.rglob("*") if path.is_file()]
            return [path.name for path in files if word.encode() in path.read_bytes()]

        assert places("zebra3quagga") != []
        result = memory.forget([names[3], names[7]])
        assert places("zebra3quagga") == places("zebra7quagga") == []
        assert places("zebra4quagga") != []
        levels = result.data["details"]["levels"]  # type: ignore[index,call-overload]
        assert levels["search index"] == "managed"  # type: ignore[index,call-overload]
        assert [hit.stored.record.id for hit in memory.search("zebra4quagga")][:1] == [names[4]]
    index = project / ".memfs" / "MEMORY.md"
    assert "zebra3quagga" not in index.read_text()
    assert "zebra4quagga" in index.read_text()
