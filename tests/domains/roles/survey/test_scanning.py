"""A scan on a real store: observed at once, accepted by a person alone, brought up again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memfs.app.container import Memory
from memfs.domains.roles.loading import load_role
from memfs.domains.roles.summaries import freshness
from memfs.domains.roles.summaries.freshness import freshness_of
from memfs.domains.roles.survey import scan_ledger, scanning
from memfs.errors import UsageError
from memfs.model.authority import Authority
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.record_fields import texts_field
from memfs.model.result import ResultStatus
from memfs.model.settings import Mode
from memfs.model.status import Status
from memfs.model.survey import Survey
from memfs.services import apart
from memfs.services.reading import UnknownRecordError
from memfs.services.review import MayNotReviewError
from memfs.store.project_history import NoProjectHistoryError
from tests.support.memory import ANA, git, memory_of, new_project, store_root

CLAUDE = Actor(Principal.parse("agent:claude"), Channel.AGENT)
OTHER = Actor(Principal.parse("agent:other"), Channel.AGENT)
FILES = {
    "harbour/__init__.py": "",
    "harbour/tides.py": "def read():\n    return open('tides.csv').read()\n",
    "tests/test_tides.py": "from harbour.tides import read\n\ndef test_it(): ...\n",
}
LAMP = "from harbour import tides\n\nclass Lamp: ...\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a project whose store the tests of this module share; each has a file of its own."""
    made = new_project(tmp_path_factory.mktemp("scan"))
    for name, text in FILES.items():
        write(made, name, text)
    return made


@pytest.fixture
def claude(project: Path) -> Iterator[Memory]:
    with memory_of(project, CLAUDE) as memory:
        yield memory


@pytest.fixture
def ana(project: Path) -> Iterator[Memory]:
    with memory_of(project, ANA) as memory:
        yield memory


def write(project: Path, name: str, text: str) -> None:
    """Writes a file of the project."""
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text(text, encoding="utf-8")


def head(project: Path) -> str:
    """Returns the commit that the store stands at."""
    return git(store_root(project), "rev-parse", "HEAD").strip()


def scan(memory: Memory, *, propose: int = 64, is_dry: bool = False) -> dict[str, int]:
    """Scans for the role, and returns what happened how often, where it happened."""
    told = memory.scan_project("claude", propose=propose, is_dry=is_dry)
    counts: Any = told.data["counts"]
    return {name: count for name, count in counts.items() if count}


def claims(memory: Memory) -> dict[str, Record]:
    """Returns what the role remembers of the project, by target."""
    loaded = load_role(memory.workspace, memory.workspace.store.snapshot(), "claude", ANA)
    return {str(item.fields["target"]): item for item in loaded.view.memories.values()}


def state(memory: Memory, name: str) -> str:
    """Returns how the claim about a module stands."""
    return str(claims(memory)[f"module:harbour.{name}"].fields["lifecycle"])


def hashes(memory: Memory, name: str) -> tuple[str, ...]:
    """Returns the digests that the claim about a module was read off."""
    return texts_field(claims(memory)[f"module:harbour.{name}"], "source_hashes")


def waiting(memory: Memory, name: str) -> list[str]:
    """Returns the ids of what waits of the claim about a module."""
    identifier = claims(memory)[f"module:harbour.{name}"].id
    return [item.id for item in memory.candidates() if item.record_id == identifier]


def relations(memory: Memory, record: Record) -> set[str]:
    """Returns how a claim bears on others, or they on it."""
    ends = memory.neighbors(record.id, hops=1).links
    return {link.relation for link in ends if record.id in (link.start, link.end)}


