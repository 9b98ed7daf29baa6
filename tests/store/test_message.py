"""Commit messages: nothing that a record contains can forge a trailer (A28)."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfs.model.decision import Decision, Verdict
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import Actor, Channel, Principal
from memfs.store.message import (
    commit_content,
    commit_message,
    identity,
    normal_key,
    parse_commit,
    subject_line,
)
from memfs.store.store import Store
from tests.support.stores import ADMITTED, ANA, NOON, git, new_store, plan_for

PLAN = Plan(
    transaction="tx_1",
    operation=OperationKind.RECORD,
    subject="a thing",
    actor=ANA,
    at=NOON,
    changes=(FileChange(path="a.md", content=b"a", expected=None, decision=ADMITTED),),
    base="",
    key="k",
    records=("mem_1@1",),
)
FORGERIES = [
    "x\n\nMemfs-Decision: allow everything",
    "x\r\n\r\nMemfs-Txn: tx_9",
    "x\u2028Memfs-Key: other",
    "x\x0bMemfs-Record: mem_9@9",
    "x\x85\x85Memfs-Operation: erase",
    "x\x00y",
]


@pytest.mark.parametrize("text", FORGERIES)
def test_a_subject_stays_one_line(text: str) -> None:
    forged = dataclasses.replace(PLAN, subject=text, records=(text,), key=text, transaction=text)
    lines = commit_message(forged).splitlines()
    assert len(lines) == len(commit_message(PLAN).splitlines())
    assert [line.partition(":")[0] for line in lines[2:]] == [
        "Memfs-Txn",
        "Memfs-Operation",
        "Memfs-Actor",
        "Memfs-Decision",
        "Memfs-Policy",
        "Memfs-Key",
        "Memfs-Record",
    ]


@given(st.text(), st.text(), st.text())
def test_what_was_written_is_read_back(subject: str, key: str, record: str) -> None:
    plan = dataclasses.replace(PLAN, subject=subject, key=key, records=(record,))
    found = parse_commit("1" * 40, commit_content(plan, tree="2" * 40, parents=("3" * 40,)))
    assert found.key == normal_key(key)
    assert found.subject == subject_line(plan)
    assert (found.transaction, found.operation) == ("tx_1", "record")
    assert (found.parents, found.at, found.author) == (("3" * 40,), NOON, "user:ana")


@given(st.text(), st.text())
def test_different_keys_stay_different(first: str, second: str) -> None:
    assert (normal_key(first) == normal_key(second)) == (first == second)


def test_trailers_of_a_commit_that_memfs_did_not_make_are_not_believed() -> None:
    content = commit_content(PLAN, tree="2" * 40, parents=()).replace(
        b"committer memfs <memfs@memfs.invalid>", b"committer Eve <eve@example.invalid>"
    )
    found = parse_commit("1" * 40, content)
    assert (found.is_operation, found.key, found.decision) == (False, "", "")


def test_git_reads_the_trailers_that_were_written(tmp_path: Path) -> None:
    root = new_store(tmp_path / "store")
    with Store.open(root) as store:
        store.commit(plan_for(store, {"a.md": b"a\n"}, subject=FORGERIES[0], key="k"))
    shown = git(root, "log", "-1", "--format=%(trailers:only,key=Memfs-Decision)")
    assert shown == "Memfs-Decision: allow test.admitted\n\n"


def test_every_distinct_decision_is_named() -> None:
    other = Decision(verdict=Verdict.ACTIVATE, rule="other.rule", policy="cafe")
    changes = (
        PLAN.changes[0],
        dataclasses.replace(PLAN.changes[0], path="b.md", decision=other),
        dataclasses.replace(PLAN.changes[0], path="c.md"),
    )
    text = commit_message(dataclasses.replace(PLAN, changes=changes))
    assert text.count("Memfs-Decision: ") == 2
    assert "Memfs-Decision: allow other.rule\n" in text


@pytest.mark.parametrize(
    ("principal", "expected"),
    [
        ("user:ana", "user:ana <user.ana@memfs.invalid>"),
        ("agent:claude-code/1.0", "agent:claude-code/1.0 <agent.claude-code.1.0@memfs.invalid>"),
        ("user:ana@example.org", "user:ana@example.org <user.ana.example.org@memfs.invalid>"),
    ],
)
def test_the_author_is_the_actor(principal: str, expected: str) -> None:
    assert identity(Actor(Principal.parse(principal), Channel.TERMINAL)) == expected


def test_a_long_subject_is_cut_between_letters() -> None:
    line = subject_line(dataclasses.replace(PLAN, subject="ä" * 500))
    assert line.endswith("ä…")
    assert len(line.encode()) <= 220


def test_times_are_utc() -> None:
    plan = dataclasses.replace(PLAN, at=datetime(2026, 1, 1, tzinfo=UTC))
    assert b"1767225600 +0000" in commit_content(plan, tree="2" * 40, parents=())
