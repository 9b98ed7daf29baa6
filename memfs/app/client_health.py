"""What ``doctor`` says of coding agents: each configured command is run, not believed.

Commands are tried in a sample store of their own, made for it and thrown away, so that no
sample ends up in anybody's memory and nothing of a memory in a report.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from memfs.agents.contract import EventKind
from memfs.agents.install.calls import PROGRAM, Kinship
from memfs.agents.install.config_files import seen_text
from memfs.agents.install.planning import TWICE, Standing, installed_of
from memfs.agents.install.probing import Stage, try_hook, try_server
from memfs.agents.install.recipes import CLIENTS
from memfs.agents.install.refusals import InstallRefusedError
from memfs.agents.install.samples import SESSION, greeting, payload, transcript_line
from memfs.agents.install.shelf import InstallScope, Recipe
from memfs.agents.install.texts import Part
from memfs.app.container import init_store, open_memory
from memfs.app.installing import Bench, bench
from memfs.errors import MemfsError
from memfs.model.problem import Problem, Severity, problem_from

SAMPLE_WORD: Final = "quillwort"
_SAMPLE: Final = f"The word that the sample store of memfs doctor knows is {SAMPLE_WORD}"
_AT_ONCE: Final = 4
_FOREIGN: Final = (
    "MEMFS",
    "GIT_",
    "CLAUDE",
    "CODEX",
    "CURSOR",
    "GEMINI",
    "ANTIGRAVITY",
    "OPENCODE",
)
"""Variables that would lead a command to a real store or a real project."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientHealth:
    """How one installation stands.

    Attributes:
        client: Name of the client.
        scope: For whom it is installed.
        parts: What is there, in words.
        tried: How many commands were run and did what they should.
        problems: What is wrong.
        notes: What a person has to do, as sentences.
    """

    client: str
    scope: str
    parts: tuple[str, ...]
    tried: int
    problems: tuple[Problem, ...]
    notes: tuple[str, ...] = ()


def examine_clients(start: Path, env: Mapping[str, str]) -> tuple[ClientHealth, ...]:
    """Examines every installation for this account and project, and tries its commands."""
    place = bench(start, env)
    every = [place.recipe(client, scope) for client in CLIENTS for scope in InstallScope]
    found = {(item.client, item.scope): installed_of(item) for item in every}
    if not any(found.values()):
        return ()
    with _stage(env) as stage:
        trial = _Trial(place, env, stage)
        due = [item for item in every if found[item.client, item.scope] or _unreadable(item, place)]
        # Nearly all of it is waiting for the commands.
        with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
            examine = partial(_examined, found=found, trial=trial)
            return tuple(pool.map(examine, due))


class _Trial:
    """Runs commands, each once however often it is configured."""

    def __init__(self, place: Bench, env: Mapping[str, str], stage: Stage) -> None:
        self.place = place
        self.env = env
        self._stage = stage
        self._known: dict[tuple[str, ...], str] = {}

    def fault(self, client: str, kind: EventKind | None, words: Sequence[str]) -> str:
        """Returns what is wrong with a command; empty for nothing.

        Args:
            client: Who runs it.
            kind: The event of a hook; ``None`` for the server.
            words: The command.
        """
        key = (client, str(kind), *words)
        if key not in self._known:
            self._known[key] = self._run(client, kind, words)
        return self._known[key]

    def _run(self, client: str, kind: EventKind | None, words: Sequence[str]) -> str:
        if kind is None:
            return try_server(words, greeting(), self._stage)
        transcript = self._stage.folder.parent / f"{client}.jsonl"
        transcript.write_text(transcript_line(client), encoding="utf-8")
        # A session of its own: what one command was told is not told to the next again.
        digest = hashlib.sha256("\0".join((client, *words)).encode()).hexdigest()[:12]
        given = payload(
            client,
            kind,
            folder=str(self._stage.folder),
            transcript=str(transcript),
            session=f"{SESSION}-{digest}",
        )
        is_answered = kind in (EventKind.SESSION_START, EventKind.PROMPT)
        return try_hook(words, given, self._stage, expected=SAMPLE_WORD if is_answered else "")

    def is_vouched_for(self, words: Sequence[str], kept: Sequence[str]) -> bool:
        """Whether a program is memfs, as far as this account knows.

        A bare name is looked up as a client would look it up, but never in the project.
        """
        found = shutil.which(words[0], path=self.env.get("PATH"))
        if found is None or not Path(found).is_absolute():
            return False
        real = os.path.realpath(found)
        if Path(real).is_relative_to(os.path.realpath(self.place.places.project)):
            return words[0] in kept
        own = (shutil.which(PROGRAM, path=self.env.get("PATH")), sys.argv[0], *kept)
        known = {os.path.realpath(name) for name in own if name and Path(name).is_absolute()}
        return real in known or real == os.path.realpath(sys.executable)