def test_a_scan_observes_in_one_commit_with_a_receipt(project: Path, ana: Memory) -> None:
    write(project, "harbour/lamp.py", LAMP)
    before = head(project)
    dry = scan(ana, is_dry=True)
    assert head(project) == before
    told = ana.scan_project("claude", propose=1)
    assert told.status is ResultStatus.DONE
    assert git(store_root(project), "rev-list", "--count", f"{before}..HEAD").strip() == "1"
    receipt = ana.show(str(told.data["receipt"])).record
    details: Any = receipt.fields["details"]
    assert (details["made"], details["role"], str(receipt.scope)) == (
        dry["made"],
        "claude",
        "agent:claude",
    )
    digest = git(project, "hash-object", "harbour/tides.py").strip()
    assert hashes(ana, "tides") == (f"file:harbour/tides.py={digest}",)
    tides = claims(ana)["module:harbour.tides"]
    assert texts_field(tides, "anchors") == ("file:harbour/tides.py", "test:tests/test_tides.py")
    assert (tides.authority, str(tides.scope)) == (Authority.NONE, "agent:claude")
    assert relations(ana, tides) == {"contains", "imports", "tests", "reads"}
    flow = claims(ana)["disk:tides.csv"]
    assert flow.fields["profile"] == "repo_dataflow"
    assert texts_field(flow, "source_hashes") == (f"file:harbour/tides.py={digest}",)
    before = head(project)
    assert ana.scan_project("claude", propose=1).status is ResultStatus.NOTHING
    assert head(project) == before


def test_a_claim_waits_for_a_person_and_no_agent_accepts_it(
    project: Path, claude: Memory, ana: Memory
) -> None:
    write(project, "harbour/buoy.py", "class Buoy: ...\n")
    scan(claude)
    (name,) = waiting(ana, "buoy")
    assert ana.candidate(name)[0].reasons[-1].code == "role.repo-review"
    with pytest.raises(MayNotReviewError):
        claude.accept([name])
    assert state(ana, "buoy") == "proposed"
    assert ana.accept([name])[0].status is ResultStatus.DONE
    assert state(ana, "buoy") == "accepted"


def test_what_is_stale_is_not_accepted_before_another_scan(project: Path, ana: Memory) -> None:
    write(project, "harbour/rope.py", "class Rope: ...\n")
    scan(ana)
    write(project, "harbour/rope.py", "class Rope: ...\nclass Knot: ...\n")
    (refused,) = ana.accept(waiting(ana, "rope"))
    assert (refused.status, refused.reasons[0].code) == (ResultStatus.REFUSED, "role.stale")
    assert state(ana, "rope") == "proposed"
    scan(ana)
    assert ana.accept(waiting(ana, "rope"))[0].status is ResultStatus.DONE
    assert claims(ana)["module:harbour.rope"].title.endswith("defines Rope and Knot")


def test_the_same_words_read_off_other_bytes_stay_accepted(project: Path, ana: Memory) -> None:
    write(project, "harbour/sail.py", "class Sail: ...\n")
    scan(ana)
    ana.accept(waiting(ana, "sail"))
    write(project, "harbour/sail.py", "class Sail: ...  # white\n")
    assert scan(ana)["refreshed"] >= 1
    digest = git(project, "hash-object", "harbour/sail.py").strip()
    assert hashes(ana, "sail") == (f"file:harbour/sail.py={digest}",)
    assert state(ana, "sail") == "accepted"


def test_an_accepted_claim_that_says_otherwise_waits_again(project: Path, ana: Memory) -> None:
    write(project, "harbour/mast.py", "from harbour import tides\nclass Mast: ...\n")
    scan(ana)
    ana.accept(waiting(ana, "mast"))
    write(project, "harbour/mast.py", "class Boom: ...\n")
    scan(ana, propose=0)
    assert state(ana, "mast") == "proposed"
    assert len(waiting(ana, "mast")) == 1
    mast = claims(ana)["module:harbour.mast"]
    assert relations(ana, mast) == {"contains"}
    write(project, "harbour/mast.py", "from harbour import tides\nclass Mast: ...\n")
    scan(ana)
    assert relations(ana, mast) == {"contains", "imports"}


def test_an_edge_comes_back_however_often_it_went(
    project: Path, ana: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scan_ledger, "TURNS", 1)
    for text in ("from harbour import tides\n", "") * 3:
        write(project, "harbour/oar.py", text)
        scan(ana, propose=0)
        oar = claims(ana)["module:harbour.oar"]
        assert ("imports" in relations(ana, oar)) is bool(text)


