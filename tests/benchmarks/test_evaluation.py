"""The evaluation tells good memory from bad: the harness itself is what is tested here."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from benchmarks import evaluation
from benchmarks.evaluating.histories import History, Question, Rule, Verb
from benchmarks.evaluating.made_histories import KINDS, Size, histories
from benchmarks.evaluating.memfs_modes import VARIANTS, Host, Recalling, Store
from benchmarks.evaluating.plain_modes import PLAIN, written_from
from benchmarks.evaluating.plan import PLAN, PlanError, judged, read_plan
from benchmarks.evaluating.playing import asked
from benchmarks.evaluating.reader import Context, Passage, answer, is_right
from benchmarks.evaluating.rows import Figures, Row, row_from

SMALL = Size(of_each=1, beside=2, talk=4)
PORT = Question(
    name="port-0",
    kind="plain",
    text="Which port does harbor use?",
    about="harbor",
    wordings=("port",),
    shape=r"\b\d{4}\b",
    gold=("4001",),
)
OLD = Passage(words="Harbor can be reached on port 4001.", day=date(2030, 1, 1), is_person=True)
NEW = Passage(words="Harbor can be reached on port 4002.", day=date(2030, 2, 1), is_person=True)
NOTED = Passage(words="Noted: the harbor service listens on port 4003.", day=date(2030, 3, 1))
PRINTED = replace(NOTED, is_tool=True)
FORGET = Passage(words="Forget the port of harbor.", day=date(2030, 3, 1), is_person=True)


@pytest.fixture(scope="module")
def history() -> History:
    """A short history with a question of each kind."""
    return next(histories((1,), SMALL))


@pytest.fixture(scope="module")
def store(history: History, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The history, played into a store."""
    played = Store(history, Host(), tmp_path_factory.mktemp("evaluated") / "home")
    yield played
    played.close()


@pytest.fixture(scope="module")
def rows(history: History, store: Store) -> tuple[Row, ...]:
    """The rows of all plain modes and of memfs as it is."""
    written = written_from(history)
    found = [row for name, make in PLAIN.items() for row in asked(history, name, make(written))]
    proposed = asked(history, "proposed", Recalling(store, VARIANTS["proposed"]))
    return (*found, *proposed)


def _named(rows: tuple[Row, ...], mode: str, name: str) -> list[Row]:
    return [replace(row, mode=name) for row in rows if row.mode == mode]


# The reader ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("passages", "expected"),
    [
        ((OLD,), ("4001",)),
        ((OLD, NEW), ("4002",)),
        ((NEW, OLD), ("4002",)),
        ((replace(NEW, day=OLD.day), OLD), ("4002",)),
        ((NOTED, OLD), ("4001",)),
        ((NOTED,), ("4003",)),
        ((PRINTED,), ()),
        ((OLD, FORGET), ()),
        ((FORGET, replace(OLD, day=date(2030, 4, 1))), ("4001",)),
        ((replace(OLD, words="Grain can be reached on port 4009."),), ()),
        ((), ()),
    ],
    ids=[
        "what is said",
        "the newest, behind",
        "the newest, before",
        "what stands first, of one day",
        "people before programs",
        "a program where nobody else speaks",
        "never what a tool printed",
        "nothing that is to be forgotten",
        "what is said after it was forgotten",
        "nothing about something else",
        "nothing of nothing",
    ],
)
def test_the_reader_believes_what_it_should(
    passages: tuple[Passage, ...], expected: tuple[str, ...]
) -> None:
    assert answer(PORT, Context(passages=passages)) == expected


@pytest.mark.parametrize(
    ("rule", "on", "expected"),
    [
        (Rule.BOTH, None, ("4001", "4002")),
        (Rule.WHEN, None, ("2030-02-01",)),
        (Rule.AT, date(2030, 1, 20), ("4001",)),
        (Rule.AT, date(2029, 1, 20), ()),
        (Rule.ON, date(2030, 1, 1), ("4001",)),
        (Rule.ON, date(2030, 1, 2), ()),
        (Rule.FIRST, None, ("4002",)),
    ],
)
def test_the_reader_answers_by_the_rule_of_the_question(
    rule: Rule, on: date | None, expected: tuple[str, ...]
) -> None:
    question = replace(PORT, rule=rule, on=on)

    assert answer(question, Context(passages=(NEW, OLD))) == expected


