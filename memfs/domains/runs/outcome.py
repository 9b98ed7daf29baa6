"""What came of a run, without a model: from task, state, verdict and what it printed (C10).

What was said on purpose wins: arguments over the trailer, the trailer over the head of the
output. Nothing is judged and nothing is added that was not said or seen, but for two things
that follow from the state: a run that is done accomplished its task, and one that is not
leaves it to be finished. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from memfs.domains.runs.trailer import is_label, parse_trailer, unique
from memfs.model.run import SUMMARY_CHARS, RunOutcome, RunState

HEAD_BYTES: Final = 16_384
TAIL_BYTES: Final = 45_056
"""What is looked at of an output: together less than a body may hold."""
_SENTENCE: Final = re.compile(r".{2,400}?(?:[.!?…](?=[\s\"')\]]|$)|$)")
_SENTENCES: Final = 4
_LEAST: Final = 2
_NO_PROSE: Final = re.compile(
    r"\s*(?:[#>|$%{}\[\]<]|[-=*_~]{3}|```|~~~|(?:\w+\s*)?\d+[:%/]|[A-Z]+[\s:]+\d|\S+$)"
)
"""Headings, prompts, tables, rules, counters and single words: no sentence about the work."""
_OWN_WORDS: Final = re.compile(r"\b(?:run|iss|mem|ev|cand|tx|pkt)_[0-7][0-9a-hjkmnp-tv-z]{25}\b")
"""What memfs itself printed while the run went on names ids; it is nothing of the run's."""
_WORDS: Final = re.compile(r"[^\W\d_]+")
_SAID: Final = ("result", "text", "response", "output", "content", "message", "last_message")
"""Where the machine-readable output of a coding agent has what it said at the end."""
_AGAINST: Final = re.compile(
    r"\b(?:fail\w*|reject\w*|refus\w*|broken|red|changes?[ -]requested|needs?[ -]work)\b",
    re.IGNORECASE,
)
_OPENS: Final = {
    RunState.DONE: "Finished",
    RunState.ERROR: "Ended with an error",
    RunState.CANCELLED: "Cancelled",
    RunState.RUNNING: "Running",
    RunState.LOST: "Lost",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What is known of a run when it ends.

    Attributes:
        task: What it was asked to do, without packets.
        state: How it ended.
        said: What whoever ends it says on purpose.
        output: What it said when it printed: all of that, or head and tail, screened.
        exit_code: Exit code that was seen; ``None`` where none was.
    """

    task: str
    state: RunState
    said: RunOutcome
    output: str = ""
    exit_code: int | None = None


def extracted(facts: RunFacts) -> RunOutcome:
    """Returns the outcome of a run: each part from the best source that has it."""
    trailer = parse_trailer(facts.output)
    said = facts.said
    told = RunOutcome(
        summary=said.summary or trailer.summary,
        accomplished=unique((*said.accomplished, *trailer.accomplished)),
        issues=unique((*said.issues, *trailer.issues)),
        resolved=unique((*said.resolved, *trailer.resolved)),
        next=unique((*said.next, *trailer.next)),
        verdict=said.verdict,
        workers=said.workers,
    )
    return replace(
        told,
        summary=_cut(told.summary or _summary(facts, told)),
        accomplished=told.accomplished or _accomplished(facts),
        next=told.next or _next(facts, told.verdict),
    )


def combined(earlier: RunOutcome, later: RunOutcome) -> RunOutcome:
    """Returns what was said of one run at two times: lists add up, the later sentence holds."""
    return RunOutcome(
        summary=later.summary or earlier.summary,
        accomplished=unique((*earlier.accomplished, *later.accomplished)),
        issues=unique((*earlier.issues, *later.issues)),
        resolved=unique((*earlier.resolved, *later.resolved)),
        next=unique((*earlier.next, *later.next)),
        verdict=later.verdict or earlier.verdict,
        workers=later.workers or earlier.workers,
    )


def with_answer(base: RunOutcome, answer: RunOutcome, *, is_summary_said: bool) -> RunOutcome:
    """Adds what a model answered to an outcome: nothing that stands there is lost (C13).

    Args:
        base: What was said and extracted.
        answer: What the model says, decoded strictly before.
        is_summary_said: The summary of ``base`` was said on purpose and stays.
    """
    added = combined(base, replace(answer, resolved=(), verdict="", workers=()))
    return replace(added, summary=base.summary) if is_summary_said else added


def head_and_tail(text: str) -> str:
    """Returns so much of a text as is looked at: its head, where it begins, and its end."""
    content = text.encode("utf-8", "replace")
    if len(content) <= HEAD_BYTES + TAIL_BYTES:
        return text
    head = content[:HEAD_BYTES].rpartition(b"\n")[0]
    tail = content[-TAIL_BYTES:].partition(b"\n")[2]
    return (head + b"\n" + tail).decode("utf-8", "replace")


def spoken_in(output: str) -> Iterator[str]:
    """Yields what an output says: its text, or the strings of the JSON that it is made of."""
    text = output.strip()
    if not text.startswith(("{", "[")):
        yield output
        return
    found = [words for value in _values(text) for words in _said_in(value, depth=0)]
    yield from found or [output]


def _values(text: str) -> Iterator[object]:
    try:
        yield json.loads(text)
        return
    except (ValueError, RecursionError):
        pass
    for line in text.split("\n"):
        if line.lstrip().startswith("{"):
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                continue


def _said_in(value: object, *, depth: int) -> Iterator[str]:
    if depth > 6:
        return
    if isinstance(value, dict):
        for name in _SAID:
            held = value.get(name)
            if isinstance(held, str):
                yield held
            elif held is not None:
                yield from _said_in(held, depth=depth + 1)
    elif isinstance(value, list):
        for item in value:
            yield from _said_in(item, depth=depth + 1)


def _summary(facts: RunFacts, told: RunOutcome) -> str:
    """Returns two to four sentences: how it ended, what was asked, what was said of it."""
    task = _first_line(facts.task)
    opening = _OPENS[facts.state]
    if facts.exit_code:
        is_error = facts.state is RunState.ERROR
        opening = f"{'Ended' if is_error else opening} with exit code {facts.exit_code}"
    sentences = [_ended(f"{opening}: {task}" if task else opening)]
    if told.verdict:
        sentences.append(_ended(f"Verdict: {_first_line(told.verdict)}"))
    wanted = _SENTENCES - len(sentences)
    sentences += [_ended(item) for item in _sentences(facts.output, wanted, known=task)]
    if len(sentences) < _LEAST:
        sentences.append(_named(told))
    return " ".join(sentences)


def _named(told: RunOutcome) -> str:
    """Returns the sentence about a run that made no sentence: what its lists name."""
    counts = (
        (len(told.accomplished), "result"),
        (len(told.issues), "open issue"),
        (len(told.resolved), "resolved issue"),
        (len(told.next), "next step"),
    )
    parts = [f"{number} {what}{'s' * (number > 1)}" for number, what in counts if number]
    if not parts:
        return "It said nothing about itself."
    *others, last = parts
    return f"It named {', '.join(others)} and {last}." if others else f"It named {last}."


def _sentences(text: str, wanted: int, *, known: str) -> list[str]:
    """Returns the first sentences of the prose in the head of an output, each once.

    A sentence that says what is ``known`` already is none of its own.
    """
    found: list[str] = []
    said = {_ended(known)}
    for line in text[:HEAD_BYTES].split("\n"):
        if len(found) >= wanted or is_label(line):
            break
        is_odd = _NO_PROSE.match(line) is not None or _OWN_WORDS.search(line) is not None
        if is_odd or len(_WORDS.findall(line)) < 3:
            continue
        words = line.strip(" \t-*•")
        for match in _SENTENCE.finditer(words):
            sentence = match[0].strip()
            if sentence and _ended(sentence) not in said:
                said.add(_ended(sentence))
                found.append(sentence)
    return found[:wanted]


def _accomplished(facts: RunFacts) -> tuple[str, ...]:
    task = _first_line(facts.task)
    return unique((task,)) if facts.state is RunState.DONE else ()


def _next(facts: RunFacts, verdict: str) -> tuple[str, ...]:
    task = _first_line(facts.task)
    if facts.state is not RunState.DONE:
        return unique((f"Finish: {task}",)) if task else ()
    if verdict and _AGAINST.search(verdict):
        return unique((f"Answer the verdict: {_first_line(verdict)}",))
    return ()


def _first_line(text: str) -> str:
    first = next((line.strip() for line in text.split("\n") if line.strip()), "")
    return first if len(first) <= 200 else first[:199].rsplit(" ", 1)[0] + "…"


def _ended(sentence: str) -> str:
    words = " ".join(sentence.split())
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."


def _cut(summary: str) -> str:
    words = " ".join(summary.split())
    return words if len(words) <= SUMMARY_CHARS else words[: SUMMARY_CHARS - 1].rstrip() + "…"
