"""What a role remembers as readers get it from a store: packets, how it stands, all in one look."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memfs.app.container import Memory
from memfs.cli.entry import main
from memfs.domains.roles.packets.operator_view import OperatorView, view_value
from memfs.domains.roles.packets.packet_words import packet_value
from memfs.domains.roles.packets.packets import RolePacket
from memfs.domains.roles.packets.role_status import status_value
from memfs.errors import MemfsError, UsageError
from memfs.model.authority import Sensitivity
from memfs.model.candidate import Submission
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.role import role_scope
from memfs.model.settings import Mode
from memfs.policy.authority import capture_origin
from memfs.policy.role_cuts import PacketKind
from memfs.services.propose import submit
from tests.support.memory import ANA, memory_of, new_project
from tests.support.protocol import answered, asked_by_name
from tests.support.roles import REASON, WHOLE, proposal, whole
from tests.support.roles import memory as memory_draft

PLAIN: dict[str, Any] = {**WHOLE, "anchors": ["anchor:missing"]}
NUMBERS = iter(range(10_000))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a project whose store the tests of this module share; each has a role of its own."""
    return new_project(tmp_path_factory.mktemp("pictures"))


@pytest.fixture
def ana(project: Path) -> Iterator[Memory]:
    with memory_of(project, ANA) as memory:
        yield memory


def agent(name: str) -> Actor:
    """Returns an agent, and with it a role."""
    return Actor(Principal.parse(f"agent:{name}"), Channel.AGENT)


def apply(project: Path, role: str, name: str, **members: Any) -> str:
    """Applies one operation as a role; returns what it made or changed first."""
    number = next(NUMBERS)
    named = {"topic": f"topic {number}", "claim": f"Ana took boat {number}"}
    fields = {**PLAIN, **named, **members}
    with memory_of(project, agent(role)) as memory:
        result = memory.apply_operation("", whole(name, **fields))
    assert result.data.get("receipt"), result
    return result.target


def bare(project: Path, role: str, name: str, **members: Any) -> None:
    """Applies one operation that names memories."""
    with memory_of(project, agent(role)) as memory:
        result = memory.apply_operation("", proposal(name, **members))
    assert result.data.get("receipt"), result


def stated(memory: Memory, **fields: Any) -> str:
    """Has a person state a memory with labels of its own; returns its id."""
    labels = {name: fields.pop(name) for name in ("sensitivity", "record_class") if name in fields}
    draft = replace(memory_draft(**fields), **labels)
    given = Submission(draft=draft, origin=capture_origin(ANA, draft.title), is_typed=True)
    result = submit(memory.workspace, given, ANA)
    target = result.target
    return memory.accept([target])[0].target if target.startswith("cand_") else target


def said(packet: RolePacket) -> str:
    """Returns all that a packet says, as data and as text."""
    return json.dumps(packet_value(packet), ensure_ascii=False) + packet.text


def all_of(memory: Memory, role: str) -> str:
    """Returns all that a reader gets of a role, by every way that there is."""
    packets = [
        said(memory.role_context(role, kind=kind, budget=64, include_retired=True))
        for kind in PacketKind
    ]
    status = json.dumps([status_value(one) for one in memory.role_status(role)])
    return "".join((*packets, status, json.dumps(view_value(memory.show_role(role, is_all=True)))))


def test_a_role_gets_nothing_of_another_until_it_is_shared(project: Path, ana: Memory) -> None:
    made = apply(project, "heron", "RecordShortTermMemory", claim="Ana keeps a marmoset")
    apply(project, "heron", "UpsertAgencyPressure", intensity=0.9, obligated=True)
    with memory_of(project, agent("heron")) as heron:
        heron.nap_role("heron")
    with memory_of(project, agent("wren")) as wren:
        before, never = all_of(wren, "heron"), all_of(wren, "never")
        assert before.replace("heron", "R") == never.replace("never", "R")
        assert made not in before
        assert [one.role for one in wren.role_status()] == ["wren"]
        coordinator = wren.role_context(kind="coordinator")
        assert (coordinator.cards, coordinator.obligations.ids) == ((), ())
    ana.grant("agent:wren", scopes=["agent:heron"], kinds=["role_memory"], days=1)
    with memory_of(project, agent("wren")) as wren:
        packet = wren.role_context("heron")
        assert [card.record.id for card in packet.cards if card.lane == "short-term"] == [made]
        assert [card.lane for card in wren.role_context(kind="coordinator").cards] == [
            "obligations"
        ]
        assert packet.receipts.ids == ()
    with memory_of(project, agent("stork")) as stork:
        assert made not in all_of(stork, "heron")


