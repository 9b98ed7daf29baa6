"""What a commit tells: that work was done, sometimes that something was decided or learned. Pure.

A commit is there, so what it touched was seen; the words in it stay those of whoever wrote it.
A fixed table sorts it. One whose message says nothing gives nothing: its files still count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from memfs.domains.distill.material import CommitSeen, FileTouched
from memfs.domains.distill.products import (
    MOST_NAMES,
    SUMMARY_CHARS,
    EdgeFound,
    EntityFound,
    EventFound,
    Product,
    Trust,
    is_plain_name,
    product_key,
)
from memfs.model.event import EventSort

FILE: Final = "file"
ISSUE: Final = "issue"
PULL: Final = "pull request"
SORTS: Final = frozenset((FILE, ISSUE, PULL))
"""Sorts of things that commits are known to be about."""
_TITLE_CHARS: Final = 120
_MOST_RENAMES: Final = 10
"""A commit that moves more files moves a folder; what became of each is Git's to tell."""
_NUMBER: Final = re.compile(r"(?<![\w/&#])#(?P<number>[1-9]\d{0,5})\b")
_PULL: Final = re.compile(r"\s*\(#(?P<number>[1-9]\d{0,5})\)\s*$")
_MERGED_PULL: Final = re.compile(r"^Merge pull request #(?P<number>[1-9]\d{0,5})\b")
_FIXES: Final = re.compile(
    r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?):?\s+(?:(?:issue|pr|pull request)\s+)?"
    r"#(?P<number>[1-9]\d{0,5})\b",
    re.IGNORECASE,
)
_MARK: Final = re.compile(
    r"^(?:\[[^\]]{1,30}\]\s*|(?P<sort>build|chore|ci|docs?|feat|fix|perf|refactor|revert|style|"
    r"tests?)(?:\([^)]{1,40}\))?(?P<breaks>!)?:\s*)+",
    re.IGNORECASE,
)
_ROOM: Final = re.compile(r"^[a-z][\w./-]{1,24}(?:, ?[a-z][\w./-]{1,24}){0,3}: (?=\S)")
"""Which part of the project it is about, as many projects write it."""
_WORD: Final = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_SAYS_NOTHING: Final = frozenset(
    (
        "a", "add", "added", "addressed", "addressing", "adds", "after", "again", "all",
        "also", "an", "and", "another", "applied", "apply", "before", "better", "black",
        "blank", "bug", "bump", "by", "change", "changed", "changelog", "changes", "ci",
        "clean", "cleaned", "cleaning", "cleanup", "code", "comment", "comments",
        "commit", "conflict", "conflicts", "coverage", "date", "dates", "deps", "doc",
        "docs", "docstring", "docstrings", "each", "everything", "example", "examples",
        "feedback", "few", "file", "files", "final", "fix", "fixed", "fixes", "fixing",
        "for", "format", "formatting", "from", "future", "going", "import", "imports",
        "improve", "in", "indentation", "initial", "is", "isort", "it", "link", "links",
        "lint", "linting", "merge", "minor", "misc", "more", "my", "mypy", "nit", "nits",
        "now", "of", "old", "on", "oops", "optimization", "optimizations", "our", "plan",
        "polish", "pr", "project", "readme", "refactor", "refactored", "refactoring",
        "refine", "refinement", "refinements", "release", "remove", "requested", "review",
        "round", "ruff", "screenshot", "several", "simplify", "small", "some", "spelling",
        "stuff", "style", "suggestion", "suggestions", "test", "tests", "text", "the",
        "things", "this", "tidy", "to", "todo", "too", "tweak", "tweaks", "typing",
        "typo", "typos", "unused", "up", "update", "updated", "updates", "various",
        "version", "whitespace", "wip", "with", "wording", "words", "ws", "year",
    )
)  # fmt: skip
"""Words of which a message can be made and still say nothing of what was done."""
_EMPTY: Final = re.compile(
    r"^(?:merge\b|(?:fixup|squash|amend)!|(?:create|update|delete|rename) \S+(?: to \S+)?$|"
    r"initial (?:commit|plan)\b|apply suggestions|(?:add|added) files via upload|"
    r"auto(?:matic)?[ -]|bump the .* group\b|bump the .* with \d+ updates?\b|"
    r"\[?pre-commit(?:\.ci)?\]? )",
    re.IGNORECASE,
)
_BUMP: Final = re.compile(r"^(?:bump|update|upgrade)s? \S+ (?:from \S+ )?to v?\d", re.IGNORECASE)
"""What a program does every week for a dependency is no event of the project."""
_CLOSING: Final = re.compile(
    r"[,;(]?\s*\b(?:(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|see):?\s+)#[1-9]\d{0,5}\)?\.?$",
    re.IGNORECASE,
)
_RELEASE: Final = re.compile(
    r"^(?:(?:release|released|releasing|version|tag|start|prepare(?: for)?)"
    r"(?: version| release)?|bump(?:(?: the)? version)? to|this is|this is going to be) "
    r"v?\d+\.\d+[\w.+-]*$|^v?\d+\.\d+\.\d+$",
    re.IGNORECASE,
)
_PASSING: Final = re.compile(
    r"\b(?:for now|temporar|leftovers?|unused|in (?:the )?(?:tests?|docs?|examples?|ci)\b|testing)",
    re.IGNORECASE,
)
_RELEASED: Final = re.compile(r"(?:release|version|tag|v?\d)", re.IGNORECASE)
_DECISION: Final = re.compile(
    r"^(?:decide|decided to|agree|agreed to)\b|"
    r"^(?:drop|drops|dropped|end|remove|removed|stop)(?: the)? (?:support(?:ing)?\b|"
    r"(?:end of life |eol )?(?:python|node|ruby|java|go|php|django|rails|windows|macos)\b)|"
    r"^deprecat(?:e|es|ed|ing)\b|^(?:requires?|relicense|license under)\b|"
    r"\bno longer (?:support|require)s?\b",
    re.IGNORECASE,
)
_CHOICE: Final = re.compile(
    r"^adopt\b|"
    r"^(?:replac(?:e|es|ed|ing)) .{2,60} (?:with|by) |"
    r"^(?:(?:switch|switched|switching|migrat(?:e|ed|ing))(?: [\w-]+){0,3}|move|moved|moving|"
    r"convert|converted) (?:from .{2,60} )?to (?!do\b|be\b|make\b|the (?:top|bottom|end)\b)"
    r"(?![\w-]+\.(?:py|js|md)\b)|"
    r"^(?:use|using) .{2,60} (?:instead of|rather than|in place of|for) |"
    r"\bin favou?r of\b|\bno longer uses?\b",
    re.IGNORECASE,
)
"""What is chosen by it binds the project where it changes how the project is built or run."""
_PROJECT_FILE: Final = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[^/]*|[^/]*\.lock|package\.json|"
    r"Cargo\.toml|go\.mod|pom\.xml|build\.gradle[^/]*|Gemfile|Dockerfile|Makefile|tox\.ini|"
    r"\.pre-commit-config\.yaml|\.travis\.yml|\.readthedocs\.ya?ml|docker-compose[^/]*)$|"
    r"(?:^|/)\.(?:github|gitlab|circleci)/|(?:^|/)(?:adr|decisions)/"
)
_CAUSE: Final = re.compile(
    r"\b(?:(?<!just )because|root cause|turn(?:s|ed) out|caused by|the cause (?:is|was)|due to|"
    r"the (?:problem|issue|bug|reason) (?:is|was)|regression (?:in|from|since)|"
    r"introduced (?:in|by)|led to|leads to|result(?:s|ed) in)\b",
    re.IGNORECASE,
)
_FIX: Final = re.compile(
    r"^(?:fix|fixe[sd]|fixing|workaround|work around|prevent|avoid|handle|correct|repair|"
    r"don'?t|do not|ensure|guard|stop)\b",
    re.IGNORECASE,
)
_FEATURE: Final = re.compile(
    r"^(?:add|added|adds|implement|implemented|introduce|introduced|support|allow|allows|"
    r"enable|expose|make)\b",
    re.IGNORECASE,
)
_CHORE_SORTS: Final = frozenset(("chore", "ci", "style", "build", "test", "tests", "doc", "docs"))
_CHORE_FILES: Final = re.compile(
    r"(?:^|/)(?:\.github/|\.pre-commit|docs?/|tests?/|CHANGE(?:S|LOG)|README|CONTRIBUT|"
    r"requirements)|\.(?:md|rst|lock|txt)$",
    re.IGNORECASE,
)
_SMALL: Final = re.compile(
    r"\b(?:typos?|docstrings?|comments?|changelog|whitespace|spelling|unused|lint(?:ing)?|flake8|mypy|"
    r"type (?:hints?|annotations?))\b",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^.!?\n]+(?:[.!?](?=\S)[^.!?\n]*)*(?:\n(?![\n*-])[^.!?\n]+)*[.!?]?")
