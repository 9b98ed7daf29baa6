"""Joins the stages of distillation with the domains that they read from and write to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memfs.app.turn_source import TurnSource
from memfs.domains.distill.commit_source import CommitSource
from memfs.domains.distill.products import ClaimFound
from memfs.domains.distill.rules import RuleExtractor
from memfs.domains.distill.run_source import RunSource
from memfs.domains.distill.seams import Extractor, Seams, Source
from memfs.domains.distill.turn_rules import Fact
from memfs.domains.runs.work_sections import summary_of
from memfs.domains.sessions.distil import propose_fact
from memfs.domains.sessions.key_facts import KeyFact, key_facts, plain_sentences
from memfs.domains.sessions.turns import Role
from memfs.model.result import Result, ResultStatus
from memfs.model.values import JsonValue
from memfs.services.ports import Workspace

if TYPE_CHECKING:
    from memfs.domains.distill.stages import PassReport

_MOST_FILES = 200
"""Changed files that a report lists by name; it counts all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What a pass looks at.

    Attributes:
        sources: Names of the sources.
        session: Id of the one session; empty for every idle one.
        since_s: Only commits made then or later; 0 for no bound.
        is_backfill: Also what lies before the marks.
    """

    sources: Sequence[str]
    session: str = ""
    since_s: int = 0
    is_backfill: bool = False


def seams_of(
    workspace: Workspace,
    chosen: Chosen,
    project: Callable[[], Sequence[str]],
    *,
    extractor: Extractor | None = None,
) -> Seams:
    """Returns everything that a pass over the chosen sources is given."""
    every: dict[str, Source] = {
        "commits": CommitSource(workspace, chosen.since_s, chosen.is_backfill),
        "runs": RunSource(workspace, summary_of, chosen.is_backfill),
        "sessions": TurnSource(workspace, chosen.session, chosen.is_backfill),
    }
    return Seams(
        sources=every,
        collected=frozenset(chosen.sources),
        extract=extractor or rules(),
        propose_claim=lambda claim: _proposed(workspace, claim),
        project=project,
    )


def facts_in(words: str, speaker: str) -> Iterable[Fact]:
    """Yields the key facts in what somebody said."""
    for fact in key_facts(words, Role(speaker)):
        yield Fact(fact.kind, fact.text, fact.digest)


def model_extractor(env: Mapping[str, str]) -> Extractor | None:
    """Returns the configured model as an extractor; ``None`` where there is none."""
    from memfs.app.environment import model_from

    settings = model_from(env)
    if not settings.is_set:
        return None
    from memfs.domains.distill.model_extractor import INSTRUCTION, SCHEMA, ModelExtractor
    from memfs.domains.runs.model import ModelClient, ModelEndpoint, ModelError, Prompt

    client = ModelClient(ModelEndpoint(name=settings.name, url=settings.url, key=settings.key))
    prompt = Prompt(name="turn", instruction=INSTRUCTION, schema=SCHEMA)

    def ask(question: str) -> str:
        try:
            return client.asked(question, prompt)
        except ModelError:
            return ""

    return ModelExtractor(settings.name, ask, rules(), fact_digest)


def rules() -> RuleExtractor:
    """Returns the extractor that needs no model."""
    return RuleExtractor(facts_in, plain_sentences)


def fact_digest(kind: str, text: str) -> str:
    """Returns what a claim is recognised by in its session."""
    return KeyFact(kind, text).digest


def _proposed(workspace: Workspace, claim: ClaimFound) -> Result:
    fact = KeyFact(claim.kind, claim.text)
    return propose_fact(workspace, claim.client, claim.source, fact, claim.speaker)


def told_of_session(
    workspace: Workspace, session: str, report: PassReport, *, action: str
) -> Result:
    """Words what looking at one session did."""
    found = report.admitted
    waiting = [*found.waiting, *(name.partition("@")[0] for name in found.activated)]
    count = len(waiting)
    message = f"{count} key {'fact waits' if count == 1 else 'facts wait'} for review"
    return Result(
        action=action,
        target=session,
        status=ResultStatus.DONE if count else ResultStatus.NOTHING,
        message=message if count else "no new key facts",
        store=str(workspace.store.root),
        data={
            "session": session,
            "looked_at": report.stages.get("collect", {}).get("sessions", 0),
            "proposed": len(found.results),
            "candidates": list(waiting),
            "more": report.is_cut,
        },
    )


def report_value(report: PassReport) -> dict[str, JsonValue]:
    """Returns a report as plain values: counts by stage, and the files that differ (O61)."""
    found = report.admitted
    changed = [{"change": item.status, "path": item.path} for item in report.changed]
    value: dict[str, JsonValue] = {
        "rounds": report.rounds,
        "stages": {name: dict(counts) for name, counts in report.stages.items()},
        "activated": len(found.activated),
        "waiting": list(found.waiting),
        "known": found.known,
        "refused": dict(found.refused),
        "changed": list(changed[:_MOST_FILES]),
        "changed_files": len(changed),
        "receipts": list(report.receipts),
        "next": str(report.left or ""),
        "more": report.is_cut,
    }
    return value