def test_what_is_confidential_goes_to_a_person_and_changes_no_count_for_its_role(
    project: Path, ana: Memory
) -> None:
    apply(project, "finch", "RecordShortTermMemory")
    with memory_of(project, agent("finch")) as finch:
        before = json.dumps([status_value(one) for one in finch.role_status()])
        packets = [finch.role_context(kind=kind) for kind in PacketKind]
    hidden = stated(
        ana,
        scope=role_scope("finch"),
        title="A vermilion marmoset",
        sensitivity=Sensitivity.CONFIDENTIAL,
    )
    with memory_of(project, agent("finch")) as finch:
        told = all_of(finch, "finch")
        assert hidden not in told
        assert "vermilion" not in told
        assert json.dumps([status_value(one) for one in finch.role_status()]) == before
        again = [finch.role_context(kind=kind) for kind in PacketKind]
        assert [p.cards for p in again] == [p.cards for p in packets]
    assert "vermilion" in all_of(ana, "finch")
    # An edge with an end that is not for the reader is not there, whoever drew it.
    links = [{"relation": "supports", "to": hidden, "claim": "it bears it out"}]
    said = {**PLAIN, "topic": "cutter", "claim": "Ana took the cutter", "links": links}
    done = ana.apply_operation("finch", whole("RecordShortTermMemory", **said))
    (edge,) = list(done.data["edges"])  # type: ignore[arg-type]
    assert str(edge) in all_of(ana, "finch")
    with memory_of(project, agent("finch")) as finch:
        told = all_of(finch, "finch")
        assert done.target in told
        assert str(edge) not in told
        assert hidden not in told


def test_what_was_forgotten_is_in_no_packet_and_what_led_to_it_is_named_as_missing(
    project: Path, ana: Memory
) -> None:
    gone = apply(project, "crane", "RecordShortTermMemory", claim="A cobalt marmoset")
    links = [{"relation": "supports", "to": gone, "claim": "the one for the other"}]
    kept = apply(project, "crane", "RecordShortTermMemory", anchors=[f"memory:{gone}"], links=links)
    with memory_of(project, agent("crane")) as crane:
        packet = crane.role_context()
        assert {card.record.id for card in packet.cards} >= {gone, kept}
        assert "edge" in {str(card.sort) for card in packet.cards}
        assert packet.missing.ids == ()
    ana.forget([gone])
    for reader in (agent("crane"), ANA):
        with memory_of(project, reader) as memory:
            packet = memory.role_context("crane", include_retired=True)
            assert [card.record.id for card in packet.cards] == [kept]
            assert packet.missing.ids == (gone,)
            assert "cobalt" not in all_of(memory, "crane")
    ana.grant("agent:wren", scopes=["agent:crane"], kinds=["role_memory"], days=1)
    with memory_of(project, agent("wren")) as wren:
        assert wren.role_context("crane").missing.ids == ()


