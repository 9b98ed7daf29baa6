"""Records as bytes and back: strict for what people and agents wrote, lean for the ledger.

Invariants, each held by a property test: reading an encoded record gives that record; the lean
reader and the strict decoder never disagree; an update changes only what it has to, and a file
that cannot be given back byte for byte is refused with a typed error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from memfs.errors import DataError
from memfs.formats.canonical import UnwritableError, emit_matter, plain_data, title_of
from memfs.formats.envelope import ENVELOPE, REQUIRED, build_record, check_body, record_values
from memfs.formats.fast_matter import read_fast
from memfs.formats.json_codec import edit_json, emit_json, json_places, parse_json
from memfs.formats.kind_fields import FieldError, grants_in
from memfs.formats.matter import FENCE, Document, FrontmatterError, parse_fully, split
from memfs.formats.record_problems import Locator, closest, problem_from, problems_from
from memfs.formats.text import decode_text, is_encodable
from memfs.formats.yaml_core import Place, Position
from memfs.model.kinds import KindRegistry, KindSpec
from memfs.model.limits import BODY_BYTES
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record
from memfs.model.values import JsonValue

_FENCED = FENCE + b"\n"


class RecordError(DataError):
    """The bytes are no record."""

    code = "record.unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """What decoding found.

    Attributes:
        record: The record; ``None`` when any problem is an error.
        problems: All of them, errors and warnings, by line.
    """

    record: Record | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parsed:
    """A file as plain data, before any field is looked at."""

    values: Mapping[str, JsonValue]
    body: str
    document: Document | None
    text: str = ""


def read_record(data: bytes, *, path: str, registry: KindRegistry) -> Record:
    """Reads a record that the ledger holds; fast, and silent about all but the first fault.

    Raises:
        RecordError: The bytes cannot be taken apart (with the code that says why), a field is
            wrong or missing, or the kind is unknown.
    """
    try:
        parsed = _parse(data, path, is_draft=False)
    except DataError as error:
        raise RecordError(
            error.message,
            hint=error.hint,
            path=path,
            line=error.line,
            column=error.column,
            code=error.code,
        ) from error
    kind = registry.get(str(parsed.values.get("kind")))
    if kind is None or not path.endswith(kind.extension):
        raise RecordError("expected a registered kind in its format", path=path, line=1)
    try:
        record = build_record(parsed.values, parsed.body, kind)
    except FieldError as error:
        raise RecordError(str(error), path=path) from None
    for name in _missing(parsed.values, kind):
        raise RecordError(f"{name}: expected a value, got none", path=path)
    if _is_empty(record, kind):
        raise RecordError("expected a title or a body", path=path)
    return record


def decode_record(
    data: bytes, *, path: str, registry: KindRegistry, draft: bool = False
) -> Decoded:
    """Decodes what someone wrote and reports every problem at once.

    Args:
        data: The file.
        path: Store-relative; names the file in problems, and its extension the format.
        registry: The kinds.
        draft: A person's new file: only a kind (or the folder of one) and words are required.
    """
    try:
        parsed = _parse(data, path, is_draft=draft)
    except DataError as error:
        return Decoded(record=None, problems=(problem_from(error, path),))
    kind, problems = _kind_of(parsed, path, registry, is_draft=draft)
    if kind is None:
        return Decoded(record=None, problems=_placed(problems, parsed, path))
    problems += _faults(parsed, path, kind, is_draft=draft)
    if not any(severity is Severity.ERROR for *_, severity in problems):
        try:
            record = build_record(parsed.values, parsed.body, kind)
        except FieldError as error:
            problems.append(((error.name,), "record.value", str(error), "", Severity.ERROR))
        else:
            return Decoded(record=record, problems=_placed(problems, parsed, path))
    return Decoded(record=None, problems=_placed(problems, parsed, path))


def encode_record(record: Record, registry: KindRegistry) -> bytes:
    """Returns the canonical file: defaults left out, the first words of the body as title.

    The bytes are read again before they are returned, so what comes out says exactly ``record``.

    Raises:
        UnwritableError: The record cannot be said in a file of its kind.
    """
    kind = _registered(record, registry)
    record = _tidy(record)
    try:
        check_body(record.body, kind)
        values = record_values(record, kind)
        data = _joined(values, record, kind)
        again = build_record(*_reread(data, kind), kind)
    except (FieldError, DataError) as error:
        message = error.message
        name = f"{error.name}: " if isinstance(error, FieldError) else ""
        raise UnwritableError(name + message, path=record.id) from error
    if again != record:
        raise UnwritableError("the record would not read back the same", path=record.id)
    return data


def update_record(data: bytes, record: Record, *, path: str, registry: KindRegistry) -> bytes:
    """Returns the smallest edit of ``data`` that says ``record``.

    A field that already reads as wanted is left as it is written, and so are order, comments,
    quoting, line ends and unknown fields; the body is replaced only where it differs.

    Raises:
        RoundTripError: The file cannot be edited without other changes.
        UnwritableError: The record cannot be said in a file of its kind.
        DataError: The file cannot be read.
    """
    from memfs.formats.matter_edit import RoundTripError, edit_matter

    kind = _registered(record, registry)
    record = _tidy(record)
    parsed = _parse(data, path, is_draft=True)
    if parsed.document is None:
        edited = edit_json(data, _changes(parsed, record, kind), path=path)
    elif not parsed.document.has_matter:
        edited = _with_new_matter(data, parsed.document, record, kind)
    else:
        changes = _changes(parsed, record, kind)
        edited = edit_matter(data, changes, path=path) if changes else data
    if parsed.document is not None and parsed.body != record.body:
        edited = _with_body(edited, record.body, path)
    again = _parse(edited, path, is_draft=False)
    try:
        is_same = build_record(again.values, again.body, kind) == record
    except FieldError as error:
        raise UnwritableError(str(error), path=path) from error
    if not is_same:
        raise RoundTripError("the edited file would say something else", path=path)
    return edited


def kind_of_path(path: str, registry: KindRegistry) -> KindSpec | None:
    """Returns the kind whose folder holds ``path``, or ``None``."""
    for kind in registry:
        if path.startswith(f"{kind.folder}/"):
            return kind
    return None


def _parse(data: bytes, path: str, *, is_draft: bool) -> _Parsed:
    if path.endswith(".json"):
        values = parse_json(data, path=path)
        return _Parsed(values=values, body="", document=None, text=data.decode("utf-8"))
    text = decode_text(data, path=path)
    try:
        document = split(data, path=path)
    except FrontmatterError as error:
        if not is_draft or error.code != "frontmatter.missing":
            raise
        newline = b"\r\n" if b"\r\n" in data else b"\n"
        document = Document(matter=b"", body=data, newline=newline, has_matter=False)
        return _Parsed(values={}, body=text, document=document)
    matter = document.matter.decode("utf-8")
    said: Mapping[str, JsonValue] | None = read_fast(matter)
    if said is None:
        said = parse_fully(matter, path=path, line=document.matter_line).values
    return _Parsed(values=said, body=document.body.decode("utf-8"), document=document)


_Fault = tuple[Place, str, str, str, Severity]


def _kind_of(
    parsed: _Parsed, path: str, registry: KindRegistry, *, is_draft: bool
) -> tuple[KindSpec | None, list[_Fault]]:
    named = parsed.values.get("kind")
    by_folder = kind_of_path(path, registry)
    if named is None:
        if is_draft and by_folder is not None:
            return by_folder, []
        hint = f"expected one of {', '.join(registry.names)}"
        return None, [
            ((), "record.missing", "kind: expected a value, got none", hint, Severity.ERROR)
        ]
    kind = registry.get(named) if isinstance(named, str) else None
    if kind is None:
        message = f"kind: expected one of {', '.join(registry.names)}"
        hint = closest(str(named), registry.names)
        return None, [(("kind",), "record.kind", message, hint, Severity.ERROR)]
    if not path.endswith(kind.extension):
        message = f"expected a {kind.extension} file for the kind {kind.name}"
        return kind, [(("kind",), "record.format", message, "", Severity.ERROR)]
    if by_folder is not None and by_folder is not kind:
        message = f"a record of the kind {kind.name} stands in the folder of {by_folder.name}"
        hint = f"move it below {kind.folder}/"
        return kind, [(("kind",), "record.folder", message, hint, Severity.WARNING)]
    return kind, []


def _faults(parsed: _Parsed, path: str, kind: KindSpec, *, is_draft: bool) -> list[_Fault]:
    from pydantic import ValidationError

    from memfs.formats.record_models import EnvelopeModel, model_for

    known = {*EnvelopeModel.model_fields, *(spec.name for spec in kind.fields)}
    given = {k: v for k, v in parsed.values.items() if not (k in known and v is None)}
    faults: list[_Fault] = []
    try:
        model_for(kind).model_validate({**given, "kind": kind.name})
    except ValidationError as error:
        found = problems_from(error, Locator(path=path, places={}))
        for fault, problem in zip(error.errors(include_url=False), found, strict=True):
            faults.append(
                (fault["loc"], problem.code, problem.message, problem.hint, Severity.ERROR)
            )
    required = () if is_draft else REQUIRED
    for name in required:
        if name not in given and name != "kind":
            faults.append(
                ((), "record.missing", f"{name}: expected a value, got none", "", Severity.ERROR)
            )
    extra = {name: value for name, value in given.items() if name not in EnvelopeModel.model_fields}
    for place in grants_in(extra):
        message = f"{place[-1]}: no field can grant an action"
        faults.append((place, "record.grants-action", message, "remove it", Severity.ERROR))
    return faults + _body_faults(parsed, kind, given) + _misspelt(extra, known)


def _body_faults(parsed: _Parsed, kind: KindSpec, given: Mapping[str, JsonValue]) -> list[_Fault]:
    if kind.extension == ".json":
        return []
    size = len(parsed.body.encode("utf-8"))
    if size > BODY_BYTES:
        message = f"the body: expected at most {BODY_BYTES} bytes, got {size}"
        return [((), "record.length", message, "split it; one record is one claim", Severity.ERROR)]
    if not given.get("title") and not title_of(parsed.body):
        message = "expected a title or words below the frontmatter"
        return [((), "record.empty", message, "", Severity.ERROR)]
    lines = parsed.body.lstrip().splitlines()
    if len(lines) > 2 and lines[0] == "---" and ":" in lines[1] and "---" in lines[2:]:
        message = "the body starts with a second frontmatter"
        hint = "join the two blocks into one"
        return [((), "record.stacked", message, hint, Severity.WARNING)]
    return []


def _misspelt(extra: Mapping[str, JsonValue], known: set[str]) -> list[_Fault]:
    faults: list[_Fault] = []
    for name in extra:
        if name not in known and (hint := closest(name, known)):
            message = f"the field {name!r} is unknown and kept as it is"
            faults.append(((name,), "record.unknown-field", message, hint, Severity.WARNING))
    return faults


def _placed(faults: list[_Fault], parsed: _Parsed, path: str) -> tuple[Problem, ...]:
    if not faults:
        return ()
    locator = Locator(path=path, places=_places(parsed, path))
    return tuple(
        sorted(
            locator.problem(place, code, message, hint=hint, severity=severity)
            for place, code, message, hint, severity in faults
        )
    )


def _places(parsed: _Parsed, path: str) -> Mapping[Place, Position]:
    document = parsed.document
    if document is None:
        return json_places(parsed.text, path=path)
    matter = document.matter.decode("utf-8")
    return parse_fully(matter, path=path, line=document.matter_line).places


def _missing(values: Mapping[str, JsonValue], kind: KindSpec) -> Iterator[str]:
    for name in REQUIRED:
        if values.get(name) is None:
            yield name
    for spec in kind.fields:
        if spec.required and values.get(spec.name) is None:
            yield spec.name


def _is_empty(record: Record, kind: KindSpec) -> bool:
    return kind.extension != ".json" and not record.title


def _registered(record: Record, registry: KindRegistry) -> KindSpec:
    kind = registry.get(record.kind)
    if kind is None:
        raise UnwritableError(f"expected a registered kind, got {record.kind!r}", path=record.id)
    return kind


def _tidy(record: Record) -> Record:
    """Returns the record in the form in which it reads back: plain data, sorted taint, a title."""
    changes: dict[str, object] = {}
    if record.fields:
        changes["fields"] = {k: v for k, v in _plain(record.fields).items() if v is not None}
    if record.unknown:
        changes["unknown"] = _plain(record.unknown)
    if record.taint:
        changes["taint"] = tuple(sorted(set(record.taint)))
    if not record.title and record.body:
        changes["title"] = title_of(record.body)
    tidy: Record = replace(record, **changes) if changes else record  # type: ignore[arg-type]
    return tidy


def _plain(values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: plain_data(value) for name, value in values.items()}


def _joined(values: Mapping[str, JsonValue], record: Record, kind: KindSpec) -> bytes:
    if kind.extension == ".json":
        return emit_json(values)
    if not is_encodable(record.body):
        raise UnwritableError("half of a surrogate pair cannot be written")
    text = emit_matter(values)
    return _FENCED + text.encode("utf-8") + _FENCED + record.body.encode("utf-8")


def _reread(data: bytes, kind: KindSpec) -> tuple[Mapping[str, JsonValue], str]:
    parsed = _parse(data, f"new{kind.extension}", is_draft=False)
    return parsed.values, parsed.body


def _changes(parsed: _Parsed, record: Record, kind: KindSpec) -> dict[str, JsonValue | None]:
    old = build_record(parsed.values, parsed.body, kind)
    wanted = record_values(record, kind)
    changes: dict[str, JsonValue | None] = {}
    for item in ENVELOPE:
        is_absent = item.name == "kind" and "kind" not in parsed.values
        if is_absent or getattr(old, item.name) != getattr(record, item.name):
            changes[item.name] = wanted.get(item.name)
    for before, after in ((old.fields, record.fields), (old.unknown, record.unknown)):
        for name in {**before, **after}:
            if name not in before or name not in after or before[name] != after[name]:
                changes[name] = wanted.get(name)
    return changes


def _with_new_matter(data: bytes, document: Document, record: Record, kind: KindSpec) -> bytes:
    text = f"---\n{emit_matter(record_values(record, kind))}---\n"
    return text.encode("utf-8").replace(b"\n", document.newline) + data


def _with_body(data: bytes, body: str, path: str) -> bytes:
    document = split(data, path=path)
    head = data[: len(data) - len(document.body)]
    if not head.endswith(b"\n"):
        head += document.newline
    return head + body.encode("utf-8")
