"""Builders for policy tests: people, programs, records and submissions of one project."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memfs.app.registry import REGISTRY
from memfs.model.candidate import CandidateAction, Submission
from memfs.model.decision import Decision
from memfs.model.evidence import Quote
from memfs.model.origin import Actor, Channel, Origin, Principal
from memfs.model.record import Record, StoredRecord
from memfs.model.scope import Scope, ScopeKind
from memfs.model.settings import Settings
from memfs.policy.admission import AdmissionView, decide
from memfs.policy.authority import capture_origin

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PROJECT = Scope(ScopeKind.PROJECT, "demo")
SETTINGS = Settings(store_id="store_x", project="demo", digest="3f9c21ab")
ANA = Actor(Principal.parse("user:ana"), Channel.TERMINAL)
BEN = Actor(Principal.parse("user:ben"), Channel.TERMINAL)
HOOK = Actor(Principal.parse("user:ana"), Channel.PROMPT_HOOK)
AGENT = Actor(Principal.parse("agent:claude"), Channel.AGENT)
TOOL = Actor(Principal.parse("tool:web"), Channel.TOOL)
HOST = Actor(Principal.parse("tool:host"), Channel.HOST)
WORKSPACE = Actor(Principal.parse("tool:workspace"), Channel.WORKSPACE)
IMPORT = Actor(Principal.parse("user:ana"), Channel.IMPORT)
DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def identifier(number: int, prefix: str = "mem") -> str:
    """Returns a well-formed id that sorts by ``number``."""
    return f"{prefix}_01kb8x3v6y{number:016d}"


def claim(body: str = "Use FastAPI, never Flask.", **fields: Any) -> Record:
    """Returns a preference; any field can be given."""
    return Record(**{"kind": "preference", "body": body, **fields})


def stored(number: int, actor: Actor = ANA, **fields: Any) -> StoredRecord:
    """Returns an active record of the ledger that ``actor`` stated."""
    record = claim(**{"scope": PROJECT, "id": identifier(number), **fields})
    record = replace(record, origin=record.origin or origin_of(actor, record.body))
    return StoredRecord(record=record, path=f"records/{record.kind}/{number}.md", blob="0" * 40)


def origin_of(actor: Actor, text: str = "", source: str = "") -> Origin:
    """Returns the origin that an entry point would capture."""
    return capture_origin(actor, text, source=source)


def evidence(
    number: int, words: str, actor: Actor = HOOK, *, scope: Scope = PROJECT, **fields: Any
) -> Record:
    """Returns the envelope of a source that said ``words``."""
    return Record(
        kind="evidence",
        id=identifier(number, "ev"),
        scope=scope,
        **{"origin": origin_of(actor, words), **fields},
    )


def excerpt(envelope: Record, words: str, **fields: Any) -> Record:
    """Returns the record that keeps the words of a source."""
    return Record(
        kind="excerpt",
        id=envelope.id.replace("ev_", "ex_"),
        scope=envelope.scope,
        body=f"{words}\n",
        derived_from=(envelope.id,),
        origin=envelope.origin,
        **fields,
    )


def as_hook(principal: str) -> Actor:
    """Returns a person whose prompts a host records."""
    return Actor(Principal.parse(principal), Channel.PROMPT_HOOK)


def sources(*said: tuple[Record, str]) -> dict[str, Any]:
    """Returns what a view has to say about envelopes and what their sources said."""
    return {
        "evidence": {envelope.id: envelope for envelope, _ in said},
        "excerpts": {envelope.id: excerpt(envelope, words) for envelope, words in said},
    }


def view(**fields: Any) -> AdmissionView:
    """Returns what the ledger says; empty but for what is given."""
    return AdmissionView(**{"project": PROJECT, **fields})


def submit(
    draft: Record | str = "Use FastAPI, never Flask.",
    actor: Actor = ANA,
    *,
    ledger: AdmissionView | None = None,
    settings: Settings = SETTINGS,
    origin: Origin | None = None,
    quotes: tuple[Quote, ...] = (),
    **fields: Any,
) -> Decision:
    """Decides on one submission as an entry point would make it."""
    record = claim(draft) if isinstance(draft, str) else draft
    submission = Submission(
        draft=record,
        origin=origin or origin_of(actor, record.body),
        quotes=quotes,
        **fields,
    )
    return decide(submission, ledger or view(), settings, REGISTRY, NOW)


def revise(target: StoredRecord, actor: Actor = ANA, **fields: Any) -> Decision:
    """Decides on a new version of ``target``."""
    changes = {key: fields.pop(key) for key in tuple(fields) if key not in _SUBMISSION}
    draft = replace(target.record, **changes)
    return submit(
        draft,
        actor,
        ledger=view(target=target),
        target=target.record.id,
        **{"action": CandidateAction.REVISE, **fields},
    )


_SUBMISSION = {"is_confirmed", "settings", "origin", "quotes", "action", "ledger"}


def codes(decision: Decision) -> list[str]:
    """Returns the codes of a decision's reasons, in order."""
    return [reason.code for reason in decision.reasons]


def corpus(name: str) -> Iterator[dict[str, str]]:
    """Yields the rows of a file of the evaluation data, or skips the test."""
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"../shared/data/{name} is not on this machine")
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
