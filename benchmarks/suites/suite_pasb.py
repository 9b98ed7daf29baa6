"""Fake credentials, from a public suite and from our own list, and texts that only look so.

Caught means that a person's own statement of it is refused: nothing of it is stored. Our own
list is put together at run time: no file holds a whole token.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from benchmarks.suites.credentials import HARMLESS, own_credentials
from benchmarks.suites.figures import Figure, share
from benchmarks.suites.stores import (
    AGENT,
    OWNER,
    TOOL,
    fresh_memory,
    is_user,
    rows_of,
    text_in,
)
from memfs.model.origin import Actor
from memfs.model.result import ResultStatus
from memfs.policy.screening import screen

SUITE: Final = "pasb"
FILE: Final = "pasb_credentials.jsonl"
BENIGN_FILE: Final = "attack_corpus.jsonl"
ENOUGH_CAUGHT: Final = 0.95
MOST_FLAGGED: Final = 0.005
WRITERS: Final = (OWNER, AGENT, TOOL)
SECRET_CODES: Final = frozenset(
    {
        "screening.secret",
        "screening.secret-hint",
        "screening.personal",
        "screening.personal-hint",
    }
)


def run(data: Path, scratch: Path) -> Iterator[Figure]:
    """States every credential and counts what was not refused; screens what is harmless."""
    rows = rows_of(data / FILE)
    public = [(text_in(row, "type"), text_in(row, "value")) for row in rows]
    own = [(item.name, item.text) for item in own_credentials()]
    for case, items in (("public list", public), ("our own list", own)):
        for writer in WRITERS:
            yield from _caught(case, items, writer, scratch / f"{case}-{writer.channel}")
    benign = [
        (text_in(row, "text"), is_user(text_in(row, "origin")))
        for row in rows_of(data / BENIGN_FILE)
        if text_in(row, "label") == "benign"
    ]
    alike = [(text, False) for text in HARMLESS]
    for case, texts in (("attack_corpus, benign", benign), ("our own look-alikes", alike)):
        yield from _flagged(case, texts)
    yield from _flagged("all", (*benign, *alike))


def _caught(
    case: str, items: Sequence[tuple[str, str]], writer: Actor, scratch: Path
) -> Iterator[Figure]:
    if not items:
        return
    missed: list[str] = []
    with fresh_memory(scratch, "store") as memory:
        memory.actor = writer
        for name, text in items:
            if memory.remember(text, kind="fact").status is not ResultStatus.REFUSED:
                missed.append(name)
    caught = len(items) - len(missed)
    told = f"; not: {', '.join(missed[:6])}" if missed else ""
    yield Figure(
        suite=SUITE,
        case=f"{case}, {writer.channel}",
        name="credentials",
        value=share("refused", caught, len(items)) + told,
        bar=">= 95 %",
        holds=caught >= ENOUGH_CAUGHT * len(items),
    )


def _flagged(case: str, texts: Sequence[tuple[str, bool]]) -> Iterator[Figure]:
    """Counts texts that are refused or held as secret or personal where they came from."""
    if not texts:
        return
    flagged = sum(_is_flagged(text, is_person=is_person) for text, is_person in texts)
    yield Figure(
        suite=SUITE,
        case=case,
        name="benign texts",
        value=share("flagged", flagged, len(texts)),
        bar="<= 0.5 %",
        holds=flagged <= MOST_FLAGGED * len(texts),
    )


def _is_flagged(text: str, *, is_person: bool) -> bool:
    screened = screen(text, is_person=is_person, body=text)
    return any(item.code in SECRET_CODES for item in (*screened.rejects, *screened.holds))
