"""Looks at every object that a repository has, reachable or not, loose or packed.

Objects are unpacked by Git itself, one after the other, so that what a store holds is known
from what can be read out of it and not from how it is packed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from memfs.model.frozen import frozen
from memfs.store.git import GitFailedError, git_command, git_environment, missing_git, run_git
from memfs.store.layout import RECORD_FOLDERS

TIMEOUT_S: Final = 3600.0
_MATTER_ID: Final = re.compile(rb"^id:[ \t]*[\"']?([a-z]+_[0-9a-z]{26})[\"']?[ \t]*\r?$", re.M)
_MOST_MATTER: Final = 1 << 16


@frozen(kw_only=False)
class RawObject:
    """One object with its kind and content."""

    oid: str
    kind: str
    data: bytes


@frozen
class Copies:
    """Every form in which records ever stood in the repository.

    Attributes:
        blobs: Content by blob id.
        paths: Paths at which nothing else ever stood.
    """

    blobs: Mapping[str, bytes]
    paths: frozenset[bytes]


def each_object(git_dir: Path) -> Iterator[RawObject]:
    """Yields every object of the repository, in the order in which it is stored.

    Raises:
        GitFailedError: Git cannot read one of them.
    """
    command = git_command(
        git_dir, None, "cat-file", "--batch-all-objects", "--unordered", "--batch"
    )
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=git_environment(),
        )
    except FileNotFoundError as error:
        raise missing_git() from error
    try:
        stream = child.stdout
        assert stream is not None
        while line := stream.readline():
            fields = line.split()
            if len(fields) != 3:
                raise GitFailedError("an object cannot be read", status=0, stderr="")
            size = int(fields[2])
            data = stream.read(size + 1)[:size]
            yield RawObject(fields[0].decode("ascii"), fields[1].decode("ascii"), data)
        if child.wait(TIMEOUT_S) != 0:
            raise GitFailedError("the objects cannot be listed", status=1, stderr="")
    finally:
        child.kill()
        child.wait()
        if child.stdout is not None:
            child.stdout.close()


def own_id(data: bytes) -> str:
    """Returns the id that a file says it has, empty when it says none."""
    if data.startswith((b"---\n", b"---\r\n", b"\xef\xbb\xbf---")):
        end = data.find(b"\n---", 4, _MOST_MATTER)
        found = _MATTER_ID.search(data, 0, end if end > 0 else _MOST_MATTER)
        return found[1].decode("ascii") if found is not None else ""
    if data.lstrip()[:1] == b"{":
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return ""
        name = value.get("id") if isinstance(value, dict) else None
        return name if isinstance(name, str) else ""
    return ""


def find_copies(git_dir: Path, identifiers: Iterable[str]) -> Copies:
    """Finds every blob that is a version of one of these records, wherever it ever stood.

    Raises:
        GitError: The repository cannot be read.
    """
    wanted = frozenset(identifiers)
    marks = [name.encode("ascii") for name in wanted]
    blobs: dict[str, bytes] = {}
    if not marks:
        return Copies(blobs={}, paths=frozenset())
    for item in each_object(git_dir):
        is_named = item.kind == "blob" and any(mark in item.data for mark in marks)
        if is_named and own_id(item.data) in wanted:
            blobs[item.oid] = item.data
    places = _places(git_dir, frozenset(blobs))
    # A tombstone or a receipt names the id as well; neither is a copy.
    kept = {oid for oid in blobs if places.get(oid) and not any(map(_is_record_place, places[oid]))}
    copies = {oid: data for oid, data in blobs.items() if oid not in kept}
    paths = {path for oid in copies for path in places.get(oid, ())}
    shared = _shared(git_dir, paths, frozenset(copies), wanted)
    return Copies(blobs=copies, paths=frozenset(paths - shared))


def _is_record_place(path: bytes) -> bool:
    top = os.fsdecode(path).partition("/")[0]
    return top in RECORD_FOLDERS or top not in ("tombstones", "holds")


def _raw_log(git_dir: Path, *limits: str) -> Iterator[tuple[bytes, tuple[str, str]]]:
    """Yields path, and blob before and after, of every change in the whole history."""
    options = ("log", "--all", "--reflog", "--format=", "--raw", "-z", "-m", "--root")
    output = run_git(
        git_dir, None, *options, "--no-renames", "--no-abbrev", *limits, timeout_s=TIMEOUT_S
    )
    fields = output.split(b"\0")
    at = 0
    while at < len(fields):
        head = fields[at].lstrip(b"\n")
        if not head.startswith(b":") or at + 1 >= len(fields):
            at += 1
            continue
        words = head.split(b" ")
        yield fields[at + 1], (words[2].decode("ascii"), words[3].decode("ascii"))
        at += 2


def _places(git_dir: Path, blobs: frozenset[str]) -> dict[str, set[bytes]]:
    found: dict[str, set[bytes]] = {}
    if not blobs:
        return found
    for path, pair in _raw_log(git_dir):
        for oid in pair:
            if oid in blobs:
                found.setdefault(oid, set()).add(path)
    return found


def _shared(
    git_dir: Path, paths: set[bytes], copies: frozenset[str], wanted: frozenset[str]
) -> set[bytes]:
    """Returns the paths at which another record stood at some time."""
    if not paths:
        return set()
    others: dict[str, set[bytes]] = {}
    names = [os.fsdecode(path) for path in sorted(paths)]
    for path, pair in _raw_log(git_dir, "--", *names):
        for oid in pair:
            if oid not in copies and oid.strip("0"):
                others.setdefault(oid, set()).add(path)
    found: set[bytes] = set()
    for oid, at in others.items():
        name = own_id(run_git(git_dir, None, "cat-file", "blob", oid))
        if name and name not in wanted:
            found |= at
    return found
