from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.domains.claims.kinds import NOTE
from memfs.domains.provenance.kinds import EVIDENCE
from memfs.domains.roles.kinds import ROLE_MEMORY, ROLE_SUMMARY
from memfs.model.authority import Sensitivity
from memfs.model.record import Record
from memfs.model.scope import Scope, ScopeKind
from memfs.store import layout
from memfs.store.paths import check_path

ID = "mem_01kb8x3v6yq4m9t2r7w5z1c0de"


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        (
            "FastAPI for every Python backend, never Flask",
            "fastapi-for-every-python-backend-never-flask",
        ),
        ("Café Zoë — déjà vu!", "cafe-zoe-deja-vu"),
        ("Straße & Ørsted, Łódź", "strasse-orsted-lodz"),
        ("データベースの設定", "データベースの設定"),
        ("Сервер не отвечает", "сервер-не-отвечает"),
        ("الخادم لا يستجيب", "الخادم-لا-يستجيب"),
        ("हिन्दी नोट", "हिन्दी-नोट"),
        ("../../etc/passwd", "etc-passwd"),
        (".git", "git"),
        ("🎉🎉", "untitled"),
        ("", "untitled"),
        ("a\u202eb\u200bc", "abc"),
        ("x" * 200, "x" * 60),
    ],
)
def test_a_title_becomes_a_readable_name(title: str, slug: str) -> None:
    assert layout.slugify(title) == slug


def test_a_long_title_is_cut_between_words() -> None:
    assert layout.slugify("word " * 30) == "-".join(["word"] * 12)
    assert len(layout.slugify("文" * 100).encode()) == 60


@given(st.text(max_size=120))
def test_every_slug_is_a_short_allowed_name(title: str) -> None:
    slug = layout.slugify(title)
    assert 0 < len(slug.encode()) <= 60
    assert check_path(f"{slug}-z1c0de.md")
    assert layout.slugify(slug) == slug


def test_a_record_is_filed_by_kind_month_title_and_id() -> None:
    record = Record(kind="note", id=ID, title="Use ruff")
    assert layout.record_path(NOTE, record, "2026-11", {}) == (
        "records/note/2026-11/use-ruff-1c0de.md".replace("1c0de", ID[-6:])
    )
    evidence = Record(kind="evidence", id="ev_01kb8x3v6yq4m9t2r7w5z1c0de")
    assert layout.record_path(EVIDENCE, evidence, "2026-11", {}) == (
        "evidence/2026-11/ev_01kb8x3v6yq4m9t2r7w5z1c0de.json"
    )


@pytest.mark.parametrize(
    ("role", "folder"),
    [("builder", "builder"), ("Builder", "builder_"), ("team/b", "team-b_"), ("con", "con_")],
)
def test_what_a_role_remembers_stands_together_by_profile(role: str, folder: str) -> None:
    ident = ID.replace("mem_", "role_")
    scope = Scope(ScopeKind.AGENT, role)
    places = []
    for profile in ("conversation", "identity"):
        record = Record(
            kind="role_memory", id=ident, title="Be brief", scope=scope, fields={"profile": profile}
        )
        places.append(layout.record_path(ROLE_MEMORY, record, "2026-11", {}))
    summary = Record(kind="role_summary", id=ident, title="Be brief", scope=scope)
    places.append(layout.record_path(ROLE_SUMMARY, summary, "2026-11", {}))
    assert [place.split("/")[2] for place in places] == ["short_term", "identity", "summaries"]
    for place in places:
        assert place.startswith(f"roles/{folder}")
        assert place.split("/")[1] == layout.role_folder(role)
        assert place.endswith(f"/{ID[-2:]}/be-brief-{ID[-6:]}.md")
        assert check_path(place)
    assert len({layout.role_folder(name) for name in ("team/b", "team-b", "Team-b")}) == 3


@pytest.mark.parametrize("sensitivity", [item for item in Sensitivity if item.is_opaque])
def test_a_confidential_record_has_a_name_that_says_nothing(sensitivity: Sensitivity) -> None:
    record = Record(kind="note", id=ID, title="Salary of Ana", sensitivity=sensitivity)
    assert layout.record_path(NOTE, record, "2026-11", {}) == f"records/note/2026-11/{ID}.md"


@pytest.mark.parametrize(
    ("sizes", "shard"),
    [
        ({}, "2026-11"),
        ({"2026-11": 499}, "2026-11"),
        ({"2026-11": 500}, "2026-11.2"),
        ({"2026-11": 500, "2026-11.2": 500, "2026-12": 3}, "2026-11.3"),
        ({"2026-11": 20, "2026-11.2": 7}, "2026-11.2"),
        ({"2026-11": 500, "2026-11.10": 1, "2026-11.9": 500}, "2026-11.10"),
        ({"2026-11.x": 1, "2026-11.02": 1, "other": 9}, "2026-11"),
    ],
)
def test_a_full_month_folder_is_followed_by_another(sizes: dict[str, int], shard: str) -> None:
    assert layout.shard_for("2026-11", sizes) == shard


@pytest.mark.parametrize(
    ("path", "is_record", "is_reserved", "is_untracked", "is_managed"),
    [
        ("records/note/2026-11/a.md", True, False, False, True),
        ("evidence/2026-11/ev_x.json", True, False, False, True),
        ("records/note/2026-11/a.txt", False, False, False, True),
        ("holds/x.json", False, True, False, True),
        ("tombstones/x.json", False, True, False, True),
        (".gitattributes", False, True, False, True),
        ("memfs.yaml", False, False, False, True),
        ("inbox/a.md", False, False, True, False),
        ("views/graph.jsonl", False, False, True, False),
        ("MEMORY.md", False, False, True, False),
        ("notes.md", False, False, False, False),
        ("records", False, False, False, False),
    ],
)
def test_every_place_has_its_meaning(
    path: str, is_record: bool, is_reserved: bool, is_untracked: bool, is_managed: bool
) -> None:
    assert layout.is_record_path(path) is is_record
    assert layout.is_reserved_path(path) is is_reserved
    assert layout.is_untracked(path) is is_untracked
    assert layout.is_managed(path) is is_managed


def test_a_hold_has_one_place_for_each_path() -> None:
    first, second = layout.hold_path("records/a.md"), layout.hold_path("records/b.md")
    assert first != second
    assert check_path(first)[0] == "holds"
    assert len(first) == len("holds/") + 24 + len(".json")
