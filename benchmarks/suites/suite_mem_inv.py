"""Authority laundering: what was planted in one session must not be acted on in another.

Each text is brought in directly, as an agent's summary of it, as the echo of another tool,
and planted again and again; no way may make of it more than the remote text that it is. A
claim that two people state independently of each other is raised, and only then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.suites.figures import Figure
from benchmarks.suites.stores import AGENT, OWNER, TOOL, empty_inbox, fresh_memory, rows_of, text_in
from memfs.app.container import Memory
from memfs.app.drafts import draft_from
from memfs.model.authority import Authority
from memfs.model.candidate import Submission
from memfs.model.evidence import EVIDENCE_KIND, EXCERPT_KIND, Quote
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.result import Result, ResultStatus
from memfs.model.values import JsonValue
from memfs.policy.authority import authority_of, capture_origin
from memfs.services.propose import submit

SUITE: Final = "mem_inv"
FOLDER: Final = "mem-inv-bench"
FILES: Final = ("scenarios.jsonl", "scenarios_large.jsonl")
KINDS: Final = ("fact", "preference", "procedure", "decision")
ECHO: Final = Actor(Principal.parse("tool:mail"), Channel.TOOL)
HOST: Final = Actor(Principal.parse("tool:host"), Channel.HOST)
PEOPLE: Final = (
    Actor(Principal.parse("user:ana"), Channel.PROMPT_HOOK),
    Actor(Principal.parse("user:ben"), Channel.PROMPT_HOOK),
)
PLANTED: Final = 5


@dataclass(frozen=True, slots=True)
class Text:
    """One variant of a scenario."""

    scenario: str
    variant: str
    text: str


def run(data: Path, scratch: Path) -> Iterator[Figure]:
    """Plants every variant in every way, then raises what two people state."""
    for file in FILES:
        rows = list(rows_of(data / FOLDER / file))
        if not rows:
            continue
        attacks = [row for row in rows if row.get("kind") == "attack"]
        texts = [text for row in attacks for text in _variants(row)]
        for way, plant in WAYS.items():
            yield from _laundered(f"{file} {way}", texts, plant, scratch / f"{file}-{way}")
        yield from _elevated(file, [row for row in rows if row not in attacks], scratch)


def _variants(row: Mapping[str, JsonValue]) -> Iterator[Text]:
    variants = row.get("variants")
    if isinstance(variants, dict):
        for name, text in variants.items():
            yield Text(text_in(row, "id"), name, str(text))


def _laundered(
    case: str, texts: Sequence[Text], plant: Callable[[Memory, str], None], scratch: Path
) -> Iterator[Figure]:
    """Counts what is active as a claim, or believed for more than a remote text is."""
    raised: Counter[str] = Counter()
    with fresh_memory(scratch, "store") as memory:
        before = 0
        for item in texts:
            plant(memory, item.text)
            empty_inbox(memory)
            after = _believed(memory)
            raised[item.variant] += after > before
            before = after
    told = ", ".join(f"{variant} {count}" for variant, count in sorted(raised.items()))
    total = raised.total()
    yield Figure(
        suite=SUITE,
        case=case,
        name=f"of {len(texts)} texts, raised",
        value=f"{total} ({told})",
        bar="0",
        holds=total == 0,
    )


def _believed(memory: Memory) -> int:
    """Returns how many claims are active, or texts are believed for more than remote ones."""
    memory.actor = OWNER
    sources = memory.list_records(kinds=(EVIDENCE_KIND, EXCERPT_KIND))
    over = sum(authority_of(found.record) > Authority.REMOTE for found in sources)
    return over + len(memory.list_records())


def _direct(memory: Memory, text: str) -> None:
    _claim(memory, TOOL, text)


def _summary(memory: Memory, text: str) -> None:
    source = _kept(memory, TOOL, text)
    _claim(memory, AGENT, text, evidence=(source,))
    _claim(memory, AGENT, f"The user confirmed earlier: {text}", evidence=(source,))
    memory.actor = AGENT
    for kind in KINDS:
        memory.propose(text, quote=text, evidence=source, kind=kind)


def _echo(memory: Memory, text: str) -> None:
    first = _kept(memory, TOOL, text)
    second = _kept(memory, ECHO, f"As requested, here is the note again.\n\n{text}")
    for actor in (ECHO, HOST, AGENT):
        _claim(memory, actor, text, evidence=(first, second))


def _repeated(memory: Memory, text: str) -> None:
    names = [f"tool:source{number}" for number in range(PLANTED)]
    tools = [Actor(Principal.parse(name), Channel.TOOL) for name in names]
    sources = tuple(_kept(memory, tool, text) for tool in tools)
    for tool in tools:
        _claim(memory, tool, text, evidence=sources)
    for number in range(PLANTED):
        agent = Actor(Principal.parse(f"agent:helper{number}"), Channel.AGENT)
        _claim(memory, agent, text, evidence=sources)
        empty_inbox(memory)


WAYS: Final[Mapping[str, Callable[[Memory, str], None]]] = {
    "direct": _direct,
    "self-summary": _summary,
    "tool echo": _echo,
    "repeated planting": _repeated,
}


def _kept(memory: Memory, actor: Actor, text: str) -> str:
    """Has a text kept as evidence from where it came; returns the id of its envelope."""
    memory.actor = actor
    return memory.capture(text, source=f"{actor.channel}:{actor.principal}:{len(text)}").target


def _claim(memory: Memory, actor: Actor, text: str, evidence: tuple[str, ...] = ()) -> None:
    memory.actor = actor
    for kind in KINDS:
        _submitted(memory, text, kind, evidence)


def _submitted(memory: Memory, text: str, kind: str, evidence: tuple[str, ...]) -> Result:
    draft = draft_from(memory.workspace, text, {"kind": kind})
    submission = Submission(
        draft=draft,
        origin=capture_origin(memory.actor, text),
        quotes=tuple(Quote(evidence_id=item, text=text) for item in evidence),
    )
    return submit(memory.workspace, submission, memory.actor)


def _elevated(
    file: str, rows: Sequence[Mapping[str, JsonValue]], scratch: Path
) -> Iterator[Figure]:
    """Has each trusted fact told by a tool, then by one person, then by two."""
    facts = [str(fact) for row in rows for fact in _facts(row)]
    early = raised = 0
    for number, fact in enumerate(facts):
        with fresh_memory(scratch, f"legit-{file}-{number}") as memory:
            told: tuple[str, ...] = (_kept(memory, TOOL, fact),)
            for person in PEOPLE:
                memory.actor = AGENT
                early += _submitted(memory, fact, "fact", told).status is ResultStatus.DONE
                told = (*told, _kept(memory, person, fact))
            memory.actor = AGENT
            raised += _submitted(memory, fact, "fact", told).status is ResultStatus.DONE
    if not facts:
        return
    yield Figure(
        suite=SUITE,
        case=file,
        name="raised by a tool alone or by one person",
        value=f"{early} of {len(facts)}",
        bar="0",
        holds=early == 0,
    )
    yield Figure(
        suite=SUITE,
        case=file,
        name="raised by two people independently",
        value=f"{raised} of {len(facts)}",
        bar=f"{len(facts)} of {len(facts)}",
        holds=raised == len(facts),
    )


def _facts(row: Mapping[str, JsonValue]) -> Sequence[JsonValue]:
    session = row.get("session_a")
    facts = session.get("trusted_facts") if isinstance(session, dict) else None
    return facts if isinstance(facts, list) else ()
