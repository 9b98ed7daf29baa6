"""Authority never rises, whatever is made from what, in whatever order (A4, A6, O48)."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memfs.model.authority import Authority
from memfs.model.candidate import Submission
from memfs.model.decision import Verdict
from memfs.model.operation import OperationKind
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.policy.authority import capture_origin, default_authority
from memfs.services.capture import capture
from memfs.services.catalogue import open_catalogue, read_entries
from memfs.services.door import Decided, commit_decided
from memfs.services.judgement import Judgement, judge
from memfs.services.ports import Workspace
from memfs.services.proposals import new_file, plan_from
from tests.support.memory import AGENT, ANA, as_actor, new_project, workspace_of

HOOK = as_actor(ANA, Channel.PROMPT_HOOK)
WEB = Actor(Principal.parse("tool:web"), Channel.TOOL)
HELPER = Actor(Principal.parse("agent:helper"), Channel.AGENT)
SOURCES = (HOOK, WEB, AGENT)
PROGRAMS = (AGENT, HELPER, WEB)

STEP = st.tuples(
    st.sampled_from(("derive", "merge", "summarise", "echo", "delegate")),
    st.sampled_from(PROGRAMS),
    st.lists(st.integers(0, 20), min_size=1, max_size=3),
    st.sampled_from((None, *Authority)),
)


def record_of(workspace: Workspace, identifier: str) -> Record:
    snapshot = workspace.store.snapshot()
    catalogue = open_catalogue(workspace, snapshot)
    try:
        (stored,) = read_entries(workspace, snapshot, catalogue.by_id(identifier))
    finally:
        catalogue.close()
    return stored.record


def judged(workspace: Workspace, draft: Record, actor: Actor) -> Judgement:
    origin = capture_origin(actor, draft.body)
    submission = Submission(draft=draft, origin=origin)
    return judge(workspace, workspace.store.snapshot(), submission)


def planted(workspace: Workspace, judgement: Judgement) -> Record:
    """Puts what was judged into the ledger as it was judged, whatever the verdict was."""
    decision = replace(judgement.decision, verdict=Verdict.ACTIVATE, supersedes=())

    def decide_on(snapshot: object) -> Decided[Record]:
        head = workspace.store.snapshot()
        draft = new_file(workspace, head, judgement.submission.draft, decision)
        plan = plan_from(
            workspace, head, operation=OperationKind.RECORD, actor=ANA, drafts=(draft,)
        )
        return Decided(draft.record, plan)

    return commit_decided(workspace, decide_on).outcome


@given(steps=st.lists(STEP, min_size=1, max_size=6))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_chain_of_programs_makes_more_of_what_it_started_from(
    steps: list[tuple[str, Actor, list[int], Authority | None]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = new_project(Path(folder))
        with workspace_of(project) as workspace:
            known = [
                record_of(
                    workspace,
                    capture(
                        workspace, f"Source {n} says so.", actor, source=f"session:s#{n}"
                    ).target,
                )
                for n, actor in enumerate(SOURCES)
            ]
            for number, (step, actor, picks, boast) in enumerate(steps):
                inputs = [known[pick % len(known)] for pick in picks]
                known.append(taken(workspace, step, actor, inputs, boast, number))


def taken(
    workspace: Workspace,
    step: str,
    actor: Actor,
    inputs: list[Record],
    boast: Authority | None,
    number: int,
) -> Record:
    """Takes one step and asserts that its result is worth no more than any of its inputs."""
    used = inputs if step in ("merge", "summarise") else inputs[:1]
    words = f"Step {number}: {used[0].title or 'what was said'}."
    ids = tuple(item.id for item in used)
    draft = Record(
        kind="fact",
        body=words,
        subject=f"step-{number}",
        authority=boast,
        transform=step,
        evidence=ids if step == "echo" else (),
        derived_from=() if step == "echo" else ids,
    )
    judgement = judged(workspace, draft, actor)
    worth = [item.authority or Authority.NONE for item in used]
    given_class = judgement.submission.origin.origin_class
    if actor is WEB:
        worth.append(default_authority(given_class))
    made = judgement.submission.draft
    assert judgement.decision.authority <= min(worth)
    assert not judgement.decision.is_admitted
    assert made.sinks <= frozenset.intersection(*(item.sinks for item in used))
    assert set(made.taint) >= {label for item in used for label in item.taint}
    assert made.sensitivity >= max(item.sensitivity for item in used)
    return planted(workspace, judgement)