_LOW: Final = 2
_LAST_SECOND: Final = 253_402_300_799


def commit_source(commit: str) -> str:
    """Returns the pointer to a commit of the project."""
    return f"commit:{commit}"


def commit_key(written: int, subject: str, *, months_back: int = 0) -> str:
    """Returns the key of what a commit tells: its bare title, in the month in which it was written.

    So a pull request, its merge, and a commit that is picked or moved elsewhere are one event.

    Args:
        written: When, in seconds since the epoch.
        subject: Its first line, or the title that stands for it.
        months_back: The key that it would have had so many months earlier.
    """
    moment = datetime.fromtimestamp(min(max(written, 0), _LAST_SECOND), UTC)
    month = moment.year * 12 + moment.month - 1 - months_back
    return product_key("commit", str(month), _bare(subject))


def products_of_commit(seen: CommitSeen) -> Iterator[Product]:
    """Yields what one commit tells: its event first, then entities, then edges."""
    source = commit_source(seen.id)
    event = _event(seen, source)
    renames = _renames(seen)
    if event is not None:
        yield event
    numbers = _numbers(seen)
    if event is not None:
        for path in _paths(seen.files):
            if path in seen.busy:
                yield _entity(path, FILE, source, seen)
        for number in numbers:
            sort = PULL if number == _merged(seen) else ISSUE
            yield _entity(f"#{number}", sort, source, seen)
    for item in renames:
        yield _entity(item.before, FILE, source, seen)
        yield _entity(item.path, FILE, source, seen)
    yield from _edges(seen, source, event, numbers, renames)