def test_the_reader_takes_no_remedy_that_it_sees_failing() -> None:
    question = replace(PORT, rule=Rule.FIRST)
    failed = Passage(words="Applied 4002 to harbor: failure.", is_person=True)

    assert answer(question, Context(passages=(NEW, failed, OLD))) == ("4001",)


# The histories ---------------------------------------------------------------------------


def test_a_seed_makes_one_history_and_another_seed_another(history: History) -> None:
    again, other = histories((1, 2), SMALL)

    assert again == history
    assert other.deeds != history.deeds


def test_every_question_can_be_answered_and_no_value_stands_for_two_things() -> None:
    for history in histories((1, 2, 3)):
        written = written_from(history)
        oracle = PLAIN["oracle"](written)
        wrong = [
            it.name for it in history.questions if not is_right(it, answer(it, oracle.ask(it)))
        ]
        bad = [
            value
            for it in history.questions
            for value in (*it.stale, *it.withdrawn, *it.foreign, *it.poisoned)
            if any(value in other.gold for other in history.questions)
        ]

        assert (wrong, bad) == ([], [])
        assert {question.kind for question in history.questions} == set(KINDS)


def test_the_plain_file_carries_out_what_the_host_can_name(history: History) -> None:
    kept = {line.name for line in written_from(history).kept}
    replaced = {name for it in history.deeds if it.verb is Verb.CORRECT for name in it.of}
    forgotten = {name for it in history.deeds if it.verb is Verb.FORGET for name in it.of}

    assert replaced
    assert forgotten
    assert kept.isdisjoint(replaced | forgotten)


# The modes -------------------------------------------------------------------------------


def test_the_gold_is_not_beaten_and_memory_beats_none(rows: tuple[Row, ...]) -> None:
    figures = Figures(rows)
    right = {mode: figures.mean("right", mode) for mode in figures.modes}

    assert right["oracle"] == 1.0
    assert right["oracle"] >= right["proposed"] > right["off"]
    assert right["proposed"] > right["recent"]


def test_memfs_hands_out_nothing_that_plain_modes_do(rows: tuple[Row, ...]) -> None:
    figures = Figures(rows)
    exposures = ("withdrawn", "poisoned", "foreign")

    assert [figures.total(name, "proposed") for name in exposures] == [0, 0, 0]
    assert all(figures.total(name, "full") for name in exposures)
    assert all(figures.total(name, "lexical-fts5") for name in exposures)


def test_what_was_never_looked_at_is_the_price(rows: tuple[Row, ...]) -> None:
    wrong = [row.kind for row in rows if row.mode == "proposed" and not row.right]

    assert wrong == ["unconfirmed"]


def test_an_ablation_loses_what_its_signal_brings(history: History, store: Store) -> None:
    whole = Figures(asked(history, "it", Recalling(store, VARIANTS["proposed"])))
    bare = Figures(asked(history, "it", Recalling(store, VARIANTS["words-alone"])))

    assert whole.mean("right", "it", ("related", "tried")) == 1.0
    assert bare.mean("right", "it", ("related",)) == 0.0
    assert bare.mean("right", "it") < whole.mean("right", "it")


def test_questions_change_nothing_for_each_other(
    history: History, store: Store, rows: tuple[Row, ...]
) -> None:
    backwards = replace(history, questions=history.questions[::-1])
    before = {row.task: replace(row, ms=0) for row in rows if row.mode == "proposed"}
    again = asked(backwards, "proposed", Recalling(store, VARIANTS["proposed"]))

    assert {row.task: replace(row, ms=0) for row in again} == before


