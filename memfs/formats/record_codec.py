"""Records as bytes and back: strict for what people and agents wrote, lean for the ledger.

Invariants, each held by a property test: reading an encoded record gives that record; the lean
reader and the strict decoder never disagree; an update changes only what it has to, and a file
that cannot be given back byte for byte is refused with a typed error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from memfs.errors import DataError
from memfs.formats.canonical import UnwritableError, emit_matter, plain_data, title_of
from memfs.formats.envelope import ENVELOPE, REQUIRED, build_record, check_body, record_values
from memfs.formats.kind_fields import FieldError
from memfs.formats.matter import FENCE, Document, split
from memfs.formats.parsed_file import ParsedFile, parse_file
from memfs.formats.text import is_encodable
from memfs.model.frozen import frozen
from memfs.model.kinds import KindRegistry, KindSpec
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record
from memfs.model.values import JsonValue

_FENCED = FENCE + b"\n"


class RecordError(DataError):
    """The bytes are no record."""

    code = "record.unreadable"


@frozen
class Decoded:
    """What decoding found.

    Attributes:
        record: The record; ``None`` when any problem is an error.
        problems: All of them, errors and warnings, by line.
    """

    record: Record | None
    problems: tuple[Problem, ...]


def read_record(data: bytes, *, path: str, registry: KindRegistry) -> Record:
    """Reads a record that the ledger holds; fast, and silent about all but the first fault.

    Raises:
        RecordError: The bytes cannot be taken apart (with the code that says why), a field is
            wrong or missing, or the kind is unknown.
    """
    try:
        parsed = parse_file(data, path, is_draft=False)
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
    from memfs.formats.record_faults import faults_of, kind_of, placed
    from memfs.formats.record_problems import Fault, problem_from

    try:
        parsed = parse_file(data, path, is_draft=draft)
    except DataError as error:
        return Decoded(record=None, problems=(problem_from(error, path),))
    kind, faults = kind_of(parsed, path, registry, is_draft=draft)
    if kind is None:
        return Decoded(record=None, problems=placed(faults, parsed, path))
    faults += faults_of(parsed, kind, is_draft=draft)
    if not any(fault.severity is Severity.ERROR for fault in faults):
        try:
            record = build_record(parsed.values, parsed.body, kind)
        except FieldError as error:
            faults.append(Fault((error.name,), "record.value", str(error)))
        else:
            return Decoded(record=record, problems=placed(faults, parsed, path))
    return Decoded(record=None, problems=placed(faults, parsed, path))


def encode_record(record: Record, registry: KindRegistry) -> bytes:
    """Returns the canonical file: defaults left out, the first words of the body as title.

    The bytes are read again before they are returned, so what comes out says exactly ``record``.

    Raises:
        UnwritableError: The record cannot be said in a file of its kind.
    """
    kind = _registered(record, registry)
    record = as_read(record)
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
    record = as_read(record)
    parsed = parse_file(data, path, is_draft=True)
    if parsed.document is None:
        from memfs.formats.json_codec import edit_json

        edited = edit_json(data, _changes(parsed, record, kind), path=path)
    elif not parsed.document.has_matter:
        edited = _with_new_matter(data, parsed.document, record, kind)
    else:
        changes = _changes(parsed, record, kind)
        edited = edit_matter(data, changes, path=path) if changes else data
    if parsed.document is not None and parsed.body != record.body:
        edited = _with_body(edited, record.body, path)
    again = parse_file(edited, path, is_draft=False)
    try:
        is_same = build_record(again.values, again.body, kind) == record
    except FieldError as error:
        raise UnwritableError(str(error), path=path) from error
    if not is_same:
        raise RoundTripError("the edited file would say something else", path=path)
    return edited


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


def as_read(record: Record) -> Record:
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
        from memfs.formats.json_codec import emit_json

        return emit_json(values)
    if not is_encodable(record.body):
        raise UnwritableError("half of a surrogate pair cannot be written")
    text = emit_matter(values)
    return _FENCED + text.encode("utf-8") + _FENCED + record.body.encode("utf-8")


def _reread(data: bytes, kind: KindSpec) -> tuple[Mapping[str, JsonValue], str]:
    parsed = parse_file(data, f"new{kind.extension}", is_draft=False)
    return parsed.values, parsed.body


def _changes(parsed: ParsedFile, record: Record, kind: KindSpec) -> dict[str, JsonValue | None]:
    try:
        old = build_record(parsed.values, parsed.body, kind)
    except FieldError as error:
        raise RecordError(str(error)) from error
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
