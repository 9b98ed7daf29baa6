"""Candidates as Markdown files of the inbox: a person reads and may change them in an editor.

The proposed file stands between fences longer than any run of the fence character in it and comes
back byte for byte: CRLF stays, and a missing final line feed is noted beside it. Headings, fences
and frontmatter inside a proposal cannot be taken for those of the candidate, since everything
before the opening fence is written by memfs on single escaped lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

from memfs.errors import DataError
from memfs.formats.canonical import UnwritableError, Verbatim, emit_matter
from memfs.formats.field_readers import (
    label_of,
    list_of,
    read_instant,
    read_line,
    read_origin,
    write_origin,
)
from memfs.formats.matter import Matter, parse_matter, split
from memfs.formats.text import decode_text
from memfs.model.candidate import Candidate, CandidateAction, CandidateState
from memfs.model.decision import Reason
from memfs.model.evidence import Quote
from memfs.model.ids import CANDIDATE_PREFIX, is_id
from memfs.model.instants import format_instant
from memfs.model.limits import FILE_BYTES, TEXT_CHARS, TITLE_CHARS
from memfs.model.values import JsonValue

_Read = TypeVar("_Read")
_MOST_BYTES: Final = 8 * FILE_BYTES
_OPENING: Final = re.compile(rb"\n*(?P<fence>`{3,})[a-z]*\n")
_RUNS: Final = re.compile(r"`+")
_ESCAPED: Final = re.compile(r"[\\`*_\[\]<>&|~]")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]+")
_PROPOSED: Final = b"\n## Proposed\n"
_DIFFERENCE: Final = b"\n## Difference from the ledger\n"
_REMOVAL: Final = "The file would be removed.\n"
_NO_DIFFERENCE: Final = "The ledger has no such file.\n"


class CandidateError(DataError):
    """The file is no candidate."""

    code = "candidate.unreadable"


def encode_candidate(candidate: Candidate, diff: str) -> bytes:
    """Returns the file of a candidate.

    Args:
        candidate: What waits.
        diff: Unified difference from the ledger for people; not read back.

    The bytes are read again before they are returned. Titles and reasons are folded to one line.

    Raises:
        TextError: The proposed bytes are no text (``text.encoding``, ``text.nul`` …).
        UnwritableError: The candidate would not read back the same.
    """
    content = decode_text(candidate.content, path=candidate.path)
    candidate = _tidy(candidate)
    data = _page(candidate, content, diff)
    try:
        is_exact = decode_candidate(data, candidate.path) == candidate
    except DataError as error:
        raise UnwritableError(error.message, path=candidate.path) from error
    if not is_exact:
        raise UnwritableError("the candidate would not read back", path=candidate.path)
    return data


def _tidy(candidate: Candidate) -> Candidate:
    reasons = tuple(Reason(item.code, _one_line(item.message)) for item in candidate.reasons)
    title = _one_line(candidate.title)[:TITLE_CHARS].strip()
    return replace(candidate, title=title, reasons=reasons)


def _page(candidate: Candidate, content: str, diff: str) -> bytes:
    title = candidate.title or candidate.path
    parts = [
        f"---\n{emit_matter(_matter(candidate, content))}---\n# {_shown(title)}\n",
        "\n## Why it waits\n\n",
        "".join(f"- `{_shown(item.code)}` {_shown(item.message)}\n" for item in candidate.reasons)
        or "- nobody has decided yet\n",
        f"{_PROPOSED.decode('ascii')}\n",
        _REMOVAL if _is_removal(candidate.action) else _fenced(content, _language(candidate.path)),
        f"{_DIFFERENCE.decode('ascii')}\n",
        _fenced(diff, "diff") if diff else _NO_DIFFERENCE,
    ]
    return "".join(parts).encode("utf-8")


def decode_candidate(data: bytes, path: str) -> Candidate:
    """Reads a candidate back, the proposed bytes as they stand between the fences.

    Raises:
        CandidateError: Something of the candidate is missing, wrong or cannot be told apart.
        DataError: The file cannot be taken apart at all.
    """
    decode_text(data, path=path, limit_bytes=_MOST_BYTES)
    document = split(data, path=path)
    matter = _Fields(parse_matter(document, path=path), path)
    action = matter.required("action", _read_action)
    content = b""
    if not _is_removal(action):
        has_final = matter.optional("final_newline", _read_flag, True)
        content = _unfenced(document.body, document.body_line, path, has_final=has_final)
    return Candidate(
        id=matter.required("candidate", _read_id),
        action=action,
        state=matter.required("state", _read_state),
        path=matter.required("path", _read_path),
        content=content,
        base=matter.optional("base", read_line, ""),
        theirs=matter.optional("theirs", read_line, ""),
        record_id=matter.optional("record", read_line, ""),
        title=matter.optional("title", read_line, ""),
        kind=matter.optional("kind", read_line, ""),
        origin=matter.required("origin", read_origin),
        reasons=matter.optional("reasons", list_of(_read_reason), ()),
        created=matter.required("created", read_instant),
        expires=matter.optional("expires", read_instant, None),
        batch=matter.optional("batch", read_line, ""),
        key=matter.optional("key", _read_path, ""),
        quotes=matter.optional("quotes", list_of(_read_quote), ()),
        is_working_file=matter.optional("working_file", _read_flag, False),
    )


def _matter(candidate: Candidate, content: str) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {
        "candidate": candidate.id,
        "action": candidate.action.value,
        "state": candidate.state.value,
        "path": candidate.path,
        "base": candidate.base,
        "theirs": candidate.theirs,
        "record": candidate.record_id,
        "kind": candidate.kind,
        "title": candidate.title,
        "origin": write_origin(candidate.origin),
        "reasons": [{"code": item.code, "message": item.message} for item in candidate.reasons],
        "created": Verbatim(format_instant(candidate.created)),
        "expires": Verbatim(format_instant(candidate.expires)) if candidate.expires else "",
        "batch": candidate.batch,
        "key": candidate.key,
        "quotes": [
            {"evidence_id": item.evidence_id, "text": item.text} for item in candidate.quotes
        ],
        "working_file": candidate.is_working_file,
        "final_newline": not content or content.endswith("\n"),
    }
    defaults: dict[str, JsonValue] = {"working_file": False, "final_newline": True}
    return {
        name: value
        for name, value in values.items()
        if value != defaults.get(name, "") and value != []
    }


def _is_removal(action: CandidateAction) -> bool:
    return action is CandidateAction.FORGET


def _language(path: str) -> str:
    return {"md": "markdown", "json": "json", "yaml": "yaml"}.get(path.rpartition(".")[2], "")


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    ending = "" if not text or text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{ending}{fence}\n"


def _unfenced(body: bytes, first_line: int, path: str, *, has_final: bool) -> bytes:
    heading = body.find(_PROPOSED)
    opening = _OPENING.match(body, heading + len(_PROPOSED)) if heading >= 0 else None
    if opening is None:
        raise CandidateError(
            "expected '## Proposed' and the proposal between fences",
            code="candidate.fence",
            path=path,
            line=first_line + max(body.count(b"\n", 0, heading + 1), 0),
            hint="put ``` lines around it again",
        )
    fence = opening["fence"] + b"\n"
    closing = body.find(b"\n" + fence + _DIFFERENCE, opening.end() - 1)
    if closing >= 0:
        content = body[opening.end() : closing + 1]
        return content if has_final else content.removesuffix(b"\n")
    raise CandidateError(
        "expected a closing fence as long as the opening one, then the difference",
        code="candidate.fence",
        path=path,
        line=first_line + body.count(b"\n", 0, opening.start("fence")),
        hint="make both fences longer than any run of backticks in the proposal",
    )


def _one_line(text: str) -> str:
    return _CONTROL.sub(" ", text)[:TEXT_CHARS].strip()


def _shown(text: str) -> str:
    return _ESCAPED.sub(lambda match: f"\\{match[0]}", _one_line(text))


class _Fields:
    """Typed access to the frontmatter of a candidate."""

    def __init__(self, matter: Matter, path: str) -> None:
        self._matter = matter
        self._values = matter.values
        self._path = path

    def required(self, name: str, read: Callable[[JsonValue], _Read]) -> _Read:
        if self._values.get(name) is None:
            raise self._refusal(name, "expected a value, got none")
        try:
            return read(self._values[name])
        except ValueError as error:
            raise self._refusal(name, str(error)) from None

    def optional(self, name: str, read: Callable[[JsonValue], _Read], default: _Read) -> _Read:
        return default if self._values.get(name) is None else self.required(name, read)

    def _refusal(self, name: str, message: str) -> CandidateError:
        line, column = self._matter.places.get((name,), (1, 1))
        message = f"{name}: {message}"
        return CandidateError(message, path=self._path, line=line, column=column)


_read_action: Final = label_of({item.value: item for item in CandidateAction})
_read_state: Final = label_of({item.value: item for item in CandidateState})


def _read_id(value: JsonValue) -> str:
    if not isinstance(value, str) or not is_id(value, CANDIDATE_PREFIX):
        raise ValueError(f"expected an id that starts with {CANDIDATE_PREFIX}_")
    return value


def _read_path(value: JsonValue) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= TEXT_CHARS or "\0" in value:
        raise ValueError(f"expected text of at most {TEXT_CHARS} characters")
    return value


def _read_flag(value: JsonValue) -> bool:
    if not isinstance(value, bool):
        raise ValueError("expected true or false")
    return value


def _read_pair(value: JsonValue, first: str, second: str) -> tuple[str, str]:
    members: Any = value if isinstance(value, dict) else {}
    left, right = members.get(first), members.get(second)
    if not isinstance(left, str) or not isinstance(right, str):
        raise ValueError(f"expected {first} and {second}")
    return left, right


def _read_reason(value: JsonValue) -> Reason:
    return Reason(*_read_pair(value, "code", "message"))


def _read_quote(value: JsonValue) -> Quote:
    evidence_id, text = _read_pair(value, "evidence_id", "text")
    return Quote(evidence_id=evidence_id, text=text)
