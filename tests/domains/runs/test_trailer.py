"""The trailer in any sane spelling, and in none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.domains.runs.trailer import is_label, parse_trailer, unique
from memfs.model.run import ITEM_CHARS, ITEMS, NO_OUTCOME, RunOutcome

WHOLE = RunOutcome(accomplished=("a", "b"), issues=("c is slow",), next=("d", "e"))


@pytest.mark.parametrize(
    "text",
    [
        "prose\nACCOMPLISHED:\n- a\n- b\nISSUES:\n- c is slow\nNEXT:\n- d\n- e\n",
        "ACCOMPLISHED: a; b\nISSUES: c is slow\nNEXT: d; e",
        "## Accomplished\n\n* a\n* b\n\n## Issues\n\n1. c is slow\n\n## Next steps\n\n1) d\n2) e\n",
        "**Accomplished:**\n- a\n- b\n\n**Issues**:\n- c is slow\n\n**Next:** d | e",
        "```\nACCOMPLISHED:\n- a\n- b\nISSUES:\n- c is slow\nNEXT:\n- d\n- e\n```\n",
        "- ACCOMPLISHED:\n  - a\n  - b\n- ISSUES:\n  - c is slow\n- NEXT:\n  - d\n    - e\n",
        "> ACCOMPLISHED:\n> - a\n> - b\n> ISSUES: c is slow\n> NEXT:\n> - d\n> - e",
        "ACCOMPLISHED\n- a\n- b\nISSUES\nc is slow\nNEXT\n- [ ] d\n- [x] e\n",
        "accomplished：a；b\r\nissues：c is slow\r\nnext：d；e\r\n",
        '"ACCOMPLISHED": ["a", "b"],\n"ISSUES": ["c is slow"],\n"NEXT": ["d", "e"]',
        "1. ACCOMPLISHED (2): a; b\n2. KNOWN ISSUES: `c is slow`\n3. NEXT STEP: *d*\n   - e",
    ],
)
def test_every_sane_spelling_says_the_same(text: str) -> None:
    assert parse_trailer(text) == WHOLE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I did a and b. Next, I will rest. There are no issues: none at all.",
        "ISSUES:\nNEXT:\nACCOMPLISHED:",
        "ISSUES: none\nNEXT: n/a.\nACCOMPLISHED: -",
        "ISSUES: <title of each open issue>\nNEXT: {next}\nACCOMPLISHED: ...",
        "ISSUES:\n- No open issues.\n\n## Next steps\n\nNothing further.",
        "the done: label in lower case is a word\nresolved: so is this",
        ":\n::ISSUES\nISSUES-\n#\n```\n\x00\ufffd",
    ],
)
def test_a_missing_empty_or_malformed_trailer_says_nothing(text: str) -> None:
    assert parse_trailer(text) == NO_OUTCOME


def test_a_repeated_trailer_counts_once_and_a_longer_one_adds_to_it() -> None:
    outcome = parse_trailer("ISSUES: a; b\nNEXT: c\n\nand again\n\nISSUES:\n- A.\n- new\nNEXT: c")

    assert (outcome.issues, outcome.next) == (("a", "b", "new"), ("c",))


def test_what_is_struck_ticked_or_said_to_be_resolved_is_no_open_issue() -> None:
    text = "ISSUES:\n- [ ] open\n- [x] ticked\n- ~~struck~~\n- resolved: said\n\nRESOLVED: by label"

    outcome = parse_trailer(text)

    assert outcome.issues == ("open",)
    assert outcome.resolved == ("ticked", "struck", "said", "by label")


def test_an_item_may_go_on_below_and_prose_ends_a_section() -> None:
    outcome = parse_trailer("NEXT:\n- first\n  goes on\n\nThat was all.\n- not an item\n")

    assert outcome.next == ("first goes on",)


def test_of_several_summaries_the_last_counts() -> None:
    outcome = parse_trailer("SUMMARY: Early.\n\nSUMMARY: Late. On\ntwo lines.\n\nNot this.")

    assert outcome.summary == "Late. On two lines."


def test_items_are_bounded_in_length_and_number() -> None:
    items = unique([*(f"item {number}" for number in range(50)), "x" * 2_000])

    assert len(items) == ITEMS
    assert len(items[-1]) == ITEM_CHARS


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("ISUENXT:#*->`~[]x \n\t;|a0.\u200b"), max_size=200))
def test_no_text_breaks_it(text: str) -> None:
    outcome = parse_trailer(text)

    assert not any("\n" in item for item in (*outcome.issues, *outcome.next))


def test_lines_that_are_all_marks_cost_next_to_nothing() -> None:
    for line in ("*" * 100_000, " " * 100_000 + "ISSUES", "# " * 50_000, "[x] " * 30_000):
        assert is_label(line) is False
