"""Which idempotency keys are on the ledger, found without walking its history (A22).

Append-only lines in 256 small files under ``.git/memfs/keys``. It is a cache of the ledger's
``Memfs-Key`` trailers: every hit is checked against the commit that it names, and when the
log is missing it is made again from the ledger's history.
"""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path
from typing import Final

from memfs.model.operation import Commit
from memfs.store.catfile import CatFile, ObjectMissingError
from memfs.store.effects import Effects
from memfs.store.git import run_git
from memfs.store.message import COMMITTER, KEY, parse_commit
from memfs.store.refs import LEDGER_REF, read_ref

_COMPLETE: Final = "complete"
_FORMAT: Final = f"%H%x00%cn <%ce>%x00%(trailers:key={KEY},valueonly,separator=%x00)"


class KeyLog:
    """The keys of one store. Keys are given in their trailer form."""

    def __init__(self, git_dir: Path, objects: CatFile, effects: Effects) -> None:
        self._git_dir = git_dir
        self._folder = f"{git_dir}/memfs/keys"
        self._objects = objects
        self._effects = effects

    def find(self, key: str) -> Commit | None:
        """Returns the operation that carries ``key``; the caller holds the write lock."""
        if not Path(self._folder, _COMPLETE).exists():
            self._rebuild()
        digest = _digest(key)
        for line in reversed(self._read(digest[:2]).split(b"\n")):
            if line[:64] == digest.encode("ascii") and len(line) == 105:
                found = self._check(line[65:].decode("ascii", "replace"), key)
                if found is not None:
                    return found
        return None

    def add(self, key: str, commit: str) -> None:
        """Notes that ``commit`` carries ``key``; noting it twice is harmless."""
        digest = _digest(key)
        try:
            self._append(digest, commit)
        except FileNotFoundError:
            self._effects.mkdir(self._folder)
            self._append(digest, commit)

    def _append(self, digest: str, commit: str) -> None:
        # The leading line end closes a line that a kill or a full disk has cut short.
        self._effects.append(
            f"{self._folder}/{digest[:2]}", f"\n{digest} {commit}\n".encode("ascii")
        )

    def _read(self, bucket: str) -> bytes:
        try:
            return Path(self._folder, bucket).read_bytes()
        except FileNotFoundError:
            return b""

    def _check(self, commit: str, key: str) -> Commit | None:
        try:
            content = self._objects.read_kind(commit, "commit")
        except ObjectMissingError:
            return None
        found = parse_commit(commit, content)
        return dataclasses.replace(found, is_replay=True) if found.key == key else None

    def _rebuild(self) -> None:
        ledger = read_ref(str(self._git_dir), LEDGER_REF)
        self._effects.mkdir(self._folder)
        if ledger:
            output = run_git(self._git_dir, None, "log", f"--format={_FORMAT}", "--reverse", ledger)
            buckets: dict[str, list[str]] = {}
            for line in output.decode("utf-8", "replace").split("\n"):
                commit, _, rest = line.partition("\0")
                committer, _, key = rest.partition("\0")
                if key and committer == COMMITTER:
                    digest = _digest(key.partition("\0")[0])
                    buckets.setdefault(digest[:2], []).append(f"\n{digest} {commit}\n")
            for bucket, lines in buckets.items():
                self._effects.append(f"{self._folder}/{bucket}", "".join(lines).encode("ascii"))
        self._effects.append(f"{self._folder}/{_COMPLETE}", b"1\n")


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