def _examined(
    item: Recipe,
    *,
    found: Mapping[tuple[str, InstallScope], Sequence[Standing]],
    trial: _Trial,
) -> ClientHealth:
    things = found[item.client, item.scope]
    problems = [*_unreadable(item, trial.place), *_doubles(item, things, found)]
    problems += _outdated(item, things)
    tried = 0
    for thing in things:
        if thing.found.kinship is Kinship.MENTION or not thing.found.command:
            continue
        kept = trial.place.keeper.kept(Path(os.path.realpath(thing.path)))
        fault = _fault(item.client, thing, trial, kept.programs if kept is not None else ())
        if fault is None:
            tried += 1
        else:
            problems.append(fault)
    hooks = sum(thing.found.part is Part.HOOKS for thing in things)
    parts = [f"{hooks} hooks"] if hooks else []
    parts += [str(part) for part in Part if part is not Part.HOOKS and _has(things, part)]
    notes = _trust_notes(trial.place, things) if item.client == "codex" and hooks else ()
    return ClientHealth(
        client=item.client,
        scope=str(item.scope),
        parts=tuple(parts),
        tried=tried,
        problems=tuple(problems),
        notes=notes,
    )


def _fault(client: str, thing: Standing, trial: _Trial, kept: Sequence[str]) -> Problem | None:
    words = thing.found.command
    program = shutil.which(words[0], path=trial.env.get("PATH"))
    if program is None:
        return _problem(
            thing,
            "install.program-missing",
            f"expected the program {words[0]}, got none",
            hint=f"memfs install {client} --program /path/to/memfs",
        )
    if not trial.is_vouched_for(words, kept):
        return _problem(
            thing,
            "install.program-unknown",
            f"expected memfs, got {words[0]}, which was not run",
            hint="look at it; memfs install writes its own command",
            severity=Severity.WARNING,
        )
    kinds = [EventKind.SESSION_START] if thing.found.part is Part.PLUGIN else _kinds(words)
    if thing.found.part is not Part.SERVER and not kinds:
        return _problem(
            thing,
            "install.outdated",
            f"expected an event of this version, got {' '.join(words[1:])}",
            hint=f"memfs install {client}",
            severity=Severity.WARNING,
        )
    # The very program that was looked at, whatever its name leads to by then.
    spoken = (program, *words[1:])
    fault = trial.fault(client, kinds[0] if kinds else None, spoken)
    part = thing.found.part
    code = "install.server-fails" if part is Part.SERVER else "install.hook-fails"
    return _problem(thing, code, f"{thing.found.name}: {fault}") if fault else None


def _kinds(words: Sequence[str]) -> list[EventKind]:
    return [kind for kind in EventKind if str(kind) in words]


def _unreadable(item: Recipe, place: Bench) -> list[Problem]:
    """Returns files into which memfs was installed and which do not parse now."""
    problems = []
    for target in item.targets:
        text = seen_text(target.path)
        if text is None or place.keeper.kept(Path(os.path.realpath(target.path))) is None:
            continue
        try:
            target.editor.find(text)
        except InstallRefusedError as error:
            problems.append(problem_from(error, str(target.path)))
    return problems


def _doubles(
    item: Recipe,
    things: Sequence[Standing],
    found: Mapping[tuple[str, InstallScope], Sequence[Standing]],
) -> Iterator[Problem]:
    """Yields what makes memfs answer twice."""
    running = (Part.HOOKS, Part.PLUGIN)
    events = Counter(thing.found.name for thing in things if thing.found.part is Part.HOOKS)
    hint = f"memfs install {item.client}"
    for thing in things:
        if thing.found.part is Part.HOOKS and events.pop(thing.found.name, 0) > 1:
            message = f"expected {thing.found.name} to run memfs once, got it more than once"
            yield _problem(thing, TWICE, message, hint=hint)
    own = {os.path.realpath(target.path) for target in item.targets}
    is_told = item.scope is InstallScope.PROJECT
    every = (*things, *(found[item.client, item.scope.other] if is_told else ()))
    for part, what in ((running, "hooks"), ((Part.INSTRUCTIONS,), "instructions")):
        meant = [thing for thing in every if thing.found.part in part]
        ours = [thing for thing in meant if os.path.realpath(thing.path) in own]
        twins = [thing for thing in meant if os.path.realpath(thing.path) not in own]
        if ours and twins:
            message = f"expected {what} in one place, got them in {twins[0].path} too"
            hint = f"memfs uninstall {item.client} takes out one of them"
            yield _problem(ours[0], TWICE, message, hint=hint)