def test_a_changed_file_makes_a_claim_and_its_edges_stale_at_once(
    project: Path, ana: Memory
) -> None:
    write(project, "harbour/keel.py", "from harbour import tides\nclass Keel: ...\n")
    scan(ana, propose=0)
    keel = claims(ana)["module:harbour.keel"]
    links = [link for link in ana.neighbors(keel.id, hops=1).links if keel.id == link.start]
    edges = [ana.show(link.record).record for link in links]

    def stale() -> frozenset[str]:
        snapshot = ana.workspace.store.snapshot()
        return freshness_of(ana.workspace, snapshot, (keel, *edges), ANA).stale

    assert (stale(), len(edges)) == (frozenset(), 1)
    write(project, "harbour/keel.py", "from harbour import tides\n")
    assert stale() == {keel.id, edges[0].id}


def test_what_was_put_up_and_never_filed_is_filed_by_the_next_scan(
    project: Path, ana: Memory
) -> None:
    write(project, "harbour/reef.py", "class Reef: ...\n")
    scan(ana)
    # As where the process was killed between the commit and the inbox.
    (name,) = waiting(ana, "reef")
    (path,) = (store_root(project) / "inbox").glob(f"*{name[-6:]}.md")
    path.unlink()
    assert waiting(ana, "reef") == []
    before = head(project)
    scan(ana)
    assert len(waiting(ana, "reef")) == 1
    assert head(project) == before


def test_what_a_person_rejected_stays_aside(project: Path, ana: Memory) -> None:
    write(project, "harbour/gull.py", "class Gull: ...\n")
    scan(ana)
    assert ana.reject(waiting(ana, "gull"))[0].status is ResultStatus.DONE
    write(project, "harbour/gull.py", "class Gull: ...\nclass Tern: ...\n")
    scan(ana)
    assert state(ana, "gull") == "retired"
    scan(ana)
    assert state(ana, "gull") == "retired"


def test_what_is_gone_or_broken_is_stale_until_it_is_seen_again(project: Path, ana: Memory) -> None:
    text = "class Anchor: ...\n"
    write(project, "harbour/anchor.py", text)
    scan(ana, propose=0)
    for broken in (None, "def broken(:\n"):
        if broken is None:
            (project / "harbour/anchor.py").unlink()
        else:
            write(project, "harbour/anchor.py", broken)
        scan(ana, propose=0)
        assert state(ana, "anchor") == "stale"
    write(project, "harbour/anchor.py", text)
    scan(ana, propose=0)
    assert state(ana, "anchor") == "observed"


def test_what_was_forgotten_or_retracted_is_not_observed_again(project: Path, ana: Memory) -> None:
    for name in ("crab", "clam"):
        write(project, f"harbour/{name}.py", f"class {name.title()}: ...\n")
    scan(ana, propose=0)
    ids = [claims(ana)[f"module:harbour.{name}"].id for name in ("crab", "clam")]
    ana.forget(ids[:1])
    ana.retract(ids[1])
    scan(ana, propose=0)
    with pytest.raises(UnknownRecordError):
        ana.show(ids[0])
    assert ana.show(ids[1]).record.status is Status.RETRACTED
    assert len(list(store_root(project).glob(f"roles/**/*{ids[1][-6:]}.md"))) == 1


def test_a_role_scans_for_itself_and_a_person_for_any(project: Path, ana: Memory) -> None:
    with memory_of(project, OTHER) as other:
        refused = other.scan_project("claude")
        assert (refused.status, refused.reasons[0].code) == (
            ResultStatus.REFUSED,
            "role.other-role",
        )
        assert other.scan_project(propose=0).status is ResultStatus.DONE
        assert other.scan_project("other", propose=0).status is ResultStatus.NOTHING
    store = ana.workspace
    ana.workspace = replace(store, project_dir=None)
    with pytest.raises(UsageError, match="belongs to none"):
        ana.scan_project("claude")
    ana.workspace = store
    for role, most in (("", 1), ("../x", 1), ("claude", -1), ("claude", 65)):
        with pytest.raises(UsageError):
            ana.scan_project(role, propose=most)