def test_only_ready_words_with_nothing_closed_behind_them_are_public(
    project: Path, ana: Memory
) -> None:
    def queued(words: str, **members: Any) -> str:
        fields = {"intent": "speech", "words": words, "confidence": 0.9, "salience": 0.8}
        return apply(project, "swift", "QueueCandidateIntervention", **{**fields, **members})

    source = apply(project, "swift", "RecordShortTermMemory", confidence=0.9)
    shut = ana.remember("Ben sails on Sundays", kind="fact", sensitivity="confidential").target
    (kept,) = ana.accept([shut])
    shut = kept.target
    lost = ana.remember("The harbour master has retired", kind="fact").target
    fallen = apply(project, "swift", "RecordShortTermMemory", topic="fallen")
    open_words = queued("The release is out.", anchors=[f"memory:{source}"])
    queued("The harbour is closed.", anchors=[f"claim:{lost}"])
    queued("The tide fell.", anchors=[f"memory:{fallen}"])
    queued("Perhaps it rains.", confidence=0.4, anchors=["file:a.md"])
    queued("A note to nobody.", intent="note")
    named = {"topic": "ben", "claim": "Ben is out", "anchors": [f"claim:{shut}"]}
    worth = {"intent": "speech", "words": "Ben is out.", "confidence": 0.9, "salience": 0.8}
    secret = whole("QueueCandidateIntervention", **{**PLAIN, **named, **worth})
    done = ana.apply_operation("swift", secret)
    assert done.data.get("receipt"), (done.message, shut)
    far = whole("RecordShortTermMemory", **{**PLAIN, **named, "topic": "far"})
    through = ana.apply_operation("swift", far).target
    queued("Nobody sails today.", anchors=[f"memory:{through}"])
    ana.forget([lost, fallen])
    with memory_of(project, agent("swift")) as swift:
        packet = swift.role_context(kind="public")
        assert [card.record.id for card in packet.cards] == [open_words]
        assert dict(packet.withheld) == {"not-ready": 2, "unseen": 3}
        told = said(packet)
    for word in ("harbour", "rains", "nobody.", "sails", "Ben", "boat", source, shut):
        assert word not in told, word
    person = ana.role_context("swift", kind="public")
    assert [card.record.id for card in person.cards] == [open_words]
    assert dict(person.withheld) == {"not-ready": 2, "sensitive": 2, "unseen": 1}


def test_a_coordinator_gets_what_presses_what_is_stale_what_is_owed_and_what_was_done(
    project: Path, ana: Memory
) -> None:
    note = project / "notes.md"
    note.write_text("one\n", encoding="utf-8")
    digest = "file:notes.md=5626abf0f72e58d7a153368ba57db4c673c0e171"
    read = apply(project, "tern", "RecordShortTermMemory", anchors=["file:notes.md"],
                 source_hashes=[digest])  # fmt: skip
    owed = apply(project, "tern", "UpsertAgencyPressure", intensity=0.1, obligated=True)
    with memory_of(project, agent("tern")) as tern:
        packet = tern.role_context(kind="coordinator")
        assert (packet.cards[0].lane, packet.cards[0].record.id) == ("obligations", owed)
        note.write_text("two\n", encoding="utf-8")
        packet = tern.role_context(kind="coordinator")
        assert [(c.lane, c.record.id) for c in packet.cards if c.lane != "receipts"] == [
            ("obligations", owed), ("stale", read),
        ]  # fmt: skip
        assert {str(item.code): item.ids for item in packet.cautions}["stale"] == (read,)
        assert len(packet.receipts.ids) == 2
        assert [item.reference for item in (tern.show(owed).record,)] == list(
            packet.obligations.ids
        )
    every = ana.role_context(kind="coordinator", budget=64)
    lanes = {card.lane for card in every.cards}
    assert lanes >= {"obligations", "stale", "receipts"}
    assert owed in said(every)
    assert "· tern" in every.text
    assert len(every.cards) <= 64
    one = ana.role_context("tern", kind="coordinator", budget=3)
    assert [card.lane for card in one.cards] == ["obligations", "stale", "receipts"]


def test_the_view_shows_all_of_a_role_with_its_lineage_and_what_is_decided_now(
    project: Path, ana: Memory
) -> None:
    first = apply(project, "robin", "RecordShortTermMemory", topic="builds")
    durable = apply(project, "robin", "ApplyMemoryDistillation", sources=[first], topic="builds")
    second = apply(project, "robin", "RecordShortTermMemory", topic="tests")
    thread = apply(project, "robin", "MergeIncubationSupport", sources=[second], topic="tests")
    pressure = apply(project, "robin", "UpsertAgencyPressure", intensity=0.8)
    candidate = apply(project, "robin", "QueueCandidateIntervention", intent="speech", words="Hm.",
                      answers=[pressure])  # fmt: skip
    third = apply(project, "robin", "RecordShortTermMemory")
    fourth = apply(project, "robin", "RecordShortTermMemory", anchors=["file:x.md"])
    bare(project, "robin", "PruneShortTermMemory", memories=[third], **REASON)
    view = ana.show_role("robin")
    lines = _lines(view)
    assert lines.keys() == {durable, thread, pressure, candidate, fourth}
    assert lines[durable].lineage == (f"distills {first}",)
    assert lines[thread].notes[0].startswith("support 1, maturity ")
    assert lines[thread].notes[0].endswith("of 0.55")
    assert lines[candidate].notes == ("speech: hold (row unanchored)",)
    assert lines[candidate].lineage == (f"triggered, from {pressure}",)
    assert lines[pressure].notes == ("intensity 0.80",)
    assert {part.name: part.aside for part in view.parts if part.aside} == {"short-term": 3}
    assert [record.fields["operation"] for record in view.receipts][:1] == ["PruneShortTermMemory"]
    assert _lines(ana.show_role("robin", is_all=True))[third].notes == ("put aside: low-value",)
    with memory_of(project, agent("robin")) as robin:
        assert robin.show_role().receipts == view.receipts
        assert _lines(robin.show_role()) == lines


