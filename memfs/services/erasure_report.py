"""What an erasure reached, for the receipt and in plain words: content-free, nothing claimed.

Each tier says what was reached; what is out of reach is always named, since no program here can
take back what has left the store (A21, A61).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from memfs.model.digests import content_digest
from memfs.model.frozen import frozen
from memfs.model.values import JsonValue
from memfs.policy.erasure import Level
from memfs.services.erasure_scan import HISTORY_PLACES, Place
from memfs.services.ports import Workspace
from memfs.services.session_places import PLACE as SESSIONS
from memfs.services.sought import Sought
from memfs.store.purge import Purged

_NAMED: Final = 20
"""So many records the plain words name; the targets of the receipt are all of them."""

KEPT_BY_HISTORY = (*HISTORY_PLACES, "object files", "index")


@frozen
class Outcome:
    """What was done and found.

    Attributes:
        places: Every managed place after the erasure.
        purged: The rewrite of the history; ``None`` when that was not asked for.
        candidates: Candidates that were removed from the inbox.
        working: Working files of a person that were removed or changed.
        unreadable: Working files that could not be opened safely.
        keys: Keys of sealed records that were destroyed.
        backups: Backups of the whole store that memfs had made and that were dropped.
        beyond: What is out of reach, by sort.
    """

    places: tuple[Place, ...]
    purged: Purged | None
    candidates: int
    working: int
    unreadable: int
    keys: int
    backups: int = 0
    beyond: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def remaining(self) -> tuple[Place, ...]:
        """Places that should be clean by now and are not."""
        return tuple(place for place in self.places if place.found and self._is_promised(place))

    @property
    def sessions(self) -> tuple[str, ...]:
        """Conversations that have it; a person deletes each as a whole."""
        names = (place.name.partition(" ") for place in self.places if place.found)
        return tuple(session for place, _, session in names if place == SESSIONS and session)

    def _is_promised(self, place: Place) -> bool:
        if place.name.partition(" ")[0] == SESSIONS:
            return False
        return self.purged is not None or place.name not in KEPT_BY_HISTORY

    def levels(self) -> dict[str, str]:
        """Returns for each tier whether it was reached."""
        is_clean = not self.remaining
        history = "not asked for" if self.purged is None else _reached(is_clean)
        names = {place.name for place in self.remaining}
        return {
            Level.WITHDRAWN: "reached",
            Level.MANAGED: _reached(names <= set(HISTORY_PLACES)),
            Level.HISTORY: history,
            Level.KEY: "reached" if self.keys else "not sealed, or no key here",
            Level.EXTERNAL: "never reached from here",
        }


def _reached(is_reached: bool) -> str:
    return "reached" if is_reached else "not reached"


def details_of(workspace: Workspace, sought: Sought, outcome: Outcome) -> dict[str, JsonValue]:
    """Returns the account for the receipt; no word of what was erased is in it."""
    joined = "\0".join(sorted(sought.phrases))
    scanned: dict[str, JsonValue] = {
        place.name: {"looked_at": place.looked_at, "found": place.found} for place in outcome.places
    }
    levels: dict[str, JsonValue] = dict(outcome.levels())
    beyond: dict[str, JsonValue] = {name: list(found) for name, found in outcome.beyond.items()}
    return {
        "levels": levels,
        "scanned": scanned,
        "versions": len(sought.copies.blobs),
        "phrases": len(sought.phrases),
        "phrases_digest": content_digest("erasure", f"{workspace.store_id}\0{joined}".encode()),
        "shared_phrases": sought.shared,
        "rewritten_commits": outcome.purged.commits if outcome.purged is not None else 0,
        "candidates": outcome.candidates,
        "working_files": outcome.working,
        "unreadable_files": outcome.unreadable,
        "keys_destroyed": outcome.keys,
        "backups_dropped": outcome.backups,
        "beyond_reach": beyond,
        "report": list(report(sought, outcome)),
    }


def report(sought: Sought, outcome: Outcome) -> tuple[str, ...]:
    """Returns the receipt in plain words, one sentence a line."""
    names = ", ".join(sought.identifiers[:_NAMED]) or "the text"
    if len(sought.identifiers) > _NAMED:
        names += f" and {_count(len(sought.identifiers) - _NAMED, 'more record')}"
    lines = [f"erased {names}: {_count(len(sought.copies.blobs), 'version')}"]
    lines.append("it is served nowhere any more, nor is what rested on it alone")
    looked = sum(place.looked_at for place in outcome.places)
    found = sum(place.found for place in outcome.remaining)
    lines.append(
        f"searched {_count(looked, 'item')} in {_count(len(outcome.places), 'place')}: "
        + (f"it still stands in {found}" if found else "nothing found")
    )
    if outcome.purged is not None:
        lines.append(
            f"the Git history was rewritten: {_count(outcome.purged.commits, 'commit')} "
            "have new ids"
        )
    else:
        lines.append("the Git history was not rewritten and still has it: repeat with --history")
    if outcome.keys:
        lines.append(
            f"{_count(outcome.keys, 'key')} destroyed: no clone can read it any more, unless a "
            "backup has the key"
        )
    if outcome.backups:
        lines.append(f"{_count(outcome.backups, 'backup')} that memfs migrate had made dropped")
    if sought.shared:
        lines.append(
            f"{_count(sought.shared, 'piece')} of what it said stand in other records as well "
            "and were left there"
        )
    if outcome.unreadable:
        lines.append(f"{_count(outcome.unreadable, 'working file')} could not be opened safely")
    if outcome.sessions:
        lines.append(
            f"conversations still have it: {', '.join(outcome.sessions)}; delete one as a whole "
            "with: memfs session forget"
        )
    return (*lines, *_beyond(outcome.beyond))


def _beyond(beyond: Mapping[str, list[str]]) -> list[str]:
    lines = []
    remotes = beyond.get("remotes", ())
    if remotes:
        lines.append(
            f"beyond reach: what was pushed to {', '.join(remotes)}; push the new history with "
            "--force and have the old one removed there"
        )
    if beyond.get("packets"):
        lines.append(f"beyond reach: {beyond['packets'][0]} answers that were handed out already")
    if beyond.get("borrowed_objects"):
        lines.append("beyond reach: the repository that this one borrowed objects from")
    lines.append("beyond reach: clones, backups and exported files, wherever they are")
    return lines


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
