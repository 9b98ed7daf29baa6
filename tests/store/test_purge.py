"""Rewriting the whole history: what goes, what follows it, and what stays as it was."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memfs.model.operation import OperationKind
from memfs.store.histories import HistoryRewrite
from memfs.store.purge_checks import PurgeBlockedError
from memfs.store.refs import LEDGER_REF
from memfs.store.rewriting import PurgeUnavailableError
from memfs.store.store import Store
from tests.support.stores import QUICK, assert_sound, git, new_store, plan_for

WORDS = b"zebra-quartz-4711"
SECRET = "records/note/2026-11/zebra.md"
OTHER = "records/note/2026-11/other.md"
KEPT = "records/note/2026-11/kept.md"


def store_with_history(folder: Path) -> Path:
    root = new_store(folder / "store", {KEPT: b"kept\n"})
    with Store.open(root, settings=QUICK) as store:
        store.commit(plan_for(store, {SECRET: b"it is " + WORDS + b"\n"}, key="once"))
        store.commit(plan_for(store, {OTHER: b"said: " + WORDS + b" there\n"}))
        store.commit(
            plan_for(store, {KEPT: b"kept twice\n"}, subject=f"about {WORDS.decode()} again")
        )
        store.commit(plan_for(store, {SECRET: None}, operation=OperationKind.FORGET))
    return root


def wish() -> HistoryRewrite:
    return HistoryRewrite(paths=frozenset({SECRET.encode()}), phrases=(WORDS,))


def purge(root: Path) -> None:
    with Store.open(root, settings=QUICK) as store:
        store.purge(wish())


def residue(root: Path) -> list[str]:
    """Names every place in which the words still stand, unpacked objects included."""
    found = [
        str(path.relative_to(root))
        for path in root.rglob("*")
        if (path.is_file() and WORDS in path.read_bytes()) or WORDS.decode() in path.name
    ]
    everything = subprocess.run(
        ["git", "-C", str(root), "cat-file", "--batch-all-objects", "--batch"],
        capture_output=True,
        check=True,
    )
    return found + ["objects"] * (WORDS in everything.stdout)


def test_a_purge_leaves_nothing_of_the_words_and_a_sound_store(tmp_path: Path) -> None:
    root = store_with_history(tmp_path)
    assert residue(root)
    before = git(root, "log", "--format=%(trailers:key=Memfs-Txn,valueonly)", LEDGER_REF)
    purge(root)
    assert residue(root) == []
    assert_sound(root)
    assert (root / OTHER).read_bytes() == b"said: (erased) there\n"
    after = git(root, "log", "--format=%(trailers:key=Memfs-Txn,valueonly)", LEDGER_REF)
    assert after == before


def test_every_ref_stash_and_what_is_staged_is_rewritten_alike(tmp_path: Path) -> None:
    root = store_with_history(tmp_path)
    words = WORDS.decode()
    git(root, "branch", f"side-{words}")
    git(root, "tag", "-a", "-m", f"tag of {words}", "one", "HEAD~1")
    git(root, "tag", "light", "HEAD~2")
    git(root, "notes", "add", "-m", f"note on {words}", "HEAD~1")
    (root / KEPT).write_text(f"stashed {words}\n")
    git(root, "stash")
    (root / KEPT).write_text("stashed later\n")
    git(root, "stash")
    blob = git(root, "hash-object", "-w", str(root / OTHER)).strip()
    git(root, "update-ref", "refs/other/blob", blob)
    (root / KEPT).write_text("staged by hand\n")
    git(root, "add", KEPT)
    (root / KEPT).write_text("edited after\n")
    purge(root)
    assert residue(root) == []
    assert git(root, "fsck", "--full", "--strict") == ""
    assert git(root, "show", f":{KEPT}") == "staged by hand\n"
    assert (root / KEPT).read_text() == "edited after\n"
    assert git(root, "stash", "list").count("stash@") == 2
    assert git(root, "show", f"stash@{{1}}:{KEPT}") == "stashed (erased)\n"
    assert git(root, "notes", "show", "HEAD~1") == "note on (erased)\n"
    assert git(root, "cat-file", "-p", "refs/other/blob") == "said: (erased) there\n"
    assert "tag of (erased)" in git(root, "cat-file", "-p", "one")
    assert [name for name in git(root, "branch").split() if "erased-" in name]


def test_unreachable_objects_logs_and_leftovers_of_git_go(tmp_path: Path) -> None:
    root = store_with_history(tmp_path)
    git(root, "hash-object", "-w", str(root / OTHER))
    git(root, "commit", "--allow-empty", "-q", "-m", WORDS.decode())
    git(root, "reset", "-q", "--hard", "HEAD~1")
    git(root, "repack", "-a", "-d", "-q")
    (root / ".git/FETCH_HEAD").write_bytes(WORDS)
    pack = next((root / ".git/objects/pack").glob("*.pack"))
    pack.with_suffix(".keep").touch()
    purge(root)
    assert residue(root) == []
    assert_sound(root)


def test_a_key_is_known_and_a_forged_operation_is_not_after_a_purge(tmp_path: Path) -> None:
    root = store_with_history(tmp_path)
    message = git(root, "log", "-1", "--format=%B", LEDGER_REF)
    purge(root)
    with Store.open(root, settings=QUICK) as store:
        again = store.commit(plan_for(store, {SECRET: b"else\n"}, key="once"))
        assert again.is_replay
        assert all(commit.is_operation for commit in store.commits())
    forged = {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in (("NAME", "memfs"), ("EMAIL", "memfs@memfs.invalid"))
    }
    subprocess.run(
        ["git", "-C", str(root), "commit", "-q", "--no-verify", "--allow-empty", "-m", message],
        env={**forged, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        check=True,
    )
    git(root, "update-ref", LEDGER_REF, "HEAD")
    with Store.open(root, settings=QUICK) as store:
        assert not store.commits(limit=1)[0].is_operation


def test_a_purge_is_refused_while_a_merge_is_under_way(tmp_path: Path) -> None:
    root = store_with_history(tmp_path)
    (root / ".git/MERGE_HEAD").write_text(git(root, "rev-parse", "HEAD"))
    with pytest.raises(PurgeBlockedError):
        purge(root)
    assert residue(root)


def test_a_purge_without_the_tool_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = store_with_history(tmp_path)
    monkeypatch.setattr("memfs.store.rewriting.importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("memfs.store.rewriting.shutil.which", lambda name: None)
    with pytest.raises(PurgeUnavailableError) as raised:
        purge(root)
    assert "memfs-ledger[purge]" in raised.value.hint
    assert_sound(root)
