"""Sealed records: what they say is encrypted before anything is written (A61, A100).

Each record has a key of its own outside the repository; without it nobody reads the record, in
no clone and no backup of the store. Id and version are inside what is sealed and are compared
when it is opened, so that a sealed text cannot be moved to another record or be replaced by an
earlier version of itself. Only a person seals and only a person at a terminal opens; the plain
text is in no file, index, log or message. The cryptography is age's (pyrage).
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from memfs.errors import AccessError, StoreError
from memfs.model.authority import Sensitivity, Sink
from memfs.model.origin import Actor, Channel
from memfs.model.problem import Problem, Severity
from memfs.model.record import Record, StoredRecord
from memfs.model.result import Result, ResultStatus
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace
from memfs.services.served_records import read_records, served_places
from memfs.store.keys import KeyFolderError, KeyRing

if TYPE_CHECKING:
    from pyrage import x25519  # type: ignore[import-untyped]  # it has no stubs

TITLE: Final = "Sealed"
"""What a sealed record is called in its file."""
_ARMOUR: Final = "-----BEGIN AGE ENCRYPTED FILE-----"
_FORMAT: Final = 1
FACTS: Final = (
    "its key is on this machine only: without a backup of the key folder, losing the machine "
    "loses the record",
    "a backup of the key folder keeps it readable there after an erasure",
)
"""What a person should know who seals something."""


class SealBrokenError(StoreError):
    """A sealed record cannot be opened: its key is not here, or it is not what it says."""

    code = "seal.broken"


class SealedEditError(AccessError):
    """A sealed record would lie in an editor's file in plain text."""

    code = "seal.no-editor"


def can_seal(workspace: Workspace) -> bool:
    """Whether records can be sealed here: pyrage is installed and there is a place for keys."""
    return workspace.home_dir.is_absolute() and importlib.util.find_spec("pyrage") is not None


def is_sealed(record: Record) -> bool:
    """Whether a record's words are encrypted, as in its file."""
    return record.sensitivity is Sensitivity.SEALED and record.body.startswith(_ARMOUR)


def sealed(workspace: Workspace, record: Record) -> Record:
    """Returns a record with its words encrypted, any other as it is.

    The key is on the disk before this returns; the record's later versions use the same.

    Raises:
        SealBrokenError: pyrage is not installed.
        KeyFolderError: The key cannot be kept.
    """
    if record.sensitivity is not Sensitivity.SEALED or is_sealed(record):
        return record
    if not can_seal(workspace):
        raise SealBrokenError(
            "expected pyrage, which seals records, found none",
            hint="install it: pip install 'memfs-ledger[sealed]'",
        )
    import pyrage

    content = {
        "format": _FORMAT,
        "id": record.id,
        "version": record.version,
        "title": record.title,
        "body": record.body,
        "subject": record.subject,
        "summary": record.summary,
        "abstract": record.abstract,
        "tags": list(record.tags),
        "entities": list(record.entities),
    }
    recipient = _identity(workspace, record.id).to_public()
    packed = pyrage.encrypt(json.dumps(content).encode("ascii"), [recipient], armored=True)
    return replace(
        record,
        title=TITLE,
        body=packed.decode("ascii"),
        subject="",
        summary="",
        abstract="",
        tags=(),
        entities=(),
        sinks=frozenset({Sink.PERSON}),
    )


def opened(workspace: Workspace, record: Record) -> Record:
    """Returns a sealed record in plain text, any other as it is. The caller has asked who reads.

    Raises:
        SealBrokenError: The key is not here or is another one, or the text belongs elsewhere.
    """
    if not is_sealed(record):
        return record
    key = _ring(workspace).read(record.id) if can_seal(workspace) else ""
    if not key:
        raise SealBrokenError(
            f"expected the key of {record.id} on this machine, found none",
            hint="put it back from a backup of the key folder; without it nobody reads the record",
        )
    import pyrage

    try:
        identity = pyrage.x25519.Identity.from_str(key)
        content = json.loads(pyrage.decrypt(record.body.encode("ascii"), [identity]))
        return _unpacked(record, cast("Mapping[str, JsonValue]", content))
    except (pyrage.DecryptError, pyrage.IdentityError, ValueError, KeyError, TypeError) as error:
        # Nothing of the text is quoted, whatever went wrong.
        raise SealBrokenError(f"the seal of {record.id} is broken or belongs elsewhere") from error


def _unpacked(record: Record, content: Mapping[str, JsonValue]) -> Record:
    if (content["id"], content["version"]) != (record.id, record.version):
        raise ValueError("it was sealed as another record or version")
    return replace(
        record,
        title=str(content["title"]),
        body=str(content["body"]),
        subject=str(content["subject"]),
        summary=str(content["summary"]),
        abstract=str(content["abstract"]),
        tags=_strings(content["tags"]),
        entities=_strings(content["entities"]),
    )


def _strings(value: JsonValue) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def shown(workspace: Workspace, stored: StoredRecord, actor: Actor) -> StoredRecord:
    """Opens a sealed record for a person at a terminal; everybody else gets it as it is."""
    if not (actor.is_person and actor.channel is Channel.TERMINAL and is_sealed(stored.record)):
        return stored
    return replace(stored, record=opened(workspace, stored.record))


def told(result: Result) -> Result:
    """Adds to the answer about a record that was just sealed what its owner should know."""
    if result.status is not ResultStatus.DONE:
        return result
    return replace(result, data={**result.data, "preview": list(FACTS)})


def check_editable(record: Record) -> None:
    """Keeps a sealed record out of editors, which keep copies.

    Raises:
        SealedEditError: It is sealed.
    """
    if is_sealed(record):
        raise SealedEditError(
            "expected a record that may lie in an editor's file, got a sealed one",
            hint=f"use: memfs correct {record.id}",
        )


def destroy_keys(workspace: Workspace, identifiers: Iterable[str]) -> int:
    """Destroys the keys of these records; returns how many there were.

    Raises:
        KeyFolderError: A key is there and cannot be removed.
    """
    if not workspace.home_dir.is_absolute():
        return 0
    ring = _ring(workspace)
    return sum(ring.destroy(identifier) for identifier in identifiers)


def find_missing_keys(workspace: Workspace) -> tuple[Problem, ...]:
    """Returns a problem for each sealed record whose key is not on this machine."""
    snapshot = workspace.store.snapshot()
    found = []
    keys: frozenset[str] | None = None
    for stored in read_records(workspace, snapshot, served_places(snapshot)):
        if not is_sealed(stored.record):
            continue
        if keys is None:
            keys = _keys_here(workspace)
        if stored.record.id not in keys:
            found.append(
                Problem(
                    stored.path,
                    0,
                    0,
                    "seal.key-missing",
                    f"expected the key of {stored.record.id} on this machine, found none",
                    "put it back from a backup of the key folder, or erase the record",
                    Severity.WARNING,
                )
            )
    return tuple(sorted(found))


def _keys_here(workspace: Workspace) -> frozenset[str]:
    try:
        return frozenset(_ring(workspace).identifiers())
    except KeyFolderError:
        return frozenset()


def _ring(workspace: Workspace) -> KeyRing:
    return KeyRing(workspace.home_dir, workspace.store_id)


def _identity(workspace: Workspace, identifier: str) -> x25519.Identity:
    from pyrage import x25519

    ring = _ring(workspace)
    standing = ring.read(identifier)
    if standing:
        return x25519.Identity.from_str(standing)
    made = x25519.Identity.generate()
    ring.write(identifier, str(made))
    return made
