from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.store.paths import PathRefusedError, check_path, collision_key, find_collisions


@pytest.mark.parametrize(
    "path",
    [
        "memfs.yaml",
        "records/note/2026-11/a-note-z5abcd.md",
        "records/note/2026-11/文件-z5abcd.md",
        "records/note/2026-11/заметка о сервере.md",
        "records/note/…and “quotes” & more.md",
        "records/note/می‌خواهم.md",
        "a" * 255,
        "records/.hidden.md",
        "github/notes.md",
        ".gitignore",
    ],
)
def test_an_ordinary_path_is_allowed(path: str) -> None:
    assert check_path(path) == tuple(path.split("/"))


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("", "path.length"),
        ("/etc/passwd", "path.traversal"),
        ("..", "path.traversal"),
        ("records/../../x.md", "path.traversal"),
        ("records/./x.md", "path.traversal"),
        ("records//x.md", "path.traversal"),
        ("records/", "path.traversal"),
        (".git/config", "path.git"),
        ("records/.GIT/hooks/post-commit", "path.git"),
        ("records/.git ./config", "path.git"),
        ("records/.git::$INDEX_ALLOCATION/config", "path.git"),
        ("records/GIT~1/config", "path.git"),
        ("records/.g\u200cit/config", "path.git"),
        ("records/．ｇｉｔ/config", "path.git"),
        ("records/.gıt/x\x00.md", "path.control"),
        ("records/a\nb.md", "path.control"),
        ("records/a\x7f.md", "path.control"),
        ("records/a\u202etxt.md", "path.control"),
        ("records/a\u200bb.md", "path.control"),
        ("records/a\udcffb.md", "path.encoding"),
        ("records\\note\\x.md", "path.separator"),
        ("records/" + "a" * 256, "path.length"),
        ("records/" + "文" * 86, "path.length"),
        ("/".join(["abcdefgh"] * 200), "path.length"),
        ("/".join("a" * 33), "path.depth"),
        ("records/con", "path.reserved"),
        ("records/NUL.md", "path.reserved"),
        ("records/com1 .md", "path.reserved"),
        ("records/note.", "path.reserved"),
        ("records/note ", "path.reserved"),
    ],
)
def test_a_hostile_path_is_refused_by_a_stable_code(path: str, code: str) -> None:
    with pytest.raises(PathRefusedError) as caught:
        check_path(path)
    assert caught.value.code == code
    assert str(caught.value).isprintable()


@given(st.text(max_size=80))
def test_what_is_allowed_can_be_neither_outside_nor_a_git_directory(path: str) -> None:
    try:
        parts = check_path(path)
    except PathRefusedError:
        return
    assert "/".join(parts) == path
    for part in parts:
        assert part not in ("", ".", "..")
        assert unicodedata.normalize("NFKC", part).casefold().rstrip(". ") != ".git"
        assert len(part.encode()) <= 255


def test_names_that_some_system_takes_for_one_file_are_reported() -> None:
    composed, decomposed = "records/caf\u00e9.md", "records/cafe\u0301.md"
    paths = ["records/Note.md", "records/note.md", composed, decomposed, "records/other.md"]
    assert find_collisions(paths) == (
        ("records/Note.md", "records/note.md"),
        (decomposed, composed),
    )


def test_case_folding_reaches_beyond_ascii() -> None:
    assert collision_key("records/STRASSE.md") == collision_key("records/straße.md")
