"""Derived records made through the real services, and every read path asked for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from memfs.app.memory import Memory
from memfs.errors import ConflictError
from memfs.index.port import DEFAULT_SCORING, IndexQuery
from memfs.model.candidate import Submission
from memfs.model.origin import Actor
from memfs.model.record import Record, StoredRecord
from memfs.model.result import ResultStatus
from memfs.policy.authority import capture_origin
from memfs.services.propose import submit
from memfs.services.reindex import open_index
from memfs.services.served_records import read_path, served_places
from tests.support.memory import ANA, memory_of, store_root


def derive(
    memory: Memory,
    text: str,
    *inputs: str,
    evidence: Sequence[str] = (),
    kind: str = "note",
    actor: Actor = ANA,
    **fields: object,
) -> str:
    """Records ``text`` as derived from ``inputs``; returns its id."""
    draft = Record(
        kind=kind,
        body=f"{text}\n",
        derived_from=inputs,
        evidence=tuple(evidence),
        transform="summary" if inputs else "",
        **fields,  # type: ignore[arg-type]
    )
    origin = capture_origin(actor, text, source=f"summary:{'+'.join(inputs)}" if inputs else "")
    result = submit(memory.workspace, Submission(draft=draft, origin=origin), actor)
    assert result.status is ResultStatus.DONE, result
    return result.target


def record_of(memory: Memory, identifier: str) -> StoredRecord | None:
    """Returns a record as the ledger has it, whatever its state."""
    workspace = memory.workspace
    snapshot = workspace.store.snapshot()
    for path, _ in served_places(snapshot):
        stored = read_path(workspace, snapshot, path)
        if stored is not None and stored.record.id == identifier:
            return stored
    return None


def status_of(memory: Memory, identifier: str) -> str:
    """Returns the status of a record; ``gone`` when there is none."""
    stored = record_of(memory, identifier)
    return str(stored.record.status) if stored is not None else "gone"


def exposures(project: Path, identifier: str, words: str, *, as_of: str = "") -> list[str]:
    """Returns the read paths on which anybody is served a record or its very words."""
    found = []
    for actor in (ANA, None):
        with memory_of(project, *([actor] if actor else [])) as memory:
            found += _exposures(memory, identifier, words, as_of)
    for view in ("MEMORY.md", "core.md"):
        path = store_root(project) / view
        if path.is_file() and (identifier in path.read_text() or words in path.read_text()):
            found.append(view)
    return found


def _exposures(memory: Memory, identifier: str, words: str, as_of: str) -> list[str]:
    found = []
    if words in memory.recall(words).text:
        found.append("recall")
    if any(words in hit.stored.record.body for hit in memory.search(words, limit=100)):
        found.append("search")
    if as_of and any(words in hit.stored.record.body for hit in memory.search(words, as_of=as_of)):
        found.append("search --as-of")
    if any(words in item.record.body for item in memory.list_records()):
        found.append("list")
    for name, ask in (
        ("show", lambda: memory.show(identifier)),
        ("history", lambda: memory.history(identifier)),
        ("diff", lambda: memory.diff(identifier)),
        ("show @1", lambda: memory.show(f"{identifier}@1")),
    ):
        try:
            ask()
        except ConflictError:
            continue
        found.append(name)
    workspace = memory.workspace
    index = open_index(workspace, workspace.store.snapshot()).index
    query = IndexQuery(text=words, is_open=lambda gate: '"active"' in gate, limit=50)
    for hit in index.search(query, DEFAULT_SCORING):
        stored = read_path(workspace, workspace.store.snapshot(), hit.path)
        if stored is not None and stored.record.id == identifier:
            found.append("index")
    return found


def seconds(moment: datetime) -> str:
    """Returns an instant as a person types it."""
    return moment.isoformat()
