"""No secret reaches disk, history or an answer on any way in (A19, A81).

Every token is made at run time.
"""

from __future__ import annotations

import random
import string
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memfs.app.container import Memory
from memfs.errors import MemfsError
from memfs.model.origin import Actor, Channel, Principal
from tests.support.memory import AGENT, ANA, git, memory_of, new_project, record_files, store_root

ALNUM = string.ascii_letters + string.digits
SHAPES = {
    "github": ("gh" + "p_", 36),
    "stripe": ("sk" + "_live_", 24),
    "password": ("pass" + "word: Zq7#", 12),
}
TOOL = Actor(Principal.parse("tool:web"), Channel.TOOL)
WORKSPACE = Actor(Principal.parse("tool:workspace"), Channel.WORKSPACE)

Way = Callable[[Memory, str, Path], object]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return new_project(tmp_path)


@pytest.fixture(params=SHAPES)
def token(request: pytest.FixtureRequest) -> str:
    """A token whose last characters stand nowhere else."""
    head, length = SHAPES[request.param]
    source = random.Random(request.param)
    return head + "Q7" + "".join(source.choice(ALNUM) for _ in range(length - 2))


def _told(memory: Memory, actor: Actor) -> Memory:
    memory.actor = actor
    return memory


def _remembered_by(actor: Actor) -> Way:
    def remember(memory: Memory, token: str, folder: Path) -> object:
        text = f"The deploy job logs in with {token} every night."
        return _told(memory, actor).remember(text)

    return remember


def _captured_by(actor: Actor) -> Way:
    def capture(memory: Memory, token: str, folder: Path) -> object:
        return _told(memory, actor).capture(f"$ deploy\nlogged in with {token}\nok")

    return capture


def _claim_ways() -> Iterator[tuple[str, Way]]:
    for actor in (ANA, AGENT, TOOL, WORKSPACE):
        yield f"remember body, {actor.channel}", _remembered_by(actor)
    for actor in (ANA, AGENT, TOOL):
        yield f"capture, {actor.channel}", _captured_by(actor)
    yield (
        "the source of a capture",
        lambda memory, token, folder: memory.capture("Deploys at night.", source=f"web:{token}"),
    )
    yield (
        "remember title",
        lambda memory, token, folder: memory.remember("Deploys at night.", title=f"Job {token}"),
    )
    yield (
        "remember tag",
        lambda memory, token, folder: memory.remember("Deploys at night.", tags=[token]),
    )
    yield (
        "remember subject",
        lambda memory, token, folder: memory.remember("Deploys at night.", subject=token),
    )
    yield (
        "remember key",
        lambda memory, token, folder: memory.remember("Deploys at night.", key=token),
    )
    yield (
        "propose with a quote",
        lambda memory, token, folder: _told(memory, AGENT).propose(
            "Deploys at night.", quote=token, evidence="ev_01kb8x3v6y0000000000000001"
        ),
    )
    yield "correct", lambda memory, token, folder: memory.correct(_known(memory), f"With {token}.")
    yield (
        "edit",
        lambda memory, token, folder: memory.edit(
            _known(memory), lambda before, suffix: before + f"\nWith {token}.\n".encode()
        ),
    )
    yield "import", lambda memory, token, folder: _imported(memory, token, folder, accept=False)
    yield (
        "accepted import",
        lambda memory, token, folder: _imported(memory, token, folder, accept=True),
    )
    yield (
        "why it is taken back",
        lambda memory, token, folder: memory.retract(_known(memory), why=f"it held {token}"),
    )
    yield (
        "why it is forgotten",
        lambda memory, token, folder: memory.forget([_known(memory)], why=f"it held {token}"),
    )
    yield (
        "what a grant is for",
        lambda memory, token, folder: memory.grant("agent:helper", purposes=[token]),
    )
    yield (
        "a class of a grant",
        lambda memory, token, folder: memory.grant("agent:helper", record_classes=[token]),
    )


WAYS = dict(_claim_ways())


def _known(memory: Memory) -> str:
    return memory.remember("Deploys happen at night.", kind="fact").target


def _imported(memory: Memory, token: str, folder: Path, *, accept: bool) -> object:
    source = folder.parent / "notes"
    source.mkdir()
    (source / "a.md").write_text(f"# Deploys\n\nThe job uses {token}.\n", encoding="utf-8")
    (source / "b.md").write_text("# Reviews\n\nTwo people look.\n", encoding="utf-8")
    return memory.import_path(source, accept=accept)


def _tail(token: str) -> str:
    return token[-10:]