def _outdated(item: Recipe, things: Sequence[Standing]) -> Iterator[Problem]:
    """Yields what this version would write otherwise."""
    old = [
        thing
        for thing in things
        if thing.found.kinship is Kinship.OTHER and not _is_same_but_placed(thing)
    ]
    if old:
        yield _problem(
            old[0],
            "install.outdated",
            f"expected the {old[0].found.part} of this version, got another",
            hint=f"memfs install {item.client}" + _flag(item),
            severity=Severity.WARNING,
        )
    wanted = {hook.event for target in item.targets for hook in getattr(target.editor, "hooks", ())}
    there = {thing.found.name for thing in things if thing.found.part is Part.HOOKS}
    missing = sorted(wanted - there) if there else []
    if missing:
        first = next(thing for thing in things if thing.found.part is Part.HOOKS)
        yield _problem(
            first,
            "install.incomplete",
            f"expected a hook for each event, got none for {', '.join(missing)}",
            hint=f"memfs install {item.client}" + _flag(item),
            severity=Severity.WARNING,
        )


def _is_same_but_placed(thing: Standing) -> bool:
    """Whether a command differs in where its program is and in nothing else."""
    command = thing.found.command
    return thing.found.part in (Part.HOOKS, Part.SERVER) and len(command) > 1 and "/" in command[0]


def _flag(item: Recipe) -> str:
    return " --user" if item.scope is InstallScope.USER else ""


def _has(things: Sequence[Standing], part: Part) -> bool:
    return any(thing.found.part is part for thing in things)


def _trust_notes(place: Bench, things: Sequence[Standing]) -> tuple[str, ...]:
    """Returns what Codex still waits for, from where it keeps what a person trusted."""
    folder = place.places.folder("CODEX_HOME", place.places.home / ".codex")
    try:
        data = tomllib.loads(seen_text(folder / "config.toml") or "")
    except tomllib.TOMLDecodeError:
        data = {}
    hooks = data.get("hooks")
    state = hooks.get("state") if isinstance(hooks, Mapping) else None
    files = {str(thing.path) for thing in things if thing.found.part is Part.HOOKS}
    trusted = [
        key
        for key, value in (state.items() if isinstance(state, Mapping) else ())
        if any(key.startswith(file) for file in files)
        and isinstance(value, Mapping)
        and value.get("trusted_hash")
    ]
    number = sum(thing.found.part is Part.HOOKS for thing in things)
    if len(trusted) >= number:
        return ("Codex has its hooks on record as trusted; after a change, open /hooks again",)
    return ("pending trust: Codex skips these hooks until they are trusted, open /hooks",)


def _problem(
    thing: Standing,
    code: str,
    message: str,
    *,
    hint: str = "",
    severity: Severity = Severity.ERROR,
) -> Problem:
    return Problem(str(thing.path), thing.found.line, 0, code, message, hint, severity)


@contextmanager
def _stage(env: Mapping[str, str]) -> Iterator[Stage]:
    """Makes a store with one record, and an environment that leads to it and to no other."""
    with tempfile.TemporaryDirectory(prefix="memfs-doctor-") as name:
        root = Path(name).resolve()
        folder = root / "sample"
        folder.mkdir()
        kept = {key: value for key, value in env.items() if not key.startswith(_FOREIGN)}
        stage_env = {
            **kept,
            "MEMFS_HOME": str(root / "home"),
            "MEMFS_CACHE": str(root / "cache"),
        }
        init_store(
            folder=folder,
            env=stage_env,
            is_scripted=True,
            as_principal="user:doctor",
            yes=True,
        )
        with open_memory(
            start=folder, env=stage_env, as_principal="user:doctor", yes=True
        ) as memory:
            memory.remember(_SAMPLE, kind="fact")
        yield Stage(folder=folder, env=stage_env)


def examined(
    start: Path, env: Mapping[str, str]
) -> tuple[tuple[ClientHealth, ...], tuple[Problem, ...]]:
    """Examines installations; an examination that cannot be carried out is a problem itself."""
    try:
        return examine_clients(start, env), ()
    except MemfsError as error:
        return (), (replace(problem_from(error, "clients"), severity=Severity.WARNING),)
    except OSError as error:
        code = "install.not-examined"
        return (), (Problem("clients", 0, 0, code, str(error), "", Severity.WARNING),)
