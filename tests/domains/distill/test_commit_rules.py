"""What a commit tells: work, a decision, something learned, a release, or nothing at all."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memfs.domains.distill.commit_rules import commit_key, products_of_commit
from memfs.domains.distill.material import CommitSeen, FileTouched
from memfs.domains.distill.products import EdgeFound, EntityFound, EventFound, Trust
from memfs.model.event import EventSort

AT = datetime(2026, 3, 4, 9, tzinfo=UTC)
SEEN = CommitSeen(
    id="a" * 40,
    written=int(AT.timestamp()),
    at=AT,
    is_merge=False,
    subject="",
    body="",
    files=(FileTouched("M", "src/queue.py"),),
)
MANIFEST = (FileTouched("M", "pyproject.toml"),)

TELLING = {
    "Add a queue for uploads": EventSort.WORK,
    "fix(importer): keep the order of rows": EventSort.WORK,
    "[api] Return 404 for unknown ids (#12)": EventSort.WORK,
    "svg export": EventSort.WORK,
    "Drop support for Python 3.8": EventSort.DECISION,
    "drop Python 3.6": EventSort.DECISION,
    "Deprecate the XML endpoint": EventSort.DECISION,
    "No longer support Windows 7": EventSort.DECISION,
    "Fix a crash on empty folders caused by the path cache": EventSort.LEARNING,
    "Release 2.1.0": EventSort.EVENT,
    "start version 2.2.0.dev0": EventSort.EVENT,
    "v1.4.2": EventSort.EVENT,
    "importer, store: drop support for XML": EventSort.DECISION,
}
SILENT = (
    "typo",
    "wip",
    "fix tests",
    "update changelog",
    "Update README.md",
    "Create build.yml",
    "Initial commit",
    "Merge branch 'main' of example.invalid/x",
    "fixup! Add a queue for uploads",
    "Bump sphinx from 3.4.1 to 3.4.3",
    "Bump the github-actions group with 3 updates",
    "[pre-commit.ci] pre-commit autoupdate",
    "Apply suggestions from code review",
    "minor cleanup of code and docs",
    "docs: typo",
    "Remove unused import",
    "update project files",
    "",
    "!!!",
    "\u200b",
)


def event_of(seen: CommitSeen) -> EventFound | None:
    return next((it for it in products_of_commit(seen) if isinstance(it, EventFound)), None)


@pytest.mark.parametrize("subject", TELLING)
def test_a_commit_that_says_something_is_an_event(subject: str) -> None:
    event = event_of(replace(SEEN, subject=subject))
    assert event is not None
    assert (event.sort, event.commit, event.trust) == (TELLING[subject], SEEN.id, Trust.SEEN)
    assert event.names[0] == "src/queue.py"


@pytest.mark.parametrize("subject", SILENT)
def test_a_commit_that_says_nothing_is_none(subject: str) -> None:
    assert event_of(replace(SEEN, subject=subject)) is None


@pytest.mark.parametrize(
    ("subject", "files", "sort"),
    [
        ("Replace setuptools with flit", MANIFEST, EventSort.DECISION),
        ("Replace the list with a set", SEEN.files, EventSort.WORK),
        ("Use rstrip instead of strip", SEEN.files, EventSort.WORK),
        ("Drop support for Python 3.8 in tests", MANIFEST, EventSort.WORK),
        ("Drop support for 3.8", (FileTouched("M", "tests/test_x.py"),), EventSort.WORK),
        ("Switch to ruff", MANIFEST, EventSort.DECISION),
        ("switch ci to another service", MANIFEST, EventSort.DECISION),
        ("Don't print colours just because a recorder runs", MANIFEST, EventSort.WORK),
        ("Move to the top of the page", MANIFEST, EventSort.WORK),
    ],
)
def test_a_choice_is_a_decision_where_it_binds_the_project(
    subject: str, files: tuple[FileTouched, ...], sort: EventSort
) -> None:
    event = event_of(replace(SEEN, subject=subject, files=files))
    assert event is not None
    assert event.sort is sort


def test_a_fix_that_tells_the_cause_is_something_learned() -> None:
    body = "The upload hangs.\n\nIt turns out that the pool was closed\nbefore the last chunk."
    event = event_of(replace(SEEN, subject="Fix hanging uploads", body=body))
    assert event is not None
    assert event.sort is EventSort.LEARNING
    assert event.summary == "It turns out that the pool was closed before the last chunk."


def test_a_pull_request_its_merge_and_a_picked_commit_share_a_key() -> None:
    plain = event_of(replace(SEEN, subject="Add a queue for uploads"))
    squashed = event_of(replace(SEEN, id="b" * 40, subject="Add a queue for uploads (#31)"))
    merge = event_of(
        replace(
            SEEN,
            is_merge=True,
            subject="Merge pull request #31 from fork/queue",
            body="Add a queue for uploads",
        )
    )
    assert plain is not None
    assert squashed is not None
    assert merge is not None
    assert plain.key == squashed.key == merge.key
    later = event_of(
        replace(SEEN, subject="Add a queue for uploads", written=SEEN.written + 40 * 86400)
    )
    assert later is not None
    assert (later.key, later.also) != (plain.key, plain.also)
    assert later.also == (commit_key(SEEN.written, "Add a queue for uploads"),)


def test_issues_renames_and_reverts_are_edges() -> None:
    seen = replace(
        SEEN,
        subject="Move the queue out of the api (#31)",
        body="Fixes #7, see #8.",
        files=(FileTouched("R", "src/queue.py", "api/queue.py"), FileTouched("M", "src/app.py")),
        busy=frozenset({"src/app.py"}),
        reverted=(SEEN.written, "Add a queue for uploads"),
    )
    products = list(products_of_commit(seen))
    event = products[0]
    assert isinstance(event, EventFound)
    edges = {(it.start, it.relation, it.end) for it in products if isinstance(it, EdgeFound)}
    assert edges == {
        ("api/queue.py", "renamed to", "src/queue.py"),
        (event.key, "merges", "#31"),
        (event.key, "fixes", "#7"),
        (event.key, "refers to", "#8"),
        (event.key, "reverts", commit_key(SEEN.written, "Add a queue for uploads")),
    }
    named = {(it.name, it.sort) for it in products if isinstance(it, EntityFound)}
    assert named == {
        ("src/app.py", "file"),
        ("api/queue.py", "file"),
        ("src/queue.py", "file"),
        ("#31", "pull request"),
        ("#7", "issue"),
        ("#8", "issue"),
    }


def test_a_change_of_very_many_files_names_their_folders_alone() -> None:
    files = tuple(FileTouched("M", f"src/part{number % 3}/f{number}.py") for number in range(90))
    event = event_of(replace(SEEN, subject="Reformat the whole tree anew", files=files))
    assert event is not None
    assert event.names == ("src/part0/", "src/part1/", "src/part2/")


@pytest.mark.parametrize("subject", ["a " * 50_000, "#1 " * 20_000, "(" * 50_000, "drop " * 20_000])
def test_no_message_keeps_the_rules_busy(subject: str) -> None:
    began = time.process_time()
    found = list(products_of_commit(replace(SEEN, subject=subject, body=subject[:4000])))
    assert time.process_time() - began < 5
    assert len(found) < 1_000


def test_a_file_that_is_called_like_a_record_names_none() -> None:
    record, other = f"mem_{'0' * 25}1", f"EVENT_{'0' * 25}2"
    files = (FileTouched("R", other, record), FileTouched("M", "sha256:distilled:a"), *SEEN.files)
    seen = replace(SEEN, subject="Add a queue", files=files, busy=frozenset((other, "x")))
    found = list(products_of_commit(seen))
    assert [type(item) for item in found] == [EventFound]
    assert event_of(seen).names == ("src/queue.py",)  # type: ignore[union-attr]
