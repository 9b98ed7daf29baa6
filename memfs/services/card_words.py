"""What a card says of a record beside its words: who said it, what it is worth, how it stands."""

from __future__ import annotations

from memfs.model.issue import ISSUE_KIND, IssueState
from memfs.model.procedure import PROCEDURE_KIND, stage_of
from memfs.model.record import Record
from memfs.model.run import RUN_KIND
from memfs.services.packet_text import escaped_line


def worth(record: Record) -> list[str]:
    """Returns who said it and what it may be believed for, in words."""
    origin = record.origin
    said = [f"{origin.origin_class} by {origin.principal}"] if origin else ["origin unknown"]
    if origin and origin.speaker:
        said.append(f"said by {escaped_line(origin.speaker)}")
    if record.authority is not None:
        said.append(f"authority {record.authority.label}")
    if record.confidence is not None:
        said.append(f"confidence {record.confidence:.2f}")
    return said


def standing(record: Record) -> str:
    """Returns how a piece of work stands, so that what was closed does not read as open.

    Of a procedure, how far it has been proved.

    Empty for a claim, and for an issue whose events may not be seen.
    """
    if record.kind == RUN_KIND:
        state = record.fields.get("state")
        return escaped_line(state) if isinstance(state, str) else ""
    if record.kind == PROCEDURE_KIND:
        return f"stage {stage_of(record)}"
    if record.kind != ISSUE_KIND:
        return ""
    from memfs.formats.issue_log import parse_log
    from memfs.model.issue_fold import fold

    state = fold(parse_log(record.body).events).state
    return "" if state is IssueState.UNKNOWN else str(state)
