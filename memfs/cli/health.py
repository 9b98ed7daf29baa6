"""How a store stands, from what ``status`` answers: places and states, never content."""

from __future__ import annotations

from collections.abc import Mapping

from memfs.model.result import Result
from memfs.model.values import JsonValue


def health_facts(result: Result) -> dict[str, JsonValue]:
    """Returns what a doctor looks at.

    Readers agree with writers when the index stands for the ledger's head, or is not used,
    and when the branch has nothing that the ledger does not know.
    """
    data = result.data
    ledger, main = str(data.get("ledger", "")), str(data.get("main", ""))
    return {
        "store": result.store,
        "mode": data.get("mode", ""),
        "ledger": ledger,
        "main": main,
        "branch": data.get("branch", ""),
        "index": data.get("index"),
        "writer": data.get("writer"),
        "polluted": data.get("polluted", []),
        "sources_off": data.get("sources_off", []),
        "is_agreed": ledger == main and index_ledger(data.get("index")) in ("", ledger),
    }


def health_rows(facts: Mapping[str, JsonValue]) -> list[tuple[str, str]]:
    """Returns the facts as rows of a page."""
    agreed = "readers and writers agree" if facts["is_agreed"] else "the next command catches up"
    return [
        ("store", str(facts["store"])),
        ("mode", str(facts["mode"])),
        ("ledger", f"{str(facts['ledger'])[:8]} on {facts['branch'] or 'no branch'}; {agreed}"),
        ("index", index_words(facts["index"])),
        ("writer", writer_words(facts["writer"])),
        *switch_rows(facts),
    ]


def writer_words(writer: JsonValue) -> str:
    """Returns how writing goes, in words: the last success, or what failed since."""
    if not isinstance(writer, Mapping):
        return "unknown"
    if writer.get("failure_code"):
        again = "; it may work when it is repeated" if writer.get("retryable") else ""
        return f"failed at {writer['last_failure']}: {writer['failure_code']}{again}"
    return f"{writer.get('operation') or 'nothing'} at {writer.get('last_success') or 'no time'}"


def switch_rows(facts: Mapping[str, JsonValue]) -> list[tuple[str, str]]:
    """Returns what is withheld: polluted namespaces and switched-off sources; none as a rule."""
    rows = []
    for name, title in (("polluted", "polluted"), ("sources_off", "sources off")):
        said = facts.get(name)
        if isinstance(said, list) and said:
            rows.append((title, ", ".join(map(str, said))))
    return rows


def index_ledger(index: JsonValue) -> str:
    """Returns the commit that the index stands for; empty when there is no index."""
    return str(index.get("ledger") or "") if isinstance(index, Mapping) else ""


def vector_words(vectors: JsonValue) -> str:
    """Returns how vectors stand in words; empty where there are none."""
    if not isinstance(vectors, Mapping):
        return ""
    counts = [f"{vectors.get('held')} of {vectors.get('model')}"]
    for name, words in (("stale", "stale"), ("ghosts", "ghosts"), ("lacking", "to be made")):
        counts += [f"{vectors.get(name)} {words}"] if vectors.get(name) else []
    counts += [f"{vectors.get('unpurged')} to be taken out"] if vectors.get("unpurged") else []
    counts += [str(vectors.get("trouble"))] if vectors.get("trouble") else []
    return ", ".join(counts)


def index_words(index: JsonValue) -> str:
    """Returns the state of the index in words."""
    if not isinstance(index, Mapping):
        return "none"
    ledger = index_ledger(index)[:8]
    return f"{index.get('state')} at {ledger}" if ledger else str(index.get("state"))
