"""What a sleep of a role costs as its short-term memory grows, and whether its account adds up.

A made-up conversation of three weeks: themes that come again, single remarks, questions, small
talk. It is slept over twice, each time in a store of its own: by a script that says for each
memory what becomes of it, with invalid proposals among its lines, and by the rules. Beside it the
floor: the same memories read once and committed once in another state, with nothing decided.

    python -m benchmarks.role_sleep [--memories 1000 3000 10000]
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from benchmarks.corpus import environment, files_of, fill, project_with
from memfs.app.memory import Memory
from memfs.app.opening import open_workspace
from memfs.app.registry import REGISTRY
from memfs.app.system import encode_ulid
from memfs.domains.roles.loading import load_role
from memfs.formats.record_codec import update_record
from memfs.model.decision import Decision, Verdict
from memfs.model.operation import FileChange, OperationKind, Plan
from memfs.model.origin import SYSTEM_ACTOR, Actor, Channel, Origin, OriginClass, Principal
from memfs.model.record import Record
from memfs.model.result import Result, ResultStatus
from memfs.model.role import ROLE_KIND, role_actor, role_scope, subject_of
from memfs.policy.role_sleep import open_short_term
from memfs.services.ports import Workspace

ROLE = "builder"
ANA = Actor(Principal.parse("user:ana"), Channel.TERMINAL)
SAID = Origin(
    origin_class=OriginClass.AGENT_STATED,
    principal=Principal.parse(f"agent:{ROLE}"),
    channel=Channel.AGENT,
)
DAYS = 21
THEMES = 8
"""Memories of one theme that comes again."""
INVALID_SHARE = 50
AT_ONCE = 50
_VERBS = "prefers asks-for avoids forgets likes questions repeats keeps drops renames".split()
_THINGS = "reviews deploys drafts tests meetings names logs plans-of-the-week notes hints".split()


def conversation(count: int, seed: int = 11) -> Iterator[tuple[Record, str]]:
    """Yields short-term memories as a role took them, each with what a reader would do with it."""
    rng = random.Random(seed)
    now = datetime.now(UTC).replace(microsecond=0)
    people = max(4, count // 250)
    for number in range(count):
        target = f"person:{number % people:03d}"
        day = rng.random() * DAYS
        sort = rng.choices(("theme", "remark", "question", "small talk"), (50, 15, 10, 25))[0]
        theme = number // people // THEMES
        said = {
            "theme": (
                f"theme {theme}",
                f"{_VERBS[theme % 10]} {_THINGS[theme % 9]}",
                0.6,
                "distil",
            ),
            "remark": ("", f"remarked on {_THINGS[number % 10]} once", 0.8, "distil"),
            "question": (f"question {number}", "wonders about it", 0.6, "incubate"),
            "small talk": ("", f"spoke of the weather in room {number}", 0.1, "prune"),
        }[sort]
        topic, words, salience, fate = said
        claim = f"{target} {words} ({number})"
        fields = {
            "profile": "conversation",
            "lifecycle": "active",
            "target": target,
            "topic": topic,
            "question": "why so?" if fate == "incubate" else "",
            "tension": "" if fate == "incubate" else "speed against care",
            "implication": "ask before acting on it",
            "anchors": ["anchor:missing"],
            "salience": salience,
        }
        at = now - timedelta(days=day)
        yield (
            Record(
                kind=ROLE_KIND,
                id="role_" + encode_ulid((int(at.timestamp() * 1000) << 80) + number * 7_919_003),
                title=claim,
                subject=subject_of(target, topic),
                scope=role_scope(ROLE),
                observed=at,
                confidence=0.6,
                origin=SAID,
                fields={name: value for name, value in fields.items() if value != ""},
            ),
            fate,
        )


def script_for(said: Sequence[tuple[Record, str]]) -> tuple[bytes, int]:
    """Returns a script that accounts for all of it, and how many of its lines are invalid."""
    lines: list[str] = []
    groups: dict[tuple[str, str], list[Record]] = {}
    for record, fate in said:
        about = record.subject if fate != "prune" else ""
        groups.setdefault((fate, about), []).append(record)
    for (fate, _), members in groups.items():
        for start in range(0, len(members), AT_ONCE):
            lines.append(_line(fate, members[start : start + AT_ONCE]))
    wrong = [
        "{",
        '{"operation": "ForgetEverything"}',
        '{"operation": "PruneShortTermMemory", "memories": ["role_01m8pem7xsvc06rm8fdq4kzsg4"], '
        '"reason": "of nothing"}',
        '{"operation": "PruneShortTermMemory", "role": "other", "memories": [], "reason": "x"}',
    ]
    invalid = [wrong[number % len(wrong)] for number in range(max(4, len(lines) // INVALID_SHARE))]
    return "\n".join([*invalid, *lines]).encode(), len(invalid)


def _line(fate: str, members: Sequence[Record]) -> str:
    names = [item.id for item in members]
    if fate == "prune":
        said = {"memories": names, "reason": "small talk", "because": "low-value"}
        return json.dumps({"operation": "PruneShortTermMemory", **said})
    lead = members[0]
    parts = ("target", "topic", "question", "tension", "implication", "anchors")
    whole = {name: lead.fields[name] for name in parts if name in lead.fields}
    name = "ApplyMemoryDistillation" if fate == "distil" else "MergeIncubationSupport"
    return json.dumps({"operation": name, "sources": names, "claim": lead.title, **whole})


def timed(work: Callable[[], Result]) -> tuple[Result, float, float]:
    """Returns what a call answers, with the seconds that passed and those of the processor."""
    begun, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - begun, time.process_time() - cpu


def floor(workspace: Workspace) -> Result:
    """Reads every memory and commits it in another state; nothing is decided and nothing made."""
    snapshot = workspace.store.snapshot()
    loaded = load_role(workspace, snapshot, ROLE, role_actor(ROLE))
    decision = Decision(verdict=Verdict.ACTIVATE, rule="bench.floor")
    changes = []
    for item in loaded.stored.values():
        moved = replace(item.record, fields={**item.record.fields, "lifecycle": "clustered"})
        content = update_record(
            snapshot.read_blob(item.blob), moved, path=item.path, registry=REGISTRY
        )
        changes.append(
            FileChange(path=item.path, content=content, expected=item.blob, decision=decision)
        )
    commit = workspace.store.commit(
        Plan(
            transaction=workspace.ids.new_id("tx"),
            operation=OperationKind.RECORD,
            subject="every memory in another state",
            actor=SYSTEM_ACTOR,
            at=workspace.clock.now(),
            changes=tuple(changes),
            base=snapshot.commit,
        )
    )
    return Result(action="floor", target=ROLE, status=ResultStatus.DONE, message=str(commit.id))


def check(memory: Memory, result: Result, count: int, invalid: int) -> None:
    """Raises where the account does not add up, or the store says otherwise.

    Raises:
        AssertionError: It does not.
    """
    told = result.data
    number = {name: value for name, value in told.items() if isinstance(value, int)}
    settled = ("distilled", "incubated", "clustered", "pruned", "kept")
    snapshot = memory.workspace.store.snapshot()
    memories = load_role(memory.workspace, snapshot, ROLE, role_actor(ROLE)).view.memories
    found = Counter(str(item.fields["lifecycle"]) for item in memories.values())
    assert result.status is ResultStatus.DONE, result.message
    assert number["opened"] == count == sum(number[name] for name in settled)
    assert number["proposed"] == number["accepted"] + number["rejected"]
    assert number["accepted"] == number["applied"] + number["unchanged"] + number["waiting"]
    assert number["rejected"] == invalid
    assert told["residue"] == []
    assert not open_short_term(memories.values())
    assert [found[state] for state in ("distilled", "incubated", "pruned")] == [
        number["distilled"],
        number["incubated"],
        number["pruned"],
    ]


def slept(count: int, mind: str) -> tuple[Result, float, float]:
    """Sleeps over a conversation in a store of its own; see the module."""
    said = list(conversation(count))
    script, invalid = script_for(said) if mind == "script" else (None, 0)
    with project_with(0) as project:
        env = environment(project.parent)
        fill(project, env, files_of(record for record, _ in said))
        workspace = open_workspace(start=project, env=env)
        memory = Memory(workspace, ANA)
        try:
            if mind == "floor":
                return timed(lambda: floor(workspace))
            memory.list_records()  # the catalogue is brought up to what was filled in
            figures = timed(lambda: memory.sleep_role(ROLE, script=script))
            check(memory, figures[0], count, invalid)
            return figures
        finally:
            workspace.store.close()


def main() -> None:
    """Measures at each size that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, nargs="+", default=[1_000, 3_000, 10_000])
    parser.add_argument("--minds", nargs="+", default=["floor", "script", "rules"])
    asked = parser.parse_args()
    print("memories  mind     seconds   cpu s  a memory   settled as")
    for mind in asked.minds:
        for count in asked.memories:
            result, wall, cpu = slept(count, mind)
            told = ", ".join(
                f"{result.data[name]} {name}"
                for name in ("distilled", "incubated", "pruned", "rejected")
                if name in result.data
            )
            each = cpu / count * 1_000
            print(f"{count:8}  {mind:<8} {wall:6.1f}  {cpu:6.1f}  {each:5.2f} ms  {told}")


if __name__ == "__main__":
    main()
