"""One foreign Markdown file: its frontmatter, its body, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from memfs.formats.frontmatter import read_foreign
from memfs.interop.port import DIGEST_DOMAIN, ImportItem
from memfs.interop.sources import SourceError, SourceFile, read_source
from memfs.interop.wording import tidy_body
from memfs.model.authority import Sensitivity
from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.ids import is_id
from memfs.model.limits import BODY_BYTES
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record
from memfs.model.scope import Scope, ScopeKind
from memfs.model.status import Status
from memfs.model.values import JsonValue
from memfs.policy.withdrawal import is_withdrawn


@frozen
class MarkdownFile:
    """A file that was read and understood.

    Attributes:
        file: Where it is.
        source: Pointer for the item.
        data: Its bytes.
        digest: Digest of ``data``.
        values: The frontmatter, plain data; empty when there is none.
        body: The text after it, line ends plain; empty when there is none.
        problems: Warnings only.
    """

    file: SourceFile
    source: str
    data: bytes
    digest: str
    values: Mapping[str, JsonValue]
    body: str
    problems: tuple[Problem, ...] = ()

    def text(self, *names: str) -> str:
        """Returns the first of these fields that holds text, without surrounding space."""
        for name in names:
            value = self.values.get(name)
            if isinstance(value, str) and value.strip():
                return value.strip()
        return ""

    @property
    def sensitivity(self) -> Sensitivity:
        """How closely it asks to be kept; a file opens nothing."""
        with suppress(ValueError):
            asked = Sensitivity.from_label(self.text("sensitivity"))
            return min(max(asked, Sensitivity.NORMAL), Sensitivity.SECRET)
        return Sensitivity.NORMAL

    def rest(self, *used: str) -> dict[str, JsonValue]:
        """Returns the fields that are not among ``used``."""
        return {key: value for key, value in self.values.items() if key not in used}

    def item(self, draft_problem: str = "") -> ImportItem:
        """Returns an item without a draft that keeps the bytes and says why."""
        problem = Problem(self.file.shown, 0, 0, "import.empty", draft_problem)
        return ImportItem(
            draft=None,
            source=self.source,
            digest=self.digest,
            problems=(*self.problems, replace(problem, severity=Severity.WARNING)),
            raw=self.data,
        )


def read_markdown(file: SourceFile, format_name: str) -> MarkdownFile | ImportItem:
    """Reads one file; what cannot become a claim comes back as an item that keeps the bytes."""
    source = f"import:{format_name}/{file.relative}"
    try:
        data = read_source(file)
    except SourceError as error:
        return ImportItem(draft=None, source=source, digest="", problems=(error.problem(),))
    digest = content_digest(DIGEST_DOMAIN, data)
    values, body, problems = read_foreign(data, path=file.shown)
    if any(problem.severity is Severity.ERROR for problem in problems):
        return ImportItem(draft=None, source=source, digest=digest, problems=problems, raw=data)
    kept_back = _kept_back(file, values)
    if kept_back is not None:
        problems += (kept_back,)
        return ImportItem(draft=None, source=source, digest=digest, problems=problems, raw=data)
    text = tidy_body(body)
    if len(text.encode()) > BODY_BYTES:
        problems += (_too_large(file, len(text.encode())),)
        return ImportItem(draft=None, source=source, digest=digest, problems=problems, raw=data)
    return MarkdownFile(
        file=file,
        source=source,
        data=data,
        digest=digest,
        values=values,
        body=text,
        problems=problems,
    )


def _kept_back(file: SourceFile, values: Mapping[str, JsonValue]) -> Problem | None:
    """Returns why a file that is a record of some store of memfs does not leave it this way."""
    identifier = values.get("id")
    if not isinstance(identifier, str) or not is_id(identifier):
        return None
    code, expected = "", ""
    if _is_withdrawn(values):
        code, expected = "import.withdrawn", "a record that stands, got one that was withdrawn"
    elif _is_private(values):
        code, expected = "import.private", "a record that may leave, got one that is private"
    if not code:
        return None
    hint = "what may leave a store of memfs is moved with: memfs migrate"
    return Problem(file.shown, 0, 0, code, f"expected {expected} in its store", hint)


def _is_withdrawn(values: Mapping[str, JsonValue]) -> bool:
    with suppress(ValueError):
        return is_withdrawn(Record(kind="note", status=Status(str(values.get("status")))))
    return False


def _is_private(values: Mapping[str, JsonValue]) -> bool:
    """Whether a record is sealed, or in a namespace of less than a whole project."""
    if values.get("sensitivity") == Sensitivity.SEALED.label:
        return True
    with suppress(ValueError):
        scope = Scope.parse(str(values.get("scope")))
        return scope.kind not in (ScopeKind.GLOBAL, ScopeKind.PROJECT)
    return False


def _too_large(file: SourceFile, size: int) -> Problem:
    message = f"expected a body of at most {BODY_BYTES} bytes, got {size}"
    hint = "split the file; one record holds one claim"
    return Problem(file.shown, 0, 0, "import.too-large", message, hint)
