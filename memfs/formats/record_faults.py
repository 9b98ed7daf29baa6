"""Everything that is wrong with a record file, found in one pass and without stopping.

Only what people and agents wrote comes through here; pydantic is imported when it does.
"""

from __future__ import annotations

from collections.abc import Mapping

from memfs.formats.canonical import title_of
from memfs.formats.envelope import REQUIRED
from memfs.formats.kind_fields import grants_in
from memfs.formats.parsed_file import ParsedFile, places_of
from memfs.formats.record_problems import Fault, Locator, closest, faults_from
from memfs.model.kinds import KindRegistry, KindSpec
from memfs.model.limits import BODY_BYTES
from memfs.model.problem import Problem, Severity
from memfs.model.values import JsonValue


def kind_of(
    parsed: ParsedFile, path: str, registry: KindRegistry, *, is_draft: bool
) -> tuple[KindSpec | None, list[Fault]]:
    """Returns the kind that a file is of, by its own word or a draft's folder, and what is off."""
    named = parsed.values.get("kind")
    by_folder = kind_of_path(path, registry)
    if named is None:
        if is_draft and by_folder is not None:
            return by_folder, []
        hint = f"one of {', '.join(registry.names)}"
        return None, [Fault((), "record.missing", "kind: expected a value, got none", hint)]
    kind = registry.get(named) if isinstance(named, str) else None
    if kind is None:
        message = f"kind: expected one of {', '.join(registry.names)}"
        hint = closest(str(named), registry.names)
        return None, [Fault(("kind",), "record.kind", message, hint)]
    if not path.endswith(kind.extension):
        message = f"expected a {kind.extension} file for the kind {kind.name}"
        return kind, [Fault(("kind",), "record.format", message)]
    if by_folder is not None and by_folder.folder != kind.folder:
        message = f"a record of the kind {kind.name} stands in the folder of {by_folder.name}"
        hint = f"move it below {kind.folder}/"
        return kind, [Fault(("kind",), "record.folder", message, hint, Severity.WARNING)]
    return kind, []


def faults_of(parsed: ParsedFile, kind: KindSpec, *, is_draft: bool) -> list[Fault]:
    """Returns every fault of a file of a known kind, warnings included."""
    from pydantic import ValidationError

    from memfs.formats.record_models import EnvelopeModel, model_for

    known = {*EnvelopeModel.model_fields, *(spec.name for spec in kind.fields)}
    given = {k: v for k, v in parsed.values.items() if not (k in known and v is None)}
    faults: list[Fault] = []
    try:
        model_for(kind).model_validate({**given, "kind": kind.name})
    except ValidationError as error:
        faults += faults_from(error)
    for name in () if is_draft else REQUIRED:
        if name not in given and name != "kind":
            faults.append(Fault((), "record.missing", f"{name}: expected a value, got none"))
    extra = {name: value for name, value in given.items() if name not in EnvelopeModel.model_fields}
    for place in grants_in(extra):
        message = f"{place[-1]}: no field can grant an action"
        faults.append(Fault(place, "record.grants-action", message, "remove it"))
    return faults + _body_faults(parsed, kind, given) + _misspelt(extra, known)


def _body_faults(parsed: ParsedFile, kind: KindSpec, given: Mapping[str, JsonValue]) -> list[Fault]:
    if kind.extension == ".json":
        return []
    size = len(parsed.body.encode("utf-8"))
    if size > BODY_BYTES:
        message = f"the body: expected at most {BODY_BYTES} bytes, got {size}"
        return [Fault((), "record.length", message, "split it; one record is one claim")]
    if not given.get("title") and not title_of(parsed.body):
        message = "expected a title or words below the frontmatter"
        return [Fault((), "record.empty", message)]
    lines = parsed.body.lstrip().splitlines()
    if len(lines) > 2 and lines[0] == "---" and ":" in lines[1] and "---" in lines[2:]:
        message = "the body starts with a second frontmatter"
        hint = "join the two blocks into one"
        return [Fault((), "record.stacked", message, hint, Severity.WARNING)]
    return []


def _misspelt(extra: Mapping[str, JsonValue], known: set[str]) -> list[Fault]:
    faults: list[Fault] = []
    for name in extra:
        if name not in known and (hint := closest(name, known)):
            message = f"the field {name!r} is unknown and kept as it is"
            faults.append(Fault((name,), "record.unknown-field", message, hint, Severity.WARNING))
    return faults


def placed(faults: list[Fault], parsed: ParsedFile, path: str) -> tuple[Problem, ...]:
    """Returns faults as problems with line and column, in the order of the file."""
    if not faults:
        return ()
    locator = Locator(path=path, places=places_of(parsed, path))
    return tuple(sorted(map(locator.problem, faults)))


def kind_of_path(path: str, registry: KindRegistry) -> KindSpec | None:
    """Returns the kind whose folder holds ``path``, or ``None``."""
    for kind in registry:
        if path.startswith(f"{kind.folder}/"):
            return kind
    return None
