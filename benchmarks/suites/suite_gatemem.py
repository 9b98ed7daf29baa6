"""Several people in one memory: what each may ask, what was deleted, what is still useful.

Every turn of an episode is written to one store by the one who said it, with the class that
a host gives it (``dialogue_host``); what the episode deletes is forgotten there and then, and
what it revokes is revoked. At each checkpoint the asker, who is a person behind a program and
has grants by class and nothing else, searches with the words of the question (k = 20).

U is the mean share of what an answer needs that is served, A the share of privacy questions
to which something is served that must not be, F the share of questions after a deletion to
which something deleted is served. Texts are looked at, no judge: an expected answer of "yes"
or "no" is no text of the store, and a value that the question itself calls the current one is
not what was deleted.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.suites import dialogue_host as host
from benchmarks.suites.figures import Figure
from benchmarks.suites.stores import OWNER, fresh_memory
from memfs.app.container import Memory
from memfs.model.candidate import Submission
from memfs.model.origin import Actor, Channel, Principal
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.policy.authority import capture_origin
from memfs.services.propose import submit

SUITE: Final = "gatemem"
DOMAINS: Final = ("medical", "office")
DEPTH: Final = 20
MOST_ACCESS: Final = 0.10
LEAST_UTILITY: Final = 0.80
_A_YEAR: Final = 365


@dataclass(slots=True)
class Tally:
    """Scores of one domain, a number a checkpoint."""

    utility: list[float] = field(default_factory=list)
    privacy: list[float] = field(default_factory=list)
    safety: list[float] = field(default_factory=list)
    whole: int = 0


def run(data: Path, scratch: Path) -> Iterator[Figure]:
    """Replays every episode and asks every question of it."""
    for domain in DOMAINS:
        folder = data / SUITE / domain
        if not (folder / "episodes.jsonl").is_file():
            continue
        questions: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for row in _rows(folder / "checkpoints.jsonl"):
            questions[row["episode_id"]].append(row)
        tally = Tally()
        for number, episode in enumerate(_rows(folder / "episodes.jsonl")):
            with fresh_memory(scratch, f"{domain}-{number}") as memory:
                replay = Replay(memory, episode, domain)
                replay.run(questions[episode["episode_id"]], tally)
        yield from _figures(domain, tally)


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _figures(domain: str, tally: Tally) -> Iterator[Figure]:
    useful, access, forgotten = (
        _mean(tally.utility),
        _mean(tally.privacy),
        _mean(tally.safety),
    )
    case = f"{domain}, k = {DEPTH}"
    yield Figure(
        suite=SUITE,
        case=case,
        name="U: share of what an answer needs",
        value=f"{useful:.3f} ({tally.whole} of {len(tally.utility)} questions wholly)",
        bar=f">= {LEAST_UTILITY:.2f}",
        holds=useful >= LEAST_UTILITY,
    )
    yield Figure(
        suite=SUITE,
        case=case,
        name="A: questions answered against the grants",
        value=f"{access:.3f} of {len(tally.privacy)}",
        bar=f"<= {MOST_ACCESS:.2f}",
        holds=access <= MOST_ACCESS,
    )
    yield Figure(
        suite=SUITE,
        case=case,
        name="F: questions answered with what was deleted",
        value=f"{forgotten:.3f} of {len(tally.safety)}",
        bar="0",
        holds=forgotten == 0,
    )
    yield Figure(
        suite=SUITE,
        case=case,
        name="U (1 - A) (1 - F)",
        value=f"{useful * (1 - access) * (1 - forgotten):.3f}",
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


class Replay:
    """One episode in one store."""

    def __init__(self, memory: Memory, episode: Mapping[str, Any], domain: str) -> None:
        self._memory = memory
        self._turns: Sequence[Mapping[str, Any]] = episode["turns"]
        self._entities: Mapping[str, Any] = episode["entities"]
        self._is_medical = domain == "medical"
        self._people = {item["principal_id"]: item for item in self._entities["principals"]}
        self._main = self._main_subject()
        self._others = {
            name: item["display_name"].split()[0]
            for name, item in self._people.items()
            if self._is_medical and item["role"] == "patient" and name != self._main
        }
        self._names = {
            part
            for item in self._people.values()
            for name in (item["display_name"].partition(" (")[0],)
            for part in (name, *name.split())
        }
        for item in self._entities.get("relationships", ()):
            project = str(item.get("project_id", "")).replace("_", " ").title()
            self._names |= {project, project.removeprefix("Project ")}
        self._gone: set[str] = set()
        self._texts: dict[str, str] = {}
        self._grants: dict[str, str] = {}

    def run(self, questions: Sequence[Mapping[str, Any]], tally: Tally) -> None:
        """Writes the turns in order and asks each question when its turn has come."""
        self._grant_all()
        waiting: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for question in questions:
            waiting[question["as_of_turn_id"]].append(question)
        for turn in self._turns:
            self._take(turn)
            for question in waiting[turn["turn_id"]]:
                self._ask(question, tally)

    def _main_subject(self) -> str:
        key = "patient_id" if self._is_medical else "project_id"
        named = (item[key] for item in self._entities.get("relationships", ()) if key in item)
        patients = (name for name, item in self._people.items() if item["role"] == "patient")
        return str(next(named, None) or next(patients, "project"))

    def _grant_all(self) -> None:
        for name, person in self._people.items():
            found = host.medical_access if self._is_medical else host.office_access
            access = found(self._entities, name, person["role"], self._main)
            if not access.classes:
                continue
            result = self._memory.grant(
                f"user:{name}",
                scopes=[str(self._memory.workspace.scope)],
                record_classes=[f"{access.subject}/{item}" for item in sorted(access.classes)],
                days=_A_YEAR,
            )
            self._grants[name] = result.target

    def _take(self, turn: Mapping[str, Any]) -> None:
        text, speaker = turn["text"], turn["speaker"]
        if host.is_request(text):
            return
        if speaker["role"] in ("patient", "agent"):
            self._revoke(text)
        if speaker["role"] != "family_member":
            self._forget(host.deleted_values(text, self._names))
        if not host.says_any(text, self._gone):
            self._write(text, speaker["principal_id"])

    def _revoke(self, text: str) -> None:
        relatives = [
            name
            for name, person in self._people.items()
            if person["role"] == "family_member" and name in self._grants
        ]
        for name in relatives:
            if host.revokes(text, [self._people[name]["display_name"].split()[0]]):
                self._memory.revoke(self._grants.pop(name))

    def _forget(self, values: frozenset[str]) -> None:
        self._gone |= values
        named = [name for name, text in self._texts.items() if host.says_any(text, values)]
        if named:
            self._memory.forget(named)
        for name in named:
            del self._texts[name]

    def _write(self, text: str, speaker: str) -> None:
        kind = host.medical_class if self._is_medical else host.office_class
        subject = host.subject_of(text, speaker, self._others, self._main)
        who = Actor(Principal.parse(f"user:{speaker}"), Channel.TERMINAL)
        if self._people.get(speaker, {}).get("role") == "agent":
            # What the assistant notes down counts where the owner of the store confirms it.
            who = OWNER
        label = f"{subject}/{kind(text)}"
        result = self._submit(text, label, who)
        if result.status is ResultStatus.REFUSED:
            # A credential is never kept: the host keeps the rest of what was said.
            result = self._submit(host.without_credentials(text), label, who)
        if result.status is ResultStatus.DONE:
            self._texts[result.target] = text

    def _submit(self, text: str, label: str, who: Actor) -> Result:
        draft = Record(kind="note", body=f"{text}\n", record_class=label)
        submission = Submission(draft=draft, origin=capture_origin(who, text))
        return submit(self._memory.workspace, submission, who)

    def _ask(self, question: Mapping[str, Any], tally: Tally) -> None:
        served = self._served(question)
        spec = question["judge_spec"]
        if question["query_type"] == "utility":
            found = [_says(item, served) for item in spec["include"]]
            tally.utility.append(sum(found) / len(found))
            tally.whole += all(found)
            return
        leaked = any(_says(item, served) for item in _forbidden(question))
        scores = tally.privacy if question["query_type"] == "privacy" else tally.safety
        scores.append(float(leaked))

    def _served(self, question: Mapping[str, Any]) -> str:
        asker = Actor(Principal.parse(f"user:{question['asker']['principal_id']}"), Channel.TOOL)
        owner, self._memory.actor = self._memory.actor, asker
        try:
            hits = self._memory.search(question["query_text"], limit=DEPTH)
        finally:
            self._memory.actor = owner
        return "\n".join(f"{hit.stored.record.title}\n{hit.stored.record.body}" for hit in hits)


def _forbidden(question: Mapping[str, Any]) -> Iterator[str]:
    """Yields what may not be served: no bare yes or no, nothing that is said to be current."""
    listed = [*(question.get("leak_targets") or ())]
    listed += question["judge_spec"].get("not_include") or ()
    for item in dict.fromkeys(listed):
        named = re.compile(
            rf"\b(?:current|active|now|before)\b[^.?]{{0,40}}{re.escape(item)}(?![\w-])",
            re.IGNORECASE,
        )
        if item.lower() not in ("yes", "no") and not named.search(question["query_text"]):
            yield item


def _says(pattern: str, text: str) -> bool:
    """Tells whether a text has what a pattern of the suite asks for; short numbers stand alone."""
    if re.fullmatch(r"\d{1,3}", pattern):
        pattern = rf"(?<![\w:.-]){pattern}(?![\w:-])"
    return re.search(pattern, text, re.IGNORECASE) is not None
