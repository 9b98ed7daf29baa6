"""Fields of a record by name, as what they ought to be; what is something else counts as missing.

A record that somebody is served in part lacks fields, and one from another version may hold them
otherwise. Whoever only tells or compares reads them here; whoever writes has had them validated.
"""

from __future__ import annotations

from memfs.model.record import Record


def text_field(record: Record, name: str) -> str:
    """Returns a field that is a text; empty where it is missing or something else."""
    value = record.fields.get(name)
    return value if isinstance(value, str) else ""


def texts_field(record: Record, name: str) -> tuple[str, ...]:
    """Returns a field that is a list of texts, in order; empty where it is missing or no list."""
    value = record.fields.get(name)
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()
