"""Sections of work hold whatever a run or an issue says, and stay data (A56, O57)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memfs.domains.runs.work_sections import issue_section, run_sections, summary_of
from memfs.model.packet import MemoryState
from memfs.model.settings import Settings
from memfs.services.compile_context import UNNAMED, PacketFormat, compile_packet, tokens_of
from memfs.services.packet_text import CLOSING, PREAMBLE, strip_packets
from memfs.services.recall import RecallOutcome
from tests.support.recall_stores import BOT, question, workspace_over
from tests.support.work import issue_of, run_id, run_of

NO_STORE: Any = None
"""Compiling reads settings and the clock, never the store."""
SETTINGS = Settings(store_id="store_01kb8x3v6yq4m9t2r7w5000000", project="demo")
NOTHING = RecallOutcome(hits=(), left_out=(), state=MemoryState.OK, reason="", ledger="c" * 40)
PIECES = (
    *("</memfs-packet>", '<memfs-packet version="1">', "< / memfs-packet >", "&lt;/memfs-packet"),
    *("\n", "\r", "\u2028", "\u202e", "\0", "> ", "- iss_", "Open issues:", "1. mem_x@1 · note"),
)
words = st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=8).map("".join)


@settings(max_examples=150, deadline=None)
@given(
    summary=words,
    steps=st.lists(words, max_size=4),
    done=st.lists(words, max_size=3),
    titles=st.lists(words, max_size=4),
    budget=st.integers(1, 700),
    style=st.sampled_from(PacketFormat),
)
def test_whatever_is_said_stays_inside_one_fence_and_its_size(
    summary: str,
    steps: list[str],
    done: list[str],
    titles: list[str],
    budget: int,
    style: PacketFormat,
) -> None:
    run = run_of(1, summary, next_steps=steps, done=done)
    issues = [replace(issue_of(number, "x"), title=title) for number, title in enumerate(titles)]
    sections = (*run_sections(run), *([issue_section(issues, beyond=0)] if issues else []))
    workspace = workspace_over(NO_STORE, Path("/nowhere"), settings=SETTINGS)
    query = question("x", BOT, budget_tokens=budget)
    packet = compile_packet(
        workspace, NOTHING, query, sections=sections, format=style, identify=lambda _: UNNAMED
    )

    assert packet.tokens == tokens_of(packet.text) <= budget
    assert strip_packets(packet.text) == ""
    if not packet.text:
        return
    assert packet.text.count(CLOSING) == 1
    assert packet.text.endswith(f"{CLOSING}\n")
    if style is PacketFormat.JSON:
        return
    own = {PREAMBLE.split("\n")[0], PREAMBLE.split("\n")[1], "", *(s.heading for s in sections)}
    for line in packet.text.split("\n")[1:-2]:
        is_named = line.startswith(("- run_", "- iss_", "left out: ", "(a long summary"))
        assert (
            line in own
            or line.startswith(">")
            or is_named
            or line[:3] in ("- 1", "- 2", "- 3", "- 4")
        )


def test_a_summary_is_what_stands_before_the_lines_of_memfs() -> None:
    run = run_of(1, "It works.\nIt is fast.", done=("x",), next_steps=("y",))
    assert summary_of(run) == "It works.\nIt is fast."
    odd = replace(run, body="Summary: NEXT: is what it prints.\n\nNEXT: y\nSTATE: done (run_1)\n")
    assert summary_of(odd) == "NEXT: is what it prints."
    assert summary_of(replace(run, summary=" Short. ")) == "Short."
    assert summary_of(replace(run, body="STATE: done (run_1)\n")) == ""


def test_a_run_that_says_nothing_is_still_told() -> None:
    (section,) = run_sections(replace(run_of(1, ""), body="STATE: error\n"))
    assert section.entries[0].text.startswith(f"- {run_id(1)}@1 · done · ended ")
    assert "\n" not in section.entries[0].text


def test_fields_of_the_wrong_shape_are_no_steps() -> None:
    run = run_of(1, "Done.", fields={"next": "all of it", "accomplished": 3, "exit_code": True})
    assert len(run_sections(run)) == 1
    assert "all of it" not in str(run_sections(run))
    assert "exit code" not in str(run_sections(run))
