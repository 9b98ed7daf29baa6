"""The modes to compare with: nothing, a plain file, everything, search as it comes, and the gold.

All are treated kindly. Every line shows its day and who said it; the plain file and the search
over it carry out a correction and a request to forget where the host knows which entry is
meant, exactly as memfs is told; nothing else of it is known to them, as nothing is in life.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Final, Protocol

from benchmarks.evaluating.histories import PEOPLE, TOOL, Deed, History, Question, Verb
from benchmarks.evaluating.reader import Context, Passage, tokens_of

FILE_LINES: Final = 200
"""Lines of a memory file that coding agents load at most at the start of a session."""
ITEMS: Final = 5
BUDGET_TOKENS: Final = 1500
WINDOW_TOKENS: Final = 200_000
_WRITTEN: Final = frozenset({Verb.SAY, Verb.NOTE, Verb.RELATE, Verb.TRY})
_QUESTION_WORDS: Final = frozenset(
    "what which when where who how do does did is are was were we the a an to for of on in use "
    "run its team".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One entry as a plain file holds it."""

    name: str
    written: str
    passage: Passage


class Asker(Protocol):
    """Hands out contexts after one history."""

    def ask(self, question: Question) -> Context:
        """Returns what is handed to whoever asks; changes nothing."""
        ...

    def close(self) -> None:
        """Lets go of what is open."""
        ...


def line_of(deed: Deed) -> Line:
    """Returns a deed as a line with its day and its speaker."""
    day, speaker = deed.at.date(), deed.speaker
    only = f" (for {deed.scope} only)" if deed.scope else ""
    return Line(
        name=deed.name,
        written=f"- {day} {speaker}{only}: {deed.text}",
        passage=Passage(
            words=deed.text,
            day=day,
            is_person=speaker in PEOPLE,
            is_tool=speaker == TOOL,
        ),
    )


def transcript(history: History) -> list[Line]:
    """Returns everything that was said, tools included, oldest first."""
    return [line_of(deed) for deed in history.deeds if deed.text]