def _event(seen: CommitSeen, source: str) -> EventFound | None:
    title, is_pull = _title(seen)
    if not title or (seen.is_merge and not is_pull):
        return None
    mark = _MARK.match(title)
    bare = title[mark.end() :] if mark else _ROOM.sub("", title)
    release = _RELEASE.match(bare)
    if release is None and not _says_something(bare):
        return None
    sort, cause, confidence = _sorted(bare, seen, is_release=release is not None)
    label = mark["sort"].casefold() if mark and mark["sort"] else ""
    names = (*_paths(seen.files), *(f"#{number}" for number in _numbers(seen)))
    return EventFound(
        key=commit_key(seen.written, title),
        also=(commit_key(seen.written, title, months_back=1),),
        source=source,
        trust=Trust.SEEN,
        title=title[:_TITLE_CHARS],
        sort=sort,
        at=seen.at,
        summary=cause or _first_paragraph(seen, is_pull=is_pull),
        names=tuple(dict.fromkeys(names))[:MOST_NAMES],
        commit=seen.id,
        importance=_importance(bare, seen, sort, label, is_breaking=bool(mark and mark["breaks"])),
        confidence=confidence,
    )


def _title(seen: CommitSeen) -> tuple[str, bool]:
    """Returns what a commit is called, and whether it is the merge of a pull request."""
    if not seen.is_merge:
        return _bare(seen.subject), False
    if _MERGED_PULL.match(seen.subject) is None:
        # A merge of one's own: `Title (#12)` is what a forge calls a pull request.
        is_pull = _PULL.search(seen.subject) is not None
        return (_bare(seen.subject), True) if is_pull else ("", False)
    first = next((line.strip() for line in seen.body.split("\n") if line.strip()), "")
    return _bare(first), True


def _bare(subject: str) -> str:
    """Returns a first line without the numbers that a forge or its author put behind it."""
    bare = _CLOSING.sub("", _PULL.sub("", subject)).strip()
    return bare.rstrip(".") if not bare.endswith("...") else bare


def _says_something(title: str) -> bool:
    """Tells whether a title has a word that is about this project and not about any commit."""
    if _EMPTY.match(title) or _BUMP.match(title):
        return False
    words = [word.casefold() for word in _WORD.findall(title)]
    telling = [word for word in words if word not in _SAYS_NOTHING and not word[0].isdigit()]
    return len(words) >= 2 and len(telling) >= (1 if len(words) > 2 else 2)


def _sorted(title: str, seen: CommitSeen, *, is_release: bool) -> tuple[EventSort, str, float]:
    """Returns the sort of event, the sentence that tells why, and how sure that is."""
    if is_release:
        return EventSort.EVENT, "", 0.95
    if _is_decision(title, seen):
        return EventSort.DECISION, _first_paragraph(seen, is_pull=seen.is_merge), 0.8
    if _FIX.match(title):
        cause = next((item for item in _sentences(seen.body) if _CAUSE.search(item)), "")
        if cause or _CAUSE.search(title):
            return EventSort.LEARNING, cause[:SUMMARY_CHARS], 0.8
    return EventSort.WORK, "", 1.0