def _everything(project: Path, *, but: Path | None = None) -> bytes:
    """Returns every byte that memfs keeps: files, Git objects unpacked, messages, caches."""
    root = store_root(project)
    files = [path for path in root.rglob("*") if path.is_file() and path != but]
    parts = [path.read_bytes() for path in files]
    parts += [str(path).encode() for path in files]
    objects = git(root, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    shown = subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=root,
        input="\n".join(objects).encode(),
        capture_output=True,
        check=True,
    )
    return b"".join([*parts, shown.stdout])


@pytest.mark.parametrize("way", WAYS)
def test_a_secret_is_kept_nowhere_and_never_said_back(project: Path, way: str, token: str) -> None:
    with memory_of(project) as memory:
        try:
            said = repr(WAYS[way](memory, token, project))
        except MemfsError as error:
            said = f"{error}{error.hint}"
        memory.actor = ANA
        said += repr([item.reasons for item in memory.candidates()])
        said += repr(memory.status())
        memory.accept(None)

    assert _tail(token) not in said
    assert _tail(token).encode() not in _everything(project)


def test_a_hand_edit_with_a_secret_is_named_by_family_and_kept_out(
    project: Path, token: str
) -> None:
    with memory_of(project) as memory:
        memory.remember("Deploys happen at night.", kind="fact")
    path = record_files(project)[0]
    path.write_text(path.read_text(encoding="utf-8") + f"\nWith {token}.\n", encoding="utf-8")
    with memory_of(project) as memory:
        said = repr(memory.reconcile()) + repr(memory.status()) + repr(memory.check())
        memory.accept(None)

    assert "screening.secret" in said
    assert _tail(token) not in said
    assert _tail(token).encode() not in _everything(project, but=path)


def test_settings_never_hold_a_secret(project: Path, token: str) -> None:
    path = store_root(project) / "memfs.yaml"
    path.write_text(path.read_text(encoding="utf-8") + f"\n# {token}\n", encoding="utf-8")
    with memory_of(project) as memory:
        said = repr(memory.reconcile()) + repr(memory.status()) + repr(memory.accept(None))

    assert _tail(token) not in said
    assert _tail(token).encode() not in _everything(project, but=path)


def test_the_hook_before_a_commit_by_hand_refuses_it_without_the_value(
    project: Path, token: str
) -> None:
    with memory_of(project) as memory:
        memory.remember("Deploys happen at night.", kind="fact")
    root = store_root(project)
    path = record_files(project)[0]
    path.write_text(path.read_text(encoding="utf-8") + f"\nWith {token}.\n", encoding="utf-8")
    (root / "notes.txt").write_text(f"With {token}.\n", encoding="utf-8")
    git(root, "add", str(path), "notes.txt")
    with memory_of(project) as memory:
        problems = memory.check_staged()

    assert {problem.path for problem in problems if problem.code == "screening.secret"} == {
        path.relative_to(root).as_posix(),
        "notes.txt",
    }
    assert _tail(token) not in repr(problems)


def test_a_candidate_that_was_forged_with_a_secret_is_refused_in_review(
    project: Path, token: str
) -> None:
    with memory_of(project, AGENT) as memory:
        memory.propose("Deploys happen at night.")
    waiting = next((store_root(project) / "inbox").glob("*.md"))
    text = waiting.read_text(encoding="utf-8")
    waiting.write_text(text.replace("at night", f"with {token}"), encoding="utf-8")
    with memory_of(project) as memory:
        said = repr(memory.accept(None))

    assert _tail(token) not in said
    assert not record_files(project)


def test_the_name_of_an_agent_is_no_place_for_a_token(project: Path) -> None:
    head, _ = SHAPES["github"]
    token = f"{head}{'Q7aZ' * 9}"
    agent = Actor(Principal.parse(f"agent:{token}"), Channel.AGENT)
    with memory_of(project, agent) as memory:
        said = repr(memory.propose("Deploys at night."))

    assert "screening.secret" in said
    assert _tail(token) not in said
    assert _tail(token).encode() not in _everything(project)


def test_a_record_that_an_older_version_let_in_can_be_forgotten_without_saying_it(
    project: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with memory_of(project) as memory:
        with monkeypatch.context() as older:
            older.setattr("memfs.policy.screening.scan_secrets", lambda text: ())
            older.setattr("memfs.services.plain_words.scan_secrets", lambda text: ())
            reference = memory.remember("Deploys at night.", title=f"Job {token}").target
        result = memory.forget([reference])

    subject = git(store_root(project), "log", "-1", "--format=%s%n%b")
    assert result.status == "done"
    assert _tail(token) not in subject