def _lines(view: OperatorView) -> dict[str, Any]:
    return {line.record.id: line for part in view.parts for line in part.lines}


def test_what_waits_for_a_person_is_named_as_a_gate(project: Path, ana: Memory) -> None:
    first = apply(project, "lark", "RecordShortTermMemory")
    durable = apply(project, "lark", "ApplyMemoryDistillation", sources=[first])
    said = {**PLAIN, "claim": "The lark is careful", "sources": [durable]}
    text = whole("CrystallizeMemoryIntoIdentity", **said)
    with memory_of(project, agent("lark")) as lark:
        waiting = lark.apply_operation("", text).target
        gates = {gate.id: gate.code for gate in lark.role_context().gates}
        assert gates == {waiting: "role.identity-review"}
        told = [line for line in lark.role_context().text.splitlines() if "- waits" in line]
        assert len(told) == 1
        assert told[0].endswith(waiting)
        assert lark.role_status()[0].waiting == 1
    with memory_of(project, agent("wren")) as wren:
        assert wren.role_context("lark").gates == ()
    assert ana.role_status("lark")[0].gates[0].id == waiting


@pytest.fixture
def printed(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command of ``memfs`` in the project: its exit number, its data, its talk."""
    monkeypatch.chdir(project)

    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main(words)
        return (status, *capsys.readouterr())

    return run


def test_the_commands_work_on_a_plain_store_and_without_anything_derived(
    project: Path, printed: Callable[..., tuple[int, str, str]]
) -> None:
    apply(project, "grebe", "RecordShortTermMemory")
    apply(project, "grebe", "RecordShortTermMemory")
    who = ("--as", "agent:grebe")
    asked: tuple[tuple[str, ...], ...] = (
        ("memory-context", *who),
        ("memory-context", *who, "--kind", "repo", "--budget", "0", "--json"),
        ("memory-status", *who, "--json"),
        ("role", "show", *who),
    )
    first = [printed(*words) for words in asked]
    assert [status for status, *_ in first] == [0, 0, 0, 0], first
    assert first[0][1].endswith("</memfs-packet>\n")
    assert json.loads(first[1][1])["budget"] == 1
    assert json.loads(first[2][1])[0]["open_short_term"] == 2
    with memory_of(project) as memory:
        cache = memory.workspace.cache_dir
    shutil.rmtree(cache)
    assert [printed(*words) for words in asked] == first
    status, _, talk = printed("memory-context", "--as", "user:ana", "--yes")
    assert (status, "expected a role" in talk) == (2, True)


def test_every_output_tells_evidence_apart_from_what_is_only_remembered(
    project: Path, printed: Callable[..., tuple[int, str, str]]
) -> None:
    other = apply(project, "avocet", "RecordShortTermMemory")
    seen, thought = "file:docs/avocet.md", f"memory:{other}"
    links = [{"relation": "supports", "to": other, "claim": "it bears it out",
              "anchors": [thought, seen]}]  # fmt: skip
    both = {"anchors": [thought, seen], "confidence": 0.9}
    made = apply(project, "avocet", "RecordShortTermMemory", links=links, **both)
    speech = {"intent": "speech", "words": "The avocet is back."}
    apply(project, "avocet", "QueueCandidateIntervention", **both, **speech)
    asked: list[tuple[str, ...]] = [
        ("memory-context", "--include-retired", "--kind", str(kind)) for kind in PacketKind
    ]
    asked += [("memory-status",), ("role", "show", "--all"), ("review", "list")]
    asked += [("list", "--kind", "role_memory"), ("search", "Ana took boat"), ("list",)]
    asked += [("role", "summarize"), ("role", "nap")]
    asked += [(verb, made) for verb in ("show", "expand", "neighbors", "explain", "similar")]
    told = {"avocet": 0, "json": 0}
    for words in asked:
        for more in ((), ("--json",)):
            status, text, talk = printed(*words, "--as", "agent:avocet", *more)
            assert (status, talk.count("Traceback")) == (0, 0), (words, talk)
            if more:
                told["json"] += _apart(json.loads(text), seen, thought)
            else:
                told["avocet"] += _apart(text, seen, thought)
    with memory_of(project, agent("avocet")) as avocet:
        cards = answered(avocet, "memory_search", {"where": "role", "query": "role"}).text
        assert _apart(cards, seen, thought) >= 2
        assert cards.splitlines()[-1] == "</memfs-packet>"
        odd = answered(avocet, "memory_search", {"where": "role", "query": "everything"})
        assert "expected a kind of repo, role, public, coordinator" in odd.text
        answers = json.dumps(asked_by_name(avocet, made), ensure_ascii=False, default=str)
    assert _apart(answers.replace("\\n", "\n"), seen, thought)
    # What has to have been there to be told apart at all.
    assert told["avocet"] >= 6
    assert told["json"] >= 6


def _apart(value: Any, seen: str, thought: str, key: str = "") -> int:
    """Looks through an output; returns how often it told evidence."""
    if isinstance(value, dict):
        fields = value.get("fields")
        if isinstance(fields, dict) and "anchors" in fields:
            # The fields of the file stand as they are, and what they come to beside them.
            value = {name: part for name, part in value.items() if name != "fields"}
            assert value["anchors"].keys() == {"evidence", "remembered", "missing"}
        return sum(_apart(part, seen, thought, name) for name, part in value.items())
    if isinstance(value, list):
        assert seen not in value or key == "evidence", key
        assert thought not in value or key == "remembered", key
        inner = (item for item in value if item not in (seen, thought))
        return (seen in value) + sum(_apart(item, seen, thought) for item in inner)
    lines = str(value).splitlines()
    for line in lines:
        assert seen not in line or "evidence" in line or "check by" in line, line
        assert thought not in line or "remembered" in line, line
        assert not (seen in line and thought in line), line
    return sum(seen in line for line in lines)


def test_a_role_and_a_kind_are_named_as_they_are(ana: Memory) -> None:
    for role in ("no such:name", "../../etc", "a" * 200):
        for ask in (ana.role_context, ana.role_status, ana.show_role):
            with pytest.raises(UsageError):
                ask(role)
    with pytest.raises(UsageError):
        ana.role_context("heron", kind="everything")
    empty = ana.role_context("nobody", kind="repo", budget=64)
    assert (empty.cards, empty.text) == ((), "")
    odd = whole("RecordShortTermMemory", **{**PLAIN, "claim": "Ana took the ferry"})
    for role in ("Team/b", "TEAM/b"):
        made = ana.apply_operation(role, odd.replace("ferry", f"ferry of {role}"))
        packet = ana.role_context(role, kind="role")
        assert [card.record.id for card in packet.cards] == [made.target]


def test_nothing_goes_out_where_memory_is_off_or_its_namespace_is_polluted(
    project: Path, ana: Memory
) -> None:
    made = apply(project, "snipe", "RecordShortTermMemory")
    ana.pollute("agent:snipe", cause="it repeats what it was told")
    for reader in (agent("snipe"), ANA):
        with memory_of(project, reader) as memory:
            assert made not in all_of(memory, "snipe")
    ana.clear("agent:snipe")
    with memory_of(project, agent("snipe")) as snipe:
        assert made in all_of(snipe, "snipe")
        settings = replace(snipe.workspace.settings, mode=Mode.OFF)
        snipe.workspace = replace(snipe.workspace, settings=settings)
        for ask in (snipe.role_context, snipe.role_status, snipe.show_role):
            with pytest.raises(MemfsError):
                ask("snipe")