def memory_file(history: History) -> list[Line]:
    """Returns the entries of a file that an agent keeps, oldest first.

    What people and the agent said is written down; a named entry is replaced when it is
    corrected and taken out when it is to be forgotten. What it accepted needs no line.
    """
    lines: dict[str, Line] = {}
    for deed in history.deeds:
        match deed.verb:
            case Verb.CORRECT:
                (name,) = deed.of
                lines.pop(name)
                lines[deed.name] = line_of(deed)
            case Verb.FORGET:
                for name in deed.of:
                    lines.pop(name)
            case Verb.ACCEPT | Verb.PRINT:
                continue
            case _ if deed.verb in _WRITTEN:
                lines[deed.name] = line_of(deed)
            case _:
                raise AssertionError(deed.verb)
    return list(lines.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A history as plain modes know it, oldest first.

    Attributes:
        said: Every line that was said, what tools printed included.
        kept: The lines of the file that an agent keeps.
    """

    said: Sequence[Line]
    kept: Sequence[Line]


def written_from(history: History) -> Written:
    """Returns a history as lines."""
    return Written(said=transcript(history), kept=memory_file(history))


class Lines:
    """Hands out lines that a function chooses for each question, the best or newest first."""

    def __init__(
        self, choose: Callable[[Question], Sequence[Line]], let_go: Callable[[], None] | None = None
    ) -> None:
        self.choose = choose
        self._let_go = let_go

    def ask(self, question: Question) -> Context:
        """Returns the chosen lines."""
        start = time.process_time()
        chosen = self.choose(question)
        text = "".join(f"{line.written}\n" for line in chosen)
        seconds = time.process_time() - start
        return Context(text=text, passages=tuple(line.passage for line in chosen), seconds=seconds)

    def close(self) -> None:
        """Closes the index, where there is one."""
        if self._let_go is not None:
            self._let_go()


def off(written: Written) -> Lines:
    """No memory at all."""
    return Lines(lambda question: ())


def legacy(written: Written) -> Lines:
    """The first lines of the memory file, whole, as agents load it at the start of a session."""
    kept = written.kept[:FILE_LINES][::-1]
    return Lines(lambda question: kept)


def legacy_grep(written: Written) -> Lines:
    """The lines of the memory file that hold any telling word of the question, newest first."""
    lines = written.kept[::-1]

    def found(question: Question) -> list[Line]:
        words = telling_words(question.text)
        return [it for it in lines if any(w in it.written.casefold() for w in words)][:FILE_LINES]

    return Lines(found)


def full(written: Written) -> Lines:
    """Everything that was said, as far back as a large window reaches."""
    kept = _within(written.said[::-1], WINDOW_TOKENS)
    return Lines(lambda question: kept)


def recent(written: Written) -> Lines:
    """The end of what was said, as much as memfs may use."""
    kept = _within(written.said[::-1], BUDGET_TOKENS)
    return Lines(lambda question: kept)


def oracle(written: Written) -> Lines:
    """Exactly what answers, and nothing where nothing does."""
    lines = {line.name: line for line in written.said}
    return Lines(lambda question: [lines[name] for name in question.evidence])


def lexical_fts5(written: Written) -> Lines:
    """SQLite FTS5 over the memory file as it comes: porter, BM25, any word of the question."""
    lines = written.kept
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(written, tokenize=porter)")
    connection.executemany("INSERT INTO t VALUES (?)", [(line.written,) for line in lines])

    def found(question: Question) -> list[Line]:
        words = dict.fromkeys(re.findall(r"\w+", question.text.lower()))
        match = " OR ".join(f'"{word}"' for word in words)
        rows = connection.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT ?", (match, ITEMS)
        )
        return _within((lines[row[0] - 1] for row in rows), BUDGET_TOKENS)

    return Lines(found, connection.close)


def lexical_whoosh(written: Written) -> Lines:
    """Whoosh over the memory file as it comes: stemming, BM25F, any word of the question."""
    from whoosh import fields, query
    from whoosh.analysis import StemmingAnalyzer
    from whoosh.index import create_in

    lines = written.kept
    analyzer = StemmingAnalyzer()
    schema = fields.Schema(place=fields.STORED, text=fields.TEXT(analyzer=analyzer))
    # In a folder of its own: what Whoosh keeps in memory still shares files with other runs.
    folder = TemporaryDirectory(prefix="memfs-evaluation-")
    index = create_in(folder.name, schema)
    writer = index.writer()
    for place, line in enumerate(lines):
        writer.add_document(place=place, text=line.written)
    writer.commit()
    searcher = index.searcher()

    def found(question: Question) -> list[Line]:
        terms = dict.fromkeys(token.text for token in analyzer(question.text, mode="query"))
        hits = searcher.search(query.Or([query.Term("text", t) for t in terms]), limit=ITEMS)
        return _within((lines[hit["place"]] for hit in hits), BUDGET_TOKENS)

    def let_go() -> None:
        searcher.close()
        index.close()
        folder.cleanup()

    return Lines(found, let_go)


PLAIN: Final[Mapping[str, Callable[[Written], Lines]]] = MappingProxyType(
    {
        "off": off,
        "legacy": legacy,
        "legacy-grep": legacy_grep,
        "recent": recent,
        "full": full,
        "lexical-fts5": lexical_fts5,
        "lexical-whoosh": lexical_whoosh,
        "oracle": oracle,
    }
)


def telling_words(text: str) -> list[str]:
    """Returns the words of a question without those that every question has."""
    words = dict.fromkeys(re.findall(r"[\w-]+", text.casefold()))
    return [word for word in words if word not in _QUESTION_WORDS]


def _within(lines: Iterable[Line], budget: int) -> list[Line]:
    kept: list[Line] = []
    spent = 0
    for line in lines:
        spent += tokens_of(f"{line.written}\n")
        if spent > budget:
            break
        kept.append(line)
    return kept