def _is_decision(title: str, seen: CommitSeen) -> bool:
    """Whether a commit settles something for the project; what only tests settle binds nobody."""
    paths = [item.path for item in seen.files]
    if paths and all(re.search(r"(?:^|/)tests?/", path) for path in paths):
        return False
    if _PASSING.search(title):
        return False
    if _DECISION.search(title):
        return True
    return bool(_CHOICE.search(title)) and any(map(_PROJECT_FILE.search, paths))


def _importance(
    title: str, seen: CommitSeen, sort: EventSort, label: str, *, is_breaking: bool
) -> int:
    if is_breaking:
        return 8
    match sort:
        case EventSort.DECISION:
            return 7
        case EventSort.LEARNING:
            return 6
        case EventSort.EVENT:
            return 6 if _RELEASED.match(title) else 3
        case EventSort.WORK:
            pass
    is_chore = bool(seen.files) and all(_CHORE_FILES.search(item.path) for item in seen.files)
    if is_chore or _SMALL.search(title) or label in _CHORE_SORTS:
        return _LOW
    return 5 if _FEATURE.match(title) or _FIX.match(title) or label in ("feat", "fix") else 4


def _first_paragraph(seen: CommitSeen, *, is_pull: bool) -> str:
    paragraphs = [" ".join(part.split()) for part in seen.body.split("\n\n") if part.strip()]
    found = paragraphs[1:2] if is_pull else paragraphs[:1]
    text = _CLOSING.sub("", found[0]).strip() if found else ""
    if len(text) <= SUMMARY_CHARS:
        return text
    return text[: SUMMARY_CHARS - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"


def _sentences(text: str) -> Iterator[str]:
    for match in _SENTENCE.finditer(text[:4000]):
        yield " ".join(match[0].split()).lstrip("*- ")


def _paths(files: Sequence[FileTouched]) -> tuple[str, ...]:
    """Returns the paths of a change that an event may bear; of a wide one its folders."""
    paths = [item.path for item in files if _is_told(item.path) and len(item.path) <= 120]
    if len(paths) <= MOST_NAMES:
        return tuple(paths)
    folders: dict[str, int] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        if folder:
            folders[folder] = folders.get(folder, 0) + 1
    widest = sorted(folders, key=lambda folder: (-folders[folder], folder))
    return tuple(f"{folder}/" for folder in widest[: MOST_NAMES // 2])


def _numbers(seen: CommitSeen) -> tuple[str, ...]:
    """Returns the numbers of issues and pull requests that a message names, in order."""
    found = [match["number"] for match in _NUMBER.finditer(f"{seen.subject}\n{seen.body}")]
    return tuple(dict.fromkeys(found))[: MOST_NAMES // 2]


def _merged(seen: CommitSeen) -> str:
    """Returns the number of the pull request that a commit brings in; empty for none."""
    pull = _MERGED_PULL.match(seen.subject) or _PULL.search(seen.subject)
    return pull["number"] if pull is not None else ""


def _renames(seen: CommitSeen) -> tuple[FileTouched, ...]:
    found = tuple(item for item in seen.files if item.status == "R" and item.before != item.path)
    is_told = 0 < len(found) <= _MOST_RENAMES and not seen.is_merge
    is_plain = all(_is_told(item.path) and _is_told(item.before) for item in found)
    return found if is_told and is_plain else ()


def _is_told(path: str) -> bool:
    return path.isprintable() and is_plain_name(path)


def _entity(name: str, sort: str, source: str, seen: CommitSeen) -> EntityFound:
    return EntityFound(
        key=product_key("entity", name),
        source=source,
        trust=Trust.SEEN,
        name=name,
        sort=sort,
        at=seen.at,
    )


def _edges(
    seen: CommitSeen,
    source: str,
    event: EventFound | None,
    numbers: Sequence[str],
    renames: Sequence[FileTouched],
) -> Iterator[EdgeFound]:
    def edge(start: str, relation: str, end: str, *, is_lasting: bool = False) -> EdgeFound:
        return EdgeFound(
            key=product_key("edge", start, relation, end),
            source=source,
            trust=Trust.SEEN,
            start=start,
            relation=relation,
            end=end,
            at=seen.at,
            is_lasting=is_lasting,
        )

    for item in renames:
        yield edge(item.before, "renamed to", item.path, is_lasting=True)
    if event is None:
        return
    text = f"{seen.subject}\n{seen.body}"
    fixed = {match["number"] for match in _FIXES.finditer(text)}
    for number in numbers:
        is_merged = number == _merged(seen)
        relation = "merges" if is_merged else "fixes" if number in fixed else "refers to"
        yield edge(event.key, relation, f"#{number}")
    if seen.reverted is not None:
        yield edge(event.key, "reverts", commit_key(*seen.reverted))