def test_in_shadow_nothing_is_written_and_without_git_s_word_nothing_is_looked_at(
    project: Path, ana: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "harbour/fog.py", "class Fog: ...\n")
    before = head(project)
    shadow = replace(ana.workspace.settings, mode=Mode.SHADOW)
    monkeypatch.setattr(ana, "workspace", replace(ana.workspace, settings=shadow))
    monkeypatch.setattr(ana, "_take_in", lambda: None)
    refused = ana.scan_project("claude")
    assert (refused.status, refused.reasons[0].code) == (ResultStatus.REFUSED, "mode.shadow")
    assert ana.scan_project("claude", is_dry=True).status is ResultStatus.NOTHING
    git_head = (project / ".git" / "HEAD").read_text()
    try:
        (project / ".git" / "HEAD").write_text("broken")
        with pytest.raises(NoProjectHistoryError):
            ana.scan_project("claude", is_dry=True)
    finally:
        (project / ".git" / "HEAD").write_text(git_head)
    assert head(project) == before


def test_what_is_one_file_too_many_counts_as_it_was_and_is_told(
    project: Path, ana: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "harbour/zebra.py", "class Zebra: ...\n")
    scan(ana, propose=0)
    write(project, "harbour/zebra.py", "class Zebra: ...  # changed\n")
    zebra = claims(ana)["module:harbour.zebra"].id
    (status,) = ana.role_status("claude")
    assert (zebra in status.stale.ids, status.unlooked) == (True, 0)
    monkeypatch.setattr(freshness, "MOST_FILES", 2)
    (status,) = ana.role_status("claude")
    assert (status.stale.ids, status.unlooked > 2) == ((), True)
    packet = ana.role_context("claude", kind="repo", budget=64)
    told = f"{status.unlooked} files were not looked at"
    assert f"warning (not-looked-at): {told}" in packet.text
    assert told in ana.summarize_role("claude").message


def beside(
    project: Path, monkeypatch: pytest.MonkeyPatch, *acts: Callable[[Memory], object]
) -> int:
    """Scans while somebody else writes behind each of its decisions; returns how many it made."""
    monkeypatch.setattr(apart, "BRIEF_S", 0.0)
    decided, left = [], list(acts)
    laid = scanning._Scan.laid

    def overtaken(self: Any, seen: Survey, asker: Actor, *, propose: int) -> Any:
        found = laid(self, seen, asker, propose=propose)
        decided.append(found)
        if left:
            # They would wait in vain for the lock if it were held now.
            with memory_of(project, ANA) as other:
                left.pop(0)(other)
        return found

    monkeypatch.setattr(scanning._Scan, "laid", overtaken)
    with memory_of(project, CLAUDE) as claude:
        assert claude.scan_project(propose=0).status is ResultStatus.DONE
    return len(decided)


def test_a_long_scan_is_decided_once_where_others_write_what_does_not_bear_on_it(
    project: Path, ana: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "harbour/wharf.py", "class Wharf: ...\n")
    assert beside(project, monkeypatch, lambda other: other.remember("Ana sails at noon")) == 1
    assert state(ana, "wharf") == "observed"


def test_a_long_scan_is_decided_anew_and_without_the_lock_where_its_ground_moved(
    project: Path, ana: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project, "harbour/quay.py", "class Quay: ...\n")
    scan(ana)
    write(project, "harbour/quay.py", "class Quay: ...\nclass Bollard: ...\n")
    write(project, "harbour/pier.py", "class Pier: ...\n")
    quay = claims(ana)["module:harbour.quay"]
    acts = (lambda other: other.retract(quay.id), lambda other: other.remember("Ana rests at one"))
    assert beside(project, monkeypatch, *acts) == 2
    after = ana.show(quay.id).record
    assert (after.status, after.title) == (Status.RETRACTED, quay.title)
    assert state(ana, "pier") == "observed"


def test_the_check_and_the_audit_are_clean_behind_a_scan(ana: Memory) -> None:
    scan(ana)
    assert [item for item in ana.check() if str(item.severity) == "error"] == []
    assert ana.audit().problems == ()