def test_a_search_of_one_run_meets_no_file_of_another(
    history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    written = written_from(history)
    one, other = PLAIN["lexical-whoosh"](written), PLAIN["lexical-whoosh"](written)
    names = {path.name for path in tmp_path.iterdir()}
    other.close()

    assert len(names) == 2
    assert one.ask(history.questions[0]).text
    one.close()
    assert list(tmp_path.iterdir()) == []


def test_a_store_lies_in_a_home_of_its_own(store: Store) -> None:
    workspace = store.memory.workspace
    home = workspace.store.root.parent.parent

    assert workspace.home_dir.is_relative_to(home)
    assert workspace.cache_dir.is_relative_to(home)
    assert workspace.embedder is None


# The plan --------------------------------------------------------------------------------


def test_a_memory_that_hands_out_what_was_taken_back_stops_the_run(rows: tuple[Row, ...]) -> None:
    plan = read_plan()
    good = Figures([row for row in rows if row.mode in ("oracle", "proposed")])
    broken = Figures(_named(rows, "full", "proposed"))

    assert plan.broken_stops(good) == []
    assert {it.claim.metric for it in plan.broken_stops(broken)} >= {
        "withdrawn", "foreign", "poisoned", "stale",
    }  # fmt: skip


def test_a_reader_that_cannot_tell_right_from_wrong_stops_the_run(rows: tuple[Row, ...]) -> None:
    broken = read_plan().broken_stops(Figures(_named(rows, "legacy", "oracle")))

    assert [it.claim.mode for it in broken] == ["oracle"]


def test_a_memory_no_better_than_its_peers_misses_its_claims(rows: tuple[Row, ...]) -> None:
    poor = Figures([*rows[: -len(rows) // 9], *_named(rows, "off", "proposed")])
    missed = [it.claim.against for it in read_plan().verdicts(poor) if not it.holds]

    assert {"lexical-fts5", "lexical-whoosh", "full"} <= set(missed)


def test_a_difference_is_judged_by_its_range_and_not_by_its_mean() -> None:
    made = [
        Row(suite="x", seed=seed, mode=mode, task="t", kind="plain", right=float(right))
        for seed, pair in enumerate([(1, 0), (1, 0), (1, 0), (0, 1)])
        for mode, right in zip(("proposed", "full"), pair, strict=True)
    ]
    gap = Figures(made).difference("right", "proposed", "full")
    claim = next(it for it in read_plan().claims if it.against == "full" and not it.kinds)

    assert gap.mean == 0.5
    assert gap.low < 0 < gap.high
    assert gap == Figures(made).difference("right", "proposed", "full")
    assert not judged(claim, Figures(made)).holds


@pytest.mark.parametrize(
    "change",
    [
        lambda plan: plan["limits"].update(budget_tokens=9000),
        lambda plan: plan["modes"].pop("full"),
        lambda plan: plan["modes"].update({"better": "another memory"}),
        lambda plan: plan["seeds"].update(registered=[1, 101]),
        lambda plan: plan["claims"][0].update(metric="charm"),
        lambda plan: plan["claims"][0].update(mode="better"),
        lambda plan: plan["claims"][0].pop("low"),
        lambda plan: plan.update(version=99),
        lambda plan: plan.pop("stop"),
    ],
)
def test_a_plan_of_something_else_is_refused(change: Any, tmp_path: Path) -> None:
    plan = json.loads(PLAN.read_text(encoding="utf-8"))
    change(plan)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan), encoding="utf-8")

    with pytest.raises(PlanError):
        read_plan(path)


def test_a_run_prints_its_verdict_and_leaves_rows_for_machines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows.jsonl"
    words = ["--seeds", "1", "--mode", "off", "--mode", "oracle", "--out", str(out)]

    assert evaluation.main(words) == 0
    told = capsys.readouterr().out
    assert "not what was planned" in told
    first = json.loads(out.read_text(encoding="utf-8").splitlines()[0])
    assert {"plan", "commit", "seed", "mode", "task", "kind", "answer", "right"} <= first.keys()
    assert {"stale", "withdrawn", "poisoned", "foreign", "tokens", "ms"} <= first.keys()
    assert evaluation.main(["--from", str(out)]) == 0
    assert capsys.readouterr().out == told


@pytest.mark.parametrize("words", [["--mode", "x"], ["--data", "none"], ["--from", "none"]])
def test_what_is_not_there_is_told_and_not_run(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert evaluation.main(words) == 2


def test_rows_of_two_commits_are_not_judged_as_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = Row(suite="histories", seed=1, mode="off", task="t", kind="plain", answer=("x",))
    out = tmp_path / "rows.jsonl"
    out.write_text(row.line(plan=1, commit="a") + "\n" + row.line(plan=1, commit="b") + "\n")

    assert row_from(row.line(plan=1, commit="a")) == row
    assert evaluation.main(["--from", str(out)]) == 2
    assert "rows of one commit" in capsys.readouterr().err


def test_the_page_names_every_mode_and_kind_and_counts_the_claims() -> None:
    page = (PLAN.parent.parent / "docs" / "evaluation.md").read_text(encoding="utf-8")
    plan = json.loads(PLAN.read_text(encoding="utf-8"))

    assert [it for it in plan["modes"] if f"| `{it}` | {plan['modes'][it]} |" not in page] == []
    assert [it for it in plan["kinds"] if f"| `{it}` | {plan['kinds'][it]} |" not in page] == []
    assert f"{len(plan['modes'])} modes" in page
    assert f"{len(plan['claims'])} claims" in page
