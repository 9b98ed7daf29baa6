"""What came of a run, from what was said, seen and printed."""

from __future__ import annotations

import json

import pytest

from memfs.domains.runs.outcome import (
    HEAD_BYTES,
    TAIL_BYTES,
    RunFacts,
    combined,
    extracted,
    head_and_tail,
    spoken_in,
    with_answer,
)
from memfs.model.run import NO_OUTCOME, RunOutcome, RunState, Worker

DONE, ERROR = RunState.DONE, RunState.ERROR


def facts(
    state: RunState = DONE,
    *,
    task: str = "Fix the parser",
    said: RunOutcome = NO_OUTCOME,
    output: str = "",
    exit_code: int | None = None,
) -> RunFacts:
    return RunFacts(task=task, state=state, said=said, output=output, exit_code=exit_code)


def test_a_silent_run_has_an_outcome_from_its_task_and_its_state() -> None:
    outcome = extracted(facts())

    assert outcome.summary == "Finished: Fix the parser. It said nothing about itself."
    assert outcome.accomplished == ("Fix the parser",)
    assert (outcome.issues, outcome.next) == ((), ())


@pytest.mark.parametrize(
    ("said", "output", "sentence"),
    [
        (NO_OUTCOME, "ISSUES: The bar stands still\nNEXT: rest", "1 open issue and 1 next step"),
        (NO_OUTCOME, "NEXT:\n- one\n- two", "2 next steps"),
        (RunOutcome(accomplished=("A", "B")), "RESOLVED: Old", "2 results and 1 resolved issue"),
        (
            RunOutcome(accomplished=("A",), issues=("B",), resolved=("C",), next=("D",)),
            "",
            "1 result, 1 open issue, 1 resolved issue and 1 next step",
        ),
    ],
)
def test_a_run_that_only_named_things_is_not_told_as_silent(
    said: RunOutcome, output: str, sentence: str
) -> None:
    outcome = extracted(facts(said=said, output=output))

    assert outcome.summary == f"Finished: Fix the parser. It named {sentence}."


def test_a_run_that_fails_leaves_its_task_to_be_finished() -> None:
    output = "$ make\n===\nThe parser breaks on tabs. So do the tests! I could not go on. Sorry."

    outcome = extracted(facts(ERROR, output=output, exit_code=2))

    assert outcome.summary == (
        "Ended with exit code 2: Fix the parser. The parser breaks on tabs. "
        "So do the tests! I could not go on."
    )
    assert outcome.accomplished == ()
    assert outcome.next == ("Finish: Fix the parser",)


def test_a_summary_says_nothing_twice() -> None:
    output = "Fix the parser\nFix the parser\nIt reads tabs now.\nIt reads tabs now.\n"

    assert extracted(facts(output=output)).summary == "Finished: Fix the parser. It reads tabs now."
    silent = extracted(facts(output="Fix the parser\n")).summary
    assert silent == "Finished: Fix the parser. It said nothing about itself."


def test_a_verdict_is_told_and_one_against_the_work_is_to_be_answered() -> None:
    outcome = extracted(facts(said=RunOutcome(verdict="Rejected: no tests")))

    assert "Verdict: Rejected: no tests." in outcome.summary
    assert outcome.next == ("Answer the verdict: Rejected: no tests",)


def test_what_is_said_on_purpose_wins_and_lists_add_up() -> None:
    said = RunOutcome(summary="It works now.", issues=("slow",), workers=(Worker("ana"),))

    outcome = extracted(facts(said=said, output="SUMMARY: Other.\nISSUES: Slow; loud\nNEXT: rest"))

    assert outcome.summary == "It works now."
    assert outcome.issues == ("slow", "loud")
    assert outcome.next == ("rest",)
    assert outcome.workers == (Worker("ana"),)


def test_machine_readable_output_is_read_for_what_it_says() -> None:
    result = json.dumps({"type": "result", "result": "Fixed the tabs at last.\nNEXT: publish"})
    turns = {"message": {"content": [{"type": "text", "text": "I look at it."}]}}
    lines = f"{json.dumps(turns)}\nnot json\n{result}"

    assert list(spoken_in(result)) == ["Fixed the tabs at last.\nNEXT: publish"]
    assert list(spoken_in(lines)) == ["I look at it.", "Fixed the tabs at last.\nNEXT: publish"]
    assert list(spoken_in('{"a": 1}')) == ['{"a": 1}']
    assert list(spoken_in("[" * 10_000)) == ["[" * 10_000]


def test_what_memfs_said_of_other_runs_is_no_sentence_about_this_one() -> None:
    output = "recorded as run_01kb8x3v6yq4m9t2r7w5z1c0df; opened nothing\nThe tabs are fixed now."

    assert "recorded as" not in extracted(facts(output=output)).summary


def test_of_a_long_text_head_and_tail_are_looked_at_in_whole_lines() -> None:
    text = "".join(f"line {number}\n" for number in range(20_000))

    cut = head_and_tail(text)

    assert len(cut) <= HEAD_BYTES + TAIL_BYTES
    assert set(cut.splitlines()) <= set(text.splitlines())
    assert (cut[:7], cut[-11:]) == ("line 0\n", "line 19999\n")


def test_what_is_said_at_two_times_adds_up() -> None:
    early = RunOutcome(summary="Early.", next=("a",), workers=(Worker("w"),))

    both = combined(early, RunOutcome(summary="Late.", next=("b",)))

    assert both == RunOutcome(summary="Late.", next=("a", "b"), workers=(Worker("w"),))


def test_a_model_adds_words_and_takes_none_away() -> None:
    base = extracted(facts(output="ISSUES: tabs\nNEXT: rest"))
    answer = RunOutcome(
        summary="A model says so.", issues=("spaces",), resolved=("tabs",), verdict="fine"
    )

    added = with_answer(base, answer, is_summary_said=False)
    kept = with_answer(base, answer, is_summary_said=True)

    assert (added.summary, kept.summary) == ("A model says so.", base.summary)
    assert added.issues == ("tabs", "spaces")
    assert added.next == ("rest",)
    assert (added.resolved, added.verdict) == ((), "")
